import numpy as np
import pandas as pd
import polars as pl
import pytest

from tlpo.errors import InputError
from tlpo.problem.labels import SORTED
from tlpo.problem.problem import make_problem

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
    assert problem.target.tolist() == [-1.0, 1.0] * 3
    # scikit-learn takes object arrays for strings only
    assert problem.y.dtype != object or isinstance(positive, str)


def test_positive_can_be_the_first():
    labels = make_problem(X, ["a", "b"] * 3, positive="a").labels
    assert labels.is_positive.tolist() == [True, False] * 3
    assert (labels.negative, labels.positive) == ("b", "a")
    assert make_problem(X, [True, False] * 3, positive=1).labels.positive is True


@pytest.mark.parametrize(
    ("negative", "positive"),
    [
        ("no", "yes"),
        ("N", "Y"),
        ("Normal", "Cancer"),
        ("-", "+"),
        ("survivor", "death"),
        ("survivor", "non-survivor"),
        ("control", "case"),
        ("benign", "malignant"),
        ("False", "True"),
        ("healthy", "disease"),
        ("non-responder", "responder"),
        ("not relapsed", "relapsed"),
        ("inactive", "active"),
        ("alive", "Dead"),
        ("normal", "abnormal"),
        ("free", "relapse"),
        # Of several words, a negative one wins; what both have says nothing.
        ("Low risk", "High risk"),
        ("wild type", "mutated"),
        ("KRAS wt", "KRAS mut"),
        ("graft ok", "graft failure"),
        ("ok", "not ok"),
        ("disease free", "disease"),
        ("healthy", "not healthy"),
        ("normal", "low"),
        ("No disease", "Mild disease"),
        ("stable disease", "progressive disease"),
        ("negative margin", "positive margin"),
        ("alive at 1 year", "dead at 1 year"),
        ("free T4 low", "free T4 high"),
        ("nein", "ja"),
        ("gesund", "krank"),
        ("terve", "sairas"),
        ("non", "oui"),
        ("0", "1"),
        ("-1", "1"),
        ("-1", "0"),
        ("9", "10"),
    ],
)
def test_words_that_everyone_reads_alike(negative, positive):
    problem = make_problem(X, [negative, positive] * 3)
    assert (problem.labels.negative, problem.labels.positive) == (negative, positive)


def test_a_choice_against_the_alphabet_is_said():
    assert make_problem(X, ["Normal", "Cancer"] * 3).labels.count == (
        "6 units, 3 positive ('Cancer', because 'Normal' reads as negative) and 3 negative "
        "('Normal')"
    )
    asked = make_problem(X, ["Normal", "Cancer"] * 3, positive="Cancer").labels
    assert asked.count == "6 units, 3 positive ('Cancer') and 3 negative ('Normal')"
    assert make_problem(X, ["a", "b"] * 3).labels.chosen_by == SORTED
    # Both read as negative, or both as positive: nothing can be told from the words.
    assert make_problem(X, ["normal", "benign"] * 3).labels.positive == "normal"
    assert make_problem(X, ["cancer", "tumour"] * 3).labels.positive == "tumour"


def test_not_two_classes():
    assert message(X, [0, 1, 2, 0, 1, 2]) == (
        "y must contain exactly two classes.\n"
        "You passed 3: 0, 1, 2.\n"
        "For several classes use tlpo.multiclass, and tlpo.evaluate for leave-one-out, folds and "
        "bootstraps; for numbers and grades, where the larger should win, tlpo.concordance."
    )
    assert message(X, ["a"] * 6) == (
        "y must contain exactly two classes.\n"
        "You passed 1: 'a'.\n"
        "Keep only two classes, or merge the others into them."
    )
    assert "You passed 8: 0, 1, 2, 3, 4, 5, … (8 in all)." in message(np.zeros(8), range(8))


def test_positive_not_among_the_labels():
    assert message(X, Y, positive="yes") == (
        "positive must be one of the labels in y.\n"
        "You passed positive='yes'; the labels are 0, 1.\n"
        "Pass one of these, with its type, or omit positive to have it chosen."
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
