"""Relations among measures of probabilities, the calibration curve and the net benefit."""

from __future__ import annotations

import math

import numpy as np
from msgspec.structs import asdict

from tlpo.analysis.json_values import number, numbers
from tlpo.analysis.relations.checks import TOLERANCE, Fault, Faults, between, enclosed, equal
from tlpo.analysis.shapes import Limits, Probabilities
from tlpo.roc.calibration import benefit_of_all

NOBODY = "nobody was expected positive"


def of_probabilities(found: Probabilities, where: str) -> Faults:
    """Check measures, the calibration curve and the net benefit."""
    # How limits lie about their estimate: on which scale as far above as below.
    for name, scale in (
        ("brier", "log"),
        ("scaled_brier", "rest"),
        ("slope", "plain"),
        ("intercept", "plain"),
        ("observed_expected", "log"),
    ):
        yield from _of_measure(getattr(found, name), scale, f"{where}.{name}")
    brier, scaled = found.brier, found.scaled_brier
    yield from between(f"{where}.brier.estimate", brier.estimate, 0, 1, "0", "1")
    if brier.high is not None:
        yield from between(f"{where}.brier.high", brier.high, 0, 1, "0", "1")
    curve = {name: numbers(values) for name, values in asdict(found.curve).items()}
    table = {name: numbers(values) for name, values in asdict(found.net_benefit).items()}
    for part, lists in (("curve", curve), ("net_benefit", table)):
        if len({values.size for values in lists.values()}) != 1:
            yield Fault(f"{where}.{part}", len(lists), "its lists have one length")
    for name, values in curve.items():
        if (np.diff(values) < -TOLERANCE).any():
            yield Fault(f"{where}.curve.{name}", getattr(found.curve, name), "it rises")
    if (curve["low"] > curve["high"] + TOLERANCE).any():
        yield Fault(f"{where}.curve.low", found.curve.low, "it is not above 'high'")
    at, none = table["threshold"], table["none"]
    if at[0] <= 0 or at[-1] >= 1 or (np.diff(at) <= 0).any():
        shown = found.net_benefit.threshold
        yield Fault(f"{where}.net_benefit.threshold", shown, "it rises within 0 and 1")
    if none.any():
        yield Fault(f"{where}.net_benefit.none", found.net_benefit.none, "it is 0")
    # The share of positives among those with a probability, by the net benefit of treating all.
    share = float(table["all"][0] * (1.0 - at[0]) + at[0])
    yield from between(f"{where}.net_benefit.all[0]", share, 0, 1, "a share", "of patients")
    for k in np.flatnonzero(~np.isclose(table["all"], benefit_of_all(share, at), atol=1e-6)):
        value = found.net_benefit.all[k]
        yield Fault(f"{where}.net_benefit.all[{k}]", value, "it is that of treating everybody")
    least = -(1.0 - share) * at / (1.0 - at)
    model, low, high = (table[name] for name in ("model", "low", "high"))
    for k in np.flatnonzero((model > share + 1e-6) | (model < least - 1e-6)):
        value = found.net_benefit.model[k]
        yield Fault(f"{where}.net_benefit.model[{k}]", value, "no model gains or loses as much")
    for k in np.flatnonzero(~np.isclose(high - model, model - low, atol=1e-6) | (low > model)):
        ends = [found.net_benefit.low[k], found.net_benefit.high[k]]
        yield Fault(f"{where}.net_benefit.low[{k}]", ends, "limits are as far below as above")
    constant = share * (1.0 - share)
    yield from equal(
        *(f"{where}.scaled_brier.estimate", scaled.estimate),
        *(1.0 - number(brier.estimate) / constant if constant else None, "by 'brier'"),
    )


def _of_measure(found: Limits, scale: str, where: str) -> Faults:
    estimate, low, high = (number(getattr(found, key)) for key in ("estimate", "low", "high"))
    if math.isnan(estimate):
        for end in ("low", "high"):
            yield from equal(f"{where}.{end}", getattr(found, end), None, "there is no estimate")
        return
    if math.isinf(estimate):
        if not where.endswith("observed_expected") or estimate < 0:
            yield Fault(f"{where}.estimate", found.estimate, "it is finite")
        for end in ("low", "high"):
            yield from equal(f"{where}.{end}", getattr(found, end), None, NOBODY)
        return
    if scale == "log" and estimate < 0:
        yield Fault(f"{where}.estimate", found.estimate, "it is not negative")
    yield from enclosed(where, estimate, found.low, found.high)
    if found.low is None:  # where all are equally far off; slopes then are not defined at all
        if scale == "plain":
            yield Fault(f"{where}.low", None, "an estimate has limits")
        return
    if not (math.isfinite(low) and math.isfinite(high)):
        yield Fault(where, [found.low, found.high], "limits are numbers")
    if scale == "plain":
        size = max(abs(low), abs(high), abs(estimate), 1.0)
        is_even = abs((high - estimate) / size - (estimate - low) / size) <= 1e-6
    else:
        below, middle, above = low, estimate, high
        if scale == "rest":  # limits of what is missing to 1
            below, middle, above = 1.0 - high, 1.0 - estimate, 1.0 - low
        if below < 0:
            yield Fault(f"{where}.low", found.low, "it is a limit of a positive number")
        # The lower one from the upper one: a limit close to 1 has lost its digits.
        expected = middle * (middle / above) if above > 0 else 0.0
        is_even = math.isclose(below, expected, rel_tol=1e-6, abs_tol=TOLERANCE)
        is_even = is_even or (scale == "log" and above == 1.0)  # a Brier score's, cut off
    if not is_even:
        rule = "limits are as far below the estimate as above it"
        yield Fault(f"{where}.low", [found.low, found.high], rule)
