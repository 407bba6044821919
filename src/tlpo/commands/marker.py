"""What ``tlpo marker`` does: from a table to what its markers are worth."""

from __future__ import annotations

from pathlib import Path

from tlpo.analysis.json_values import Summary
from tlpo.analysis.marker_options import MarkerOptions
from tlpo.analysis.markers import assess_markers, summarize_markers
from tlpo.analysis.options import Wanted
from tlpo.commands.run import speaker
from tlpo.document.marker import to_terminal, write_markers
from tlpo.document.write import require_writable
from tlpo.tables.build_sample import understand
from tlpo.tables.options import Question, Reading
from tlpo.tables.read import read_table


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


def _show(summary: Summary) -> None:
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=False)
    for part in to_terminal(summary, console.width):
        console.print(part)
