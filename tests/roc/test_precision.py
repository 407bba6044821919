"""Precision, recall and the limits of their average."""

import numpy as np
import pytest

from tlpo.roc.binormal import DISTANCES
from tlpo.roc.curve import RocCurve, roc_curve
from tlpo.roc.precision import average_precision, precision_limits, precision_model, precisions


def test_precision_of_a_useless_test_is_the_prevalence():
    rates = np.linspace(0, 1, 11)
    curve = RocCurve(rates, rates, -rates)
    assert precisions(curve, 0.07) == pytest.approx(np.full(10, 0.07))
    assert average_precision(curve, 0.07) == pytest.approx(0.07)


def test_precision_where_nothing_is_called_yet_is_the_prevalence():
    curve = RocCurve(np.array([0, 0, 1.0]), np.array([0, 0, 1.0]), np.zeros(3))
    assert precisions(curve, 0.2).tolist() == [0.2, 0.2]


@pytest.mark.parametrize("size", [1, 30])
def test_model_against_samples(size):
    p, n, k, prevalence = 10 * size, 20 * size, 22, 0.1
    values, drawn = precision_model(prevalence, p, n)
    rng = np.random.default_rng(1)
    is_positive = np.arange(p + n) < p
    found = [
        average_precision(
            roc_curve(rng.normal(size=p + n) + DISTANCES[k] * is_positive, is_positive), prevalence
        )
        for _ in range(400)
    ]
    assert np.mean(found) == pytest.approx(drawn[k].mean(), abs=5 * np.std(found) / 20)
    assert np.std(found) == pytest.approx(drawn[k].std(), rel=0.15)
    fine = np.random.default_rng(2).normal(size=400_000)
    large = np.arange(fine.size) % 2 == 0
    value = average_precision(roc_curve(fine + DISTANCES[k] * large, large), prevalence)
    assert values[k] == pytest.approx(value, abs=0.01)


def test_limits_widen_with_phi_and_hold_the_estimate():
    narrow, wide = (
        precision_limits(0.6, 0.3, (20, 40), phi, 0.8, is_fixed=True) for phi in (1.0, 4.0)
    )
    assert wide[0] < narrow[0] < 0.6 < narrow[1] < wide[1]
    low, high = precision_limits(1.0, 0.3, (20, 40), 1.0, 0.95, is_fixed=True)
    assert low < 0.97
    trained = precision_limits(0.6, 0.3, (20, 40), 1.0, 0.8, is_fixed=False)
    assert trained[0] == narrow[0]
    assert trained[1] > narrow[1]
    assert high == pytest.approx(1.0)
