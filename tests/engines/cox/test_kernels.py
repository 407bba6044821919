"""Compiled loops of the engine for Cox regression against NumPy and scikit-survival."""

import re

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sksurv.linear_model import CoxPHSurvivalAnalysis

import tlpo
from engines.cox.problems import make
from tlpo.engines.cox import kernels
from tlpo.engines.cox.engine import Cox
from tlpo.games.contest import Contest


def two_units(alpha):
    """F and its first two derivatives for an event at x = 1 while a unit at x = 0 is at risk."""

    def value(w):
        return np.logaddexp(w, 0.0) - w + 0.5 * alpha * w**2

    def slope(w):
        return -1.0 / (1.0 + np.exp(w)) + alpha * w

    def curvature(w):
        return 1.0 / (2.0 + np.exp(w) + np.exp(-w)) + alpha

    found = minimize_scalar(value, bounds=(0, 50), method="bounded", options={"xatol": 1e-12})
    w = found.x
    for _ in range(5):
        w -= slope(w) / curvature(w)
    return value, slope, curvature, w


@pytest.mark.parametrize("alpha", [1e-3, 0.1, 1.0])
def test_remainders_cover_what_is_left_after_a_step(alpha):
    _, slope, curvature, solution = two_units(alpha)
    tightest = 0.0
    for start in solution + np.linspace(-0.3, 0.3, 13):
        root = np.sqrt(curvature(start))
        step = slope(start) / curvature(start)
        found = kernels.remainder(abs(slope(start)) / root, abs(step), 1.0 / root)
        left = abs(start - step - solution) * root
        assert left <= found + 1e-12
        tightest = max(tightest, left / max(found, 1e-300))
    assert tightest > 0.03  # a bound, not anything larger


def test_nothing_is_known_after_too_long_a_step():
    assert kernels.remainder(1.0, 2.0, 1.0) == np.inf
    assert kernels.remainder(0.0, 0.0, 1.0) == 0.0
    assert kernels.remainder(1e-3, 1e-3, 0.0) == pytest.approx(0.5e-6, rel=0.05)


@pytest.mark.parametrize("alpha", [1e-3, 0.1, 1.0])
def test_slack_covers_where_a_last_step_ends(alpha):
    value, slope, curvature, solution = two_units(alpha)
    kappa = 1.0 / np.sqrt(curvature(solution))
    tightest = 0.0
    for start in solution + np.concatenate(
        [-np.geomspace(1e-4, 0.5, 9), np.geomspace(1e-4, 0.5, 9)]
    ):
        end = start - slope(start) / curvature(start)
        found = kernels.slack(value(start) - value(end), kappa)
        left = abs(end - solution) / kappa
        assert left <= found + 1e-12
        tightest = max(tightest, left / max(found, 1e-300))
    assert tightest > 0.03


def test_slack_of_no_step_and_of_one_that_says_nothing():
    assert kernels.slack(0.0, 2.0) == kernels.slack(1e-9, 0.0) == 0.0
    assert kernels.slack(1.0, 2.0) == np.inf


@pytest.mark.parametrize("rank", [2, 6, 9])
def test_reduced_rows_have_the_same_inner_products(rank):
    rng = np.random.default_rng(rank)
    X = rng.normal(size=(6, rank)) @ rng.normal(size=(rank, 20))
    shift = rng.normal(size=20)
    L, order = np.zeros((7, 6)), np.empty(6, dtype=np.intp)
    assert kernels.reduce_rows(X, shift, L, order) == min(6, rank)
    assert L[:6] @ L[:6].T == pytest.approx(X @ X.T)
    assert L[:6] @ L[6] == pytest.approx(X @ shift)
    assert np.triu(L[order], 1) == pytest.approx(np.zeros((6, 6)))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("m", "features"), [(20, "plain"), (10, "mixed scales")])
def test_steps_against_those_that_scikit_survival_reports(m, features, capsys):
    halvings, most = 0, 0
    for seed in range(8):
        X, y = make(m, 1, seed, features=features, effect=3.0)
        model = CoxPHSurvivalAnalysis(alpha=0.01)
        engine = Cox(Contest(model, X, y).prepared)
        sets = np.arange(m)[:, None]
        steps, highest = np.zeros(m, dtype=np.intp), np.zeros(m)
        sample, fitted = engine._sample, engine._fitted(sets)
        kernels.follow_sets(sample, fitted, engine._places[sets], 100, steps, highest)
        for unit in (0, 7):
            rest = np.delete(np.arange(m), unit)
            model.set_params(verbose=2).fit(X[rest], y[rest])
            shown = capsys.readouterr().out
            halvings += shown.count("step-halving")
            (said,) = re.findall(r"iter +(\d+): (?:optimization converged|reached)", shown)
            # Rounding decides whether one of the last steps has increased the loss.
            few, many = sorted((int(said), int(steps[unit])))
            assert many <= (few + 2 if features == "plain" else 2 * few)
            assert np.abs(X[rest] @ model.coef_).max() <= highest[unit] * (1 + 1e-6)
            most = max(most, steps[unit])
    assert (halvings > 10) == (most > 25) == (features == "mixed scales")


@pytest.mark.parametrize("n", [3, 30])
def test_coefficients_without_each_unit_against_fits(n):
    X, y = make(16, n, seed=1)
    model = make_pipeline(StandardScaler(), tlpo.Cox(alpha=0.5))
    engine = Cox(Contest(model, X, y).prepared)
    assert engine._is_wide == (n > 16)
    for unit in range(16):
        rest = np.delete(np.arange(16), unit)
        risk = model.fit(X[rest], y[rest]).predict(X)
        own = engine._singles[unit]
        # Of columns before scaling, or linear predictors sorted by time, up to a constant.
        found = own[engine._places] if n > 16 else engine.columns.values @ own
        assert found - found.mean() == pytest.approx(risk - risk.mean(), abs=1e-7)
