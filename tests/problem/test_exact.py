"""Numbers that doubles would round: their order is that of exact arithmetic."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tlpo.errors import InputError
from tlpo.problem.exact import as_fraction, is_beyond, read_scores

B = 2**53
WHOLE = [7, B, B + 2, B + 1]
KINDS = {
    "list": WHOLE,
    "int64": np.array(WHOLE),
    "uint64": np.array(WHOLE, dtype=np.uint64) + np.uint64(2**63),
    "beyond uint64": [value + 2**70 for value in WHOLE],
    "Decimal": [Decimal(value) for value in WHOLE],
    "tiny": [Decimal(value).scaleb(-400) for value in WHOLE],
    "Fraction": [Fraction(3 * value + 1, 3) for value in WHOLE],
    "mixed": [7.0, Decimal(B), B + 2, Fraction(B + 1)],
    "text": [str(value) for value in WHOLE],
    "column": pd.DataFrame({"a": WHOLE}),
    "nullable": pd.Series(WHOLE, dtype="Int64"),
    "polars": pl.Series(WHOLE),
    "pyarrow": pa.array(WHOLE),
}


@pytest.mark.parametrize("scores", KINDS.values(), ids=KINDS)
def test_numbers_of_every_kind_are_ranked_exactly(scores):
    numbers, exact = read_scores(scores)
    assert exact.ranks.tolist() == [0, 1, 3, 2]
    assert numbers.dtype == np.float64
    assert np.all(np.diff(numbers[[0, 1, 3, 2]]) >= 0)


@pytest.mark.skipif(np.finfo(np.longdouble).eps == np.finfo(float).eps, reason="same as double")
def test_long_doubles_are_ranked_exactly():
    _, exact = read_scores(np.array(WHOLE, dtype=np.longdouble))
    assert exact.ranks.tolist() == [0, 1, 3, 2]


@pytest.mark.parametrize(
    "scores",
    [
        [None, *WHOLE],
        [np.nan, *WHOLE],
        pd.Series([None, *WHOLE], dtype="Int64"),
        pl.Series([None, *WHOLE]),
        pa.array([None, *WHOLE]),
        np.ma.masked_array([1, *WHOLE], mask=[1, 0, 0, 0, 0]),
        [Decimal("NaN"), *WHOLE],
        [Decimal("sNaN"), *WHOLE],
    ],
    ids=lambda s: type(s).__name__,
)
def test_gaps_round_nothing(scores):
    numbers, exact = read_scores(scores)
    assert np.isnan(numbers).tolist() == [True] + 4 * [False]
    np.testing.assert_array_equal(exact.ranks, [np.nan, 0, 1, 3, 2])


def test_what_doubles_hold_needs_no_ranks():
    for scores in ([1, 2, 2.5], [B, B + 2, 2**70], [Decimal("0.1"), Decimal("0.2")], ["1", "2"]):
        assert read_scores(scores)[1] is None


@given(
    st.lists(st.integers(-(2**70), 2**70) | st.floats(-1e20, 1e20) | st.decimals(-9, 9, places=3))
)
def test_order_against_python(scores):
    numbers, exact = read_scores(scores)
    ranks = numbers if exact is None else exact.ranks
    own = [Fraction(score) for score in scores]
    for k, value in enumerate(own):
        assert (ranks > ranks[k]).tolist() == [other > value for other in own]


@given(
    st.lists(st.integers(B - 4, B + 4), min_size=1),
    st.integers(2 * B - 9, 2 * B + 9),
    st.booleans(),
)
def test_beyond_a_limit_against_python(scores, twice, upwards):
    numbers, exact = read_scores(scores)
    limit = Fraction(twice, 2)
    found = is_beyond(numbers, exact, limit, upwards=upwards)
    assert found.tolist() == [s >= limit if upwards else s <= limit for s in scores]


def test_numbers_without_a_ratio_are_doubles():
    class Measured:
        def __float__(self):
            return 0.5

    assert as_fraction(Measured()) == as_fraction(np.float32(0.5)) == Fraction(1, 2)


NUMBERS = "Code ordered categories as numbers, 1, 2, 3 …, and leave missing scores empty."
TIMES = "Pass the time since a fixed date as a number, for example in days."


@pytest.mark.parametrize(
    ("scores", "passed", "remedy"),
    [
        (["low", 1], "'low'", NUMBERS),
        (np.array(["low", "high"]), "'low', 'high'", NUMBERS),
        ([1j, 1], "'1j'", NUMBERS),
        (np.array([1j, 1]), "'1j', '(1+0j)'", NUMBERS),
        ([[1], 2], "'[1]'", NUMBERS),
        (np.zeros(1, dtype=[("a", int)]), "'(0,)'", NUMBERS),
        (pd.Series(["a", "b"], dtype="category"), "'a', 'b'", NUMBERS),
        (np.array(["2024-03-01"], dtype="M8[D]"), "'2024-03-01'", TIMES),
        (pd.Series(pd.to_datetime(["2024-03-01"])).tolist(), "'2024-03-01 00:00:00'", TIMES),
        (np.array([3], dtype="m8[D]"), "'3 days'", TIMES),
    ],
    ids=str,
)
def test_what_is_no_number(scores, passed, remedy):
    with pytest.raises(InputError) as error:
        read_scores(scores)
    assert str(error.value) == f"scores must be numbers.\nYou passed {passed}.\n{remedy}"


def test_numbers_beyond_doubles():
    with pytest.raises(InputError) as error:
        read_scores([10**5000, Fraction(-(10**400), 3), 1])
    assert str(error.value) == (
        "scores are too large to compute with.\n"
        "You passed 2 beyond 1.8e308.\n"
        "Divide all scores by the same number; this changes no rank."
    )
    for infinite in ([Decimal("inf"), 1], ["inf", "1"], np.array([np.inf, 1], dtype=np.longdouble)):
        with pytest.raises(InputError, match="You passed 1 infinite values"):
            read_scores(infinite)
