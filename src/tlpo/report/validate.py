"""Test a saved model on new patients: ``tlpo validate``.

Nothing is fitted here, so patients are independent of the model, and the classical formulas hold:
DeLong's interval for the AUC, Wilson's for rates at cut-offs that were fixed in development.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.errors import InputError, enumerate_briefly, explain
from tlpo.report.columns import as_categories
from tlpo.report.levels import pool_others
from tlpo.report.model_file import digest, load_model, score
from tlpo.report.nouns import counted
from tlpo.report.options import Reading
from tlpo.report.plain import Summary, plain
from tlpo.report.probabilities import describe
from tlpo.report.read import read_table
from tlpo.response import probability_link
from tlpo.results.probabilities import Probabilities
from tlpo.roc.intervals import two_sided_quantile, wald_interval
from tlpo.roc.placements import placements_of_scores
from tlpo.roc.rates import share_limits

if TYPE_CHECKING:
    import pandas as pd

# A median that moved by more than this factor, out of the range that development saw, is probably
# in other units.
FACTOR = 2.0
SEED = 0


def validate(
    model: str,
    data: str,
    *,
    target: str | None = None,
    group: str | None = None,
    confidence_level: float = 0.95,
    reading: Reading | None = None,
) -> Summary:
    """Say how well a saved model does on new patients.

    Parameters
    ----------
    model : str
        A file that ``tlpo run --save-model`` wrote.
    data : str
        A table of new patients with the columns of development.
    target : str, optional
        Its column of outcomes; by default named as in development.
    group : str, optional
        Column that says which rows belong together, such as the patient.
    confidence_level : float
        Of all intervals.
    reading : Reading, optional
        How to read the table.
    """
    import sklearn

    import tlpo

    fitted, card = load_model(model)
    table = read_table(data, reading or Reading())
    target = card["target"] if target is None else target
    given = [target, *([] if group is None else [group])]
    needed = [column["name"] for column in card["columns"]]
    _require_columns(table, given, needed, "There is no such column.")
    problem = f"The model {card['name']!r} needs columns that the table does not have."
    _require_columns(table, needed, given, problem)
    remarks = _versions(card)
    X, rows, more = _features(table, card, target)
    is_positive = _classes(table[target][rows].tolist(), card, target)
    if digest(X, is_positive) == card["data"].get("digest"):
        same = "These are the patients that the model was developed on: this is no validation."
        remarks.insert(0, same)
    remarks += more
    groups = None
    if group is not None:
        groups = np.unique(table[group][rows].astype(str), return_inverse=True)[1]
    features = _pooled(X, card) if card["as_table"] else X.to_numpy(float)
    scores = score(fitted, card, features)
    level = confidence_level
    why = probability_link(fitted)
    p = None if isinstance(why, str) else _probabilities(fitted, card, features)
    return plain(  # type: ignore[no-any-return]
        {
            "kind": "validation",
            "version": tlpo.__version__,
            "sklearn": sklearn.__version__,
            "python": platform.python_version(),
            "date": time.strftime("%Y-%m-%d"),
            "model": Path(model).name,
            "source": "standard input" if data == "-" else Path(data).name,
            "confidence_level": level,
            "n_read": len(table),
            "n_units": int(is_positive.size),
            "n_positive": int(is_positive.sum()),
            "n_negative": int((~is_positive).sum()),
            "target": target,
            "card": card,
            "remarks": remarks,
            "auc": _auc(scores, is_positive, groups, card, level),
            "cutoffs": [
                _at(cutoff, scores, is_positive, groups, level) for cutoff in card["cutoffs"]
            ],
            "probabilities": None
            if p is None
            else describe(Probabilities(p, is_positive, groups), level, SEED),
            "why_no_probabilities": why if isinstance(why, str) else None,
        }
    )


def difference(new: dict[str, float], old: dict[str, float]) -> dict[str, float]:
    """Return the difference of two independent estimates, with limits from theirs.

    Newcombe's square-and-add method.

    Examples
    --------
    >>> difference(dict(estimate=0.7, low=0.6, high=0.8), dict(estimate=0.8, low=0.7, high=0.9))
    {'estimate': -0.1..., 'low': -0.241..., 'high': 0.0414...}
    """
    d = new["estimate"] - old["estimate"]
    down = np.hypot(new["estimate"] - new["low"], old["high"] - old["estimate"])
    up = np.hypot(new["high"] - new["estimate"], old["estimate"] - old["low"])
    return {"estimate": float(d), "low": float(d - down), "high": float(d + up)}


def _auc(
    scores: FloatArray,
    is_positive: BoolArray,
    groups: IntArray | None,
    card: dict[str, Any],
    level: float,
) -> dict[str, Any]:
    placements = placements_of_scores(scores, is_positive)
    if groups is not None:
        placements = placements._replace(groups=(groups[is_positive], groups[~is_positive]))
    auc = float(placements.positive.mean())
    low, high = wald_interval(auc, placements.variance.total, two_sided_quantile(level))
    found = {"estimate": auc, "low": low, "high": high}
    return {**found, "method": "DeLong", "difference": difference(found, card["auc"])}


def _at(
    cutoff: dict[str, Any],
    scores: FloatArray,
    is_positive: BoolArray,
    groups: IntArray | None,
    level: float,
) -> dict[str, Any]:
    above = scores > cutoff["threshold"]
    found: dict[str, Any] = {"point": cutoff["point"], "threshold": cutoff["threshold"]}
    for rate, right in (("sensitivity", above[is_positive]), ("specificity", ~above[~is_positive])):
        own = None if groups is None else groups[is_positive == (rate == "sensitivity")]
        share = float(right.mean())
        factor = two_sided_quantile(level) ** 2 * _design_effect(right, own)
        low, high = share_limits(np.array([share]), right.size, factor)
        new = {"estimate": share, "low": low[0], "high": high[0]}
        found[rate] = {
            **new,
            "count": int(right.sum()),
            "of": int(right.size),
            "difference": difference(new, cutoff[rate]),
        }
    return found


def _design_effect(right: BoolArray, groups: IntArray | None) -> float:
    """Return the factor by which groups increase the variance of a share; at least one."""
    share = right.mean()
    if groups is None or share in (0, 1):
        return 1.0
    sums = np.bincount(np.unique(groups, return_inverse=True)[1], weights=right - share)
    return max(1.0, float(np.sum(sums**2) / (right.size * share * (1.0 - share))))


def _probabilities(fitted: Any, card: dict[str, Any], X: Any) -> FloatArray:
    classes = [str(name) for name in fitted.classes_]
    return np.asarray(fitted.predict_proba(X), dtype=float)[:, classes.index(card["positive"])]


def _require_columns(
    table: pd.DataFrame, names: list[str], others_used: list[str], problem: str
) -> None:
    missing = [name for name in names if name not in table.columns]
    if not missing:
        return
    others = [str(c) for c in table.columns if c not in names and c not in others_used]
    folded = {name.lower(): name for name in others}
    near = {n: get_close_matches(n.lower(), list(folded), 1) for n in missing}
    hints = [f"{folded[found[0]]!r} may be {n!r}" for n, found in near.items() if found]
    raise InputError(
        explain(
            problem,
            f"Missing: {enumerate_briefly(missing)}. Columns that are not used: "
            f"{enumerate_briefly(others) if others else 'none'}.",
            f"Rename them as in development: {'; '.join(hints)}."
            if hints
            else "Name columns as in development.",
        )
    )


def _features(
    table: pd.DataFrame, card: dict[str, Any], target: str
) -> tuple[pd.DataFrame, BoolArray, list[str]]:
    """Return the features as the model takes them, the rows used, and what is odd about them."""
    import pandas as pd

    remarks, columns = [], {}
    rows = table[target].notna().to_numpy() & (table[target].astype(str).str.strip() != "")
    if not rows.all():
        remarks.append(f"{int((~rows).sum())} rows without an outcome were left out.")
    rows = np.asarray(rows, dtype=bool)
    for column in card["columns"]:
        name = column["name"]
        if column["kind"] == "categorical":
            values = as_categories(table[name])
            columns[name] = np.array(values, dtype=object)
            remarks += _unlisted(column, [v for v, used in zip(values, rows, strict=True) if used])
            continue
        numbers = pd.to_numeric(table[name], errors="coerce")
        text = table[name][numbers.isna() & table[name].notna()].tolist()
        if text:
            raise InputError(
                explain(
                    f"The column {name!r} was a number in development, and is text here.",
                    f"You passed {enumerate_briefly([str(v) for v in text])}.",
                    "Replace the text by numbers, or by nothing where there is none.",
                )
            )
        columns[name] = numbers.to_numpy(float)
        remarks += _moved(column, columns[name][rows])
    X = pd.DataFrame(columns)
    gaps = X.isna().to_numpy()
    # Only a model that was developed with gaps knows how to fill one.
    fills = np.array([c["kind"] == "categorical" or card["fills_gaps"] for c in card["columns"]])
    lost = rows & (gaps & ~fills).any(axis=1)
    if lost.any():
        remarks.append(
            f"{int(lost.sum())} rows with missing values were left out: development had no "
            "missing values, so the model cannot fill them."
        )
    rows = rows & ~lost
    if not rows.any():
        raise InputError(
            explain(
                "No row can be predicted.",
                f"You passed {len(table)} rows: {' '.join(remarks)}",
                "Pass rows with an outcome and without missing values.",
            )
        )
    return X[rows].reset_index(drop=True), rows, remarks


def _unlisted(column: dict[str, Any], values: list[Any]) -> list[str]:
    """Say what becomes of categories that the file does not list; they may be patients' names."""
    found = [v for v in values if isinstance(v, str) and v not in column["categories"]]
    if not found:
        return []
    fate = "ignores" if column.get("other") is None else f"scores as {column['other']!r}"
    return [
        f"{column['name']!r} has {counted(len(set(found)), 'category')} that the model does not "
        f"list, and {fate}, in {counted(len(found), 'row')}."
    ]


