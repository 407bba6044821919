import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

import oracles
from tlpo.roc.curve import partial_auc, roc_curve, sensitivity_at, specificity_at, wmw_auc

scored = st.tuples(
    st.lists(st.integers(0, 6), min_size=2, max_size=12),
    st.lists(st.integers(0, 6), min_size=2, max_size=12),
).map(
    lambda sides: (
        np.array(sides[0] + sides[1], dtype=float),
        np.array([1] * len(sides[0]) + [0] * len(sides[1])),
    )
)


@given(scored)
def test_auc_against_pairs(data):
    scores, y = data
    assert wmw_auc(scores, y == 1) == pytest.approx(oracles.auc(scores, y), abs=1e-14)


@given(scored)
def test_curve_against_counting(data):
    scores, y = data
    fpr, tpr, thresholds = roc_curve(scores, y == 1)
    assert (fpr[0], tpr[0], fpr[-1], tpr[-1]) == (0, 0, 1, 1)
    assert thresholds[:-1].tolist() == sorted(set(scores), reverse=True)
    for x, s, t in zip(fpr, tpr, thresholds, strict=True):
        assert (x, s) == pytest.approx(oracles.rates(scores, y, t))
    assert np.trapezoid(tpr, fpr) == pytest.approx(oracles.auc(scores, y))


@given(scored, st.integers(0, 20))
def test_readings_against_search_over_thresholds(data, twentieths):
    scores, y = data
    level = twentieths / 20
    points = [oracles.rates(scores, y, t) for t in [*scores, -np.inf]]
    curve = roc_curve(scores, y == 1)
    best = max(tpr for fpr, tpr in points if fpr <= 1 - level + 1e-9)
    assert sensitivity_at(curve, level) == best
    best = max(1 - fpr for fpr, tpr in points if tpr >= level - 1e-9)
    assert specificity_at(curve, level) == best


def test_readings_on_the_grid_are_not_lost_to_rounding():
    # one of ten negatives above: FPR 0.1, while 1 - 0.9 is 0.09999999999999998
    scores = np.arange(20.0)
    y = np.array([0] * 9 + [1] * 9 + [0, 1])
    assert sensitivity_at(roc_curve(scores, y == 1), 0.9) == 1.0


def test_interpolation_by_hand():
    # points (0, 0), (0, ½), (½, ½), (½, 1), (1, 1)
    curve = roc_curve(np.array([4.0, 2.0, 3.0, 1.0]), np.array([True, True, False, False]))
    assert sensitivity_at(curve, 0.75) == 0.5
    assert sensitivity_at(curve, 0.75, interpolate=True) == 0.5
    assert sensitivity_at(curve, 0.5, interpolate=True) == 1.0
    assert specificity_at(curve, 0.75) == 0.5
    assert specificity_at(curve, 0.5, interpolate=True) == 1.0
    # all tied: the diagonal
    flat = roc_curve(np.zeros(4), np.array([True, True, False, False]))
    assert sensitivity_at(flat, 0.7) == 0.0
    assert sensitivity_at(flat, 0.7, interpolate=True) == pytest.approx(0.3)
    assert specificity_at(flat, 0.7, interpolate=True) == pytest.approx(0.3)


@given(scored)
def test_partial_areas_add_up(data):
    scores, y = data
    curve = roc_curve(scores, y == 1)
    whole = oracles.auc(scores, y)
    for focus in ("specificity", "sensitivity"):
        assert partial_auc(curve, **{focus: (0.0, 1.0)}) == pytest.approx(whole)
        assert partial_auc(curve, **{focus: (0.0, 1.0)}, corrected=True) == pytest.approx(whole)
        parts = [partial_auc(curve, **{focus: r}) for r in ((0.0, 0.35), (0.35, 1.0))]
        assert sum(parts) == pytest.approx(whole)


@given(scored)
def test_mcclish_against_scikit_learn(data):
    scores, y = data
    ours = partial_auc(roc_curve(scores, y == 1), specificity=(0.7, 1.0), corrected=True)
    assert ours == pytest.approx(roc_auc_score(y, scores, max_fpr=0.3))


def test_partial_area_by_hand():
    # specificity over sensitivity 0.5 … 1: the curve runs at FPR 0.5 from TPR 0.5 to 1
    curve = roc_curve(np.array([4.0, 2.0, 3.0, 1.0]), np.array([True, True, False, False]))
    assert partial_auc(curve, sensitivity=(0.5, 1.0)) == pytest.approx(0.25)
    assert partial_auc(curve, sensitivity=(0.0, 0.5)) == pytest.approx(0.5)
    assert partial_auc(curve, specificity=(0.5, 1.0)) == pytest.approx(0.25)
    # chance area over FPR 0 … 0.5 is 0.125, perfect 0.5
    corrected = 0.5 * (1 + (0.25 - 0.125) / (0.5 - 0.125))
    assert partial_auc(curve, specificity=(0.5, 1.0), corrected=True) == pytest.approx(corrected)


def test_one_class_has_no_auc():
    assert np.isnan(wmw_auc(np.arange(3.0), np.ones(3, dtype=bool)))


@pytest.mark.parametrize("unit", [0, 3])
def test_an_unknown_score_leaves_the_auc_unknown(unit):
    scores = np.array([1.0, np.inf, -np.inf, 0.0])
    y = np.array([True, True, False, False])
    assert wmw_auc(scores, y) == 1.0
    scores[unit] = np.nan
    assert np.isnan(wmw_auc(scores, y))
