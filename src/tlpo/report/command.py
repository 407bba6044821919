"""What ``tlpo run`` does: read, understand, say what will happen, play, answer, write."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from joblib import effective_n_jobs

from tlpo.errors import InputError, explain
from tlpo.report.models import DEFAULT, MODELS, make_model
from tlpo.report.read import read_table
from tlpo.report.render import (
    to_html,
    to_json,
    to_markdown,
    to_table,
    to_terminal,
    write_figures,
)
from tlpo.report.sample import Sample, understand
from tlpo.report.summarize import Analysis, Options, analyse, forecast, say_forecast
from tlpo.schemes.options import require_level, require_share


@dataclass(frozen=True)
class Wanted:
    """Files to write."""

    html: Path | None = None
    json: Path | None = None
    md: Path | None = None
    csv: Path | None = None
    figures: Path | None = None


def run_command(
    data: str,
    target: str,
    wanted: Wanted,
    *,
    specs: tuple[str, ...],
    reading: dict[str, Any],
    understanding: dict[str, Any],
    analysing: dict[str, Any],
    quiet: bool = False,
) -> Analysis:
    """Answer in the terminal; everything but the answer goes to stderr."""

    def say(text: str) -> None:
        if not quiet:
            print(text, file=sys.stderr)

    # Everything that can be wrong is told before anything is fitted.
    require_level("confidence_level", analysing["confidence_level"])
    require_share("specificity", analysing["specificity"])
    if analysing["prevalence"] is not None:
        require_share("prevalence", analysing["prevalence"])
    _require_writable(wanted)
    table = read_table(data, **reading)
    sample = understand(table, target, **understanding)
    _require_distinct(specs)
    models = [make_model(spec, sample) for spec in specs or DEFAULT]
    for note in sample.notes:
        say(note)
    say(_flow(sample))
    options = Options(**analysing, progress=not quiet)
    for line in say_forecast(forecast(sample, models), effective_n_jobs(options.n_jobs)):
        say(line)
    analysis = analyse(sample, models, options, say)
    name = "standard input" if data == "-" else Path(data).name
    paths = write(analysis, sample, wanted, f"{sample.target} in {name}")
    show(analysis.summary)
    for path in paths:
        say(f"Written: {path}")
    return analysis


def show(summary: dict[str, Any]) -> None:
    """Print the answer to stdout."""
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=False)
    for part in to_terminal(summary):
        console.print(part)


def write(analysis: Analysis, sample: Sample, wanted: Wanted, title: str) -> list[Path]:
    """Write what is wanted and return the paths."""
    paths = []
    contents: list[tuple[Path | None, Callable[[], str]]] = [
        (wanted.json, lambda: to_json(analysis.summary)),
        (wanted.csv, lambda: str(to_table(analysis, sample.ids).to_csv(index=False))),
        (wanted.md, lambda: to_markdown(analysis.summary)),
        (wanted.html, lambda: to_html(analysis, title)),
    ]
    for path, content in contents:
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content(), encoding="utf-8", newline="\n")
            paths.append(path)
    if wanted.figures is not None:
        write_figures(analysis, wanted.figures)
        paths.append(wanted.figures)
    return paths


def list_models() -> None:
    """Print the models and their parameters."""
    for name, entry in MODELS.items():
        print(f"{name:<10} {entry.what}")
        parameters = entry.make().get_params()
        shown = ", ".join(f"{key}={value!r}" for key, value in sorted(parameters.items()))
        print(f"{'':<10} {shown or 'no parameters'}")
    print('\nFor example: --model ridge --model "knn:n_neighbors=3" --model my.module:pipeline')


def _flow(sample: Sample) -> str:
    parts = [f"{sample.n_read} rows read"]
    if sample.n_without_target:
        parts.append(f"{sample.n_without_target} without a target left out")
    if sample.n_dropped:
        parts.append(f"{sample.n_dropped} with missing cells left out")
    elif sample.n_missing_cells:
        parts.append(f"{sample.n_missing_cells} missing cells imputed inside every fit")
    return ", ".join(parts) + f": {sample.labels.count}."


def _require_distinct(specs: tuple[str, ...]) -> None:
    if len(set(specs)) < len(specs):
        raise InputError(
            explain(
                "Every model can be given once.",
                f"You passed {', '.join(specs)}.",
                "Give the second other parameters.",
            )
        )


def _require_writable(wanted: Wanted) -> None:
    """Refuse paths that would fail after hours of fitting."""
    for place in fields(wanted):
        path = getattr(wanted, place.name)
        if path is None:
            continue
        folder = path if place.name == "figures" else path.parent
        existing = next(p for p in (folder, *folder.resolve().parents) if p.exists())
        if not existing.is_dir() or (place.name != "figures" and path.is_dir()):
            raise InputError(
                explain(
                    f"--{place.name} cannot be written there.",
                    f"You passed {str(path)!r}.",
                    "Pass a file in a folder." if place.name != "figures" else "Pass a folder.",
                )
            )
