"""Columns that may deceive: identifiers, repeated patients, and what was known only afterwards.

None of them is left out: only who knows the data can tell, and the answer asks.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.tables.columns import as_text, batches
from tlpo.tables.followup import (
    copies_of,
    ends_of_followup,
    is_followed,
    numbers_beside_status,
    recorded_with,
    short_names_of_times,
    times_beside_status,
    times_within,
)
from tlpo.tables.followup_words import is_end, is_followup, is_time_to, plain_words
from tlpo.tables.survival import is_event
from tlpo.tables.words import set_of, words_of

if TYPE_CHECKING:
    import pandas as pd

# A column whose AUC is at least this, in either direction, separates the classes.
SEPARATES = 0.99
# Unless that many columns would have let chance do it: how often it may, in all columns together.
CHANCE = 0.05
# Numbers with no more distinct values than this may be codes in any order.
CODES = 10


WHO = set_of(
    "patient patients pat subject subj person participant case animal mouse donor individual "
    "record sample specimen client member proband patienten potilas sujet"
)
SURE = set_of("id ids uid pid mrn identifier ident rownames rowname unnamed usubjid hetu")
WEAK = set_of("no nr number num nummer numero code key index study hospital unique name")

_AFTER = set_of(
    "survived postop postoperative discharge discharged outcome died dead death deceased mortality "
    "endpoint readmission readmitted autopsy censored pacu pod"
)
# Units of what went by until something happened, in one word; but not months tobacco.
_UNTIL = re.compile(r"(?:time|days|weeks|months|years)(?:to|until|till)(?!bac)")
# Outcomes that are called so share the word with much else: smoking status, blood group.
_VAGUE = set_of("status class group type label target diagnosis result event disease")
_BEFORE = set_of("prior previous baseline history before pre past family preop admission")
_LATER = re.compile(
    r".*[\s_.-](?:m|month|week|wk|day|year|yr)?s?[\s_.-]?\d+[\s_.-]?"
    r"(?:m|mo|mos|month|months|w|wk|wks|week|weeks|d|day|days|y|yr|yrs|year|years)",
    re.IGNORECASE,
)


def find_suspects(
    table: pd.DataFrame,
    rows: BoolArray,
    X: pd.DataFrame,
    code: IntArray,
    *,
    target: str,
    groups: Sequence[str],
    time: FloatArray | None = None,
) -> list[dict[str, Any]]:
    """Look for columns that may deceive.

    Parameters
    ----------
    table : DataFrame
        All columns, of more rows than are used.
    rows : ndarray
        The rows that are used.
    X : DataFrame
        The features: numbers, and categories as objects.
    code : ndarray
        The class of every row that is used, from 0.
    target : str
        The column of the outcome.
    groups : sequence of str
        Those of the groups.
    time : ndarray, optional
        How long everybody was followed, if the outcome is a time to an event.

    Returns
    -------
    list of dict
        ``column``; ``kind`` ("copy" of the outcome, "separates" the classes, "filled" in for one
        class only, "after" the outcome by its name or as a time within follow-up, "identifier" or
        "repeated"); ``auc`` of the column alone or None; ``n_values``,
        its number of distinct values, or None.
    """
    found = []
    aucs = separations(X, code)
    told = told_by_gaps(X, code)
    named = times_beside_status([*map(str, table.columns)]) | numbers_beside_status(table)
    later = {name for name in X.columns if name in named or sounds_later(name, target)}
    is_timed = time is not None or is_followed(X, later)
    if is_timed:
        later |= ends_of_followup(X.columns)
    if is_timed or is_event(target):
        survivals, times = short_names_of_times(X)
        alone = dict(zip(map(str, X.columns), aucs.tolist(), strict=True))
        later |= survivals
        later |= {name for name in times if is_beyond_chance(alone[name], code[X[name].notna()], 1)}
    later |= times_within(X, [name for name in X.columns if name in later], time)
    later |= recorded_with(X, later)
    later |= copies_of(X, later)
    identifiers = _find_identifiers(table.loc[rows], X, (target, *groups), bool(groups))
    unique = {one["column"] for one in identifiers if one["kind"] == "identifier"}
    for name, auc in zip(X.columns, aucs.tolist(), strict=True):
        if name in unique:  # which separates the classes where the table is sorted by them
            continue
        separates = auc >= SEPARATES
        if separates and is_copy(X[name], code, len(aucs)):
            found.append(suspect(name, "copy", auc=auc))
        elif separates and is_beyond_chance(auc, code[X[name].notna()], len(aucs)):
            found.append(suspect(name, "separates", auc=auc))
        elif name in told:
            found.append(suspect(name, "filled", auc=told[name]))
        elif name in later:
            found.append(suspect(name, "after", auc=auc))
    return [*found, *identifiers]


def _find_identifiers(
    table: pd.DataFrame, X: pd.DataFrame, ignored: Sequence[str], is_grouped: bool
) -> list[dict[str, Any]]:
    """Return columns that are named like an identifier, and whether they repeat."""
    found = []
    for name in table.columns:
        if name in ignored or not sounds_like_identifier(name):
            continue
        values = as_text(table[name].dropna())
        n_values = len(set(values.tolist()))
        if any("." in value for value in values) or n_values <= 2:
            continue
        if n_values < len(values) and not is_grouped:
            found.append(suspect(name, "repeated", n_values=n_values))
        elif name in X.columns:
            found.append(suspect(name, "identifier", n_values=n_values))
    return found


def suspect(
    name: str,
    kind: str,
    auc: float | None = None,
    n_values: int | None = None,
    values: Sequence[str] = (),
) -> dict[str, Any]:
    """Describe a column that may deceive."""
    return {
        "column": name,
        "kind": kind,
        "auc": auc,
        "n_values": n_values,
        "values": list(values),
    }


def sounds_like_identifier(name: str) -> bool:
    """Return whether a name is made of words for an identifier and of no others.

    Examples
    --------
    >>> [sounds_like_identifier(name) for name in ("PatientID", "subject no.", "patientid", "MRN")]
    [True, True, True, True]
    >>> [sounds_like_identifier(name) for name in ("Patient age", "Number", "No. of visits")]
    [False, False, False]
    """
    words = words_of(name)
    is_who = [w in WHO or w in SURE or (w[-2:] in WEAK | SURE and w[:-2] in WHO) for w in words]
    return any(is_who) and all(w in WEAK or who for w, who in zip(words, is_who, strict=True))


def sounds_later(name: str, target: str) -> bool:
    """Return whether a name suggests what was known only after the outcome.

    Examples
    --------
    >>> [sounds_later(name, "relapse") for name in ("radiologic_6m", "futime", "relapse date")]
    [True, True, True]
    >>> [sounds_later(name, "relapse") for name in ("age", "prior relapse", "CYP2D", "visit_2")]
    [False, False, False, False]
    """
    words, own = plain_words(name), plain_words(target)
    joined = "".join(words)
    if _BEFORE & set(words) or words[:1] == ["age"]:
        return False
    parts = {*words, *(a + b for a, b in pairwise(words)), joined}
    return bool(
        # A discharge alone is a symptom.
        (_AFTER & parts and joined != "discharge")
        or any(map(is_followup, parts))
        or is_time_to(name)
        or is_end(name)
        or joined in ("time", "lengthofstay", "stop", "tstop")
        or _UNTIL.match(joined)
        or words[-1:] == ["post"]
        or _LATER.fullmatch(name)
        # Short names such as "y" or "low" are within too many others.
        or (len("".join(own)) > 3 and own == [w for w in words if w in own and w not in _VAGUE])
    )


def separations(X: pd.DataFrame, code: IntArray) -> FloatArray:
    """Return how well each column alone separates those two classes that it separates worst."""
    worst = np.ones(X.shape[1])
    left = np.arange(X.shape[1])
    for a, b in combinations(range(int(code.max()) + 1), 2):
        rows = (code == a) | (code == b)
        part = X if rows.all() else X.iloc[rows, left]
        found = single_aucs(part, code[rows] == b)
        worst[left] = np.minimum(worst[left], found)
        # What does not separate two classes need not be asked about others.
        left = left[worst[left] >= SEPARATES]
    return worst


def told_by_gaps(X: pd.DataFrame, code: IntArray) -> dict[str, float]:
    """Return columns that only one class has, or only one class lacks, as chance would not make.

    Also those of which that nearly holds. The value is the AUC of having one.

    Examples
    --------
    >>> import pandas as pd
    >>> died, ill = [1991.0] * 6 + [None] * 12, [None, 2.0, 3.0] * 6
    >>> told_by_gaps(pd.DataFrame({"year of death": died, "crp": ill}), np.repeat([1, 0], [6, 12]))
    {'year of death': 1.0}
    """
    gaps = X.isna().to_numpy()
    columns = np.flatnonzero(gaps.any(axis=0) & ~gaps.all(axis=0))
    if not columns.size:
        return {}
    filled = X.iloc[:, columns].notna().astype(float)
    sizes = np.bincount(code)
    found = {}
    for name, auc, empty in zip(filled, separations(filled, code), gaps.T[columns], strict=True):
        is_told = auc >= SEPARATES and is_beyond_chance(auc, code, X.shape[1])
        for rows in (empty, ~empty):
            here = np.bincount(code[rows], minlength=len(sizes))
            if np.count_nonzero(here) == 1:
                k, n = int(here.max()), int(sizes[here.argmax()])
                chance = math.comb(n, k) / math.comb(len(code), k)
                is_told |= X.shape[1] * len(sizes) * chance < CHANCE
        if is_told:
            found[str(name)] = float(auc)
    return found


def single_aucs(X: pd.DataFrame, is_positive: BoolArray) -> FloatArray:
    """Return how well each column alone separates the classes, in whichever direction.

    Categories, and numbers that may be codes, are ranked by the share of positives among the other
    rows of their category, so that many small categories do not look good by themselves. That
    ranking has only one direction: the other is what it makes of categories that say nothing, which
    count as 0.5.
    """
    found = np.full(X.shape[1], 0.5)
    place = {name: k for k, name in enumerate(X.columns)}
    is_numeric = [dtype.kind == "f" for dtype in X.dtypes]
    numeric = [str(name) for name in X.columns[is_numeric]]
    for part in batches(numeric, len(X)):
        A = X[part].to_numpy()
        steps = np.sort(A, axis=0)
        n_values = 1 + (steps[1:] > steps[:-1]).sum(axis=0)
        at = [place[name] for name in part]
        aucs = _rank_aucs(A, is_positive)
        found[at] = np.maximum(aucs, 1 - aucs)
        codes = np.flatnonzero((n_values > 2) & (n_values <= CODES))
        of_codes = [at[k] for k in codes]
        found[of_codes] = np.maximum(found[of_codes], _code_aucs(A[:, codes], is_positive))
    categorical = [str(name) for name in X.columns[~np.array(is_numeric, dtype=bool)]]
    for part in batches(categorical, len(X)):
        at = [place[name] for name in part]
        found[at] = np.maximum(0.5, _code_aucs(X[part].to_numpy(object), is_positive))
    return found


def is_copy(column: pd.Series, code: IntArray, n_columns: int) -> bool:
    """Return whether a column has one value for each class, as chance would not make."""
    filled = column.notna().to_numpy()
    pairs = set(zip(column[filled].tolist(), code[filled].tolist(), strict=True))
    return (
        len(pairs) == column.nunique() == code.max() + 1
        and n_columns * _chance_of_separation(code[filled]) < 1
    )


def is_beyond_chance(auc: float, code: IntArray, n_columns: int) -> bool:
    """Return whether chance would hardly let any of so many columns have this AUC."""
    if auc == 1.0:
        return n_columns * _chance_of_separation(code) < CHANCE
    n, p = np.bincount(code, minlength=2)[:2].tolist()  # of several classes, two are enough
    m = n + p
    z = (auc - 0.5) / math.sqrt((m + 1) / (12 * p * (m - p)))  # of a normal law, whose tail is long
    return n_columns * math.erfc(z / math.sqrt(2)) < CHANCE


def _chance_of_separation(code: IntArray) -> float:
    """Return how probable it is that a random order puts one class after the other."""
    chance, m = 1.0, 0
    for k, size in enumerate(np.bincount(code).tolist(), start=1):
        m += size
        chance *= k / math.comb(m, size)
    return chance


def _rank_aucs(A: FloatArray, is_positive: BoolArray) -> FloatArray:
    aucs = np.full(A.shape[1], 0.5)
    gaps = np.isnan(A)
    whole = ~gaps.any(axis=0)
    p, n = int(is_positive.sum()), int((~is_positive).sum())
    if whole.any():
        ranks = _midranks(A[:, whole])
        aucs[whole] = (ranks[is_positive].sum(axis=0) - p * (p + 1) / 2) / (p * n)
    for k in np.flatnonzero(~whole):
        filled = ~gaps[:, k]
        p, n = int(is_positive[filled].sum()), int((~is_positive[filled]).sum())
        # Few filled cells separate easily.
        if min(p, n) >= 3:
            ranks = _midranks(A[filled, k : k + 1])[:, 0]
            aucs[k] = (ranks[is_positive[filled]].sum() - p * (p + 1) / 2) / (p * n)
    return aucs


def _midranks(A: FloatArray) -> FloatArray:
    """Rank each column; as scipy.stats does, whose import takes more memory than a large column."""
    order = np.argsort(A, axis=0)
    steps = np.take_along_axis(A, order, axis=0)
    place = np.arange(len(A))[:, None]
    differs = steps[1:] != steps[:-1]
    edge = np.ones((1, A.shape[1]), dtype=bool)
    first = np.maximum.accumulate(np.where(np.vstack([edge, differs]), place, 0), axis=0)
    last = np.where(np.vstack([differs, edge]), place, len(A))[::-1]
    last = np.minimum.accumulate(last, axis=0)[::-1]
    ranks = np.empty(A.shape)
    np.put_along_axis(ranks, order, (first + last) / 2.0 + 1.0, axis=0)
    return ranks


def _code_aucs(A: Any, is_positive: BoolArray) -> FloatArray:
    shares = np.empty(A.shape)
    for k, column in enumerate(A.T):
        codes: dict[Any, int] = {}
        which = [codes.setdefault("" if v != v else v, len(codes)) for v in column.tolist()]
        size = np.bincount(which)[which] - 1
        positives = np.bincount(which, is_positive)[which] - is_positive
        shares[:, k] = np.where(size > 0, positives / np.maximum(size, 1), 0.5)
    return _rank_aucs(shares, is_positive)
