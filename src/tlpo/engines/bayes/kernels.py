"""Naive Bayes without some units, compiled by numba. Free functions on arrays, no checks.

No fastmath: reordering additions may change a tie. Each has a plain NumPy twin that a test compares
it with.
"""

from __future__ import annotations

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.compiled import compiled

EPSILON = float(np.finfo(float).eps)
# A sum of which less than this share is left is added up anew: the difference would be rounding.
LEAST_SHARE = 0.05
# Variances known less well than this, relative to their size, are left to refitting.
MOST_BLURRED = 1e-6
# scikit-learn takes a class with hardly more than no weight for empty.
LEAST_WEIGHT = 1e-6
# The exponential of anything smaller is zero.
UNDERFLOW = -746.0


@compiled
def posterior(jll_positive: float, jll_negative: float, blur: float) -> tuple[float, float]:
    """Return the probability of the positive class, and by how much scikit-learn's may differ.

    It computes ``exp(jll − logsumexp(jll))``. Near 1 the exponent is a difference of numbers of
    the size of ``jll``, so that probabilities come in steps of their rounding errors, and are 1
    from some point on. ``blur`` is the error of the difference between the two.
    """
    gap = abs(jll_positive - jll_negative)
    size = max(abs(jll_positive), abs(jll_negative))
    top = abs(max(jll_positive, jll_negative))
    ratio = np.exp(-gap)
    if not blur < 700.0:
        return 0.5, np.inf
    spread = np.expm1(blur)
    if jll_positive > jll_negative:
        if ratio * (1.0 + spread) < 0.1 * EPSILON * (0.999 * top - blur):
            return 1.0, 0.0
        return 1.0 / (1.0 + ratio), ratio * spread + EPSILON * (4.0 + 2.0 * top)
    if blur - gap < UNDERFLOW:
        return 0.0, 0.0
    share = ratio / (1.0 + ratio)
    return share, share * (spread + EPSILON * (8.0 + 4.0 * size)) + 1e-323


@compiled
def sum_of_others(jll: FloatArray, own: int) -> float:
    """Return the logarithm of the sum of the exponentials of all but one."""
    top = -np.inf
    for c in range(jll.size):
        if c != own and jll[c] > top:
            top = jll[c]
    if jll.size == 2 or top == -np.inf:
        return top
    total = 0.0
    for c in range(jll.size):
        if c != own:
            total += np.exp(jll[c] - top)
    return float(top + np.log(total))


@compiled
def scatter_of(
    f: int,
    which: int,
    values: FloatArray,
    missing: BoolArray,
    kind: IntArray,
    weight: FloatArray,
    is_out: BoolArray,
) -> tuple[float, float, float]:
    """Return weight, mean and scatter of one class in one column, added up anew.

    A class of -1 is all units, each with weight 1.
    """
    total, mean, scatter = 0.0, 0.0, 0.0
    for k in range(kind.size):
        if not is_out[k] and not missing[k, f] and (which < 0 or kind[k] == which):
            own = 1.0 if which < 0 else weight[k]
            total += own
            mean += own * values[k, f]
    if total <= 0.0:
        return 0.0, 0.0, 0.0
    mean /= total
    for k in range(kind.size):
        if not is_out[k] and not missing[k, f] and (which < 0 or kind[k] == which):
            own = 1.0 if which < 0 else weight[k]
            scatter += own * (values[k, f] - mean) ** 2
    return total, mean, scatter


