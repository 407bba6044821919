import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import estimators
import oracles
import tlpo


@pytest.mark.parametrize("estimator", [DecisionTreeClassifier(random_state=0), tlpo.RLS()])
def test_leave_pair_out_against_naive_loop(estimator):
    X, y = oracles.blobs(m=12, n_positive=2)
    lpo = tlpo.leave_pair_out(estimator, X, y, engine="refit")
    assert lpo.auc == pytest.approx(oracles.leave_pair_out_auc(estimator, X, y))
    assert lpo.diagnostics.fits == lpo.diagnostics.pairs_played == 2 * 10
    same_class = y[:, None] == y[None, :]
    assert np.isnan(lpo.predictions[same_class]).all()
    assert np.isfinite(lpo.predictions[~same_class]).all()
    assert repr(lpo).startswith("Leave-pair-out of 12 units")


def test_leave_pair_out_is_the_tournaments():
    X, y = oracles.blobs(m=12)
    t = tlpo.tournament(LogisticRegression(), X, y)
    assert tlpo.leave_pair_out(LogisticRegression(), X, y).auc == t.lpo_auc


def test_failing_games_can_be_left_out():
    X, y = oracles.blobs(m=8)
    X[:, 0] = np.arange(8)
    skipped = tlpo.leave_pair_out(estimators.Fussy(needs=(3,)), X, y, on_error="skip")
    assert skipped.diagnostics.pairs_failed == 4
    assert skipped.diagnostics.pairs_played == 12
    assert "12 games of 16" in repr(skipped)
