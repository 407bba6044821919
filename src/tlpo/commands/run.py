"""What the commands do: ``tlpo run`` from a table to its report, ``tlpo render`` from its JSON."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill

from tlpo.analysis.load import load_analysis
from tlpo.analysis.model_file import require_no_names, require_skops, save_model
from tlpo.analysis.models import MODELS, default_model, make_model
from tlpo.analysis.options import Options, OutputFiles
from tlpo.analysis.pipeline import analyse
from tlpo.analysis.remarks import Order, flags_for
from tlpo.analysis.shapes import (
    AnyAnalysis,
    AnyRun,
    ModelAnalysis,
    SurvivalAnalysis,
    SurvivalValidation,
    Suspect,
    Validation,
)
from tlpo.analysis.shards import play_shards
from tlpo.analysis.validate import validate
from tlpo.analysis.value_caveats import missing_labels
from tlpo.checks import require_level, require_time
from tlpo.control_characters import escape_control_characters
from tlpo.document.make import make_document
from tlpo.document.numbers import capital
from tlpo.document.patients import inert_table, to_table
from tlpo.document.terminal import print_document
from tlpo.document.write import require_writable, write
from tlpo.errors import UsageError, arg, as_usage, explain
from tlpo.execution.journal import Journal
from tlpo.execution.progress import is_interactive
from tlpo.plurals import Noun, counted, noun
from tlpo.problem.outcome import Classes, SeveralClasses, TimeToEvent
from tlpo.results.survival import Survival
from tlpo.results.tournament import Tournament
from tlpo.schemes.shards import parse_shard, shard_path
from tlpo.tables.build_sample import Sample, build_sample, listed
from tlpo.tables.options import REST, Reading, Specification
from tlpo.tables.read import read_table
from tlpo.tables.several import are_numbers, find_order, join_labels


def run_command(
    data: str,
    spec: Specification,
    outputs: OutputFiles,
    *,
    models: Sequence[str] = (),
    reading: Reading,
    options: Options,
    journal: Path | None = None,
    shard: str | None = None,
    quiet: bool = False,
) -> AnyRun | None:
    """Answer on stdout; everything but the answer goes to stderr.

    Returns
    -------
    ModelAnalysis, SeveralAnalysis, OrderedAnalysis, SurvivalAnalysis or None
        The analysis; None for a shard, which has no answer.
    """
    say = make_printer(quiet)
    # Everything that can be wrong is reported before anything is fitted.
    part = _parse_shard(shard, journal, outputs)
    require_all_games(spec, options, shard)
    taken = {} if data == "-" else {Path(data): "the data"}
    require_writable(outputs, taken | ({} if journal is None else {journal: "the journal"}))
    sample = build_sample(read_table(data, reading), spec)
    default = None if models else default_model(sample)
    chosen = [make_model(name, sample) for name in (models if default is None else [default.name])]
    _require_distinct([model.name for model in chosen])
    if outputs.save_model is not None and isinstance(sample.outcome, Classes | TimeToEvent):
        _require_one([model.name for model in chosen])
        _require_cutoffs(options)
        require_skops()
        require_no_names(sample)
    first, *notes = sample.notes
    for note in (f"{first}{_say_ways(sample)}", *notes):
        say(note)
    for kind in ("numeric", "categorical"):
        say(f"{capital(kind)} features: {listed(getattr(sample, kind))}.")
    if default is not None:
        say(f"Model: {default.name} ({default.why}).")
    units = noun(options.unit or sample.unit)
    say(flow(sample, units))
    if part is not None and journal is not None:
        own = shard_path(journal, part)
        if play_shards(sample, chosen, options, own, part, say):
            say(f"Written: {own}")
        return None
    with ExitStack() as stack:
        if is_interactive():
            stack.enter_context(_announcing_compilation(say))
        opened = None if journal is None else stack.enter_context(Journal(journal))
        analysis, played = analyse(
            sample,
            chosen,
            options,
            source="standard input" if data == "-" else Path(data).name,
            model_file=None if outputs.save_model is None else outputs.save_model.name,
            journal=opened,
            say=say,
            word=flags_for,
        )
    deliver(analysis, outputs, say, lambda: inert_table(to_table(analysis, sample.ids)))
    if outputs.save_model is not None and isinstance(analysis, ModelAnalysis | SurvivalAnalysis):
        result = played[chosen[0].name]
        assert isinstance(result, Tournament | Survival)
        for note in save_model(outputs.save_model, chosen[0], sample, result, analysis, options):
            say(note)
        say(f"Written: {outputs.save_model}")
    return analysis


def _announcing_compilation(say: Callable[[str], None]) -> AbstractContextManager[None]:
    # Imports numba, which takes longer than the rest of this module.
    from tlpo.compiled import before_compiling

    return before_compiling(lambda: say("Compiling, only on the first run …"))


def validate_command(
    model: str,
    data: str,
    *,
    target: str | None,
    time: str | None = None,
    event: str | None = None,
    at: Sequence[float] = (),
    group: str | Sequence[str] | None,
    confidence_level: float,
    reading: Reading,
    outputs: OutputFiles,
    quiet: bool = False,
) -> Validation | SurvivalValidation:
    """Answer on stdout how a saved model does on new patients, and write the page and JSON."""
    with as_usage():
        require_level("confidence_level", confidence_level)
        for one in at:
            require_time("at", one)
    taken = {Path(model): "the model"} | ({} if data == "-" else {Path(data): "the data"})
    require_writable(outputs, taken)
    analysis = validate(
        model,
        data,
        target=target,
        time=time,
        event=event,
        at=at,
        group=group,
        confidence_level=confidence_level,
        reading=reading,
    )
    deliver(analysis, outputs, make_printer(quiet))
    return analysis


def render_command(file: str, outputs: OutputFiles, *, quiet: bool = False) -> AnyAnalysis:
    """Answer on stdout from the JSON of an earlier run, and write its report anew."""
    say = make_printer(quiet)
    require_writable(outputs, {Path(file): "the analysis"})
    analysis = load_analysis(file)
    if isinstance(analysis, AnyRun):
        patients = to_table(analysis)
        deliver(analysis, outputs, say, lambda: inert_table(patients))
        return analysis
    if outputs.csv is not None:
        raise UsageError(
            explain(
                "Only the JSON of tlpo run holds what a table of the patients needs.",
                f"You passed {arg('csv', str(outputs.csv))} and the JSON of another command.",
                "Leave it out.",
            )
        )
    deliver(analysis, outputs, say)
    return analysis


def deliver(
    analysis: AnyAnalysis,
    outputs: OutputFiles,
    say: Callable[[str], None],
    csv: Callable[[], str] | None = None,
) -> None:
    """Write the files, then print; the answer is printed even if a file cannot be written."""
    try:
        paths = write(analysis, outputs, csv)
    finally:
        print_document(make_document(analysis, flags_for))
    for path in paths:
        say(f"Written: {path}")


def list_models() -> None:
    """Print the models and their parameters."""
    width, indent = get_terminal_size().columns, max(map(len, MODELS)) + 1
    for name, entry in MODELS.items():
        ties = "; many comparisons tie" if entry.ties else ""
        try:
            parameters = sorted(entry.default.get_params().items())
            shown = ", ".join(f"{key}={value!r}" for key, value in parameters)
        except UsageError as error:  # a package is missing
            shown = str(error).splitlines()[-1]
        for start, text in ((name, entry.what + ties), ("", shown or "no parameters")):
            start = f"{start:<{indent}}"
            print(fill(text, width, initial_indent=start, subsequent_indent=" " * indent))


def make_printer(quiet: bool) -> Callable[[str], None]:
    """Return what prints everything but the answer, to stderr."""

    def say(text: str) -> None:
        if not quiet:
            print(escape_control_characters(text), file=sys.stderr)

    return say


def _parse_shard(
    shard: str | None, journal: Path | None, outputs: OutputFiles
) -> tuple[int, int] | None:
    if shard is None:
        return None
    with as_usage():
        part = parse_shard(shard)
    if journal is None or outputs.paths():
        raise UsageError(
            explain(
                "A shard writes its journal, and nothing else.",
                f"You passed {arg('shard', shard)} "
                + (
                    f"and {arg('journal', None)}."
                    if journal is None
                    else "with files for an answer."
                ),
                f"For example {arg('journal', 'run.tlpo')}; ask for files once all shards are "
                "merged.",
            )
        )
    return part


def require_all_games(spec: Specification, options: Options, shard: str | None = None) -> None:
    """Refuse what only a whole tournament can give, if only some games are to be played."""
    needs = {"by": bool(spec.by), "shard": shard is not None}
    needed = next((name for name, is_needed in needs.items() if is_needed), None)
    if options.fewer is not None and needed is not None:
        given = arg("by", list(spec.by)) if needed == "by" else arg("shard", shard)
        raise UsageError(
            explain(
                "Subgroups and shards need the games of every pair.",
                f"You passed {given} and {options.fewer}.",
                "Leave out one of the two.",
            )
        )


def _say_ways(sample: Sample) -> str:
    """Say what else can be asked about several classes."""
    if not isinstance(sample.outcome, SeveralClasses):
        return ""
    names = [str(name) for name in sample.outcome.names]
    asked = [Suspect(**suspect) for suspect in sample.suspects]
    coded = missing_labels(asked, sample.target)
    if coded:  # which is no class, and no grade
        names = [name for name in names if name not in coded]
        return f" For two classes: {shlex.join(['--classes', *names[:2]])}." if names[1:] else ""
    pooled = [join_labels(names[:-1], names), names[-1]]
    ways = [shlex.join(["--classes", *two]) for two in (names[:2], [names[0], REST], pooled)]
    text = f" For two classes: {ways[0]}; one against the others: {ways[1]}; pooled: {ways[2]}."
    order = find_order(names)
    if order is None:
        return text
    return f"{text} If they are grades, run {flags_for(Order(tuple(order), are_numbers(names)))}."


def flow(sample: Sample, units: Noun) -> str:
    """Say what was read, and what became of it."""
    parts = [f"{counted(sample.n_read, 'row')} read"]
    if sample.n_unselected:
        parts.append(f"{sample.n_unselected} not selected left out")
    if sample.n_other_classes:
        parts.append(f"{sample.n_other_classes} with another outcome left out")
    if sample.n_without_target:
        parts.append(f"{sample.n_without_target} without an outcome left out")
    if sample.n_dropped:
        parts.append(f"{sample.n_dropped} with missing values left out")
    elif sample.n_missing_cells:
        parts.append(f"{counted(sample.n_missing_cells, 'missing value')} imputed inside every fit")
    n_units = counted(sample.outcome.n_units, *units)
    if isinstance(sample.outcome, TimeToEvent):
        n_units += f", {counted(sample.outcome.n_events, 'event')}"
    labels = sample.outcome
    if not isinstance(labels, Classes):
        return f"{', '.join(parts)}: {n_units}."
    return (
        f"{', '.join(parts)}: {n_units}, {labels.n_positive} positive "
        f"({labels.positive!r}) and {labels.n_negative} negative ({labels.negative!r})."
    )


def _require_one(names: Sequence[str]) -> None:
    if len(names) > 1:
        raise UsageError(
            explain(
                "Only one model can be saved.",
                f"You passed {arg('save_model', ...)} and {len(names)} models: {', '.join(names)}.",
                f"Choose one, for example {arg('models', [names[0]])}.",
            )
        )


def _require_cutoffs(options: Options) -> None:
    if options.sorts is not None:
        raise UsageError(
            explain(
                "A model is saved with its AUC and cut-offs, which sorting does not give.",
                f"You passed {arg('save_model', ...)} and {arg('sorts', options.sorts)}.",
                f"Leave out {arg('sorts')}, or use {arg('rounds', 20)}.",
            )
        )


def _require_distinct(names: Sequence[str]) -> None:
    if len(set(names)) < len(names):
        raise UsageError(
            explain(
                "Every model can be given only once.",
                f"You passed {', '.join(names)}.",
                "Give the second other parameters, or leave it out.",
            )
        )
