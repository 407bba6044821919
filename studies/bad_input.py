"""What each kind of bad input gets: one declaration per kind, tried out by the tests.

    python -m studies.bad_input [--write]

Tries every kind through the command line, or through Python where the input is an array, and prints
what came of it. ``--write`` puts the table into docs/reliability.md; a test keeps page and list the
same. To add a kind, add a `Kind` to `KINDS` and run this.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import importlib
import io
import json
import os
import re
import shlex
import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import tlpo
from studies.benchmarks.tables import distant
from studies.marked import DOCS, markdown_table, write_blocks
from tlpo.commands.cli import main as run_tlpo

USAGE, DATA, FINE = 2, 1, 0
RUN = "run t.csv --target outcome --model rls --n-jobs 1"
BAYES = "run t.csv --target outcome --model bayes --n-jobs 1"
Content = str | bytes | Callable[[Path], object]


@dataclass(frozen=True)
class Kind:
    """A kind of bad input.

    Attributes
    ----------
    name : str
        What is wrong, for the table.
    says : str
        How the message begins; if the input is used after all, what is said of it. Of messages that
        cyclopts writes, a word: each of its versions puts them differently.
    files : mapping of str to str, bytes or callable
        Files in the working folder: their content, or what writes them.
    command : str
        What is typed after ``tlpo``.
    code : int
        Exit code: 2 if no data could make the command work, 1 if the data cannot be used.
    call : callable or None
        Called instead of the command; has to raise an error of tlpo's.
    """

    name: str
    says: str
    files: Mapping[str, Content] = field(default_factory=dict)
    command: str = RUN
    code: int = DATA
    call: Callable[[], object] | None = None


@dataclass(frozen=True)
class Outcome:
    """What came of it: exit code, answer, and what was said besides."""

    code: int
    out: str
    said: str

    @property
    def message(self) -> str:
        """The error without the notes before it, or without the box around it."""
        return re.split(r"^tlpo: ", self.said, flags=re.MULTILINE)[-1].strip(" \n│╭╮╰╯─")


def try_out(kind: Kind, folder: Path) -> Outcome:
    """Make the input in an empty folder, and pass it."""
    for name, content in kind.files.items():
        path = folder / name
        if callable(content):
            content(path)
        else:
            path.write_bytes(content.encode() if isinstance(content, str) else content)
    if kind.call is not None:
        try:
            kind.call()
        except (ValueError, RuntimeError) as error:  # all errors of tlpo's are one of these
            return Outcome(DATA, "", str(error))
        return Outcome(FINE, "", "")
    sys.modules.pop("mine", None)  # of an earlier folder
    importlib.invalidate_caches()
    out, err = io.StringIO(), io.StringIO()
    before, arguments, columns = Path.cwd(), sys.argv, os.environ.get("COLUMNS")
    try:
        os.chdir(folder)
        sys.argv, os.environ["COLUMNS"] = ["tlpo", *shlex.split(kind.command)], "200"
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            run_tlpo()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    finally:
        os.chdir(before)
        sys.argv = arguments
        os.environ.pop("COLUMNS")
        os.environ |= {} if columns is None else {"COLUMNS": columns}
    return Outcome(code, out.getvalue(), err.getvalue())


def table(m: int = 12, **columns: Any) -> str:
    """Return a small table as CSV; a column is a function of the row, or the same in all rows."""
    made: dict[str, Any] = {
        "age": lambda k: 40 + 7 * k % 31,
        "marker": lambda k: round(k * k % 13 / 4, 2),
        "outcome": lambda k: ("no", "yes")[k % 2],
    } | columns
    rows = [list(made)]
    rows += [[str(v(k) if callable(v) else v) for v in made.values()] for k in range(m)]
    return "\n".join(",".join(row) for row in rows) + "\n"


def zipped(name: str, size: int) -> Callable[[Path], None]:
    """Make an archive with one file of zeros."""

    def make(path: Path) -> None:
        with (
            zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
            archive.open(name, "w") as part,
        ):
            part.write(bytes(size))

    return make


def workbook(*rows: list[object], sheets: int = 1) -> Callable[[Path], None]:
    """Make a workbook whose first sheet has these rows."""

    def make(path: Path) -> None:
        from openpyxl import Workbook

        book = Workbook()
        for row in rows:
            book.active.append(row)
        for _ in range(1, sheets):
            book.create_sheet()
        book.save(path)

    return make


def repeated(path: Path) -> None:
    """Make a Parquet file, which keeps equal numbers only once."""
    import pandas as pd

    zeros = pd.DataFrame({"age": np.zeros(21_000_000)})
    zeros.to_parquet(path, compression="gzip")


def journal_of_another(path: Path) -> None:
    """Make a journal by running the same model on another table."""
    command = f"{BAYES.replace('t.csv', 'other.csv')} --journal {path.name}"
    try_out(Kind("", "", {"other.csv": table(14)}, command), path.parent)


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)
X, Y = np.arange(24.0).reshape(12, 2) % 7, np.arange(12) % 2


def own(code: str) -> dict[str, Content]:
    """Return a good table and a module with a model."""
    return {"t.csv": table(), "mine.py": code}


def rls(**options: Any) -> Callable[[], object]:
    """Return a tournament of RLS that differs from a good one in these arguments."""
    return lambda: tlpo.tournament(**({"estimator": tlpo.RLS(), "X": X, "y": Y} | options))


FIT = """
from sklearn.base import BaseEstimator, ClassifierMixin
class Model(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        {}
    def decision_function(self, X):
        return X[:, 0]
"""
CSV = {"t.csv": table()}

KINDS = {
    "The file": (
        Kind(
            "no such file",
            "There is no such file.",
            command="run tt.csv --target outcome",
            files=CSV,
        ),
        Kind("a folder", "That is a folder.", command="run . --target outcome"),
        Kind("empty", "The file is empty.", {"t.csv": ""}),
        Kind("nothing but blank lines", "The file is empty.", {"t.csv": "\n  \n"}),
        Kind("a header without rows", "The table has no rows.", {"t.csv": "age,outcome\n"}),
        Kind(
            "a row that is too short",
            "Line 14 has 2 cells, the header has 3.",
            {"t.csv": table() + "50,yes\n"},
        ),
        Kind(
            "a row that is too long",
            "Line 14 has 4 cells, the header has 3.",
            {"t.csv": table() + "50,1,yes,2\n"},
        ),
        Kind(
            "two columns of one name",
            "Column names must be unique.",
            {"t.csv": "age,age,outcome\n1,2,yes\n3,4,no\n"},
        ),
        Kind(
            "bytes that are no text", "The file is not text.", {"t.csv": b"age,outcome\n1,\0yes\n"}
        ),
        Kind(
            "a quotation mark never closed",
            "A quotation mark is never closed.",
            {"t.csv": table() + '"50,1,yes\n' + table(9999)},
        ),
        Kind(
            "text after a quotation mark",
            "A quotation mark is out of place.",
            {"t.csv": table() + '50,"1" cm,yes\n'},
        ),
        Kind(
            "rows between two stray quotation marks",
            "A quotation mark is closed only 402 lines later.",
            {"t.csv": table() + '50,"1,yes\n' + table(400) + '50,1",yes\n'},
        ),
        Kind(
            "more than 131 072 characters in a line",
            "Numeric features: gene0000001",
            {
                "t.csv": "\n".join(
                    ",".join(
                        [
                            *(
                                f"gene{k:07d}{' ' * 100}" if row < 0 else str((k * row + k % 5) % 7)
                                for k in range(1_200)
                            ),
                            "outcome" if row < 0 else "ny"[row % 2],
                        ]
                    )
                    for row in range(-1, 8)
                )
            },
            code=FINE,
        ),
        Kind(
            "compressed with gzip",
            "The file is compressed with gzip.",
            {"t.csv.gz": gzip.compress(table().encode())},
            "run t.csv.gz --target outcome",
        ),
        Kind(
            "a zip archive",
            "The file is a zip archive or an Excel workbook.",
            {"t.zip": zipped("t.csv", 1000)},
            "run t.zip --target outcome",
        ),
        Kind(
            "a workbook of old Excel",
            "The file is of an old kind of Microsoft Office, such as .xls.",
            {"t.xls": OLE},
            "run t.xls --target outcome",
        ),
        Kind(
            "a workbook with a password",
            "The workbook is protected by a password.",
            {"t.xlsx": OLE + "EncryptedPackage".encode("utf-16-le")},
            "run t.xlsx --target outcome",
        ),
        Kind(
            "a workbook that unpacks to far too much",
            "The workbook is far larger than it looks, so it is not opened.",
            {"t.xlsx": zipped("xl/worksheets/sheet1.xml", 120_000_000)},
            "run t.xlsx --target outcome",
        ),
        Kind(
            "a workbook with a cell in its last corner",
            "The table is far larger than the file, so it is not opened.",
            {"t.xlsx": distant},
            "run t.xlsx --target outcome",
        ),
        Kind(
            "Parquet with millions of equal cells",
            "The table is far larger than the file, so it is not opened.",
            {"t.parquet": repeated},
            "run t.parquet --target outcome",
        ),
        Kind(
            "a damaged workbook",
            "The file cannot be read.",
            {"t.xlsx": b"PK\x03\x04 and nothing"},
            "run t.xlsx --target outcome",
        ),
        Kind(
            "a damaged SPSS file",
            "The file cannot be read.",
            {"t.sav": b"$FL2 and nothing"},
            "run t.sav --target outcome",
        ),
        Kind(
            "damaged Parquet",
            "The file cannot be read.",
            {"t.parquet": b"PAR1 and nothing"},
            "run t.parquet --target outcome",
        ),
        Kind(
            "an empty sheet",
            "The table has no rows.",
            {"t.xlsx": workbook()},
            "run t.xlsx --target outcome",
        ),
        Kind("a PDF document", "The file is a PDF document.", {"t.csv": b"%PDF-1.7\n"}),
        Kind(
            "a pickle",
            "This kind of file is not supported.",
            {"t.pkl": b"cos\nsystem\n(S'true'\ntR."},
            "run t.pkl --target outcome",
        ),
        Kind(
            "no such sheet",
            "There is no such sheet.",
            {"t.xlsx": workbook(["age", "outcome"])},
            "run t.xlsx --target outcome --sheet two",
        ),
        Kind(
            "the outcome on another sheet",
            "There is no such column.",
            {"t.xlsx": workbook(["age", "marker"], [50, 1], sheets=2)},
            "run t.xlsx --target outcome",
        ),
        Kind(
            "a title above the header",
            "Row 2 was taken for the header; what stands above it was not used.",
            {"t.csv": "Study 7\n" + table()},
            code=FINE,
        ),
        Kind(
            "a sheet of a text file",
            "Only Excel files have sheets.",
            CSV,
            f"{RUN} --sheet two",
            USAGE,
        ),
        Kind(
            "no such encoding",
            "There is no such encoding.",
            CSV,
            f"{RUN} --encoding klingon",
            USAGE,
        ),
        Kind(
            "an encoding that does not fit",
            "The text cannot be decoded.",
            {"t.csv": table().replace("yes", "jä").encode("latin-1")},
            f"{RUN} --encoding utf-8",
        ),
        Kind(
            "half a character at the end",
            "The text cannot be decoded.",
            {"t.csv": table().encode("utf-16")[:-1]},
        ),
        Kind(
            "a separator of two characters",
            "--sep must be a single character.",
            CSV,
            f"{RUN} --sep ::",
            USAGE,
        ),
        Kind(
            "a quotation mark as separator",
            "--sep must not be a quotation mark or the end of a line.",
            CSV,
            f"{RUN} --sep '\"'",
            USAGE,
        ),
        Kind(
            "one mark as separator and decimal mark",
            "The separator cannot be the decimal mark as well.",
            CSV,
            f"{RUN} --sep , --decimal ,",
            USAGE,
        ),
    ),
    "The columns": (
        Kind("no such outcome", "There is no such column.", CSV, "run t.csv --target outcom"),
        Kind(
            "an outcome with one label",
            "The target must have exactly two labels.",
            {"t.csv": table(outcome="no")},
        ),
        Kind(
            "an outcome with three labels, one of them rare",
            "Every class needs at least 3 rows.",
            {"t.csv": table(outcome=lambda k: "abc"[k % 2 if k > 1 else 2])},
        ),
        Kind(
            "an outcome with more than ten labels",
            "The target must have exactly two labels.",
            {"t.csv": table(outcome=lambda k: "abcdefghijklm"[k % 12])},
        ),
        Kind(
            "an empty outcome",
            "The target column is empty.",
            {"t.csv": table(outcome="")},
        ),
        Kind(
            "only one patient of a class",
            "Class 'yes' has too few units: leaving out two of them must leave one to train on.",
            {"t.csv": table(outcome=lambda k: "no" if k else "yes")},
        ),
        Kind(
            "no such positive label",
            "The positive label does not occur in the target column.",
            CSV,
            f"{RUN} --positive ja",
        ),
        Kind(
            "the positive label in another case",
            "'yes' counts as positive (as requested)",
            CSV,
            f"{RUN} --positive YES",
            FINE,
        ),
        Kind(
            "numbers and text in a column",
            "Column 'marker' mixes numbers and text.",
            {"t.csv": table(marker=lambda k: k if k else "<0.1")},
        ),
        Kind(
            "a single class",
            "Two to 10 classes are told apart.",
            CSV,
            f"{RUN} --classes yes",
            USAGE,
        ),
        Kind(
            "one label in two classes",
            "A label can belong to one class only.",
            CSV,
            f"{RUN} --classes yes,no no",
        ),
        Kind(
            "two labels, one of which does not occur",
            "The outcome has no such label.",
            CSV,
            f"{RUN} --classes yes maybe",
        ),
        Kind("rows that do not exist", "There are no such rows.", CSV, f"{RUN} --rows 1-99"),
        Kind(
            "rows by a value that does not occur",
            "No row holds this value.",
            CSV,
            f"{RUN} --rows age=200",
        ),
        Kind(
            "rows by an expression",
            "Rows are chosen by number, or by what stands in a column.",
            CSV,
            f"{RUN} --rows 'len(age)'",
        ),
        Kind(
            "infinite numbers",
            "Features must be finite numbers.",
            {"t.csv": table(marker=lambda k: k % 5 if k else "inf")},
        ),
        Kind(
            "no column to predict from",
            "No features are left.",
            {"t.csv": table(age=1, marker="")},
        ),
        Kind("no such feature", "There is no such column.", CSV, f"{RUN} --features marke"),
        Kind("no such column to drop", "There is no such column.", CSV, f"{RUN} --drop marke"),
        Kind("no such group", "There is no such column.", CSV, f"{RUN} --group patient"),
        Kind(
            "a group with gaps",
            "The group column has gaps.",
            {"t.csv": table(ward=lambda k: "" if k < 3 else k % 4)},
            f"{RUN} --group ward",
        ),
        Kind(
            "a single group",
            "Leaving out group 'A' leaves no unit of class 'yes' to train on.",
            {"t.csv": table(ward="A")},
            f"{RUN} --group ward",
        ),
        Kind(
            "a gap in every row",
            "Every row has a missing value.",
            {
                "t.csv": table(
                    age=lambda k: k % 5 if k % 2 else "", marker=lambda k: "" if k % 2 else k % 5
                )
            },
            f"{RUN} --missing drop",
        ),
        Kind(
            "escape sequences in labels",
            "negative ('\\x1b[31mill')",
            {"t.csv": table(outcome=lambda k: ("well", "\x1b[31mill")[k % 2])},
            code=FINE,
        ),
    ),
    "The options": (
        Kind("no outcome named", "--target", CSV, "run t.csv", USAGE),
        Kind("no such option", "--nonsense", CSV, f"{RUN} --nonsense", USAGE),
        Kind("a word for a number", "--specificity", CSV, f"{RUN} --specificity high", USAGE),
        Kind(
            "per cent for a share",
            "--specificity must be between 0 and 1.",
            CSV,
            f"{RUN} --specificity 90",
            USAGE,
        ),
        Kind(
            "a confidence level of 95",
            "--confidence-level must be strictly between 0 and 1.",
            CSV,
            f"{RUN} --confidence-level 95",
            USAGE,
        ),
        Kind(
            "a prevalence of 0",
            "--prevalence must be strictly between 0 and 1.",
            CSV,
            f"{RUN} --prevalence 0",
            USAGE,
        ),
        Kind(
            "not a number",
            "--prevalence must be strictly between 0 and 1.",
            CSV,
            f"{RUN} --prevalence nan",
            USAGE,
        ),
        Kind(
            "a negative seed",
            "--seed must be a whole number, at least 0.",
            CSV,
            f"{RUN} --seed -1",
            USAGE,
        ),
        Kind(
            "no processes",
            "--n-jobs must be a whole number other than 0, or None.",
            CSV,
            "run t.csv --target outcome --n-jobs 0",
            USAGE,
        ),
        Kind(
            "a missing value that no cell holds",
            "No cell holds this value.",
            CSV,
            f"{RUN} --missing guess",
        ),
        Kind(
            "a report over the data",
            "--csv would overwrite the data.",
            CSV,
            f"{RUN} --csv t.csv",
            USAGE,
        ),
        Kind(
            "two reports in one file",
            "--md would overwrite --html.",
            CSV,
            f"{RUN} --md r --html r",
            USAGE,
        ),
        Kind(
            "a report in place of a folder",
            "--html cannot be written there.",
            CSV,
            f"{RUN} --html .",
            USAGE,
        ),
        Kind(
            "a report of a kind that is not written",
            "The ending of the name says what is written: .html, .pdf or .docx.",
            CSV,
            f"{RUN} --html r.doc",
            USAGE,
        ),
        Kind(
            "a report inside a file",
            "--html cannot be written there.",
            CSV,
            f"{RUN} --html t.csv/r.html",
            USAGE,
        ),
        Kind(
            "a shard without a journal",
            "A shard writes its journal, and nothing else.",
            CSV,
            f"{RUN} --shard 1/2",
            USAGE,
        ),
        Kind(
            "a shard that does not exist",
            "A shard is a number and how many there are, counted from one.",
            CSV,
            f"{RUN} --shard 3/2 --journal j.tlpo",
            USAGE,
        ),
    ),
    "The model": (
        Kind(
            "no such model",
            "There is no such model.",
            CSV,
            "run t.csv --target outcome --model rigde",
            USAGE,
        ),
        Kind(
            "no such parameter",
            "The model 'knn' has no such parameter.",
            CSV,
            "run t.csv --target outcome --model knn:k=3",
            USAGE,
        ),
        Kind(
            "a parameter out of range",
            "The model 'knn:n_neighbors=-3' cannot be fitted to the table.",
            CSV,
            "run t.csv --target outcome --model knn:n_neighbors=-3 --n-jobs 1",
        ),
        Kind(
            "the same model twice",
            "Every model can be given only once.",
            CSV,
            f"{RUN} --model rls",
            USAGE,
        ),
        Kind(
            "no such module",
            "The model cannot be imported.",
            CSV,
            "run t.csv --target outcome --model nowhere:model",
        ),
        Kind(
            "no such attribute",
            "The model cannot be imported.",
            CSV,
            "run t.csv --target outcome --model math:model",
        ),
        Kind(
            "not an estimator",
            "The model is not an estimator.",
            CSV,
            "run t.csv --target outcome --model math:pi",
        ),
        Kind(
            "a model that ends the process",
            "The model cannot be imported.",
            CSV,
            "run t.csv --target outcome --model sys:exit",
        ),
        Kind(
            "a model whose fit raises",
            "The model 'mine:Model' cannot be fitted to the table.",
            own(FIT.format("raise ArithmeticError('no')")),
            "run t.csv --target outcome --model mine:Model --n-jobs 1",
        ),
        Kind(
            "a model whose fit ends the process",
            "The model 'mine:Model' cannot be fitted to the table.",
            own(FIT.format("raise SystemExit")),
            "run t.csv --target outcome --model mine:Model --n-jobs 1",
        ),
    ),
    "Analyses and journals": (
        Kind("not JSON", "The file is not JSON, or it was cut off.", CSV, "render t.csv"),
        Kind(
            "JSON that was cut off",
            "The file is not JSON, or it was cut off.",
            {"r.json": '{"schema": 2, "models": ['},
            "render r.json",
        ),
        Kind(
            "brackets nested without end",
            "The file is not JSON, or it was cut off.",
            {"r.json": "[" * 100_000},
            "render r.json",
        ),
        Kind(
            "other JSON",
            "The file is JSON, but not an analysis.",
            {"r.json": "[1, 2]"},
            "render r.json",
        ),
        Kind(
            "an analysis of another schema",
            "The analysis follows another schema; this version of tlpo reads schema 2.",
            {"r.json": '{"schema": 9, "version": "9.0", "models": []}'},
            "render r.json",
        ),
        Kind(
            "an analysis with parts missing",
            "The analysis is incomplete or was changed.",
            {"r.json": json.dumps({"schema": 2, "version": "1.0", "models": []})},
            "render r.json",
        ),
        Kind("no such journal", "The journal cannot be read.", {}, "journal j.tlpo"),
        Kind(
            "a file that is no journal",
            "This file is not a journal, and will not be overwritten.",
            {**CSV, "j.tlpo": table()},
            f"{RUN} --journal j.tlpo",
        ),
        Kind(
            "the journal of another run",
            "The journal belongs to another run.",
            {**CSV, "j.tlpo": journal_of_another},
            f"{BAYES} --journal j.tlpo",
        ),
        Kind("nothing to merge", "The journal cannot be read.", {}, "merge j.tlpo k.tlpo"),
    ),
    "Arrays, in Python": (
        Kind(
            "missing values",
            "The estimator failed on the pair (0, 1).",
            call=rls(X=np.where(X > 5, np.nan, X)),
        ),
        Kind(
            "infinite values",
            "The estimator failed on the pair (0, 1).",
            call=rls(X=np.where(X > 5, np.inf, X)),
        ),
        Kind(
            "features in one dimension",
            "The estimator failed on the pair (0, 1).",
            call=rls(X=X[:, 0]),
        ),
        Kind(
            "more labels than rows",
            "X and y must describe the same units.",
            call=rls(y=np.arange(13) % 2),
        ),
        Kind("three classes", "y must contain exactly two classes.", call=rls(y=np.arange(12) % 3)),
        Kind("one class", "y must contain exactly two classes.", call=rls(y=np.zeros(12))),
        Kind("a missing label", "y has missing labels.", call=rls(y=[None, *Y[1:]])),
        Kind(
            "a positive label that does not occur",
            "positive must be one of the labels in y.",
            call=rls(positive="yes"),
        ),
        Kind(
            "groups of another length",
            "groups must have one value per unit.",
            call=rls(groups=[1, 2, 3]),
        ),
        Kind(
            "a class instead of an estimator",
            "estimator must be an instance, not a class.",
            call=rls(estimator=tlpo.RLS),
        ),
        Kind(
            "no estimator at all",
            "estimator must be a scikit-learn classifier, regressor or pipeline.",
            call=rls(estimator="ridge"),
        ),
        Kind("no such engine", "There is no such engine.", call=rls(engine="steam")),
        Kind("no rows", "y must contain exactly two classes.", call=rls(X=np.empty((0, 2)), y=[])),
        Kind(
            "no features", "The estimator failed on the pair (0, 1).", call=rls(X=np.empty((12, 0)))
        ),
    ),
}


def make_table() -> str:
    """Return the table of the page."""
    rows = [
        (where if k == 0 else "", kind.name, kind.says.replace("|", "\\|"), _ending(kind))
        for where, kinds in KINDS.items()
        for k, kind in enumerate(kinds)
    ]
    return markdown_table(("where", "what is wrong", "what you read", "exit code"), rows)


def _ending(kind: Kind) -> str:
    return "exception" if kind.call is not None else str(kind.code)


def main() -> None:
    """Try everything out, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--write", action="store_true", help="write docs/reliability.md")
    wanted = parser.parse_args()
    for where, kinds in KINDS.items():
        for kind in kinds:
            with tempfile.TemporaryDirectory() as folder:
                found = try_out(kind, Path(folder))
            print(f"{where}: {kind.name}: exit code {found.code}\n{found.said}{found.out}")
    if wanted.write:
        write_blocks(DOCS / "reliability.md", {"bad input": make_table()})


if __name__ == "__main__":
    main()
