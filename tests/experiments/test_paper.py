"""One repetition of each experiment, against the package's own estimates."""

import numpy as np
import pytest

import tlpo
from studies.simulations import Simulation
from tlpo.checks import seed_sequence
from tlpo.experiments import grid
from tlpo.experiments.harrell import draw_copies, harrell_auc
from tlpo.experiments.knn_truth import judge, knn_scores, neighbour_scores
from tlpo.experiments.paper import (
    COLUMNS,
    Pool,
    repeat_harrell,
    repeat_pool,
    repeat_random,
    repeat_synthetic,
)
from tlpo.problem.problem import make_problem
from tlpo.roc.curve import roc_curve, sensitivity_at, wmw_auc
from tlpo.schemes.bootstrap import _draw

ESTIMATOR = {"ridge": tlpo.RLS(), "knn": tlpo.InverseDistanceKNN()}


@pytest.mark.parametrize("learner", grid.LEARNERS)
@pytest.mark.parametrize("n_features", [10, 1000])
@pytest.mark.parametrize("n_positive", [3, 15])
def test_harrell_against_the_packages_bootstrap(learner, n_features, n_positive):
    setting = Simulation(learner, 30, n_positive / 30, n_features, 0)
    X, y = setting.draw(setting.rng(0))
    expected = tlpo.bootstrap(ESTIMATOR[learner], X, y, n_resamples=25, random_state=5)
    drawn, _ = _draw(make_problem(X, y), 25, seed_sequence(5))
    copies = np.array([np.bincount(units, minlength=30) for units in drawn])
    assert harrell_auc(learner, X, y, copies) == pytest.approx(expected.auc, abs=1e-12)


def test_resamples_are_ordinary():
    y = np.arange(30) < 3
    copies = draw_copies(y, 2000, np.random.default_rng(0))
    assert (copies.sum(axis=1) == 30).all()
    # 1 − (29/30)³⁰ of the units are drawn at least once.
    assert (copies > 0).mean() == pytest.approx(1 - (29 / 30) ** 30, abs=0.01)


def test_a_resample_without_a_class_has_no_optimism():
    setting = Simulation("ridge", 30, 0.1, 10, 0)
    X, y = setting.draw(setting.rng(0))
    copies = draw_copies(y, 100, np.random.default_rng(0))
    useful = (copies @ y) > 0
    assert 0 < (~useful).sum() < 15
    apparent = harrell_auc("ridge", X, y, np.zeros((1, 30), dtype=np.intp))
    alone = apparent - harrell_auc("ridge", X, y, copies[useful])
    both = apparent - harrell_auc("ridge", X, y, copies)
    assert both == pytest.approx(alone * useful.mean())


def test_votes_against_the_learner():
    setting = Simulation("knn", 30, 0.4, 10, 4)
    X, y = setting.draw(setting.rng(0))
    points = np.random.default_rng(1).normal(size=(500, 10))
    expected = tlpo.InverseDistanceKNN().fit(X, y).decision_function(points)
    np.testing.assert_allclose(neighbour_scores(X, y, points), expected, atol=1e-12)


@pytest.mark.parametrize("design", [(10, 4), (40, 5), (1000, 50)])
def test_test_units_in_the_coordinates_of_the_training_set(design):
    """Eight sets of 5 000 + 5 000 either way: means differ by less than four standard errors."""
    setting = Simulation("knn", 30, 0.3, *design)
    X, y = setting.draw(setting.rng(0))
    model = tlpo.InverseDistanceKNN().fit(X, y)
    labels = np.arange(10_000) < 5_000
    plain, quick = [], []
    for k in range(8):
        rng = np.random.default_rng(k)
        plain.append(wmw_auc(model.decision_function(setting.draw_features(rng, labels)), labels))
        quick.append(wmw_auc(knn_scores(X, y, setting.n_signal, rng), labels))
    error = np.sqrt((np.var(plain, ddof=1) + np.var(quick, ddof=1)) / 8)
    assert abs(np.mean(plain) - np.mean(quick)) < 4 * error
    assert np.std(quick) == pytest.approx(np.std(plain), rel=1.2)


def test_judgement_against_the_curve():
    rng = np.random.default_rng(0)
    scores, y = np.round(rng.normal(size=300), 1), np.arange(300) < 120
    found = judge(scores[y], scores[~y], np.array(grid.SPECIFICITIES))
    curve = roc_curve(scores, y)
    assert found.auc == pytest.approx(wmw_auc(scores, y))
    assert found.sensitivity.tolist() == pytest.approx(
        [sensitivity_at(curve, s) for s in grid.SPECIFICITIES]
    )


@pytest.mark.parametrize("learner", grid.LEARNERS)
def test_a_synthetic_row(learner):
    setting = Simulation(learner, 30, 0.3, 10, 4)
    (row,) = repeat_synthetic(setting, 0, np.array([7])).values
    row = dict(zip(COLUMNS, row, strict=True))
    X, y = setting.draw(setting.rng(7))
    t = tlpo.tournament(ESTIMATOR[learner], X, y)
    assert (row["lpo"], row["tlpo"], row["consistency"]) == (t.lpo_auc, t.auc, t.consistency)
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
    assert row[3] == tlpo.tournament(ESTIMATOR[learner], table.X[units], table.y[units]).auc


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
