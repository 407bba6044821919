import gzip
import zipfile

import numpy as np
import pandas as pd
import pytest
from openpyxl import Workbook

import tlpo
from tables import patients
from tlpo.tables.read import read_table


def refused(path):
    with pytest.raises(tlpo.InputError) as caught:
        read_table(str(path))
    message = str(caught.value)
    assert message.count("\n") >= 2  # the problem, what was passed, what to do
    return message


def zipped(path, name, size):
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open(name, "w") as part,
    ):
        part.write(bytes(size))


def test_files_that_unpack_to_far_too_much_are_not_unpacked(tmp_path):
    zipped(tmp_path / "t.zip", "t.csv", 1000)
    assert refused(tmp_path / "t.zip").startswith("The file is a zip archive")
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"a,b\n1,2\n"))
    (tmp_path / "t.csv").write_bytes(gzip.compress(b"a,b\n1,2\n"))
    for name in ("t.csv", "t.csv.gz"):
        assert refused(tmp_path / name).startswith("The file is compressed with gzip.")
    zipped(tmp_path / "t.xlsx", "xl/worksheets/sheet1.xml", 120_000_000)
    assert refused(tmp_path / "t.xlsx") == (
        "The workbook is far larger than it looks, so it is not opened.\n"
        f"You passed {str(tmp_path / 't.xlsx')!r}: 0.1 MB that unpack to 120 MB.\n"
        "Save the table alone, without formatting, as CSV."
    )
    book = Workbook()
    book.active.append(["a", "b"])
    book.active["XFD1048576"] = 1
    book.save(tmp_path / "far.xlsx")
    cells = 16_384 * 1_048_576
    assert f"{cells} cells, nearly all of them empty" in refused(tmp_path / "far.xlsx")
    pd.DataFrame({"a": np.zeros(21_000_000)}).to_parquet(tmp_path / "t.parquet", compression="gzip")
    assert "21000000 cells" in refused(tmp_path / "t.parquet")


def test_other_kinds_of_file_are_named(tmp_path):
    path = tmp_path / "t.xlsx"
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)
    path.write_bytes(ole + "Workbook".encode("utf-16-le"))
    assert refused(path) == (
        "The file is of an old kind of Microsoft Office, such as .xls.\n"
        f"You passed {str(path)!r}.\n"
        "Open it in Excel or LibreOffice and save it as .xlsx or CSV."
    )
    path.write_bytes(ole + "EncryptedPackage".encode("utf-16-le"))
    assert refused(path) == (
        "The workbook is protected by a password.\n"
        f"You passed {str(path)!r}.\n"
        "Open it in Excel or LibreOffice and save it without a password."
    )
    assert "old kind" in refused(_copy(tmp_path / "t.xls", ole))
    assert "a PDF document" in refused(_copy(tmp_path / "t.csv", b"%PDF-1.7\n"))
    patients().to_parquet(tmp_path / "t.parquet")
    parquet = (tmp_path / "t.parquet").read_bytes()
    assert "end in .parquet" in refused(_copy(tmp_path / "t.csv", parquet))
    # Names of columns that begin like other kinds of file
    assert read_table(str(_copy(tmp_path / "t.csv", b"PK,PAR1\n1,2\n")))["PK"].tolist() == [1]


def _copy(path, content):
    path.write_bytes(content)
    return path
