"""Limits from a model of values and bounds."""

import numpy as np
import pytest

from tlpo.roc.binormal import DISTANCES, model_limits
from tlpo.roc.rates import invert_score

SHARE = np.linspace(0.0, 1.0, DISTANCES.size)
HALF = 1.96 * np.sqrt(SHARE * (1 - SHARE) / 30)


@pytest.mark.parametrize("estimate", [0.0, 0.2, 0.7, 1.0])
def test_binomial_bounds_give_score_intervals(estimate):
    expected = invert_score(estimate, lambda x: x * (1 - x) / 30, 1.96**2)
    # Bounds are interpolated between 51 distances.
    found = model_limits(estimate, SHARE, SHARE - HALF, SHARE + HALF)
    assert found == pytest.approx(expected, abs=5e-3)


def test_a_biased_estimate_is_corrected_by_its_limits():
    biased = model_limits(0.6, SHARE, SHARE + 0.1 - HALF, SHARE + 0.1 + HALF)
    plain = model_limits(0.5, SHARE, SHARE - HALF, SHARE + HALF)
    assert biased == pytest.approx(plain)
    assert model_limits(0.5, SHARE, SHARE + 2, SHARE + 3) == (0.5, 0.5)
