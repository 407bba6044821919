"""The path of scikit-survival's elastic-net Cox regression: compiled loops.

The solver goes from penalty to penalty, each time from where it stopped before (Simon, Friedman,
Hastie and Tibshirani 2011). At one penalty it replaces the likelihood by a parabola with one weight
per unit, descends along one coordinate after the other, and makes the next parabola where that
ends. It stops at a tolerance that leaves predictions off by 1e-3 and more, so that games are
decided by where it stops. The loops here take the same steps, except for rounding: in the order in
which features have entered, over those that the strong rule keeps, at the same moments.

They are cheaper because linear predictors are moved once per parabola, slopes are computed once
where nothing has changed, and exponentials follow from those before.

Units are sorted by time, the last first. Decisions that rounding could change are reported, and
such a game is left to the estimator.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.compiled import compiled
from tlpo.engines.coxnet.parabola import Parabola, Units, bend, likelihood, null_deviance

# How a path ends.
FOLLOWED = 0
DOUBTFUL = 1
UNFINISHED = 2
# Numbers up to this are 0 to the solver: steps are not taken, coefficients are not used.
LEAST = 1e-12
# The penalty before a path begins, which leaves out every feature that is penalised.
BEFORE = 1e35
# A path ends where so many penalties have explained no more than this share of the deviance.
BACK = 4
ENOUGH = 0.999
# Steps of small coefficients that are so close to `LEAST` may be taken or not.
CLOSE = 1e-6
SMALL = 1e-3
# After so many parabolas, exponentials are computed anew.
AGAIN = 50


class Settings(NamedTuple):
    """What is minimised, and when the solver stops.

    Attributes
    ----------
    alphas : ndarray of shape (L,)
        The penalties.
    makes_path : bool
        Whether they are made from the training set instead, each ``factor`` times the last.
    factor : float
        That factor.
    share : float
        The share of L1.
    penalty : ndarray of shape (p,)
        How much more than others each column is penalised.
    normalize : bool
        Whether columns are divided by their lengths.
    tol, max_iter
        When the solver stops.
    """

    alphas: FloatArray
    makes_path: bool
    factor: float
    share: float
    penalty: FloatArray
    normalize: bool
    tol: float
    max_iter: int


@compiled
def is_blurred(value: float, limit: float, blur: float) -> bool:
    """Return whether rounding could decide if a value is above a limit."""
    return abs(value - limit) <= blur * abs(limit)


@compiled
def product(Xt: FloatArray, j: int, r: FloatArray) -> float:
    """Return the product of a row of Xt with r; four sums at a time."""
    n, a, b, c, d = r.size, 0.0, 0.0, 0.0, 0.0
    for q in range(n // 4):
        k = 4 * q
        a += Xt[j, k] * r[k]
        b += Xt[j, k + 1] * r[k + 1]
        c += Xt[j, k + 2] * r[k + 2]
        d += Xt[j, k + 3] * r[k + 3]
    for k in range(n - n % 4, n):
        a += Xt[j, k] * r[k]
    return (a + b) + (c + d)


@compiled
def descend(
    Xt: FloatArray,
    residual: FloatArray,
    weight: FloatArray,
    square: FloatArray,
    inverse: FloatArray,
    penalty: FloatArray,
    l1: float,
    limit: float,
    blur: float,
    most: int,
    kept: IntArray,
    n_kept: int,
    active: IntArray,
    n_active: int,
    is_active: BoolArray,
    w: FloatArray,
    moved: FloatArray,
) -> tuple[int, int]:
    """Descend along coordinates of a parabola; return how many sweeps, and how many are active.

    Sweeps over all features that are kept, until one has moved nothing by much; after every other
    such sweep, sweeps over the active ones until none has.

    Parameters
    ----------
    Xt : ndarray of shape (p, n)
        Columns.
    residual, weight : ndarray of shape (n,)
        Slopes per unit, updated, and curvatures.
    square, inverse, penalty : ndarray of shape (p,)
        Curvatures along features, the inverses of these with the penalty, and how much more than
        others features are penalised.
    l1 : float
        The L1 penalty.
    limit : float
        Steps are small if their squares, times curvatures, are below this.
    blur : float
        Decisions closer than this are in doubt.
    most : int
        More sweeps end it.
    kept, active : ndarray of shape (p,)
        Features, of which the first few count; those that enter are added to the active ones.
    is_active : ndarray of shape (p,)
        Which are among these.
    w, moved : ndarray of shape (p,)
        Coefficients, and the sum of steps, which linear predictors have still to take; updated.

    Returns
    -------
    int
        The number of sweeps; below 0 if rounding could decide a step.
    int
        The number of active features.
    """
    over_all, sweeps, n = True, 0, residual.size
    while True:
        largest = 0.0
        for a in range(n_kept if over_all else n_active):
            j = kept[a] if over_all else active[a]
            old, bound = w[j], l1 * penalty[j]
            z = product(Xt, j, residual) + old * square[j]
            over, new = abs(z) - bound, 0.0
            if over > LEAST and abs(z) > LEAST:
                new = (over if z > 0.0 else -over) * inverse[j]
            if old == 0.0 and abs(over - LEAST) <= blur * bound:
                return -1, n_active
            step = new - old
            w[j] = new
            size = abs(step)
            if abs(size - LEAST) <= CLOSE * LEAST and max(abs(old), abs(new)) < SMALL:
                return -1, n_active
            if size <= LEAST:
                continue
            moved[j] += step
            for k in range(n):
                residual[k] -= step * Xt[j, k] * weight[k]
            largest = max(largest, square[j] * step * step)
            if not is_active[j]:
                is_active[j] = True
                active[n_active] = j
                n_active += 1
        sweeps += 1
        if is_blurred(largest, limit, blur):
            return -1, n_active
        if sweeps > most or (over_all and largest < limit):
            return sweeps, n_active
        over_all = not over_all and largest < limit


@compiled
def follow(units: Units, settings: Settings, blur: float, w: FloatArray) -> tuple[int, float]:
    """Write the coefficients at the last penalty of a path; return how it ends, and the penalty."""
    alphas, makes_path, factor, share, penalty, _, tol, max_iter = settings
    p, n = units.Xt.shape
    at_risk = np.empty(units.begins.size - 1)
    parabola = Parabola(np.empty(n), np.empty(n), np.empty(n), at_risk, np.zeros(n))
    z, moved, before = np.zeros(n), np.zeros(p), np.zeros(p)
    square, inverse = np.zeros(p), np.zeros(p)
    active, n_active, is_active = np.empty(p, dtype=np.intp), 0, np.zeros(p, dtype=np.bool_)
    kept, n_kept, is_kept = np.empty(p, dtype=np.intp), 0, np.zeros(p, dtype=np.bool_)
    explained = np.empty(alphas.size)
    w[:] = 0.0
    deviance, best = null_deviance(units.event)
    limit = tol * deviance
    if not (limit > 0.0 and bend(units, z, parabola, True)):
        return DOUBTFUL, 0.0
    slopes = np.dot(units.Xt, parabola.residual)
    alpha, sweeps, bends = 0.0, 0, 0
    for at in range(alphas.size):
        last = alpha
        if not makes_path:
            alpha = alphas[at]
        elif at == 0:
            alpha = BEFORE
        else:
            if at == 1:
                last = 0.0
                for j in range(p):
                    if penalty[j] > LEAST:
                        last = max(last, abs(slopes[j]) / (penalty[j] * share))
                alpha = last
            alpha *= factor
        l1, l2 = alpha * share, alpha * (1.0 - share)
        strong = share * (2.0 * alpha - last)
        for j in range(p):
            if not is_kept[j]:
                bound = strong * penalty[j]
                if abs(abs(slopes[j]) - bound) <= blur * l1 * penalty[j]:
                    return DOUBTFUL, alpha
                is_kept[j] = abs(slopes[j]) > bound
        is_done = False
        while not is_done:
            n_kept = 0
            for j in range(p):
                if is_kept[j]:
                    kept[n_kept] = j
                    n_kept += 1
                    square[j] = product(units.squares, j, parabola.weight)
                    curvature = square[j] + l2 * penalty[j]
                    if not curvature > 0.0:
                        return DOUBTFUL, alpha
                    inverse[j] = 1.0 / curvature
            for a in range(n_active):
                before[active[a]] = w[active[a]]
            done, n_active = descend(
                units.Xt,
                parabola.residual,
                parabola.weight,
                square,
                inverse,
                penalty,
                l1,
                limit,
                blur,
                max_iter - sweeps,
                kept,
                n_kept,
                active,
                n_active,
                is_active,
                w,
                moved,
            )
            if done < 0:
                return DOUBTFUL, alpha
            sweeps += done
            if sweeps >= max_iter:
                return UNFINISHED, alpha
            for a in range(n_active):
                j = active[a]
                if moved[j] != 0.0:
                    for k in range(n):
                        z[k] += moved[j] * units.Xt[j, k]
                    moved[j] = 0.0
            bends += 1
            if not bend(units, z, parabola, bends % AGAIN == 0):
                return DOUBTFUL, alpha
            is_done = True
            for a in range(n_active):
                j = active[a]
                change = square[j] * (w[j] - before[j]) ** 2
                if is_blurred(change, limit, blur):
                    return DOUBTFUL, alpha
                is_done = is_done and change < limit
            if is_done:
                np.dot(units.Xt, parabola.residual, slopes)
                for j in range(p):
                    if not is_kept[j]:
                        bound = l1 * penalty[j]
                        if is_blurred(abs(slopes[j]), bound, blur):
                            return DOUBTFUL, alpha
                        if abs(slopes[j]) > bound:
                            is_kept[j] = True
                            is_done = False
        explained[at] = 1.0 - (best - likelihood(units, z, parabola)) / deviance
        if at > BACK:
            # Where nothing is explained, rounding decides what the share is.
            if abs(explained[at]) <= blur:
                return DOUBTFUL, alpha
            ratio = explained[at - BACK] / explained[at]
            if is_blurred(ratio, ENOUGH, blur):
                return DOUBTFUL, alpha
            if ratio > ENOUGH:
                break
    return FOLLOWED, alpha
