"""One summary, many renderings: HTML, Markdown, JSON, terminal, and a table of the patients.

Every function takes the summary alone, fresh from `summarize` or reloaded by `load_summary`.
"""

from __future__ import annotations

import base64
import io
import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.analysis.json_values import INFINITY, Summary, numbers
from tlpo.analysis.narrative import (
    baseline_cells,
    capital,
    digits,
    equals,
    figures,
    p_value,
    percent,
)
from tlpo.analysis.plan import say_plan
from tlpo.analysis.probabilities import MEASURES
from tlpo.displays import SCHEME_NAMES
from tlpo.document.figures import draw, reproducibly
from tlpo.plurals import Noun, counted
from tlpo.visible import visible

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import RenderableType

# What makes a cell a formula, also in the wide forms that some spreadsheets fold into these.
_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]|[\t\r\n]")
GAP = 2  # spaces between the columns of a table in a terminal
HEAD = ("model", "AUC", "interval", "sensitivity", "ξ", "LOO")


def to_json(summary: Summary) -> str:
    """Return the summary as JSON."""
    return json.dumps(summary, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def to_html(summary: Summary) -> str:
    """Return one self-contained page; everything from the user's file is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("tlpo.document"), autoescape=True, undefined=StrictUndefined
    )
    environment.filters |= {
        "share": digits,
        "ratio": _ratio,
        "p_value": p_value,
        "equals": equals,
        "percent": percent,
        "figures": figures,
        "baseline_cells": baseline_cells,
        "first_capital": capital,
        "signed": signed,
    }
    return environment.get_template("report.html.j2").render(
        s=summary,
        unit=summary["unit"],
        units=summary["units"],
        counted=counted,
        limits=_limits,
        pictures={name: data_url(figure) for name, figure in draw(summary).items()},
        scheme_names=SCHEME_NAMES,
        measures=MEASURES,
    )


def to_markdown(summary: Summary) -> str:
    """Return the answer as Markdown."""
    positive, negative = summary["positive"], summary["negative"]
    lines = [
        f"# {cell(summary['title'])}",
        "",
        f"Outcome: {cell(summary['target'])}. {summary['n_units']} {cell(summary['units'])}: "
        f"{summary['n_positive']} with '{cell(positive)}', which counts as positive, and "
        f"{summary['n_negative']} with '{cell(negative)}'.",
        "",
        *_grid(HEAD, rows(summary)),
        "",
        cell(_legend(summary)),
        "",
        *(f"- {cell(model['sentence'])}" for model in summary["models"]),
    ]
    if summary["warnings"]:
        lines += ["", "## Before you report this", ""]
        lines += [f"- {cell(warning)}" for warning in summary["warnings"]]
    if summary["models"][0]["subgroups"]:
        lines += ["", "## Subgroups", ""]
        lines += _grid(
            ("model", "subgroup", positive, negative, "AUC", "remark"), _divided(summary)
        )
    head = (
        "characteristic",
        f"All ({summary['n_units']})",
        f"{positive} ({summary['n_positive']})",
        f"{negative} ({summary['n_negative']})",
    )
    if summary["baseline"]:
        lines += ["", "## Baseline", ""]
        lines += _grid(head, [baseline_cells(row) for row in summary["baseline"]])
    for model in summary["models"]:
        if model["final"]["kind"] is not None:
            lines += [
                "",
                f"## {cell(capital(model['final']['kind']))} of {cell(model['name'])}",
                "",
            ]
            lines += [
                f"Of the model fitted to all {cell(summary['units'])}: not validated one by one.",
                "",
            ]
            found = model["final"]["rows"]
            lines += _grid(
                ("feature", "value"), [[r["feature"], figures(r["value"])] for r in found]
            )
    lines += ["", "## Sample size", ""]
    plan = say_plan(
        summary["planning"],
        Noun(summary["unit"], summary["units"]),
        percent(summary["confidence_level"]),
    )
    lines += [f"- {cell(line)}" for line in plan]
    lines += ["", "## Methods", "", cell(summary["methods"]), ""]
    lines += [f"{k}. {cell(text)}" for k, text in enumerate(summary["references"], start=1)]
    return "\n".join(lines) + "\n"


def _grid(head: Sequence[str], body: Sequence[Sequence[str]]) -> list[str]:
    """Write a table in Markdown."""
    written = ["| " + " | ".join(map(cell, row)) + " |" for row in (head, *body)]
    return [written[0], "|" + " --- |" * len(head), *written[1:]]


def _divided(summary: Summary) -> list[list[str]]:
    return [
        [
            model["name"],
            f"{row['by']}: {'missing' if row['subgroup'] is None else row['subgroup']}",
            str(row["n_positive"]),
            str(row["n_negative"]),
            digits(row["auc"])
            + ("" if row["low"] is None else f" ({_limits(row['low'], row['high'])})"),
            row["note"],
        ]
        for model in summary["models"]
        for row in model["subgroups"]
    ]


def to_terminal(summary: Summary, width: int = 80) -> list[RenderableType]:
    """Return what is printed: a table, what it says about each model, warnings.

    In a terminal narrower than the table, every model gets a list instead.
    """
    from rich.cells import cell_len
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    table = [[visible(cell) for cell in row] for row in rows(summary)]
    widths = [max(map(cell_len, column)) for column in zip(HEAD, *table, strict=True)]
    shown: list[RenderableType] = []
    if sum(widths) + GAP * (len(widths) - 1) <= width:
        grid = Table(box=None, pad_edge=False, header_style="bold", padding=(0, GAP, 0, 0))
        for name in HEAD:
            grid.add_column(name, no_wrap=True)
        for row in table:
            grid.add_row(*map(Text, row))
        shown.append(grid)
    else:
        for name, *values in table:
            items = Table(box=None, pad_edge=False, show_header=False, padding=(0, GAP, 0, 0))
            for title, value in zip(HEAD[1:], values, strict=True):
                items.add_row(title, Text(value))
            shown += [Text(name, style="bold"), Padding(items, (0, 0, 0, GAP))]
    shown.append(Text(""))
    shown += [Text(visible(model["sentence"])) for model in summary["models"]]
    for row in _divided(summary):
        name, subgroup, n_positive, n_negative, auc, note = map(visible, row)
        text = f"{name}, {subgroup} ({n_positive} / {n_negative}): AUC {auc}"
        shown.append(Text(f"{text}; {note}" if note else text))
    shown += [Text(f"! {visible(warning)}", style="yellow") for warning in summary["warnings"]]
    return shown


def rows(summary: Summary) -> list[list[str]]:
    """Return the table of the answer, one row per model."""
    return [
        [
            model["name"],
            digits(model["headline"]["auc"]),
            _limits(model["headline"]["low"], model["headline"]["high"]),
            f"{digits(model['sensitivity_at'][0]['sensitivity'])} at {summary['specificity']:g}",
            digits(model["consistency"]),
            digits(model["auc"]["loo"]),
        ]
        for model in summary["models"]
    ]


def to_table(summary: Summary, ids: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return label, scores and ranks of every patient, most wins ranking first.

    Text that a spreadsheet would run as a formula is made harmless.

    Parameters
    ----------
    summary : dict
        The summary.
    ids : DataFrame, optional
        `Sample.ids`, which a summary does not hold; row numbers by default.
    """
    import pandas as pd

    frame = pd.DataFrame({"row": np.arange(1, summary["n_units"] + 1)} if ids is None else ids)
    names = (summary["negative"], summary["positive"])
    labels = [names[is_positive] for is_positive in summary["is_positive"]]
    frame["label" if "label" not in frame else "label (tlpo)"] = labels
    for model in summary["models"]:
        scores = pd.Series(numbers(model["scores"]))
        frame[f"{model['name']} score"] = scores.to_numpy()
        frame[f"{model['name']} rank"] = scores.rank(ascending=False).to_numpy()
    for name in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[name]):
            frame[name] = [inert(value) for value in frame[name].tolist()]
    return frame.rename(columns=inert)


