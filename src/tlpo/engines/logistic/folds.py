"""The paths of the solver inside LogisticRegressionCV: compiled loops.

On every fold of a training set the solver goes from penalty to penalty, each time from where it
stopped before. The model of the chosen penalty is then fitted to the whole training set, from the
mean of the folds' coefficients. These paths are short: 255 steps for ten penalties and five folds,
50 fits, of a hundred units and ten features. All are followed twice, as in `lbfgs`.
"""

from __future__ import annotations

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.compiled import compiled
from tlpo.engines.logistic.lbfgs import SAFETY, follow, respond, shake
from tlpo.engines.preparation.kernels import prepare

# Two paths further apart than this share of the largest log odds say nothing. In `lbfgs` it is far
# less: there a response decides a game, here it mostly shows that a penalty is not the best.
FAR = 1e-3


@compiled
def follow_fold(
    X: FloatArray,
    shaken: FloatArray,
    target: FloatArray,
    weight: FloatArray,
    alphas: FloatArray,
    tremor: float,
    tol: float,
    max_iter: int,
    tests: FloatArray,
    thetas: FloatArray,
    others: FloatArray,
    response: FloatArray,
    error: FloatArray,
) -> None:
    """Write the coefficients of one training set at all penalties, and what they respond to tests.

    Parameters
    ----------
    X, shaken : ndarray of shape (n, k)
        Rows of the training set, and the same for the second path.
    target, weight : ndarray of shape (n,)
        Their labels and weights.
    alphas : ndarray of shape (c, k)
        Penalties of every column.
    tremor, tol, max_iter
        As in `lbfgs.respond`.
    tests : ndarray of shape (f, k)
        Rows to respond to.
    thetas, others : ndarray of shape (c, k)
        Coefficients of the two paths are added here; NaN where they could not be followed.
    response : ndarray of shape (c, f)
        Responses.
    error : ndarray of shape (c,)
        How far they may be off; infinite where a path could not be followed.
    """
    total = np.sum(weight)
    share = weight / total
    theta, other = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    found = True
    for c in range(alphas.shape[0]):
        penalty = alphas[c] / total
        found = found and follow(X, target, share, penalty, tol, max_iter, theta)
        found = found and follow(shaken, target, share, penalty, tol, max_iter, other)
        if not found:
            error[c], response[c] = np.inf, 0.0
            thetas[c], others[c] = np.nan, np.nan
            continue
        response[c] = np.dot(tests, theta)
        away = np.dot(tests, other) - response[c]
        z = np.dot(X, theta)
        apart = np.abs(np.dot(X, other) - z).max()
        largest = max(1.0, np.abs(z).max())
        for t in range(away.size):
            apart, largest = max(apart, abs(away[t])), max(largest, abs(response[c, t]))
        error[c] = SAFETY * (apart + tremor * largest) if apart <= FAR * largest else np.inf
        thetas[c] += theta
        others[c] += other


@compiled
def follow_folds(
    values: FloatArray,
    missing: BoolArray,
    fill: FloatArray,
    shift: FloatArray,
    scale: FloatArray,
    target: FloatArray,
    weight: FloatArray,
    factor: FloatArray,
    alphas: FloatArray,
    tremor: FloatArray,
    tol: float,
    max_iter: int,
    is_train: BoolArray,
    tests: IntArray,
    thetas: FloatArray,
    others: FloatArray,
    response: FloatArray,
    error: FloatArray,
) -> None:
    """Write what models of all folds respond at all penalties, and their mean coefficients.

    Parameters
    ----------
    values, missing, fill, shift, scale, target, weight, factor
        As in `newton.solve_sets`.
    alphas : ndarray of shape (c, k)
        Penalties of every column.
    tremor : ndarray of shape (g,)
        How far rows of the second paths are off.
    is_train : ndarray of shape (g, K, m)
        Who trains on each fold.
    tests : ndarray of shape (g, K, f)
        Who judges it; -1 after the last.
    thetas, others : ndarray of shape (g, c, k)
        Mean coefficients of the two paths.
    response : ndarray of shape (g, K, c, f)
        Responses.
    error : ndarray of shape (g, K, c)
        How far they may be off.
    """
    m, k = values.shape[0], alphas.shape[1]
    X, shaken, own = np.ones((m, k)), np.empty((m, k)), np.empty(m)
    varies = fill.shape[0] > 1
    n_folds = is_train.shape[1]
    thetas[:], others[:] = 0.0, 0.0
    for s in range(is_train.shape[0]):
        row = s if varies else 0
        if varies or s == 0:
            prepare(values, missing, fill[row], shift[row], scale[row], X)
        shake(X, tremor[s], shaken)
        for u in range(m):
            own[u] = weight[u] * factor[s, int(target[u])]
        for f in range(n_folds):
            train = np.flatnonzero(is_train[s, f])
            units = tests[s, f]
            units = units[units >= 0]
            follow_fold(
                X[train],
                shaken[train],
                target[train],
                own[train],
                alphas,
                tremor[s],
                tol,
                max_iter,
                X[units],
                thetas[s],
                others[s],
                response[s, f, :, : units.size],
                error[s, f],
            )
        thetas[s] /= n_folds
        others[s] /= n_folds


@compiled
def finish(
    values: FloatArray,
    missing: BoolArray,
    fill: FloatArray,
    shift: FloatArray,
    scale: FloatArray,
    target: FloatArray,
    weight: FloatArray,
    factor: FloatArray,
    alphas: FloatArray,
    tremor: FloatArray,
    tol: float,
    max_iter: int,
    sets: IntArray,
    chosen: IntArray,
    thetas: FloatArray,
    others: FloatArray,
    response: FloatArray,
    error: FloatArray,
) -> None:
    """Write what the models of chosen penalties respond to left-out sets; -1 where none is known.

    Paths start at the mean coefficients, which are overwritten.
    """
    m = values.shape[0]
    X, own = np.ones((m, alphas.shape[1])), np.empty(m)
    varies = fill.shape[0] > 1
    for s in range(sets.shape[0]):
        row, c = s if varies else 0, chosen[s]
        if varies or s == 0:
            prepare(values, missing, fill[row], shift[row], scale[row], X)
        if c < 0 or not np.isfinite(thetas[s, c]).all():
            response[s], error[s] = 0.0, np.inf
            continue
        for u in range(m):
            own[u] = weight[u] * factor[s, int(target[u])]
        own[sets[s]] = 0.0
        respond(
            X,
            target,
            own,
            alphas[c],
            tremor[s],
            tol,
            max_iter,
            sets[s],
            thetas[s, c],
            others[s, c],
            response[s],
            error[s],
        )
