"""Columns of outcomes: two classes, numbers that are cut, numbers and grades."""

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from tables import patients
from tlpo.errors import InputError, UsageError
from tlpo.tables.build_sample import build_sample
from tlpo.tables.options import Specification
from tlpo.tables.outcomes import Target, cut_in_two, find_target, read_order
from tlpo.tables.read import read_table


def outcomes(values, **columns):
    """Return a table with these outcomes and two features without any relation to them."""
    m = len(values)
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"age": rng.normal(60, 9, m).round(1), "iron": rng.normal(size=m)})
    return table.assign(y=values, **columns)


def message(table, target="y", **spec):
    with pytest.raises(InputError) as caught:
        build_sample(table, Specification(target, **spec))
    return str(caught.value)


# ----- a column, or a number that is cut


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("loss", Target("loss")),
        ("loss >= 5", Target("loss", ">=", "5")),
        ("loss>=5", Target("loss", ">=", "5")),
        (" loss  <  -1.5e2 ", Target("loss", "<", "-1.5e2")),
        ("loss ≥ .5", Target("loss", ">=", ".5")),
        ("loss ≤ 5.", Target("loss", "<=", "5.")),
        ("loss > 5", Target("loss", ">", "5")),
        # Names that hold a mark are names first.
        ("age > 60", Target("age > 60")),
        ("age > 60 >= 1", Target("age > 60", ">=", "1")),
        ("age > 61", Target("age", ">", "61")),
        ("p<", Target("p<")),
        ("p< > 2", Target("p<", ">", "2")),
    ],
)
def test_a_name_or_a_name_and_a_limit(asked, meant):
    table = pd.DataFrame(columns=["loss", "age", "age > 60", "p<"])
    assert find_target(table, asked) == meant


def test_labels_of_a_cut_are_each_others_opposite():
    found = {mark: Target("loss", mark, "5").labels for mark in (">=", ">", "<=", "<")}
    assert found == {
        ">=": (">= 5", "< 5"),
        ">": ("> 5", "<= 5"),
        "<=": ("<= 5", "> 5"),
        "<": ("< 5", ">= 5"),
    }


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            "weight >= 5",
            "There is no such column.\nYou passed 'weight >= 5'; the columns are 'age', 'iron', "
            "'y'.\nPass one of these.",
        ),
        (
            "y >= 5,5",
            "The limit must be a number with a decimal point.\nYou passed target='y >= 5,5'.\n"
            "For example target='y >= 5.5'.",
        ),
        (
            "y > inf",
            "The limit must be a number with a decimal point.\nYou passed target='y > inf'.\n"
            "For example target='y > 5'.",
        ),
        (
            "y >= 50",
            "The target must have exactly two labels.\nYou passed target='y >= 50' with 1: "
            "'< 50'.\nChoose another limit.",
        ),
    ],
)
def test_limits_that_cannot_be(asked, said):
    assert message(outcomes(np.arange(12.0)), asked) == said


@pytest.mark.parametrize(
    ("mark", "expected"),
    [
        (">=", [False, True, True, True]),
        (">", [False, False, False, True]),
        ("<", [True, False, False, False]),
        ("<=", [True, True, True, False]),
    ],
)
@pytest.mark.parametrize(
    "cells",
    [
        [1.5, 2.5, None, 2.5, 7.0],
        ["1,5", "2,5", None, "2,5", "7,0"],
        pd.array([1.5, 2.5, None, 2.5, 7.0], dtype="Float64"),
    ],
    ids=["numbers", "decimal commas", "nullable"],
)
def test_every_cut_by_hand(mark, expected, cells):
    column = pd.Series(cells, name="y")
    filled = column.notna().to_numpy()
    target = Target("y", mark, "2.5")
    labels = cut_in_two(column, target, filled)[filled]
    positive, negative = target.labels
    assert labels.tolist() == [positive if one else negative for one in expected]


@pytest.mark.parametrize(
    ("cells", "held"),
    [
        (["mild", "severe"] * 3, "'mild', 'severe'"),
        ([True, False] * 3, "'False', 'True'"),
        (list(pd.to_datetime(["2020-01-01", "2021-01-01"])) * 3,
         "'2020-01-01 00:00:00', '2021-01-01 00:00:00'"),
    ],
)  # fmt: skip
def test_only_numbers_are_cut(cells, held):
    assert message(outcomes(cells), "y > 1") == (
        "Only a column of numbers can be cut into two classes.\n"
        f"You passed target='y > 1'; 'y' holds {held}.\n"
        "Name the column alone, or choose another."
    )


