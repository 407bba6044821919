"""Labels of an outcome: which of them are analysed, alone or together, and what they look like."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np

from tlpo.arrays import BoolArray
from tlpo.errors import InputError, arg, enumerate_briefly, explain
from tlpo.problem.labels import label_array, name_several
from tlpo.problem.outcome import SeveralClasses
from tlpo.tables.cells import as_number
from tlpo.tables.options import REST, Specification

# Units that a class needs: with two of them left out, one remains to train on.
LEAST = 3
# Words for grades, from lowest to highest.
SCALES = (
    ("none", "absent", "negative", "minimal", "trace", "mild", "moderate", "severe", "extreme"),
    ("none", "very low", "low", "medium", "moderate", "intermediate", "high", "very high"),
    ("poor", "fair", "moderate", "good", "very good", "excellent"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("small", "medium", "large"),
    ("slight", "partial", "complete"),
    ("first", "second", "third", "fourth", "fifth"),
)
ROMAN = ("0", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")
_NUMBERED = re.compile(r"(.*?)[\s._-]*(\d+|[ivx]+)", re.IGNORECASE)


def keep_classes(y: Any, filled: BoolArray, spec: Specification) -> tuple[BoolArray, Any]:
    """Return the rows with the classes asked for, and the class of every row.

    A class is a label, several with commas between them, or "rest".
    """
    if not spec.classes:
        return filled, y
    present = set(y[filled].tolist())
    pools = {
        name: [name] if name in present else [part.strip() for part in name.split(",")]
        for name in spec.classes
        if name != REST or REST in present
    }
    named = [label for labels in pools.values() for label in labels]
    absent = [label for label in named if label not in present]
    if absent:
        raise InputError(
            explain(
                "The outcome has no such label.",
                f"You passed {arg('classes', list(spec.classes))}; the labels are "
                f"{enumerate_briefly(sorted(present))}.",
                f"Pass two or more of these, or one and {REST!r}.",
            )
        )
    if len(set(named)) < len(named):
        twice = next(label for label in named if named.count(label) > 1)
        raise InputError(
            explain(
                "A label can belong to one class only.",
                f"You passed {arg('classes', list(spec.classes))}, which names {twice!r} twice.",
                "Name it once.",
            )
        )
    found = np.full(len(y), "", dtype=object)
    for name, labels in pools.items():
        found[np.isin(y, labels)] = name
    if len(pools) < len(spec.classes):
        found[found == ""] = REST
    return filled & (found != ""), found.astype(str)


def name_labels(y: Any, spec: Specification) -> SeveralClasses:
    """Return several classes, each large enough to be analysed."""
    labels, sizes = np.unique(y, return_counts=True)
    few = {str(n): int(size) for n, size in zip(labels, sizes, strict=True) if size < LEAST}
    if few:
        listed = ", ".join(f"{name!r} ({size})" for name, size in few.items())
        enough = [str(name) for name in labels if name not in few]
        first = next(iter(few))
        others = [
            str(name)
            for name, size in zip(labels, sizes, strict=True)
            if name != first and size + few[first] >= LEAST
        ]
        pooled = f"{first},{_nearest(first, others) or (enough or [str(labels[-1])])[-1]}"
        remedy = f"Correct the label if it is misspelt, or pool it with another, {pooled!r} in "
        remedy += f"{arg('classes')} for example"
        if len(enough) > 1:
            remedy += f", or leave it out with {arg('classes', enough)}"
        raise InputError(
            explain(
                f"Every class needs at least {LEAST} rows.",
                f"You passed {arg('target', spec.target)} with {len(labels)} labels, of which "
                f"{listed} {'has' if len(few) == 1 else 'have'} fewer.",
                f"{remedy}.",
            )
        )
    return name_several(label_array(y), None)


def _nearest(name: str, others: Sequence[str]) -> str | None:
    """Return the label that is spelt most like another, in capitals or not, if one is."""
    folded = {other.casefold(): other for other in others}
    near = get_close_matches(name.casefold(), list(folded), 1)
    return folded[near[0]] if near else None


def say_classes(outcome: SeveralClasses, target: str) -> str:
    """Say how several classes were understood."""
    pairs = zip(outcome.names, outcome.sizes, strict=True)
    each = ", ".join(f"{str(name)!r} ({size})" for name, size in pairs)
    return (
        f"The outcome is {target!r}, which has {len(outcome.names)} classes: {each}. All of them "
        "are told apart."
    )


def find_order(names: Sequence[str]) -> list[str] | None:
    """Return labels from lowest to highest if they look like grades, else None.

    Examples
    --------
    >>> find_order(["10", "9", "1"]), find_order(["G2", "G1", "G3"])
    (['1', '9', '10'], ['G1', 'G2', 'G3'])
    >>> find_order(["severe", "mild", "moderate"]), find_order(["stage IV", "stage II", "stage I"])
    (['mild', 'moderate', 'severe'], ['stage I', 'stage II', 'stage IV'])
    >>> find_order(["setosa", "virginica", "versicolor"]) is None
    True
    """
    if are_numbers(names):
        return sorted(names, key=lambda name: float(as_number(name) or 0.0))
    low = {name: name.strip().lower() for name in names}
    for scale in SCALES:
        if set(low.values()) <= set(scale):
            return sorted(names, key=lambda name: scale.index(low[name]))
    parts = {name: found for name in names if (found := _NUMBERED.fullmatch(low[name]))}
    if len(parts) < len(names) or len({found[1] for found in parts.values()}) > 1:
        return None
    ends = {name: found[2] for name, found in parts.items()}
    if all(end.isdigit() for end in ends.values()):
        return sorted(names, key=lambda name: int(ends[name]))
    if all(end in ROMAN for end in ends.values()):
        return sorted(names, key=lambda name: ROMAN.index(ends[name]))
    return None


def are_numbers(names: Sequence[str]) -> bool:
    """Whether all labels are numbers."""
    return all(as_number(name) is not None for name in names)
