"""What can be assessed, and what is said of what cannot."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tlpo

X = [1.0, 4.0, 2.0, 3.0, 5.0, 0.5]
Y = ["no", "yes", "no", "yes", "yes", "no"]


@pytest.mark.parametrize(
    "scores",
    [
        X,
        tuple(X),
        np.array(X),
        np.array(X)[:, None],
        np.array(X, dtype=object),
        pd.Series(X),
        pd.DataFrame({"a": X}),
        pd.Series(X).astype("Float64"),
        pl.Series(X),
        np.ma.masked_array(X, mask=False),
    ],
    ids=lambda s: type(s).__name__,
)
def test_scores_of_any_kind(scores):
    assert tlpo.assess(scores, Y).auc == 1.0


@pytest.mark.parametrize(
    "scores",
    [
        [None, *X[1:]],
        [np.nan, *X[1:]],
        pd.Series([None, *X[1:]]),
        pd.array([pd.NA, *X[1:]], dtype="Float64"),
        np.ma.masked_array(X, mask=[1, 0, 0, 0, 0, 0]),
        np.array([None, *X[1:]], dtype=object),
    ],
    ids=lambda s: type(s).__name__,
)
def test_missing_of_any_kind(scores):
    a = tlpo.assess(scores, Y)
    assert a.n_missing == 1
    assert a.class_sizes == (3, 2)


def test_the_positive_label_and_names_are_kept():
    a = tlpo.assess(pd.Series(X, name="crp", index=list("abcdef")), Y, positive="no")
    assert (a.name, a.auc, a.labels.positive) == ("crp", 0.0, "no")
    assert a.to_frame().loc["b", "score"] == 4.0


@pytest.mark.parametrize(
    ("scores", "y", "options", "message"),
    [
        (
            X[:5],
            Y,
            {},
            "scores and y must describe the same units.\n"
            "You passed 5 scores and 6 labels.\n"
            "Check that neither was filtered without the other.",
        ),
        (
            ["low", "high", 2, 3, 4, 5],
            Y,
            {},
            "scores must be numbers.\n"
            "You passed 'low', 'high'.\n"
            "Code ordered categories as numbers, 1, 2, 3 …, and leave missing scores empty.",
        ),
        (
            [*X[:5], np.inf],
            Y,
            {},
            "scores must be finite.\n"
            "You passed 1 infinite values.\n"
            "Replace a value beyond the range of a measurement by the end of that range.",
        ),
        (
            np.ones((6, 2)),
            Y,
            {},
            "scores must have one number per unit.\n"
            "You passed an array of shape (6, 2).\n"
            "Pass one column; assess several scores one by one.",
        ),
        (
            [1, np.nan, 2, np.nan, np.nan, 3],
            Y,
            {},
            "Each class needs a unit with a score.\n"
            "You passed 6 scores, 3 of them missing: all of class 'yes'.\n"
            "Check that scores and y belong together.",
        ),
        (
            X,
            Y,
            {"larger_is_positive": "no"},
            "larger_is_positive must be True or False.\n"
            "You passed larger_is_positive='no'.\n"
            "For example larger_is_positive=False if small values speak for the positive class.",
        ),
        (
            X,
            [*Y[:5], None],
            {},
            "y has missing labels.\n"
            "You passed 6 labels, 1 of them missing (index 5).\n"
            "Drop these units from X and y.",
        ),
    ],
    ids=["length", "text", "infinite", "columns", "class", "direction", "label"],
)
def test_what_cannot_be_assessed(scores, y, options, message):
    with pytest.raises(tlpo.InputError) as error:
        tlpo.assess(scores, y, **options)
    assert str(error.value) == message


def test_whole_numbers_above_2_53_are_told_apart():
    """As doubles 2**53 and 2**53 + 1 are equal; by hand every positive is above every negative."""
    b = 2**53
    values, y = [1, b, 3, b + 1, b + 2, b + 3], [0, 0, 0, 1, 1, 1]
    a = tlpo.assess(pd.Series(values, name="count"), y)
    assert a.auc == 1.0
    assert a.to_frame()["rank"].tolist() == [6, 4, 5, 3, 2, 1]
    points = a.operating_points()
    assert points["criterion"].tolist() == [
        "never",
        *(f"count ≥ {value}" for value in (b + 3, b + 2, b + 1, b, 3)),
        "always",
    ]
    assert points["tp"].tolist() == [0, 1, 2, 3, 3, 3, 3]
    assert points["fp"].tolist() == [0, 0, 0, 0, 1, 2, 3]
    at = a.operating_point(cutoff=b + 1)
    assert (at["criterion"], at["tp"], at["fp"]) == (f"count ≥ {b + 1}", 3, 0)
    turned = tlpo.assess(values, y, larger_is_positive=False)
    assert turned.auc == 0.0
    at = turned.operating_point(cutoff=b + 1)
    assert (at["criterion"], at["tp"], at["fp"]) == (f"score ≤ {b + 1}", 1, 3)
    assert turned.operating_points()["tp"].tolist() == [0, 0, 0, 0, 1, 2, 3]
    # The same numbers, less 2**53, are doubles: everything but the units must agree.
    small = tlpo.assess([1 - b, 0, 3 - b, 1, 2, 3], y)
    assert small.p_value == a.p_value
    assert tuple(small.auc_interval()) == tuple(a.auc_interval())
    inside = np.array([True, True, False, True, True, False])
    assert a._subset(inside).auc == 1.0
    other = tlpo.assess([2, 1, 5, 4, 6, 3], y)
    names = ["a", "b"]
    assert (
        tlpo.compare(a, other, names=names).row() == tlpo.compare(small, other, names=names).row()
    )


def test_cut_offs_that_differ_late_are_written_in_full():
    a = tlpo.assess([1234567890123, 1234567890124, 1234567890125, 1234567890126], [0, 0, 1, 1])
    assert a.operating_points()["criterion"].tolist()[1:-1] == [
        "score ≥ 1234567890125.5",
        "score ≥ 1234567890124.5",
        "score ≥ 1234567890123.5",
    ]


@pytest.mark.parametrize("cutoff", ["low", 1j, np.inf, np.nan])
def test_a_cut_off_is_a_number(cutoff):
    with pytest.raises(tlpo.InputError) as error:
        tlpo.assess(X, Y).operating_point(cutoff=cutoff)
    assert str(error.value) == (
        f"cutoff must be a finite number.\nYou passed cutoff={cutoff!r}.\nFor example cutoff=0.3."
    )
