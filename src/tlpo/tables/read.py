"""Read a table from any common kind of file, with every message for a file that cannot be read."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tlpo.errors import InputError, UsageError, arg, enumerate_briefly, explain
from tlpo.tables.file_checks import (
    INFLATION,
    refuse_foreign,
    refuse_inflated_workbook,
    require_plausible,
)
from tlpo.tables.options import Reading
from tlpo.tables.text import (
    KINDS,
    MISSING,
    TITLES,
    find_header,
    no_rows,
    padded_columns,
    read_text,
    require_distinct,
    say_titles,
)

if TYPE_CHECKING:
    import pandas as pd

TEXT = (".csv", ".tsv", ".txt", "")
DETECT = Reading()


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
        content = sys.stdin.buffer.read()
        return read_text(lambda: io.BytesIO(content), "standard input", reading)
    file = require_file(path)
    kind = file.suffix.lower()
    if reading.sheet is not None and _BINARY.get(kind) is not _excel:
        raise UsageError(
            explain(
                "Only Excel files have sheets.",
                f"You passed {path!r} and {arg('sheet', reading.sheet)}.",
                f"Leave out {arg('sheet', reading.sheet)}.",
            )
        )
    if reading.header_row is not None and kind not in TEXT and _BINARY.get(kind) is not _excel:
        raise UsageError(
            explain(
                "Only text and Excel files have a row with a header.",
                f"You passed {path!r} and {arg('header_row', reading.header_row)}.",
                f"Leave out {arg('header_row', reading.header_row)}.",
            )
        )
    refuse_foreign(file)
    if kind in TEXT:
        return read_text(lambda: file.open("rb"), repr(path), reading)
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
        frame: pd.DataFrame = reader(file, reading)
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
    require_distinct(list(frame.columns), repr(path))
    if frame.empty:
        raise no_rows(repr(path), frame.attrs.get("other_sheets", ()))
    return frame


def sheets_of(path: str) -> list[str]:
    """Return the sheets of an Excel file; none for any other kind."""
    import pandas as pd

    file = Path(path)
    if _BINARY.get(file.suffix.lower()) is not _excel:
        return []
    with pd.ExcelFile(file) as book:
        return [str(name) for name in book.sheet_names]


def require_file(path: str) -> Path:
    """Return the path if it is a file; otherwise suggest one with a similar name."""
    file = Path(path)
    if file.is_file():
        return file
    if file.is_dir():
        raise InputError(
            explain("That is a folder.", f"You passed {path!r}.", "Pass a file in it.")
        )
    near = _nearby(file)
    raise InputError(
        explain(
            "There is no such file.",
            f"You passed {path!r}.",
            f"Did you mean {near!r}?" if near else "Check the path.",
        )
    )


def _excel(file: Path, reading: Reading) -> pd.DataFrame:
    import pandas as pd

    refuse_inflated_workbook(file)
    sheet = reading.sheet
    with pd.ExcelFile(file) as book:
        names = [str(name) for name in book.sheet_names]
        if sheet is not None and sheet not in names:
            raise InputError(
                explain(
                    "There is no such sheet.",
                    f"You passed {arg('sheet', sheet)}; there are {enumerate_briefly(names)}.",
                    f"Pass one of these, for example {arg('sheet', names[0])}.",
                )
            )
        chosen = names[0] if sheet is None else sheet
        others = [name for name in names if name != chosen]
        row, notes = _excel_header(book, chosen, reading.header_row, repr(str(file)))
        frame = pd.read_excel(
            book, sheet_name=chosen, header=row, keep_default_na=False, na_values=list(MISSING)
        )
        frame.attrs["padded"] = padded_columns(
            frame,
            lambda columns: pd.read_excel(
                book, sheet_name=chosen, header=row, usecols=columns, dtype=str
            ),
        )
    if sheet is None and others:
        # Without their names: a workbook may have a sheet per patient.
        notes.append(f"The sheet {chosen!r} was read; others ({len(others)}) were not.")
    # Formatting beyond the table makes columns without a name and without a value.
    nameless = [name for name in frame.columns if str(name).startswith("Unnamed: ")]
    frame = frame.drop(columns=[name for name in nameless if frame[name].isna().all()])
    frame.attrs |= {"sheet": chosen, "other_sheets": others, "notes": notes}
    return frame


def _excel_header(
    book: pd.ExcelFile, sheet: str, header_row: int | None, name: str
) -> tuple[int, list[str]]:
    """Return the index of the row with the names of the columns, and what is to be said of it."""
    import pandas as pd

    first = 0 if header_row is None else header_row - 1
    top = pd.read_excel(
        book, sheet_name=sheet, header=None, nrows=TITLES, skiprows=first, dtype=object
    )
    rows = [["" if pd.isna(v) else str(v).strip() for v in row] for row in top.to_numpy().tolist()]
    if not rows:
        return 0, []
    at = find_header(rows) if header_row is None else 0
    # pandas would call the second "a" "a.1"
    require_distinct([cell for cell in rows[at] if cell], name)
    titles = [text for row in rows[:at] if (text := " ".join(filter(None, row)))]
    return first + at, say_titles(titles, at + 1)


def _parquet(file: Path, _: Reading) -> pd.DataFrame:
    import pandas as pd
    from pyarrow.parquet import ParquetFile

    with ParquetFile(file) as opened:
        shape = opened.metadata
        cells = shape.num_rows * shape.num_columns
    require_plausible(file, cells, INFLATION * file.stat().st_size)
    return pd.read_parquet(file)


def _labelled(reader: str) -> Any:
    def read(file: Path, _: Reading) -> pd.DataFrame:
        import pandas as pd
        import pyreadstat

        _, shape = getattr(pyreadstat, reader)(str(file), metadataonly=True)
        cells = (shape.number_rows or 0) * shape.number_columns
        require_plausible(file, cells, INFLATION * file.stat().st_size)
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


def _xport(file: Path, reading: Reading) -> pd.DataFrame:
    content = file.read_bytes()
    if content.startswith(b"HEADER RECORD") and _is_cut(content):
        raise InputError(
            explain(
                "The file was cut off.",
                f"You passed {str(file)!r}: its {len(content)} bytes end before its last row.",
                "Copy or export it again.",
            )
        )
    frame: pd.DataFrame = _labelled("read_xport")(file, reading)
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


def _nearby(file: Path) -> str | None:
    from difflib import get_close_matches

    try:
        names = [entry.name for entry in file.parent.iterdir()]
    except OSError:
        return None
    near = get_close_matches(file.name, [name for name in names if name != file.name], 1)
    return str(file.with_name(near[0])) if near else None
