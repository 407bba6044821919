import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, norm

from tlpo.roc import rates

Z = norm.ppf(0.975)


@given(st.integers(1, 40), st.data())
def test_share_limits_against_wilson(n, data):
    count = data.draw(st.integers(0, n))
    low, high = rates.share_limits(np.array([count / n]), n, Z**2)
    wilson = binomtest(count, n).proportion_ci(0.95, method="wilson")
    assert (low[0], high[0]) == pytest.approx((wilson.low, wilson.high), abs=1e-12)


@given(st.integers(3, 60), st.integers(3, 60), st.floats(0, 1), st.data())
def test_share_at_solves_its_equation(p, n, s, data):
    estimate = data.draw(st.integers(0, p)) / p
    low, high = rates.share_at(estimate, s, p, n, 1.7 * Z**2)
    assert 0 <= low <= estimate <= high <= 1
    wilson = rates.share_limits(np.array([estimate]), p, 1.7 * Z**2)
    # The threshold is uncertain as well.
    assert low <= wilson[0][0] + 1e-9
    assert high >= wilson[1][0] - 1e-9

    s = min(max(s, 0.5 / n), 1 - 0.5 / n)
    smooth = (estimate * p + 0.5) / (p + 1)
    for limit, end in ((low, 0.0), (high, 1.0)):
        if limit != end:
            steepest = max(norm.pdf(norm.ppf(limit)), norm.pdf(norm.ppf(smooth)))
            slope = steepest / norm.pdf(norm.ppf(s))
            variance = limit * (1 - limit) / p + slope**2 * s * (1 - s) / n
            assert (estimate - limit) ** 2 == pytest.approx(1.7 * Z**2 * variance, abs=1e-9)


def test_ratio_limits_by_hand():
    low, high = rates.ratio_limits(np.array([9.5]), 19, np.array([1.5]), 19, Z**2)
    half = Z * np.sqrt(1 / 10 - 1 / 20 + 1 / 2 - 1 / 20)
    assert (low[0], high[0]) == pytest.approx((5 * np.exp(-half), 5 * np.exp(half)))


def test_ratios_without_a_case_are_open():
    low, high = rates.ratio_limits(np.array([0.0, 3.0]), 5, np.array([3.0, 0.0]), 5, Z**2)
    assert low[0] == 0
    assert np.isfinite(high[0])
    assert low[1] > 0
    assert high[1] == np.inf


def test_point_limits_follow_from_each_other():
    tp, fp = np.array([0.0, 6.0, 10.0]), np.array([0.0, 2.0, 20.0])
    found = rates.point_limits(tp, fp, 10, 20, 2 * Z**2, prevalence=0.25)
    odds = 1 / 3
    for end in (0, 1):
        ratio = found["lr_positive"][end]
        with np.errstate(divide="ignore", invalid="ignore"):
            np.testing.assert_allclose(
                found["ppv"][end], np.where(ratio == np.inf, 1, ratio * odds / (1 + ratio * odds))
            )
            np.testing.assert_allclose(
                found["npv"][end], 1 / (1 + found["lr_negative"][1 - end] * odds)
            )
    for low, high in found.values():
        assert (low <= high).all()
