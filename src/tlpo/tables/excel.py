"""Workbooks of Excel."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tlpo.errors import InputError, arg, enumerate_briefly, explain
from tlpo.tables.file_checks import EXCEL, refuse_inflated_workbook
from tlpo.tables.formats import Format
from tlpo.tables.options import Reading
from tlpo.tables.text import (
    MISSING,
    TITLES,
    find_header,
    padded_columns,
    require_distinct,
    say_titles,
)

if TYPE_CHECKING:
    import pandas as pd


def _read(file: Path, reading: Reading) -> pd.DataFrame:
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


def _sheets(file: Path) -> list[str]:
    import pandas as pd

    with pd.ExcelFile(file) as book:
        return [str(name) for name in book.sheet_names]


FORMAT = Format("Excel (.xlsx)", EXCEL, _read, has_header_row=True, sheets=_sheets)
