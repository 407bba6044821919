import io
import sys

import numpy as np
import pandas as pd
import pyreadstat
import pytest

import tlpo
from tables import patients
from tlpo.tables.options import Reading
from tlpo.tables.read import read_table


def refused(path, **options):
    with pytest.raises(tlpo.InputError) as caught:
        read_table(str(path), Reading(**options))
    message = str(caught.value)
    assert message.count("\n") >= 2  # the problem, what was passed, what to do
    return message


@pytest.mark.parametrize(
    ("sep", "decimal", "encoding", "suffix"),
    [
        (",", ".", "utf-8", ".csv"),
        (";", ",", "utf-8", ".csv"),
        ("\t", ".", "utf-8", ".tsv"),
        ("\t", ",", "cp1252", ".txt"),
        (";", ".", "utf-16", ".csv"),
        (",", ".", "utf-8-sig", ".csv"),
        ("|", ".", "latin-1", ".csv"),
    ],
)
def test_text_of_any_kind(tmp_path, sep, decimal, encoding, suffix):
    frame = patients().rename(columns={"site": "Größe"})
    path = tmp_path / f"table{suffix}"
    frame.to_csv(path, sep=sep, decimal=decimal, encoding=encoding, index=False)
    found = read_table(str(path))
    assert found.columns.tolist() == frame.columns.tolist()
    np.testing.assert_allclose(found["marker"], frame["marker"])
    assert found["outcome"].tolist() == frame["outcome"].tolist()
    told = read_table(str(path), Reading(sep, decimal, encoding))
    pd.testing.assert_frame_equal(told, found)


def test_other_formats(tmp_path):
    frame = patients()
    frame.to_parquet(tmp_path / "t.parquet")
    with pd.ExcelWriter(tmp_path / "t.xlsx") as book:
        pd.DataFrame({"other": [1]}).to_excel(book, sheet_name="notes", index=False)
        frame.to_excel(book, sheet_name="data", index=False)
    coded = frame.assign(
        outcome=frame["outcome"].map({"no": 0.0, "yes": 1.0}), smoker=frame["smoker"].astype(float)
    )
    labels = {"outcome": {0.0: "no", 1.0: "yes"}}
    pyreadstat.write_sav(coded, str(tmp_path / "t.sav"), variable_value_labels=labels)
    pyreadstat.write_dta(
        coded, str(tmp_path / "t.dta"), variable_value_labels={"outcome": {0: "no", 1: "yes"}}
    )
    pyreadstat.write_xport(coded.drop(columns="smoker"), str(tmp_path / "t.xpt"))
    for name in ("t.parquet", "t.sav", "t.dta"):
        found = read_table(str(tmp_path / name))
        assert found["outcome"].astype(str).tolist() == frame["outcome"].tolist(), name
        np.testing.assert_allclose(found["marker"].astype(float), frame["marker"])
    found = read_table(str(tmp_path / "t.xlsx"), Reading(sheet="data"))
    assert found["outcome"].tolist() == frame["outcome"].tolist()
    assert read_table(str(tmp_path / "t.xlsx")).columns.tolist() == ["other"]
    transport = read_table(str(tmp_path / "t.xpt"))
    np.testing.assert_allclose(transport["marker"], frame["marker"])
    message = refused(tmp_path / "t.xlsx", sheet="date")
    assert message == (
        "There is no such sheet.\nYou passed sheet='date'; there are 'notes', 'data'.\n"
        "Pass one of these, for example sheet='notes'."
    )


def test_partly_labelled_codes_stay_numbers(tmp_path):
    frame = pd.DataFrame({"age": [50.0, 60.0, 99.0], "dx": [0.0, 1.0, 1.0]})
    labels = {"age": {99.0: "refused"}, "dx": {0.0: "well", 1.0: "ill"}}
    pyreadstat.write_sav(frame, str(tmp_path / "t.sav"), variable_value_labels=labels)
    found = read_table(str(tmp_path / "t.sav"))
    assert found["age"].tolist() == [50.0, 60.0, 99.0]
    assert found["dx"].cat.categories.tolist() == ["well", "ill"]