def _pooled(X: pd.DataFrame, card: dict[str, Any]) -> pd.DataFrame:
    """Let the categories that the model does not list be what it calls other."""
    X = X.copy(deep=False)
    for column in card["columns"]:
        if column.get("other") is not None:
            values = pool_others(X[column["name"]].tolist(), column["categories"], column["other"])
            X[column["name"]] = np.array(values, dtype=object)
    return X


def _moved(column: dict[str, Any], values: FloatArray) -> list[str]:
    """Say whether a column seems to be in other units than in development."""
    known = values[~np.isnan(values)]
    if not known.size:
        return []
    old, new = float(column["median"]), float(np.median(known))
    inside = column["q05"] <= new <= column["q95"]
    if inside or old * new <= 0 or 1 / FACTOR <= new / old <= FACTOR:
        return []
    return [
        f"The median of {column['name']!r} is {new:.4g}; in development it was {old:.4g}. Check "
        "that it is in the same units."
    ]


def _versions(card: dict[str, Any]) -> list[str]:
    import sklearn

    import tlpo

    here = {"tlpo": tlpo.__version__, "scikit-learn": sklearn.__version__}
    return [
        f"The model was made with {name} {card['versions'].get(name)}, and is tested with "
        f"{version}: predictions may differ."
        for name, version in here.items()
        if card["versions"].get(name) != version
    ]


