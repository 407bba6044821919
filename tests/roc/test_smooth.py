import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from tlpo.roc.curve import RocCurve, roc_curve
from tlpo.roc.smooth import BinormalCurve, fit_binormal


@pytest.mark.parametrize(("a", "b"), [(0.0, 1.0), (1.2, 0.8), (-0.7, 1.6), (3.0, 0.3)])
def test_points_on_a_binormal_curve_give_it_back(a, b):
    fpr = np.array([0, 0.01, 0.2, 0.5, 0.9, 1])
    tpr = norm.cdf(a + b * norm.ppf(fpr))
    found = fit_binormal(RocCurve(fpr, tpr, np.arange(6.0)))
    assert found == pytest.approx((a, b), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("a", "b"), [(0.0, 1.0), (1.2, 0.8), (-0.7, 1.6), (3.0, 0.3)])
def test_area_against_integration(a, b):
    curve = BinormalCurve(a, b)
    area, _ = quad(lambda x: float(norm.cdf(a + b * norm.ppf(x))), 0, 1, limit=200)
    assert curve.auc == pytest.approx(area, abs=1e-7)
    fpr, tpr = curve.points(2001)
    assert curve.tpr(fpr[1:-1]) == pytest.approx(tpr[1:-1], abs=1e-12)
    assert (fpr[0], tpr[0], fpr[-1], tpr[-1]) == (0, 0, 1, 1)
    assert (np.diff(fpr) >= 0).all()


scored = st.tuples(*[st.lists(st.integers(0, 9), min_size=3, max_size=12)] * 2)


@given(scored)
def test_fit_against_polynomial_of_quantiles(sides):
    positive, negative = sides
    scores = np.array([*positive, *negative], dtype=float)
    curve = roc_curve(scores, np.arange(scores.size) < len(positive))
    found = fit_binormal(curve)
    points = [
        (norm.ppf(s), norm.ppf(1 - f))
        for f, s in zip(curve.fpr, curve.tpr, strict=True)
        if 0 < f < 1 and 0 < s < 1
    ]
    if len({x for x, _ in points}) < 2 or len({y for _, y in points}) < 2:
        assert found is None
        return
    slope, intercept = np.polyfit(*np.transpose(points), 1)
    assert found == pytest.approx((-intercept / slope, -1 / slope), rel=1e-8, abs=1e-8)


@given(scored)
def test_exchanged_classes_and_reversed_scores_have_the_same_area(sides):
    positive, negative = sides
    scores = np.array([*positive, *negative], dtype=float)
    is_positive = np.arange(scores.size) < len(positive)
    found = fit_binormal(roc_curve(scores, is_positive))
    reverse = fit_binormal(roc_curve(-scores, is_positive))
    if found is None:
        assert reverse is None
    else:
        assert reverse is not None
        assert reverse.auc == pytest.approx(1 - found.auc, abs=1e-9)


@pytest.mark.parametrize(
    "points",
    [
        [(0, 0), (1, 1)],  # all tie
        [(0, 0), (0, 0.5), (0, 1), (0.5, 1), (1, 1)],  # perfect: all on the edges
        [(0, 0), (0.3, 0.6), (1, 1)],
        [(0, 0), (0.3, 0.2), (0.3, 0.8), (1, 1)],  # one specificity
        [(0, 0), (0.2, 0.6), (0.4, 0.6), (1, 1)],  # one sensitivity
    ],
)
def test_too_few_points(points):
    fpr, tpr = np.transpose(points).astype(float)
    assert fit_binormal(RocCurve(fpr, tpr, np.arange(float(fpr.size)))) is None
