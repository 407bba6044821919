"""What leave-pair-out says of its games."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import estimators
import oracles
import tlpo


@pytest.mark.parametrize("estimator", [tlpo.RLS(), LogisticRegression()])
def test_units_of_one_class_have_not_met(estimator):
    X, y = oracles.blobs(m=10)
    pair, t = tlpo.leave_pair_out(estimator, X, y), tlpo.tournament(estimator, X, y)
    met = y[:, None] != y[None, :]
    assert np.isnan(pair.predictions[~met]).all()
    np.testing.assert_allclose(pair.predictions[met], t.predictions[met])
    assert tlpo.leave_pair_out(estimator, X, y, predictions=False).predictions is None


def test_four_units_by_hand():
    # Positives 3 and 1, negatives 2 and 1: 3 beats both, 1 loses and ties.
    X = np.array([[3.0], [1.0], [2.0], [1.0]])
    pair = tlpo.leave_pair_out(estimators.FixedFunction(), X, [1, 1, 0, 0])
    assert (pair.auc, pair.lpo_auc, pair.n_ties) == (2.5 / 4, 2.5 / 4, 1)
    lines = repr(pair).splitlines()
    assert lines[0] == "Leave-pair-out of 4 units, 2 positive (1) and 2 negative (0)"
    low, high = pair.auc_interval()
    assert lines[2] == f"  LPO AUC    0.6250 ({low:.4f} to {high:.4f}, 95 % interval; 1 tie)"
    assert lines[3].startswith("  played     4 games, 4 fits, ")
    assert lines[3].endswith("s, engine refit")


def test_games_that_failed_are_counted():
    X, y = oracles.blobs(m=10)
    picky = estimators.Fussy(needs=(X[0, 0],))
    assert "20 games of 25" in repr(tlpo.leave_pair_out(picky, X, y, on_error="skip"))