def test_none_is_an_answer(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("comorbidity,x\nNone,1\nDiabetes,NA\nNone,3\n")
    found = read_table(str(path))
    assert found["comorbidity"].tolist() == ["None", "Diabetes", "None"]
    assert found["x"].isna().tolist() == [False, True, False]


def test_decimal_commas_beside_gaps(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a;b\n1,5;x\nNA;y\n2,25;z\n")
    assert read_table(str(path))["a"].tolist()[::2] == [1.5, 2.25]


def test_standard_input(monkeypatch):
    class Stdin:
        buffer = io.BytesIO(b"a,b\n1,2\n")

    monkeypatch.setattr(sys, "stdin", Stdin)
    assert read_table("-")["b"].tolist() == [2]


def test_quoted_cells_may_hold_separators_and_lines(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('name,x\n"a, b\nc",1\n"d",2\n')
    assert read_table(str(path))["name"].tolist() == ["a, b\nc", "d"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "The file is empty."),
        (b"  \n", "The file is empty."),
        (b"a,b\n", "The table has no rows."),
        (b"a,b\n1,2\n3\n", "Line 3 has 1 cells, the header has 2."),
        (b"a,b\n1,2,3\n", "Line 2 has 3 cells, the header has 2."),
        (b"a,a\n1,2\n", "Column names must be unique."),
        (b"a,b\n1,\x002\n", "The file is not text."),
        (b'a,b\n1,"2\n3,4\n', "A quotation mark is never closed."),
        (b'a,b\n1,2\n3,"4" inch\n', "A quotation mark is out of place."),
    ],
)
def test_wrong_text(tmp_path, content, message):
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    assert refused(path).startswith(message)


def test_wrong_files(tmp_path):
    (tmp_path / "patients.csv").write_text("a,b\n1,2\n")
    message = refused(tmp_path / "patient.csv")
    assert message.startswith("There is no such file.")
    assert "patients.csv" in message.splitlines()[2]
    for name in ("t.pdf", "t.xlsx", "t.sav", "t.parquet", "t.sas7bdat"):
        (tmp_path / name).write_bytes(b"nonsense")
        message = refused(tmp_path / name)
        assert message.startswith(
            ("This kind of file is not supported.", "The file cannot be read.")
        )
    assert refused(tmp_path / "patients.csv", encoding="klingon").startswith(
        "There is no such encoding."
    )
    assert refused(tmp_path / "patients.csv", encoding="hex").startswith("The text cannot be")
    assert refused(tmp_path / "patients.csv", sep="::") == (
        "sep must be a single character.\nYou passed sep='::'.\nFor example sep=';' or sep='tab'."
    )
    assert refused(tmp_path / "patients.csv", sheet="x") == (
        f"Only Excel files have sheets.\nYou passed {str(tmp_path / 'patients.csv')!r} and "
        "sheet='x'.\nLeave out sheet='x'."
    )
    twice = pd.DataFrame([[1, 2]], columns=["a", "a"])
    twice.to_excel(tmp_path / "twice.xlsx", index=False)
    assert refused(tmp_path / "twice.xlsx").startswith("Column names must be unique.")


def test_no_pickle_is_loaded(tmp_path):
    path = tmp_path / "t.pkl"
    path.write_bytes(b"cos\nsystem\n(S'touch owned'\ntR.")
    assert refused(path).startswith("This kind of file is not supported.")


def test_blank_lines_before_the_header_do_not_matter(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("\n" * 60 + "a;b\n1;2\n3;4\n")
    found = read_table(str(path))
    assert found.to_dict("list") == {"a": [1, 3], "b": [2, 4]}


@pytest.mark.parametrize("version", [5, 8])
def test_a_transport_file_that_was_cut_is_refused(version, tmp_path):
    path = tmp_path / "t.xpt"
    frame = pd.DataFrame({"a": np.arange(41.0), "name": [f"P{k:04d}" for k in range(41)]})
    pyreadstat.write_xport(frame, str(path), file_format_version=version)
    assert len(read_table(str(path))) == 41
    content = path.read_bytes()
    for share in (0.7, 0.8, 0.9, 0.99):
        for size in (int(share * len(content)), int(share * len(content)) // 80 * 80):
            path.write_bytes(content[:size])
            with pytest.raises(tlpo.InputError) as caught:
                read_table(str(path))
            assert str(caught.value) == (
                "The file was cut off.\n"
                f"You passed {str(path)!r}: its {size} bytes end before its last row.\n"
                "Copy or export it again."
            )