@pytest.mark.parametrize(
    "also", [{"ordered": True}, {"order": ("a", "b")}, {"classes": ("< 5", "rest")}]
)
def test_what_is_cut_is_nothing_else(also):
    (name,) = also
    assert message(outcomes(np.arange(12.0)), "y >= 5", **also) == (
        "A number that is cut is two classes already.\n"
        f"You passed target='y >= 5' and {name}.\n"
        f"Leave out the limit, or {name}."
    )


def test_a_cut_from_table_to_sample():
    values = [1.0, None, 5.0, 9.0, 4.0, 5.5, 2.0]
    sample = build_sample(outcomes(values), Specification("y >= 5"))
    assert sample.y.tolist() == ["< 5", ">= 5", ">= 5", "< 5", ">= 5", "< 5"]
    assert (sample.labels.positive, sample.labels.negative) == (">= 5", "< 5")
    assert (sample.target, sample.n_without_target, sample.is_ordered) == ("y", 1, False)
    assert sample.notes == [
        "The outcome is 'y'. '>= 5' counts as positive (as requested), '< 5' as negative."
    ]
    assert "y" not in sample.X
    # The other side can be the positive one.
    other = build_sample(outcomes(values), Specification("y >= 5", positive="< 5"))
    assert (other.labels.positive, other.labels.negative) == ("< 5", ">= 5")


# ----- ordered, or classes


def is_ordered(values, **spec):
    column = pd.Series(values, name="y")
    return read_order(column, column.notna().to_numpy(), Specification("y", **spec)) is not None


def test_more_than_ten_numbers_are_ordered():
    ten, eleven = [k % 10 for k in range(22)], [k % 11 for k in range(22)]
    assert not is_ordered(ten)
    assert is_ordered(eleven)
    assert is_ordered(ten, ordered=True)
    assert is_ordered([f"{k},5" for k in eleven])
    assert is_ordered([None, *eleven])
    # Gaps and repetitions are no values.
    assert not is_ordered([None, *ten])


@pytest.mark.parametrize("asked", [{"positive": "3"}, {"classes": ("3", "4")}])
def test_who_asks_for_classes_gets_them(asked):
    assert not is_ordered([k % 11 for k in range(22)], **asked)


@pytest.mark.parametrize(
    "values",
    [
        [k % 2 == 0 for k in range(22)],
        ["yes", "no"] * 11,
        [f"diagnosis {k}" for k in range(22)],
        pd.Categorical([str(k) for k in range(22)], ordered=True),
        pd.Categorical(range(22)),
    ],
    ids=["truths", "labels", "names", "ordered categories", "coded"],
)
def test_nothing_else_is_ordered_without_being_asked(values):
    assert not is_ordered(values)


def test_ordered_and_two_classes_exclude_each_other():
    for asked, said in (
        ({"ordered": True, "positive": "3"}, "positive='3' and ordered"),
        ({"order": ("a", "b"), "classes": ("a", "b")}, "classes=['a', 'b'] and order=['a', 'b']"),
    ):
        with pytest.raises(UsageError) as caught:
            Specification("y", **asked)
        assert str(caught.value) == (
            "The outcome is either two classes or ordered.\n"
            f"You passed {said}.\nLeave out one of the two."
        )


