"""Recognise rows again without keeping them.

A row is kept as a keyed digest of four bytes: nothing can be read from it, and the key, which
differs from table to table, keeps digests of two tables from being compared. Whoever holds a row
can still ask whether it is among those kept, which is what they are kept for. Where all
possible rows are few, they can be tried one by one.
"""

from __future__ import annotations

from collections import Counter
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

    from tlpo.arrays import BoolArray

# Bytes of a kept digest: among 5 000 and 5 000 other rows, 0.006 coincide by chance.
SIZE = 4
# Rows that coincide more often than this many times as often as within development are not there
# by chance.
CHANCE = 3.0


def row_digests(X: pd.DataFrame, is_positive: BoolArray | None = None) -> list[bytes]:
    """Return a digest of every row, the same wherever it stands.

    Parameters
    ----------
    X : DataFrame
        Features: columns of numbers, and columns of texts as objects.
    is_positive : ndarray, optional
        Classes, which then are part of the row.
    """
    is_text = np.array([dtype.kind == "O" for dtype in X.dtypes], dtype=bool)
    texts = X.loc[:, is_text].to_numpy(object)
    numbers = X.loc[:, ~is_text].to_numpy(float)
    found = []
    for row in range(len(X)):
        values = numbers[row] + 0.0  # turns -0.0 into 0.0
        values[np.isnan(values)] = np.nan  # of which there are many kinds
        digest = blake2b(values.tobytes(), digest_size=16)
        digest.update(repr(texts[row].tolist()).encode("utf-8", "surrogatepass"))
        if is_positive is not None:
            digest.update(b"\1" if is_positive[row] else b"\0")
        found.append(digest.digest())
    return found


def keep_rows(X: pd.DataFrame, is_positive: BoolArray) -> dict[str, str]:
    """Return what recognises these rows: a key and, in an order of their own, short digests."""
    rows = sorted(row_digests(X, is_positive))
    key = blake2b(b"".join(rows), digest_size=16).digest()
    return {"key": key.hex(), "digests": "".join(sorted(_shortened(rows, key)))}


def recognise(kept: dict[str, str], X: pd.DataFrame, is_positive: BoolArray) -> str | None:
    """Say whether rows are among those that were kept, unless chance would do as much."""
    width = 2 * SIZE
    old = [kept["digests"][k : k + width] for k in range(0, len(kept["digests"]), width)]
    new = _shortened(row_digests(X, is_positive), bytes.fromhex(kept["key"]))
    counts = Counter(old)
    again = sum(digest in counts for digest in new)
    alike = sum(count for count in counts.values() if count > 1) / len(old)
    if not again or (again / len(new) <= CHANCE * alike and sorted(old) != sorted(new)):
        return None
    if again == len(new):
        return (
            "These are the patients that the model was developed on, so this does not validate it."
        )
    return (
        f"{again} of {len(new)} rows are the same as rows of development: leave out patients that "
        "the model was fitted to."
    )


def _shortened(rows: list[bytes], key: bytes) -> list[str]:
    return [blake2b(row, key=key, digest_size=SIZE).hexdigest() for row in rows]