def _classes(values: list[Any], card: dict[str, Any], target: str) -> BoolArray:
    texts = [str(int(v) if isinstance(v, float) and v.is_integer() else v).strip() for v in values]
    names = {card["negative"].lower(): False, card["positive"].lower(): True}
    foreign = sorted({text for text in texts if text.lower() not in names})
    if foreign:
        raise InputError(
            explain(
                "The outcome has labels that development did not have.",
                f"You passed target={target!r} with {enumerate_briefly(foreign)}; the labels were "
                f"{card['negative']!r} and {card['positive']!r}.",
                "Name the labels as in development.",
            )
        )
    found = np.array([names[text.lower()] for text in texts], dtype=bool)
    if found.all() or not found.any():
        raise InputError(
            explain(
                "Both outcomes must occur.",
                f"You passed {found.size} rows with the outcome {texts[0]!r} alone.",
                "Pass patients of both classes.",
            )
        )
    return found


def to_text(summary: Summary) -> str:
    """Return what is printed: what is odd first, then the answer."""
    return "\n".join(_lines(summary))


def _lines(summary: Summary) -> list[str]:
    card, auc, level = summary["card"], summary["auc"], f"{100 * summary['confidence_level']:.4g}%"
    lines = [f"! {remark}" for remark in summary["remarks"]]
    lines += [
        f"{card['name']} on {summary['n_units']} new rows ({summary['n_positive']} positive), "
        f"developed on {card['data'].get('n_units')}.",
        f"AUC {auc['estimate']:.3f} ({level} interval {auc['low']:.3f} to {auc['high']:.3f}, "
        f"DeLong); in development {card['auc']['estimate']:.3f} ({card['auc']['low']:.3f} to "
        f"{card['auc']['high']:.3f}); difference {_signed(auc['difference'])}.",
    ]
    for point in summary["cutoffs"]:
        lines.append(f"At the cut-off for {point['point']} (score > {point['threshold']:.4g}):")
        for rate in ("sensitivity", "specificity"):
            one = point[rate]
            lines.append(
                f"  {rate} {one['estimate']:.3f} ({one['low']:.3f} to {one['high']:.3f}; "
                f"{one['count']} of {one['of']}); difference {_signed(one['difference'])}"
            )
    p = summary["probabilities"]
    if p is None:
        return [*lines, f"No calibration: {summary['why_no_probabilities']}."]
    shown = [
        f"{name} {p[key]['estimate']:.3f} ({p[key]['low']:.3f} to {p[key]['high']:.3f})"
        for key, name in (
            ("observed_expected", "observed / expected"),
            ("slope", "slope"),
            ("brier", "Brier score"),
        )
        if p[key]["estimate"] is not None
    ]
    lines.append(f"Calibration: {'; '.join(shown)}.")
    return [*lines, *(f"! {remark}" for remark in p["remarks"])]


def _signed(found: dict[str, float]) -> str:
    return f"{found['estimate']:+.3f} ({found['low']:+.3f} to {found['high']:+.3f})"


def to_page(summary: Summary) -> str:
    """Return one self-contained page; everything from files is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    from tlpo.report.figures import calibration_display, drawn, net_benefit_display
    from tlpo.report.probabilities import MEASURES
    from tlpo.report.render import data_url, signed
    from tlpo.report.words import percent

    environment = Environment(
        loader=PackageLoader("tlpo.report"), autoescape=True, undefined=StrictUndefined
    )
    environment.filters |= {"signed": signed, "percent": percent}
    pictures = {}
    p, level = summary["probabilities"], summary["confidence_level"]
    if p is not None:
        plots: dict[str, Callable[..., Any]] = {
            "calibration": calibration_display(p, level).plot,
            "benefit": net_benefit_display(p, level).plot,
        }
        pictures = {name: data_url(drawn(plot, (4, 4))) for name, plot in plots.items()}
    return environment.get_template("validate.html.j2").render(
        s=summary, card=summary["card"], pictures=pictures, measures=MEASURES
    )
