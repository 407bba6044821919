"""What a user can say about columns, values, labels and groups, and what the answer asks."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tlpo
from tables import answer
from tlpo.tables.build_sample import build_sample
from tlpo.tables.codes import find_codes
from tlpo.tables.groups import groups_of
from tlpo.tables.missing_values import clear_values, find_missing_codes
from tlpo.tables.options import Reading, Specification
from tlpo.tables.read import read_table, sheets_of
from tlpo.tables.several import join_labels, labels_in
from tlpo.tables.spelling import fold, join_spellings


def base(n=48, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 2)
    return pd.DataFrame(
        {
            "age": rng.integers(30, 80, n),
            "marker": (rng.normal(size=n) + y).round(3),
            "outcome": np.where(y, "yes", "no"),
        }
    )


def suspects(table, **spec):
    sample = build_sample(table, Specification("outcome", **spec))
    return {(one["column"], one["kind"]): one["values"] for one in sample.suspects}


def refused(table, **spec):
    with pytest.raises(tlpo.InputError) as error:
        build_sample(table, Specification(**{"target": "outcome", **spec}))
    return str(error.value)


# --- what a column is


def test_codes_are_asked_about_and_both_answers_end_it():
    table = base().assign(race=[1, 2, 3] * 16)
    asked = answer(table)
    assert (
        "'race' has the values 1, 2, 3 and was used as a number, whose effect is a straight line. "
        "If it is a code for categories, run the analysis again with --categorical race; if it is "
        "a number, say so and run the analysis again with --numeric race."
    ) in asked.text
    for kind in ("numeric", "categorical"):
        assert "straight line" not in answer(table, f"--{kind}", "race").text
        sample = build_sample(table, Specification("outcome", **{kind: ["race"]}))
        assert "race" in getattr(sample, kind)


def test_several_columns_of_codes_are_one_remark():
    table = base().assign(race=[1, 2, 3] * 16, region=[0, 1, 2, 3] * 12)
    text = answer(table).text
    assert text.count("straight line") == 1
    assert "--categorical race region; if they are numbers, say so and" in text


@pytest.mark.parametrize(
    "name",
    ["number of nodes", "n_visits", "tumour stage", "Grade", "pain score", "ECOG", "count", "NYHA"],
)
def test_names_that_say_an_order_are_not_asked_about(name):
    table = base().assign(**{name: [0, 1, 2] * 16})
    assert suspects(table) == {}


@pytest.mark.parametrize(
    ("values", "is_asked"),
    [
        ([1, 2] * 24, False),  # two codes are two numbers
        ([1, 2, 3, 4, 5, 6] * 8, True),
        ([1, 2, 3, 4, 5, 6, 7, 1] * 6, False),
        ([10, 20, 50] * 16, False),  # doses
        ([1.5, 2, 3] * 16, False),
        ([-1, 0, 1] * 16, False),
        ([1, 2, np.nan, 3] * 12, True),
        (["1", "2", "3"] * 16, True),  # read as numbers
        ([True, False, True] * 16, False),
    ],
)
def test_which_numbers_look_like_codes(values, is_asked):
    assert (("site", "codes") in suspects(base().assign(site=values))) == is_asked


def test_a_label_of_spss_may_say_the_order(tmp_path):
    import pyreadstat

    path = tmp_path / "t.sav"
    table = base().assign(q17=[0.0, 1, 2] * 16, q18=[0.0, 1, 2] * 16)
    labels = {"q17": "Number of children", "q18": "Place of birth"}
    pyreadstat.write_sav(table, str(path), column_labels=labels)
    found = suspects(read_table(str(path)))
    assert ("q18", "codes") in found
    assert ("q17", "codes") not in found


def test_columns_that_are_said_to_be_numbers_are_used_as_such():
    table = base().assign(
        day=[20240101 + k for k in range(28)] + [20240201 + k for k in range(20)],
        place=np.arange(48) + 1,
        coded=pd.Categorical([*"123"] * 16),
    )
    sample = build_sample(table, Specification("outcome"))
    assert sample.numeric == ["age", "marker"]
    assert sample.categorical == ["coded"]
    said = build_sample(table, Specification("outcome", numeric=["day", "place", "coded"]))
    assert said.numeric == ["age", "marker", "day", "place", "coded"]
    assert said.X["coded"].tolist() == [1.0, 2.0, 3.0] * 16
    assert said.X["day"].tolist() == table["day"].tolist()


def test_text_cannot_be_said_to_be_numbers():
    table = base().assign(town=["Turku", "Oslo", "7"] * 16)
    assert refused(table, numeric=["town"]) == (
        "A column that is said to be numbers holds something else.\n"
        "You passed numeric=['town']; it holds 'Oslo', 'Turku'.\n"
        "Write numbers into its cells, or leave it out of the list to have it used as it is."
    )
    assert refused(table, numeric=["nowhere"]).startswith("There is no such column.")
    dated = base().assign(seen="2024-03-01")
    dated.loc[0, "seen"] = "2024-03-02"
    assert "it holds '2024-03-01', '2024-03-02'" in refused(dated, numeric=["seen"])


# --- labels


def test_labels_that_differ_in_case_and_spaces_are_one_and_said():
    table = base()
    first, second = table.index[table["outcome"] == "no"][:2]
    third = table.index[table["outcome"] == "yes"][0]
    table.loc[[first, second, third], "outcome"] = ["No", " NO ", "Yes"]
    sample = build_sample(table, Specification("outcome"))
    assert (sample.labels.positive, sample.labels.n_positive) == ("yes", 24)
    assert (sample.labels.negative, sample.labels.n_negative) == ("no", 24)
    text = answer(table, "--json", "r.json").text
    assert (
        "Labels of 'outcome' that differ only in case or spaces count as one: 'Yes' was taken "
        "for 'yes' (1 row), 'NO' and 'No' were taken for 'no' (2 rows)."
    ) in text
    assert "--classes" not in text  # too few to be classes
    assert json.loads(Path("r.json").read_text())["n_units"] == 48


def test_spellings_that_are_named_apart_stay_apart():
    table = base().assign(outcome=["AA", "Aa", "BB", "BB"] * 12)
    joined = build_sample(table, Specification("outcome"))
    assert joined.labels.n_positive == joined.labels.n_negative == 24
    apart = build_sample(table, Specification("outcome", classes=["AA", "Aa"]))
    assert (apart.labels.n_units, apart.n_other_classes) == (24, 24)
    assert all(one["kind"] != "spelling" for one in apart.suspects)


def test_spellings_of_many_rows_may_be_classes():
    text = answer(base().assign(outcome=["AA", "Aa", "BB", "BB"] * 12)).text
    assert "If they are different classes, run the analysis again with --classes AA BB Aa." in text


def test_genotypes_that_differ_only_in_case_are_told_apart():
    table = base().assign(outcome=["AA", "Aa", "aa"] * 16)
    sample = build_sample(table, Specification("outcome"))
    assert sample.outcome.names == ("AA", "Aa", "aa")


def test_a_named_class_is_found_in_any_spelling():
    table = base().assign(outcome=["No", "no", "YES", "maybe"] * 12)
    sample = build_sample(table, Specification("outcome", classes=["no", "yes"]))
    assert (sample.labels.n_negative, sample.labels.n_positive) == (24, 12)
    graded = build_sample(
        base().assign(outcome=["Low", "low ", "HIGH", "Medium"] * 12),
        Specification("outcome", order=["low", "medium", "high"]),
    )
    assert graded.y.tolist() == [0, 0, 2, 1] * 12


LABELS = st.text(st.sampled_from('ab ,"B\u00e4'), min_size=1, max_size=5).filter(
    lambda t: t == t.strip()
)


@given(st.lists(LABELS, min_size=2, max_size=6, unique_by=fold), st.data())
def test_a_pool_is_read_as_it_is_written(labels, data):
    """Whatever labels hold: commas, quotation marks, spaces."""
    pool = data.draw(st.lists(st.sampled_from(labels), min_size=1, unique=True))
    assert labels_in(join_labels(pool, labels), labels) == pool


@given(st.lists(st.sampled_from(["no", "No", "NO", "yes", "Yes", "maybe"]), min_size=1))
def test_joined_labels_against_a_plain_loop(labels):
    y = np.array(labels)
    found, joined = join_spellings(y, np.ones(len(y), dtype=bool), ())
    if len({label.lower() for label in labels}) < 2:
        assert (found.tolist(), joined) == (labels, {})
        return
    for was, now in zip(labels, found.tolist(), strict=True):
        alike = [label for label in labels if label.lower() == was.lower()]
        most = max(alike.count(label) for label in alike)
        assert now == min(label for label in set(alike) if alike.count(label) == most)
    assert len(set(found.tolist())) == len({label.lower() for label in labels})


def test_a_label_that_means_no_outcome_is_asked_about():
    coded = base().assign(outcome=[0, 1, 0, 1, 0, 1, 9, 9] * 6)
    assert suspects(coded)["outcome", "missing code"] == ["9"]
    worded = base().assign(outcome=["no", "yes", "Unknown"] * 16)
    text = answer(worded).text
    assert "Unknown in 'outcome' looks like a code for a missing value" in text
    assert "with --missing outcome=Unknown" in text
    assert build_sample(worded, Specification("outcome", missing=["outcome=unknown"])).labels
    assert suspects(base().assign(outcome=[0, 1, 2] * 16)) == {}


# --- values that mean missing


def test_999_is_asked_about_and_cleared():
    table = base()
    table.loc[[3, 9], "age"] = 999
    table["bmi"] = 25.0 + table["marker"]
    table.loc[5, "bmi"] = 999
    text = answer(table).text
    assert (
        "999 in 'age' and 'bmi' look like codes for a missing value, and were used as they are. If "
        "so, run the analysis again with --missing age=999 bmi=999."
    ) in text
    for missing in (["999"], ["age=999", "bmi=999.0"]):
        sample = build_sample(table, Specification("outcome", missing=missing))
        assert (sample.n_missing_cells, sample.n_incomplete) == (3, 3)
        assert sample.notes[0] == "Taken for missing: '999' in 'age'; " + (
            "'999' in 'bmi'." if missing == ["999"] else "'999.0' in 'bmi'."
        )
        assert ("age", "missing code") not in {(s["column"], s["kind"]) for s in sample.suspects}
    dropped = build_sample(table, Specification("outcome", missing=["drop", "999"]))
    assert dropped.n_dropped == 3


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ([41, 52, 67, 38, 59, 999], ["999"]),
        ([41, 52, 67, 38, 59, 99], []),  # one of 99 years
        ([41, 52, 87, 38, 59, 99, 99], []),  # not a whole range beyond
        ([1, 2, 3, 1, 9, 9], ["9"]),
        ([5, 6, 7, 8, 9, 9], []),
        ([0, 1, 1, 0, -1, -1], ["-1"]),
        ([-3, 2, 1, 0, -1, -1], []),  # a number that may be negative
        ([3.1, 4.2, 3.9, 4.4, -9, 4.0], ["-9"]),
        ([1.0, 2.5, 3.1, 1.2, 99.9, 2.2], ["99.9"]),
        ([1, 2, 3, 77, 88, 99], ["77", "88", "99"]),
        ([-2.1, 0.5, 1.5, -9, -9, 0.1], ["-9"]),
        ([999, 999, 999], []),
        ([12, 15, 999, np.nan, 14, np.inf], []),
        ([10, 80, 900, 4000, 9999, 70], []),  # a long tail
    ],
)
def test_which_numbers_look_like_missing_ones(values, codes):
    table = pd.DataFrame({"x": np.array(values, dtype=float)})
    assert find_missing_codes(table, ["x"]) == ({"x": codes} if codes else {})


def test_a_code_in_several_columns_is_believed_sooner():
    table = pd.DataFrame({"a": [10.0, 20, 30, 60, 99], "b": [1.0, 2, 3, 4, 99]})
    assert find_missing_codes(table[["a"]], ["a"]) == {}
    table["a"] = [10.0, 20, 30, 50, 99]
    assert find_missing_codes(table[["a"]], ["a"]) == {}
    assert find_missing_codes(table, ["a", "b"]) == {"a": ["99"], "b": ["99"]}


CELLS = st.sampled_from([0, 1, 5, 9, 99, 999, -1, "x", "9", " 99", None, 2.5, "Unknown"])


@given(
    st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=12),
    st.sampled_from(["9", "99.0", "-1", "unknown", "a=99", "b= 9"]),
)
def test_cleared_cells_against_a_plain_loop(rows, written):
    table = pd.DataFrame(rows, columns=["a", "b"])
    only, _, value = written.rpartition("=")

    def means(cell, name):
        if cell is None or only not in ("", name):
            return False
        try:
            return float(cell) == float(value)
        except ValueError:
            return str(cell).strip().lower() == value.strip()

    cleared, _ = clear_values(table, [written], must_occur=False)
    for name in table:
        for old, new in zip(table[name], cleared[name], strict=True):
            assert pd.isna(new) if pd.isna(old) or means(old, name) else new == old


def test_groups_keep_a_number_that_means_missing_elsewhere():
    table = base().assign(patient=np.repeat(np.arange(976, 1000), 2))
    table.loc[0, "age"] = 999
    sample = build_sample(table, Specification("outcome", group="patient", missing=["999"]))
    assert len(set(sample.groups)) == 24
    assert sample.n_missing_cells == 1
    assert refused(table, group="patient", missing=["patient=999"]).startswith(
        "The group column has gaps."
    )


def test_a_value_that_no_cell_holds_is_refused():
    assert refused(base(), missing=["guess"]) == (
        "No cell holds this value.\nYou passed missing=['guess']; no column has it.\n"
        "Spell it as it is in the table. To say what becomes of missing values, pass "
        "missing='impute' or missing='drop'."
    )
    assert refused(base(), missing=["outcome=never"]) == (
        "The column does not hold this value.\n"
        "You passed missing=['outcome=never']; 'outcome' holds 'no', 'yes'.\n"
        "Pass a value that means missing, spelled as it is in the table."
    )


def test_a_text_among_numbers_can_be_declared_missing():
    table = base().astype({"age": object})
    table.loc[4, "age"] = "not done"
    assert refused(table).startswith("Column 'age' mixes numbers and text.")
    sample = build_sample(table, Specification("outcome", missing=["not done"]))
    assert sample.numeric == ["age", "marker"]
    assert sample.n_missing_cells == 1


# --- 1,182


def commas(n=48):
    return [f"{1 + k % 8},{100 + 7 * k:03d}" for k in range(n)]


@pytest.mark.parametrize(
    ("sep", "first", "said", "mark"),
    [
        (",", 1100.0, "a separator of thousands: 1,100 as 1100", ","),
        (";", 1.1, "a decimal mark: 1,100 as 1.100", "."),
    ],
)
def test_a_comma_that_may_be_either_is_asked_about(sep, first, said, mark, tmp_path):
    path = tmp_path / "t.csv"
    base().assign(cost=commas()).to_csv(path, sep=sep, index=False)
    sample = build_sample(read_table(str(path)), Specification("outcome"))
    assert sample.X["cost"].iloc[0] == first
    text = answer(None, name=str(path)).text
    assert f"The comma in 'cost' was read as {said}. Nothing in the file says so." in text
    assert f"with --decimal {mark}." in text
    other = build_sample(read_table(str(path), Reading(decimal=mark)), Specification("outcome"))
    assert other.X["cost"].iloc[0] == {1.1: 1100.0, 1100.0: 1.1}[first]
    assert "cost" not in answer(None, "--decimal", mark, name=str(path)).text


@pytest.mark.parametrize("sep", [",", ";"])
@pytest.mark.parametrize("odd", ["0,5", "1,25", "987", "1,100,200"])
def test_a_comma_that_can_be_one_thing_only_is_not_asked_about(sep, odd, tmp_path):
    path = tmp_path / "t.csv"
    base().assign(cost=[odd, *commas()[1:]]).to_csv(path, sep=sep, index=False)
    if (sep, odd) == (";", "987"):
        return  # 987 beside 1,182 may still be either
    sample = build_sample(read_table(str(path)), Specification("outcome"))
    assert all(one["kind"] != "decimals" for one in sample.suspects)


def test_the_decimal_mark_of_text_in_a_workbook(tmp_path):
    path = tmp_path / "t.xlsx"
    base().assign(cost=commas()).to_excel(path, index=False)
    for mark, first in ((None, 1100.0), (",", 1.1)):
        found = read_table(str(path), Reading(decimal=mark))
        assert build_sample(found, Specification("outcome")).X["cost"].iloc[0] == first


# --- groups of several columns


def centres():
    """Three centres that number their own patients from 1; two visits each."""
    table = base()
    table["centre"] = np.repeat([*"abc"], 16)
    table["patient"] = np.tile(np.repeat(np.arange(1, 9), 2), 3)
    return table


def test_rows_that_agree_in_both_columns_belong_together():
    sample = build_sample(centres(), Specification("outcome", group=["centre", "patient"]))
    assert len(set(sample.groups)) == 24
    assert sample.group == "centre and patient"
    assert sample.numeric == ["age", "marker"]
    assert not sample.categorical
    assert list(sample.ids) == ["row", "patient", "centre"]
    text = answer(centres(), "--group", "centre", "patient", "--json", "r.json").text
    assert "shared" not in text
    said = answer(centres(), "--group", "centre", "patient").said
    assert "Rows with the same 'centre' and 'patient' are left out of training together" in said
    assert json.loads(Path("r.json").read_text())["sample"]["group"] == "centre and patient"


def test_numbers_that_centres_share_are_noticed_before_they_are_suggested():
    text = answer(centres()).text
    assert (
        "'patient' has the same values at different 'centre', and repeats within one. If it "
        "identifies the patient, models were tested on patients they had seen. If every 'centre' "
        "numbers its own, run the analysis again with --group centre patient; if the same value "
        "is the same 'patient' everywhere, run the analysis again with --group patient."
    ) in text
    assert "repeats: 8 values" not in text
    grouped = answer(centres(), "--group", "patient").text
    assert (
        "'patient' has the same values at different 'centre', and rows that share one were kept "
        "together as the same 'patient'. If every 'centre' numbers its own, run the analysis again "
        "with --group centre patient."
    ) in grouped


def test_patients_that_are_numbered_once_per_centre_do_not_repeat():
    table = centres().assign(patient=np.tile(np.arange(1, 17), 3))
    assert suspects(table) == {("patient", "identifier"): []}
    assert suspects(table, group="centre") == {("patient", "identifier"): []}


def test_places_that_a_patient_visits_are_no_centres():
    """The numbers of patients who were at several sites do not begin anew at each."""
    table = base().assign(site=[*"ab"] * 24, patient=np.repeat(np.arange(501, 525), 2))
    assert suspects(table) == {("patient", "repeated"): []}
    assert suspects(table, group="patient") == {}


PARTS = st.text(st.sampled_from("ab| "), min_size=1, max_size=4).filter(lambda t: t == t.strip())


@given(st.lists(st.tuples(PARTS, PARTS), min_size=1, max_size=8))
def test_groups_of_two_columns_against_pairs(pairs):
    groups = groups_of(pd.DataFrame(pairs, columns=["a", "b"]), ["a", "b"]).tolist()
    for k, one in enumerate(pairs):
        for j, other in enumerate(pairs):
            assert (groups[k] == groups[j]) == (one == other)


def test_a_gap_in_either_column_is_refused():
    table = centres().astype({"centre": object})
    table.loc[3, "centre"] = None
    assert refused(table, group=["centre", "patient"]) == (
        "The group column has gaps.\nYou passed group=['centre', 'patient']; 'centre' is empty in "
        "1 row.\nGive every row a group, one of its own if it belongs with no other."
    )
    assert refused(table, group=["centre", "nobody"]).startswith("There is no such column.")


def test_wide_tables_are_searched_quickly():
    """Genotypes: every column has three values, and is asked about in one sentence."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 3, (30, 3000)).astype(float)).rename(columns="rs{}".format)
    assert len(find_codes(X, list(X), {}, {})) == 3000


