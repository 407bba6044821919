"""Labels of an outcome: which of them are analysed, alone or together, and what they look like."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np

from tlpo.arrays import BoolArray
from tlpo.errors import InputError, arg, enumerate_briefly, explain
from tlpo.problem.labels import label_array, name_several
from tlpo.problem.outcome import SeveralClasses
from tlpo.tables.cells import as_number
from tlpo.tables.options import REST, Specification
from tlpo.tables.spelling import fold, join_spellings

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


def labels_in(name: str, present: Sequence[str] | set[str]) -> list[str]:
    """Return the labels that a class is made of.

    Parameters
    ----------
    name : str
        A label, or several with commas between them. One that has a comma itself stands in
        quotation marks.
    present : sequence of str
        The labels of the outcome; names are spelled as these, in upper or lower case.

    Examples
    --------
    >>> labels_in("0,1", ["0", "1", "2"]), labels_in("no, not yet", ["no, not yet", "yes"])
    (['0', '1'], ['no, not yet'])
    >>> labels_in('"no, not yet",NO', ["no, not yet", "No"])
    ['no, not yet', 'No']
    """
    spelled: dict[str, list[str]] = {}
    for label in present:
        spelled.setdefault(fold(label), []).append(label)

    def find(part: str) -> str:
        alike = spelled.get(fold(part), [])
        return alike[0] if part not in present and len(alike) == 1 else part

    if find(name) in present:
        return [find(name)]
    (parts,) = csv.reader([name.replace("\n", " ")], skipinitialspace=True)
    return [find(part.strip()) for part in parts]


def join_labels(labels: Sequence[str], present: Sequence[str] = ()) -> str:
    """Name a class of several labels, as `labels_in` reads it.

    Examples
    --------
    >>> join_labels(["0", "1"]), join_labels(["no, not yet", "no"])
    ('0,1', '"no, not yet",no')
    >>> join_labels(["0", "1"], ["0", "1", "0,1"])
    '0, 1'
    """
    if len(labels) == 1:
        return labels[0]
    quoted = ['"' + label.replace('"', '""') + '"' for label in labels]
    is_plain = [not {",", '"'} & {*label} for label in labels]
    short = [a if plain else b for a, b, plain in zip(labels, quoted, is_plain, strict=True)]
    ways = (",".join(short), ", ".join(short), ",".join(quoted))
    return next((way for way in ways if way not in present), ways[-1])


def spell(y: Any, filled: BoolArray, spec: Specification) -> tuple[Any, dict[str, list[str]]]:
    """Join labels that differ only in case and spaces, unless the user names them apart.

    Returns
    -------
    ndarray, dict
        As `join_spellings` does.
    """
    present = set(y[filled].tolist())
    named = [label for name in spec.classes for label in labels_in(name, present)]
    if spec.positive is not None:
        named.append(spec.positive)
    return join_spellings(y, filled, named)


def classify(y: Any, classes: Mapping[str, Sequence[str]]) -> Any:
    """Return the class of every label; empty if it has none.

    Parameters
    ----------
    y : ndarray of str
        Labels.
    classes : mapping of str to sequence of str
        The labels that each class is made of; one of none is the rest.

    Examples
    --------
    >>> classify(np.array(["0", "1", "2"]), {"0,1": ["0", "1"]}).tolist()
    ['0,1', '0,1', '']
    >>> classify(np.array(["a", "b", "c"]), {"b": ["b"], "rest": []}).tolist()
    ['rest', 'b', 'rest']
    """
    found = np.full(len(y), "", dtype=object)
    for name, labels in classes.items():
        found[np.isin(y, list(labels))] = name
    for name in (name for name, labels in classes.items() if not labels):
        found[found == ""] = name
    return found.astype(str)


def keep_classes(
    y: Any, filled: BoolArray, spec: Specification
) -> tuple[BoolArray, Any, dict[str, list[str]]]:
    """Return the rows with the classes asked for, the class of every row, and what is in each.

    A class is a label, several with commas between them, or "rest".
    """
    if not spec.classes:
        return filled, y, {}
    present = set(y[filled].tolist())
    named = {
        name: [] if name == REST and REST not in present else labels_in(name, present)
        for name in spec.classes
    }
    labels = [label for one in named.values() for label in one]
    if not set(labels) <= present:
        raise InputError(
            explain(
                "The outcome has no such label.",
                f"You passed {arg('classes', list(spec.classes))}; the labels are "
                f"{enumerate_briefly(sorted(present))}.",
                f"Pass two or more of these, or one and {REST!r}.",
            )
        )
    if len(set(labels)) < len(labels):
        twice = next(label for label in labels if labels.count(label) > 1)
        raise InputError(
            explain(
                "A label can belong to one class only.",
                f"You passed {arg('classes', list(spec.classes))}, which names {twice!r} twice.",
                "Name it once.",
            )
        )
    # A single label is called as it is spelled in the table.
    classes = {one[0] if len(one) == 1 else name: one for name, one in named.items()}
    found = classify(y, classes)
    return filled & (found != ""), found, classes


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
        near = _nearest(first, others)
        other = near or (enough or [str(labels[-1])])[-1]
        pooled = join_labels([first, other], [str(label) for label in labels])
        ways = [f"pool it with another, {pooled!r} in {arg('classes')} for example"]
        if len(enough) > 1:
            # Two labels that are spelt alike may be one; a rare one, lost say, is no other class.
            ways.insert(1 if near else 0, f"leave it out with {arg('classes', enough)}")
        remedy = f"Correct the label if it is misspelt, or {', or '.join(ways)}"
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
