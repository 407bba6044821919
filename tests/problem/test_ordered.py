"""Numbers and grades of any type, and what is said about those that order nobody."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tlpo
from tlpo.problem.ordered import LEAST_SPREAD, read_ordered
from tlpo.problem.outcome import Ordered
from tlpo.problem.problem import make_problem


def message(y, order=True):
    with pytest.raises(tlpo.InputError) as caught:
        read_ordered(y, order, None)
    return str(caught.value)


# --- numbers


@pytest.mark.parametrize(
    ("y", "expected"),
    [
        ([3, 1, 2], [3.0, 1.0, 2.0]),
        ((3.5, -1, 2), [3.5, -1.0, 2.0]),
        ([[3], [1]], [3.0, 1.0]),
        (range(3), [0.0, 1.0, 2.0]),
        ([True, False], [1.0, 0.0]),
        (np.array([True, False]), [1.0, 0.0]),
        (np.array([3, 250], dtype=np.uint8), [3.0, 250.0]),
        (np.array([0.5, 0.25], dtype=np.float16), [0.5, 0.25]),
        (np.array([[0.5], [0.25]]), [0.5, 0.25]),
        (pd.Series([1, 2], dtype="Int64"), [1.0, 2.0]),
        (pd.Series([1.0, 2.5], index=["b", "a"]), [1.0, 2.5]),
        (pd.Series([2, 1], dtype="category"), [2.0, 1.0]),
        (pd.DataFrame({"y": [1, 2]}), [1.0, 2.0]),
        (pl.Series([1.0, 2.5]), [1.0, 2.5]),
        (np.ma.masked_array([1.0, 2.0], mask=[False, False]), [1.0, 2.0]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_numbers_of_any_type(y, expected):
    found = read_ordered(y, True, None)
    assert found.y.dtype == np.float64
    assert found.y.tolist() == expected
    assert found.grades is None


@given(st.lists(st.floats(-1e6, 1e6).map(lambda v: round(v, 1)), min_size=2))
def test_levels_against_sorting(y):
    if len(set(y)) < 2:
        return
    found = read_ordered(y, True, None)
    different = sorted(set(y))
    assert found.level.tolist() == [different.index(value) for value in y]
    assert found.n_levels == len(different)


def test_positive_and_negative_zero_are_peers():
    assert read_ordered([0.0, -0.0, 1.0], True, None).level.tolist() == [0, 0, 1]


# --- grades


@pytest.mark.parametrize(
    ("y", "order", "expected"),
    [
        (["II", "I", "III"], ["I", "II", "III"], [1.0, 0.0, 2.0]),
        (["II", "I"], ("III", "II", "I"), [1.0, 2.0]),
        (np.array(["II", "I"]), np.array(["I", "II"]), [1.0, 0.0]),
        (pd.Series(["II", "I"]), pd.Index(["I", "II"]), [1.0, 0.0]),
        (pl.Series(["II", "I"]), ["I", "II"], [1.0, 0.0]),
        ([3, 1, 2], [3, 2, 1], [0.0, 2.0, 1.0]),
        (np.array([3.0, 1.0]), [3, 2, 1], [0.0, 2.0]),
        ([True, False], [True, False], [0.0, 1.0]),
        (["nan", "a"], ["a", "nan"], [1.0, 0.0]),
    ],
)
def test_grades_by_their_places(y, order, expected):
    found = read_ordered(y, order, None)
    assert found.y.tolist() == expected
    assert list(found.grades) == list(order)
    assert found.values.tolist() == np.asarray(y).tolist()


def test_an_ordered_categorical_brings_its_grades():
    y = pd.Categorical(["b", "a", "b"], categories=["c", "b", "a"], ordered=True)
    for given_ in (y, pd.Series(y), pd.Series(y, index=[7, 8, 9])):
        found = read_ordered(given_, True, None)
        assert found.y.tolist() == [1.0, 2.0, 1.0]
        assert found.grades == ("c", "b", "a")
        assert found.count == "3 units, 2 grades: 'b' (2), 'a' (1)"
    # What is asked for goes before what the column says.
    assert read_ordered(y, ["a", "b"], None).y.tolist() == [1.0, 0.0, 1.0]
    numbers = pd.Categorical([10, 2, 2], categories=[10, 2], ordered=True)
    assert read_ordered(numbers, True, None).y.tolist() == [0.0, 1.0, 1.0]


def test_grades_that_do_not_occur_keep_their_place():
    found = read_ordered(["a", "d", "a"], ["a", "b", "c", "d"], None)
    assert found.y.tolist() == [0.0, 3.0, 0.0]
    assert found.level.tolist() == [0, 1, 0]


# --- what is refused


@pytest.mark.parametrize(
    "y",
    [
        [1.0, np.nan, 2.0],
        [1, None, 2],
        pd.Series([1, None, 2], dtype="Int64"),
        pl.Series([1, None, 2]),
        np.ma.masked_array([1.0, 2.0, 3.0], mask=[False, True, False]),
        pd.Categorical(["b", None, "c"], categories=["c", "b", "a"], ordered=True),
    ],
)
def test_missing_values(y):
    assert message(y) == (
        "y has missing values.\n"
        "You passed 3 values, 1 of them missing (index 1).\n"
        "Drop these units from X and y."
    )


def test_missing_grades():
    assert message(["a", None, "b"], ["a", "b"]) == message([1.0, None, 2.0])


@pytest.mark.parametrize("infinite", [np.inf, -np.inf])
def test_infinite_values(infinite):
    expected = (
        "y has values that are infinite, complex or bytes.\n"
        f"You passed {infinite}.\n"
        "Drop these units, or replace an infinite value by the end of its range."
    )
    assert message([1.0, infinite, 2.0]) == expected
    assert message(np.array([1.0, infinite])) == expected


def test_names_without_an_order():
    for y in (["no", "yes", "maybe"], pd.Series(["no", "yes", "maybe"], dtype="category")):
        assert message(y) == (
            "y has names, and nothing says which of them is higher.\n"
            "You passed 'maybe', 'no', 'yes'.\n"
            "Name them from lowest to highest, for example order=['maybe', 'no', 'yes']."
        )
    assert "order=['1', '2']" in message(["1", "2"])


def test_names_and_numbers():
    assert message([1, "a"]) == (
        "y mixes values of different types.\n"
        "You passed 'int', 'str'.\n"
        "Convert y to one type, for example with y.astype(str)."
    )


def test_dates():
    assert message(np.array(["2020-01-01", "2021-06-30"], dtype="datetime64[D]")) == (
        "y has dates or times, not numbers.\n"
        "You passed '2020-01-01', '2021-06-30'.\n"
        "Pass the time since a fixed date as a number, for example in days."
    )
    for y in (pd.Series(pd.to_datetime(["2020-01-01", "2021-06-30"])), np.array([1, 2], "m8[D]")):
        assert message(y).startswith("y has dates or times, not numbers.\n")


def test_one_value_only():
    assert message([2.5, 2.5, 2.5]) == (
        "y must have at least two different values.\n"
        "You passed 2.5 for all 3 units.\n"
        "Units with equal values are tied in the outcome and cannot be ordered."
    )
    assert "You passed 'b' for all 2 units." in message(["b", "b"], ["a", "b"])


def test_no_values_at_all():
    for y, order in (([], True), ([], ["a", "b"])):
        assert message(y, order) == (
            "y must have at least two different values.\n"
            "You passed no values at all.\n"
            "Units with equal values are tied in the outcome and cannot be ordered."
        )


def test_several_columns():
    assert message(np.ones((3, 2))) == (
        "y must have one value per unit.\nYou passed an array of shape (3, 2).\nPass one column."
    )


def test_values_that_vary_too_little_for_their_size():
    assert message([1e12, 1e12 + 1, 1e12 + 2]) == (
        "y varies too little for its size: rounding would decide games.\n"
        "You passed values from 1000000000000 to 1000000000002.\n"
        "Subtract a constant, for example the smallest value; this changes no order."
    )
    # The larger of two values must differ by more than LEAST_SPREAD of its size.
    for sign in (1, -1):
        read_ordered([sign * 1e5, sign * 1e5 * (1 + 1.01 * LEAST_SPREAD)], True, None)
        with pytest.raises(tlpo.InputError):
            read_ordered([sign * 1e5, sign * 1e5 * (1 + 0.99 * LEAST_SPREAD)], True, None)
    # Places of grades are of order one, and tiny numbers vary as much as any.
    read_ordered([1e-300, 2e-300], True, None)


def test_grades_that_the_order_does_not_name():
    assert message(["low", "high", "odd", "other", "odd"], ["low", "high"]) == (
        "order must name every grade in y.\n"
        "You passed order=['low', 'high']; y also has 'odd', 'other'.\n"
        "Add these grades, with their type, or drop these units."
    )
    assert message([3, 1], ["3", "1"]) == (
        "order must name every grade in y.\n"
        "You passed order=['3', '1']; y also has 3, 1.\n"
        "Add these grades, with their type, or drop these units."
    )


@pytest.mark.parametrize(
    ("order", "shown"),
    [
        (["a", "b", "a"], "['a', 'b', 'a']"),
        ([1, 2, 1.0], "[1, 2, 1.0]"),
        (["a"], "['a']"),
        ([], "[]"),
    ],
)
def test_orders_that_do_not_name_every_grade_once(order, shown):
    assert message(["a", "b"], order) == (
        "order must name every grade once, from lowest to highest.\n"
        f"You passed order={shown}.\n"
        "For example order=['low', 'medium', 'high']."
    )


@pytest.mark.parametrize("order", ["abc", 3, False, 1.5])
def test_orders_that_are_none(order):
    assert message(["a", "b"], order) == (
        "order must name the grades from lowest to highest.\n"
        f"You passed order={order!r}.\n"
        "For example order=['low', 'medium', 'high']."
    )


# --- as a problem


def test_a_problem_with_numbers():
    X = pd.DataFrame({"x": np.arange(4.0)}, index=list("abcd"))
    y = np.array([4, 1, 9, 1])
    problem = make_problem(X, y, order=True)
    assert isinstance(problem.outcome, Ordered)
    assert list(problem.outcome.unit_names) == list("abcd")
    assert problem.y.tolist() == problem.target.tolist() == [4.0, 1.0, 9.0, 1.0]
    assert problem.scaled_target.tolist() == [0.5, 0.125, 1.125, 0.125]
    with pytest.raises(AssertionError):
        _ = problem.labels


def test_a_problem_with_grades():
    problem = make_problem(np.zeros((3, 1)), ["b", "a", "b"], order=["a", "b"])
    assert problem.y.tolist() == problem.target.tolist() == [1.0, 0.0, 1.0]
    assert problem.outcome.values.tolist() == ["b", "a", "b"]


def test_rows_and_values_of_different_length():
    with pytest.raises(tlpo.InputError) as caught:
        make_problem(np.zeros((4, 1)), [1.0, 2.0, 3.0], order=True)
    assert str(caught.value) == (
        "X and y must describe the same units.\n"
        "You passed 4 rows of X and 3 values.\n"
        "Check that neither was filtered without the other."
    )


def test_dates_of_any_type_are_refused():
    days = [datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)]
    for y in (days, pd.Series(pd.to_datetime(days, utc=True))):
        with pytest.raises(tlpo.InputError):
            read_ordered(y, True, None)
