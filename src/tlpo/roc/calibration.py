"""How well probabilities agree with outcomes: plain arrays in, numbers and limits out.

A unit may have several probabilities, from models trained without it and without one other unit
each; they share its weight. Averaging them first would be wrong for learners whose predictions take
few values: which unit was left out then shows the label (docs/ties.md).

Every measure comes with the influence of each unit on it, so one formula gives all limits:
``quantile² · factor · Σ influence²``, the influences summed within groups, with Student's quantile
for the size of the smaller class. The factor is 1 for probabilities that were fixed beforehand. For
those of a tournament, models change with the sample too, which shows in the Brier score and the net
benefit (φ of the AUC's interval) and most in the slope: the slope of the model trained on all units
varies as much as its estimate does, and in the other direction. Twice the variance covered best
(docs/inference.md).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.roc.intervals import two_sided_quantile
from tlpo.roc.rates import Limits

# The least factor for the slope of a model that was trained on the units it is judged on.
SLOPE_INFLATION = 2.0
# Log odds that differ by less than this do not differ.
FLAT = 1e-9
# Newton's method: no coefficient moves by more than this in one step.
FARTHEST = 2.0
STEPS = 100
# A band is computed at probabilities rounded to this many digits.
BAND_DIGITS = 3


class Forecasts(NamedTuple):
    """Probabilities of units.

    Attributes
    ----------
    p : ndarray of shape (n,)
        Every probability.
    unit : ndarray of shape (n,)
        Whose it is, counted from zero; every unit has at least one.
    is_positive : ndarray of shape (m,)
        Class of every unit.
    """

    p: FloatArray
    unit: IntArray
    is_positive: BoolArray

    @property
    def y(self) -> FloatArray:
        """Label of every unit, 1 or 0."""
        return self.is_positive.astype(float)

    @property
    def weight(self) -> FloatArray:
        """Weight of every probability; those of a unit sum to one."""
        return 1.0 / np.bincount(self.unit)[self.unit]

    def by_unit(self, values: FloatArray) -> FloatArray:
        """Average values, one per probability, within units."""
        return _sums(self.unit, self.weight * values)


class Measured(NamedTuple):
    """A measure, and the influence of every unit on it.

    Attributes
    ----------
    value : float
        The measure.
    influence : ndarray of shape (m,)
        By how much each unit moves it.
    is_log : bool
        Whether influences, and so limits, are those of the logarithm.
    unseen : float
        Variance to be added for what so few units may not show.
    """

    value: float
    influence: FloatArray
    is_log: bool = False
    unseen: float = 0.0


def limits(
    measured: Measured,
    confidence_level: float,
    degrees_of_freedom: float,
    groups: IntArray | None = None,
    factor: float = 1.0,
) -> Limits:
    """Return the limits of a measure; NaN where it is not defined."""
    influence = measured.influence
    if groups is not None:
        influence = _sums(np.unique(groups, return_inverse=True)[1], influence)
    n = influence.size
    variance = factor * (float(np.sum(influence**2)) * n / max(1, n - 1) + measured.unseen)
    half = two_sided_quantile(confidence_level, degrees_of_freedom) * np.sqrt(variance)
    if measured.is_log:
        return float(measured.value * np.exp(-half)), float(measured.value * np.exp(half))
    return float(measured.value - half), float(measured.value + half)


def brier(f: Forecasts) -> Measured:
    """Mean squared distance of probabilities from labels.

    Limits are those of its logarithm: a small score has a small variance, and limits on the plain
    scale missed larger true scores four times as often as smaller ones.
    """
    own = f.by_unit((f.p - f.y[f.unit]) ** 2)
    score = float(own.mean())
    if score == 0:
        return Measured(0.0, np.zeros(own.size), is_log=True)
    return Measured(score, (own / score - 1.0) / own.size, is_log=True)


def relative_brier(f: Forecasts) -> Measured:
    """Brier score divided by that of always predicting the prevalence."""
    score, share = brier(f), float(f.y.mean())
    constant = share * (1.0 - share)
    of_constant = (1.0 - 2.0 * share) * (f.y - share) / (constant * f.y.size)
    return Measured(score.value / constant, score.influence - of_constant, is_log=True)


def observed_expected(f: Forecasts) -> Measured:
    """Ratio of the number of positives to the sum of the probabilities."""
    expected, y = f.by_unit(f.p), f.y
    if expected.sum() == 0:
        return Measured(np.inf, np.full(y.size, np.nan), is_log=True)
    influence = y / y.sum() - expected / expected.sum()
    return Measured(float(y.sum() / expected.sum()), influence, is_log=True)


def has_log_odds(f: Forecasts) -> bool:
    """Whether no probability is 0 or 1."""
    return bool(np.all((f.p > 0) & (f.p < 1)))


def calibration_intercept(f: Forecasts) -> Measured:
    """Shift of the log odds that makes the probabilities right on average.

    Positive if outcomes are more frequent than predicted. Needs `has_log_odds`.
    """
    s, w, y = logit(f.p), f.weight, f.y[f.unit]
    shift = 0.0
    for _ in range(STEPS):
        q = expit(shift + s)
        step = float(np.sum(w * (y - q)) / np.sum(w * q * (1.0 - q)))
        shift += float(np.clip(step, -FARTHEST, FARTHEST))
        if abs(step) < 1e-12:
            break
    q = expit(shift + s)
    return Measured(shift, f.by_unit(y - q) / np.sum(w * q * (1.0 - q)))


def calibration_slope(f: Forecasts) -> Measured | None:
    """Slope of a logistic regression of the labels on the log odds.

    Less than 1 if probabilities are too extreme. Needs `has_log_odds`. None if it does not exist:
    all probabilities are equal, or every positive unit has larger ones than every negative unit,
    or the other way round.
    """
    s, w, y = logit(f.p), f.weight, f.y[f.unit]
    ends = [(s[y == k].min(), s[y == k].max()) for k in (0.0, 1.0)]
    separated = ends[0][1] <= ends[1][0] or ends[1][1] <= ends[0][0]
    if np.ptp(s) < FLAT or separated:
        return None
    Z = np.column_stack([np.ones(s.size), s])
    theta = np.array([0.0, 1.0])
    for _ in range(STEPS):
        q = expit(Z @ theta)
        hessian = (Z * (w * q * (1.0 - q))[:, None]).T @ Z
        step = np.linalg.solve(hessian, Z.T @ (w * (y - q)))
        theta += step * min(1.0, FARTHEST / max(np.abs(step).max(), 1e-300))
        if np.abs(step).max() < 1e-10:
            break
    residual = y - expit(Z @ theta)
    scores = np.column_stack([f.by_unit(residual), f.by_unit(residual * s)])
    return Measured(float(theta[1]), np.linalg.solve(hessian, scores.T)[1])


def net_benefit(f: Forecasts, thresholds: FloatArray) -> list[Measured]:
    """Net benefit of treating units whose probability is at least a threshold.

    The share of true positives less that of false positives, weighed with the odds of the
    threshold (Vickers and Elkin 2006). Where few units are treated, those that happen to be show
    too little variance (95 % limits held 82 %), so half a unit of either class is added to it.
    """
    m, order = f.is_positive.size, np.argsort(thresholds)
    # One pass for all thresholds: how many of its probabilities reach none, one, two … of them.
    reached = np.searchsorted(thresholds[order], f.p, side="right")
    counts = np.bincount(f.unit * (order.size + 1) + reached, minlength=m * (order.size + 1))
    counts = counts.reshape(m, -1)
    called = np.empty((m, order.size))
    called[:, order] = counts[:, ::-1].cumsum(axis=1)[:, -2::-1] / counts.sum(axis=1)[:, None]
    found = []
    for share, threshold in zip(called.T, thresholds, strict=True):
        odds = threshold / (1.0 - threshold)
        own = np.where(f.is_positive, share, -share * odds)
        unseen = 0.5 * (1.0 + odds**2) / m**2
        found.append(Measured(float(own.mean()), (own - own.mean()) / m, unseen=unseen))
    return found


def benefit_of_all(share: float, thresholds: FloatArray) -> FloatArray:
    """Net benefit of treating everybody where a share of units is positive."""
    return share - (1.0 - share) * thresholds / (1.0 - thresholds)


class CalibrationCurve(NamedTuple):
    """Observed frequencies over predicted probabilities, and where they would lie by chance.

    Attributes
    ----------
    predicted, observed : ndarray of shape (k,)
        The curve: both ends of every stretch on which it is flat.
    low, high : ndarray of shape (k,)
        Pointwise limits of the curve if the probabilities were right.

    Notes
    -----
    ``observed`` is the rising function g with the smallest ``Σ_i (y_i − g(p_i))²`` (isotonic
    regression). The band holds the curves of labels drawn from the probabilities themselves.

    Examples
    --------
    >>> import numpy as np
    >>> import tlpo
    >>> p, ill = np.array([0.2, 0.4, 0.6, 0.8]), np.array([False, True, False, True])
    >>> curve = tlpo.Probabilities(p, ill).calibration_curve()
    >>> curve.predicted, curve.observed
    (array([0.2, 0.4, 0.6, 0.8]), array([0. , 0.5, 0.5, 1. ]))
    """

    predicted: FloatArray
    observed: FloatArray
    low: FloatArray
    high: FloatArray


def calibration_curve(
    f: Forecasts, confidence_level: float, n_resamples: int, rng: np.random.Generator
) -> CalibrationCurve:
    """Fit the rising curve nearest to the labels, with a consistency band.

    Isotonic regression (Dimitriadis, Gneiting and Jordan 2021): no bins to choose. The band holds
    curves of labels drawn from the probabilities themselves.
    """
    from scipy.sparse import csr_array

    x, at = np.unique(f.p, return_inverse=True)
    weight = _sums(at, f.weight)
    fitted = _rising(_sums(at, f.weight * f.y[f.unit]) / weight, weight)
    ends = np.ones(x.size, dtype=bool)
    ends[1:-1] = (np.diff(fitted)[:-1] != 0) | (np.diff(fitted)[1:] != 0)
    x, fitted = x[ends], fitted[ends]

    # At rounded probabilities a band takes one sparse product, however many pairs there are.
    grid, at = np.unique(np.round(f.p, BAND_DIGITS), return_inverse=True)
    shares = csr_array((f.weight, (f.unit, at)), shape=(f.is_positive.size, grid.size))
    weight = _sums(at, f.weight)
    drawn = rng.random((n_resamples, f.is_positive.size)) < f.by_unit(f.p)
    frequencies = (drawn.astype(float) @ shares) / weight
    curves = np.array([_rising(row, weight) for row in frequencies])
    tail = (1.0 - confidence_level) / 2.0
    # Means of ones may round to a little more than one.
    low, high = np.quantile(curves, [tail, 1.0 - tail], axis=0).clip(0.0, 1.0)
    where = np.searchsorted(grid, np.round(x, BAND_DIGITS))
    return CalibrationCurve(x, fitted.clip(0.0, 1.0), low[where], high[where])


def _rising(values: FloatArray, weight: FloatArray) -> FloatArray:
    from scipy.optimize import isotonic_regression

    return np.asarray(isotonic_regression(values, weights=weight).x)


def _sums(at: IntArray, values: FloatArray) -> FloatArray:
    """Sum values by their place."""
    return np.asarray(np.bincount(at, weights=values), dtype=np.float64)
