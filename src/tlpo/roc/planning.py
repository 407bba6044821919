"""Sample size and power, from the variance of independent scores, doubled.

Before a study, φ is unknown. Useless models with balanced classes have φ = 2 at any size; models
that find some signal have less.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from scipy.stats import norm

from tlpo.errors import InputError, arg, explain
from tlpo.roc.intervals import (
    FEW,
    INFLATION,
    degrees_of_freedom,
    score_interval,
    score_variance,
    two_sided_quantile,
)
from tlpo.roc.order import Counts, independent_variance, order_interval
from tlpo.roc.placements import Parts
from tlpo.roc.rates import Limits

if TYPE_CHECKING:
    import pandas as pd

# A sample with more units than this is not small.
MOST_UNITS = 1_000_000
SIZES = (20, 30, 50, 100, 200)


@dataclass(frozen=True)
class SampleSize:
    """The sample size needed for an interval of a given width.

    Attributes
    ----------
    n_units, n_positive, n_negative : int
        The smallest sample.
    low, high : float
        The expected interval if the estimate equals the true AUC.
    auc, width, fraction, confidence_level : float
        The values that were passed.

    Notes
    -----
    Formula: `sample_size`.

    Examples
    --------
    >>> import tlpo
    >>> size = tlpo.sample_size(0.85, width=0.2, fraction=0.3)
    >>> size.n_units, size.n_positive, size.n_negative
    (144, 43, 101)
    >>> round(size.low, 3), round(size.high, 3)
    (0.722, 0.922)
    """

    n_units: int
    n_positive: int
    n_negative: int
    low: float
    high: float
    auc: float
    width: float
    fraction: float
    confidence_level: float


@dataclass(frozen=True)
class OrderedSampleSize:
    """The sample size needed for an interval of a concordance of a given width.

    Attributes
    ----------
    n_units : int
        The smallest sample.
    low, high : float
        The expected interval if the estimate equals the true concordance.
    concordance, width, confidence_level : float
        The values that were passed.

    Examples
    --------
    >>> import tlpo
    >>> size = tlpo.sample_size(0.7, width=0.2, order=True)
    >>> size.n_units, round(size.low, 2), round(size.high, 2)
    (68, 0.59, 0.79)
    """

    n_units: int
    low: float
    high: float
    concordance: float
    width: float
    confidence_level: float


@overload
def sample_size(
    auc: float,
    *,
    width: float,
    fraction: float = 0.5,
    order: None = None,
    confidence_level: float = 0.95,
) -> SampleSize: ...


@overload
def sample_size(
    auc: float, *, width: float, order: Any, confidence_level: float = 0.95
) -> OrderedSampleSize: ...


def sample_size(
    auc: float,
    *,
    width: float,
    fraction: float = 0.5,
    order: Any = None,
    confidence_level: float = 0.95,
) -> SampleSize | OrderedSampleSize:
    """Return the smallest sample whose interval for the AUC has at most the given width.

    Parameters
    ----------
    auc : float
        The expected AUC, or concordance.
    width : float
        Largest distance from the lower to the upper limit.
    fraction : float
        Proportion of positive units.
    order : True or sequence of float, optional
        Plan for a concordance: True for numbers without ties, or the shares of the grades.
    confidence_level : float
        Confidence level of the interval.

    Notes
    -----
    The interval is that of `Tournament.auc_interval` with φ = 2, that of a useless model with
    balanced classes: models that find signal have less, so the size is on the safe side. With
    ``order`` it is that of `Concordance.concordance_interval`, φ = 2 as well.

    Examples
    --------
    >>> import tlpo
    >>> tlpo.sample_size(0.8, width=0.2).n_units
    151
    """
    require_between("auc", auc, 0, 1)
    require_between("width", width, 0, 1)
    require_between("fraction", fraction, 0, 1)
    require_between("confidence_level", confidence_level, 0, 1)

    shares = None if order is None else _shares(order)

    def expected(n_units: int) -> Limits:
        if shares is not None:
            return ordered_width(auc, _sizes(shares, n_units), confidence_level)
        return expected_interval(float(auc), n_units, float(fraction), float(confidence_level))

    def wide(n_units: int) -> bool:
        low, high = expected(n_units)
        return high - low > width

    # Because of rounding to whole units the width is not monotone: check a few smaller sizes.
    enough = 8
    while enough <= MOST_UNITS and wide(enough):
        enough *= 2
    if enough > MOST_UNITS:
        raise InputError(
            explain(
                f"No sample of up to {MOST_UNITS} units gives an interval this narrow.",
                f"You passed {arg('width', width)}.",
                "Ask for a wider interval.",
            )
        )
    low = max(5, enough // 2)
    while enough - low > 1:
        middle = (low + enough) // 2
        low, enough = (middle, enough) if wide(middle) else (low, middle)
    earlier = [n for n in range(max(6, enough - 20), enough) if not wide(n)]
    n_units = min(earlier, default=enough)
    limits = expected(n_units)
    if shares is not None:
        return OrderedSampleSize(n_units, *limits, auc, width, confidence_level)
    p, n = split(n_units, fraction)
    return SampleSize(n_units, p, n, *limits, auc, width, fraction, confidence_level)


def power(
    auc: float,
    n_units: int,
    *,
    fraction: float = 0.5,
    order: Any = None,
    level: float = 0.05,
    null: float = 0.5,
) -> float:
    """Return the power of a one-sided test that the AUC exceeds the null value.

    Parameters
    ----------
    auc : float
        The true AUC, or concordance.
    n_units : int
        Sample size.
    fraction : float
        Proportion of positive units.
    order : True or sequence of float, optional
        Of a concordance: True for numbers without ties, or the shares of the grades.
    level : float
        Level of the test.
    null : float
        The AUC under the null hypothesis.

    Notes
    -----
    ``Φ((auc − null − z σ(null)) / σ(auc))`` with the quantile z of the level and ``σ² = 2V``, V as
    in `Tournament.auc_interval`.

    Examples
    --------
    >>> import tlpo
    >>> [round(tlpo.power(0.75, n_units), 2) for n_units in (30, 60, 120)]
    [0.5, 0.8, 0.98]
    """
    require_between("auc", auc, 0, 1)
    require_between("fraction", fraction, 0, 1)
    require_between("level", level, 0, 1)
    require_between("null", null, 0, 1)
    _require_units("n_units", n_units)
    if order is not None:
        counts = _counts(_sizes(_shares(order), int(n_units)))
        variances = [independent_variance(theta, counts) for theta in (null, auc)]
    else:
        p, n = split(int(n_units), fraction)
        variances = [score_variance(theta, p, n) for theta in (null, auc)]
    at_null, at_auc = (np.sqrt(INFLATION * variance) for variance in variances)
    return float(norm.cdf((auc - null - norm.ppf(1 - level) * at_null) / at_auc))


def planning_table(
    sizes: Sequence[int] = SIZES,
    aucs: Sequence[float] = (0.5, 0.6, 0.7, 0.8, 0.9),
    *,
    fraction: float = 0.5,
    confidence_level: float = 0.95,
) -> pd.DataFrame:
    """Tabulate what samples of given sizes can show.

    Parameters
    ----------
    sizes : sequence of int
        Numbers of units.
    aucs : sequence of float
        AUCs to give the width of the interval at.
    fraction : float
        Proportion of positive units.
    confidence_level : float
        Confidence level of the intervals.

    Returns
    -------
    pandas.DataFrame
        One row per size: the expected width of the interval at each AUC, and the smallest true
        AUC that a one-sided test at 5 % detects with a power of 80 %.

    Notes
    -----
    As `sample_size` and `power`, with φ = 2.

    Examples
    --------
    >>> import tlpo
    >>> print(tlpo.planning_table([30, 100], aucs=[0.5, 0.8]).round(2))
           positives  negatives  width at 0.5  width at 0.8  found with 80 %
    units
    30            15         15           0.5          0.43             0.84
    100           50         50           0.3          0.24             0.70
    """
    import pandas as pd

    require_between("fraction", fraction, 0, 1)
    require_between("confidence_level", confidence_level, 0, 1)
    for auc in aucs:
        require_between("each of aucs", auc, 0, 1)
    for n_units in sizes:
        _require_units("each of sizes", n_units)
    rows: list[dict[str, Any]] = []
    for n_units in sizes:
        p, n = split(int(n_units), fraction)
        row: dict[str, Any] = {"units": n_units, "positives": p, "negatives": n}
        for auc in aucs:
            low, high = expected_interval(auc, int(n_units), fraction, confidence_level)
            row[f"width at {auc:g}"] = high - low
        grid = np.arange(0.5, 1.0, 0.001)
        found = [auc for auc in grid if power(auc, int(n_units), fraction=fraction) >= 0.8]
        row["found with 80 %"] = found[0] if found else np.nan
        rows.append(row)
    return pd.DataFrame(rows).set_index("units")


# The report and the answer in the terminal plan the same samples.
@lru_cache(maxsize=4096)
def expected_interval(
    auc: float, n_units: int, fraction: float, confidence_level: float
) -> tuple[float, float]:
    """Return the interval if the estimate equals the true AUC."""
    p, n = split(n_units, fraction)
    q1, q2 = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    parts = Parts((q1 - auc**2) / p, (q2 - auc**2) / n)
    df = degrees_of_freedom(parts, p, n) if min(p, n) <= FEW else None
    return score_interval(auc, p, n, INFLATION, two_sided_quantile(confidence_level, df))


def ordered_width(concordance: float, sizes: Sequence[int], confidence_level: float) -> Limits:
    """Return the interval expected at a concordance if so many units have each of the values."""
    few = sum(sizes) - max(sizes)
    return width_of_counts(concordance, _counts(sizes), few, confidence_level)


def width_of_counts(
    concordance: float, counts: Counts, n_off_mode: int, confidence_level: float
) -> Limits:
    """Return the interval expected at a concordance with so many ordered pairs.

    ``n_off_mode`` units differ from the most common outcome; of times, they had the event.
    """
    df = max(1, n_off_mode - 1) if n_off_mode <= FEW else None
    quantile = two_sided_quantile(confidence_level, df)
    return order_interval(concordance, counts, INFLATION, quantile)


def _counts(sizes: Sequence[int]) -> Counts:
    each = np.array(sizes, dtype=float)
    below = np.cumsum(each) - each
    above = each.sum() - below - each
    own = np.repeat(np.arange(each.size), np.array(sizes, dtype=int))
    return Counts.of(below[own], above[own])


def _shares(order: Any) -> list[float]:
    """Return the shares of grades; none for numbers without ties."""
    if order is True:
        return []
    try:
        shares = [float(share) for share in order]
    except (TypeError, ValueError):
        shares = []
    if len(shares) < 2 or min(shares) <= 0 or not np.isclose(sum(shares), 1.0):
        raise InputError(
            explain(
                f"{arg('order')} must be True, for numbers, or the shares of the grades.",
                f"You passed {arg('order', order)}.",
                f"For example {arg('order', [0.2, 0.5, 0.3])}.",
            )
        )
    return shares


def _sizes(shares: list[float], n_units: int) -> list[int]:
    """Divide units among the grades, at least one each; numbers differ all."""
    if not shares:
        return [1] * n_units
    edges = np.rint(np.cumsum([0.0, *shares]) * n_units).astype(int)
    return [max(1, int(size)) for size in np.diff(edges)]


def split(n_units: int, fraction: float) -> tuple[int, int]:
    """Split units into positives and negatives, at least three of each."""
    p = min(max(3, round(n_units * fraction)), n_units - 3)
    return p, n_units - p


def _require_units(name: str, value: Any) -> None:
    if not (isinstance(value, int | np.integer) and value >= 6):
        raise InputError(
            explain(
                f"{arg(name)} must be a whole number, at least 6.",
                f"You passed {arg(name, value)}.",
                f"For example {arg(name, 60)}.",
            )
        )


def require_between(name: str, value: Any, low: float, high: float) -> None:
    """Reject a number that is not strictly between two others."""
    if not (isinstance(value, int | float | np.number) and low < value < high):
        raise InputError(
            explain(
                f"{arg(name)} must be strictly between {low} and {high}.",
                f"You passed {arg(name, value)}.",
                f"For example {arg(name, round((low + high) / 2, 4))}.",
            )
        )
