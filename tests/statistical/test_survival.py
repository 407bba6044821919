"""Times to an event: bias of estimates and coverage of intervals, a short version.

The whole table is in docs/survival.md (``make coverage-survival``). A coverage over 400 samples has
a Monte-Carlo error of 0.013 at 0.93, and a mean error of C, whose standard deviation is at most
0.16, one of 0.008. Both settings without signal have two features, as pooling is worst with few.
"""

from functools import cache, partial

import numpy as np
import pytest

from studies.measure import Measurement, measure
from studies.survival import AUC, COX, DIFFERENCE, GROUPED, UNO, C, measure_survival

R = 400
NO_SIGNAL = [COX[0], COX[3]]
SIGNAL = [COX[1], COX[5]]
NAMES = {"ids": lambda setting: setting.name}


@cache
def found(setting):
    work = partial(measure_survival, setting)
    table = measure(Measurement("short", work, R), n_jobs=1, progress=False)
    return table.set_index("quantity")[["mean", "se"]]


@pytest.mark.slow
@pytest.mark.parametrize("setting", [*NO_SIGNAL, *SIGNAL, GROUPED[0]], **NAMES)
def test_leave_pair_out_costs_two_units_and_has_no_other_bias(setting):
    error, se = found(setting).loc[f"{C}: error"]
    assert -0.012 - 4 * se <= error <= 4 * se


@pytest.mark.slow
@pytest.mark.parametrize("setting", [*NO_SIGNAL, *SIGNAL, GROUPED[0]], **NAMES)
def test_intervals_cover_what_they_promise_where_fixed_models_do_not(setting):
    least = 0.93 - 3 * np.sqrt(0.93 * 0.07 / R)
    mean = found(setting)["mean"]
    for name in (C, UNO, AUC, DIFFERENCE):
        own, fixed = (
            mean[f"{name}: {how}"] for how in ("placement-jackknife", "infinitesimal jackknife")
        )
        assert own >= least
        assert fixed < own - 0.03


@pytest.mark.slow
@pytest.mark.parametrize("setting", NO_SIGNAL, **NAMES)
def test_pooled_leave_one_out_is_too_low_without_signal(setting):
    """By 0.02 to 0.03, three of its Monte-Carlo errors or more."""
    error, se = found(setting).loc["error of leave-one-out"]
    assert error <= -2 * se
    assert error <= found(setting).loc[f"{C}: error", "mean"] - 0.01


@pytest.mark.slow
@pytest.mark.parametrize("setting", [*NO_SIGNAL, COX[1]], **NAMES)
def test_the_bootstrap_is_optimistic_with_few_events(setting):
    """By 0.02 to 0.10."""
    error, se = found(setting).loc["error of bootstrap"]
    assert error >= 3 * se
