"""Wide and large tables, read and understood; archives and workbooks that unpack to far too much.

    python -m studies.benchmarks.tables [--quick] [--write]

Every file is read in a process of its own: the time is that of one core (nothing here uses two)
from the first byte to the features of a report, or to the message that refuses the file; the memory
is the most the process ever held, the package itself included. ``--quick`` leaves out the largest;
``--write`` puts the table into docs/performance.md.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from studies.marked import DOCS, markdown_table, write_blocks

RUN = """
import json, resource, sys, time
import pandas, pyarrow.parquet
from tlpo.errors import InputError
from tlpo.tables.options import Specification
from tlpo.tables.read import read_table
from tlpo.tables.build_sample import build_sample

started = time.process_time()
try:
    said = f"{build_sample(read_table(sys.argv[1]), Specification('outcome')).X.shape[1]} features"
except InputError as error:
    said = str(error).splitlines()[0]
print(json.dumps({
    "said": said,
    "seconds": time.process_time() - started,
    "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
}))
"""


class Case(NamedTuple):
    """A file: what it is, its ending, how it is made, and what reading it may take."""

    what: str
    ending: str
    make: Callable[[Path], None]
    seconds: float
    times_file: float | None = None
    is_large: bool = False


def numbers(m: int, p: int) -> Callable[[Path], None]:
    pool = [f"{value:.4f}" for value in np.random.default_rng(0).normal(size=10_000)]
    return lambda path: write(path, m, p, pool)


def categories(m: int, p: int) -> Callable[[Path], None]:
    return lambda path: write(path, m, p, ["AA", "AG", "GG"])


def write(path: Path, m: int, p: int, pool: Iterable[str]) -> None:
    rng, cells = np.random.default_rng(1), np.array(list(pool))
    with path.open("w") as file:
        file.write(",".join(["patient", *(f"gene{k}" for k in range(p)), "outcome"]) + "\n")
        for row in range(m):
            label = "yes" if row % 2 else "no"
            file.write(f"P{row},{','.join(rng.choice(cells, p))},{label}\n")


def gzipped(path: Path) -> None:
    with gzip.open(path, "wb") as file:
        for _ in range(1000):
            file.write(bytes(1_000_000))


def zipped(path: Path) -> None:
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("t.csv", "w") as file,
    ):
        for _ in range(1000):
            file.write(bytes(1_000_000))


def workbook(path: Path) -> None:
    """Write a workbook whose sheet unpacks to a gigabyte."""
    small = path.with_name("small.xlsx")
    distant(small, "B2")
    row = b'<row><c t="inlineStr"><is><t>' + b"a" * 1_000_000 + b"</t></is></c></row>"
    with (
        zipfile.ZipFile(small) as source,
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for part in source.infolist():
            if part.filename != "xl/worksheets/sheet1.xml":
                archive.writestr(part, source.read(part))
        with archive.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as sheet:
            space = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
            sheet.write(b'<worksheet xmlns="' + space + b'"><sheetData>')
            for _ in range(1000):
                sheet.write(row)
            sheet.write(b"</sheetData></worksheet>")


def distant(path: Path, cell: str = "XFD1048576") -> None:
    """Write a workbook with a small table and a single cell elsewhere."""
    from openpyxl import Workbook

    book = Workbook()
    for row in (["age", "outcome"], [1, "yes"], [2, "no"]):
        book.active.append(row)
    book.active[cell] = 1
    book.save(path)


def repeated(path: Path) -> None:
    """Write two billion equal numbers as Parquet, which keeps each only once."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    column = pa.array(np.zeros(20_000_000))
    schema = pa.schema([("age", pa.float64()), ("outcome", pa.float64())])
    with pq.ParquetWriter(path, schema, compression="gzip") as writer:
        for _ in range(50):
            writer.write_table(pa.table([column, column], schema))


CASES = (
    Case("100 rows, 20 000 columns of numbers", ".csv", numbers(100, 20_000), 5),
    Case("100 rows, 20 000 columns of categories", ".csv", categories(100, 20_000), 10),
    Case("100 rows, 100 000 columns of numbers", ".csv", numbers(100, 100_000), 25),
    Case("150 000 rows, 290 columns of numbers", ".csv", numbers(150_000, 290), 30, 3, True),
    Case("gzip: 1 MB that unpacks to 1 GB", ".csv.gz", gzipped, 5),
    Case("zip: 1 MB that unpacks to 1 GB", ".zip", zipped, 5),
    Case("workbook: 1 MB that unpacks to 1 GB", ".xlsx", workbook, 5),
    Case("workbook with a cell in its last corner", ".xlsx", distant, 5),
    Case("Parquet: two billion equal numbers", ".parquet", repeated, 5, None, True),
)


def measure(case: Case, folder: Path) -> tuple[object, ...]:
    path = folder / f"table{case.ending}"
    case.make(path)
    size = path.stat().st_size
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(path)], capture_output=True, text=True, check=True
    )
    path.unlink()
    found = json.loads(done.stdout)
    target = f"≤ {case.seconds:g} s"
    if case.times_file is not None:
        target += f", ≤ {case.times_file:g} × the file"
    return (
        case.what,
        f"{size / 1e6:.1f} MB",
        f"{found['seconds']:.1f} s",
        f"{found['memory'] / 1e6:.0f} MB ({found['memory'] / size:.1f} × the file)"
        if case.times_file is not None
        else f"{found['memory'] / 1e6:.0f} MB",
        target,
        found["said"],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="leave out the largest files")
    parser.add_argument("--write", action="store_true", help="write docs/performance.md")
    wanted = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            if not (wanted.quick and case.is_large):
                rows.append(measure(case, Path(folder)))
                print(*rows[-1], sep=" | ", flush=True)
    if wanted.write:
        head = ("file", "size", "time of one core", "memory at most", "target", "result")
        made = "Made by `python -m studies.benchmarks.tables --write` on the same machine."
        write_blocks(DOCS / "performance.md", {"tables": f"{markdown_table(head, rows)}\n\n{made}"})


if __name__ == "__main__":
    main()
