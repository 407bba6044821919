"""Rows that are recognised again, by hand."""

import numpy as np
import pandas as pd

from tlpo.tables.known_rows import SIZE, keep_rows, recognise, row_digests


def rows(m=30, seed=0, levels=None):
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=m) if levels is None else rng.integers(levels, size=m) + 0.0
    X = pd.DataFrame({"a": numbers, "b": pd.Series(rng.choice(["x", "y"], m), dtype=object)})
    return X, rng.random(m) < 0.5


def test_a_row_has_one_digest_however_it_is_written():
    X = pd.DataFrame({"a": [0.0, -0.0, np.nan, -np.nan], "b": pd.Series(["x"] * 4, dtype=object)})
    first, second, third, fourth = row_digests(X)
    assert first == second != third == fourth
    assert row_digests(X, np.array([True, False] * 2))[0] != row_digests(X, np.zeros(4, bool))[0]


def test_what_is_kept_has_no_order_and_no_values():
    X, y = rows()
    kept = keep_rows(X, y)
    order = np.random.default_rng(1).permutation(30)
    assert keep_rows(X.iloc[order].reset_index(drop=True), y[order]) == kept
    assert len(kept["digests"]) == 30 * 2 * SIZE
    # The key is that of the table: the same row in another table has another digest.
    digests = {kept["digests"][k : k + 8] for k in range(0, 240, 8)}
    other = keep_rows(X[:29], y[:29])["digests"]
    assert not digests & {other[k : k + 8] for k in range(0, 232, 8)}


def test_other_rows_are_not_recognised():
    X, y = rows()
    assert recognise(keep_rows(X, y), *rows(seed=5)) is None
    assert recognise(keep_rows(X, y), X, ~y) is None


def test_rows_that_are_alike_by_chance_are_not_recognised():
    X, y = rows(levels=3)
    kept = keep_rows(X, y)
    assert recognise(kept, *rows(seed=5, levels=3)) is None
    assert recognise(kept, X, y) == (
        "These are the patients that the model was developed on, so this does not validate it."
    )
