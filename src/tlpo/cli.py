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


def main() -> None:
    """Run the command line; errors of the user's making come without a traceback."""
    from tlpo.errors import GameError

    try:
        app(sys.argv[1:])
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        sys.exit(130)
    except (ValueError, GameError, OSError) as error:
        print(f"tlpo: {error}", file=sys.stderr)
        sys.exit(1)
