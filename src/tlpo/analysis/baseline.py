"""Who was studied: every feature by outcome, as the first table of a clinical paper shows it.

No p-values: whether the classes differ in one feature by chance is not the question of a report,
and the test of many features would mislead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from tlpo.analysis.shapes import Baseline, Characteristic, Part, PartBaseline
from tlpo.arrays import BoolArray, FloatArray
from tlpo.plurals import counted
from tlpo.problem.outcome import Ordered, SeveralClasses, TimeToEvent
from tlpo.tables.levels import Levels, pool_others

if TYPE_CHECKING:
    import pandas as pd

# Beyond so many features nobody reads the table; categories come first, they are the patients'.
MOST_FEATURES = 50
# A sample skewness beyond this is shown by median and quartiles instead of mean and SD.
SKEWED = 1.0
# Whom a cell of the table is about.
PARTS = ("all", "positive", "negative")
# Of an ordered outcome: up to so many values have a column each, numbers have quarters.
MOST_PARTS = 5


def tabulate_baseline(
    X: pd.DataFrame,
    numeric: Sequence[str],
    categorical: Sequence[str],
    is_positive: BoolArray,
    levels: Mapping[str, Levels],
    most: int = MOST_FEATURES,
) -> list[Baseline]:
    """Return one row per feature, and one per category, for all rows and by outcome.

    Parameters
    ----------
    X : DataFrame
        Features, with gaps.
    numeric, categorical : sequence of str
        Their names by kind.
    is_positive : ndarray of bool
        Class of every row.
    levels : mapping of str to Levels
        What is shown of every category.
    most : int
        Features to show at most.

    Returns
    -------
    list of Baseline
        ``level`` is the category, or what stands for several, or None; of ``all``, ``positive`` and
        ``negative`` the ``values`` are mean and SD, median and quartiles, or number and share.

    Examples
    --------
    >>> import pandas as pd
    >>> from tlpo.tables.levels import find_levels
    >>> table = pd.DataFrame({"age": [40.0, 50.0, 60.0, None], "site": list("nsnn")})
    >>> ill = np.array([True, True, False, False])
    >>> levels = {"site": find_levels("site", list("nsnn"), None, False)}
    >>> for row in tabulate_baseline(table, ["age"], ["site"], ill, levels):
    ...     print(row.feature, row.level, row.kind, row.all)
    site n share Characteristic(count=4, missing=0, values=[3, 0.75])
    site other (1 level) share Characteristic(count=4, missing=0, values=[1, 0.25])
    age None mean Characteristic(count=3, missing=1, values=[50.0, 10.0])
    """
    parts = {
        "all": np.ones(is_positive.size, dtype=bool),
        "positive": is_positive,
        "negative": ~is_positive,
    }
    rows = _tabulate(X, numeric, categorical, parts, levels, most)
    return [Baseline(row.feature, row.level, row.kind, **row.cells) for row in rows]


def tabulate_by_outcome(
    X: pd.DataFrame,
    numeric: Sequence[str],
    categorical: Sequence[str],
    outcome: Ordered | TimeToEvent | SeveralClasses,
    levels: Mapping[str, Levels],
    most: int = MOST_FEATURES,
) -> tuple[list[Part], list[PartBaseline]]:
    """Return the same by class, grade, quarters of numbers, or event; and who these are."""
    everyone = {"all": np.ones(outcome.n_units, dtype=bool)}
    parts = _parts_of(outcome)
    rows = _tabulate(X, numeric, categorical, everyone | parts, levels, most)
    return (
        [Part(name, int(own.sum())) for name, own in parts.items()],
        [
            PartBaseline(
                row.feature, row.level, row.kind, row.cells["all"], [row.cells[p] for p in parts]
            )
            for row in rows
        ],
    )


def _parts_of(outcome: Ordered | TimeToEvent | SeveralClasses) -> dict[str, BoolArray]:
    """Divide patients by class or grade, numbers at their quartiles, or by event."""
    if isinstance(outcome, SeveralClasses):
        return {str(name): outcome.code == k for k, name in enumerate(outcome.names)}
    if isinstance(outcome, TimeToEvent):
        parts = {"event": outcome.event, "censored": ~outcome.event}
        return {name: own for name, own in parts.items() if own.any()}
    y = outcome.y + 0.0  # no minus sign before a zero
    if outcome.grades is not None or outcome.n_levels <= MOST_PARTS:
        grades = outcome.grades
        return {
            f"{value:.6g}" if grades is None else str(grades[int(value)]): y == value
            for value in np.unique(y).tolist()
        }
    edges = np.unique(np.quantile(y, (0.25, 0.5, 0.75), method="lower"))
    place = np.searchsorted(edges, y, side="left")
    found = {}
    for k in np.unique(place):
        own = place == k
        low, high = float(y[own].min()), float(y[own].max())
        found[f"{low:.4g}" if low == high else f"{low:.4g} to {high:.4g}"] = own
    return found


class _Row(NamedTuple):
    """A row of any baseline table."""

    feature: str
    level: str | None
    kind: Literal["mean", "median", "share"]
    cells: dict[str, Characteristic]


def _tabulate(
    X: pd.DataFrame,
    numeric: Sequence[str],
    categorical: Sequence[str],
    parts: dict[str, BoolArray],
    levels: Mapping[str, Levels],
    most: int,
) -> list[_Row]:
    rows: list[_Row] = []
    for name in categorical[:most]:
        found, texts = levels[name], X[name].tolist()
        if found.is_listed:
            rows += _categories(name, found.pool(texts), parts, last=found.pooled)
        else:
            unnamed = f"any of {counted(found.n_levels, 'level')}, not named"
            rows += _categories(name, pool_others(texts, (), unnamed), parts)
    for name in numeric[: max(0, most - len(categorical))]:
        values = X[name].to_numpy(float)
        # Yes and no, coded: a mean of 0.4 ± 0.5 is no way to say 40%.
        is_coded = set(np.unique(values[~np.isnan(values)])) == {0.0, 1.0}
        if is_coded:
            texts = [{0.0: "0", 1.0: "1"}.get(value) for value in values.tolist()]
            rows += _categories(name, texts, parts)[1:]
        else:
            rows.append(_numbers(name, values, parts))
    return rows


def _categories(
    name: str, values: list[Any], parts: dict[str, BoolArray], last: str = ""
) -> list[_Row]:
    known = np.array([isinstance(value, str) for value in values])
    texts = np.array([value if isinstance(value, str) else "" for value in values], dtype=object)
    counts = {part: Counter(texts[rows & known].tolist()) for part, rows in parts.items()}
    return [
        _Row(
            name,
            level,
            "share",
            {
                part: _cell(
                    rows,
                    known,
                    [counts[part][level], _share(counts[part][level], (rows & known).sum())],
                )
                for part, rows in parts.items()
            },
        )
        for level in sorted(counts["all"], key=lambda level: (level == last, level))
    ]


def _numbers(name: str, values: FloatArray, parts: dict[str, BoolArray]) -> _Row:
    known = ~np.isnan(values)
    # One rule for all parts, or their cells could not be compared.
    is_skewed = abs(skewness(values[known])) > SKEWED
    cells = {
        part: _cell(rows, known, _summary(values[rows & known], is_skewed))
        for part, rows in parts.items()
    }
    return _Row(name, None, "median" if is_skewed else "mean", cells)


def _cell(rows: BoolArray, known: BoolArray, values: list[float | None]) -> Characteristic:
    n_known = int((rows & known).sum())
    return Characteristic(n_known, int(rows.sum()) - n_known, values)


def _summary(values: FloatArray, is_skewed: bool) -> list[float | None]:
    if not values.size:
        return [np.nan] * (3 if is_skewed else 2)
    if is_skewed:
        return [float(q) for q in np.quantile(values, (0.5, 0.25, 0.75))]
    sd = float(np.std(values, ddof=1)) if values.size > 1 else np.nan
    return [float(values.mean()), sd]


def skewness(values: FloatArray) -> float:
    """Return the skewness of a sample: 0 for a symmetric one, 2 for an exponential distribution.

    Examples
    --------
    >>> skewness(np.array([1.0, 2.0, 3.0])), round(skewness(np.array([0.0, 0.0, 0.0, 4.0])), 2)
    (0.0, 1.15)
    """
    # Scaled first, so that no square overflows.
    size = np.abs(values).max(initial=0.0)
    centred = (values - values.mean()) / size if size > 0 else values
    spread = float(np.sqrt(np.mean(centred**2))) if values.size else 0.0
    return float(np.mean(centred**3)) / spread**3 if spread > 1e-12 else 0.0


def _share(count: int, total: int) -> float:
    return count / int(total) if total else np.nan
