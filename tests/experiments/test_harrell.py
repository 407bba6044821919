import numpy as np
import pytest

import tlpo
from studies.simulations import Simulation
from tlpo.checks import seed_sequence
from tlpo.experiments import grid
from tlpo.experiments.harrell import draw_copies, harrell_auc
from tlpo.problem.problem import make_problem
from tlpo.schemes.bootstrap import _draw

ESTIMATOR = {"ridge": tlpo.RLS(), "knn": tlpo.InverseDistanceKNN()}


@pytest.mark.exhaustive
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
