"""The card of a saved model: what it is, what it was developed on, and how well it did there."""

from __future__ import annotations

import json
import platform
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.analysis.json_values import Summary
from tlpo.analysis.load import misfit
from tlpo.analysis.models import Model
from tlpo.analysis.options import Options
from tlpo.results.intervals import rate_factor
from tlpo.results.tournament import Tournament
from tlpo.roc.intervals import score_interval, two_sided_quantile
from tlpo.roc.pooled import pooled_curve
from tlpo.roc.rates import share_limits
from tlpo.tables.build_sample import Sample
from tlpo.tables.known_rows import SIZE, keep_rows
from tlpo.tables.options import REST

if TYPE_CHECKING:
    import pandas as pd

Card = dict[str, Any]
FORMAT = 2
# How far a limit may be from the one that follows from the other numbers.
_ROUNDING = 1e-6


def make_card(
    model: Model, sample: Sample, t: Tournament, summary: Summary, options: Options
) -> Card:
    """Say what a model is, what it was developed on, and how well it did there."""
    import sklearn

    import tlpo

    interval = t.auc_interval(options.confidence_level)
    p, n = t.evidence.counts
    return {
        "format": FORMAT,
        "name": model.name,
        "described": model.described,
        "target": sample.question.target,
        "positive": str(sample.labels.positive),
        "negative": str(sample.labels.negative),
        "classes": list(sample.question.classes),
        "columns": [_describe_column(sample, name, model.is_own) for name in sample.X.columns],
        "as_table": model.is_own or bool(sample.categorical),
        "fills_gaps": model.is_own or bool(sample.X.isna().to_numpy().any()),
        "auc": {
            "estimate": t.auc,
            "low": interval.low,
            "high": interval.high,
            "level": interval.confidence_level,
            "method": f"leave-pair-out, {interval.method}",
            "n_positive": p,
            "n_negative": n,
            "phi": interval.phi,
            "rate_phi": rate_factor(t, options.confidence_level)[1],
            "degrees_of_freedom": interval.degrees_of_freedom,
        },
        "cutoffs": find_cutoffs(t, options),
        "data": {
            "source": summary["source"],
            "date": summary["date"],
            "rows": keep_rows(sample.X, sample.labels.is_positive),
            "unit": sample.unit,
            "n_units": sample.labels.n_units,
            "n_positive": sample.labels.n_positive,
            "n_negative": sample.labels.n_negative,
            "rows_read": sample.n_read,
            "excluded_without_outcome": sample.n_without_target,
            "excluded_with_gaps": sample.n_dropped,
            "columns_not_used": [note for note in sample.notes if "not used" in note],
        },
        "versions": {
            "tlpo": tlpo.__version__,
            "scikit-learn": sklearn.__version__,
            "python": platform.python_version(),
        },
    }


def find_cutoffs(t: Tournament, options: Options) -> list[dict[str, Any]]:
    """Fix cut-offs of the model's own score at the rates that a report states.

    They are read off the pooled held-out predictions: a score is compared with what models of the
    same kind gave patients they had not seen, not with its own fit.
    """
    if t.predictions is None:
        return []
    share, (p, n) = options.specificity, t.evidence.counts
    curve = pooled_curve(t.predictions, t.labels.is_positive)
    se, sp = curve.tpr, 1.0 - curve.fpr
    finite = np.isfinite(curve.thresholds)
    factor, _ = rate_factor(t, options.confidence_level)
    found = []
    for name, allowed, value in (
        (f"specificity {share:g}", sp >= share - 1e-9, se),
        (f"sensitivity {share:g}", se >= share - 1e-9, sp),
        ("largest sensitivity + specificity", sp >= 0, se + sp),
    ):
        if not (allowed & finite).any():
            continue
        at = int(np.argmax(np.where(allowed & finite, value, -np.inf)))
        point: dict[str, Any] = {"point": name, "threshold": float(curve.thresholds[at])}
        for rate, estimate, size in (("sensitivity", se[at], p), ("specificity", sp[at], n)):
            # Shares of pooled predictions are sums, which may round to a little more than one.
            inside = np.clip([float(estimate)], 0.0, 1.0)
            low, high = share_limits(inside, size, factor)
            point[rate] = {"estimate": inside[0], "low": low[0], "high": high[0]}
        found.append(point)
    return found


def auc_in_development(card: Card, level: float) -> dict[str, float]:
    """Return the AUC of development with limits of any confidence level."""
    auc = card["auc"]
    quantile = two_sided_quantile(level, auc["degrees_of_freedom"])
    low, high = score_interval(
        auc["estimate"], auc["n_positive"], auc["n_negative"], auc["phi"], quantile
    )
    return {"estimate": auc["estimate"], "low": low, "high": high}


