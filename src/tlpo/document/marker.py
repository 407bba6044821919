"""Render the summary of markers: terminal, Markdown, HTML."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tlpo.analysis.json_values import INFINITY, Summary, number, numbers
from tlpo.analysis.marker_options import MarkerOptions
from tlpo.analysis.markers import every_cutoff
from tlpo.analysis.narrative import digits, p_value, percent
from tlpo.analysis.options import Wanted
from tlpo.displays import PrecisionRecallDisplay, RocDisplay
from tlpo.document.figures import MOST_BANDS, drawn, save_figures
from tlpo.document.render import GAP, cell, data_url, inert, to_json
from tlpo.document.write import write_contents
from tlpo.results.fixed import FixedScores
from tlpo.results.intervals import RocBand
from tlpo.roc.curve import RocCurve
from tlpo.visible import visible

if TYPE_CHECKING:
    from rich.console import RenderableType

HEAD = ("marker", "patients", "AUC", "interval", "p", "sensitivity")
PAIR = ("markers", "difference", "interval", "p", "adjusted p")


def to_terminal(summary: Summary, width: int = 80) -> list[RenderableType]:
    """Return what is printed: tables, sentences, warnings."""
    from rich.text import Text

    shown = _table(HEAD, rows(summary), width)
    if summary["comparisons"]:
        shown += [Text(""), *_table(*_pair_table(summary), width)]
    shown.append(Text(""))
    shown += [Text(visible(marker["sentence"])) for marker in summary["markers"]]
    shown += [Text(f"! {visible(warning)}", style="yellow") for warning in summary["warnings"]]
    return shown


def rows(summary: Summary) -> list[list[str]]:
    """Return the table of the answer, one row per marker."""
    return [
        [
            marker["name"],
            str(marker["n_positive"] + marker["n_negative"]),
            digits(marker["auc"]),
            f"{digits(marker['interval']['low'])} to {digits(marker['interval']['high'])}",
            p_value(marker["p_value"]),
            f"{digits(marker['sensitivity_at']['sensitivity'])} at {summary['specificity']:g}",
        ]
        for marker in summary["markers"]
    ]


def pair_rows(summary: Summary) -> list[list[str]]:
    """Return the table of comparisons."""
    return [
        [
            f"{pair['first']} − {pair['second']}",
            f"{pair['difference']:+.3f}",
            f"{pair['low']:+.3f} to {pair['high']:+.3f}",
            p_value(pair["p_value"]),
            p_value(pair["p_value_holm"]),
        ]
        for pair in summary["comparisons"]
    ]


def to_markdown(summary: Summary) -> str:
    """Return the answer as Markdown."""
    lines = [
        f"# {cell(summary['title'])}",
        "",
        f"{summary['n_units']} {summary['unit']}s: {summary['n_positive']} positive "
        f"({cell(summary['positive'])}), {summary['n_negative']} negative "
        f"({cell(summary['negative'])}).",
        "",
        *_markdown(HEAD, rows(summary)),
        "",
    ]
    if summary["comparisons"]:
        lines += [*_markdown(*_pair_table(summary)), ""]
    lines += [f"- {cell(marker['sentence'])}" for marker in summary["markers"]]
    if summary["warnings"]:
        lines += ["", "## Before you report this", ""]
        lines += [f"- {cell(warning)}" for warning in summary["warnings"]]
    lines += ["", "## Methods", "", cell(summary["methods"]), ""]
    lines += [f"{k}. {cell(text)}" for k, text in enumerate(summary["references"], start=1)]
    return "\n".join(lines) + "\n"


def to_html(summary: Summary) -> str:
    """Return one self-contained page; everything from the user's file is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("tlpo.document"), autoescape=True, undefined=StrictUndefined
    )
    environment.filters |= {"share": digits, "percent": percent, "number": _number}
    return environment.get_template("marker.html.j2").render(
        s=summary,
        head=HEAD,
        rows=rows(summary),
        pair_head=_pair_table(summary)[0],
        pair_rows=_pair_table(summary)[1],
        pictures={name: data_url(figure) for name, figure in draw(summary).items()},
    )


