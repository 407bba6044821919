"""Models without some units, by following their paths: compiled loops."""

from __future__ import annotations

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.compiled import compiled
from tlpo.engines.coxnet.parabola import Units, begins_of
from tlpo.engines.coxnet.path import DOUBTFUL, FOLLOWED, LEAST, Settings, follow
from tlpo.engines.preparation.kernels import prepare

# Decisions closer than this, relative to what is compared, may be those of rounding.
BLUR = 1e-8
# Of the length of a column before centring, what is left of one that varies.
NOTHING = 1e-9
# Rows of a second path are off by this; see `follow_twice`.
TREMOR = 1e-12
GROWTH = 1e6
SAFETY = 100.0


@compiled
def centred(
    X: FloatArray, train: IntArray, size: FloatArray, normalize: bool, tremor: float
) -> tuple[FloatArray, FloatArray, FloatArray, BoolArray]:
    """Return the columns of a training set, what was subtracted, divided, and which are constant.

    Rows are off by up to ``tremor``, relative to what is left of them.
    """
    n, p = train.size, X.shape[1]
    Xt, centre, scale = np.empty((p, n)), np.zeros(p), np.ones(p)
    is_constant = np.zeros(p, dtype=np.bool_)
    for k in range(n):
        for j in range(p):
            Xt[j, k] = X[train[k], j]
            centre[j] += Xt[j, k]
    for j in range(p):
        centre[j] /= n
        x, total = Xt[j], 0.0
        for k in range(n):
            x[k] -= centre[j]
            total += x[k] * x[k]
        if total <= n * (NOTHING * size[j]) ** 2:
            is_constant[j] = True
            x[:] = 0.0
        elif normalize:
            scale[j] = np.sqrt(total)
            for k in range(n):
                x[k] /= scale[j]
        if tremor > 0.0:
            for k in range(n):
                # Of no pattern, and the same in every run.
                x[k] *= 1.0 + tremor * np.sin(12.9898 * (k + 1) + 78.233 * j)
    return Xt, centre, scale, is_constant


@compiled
def follow_units(
    X: FloatArray,
    time: FloatArray,
    event: FloatArray,
    train: IntArray,
    settings: Settings,
    size: FloatArray,
    blur: float,
    tremor: float,
    coef: FloatArray,
    centre: FloatArray,
) -> int:
    """Write the model of a training set, sorted by time, and return how its path ends.

    Parameters
    ----------
    X : ndarray of shape (m, p)
        Columns of all units.
    time, event : ndarray of shape (m,)
        Their times, and 1 for an event.
    train : ndarray of shape (n,)
        The training set, by time, the last first; units may be repeated.
    settings : Settings
        What is followed.
    size : ndarray of shape (p,)
        The largest numbers that the estimator centres.
    blur : float
        Decisions closer than this are in doubt.
    tremor : float
        Rows are off by up to this.
    coef, centre : ndarray of shape (p,)
        Where to write coefficients, and what is subtracted from columns.
    """
    Xt, centre[:], scale, is_constant = centred(X, train, size, settings.normalize, tremor)
    begins, marks = begins_of(time[train]), event[train]
    events = np.zeros(begins.size - 1)
    for t in range(events.size):
        events[t] = marks[begins[t] : begins[t + 1]].sum()
    own = Units(Xt, Xt * Xt, marks, begins, events)
    end, alpha = follow(own, settings, blur, coef)
    for j in range(coef.size):
        coef[j] /= scale[j]
        # What the estimator's own centring leaves of a constant column could enter its model.
        noise = 1e-14 * size[j]
        if is_constant[j] and noise > 0.0:
            bound = LEAST + alpha * settings.share * settings.penalty[j]
            if settings.normalize or not noise < 0.1 * bound:
                return DOUBTFUL
    return end


@compiled
def respond(
    X: FloatArray, coef: FloatArray, centre: FloatArray, tests: IntArray, response: FloatArray
) -> None:
    """Write the responses of a model."""
    for t in range(tests.size):
        response[t] = 0.0
        for j in range(coef.size):
            if coef[j] != 0.0:
                response[t] += (X[tests[t], j] - centre[j]) * coef[j]