def rate_in_development(card: Card, point: int, rate: str, level: float) -> dict[str, float]:
    """Return a rate at a cut-off of development with limits of any confidence level."""
    auc, estimate = card["auc"], card["cutoffs"][point][rate]["estimate"]
    quantile = two_sided_quantile(level, auc["degrees_of_freedom"])
    size = auc["n_positive" if rate == "sensitivity" else "n_negative"]
    low, high = share_limits(np.array([estimate]), size, quantile**2 * auc["rate_phi"])
    return {"estimate": estimate, "low": float(low[0]), "high": float(high[0])}


def trial_rows(card: Card) -> pd.DataFrame:
    """Return three rows that no patient gave: low, middle and high values of every column."""
    import pandas as pd

    columns: dict[str, Any] = {}
    for column in card["columns"]:
        if column["kind"] == "numeric":
            values = [column[key] for key in ("q05", "median", "q95")]
            columns[column["name"]] = np.array(values, dtype=float)
        else:
            names = [*column["categories"], *filter(None, [column["other"]])]
            chosen = [names[k % len(names)] for k in range(3)]
            columns[column["name"]] = pd.Series(chosen, dtype=object)
    return pd.DataFrame(columns)


def card_digest(card: Card) -> str:
    """Return the digest of all of a card but its own digest."""
    rest = {key: value for key, value in card.items() if key != "digest"}
    return digest_of(json.dumps(rest, sort_keys=True).encode("utf-8", "surrogatepass"))


def digest_of(content: bytes) -> str:
    """Return the digest of a member of a model file."""
    return blake2b(content, digest_size=32).hexdigest()


def find_card_fault(card: Card) -> str | None:
    """Return the first place where a card departs from ``card.json`` or from itself, or None."""
    fault = misfit(card, card_schema(), card_schema())
    if fault is not None:
        return fault
    names = [column["name"] for column in card["columns"]]
    if len({*names, card["target"]}) < len(names) + 1:
        return "two columns have the same name"
    if card["positive"] == card["negative"]:
        return "'positive' and 'negative' are the same label"
    labels = {card["positive"], card["negative"]}
    if card["classes"] and set(card["classes"]) - {REST} != labels - {REST}:
        return "'classes' are not the two labels"
    for k, column in enumerate(card["columns"]):
        if column["kind"] == "categorical":
            names = [*column["categories"], *filter(None, [column["other"]])]
            if len(set(names)) < len(names):
                return f"'columns[{k}].categories' has one twice"
            if not names:
                return f"'columns[{k}].categories' is empty"
        elif not column["q05"] <= column["median"] <= column["q95"]:
            return f"'columns[{k}]' has quantiles out of order"
    data = card["data"]
    if data["n_positive"] + data["n_negative"] != data["n_units"]:
        return "'data.n_units' is not the sum of the classes"
    if len(data["rows"]["digests"]) != 2 * SIZE * data["n_units"]:
        return "'data.rows' does not match the number of units"
    if data["rows_read"] < data["n_units"]:
        return "'data.rows_read' is less than the number of units"
    if any(card["auc"][name] > data[name] for name in ("n_positive", "n_negative")):
        return "'auc' counts more units than there are"
    if any(column["n_missing"] > data["n_units"] for column in card["columns"]):
        return "a column has more missing values than there are units"
    return _find_odd_limits(card)


def _find_odd_limits(card: Card) -> str | None:
    level = card["auc"]["level"]
    stated = {"auc": (card["auc"], auc_in_development(card, level))}
    for k, cutoff in enumerate(card["cutoffs"]):
        for rate in ("sensitivity", "specificity"):
            follows = rate_in_development(card, k, rate, level)
            stated[f"cutoffs[{k}].{rate}"] = (cutoff[rate], follows)
    for where, (one, follows) in stated.items():
        if any(abs(one[end] - follows[end]) > _ROUNDING for end in ("low", "high")):
            return f"{where!r} has other limits than its estimate and counts give"
    return None


@cache
def card_schema() -> dict[str, Any]:
    """Return the schema that every card follows."""
    text = files("tlpo.analysis").joinpath("card.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def _describe_column(sample: Sample, name: str, is_own: bool) -> dict[str, Any]:
    column = sample.X[name]
    found: dict[str, Any] = {"name": name, "n_missing": int(column.isna().sum())}
    if name in sample.categorical:
        levels = sample.levels[name]
        if is_own:  # which knows no pooled level; one is needed for the trial
            kinds, other = levels.kept or levels.rare, None
        else:
            kinds, other = levels.kept, levels.pooled if levels.rare else None
        return {**found, "kind": "categorical", "categories": sorted(kinds), "other": other}
    q05, median, q95 = np.nanquantile(column.to_numpy(float), [0.05, 0.5, 0.95])
    return {**found, "kind": "numeric", "q05": q05, "median": median, "q95": q95}