def inert(value: Any) -> Any:
    """Put an apostrophe before text that a spreadsheet would run; numbers are what they are.

    Examples
    --------
    >>> [inert(value) for value in ("=1+1", "-2.5", "@SUM(A1)", "P-07", -3)]
    ["'=1+1", '-2.5', "'@SUM(A1)", 'P-07', -3]
    """
    if not isinstance(value, str) or not _FORMULA.match(value):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value


def _legend(summary: Summary) -> str:
    models = " ".join(f"{model['name']}: {model['what']}." for model in summary["models"])
    auc = (
        f"by leave-pair-out, the share of pairs of one {summary['unit']} with "
        f"'{summary['positive']}' and one with '{summary['negative']}' ranked correctly by a model "
        "trained without both"
    )
    if summary["sorts"] is not None:
        auc = "of sorts by comparisons, each under a model trained without both, averaged"
    return (
        f"{models} AUC: {auc}. Sensitivity: at the specificity given. ξ: consistency of "
        "the comparisons, 1 if none contradict each other. LOO: AUC by pooled leave-one-out, which "
        "is biased."
    )


def _limits(low: float | None, high: float | None, count: int = 3) -> str:
    return "—" if low is None else f"{digits(low, count)} to {digits(high, count)}"


def data_url(figure: Any) -> str:
    """Return a figure as an address that a page can show."""
    buffer = io.BytesIO()
    # An image of its own, so that its identifiers and styles cannot clash with the page's.
    with reproducibly():
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    return "data:image/svg+xml;base64," + base64.b64encode(buffer.getvalue()).decode()


def cell(text: Any) -> str:
    """Keep text from being read as Markdown or HTML."""
    escaped = str(text).replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")
    escaped = escaped.replace("&", "&amp;").replace("<", "&lt;")
    return escaped.replace("`", "\\`").replace("[", "\\[")


def _ratio(value: float | str | None) -> str:
    if value is None:
        return "—"
    if isinstance(value, str):
        return value.replace(INFINITY, "∞")
    if value >= 1e6:  # a limit that says nothing
        return f"{value:.1e}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def signed(value: float | str | None) -> str:
    """Show a number that may be negative, infinite or undefined."""
    if value is None:
        return "—"
    if isinstance(value, str):
        return value.replace(INFINITY, "∞")
    return f"{value:.3f}".replace("-", "−")
