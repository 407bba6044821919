"""Read a table from text: CSV and its relatives, in any common dialect and encoding."""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO

from tlpo.errors import InputError, arg, enumerate_briefly, explain
from tlpo.tables.cells import Doubt, as_number, may_be_either
from tlpo.tables.exact_numbers import restore_whole
from tlpo.tables.formats import name_formats
from tlpo.tables.options import Reading

if TYPE_CHECKING:
    import pandas as pd

SEPARATORS = ",;\t|"
# What counts as missing in a text file; "None" may be an answer.
MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "#N/A", "NULL", "null", ".")
# What is looked at to detect separator and decimal mark: enough of any table, little of a wide one.
LINES, CHARACTERS, ROWS, CELLS = 50, 1_000_000, 200, 1_000_000
# The lines of the longest note in a cell; what is longer is rows that a stray mark has swallowed.
LONGEST = 200
# Above this width pandas is faster and leaner if it reads all rows at once.
WIDE = 4096
# Rows in which a header is looked for.
TITLES = 30
# Larger tables are not read a second time to see how numbers are written.
MOST_CELLS_READ_TWICE = 2_000_000
_COMMA = re.compile(r"-?\d+,\d+")
_NUMBER = re.compile(r"-?\d+(,\d+)?")
# The end of a line within a name, and a word that it parts.
_PARTED = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010]\s*[\r\n]+\s*(?=[^\W\d_])")
_LINE = re.compile(r"\s*[\r\n]+\s*")

Source = Callable[[], BinaryIO]


def read_text(source: Source, name: str, reading: Reading) -> pd.DataFrame:
    """Read a table in passes over the text, none of which keeps more than the table itself.

    Parameters
    ----------
    source : callable
        Opens the file, as often as it is called.
    name : str
        What the file is called in messages.
    reading : Reading
        How to read it, where it should not be detected.
    """
    encoding = _encoding(source, name, reading.encoding)
    notes = []
    with _cells_of_any_length():
        told, first = _told_separator(source, encoding)
        sep = reading.separator or told or _separator(source, encoding)
        if reading.header_row is not None:
            first = reading.header_row
        else:
            first, titles = _header_line(source, encoding, sep, first)
            notes = say_titles(titles, first)
        header, sample = _check_rows(source, encoding, sep, name, first)
    decimal = reading.decimal
    if decimal is None and reading.usual_decimal != sep:
        decimal = reading.usual_decimal
    doubts = {}
    if decimal is None:
        decimal = "," if sep != "," and _has_decimal_comma(sample) else "."
        doubts = _doubtful_commas(header, sample) if decimal == "," else {}
    if decimal == sep and has_written_commas(sample):
        decimal = "."  # numbers in quotation marks, which are read once they are in a table
    if decimal == sep:
        raise InputError(
            explain(
                "The separator cannot be the decimal mark as well.",
                f"You passed {name} with {arg('decimal', decimal)}, which also separates its "
                "cells.",
                "Leave it out to have it detected.",
            )
        )
    skip = first - 1
    frame = _parse(source, encoding, name, sep=sep, decimal=decimal, names=header, skiprows=skip)
    as_written = partial(_as_written, source, encoding, header, sep, skip)
    padded = padded_columns(frame, as_written)
    frame = restore_whole(frame, as_written)
    frame.attrs |= {"padded": padded, "notes": notes, "doubts": doubts}
    return frame


def _told_separator(source: Source, encoding: str) -> tuple[str | None, int]:
    """Return the separator that Excel writes into a line of its own, and where the rest begins."""
    with _lines(source, encoding) as text:
        for number, line in enumerate(text, start=1):
            if line.strip():
                told = re.fullmatch(r'"?sep=(.)"?[;,\s]*', line.strip("\r\n"), re.IGNORECASE)
                return (told[1], number + 1) if told else (None, 1)
    return None, 1


