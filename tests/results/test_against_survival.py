"""Times to an event against R's survival: numbers made by `studies/references/survival.R`."""

import numpy as np
import pytest

import tlpo
from studies.references.stored import stored
from studies.references.times import cases
from tlpo.roc.kaplan_meier import censoring_survival, kaplan_meier, log_rank

CASES, R = cases(), stored("survival")


def numbers(values):
    return np.array([np.nan if value is None else value for value in values], dtype=float)


def known(value):
    return np.nan if value is None else value


def test_every_data_set_has_its_numbers():
    assert list(R) == list(CASES)


@pytest.mark.parametrize("name", CASES)
def test_concordance_of_a_marker_against_concordance(name):
    case, found = CASES[name], R[name]
    marker = tlpo.assess(case.marker, tlpo.time_to_event(case.time, case.event))
    concordant, discordant, tied = found["counts"][:3]
    assert marker.n_ordered == concordant + discordant + tied
    assert marker.concordance == pytest.approx(found["concordance"], rel=1e-13)
    # R has the infinitesimal jackknife without the factor m/(m − 1).
    m = case.time.size
    assert marker.standard_error**2 * (m - 1) / m == pytest.approx(found["variance"], rel=1e-12)
    assert marker.uno() == pytest.approx(found["uno"], rel=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_concordance_with_a_number_against_concordance(name):
    case, found = CASES[name], R[name]["number"]
    marker = tlpo.assess(case.marker, case.time, order=True)
    assert marker.concordance == pytest.approx(found["concordance"], rel=1e-13)
    m = case.time.size
    assert marker.standard_error**2 * (m - 1) / m == pytest.approx(found["variance"], rel=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_patients_with_two_rows_against_clusters(name):
    case, found = CASES[name], R[name]
    patient = np.arange(case.time.size) // 2
    y = tlpo.time_to_event(case.time, case.event)
    marker = tlpo.assess(case.marker, y, groups=patient)
    g = patient.max() + 1
    variance = marker.standard_error**2 * (g - 1) / g
    assert variance == pytest.approx(found["clustered_variance"], rel=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_survival_curve_against_survfit(name):
    case, found = CASES[name], R[name]
    ours, theirs = kaplan_meier(case.time, case.event), found["curve"]
    assert ours.time == pytest.approx(theirs["time"])
    assert ours.at_risk.tolist() == theirs["at_risk"]
    assert ours.events.tolist() == theirs["events"]
    assert ours.survival == pytest.approx(theirs["survival"], rel=1e-12)
    error = numbers(theirs["standard_error"])
    assert ours.standard_error == pytest.approx(error, rel=1e-12, nan_ok=True)
    limits = np.array(ours.limits(0.95))
    expected = np.array([numbers(theirs["low"]), numbers(theirs["high"])])
    assert limits[:, ours.survival < 1] == pytest.approx(
        expected[:, ours.survival < 1], rel=1e-12, nan_ok=True
    )
    median, *around = found["median"]
    assert known(ours.median) == pytest.approx(known(median), nan_ok=True)
    low, high = ours.median_limits(0.95)
    assert [known(low), known(high)] == pytest.approx([known(v) for v in around], nan_ok=True)


@pytest.mark.parametrize("name", CASES)
def test_follow_up_against_survfit_of_censoring(name):
    case, found = CASES[name], R[name]
    ours, theirs = censoring_survival(case.time, case.event), found["reverse"]
    for time, is_event, survival in zip(*theirs.values(), strict=True):
        side = ours.before if is_event else ours.at
        assert side(np.array([time])) == pytest.approx(survival, rel=1e-12)
    if not set(case.time[case.event]) & set(case.time[~case.event]):
        assert known(ours.median) == pytest.approx(known(found["median_follow_up"]), nan_ok=True)


@pytest.mark.parametrize("name", CASES)
def test_log_rank_against_survdiff(name):
    case, found = CASES[name], R[name]["log_rank"]
    test = log_rank(case.time, case.event, case.group)
    assert test.observed.tolist() == found["observed"]
    assert test.expected == pytest.approx(found["expected"], rel=1e-12)
    assert test.chi_square == pytest.approx(found["chi_square"], rel=1e-11)
    assert test.degrees_of_freedom == found["degrees_of_freedom"]


@pytest.mark.parametrize("ties", ["efron", "breslow"])
@pytest.mark.parametrize("name", CASES)
def test_cox_regression_against_coxph(name, ties):
    case, found = CASES[name], R[name][ties]
    y = np.array(
        list(zip(case.event, case.time, strict=True)), dtype=[("event", bool), ("time", float)]
    )
    model = tlpo.Cox(alpha=0, ties=ties).fit(case.X, y)
    assert model.coef_ == pytest.approx(found["coefficients"], rel=1e-9)
    if ties == "breslow":
        theirs = dict(zip(found["time"], found["hazard"], strict=True))
        expected = [theirs[time] for time in model.baseline_.time]
        assert model.baseline_.cumulative_hazard == pytest.approx(expected, rel=1e-9)
