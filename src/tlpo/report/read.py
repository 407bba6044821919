"""Read a table from any common kind of file, with every message for a file that cannot be read."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tlpo.errors import InputError, UsageError, enumerate_briefly, explain
from tlpo.report.options import Reading

if TYPE_CHECKING:
    import pandas as pd

SEPARATORS = ",;\t|"
TEXT = (".csv", ".tsv", ".txt", "")
KINDS = "CSV, TSV, Excel (.xlsx), Parquet, SPSS (.sav), Stata (.dta), SAS (.sas7bdat, .xpt)"
# What counts as missing in a text file; "None" may be an answer.
MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "#N/A", "NULL", "null", ".")
DETECT = Reading()
_COMMA = re.compile(r"-?\d+,\d+")


def read_table(path: str, reading: Reading = DETECT) -> pd.DataFrame:
    """Read a table with a header.

    Parameters
    ----------
    path : str
        A file, or "-" for text on standard input.
    reading : Reading
        How to read it, where it should not be detected.
    """
    if path == "-":
        return _text(sys.stdin.buffer.read(), "standard input", reading)
    file = require_file(path)
    kind = file.suffix.lower()
    if reading.sheet is not None and _BINARY.get(kind) is not _excel:
        raise UsageError(
            explain(
                "Only Excel files have sheets.",
                f"You passed {path!r} and sheet={reading.sheet!r}.",
                f"Leave out sheet={reading.sheet!r}.",
            )
        )
    if kind in TEXT:
        return _text(file.read_bytes(), repr(path), reading)
    reader = _BINARY.get(kind)
    if reader is None:
        raise InputError(
            explain(
                "This kind of file is not supported.",
                f"You passed {path!r}.",
                f"Supported are {KINDS}; save the table as one of these.",
            )
        )
    try:
        frame: pd.DataFrame = reader(file, reading.sheet)
    except ImportError as error:
        raise InputError(
            explain(
                "Reading this file needs another package.",
                f"You passed {path!r}: {error}.",
                "Install it with: pip install 'tlpo[io]'.",
            )
        ) from error
    except InputError:
        raise
    except Exception as error:  # readers of foreign formats raise what they like
        raise InputError(
            explain(
                "The file cannot be read.",
                f"You passed {path!r}: {type(error).__name__}: {error}.",
                "Open it in the program it comes from and save it again, or as CSV.",
            )
        ) from error
    frame.columns = [str(name) for name in frame.columns]
    _require_distinct(list(frame.columns), repr(path))
    if frame.empty:
        raise _no_rows(repr(path))
    return frame


def require_file(path: str) -> Path:
    """Return the path if it is a file; otherwise suggest one with a similar name."""
    file = Path(path)
    if file.is_file():
        return file
    near = _nearby(file)
    raise InputError(
        explain(
            "There is no such file.",
            f"You passed {path!r}.",
            f"Did you mean {near!r}?" if near else "Check the path.",
        )
    )


def _text(content: bytes, name: str, reading: Reading) -> pd.DataFrame:
    import pandas as pd

    text = _decode(content, name, reading.encoding)
    if not text.strip():
        raise InputError(
            explain("The file is empty.", f"You passed {name}.", "Pass a table with a header.")
        )
    sep = reading.separator or _separator(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=sep)
    lines, rows = zip(*((reader.line_num, row) for row in reader if row), strict=True)
    header = [cell.strip() for cell in rows[0]]
    _require_distinct(header, name)
    for line, row in zip(lines, rows, strict=True):
        if len(row) != len(header):
            raise InputError(
                explain(
                    f"Line {line} has {len(row)} cells, the header has {len(header)}.",
                    f"You passed {name}, read with the separator {sep!r}.",
                    "Quote cells that contain the separator, or name another, for example sep=';'.",
                )
            )
    if len(rows) == 1:
        raise _no_rows(name)
    decimal = reading.decimal
    if decimal is None:
        decimal = "," if sep != "," and _has_decimal_comma(list(rows[1:])) else "."
    frame = pd.read_csv(
        io.StringIO(text, newline=""),
        sep=sep,
        decimal=decimal,
        names=header,
        header=0,
        skipinitialspace=True,
        index_col=False,
        keep_default_na=False,
        na_values=list(MISSING),
    )
    # Once read, 007 and 7 are the same number; as names of groups they may not be.
    frame.attrs["padded"] = [
        str(name)
        for name, cells in zip(header, zip(*rows[1:], strict=True), strict=True)
        if _is_padded_at_times({cell.strip() for cell in cells})
    ]
    return frame


def _is_padded_at_times(cells: set[str]) -> bool:
    """Return whether some number is written both with and without leading zeros."""
    padded = (c for c in cells if c.startswith("0") and len(c) > 1 and c.isdecimal())
    return any((c.lstrip("0") or "0") in cells for c in padded)


def _decode(content: bytes, name: str, encoding: str | None) -> str:
    if encoding is not None:
        try:
            return content.decode(encoding)
        except (UnicodeDecodeError, LookupError) as error:  # or not an encoding of text
            raise InputError(
                explain(
                    "The text cannot be decoded.",
                    f"You passed {name} with encoding={encoding!r}: {error}.",
                    "Name the encoding it was saved with, or leave it out to have it detected.",
                )
            ) from error
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16")
    if b"\x00" in content:
        raise InputError(
            explain(
                "The file is not text.",
                f"You passed {name}.",
                f"Supported are {KINDS}; the extension of the file must say which.",
            )
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def _separator(text: str) -> str:
    """Return the character that splits most of the first lines into equally many cells."""
    lines = text.splitlines()[:50]
    best, most = ",", 0
    for sep in SEPARATORS:
        counts = Counter(len(row) for row in csv.reader(lines, delimiter=sep) if row)
        width, agreeing = counts.most_common(1)[0]
        if width > 1 and (agreeing, width) > (most, 0):
            best, most = sep, agreeing
    return best


def _has_decimal_comma(rows: list[list[str]]) -> bool:
    columns = list(zip(*rows[:200], strict=True))
    for column in columns:
        filled = [cell.strip() for cell in column if cell.strip() not in MISSING]
        with_comma = [cell for cell in filled if _COMMA.fullmatch(cell)]
        numbers = [cell for cell in filled if re.fullmatch(r"-?\d+(,\d+)?", cell)]
        if with_comma and len(numbers) == len(filled):
            return True
    return False


def _excel(file: Path, sheet: str | None) -> pd.DataFrame:
    import pandas as pd

    with pd.ExcelFile(file) as book:
        names = [str(name) for name in book.sheet_names]
        if sheet is not None and sheet not in names:
            raise InputError(
                explain(
                    "There is no such sheet.",
                    f"You passed sheet={sheet!r}; there are {enumerate_briefly(names)}.",
                    f"Pass one of these, for example sheet={names[0]!r}.",
                )
            )
        chosen = names[0] if sheet is None else sheet
        # pandas would call the second "a" "a.1"
        header = pd.read_excel(book, sheet_name=chosen, header=None, nrows=1)
        _require_distinct([str(name) for name in header.to_numpy().ravel()], repr(str(file)))
        return pd.read_excel(
            book, sheet_name=chosen, keep_default_na=False, na_values=list(MISSING)
        )


def _parquet(file: Path, _: str | None) -> pd.DataFrame:
    import pandas as pd

    return pd.read_parquet(file)


def _labelled(reader: str) -> Any:
    def read(file: Path, _: str | None) -> pd.DataFrame:
        import pandas as pd
        import pyreadstat

        frame, meta = getattr(pyreadstat, reader)(str(file))
        for name, labels in meta.variable_value_labels.items():
            codes = sorted(frame[name].dropna().unique())
            # A code for "refused" among ages does not turn the ages into labels.
            if all(code in labels for code in codes):
                ordered = list(dict.fromkeys(str(labels[code]) for code in codes))
                values = [None if pd.isna(v) else str(labels[v]) for v in frame[name]]
                frame[name] = pd.Categorical(values, ordered, ordered=True)
        return frame  # type: ignore[no-any-return]

    return read


_CARD = 80  # bytes of a record of a SAS transport file
_COLUMNS = re.compile(rb"(?:NAMESTR|NAMSTV8) HEADER RECORD!{7}0{6}(\d{4}).{22}", re.DOTALL)
_ROWS = re.compile(rb"OBS(?:V8  |    ) HEADER RECORD!{7}(.{30})..", re.DOTALL)


def _xport(file: Path, sheet: str | None) -> pd.DataFrame:
    content = file.read_bytes()
    if content.startswith(b"HEADER RECORD") and _is_cut(content):
        raise InputError(
            explain(
                "The file was cut off.",
                f"You passed {str(file)!r}: its {len(content)} bytes end before its last row.",
                "Copy or export it again.",
            )
        )
    frame: pd.DataFrame = _labelled("read_xport")(file, sheet)
    return frame


def _is_cut(content: bytes) -> bool:
    """Return whether a SAS transport file ends too early; its reader would not notice.

    Version 5 does not say how many rows there are. But files are made of records of 80 bytes, the
    last filled up with blanks: what follows the last whole row is blank, and less than a record.
    A cut between two rows that is also one between two records cannot be told.
    """
    columns, rows = _COLUMNS.search(content), _ROWS.search(content)
    if len(content) % _CARD or columns is None or rows is None:
        return True
    if content.count(b"HEADER RECORD*******MEMB") > 1:  # several tables: the ends are not known
        return False
    size = int(content[4 * _CARD - 5 : 4 * _CARD - 2])  # of the description of a column
    first = columns.end()
    width = sum(
        int.from_bytes(content[at + 4 : at + 6], "big")
        for at in range(first, first + int(columns[1]) * size, size)
    )
    cells = content[rows.end() :]
    if int(rows[1]):  # how many there are, which version 8 may say
        return len(cells) < int(rows[1]) * width
    rest = cells[len(cells) - len(cells) % width :]
    return len(rest) >= _CARD or bool(rest.strip(b" "))


_BINARY = {
    ".xlsx": _excel,
    ".xlsm": _excel,
    ".parquet": _parquet,
    ".sav": _labelled("read_sav"),
    ".zsav": _labelled("read_sav"),
    ".dta": _labelled("read_dta"),
    ".sas7bdat": _labelled("read_sas7bdat"),
    ".xpt": _xport,
}


def _require_distinct(names: list[str], source: str) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(
            explain(
                "Column names must be unique.",
                f"You passed {source}, which repeats {enumerate_briefly(twice)}.",
                "Rename the columns.",
            )
        )


def _no_rows(name: str) -> InputError:
    return InputError(
        explain("The table has no rows.", f"You passed {name}.", "Pass one row per patient.")
    )


def _nearby(file: Path) -> str | None:
    from difflib import get_close_matches

    try:
        names = [entry.name for entry in file.parent.iterdir()]
    except OSError:
        return None
    near = get_close_matches(file.name, names, 1)
    return str(file.with_name(near[0])) if near else None