def _header_line(source: Source, encoding: str, sep: str, first: int) -> tuple[int, list[str]]:
    """Return the line of the header, and what stands above it."""
    starts, rows = [], []
    with _lines(source, encoding) as text:
        for _ in range(first - 1):
            next(text)
        reader = csv.reader(text, delimiter=sep, skipinitialspace=True)
        line = first - 1
        for row in reader:
            start, line = line + 1, first - 1 + reader.line_num
            if any(cell.strip() for cell in row):
                starts.append(start)
                rows.append([cell.strip() for cell in row])
            if len(rows) == TITLES:
                break
    at = find_header(rows)
    return (starts[at] if rows else first), [" ".join(filter(None, row)) for row in rows[:at]]


def find_header(rows: list[list[str]]) -> int:
    """Return which of the first rows of a file has the names of the columns.

    A title fills one cell. What follows it is a header only if it fills several, all with text.

    Examples
    --------
    >>> find_header([["Study 7", ""], ["", ""], ["age", "outcome"], ["50", "yes"]])
    2
    >>> find_header([["age"], ["50"]]), find_header([["age", ""], ["50", "yes"]])
    (0, 0)
    """
    filled = [[cell for cell in row if cell] for row in rows]
    at = next((k for k, row in enumerate(filled) if len(row) > 1), 0)
    is_text = at < len(rows) - 1 and all(as_number(cell) is None for cell in filled[at])
    # Titles stand above at least two columns of which the header names each.
    return at if is_text and len(filled[at]) >= max(map(len, filled)) else 0


def say_titles(titles: list[str], row: int) -> list[str]:
    """Say which row was taken for the header, if it is not the first; a title may name people."""
    if not titles:
        return []
    return [f"Row {row} was taken for the header; what stands above it was not used."]


def padded_columns(
    frame: pd.DataFrame, as_written: Callable[[list[int]], pd.DataFrame]
) -> list[str]:
    """Name the columns in which a number is written both with and without leading zeros.

    Once read, 007 and 7 are the same number; as names of groups they may not be. ``as_written``
    reads some columns again, as text.
    """
    whole = [k for k, kind in enumerate(frame.dtypes) if kind.kind == "i"]
    if not whole or frame.size > MOST_CELLS_READ_TWICE:
        return []
    written = as_written(whole)
    return [str(name) for name in written if _is_padded_at_times(set(written[name].str.strip()))]


def _is_padded_at_times(cells: set[str]) -> bool:
    padded = (c for c in cells if c.startswith("0") and len(c) > 1 and c.isdecimal())
    return any((c.lstrip("0") or "0") in cells for c in padded)


def _as_written(
    source: Source, encoding: str, names: list[str], sep: str, skiprows: int, columns: list[int]
) -> pd.DataFrame:
    import pandas as pd

    with source() as file:
        frame: pd.DataFrame = pd.read_csv(
            file,
            sep=sep,
            skiprows=skiprows,
            encoding=encoding,
            encoding_errors="replace",
            header=0,
            names=names,
            index_col=False,
            usecols=columns,
            dtype=str,
            skipinitialspace=True,
        )
    return frame


def _parse(source: Source, encoding: str, name: str, **how: Any) -> pd.DataFrame:
    import pandas as pd

    in_parts = len(how["names"]) <= WIDE

    def parse(in_parts: bool) -> pd.DataFrame:
        with source() as file:
            frame: pd.DataFrame = pd.read_csv(
                file,
                encoding=encoding,
                encoding_errors="replace",
                header=0,
                skipinitialspace=True,
                index_col=False,
                keep_default_na=False,
                na_values=list(MISSING),
                low_memory=in_parts,
                **how,
            )
        return frame

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.DtypeWarning)
            try:
                # A copy has one block per type instead of one per column.
                return parse(True) if in_parts else parse(False).copy()
            except pd.errors.DtypeWarning:
                # Numbers in one part and text in another: the label 1 would become 1 and 1.0.
                return parse(False)
    except pd.errors.ParserError as error:
        raise InputError(
            explain(
                "The file cannot be read as a table.",
                f"You passed {name}, read with the separator {how['sep']!r}: {error}.",
                "Open it in the program it comes from and save it again as CSV.",
            )
        ) from error