@pytest.mark.parametrize(
    ("values", "spec", "said"),
    [
        (
            ["b", "a", "c"] * 4,
            {"ordered": True},
            "The outcome has names, and nothing says which of them is higher.\n"
            "You passed target='y', which holds 'a', 'b', 'c'.\n"
            "Name them from lowest to highest, for example order=['a', 'b', 'c'].",
        ),
        (
            pd.Categorical(["b", "a", "c"] * 4),
            {"ordered": True},
            "The outcome has names, and nothing says which of them is higher.\n"
            "You passed target='y', which holds 'a', 'b', 'c'.\n"
            "Name them from lowest to highest, for example order=['a', 'b', 'c'].",
        ),
        (
            [True, False] * 6,
            {"ordered": True},
            "The outcome has names, and nothing says which of them is higher.\n"
            "You passed target='y', which holds 'False', 'True'.\n"
            "Name them from lowest to highest, for example order=['False', 'True'].",
        ),
        (
            ["low", "medium", "high"] * 4,
            {"order": ("low", "high")},
            "order must name every grade of the outcome.\n"
            "You passed order=['low', 'high']; 'y' also holds 'medium'.\n"
            "Add what is missing, spelled as it is in the table, from lowest to highest.",
        ),
        (
            ["low", "high"] * 4,
            {"order": ("low", "high", "low")},
            "order must name every grade once, from lowest to highest.\n"
            "You passed order=['low', 'high', 'low'].\n"
            "For example order=['low', 'medium', 'high'].",
        ),
        (
            [f"{k} kg" for k in range(12)],
            {"ordered": True},
            "The outcome has texts, and too many of them for grades.\n"
            "You passed target='y', which holds '0 kg', '1 kg', '10 kg', '11 kg', '2 kg', '3 kg', "
            "… (12 in all).\n"
            "Write numbers only, without a unit, or choose another column.",
        ),
        (
            [*map(str, range(11)), ">20"],
            {},
            "Column 'y' mixes numbers and text.\nYou passed '>20' among 11 numbers.\n"
            "Replace the text by numbers, or clear these cells.",
        ),
        (
            pd.date_range("2020-01-01", periods=12),
            {},
            "The outcome has dates, not numbers.\nYou passed target='y', which holds "
            "'2020-01-01 00:00:00', '2020-01-02 00:00:00', … (12 in all).\n"
            "Turn them into numbers, such as the days since a fixed date.",
        ),
        (
            ["2020-01-01", "2020-02-01", "2021-01-01"] * 4,
            {"ordered": True},
            "The outcome has dates, not numbers.\nYou passed target='y', which holds "
            "'2020-01-01', '2020-02-01', … (12 in all).\n"
            "Turn them into numbers, such as the days since a fixed date.",
        ),
        (
            [3] * 12,
            {"ordered": True},
            "The outcome must have at least two different values.\n"
            "You passed target='y', which is the same in all 12 rows that are used.\n"
            "Choose another column.",
        ),
        (
            ["low"] * 12,
            {"order": ("low", "high")},
            "The outcome must have at least two different values.\n"
            "You passed target='y', which is the same in all 12 rows that are used.\n"
            "Choose another column.",
        ),
        (
            [k % 3 for k in range(12)],
            {"positive": "1"},
            "The target must have exactly two labels.\nYou passed target='y' with 3: '0', '1', "
            "'2'.\nChoose another column, or two of the labels, for example classes=['0', '1'], "
            "or one against the others, for example classes=['0', 'rest']. If they are numbers, of "
            "which the larger should rank higher, pass ordered.",
        ),
    ],
)  # fmt: skip
def test_outcomes_without_an_order(values, spec, said):
    assert message(outcomes(values), **spec) == said


def test_gaps_can_leave_equal_outcomes():
    table = outcomes([*[2.0] * 10, *range(11)])
    table.loc[10:, "iron"] = np.nan
    assert message(table, missing="drop") == (
        "The outcome must have at least two different values.\n"
        "You passed target='y', which is the same in all 10 rows that are used.\n"
        "Choose another column."
    )


# ----- from a table to a sample


def test_numbers_as_they_are():
    values = [0.5, None, *np.arange(11) * 2.0, 7.0]
    groups = [f"g{k % 5}" for k in range(14)]
    table = outcomes(values, person=groups)
    sample = build_sample(table, Specification("y", group="person"))
    assert sample.is_ordered
    assert sample.y.tolist() == [value for value in values if value is not None]
    assert sample.outcome.y.tolist() == sample.y.tolist()
    assert sample.outcome.grades is None
    assert (sample.target, sample.n_read, sample.n_without_target) == ("y", 14, 1)
    assert sample.groups.tolist() == [groups[0], *groups[2:]]
    assert list(sample.X.columns) == ["age", "iron"]
    # The median of all is 8.
    assert sample.notes == [
        "The outcome is 'y', a number from 0 to 20: of two patients, the one with the larger "
        "should rank higher. For two classes, name a limit as well: 'y >= 8'.",
        "Rows with the same 'person' are left out of training together (5 groups).",
    ]


def test_whoever_asks_is_not_told_how_to_ask_for_classes():
    sample = build_sample(outcomes(np.arange(12.0)), Specification("y", ordered=True))
    assert sample.notes == [
        "The outcome is 'y', a number from 0 to 11: of two patients, the one with the larger "
        "should rank higher."
    ]


@pytest.mark.parametrize(
    "values",
    [
        [*[0.0] * 30, *range(1, 12)],  # most have the lowest
        100_000 + np.arange(12) / 8,  # all alike to three digits
        [*range(11), 1e12],
    ],
)
def test_the_limit_that_is_offered_makes_two_classes(values):
    sample = build_sample(outcomes(values), Specification("y"))
    _, _, limit = sample.notes[0].partition("name a limit as well: ")
    cut = build_sample(outcomes(values), Specification(limit.rstrip(".").strip("'")))
    assert min(cut.labels.n_positive, cut.labels.n_negative) > 0


