"""What ``tlpo marker`` does: from a table to what its markers are worth."""

from __future__ import annotations

from pathlib import Path

from tlpo.report.command import speaker
from tlpo.report.figures import save_figures
from tlpo.report.marker.options import MarkerOptions
from tlpo.report.marker.render import draw, to_html, to_markdown, to_terminal
from tlpo.report.marker.summarize import assess_markers, every_cutoff, summarize_markers
from tlpo.report.options import Question, Reading, Wanted
from tlpo.report.plain import Summary
from tlpo.report.read import read_table
from tlpo.report.render import inert, to_json
from tlpo.report.understand import understand
from tlpo.report.write import require_writable, write_contents
from tlpo.results.fixed import FixedScores


def marker_command(
    data: str,
    question: Question,
    wanted: Wanted,
    options: MarkerOptions,
    *,
    reading: Reading,
    quiet: bool = False,
) -> Summary:
    """Answer on stdout; everything but the answer goes to stderr."""
    say = speaker(quiet)
    require_writable(wanted, {} if data == "-" else {Path(data): "the data"})
    sample = understand(read_table(data, reading), question)
    assessed = assess_markers(sample, options)
    source = "standard input" if data == "-" else Path(data).name
    summary = summarize_markers(sample, assessed, options, source)
    say(sample.notes[0])
    try:
        paths = write_markers(summary, wanted, assessed, options)
    finally:
        _show(summary)
    for path in paths:
        say(f"Written: {path}")
    return summary


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


def _show(summary: Summary) -> None:
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=False)
    for part in to_terminal(summary, console.width):
        console.print(part)
