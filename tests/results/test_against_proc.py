"""Markers of two classes against R's pROC: numbers made by `studies/references/proc.R`."""

import numpy as np
import pytest

import tlpo
from studies.references.markers import cases
from studies.references.stored import stored

CASES, PROC = cases(), stored("proc")


def test_every_data_set_has_its_numbers():
    assert list(PROC) == list(CASES)


@pytest.mark.parametrize("name", CASES)
def test_area_and_interval_against_proc(name):
    case, found = CASES[name], PROC[name]
    marker = tlpo.assess(case.first, case.y)
    assert marker.auc == pytest.approx(found["auc"], rel=1e-13)
    assert marker.standard_error**2 == pytest.approx(found["variance"], rel=1e-12)
    assert tuple(marker.auc_interval()) == pytest.approx(found["interval"], rel=1e-12)
    assert tuple(marker.auc_interval(0.8)) == pytest.approx(found["interval_80"], rel=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_curve_and_thresholds_against_proc(name):
    case, found = CASES[name], PROC[name]
    fpr, tpr, thresholds = tlpo.assess(case.first, case.y).roc_curve()
    assert thresholds[1:-1][::-1] == pytest.approx(found["thresholds"], rel=1e-12)
    assert tpr[::-1] == pytest.approx(found["sensitivities"], abs=1e-14)
    assert 1 - fpr[::-1] == pytest.approx(found["specificities"], abs=1e-14)


@pytest.mark.parametrize("name", CASES)
def test_partial_areas_against_proc(name):
    case, found = CASES[name], PROC[name]
    marker = tlpo.assess(case.first, case.y)
    partial = marker.partial_auc
    assert partial(specificity=(0.8, 1)) == pytest.approx(found["partial_specificity"], abs=1e-13)
    assert partial(sensitivity=(0.7, 1)) == pytest.approx(found["partial_sensitivity"], abs=1e-13)
    corrected = partial(specificity=(0.8, 1), corrected=True)
    assert corrected == pytest.approx(found["partial_corrected"], abs=1e-13)


@pytest.mark.parametrize("rule", ["youden", "closest"])
@pytest.mark.parametrize("name", CASES)
def test_best_cutoff_against_proc(name, rule):
    case, found = CASES[name], PROC[name][rule]
    point = tlpo.assess(case.first, case.y).operating_point(rule)
    columns = ("threshold", "sensitivity", "specificity")
    # Where several cut-offs are equally good, pROC returns them all.
    places = zip(*([float(at) for at in np.atleast_1d(found[key])] for key in columns), strict=True)
    ours = tuple(point[list(columns)])
    assert any(ours == pytest.approx(place, rel=1e-12) for place in places)


@pytest.mark.parametrize("name", CASES)
def test_two_markers_of_the_same_units_against_roc_test(name):
    case, found = CASES[name], PROC[name]["paired"]
    test = tlpo.compare(tlpo.assess(case.first, case.y), tlpo.assess(case.second, case.y))
    assert test.statistic == pytest.approx(found["statistic"], rel=1e-10)
    assert test.p_value == pytest.approx(found["p_value"], rel=1e-10)
    assert [test.low, test.high] == pytest.approx(found["interval"], rel=1e-10)


@pytest.mark.parametrize("name", CASES)
def test_markers_of_other_units_against_roc_test(name):
    case, found = CASES[name], PROC[name]["unpaired"]
    first = tlpo.assess(case.first[::2], case.y[::2])
    second = tlpo.assess(case.second[1::2], case.y[1::2])
    test = tlpo.compare(first, second, paired=False)
    assert test.statistic == pytest.approx(found["statistic"], rel=1e-10)
    assert test.degrees_of_freedom == pytest.approx(found["degrees_of_freedom"], rel=1e-10)
    assert test.p_value == pytest.approx(found["p_value"], rel=1e-9)


@pytest.mark.parametrize("which", ["first", "second"])
@pytest.mark.parametrize("name", CASES)
def test_smooth_curve_against_proc(name, which):
    case, found = CASES[name], PROC[name]["smooth" if which == "first" else "smooth_second"]
    smooth = tlpo.assess(getattr(case, which), case.y).smooth_curve()
    # pROC's line is that of specificity over sensitivity.
    line = (smooth.intercept / smooth.slope, -1 / smooth.slope)
    assert line == pytest.approx((found["intercept"], found["slope"]), rel=1e-11)
    fpr, tpr = (np.concatenate([[0.0], values, [1.0]])[::-1] for values in smooth.points(512))
    assert tpr[::16] == pytest.approx(found["sensitivities"], abs=1e-12)
    assert 1 - fpr[::16] == pytest.approx(found["specificities"], abs=1e-12)
    assert smooth.auc == pytest.approx(found["auc"], abs=1e-14)
