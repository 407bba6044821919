"""Which units are positive: labels of any type become a mask, or an error that says why not."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import numpy.typing as npt

from tlpo.arrays import BoolArray, IntArray
from tlpo.errors import InputError, arg, enumerate_briefly, explain, unboxed
from tlpo.problem.outcome import Classes, SeveralClasses

SORTED = "the second of two labels in alphabetical order"
LARGER = "the larger of two numbers"
# More different numbers than this are a measurement.
MOST_NUMBERS = 10


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# How people write that something is not so, or is so: English, German, Finnish, French.
_NEGATIVE = _words(
    """
    no n none false negative neg - − 0 -1 absent absence healthy normal control controls
    benign alive living survivor survivors survived survive unaffected uninfected undiseased
    nondiseased nonresponder noncase nonevent censored without ok okay
    nein gesund negativ gutartig lebend lebt überlebt überlebender kontrolle unauffällig
    ei terve negatiivinen hyvänlaatuinen elossa verrokki
    non sain négatif bénin vivant survivant témoin
    """
)
_POSITIVE = _words(
    """
    yes y true positive pos + present presence diseased disease ill illness sick patient patients
    case cases cancer tumor tumour carcinoma malignant malignancy metastasis metastatic
    dead death died deceased event events relapse relapsed recurrence recurrent
    recurred progression progressed affected infected infection abnormal pathological with
    responder responders response
    ja krank positiv bösartig tot tod verstorben gestorben auffällig karzinom krebs rezidiv
    kyllä sairas positiivinen pahanlaatuinen kuollut kuolema tapaus syöpä
    oui malade positif malin décès décédé
    """
)
# Of two labels that say neither, the lesser is negative: low risk, wild type, mild.
_LESSER = _words(
    """
    low lower lowest small smaller mild minor slight minimal wild wildtype wt stable free intact
    niedrig gering leicht klein matala pieni lievä faible bas léger
    """
)
_GREATER = _words(
    """
    high higher highest large larger severe major mutant mutated mutation mut progressive
    hoch schwer groß korkea suuri vaikea élevé haut sévère grave
    """
)
# In front of another word of a label, these turn its meaning around.
_DENIALS = _words("no not non never without kein keine nicht ohne ei sans pas")
_DENIED = re.compile(
    r"(?:no|not|non|without|un|in|kein|keine|nicht|ohne|ei|sans)[ _-]*(.+)", re.DOTALL
)


def choose_positive(first: Any, second: Any) -> tuple[Any, str]:
    """Choose the positive one of two labels in sorted order, and say why.

    Words that everyone reads alike decide, then numbers; any other label is positive if it is the
    second. In a label of several words, a negative one wins.

    Examples
    --------
    >>> choose_positive("Cancer", "Normal")
    ('Cancer', "'Normal' reads as negative")
    >>> choose_positive("high risk", "low risk"), choose_positive("relapse", "relapse free")[0]
    (('high risk', "'low risk' reads as negative"), 'relapse')
    >>> choose_positive("10", "9"), choose_positive("a", "b")[0]
    (('10', 'the larger of two numbers'), 'b')
    """
    names = (first, second)
    if not all(isinstance(name, str) for name in names):
        return second, SORTED
    for read in (_reads_as, _reads_in_words, _reads_as_lesser):
        reads = [read(name, other) for name, other in (names, names[::-1])]
        for k, name in enumerate(names):
            if reads[k] == "negative" and reads[1 - k] != "negative":
                return names[1 - k], f"{unboxed(name)!r} reads as negative"
        for k, name in enumerate(names):
            if reads[k] == "positive" and reads[1 - k] != "positive":
                return name, f"{unboxed(name)!r} reads as positive"
    try:
        values = [float(name) for name in names]
    except ValueError:
        return second, SORTED
    return names[values[1] >= values[0]], LARGER


def says_no(name: str) -> bool:
    """Return whether a word says that something is not so, as most read it.

    Examples
    --------
    >>> says_no("alive"), says_no("relapse")
    (True, False)
    """
    return _reads_as(name, "") == "negative"


def _reads_as(name: str, other: str) -> str | None:
    word, opposite = (" ".join(text.lower().split()) for text in (name, other))
    denied = _DENIED.fullmatch(word)
    if denied and denied[1] == opposite:
        return "positive" if opposite in _NEGATIVE else "negative"
    spellings = {word, re.sub("[ _-]", "", word)}  # non-responder, nonresponder
    if spellings & _NEGATIVE:
        return "negative"
    return "positive" if spellings & _POSITIVE else None


def _reads_in_words(name: str, other: str) -> str | None:
    """Read a label word by word, without those that both have; a negative word wins."""
    return _read_words(name, other, _NEGATIVE, _POSITIVE)


def _reads_as_lesser(name: str, other: str) -> str | None:
    return _read_words(name, other, _LESSER, _GREATER)


def _read_words(
    name: str, other: str, negative: frozenset[str], positive: frozenset[str]
) -> str | None:
    words, others = (re.findall(r"[^\W\d_]{2,}", text.lower()) for text in (name, other))
    found = set()
    for k, word in enumerate(words):
        is_denied = k > 0 and words[k - 1] in _DENIALS
        if word in _DENIALS and k + 1 < len(words):
            continue  # it speaks of the next
        if is_denied:
            found.add("positive" if word in negative else "negative")
        elif word not in others:
            found |= {"negative"} if word in negative else set()
            found |= {"positive"} if word in positive else set()
    return "negative" if "negative" in found else next(iter(found), None)


def name_several(values: npt.NDArray[Any], unit_names: Any) -> SeveralClasses:
    """Decide which classes there are, two or more."""
    classes = unique_labels(values)
    if values.dtype.kind in "fiu" and classes.size > MOST_NUMBERS:
        raise InputError(
            explain(
                "y has too many different numbers to be classes.",
                f"You passed {classes.size} different numbers among {values.size} units.",
                "If the larger should win, use tlpo.concordance (in other functions, "
                f"{arg('order', True)}); if they name classes, convert them to text with "
                "y.astype(str).",
            )
        )
    if classes.size < 2 or 3 * classes.size > values.size:
        raise InputError(
            explain(
                "y must contain at least two classes, each of three units or more.",
                f"You passed {classes.size} among {values.size} units: "
                f"{enumerate_briefly(classes)}."
                if classes.size
                else "You passed no labels at all.",
                "Merge classes, or collect more units. For numbers and grades, where the larger "
                "should win, use tlpo.concordance.",
            )
        )
    code = np.searchsorted(classes, values)
    return SeveralClasses(np.asarray(code, dtype=np.intp), tuple(classes.tolist()), unit_names)


def unique_labels(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the different labels, sorted."""
    try:
        return np.unique(values)
    except TypeError as error:
        raise InputError(
            explain(
                "y must have labels that can be sorted.",
                f"You passed {enumerate_briefly(values)}: {error}.",
                "Convert y to text or whole numbers, for example with y.astype(str).",
            )
        ) from error


