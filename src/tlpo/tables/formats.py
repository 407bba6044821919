"""The kinds of files that hold a table; text is read by `text`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tlpo.tables.file_checks import is_text, is_workbook
from tlpo.tables.options import Reading

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Format:
    """A kind of file.

    Attributes
    ----------
    name : str
        What it is called, with its usual ending.
    endings : tuple of str
        The endings of its files, in small letters.
    read : callable
        Reads a file.
    has_header_row : bool
        Whether the header may stand further down.
    sheets : callable, optional
        Lists the tables in a file that has several.
    """

    name: str
    endings: tuple[str, ...]
    read: Callable[[Path, Reading], pd.DataFrame]
    has_header_row: bool = False
    sheets: Callable[[Path], list[str]] | None = None


# What `text` reads; no ending is text as well.
TEXT = (".csv", ".tsv", ".txt", "")


def formats() -> list[Format]:
    """List what is not text. A new kind of file is a module with a `Format`, and a line here."""
    from tlpo.tables import excel, labelled, parquet

    return [excel.FORMAT, parquet.FORMAT, *labelled.FORMATS]


def find_format(path: Path) -> Format | None:
    """Return the format of a file by its ending; None for text or what is unknown.

    Workbooks are recognised under any name, and text that is called a workbook is text.
    """
    from tlpo.tables import excel

    ending = path.suffix.lower()
    found = next((one for one in formats() if ending in one.endings), None)
    if is_workbook(path):
        return excel.FORMAT
    return None if found is excel.FORMAT and is_text(path) else found


def name_formats() -> str:
    """Name every kind of file that can be read."""
    return ", ".join(["CSV", "TSV", *(one.name for one in formats())])


def list_endings() -> list[str]:
    """List the endings of every kind of file that can be read."""
    return [*filter(None, TEXT), *(ending for one in formats() for ending in one.endings)]
