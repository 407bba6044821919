"""Tables of pages from the CSV files that studies write."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd

import tlpo
from studies.marked import DOCS, write_blocks

PAPER = DOCS / "paper-ours" / "paper.md"
# Where the coverage of an interval of 95 % should be.
LOW, HIGH = 0.93, 0.99

Blocks = Callable[[pd.DataFrame], dict[str, str]]


def table_of(csv: Path) -> pd.DataFrame:
    """Return one row per setting that was measured; means, errors and widths by quantity."""
    long = pd.read_csv(csv)
    wide = long.pivot(index="measurement", columns="quantity", values=["mean", "se", "width"])
    for column in ("requested", "seconds"):
        wide[column, ""] = long.groupby("measurement")[column].first()
    return wide


def error(row: pd.Series, quantity: str) -> str:
    """Return a mean error with its Monte-Carlo error."""
    return f"{row['mean', quantity]:+.3f} ± {row['se', quantity]:.3f}"


def span(values: pd.Series, digits: int) -> str:
    """Return the smallest and the largest of some numbers, once if they look the same."""
    low, high = (f"{value:.{digits}f}" for value in (values.min(), values.max()))
    return low if low == high else f"{low} to {high}"


def verdict(outside: Sequence[str], n_settings: int) -> str:
    """Say whether the interval covers what it should, or where it does not."""
    if not outside:
        return f"The interval covers {LOW} to {HIGH} in every setting."
    return (
        f"Outside {LOW}–{HIGH}, in {len(outside)} of {n_settings} settings: {'; '.join(outside)}."
    )


def how_measured(table: pd.DataFrame, target: str, quantity: str) -> str:
    """State how tables were measured."""
    samples = table["requested", ""]
    largest = table["se"][quantity].max()
    return (
        f"Measured with tlpo {tlpo.__version__} by `make {target}`: {len(table)} settings "
        f"of {span(samples, 0)} samples each. ± is one Monte-Carlo standard error; that of a "
        "coverage is "
        f"{(0.95 * 0.05 / samples.max()) ** 0.5:.3f} at 0.95, and {largest:.3f} at most for tlpo's."
    )


def write_pages(about: str, csv: Path, page: Path, of_page: Blocks, of_paper: Blocks) -> None:
    """Write the blocks of a page and of the paper, as the command line asks."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--csv", type=Path, default=csv)
    parser.add_argument("--page", type=Path, default=page)
    parser.add_argument("--paper", type=Path, default=PAPER)
    arguments = parser.parse_args()
    table = table_of(arguments.csv)
    write_blocks(arguments.page, of_page(table))
    write_blocks(arguments.paper, of_paper(table))