def name_classes(values: npt.NDArray[Any], positive: Any, unit_names: Any) -> Classes:
    """Decide which class is positive."""
    classes = unique_labels(values)
    if classes.size != 2:
        raise InputError(
            explain(
                "y must contain exactly two classes.",
                f"You passed {classes.size}: {enumerate_briefly(classes)}."
                if classes.size
                else "You passed no labels at all.",
                "Keep only two classes, or merge the others into them."
                if classes.size < 2
                else "For several classes use tlpo.multiclass, and tlpo.evaluate for "
                "leave-one-out, folds and bootstraps; for numbers and grades, where the larger "
                "should win, tlpo.concordance.",
            )
        )
    names = classes.tolist()
    chosen_by = "as requested"
    if positive is None:
        positive, chosen_by = choose_positive(*names)
    chosen = _index_of(positive, classes)
    if chosen is None:
        raise InputError(
            explain(
                f"{arg('positive')} must be one of the labels in y.",
                f"You passed {arg('positive', positive)}; the labels are "
                f"{enumerate_briefly(classes)}.",
                f"Pass one of these, with its type, or omit {arg('positive')} to have it chosen.",
            )
        )
    return Classes(
        is_positive=values == classes[chosen],
        negative=names[1 - chosen],
        positive=names[chosen],
        unit_names=unit_names,
        chosen_by=chosen_by,
    )


def _index_of(positive: Any, classes: npt.NDArray[Any]) -> int | None:
    for k, name in enumerate(classes.tolist()):
        same = name == positive if isinstance(name, str) == isinstance(positive, str) else False
        if isinstance(same, bool | np.bool_) and same:
            return k
    return None


