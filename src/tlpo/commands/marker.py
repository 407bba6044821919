"""What ``tlpo marker`` does: from a table to what its markers are worth."""

from __future__ import annotations

from pathlib import Path

from tlpo.analysis.marker_options import MarkerOptions
from tlpo.analysis.options import OutputFiles
from tlpo.analysis.pipeline import AnyMarkers, analyse_any_markers
from tlpo.commands.run import deliver, make_printer
from tlpo.document.patients import inert_table
from tlpo.document.write import require_writable
from tlpo.tables.build_sample import Sample, build_sample
from tlpo.tables.options import Reading, Specification
from tlpo.tables.read import read_table


def marker_command(
    data: str,
    spec: Specification,
    outputs: OutputFiles,
    options: MarkerOptions,
    *,
    reading: Reading,
    quiet: bool = False,
) -> AnyMarkers:
    """Answer on stdout; everything but the answer goes to stderr."""
    say = make_printer(quiet)
    require_writable(outputs, {} if data == "-" else {Path(data): "the data"})
    sample = build_sample(read_table(data, reading), spec)
    source = "standard input" if data == "-" else Path(data).name
    analysis, table = analyse_any_markers(sample, options, source)
    say(_outcome(sample))
    deliver(analysis, outputs, say, lambda: inert_table(table()))
    return analysis


def _outcome(sample: Sample) -> str:
    """Return how the outcome was understood."""
    return next(note for note in sample.notes if note.startswith("The outcome is"))
