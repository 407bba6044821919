"""One summary, many renderings: HTML, Markdown, JSON, terminal, tables and figures."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tlpo.displays import SCHEME_NAMES, RocDisplay, SchemesDisplay, ScoreDisplay, TournamentDisplay
from tlpo.report.pictures import calibration_figure, net_benefit_figure, new_figure
from tlpo.report.summarize import Analysis
from tlpo.report.words import digits, percent

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import RenderableType

# Beyond so many units cells of the win matrix could not be seen.
MOST_UNITS_OF_MATRIX = 400


def to_json(summary: dict[str, Any]) -> str:
    """Return the summary as JSON."""
    return json.dumps(_finite(summary), indent=1, ensure_ascii=False) + "\n"


def to_html(analysis: Analysis, title: str) -> str:
    """Return one self-contained page; everything from outside is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("tlpo.report"), autoescape=True, undefined=StrictUndefined
    )
    environment.filters |= {
        "share": digits,
        "ratio": _ratio,
        "p_value": _p_value,
        "percent": percent,
    }
    pictures = {name: _data_url(figure) for name, figure in draw(analysis).items()}
    return environment.get_template("report.html.j2").render(
        title=title,
        s=analysis.summary,
        pictures=pictures,
        scheme_names=SCHEME_NAMES,
        most_units=MOST_UNITS_OF_MATRIX,
    )


def to_markdown(summary: dict[str, Any]) -> str:
    """Return the answer as Markdown."""
    lines = [
        f"# AUC of {', '.join(_cell(m['name']) for m in summary['models'])}",
        "",
        f"{summary['n_units']} units, {summary['n_positive']} positive "
        f"({_cell(summary['positive'])}), {summary['n_negative']} negative "
        f"({_cell(summary['negative'])}).",
        "",
        "| " + " | ".join(HEAD) + " |",
        "|" + " --- |" * len(HEAD),
        *("| " + " | ".join(map(_cell, row)) + " |" for row in rows(summary)),
        "",
        *(f"- {_cell(m['sentence'])}" for m in summary["models"]),
    ]
    if summary["warnings"]:
        lines += ["", "## Warnings", "", *(f"- {_cell(w)}" for w in summary["warnings"])]
    lines += ["", "## Methods", "", _cell(summary["methods"]), ""]
    lines += [f"{k}. {text}" for k, text in enumerate(summary["references"], start=1)]
    return "\n".join(lines) + "\n"


HEAD = ("model", "TLPO", "LPO", "LOO", "interval", "ξ", "sensitivity")


def rows(summary: dict[str, Any]) -> list[list[str]]:
    """Return the table of the answer."""
    return [
        [
            model["name"],
            f"{model['auc']['tlpo']:.3f}",
            f"{model['auc']['lpo']:.3f}",
            f"{model['auc']['loo']:.3f}",
            f"{digits(model['interval']['low'])} to {digits(model['interval']['high'])}",
            digits(model["consistency"]),
            f"{model['sensitivity_at'][0]['sensitivity']:.3f} at {summary['specificity']:g}",
        ]
        for model in summary["models"]
    ]


def to_terminal(summary: dict[str, Any]) -> list[RenderableType]:
    """Return what is printed: a table, a sentence a model, warnings."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in HEAD:
        table.add_column(name, overflow="fold")
    for row in rows(summary):
        table.add_row(*(Text(cell) for cell in row))
    shown: list[RenderableType] = [table, Text("")]
    shown += [Text(model["sentence"]) for model in summary["models"]]
    shown += [Text(f"! {warning}", style="yellow") for warning in summary["warnings"]]
    return shown


def to_table(analysis: Analysis, ids: Any) -> pd.DataFrame:
    """Return scores and ranks of every unit, with the row of the file and what it is called."""
    import pandas as pd

    frame = pd.DataFrame(ids)
    first = next(iter(analysis.tournaments.values())).to_frame()
    frame["label" if "label" not in frame else "label (tlpo)"] = first["label"].to_numpy()
    for name, t in analysis.tournaments.items():
        own = t.to_frame()
        frame[f"{name} score"] = own["score"].to_numpy()
        frame[f"{name} rank"] = own["rank"].to_numpy()
    return frame


def write_figures(analysis: Analysis, folder: Path) -> list[Path]:
    """Write every figure as PNG, SVG and PDF."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, figure in draw(analysis).items():
        safe = "".join(c if c.isalnum() or c in "-_" else "-" for c in name)
        for kind in ("png", "svg", "pdf"):
            path = folder / f"{safe}.{kind}"
            figure.savefig(path, dpi=200)
            paths.append(path)
    return paths


def draw(analysis: Analysis) -> dict[str, Any]:
    """Draw every figure of the report, by name."""
    summary, played = analysis.summary, analysis.tournaments
    level = summary["confidence_level"]
    roc = RocDisplay.from_results(
        played,
        confidence_level=level if len(played) < 3 else None,
        specificity=summary["specificity"],
    )
    figures = {"roc": _drawn(roc.plot, (4.6, 4.6))}
    for number, (model, t) in enumerate(
        zip(summary["models"], played.values(), strict=True), start=1
    ):
        interval = (model["interval"]["low"], model["interval"]["high"])
        estimates = {row["scheme"]: row["auc"] for row in model["schemes"]}
        figures[f"scores-{number}"] = _drawn(ScoreDisplay.from_tournament(t).plot, (6.0, 2.4))
        schemes = SchemesDisplay(estimates, interval)
        figures[f"schemes-{number}"] = _drawn(schemes.plot, (6.0, 2.6))
        if t.predictions is not None and t.labels.n_units <= MOST_UNITS_OF_MATRIX:
            matrix = TournamentDisplay.from_tournament(t)
            figures[f"games-{number}"] = _drawn(matrix.plot, (4.6, 4.8))
        if model["probabilities"] is not None:
            figures[f"calibration-{number}"] = calibration_figure(model["probabilities"])
            figures[f"benefit-{number}"] = net_benefit_figure(model["probabilities"])
    return figures


def _drawn(plot: Callable[..., Any], size: tuple[float, float]) -> Any:
    figure, ax = new_figure(size)
    plot(ax=ax)
    return figure


def _data_url(figure: Any) -> str:
    import matplotlib as mpl

    buffer = io.BytesIO()
    # A picture of its own, so that its identifiers and styles cannot meet those of the page.
    with mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": "tlpo"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    return "data:image/svg+xml;base64," + base64.b64encode(buffer.getvalue()).decode()


def _finite(value: Any) -> Any:
    """Replace what JSON does not know."""
    if isinstance(value, dict):
        return {key: _finite(v) for key, v in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(v) for v in value]
    if isinstance(value, float) and not (value == value and abs(value) != float("inf")):
        return None
    return value


def _cell(text: Any) -> str:
    """Keep text from being read as Markdown or HTML."""
    plain = str(text).replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace("`", "\\`").replace("[", "\\[")


def _ratio(value: float | None) -> str:
    if value is None or value != value:
        return "—"
    if value == float("inf"):
        return "∞"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _p_value(value: float | None) -> str:
    if value is None:
        return "—"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"
