"""The difference of two AUCs on the same units, and whether it could be due to chance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import t as student

from tlpo.arrays import FloatArray, IntArray
from tlpo.roc.intervals import FEW, INFLATION, degrees_of_freedom, two_sided_quantile
from tlpo.roc.placements import Placements
from tlpo.roc.rates import Limits


class ZTest(NamedTuple):
    """A difference divided by its standard error, and the two-sided p-value."""

    z: float
    p_value: float


def paired_delong(first: Placements, second: Placements) -> ZTest:
    """Compare two AUCs by the placements of their scores: DeLong et al. (1988).

    Valid only for scores of models that were not trained on these units.
    """
    placements = first - second
    difference = float(np.nanmean(placements.positive))
    error = float(np.sqrt(max(placements.variance.total, 0.0)))
    return ZTest(_statistic(difference, error), _p_value(difference, error, np.inf))


class Tested(NamedTuple):
    """A difference divided by its standard error, with limits."""

    statistic: float
    p_value: float
    low: float
    high: float


def judge_difference(difference: float, variance: float, df: float, level: float) -> Tested:
    """Test a difference of given variance with Student's t; df may be infinite."""
    error = float(np.sqrt(variance))
    half = two_sided_quantile(level, df) * error
    return Tested(
        _statistic(difference, error),
        _p_value(difference, error, df),
        *_clip(difference - half, difference + half),
    )


class FixedTest(NamedTuple):
    """The difference of two AUCs of fixed scores, tested."""

    statistic: float
    p_value: float
    degrees_of_freedom: float
    low: float
    high: float
    variance: float


def fixed_test(
    first: Placements,
    second: Placements,
    is_paired: bool,
    sizes: tuple[int, int],
    confidence_level: float,
) -> FixedTest:
    """Compare the AUCs of scores that were fixed beforehand, as DeLong et al. (1988) do.

    On different units the variances add up, and Student's t has Welch's degrees of freedom, each
    variance counting those of its ``sizes`` units or groups. On the same units the test is normal;
    with few groups, Student's.
    """
    difference = float(np.mean(first.positive) - np.mean(second.positive))
    own, other = first.variance.total, second.variance.total
    variance, df = own + other, np.inf
    if is_paired:
        apart = first - second
        variance = apart.variance.total
        if apart.groups is not None and min(apart.sizes) <= FEW:
            df = degrees_of_freedom(apart.variance, *apart.sizes, apart.n_groups)
    elif variance > 0:
        each = sum(v**2 / (n - 1) for v, n in zip((own, other), sizes, strict=True))
        df = variance**2 / each
    tested = judge_difference(difference, variance, df, confidence_level)
    return FixedTest(tested.statistic, tested.p_value, float(df), tested.low, tested.high, variance)


def own_noise(E: FloatArray) -> float:
    """Return the part of the variance of a mean that is due to single games.

    E are the differences of the games of two models, a row per positive. What their row and column
    means leave varies from game to game; the placements count it twice, once in each class.

    Examples
    --------
    Rows and columns explain all differences, or nothing:

    >>> own_noise(np.array([[0.0, 1.0], [0.0, 1.0]]))
    0.0
    >>> own_noise(np.array([[0.0, 1.0], [1.0, 0.0]]))
    0.25
    """
    played = ~np.isnan(E)
    rows, columns = played.any(axis=1), played.any(axis=0)
    n_games, df = int(played.sum()), int(played.sum() - rows.sum() - columns.sum() + 1)
    if not n_games or df < 1:
        return 0.0
    E, played = E[rows][:, columns], played[rows][:, columns]
    mean = float(np.nanmean(E))
    left = E - np.nanmean(E, axis=1)[:, None] - np.nanmean(E, axis=0) + mean
    return float(np.sum(left[played] ** 2) / df / n_games)


def own_noise_of_pairs(first: IntArray, second: IntArray, moves: FloatArray, n_units: int) -> float:
    """Return the part of the variance of a sum over pairs of units that is due to single pairs.

    What the two units of a pair leave varies from pair to pair. The sum over all units of their
    squared moves counts it twice, once for each of the two: the bias of the jackknife of a
    U-statistic (Efron and Stein 1981).

    Parameters
    ----------
    first, second : ndarray of shape (g,)
        The two units of each pair, which is listed once.
    moves : ndarray of shape (g,)
        What each pair adds to the sum. Pairs that are not listed add nothing.
    n_units : int
        How many units there are.

    Examples
    --------
    Of four units the first explains all, or nothing does:

    >>> first, second = np.triu_indices(4, 1)
    >>> round(own_noise_of_pairs(first, second, np.array([1, 1, 1, -1, -1, -1.0]), 4), 12)
    0.0
    >>> own_noise_of_pairs(first, second, np.array([1, -1, 0, 0, -1, 1.0]), 4)
    12.0
    """
    if n_units <= 3:
        return 0.0
    n_pairs = n_units * (n_units - 1) / 2
    mean = moves.sum() / n_pairs
    of_unit = np.bincount(first, moves, n_units) + np.bincount(second, moves, n_units)
    effect = (of_unit - (n_units - 1) * mean) / (n_units - 2)
    left = moves @ moves - n_pairs * mean**2 - (n_units - 2) * (effect @ effect)
    return float(max(0.0, left) * n_pairs / (n_pairs - n_units))


