"""The command line."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter

from tlpo import __version__
from tlpo.errors import GameError, JournalError, UsageError

app = App(
    name="tlpo",
    help="Honest ROC analysis for small samples: tournament leave-pair-out cross-validation.",
    version=__version__,
    suppress_keyboard_interrupt=False,
)


@app.command
def demo(
    *,
    out: Path = Path("out"),
    units: int = 30,
    seed: Annotated[int, Parameter(help="Which units are drawn.")] = 0,
) -> None:
    """Draw a few units of scikit-learn's breast-cancer data and see what each estimate says.

    A tournament of the units drawn is compared with the truth: the model trained on them is
    tested on all the others (the first figure of the paper). For example:

        tlpo demo

        tlpo demo --units 40 --seed 7 --out figures

    Parameters
    ----------
    out
        Folder for the picture.
    units
        How many units to draw, half of them malignant.
    """
    from tlpo.demo import run_demo

    run_demo(out=out, n_units=units, seed=seed)


@app.command
def reproduce(
    what: str = "all",
    /,
    *,
    out: Path,
    only: Annotated[tuple[str, ...], Parameter(negative="")] = (),
    repetitions: int | None = None,
    seed: int = 0,
    n_jobs: int = -1,
    pool: str | None = None,
    target: str | None = None,
    positive: str | None = None,
) -> None:
    """Run the experiments of the paper and draw its figures.

    Interrupted, the same command goes on where it was. For example:

        tlpo reproduce all --out paper

        tlpo reproduce all --out quick --repetitions 200

        tlpo reproduce pool-auc --out mine --pool voxels.csv --target tumour

    Parameters
    ----------
    what
        "all", or the name of a figure.
    out
        Folder for tables, figures and findings, and for the journal of repetitions.
    only
        Names of figures.
    repetitions
        Instead of the paper's 10 000 (617 of the pool).
    seed
        Which samples are drawn.
    n_jobs
        Processes; -1 for all cores. The numbers do not depend on it.
    pool
        A table to draw from instead of the phantom: a CSV file, or "breast-cancer".
    target
        Its column with the two classes.
    positive
        The label that counts as positive; the second in sorted order by default.
    """
    from tlpo.experiments.pools import breast_cancer, read_pool
    from tlpo.experiments.reproduce import reproduce as run

    own = None
    if pool is not None:
        own = (
            breast_cancer() if pool == "breast-cancer" else read_pool(Path(pool), target, positive)
        )
    figures = only if what == "all" else (what, *only)
    tables = run(out, only=figures, repetitions=repetitions, seed=seed, n_jobs=n_jobs, pool=own)
    seconds = ", ".join(f"{part} {spent:.0f} s" for part, spent in tables.seconds.items())
    print((out / "summary.md").read_text(encoding="utf-8"))
    print(f"Written to {out}: tables (CSV), figures (PNG, SVG), summary.md. Time: {seconds}.")


@app.command
def run(
    data: Annotated[str, Parameter(allow_leading_hyphen=True)],
    /,
    *,
    target: str,
    positive: str | None = None,
    model: Annotated[tuple[str, ...], Parameter(negative="")] = (),
    features: Annotated[tuple[str, ...], Parameter(consume_multiple=True, negative="")] = (),
    drop: Annotated[tuple[str, ...], Parameter(consume_multiple=True, negative="")] = (),
    group: str | None = None,
    missing: Literal["impute", "drop"] = "impute",
    specificity: float = 0.9,
    confidence_level: float = 0.95,
    prevalence: float | None = None,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    html: Path | None = None,
    json: Path | None = None,
    md: Path | None = None,
    csv: Path | None = None,
    figures: Path | None = None,
    journal: Path | None = None,
    shard: str | None = None,
    seed: int = 0,
    n_jobs: int = -1,
    quiet: bool = False,
) -> None:
    """Say how well models tell two groups of a table apart, honestly.

    For example:

        tlpo run patients.csv --target outcome --positive yes --html report.html

        tlpo run patients.sav --target relapse --model logistic --model "knn:n_neighbors=3"

        tlpo run voxels.csv --target tumour --group patient --specificity 0.95

        tlpo run genes.csv --target relapse --model forest --journal run.tlpo

    Parameters
    ----------
    data
        A table with a header: CSV, TSV, Excel, Parquet, SPSS, Stata or SAS; "-" for CSV on
        standard input.
    target
        The column with the two labels.
    positive
        The label that counts as positive; the second in sorted order by default.
    model
        A name of the list that "tlpo models" shows, with parameters as in "ridge:alpha=10",
        or package.module:attribute. May be given several times. Default: ridge and knn.
    features
        Columns to use; all but the target and the group by default.
    drop
        Columns not to use.
    group
        A column that says which rows belong together, such as the patient.
    missing
        What to do about missing cells: impute them inside every fit, or drop their rows.
    specificity
        At which sensitivity is reported.
    confidence_level
        Of all intervals.
    prevalence
        Share of positives where the test will be used, for predictive values.
    sep, decimal, encoding
        Of a text file; found out by default. "tab" is a tabulator.
    sheet
        Of an Excel file; the first by default.
    html
        Write a report to attach to a paper.
    json
        Write the summary for programs.
    md
        Write the answer as Markdown.
    csv
        Write score and rank of every unit.
    figures
        Write the figures as PNG, SVG and PDF to this folder.
    journal
        Keep every finished fit in this file. Interrupted or killed, the same command goes on
        from it.
    shard
        Play only a share of the games, such as 3/100, into a journal beside the given one, and
        write no answer: one job of many. "tlpo merge" joins the journals, and the command without
        --shard then finds all games played.
    seed
        Of folds and resamples; the tournament has no randomness.
    n_jobs
        Processes; -1 for all cores.
    quiet
        Print the answer only.
    """
    from tlpo.report.command import Wanted, run_command

    run_command(
        data,
        target,
        Wanted(html=html, json=json, md=md, csv=csv, figures=figures),
        specs=model,
        reading={"sep": sep, "decimal": decimal, "encoding": encoding, "sheet": sheet},
        understanding={
            "positive": positive,
            "features": features,
            "drop": drop,
            "group": group,
            "missing": missing,
        },
        analysing={
            "specificity": specificity,
            "confidence_level": confidence_level,
            "prevalence": prevalence,
            "seed": seed,
            "n_jobs": n_jobs,
            "missing": missing,
        },
        journal=journal,
        shard=shard,
        quiet=quiet,
    )


@app.command(name="journal")
def show_journal(file: Path, /) -> None:
    """Show what run a journal belongs to, and how much of it is done.

    For example:

        tlpo journal run.tlpo

    Parameters
    ----------
    file
        The journal; a run that is writing it is not disturbed.
    """
    from tlpo.execution.journal import describe_parts, read_journal

    parts, damaged = read_journal(file)
    print("\n".join(describe_parts(parts.values(), fully=True)))
    if damaged:
        print(f"{damaged} bytes are damaged or unfinished; their rounds will be played again")


@app.command
def merge(target: Path, sources: Annotated[tuple[Path, ...], Parameter(negative="")], /) -> None:
    """Join the journals of shards into one.

    For example:

        tlpo merge run.tlpo run.*-of-100.tlpo

    Parameters
    ----------
    target
        The journal to write; if it is there already, it is added to.
    sources
        The journals to join. They are only read; shards that still run may be joined later again.
    """
    from tlpo.execution.journal import describe_parts
    from tlpo.schemes.shards import merge as join

    parts = join(target, sources)
    print(f"{len(sources)} journals are joined in {target}:")
    print("\n".join(describe_parts(parts.values())))


@app.command
def models() -> None:
    """List the models that tlpo run knows by name, with their parameters."""
    from tlpo.report.command import list_models

    list_models()


def main() -> None:
    """Run the command line; errors of the user's making come without a traceback."""
    from tlpo.execution.interrupt import end_in_time

    end_in_time()
    try:
        app(sys.argv[1:])
    except KeyboardInterrupt as interrupt:
        print(" ".join(["Interrupted.", *getattr(interrupt, "__notes__", [])]), file=sys.stderr)
        sys.exit(130)
    except UsageError as error:
        print(f"tlpo: {error}", file=sys.stderr)
        sys.exit(2)
    except (ValueError, GameError, JournalError, OSError) as error:
        print(f"tlpo: {error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
