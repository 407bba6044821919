"""Contributions of units to partial areas."""

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from tlpo.roc.binormal import DISTANCES
from tlpo.roc.curve import partial_auc, roc_curve
from tlpo.roc.partial import partial_model, partial_placements
from tlpo.roc.placements import placements_of_scores

RANGES = [{"specificity": r} for r in ((0.9, 1.0), (0.35, 0.8), (0.0, 0.5))]
RANGES += [{"sensitivity": r} for r in ((0.8, 1.0), (0.1, 0.45))]


def sample(m, levels, seed=0):
    rng = np.random.default_rng(seed)
    is_positive = rng.permutation(m) % 3 == 0
    scores = rng.normal(size=m) + 0.8 * is_positive
    return (scores if levels is None else np.round(scores * levels / 4)), is_positive


@pytest.mark.parametrize("levels", [None, 3])
def test_the_whole_curve_gives_delongs_placements(levels):
    scores, is_positive = sample(40, levels)
    step = np.unique(-scores, return_inverse=True)[1]
    expected = placements_of_scores(scores, is_positive)
    for rate in ("specificity", "sensitivity"):
        found = partial_placements(
            roc_curve(scores, is_positive), step, is_positive, **{rate: (0.0, 1.0)}
        )
        assert found.positive == pytest.approx(expected.positive)
        assert found.negative == pytest.approx(expected.negative)


@pytest.mark.parametrize("given", RANGES, ids=str)
@pytest.mark.parametrize("levels", [None, 3])
def test_contributions_average_to_the_area(levels, given):
    scores, is_positive = sample(50, levels)
    curve = roc_curve(scores, is_positive)
    step = np.unique(-scores, return_inverse=True)[1]
    found = partial_placements(curve, step, is_positive, **given)
    own = found.positive if "specificity" in given else found.negative
    assert own.mean() == pytest.approx(partial_auc(curve, **given))


@pytest.mark.parametrize("given", RANGES, ids=str)
def test_variance_against_samples(given):
    areas, variances = [], []
    for seed in range(400):
        scores, is_positive = sample(150, None, seed)
        curve = roc_curve(scores, is_positive)
        step = np.unique(-scores, return_inverse=True)[1]
        areas.append(partial_auc(curve, **given))
        found = partial_placements(curve, step, is_positive, **given)
        variances.append(found.variance.total)
    # The standard deviation of 400 samples has an error of 3.5 %.
    assert np.sqrt(np.mean(variances)) == pytest.approx(np.std(areas), rel=0.12)


def test_model_against_samples():
    low, high, p, n, k = 0.1, 0.4, 40, 60, 20
    model = partial_model(low, high, p, n)
    fpr = np.linspace(low, high, 20_001)
    area = np.trapezoid(ndtr(DISTANCES[k] + ndtri(fpr)), fpr)
    value, variance = model
    assert value[k] == pytest.approx(area, abs=1e-8)
    rng = np.random.default_rng(0)
    is_positive = np.arange(p + n) < p
    areas = [
        partial_auc(
            roc_curve(rng.normal(size=p + n) + DISTANCES[k] * is_positive, is_positive),
            specificity=(1 - high, 1 - low),
        )
        for _ in range(600)
    ]
    assert np.sqrt(variance[k]) == pytest.approx(np.std(areas), rel=0.1)
