"""Relations among operating points, subgroups, the test of any signal and the final model."""

from __future__ import annotations

import math

import numpy as np

from tlpo.analysis.chosen import MOST_LISTED
from tlpo.analysis.final_model import MOST_ROWS
from tlpo.analysis.json_values import drawn_curve, number, numbers
from tlpo.analysis.measures import BEST, COUNTS, MOST_POINTS, RATES
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
from tlpo.analysis.shapes import (
    AverageSurvival,
    Chosen,
    Curve,
    Equation,
    FinalModel,
    Model,
    ModelAnalysis,
    OneClass,
    Permutation,
    Point,
    SensitivityAt,
)
from tlpo.roc.curve import RocCurve
from tlpo.roc.operating_points import operating_points, write_criteria
from tlpo.roc.rates import predictive_value


def of_points(model: Model, analysis: ModelAnalysis, sizes: Ranked, where: str) -> Faults:
    """Check the three operating points, and the sensitivity that is read off."""
    points, share = model.operating_points, analysis.specificity
    named = [f"{name} at least {share:g}" for name in ("specificity", "sensitivity")]
    named.append(BEST)
    if [point.point for point in points] != named:
        shown = [point.point for point in points]
        yield Fault(f"{where}.operating_points", shown, f"they are {', '.join(named)}")
    has_limits = analysis.sorts is None
    thresholds = numbers(model.curve.thresholds)
    written = write_criteria(WHAT_WINS[model.curve.kind], thresholds)
    criteria = dict(zip(thresholds.tolist(), written, strict=True)) | {-np.inf: "always"}
    for k, point in enumerate(points):
        at = f"{where}.operating_points[{k}]"
        yield from of_point(point, model.curve, sizes, analysis.prevalence, has_limits, at)
        criterion = criteria.get(number(point.threshold))
        if criterion is not None and point.criterion != criterion:  # else the threshold is wrong
            yield Fault(f"{at}.criterion", point.criterion, f"it is {criterion!r}")
    for k, rate in ((0, "specificity"), (1, "sensitivity")):
        reached = getattr(points[k], rate)
        if reached < share - TOLERANCE:
            at = f"{where}.operating_points[{k}].{rate}"
            yield Fault(at, reached, f"it is at least {share:g}")
    (read,) = model.sensitivity_at[:1]
    yield from equal(
        f"{where}.sensitivity_at[0].specificity", read.specificity, share, "that asked for"
    )
    yield from of_reading(read, points[0], f"{where}.sensitivity_at[0]")
    yield from _of_cutoffs(model, where)


def of_reading(read: SensitivityAt, point: Point, where: str) -> Faults:
    """Check that the sensitivity that is read off is that of its operating point."""
    for mine, its in (("sensitivity", ""), ("low", "_low"), ("high", "_high")):
        expected = getattr(point, f"sensitivity{its}")
        rule = f"that of the point '{point.point}'"
        yield from equal(f"{where}.{mine}", getattr(read, mine), expected, rule)


def _of_cutoffs(model: Model, where: str) -> Faults:
    """Check that cut-offs fall along the curve, on their scale, and that points have theirs."""
    cutoffs = model.curve.cutoffs
    if (cutoffs is None) != (model.scale is None):
        yield Fault(f"{where}.scale", model.scale, "it is that of the cut-offs")
    if cutoffs is None:
        for k, point in enumerate(model.operating_points):
            if point.cutoff is not None:
                at = f"{where}.operating_points[{k}].cutoff"
                yield Fault(at, point.cutoff, "the curve has no cut-offs")
        return
    at = f"{where}.curve.cutoffs"
    if len(cutoffs) != len(model.curve.fpr):
        yield Fault(at, len(cutoffs), "there is one per point of the curve")
    values = numbers(cutoffs)
    falls = values[0] == np.inf and (values[1:] <= values[:-1]).all() and values[-1] == -np.inf
    if not falls:
        yield Fault(at, cutoffs, "they fall from Infinity to -Infinity")
    finite = values[np.isfinite(values)]
    if model.scale == "probability" and ((finite < 0) | (finite > 1)).any():
        yield Fault(at, cutoffs, "they are probabilities")
    thresholds = numbers(model.curve.thresholds)
    for k, point in enumerate(model.operating_points):
        own = values[thresholds == number(point.threshold)]
        if thresholds.size < MOST_POINTS and not (own == number(point.cutoff)).any():
            at = f"{where}.operating_points[{k}].cutoff"
            yield Fault(at, point.cutoff, "it is that of the curve")