def test_a_note_about_how_numbers_were_read_comes_before():
    table = outcomes(np.arange(12.0), crp=[f"{k},5" for k in range(12)])
    notes = build_sample(table, Specification("y")).notes
    assert notes[0] == "Column 'crp': '0,5' was read as 0.5."
    assert notes[1].startswith("The outcome is 'y', a number from 0 to 11")


def test_grades_are_places():
    values = ["low", "high", None, "medium", " low ", "high", "medium"]
    table = outcomes(values)
    sample = build_sample(table, Specification("y", order=("none", "low", "medium", "high")))
    assert sample.y.tolist() == [1, 3, 2, 1, 3, 2]
    assert sample.outcome.grades == ("none", "low", "medium", "high")
    assert sample.n_without_target == 1
    # Only grades that occur are named.
    assert sample.notes == ["The outcome is 'y', a grade: low < medium < high."]


def test_codes_can_be_named_as_grades():
    """Whole numbers of a column with gaps are floating-point numbers, which nobody types."""
    values = [1.0, 2.0, None, 3.0, 1.0, 2.0]
    sample = build_sample(outcomes(values), Specification("y", order=("3", "2", "1")))
    assert sample.y.tolist() == [2, 1, 0, 2, 1]


@pytest.mark.parametrize("kind", ["sav", "dta"])
def test_labels_of_spss_and_stata_are_in_the_order_of_their_codes(kind, tmp_path):
    codes = [3.0, 1.0, 2.0, 1.0, 3.0, 2.0] * 2
    path, labels = str(tmp_path / f"t.{kind}"), {1: "mild", 2: "fair", 3: "bad"}
    table = outcomes(codes)
    if kind == "sav":
        pyreadstat.write_sav(table, path, variable_value_labels={"y": labels})
    else:
        table["y"] = table["y"].astype(int)
        pyreadstat.write_dta(table, path, variable_value_labels={"y": labels})
    sample = build_sample(read_table(path), Specification("y", ordered=True))
    assert sample.outcome.grades == ("mild", "fair", "bad")
    assert sample.y.tolist() == [code - 1 for code in codes]
    assert sample.notes[-1] == "The outcome is 'y', a grade: mild < fair < bad."


def test_a_copy_in_other_units_is_suspected():
    rng = np.random.default_rng(1)
    kilograms = rng.normal(80, 10, 30).round(1)
    sample = build_sample(outcomes(kilograms, pounds=2.2046 * kilograms), Specification("y"))
    assert [(s["column"], s["kind"]) for s in sample.suspects] == [("pounds", "separates")]


def test_columns_that_tell_one_half_from_the_other_are_suspected():
    values = [1.0, 2.0, 3.0, 10.0, 11.0, 12.0] * 4
    table = outcomes(values, severe=[float(value > 5) for value in values])
    sample = build_sample(table, Specification("y", ordered=True))
    assert [(s["column"], s["kind"]) for s in sample.suspects] == [("severe", "copy")]


def test_outcomes_most_of_which_are_the_largest_are_looked_at_too():
    values = [*[9.0] * 20, 1.0, 2.0, 3.0, 4.0]
    table = outcomes(values, copy=[2.0 * value for value in values])
    sample = build_sample(table, Specification("y", ordered=True))
    assert [s["column"] for s in sample.suspects] == ["copy"]


def test_rows_with_gaps_are_left_out_on_request():
    table = outcomes([float(k) for k in range(14)])
    table.loc[[0, 13], "iron"] = np.nan
    table.loc[5, "y"] = None
    sample = build_sample(table, Specification("y", missing="drop"))
    assert sample.y.tolist() == [1, 2, 3, 4, *range(6, 13)]
    assert (sample.n_without_target, sample.n_dropped) == (1, 2)
    assert sample.X["age"].tolist() == table["age"].iloc[[1, 2, 3, 4, *range(6, 13)]].tolist()
    assert sample.ids["row"].tolist() == [2, 3, 4, 5, *range(7, 14)]


def test_conditions_choose_among_ordered_rows():
    table = patients(40).assign(outcome=np.arange(40) / 4)
    sample = build_sample(table, Specification("outcome", rows=["outcome>=2", "site=north"]))
    expected = table[(table["outcome"] >= 2) & (table["site"] == "north")]["outcome"]
    assert sample.y.tolist() == expected.tolist()