# --- files that are not what they are called


@pytest.mark.parametrize("name", ["t.xls", "t.csv", "t.txt", "t"])
def test_a_workbook_is_read_under_any_name(name, tmp_path):
    path = tmp_path / "t.xlsx"
    base().to_excel(path, index=False, sheet_name="data")
    path.rename(tmp_path / name)
    found = read_table(str(tmp_path / name))
    pd.testing.assert_frame_equal(found, base())
    assert sheets_of(str(tmp_path / name)) == ["data"]


@pytest.mark.parametrize("name", ["t.xls", "t.xlsx"])
@pytest.mark.parametrize("sep", ["\t", ";"])
def test_text_that_is_called_a_workbook_is_read(name, sep, tmp_path):
    path = tmp_path / name
    base().to_csv(path, sep=sep, index=False)
    pd.testing.assert_frame_equal(read_table(str(path)), base())
    assert sheets_of(str(path)) == []


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "The file is of an old kind of Micr"),
        (b"<html><table><tr><td>1</td></tr></table></html>", "The file is a web page or XML"),
        (b"\xef\xbb\xbf<?xml version='1.0'?><Workbook/>", "The file is a web page or XML"),
        (b"PK\x03\x04 cut off", "The file cannot be read."),
    ],
)
@pytest.mark.parametrize("name", ["t.xls", "t.xlsx"])
def test_other_files_that_are_called_a_workbook_are_refused(name, content, said, tmp_path):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(tlpo.InputError) as error:
        read_table(str(path))
    assert str(error.value).startswith(said)
    assert str(path) in str(error.value)
