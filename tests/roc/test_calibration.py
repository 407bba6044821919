"""Measures of probabilities, against loops, scikit-learn and cases counted by hand."""

import numpy as np
import pytest
from scipy.special import expit, logit
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss

from tlpo.roc import calibration
from tlpo.roc.calibration import Forecasts


def forecasts(m=40, k=3, seed=0):
    """Several probabilities per unit; the first unit has one fewer."""
    rng = np.random.default_rng(seed)
    unit = np.repeat(np.arange(m), k)[1 if k > 1 else 0 :]
    centre = rng.normal(size=m)
    p = expit(centre[unit] + 0.3 * rng.normal(size=unit.size))
    return Forecasts(p, unit, rng.random(m) < expit(centre))


def test_brier_against_a_loop():
    f = forecasts()
    own = [np.mean((f.p[f.unit == u] - f.y[u]) ** 2) for u in range(f.y.size)]
    assert calibration.brier(f).value == pytest.approx(np.mean(own))


def test_brier_of_one_probability_each_against_scikit_learn():
    f = forecasts(k=1)
    assert calibration.brier(f).value == pytest.approx(brier_score_loss(f.is_positive, f.p))
    share = f.y.mean()
    assert calibration.relative_brier(f).value == pytest.approx(
        brier_score_loss(f.is_positive, f.p) / (share * (1 - share))
    )


def test_slope_and_intercept_against_scikit_learn():
    f = forecasts(m=60)
    s, y = logit(f.p), f.y[f.unit]
    model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000)
    model.fit(s[:, None], y, sample_weight=f.weight)
    assert calibration.calibration_slope(f).value == pytest.approx(model.coef_[0, 0], rel=1e-4)
    shift = calibration.calibration_intercept(f).value
    # The defining equation: shifted probabilities are right on average.
    assert np.sum(f.weight * expit(s + shift)) == pytest.approx(f.y.sum())


@pytest.mark.parametrize(
    "measure",
    [
        calibration.brier,
        calibration.relative_brier,
        calibration.observed_expected,
        calibration.calibration_slope,
        calibration.calibration_intercept,
        lambda f: calibration.net_benefit(f, np.array([0.4]))[0],
    ],
)
def test_influences_against_one_more_copy_of_a_unit(measure):
    f, copies = forecasts(m=50), 40
    m, found = f.y.size, measure(f)
    offset = np.repeat(m * np.arange(copies), f.unit.size)
    p, unit = np.tile(f.p, copies), np.tile(f.unit, copies) + offset
    for again in (0, 7, 23):
        more = Forecasts(
            np.r_[p, f.p[f.unit == again]],
            np.r_[unit, np.full(np.sum(f.unit == again), m * copies)],
            np.r_[np.tile(f.is_positive, copies), f.is_positive[again]],
        )
        value = measure(more).value
        change = np.log(value / found.value) if found.is_log else value - found.value
        # One unit more among m · copies moves a measure by a share 1/copies of its influence.
        assert change * copies == pytest.approx(found.influence[again], rel=0.05, abs=2e-5)


def test_nothing_is_left_of_the_influences_in_sum():
    f = forecasts()
    for measured in (
        calibration.brier(f),
        calibration.observed_expected(f),
        calibration.calibration_slope(f),
        calibration.calibration_intercept(f),
    ):
        assert measured.influence.sum() == pytest.approx(0, abs=1e-8)


def test_observed_and_expected_by_hand():
    f = Forecasts(np.array([0.2, 0.4, 0.6, 0.8]), np.arange(4), np.array([0, 1, 1, 1], dtype=bool))
    assert calibration.observed_expected(f).value == pytest.approx(1.5)


def test_net_benefit_by_hand():
    p = np.array([0.1, 0.1, 0.3, 0.3, 0.5, 0.5, 0.7, 0.7, 0.9, 0.9])
    ill = np.array([0, 0, 0, 1, 0, 1, 1, 0, 1, 1], dtype=bool)
    at = np.array([0.6, 0.1, 0.5])  # in any order
    found = [one.value for one in calibration.net_benefit(Forecasts(p, np.arange(10), ill), at)]
    # Four at 0.6, one of them well, whose weight is 0.6/0.4; everybody at 0.1; six at ½.
    assert found == pytest.approx([3 / 10 - 1 / 10 * 1.5, 0.5 - 0.5 / 9, 4 / 10 - 2 / 10])
    assert calibration.benefit_of_all(0.5, at)[1] == pytest.approx(found[1])


def test_net_benefit_where_nobody_is_treated_has_limits():
    f = Forecasts(np.full(20, 0.3), np.arange(20), np.arange(20) < 6)
    (found,) = calibration.net_benefit(f, np.array([0.5]))
    low, high = calibration.limits(found, 0.95, 5.0)
    assert found.value == 0
    assert low < 0 < high


def test_limits_sum_influences_within_groups():
    measured = calibration.Measured(0.0, np.array([1.0, -1.0, 2.0, -2.0]))
    # Within the groups everything cancels.
    assert calibration.limits(measured, 0.95, 3.0, np.array([0, 0, 1, 1])) == (0.0, 0.0)
    # Four units: t with 3 degrees of freedom, variance 10 · 4/3.
    _, high = calibration.limits(measured, 0.95, 3.0)
    assert high == pytest.approx(3.18245 * np.sqrt(40 / 3), rel=1e-5)
    _, inflated = calibration.limits(measured, 0.95, 3.0, factor=4.0)
    assert inflated == pytest.approx(2 * high)


@pytest.mark.parametrize("p", [[0.1, 0.2, 0.8, 0.9], [0.9, 0.8, 0.2, 0.1], [0.3] * 4])
def test_no_slope_if_classes_are_separate_or_probabilities_equal(p):
    f = Forecasts(np.array(p), np.arange(4), np.array([False, False, True, True]))
    assert calibration.calibration_slope(f) is None


def test_the_curve_against_scikit_learn():
    f = forecasts(m=80)
    curve = calibration.calibration_curve(f, 0.95, 100, np.random.default_rng(0))
    model = IsotonicRegression().fit(f.p, f.y[f.unit], sample_weight=f.weight)
    assert curve.observed == pytest.approx(model.predict(curve.predicted))
    # What lies between the points kept lies on the lines between them.
    assert np.interp(f.p, curve.predicted, curve.observed) == pytest.approx(model.predict(f.p))


def test_the_band_holds_curves_of_labels_drawn_from_the_probabilities():
    rng = np.random.default_rng(1)
    p = rng.uniform(0.05, 0.95, size=150)
    unit = np.arange(p.size)
    inside = []
    for _ in range(60):
        f = Forecasts(p, unit, rng.random(p.size) < p)
        curve = calibration.calibration_curve(f, 0.9, 200, rng)
        observed, low, high = (np.interp(p, curve.predicted, line) for line in curve[1:])
        inside.append(np.mean((low <= observed) & (observed <= high)))
    # 0.9 ± 0.02 (two standard errors; points of a sample are correlated).
    assert np.mean(inside) == pytest.approx(0.9, abs=0.04)
