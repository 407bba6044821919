import numpy as np
import pandas as pd

from report.commands import run
from report.tables import patients
from tlpo.report.options import Question
from tlpo.report.understand import understand


def test_numbers_mixed_with_text_are_refused(tmp_path):
    mixed = patients(12).astype({"marker": object})
    mixed.loc[3, "marker"] = "<0.1"
    mixed.to_csv(tmp_path / "t.csv", index=False)
    result = run("run", "t.csv", "--target", "outcome", cwd=tmp_path)
    assert result.returncode == 1
    assert result.stderr == (
        "tlpo: Column 'marker' mixes numbers and text.\nYou passed '<0.1' among 11 numbers.\n"
        "Replace the text by numbers, clear these cells, or leave the column out with "
        "--drop marker.\n"
    )


def test_dates_and_long_texts_are_no_features():
    table = patients()
    table["day"] = pd.date_range("2020-01-01", periods=24).repeat(1)
    table["remark"] = [f"text {k % 22}" for k in range(24)]
    notes = " ".join(understand(table, Question("outcome")).notes)
    assert "'day' was not used: it holds dates" in notes
    assert "'remark' was not used: it has 22 distinct values" in notes


def test_identifiers_are_told_by_their_names():
    table = patients().drop(columns="patient")
    table["PatientID"] = np.repeat(np.arange(12), 2) * 7 + 100000
    table["subject"] = [f"s{k // 2}" for k in range(24)]
    table["count"] = np.arange(24)
    sample = understand(table, Question("outcome"))
    assert sample.numeric == ["age", "marker", "smoker"]
    notes = " ".join(sample.notes)
    assert (
        "Column 'PatientID' was not used: it looks like an identifier; if rows with the same value "
        "belong together, make it the group."
    ) in notes
    assert "'subject' was not used: it looks like an identifier" in notes
    assert "'count' was not used: every value is different" in notes
    # A hole that a missing target leaves does not hide it.
    table.loc[5, "outcome"] = None
    assert "count" not in understand(table, Question("outcome")).numeric
