"""Cox regressions without some sets of units, and how far a refit may be from them.

Let w be where a step of Newton's method started, H the Hessian there, ``‖v‖² = vᵀH⁻¹v``, N the
length of the gradient and c the largest difference between the changes of two linear predictors.
The Hessian changes by a factor between ``exp(−c)`` and ``exp(c)`` along the step, so after it the
gradient is at most ``N' = N (eᶜ − 1 − c)/c`` long. With κ the largest ``‖x_k − x_l‖`` of two
training units, the minimum is within

    ρ = −log(1 − κ eᶜ N')/κ

of it, in the norm of H, and no response ``xᵀw`` is off by more than ``‖x‖ρ``. Since H is at least
the penalty Λ, κ is at most the same in the norm of Λ, which is enough for nearly all pairs.

**Where scikit-survival stops.** Its last step is a full one from some w' and decreases F by at most
``ε = tol F``. With ``r = κ‖w' − w*‖`` the step decreases F by at least
``[e^{−r} − 1 + r − (e^q − 1 − q)]/κ²``, ``q = e^r (e^r − 1 − r)`` what is left after it. For r ≤ ½
this exceeds ``r²/(4κ²)``, so ``r ≤ 2κ√ε``, which is improved once, and what is left is q/κ. (A long
step that ends at the very height it started from would also stop the solver. Nothing but chance
leads there, and the share of the loss is at most 1e-6.)

**Rounding.** Gradients are sums over events of differences of rows, off by a few units in the last
place of the largest number in a column before anything was subtracted from it. With more columns
than units, responses are combinations ``Σ β_k x_kᵀx`` with ``Σ|β_k|`` at most twice the number of
events, and inner products are off by a share of the largest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.cholesky import LEAST_PIVOT, factorise, solve, solve_lower, solve_upper
from tlpo.compiled import compiled
from tlpo.engines.preparation.columns import Fitted
from tlpo.learners.cox_solver import (
    FARTHEST,
    STEPS,
    Room,
    derivatives,
    is_last,
    loss,
    make_room,
    newton_step,
)

EPSILON = float(np.finfo(float).eps)
# Units in the last place, of gradients per event and of responses.
ROUNDING = 8.0 * EPSILON
BLUR = 16.0 * EPSILON
# Predictions are accurate to this share of their range.
ACCURACY = 1e-7
# Bounds on the loss of other training sets are enlarged by this factor: what is filled in and how
# columns are scaled changes with them.
MARGIN = 1.5
# Inner products are off by this share of the largest; smaller pivots of them are rounding.
BLURRED_PRODUCTS = 1e-14


class Sample(NamedTuple):
    """All units, sorted by time, longest first, and what is minimised.

    Attributes
    ----------
    values, missing : ndarray of shape (m, n)
        Columns.
    has_gaps : bool
        Whether any cell is missing.
    edges, event : ndarray
        As in `tlpo.learners.cox_solver.Times`.
    alpha : ndarray of shape (n,)
        Penalties of the prepared columns.
    efron : bool
        How ties are treated.
    low, high : ndarray of shape (n,)
        The smallest and the largest number of each column.
    span, offset : ndarray of shape (n,)
        The largest of these numbers, and by how much they were shifted, up to their signs.
    tol, height : float
        The tolerance of the estimator's solver, 0 if it has none, and its loss for all units
        without the penalty.
    """

    values: FloatArray
    missing: BoolArray
    has_gaps: bool
    edges: IntArray
    event: BoolArray
    alpha: FloatArray
    efron: bool
    low: FloatArray
    high: FloatArray
    span: FloatArray
    offset: FloatArray
    tol: float
    height: float


class Rows(NamedTuple):
    """The rows of all units as one training set prepares them, and what is minimised over them.

    Attributes
    ----------
    X : ndarray of shape (m, k)
        The rows.
    shift, penalty : ndarray of shape (k,)
        What is subtracted from them before responses are computed, and the penalties.
    size, seen : ndarray of shape (k,)
        What rounding is relative to: the largest number of each column before anything was
        subtracted from it, and after.
    kappa : float
        A bound on κ; infinite if it depends on more than the penalty.
    order : ndarray
        If there were more columns than units, the units in whose order X is a lower triangle.
    """

    X: FloatArray
    shift: FloatArray
    penalty: FloatArray
    size: FloatArray
    seen: FloatArray
    kappa: float
    order: IntArray


@compiled
def remainder(length: float, moved: float, kappa: float) -> float:
    """Return ρ, how far the minimum may be after a full step; infinite if unknown."""
    # Small differences of exponentials would be rounding.
    share = (np.expm1(moved) - moved) / moved if moved > 1e-4 else 0.51 * moved
    left: float = length * share * np.exp(moved)
    if kappa == 0.0 or left == 0.0:
        return left
    if not kappa * left < 1.0:
        return np.inf
    return float(-np.log1p(-kappa * left) / kappa)


@compiled
def slack(decrease: float, kappa: float) -> float:
    """Return how far from the minimum a full step that decreases F by so much may end."""
    if decrease == 0.0 or kappa == 0.0:
        return 0.0
    square = decrease * kappa * kappa
    if not square < 1.0 / 16.0:
        return np.inf
    r = 2.0 * np.sqrt(square)
    q = np.exp(r) * (np.expm1(r) - r)
    r = np.sqrt(2.0 * (square + np.expm1(q) - q) / (1.0 - r / 3.0))
    return float(np.exp(r) * (np.expm1(r) - r) / kappa)


@compiled
def farthest(X: FloatArray, count: FloatArray, U: FloatArray, v: FloatArray) -> float:
    """Return a bound on κ: twice the largest ``‖x_k‖`` of a training unit."""
    most = 0.0
    for u in range(count.size):
        if count[u] > 0.0:
            for f in range(v.size):
                v[f] = X[u, f]
            most = max(most, solve_lower(U, v))
    return float(2.0 * np.sqrt(most))


@compiled
def blurred_curvature(size: FloatArray, U: FloatArray, v: FloatArray) -> float:
    """Return ``(Σ_f size_f ‖e_f‖)²``: how far rounding of rows may change the Hessian."""
    total = 0.0
    for f in range(v.size):
        if size[f] > 0.0:
            for e in range(v.size):
                v[e] = 0.0
            v[f] = size[f]
            total += np.sqrt(solve_lower(U, v))
    return total * total


@compiled
def reach(
    v: FloatArray, U: FloatArray, distance: float, size: FloatArray, rounding: float
) -> float:
    """Return by how much ``vᵀw`` may differ; overwrites v."""
    width = np.sqrt(solve_lower(U, v))
    solve_upper(U, v)
    box = 0.0
    for f in range(v.size):
        box += abs(v[f]) * size[f]
    return float(width * distance + rounding * box)


@compiled
def bound(
    rows: Rows,
    units: IntArray,
    w: FloatArray,
    room: Room,
    distance: float,
    rounding: float,
    pooled: bool,
    error: FloatArray,
) -> None:
    """Write by how much responses may differ if w is off by a distance, in the norm of H."""
    v, U, X, size = room.block, room.hessian, rows.X, rows.size
    blur = 0.0
    for f in range(w.size):
        blur += size[f] * abs(w[f])
    blur *= BLUR
    if rows.order.size:
        # Four times the largest inner product is κ² in the norm of the penalty.
        blur += 2.0 * (rounding / ROUNDING) * BLURRED_PRODUCTS * rows.kappa**2
    if units.size == 2 and not pooled:
        for f in range(w.size):
            v[f] = X[units[0], f] - X[units[1], f]
        error[0] = 0.5 * reach(v, U, distance, size, rounding) + blur
        error[1] = error[0]
        return
    for t in range(units.size):
        for f in range(w.size):
            # What all responses of a model have in common does not change their order.
            v[f] = X[units[t], f] - (rows.shift[f] if pooled else 0.0)
        error[t] = reach(v, U, distance, size, rounding) + blur


@compiled
def solve_one(
    sample: Sample,
    rows: Rows,
    height: float,
    count: FloatArray,
    units: IntArray,
    pooled: bool,
    w: FloatArray,
    room: Room,
    response: FloatArray,
    error: FloatArray,
) -> bool:
    """Improve w until it minimises F for one training set, and answer for some units.

    Parameters
    ----------
    sample, rows
        What is minimised.
    height : float
        A bound on the loss without penalty.
    count : ndarray of shape (m,)
        How often every unit is in the training set.
    units : ndarray of shape (s,)
        Places of the units to answer for.
    pooled : bool
        Whether they are compared with those that other models answer for. Otherwise errors are
        those of differences: of two units they sum to it.

    Returns
    -------
    bool
        Whether there is a minimum.
    """
    X, penalty, event, kappa = rows.X, rows.penalty, sample.event, rows.kappa
    ridge, n_events, blurred = 0.0, 0.0, 0.0
    for u in range(event.size):
        if event[u]:
            n_events += count[u]
    rounding = ROUNDING * n_events
    for f in range(w.size):
        ridge += penalty[f] * w[f] ** 2
        blurred += rows.seen[f] / np.sqrt(penalty[f]) if penalty[f] > 0.0 else np.inf
    blurred *= blurred
    decrease = MARGIN * sample.tol * (height + 0.5 * ridge)
    before = np.inf
    for _ in range(STEPS):
        is_step, length, moved, apart = newton_step(
            X, sample.edges, event, count, penalty, sample.efron, w, room
        )
        if not is_step:
            return False
        is_final = is_last(moved, before, apart)
        before = moved
        if moved > FARTHEST or not (is_final or moved * moved <= 2.0 * ACCURACY * apart):
            continue
        for t in range(units.size):
            response[t] = 0.0
            for f in range(w.size):
                response[t] += (X[units[t], f] - rows.shift[f]) * w[f]
        for is_close_look in range(2):
            if is_close_look:
                kappa = min(kappa, farthest(X, count, room.hessian, room.block))
                if decrease > 0.0:
                    blurred = blurred_curvature(rows.seen, room.hessian, room.block)
            distance = remainder(length, moved, kappa)
            if decrease > 0.0:
                # Rounding in the solver's Hessian shortens or turns its last step.
                turned = rounding * blurred
                distance += slack(decrease, kappa)
                distance += 4.0 * turned * np.sqrt(decrease) if turned < 0.5 else np.inf
            bound(rows, units, w, room, distance, rounding, pooled, error)
            if is_close_look:
                return True
            if (
                units.size == 2
                and not pooled
                and abs(response[0] - response[1]) > 2.0 * (error[0] + error[1])
            ):
                return True
            if not is_final:
                break
    return False


@compiled
def reduce_rows(X: FloatArray, shift: FloatArray, L: FloatArray, order: IntArray) -> int:
    """Write rows with the inner products of those of X, and of the shift as a last row.

    A Cholesky decomposition of the inner products, the largest pivot first.

    Returns
    -------
    int
        The number of columns of L that are used.
    """
    m: int = X.shape[0]
    K = np.dot(X, X.T)
    left, most = np.empty(m), 0.0
    for u in range(m):
        left[u] = K[u, u]
        most = max(most, left[u])
        order[u] = u
    least = BLURRED_PRODUCTS * most
    for k in range(m):
        best = k
        for t in range(k, m):
            if left[order[t]] > left[order[best]]:
                best = t
        order[k], order[best] = order[best], order[k]
        p = order[k]
        if not left[p] > least:
            return k
        root = np.sqrt(left[p])
        L[p, k] = root
        for t in range(k + 1, m):
            u = order[t]
            total = K[u, p]
            for c in range(k):
                total -= L[u, c] * L[p, c]
            L[u, k] = total / root
            left[u] -= L[u, k] * L[u, k]
        total = np.dot(X[p], shift)
        for c in range(k):
            total -= L[m, c] * L[p, c]
        L[m, k] = total / root
    return m


@compiled
def rows_of(
    sample: Sample, fill: FloatArray, shift: FloatArray, scale: FloatArray, growth: float
) -> Rows:
    """Return the rows of all units as one training set prepares them.

    With more columns than units, a penalised solution is a combination of rows, so their inner
    products are enough: with columns divided by √λ_f, the rows of a Cholesky factor of these have
    the same models with penalty 1.
    """
    values, missing = sample.values, sample.missing
    m, n = values.shape
    X = values
    if sample.has_gaps:
        X = values.copy()
        for u in range(m):
            for f in range(n):
                if missing[u, f]:
                    X[u, f] = fill[f]
    penalty, size, seen, kappa = np.empty(n), np.empty(n), np.empty(n), 0.0
    for f in range(n):
        penalty[f] = sample.alpha[f] * scale[f] * scale[f]
        size[f] = growth * sample.span[f] + sample.offset[f]
        seen[f] = max(sample.high[f] - shift[f], shift[f] - sample.low[f])
        width = sample.high[f] - sample.low[f]
        if width > 0.0:
            kappa += width * width / penalty[f] if penalty[f] > 0.0 else np.inf
    if n <= m:
        nothing = np.empty(0, dtype=np.intp)
        return Rows(X, shift, penalty, size, seen, np.sqrt(kappa), nothing)
    scaled, start = np.empty((m, n)), np.empty(n)
    before, after = 0.0, 0.0
    for f in range(n):
        root = np.sqrt(penalty[f])
        start[f] = shift[f] / root
        before = np.hypot(before, size[f] / root)
        after = np.hypot(after, seen[f] / root)
        for u in range(m):
            scaled[u, f] = X[u, f] / root
    L, order = np.zeros((m + 1, m)), np.empty(m, dtype=np.intp)
    rank = reduce_rows(scaled, start, L, order)
    kappa = 0.0
    for u in range(m):
        kappa = max(kappa, 4.0 * np.dot(L[u], L[u]))
    k = max(1, rank)  # rows that are all the same keep one column
    one, sizes, most = np.empty(k), np.empty(k), np.empty(k)
    for c in range(k):
        one[c], sizes[c], most[c] = 1.0, before / np.sqrt(k), after / np.sqrt(k)
    own = L[:, :k].copy()
    return Rows(own[:m], own[m], one, sizes, most, np.sqrt(kappa), order[:rank].copy())


@compiled
def solve_sets(
    sample: Sample,
    fitted: Fitted,
    sets: IntArray,
    pooled: bool,
    start: FloatArray,
    response: FloatArray,
    error: FloatArray,
) -> None:
    """Solve training sets without some sets; write responses, and how far a refit may be.

    Parameters
    ----------
    sample : Sample
        All units.
    fitted : Fitted
        How columns are prepared without each set, or without any.
    sets : ndarray of shape (g, s)
        Places of the units left out.
    pooled : bool
        As in `solve_one`.
    start : ndarray of shape (g, n), or (g, m) with more columns than units
        Coefficients to start from, of columns before scaling, or linear predictors of all units.
        Overwritten by those of the solution, NaN if there is none.
    response, error : ndarray of shape (g, s)
        What the models answer.
    """
    m, n = sample.values.shape
    groups = sample.edges.size - 1
    varies, is_wide = fitted.scale.shape[0] > 1, n > m
    room = make_room(m, 0 if is_wide else n, groups)
    rows = rows_of(sample, fitted.fill[0], fitted.shift[0], fitted.scale[0], fitted.growth[0])
    count = np.ones(m)
    for s in range(len(sets)):
        for t in range(sets.shape[1]):
            error[s, t], response[s, t] = np.inf, np.nan
        if not fitted.growth[s] < np.inf:
            _write_nothing(start[s])
            continue
        if varies and s > 0:
            rows = rows_of(
                sample, fitted.fill[s], fitted.shift[s], fitted.scale[s], fitted.growth[s]
            )
        w = start[s]
        if is_wide:
            room = make_room(m, rows.penalty.size, groups)
            w = _coordinates(rows, start[s])
        for t in range(sets.shape[1]):
            count[sets[s, t]] = 0.0
        is_solved = solve_one(
            sample,
            rows,
            sample.height,
            count,
            sets[s],
            pooled,
            w,
            room,
            response[s],
            error[s],
        )
        for t in range(sets.shape[1]):
            count[sets[s, t]] = 1.0
        if not is_solved:
            _write_nothing(start[s])
        elif is_wide:
            np.dot(rows.X, w, start[s])


@compiled
def _write_nothing(w: FloatArray) -> None:
    for f in range(w.size):
        w[f] = np.nan


@compiled
def _coordinates(rows: Rows, z: FloatArray) -> FloatArray:
    """Return coefficients of reduced rows that have these linear predictors."""
    a = np.zeros(rows.penalty.size)
    for c in range(rows.order.size):
        unit = rows.order[c]
        total = z[unit]
        for b in range(c):
            total -= rows.X[unit, b] * a[b]
        a[c] = total / rows.X[unit, c]
    return a


@compiled
def answer_counted(
    sample: Sample,
    fitted: Fitted,
    count: FloatArray,
    units: IntArray,
    start: FloatArray,
    response: FloatArray,
    error: FloatArray,
) -> None:
    """Solve one training set in which units are counted so often, and answer for some."""
    m, n = sample.values.shape
    rows = rows_of(sample, fitted.fill[0], fitted.shift[0], fitted.scale[0], fitted.growth[0])
    room = make_room(m, rows.penalty.size, sample.edges.size - 1)
    w = _coordinates(rows, start) if n > m else start
    for t in range(units.size):
        error[t], response[t] = np.inf, np.nan
    # The loss of such a training set is not that of all units: each event may be there twice.
    z = np.dot(rows.X, w)
    height = loss(z, sample.edges, sample.event, count, sample.efron)
    solve_one(sample, rows, height, count, units, False, w, room, response, error)


@compiled
def height_of(sample: Sample, rows: Rows, count: FloatArray, w: FloatArray, z: FloatArray) -> float:
    """Return F at w; writes its linear predictors."""
    np.dot(rows.X, w, z)
    ridge = 0.0
    for f in range(w.size):
        ridge += 0.5 * rows.penalty[f] * w[f] ** 2
    return ridge + loss(z, sample.edges, sample.event, count, sample.efron)


@compiled
def follow(
    sample: Sample, rows: Rows, count: FloatArray, most: int, room: Room
) -> tuple[int, float]:
    """Take the steps of scikit-survival from w = 0.

    Returns
    -------
    int
        How many there were, at most so many.
    float
        The largest linear predictor on the way, up to its sign; infinite if a step failed.
    """
    n = rows.penalty.size
    w, before, new, z = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(count.size)
    height, highest = np.inf, 0.0
    for k in range(most):
        derivatives(rows.X, sample.edges, sample.event, count, rows.penalty, sample.efron, w, room)
        if not factorise(room.hessian, LEAST_PIVOT):
            return k, np.inf
        for f in range(n):
            new[f] = room.gradient[f]
        solve(room.hessian, new)
        for f in range(n):
            new[f] = w[f] - new[f]
        reached = height_of(sample, rows, count, new, z)
        offset = np.dot(rows.shift, new)
        for u in range(count.size):
            if count[u] > 0.0:
                highest = max(highest, abs(z[u] - offset))
        if not highest < np.inf:
            return k, np.inf
        if reached > height:
            for f in range(n):
                w[f] = 0.5 * (before[f] + w[f])
            height = height_of(sample, rows, count, w, z)
            continue
        for f in range(n):
            before[f], w[f] = w[f], new[f]
        if height == 0.0:  # where it goes on to divide by 0
            return most, highest
        if abs(1.0 - reached / height) < sample.tol:
            return k + 1, highest
        height = reached
    return most, highest


@compiled
def follow_sets(
    sample: Sample,
    fitted: Fitted,
    sets: IntArray,
    most: int,
    steps: IntArray,
    highest: FloatArray,
) -> None:
    """Write what `follow` says of training sets without some sets."""
    m = sample.values.shape[0]
    varies = fitted.scale.shape[0] > 1
    rows = rows_of(sample, fitted.fill[0], fitted.shift[0], fitted.scale[0], fitted.growth[0])
    room = make_room(m, rows.penalty.size, sample.edges.size - 1)
    count = np.ones(m)
    for s in range(len(sets)):
        if not fitted.growth[s] < np.inf:
            steps[s], highest[s] = 0, 0.0
            continue
        if varies and s > 0:
            rows = rows_of(
                sample, fitted.fill[s], fitted.shift[s], fitted.scale[s], fitted.growth[s]
            )
            if rows.penalty.size != room.step.size:
                room = make_room(m, rows.penalty.size, sample.edges.size - 1)
        for t in range(sets.shape[1]):
            count[sets[s, t]] = 0.0
        steps[s], highest[s] = follow(sample, rows, count, most, room)
        for t in range(sets.shape[1]):
            count[sets[s, t]] = 1.0
