"""Survival curves and the log-rank test, against scikit-survival and published numbers."""

import numpy as np
import pytest
from scipy.stats import norm
from sksurv.compare import compare_survival
from sksurv.nonparametric import kaplan_meier_estimator
from sksurv.util import Surv

from roc.times import CASES, random_times
from tlpo.roc.kaplan_meier import censoring_survival, kaplan_meier, log_rank

# Weeks of remission of 21 patients with 6-mercaptopurine (Freireich et al. 1963), + censored.
TREATED = "6 6 6 6+ 7 9+ 10 10+ 11+ 13 16 17+ 19+ 20+ 22 23 25+ 32+ 32+ 34+ 35+"
PLACEBO = "1 1 2 2 3 4 4 5 5 8 8 8 8 11 11 12 12 15 17 22 23"


def read(text):
    words = text.split()
    time = np.array([float(word.rstrip("+")) for word in words])
    return time, np.array([not word.endswith("+") for word in words])


def test_five_patients_by_hand():
    # Events at 1, 2 and 5; censored at 2, after the event there, and at 3.
    time, event = read("5 1 2+ 2 3+")
    curve = kaplan_meier(time, event)
    assert curve.time.tolist() == [1, 2, 3, 5]
    assert curve.at_risk.tolist() == [5, 4, 2, 1]
    assert curve.events.tolist() == [1, 1, 0, 1]
    assert curve.censored.tolist() == [0, 1, 1, 0]
    # 4/5, times 3/4, times 0/1
    assert curve.survival == pytest.approx([0.8, 0.6, 0.6, 0.0])
    # √(1/(5·4)), and √(1/20 + 1/(4·3)) from the second event on
    errors = [0.8 * 0.05**0.5, 0.6 * (2 / 15) ** 0.5, 0.6 * (2 / 15) ** 0.5, np.nan]
    assert curve.standard_error == pytest.approx(errors, nan_ok=True)
    asked = np.array([0.0, 1.0, 1.5, 2.0, 4.9, 5.0, 9.0])
    assert curve.at(asked) == pytest.approx([1, 0.8, 0.8, 0.6, 0.6, 0, 0])
    assert curve.before(asked) == pytest.approx([1, 1, 0.8, 0.8, 0.6, 0.6, 0])
    assert curve.n_at_risk(asked).tolist() == [5, 5, 4, 4, 1, 1, 0]
    assert curve.median == 5
    # Three are left to be censored at 2, two at 3; at 5 the last one has the event.
    censoring = censoring_survival(time, event)
    assert censoring.at_risk.tolist() == [4, 3, 2, 0]
    assert censoring.survival == pytest.approx([1, 2 / 3, 1 / 3, 1 / 3])
    assert censoring.median == 3
    assert censoring.n_at_risk(asked).tolist() == [5, 5, 4, 4, 1, 1, 0]


def test_remission_against_published_numbers():
    """Klein and Moeschberger (2003), section 4.2, and the median."""
    curve = kaplan_meier(*read(TREATED))
    events = curve.events > 0
    assert curve.time[events].tolist() == [6, 7, 10, 13, 16, 22, 23]
    assert curve.at_risk[events].tolist() == [21, 17, 15, 12, 11, 7, 6]
    survival = [0.857, 0.807, 0.753, 0.690, 0.628, 0.538, 0.448]
    assert curve.survival[events] == pytest.approx(survival, abs=6e-4)
    errors = [0.076, 0.087, 0.096, 0.107, 0.114, 0.128, 0.135]
    assert curve.standard_error[events] == pytest.approx(errors, abs=6e-4)
    assert curve.median == 23
    # S^exp(1.96 SE/(S |log S|)) is .753^2.42 = .503 at 10 and .690^2.26 = .432 at 13.
    low, _ = curve.limits(0.95, np.array([0.5, 10.5, 13.0]))
    assert low == pytest.approx([1.0, 0.503, 0.432], abs=6e-4)
    assert curve.median_limits(0.95) == (13, None)


def test_log_rank_against_published_numbers():
    treated, placebo = read(TREATED), read(PLACEBO)
    group = np.repeat(["6-MP", "placebo"], [21, 21])
    test = log_rank(*(np.concatenate(both) for both in zip(treated, placebo, strict=True)), group)
    assert test.groups.tolist() == ["6-MP", "placebo"]
    assert test.sizes.tolist() == [21, 21]
    assert test.observed.tolist() == [9, 21]
    assert test.expected == pytest.approx([19.25, 10.75], abs=5e-3)
    assert test.chi_square == pytest.approx(16.79, abs=5e-3)
    assert test.degrees_of_freedom == 1
    assert test.p_value == pytest.approx(4.2e-5, abs=5e-7)


