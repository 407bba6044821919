"""One repetition of each experiment, against the package's own estimates."""

import numpy as np
import pytest

import tlpo
from studies.simulations import Simulation
from tlpo.experiments import grid
from tlpo.experiments.paper import (
    COLUMNS,
    Pool,
    repeat_harrell,
    repeat_pool,
    repeat_random,
    repeat_synthetic,
)
from tlpo.roc.curve import wmw_auc

ESTIMATOR = {"ridge": tlpo.RLS(), "knn": tlpo.InverseDistanceKNN()}


@pytest.mark.parametrize("learner", grid.LEARNERS)
def test_a_synthetic_row(learner):
    setting = Simulation(learner, 30, 0.3, 10, 4)
    (row,) = repeat_synthetic(setting, 0, np.array([7])).values
    row = dict(zip(COLUMNS, row, strict=True))
    X, y = setting.draw(setting.rng(7))
    t = tlpo.tournament(ESTIMATOR[learner], X, y)
    assert (row["lpo"], row["tlpo"], row["consistency"]) == (t.lpo_auc, t.tlpo_auc, t.consistency)
    assert row["loo"] == tlpo.leave_one_out(ESTIMATOR[learner], X, y).auc
    assert row["sensitivity 0.8"] == t.sensitivity_at(0.8)
    truth = setting.truth(X, y)
    if learner == "ridge":
        assert row["true"] == pytest.approx(truth.auc)
        assert row["true sensitivity 0.8"] == pytest.approx(truth.sensitivity_at(0.8))
    else:  # two test sets of 5 000 + 5 000: 0.007 apart on average
        assert row["true"] == pytest.approx(truth.auc, abs=0.03)
    other = repeat_synthetic(setting, 1, np.array([7])).values
    assert other[0, 2] != row["lpo"]


def test_without_signal_the_truth_is_chance():
    rows = repeat_synthetic(Simulation("knn", 30, 0.5, 10, 0), 0, np.arange(2)).values
    table = dict(zip(COLUMNS, rows.T, strict=True))
    assert table["true"].tolist() == [0.5, 0.5]
    assert table["true sensitivity 0.9"] == pytest.approx(0.1)


def test_rows_do_not_depend_on_their_company():
    setting = Simulation("ridge", 30, 0.5, 10, 1)
    together = repeat_synthetic(setting, 0, np.arange(4)).values
    alone = [repeat_synthetic(setting, 0, np.array([k])).values[0] for k in (3, 1)]
    np.testing.assert_array_equal(together[[3, 1]], alone)
    resampled = repeat_harrell(Simulation("ridge", 30, 0.5, 10, 0), 0, np.arange(3)).values
    again = repeat_harrell(Simulation("ridge", 30, 0.5, 10, 0), 0, np.array([2])).values
    assert resampled[2] == again[0]


def test_random_learner_against_theory():
    """2 000 tournaments: ξ is known to 0.0004."""
    xi = repeat_random(0, np.arange(2000)).values
    assert xi.mean() == pytest.approx(3 / 32, abs=4 * xi.std() / np.sqrt(2000))


def pool(n_positive=60, n_negative=200):
    y = np.arange(n_positive + n_negative) < n_positive
    X = np.random.default_rng(0).normal(size=(y.size, 3)) + y[:, None]
    return Pool("test", X, y)


@pytest.mark.parametrize("learner", grid.LEARNERS)
def test_a_row_of_the_pool(learner):
    table = pool()
    (row,) = repeat_pool(table, learner, 0.3, 0, True, np.array([2])).values
    units = table.draw(0.3, 2, 0, apart=True)
    assert np.count_nonzero(table.y[units]) == 9
    assert np.unique(units).size == 30
    rest = np.setdiff1d(np.arange(260), units)
    model = ESTIMATOR[learner].fit(table.X[units], np.where(table.y[units], 1.0, -1.0))
    scores = (
        model.predict(table.X[rest])
        if learner == "ridge"
        else model.decision_function(table.X[rest])
    )
    assert row[0] == pytest.approx(wmw_auc(scores, table.y[rest]))
    assert row[3] == tlpo.tournament(ESTIMATOR[learner], table.X[units], table.y[units]).tlpo_auc


def test_samples_of_a_large_pool_share_no_unit():
    table = pool()
    assert table.is_large(0.3, 6)
    assert not table.is_large(0.3, 7)  # 63 positives
    drawn = np.concatenate([table.draw(0.3, k, 0, apart=True) for k in range(6)])
    assert np.unique(drawn).size == 180
    anew = [table.draw(0.3, k, 0, apart=False) for k in range(6)]
    assert np.unique(np.concatenate(anew)).size < 180
    assert all(np.unique(units).size == 30 for units in anew)
    assert (table.draw(0.3, 0, 1, apart=True) != table.draw(0.3, 0, 0, apart=True)).any()
