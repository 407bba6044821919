"""What benchmarks have in common: cases that are measured one by one, and the table of a page."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence

from studies.marked import DOCS, write_rows


def measure_rows(
    about: str | None,
    cases: Mapping[str, Callable[[], Sequence[str]]],
    *,
    head: Sequence[str],
    block: str,
    made: str,
    page: str = "performance.md",
) -> None:
    """Measure the cases that the command line asks for, print their rows, and write them.

    With ``--write`` every row is written as soon as it is measured; rows of cases that are not
    measured stay as they are. ``--only`` chooses cases by their names, or by parts of these.

    Parameters
    ----------
    about : str or None
        What the script says of itself.
    cases : mapping
        From the name of a case to what measures it and returns the other cells of its row.
    head : sequence of str
        The columns; the first is the name.
    block, made, page : str
        The block of the page, and what stands below its table.
    """
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", default=[""], help="names of cases, or parts of these")
    parser.add_argument("--write", action="store_true", help=f"write docs/{page}")
    options = parser.parse_args()
    chosen = [
        name
        for name in cases
        if any(text == name or (text in name and text not in cases) for text in options.only)
    ]
    if not chosen:
        parser.error(f"no case is called like that; there are: {'; '.join(cases)}")
    for name in chosen:
        row = (name, *cases[name]())
        print(*row, sep=" | ", flush=True)
        if options.write:
            write_rows(DOCS / page, block, head, list(cases), [row], made)
