"""The paths of coordinate descent inside LassoCV and ElasticNetCV: compiled loops.

On every fold the solver goes from penalty to penalty, from the largest down, each time from where
it stopped before. The largest penalty is that of the whole training set, so it changes with every
pair. All paths are followed twice, as in `descent`.
"""

from __future__ import annotations

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.compiled import compiled
from tlpo.engines.preparation.kernels import prepare
from tlpo.engines.sparse.descent import (
    BLUR,
    GROWTH,
    SAFETY,
    STAYED,
    TREMOR,
    centred,
    follow,
)

# Largest penalties up to this are 0 to scikit-learn.
LEAST_ALPHA = 1e-15


@compiled
def grid(
    Xt: FloatArray, target: FloatArray, shares: FloatArray, eps: float, positive: bool, c: int
) -> FloatArray:
    """Return ``c`` penalties for every share of L1, from the largest that leaves a feature in."""
    slopes = np.dot(Xt, target)
    steepest = slopes.max() if positive else np.abs(slopes).max()
    alphas = np.empty((shares.size, c))
    for r in range(shares.size):
        largest = max(0.0, steepest) / (target.size * shares[r])
        if largest <= LEAST_ALPHA:
            largest = np.nan
        for k in range(c):
            alphas[r, k] = largest * eps ** (k / max(1, c - 1))
    return alphas


@compiled
def follow_fold(
    X: FloatArray,
    y: FloatArray,
    train: IntArray,
    tests: IntArray,
    with_intercept: bool,
    alphas: FloatArray,
    shares: FloatArray,
    limits: tuple[float, int, bool],
    blur: float,
    tremor: float,
    most_rows: int,
    errors: FloatArray,
    is_zero: BoolArray,
) -> None:
    """Write the mean squared errors of one training set at all penalties.

    Parameters
    ----------
    X, y, train, with_intercept, blur, tremor, most_rows
        As in `descent.follow_units`.
    tests : ndarray of shape (f,)
        Who judges.
    alphas : ndarray of shape (r, c)
        Penalties for every share of L1.
    shares : ndarray of shape (r,)
        These shares.
    limits
        Tolerance, most sweeps, and whether coefficients are positive.
    errors : ndarray of shape (r, c)
        Where to write; NaN where the path could not be followed.
    is_zero : ndarray of shape (r, c)
        Set to False where a coefficient is not 0.
    """
    tol, max_iter, positive = limits
    n, p = train.size, X.shape[1]
    Xt, target, centre, mean = centred(X, y, train, with_intercept, tremor)
    squares, start = np.empty(p), np.dot(Xt, target)
    for j in range(p):
        squares[j] = np.dot(Xt[j], Xt[j])
    yy: float = np.dot(target, target)
    Q, row_of, n_rows = np.empty((most_rows, p)), np.full(p, -1), np.zeros(1, dtype=np.int64)
    ones, rows, sums, a = np.ones(p), np.empty((0, p)), np.zeros(p), np.empty(0)
    room, slopes = np.empty((0, 0)), np.empty(p)
    errors[:] = np.nan
    for r in range(shares.size):
        w, g = np.zeros(p), start.copy()
        for c in range(alphas.shape[1]):
            alpha = alphas[r, c] * n
            end = follow(
                alpha * shares[r],
                alpha * (1.0 - shares[r]),
                tol,
                max_iter,
                positive,
                blur,
                yy,
                squares,
                ones,
                Xt,
                Q,
                row_of,
                n_rows,
                rows,
                sums,
                n,
                start,
                g,
                a,
                0.0,
                room,
                w,
                slopes,
            )
            if end > STAYED:
                break
            total = 0.0
            for t in range(tests.size):
                off = mean - y[tests[t]]
                for j in range(p):
                    if w[j] != 0.0:
                        off += (X[tests[t], j] - centre[j]) * w[j]
                total += off * off
            errors[r, c] = total / tests.size
            for j in range(p):
                if w[j] != 0.0:
                    is_zero[r, c] = False
                    break


