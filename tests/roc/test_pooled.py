"""The curve of pooled predictions, counted by hand, and its anchor."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tlpo.roc.curve import RocCurve
from tlpo.roc.pooled import anchor, area, pooled_curve


def random_table(seed, m=12, levels=None):
    rng = np.random.default_rng(seed)
    y = np.arange(m) % 3 == 0
    F = rng.normal(size=(m, m)) + y[:, None]
    if levels:
        F = np.round(F * levels) / levels
    np.fill_diagonal(F, np.nan)
    return F, y


def test_pooled_rates_against_a_loop():
    F, y = random_table(0, levels=2)
    F[0, 1] = np.nan  # a game that was not finished takes no part, on neither side
    pos, neg = np.flatnonzero(y), np.flatnonzero(~y)
    games = [(F[i, j], F[j, i]) for i in pos for j in neg if not np.isnan(F[i, j] + F[j, i])]
    curve = pooled_curve(F, y)
    for fpr, tpr, limit in zip(*curve, strict=True):
        assert tpr == pytest.approx(np.mean([f > limit for f, _ in games]))
        assert fpr == pytest.approx(np.mean([f > limit for _, f in games]))
    assert (curve.fpr[0], curve.tpr[0], curve.fpr[-1], curve.tpr[-1]) == (0, 0, 1, 1)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.02, 0.98), st.sampled_from([None, 1, 3]))
def test_the_anchored_curve_has_the_area_and_rises(seed, auc, levels):
    curve = pooled_curve(*random_table(seed, levels=levels))
    assume(curve.fpr.size > 2)
    moved = anchor(curve, auc)
    assert area(moved) == pytest.approx(auc, abs=1e-6)
    assert (np.diff(moved.fpr) >= 0).all()
    assert (np.diff(moved.tpr) >= 0).all()
    assert (moved.fpr[0], moved.tpr[0], moved.fpr[-1], moved.tpr[-1]) == (0, 0, 1, 1)
    assert np.array_equal(moved.thresholds, curve.thresholds)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.1, 0.9))
def test_exchanging_the_classes_mirrors_the_curve(seed, auc):
    F, y = random_table(seed)
    moved, mirrored = anchor(pooled_curve(F, y), auc), anchor(pooled_curve(-F, ~y), auc)
    assert mirrored.fpr == pytest.approx(1 - moved.tpr[::-1], abs=1e-6)
    assert mirrored.tpr == pytest.approx(1 - moved.fpr[::-1], abs=1e-6)


def test_a_curve_with_the_right_area_stays():
    curve = pooled_curve(*random_table(1))
    assert anchor(curve, area(curve)) is curve


@pytest.mark.parametrize("auc", [0.0, 0.5, 1.0])
def test_ends_and_curves_without_points_between(auc):
    moved = anchor(pooled_curve(*random_table(2)), auc)
    assert area(moved) == pytest.approx(auc, abs=0.01)
    flat = RocCurve(np.array([0.0, 1.0]), np.array([0.0, 1.0]), np.array([1.0, -np.inf]))
    assert area(anchor(flat, auc)) == 0.5