@compiled
def follow_twice(
    X: FloatArray,
    time: FloatArray,
    event: FloatArray,
    train: IntArray,
    tests: IntArray,
    settings: Settings,
    size: FloatArray,
    growth: float,
    response: FloatArray,
) -> float:
    """Write the responses of a model, and return how far they may be off by rounding.

    Two paths, the second on a training set that is off by `TREMOR`, show how much rounding grows.
    """
    response[:] = 0.0
    if not growth < np.inf:
        return np.inf
    blur, tremor, p = BLUR * growth, TREMOR * growth, X.shape[1]
    coef, centre, other = np.empty(p), np.empty(p), np.empty(tests.size)
    shared = (X, time, event, train, settings, size, blur)
    if follow_units(*shared, 0.0, coef, centre) != FOLLOWED:
        return np.inf
    respond(X, coef, centre, tests, response)
    if follow_units(*shared, tremor, coef, centre) != FOLLOWED:
        return np.inf
    respond(X, coef, centre, tests, other)
    apart, largest, is_same = 0.0, 0.0, True
    for t in range(tests.size):
        apart = max(apart, abs(response[t] - other[t]))
        largest = max(largest, abs(response[t]))
        is_same = is_same and response[t] == response[0] and other[t] == other[0]
    if is_same:
        return 0.0
    return SAFETY * (apart + tremor * largest) if apart <= GROWTH * tremor * largest else np.inf


@compiled
def follow_sets(
    values: FloatArray,
    missing: BoolArray,
    fill: FloatArray,
    shift: FloatArray,
    scale: FloatArray,
    growth: FloatArray,
    time: FloatArray,
    event: FloatArray,
    order: IntArray,
    settings: Settings,
    size: FloatArray,
    reach: float,
    sets: IntArray,
    response: FloatArray,
    error: FloatArray,
) -> None:
    """Write what models without some sets respond to the units of these, and how far that is off.

    Parameters
    ----------
    values, missing : ndarray of shape (m, p)
        Columns, and which of their cells are missing.
    fill, shift, scale : ndarray of shape (g, p) or (1, p)
        By what these are filled, and the columns shifted and divided, without each set.
    growth : ndarray of shape (g,)
        By how much rounding has grown.
    time, event : ndarray of shape (m,)
        Times, and 1 for an event.
    order : ndarray of shape (m,)
        The units by time, the last first.
    settings, size
        As in `follow_units`.
    reach : float
        How far responses may be off by rounding, relative to their parts; 0 to follow every path
        twice and see.
    sets : ndarray of shape (g, s)
        The sets.
    response, error : ndarray of shape (g, s)
        Where to write.
    """
    m, p = values.shape
    X, is_out = np.empty((m, p)), np.empty(m, dtype=np.bool_)
    coef, centre = np.empty(p), np.empty(p)
    for s in range(sets.shape[0]):
        at = s if fill.shape[0] > 1 else 0
        if s == 0 or fill.shape[0] > 1:
            prepare(values, missing, fill[at], shift[at], scale[at], X)
        response[s], error[s] = 0.0, np.inf
        if not growth[s] < np.inf:
            continue
        is_out[:] = False
        is_out[sets[s]] = True
        train = order[~is_out[order]]
        if reach == 0.0:
            error[s] = follow_twice(
                X, time, event, train, sets[s], settings, size, growth[s], response[s]
            )
            continue
        blur = BLUR * growth[s]
        end = follow_units(X, time, event, train, settings, size, blur, 0.0, coef, centre)
        if end != FOLLOWED:
            continue
        respond(X, coef, centre, sets[s], response[s])
        are_alike = True
        for u in range(sets.shape[1]):
            parts, unit = 0.0, sets[s, u]
            for j in range(p):
                if coef[j] != 0.0:
                    # What the estimator subtracts before it multiplies is about this large.
                    parts += (abs(X[unit, j] - centre[j]) + size[j]) * abs(coef[j])
                    are_alike = are_alike and X[unit, j] == X[sets[s, 0], j]
            error[s, u] = reach * growth[s] * parts
        if are_alike:
            error[s] = 0.0
