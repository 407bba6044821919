import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import tlpo
from tlpo.errors import InputError
from tlpo.problem.problem import make_problem

X = np.arange(12.0).reshape(6, 2)
Y = [0, 1, 0, 1, 0, 1]


def message(*args, **kwargs):
    with pytest.raises(InputError) as caught:
        make_problem(*args, **kwargs)
    return str(caught.value)


@pytest.mark.parametrize(
    "rows",
    [
        X,
        pd.DataFrame(X, columns=["a", "b"]),
        pl.DataFrame({"a": X[:, 0], "b": X[:, 1]}),
        sparse.csr_matrix(X),
        sparse.coo_array(X),
        [f"text {k}" for k in range(6)],
        tuple(range(6)),
    ],
)
def test_rows_of_any_container(rows):
    problem = make_problem(rows, Y)
    taken = problem.rows(np.array([4, 1]))
    assert type(taken) is type(problem.X)
    if isinstance(taken, list):
        assert taken == [rows[4], rows[1]]
    else:
        dense = taken.toarray() if sparse.issparse(taken) else np.asarray(taken)
        assert np.array_equal(dense, X[[4, 1]])


def test_training_set_leaves_groups_out():
    problem = make_problem(X, Y, groups=["p", "p", "q", "r", "s", "t"])
    assert problem.training_set(np.array([0, 3])).tolist() == [2, 4, 5]
    assert make_problem(X, Y).training_set(np.array([0, 3])).tolist() == [1, 2, 4, 5]


def test_params_with_one_value_a_unit_are_cut():
    problem = make_problem(X, Y, params={"sample_weight": np.arange(6.0), "coef": [1, 2], "k": 3})
    assert problem.params_for(np.array([1, 5])) == {
        "sample_weight": pytest.approx([1.0, 5.0]),
        "coef": [1, 2],
        "k": 3,
    }


def test_groups_are_told_apart_by_equality():
    def codes(groups):
        return make_problem(X, Y, groups=groups).groups.tolist()

    assert codes(np.array([1, 1.0, 2, 2.0, "a", 3], dtype=object)) == [0, 0, 1, 1, 2, 3]
    assert codes(np.array([1, "1a", 2, 3, 4, 5], dtype=object)) == [0, 1, 2, 3, 4, 5]
    assert codes([["p"], ["p"], ["q"], ["q"], ["r"], ["r"]][0] * 6) == [0] * 6
    assert message(X, Y, groups=["a", "b", np.nan, "c", "d", "e"]).startswith(
        "groups has missing values."
    )


def test_a_weight_for_other_units_is_refused():
    assert message(X, Y, params={"sample_weight": np.ones(4)}) == (
        "sample_weight must have one value per unit.\n"
        "You passed 4 values for 6 units.\n"
        "Check that it was not filtered without X and y."
    )


def test_lengths_differ():
    assert message(X, [0, 1, 0, 1, 0, 1, 1]) == (
        "X and y must describe the same units.\n"
        "You passed 6 rows of X and 7 labels.\n"
        "Check that neither was filtered without the other."
    )


def test_x_without_rows():
    assert message({"a": [1]}, Y) == (
        "X must have one row per unit.\n"
        "You passed an object of type dict that has no length.\n"
        "Pass an array, a dataframe, a sparse matrix or a list."
    )


def test_bad_groups():
    assert message(X, Y, groups=[1, 2]) == (
        "groups must have one value per unit.\n"
        "You passed groups of shape (2,) for 6 units.\n"
        "Pass the column that says which units belong together."
    )
    assert message(X, Y, groups=[1, 2, np.nan, 3, 4, 5]) == (
        "groups has missing values.\n"
        "You passed 1 missing, at 2.\n"
        "Give a unit that belongs to no group a group of its own."
    )


def test_bad_params():
    assert message(X, Y, params=[1]) == (
        "params must map names of fit arguments to values.\n"
        "You passed an object of type list.\n"
        "For example params={'sample_weight': weights}."
    )


MASKED = np.ma.MaskedArray(np.arange(12.0).reshape(6, 2), mask=[[0, 1]] + [[0, 0]] * 5)


def test_masked_values_are_refused():
    y = [0, 1] * 3
    with pytest.raises(tlpo.InputError) as caught:
        make_problem(MASKED, y)
    assert str(caught.value) == (
        "X has masked values.\n"
        "You passed a masked array, 1 of its 12 values masked.\n"
        "Fill them in, or pass values.filled(np.nan) to an estimator that takes NaN."
    )
    with pytest.raises(tlpo.InputError, match=r"^sample_weight has masked values\."):
        make_problem(MASKED.data, y, params={"sample_weight": np.ma.masked_less(np.arange(6), 1)})
    whole = make_problem(np.ma.MaskedArray(MASKED.data), y)
    assert type(whole.X) is np.ndarray
    column = np.ma.masked_less(np.arange(6.0), 1)
    with pytest.raises(tlpo.InputError, match=r"^coordinates have missing or infinite values\."):
        tlpo.Buffer(column, radius=1)
    with pytest.raises(tlpo.InputError, match=r"^match has missing values\."):
        tlpo.leave_pair_out(tlpo.RLS(), MASKED.data, y, match=tlpo.Window(column, 3))


@pytest.mark.parametrize(
    ("groups", "shown"),
    [
        (["007", "7", "a", "b", "c", "d"], "'007' and '7'"),
        ([7, "7", "a", "b", "c", "d"], "7 and '7'"),
        (["7.0", 7, "a", "b", "c", "d"], "'7.0' and 7"),
        (np.array(["7", "07", "1", "2", "3", "4"]), "'07' and '7'"),
    ],
)
def test_groups_that_differ_in_spelling_only_are_refused(groups, shown):
    with pytest.raises(tlpo.InputError) as caught:
        make_problem(MASKED.data, [0, 1] * 3, groups=groups)
    assert str(caught.value) == (
        "Some groups differ only in how a number is written.\n"
        f"You passed the groups {shown}.\n"
        "If they are one group, write it in one way; if not, add a letter to one."
    )


def test_numbers_are_groups_by_value_and_text_by_its_characters():
    codes = make_problem(MASKED.data, [0, 1] * 3, groups=[7, 7.0, True, "a", "7a", "b"]).groups
    assert codes.tolist() == [0, 0, 1, 2, 3, 4]
