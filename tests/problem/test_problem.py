import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import tlpo
from tlpo.errors import InputError
from tlpo.problem.playable import admit
from tlpo.problem.problem import make_problem
from tlpo.schedule import Schedule

X = np.arange(12.0).reshape(6, 2)
Y = [0, 1, 0, 1, 0, 1]


def message(*args, **kwargs):
    with pytest.raises(InputError) as caught:
        make_problem(*args, **kwargs)
    return str(caught.value)


@pytest.mark.parametrize(
    ("labels", "negative", "positive"),
    [
        ([0, 1, 0, 1, 0, 1], 0, 1),
        ([-1.0, 1.0, -1.0, 1.0, -1.0, 1.0], -1.0, 1.0),
        ([False, True, False, True, False, True], False, True),
        (["a", "b", "a", "b", "a", "b"], "a", "b"),
        (pd.Series(["a", "b", "a", "b", "a", "b"]), "a", "b"),
        (pd.Series(["a", "b", "a", "b", "a", "b"], dtype="category"), "a", "b"),
        (pd.Series([0, 1, 0, 1, 0, 1], dtype="Int64"), 0, 1),
        (pd.Series([False, True] * 3, dtype="boolean"), False, True),
        (pl.Series(["a", "b", "a", "b", "a", "b"]), "a", "b"),
        (pl.Series(["a", "b"] * 3, dtype=pl.Categorical), "a", "b"),
        (np.array([[0], [1], [0], [1], [0], [1]]), 0, 1),
    ],
)
def test_labels_of_every_type(labels, negative, positive):
    problem = make_problem(X, labels)
    assert (problem.labels.negative, problem.labels.positive) == (negative, positive)
    assert problem.labels.is_positive.tolist() == [False, True] * 3
    assert problem.signs.tolist() == [-1.0, 1.0] * 3
    # scikit-learn takes object arrays for strings only
    assert problem.y.dtype != object or isinstance(positive, str)


def test_positive_can_be_the_first():
    labels = make_problem(X, ["a", "b"] * 3, positive="a").labels
    assert labels.is_positive.tolist() == [True, False] * 3
    assert (labels.negative, labels.positive) == ("b", "a")
    assert make_problem(X, [True, False] * 3, positive=1).labels.positive is True


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


def test_not_two_classes():
    assert message(X, [0, 1, 2, 0, 1, 2]) == (
        "y must contain exactly two classes.\n"
        "You passed 3: 0, 1, 2.\n"
        "Keep only two classes, or merge the others into them."
    )
    assert message(X, ["a"] * 6) == (
        "y must contain exactly two classes.\n"
        "You passed 1: 'a'.\n"
        "Keep only two classes, or merge the others into them."
    )
    assert "You passed 8: 0, 1, 2, 3, 4, 5, … (8 in all)." in message(np.zeros(8), range(8))


def test_a_class_too_small():
    def play(scheme, y):
        with pytest.raises(tlpo.InputError) as caught:
            scheme(tlpo.RLS(), X, y)
        return str(caught.value)

    labels = ["no", "no", "no", "no", "yes", "yes"]
    assert play(tlpo.tournament, labels) == (
        "Class 'yes' has too few units: leaving out two of them must leave one to train on.\n"
        "You passed 2 of class 'yes' among 6 units.\n"
        "Collect at least 3 units of each class."
    )
    assert play(tlpo.quicksort, labels) == play(tlpo.tournament, labels)
    for scheme in (tlpo.leave_pair_out, tlpo.leave_one_out):
        assert 0 <= scheme(tlpo.RLS(), X, labels).auc <= 1
        assert play(scheme, [0, 0, 0, 0, 0, 1]) == (
            "Class 1 has too few units: leaving out one of them must leave one to train on.\n"
            "You passed 1 of class 1 among 6 units.\n"
            "Collect at least 2 units of each class."
        )


def test_positive_not_among_the_labels():
    assert message(X, Y, positive="yes") == (
        "positive must be one of the labels in y.\n"
        "You passed positive='yes'; the labels are 0, 1.\n"
        "Pass one of these, with its type, or omit positive= to use the second."
    )
    assert "positive='1'" in message(X, Y, positive="1")


