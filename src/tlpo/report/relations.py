"""What must hold among the numbers of an analysis, whoever wrote them.

A summary that is read back was a file in between. Here its counts add up, its curves rise, its
limits enclose their estimates, and whatever follows from the games is what the games say. Nothing
is checked that depends on how this version estimates: files of others stay readable.

Every check yields what is wrong, in order; later checks may rely on earlier ones, so only the first
is to be read.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from tlpo.arrays import BoolArray, FloatArray
from tlpo.report.final import MOST_ROWS
from tlpo.report.games import unpack_games
from tlpo.report.measures import MOST_POINTS, RATES
from tlpo.report.plain import Summary, number, numbers
from tlpo.roc.calibration import benefit_of_all
from tlpo.roc.curve import RocCurve, roc_curve, wmw_auc
from tlpo.roc.difference import holm
from tlpo.roc.operating_points import operating_points
from tlpo.standings import circular_triads, max_circular_triads

# Equal up to rounding: numbers were written with all their digits.
TOLERANCE = 1e-9
_PARTS = ("all", "positive", "negative")
_WHAT_WINS = {"tournament": "wins", "leave-pair-out": "prediction", "quicksort": "mean place"}


class Fault(NamedTuple):
    """Where something stands that cannot be.

    Attributes
    ----------
    where : str
        Its place, such as ``models[0].auc.lpo``.
    value : Any
        What stands there.
    rule : str
        What must hold.
    """

    where: str
    value: Any
    rule: str

    def __str__(self) -> str:
        shown = repr(self.value)
        return f"{self.where!r} is {shown[:60]}{'…' * (len(shown) > 60)}, but {self.rule}"


Faults = Iterator[Fault]


class _Sizes(NamedTuple):
    """Whom a model has ranked."""

    is_positive: BoolArray
    ranked: BoolArray

    @property
    def p(self) -> int:
        return int((self.is_positive & self.ranked).sum())

    @property
    def n(self) -> int:
        return int((~self.is_positive & self.ranked).sum())


def find_contradiction(summary: Summary) -> Fault | None:
    """Return the first number of a summary that others contradict, or None.

    The summary follows ``schema.json``: every number has its type and range.
    """
    return next(_faults(summary), None)


def _faults(summary: Summary) -> Faults:
    yield from _of_units(summary)
    yield from _of_sample(summary)
    yield from _of_baseline(summary)
    names = [model["name"] for model in summary["models"]]
    if len(set(names)) < len(names):
        yield Fault("models", names, "every model has a name of its own")
    for k, model in enumerate(summary["models"]):
        yield from _of_model(model, summary, f"models[{k}]")
    yield from _of_comparisons(summary)
    yield from _of_choice(summary)


# --- the sample


def _of_units(summary: Summary) -> Faults:
    is_positive = summary["is_positive"]
    m = summary["n_units"]
    if len(is_positive) != m:
        yield Fault("n_units", m, f"'is_positive' has {len(is_positive)} entries")
    for name, count in (("n_positive", sum(is_positive)), ("n_negative", m - sum(is_positive))):
        yield from _equal(name, summary[name], count, "as 'is_positive' counts")
    if summary["rounds"] is not None and summary["sorts"] is not None:
        yield Fault("sorts", summary["sorts"], "there are either rounds or sorts")
    if summary["prevalence"] in (0, 1):
        yield Fault("prevalence", summary["prevalence"], "it is strictly between 0 and 1")


def _of_sample(summary: Summary) -> Faults:
    sample, m = summary["sample"], summary["n_units"]
    left_out = ("unselected", "without_target", "other_classes", "dropped")
    yield from _equal(
        "sample.read",
        sample["read"],
        m + sum(sample[name] for name in left_out),
        "the rows that are used and those that are left out",
    )
    incomplete, dropped, cells = (sample[k] for k in ("incomplete", "dropped", "missing_cells"))
    if sample["missing"] not in ("impute", "drop"):
        yield Fault("sample.missing", sample["missing"], "it is 'impute' or 'drop'")
    if sample["missing"] == "drop":
        yield from _equal("sample.dropped", dropped, incomplete, "the incomplete rows")
        yield from _equal("sample.missing_cells", cells, 0, "incomplete rows were dropped")
    else:
        yield from _equal("sample.dropped", dropped, 0, "missing values were imputed")
        yield from _between("sample.incomplete", incomplete, 0, m, "0", "the rows used")
        features = len(sample["numeric"]) + len(sample["categorical"])
        most = incomplete * features
        yield from _between(
            *("sample.missing_cells", cells, incomplete, most),
            *("the number of incomplete rows", "all their cells"),
        )
    yield from _between("sample.duplicates", sample["duplicates"], 0, m - 1, "0", "all but one row")
    if (sample["group"] is None) != (sample["n_groups"] is None):
        yield Fault("sample.n_groups", sample["n_groups"], "it belongs to a column of groups")
    if sample["n_groups"] is not None:
        yield from _between("sample.n_groups", sample["n_groups"], 2, m, "2", "the rows used")
    for k, suspect in enumerate(sample["suspects"]):
        yield from _of_suspect(suspect, sample["read"], f"sample.suspects[{k}]")


def _of_suspect(suspect: dict[str, Any], n_read: int, where: str) -> Faults:
    kind, auc, n_values = suspect["kind"], suspect["auc"], suspect["n_values"]
    if kind in ("copy", "separates", "after"):
        if auc is None or auc < 0.5 - TOLERANCE:
            yield Fault(f"{where}.auc", auc, "it is at least 0.5, in the better direction")
    elif kind in ("identifier", "repeated", "names"):
        if n_values is None or not 1 <= n_values <= n_read:
            yield Fault(f"{where}.n_values", n_values, "it lies between 1 and the rows read")
    else:
        yield Fault(f"{where}.kind", kind, "no column is suspected of that")


def _of_baseline(summary: Summary) -> Faults:
    sizes = dict(
        zip(_PARTS, (summary[k] for k in ("n_units", "n_positive", "n_negative")), strict=True)
    )
    sample, rows = summary["sample"], summary["baseline"]
    known = {*sample["numeric"], *sample["categorical"]}
    gaps: dict[str, int] = {}
    shares: dict[str, list[int]] = {}
    for k, row in enumerate(rows):
        where, kind = f"baseline[{k}]", row["kind"]
        if row["feature"] not in known:
            yield Fault(f"{where}.feature", row["feature"], "it is not among the features")
        for part in _PARTS:
            cell = row[part]
            total = cell["count"] + cell["missing"]
            yield from _equal(f"{where}.{part}.count", total, sizes[part], "with 'missing', rows")
            yield from _of_cell(cell, kind, f"{where}.{part}")
        yield from _of_parts(row, where)
        gaps[row["feature"]] = row["all"]["missing"]
        if kind == "share":
            counts = shares.setdefault(row["feature"], [])
            counts.append(row["all"]["values"][0])
            n_known = row["all"]["count"]
            yield from _between(
                f"{where}.all.values[0]", sum(counts), 0, n_known, "0", "with other levels, rows"
            )
    if rows and known == set(gaps):
        name = "missing_cells" if sample["missing"] == "impute" else "dropped"
        if name == "missing_cells":
            total = sum(gaps.values())
            yield from _equal(f"sample.{name}", sample[name], total, "as the baseline table counts")


def _of_cell(cell: dict[str, Any], kind: str, where: str) -> Faults:
    n_values = 3 if kind == "median" else 2
    first, *rest = values = cell["values"]
    if len(values) != n_values:
        yield Fault(f"{where}.values", values, f"there are {n_values} of them")
    if kind == "share":
        if first is None or first != int(first):
            yield Fault(f"{where}.values[0]", first, "it is a number of rows")
        yield from _between(f"{where}.values[0]", first, 0, cell["count"], "0", "the known values")
        share = first / cell["count"] if cell["count"] else None
        yield from _equal(f"{where}.values[1]", rest[0], share, "the share of the known values")
    elif kind == "mean":
        yield from _defined(f"{where}.values[0]", first, cell["count"] > 0)
        yield from _defined(f"{where}.values[1]", rest[0], cell["count"] > 1)
        if rest[0] is not None and rest[0] < 0:
            yield Fault(f"{where}.values[1]", rest[0], "a standard deviation is not negative")
    else:
        for k, value in enumerate(values):
            yield from _defined(f"{where}.values[{k}]", value, cell["count"] > 0)
        if first is not None and not rest[0] <= first <= rest[1]:
            yield Fault(f"{where}.values", values, "the median lies between the quartiles")


def _of_parts(row: dict[str, Any], where: str) -> Faults:
    """Compare what is said of all rows with what is said of either class."""
    whole, parts = row["all"], [row[part] for part in _PARTS[1:]]
    for key in ("count", "missing"):
        yield from _equal(f"{where}.all.{key}", whole[key], sum(p[key] for p in parts), _SUM)
    if row["kind"] == "share":
        total = sum(part["values"][0] for part in parts)
        yield from _equal(f"{where}.all.values[0]", whole["values"][0], total, _SUM)
    if row["kind"] != "mean" or not whole["count"]:
        return
    counts = [part["count"] for part in parts]
    means = [part["values"][0] or 0.0 for part in parts]
    mean, spread = whole["values"]
    # Relative to the spread: a mean of small numbers is the sum of large ones at times.
    size = max(abs(mean), *map(abs, means), spread or 0.0)
    weighted = sum(c * m for c, m in zip(counts, means, strict=True)) / whole["count"]
    if not abs(mean - weighted) <= 1e-6 * size:
        yield Fault(f"{where}.all.values[0]", mean, "it is the mean of both classes together")
    if spread is None or not size:
        return
    # In units of the largest number, so that no square overflows.
    within = sum(
        max(0, c - 1) * ((part["values"][1] or 0.0) / size) * ((part["values"][1] or 0.0) / size)
        + c * ((m - mean) / size) * ((m - mean) / size)
        for c, m, part in zip(counts, means, parts, strict=True)
    )
    squares = (whole["count"] - 1) * (spread / size) * (spread / size)
    if not abs(squares - within) <= 1e-6 * max(squares, within, 1e-6):
        yield Fault(f"{where}.all.values[1]", spread, "it is the SD of both classes together")


_SUM = "the sum over both classes"


# --- one model


def _of_model(model: dict[str, Any], summary: Summary, where: str) -> Faults:
    scores, is_positive = numbers(model["scores"]), np.array(summary["is_positive"], dtype=bool)
    if scores.size != summary["n_units"]:
        yield Fault(f"{where}.scores", scores.size, "there is one per patient")
    sizes = _Sizes(is_positive, ~np.isnan(scores))
    if not (sizes.p and sizes.n):
        yield Fault(f"{where}.scores", model["scores"], "patients of both classes have one")
    yield from _of_games(model, summary, scores, where)
    yield from _of_aucs(model, summary, scores, sizes, where)
    yield from _of_curve(model, scores, sizes, f"{where}.curve")
    if model["band"] is not None:
        yield from _of_band(model, summary, f"{where}.band")
    yield from _of_points(model, summary, sizes, where)
    yield from _of_subgroups(model, sizes, where)
    if model["permutation"] is not None:
        yield from _of_permutation(model["permutation"], f"{where}.permutation")
    yield from _of_final(model, summary, f"{where}.final")
    if model["probabilities"] is not None:
        yield from _of_probabilities(model["probabilities"], f"{where}.probabilities")
    elif model["why_no_probabilities"] is None:
        yield Fault(f"{where}.why_no_probabilities", None, "there are no probabilities")


def _of_games(model: dict[str, Any], summary: Summary, scores: FloatArray, where: str) -> Faults:
    m, lines, n_games = summary["n_units"], model["games"], model["n_games"]
    pairs = m * (m - 1) // 2
    yield from _between(f"{where}.n_games", n_games, 1, pairs, "1", "the number of pairs")
    if summary["sorts"] is not None:
        for name in ("n_ties", "circular_triads", "consistency", "games", "interval", "band"):
            if model[name] is not None:
                yield Fault(f"{where}.{name}", model[name], "sorts have none")
        return
    for name in ("n_ties", "interval", "band"):
        if model[name] is None:
            yield Fault(f"{where}.{name}", None, "every tournament has it")
    yield from _between(f"{where}.n_ties", model["n_ties"], 0, n_games, "0", "'n_games'")
    ranked = scores[~np.isnan(scores)]
    if ranked.max() > m - 1 + TOLERANCE:
        yield Fault(f"{where}.scores", float(ranked.max()), f"nobody has more than {m - 1} wins")
    complete = n_games == pairs
    if complete and not abs(ranked.sum() - pairs) <= 1e-6 * pairs:
        yield Fault(f"{where}.scores", float(ranked.sum()), f"they add up to {pairs} games")
    triads = circular_triads(scores) if complete else None
    yield from _equal(
        *(f"{where}.circular_triads", model["circular_triads"], triads, "by the scores")
    )
    xi = None if triads is None else 1.0 - triads / max_circular_triads(m)
    yield from _equal(f"{where}.consistency", model["consistency"], xi, "by the circular triads")
    if lines is None:
        return
    if [*map(len, lines)] != [*range(m)][::-1]:
        yield Fault(f"{where}.games", len(lines), "line k has the games against all later patients")
    text = "".join(lines)
    played = len(text) - text.count(".")
    yield from _equal(f"{where}.n_games", n_games, played, "as 'games' counts")
    yield from _equal(f"{where}.n_ties", model["n_ties"], text.count("="), "as 'games' counts")
    wins = unpack_games(lines)
    met = (~np.isnan(wins)).sum(axis=1)
    share = np.divide(np.nansum(wins, axis=1), met, out=np.full(m, np.nan), where=met > 0)
    expected = share * (m - 1)
    for k in np.flatnonzero(~np.isclose(scores, expected, rtol=0, atol=1e-6, equal_nan=True)):
        yield Fault(f"{where}.scores[{k}]", model["scores"][k], "it is what 'games' say")
    is_positive = np.array(summary["is_positive"], dtype=bool)
    between = wins[np.ix_(is_positive, ~is_positive)]
    if not np.isnan(between).all():
        auc = float(np.nanmean(between))
        yield from _equal(f"{where}.auc.lpo", model["auc"]["lpo"], auc, "as 'games' say")


def _of_aucs(
    model: dict[str, Any], summary: Summary, scores: FloatArray, sizes: _Sizes, where: str
) -> Faults:
    aucs, headline, interval = model["auc"], model["headline"], model["interval"]
    rows = {row["scheme"]: row["auc"] for row in model["schemes"]}
    if interval is None:
        yield from _equal(f"{where}.headline.auc", headline["auc"], rows.get("quicksort"), _SCHEMES)
        ends: tuple[Any, Any] = (None, None)
    else:
        area = wmw_auc(scores[sizes.ranked], sizes.is_positive[sizes.ranked])
        yield from _equal(f"{where}.auc.tlpo", aucs["tlpo"], area, "the area of the scores' curve")
        yield from _equal(f"{where}.headline.auc", headline["auc"], aucs["lpo"], "'auc.lpo'")
        ends = (interval["low"], interval["high"])
        yield from _enclosed(f"{where}.interval", headline["auc"], *ends)
        level = summary["confidence_level"]
        yield from _equal(f"{where}.interval.level", interval["level"], level, "that of all limits")
        if interval["phi"] is not None and interval["phi"] < 0:
            yield Fault(f"{where}.interval.phi", interval["phi"], "it multiplies a variance")
        most = summary["n_units"]
        if interval["degrees_of_freedom"] is not None:
            yield from _between(
                f"{where}.interval.degrees_of_freedom",
                *(interval["degrees_of_freedom"], 0, most, "0", "the number of patients"),
            )
    for name, end in zip(("low", "high"), ends, strict=True):
        yield from _equal(f"{where}.headline.{name}", headline[name], end, "the AUC's interval")
    for name in ("lpo", "tlpo", "loo"):
        if name in rows:
            yield from _equal(f"{where}.auc.{name}", aucs[name], rows[name], _SCHEMES)


_SCHEMES = "as among 'schemes'"


def _of_curve(model: dict[str, Any], scores: FloatArray, sizes: _Sizes, where: str) -> Faults:
    curve = RocCurve(*(numbers(model["curve"][name]) for name in RocCurve._fields))
    kind = model["curve"]["kind"]
    if kind not in _WHAT_WINS:
        yield Fault(f"{where}.kind", kind, f"it is one of {', '.join(_WHAT_WINS)}")
    if len({values.size for values in curve}) != 1:
        yield Fault(where, curve.fpr.size, "its lists have one length")
    for name in ("fpr", "tpr"):
        values = getattr(curve, name)
        if values[0] != 0 or values[-1] != 1 or (np.diff(values) < 0).any():
            yield Fault(f"{where}.{name}", model["curve"][name], "it rises from 0 to 1")
    # Not by differences: the last is infinite.
    rises = curve.thresholds[1:] >= curve.thresholds[:-1]
    if np.isnan(curve.thresholds).any() or rises.any() or curve.thresholds[-1] != -np.inf:
        shown = model["curve"]["thresholds"]
        yield Fault(f"{where}.thresholds", shown, "they fall to -Infinity")
    if np.isposinf(curve.thresholds[0]):
        yield Fault(f"{where}.thresholds[0]", "Infinity", "it is the largest score")
    if kind == "leave-pair-out":
        return
    expected = roc_curve(scores[sizes.ranked], sizes.is_positive[sizes.ranked])
    if expected.fpr.size > MOST_POINTS:  # thinned
        return
    for name in RocCurve._fields:
        found, right = getattr(curve, name), getattr(expected, name)
        if found.size != right.size or not np.allclose(found, right, rtol=0, atol=1e-6):
            yield Fault(f"{where}.{name}", model["curve"][name], "it is that of the scores")


def _of_band(model: dict[str, Any], summary: Summary, where: str) -> Faults:
    band = model["band"]
    fpr, low, high = (numbers(band[name]) for name in ("fpr", "low", "high"))
    if not fpr.size == low.size == high.size:
        yield Fault(where, fpr.size, "its lists have one length")
    if fpr[0] != 0 or fpr[-1] != 1 or (np.diff(fpr) <= 0).any():
        yield Fault(f"{where}.fpr", band["fpr"], "it rises from 0 to 1")
    for name, values in (("low", low), ("high", high)):
        if (np.diff(values) < -TOLERANCE).any():
            yield Fault(f"{where}.{name}", band[name], "a ROC curve rises, and so do its limits")
    curve = RocCurve(*(numbers(model["curve"][name]) for name in RocCurve._fields))
    if curve.fpr.size < MOST_POINTS:
        tpr = curve.tpr[np.searchsorted(curve.fpr, fpr + TOLERANCE, side="right") - 1]
        tpr[0] = max(tpr[0], low[0])
        for name, wrong in (("low", low > tpr + TOLERANCE), ("high", high < tpr - TOLERANCE)):
            for k in np.flatnonzero(wrong):
                yield Fault(f"{where}.{name}[{k}]", band[name][k], "limits enclose the curve")
    elif (low > high + TOLERANCE).any():
        yield Fault(f"{where}.low", band["low"], "it is not above 'high'")
    yield from _equal(f"{where}.level", band["level"], summary["confidence_level"], "of all limits")


def _of_points(model: dict[str, Any], summary: Summary, sizes: _Sizes, where: str) -> Faults:
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
        yield from _equal(f"{at}.rate", point["rate"], rate, "the rate that it is about")
    for k, rate in ((0, "specificity"), (1, "sensitivity")):
        if points[k][rate] < share - TOLERANCE:
            at = f"{where}.operating_points[{k}].{rate}"
            yield Fault(at, points[k][rate], f"it is at least {share:g}")
    (read,) = model["sensitivity_at"][:1]
    yield from _equal(
        f"{where}.sensitivity_at[0].specificity", read["specificity"], share, "that asked for"
    )
    for mine, its in (("sensitivity", ""), ("low", "_low"), ("high", "_high")):
        expected = points[0][f"sensitivity{its}"]
        at = f"{where}.sensitivity_at[0].{mine}"
        yield from _equal(at, read[mine], expected, "that of the first operating point")


def _of_point(
    point: dict[str, Any], model: dict[str, Any], summary: Summary, sizes: _Sizes, where: str
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
    criterion = "always" if threshold == -np.inf else f"{_WHAT_WINS[kind]} > {shown}"
    if point["criterion"] != criterion:
        yield Fault(f"{where}.criterion", point["criterion"], f"it is {criterion!r}")
    one = RocCurve(np.array([1.0 - sp]), np.array([se]), np.array([threshold]))
    expected = operating_points(one, p, n, summary["prevalence"])
    counted = kind != "leave-pair-out"
    for name, (value,) in expected.items():
        if name in ("tp", "fp", "fn", "tn"):
            value = value if counted else math.nan  # noqa: PLW2901
        elif name not in point and name == "youden":
            continue
        if name not in point:
            yield Fault(where, None, f"it has {name!r}")
        yield from _equal(f"{where}.{name}", point[name], float(value), "by the rates of the point")
    at = () if summary["prevalence"] is None else ("ppv_at_prevalence", "npv_at_prevalence")
    for name in (*RATES, *at):
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
            yield from _enclosed(f"{where}.{name}", estimate, *ends, flat=True)
        else:
            yield from _ordered(f"{where}.{name}", *ends, flat=True)


def _of_subgroups(model: dict[str, Any], sizes: _Sizes, where: str) -> Faults:
    totals: dict[str, list[int]] = {}
    for k, row in enumerate(model["subgroups"]):
        at = f"{where}.subgroups[{k}]"
        total = totals.setdefault(row["by"], [0, 0])
        total[0] += row["n_positive"]
        total[1] += row["n_negative"]
        if row["auc"] is None:
            for end in ("low", "high"):
                yield from _equal(f"{at}.{end}", row[end], None, "there is no AUC")
        else:
            if not (row["n_positive"] and row["n_negative"]):
                yield Fault(f"{at}.auc", row["auc"], "one of its classes is empty")
            yield from _enclosed(at, row["auc"], row["low"], row["high"])
    for by, total in totals.items():
        if total != [sizes.p, sizes.n]:
            rule = f"they add up to {[sizes.p, sizes.n]}"
            yield Fault(f"{where}.subgroups ({by})", total, rule)


def _of_permutation(test: dict[str, Any], where: str) -> Faults:
    count = test["p_value"] * (test["n"] + 1)
    if not (abs(count - round(count)) <= 1e-6 * count and 1 <= round(count) <= test["n"] + 1):
        rule = f"it is a number of permutations, and one, of {test['n'] + 1}"
        yield Fault(f"{where}.p_value", test["p_value"], rule)
    # Limits are those of the share without the added one.
    share = (round(count) - 1) / test["n"]
    yield from _enclosed(where, share, test["low"], test["high"])


def _of_final(model: dict[str, Any], summary: Summary, where: str) -> Faults:
    final, points = model["final"], model["operating_points"]
    rows = [abs(row["value"]) for row in final["rows"]]
    yield from _equal(f"{where}.rows", len(rows), min(final["n"], MOST_ROWS), "of 'n', the largest")
    if (final["kind"] is None) != (final["n"] == 0):
        yield Fault(f"{where}.n", final["n"], "it counts coefficients or importances")
    if rows != sorted(rows, reverse=True):
        yield Fault(f"{where}.rows", rows, "the largest come first")
    if final["kind"] == "importances":
        for k, row in enumerate(final["rows"]):
            yield from _between(f"{where}.rows[{k}].value", row["value"], 0, 1, "0", "1")
    if len(final["cuts"]) != len(points):
        yield Fault(f"{where}.cuts", len(final["cuts"]), "there is one per operating point")
    if final["score"] is None:
        for name in ("apparent_auc", "cuts"):
            if final[name] not in (None, [None] * len(points)):
                yield Fault(f"{where}.{name}", final[name], "the model has no score")
        return
    p, n = summary["n_positive"], summary["n_negative"]
    pairs = 2 * p * n
    yield from _counted(f"{where}.apparent_auc", final["apparent_auc"], pairs, "pairs, in halves")
    for k, (cut, point) in enumerate(zip(final["cuts"], points, strict=True)):
        at = f"{where}.cuts[{k}]"
        if cut is None:
            yield Fault(at, None, "every operating point has one")
        yield from _counted(f"{at}.sensitivity", cut["sensitivity"], p, "positive patients")
        yield from _counted(f"{at}.specificity", cut["specificity"], n, "negative patients")
        if cut[point["about"]] < point["rate"] - 1e-6:
            rule = f"it is at least {point['rate']:g}, as at the operating point"
            yield Fault(f"{at}.{point['about']}", cut[point["about"]], rule)
        always = number(cut["threshold"]) == -math.inf
        if always != ((cut["sensitivity"], cut["specificity"]) == (1, 0)):
            yield Fault(f"{at}.threshold", cut["threshold"], "only below it all are positive")
        if not always and (cut["threshold"] is None or isinstance(cut["threshold"], str)):
            yield Fault(f"{at}.threshold", cut["threshold"], "it is a number")
        if not always and final["score"] == "probability":
            yield from _between(f"{at}.threshold", cut["threshold"], 0, 1, "0", "1")
    cuts = sorted(final["cuts"], key=lambda cut: number(cut["threshold"]))
    for name, sign in (("specificity", 1), ("sensitivity", -1)):
        values = [sign * cut[name] for cut in cuts]
        if values != sorted(values):
            shown = [cut["threshold"] for cut in cuts]
            yield Fault(f"{where}.cuts", shown, "a higher cut-off calls fewer patients positive")


def _of_probabilities(found: dict[str, Any], where: str) -> Faults:
    # How limits lie about their estimate: on which scale as far above as below.
    for name, scale in (
        ("brier", "log"),
        ("scaled_brier", "rest"),
        ("slope", "plain"),
        ("intercept", "plain"),
        ("observed_expected", "log"),
    ):
        yield from _of_measure(found[name], scale, f"{where}.{name}")
    brier, scaled = found["brier"], found["scaled_brier"]
    yield from _between(f"{where}.brier.estimate", brier["estimate"], 0, 1, "0", "1")
    yield from _between(f"{where}.brier.high", brier["high"], 0, 1, "0", "1")
    curve = {name: numbers(found["curve"][name]) for name in ("predicted", "observed", "low", "high")}
    table = {name: numbers(values) for name, values in found["net_benefit"].items()}
    for part, lists in (("curve", curve), ("net_benefit", table)):
        if len({values.size for values in lists.values()}) != 1:
            yield Fault(f"{where}.{part}", len(lists), "its lists have one length")
    for name, values in curve.items():
        if (np.diff(values) < -TOLERANCE).any():
            yield Fault(f"{where}.curve.{name}", found["curve"][name], "it rises")
    if (curve["low"] > curve["high"] + TOLERANCE).any():
        yield Fault(f"{where}.curve.low", found["curve"]["low"], "it is not above 'high'")
    at, none = table["threshold"], table["none"]
    if at[0] <= 0 or at[-1] >= 1 or (np.diff(at) <= 0).any():
        shown = found["net_benefit"]["threshold"]
        yield Fault(f"{where}.net_benefit.threshold", shown, "it rises within 0 and 1")
    if none.any():
        yield Fault(f"{where}.net_benefit.none", found["net_benefit"]["none"], "it is 0")
    # The share of positives among those with a probability, by the net benefit of treating all.
    share = float(table["all"][0] * (1.0 - at[0]) + at[0])
    yield from _between(f"{where}.net_benefit.all[0]", share, 0, 1, "a share", "of patients")
    for k in np.flatnonzero(~np.isclose(table["all"], benefit_of_all(share, at), atol=1e-6)):
        value = found["net_benefit"]["all"][k]
        yield Fault(f"{where}.net_benefit.all[{k}]", value, "it is that of treating everybody")
    least = -(1.0 - share) * at / (1.0 - at)
    model, low, high = (table[name] for name in ("model", "low", "high"))
    for k in np.flatnonzero((model > share + 1e-6) | (model < least - 1e-6)):
        value = found["net_benefit"]["model"][k]
        yield Fault(f"{where}.net_benefit.model[{k}]", value, "no model gains or loses as much")
    for k in np.flatnonzero(~np.isclose(high - model, model - low, atol=1e-6) | (low > model)):
        value = [found["net_benefit"][end][k] for end in ("low", "high")]
        yield Fault(f"{where}.net_benefit.low[{k}]", value, "limits are as far below as above")
    constant = share * (1.0 - share)
    yield from _equal(
        *(f"{where}.scaled_brier.estimate", scaled["estimate"]),
        *(1.0 - brier["estimate"] / constant if constant else None, "by 'brier'"),
    )


def _of_measure(found: dict[str, Any], scale: str, where: str) -> Faults:
    estimate, low, high = (number(found[key]) for key in ("estimate", "low", "high"))
    if math.isnan(estimate):
        for end in ("low", "high"):
            yield from _equal(f"{where}.{end}", found[end], None, "there is no estimate")
        return
    if math.isinf(estimate):  # nobody was expected to be positive
        return
    yield from _enclosed(where, estimate, found["low"], found["high"])
    if not found.keys() >= {"low", "high"} or math.isinf(low) or math.isinf(high):
        yield Fault(where, [found["low"], found["high"]], "limits are numbers")
    size = max(abs(low), abs(high), abs(estimate), 1.0)
    if scale == "plain":
        is_even = abs((high - estimate) / size - (estimate - low) / size) <= 1e-6
    else:
        below, middle, above = low, estimate, high
        if scale == "rest":  # limits of what is missing to 1
            below, middle, above = 1.0 - high, 1.0 - estimate, 1.0 - low
        if below < 0:
            yield Fault(f"{where}.low", found["low"], "it is a limit of a positive number")
        product = (middle / size) * (middle / size)
        is_even = abs((below / size) * (above / size) - product) <= 1e-6 * max(product, 1e-6)
        is_even = is_even or (scale == "log" and above == 1.0)  # a Brier score's, cut off
    if not is_even:
        rule = "limits are as far below the estimate as above it"
        yield Fault(f"{where}.low", [found["low"], found["high"]], rule)


# --- several models


def _of_comparisons(summary: Summary) -> Faults:
    rows, models = summary["comparisons"], summary["models"]
    aucs = {model["name"]: model["headline"]["auc"] for model in models}
    expected = len(models) * (len(models) - 1) // 2 if summary["sorts"] is None else 0
    yield from _equal("comparisons", len(rows), expected, "there is one per pair of models")
    for k, row in enumerate(rows):
        where = f"comparisons[{k}]"
        for name in ("first", "second"):
            if row[name] not in aucs:
                yield Fault(f"{where}.{name}", row[name], "there is no such model")
            yield from _equal(
                f"{where}.auc_{name}", row[f"auc_{name}"], aucs[row[name]], "that of the model"
            )
        difference = row["auc_first"] - row["auc_second"]
        yield from _equal(f"{where}.difference", row["difference"], difference, "of the AUCs")
        yield from _enclosed(where, difference, row["low"], row["high"])
        for end in ("low", "high"):
            yield from _between(f"{where}.{end}", row[end], -1, 1, "-1", "1")
    p_values = numbers([row["p_value"] for row in rows])
    if len(rows) > 1 and not np.isnan(p_values).any():
        for k, value in enumerate(holm(p_values).tolist()):
            where = f"comparisons[{k}].p_value_holm"
            yield from _equal(where, rows[k]["p_value_holm"], value, "Holm's, of all p-values")
    for k, row in enumerate(rows):
        if row["p_value"] is None:
            yield Fault(f"comparisons[{k}].p_value", None, "every comparison has one")
        if len(rows) == 1 and row["p_value_holm"] is not None:
            rule = "one comparison is not adjusted"
            yield Fault(f"comparisons[{k}].p_value_holm", row["p_value_holm"], rule)


def _of_choice(summary: Summary) -> Faults:
    choice, models = summary["choice"], summary["models"]
    if (choice is None) == bool(summary["comparisons"]):
        yield Fault("choice", choice, "it is made among models that were compared")
    if choice is None:
        return
    aucs = {model["name"]: model["headline"]["auc"] for model in models}
    if choice["winner"] not in aucs or aucs[choice["winner"]] < max(aucs.values()) - TOLERANCE:
        yield Fault("choice.winner", choice["winner"], "no model has a larger AUC")
    own = aucs[choice["winner"]]
    yield from _equal("choice.uncorrected", choice["uncorrected"], own, "the winner's AUC")
    corrected = max(0.0, own - choice["optimism"])
    yield from _equal("choice.auc", choice["auc"], corrected, "less by the optimism")
    if choice["optimism"] < -TOLERANCE:
        yield Fault("choice.optimism", choice["optimism"], "being chosen does not make it worse")
    yield from _enclosed("choice", choice["auc"], choice["low"], choice["high"])


# --- relations


def _equal(where: str, value: Any, expected: Any, what: str) -> Faults:
    found, right = number(value), number(expected)
    if math.isnan(found) and math.isnan(right):
        return
    if not math.isclose(found, right, rel_tol=1e-6, abs_tol=TOLERANCE):
        shown = "not defined" if math.isnan(right) else f"{right:.12g}"
        yield Fault(where, value, f"it must be {shown}: {what}")


def _between(
    where: str, value: float, low: float, high: float, least: str, most: str
) -> Faults:
    if value is None or not low - TOLERANCE <= value <= high + TOLERANCE:
        yield Fault(where, value, f"it lies between {least} and {most}")


def _defined(where: str, value: float | None, is_defined: bool) -> Faults:
    if (value is not None) != is_defined:
        yield Fault(where, value, "it is defined where there are values enough")


def _counted(where: str, value: float | None, of: int, what: str) -> Faults:
    count = math.nan if value is None else value * of
    if math.isnan(count) or abs(count - round(count)) > 1e-6 * of:
        yield Fault(where, value, f"it is a share of {of} {what}")


def _ordered(where: str, low: Any, high: Any, *, flat: bool = False) -> Faults:
    names = [f"{where}_low", f"{where}_high"] if flat else [f"{where}.low", f"{where}.high"]
    for name, value, other in ((names[0], low, high), (names[1], high, low)):
        if value is None and other is not None:
            yield Fault(name, None, "an interval has two limits")
    if low is not None and number(low) > number(high) + TOLERANCE:
        yield Fault(names[0], low, f"it is not above the upper limit, {high}")


def _enclosed(where: str, estimate: Any, low: Any, high: Any, *, flat: bool = False) -> Faults:
    """Check that limits enclose an estimate; an interval may be missing as a whole."""
    yield from _ordered(where, low, high, flat=flat)
    names: Sequence[str] = ("_low", "_high") if flat else (".low", ".high")
    if low is not None and number(low) > number(estimate) + TOLERANCE:
        yield Fault(where + names[0], low, f"it is not above the estimate, {estimate}")
    if high is not None and number(high) < number(estimate) - TOLERANCE:
        yield Fault(where + names[1], high, f"it is not below the estimate, {estimate}")
