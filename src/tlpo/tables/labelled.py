"""Files of SPSS, Stata and SAS, whose codes have labels."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tlpo.errors import InputError, explain
from tlpo.tables.file_checks import INFLATION, require_plausible
from tlpo.tables.formats import Format
from tlpo.tables.options import Reading

if TYPE_CHECKING:
    import pandas as pd


def _labelled(reader: str) -> Callable[[Path, Reading], pd.DataFrame]:
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
        said = meta.column_names_to_labels or {}
        frame.attrs["labels"] = {name: label for name, label in said.items() if label}
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
    return _labelled("read_xport")(file, reading)


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


FORMATS = (
    Format("SPSS (.sav)", (".sav", ".zsav"), _labelled("read_sav")),
    Format("Stata (.dta)", (".dta",), _labelled("read_dta")),
    Format("SAS (.sas7bdat)", (".sas7bdat",), _labelled("read_sas7bdat")),
    Format("SAS transport (.xpt)", (".xpt",), _xport),
)