@pytest.mark.parametrize(
    "labels",
    [
        [0.0, 1.0, np.nan, 1.0, 0.0, 1.0],
        ["a", "b", None, "b", "a", "b"],
        pd.Series(["a", "b", None, "b", "a", "b"]),
        pd.Series([0, 1, None, 1, 0, 1], dtype="Int64"),
        pl.Series([0, 1, None, 1, 0, 1]),
    ],
)
def test_missing_labels(labels):
    assert message(X, labels) == (
        "y has missing labels.\n"
        "You passed 6 labels, 1 of them missing (index 2).\n"
        "Drop these units from X and y."
    )


@pytest.mark.parametrize(
    "labels",
    [
        ["yes", "no", np.nan, "yes", "no", "yes"],
        np.ma.masked_array([0, 1, 0, 1, 0, 1], mask=[0, 0, 1, 0, 0, 0]),
        ("yes", "no", None, "yes", "no", "yes"),
    ],
)
def test_numpy_does_not_hide_missing_labels(labels):
    assert message(X, labels).startswith(
        "y has missing labels.\nYou passed 6 labels, 1 of them missing (index 2)."
    )


def test_numpy_does_not_hide_mixed_labels():
    assert message(X, [1, "a"] * 3).startswith("y mixes labels of different types.")


def test_strings_keep_their_type():
    assert make_problem(X, np.array(["a", "b"] * 3, dtype=object)).y.dtype == object
    assert make_problem(X, np.array(["a", "b"] * 3)).y.dtype.kind == "U"
    strings = np.array(["a", "b"] * 3, dtype=np.dtypes.StringDType())
    assert make_problem(X, strings).labels.positive == "b"


def test_nested_and_empty_labels():
    assert "labels of unequal length" in message(X, [[0, 1], [1], [0], [1], [0], [1]])
    assert make_problem(X, [[0], [1], [0], [1], [0], [1]]).labels.n_positive == 3
    assert "You passed no labels at all." in message(np.zeros((0, 1)), [])


@pytest.mark.parametrize("positive", [np.array([0, 1]), pd.NA, pd.Series([1]), object()])
def test_odd_positive_labels_are_refused(positive):
    assert message(X, Y, positive=positive).startswith("positive must be one of the labels in y.")


def test_groups_are_told_apart_by_equality():
    def codes(groups):
        return make_problem(X, Y, groups=groups).groups.tolist()

    assert codes(np.array([1, 1.0, 2, 2.0, "a", 3], dtype=object)) == [0, 0, 1, 1, 2, 3]
    assert codes(np.array([1, "1", 2, 3, 4, 5], dtype=object)) == [0, 1, 2, 3, 4, 5]
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


def test_mixed_labels():
    assert message(X, np.array([0, "a", 0, "a", 0, "a"], dtype=object)) == (
        "y mixes labels of different types.\n"
        "You passed 'int', 'str'.\n"
        "Convert y to one type, for example with y.astype(str)."
    )


def test_labels_in_two_columns():
    assert message(X, np.zeros((6, 2))) == (
        "y must have one label per unit.\nYou passed an array of shape (6, 2).\nPass one column."
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


@pytest.mark.parametrize(
    ("groups", "named", "holds"),
    [
        (["a", "b", "a", "c", "a", "d"], "group 'a'", "that one holds"),
        (["a", "x", "b", "y", "b", "z"], "groups 'a', 'b'", "these two hold"),
    ],
)
def test_groups_that_empty_a_class(groups, named, holds):
    problem = make_problem(X, Y, groups=groups)
    with pytest.raises(InputError) as caught:
        admit(problem, Schedule())
    n_groups = len(set(groups))
    assert str(caught.value) == (
        f"Leaving out {named} leaves no unit of class 0 to train on.\n"
        f"You passed {n_groups} groups, and {holds} all 3 units of the class.\n"
        "Every class needs units in at least three groups: collect more groups, split these, "
        "or leave out groups=."
    )


def test_opposite_games_allow_two_groups_that_never_meet():
    groups = ["a", "x", "b", "y", "b", "z"]  # a and b are all negative
    admit(make_problem(X, Y, groups=groups), Schedule("opposite"))
    groups = ["a", "a", "b", "y", "b", "z"]  # now the positive of a meets the negatives of b
    with pytest.raises(InputError, match="groups 'a', 'b'"):
        admit(make_problem(X, Y, groups=groups), Schedule("opposite"))
