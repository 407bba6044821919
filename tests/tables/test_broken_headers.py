"""Names of columns that a spreadsheet breaks into lines."""

import pandas as pd
import pytest

from tables import answer, patients
from tlpo.errors import InputError
from tlpo.tables.read import read_table
from tlpo.tables.text import on_one_line


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def broken():
    """Return a table as it is exported from a form."""
    names = {"outcome": "Recur-\nrence", "age": "Age at\ndiagnosis", "patient": "Patient\r\nID"}
    return patients(24).rename(columns=names)


@pytest.mark.parametrize("name", ["t.csv", "t.xlsx", "t.parquet"])
def test_lines_of_a_name_are_joined(name):
    ways = {"t.csv": "to_csv", "t.xlsx": "to_excel", "t.parquet": "to_parquet"}
    getattr(broken(), ways[name])(name, index=False)
    found = read_table(name)
    assert {"Recurrence", "Age at diagnosis", "Patient ID"} <= {*found.columns}
    pd.testing.assert_series_equal(
        found["Age at diagnosis"], patients(24)["age"], check_names=False, check_dtype=False
    )


def test_the_outcome_is_called_as_it_is_read():
    table = broken().rename(columns={"Recur-\nrence": "out-\ncome"})
    found = answer(table, "--group", "Patient ID")
    assert found.code == 0
    assert "with outcome 'yes'" in found.text
    assert "Age at diagnosis" in found.said


@pytest.mark.parametrize(
    ("name", "joined"),
    [
        ("CA 19-\n9", "CA 19-9"),
        ("HER2-\nStatus", "HER2-Status"),
        ("Follow-\nUp", "Follow-Up"),
        ("Recur\u00ad\nrence", "Recurrence"),
        ("size\n(mm)", "size (mm)"),
        ("a \n\n b", "a b"),
        ("pre-op CRP", "pre-op CRP"),
    ],
)
def test_where_a_hyphen_parts_a_word(name, joined):
    assert on_one_line(name) == joined


def test_names_that_become_the_same_are_refused():
    pd.DataFrame([[1, 2]], columns=["a b", "a\nb"]).to_csv("t.csv", index=False)
    with pytest.raises(InputError, match="a b"):
        read_table("t.csv")
