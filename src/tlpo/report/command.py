"""What ``tlpo run`` does: read, understand, say what will happen, play, answer, write."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from joblib import effective_n_jobs

from tlpo.checks import require_count, require_level, require_share
from tlpo.errors import InputError, UsageError, explain
from tlpo.execution.journal import Journal
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
from tlpo.report.summarize import (
    Analysis,
    Options,
    analyse,
    forecast,
    play_shards,
    say_forecast,
)
from tlpo.schemes.shards import parse_shard, shard_path


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
    journal: Path | None = None,
    shard: str | None = None,
    quiet: bool = False,
) -> Analysis | None:
    """Answer in the terminal; everything but the answer goes to stderr."""

    def say(text: str) -> None:
        if not quiet:
            print(text, file=sys.stderr)

    # Everything that can be wrong is told before anything is fitted.
    try:
        require_level("confidence_level", analysing["confidence_level"])
        require_share("specificity", analysing["specificity"])
        require_count("seed", analysing["seed"], 0)
        if analysing["prevalence"] is not None:
            require_level("prevalence", analysing["prevalence"])
        part = None if shard is None else parse_shard(shard)
    except InputError as error:
        raise UsageError(str(error)) from error
    _require_writable(wanted, data, journal)
    if part is not None and (journal is None or any(vars(wanted).values())):
        raise UsageError(
            explain(
                "A shard writes its journal, and nothing else.",
                f"You passed --shard {shard} "
                + ("without --journal." if journal is None else "with files for an answer."),
                "For example --journal run.tlpo; ask for files when all shards are merged.",
            )
        )
    table = read_table(data, **reading)
    sample = understand(table, target, **understanding)
    models = [make_model(spec, sample) for spec in specs or DEFAULT]
    _require_distinct(tuple(model.name for model in models))
    for note in sample.notes:
        say(note)
    say(_flow(sample))
    options = Options(**analysing, progress=not quiet)
    if part is not None and journal is not None:
        own = shard_path(journal, part)
        if play_shards(sample, models, options, own, part, say):
            say(f"Written: {own}")
        return None
    with ExitStack() as stack:
        opened = None if journal is None else stack.enter_context(Journal(journal))
        for line in say_forecast(forecast(sample, models), effective_n_jobs(options.n_jobs)):
            say(line)
        analysis = analyse(sample, models, options, say, opened)
    show(analysis.summary)  # before anything that may fail
    name = "standard input" if data == "-" else Path(data).name
    for path in write(analysis, sample, wanted, f"How well is {sample.target} told? ({name})"):
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
    failed = []
    for path, content in contents:
        if path is not None:
            text = content()
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8", newline="\n")
                paths.append(path)
            except OSError as error:
                failed.append(f"{path}: {error.strerror}")
    if wanted.figures is not None:
        write_figures(analysis, wanted.figures)
        paths.append(wanted.figures)
    if failed:
        raise InputError(
            explain(
                "Not everything could be written; the answer above is complete.",
                "; ".join(failed) + ".",
                "Choose other paths and run again.",
            )
        )
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
        raise UsageError(
            explain(
                "Every model can be given once.",
                f"You passed {', '.join(specs)}.",
                "Give the second other parameters.",
            )
        )


def _require_writable(wanted: Wanted, data: str, journal: Path | None) -> None:
    """Refuse paths that would fail after hours of fitting, or destroy the data."""
    seen = {} if data == "-" else {Path(data).resolve(): "the data"}
    if journal is not None:
        seen[journal.resolve()] = "the journal"
    for place in fields(wanted):
        path = getattr(wanted, place.name)
        if path is None:
            continue
        folder = path if place.name == "figures" else path.parent
        existing = next(p for p in (folder, *folder.resolve().parents) if p.exists())
        other = seen.get(path.resolve())
        if other is not None:
            raise UsageError(
                explain(
                    f"--{place.name} would overwrite {other}.",
                    f"You passed {str(path)!r}.",
                    "Pass another path.",
                )
            )
        seen[path.resolve()] = f"--{place.name}"
        is_folder = place.name != "figures" and path.is_dir()
        if not existing.is_dir() or is_folder or not os.access(existing, os.W_OK):
            raise UsageError(
                explain(
                    f"--{place.name} cannot be written there.",
                    f"You passed {str(path)!r}.",
                    "Pass a file in a folder." if place.name != "figures" else "Pass a folder.",
                )
            )
