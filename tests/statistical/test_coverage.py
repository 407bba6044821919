"""Coverage of intervals and size of tests: a short version, in a minute.

The whole table is in docs/coverage.md (``make coverage``). A share over R repetitions has a
Monte-Carlo error of ``sqrt(c (1 − c)/R)``: 0.011 at 0.95 with 400, 0.014 at 0.92. Bounds are the
promise, 0.92 to 0.995, less three such errors.
"""

from functools import partial

import numpy as np
import pytest

from studies.coverage import (
    PERMUTED,
    RIVALS,
    measure_comparison,
    measure_intervals,
    measure_permutation,
)
from studies.measure import Measurement, measure
from studies.simulations import Simulation

FOUR = [
    Simulation("ridge", 30, 0.5, 10, 0),
    Simulation("ridge", 30, 0.2, 10, 4),
    Simulation("knn", 30, 0.3, 10, 4),
    Simulation("logistic", 30, 0.5, 10, 0),
]


def repeat(work, repetitions):
    table = measure(Measurement("short", work, repetitions), n_jobs=2, progress=False)
    return table.set_index("quantity")["mean"]


def error(share, repetitions):
    return np.sqrt(share * (1 - share) / repetitions)


@pytest.mark.exhaustive
@pytest.mark.parametrize("setting", FOUR, ids=lambda s: s.name)
def test_default_interval_holds_where_delong_does_not(setting):
    held = repeat(partial(measure_intervals, setting), 400)
    assert held["placement-jackknife"] >= 0.92 - 3 * error(0.92, 400)
    assert held["inflated"] >= 0.92 - 3 * error(0.92, 400)
    assert held["delong"] <= 0.91 + 3 * error(0.91, 400)
    assert held["delong"] < held["placement-jackknife"] - 0.05
    for name in ("sensitivity at 0.8", "sensitivity at 0.9", "specificity at 0.9"):
        assert held[name] >= 0.92 - 3 * error(0.92, 400)
    assert held["band, pointwise"] >= 0.92
    for name in held.index[held.index.str.contains("top")]:
        assert held[name] >= 0.92 - 3 * error(0.92, 400)


@pytest.mark.slow
@pytest.mark.parametrize("setting", PERMUTED[:6], ids=lambda s: s.name)
def test_size_of_the_permutation_test(setting):
    held = repeat(partial(measure_permutation, setting), 2000)
    for statistic in ("lpo", "tlpo"):
        size = held[f"rejected by {statistic}"]
        assert abs(size - 0.05) <= 3.5 * error(0.05, 2000)


@pytest.mark.slow
@pytest.mark.parametrize(("setting", "rival"), [r for r in RIVALS if r[0].n_signal == 0])
def test_size_of_the_comparison_of_useless_learners(setting, rival):
    held = repeat(partial(measure_comparison, setting, rival), 2000)
    assert held["rejected"] <= 0.07
    assert held["interval of difference"] >= 0.93