@compiled
def gaussian_sets(
    sets: IntArray,
    values: FloatArray,
    missing: BoolArray,
    kind: IntArray,
    weight: FloatArray,
    total: FloatArray,
    seen: FloatArray,
    mean: FloatArray,
    scatter: FloatArray,
    fill: FloatArray,
    scale: FloatArray,
    growth: FloatArray,
    smoothing: float,
    log_prior: FloatArray,
    base_blur: float,
    noise: FloatArray,
    asked: IntArray,
    response: FloatArray,
    error: FloatArray,
) -> None:
    """Write probabilities of the units of each set into ``response`` (g, s, a), and their errors.

    ``total`` (K,) is the weight of the classes. ``seen``, ``mean`` and ``scatter`` (K + 1, n) are
    those of every class, and of all units with weights 1, each in the cells that are not missing.
    ``asked`` are the classes whose probabilities are written.
    ``fill`` and ``scale`` have one row per set, or one for all. ``log_prior`` is empty if priors
    are shares of the training set. ``noise`` is the rounding error of a mean.
    """
    m, n = values.shape
    K = total.size
    size = sets.shape[1]
    blur_of_sums = 4.0 * EPSILON * np.sqrt(float(m))
    is_out = np.zeros(m, dtype=np.bool_)
    left, first, second = np.empty((K + 1, n)), np.empty((K + 1, n)), np.empty((K + 1, n))
    centre, variance, blurred = np.empty((K, n)), np.empty((K, n)), np.empty((K, n))
    spread = np.empty(n)
    count, prior, log_det, jll = np.empty(K), np.empty(K), np.empty(K), np.empty(K)
    for g in range(len(sets)):
        r = g if len(scale) > 1 else 0
        for k in sets[g]:
            is_out[k] = True
        for c in range(K + 1):
            for f in range(n):
                left[c, f] = seen[c, f]
                first[c, f] = 0.0
                second[c, f] = 0.0
        for k in sets[g]:
            for c in (kind[k], K):
                own = weight[k] if c < K else 1.0
                for f in range(n):
                    here = 0.0 if missing[k, f] else own
                    away = values[k, f] - mean[c, f]
                    left[c, f] -= here
                    first[c, f] += here * away
                    second[c, f] += here * away * away
        count[:] = total
        for k in sets[g]:
            count[kind[k]] -= weight[k]
        if np.any(count < LEAST_SHARE * total):
            count[:] = 0.0
            for k in range(m):
                if not is_out[k]:
                    count[kind[k]] += weight[k]
        usable = growth[r] < np.inf and count.min() > LEAST_WEIGHT
        if not usable:
            count[:] = 1.0
        widest, blur_of_widest = 0.0, 0.0
        for f in range(n):
            step = scale[r, f] * scale[r, f]
            for c in range(K + 1):
                all_of = count[c] if c < K else float(m - size)
                own, shift, rest = left[c, f], 0.0, scatter[c, f] - second[c, f]
                if own > 0.0:
                    shift = -first[c, f] / own
                    rest -= own * shift * shift
                lost = blur_of_sums * scatter[c, f]
                if own < LEAST_SHARE * seen[c, f] or rest < LEAST_SHARE * scatter[c, f]:
                    which = c if c < K else -1
                    own, middle, rest = scatter_of(f, which, values, missing, kind, weight, is_out)
                    lost = blur_of_sums * rest
                else:
                    middle = mean[c, f] + shift
                absent = all_of - own
                if absent > 1e-9 * all_of:
                    apart = middle - fill[r, f] if own > 0.0 else 0.0
                    rest += own * absent / all_of * apart * apart
                    middle = (own * middle + absent * fill[r, f]) / all_of
                rest = max(rest, 0.0) / all_of
                lost = lost / all_of + blur_of_sums * rest + noise[f] * noise[f]
                if c < K:
                    centre[c, f], variance[c, f], blurred[c, f] = middle, rest, lost
                elif rest / step > widest:
                    widest, blur_of_widest = rest / step, lost / step
            spread[f] = step
        added = smoothing * widest
        blur_added = smoothing * blur_of_widest + 8.0 * EPSILON * growth[r] * added
        for c in range(K):
            prior[c] = np.log(count[c] / count.sum())
            if log_prior.size:
                prior[c] = log_prior[c]
            log_det[c] = 0.0
            product = 1.0
            for f in range(n):
                variance[c, f] += added * spread[f]
                own = variance[c, f]
                if not 1e-140 < own < 1e140:
                    usable = False
                    own = 1.0
                blurred[c, f] = (blurred[c, f] + blur_added * spread[f]) / own
                if blurred[c, f] > MOST_BLURRED:
                    usable = False
                product *= own / spread[f]
                if not 1e-140 < product < 1e140:  # one logarithm for many columns
                    log_det[c] += np.log(product)
                    product = 1.0
            log_det[c] += np.log(product)
        for s in range(size):
            k = sets[g, s]
            if not usable:
                response[g, s] = 0.5
                error[g, s] = np.inf
                continue
            blur = base_blur
            for c in range(K):
                distance = 0.0
                for f in range(n):
                    x = fill[r, f] if missing[k, f] else values[k, f]
                    away = abs(x - centre[c, f])
                    own = 1.0 / variance[c, f]
                    square = away * away * own
                    distance += square
                    blur += 0.5 * blurred[c, f] * (1.0 + square) + away * noise[f] * own
                jll[c] = prior[c] - 0.5 * (n * np.log(2.0 * np.pi) + log_det[c]) - 0.5 * distance
                blur += 4.0 * EPSILON * distance
            for place, c in enumerate(asked):
                rest = sum_of_others(jll, c)
                response[g, s, place], error[g, s, place] = posterior(jll[c], rest, blur)
        for k in sets[g]:
            is_out[k] = False