def _encoding(source: Source, name: str, encoding: str | None) -> str:
    """Return the encoding given or detected, after decoding everything once."""
    if encoding is None:
        with source() as file:
            marked = file.read(2) in (b"\xff\xfe", b"\xfe\xff")
        encoding = "utf-16" if marked else "utf-8-sig"
        try:
            return _decode(source, name, encoding)
        except UnicodeDecodeError as error:
            if marked:
                raise _undecodable(name, encoding, error) from error
        # The commonest of the encodings that fit any bytes; _parse replaces the few it lacks.
        return _decode(source, name, "cp1252", "replace")
    try:
        return _decode(source, name, encoding)
    except (UnicodeError, LookupError) as error:  # or not an encoding of text
        raise _undecodable(name, encoding, error) from error


def _decode(source: Source, name: str, encoding: str, errors: str = "strict") -> str:
    """Decode everything, which may fail, and return the encoding."""
    blank = True
    with _lines(source, encoding, errors) as text:
        while part := text.read(CHARACTERS):
            if "\0" in part:
                raise InputError(
                    explain(
                        "The file is not text.",
                        f"You passed {name}.",
                        f"Supported are {name_formats()}; the ending of the name must say which.",
                    )
                )
            blank = blank and part.isspace()
    if blank:
        raise InputError(
            explain("The file is empty.", f"You passed {name}.", "Pass a table with a header.")
        )
    return encoding


def _undecodable(name: str, encoding: str, error: Exception) -> InputError:
    return InputError(
        explain(
            "The text cannot be decoded.",
            f"You passed {name} with {arg('encoding', encoding)}: {error}.",
            "Name the encoding it was saved with, or leave it out to have it detected.",
        )
    )


@contextmanager
def _lines(source: Source, encoding: str, errors: str = "replace") -> Iterator[io.TextIOWrapper]:
    # The file is closed also if there is no such encoding.
    with source() as file, io.TextIOWrapper(file, encoding, errors, newline="") as text:
        yield text


@contextmanager
def _cells_of_any_length() -> Iterator[None]:
    """Lift the limit of ``csv``: read with another separator, a line of genes is one long cell."""
    limit = csv.field_size_limit(2**31 - 1)  # a C long, which has 32 bits on Windows
    try:
        yield
    finally:
        csv.field_size_limit(limit)


def _separator(source: Source, encoding: str) -> str:
    """Return the character that splits most of the first lines into equally many cells."""
    lines: list[str] = []
    with _lines(source, encoding) as text:
        for line in islice(filter(str.strip, text), LINES):
            lines.append(line)
            if len(lines) > 1 and sum(map(len, lines)) > CHARACTERS:
                break
    best, most = ",", 0
    for sep in SEPARATORS:
        counts = Counter(len(row) for row in csv.reader(lines, delimiter=sep) if row)
        width, agreeing = counts.most_common(1)[0]
        if width > 1 and (agreeing, width) > (most, 0):
            best, most = sep, agreeing
    return best


