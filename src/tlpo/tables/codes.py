"""Columns of whole numbers that may be codes of categories: 1 = white, 2 = black, 3 = other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tlpo.tables.columns import batches, text_of
from tlpo.tables.words import set_of, words_of

if TYPE_CHECKING:
    import pandas as pd

# Two codes are the same as two numbers, and more than six are hardly codes.
FEWEST, MOST = 3, 6
# Codes repeat: so many rows per code, on average.
EACH = 3
# Codes are counted up from 0 or 1; a dose is not.
LARGEST = 9
# Words in a name, or a label, that say that the numbers count something or are in order.
_ORDERED = set_of(
    "number numbers no num nr n count counts total sum times frequency freq visits children "
    "visit enum sequence siblings attempts failures episodes admissions pregnancies births parity "
    "gravidity gravida para nodes lesions metastases mets "
    "stage staging grade grading score scores scale rating rank level degree severity class index "
    "points likert quartile quartiles quintile tertile decile percentile quantile "
    "asa ecog karnofsky nyha ccs gcs wfns fisher rankin mrs nihss apgar gleason gs isup birads "
    "pirads lirads tirads figo tnm bclc fib fibrosis steatosis killip charlson cci sofa "
    "qsofa mallampati news meld childpugh cirs frailty pain vas nrs intensity genotype dosage "
    "alleles copies "
    "age year years month months week weeks day days hour hours time duration "
    "anzahl zahl stadium grad stufe klasse schwere lukumäärä määrä aste luokka pisteet "
    "nombre stade classe degré"
)


def find_codes(
    X: pd.DataFrame,
    names: Sequence[str],
    labels: Mapping[str, str],
    ignored: Mapping[str, Sequence[str]],
) -> dict[str, list[str]]:
    """Find numbers that may be codes of categories, by column.

    Parameters
    ----------
    X : DataFrame
        Features.
    names : sequence of str
        Those that were taken for numbers without being asked.
    labels : mapping of str to str
        What SPSS, Stata and SAS files say a column is, by name.
    ignored : mapping of str to list of str
        Values that seem to mean missing.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"race": [1.0, 2, 3] * 3, "ASA grade": [1.0, 2, 3] * 3, "x": [0.5] * 9})
    >>> find_codes(X, list(X), {}, {})
    {'race': ['1', '2', '3']}
    """
    found = {}
    for part in batches(names, len(X)):
        A = X[part].to_numpy(float)
        # Of 20 000 columns, few have to be looked at one by one.
        with np.errstate(invalid="ignore"):
            is_whole = (np.isnan(A) | (A % 1 == 0)).all(axis=0)
        for k in np.flatnonzero(is_whole):
            name = part[k]
            if says_order(name, labels.get(name, "")):
                continue
            values, counts = np.unique(A[~np.isnan(A[:, k]), k], return_counts=True)
            spared = ignored.get(name, ())
            kept = [v for v in values.tolist() if text_of(v) not in spared]
            if not FEWEST <= len(kept) <= MOST or counts.sum() < EACH * len(kept):
                continue
            if kept[0] in (0, 1) and kept[-1] <= LARGEST:
                found[name] = [text_of(value) for value in kept]
    return found


def says_order(name: str, label: str = "") -> bool:
    """Return whether a name or a label says that numbers count something, or are in order.

    Examples
    --------
    >>> [says_order(name) for name in ("n_nodes", "tumorStage", "No. of visits", "race", "site")]
    [True, True, True, False, False]
    >>> says_order("q17", "number of children")
    True
    """
    return bool(_ORDERED & {*words_of(name), *words_of(label)})
