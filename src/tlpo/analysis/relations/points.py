"""Relations among operating points, subgroups, the test of any signal and the final model."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tlpo.analysis.final_model import MOST_ROWS
from tlpo.analysis.json_values import Summary, number, numbers
from tlpo.analysis.measures import MOST_POINTS, RATES
from tlpo.analysis.relations.checks import (
    TOLERANCE,
    Fault,
    Faults,
    between,
    enclosed,
    equal,
    ordered,
    share_of,
)
from tlpo.analysis.relations.curves import WHAT_WINS, Ranked
from tlpo.roc.curve import RocCurve
from tlpo.roc.operating_points import operating_points
from tlpo.roc.rates import predictive_value


def of_points(model: dict[str, Any], summary: Summary, sizes: Ranked, where: str) -> Faults:
    """Check the three operating points, and the sensitivity that is read off."""
    points, share = model["operating_points"], summary["specificity"]
    about = ("specificity", "sensitivity", "specificity")
    named = [f"{name} at least {share:g}" for name in about[:2]]
    named.append("largest sensitivity + specificity")
    if [point["point"] for point in points] != named:
        shown = [point["point"] for point in points]
        yield Fault(f"{where}.operating_points", shown, f"they are {', '.join(named)}")
    for k, point in enumerate(points):
        at = f"{where}.operating_points[{k}]"
        yield from _of_point(point, model, summary, sizes, at)
        if point["about"] != about[k]:
            yield Fault(f"{at}.about", point["about"], f"its name speaks of {about[k]}")
        rate = point["specificity"] if k == 2 else share
        yield from equal(f"{at}.rate", point["rate"], rate, "the rate that it is about")
    for k, rate in ((0, "specificity"), (1, "sensitivity")):
        if points[k][rate] < share - TOLERANCE:
            at = f"{where}.operating_points[{k}].{rate}"
            yield Fault(at, points[k][rate], f"it is at least {share:g}")
    (read,) = model["sensitivity_at"][:1]
    yield from equal(
        f"{where}.sensitivity_at[0].specificity", read["specificity"], share, "that asked for"
    )
    for mine, its in (("sensitivity", ""), ("low", "_low"), ("high", "_high")):
        expected = points[0][f"sensitivity{its}"]
        at = f"{where}.sensitivity_at[0].{mine}"
        yield from equal(at, read[mine], expected, "that of the first operating point")


def _of_point(
    point: dict[str, Any], model: dict[str, Any], summary: Summary, sizes: Ranked, where: str
) -> Faults:
    for rate in ("sensitivity", "specificity"):
        if point[rate] is None:
            yield Fault(f"{where}.{rate}", None, "every point has one")
    p, n, kind = sizes.p, sizes.n, model["curve"]["kind"]
    threshold = number(point["threshold"])
    se, sp = point["sensitivity"], point["specificity"]
    curve = RocCurve(*(numbers(model["curve"][name]) for name in RocCurve._fields))
    on_curve = np.isclose(curve.tpr, se, rtol=0, atol=1e-6)
    on_curve &= np.isclose(1.0 - curve.fpr, sp, rtol=0, atol=1e-6)
    on_curve &= curve.thresholds == threshold
    if curve.fpr.size < MOST_POINTS and not on_curve.any():
        yield Fault(f"{where}.threshold", point["threshold"], "the point lies on the curve")
    shown = np.format_float_positional(threshold, trim="-")
    criterion = "always" if threshold == -np.inf else f"{WHAT_WINS[kind]} > {shown}"
    if point["criterion"] != criterion:
        yield Fault(f"{where}.criterion", point["criterion"], f"it is {criterion!r}")
    one = RocCurve(np.array([1.0 - sp]), np.array([se]), np.array([threshold]))
    expected = operating_points(one, p, n, summary["prevalence"])
    share_of = kind != "leave-pair-out"
    for name, (value,) in expected.items():
        if name in ("tp", "fp", "fn", "tn"):
            value = value if share_of else math.nan
        elif name not in point and name == "youden":  # which no report shows
            continue
        if name not in point:
            yield Fault(where, None, f"it has {name!r}")
        yield from equal(f"{where}.{name}", point[name], float(value), "by the rates of the point")
    elsewhere = ("ppv_at_prevalence", "npv_at_prevalence")
    rates = RATES if summary["prevalence"] is None else (*RATES, *elsewhere)
    for name in elsewhere:
        if name in point and name not in rates:
            yield Fault(f"{where}.{name}", point[name], "no prevalence is given")
    for name in rates:
        if f"{name}_low" not in point or f"{name}_high" not in point:
            yield Fault(where, None, f"{name!r} has limits")
        ends = point[f"{name}_low"], point[f"{name}_high"]
        if summary["sorts"] is not None and ends != (None, None):
            yield Fault(f"{where}.{name}_low", ends[0], "sorts have no limits")
        estimate = point[name]
        if name in ("sensitivity", "specificity") and None in ends and summary["sorts"] is None:
            yield Fault(f"{where}.{name}_low", ends[0], "it has limits")
        # Limits of ratios add half a patient to each count: they exist where the ratio does not,
        # and may miss one that is zero or infinite.
        if name in ("sensitivity", "specificity"):
            yield from enclosed(f"{where}.{name}", estimate, *ends, flat=True)
        else:
            yield from ordered(f"{where}.{name}", *ends, flat=True)
            if ends[0] is not None and not 0 <= number(ends[0]) < math.inf:
                yield Fault(f"{where}.{name}_low", ends[0], "it is a limit of a ratio")
    if summary["sorts"] is not None:
        return
    if threshold > -np.inf:
        yield from _of_predictive_values(point, summary, p / (p + n), where)
        return
    for name in rates[2:]:  # the first two may be of a cut-off that was chosen
        for end in ("low", "high"):
            at = f"{where}.{name}_{end}"
            yield from equal(at, point[f"{name}_{end}"], point[name], "nothing is estimated")


def _of_predictive_values(
    point: dict[str, Any], summary: Summary, share: float, where: str
) -> Faults:
    """Compare limits of predictive values with those of the likelihood ratios they come from."""
    prevalences = {"": share}
    if summary["prevalence"] is not None:
        prevalences["_at_prevalence"] = summary["prevalence"]
    for suffix, prevalence in prevalences.items():
        for value, ratio, ends in (
            ("ppv", "lr_positive", ("low", "high")),
            ("npv", "lr_negative", ("high", "low")),
        ):
            for end, other in zip(("low", "high"), ends, strict=True):
                limit = np.array([number(point[f"{ratio}_{other}"])])
                (expected,) = predictive_value(limit, prevalence)
                right = float(expected) if value == "ppv" else 1.0 - float(expected)
                name = f"{value}{suffix}_{end}"
                rule = f"by '{ratio}_{other}'"
                yield from equal(f"{where}.{name}", point[name], right, rule)


def of_subgroups(model: dict[str, Any], sizes: Ranked, where: str) -> Faults:
    """Check that subgroups add up, and that limits enclose their AUCs."""
    totals: dict[str, list[int]] = {}
    for k, row in enumerate(model["subgroups"]):
        at = f"{where}.subgroups[{k}]"
        total = totals.setdefault(row["by"], [0, 0])
        total[0] += row["n_positive"]
        total[1] += row["n_negative"]
        if row["auc"] is None:
            for end in ("low", "high"):
                yield from equal(f"{at}.{end}", row[end], None, "there is no AUC")
        else:
            if not (row["n_positive"] and row["n_negative"]):
                yield Fault(f"{at}.auc", row["auc"], "one of its classes is empty")
            yield from enclosed(at, row["auc"], row["low"], row["high"])
    for by, total in totals.items():
        if total != [sizes.p, sizes.n]:
            rule = f"they add up to {[sizes.p, sizes.n]}"
            yield Fault(f"{where}.subgroups ({by})", total, rule)


def of_permutation(test: dict[str, Any], level: float, where: str) -> Faults:
    """Check the p-value against the number of permutations, and its limits."""
    from scipy.stats import binomtest

    count = test["p_value"] * (test["n"] + 1)
    if not (abs(count - round(count)) <= 1e-6 * count and 1 <= round(count) <= test["n"] + 1):
        rule = f"it is a number of permutations, and one, of {test['n'] + 1}"
        yield Fault(f"{where}.p_value", test["p_value"], rule)
    exact = binomtest(round(count) - 1, test["n"]).proportion_ci(level, method="exact")
    for end in ("low", "high"):
        limit = float(getattr(exact, end))
        yield from equal(f"{where}.{end}", test[end], limit, "Clopper and Pearson's limit")


def of_final(model: dict[str, Any], summary: Summary, where: str) -> Faults:
    """Check the final model: how many coefficients, and cut-offs that can be."""
    final, points = model["final"], model["operating_points"]
    rows = [abs(row["value"]) for row in final["rows"]]
    yield from equal(f"{where}.rows", len(rows), min(final["n"], MOST_ROWS), "of 'n', the largest")
    if (final["kind"] is None) != (final["n"] == 0):
        yield Fault(f"{where}.n", final["n"], "it counts coefficients or importances")
    if rows != sorted(rows, reverse=True):
        yield Fault(f"{where}.rows", rows, "the largest come first")
    if final["kind"] == "importances":
        for k, row in enumerate(final["rows"]):
            yield from between(f"{where}.rows[{k}].value", row["value"], 0, 1, "0", "1")
    if len(final["cuts"]) != len(points):
        yield Fault(f"{where}.cuts", len(final["cuts"]), "there is one per operating point")
    if final["score"] is None:
        for name in ("apparent_auc", "cuts"):
            if final[name] not in (None, [None] * len(points)):
                yield Fault(f"{where}.{name}", final[name], "the model has no score")
        return
    p, n = summary["n_positive"], summary["n_negative"]
    pairs = 2 * p * n
    yield from share_of(f"{where}.apparent_auc", final["apparent_auc"], pairs, "pairs, in halves")
    for k, (cut, point) in enumerate(zip(final["cuts"], points, strict=True)):
        at = f"{where}.cuts[{k}]"
        if cut is None:
            yield Fault(at, None, "every operating point has one")
        yield from share_of(f"{at}.sensitivity", cut["sensitivity"], p, "positive patients")
        yield from share_of(f"{at}.specificity", cut["specificity"], n, "negative patients")
        if cut[point["about"]] < point["rate"] - 1e-6:
            rule = f"it is at least {point['rate']:g}, as at the operating point"
            yield Fault(f"{at}.{point['about']}", cut[point["about"]], rule)
        always = number(cut["threshold"]) == -math.inf
        if always != ((cut["sensitivity"], cut["specificity"]) == (1, 0)):
            yield Fault(f"{at}.threshold", cut["threshold"], "only below it all are positive")
        if not always and (cut["threshold"] is None or isinstance(cut["threshold"], str)):
            yield Fault(f"{at}.threshold", cut["threshold"], "it is a number")
        if not always and final["score"] == "probability":
            yield from between(f"{at}.threshold", cut["threshold"], 0, 1, "0", "1")
    cuts = sorted(final["cuts"], key=lambda cut: number(cut["threshold"]))
    for name, sign in (("specificity", 1), ("sensitivity", -1)):
        values = [sign * cut[name] for cut in cuts]
        if values != sorted(values):
            shown = [cut["threshold"] for cut in cuts]
            yield Fault(f"{where}.cuts", shown, "a higher cut-off calls fewer patients positive")
