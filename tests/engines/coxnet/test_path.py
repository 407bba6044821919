"""Compiled loops of the engine for Cox regression with an L1 penalty, against others."""

import numpy as np
import pytest
from sksurv.linear_model import CoxnetSurvivalAnalysis

from engines.cox.problems import make
from tlpo.engines.coxnet import parabola, path, sets
from tlpo.engines.coxnet.engine import Coxnet
from tlpo.games.contest import Contest


def units_of(time, event):
    begins = parabola.begins_of(time)
    events = np.add.reduceat(event, begins[:-1])
    return parabola.Units(np.empty((0, time.size)), np.empty((0, time.size)), event, begins, events)


def blank(n, n_times):
    return parabola.Parabola(*(np.zeros(n) for _ in range(3)), np.zeros(n_times), np.zeros(n))


@pytest.mark.parametrize("moves", [[1.0], [1.0, 1e-3, 0.02, 0.049]])
def test_parabolas_and_likelihoods_against_plain_sums(moves):
    rng = np.random.default_rng(0)
    time = np.sort(rng.integers(1, 9, 20).astype(float))[::-1].copy()
    event = (rng.random(20) < 0.6).astype(float)
    event[0] = 1.0
    units, z = units_of(time, event), np.zeros(20)
    at = blank(20, units.events.size)
    for k, move in enumerate(moves):
        z += move * rng.uniform(-1, 1, 20)
        assert parabola.bend(units, z, at, k == 0)
    hazard = np.exp(z) / 20
    at_risk = np.array([hazard[time >= own].sum() for own in time])
    share = event / 20 / at_risk
    first = np.array([share[time <= own].sum() for own in time])
    second = np.array([(share / at_risk)[time <= own].sum() for own in time])
    np.testing.assert_allclose(at.residual, event / 20 - hazard * first, atol=1e-15)
    np.testing.assert_allclose(at.weight, hazard * (first - hazard * second), rtol=1e-12)
    at_risk[0] = hazard[0]  # as scikit-survival counts it
    expected = (event * (z - np.log(at_risk))).sum() / 20
    assert parabola.likelihood(units, z, at) == pytest.approx(expected, rel=1e-12)


def test_nothing_is_said_where_exponentials_might_overflow():
    units = units_of(np.array([3.0, 2.0, 1.0]), np.array([0.0, 1.0, 1.0]))
    assert parabola.bend(units, np.array([0.0, 299.0, 0.0]), blank(3, 3), True)
    assert not parabola.bend(units, np.array([0.0, 301.0, 0.0]), blank(3, 3), True)
    assert not parabola.bend(units, np.array([0.0, np.nan, 0.0]), blank(3, 3), True)


def test_null_deviance_by_hand():
    # Two events among three units, the second and the third by time: log(2/3) + log(3/3).
    deviance, best = parabola.null_deviance(np.array([0.0, 1.0, 1.0]))
    assert best == pytest.approx(2 / 3 * np.log(3))
    assert deviance == pytest.approx(2 / 3 * np.log(3) + np.log(2 / 3) / 3)


@pytest.mark.parametrize("length", [0, 1, 3, 4, 11])
def test_products_against_numpy(length):
    rng = np.random.default_rng(0)
    X, r = rng.normal(size=(2, length)), rng.normal(size=length)
    assert path.product(X, 1, r) == pytest.approx(X[1] @ r)


@pytest.mark.filterwarnings("ignore:.*all coefficients are zero")
@pytest.mark.parametrize("times", ["plain", "three times", "few events"])
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"l1_ratio": 1.0, "alpha_min_ratio": 0.01},
        {"alphas": [0.3, 0.1, 0.03], "tol": 1e-4},
        {"normalize": True, "alpha_min_ratio": 0.1},
        {"penalty_factor": np.arange(6.0)},
    ],
)
def test_coefficients_and_penalties_against_fits(times, params):
    X, y = make(25, 6, seed=1, times=times)
    model = CoxnetSurvivalAnalysis(**params)
    engine = Coxnet(Contest(model, X, y).prepared)
    coef, centre = np.empty(6), np.empty(6)
    values, own = engine.columns.values, (engine._size, sets.BLUR, 0.0)
    settings = engine._settings(25)
    end = sets.follow_units(values, *engine._times, engine._order, settings, *own, coef, centre)
    assert end == path.FOLLOWED
    model.fit(X, y)
    np.testing.assert_allclose(coef, model.coef_[:, -1], rtol=1e-8, atol=1e-11)
