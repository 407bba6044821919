import csv

import pytest

import tlpo
from tlpo.tables.read import read_table


def refused(path):
    with pytest.raises(tlpo.InputError) as caught:
        read_table(str(path))
    message = str(caught.value)
    assert message.count("\n") >= 2  # the problem, what was passed, what to do
    return message


@pytest.mark.exhaustive
def test_lines_of_any_length(tmp_path):
    """A header of 9 000 genes is longer than the csv module allows a cell to be."""
    names = [f"ENSG{k:011d}" for k in range(9_000)]
    path = tmp_path / "t.csv"
    before = csv.field_size_limit()  # of the process; it is not ours to change
    for sep in (",", ";", "\t"):
        rows = [sep.join(names), *(sep.join(["1.5", *["2"] * 8_999]) for _ in range(3))]
        path.write_text("\n".join(rows))
        found = read_table(str(path))
        assert found.columns.tolist() == names
        assert found[names[0]].tolist() == [1.5] * 3
    assert csv.field_size_limit() == before


def test_a_stray_quotation_mark_is_found_however_long_the_file(tmp_path):
    path = tmp_path / "t.csv"
    rows = ["name,x", *("someone,1" for _ in range(20_000))]
    rows[7] = '"someone,1'
    path.write_text("\n".join(rows))
    assert refused(path) == (
        f"A quotation mark is never closed.\nYou passed {str(path)!r}; look at the row that begins "
        "in line 8.\nRemove the mark, or write the whole cell in quotation marks and those inside "
        'it twice, as in "a ""small"" one".'
    )
    rows[9_000] = 'someone",1'  # one cell would hold 9 000 rows
    path.write_text("\n".join(rows))
    assert refused(path).startswith("A quotation mark is closed only 8993 lines later.")


def test_spaces_before_quotation_marks_and_in_empty_lines(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('name, x\n"a", 1\n   \n"b", "2"\n\n')
    assert read_table(str(path))["x"].tolist() == [1, 2]


def test_codes_are_read_alike_in_all_parts_of_a_large_file(tmp_path):
    """Read in parts, 1 would be a number at first and text later."""
    path = tmp_path / "t.csv"
    path.write_text("code\n" + "1\nNA\n" * 300_000 + "1\nA\n" * 300_000)
    assert read_table(str(path))["code"].value_counts().to_dict() == {"1": 600_000, "A": 300_000}
