"""Numbers as people write them, and tables as programs save them."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tables import answer, patients
from tlpo.tables.build_sample import build_sample
from tlpo.tables.options import Reading, Specification
from tlpo.tables.read import read_table


def written(cells, **reading):
    """Return the marker of a table that was saved with these cells."""
    table = patients(12)[["age", "outcome"]].assign(marker=cells)
    table.to_csv("t.csv", index=False, sep=";")
    return build_sample(read_table("t.csv", Reading(**reading)), Specification("outcome"))


PLAIN = ["1.5", "2.25", "0.5", "3.75", "1.25", "0.75", "2.5", "1.75", "3.5", "2.75"]


@pytest.mark.parametrize(
    ("cells", "numbers", "note"),
    [
        ([*PLAIN, "1,82", "0,5"], [1.82, 0.5], "Column 'marker': '1,82' was read as 1.82."),
        ([*PLAIN[:10], "1,234.5", "2"], [1234.5, 2], "'1,234.5' was read as 1234.5."),
        ([*range(990, 1000), "1,234", "12,500"], [1234, 12500], "'1,234' was read as 1234."),
        ([f"{k}%" for k in range(12)], [10, 11], "Column 'marker': its numbers are per cent."),
    ],
)
def test_numbers_that_can_mean_one_thing_are_read(cells, numbers, note):
    sample = written(cells, decimal=".")
    assert sample.X["marker"].tolist()[-2:] == numbers
    assert any(note in said for said in sample.notes)


@pytest.mark.parametrize(
    ("cells", "remedy"),
    [
        (["<0.5", "> 9"], "Values beyond a limit of detection need a number: write the limit, or "
         "half of it, in every such cell and say so in the paper"),
        (["45%", "3"], "Write all cells with the sign, or none"),
        (["1,234", "3"], "The comma may be a decimal mark or separate thousands: write the numbers "
         "without"),
        (["?", "3"], "Replace the text by numbers, or clear these cells"),
    ],
)  # fmt: skip
def test_numbers_that_can_mean_two_things_are_explained(cells, remedy):
    table = patients(12)[["age", "outcome"]].assign(marker=[*PLAIN, *cells])
    found = answer(table)
    odd = ", ".join(repr(cell) for cell in cells if not cell.isdecimal())
    n = 12 - sum(not cell.isdecimal() for cell in cells)
    assert found.code == 1
    assert found.text == (
        f"tlpo: Column 'marker' mixes numbers and text. You passed {odd} among {n} numbers. "
        f"{remedy}; or leave the column out with --drop marker."
    )


def test_numbers_that_a_sheet_holds_as_text():
    table = patients(12)[["age", "marker", "outcome"]].astype({"marker": str})
    table.to_excel("t.xlsx", index=False)
    sample = build_sample(read_table("t.xlsx"), Specification("outcome"))
    np.testing.assert_array_equal(sample.X["marker"], patients(12)["marker"])


@pytest.mark.parametrize("above", [["Study 7"], ["Study 7, 2024", "", "all wards"], ["", "x"]])
def test_titles_above_the_header(above):
    table = patients(12)[["age", "marker", "outcome"]]
    table.to_excel("t.xlsx", index=False, startrow=len(above))
    from openpyxl import load_workbook

    book = load_workbook("t.xlsx")
    for row, text in enumerate(above, start=1):
        book.active.cell(row, 1, text or None)
    book.save("t.xlsx")
    Path("padded.csv").write_text(
        "".join(f'"{text}",,\n' for text in above) + table.to_csv(index=False)
    )
    Path("t.csv").write_text(
        "".join(f"{t}\n" for t in above).replace(",", "") + table.to_csv(index=False)
    )
    row = len(above) + 1
    for name in ("t.xlsx", "padded.csv", "t.csv"):
        found = read_table(name)
        assert found.columns.tolist() == ["age", "marker", "outcome"], name
        np.testing.assert_array_equal(found["marker"], table["marker"])
        (note,) = found.attrs["notes"]
        # A title may name people, and notes are part of the report.
        said = f"Row {row} was taken for the header; what stands above it was not used."
        assert note == said
        told = read_table(name, Reading(header_row=row))
        pd.testing.assert_frame_equal(told, found)
        assert told.attrs["notes"] == []
    assert f"Row {row} was taken for the header" in answer(None, name="t.xlsx").said


def test_a_header_that_only_the_user_can_tell():
    table = patients(12)[["age", "marker", "outcome"]]
    Path("t.csv").write_text("Study,7,\n" + table.to_csv(index=False))
    assert "header_row=3" not in answer(None).text
    assert answer(None).code == 1
    assert "--header-row 3" in answer(None).text
    assert answer(None, "--header-row", 2).code == 0
    Path("short.csv").write_text("Study,7\n" + table.to_csv(index=False))
    assert "Line 2 has 3 cells, the header has 2." in answer(None, name="short.csv").text
    assert "--header-row 3" in answer(None, name="short.csv").text
    table.to_parquet("t.parquet")
    found = answer(None, "--header-row", 2, name="t.parquet")
    assert found.code == 2
    assert "Only text and Excel files have a row with a header." in found.text


def test_the_line_in_which_excel_names_the_separator():
    table = patients(12)[["age", "marker", "outcome"]]
    for line in ("sep=;\r\n", '"sep=;"\n', "SEP=;\n"):
        Path("t.csv").write_text(line + table.to_csv(index=False, sep=";", decimal=","))
        found = read_table("t.csv")
        assert found.columns.tolist() == ["age", "marker", "outcome"]
        np.testing.assert_array_equal(found["marker"], table["marker"])


def test_data_on_another_sheet():
    with pd.ExcelWriter("t.xlsx") as book:
        pd.DataFrame({"about": ["Study 7"], "who": ["us"]}).to_excel(book, sheet_name="Notes")
        patients(12).to_excel(book, sheet_name="Data 2024", index=False)
        pd.DataFrame().to_excel(book, sheet_name="Empty")
    found = answer(None, name="t.xlsx")
    assert found.code == 1
    assert "There is no such column." in found.text
    assert "of the sheet 'Notes'." in found.text
    assert "Other sheets are 'Data 2024', 'Empty': for example --sheet 'Data 2024'." in found.text
    assert answer(None, "--sheet", "Data 2024", name="t.xlsx").code == 0
    empty = answer(None, "--sheet", "Empty", name="t.xlsx").text
    assert "Other sheets are 'Notes', 'Data 2024': for example --sheet Notes." in empty


def test_formatting_beyond_the_table():
    from openpyxl import Workbook

    book = Workbook()
    for row in [["age", "outcome", None, None], [50, "yes", None, None], [60, "no", None, None]]:
        book.active.append(row)
    book.active["F9"].number_format = "0.00"
    book.active["F9"] = " "
    book.active["F9"] = None
    book.save("t.xlsx")
    assert read_table("t.xlsx").columns.tolist() == ["age", "outcome"]