def of_point(
    point: Point,
    curve: Curve,
    sizes: Ranked,
    prevalence: float | None,
    has_limits: bool,
    where: str,
    *,
    upwards: bool = True,
) -> Faults:
    """Check an operating point: it lies on the curve, and all else follows from its rates.

    The curve of a marker whose small values are positive is that of the negated marker.
    """
    for rate in ("sensitivity", "specificity"):
        if getattr(point, rate) is None:
            yield Fault(f"{where}.{rate}", None, "every point has one")
    p, n = sizes.p, sizes.n
    threshold = number(point.threshold) if upwards else -number(point.threshold)
    se, sp = number(point.sensitivity), number(point.specificity)
    drawn = drawn_curve(curve)
    on_curve = np.isclose(drawn.tpr, se, rtol=0, atol=1e-6)
    on_curve &= np.isclose(1.0 - drawn.fpr, sp, rtol=0, atol=1e-6)
    if point.given:  # somewhere between the thresholds of its neighbours
        fenced = np.concatenate([[np.inf], drawn.thresholds, [-np.inf]])
        on_curve &= (fenced[2:] <= threshold) & (threshold <= fenced[:-2])
    else:
        on_curve &= drawn.thresholds == threshold
    if drawn.fpr.size < MOST_POINTS and not on_curve.any():
        yield Fault(f"{where}.threshold", point.threshold, "the point lies on the curve")
    one = RocCurve(np.array([1.0 - sp]), np.array([se]), np.array([threshold]))
    counts_patients = curve.kind != "leave-pair-out"
    for name, (value,) in operating_points(one, p, n, prevalence).items():
        if name in ("youden", "threshold"):  # which no report shows, and which is its own
            continue
        if name in COUNTS:
            value = value if counts_patients else math.nan
        rule = "by the rates of the point"
        yield from equal(f"{where}.{name}", getattr(point, name), float(value), rule)
    for name in RATES:
        low, high = ends = getattr(point, f"{name}_low"), getattr(point, f"{name}_high")
        if not has_limits and ends != (None, None):
            yield Fault(f"{where}.{name}_low", low, "sorts have no limits")
        is_rate = name in ("sensitivity", "specificity")
        if is_rate and None in ends and has_limits:
            yield Fault(f"{where}.{name}_low", low, "it has limits")
        # Limits of ratios add half a patient to each count: they exist where the ratio does not,
        # and may miss one that is zero or infinite.
        if is_rate:
            yield from enclosed(f"{where}.{name}", getattr(point, name), low, high, flat=True)
        else:
            yield from ordered(f"{where}.{name}", low, high, flat=True)
            if low is not None and not 0 <= number(low) < math.inf:
                yield Fault(f"{where}.{name}_low", low, "it is a limit of a ratio")
    if not has_limits:
        return
    if threshold > -np.inf:
        share = p / (p + n) if prevalence is None else prevalence
        yield from _of_predictive_values(point, share, where)
        return
    for name in RATES[2:]:  # the first two may be of a cut-off that was chosen
        for end in ("low", "high"):
            at = f"{where}.{name}_{end}"
            limit = getattr(point, f"{name}_{end}")
            yield from equal(at, limit, getattr(point, name), "nothing is estimated")


def _of_predictive_values(point: Point, prevalence: float, where: str) -> Faults:
    """Compare limits of predictive values with those of the likelihood ratios they come from."""
    for value, ratio, ends in (
        ("ppv", "lr_positive", ("low", "high")),
        ("npv", "lr_negative", ("high", "low")),
    ):
        for end, other in zip(("low", "high"), ends, strict=True):
            limit = np.array([number(getattr(point, f"{ratio}_{other}"))])
            (expected,) = predictive_value(limit, prevalence)
            right = float(expected) if value == "ppv" else 1.0 - float(expected)
            name = f"{value}_{end}"
            rule = f"by '{ratio}_{other}'"
            yield from equal(f"{where}.{name}", getattr(point, name), right, rule)


def of_subgroups(model: Model | OneClass, sizes: Ranked, where: str) -> Faults:
    """Check that subgroups add up, and that limits enclose their AUCs."""
    totals: dict[str, list[int]] = {}
    for k, row in enumerate(model.subgroups):
        at = f"{where}.subgroups[{k}]"
        total = totals.setdefault(row.by, [0, 0])
        total[0] += row.n_positive
        total[1] += row.n_negative
        if row.auc is None:
            for end in ("low", "high"):
                yield from equal(f"{at}.{end}", getattr(row, end), None, "there is no AUC")
        else:
            if not (row.n_positive and row.n_negative):
                yield Fault(f"{at}.auc", row.auc, "one of its classes is empty")
            yield from enclosed(at, row.auc, row.low, row.high)
    for by, total in totals.items():
        if total != [sizes.p, sizes.n]:
            rule = f"they add up to {[sizes.p, sizes.n]}"
            yield Fault(f"{where}.subgroups ({by})", total, rule)


