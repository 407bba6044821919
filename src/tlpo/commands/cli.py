"""The command line."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, CycloptsError, CycloptsPanel, Parameter

from tlpo import __version__
from tlpo.commands.flags import write_flag
from tlpo.commands.games import games
from tlpo.commands.shared import (
    COMPUTING,
    FILES,
    OUTCOME,
    PREDICTORS,
    REPORT,
    ROWS,
    Data,
    Document,
    FileFlags,
    Numbers,
    Outcome,
    Quiet,
    Repeated,
    Reported,
    Rows,
    Switch,
    Texts,
)
from tlpo.commands.streams import tolerate_stream_errors
from tlpo.control_characters import escape_control_characters
from tlpo.errors import EXPECTED, UsageError, explain, in_words


def _panel(error: CycloptsError) -> Any:
    """Show an argument that cannot be, which may hold anything."""
    return CycloptsPanel(escape_control_characters(str(error), keep="\n"))


app = App(
    name="tlpo",
    help="Honest ROC analysis for small samples: tournament leave-pair-out cross-validation.",
    version=__version__,
    suppress_keyboard_interrupt=False,
    error_formatter=_panel,
)

app.command(games)


@app.command
def demo(
    *,
    out: Path = Path("out"),
    n_units: Annotated[int, Parameter(name="--units")] = 30,
    seed: int = 0,
) -> None:
    """Draw a few patients from scikit-learn's breast-cancer data and see what each estimate says.

    The estimates are compared with the truth: the model trained on these patients is tested on
    all the others, as in the first figure of the paper. For example:

        tlpo demo

        tlpo demo --units 40 --seed 7 --out figures

    Parameters
    ----------
    out
        Folder for the picture and the report.
    n_units
        How many patients to draw, half of them with a malignant tumour.
    seed
        Which patients are drawn.
    """
    from tlpo.commands.demo import run_demo

    run_demo(out=out, n_units=n_units, seed=seed)


@app.command
def reproduce(
    what: str = "all",
    /,
    *,
    out: Path,
    only: Repeated = (),
    repetitions: int | None = None,
    seed: int = 0,
    n_jobs: int = -1,
    pool: str | None = None,
    target: str | None = None,
    positive: str | None = None,
) -> None:
    """Run the experiments of the paper and draw its figures.

    If interrupted, the same command resumes where it was. For example:

        tlpo reproduce all --out paper

        tlpo reproduce all --out quick --repetitions 200

        tlpo reproduce pool-auc --out mine --pool voxels.csv --target tumour

    Parameters
    ----------
    what
        "all", or the name of a figure.
    out
        Folder for tables, figures, findings and the journal of repetitions.
    only
        Figures to reproduce; may be given several times.
    repetitions
        Repetitions instead of the paper's 10 000 (617 for the pool).
    seed
        Which samples are drawn.
    n_jobs
        Number of processes; -1 for all cores. The results do not depend on it.
    pool
        A table to draw samples from instead of the phantom: a CSV file, or "breast-cancer".
    target
        The column of the pool with the outcome.
    positive
        The label that counts as positive; by default the one that reads so, such as "yes", else
        the second in alphabetical order.
    """
    from tlpo.experiments.pools import breast_cancer, read_pool
    from tlpo.experiments.reproduce import reproduce as run
    from tlpo.experiments.reproduce import require_apart

    own = None
    if pool == "breast-cancer":
        own = breast_cancer()
    elif pool is not None:
        require_apart(Path(pool), out)
        own = read_pool(Path(pool), target, positive)
    figures = only if what == "all" else (what, *only)
    tables = run(out, only=figures, repetitions=repetitions, seed=seed, n_jobs=n_jobs, pool=own)
    seconds = ", ".join(f"{part} {spent:.0f} s" for part, spent in tables.seconds.items())
    print(escape_control_characters((out / "summary.md").read_text(encoding="utf-8"), keep="\n"))
    where = escape_control_characters(str(out))
    print(f"Written to {where}: tables (CSV), figures (PNG, SVG), summary.md. Time: {seconds}.")


@app.command
def run(
    data: Data,
    /,
    *,
    outcome: Outcome = Outcome(),
    models: Annotated[Repeated, Parameter(name="--model", group=PREDICTORS)] = (),
    features: Annotated[Texts, Parameter(group=PREDICTORS)] = (),
    drop: Annotated[Texts, Parameter(group=PREDICTORS)] = (),
    categorical: Annotated[Texts, Parameter(group=PREDICTORS)] = (),
    numeric: Annotated[Texts, Parameter(group=PREDICTORS)] = (),
    missing: Annotated[Texts, Parameter(group=PREDICTORS)] = (),
    used: Rows = Rows(),
    unit: Annotated[str | None, Parameter(group=ROWS)] = None,
    reported: Reported = Reported(),
    by: Annotated[Texts, Parameter(group=REPORT)] = (),
    permutations: Annotated[int, Parameter(group=REPORT)] = 0,
    rounds: Annotated[int | None, Parameter(group=COMPUTING)] = None,
    sorts: Annotated[int | None, Parameter(group=COMPUTING)] = None,
    journal: Annotated[Path | None, Parameter(group=COMPUTING)] = None,
    shard: Annotated[str | None, Parameter(group=COMPUTING)] = None,
    seed: Annotated[int, Parameter(group=COMPUTING)] = 0,
    n_jobs: Annotated[int, Parameter(group=COMPUTING)] = -1,
    file: FileFlags = FileFlags(),
    document: Document = Document(),
    json: Annotated[Path | None, Parameter(group=FILES)] = None,
    csv: Annotated[Path | None, Parameter(group=FILES)] = None,
    save_model: Annotated[Path | None, Parameter(group=FILES)] = None,
    quiet: Quiet = False,
) -> None:
    """Say how well models predict an outcome from a table with few patients.

    For example:

        tlpo run patients.csv --target outcome --positive yes --html report.html

        tlpo run patients.sav --target relapse --model logistic --model "knn:n_neighbors=3"

        tlpo run voxels.csv --target tumour --group patient --specificity 0.95

        tlpo run lesions.xlsx --target malignant --unit lesions --by sex --html report.pdf

        tlpo run patients.csv --target grade --order low medium high

        tlpo run patients.csv --target subtype --classes basal rest

        tlpo run patients.csv --target "weight_loss >= 5"

        tlpo run patients.csv --time months --event died --at 12 36 60

        tlpo run genes.csv --target dead --model xgboost:XGBClassifier --rounds 20

    Parameters
    ----------
    data
        A table with a header: CSV, TSV, Excel, Parquet, SPSS, Stata or SAS; "-" for CSV on
        standard input.
    models
        A name from the list that "tlpo models" prints, with parameters as in "ridge:alpha=10",
        or package.module:attribute, which imports the module, also from the working folder, and
        so runs its code. May be given several times. By default one: glm if the
        smaller class has ten patients for every coefficient, else logistic; for more than two
        classes lda or ridge, for numbers and grades ridge, for times cox.
    features
        Columns to predict from; by default all but the target and the group.
    drop
        Columns not to use.
    categorical
        Columns that are categories, although they look like numbers or names. Their values are
        then written into reports and model files, except those of fewer than 3 patients.
    numeric
        Columns that are numbers, although they look like codes, dates or row numbers.
    missing
        "impute" missing values inside every fit, the default, or "drop" their rows. Anything else
        is a value that means missing: 999 in all columns but the group, age=999 in one.
    unit
        What a row stands for, such as "lesions" or "mouse/mice"; patients by default.
    by
        Columns with a few values, such as the sex: report the AUC within each as well.
    permutations
        Test whether each model finds any signal, with this many permutations of the labels, for
        example 999.
    rounds
        For slow models: compare every patient with so many others only, at least 10. The AUC
        keeps an interval, a wider one.
    sorts
        For slower models: sort the patients so many times instead. A ranking and its AUC, without
        an interval.
    journal
        Keep every finished fit in this file. If interrupted or killed, the same command resumes
        from it.
    shard
        Play only a share of the games, such as 3/100, into a journal next to the given one, and
        give no answer: one job of many. "tlpo merge" joins the journals; the same command without
        --shard then finds all games played.
    seed
        Seed of folds, resamples, permutations, rounds and sorts; a whole tournament has no
        randomness.
    n_jobs
        Number of processes; -1 for all cores.
    json
        Write the summary, for programs and for "tlpo render". It holds no identifiers.
    csv
        Write score and rank of every patient, with identifiers. Text that a spreadsheet would
        run as a formula gets an apostrophe in front.
    save_model
        Write the model, fitted on all patients, with a card that says where it comes from and
        how well it did; "tlpo validate" tests it on new patients. Needs exactly one model.
    quiet
        Print nothing but the answer.
    """
    from tlpo.analysis.options import Options
    from tlpo.commands.run import run_command

    run_command(
        data,
        outcome.specify(
            used, features, missing, drop=drop, by=by, categorical=categorical, numeric=numeric
        ),
        document.files(json=json, csv=csv, save_model=save_model),
        models=models,
        reading=file.reading(),
        options=Options(
            **asdict(reported),
            seed=seed,
            unit=unit,
            permutations=permutations,
            rounds=rounds,
            sorts=sorts,
            n_jobs=n_jobs,
            progress=not quiet,
        ),
        journal=journal,
        shard=shard,
        quiet=quiet,
    )


@app.command
def validate(
    model: str,
    data: Data,
    /,
    *,
    target: Annotated[str | None, Parameter(group=OUTCOME)] = None,
    time: Annotated[str | None, Parameter(group=OUTCOME)] = None,
    event: Annotated[str | None, Parameter(group=OUTCOME)] = None,
    group: Annotated[Texts, Parameter(group=ROWS)] = (),
    at: Annotated[Numbers, Parameter(group=REPORT)] = (),
    confidence_level: Annotated[float, Parameter(group=REPORT)] = 0.95,
    file: FileFlags = FileFlags(),
    html: Annotated[Path | None, Parameter(group=FILES)] = None,
    json: Annotated[Path | None, Parameter(group=FILES)] = None,
    quiet: Quiet = False,
) -> None:
    """Test a saved model on new patients, at the cut-offs that were fixed in development.

    For example:

        tlpo run patients.csv --target outcome --model logistic --save-model model.skops

        tlpo validate model.skops elsewhere.csv --target outcome --html validation.html

        tlpo run patients.csv --time months --event died --model cox --save-model cox.skops

        tlpo validate cox.skops elsewhere.csv --at 12 36 --html validation.html

    Parameters
    ----------
    model
        What "tlpo run --save-model" wrote. Files with objects that could run code are refused.
    data
        A table of new patients with the columns of development; "-" for CSV on standard input.
    target
        The column with the outcome; by default named as in development.
    time
        Of a survival model, the column with the times; by default named as in development.
    event
        Of a survival model, the column that says who had the event; by default named and coded as
        in development. "status == 1" names its value.
    group
        A column that says which rows belong together, or several, as in "tlpo run".
    at
        Times at which to report AUC and calibration of a survival model; by default those of
        development.
    confidence_level
        Confidence level of all intervals.
    html
        Write a page.
    json
        Write all numbers, for programs.
    quiet
        Print nothing but the answer.
    """
    from tlpo.analysis.options import OutputFiles
    from tlpo.commands.run import validate_command

    validate_command(
        model,
        data,
        target=target,
        time=time,
        event=event,
        at=at,
        group=group or None,
        confidence_level=confidence_level,
        reading=file.reading(),
        outputs=OutputFiles(html=html, json=json),
        quiet=quiet,
    )


@app.command
def marker(
    data: Data,
    /,
    *,
    outcome: Outcome = Outcome(),
    markers: Annotated[Repeated, Parameter(name="--marker", group=PREDICTORS)],
    smaller_is_positive: Annotated[Texts, Parameter(group=PREDICTORS)] = (),
    cutoff: Annotated[Repeated, Parameter(allow_leading_hyphen=True, group=PREDICTORS)] = (),
    missing: Annotated[Texts, Parameter(group=PREDICTORS)] = (),
    used: Rows = Rows(),
    reported: Reported = Reported(),
    file: FileFlags = FileFlags(),
    document: Document = Document(),
    json: Annotated[Path | None, Parameter(group=FILES)] = None,
    csv: Annotated[Path | None, Parameter(group=FILES)] = None,
    quiet: Quiet = False,
) -> None:
    """Say how well single columns tell an outcome: markers, grades, scores from elsewhere.

    No model is trained, so no patient has to be left out. For example:

        tlpo marker patients.csv --target outcome --marker s100b --marker wfns

        tlpo marker patients.csv --target outcome --marker gcs --smaller-is-positive gcs --cutoff 9

        tlpo marker patients.csv --time months --event died --marker crp --at 12 36

    Parameters
    ----------
    data
        A table with a header: CSV, TSV, Excel, Parquet, SPSS, Stata or SAS; "-" for CSV on
        standard input.
    markers
        A column of numbers. May be given several times; several are compared with each other.
    smaller_is_positive
        Markers of which small values speak for the positive label, or for an early event. Large
        values do by default; the direction is never chosen from the data.
    cutoff
        A cut-off to report on, such as 0.3, or s100b=0.3 if there are several markers. Values at or
        beyond it are positive. May be given several times.
    missing
        Values that mean missing: 999 in all columns but the group, age=999 in one.
    json
        Write the summary, for programs. It holds no values of single patients but the cut-offs
        and, with --time, times and events.
    csv
        Write every cut-off of every marker, with limits; of numbers, grades and times, the values
        of every patient.
    quiet
        Print nothing but the answer.
    """
    from tlpo.analysis.marker_options import MarkerOptions
    from tlpo.commands.marker import marker_command

    marker_command(
        data,
        outcome.specify(used, markers, missing),
        document.files(json=json, csv=csv),
        MarkerOptions(markers, smaller_is_positive, cutoff, **asdict(reported)),
        reading=file.reading(),
        quiet=quiet,
    )


@app.command
def render(
    file: str,
    /,
    *,
    document: Document = Document(),
    csv: Annotated[Path | None, Parameter(group=FILES)] = None,
    quiet: Quiet = False,
) -> None:
    """Print the answer of an earlier run again, and write its report, from its JSON alone.

    For example:

        tlpo render result.json --html report.html

    Parameters
    ----------
    file
        What "tlpo run --json" wrote.
    csv
        Write score and rank of every patient, without identifiers.
    quiet
        Print nothing but the answer.
    """
    from tlpo.commands.run import render_command

    render_command(file, document.files(csv=csv), quiet=quiet)


@app.command
def plan(
    *,
    auc: Numbers = (),
    n_units: Annotated[int | None, Parameter(name="--units")] = None,
    fraction: Annotated[float | None, Parameter(name="--share")] = None,
    ordered: Switch = False,
    width: float | None = None,
    confidence_level: float | None = None,
    features: int | None = None,
    events: int | None = None,
    r_squared: Annotated[float | None, Parameter(name="--r2")] = None,
    rate: float | None = None,
    follow_up: float | None = None,
    time: Annotated[float | None, Parameter(name="--at")] = None,
) -> None:
    """Say how many patients a study needs, and what a number of patients can show.

    How precise the AUC will be:

        tlpo plan --auc 0.8 --width 0.2

        tlpo plan --units 60 --share 0.3

        tlpo plan --ordered --units 60

    How many features a model can have (Riley et al. 2020), of two classes or times to an event:

        tlpo plan --features 46 --units 113 --events 84

        tlpo plan --features 24 --share 0.174 --r2 0.288

        tlpo plan --features 10 --rate 0.065 --follow-up 2.07 --at 2 --auc 0.7

    Parameters
    ----------
    auc
        The AUCs, or concordances, expected; several by default.
    n_units
        A number of patients: adds power and the interval to expect, or the features that they
        support.
    fraction
        Share of patients with the positive outcome, 0.5 by default.
    ordered
        The outcome is a number: plan for the concordance or, with --features, for --r2.
    width
        Width of the interval that is wanted, 0.1 by default.
    confidence_level
        Confidence level of the interval, 0.95 by default.
    features
        Coefficients of the model: one per number, one less than the levels of a category.
    events
        A number of patients with the event: how many features they support.
    r_squared
        Cox and Snell's R² expected of the model, instead of an AUC.
    rate
        Times to an event: events per patient and unit of time.
    follow_up
        Times to an event: mean follow-up.
    time
        Times to an event: when the overall risk is to be known.
    """
    from tlpo.analysis.plan import AUCS, WIDTH, plan_sample, say_plan
    from tlpo.analysis.plan_model import Study, plan_model, require_one_question, say_model
    from tlpo.document.numbers import percent
    from tlpo.errors import as_usage
    from tlpo.plurals import noun

    study = Study(features, n_units, events, fraction, rate, follow_up, time, ordered)
    if study.is_of_model or r_squared is not None:
        with as_usage():
            require_one_question(study, width=width, confidence_level=confidence_level)
            study, models = plan_model(study, auc, r_squared)
        print("\n".join(say_model(study, models, noun("patient"))))
        return
    level = 0.95 if confidence_level is None else confidence_level
    with as_usage():
        rows = plan_sample(
            n_units,
            0.5 if fraction is None else fraction,
            level,
            auc or AUCS,
            WIDTH if width is None else width,
            ordered=ordered,
        )
    measure = "concordance" if ordered else "AUC"
    print("\n".join(say_plan(rows, noun("patient"), percent(level), measure)))


@app.command(name="journal")
def show_journal(file: Path, /) -> None:
    """Show which run a journal belongs to, and how much of it is done.

    For example:

        tlpo journal run.tlpo

    Parameters
    ----------
    file
        The journal; a run that is writing to it is not disturbed.
    """
    from tlpo.execution.journal import describe_parts, read_journal

    parts, damaged = read_journal(file)
    print(
        escape_control_characters("\n".join(describe_parts(parts.values(), fully=True)), keep="\n")
    )
    if damaged:
        print(f"{damaged} bytes are damaged or unfinished; the work in them will be done again")


@app.command
def merge(target: Path, sources: Annotated[tuple[Path, ...], Parameter(negative="")], /) -> None:
    """Join the journals of shards into one.

    For example:

        tlpo merge run.tlpo run.*-of-100.tlpo

    Parameters
    ----------
    target
        The journal to write; if it exists, it is added to.
    sources
        The journals to join. They are only read; shards that are still running can be joined
        again later.
    """
    from tlpo.execution.journal import describe_parts
    from tlpo.schemes.shards import merge as join

    parts = join(target, sources)
    lines = [f"{len(sources)} journals are joined in {target}:", *describe_parts(parts.values())]
    print(escape_control_characters("\n".join(lines), keep="\n"))


@app.command(name="app")
def start_app(
    *,
    port: int = 0,
    browser: bool = True,
    max_upload: int = 200,
) -> None:
    """Do the same in a browser: the whole analysis on a page that stays on this machine.

    For example:

        tlpo app

        tlpo app --port 8765 --no-browser

    Parameters
    ----------
    port
        Where to listen on 127.0.0.1; 0 takes any port that is free.
    browser
        Open a browser; the address is printed in any case.
    max_upload
        Largest table, in megabytes.
    """
    try:
        from tlpo.app.server import start
    except ModuleNotFoundError as error:
        raise UsageError(
            explain(
                "The page needs other packages.",
                f"There is no module {error.name!r}.",
                "Install them with: pip install 'tlpo[app]'.",
            )
        ) from error
    start(port=port, browser=browser, max_upload=max_upload)


@app.command
def models() -> None:
    """List the models that "tlpo run" knows by name, with their parameters."""
    from tlpo.commands.run import list_models

    list_models()
    print('\nFor example: --model ridge --model "knn:n_neighbors=3" --model my.module:pipeline')


def main() -> None:
    """Run the command line; mistakes of the user's get a message, not a traceback."""
    from tlpo.execution.interrupt import end_in_time

    with tolerate_stream_errors() as out:
        end_in_time()
        code = _call(sys.argv[1:])
        out.flush()
        # Whoever closes a pipe, as "head" does, has read enough.
        if out.failure is not None and not isinstance(out.failure, BrokenPipeError):
            print(
                f"tlpo: Not everything could be printed to standard output ({out.reason}); "
                "files are not affected.",
                file=sys.stderr,
            )
            code = code or 1
    sys.exit(code)


def _call(arguments: Sequence[str]) -> Any:
    """Run a command and return its exit code."""
    try:
        app(arguments)
    except SystemExit as ended:
        return ended.code
    except KeyboardInterrupt as interrupt:
        said = " ".join(["Interrupted.", *getattr(interrupt, "__notes__", [])])
        print(escape_control_characters(said, keep="\n"), file=sys.stderr)
        return 130
    except EXPECTED as error:
        said = in_words(error, partial(write_flag, flags_of(arguments)))
        print(escape_control_characters(f"tlpo: {said}", keep="\n"), file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1
    return 0


def flags_of(arguments: Sequence[str]) -> dict[str, str]:
    """Return the flag of every argument of the command that is called.

    Examples
    --------
    >>> flags_of(["demo"])
    {'out': '--out', 'n_units': '--units', 'seed': '--seed'}
    """
    _, path, _ = app.parse_commands(list(arguments))
    if path[-1].default_command is None:
        return {}
    found = path[-1].assemble_argument_collection()
    return {one.field_info.name: one.name for one in found if one.name.startswith("--")}


if __name__ == "__main__":
    main()