def draw(summary: Summary) -> dict[str, Any]:
    """Draw the figures by name."""
    markers = summary["markers"]
    bands = {
        marker["name"]: RocBand(
            fpr=numbers(marker["band"]["fpr"]),
            low=numbers(marker["band"]["low"]),
            high=numbers(marker["band"]["high"]),
            confidence_level=marker["band"]["level"],
        )
        for marker in markers[: MOST_BANDS if len(markers) <= MOST_BANDS else 0]
    }
    roc = RocDisplay(
        curves={
            m["name"]: RocCurve(*(numbers(m["curve"][k]) for k in RocCurve._fields))
            for m in markers
        },
        aucs={m["name"]: number(m["auc"]) for m in markers},
        bands=bands,
        specificity=summary["specificity"],
    )
    precision = PrecisionRecallDisplay(
        curves={
            m["name"]: (
                numbers(m["precision_recall"]["recall"]),
                numbers(m["precision_recall"]["precision"]),
            )
            for m in markers
        },
        averages={m["name"]: number(m["average_precision"]["value"]) for m in markers},
        prevalence=number(markers[0]["average_precision"]["prevalence"]),
    )
    return {"roc": drawn(roc.plot, (4.6, 4.6)), "precision": drawn(precision.plot, (4.6, 4.0))}


def _pair_table(summary: Summary) -> tuple[tuple[str, ...], list[list[str]]]:
    several = len(summary["comparisons"]) > 1
    width = len(PAIR) if several else len(PAIR) - 1
    return PAIR[:width], [row[:width] for row in pair_rows(summary)]


def _table(head: tuple[str, ...], rows: list[list[str]], width: int) -> list[RenderableType]:
    """Return a table or, in a terminal too narrow for it, a list per row."""
    from rich.cells import cell_len
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    safe = [[visible(text) for text in row] for row in rows]
    needed = [max(map(cell_len, column)) for column in zip(head, *safe, strict=True)]
    if sum(needed) + GAP * (len(needed) - 1) <= width:
        grid = Table(box=None, pad_edge=False, header_style="bold", padding=(0, GAP, 0, 0))
        for name in head:
            grid.add_column(name, no_wrap=True)
        for row in safe:
            grid.add_row(*map(Text, row))
        return [grid]
    shown: list[RenderableType] = []
    for name, *values in safe:
        items = Table(box=None, pad_edge=False, show_header=False, padding=(0, GAP, 0, 0))
        for title, value in zip(head[1:], values, strict=True):
            items.add_row(title, Text(value))
        shown += [Text(name, style="bold"), Padding(items, (0, 0, 0, GAP))]
    return shown


def _number(value: float | str | None) -> str:
    """Show a ratio, which may be undefined or infinite."""
    if value is None:
        return "—"
    if isinstance(value, str):
        return value.replace(INFINITY, "∞")
    return f"{value:.2f}"


def _markdown(head: tuple[str, ...], table: list[list[str]]) -> list[str]:
    return [
        "| " + " | ".join(head) + " |",
        "|" + " --- |" * len(head),
        *("| " + " | ".join(map(cell, row)) + " |" for row in table),
    ]


def write_markers(
    summary: Summary, wanted: Wanted, assessed: dict[str, FixedScores], options: MarkerOptions
) -> list[Path]:
    """Write the files that are wanted; return what was written."""

    def table() -> str:
        frame = every_cutoff(assessed, options)
        for name in ("marker", "criterion"):
            frame[name] = [inert(value) for value in frame[name].tolist()]
        return str(frame.to_csv(index=False))

    return write_contents(
        wanted,
        {
            "json": lambda: to_json(summary),
            "csv": table,
            "md": lambda: to_markdown(summary),
            "html": lambda: to_html(summary),
        },
        lambda folder: save_figures(draw(summary), folder),
    )