def _check_rows(
    source: Source, encoding: str, sep: str, name: str, first: int
) -> tuple[list[str], list[list[str]]]:
    """Return the header and the first rows, once every row is known to be as wide as the header."""
    header: list[str] = []
    sample: list[list[str]] = []
    line = first - 1
    with _lines(source, encoding) as text:
        for _ in range(first - 1):
            next(text, None)
        # Strict: a quotation mark out of place may swallow any number of rows.
        reader = csv.reader(text, delimiter=sep, skipinitialspace=True, strict=True)
        try:
            for row in reader:
                start, line = line + 1, first - 1 + reader.line_num
                if not row or row == [""]:
                    continue
                if line - start > LONGEST:
                    raise _misquoted(name, f"is closed only {line - start} lines later", start)
                if not header:
                    header = [on_one_line(cell.strip()) for cell in row]
                    require_distinct(header, name)
                    most = min(ROWS, max(1, CELLS // len(header)))
                elif len(row) != len(header):
                    raise InputError(
                        explain(
                            f"Line {start} has {len(row)} cells, the header has {len(header)}.",
                            f"You passed {name}, read with the separator {sep!r}.",
                            "Quote cells that contain the separator, or name another, for example "
                            f"{arg('sep', ';')}. If the header is further down, say in which "
                            "line, for "
                            f"example {arg('header_row', 3)}.",
                        )
                    )
                elif len(sample) < most:
                    sample.append(row)
        except csv.Error as error:
            closed = "unexpected end" not in str(error)
            what = "is out of place" if closed else "is never closed"
            raise _misquoted(name, what, line + 1) from error
    if not sample:
        raise no_rows(name)
    return header, sample


def _misquoted(name: str, what: str, line: int) -> InputError:
    return InputError(
        explain(
            f"A quotation mark {what}.",
            f"You passed {name}; look at the row that begins in line {line}.",
            "Remove the mark, or write the whole cell in quotation marks and those inside it "
            'twice, as in "a ""small"" one".',
        )
    )


def _has_decimal_comma(rows: list[list[str]]) -> bool:
    candidates = {k for row in rows for k, cell in enumerate(row) if "," in cell}
    for k in candidates:
        filled = [cell for row in rows if (cell := row[k].strip()) not in MISSING]
        if all(map(_NUMBER.fullmatch, filled)) and any(map(_COMMA.fullmatch, filled)):
            return True
    return False


def _doubtful_commas(header: list[str], rows: list[list[str]]) -> dict[str, Doubt]:
    """Return an example of every column whose commas may separate thousands, if all may."""
    found = {}
    for k, name in enumerate(header):
        filled = [cell for row in rows if (cell := row[k].strip()) not in MISSING]
        if not any("," in cell for cell in filled) or not all(map(_NUMBER.fullmatch, filled)):
            continue
        if not may_be_either(filled):
            return {}
        found[name] = Doubt(filled[0], filled[0].replace(",", "."), filled[0].replace(",", ""))
    return found


def has_written_commas(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether cells that separators do not split hold numbers with a comma."""
    return any(_COMMA.fullmatch(cell.strip()) for row in rows for cell in row)


def on_one_line(name: str) -> str:
    r"""Join the lines of a column name; a hyphen at the end of one parts a word.

    Unless what follows begins with a capital or a digit.

    Examples
    --------
    >>> on_one_line("Recur-\nrence"), on_one_line("Age at\r\ndiagnosis"), on_one_line("CA 19-\n9")
    ('Recurrence', 'Age at diagnosis', 'CA 19-9')
    """
    whole = _PARTED.sub(lambda at: "-" if name[at.end()].isupper() else "", name)
    return _LINE.sub(lambda at: "" if whole[: at.start()].endswith("-") else " ", whole)


def require_distinct(names: list[str], source: str) -> None:
    """Refuse a table that has two columns of the same name."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(
            explain(
                "Column names must be unique.",
                f"You passed {source}, which repeats {enumerate_briefly(twice)}.",
                "Rename the columns.",
            )
        )


def no_rows(name: str, other_sheets: Sequence[str] = ()) -> InputError:
    """Return the error for a table that has only a header."""
    remedy = "Pass one row per patient."
    if other_sheets:
        remedy += (
            f" Other sheets are {enumerate_briefly(other_sheets)}: for example "
            f"{arg('sheet', other_sheets[0])}."
        )
    return InputError(explain("The table has no rows.", f"You passed {name}.", remedy))
