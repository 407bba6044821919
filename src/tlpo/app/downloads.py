"""Step 5: files to download, and the same analysis as a command line and as Python."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

from htmltools import Tag, TagList, tags
from shiny import Session, render

from tlpo.analysis.shapes import MarkerAnalysis
from tlpo.app.analyses import FILES, Analysis
from tlpo.app.parts import text
from tlpo.document.as_code import as_command, as_python

WHAT = {
    "report.html": "Report (HTML), to attach to a paper",
    "report.docx": "Report (Word), to edit",
    "result.json": "All numbers (JSON), without identifiers",
    "patients.csv": "Score and rank of every row (CSV), with identifiers",
    "cutoffs.csv": "Every cut-off of every marker, with limits (CSV)",
    "answer.md": "Report as text (Markdown)",
    "figures.zip": "Figures (PNG, SVG, PDF in a ZIP file)",
    "model.skops": "The model, fitted on all rows (skops), for tlpo validate",
}


def serve(_: Session, analysis: Analysis, changed: Callable[[str], None]) -> None:
    """Connect the step to an analysis."""

    @render.ui
    def downloads() -> TagList:
        changed("files")
        if analysis.found is None or analysis.answered is None:
            return TagList(tags.p("There is nothing to download yet.", class_="soft"))
        absent = ["patients.csv" if isinstance(analysis.found, MarkerAnalysis) else "cutoffs.csv"]
        if find_spec("docx") is None:
            absent.append("report.docx")
        if analysis.answered.outputs.save_model is None:
            absent.append("model.skops")
        links = [tags.li(_link(analysis, name)) for name in FILES if name not in absent]
        return TagList(
            tags.ul(*links),
            *(tags.p(text(note), role="note") for note in analysis.model_notes),
            tags.h3("The same analysis again"),
            tags.p("From the folder that has the table:", class_="soft"),
            _code("command", "Command line", as_command(analysis.answered)),
            _code("python", "Python", as_python(analysis.answered)),
        )


def _link(analysis: Analysis, name: str) -> Tag:
    if name not in analysis.files:
        return tags.span(f"{WHAT[name]} — being written …", class_="busy")
    return tags.a(WHAT[name], href=f"analyses/{analysis.id}/files/{name}", download=name)


def _code(name: str, title: str, code: str) -> Tag:
    return tags.div(
        tags.div(
            tags.strong(title, id=f"{name}-title"),
            tags.button("Copy", type="button", data_copy=name, aria_label=f"Copy: {title}"),
            class_="row",
        ),
        tags.pre(
            tags.code(code, id=name), tabindex="0", role="region", aria_labelledby=f"{name}-title"
        ),
        class_="code",
    )
