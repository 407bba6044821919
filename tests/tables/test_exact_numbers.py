"""Whole numbers beyond 2**53 in a table: nothing between the file and the answer rounds them."""

import pandas as pd
import pytest

from tlpo.analysis.marker_options import MarkerOptions
from tlpo.analysis.markers import assess_markers
from tlpo.tables.build_sample import build_sample
from tlpo.tables.exact_numbers import exact_numbers
from tlpo.tables.options import Reading, Specification
from tlpo.tables.read import read_table

B = 2**53
Y = ["no"] * 6 + ["yes"] * 6
COLUMNS = {
    "int64": [B + k for k in range(12)],
    "negative": [-B - 12 + k for k in range(12)],
    "uint64": [2**63 + k for k in range(12)],
    "beyond": [2**70 * (k % 3 + 1) for k in range(11)] + [2**70 * 3 + 1],
    "gaps": [None, *(B + k for k in range(1, 12))],
}


def sample_of(tmp_path, **columns):
    path = tmp_path / "t.csv"
    pd.DataFrame({n: pd.Series(v, dtype=object) for n, v in columns.items()} | {"y": Y}).to_csv(
        path, index=False
    )
    return build_sample(
        read_table(str(path), Reading()), Specification("y", features=tuple(columns))
    )


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_of_a_file_is_exact(tmp_path, name):
    found = sample_of(tmp_path, **{name: COLUMNS[name]}).exact[name]
    assert [None if pd.isna(v) else v for v in found] == COLUMNS[name]


@pytest.mark.parametrize("name", ["int64", "negative", "uint64", "gaps"])
def test_a_marker_is_ranked_exactly(tmp_path, name):
    """Every positive is above every negative, though as doubles some are equal."""
    sample = sample_of(tmp_path, marker=COLUMNS[name])
    options = MarkerOptions(("marker",))
    assert assess_markers(sample, options)["marker"].auc == 1.0


def test_what_doubles_hold_is_left_as_it_is(tmp_path):
    sample = sample_of(tmp_path, small=list(range(12)), gaps=[None, *range(11)], text=Y)
    assert sample.exact == {}
    large = [None, *(1e20 + 1e18 * k for k in range(11))]
    assert sample_of(tmp_path, large=large).exact == {}
    assert exact_numbers(pd.Series([None, None], dtype=object)) is None


def test_a_cut_off_is_not_rounded():
    options = MarkerOptions(("a", "b"), cutoff=(f"a={B + 1}", "b=1e20", "b=0.5"))
    assert options.cutoffs == {"a": [B + 1], "b": [1e20, 0.5]}


def test_a_counter_may_begin_with_a_gap(tmp_path):
    path = tmp_path / "t.parquet"
    first = pd.array([None, *range(1, 12)], dtype="Int64")
    pd.DataFrame({"a": first, "b": range(5, 17), "y": Y}).to_parquet(path)
    assert build_sample(read_table(str(path), Reading()), Specification("y")).numeric == ["a", "b"]