def label_array(y: Any, what: str = "labels") -> npt.NDArray[Any]:
    """Return labels, or values, as an array that scikit-learn accepts, none missing."""
    values = object_safe(y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if (
        isinstance(y, list | tuple)
        and y
        and all(isinstance(label, list | tuple) and len(label) == 1 for label in y)
    ):
        values = object_safe([label[0] for label in y])
    nested = values.dtype == object and any(
        isinstance(value, list | tuple | np.ndarray) for value in values.flat
    )
    if values.ndim != 1 or nested:
        raise InputError(
            explain(
                f"y must have one {what[:-1]} per unit.",
                f"You passed {what} of unequal length."
                if nested
                else f"You passed an array of shape {values.shape}.",
                "Pass one column.",
            )
        )
    absent = missing(values)
    if absent.any():
        where = enumerate_briefly(np.flatnonzero(absent))
        count = np.count_nonzero(absent)
        raise InputError(
            explain(
                f"y has missing {what}.",
                f"You passed {values.size} {what}, {count} of them missing (index {where}).",
                "Drop these units from X and y.",
            )
        )
    _require_plain(values, what)
    if values.dtype != object:
        return values
    kinds = {str if isinstance(v, str) else type(v) for v in values.tolist()}
    if len(kinds) > 1 and any(issubclass(kind, str) for kind in kinds):
        raise InputError(
            explain(
                f"y mixes {what} of different types.",
                f"You passed {enumerate_briefly(sorted(kind.__name__ for kind in kinds))}.",
                "Convert y to one type, for example with y.astype(str).",
            )
        )
    # Object arrays come from lists, pandas and polars; scikit-learn accepts them only for strings.
    return values if kinds == {str} else np.array(values.tolist())


def _require_plain(values: npt.NDArray[Any], what: str) -> None:
    """Refuse labels that no classifier takes, and no report can show."""
    if values.dtype.kind == "f":
        odd = values[np.isinf(values)].tolist()
    elif values.dtype.kind in "cSO":
        kinds = (bytes, complex)
        odd = [v for v in values.tolist() if isinstance(v, kinds) or _is_infinite(v)]
    else:
        return
    if odd:
        raise InputError(
            explain(
                f"y has {what} that are infinite, complex or bytes.",
                f"You passed {enumerate_briefly(list(dict.fromkeys(odd)))}.",
                "Convert y to text or whole numbers."
                if what == "labels"
                else "Drop these units, or replace an infinite value by the end of its range.",
            )
        )


def _is_infinite(value: Any) -> bool:
    return isinstance(value, float) and math.isinf(value)


def object_safe(values: Any) -> npt.NDArray[Any]:
    """Return an array that preserves missing values and mixed types.

    NumPy would turn the list ``["yes", nan]`` into two strings.
    """
    if isinstance(values, np.ma.MaskedArray):
        array = np.array(values.data, dtype=object)
        array[np.ma.getmaskarray(values)] = None
        return array
    if isinstance(values, list | tuple):
        array = np.empty(len(values), dtype=object)
        for k, value in enumerate(values):
            array[k] = value
        return array
    return np.asarray(values)


def as_floats(values: Any) -> npt.NDArray[np.float64]:
    """Return numbers as doubles; what is masked becomes NaN."""
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.filled(values.astype(np.float64), np.nan)
    return np.asarray(values, dtype=np.float64)


def names_that_differ(first: Any, second: Any) -> IntArray:
    """Return the positions at which two sets of unit names differ; none if either is None."""
    if first is None or second is None:
        return np.empty(0, dtype=np.intp)
    one, other = np.asarray(first, dtype=object), np.asarray(second, dtype=object)
    differ = np.array([not _are_same(x, y) for x, y in zip(one, other, strict=True)], dtype=bool)
    return np.flatnonzero(differ)


def _are_same(x: Any, y: Any) -> bool:
    if _is_missing(x) or _is_missing(y):
        return _is_missing(x) and _is_missing(y)
    return bool(x == y)


def missing(values: npt.NDArray[Any]) -> BoolArray:
    """Return a mask of the values that are None, NaN, NaT or NA."""
    if values.dtype.kind == "f":
        return np.asarray(np.isnan(values))
    if values.dtype.kind in "mM":
        return np.asarray(np.isnat(values))
    if values.dtype != object:
        return np.zeros(values.size, dtype=bool)
    return np.array([_is_missing(v) for v in values.tolist()], dtype=bool)


def _is_missing(value: Any) -> bool:
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ArithmeticError):  # pandas.NA cannot say, and Decimal("sNaN") refuses to
        return True
