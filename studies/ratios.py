"""How far the two variances of a concordance are off in every setting that was measured.

    python -m studies.ratios

Divides the mean of each variance by the mean square error of the estimate, for numbers, grades,
times and several classes, and writes what comes out into the paper. Nothing is measured: the means
are those of ``docs/ordered.csv``, ``docs/survival.csv`` and ``docs/multiclass.csv``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from studies.marked import DOCS, markdown_table, write_blocks
from studies.measured import PAPER, span

# Of every table, the quantity that holds squared errors, and what the outcome is called.
TABLES = {
    "ordered": ("squared error", "numbers and grades"),
    "survival": ("C: squared error", "times"),
    "multiclass": ("M: squared error", "several classes"),
}
# What the name of a setting contains, most special first.
KINDS = {
    " patient": "several units per patient",
    "tree": "single trees",
    "forest": "forests",
    " values": "features with few values",
    "one apart": "one class apart",
    "(0)": "no signal",
    "": "signal",
}


class Ratios(NamedTuple):
    """Means of variances over the mean square error in one setting.

    Attributes
    ----------
    placement, jackknife, mean : float
        Of the two variances, and of their geometric mean.
    error : float
        Monte-Carlo standard error of ``mean``.
    """

    placement: float
    jackknife: float
    mean: float
    error: float

    @property
    def product(self) -> float:
        """The geometric mean of the two ratios, which the argument bounds."""
        return float(np.sqrt(self.placement * self.jackknife))


def kind_of(name: str) -> str:
    """Return the kind of a setting."""
    return next(kind for part, kind in KINDS.items() if part in name)


def ratios_of(table: pd.DataFrame, squares: str) -> dict[str, Ratios]:
    """Return the ratios of every setting of a table."""
    found = {}
    for name, rows in table.groupby("measurement", sort=False):
        mean, se = (rows.set_index("quantity")[column] for column in ("mean", "se"))
        variances = ("placement variance", "jackknife variance", "geometric mean")
        placement, jackknife, both = (mean[v] / mean[squares] for v in variances)
        error = both * se[squares] / mean[squares]
        found[str(name)] = Ratios(placement, jackknife, both, error)
    return found


def render() -> str:
    """Tabulate the ratios by outcome and kind of setting."""
    head = ["outcome", "kind", "settings", "placement", "jackknife", "√ of their product"]
    head += ["**geometric mean**", "± at most"]
    rows = []
    for name, (squares, outcome) in TABLES.items():
        found = ratios_of(pd.read_csv(DOCS / f"{name}.csv"), squares)
        kinds = {setting: kind_of(setting) for setting in found}
        for kind in KINDS.values():
            own = [found[setting] for setting in found if kinds[setting] == kind]
            if own:
                spans = [
                    span(pd.Series([getattr(r, of) for r in own]), 2)
                    for of in ("placement", "jackknife", "product")
                ]
                both = f"**{span(pd.Series([r.mean for r in own]), 2)}**"
                error = f"{max(r.error for r in own):.2f}"
                rows.append([outcome, kind, len(own), *spans, both, error])
    return markdown_table(head, rows) + "\n\nMade by `python -m studies.ratios`."


def main() -> None:
    """Write the table."""
    write_blocks(PAPER, {"ratios": render()})


if __name__ == "__main__":
    main()