@compiled
def follow_folds(
    values: FloatArray,
    missing: BoolArray,
    fill: FloatArray,
    shift: FloatArray,
    scale: FloatArray,
    y: FloatArray,
    with_intercept: bool,
    growth: FloatArray,
    most_rows: int,
    limits: tuple[float, int, bool],
    shares: FloatArray,
    eps: float,
    alphas: FloatArray,
    sets: IntArray,
    is_train: BoolArray,
    tests: IntArray,
    own: FloatArray,
    low: FloatArray,
    high: FloatArray,
    is_zero: BoolArray,
) -> None:
    """Write between what the mean squared errors of all penalties lie, over the folds of each set.

    Parameters
    ----------
    values, missing, fill, shift, scale, y, with_intercept, growth, most_rows
        As in `descent.follow_prepared`.
    limits, shares
        As in `follow_fold`.
    eps : float
        The smallest penalty, relative to the largest; 0 if penalties are given.
    alphas : ndarray of shape (r, c)
        Penalties, if given.
    sets : ndarray of shape (g, s)
        The sets.
    is_train : ndarray of shape (g, K, m)
        Who trains on each fold.
    tests : ndarray of shape (g, K, f)
        Who judges it; -1 after the last.
    own : ndarray of shape (g, r, c)
        The penalties of every set.
    low, high : ndarray of shape (g, r, c)
        Bounds of the mean over folds.
    is_zero : ndarray of shape (g, r, c)
        Where no model of a fold has a coefficient other than 0.
    """
    m, p = values.shape
    n_shares, n_alphas = alphas.shape
    X, is_out = np.empty((m, p)), np.empty(m, dtype=np.bool_)
    errors = np.empty((2, n_shares, n_alphas))
    n_folds = is_train.shape[1]
    for s in range(sets.shape[0]):
        at = s if fill.shape[0] > 1 else 0
        if s == 0 or fill.shape[0] > 1:
            prepare(values, missing, fill[at], shift[at], scale[at], X)
        is_out[:] = False
        is_out[sets[s]] = True
        train = np.flatnonzero(~is_out)
        low[s], high[s], is_zero[s] = 0.0, 0.0, True
        is_finite = growth[s] < np.inf
        tremor = TREMOR * (growth[s] if is_finite else 1.0)
        other = alphas
        own[s] = alphas
        if eps > 0.0:
            Xt, target, _, _ = centred(X, y, train, with_intercept, 0.0)
            own[s] = grid(Xt, target, shares, eps, limits[2], n_alphas)
            Xt, target, _, _ = centred(X, y, train, with_intercept, tremor)
            other = grid(Xt, target, shares, eps, limits[2], n_alphas)
        if not is_finite or np.isnan(own[s]).any():
            low[s], high[s] = -np.inf, np.inf
            continue
        for k in range(n_folds):
            mine = np.flatnonzero(is_train[s, k])
            units = tests[s, k]
            units = units[units >= 0]
            common = (limits, BLUR * growth[s])
            first = (X, y, mine, units, with_intercept)
            follow_fold(*first, own[s], shares, *common, 0.0, most_rows, errors[0], is_zero[s])
            follow_fold(*first, other, shares, *common, tremor, most_rows, errors[1], is_zero[s])
            size = np.mean(y[mine] ** 2)
            for r in range(n_shares):
                for c in range(n_alphas):
                    mean = errors[0, r, c]
                    apart, largest = abs(errors[1, r, c] - mean), mean + size
                    off = np.inf
                    if apart <= GROWTH * tremor * largest:
                        off = SAFETY * (apart + tremor * largest)
                    else:
                        mean = 0.0
                    low[s, r, c] += (mean - off) / n_folds
                    high[s, r, c] += (mean + off) / n_folds
