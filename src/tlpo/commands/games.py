"""``tlpo games``: draw games, score games that were played elsewhere, see how far they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter

from tlpo.commands.shared import (
    FILES,
    REPORT,
    ROWS,
    Data,
    Document,
    FileFlags,
    Outcome,
    Quiet,
    Repeated,
    Reported,
    Rows,
    Texts,
)

if TYPE_CHECKING:
    import pandas as pd

    from tlpo.analysis.options import Options, OutputFiles
    from tlpo.schemes.elsewhere import Scale
    from tlpo.tables.options import Reading, Specification

games = App(
    name="games",
    help="Compare patients by models trained elsewhere: in R, on a GPU, on a cluster.",
)


@games.command
def draw(
    data: Data,
    /,
    *,
    out: Path,
    outcome: Outcome = Outcome(),
    used: Rows = Rows(),
    id_column: Annotated[str | None, Parameter(name="--id")] = None,
    rounds: int | None = None,
    train: Path | None = None,
    seed: int = 0,
    file: FileFlags = FileFlags(),
    quiet: Quiet = False,
) -> None:
    """List all pairs of patients, to be compared by models that you train elsewhere.

    The file has columns game, i and j. For each game train a model without the rows i and j, and
    without all rows of their groups; write what it predicts for them into columns prediction_i and
    prediction_j. For example:

        tlpo games draw patients.csv --target outcome --out games.csv

        tlpo games draw patients.csv --target outcome --group patient --out games.csv --train sets

        tlpo games draw patients.csv --target outcome --rounds 20 --id code --out games.parquet

        tlpo games draw patients.csv --time months --event died --out games.csv

    Parameters
    ----------
    data
        A table with a header, as in "tlpo run"; "-" for CSV on standard input.
    out
        The file to write, CSV or Parquet. An existing one is not overwritten.
    id_column
        A column whose values i and j are; by default they are the numbers of the rows, counted
        from 1 below the header.
    rounds
        For slow models: let every patient meet so many others only, at least 10.
    train
        Write for every game the rows to train on into this folder: 1.csv for game 1.
    seed
        Seed of the order of games and of the draw of rounds.
    quiet
        Print nothing.
    """
    from tlpo.analysis.options import Options

    _draw(
        data,
        out,
        outcome.specify(used),
        Options(rounds=rounds, seed=seed),
        file.reading(),
        id_column,
        train,
        quiet=quiet,
    )


@games.command
def score(
    files: Annotated[tuple[str, ...], Parameter(negative="")],
    /,
    *,
    table: str,
    outcome: Outcome = Outcome(),
    used: Rows = Rows(),
    id_column: Annotated[str | None, Parameter(name="--id")] = None,
    scale: Literal["score", "probability", "log-odds", "rank"] = "score",
    names: Annotated[Repeated, Parameter(name="--name")] = (),
    unit: Annotated[str | None, Parameter(group=ROWS)] = None,
    reported: Reported = Reported(),
    by: Annotated[Texts, Parameter(group=REPORT)] = (),
    file: FileFlags = FileFlags(),
    document: Document = Document(),
    json: Annotated[Path | None, Parameter(group=FILES)] = None,
    csv: Annotated[Path | None, Parameter(group=FILES)] = None,
    quiet: Quiet = False,
) -> None:
    """Say how well models did that were trained elsewhere: AUC, interval, ROC curve, report.

    A larger prediction means: more likely positive, a larger outcome, an earlier event. Of three
    classes or more, write a pair of columns for each: prediction_i_a and prediction_j_a for class
    a. Leave the cells of games that were not played empty. For example:

        tlpo games score games.csv --table patients.csv --target outcome --html report.html

        tlpo games score net.csv forest.csv --table patients.csv --target outcome

        tlpo games score games.csv --table patients.csv --target outcome --scale probability

        tlpo games score games.csv --table patients.csv --time months --event died --at 12 36

    Parameters
    ----------
    files
        What "tlpo games draw" wrote, with predictions filled in; one file for each model.
    table
        The table that the games were drawn from. It is read for outcome, groups and identifiers.
    by
        Columns with a few values, such as the sex: report the AUC within each as well.
    id_column
        The column whose values i and j are, as for "draw".
    scale
        What predictions are: any "score"; a "probability" or "log-odds" of the positive label,
        which add calibration; a "rank" if they can be compared only within a game.
    names
        What the models are called; by default as their files are. May be given several times.
    unit
        What a row stands for, such as "lesions" or "mouse/mice"; patients by default.
    json
        Write the summary, for programs and for "tlpo render". It holds no identifiers.
    csv
        Write score and rank of every patient, with identifiers.
    quiet
        Print nothing but the answer.
    """
    from tlpo.analysis.options import Options

    _score(
        files,
        table,
        outcome.specify(used, by=by),
        document.files(json=json, csv=csv),
        Options(**asdict(reported), unit=unit),
        file.reading(),
        id_column,
        scale,
        names,
        quiet=quiet,
    )


@games.command
def status(
    files: Annotated[tuple[str, ...], Parameter(negative="")],
    /,
    *,
    table: str | None = None,
    outcome: Outcome = Outcome(),
    used: Rows = Rows(),
    id_column: Annotated[str | None, Parameter(name="--id")] = None,
    scale: Literal["score", "probability", "log-odds", "rank"] = "score",
    confidence_level: float = 0.95,
    file: FileFlags = FileFlags(),
) -> None:
    """Show how many games have been played and, with the table, the answer so far.

    For example:

        tlpo games status games.csv

        tlpo games status games.csv --table patients.csv --target outcome

    Parameters
    ----------
    files
        What "tlpo games draw" wrote; predictions may be missing.
    table
        The table that the games were drawn from, for the answer so far.
    id_column
        The column whose values i and j are, as for "draw".
    scale
        What predictions are, as for "score".
    confidence_level
        Confidence level of the interval.
    """
    spec = None if table is None else outcome.specify(used)
    _status(files, table, spec, file.reading(), id_column, scale, confidence_level)


def _draw(
    data: str,
    out: Path,
    spec: Specification,
    options: Options,
    reading: Reading,
    id_column: str | None,
    train: Path | None,
    *,
    quiet: bool,
) -> None:
    from tlpo.analysis.elsewhere import draw_games, say_games
    from tlpo.commands.run import flow, make_printer
    from tlpo.document.patients import inert
    from tlpo.plurals import noun
    from tlpo.tables.build_sample import build_sample
    from tlpo.tables.games_file import (
        ids_as_numbers,
        name_rows,
        require_games_path,
        write_games,
        write_training_sets,
    )
    from tlpo.tables.read import read_table

    say = make_printer(quiet)
    require_games_path(out)
    table = read_table(data, reading)
    sample = build_sample(table, spec, with_features=False)
    for note in sample.notes:
        say(note)
    units = noun(sample.unit)
    say(flow(sample, units))
    names = [inert(name) for name in name_rows(table, sample, id_column)]
    drawn = draw_games(sample, names, options.rounds, options.seed, train=train is not None)
    if train is not None:
        write_training_sets(drawn, train)
    write_games(ids_as_numbers(drawn[["game", "i", "j"]], id_column), out)
    say(say_games(len(drawn), len(names), units.many))
    shared = " and ".join(map(repr, spec.groups))
    group = f", nor any other row with their {shared}" if shared else ""
    say(
        f"For each, train a model on rows with an outcome, but neither on i nor on j{group}, and "
        "write what it predicts for them into columns "
        f"{' and '.join(_columns_to_fill(sample.outcome))}."
    )
    say(f"Written: {out}{'' if train is None else f', {train}'}")


def _columns_to_fill(outcome: object) -> tuple[str, ...]:
    from tlpo.problem.outcome import Outcome
    from tlpo.schemes.games_table import prediction_columns

    assert isinstance(outcome, Outcome)
    return tuple(name for both in prediction_columns(outcome) for name in both)


def _score(
    files: Sequence[str],
    source: str,
    spec: Specification,
    outputs: OutputFiles,
    options: Options,
    reading: Reading,
    id_column: str | None,
    scale: Scale,
    names: Sequence[str],
    *,
    quiet: bool,
) -> None:
    from tlpo.analysis.elsewhere import (
        analyse_games,
        look_like_probabilities,
        met_by_each,
        score_games,
    )
    from tlpo.commands.run import deliver, flow, make_printer, require_all_games
    from tlpo.document.patients import inert, inert_table, to_table
    from tlpo.document.write import require_writable
    from tlpo.plurals import noun
    from tlpo.tables.build_sample import build_sample
    from tlpo.tables.games_file import name_rows
    from tlpo.tables.read import read_table

    say = make_printer(quiet)
    taken = {Path(source): "the table"} | {Path(file): "the games" for file in files}
    require_writable(outputs, taken)
    called = _name_models(files, names)
    table = read_table(source, reading)
    sample = build_sample(table, spec, with_features=False)
    for note in sample.notes:
        say(note)
    say(flow(sample, noun(options.unit or sample.unit)))
    rows = [inert(name) for name in name_rows(table, sample, id_column)]
    played = _read_all(files, called, rows, source)
    results = score_games(sample, played, rows, scale)
    if scale == "score" and look_like_probabilities(results):
        say(
            "All predictions lie between 0 and 1. If they are probabilities, --scale probability "
            "adds their calibration."
        )
    options = replace(options, rounds=met_by_each(results, len(rows)))
    require_all_games(spec, options)
    name = "standard input" if source == "-" else Path(source).name
    analysis = analyse_games(sample, results, options, name)
    deliver(analysis, outputs, say, lambda: inert_table(to_table(analysis, sample.ids)))


def _status(
    files: Sequence[str],
    source: str | None,
    spec: Specification | None,
    reading: Reading,
    id_column: str | None,
    scale: Scale,
    level: float,
) -> None:
    from tlpo.analysis.elsewhere import say_so_far, score_games
    from tlpo.checks import require_level
    from tlpo.control_characters import escape_control_characters
    from tlpo.document.patients import inert
    from tlpo.errors import as_usage
    from tlpo.schemes.elsewhere import NOT_CHECKED
    from tlpo.tables.build_sample import build_sample
    from tlpo.tables.games_file import are_filled, name_rows, read_games_file, say_progress
    from tlpo.tables.read import read_table

    with as_usage():
        require_level("confidence_level", level)
    lines, played = [], {}
    for file, name in zip(files, _name_models(files, ()), strict=True):
        found = read_games_file(file)
        lines.append(f"{file}: {say_progress(found)}")
        if are_filled(found).any():
            played[name] = (file, found)
    if source is not None and spec is not None and played:
        table = read_table(source, reading)
        sample = build_sample(table, spec, with_features=False)
        rows = [inert(name) for name in name_rows(table, sample, id_column)]
        own = _read_all([file for file, _ in played.values()], list(played), rows, source)
        for name, result in score_games(sample, own, rows, scale).items():
            lines.append(say_so_far(name, result, level))
            lines += [said for said in result.diagnostics.warnings if said != NOT_CHECKED]
    print(escape_control_characters("\n".join(lines), keep="\n"))


def _read_all(
    files: Sequence[str], called: Sequence[str], rows: list[str], source: str
) -> Mapping[str, pd.DataFrame]:
    """Read the games of every model, which must be those of the table."""
    from tlpo.document.patients import inert
    from tlpo.tables.games_file import read_games_file, require_own

    found = {}
    for file, name in zip(files, called, strict=True):
        games = read_games_file(file)
        found[name] = games.assign(**{side: [*map(inert, games[side])] for side in "ij"})
        require_own(found[name], rows, file, source)
    return found


def _name_models(files: Sequence[str], names: Sequence[str]) -> list[str]:
    """Name every model, by default as its file is called."""
    from tlpo.control_characters import escape_control_characters
    from tlpo.errors import UsageError, arg, enumerate_briefly, explain
    from tlpo.plurals import counted

    called = [*names] or ["model"]
    if not names and len(files) > 1:
        called = [Path(file).stem for file in files]
    called = [escape_control_characters(name) for name in called]
    is_named = all(name.strip() for name in called)
    if len(called) != len(files) or len(set(called)) < len(called) or not is_named:
        raise UsageError(
            explain(
                "Every file of games is that of one model, with a name of its own.",
                f"You passed {counted(len(files), 'file')} and the "
                f"{'name' if len(called) == 1 else 'names'} {enumerate_briefly(called)}.",
                f"For example {arg('names', ['net', 'forest'])}.",
            )
        )
    return called