@pytest.mark.parametrize("case", CASES)
def test_curve_against_scikit_survival(case):
    time, event = random_times(*case)
    curve = kaplan_meier(time, event)
    expected = kaplan_meier_estimator(event, time, conf_type="log-log", conf_level=0.9)
    assert curve.time.tolist() == expected[0].tolist()
    assert curve.survival == pytest.approx(expected[1], abs=1e-12)
    known = curve.survival > 0
    for found, limit in zip(curve.limits(0.9), expected[2], strict=True):
        assert found[known] == pytest.approx(limit[known], abs=1e-12)
        assert np.isnan(found[~known]).all()


@pytest.mark.parametrize("case", CASES)
def test_censoring_against_scikit_survival(case):
    time, event = random_times(*case)
    curve = censoring_survival(time, event)
    times, expected = kaplan_meier_estimator(event, time, reverse=True)
    assert curve.time.tolist() == times.tolist()
    assert curve.survival == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_the_two_curves_multiply_to_those_who_are_left(case):
    time, event = random_times(*case)
    t = np.unique(np.concatenate([time, time + 1e-9, [0.0]]))
    S, G = kaplan_meier(time, event), censoring_survival(time, event)
    assert S.at(t) * G.at(t) == pytest.approx((time > t[:, None]).mean(axis=1), abs=1e-12)
    assert S.before(t) * G.before(t) == pytest.approx((time >= t[:, None]).mean(axis=1), abs=1e-12)
    assert (G.before(time) > 0).all()
    assert S.n_at_risk(t).tolist() == (time >= t[:, None]).sum(axis=1).tolist()


@pytest.mark.parametrize("n_times", [6, 1000])
def test_median_without_censoring_is_that_of_the_numbers(n_times):
    """Half of an even number of units is ½ but for rounding, either way."""
    for m in range(1, 60):
        time = np.random.default_rng(m).integers(1, n_times, m).astype(float)
        assert kaplan_meier(time, np.ones(m, dtype=bool)).median == np.median(time)


def test_median_that_is_not_reached():
    # S is ½ from 2 on, and nobody is seen after 4.
    assert kaplan_meier(*read("1 2 3+ 4+")).median == 2
    # S stays at ¾; its lower limit is .75^7.1, as exp(1.96 · √(1/12) / .288) = 7.1.
    curve = kaplan_meier(*read("1 2+ 3+ 4+"))
    assert curve.median is None
    assert curve.median_limits(0.95) == (1, None)
    curve = kaplan_meier(*read("1+ 2+"))
    assert curve.median is None
    assert curve.median_limits(0.95) == (None, None)
    assert [limit.tolist() for limit in curve.limits(0.95)] == [[1, 1], [1, 1]]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_median_limits_against_the_test_they_invert(case, level):
    """Brookmeyer and Crowley: the times at which S = ½ is not rejected, on the log-log scale."""
    time, event = random_times(*case)
    curve = kaplan_meier(time, event)
    z = norm.ppf((1 + level) / 2)
    low = high = None
    for t, S, error in zip(curve.time, curve.survival, curve.standard_error, strict=True):
        if not 0 < S < 1:
            continue
        distance = (np.log(-np.log(S)) - np.log(np.log(2))) / (error / (S * -np.log(S)))
        if low is None and distance >= -z:
            low = t
        if high is None and distance >= z:
            high = t
    assert curve.median_limits(level) == (low, high)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("n_groups", [2, 4])
def test_log_rank_against_scikit_survival(case, n_groups):
    time, event = random_times(*case)
    group = np.random.default_rng(case[-1]).permutation(np.arange(time.size) % n_groups)
    found = log_rank(time, event, group)
    chi, p, table, _ = compare_survival(Surv.from_arrays(event, time), group, return_stats=True)
    assert found.chi_square == pytest.approx(chi, rel=1e-9)
    assert found.p_value == pytest.approx(p, rel=1e-9)
    assert found.degrees_of_freedom == n_groups - 1
    assert found.sizes.tolist() == table["counts"].tolist()
    assert found.observed.tolist() == table["observed"].tolist()
    assert found.expected == pytest.approx(table["expected"].to_numpy(), rel=1e-12)


def test_a_group_that_left_before_the_first_event_is_not_compared():
    time, event = read("1+ 1+ 2 3 4+ 5 6 7+")
    group = np.array([2, 2, 0, 0, 0, 1, 1, 1])
    found, expected = log_rank(time, event, group), log_rank(time[2:], event[2:], group[2:])
    assert found.degrees_of_freedom == expected.degrees_of_freedom == 1
    assert found.p_value == pytest.approx(expected.p_value)
    assert found.expected == pytest.approx([*expected.expected, 0])


@pytest.mark.parametrize("text", ["1+ 2+ 3+ 4+", "1 1 1 1"])
def test_nothing_to_compare(text):
    """Without events; and if all have it at once."""
    found = log_rank(*read(text), np.array([0, 0, 1, 1]))
    assert found.chi_square == 0
    assert found.degrees_of_freedom == 0
    assert np.isnan(found.p_value)
