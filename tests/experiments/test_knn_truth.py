import numpy as np
import pytest

import tlpo
from studies.simulations import Simulation
from tlpo.experiments import grid, knn_truth
from tlpo.experiments.knn_truth import judge, knn_scores, neighbour_scores
from tlpo.roc.curve import roc_curve, sensitivity_at, wmw_auc


def test_votes_against_the_learner():
    setting = Simulation("knn", 30, 0.4, 10, 4)
    X, y = setting.draw(setting.rng(0))
    points = np.random.default_rng(1).normal(size=(500, 10))
    expected = tlpo.InverseDistanceKNN().fit(X, y).decision_function(points)
    np.testing.assert_allclose(neighbour_scores(X, y, points), expected, atol=1e-12)


@pytest.mark.parametrize("k", [1, 3, 5])
def test_votes_of_units_that_coincide(k):
    """The first of equals votes, in every block of points."""
    rng = np.random.default_rng(2)
    units = rng.integers(3, size=(20, 2)).astype(float)
    y = np.arange(20) % 3 == 0
    points = rng.integers(3, size=(knn_truth.BLOCK + 300, 2)) + 0.25
    distance = np.linalg.norm(points[:, None] - units, axis=2)
    nearest = np.argsort(distance, axis=1, kind="stable")[:, :k]
    votes = np.where(y, 1.0, -1.0)[nearest] / np.take_along_axis(distance, nearest, axis=1)
    np.testing.assert_allclose(neighbour_scores(units, y, points, k), votes.sum(axis=1))


@pytest.mark.exhaustive
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
