"""Read a table from any common kind of file, with every message for a file that cannot be read."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tlpo.errors import InputError, UsageError, arg, explain
from tlpo.tables.file_checks import EXCEL, refuse_foreign
from tlpo.tables.formats import TEXT, find_format, name_formats
from tlpo.tables.options import Reading
from tlpo.tables.text import no_rows, on_one_line, read_text, require_distinct

if TYPE_CHECKING:
    import pandas as pd

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
    frame = _read(path, reading)
    decimal = reading.usual_decimal if reading.decimal is None else reading.decimal
    if decimal is None:
        return frame
    frame.attrs["decimal"] = decimal
    return with_decimal_commas(frame) if decimal == "," else frame


def _read(path: str, reading: Reading) -> pd.DataFrame:
    if path == "-":
        content = sys.stdin.buffer.read()
        return read_text(lambda: io.BytesIO(content), "standard input", reading)
    file = require_file(path)
    kind = find_format(file)
    is_text = kind is None and file.suffix.lower() in (*TEXT, *EXCEL)
    if reading.sheet is not None and (kind is None or kind.sheets is None):
        raise UsageError(
            explain(
                "Only Excel files have sheets.",
                f"You passed {path!r} and {arg('sheet', reading.sheet)}.",
                f"Leave out {arg('sheet', reading.sheet)}.",
            )
        )
    if reading.header_row is not None and not (is_text or (kind and kind.has_header_row)):
        raise UsageError(
            explain(
                "Only text and Excel files have a row with a header.",
                f"You passed {path!r} and {arg('header_row', reading.header_row)}.",
                f"Leave out {arg('header_row', reading.header_row)}.",
            )
        )
    refuse_foreign(file)
    if is_text:
        return read_text(lambda: file.open("rb"), repr(path), reading)
    if kind is None:
        raise InputError(
            explain(
                "This kind of file is not supported.",
                f"You passed {path!r}.",
                f"Supported are {name_formats()}; save the table as one of these.",
            )
        )
    try:
        frame = kind.read(file, reading)
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
    frame.columns = [on_one_line(str(name)) for name in frame.columns]
    if "padded" in frame.attrs:
        frame.attrs["padded"] = [on_one_line(name) for name in frame.attrs["padded"]]
    require_distinct(list(frame.columns), repr(path))
    if frame.empty:
        raise no_rows(repr(path), frame.attrs.get("other_sheets", ()))
    return frame


def with_decimal_commas(frame: pd.DataFrame) -> pd.DataFrame:
    """Turn columns of text such as 1,182 into numbers; their comma is a decimal mark.

    Examples
    --------
    >>> import pandas as pd
    >>> with_decimal_commas(pd.DataFrame({"x": ["1,182", "2,5"], "y": ["a", "b"]})).x.tolist()
    [1.182, 2.5]
    """
    import pandas as pd

    changed = {}
    for name, dtype in zip(frame.columns, frame.dtypes, strict=True):
        if pd.api.types.is_numeric_dtype(dtype) or isinstance(dtype, pd.CategoricalDtype):
            continue
        texts = frame[name].map(lambda v: v.replace(",", ".") if isinstance(v, str) else v)
        numbers = pd.to_numeric(texts, errors="coerce")
        if (numbers.notna() == frame[name].notna()).all():
            changed[name] = numbers
    attrs = frame.attrs
    frame = frame.assign(**changed)
    frame.attrs = attrs
    return frame


def sheets_of(path: str) -> list[str]:
    """Return the sheets of a file; none if it can have only one table."""
    kind = find_format(Path(path))
    return [] if kind is None or kind.sheets is None else kind.sheets(Path(path))


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


def _nearby(file: Path) -> str | None:
    from difflib import get_close_matches

    try:
        names = [entry.name for entry in file.parent.iterdir()]
    except OSError:
        return None
    near = get_close_matches(file.name, [name for name in names if name != file.name], 1)
    return str(file.with_name(near[0])) if near else None