def of_permutation(test: Permutation, level: float, where: str) -> Faults:
    """Check the p-value against the number of permutations, and its limits."""
    from scipy.stats import binomtest

    count = test.p_value * (test.n + 1)
    if not (abs(count - round(count)) <= 1e-6 * count and 1 <= round(count) <= test.n + 1):
        rule = f"it is a number of permutations, and one, of {test.n + 1}"
        yield Fault(f"{where}.p_value", test.p_value, rule)
    exact = binomtest(round(count) - 1, test.n).proportion_ci(level, method="exact")
    for end in ("low", "high"):
        limit = float(getattr(exact, end))
        yield from equal(f"{where}.{end}", getattr(test, end), limit, "Clopper and Pearson's limit")


def of_final(model: Model, analysis: ModelAnalysis, where: str) -> Faults:
    """Check the final model: how many coefficients, and its apparent AUC."""
    pairs = 2 * analysis.n_positive * analysis.n_negative
    yield from of_final_model(model.final, pairs, where)


def of_final_model(final: FinalModel, n_halves: int, where: str) -> Faults:
    """Check a final model, whose apparent AUC or concordance is a share of so many half games."""
    rows = [abs(row.value) for row in final.rows]
    yield from equal(f"{where}.rows", len(rows), min(final.n, MOST_ROWS), "of 'n', the largest")
    if (final.kind is None) != (final.n == 0):
        yield Fault(f"{where}.n", final.n, "it counts coefficients or importances")
    if rows != sorted(rows, reverse=True):
        yield Fault(f"{where}.rows", rows, "the largest come first")
    if final.kind == "importances":
        for k, row in enumerate(final.rows):
            yield from between(f"{where}.rows[{k}].value", row.value, 0, 1, "0", "1")
    if final.apparent_auc is not None:
        at = f"{where}.apparent_auc"
        yield from share_of(at, final.apparent_auc, n_halves, "pairs, in halves")
    yield from _of_chosen(final.chosen, f"{where}.chosen")
    if final.equation is not None:
        yield from of_equation(final.equation, f"{where}.equation")
    if final.average is not None:
        yield from _of_average(final.average, final.equation, f"{where}.average")


def of_equation(equation: Equation, where: str) -> Faults:
    """Check the terms of an equation."""
    for k, term in enumerate(equation.terms):
        at = f"{where}.terms[{k}]"
        yield from enclosed(at, term.value, term.low, term.high)
        ends = (term.least, term.most)
        if (term.level is None) != (None not in ends):
            yield Fault(f"{at}.least", term.least, "numbers have a range, levels have none")
        if None not in ends and number(term.least) > number(term.most):
            yield Fault(f"{at}.least", term.least, "it is not above 'most'")


def _of_average(average: AverageSurvival, equation: Equation | None, where: str) -> Faults:
    """Check the survival of average risk."""
    if equation is None or equation.scale != "log hazard ratio":
        yield Fault(where, average.score, "it goes with an equation of hazards")
    if len(average.survival) != len(average.times):
        yield Fault(f"{where}.survival", len(average.survival), "there is one for each time")
    if (np.diff(numbers(average.times)) <= 0).any():
        yield Fault(f"{where}.times", average.times, "they increase")
    if (np.diff(numbers(average.survival)) > 0).any():
        yield Fault(f"{where}.survival", average.survival, "it does not rise")


def _of_chosen(chosen: Chosen | None, where: str) -> Faults:
    """Check how many models chose something."""
    if chosen is None:
        return
    n = chosen.n_models
    for key, rows, of in (
        ("settings", chosen.settings, chosen.n_settings),
        ("used", chosen.used, chosen.n_used),
    ):
        yield from equal(f"{where}.{key}", len(rows), min(of, MOST_LISTED), "the most frequent")
        for k, row in enumerate(rows):
            yield from between(f"{where}.{key}[{k}].n", row.n, 1, n, "1", "'n_models'")
    total = sum(row.n for row in chosen.settings)
    if total > n or (chosen.settings and chosen.n_settings <= MOST_LISTED and total < n):
        yield Fault(f"{where}.settings", total, "every model chose one")
