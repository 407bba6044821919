"""The command line."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from tlpo import __version__

app = App(
    name="tlpo",
    help="Honest ROC analysis for small samples: tournament leave-pair-out cross-validation.",
    version=__version__,
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
    only: tuple[str, ...] = (),
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


def main() -> None:
    """Run the command line; errors of the user's making come without a traceback."""
    from tlpo.errors import GameError, JournalError

    try:
        app(sys.argv[1:])
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        sys.exit(130)
    except (ValueError, GameError, JournalError, OSError) as error:
        print(f"tlpo: {error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
