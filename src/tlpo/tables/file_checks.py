"""Recognise files that no reader should open: of another kind, or far larger than they look."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

from tlpo.errors import InputError, explain

# What workbooks are called, and text is called that programs pass off as one.
EXCEL = (".xlsx", ".xlsm", ".xls")
# First bytes, what they mean, endings under which that is right, what to do under any other.
_KINDS = (
    (rb"PK\x03\x04", "a zip archive or an Excel workbook", EXCEL, "Unpack the archive "
     "and pass a table in it, or let the name of the workbook end in .xlsx."),
    (rb"\x1f\x8b", "compressed with gzip", (), "Unpack it first."),
    (rb"BZh\d1AY&SY", "compressed with bzip2", (), "Unpack it first."),
    (rb"\xfd7zXZ", "compressed with xz", (), "Unpack it first."),
    (rb"PAR1\x15", "a Parquet file", (".parquet",), "Let its name end in .parquet."),
    (rb"%PDF-", "a PDF document", (), "Save the table itself, for example as CSV."),
)  # fmt: skip
# Bytes that no text has, in any encoding but UTF-16.
_BINARY = {*range(9), *range(14, 27), *range(28, 32)}
_MARKUP = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html|table|\?xml)", re.IGNORECASE)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# Real tables shrink to a tenth or a twentieth when they are compressed.
INFLATION = 100
# A workbook that unpacks to less is read however small it is; one that unpacks to more, never.
HARMLESS, LARGEST = 100_000_000, 1_000_000_000
# A table with fewer cells is read however small its file is.
CELLS = 20_000_000
_REFERENCE = re.compile(rb'<c [^>]*?\br="([A-Z]{1,3})([0-9]{1,7})"')
_PART = 4_000_000


def is_workbook(file: Path) -> bool:
    """Return whether a file is a workbook of Excel, whatever it is called."""
    try:
        with zipfile.ZipFile(file) as archive:
            return "xl/workbook.xml" in archive.namelist()
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError):
        return False


def is_text(file: Path) -> bool:
    """Return whether a file begins like text: programs call tables .xls that are no workbooks."""
    try:
        with file.open("rb") as opened:
            head = opened.read(4096)
    except OSError:
        return False
    return b"\n" in head and not _BINARY & {*head}


def refuse_foreign(file: Path) -> None:
    """Say what a file is if its first bytes contradict its name."""
    if is_workbook(file):
        return
    with file.open("rb") as opened:
        head = opened.read(1024)
    if _MARKUP.match(head):
        raise InputError(
            explain(
                "The file is a web page or XML, whatever its name says.",
                f"You passed {str(file)!r}.",
                "Open it in Excel or LibreOffice and save it as .xlsx or CSV.",
            )
        )
    for start, what, endings, remedy in _KINDS:
        if re.match(start, head, re.DOTALL) and file.suffix.lower() not in endings:
            raise InputError(explain(f"The file is {what}.", f"You passed {str(file)!r}.", remedy))
    if head.startswith(_OLE):
        locked = "EncryptedPackage".encode("utf-16-le") in file.read_bytes()
        raise InputError(
            explain(
                "The workbook is protected by a password."
                if locked
                else "The file is of an old kind of Microsoft Office, such as .xls.",
                f"You passed {str(file)!r}.",
                "Open it in Excel or LibreOffice and save it without a password."
                if locked
                else "Open it in Excel or LibreOffice and save it as .xlsx or CSV.",
            )
        )


def refuse_inflated_workbook(file: Path) -> None:
    """Refuse a workbook that unpacks to what no table does, or has cells at its far end."""
    with zipfile.ZipFile(file) as archive:
        parts = archive.infolist()
        size = sum(part.file_size for part in parts)  # zipfile never unpacks more than declared
        if size > LARGEST or size > max(HARMLESS, INFLATION * file.stat().st_size):
            raise InputError(
                explain(
                    "The workbook is far larger than it looks, so it is not opened.",
                    f"You passed {str(file)!r}: {file.stat().st_size / 1e6:.1f} MB that unpack to "
                    f"{size / 1e6:.0f} MB.",
                    "Save the table alone, without formatting, as CSV.",
                )
            )
        for part in parts:
            if re.fullmatch(r"xl/worksheets/[^/]+\.xml", part.filename):
                _refuse_far_cells(file, archive, part)


def _refuse_far_cells(file: Path, archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> None:
    """Refuse a sheet with a cell so far away that filling it up to there takes all memory."""
    filled, width, height = 0, 0, 0
    with archive.open(part) as sheet:
        rest = b""
        while content := sheet.read(_PART):
            content = rest + content
            for found in _REFERENCE.finditer(content):
                filled += 1
                column = 0
                for letter in found[1]:
                    column = 26 * column + letter - 64
                width, height = max(width, column), max(height, int(found[2]))
            rest = content[content.rfind(b"<") :]
    require_plausible(file, width * height, filled * INFLATION)


def require_plausible(file: Path, cells: int, bound: int) -> None:
    """Refuse a table that would take far more memory than its file can account for."""
    if cells > max(CELLS, bound):
        raise InputError(
            explain(
                "The table is far larger than the file, so it is not opened.",
                f"You passed {str(file)!r}: {cells} cells, nearly all of them empty or the same.",
                "Delete cells that stand apart, and save the table alone, for example as CSV.",
            )
        )
