"""Labels of an outcome that differ only in case and spaces: No, no and " no"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from tlpo.arrays import BoolArray


def fold(label: str) -> str:
    """Write a label without capitals and with single spaces.

    Examples
    --------
    >>> fold("High  Risk"), fold("NO") == fold("no ")
    ('high risk', True)
    """
    return " ".join(label.casefold().split())


def join_spellings(
    y: Any, filled: BoolArray, named: Sequence[str]
) -> tuple[Any, dict[str, list[str]]]:
    """Give labels that differ only in case and spaces the commonest of their spellings.

    Parameters
    ----------
    y : ndarray of str
        The label of every row.
    filled : ndarray of bool
        Rows that have one.
    named : sequence of str
        Labels that the user names. Spellings that are named apart are kept apart, all of them.

    Returns
    -------
    ndarray
        Labels. They are as they were if fewer than two would be left, as of AA, Aa and aa.
    dict
        The spellings that were replaced, by the one that was kept.
    """
    counts = Counter(y[filled].tolist())
    alike: dict[str, list[str]] = {}
    for label in sorted(counts, key=lambda label: (-counts[label], label)):
        alike.setdefault(fold(label), []).append(label)
    asked = Counter(fold(label) for label in set(named) & set(counts))
    if len(alike) < 2 or len(alike) == len(counts) or max(asked.values(), default=0) > 1:
        return y, {}
    kept = {label: labels[0] for labels in alike.values() for label in labels}
    joined = np.array([kept.get(label, label) for label in y.tolist()])
    return joined, {labels[0]: labels[1:] for labels in alike.values() if len(labels) > 1}
