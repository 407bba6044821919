"""Write the table of docs/coverage.md about differences, from docs/differences.csv.

python -m studies.differences_page
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

from studies.differences import EVERY, name_of
from studies.marked import DOCS, markdown_table, write_blocks
from studies.measured import table_of

CSV, PAGE = DOCS / "differences.csv", DOCS / "coverage.md"
HEAD = ["outcome", "first model", "second model", "units", "features (signal)", ""]


def differences(table: pd.DataFrame) -> str:
    """Tabulate coverage and size of comparisons."""
    rows = []
    for compared in EVERY:
        own = table.loc[name_of(compared)]
        mean, se, width = own["mean"], own["se"], own["width"]
        covers, rejects = "interval of difference", "rejected"
        mean_covers, mean_rejects = (f"{x} by the geometric mean" for x in ("interval", "rejected"))
        rows.append(
            [
                *compared.cells,
                f"{mean['true difference']:+.3f}",
                f"{mean[covers]:.3f} ± {se[covers]:.3f}",
                f"{width[covers]:.2f}",
                f"{mean[rejects]:.3f} ± {se[rejects]:.3f}",
                f"{mean[mean_covers]:.3f} ({width[mean_covers]:.2f})",
                f"{mean[mean_rejects]:.3f}",
            ]
        )
    head = [*HEAD, "true difference", "interval covers", "width", "rejects"]
    return markdown_table([*head, "√(V_place V_jack)", "rejects"], rows)


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--csv", type=Path, default=CSV)
    parser.add_argument("--page", type=Path, default=PAGE)
    arguments = parser.parse_args()
    write_blocks(arguments.page, {"differences": differences(table_of(arguments.csv))})


if __name__ == "__main__":
    main()