def own_noise_of_groups(first: IntArray, second: IntArray, moves: FloatArray) -> float:
    """Return `own_noise_of_pairs` where groups are independent, and units are not.

    All that happens between two groups is one pair; what happens within a group is of none.

    Parameters
    ----------
    first, second : ndarray of shape (g,)
        The groups of the two units of each pair.
    moves : ndarray of shape (g,)
        What each pair of units adds to the sum.
    """
    names, which = np.unique(np.concatenate([first, second]), return_inverse=True)
    one, other = which[: first.size], which[first.size :]
    code = np.minimum(one, other) * names.size + np.maximum(one, other)
    apart = one != other
    between, pair = np.unique(code[apart], return_inverse=True)
    low, high = np.divmod(between, names.size)
    added = np.bincount(pair, moves[apart]).astype(np.float64, copy=False)
    return own_noise_of_pairs(low, high, added, names.size)


def difference_variance(
    placement: float, jackknife: float, noise: float, factors: tuple[float, float]
) -> float:
    """Return the variance of the difference of two AUCs of models.

    The variance of the placements, with what is due to single games counted once, times the factor
    by which the jackknife says that it is too small. The jackknife of a difference exaggerates:
    the games that turn over without a unit are not the same for both models, and do not cancel
    however similar the models are. So the factor is at most 2, that of an AUC without signal, or
    those of the two AUCs.

    Parameters
    ----------
    placement, jackknife : float
        The two variances of the difference.
    noise : float
        What `own_noise` or `own_noise_of_pairs` returns.
    factors : pair of float
        ``√(V_jack / V_place)`` of either AUC.
    """
    if placement <= 0:
        return 0.0
    factor = min(float(np.sqrt(jackknife / placement)), max(INFLATION, *factors))
    return max(placement - noise, placement / 2) * max(1.0, factor)


def correlation(first: Placements, second: Placements) -> float:
    """Return the correlation of two AUCs on the same units, clipped to 0 … 1."""
    own, other = first.variance.total, second.variance.total
    if own <= 0 or other <= 0:
        return 0.0
    together = (own + other - (first - second).variance.total) / (2 * np.sqrt(own * other))
    return float(np.clip(together, 0.0, 1.0))


def t_interval(
    difference: float, variance: float, placements: Placements, confidence_level: float
) -> tuple[Limits, float, float, float]:
    """Return limits, p-value, degrees of freedom and t for a difference of given variance."""
    df = degrees_of_freedom(placements.variance, *placements.sizes, placements.n_groups)
    tested = judge_difference(difference, variance, df, confidence_level)
    return (tested.low, tested.high), tested.p_value, df, tested.statistic


def separate_interval(
    aucs: tuple[float, float],
    limits: tuple[Limits, Limits],
    together: float,
    confidence_level: float,
) -> tuple[Limits, float]:
    """Return limits and p-value from an interval for each AUC (Newcombe's square-and-add).

    ``together`` is their correlation. It also works where the differences of the games show no
    spread, for example if both learners separate the sample perfectly.
    """
    (low1, high1), (low2, high2) = limits

    def add(one: float, other: float) -> float:
        return float(np.sqrt(max(0.0, one**2 + other**2 - 2 * together * one * other)))

    below, above = add(aucs[0] - low1, high2 - aucs[1]), add(high1 - aucs[0], aucs[1] - low2)
    difference = aucs[0] - aucs[1]
    error = (below if difference > 0 else above) / two_sided_quantile(confidence_level)
    return _clip(difference - below, difference + above), _p_value(difference, error, np.inf)


def holm(p_values: FloatArray) -> FloatArray:
    """Adjust p-values for the number of tests: Holm (1979).

    Examples
    --------
    >>> holm(np.array([0.04, 0.01, 0.03]))
    array([0.06, 0.03, 0.06])
    """
    order = np.argsort(p_values)
    left = p_values.size - np.arange(p_values.size)
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(left * p_values[order]))
    return adjusted


def _statistic(difference: float, error: float) -> float:
    if error > 0:
        return difference / error
    return 0.0 if difference == 0 else float(np.copysign(np.inf, difference))


def _p_value(difference: float, error: float, df: float) -> float:
    if difference == 0:
        return 1.0
    return float(2 * student.sf(abs(difference) / error, df)) if error > 0 else 0.0


def _clip(low: float, high: float) -> Limits:
    return float(max(-1.0, low)), float(min(1.0, high))
