"""Least squares whose columns, penalty or weights change with the training set: compiled loops.

With ``x`` the filled columns, before scaling, and ``s`` their scale in a training set, the penalty
``α Σ (s_f w_f)²`` in coefficients ``w`` of the unscaled columns is the penalty of the scaled ones.
So a training set needs

    A = Σ ω_k (x_k − c)(x_k − c)ᵀ + α diag(s²),   b = Σ ω_k (x_k − c) y_k,
    f(x) = ȳ + (x − c)ᵀ A^{-1} b

over its units, with class weights ω and the weighted mean c (without a free intercept: the shift,
and no ȳ). ``A`` and ``b`` are those of all units minus the terms of the left-out ones: one Cholesky
factorisation per set.

With D the sums of squares before anything is subtracted, entries of A and b are off by
``γ √(D_ff D_gg)`` and ``γ √(D_ff Σ y²)``, and f by at most
``γ Σ_f |z_f| √D_ff (Σ_g |w_g| √D_gg + √Σ y²)`` with ``z = A^{-1}(x − c)``, to first order.
"""

from __future__ import annotations

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.compiled import compiled

# Pivots smaller than this, relative to the diagonal, leave a training set to refitting.
LEAST_PIVOT = 1e-11


@compiled
def factorise(A: FloatArray, n: int) -> float:
    """Overwrite the upper triangle of A by U with ``UᵀU = A``; return the smallest pivot.

    Four rows are taken off the rows below at a time: what is left of A is read less often.
    """
    least = np.inf
    for first in range(0, n, 4):
        last = min(first + 4, n)
        for k in range(first, last):
            pivot = A[k, k]
            if not pivot > 0.0:
                return 0.0
            least = min(least, pivot)
            root = np.sqrt(pivot)
            for h in range(k, n):
                A[k, h] /= root
            for i in range(k + 1, last):
                r = A[k, i]
                for h in range(i, n):
                    A[i, h] -= r * A[k, h]
        if last == n:
            break
        a, b, c, d = A[first], A[first + 1], A[first + 2], A[first + 3]
        for i in range(last, n):
            row, p, q, r, s = A[i], a[i], b[i], c[i], d[i]
            for h in range(i, n):
                row[h] = (((row[h] - p * a[h]) - q * b[h]) - r * c[h]) - s * d[h]
    return least


@compiled
def solve(U: FloatArray, b: FloatArray, n: int) -> None:
    """Overwrite b by the solution of ``UᵀU x = b``."""
    for i in range(n):
        b[i] /= U[i, i]
        r = b[i]
        for h in range(i + 1, n):
            b[h] -= U[i, h] * r
    for i in range(n - 1, -1, -1):
        # Four sums side by side do not wait for each other.
        t, p, q, r = b[i], 0.0, 0.0, 0.0
        h = i + 1
        while h + 3 < n:
            t -= U[i, h] * b[h]
            p -= U[i, h + 1] * b[h + 1]
            q -= U[i, h + 2] * b[h + 2]
            r -= U[i, h + 3] * b[h + 3]
            h += 4
        while h < n:
            t -= U[i, h] * b[h]
            h += 1
        b[i] = ((t + p) + (q + r)) / U[i, i]


@compiled
def predict_set(
    A: FloatArray,
    b: FloatArray,
    x: FloatArray,
    centre: FloatArray,
    mean: float,
    y_squares: float,
    squares: FloatArray,
    gamma: float,
    with_trace: bool,
    f: FloatArray,
    error: FloatArray,
) -> tuple[float, float]:
    """Solve one training set and predict the rows of x, all less ``centre``.

    ``squares`` is D. ``A`` and ``b`` are overwritten. Returns what the fit takes off the sum of
    squares, and the trace of the inverse of A with a diagonal of ones, if wanted.
    """
    n, size = b.size, x.shape[0]
    root, grown, w, z = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    is_solved = True
    for g in range(n):
        root[g] = np.sqrt(max(A[g, g], 0.0))
        if not root[g] > 0.0:
            is_solved = False
        else:
            grown[g] = np.sqrt(squares[g]) / root[g]
    if is_solved:
        for g in range(n):
            z[g] = 1.0 / root[g]
        for g in range(n):
            own = z[g]
            for h in range(g, n):
                A[g, h] *= own * z[h]
            b[g] *= own
        is_solved = factorise(A, n) > LEAST_PIVOT
    if not is_solved:
        for k in range(size):
            f[k], error[k] = np.nan, np.inf
        return np.nan, np.inf
    for g in range(n):
        w[g] = b[g]
    solve(A, w, n)
    explained, moved = 0.0, 0.0
    for g in range(n):
        explained += b[g] * w[g]
        moved += abs(w[g]) * grown[g]
    length = np.sqrt(y_squares) + moved
    for k in range(size):
        value, total = mean, abs(mean)
        for g in range(n):
            z[g] = (x[k, g] - centre[g]) / root[g]
            value += z[g] * w[g]
            total += abs(z[g] * w[g])
        solve(A, z, n)
        most = 0.0
        for g in range(n):
            most += abs(z[g]) * grown[g]
        f[k] = value
        error[k] = gamma * (most * length + total + moved)
    trace = 0.0
    if with_trace:
        for g in range(n):
            for h in range(n):
                z[h] = 1.0 if h == g else 0.0
            solve(A, z, n)
            trace += z[g]
    return explained, trace


@compiled
def note_ends(A: FloatArray, scale: FloatArray, ends: FloatArray) -> None:
    """Write the smallest and the sum of the diagonal of A in the units of prepared columns."""
    ends[0], ends[1] = np.inf, 0.0
    for g in range(scale.size):
        own = A[g, g] / scale[g] ** 2
        ends[0] = min(ends[0], own)
        ends[1] += own


@compiled
def answer_sets(
    sets: IntArray,
    C: FloatArray,
    gap: IntArray,
    kind: IntArray,
    y: FloatArray,
    E: FloatArray,
    sums: FloatArray,
    crossed: FloatArray,
    counts: FloatArray,
    weight: FloatArray,
    fill: FloatArray,
    shift: FloatArray,
    scale: FloatArray,
    alpha: float,
    is_free: bool,
    gamma: FloatArray,
    with_trace: bool,
    f: FloatArray,
    error: FloatArray,
    rss: FloatArray,
    trace: FloatArray,
    ends: FloatArray,
) -> None:
    """Write predictions for the units of left-out sets, how far off they may be, and the RSS.

    ``C`` holds the columns and, behind them, marks of missing cells; ``gap[f]`` says where those of
    column f are, or −1. ``E``, ``sums``, ``crossed`` and ``counts`` are the moments of units of
    ``kind`` 0 and 1: of C, of C times y, and (2, 3) of 1, y and y². The kinds are the negatives and
    positives of two classes, ``weight`` their weights without each set; numbers are of kind 0.
    ``ends`` gets the smallest and the sum of the sums of squares of the prepared columns.
    """
    n, size = gap.size, sets.shape[1]
    A, x = np.empty((n, n)), np.empty((size, n))
    b, centre, column_sums, squares = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    gapped = np.flatnonzero(gap >= 0)
    for t in range(sets.shape[0]):
        w0, w1 = weight[t, 0], weight[t, 1]
        total = w0 * counts[0, 0] + w1 * counts[1, 0]
        y_sum = w1 * counts[1, 1] + w0 * counts[0, 1]
        y_squares = w0 * counts[0, 2] + w1 * counts[1, 2]
        for g in range(n):
            column_sums[g] = w0 * sums[0, g] + w1 * sums[1, g]
            b[g] = w1 * crossed[1, g] + w0 * crossed[0, g]
        for at in range(gapped.size):
            g = gapped[at]
            column_sums[g] += fill[t, g] * (w0 * sums[0, gap[g]] + w1 * sums[1, gap[g]])
            b[g] += fill[t, g] * (w1 * crossed[1, gap[g]] + w0 * crossed[0, gap[g]])
        for k in range(size):
            unit = sets[t, k]
            w, y_k = w1 if kind[unit] else w0, y[unit]
            total -= w
            y_sum -= w * y_k
            y_squares -= w * y_k * y_k
            for g in range(n):
                x[k, g] = C[unit, g]
            for at in range(gapped.size):
                g = gapped[at]
                x[k, g] += fill[t, g] * C[unit, gap[g]]
            for g in range(n):
                column_sums[g] -= w * x[k, g]
                b[g] -= w * y_k * x[k, g]
        for g in range(n):
            centre[g] = column_sums[g] / total if is_free else shift[t, g]
            b[g] -= centre[g] * y_sum
        for g in range(n):
            for h in range(g, n):
                A[g, h] = w0 * E[0, g, h] + w1 * E[1, g, h]
        for at in range(gapped.size):
            g = gapped[at]
            own, place = fill[t, g], gap[g]
            for h in range(n):
                added = own * (w0 * E[0, place, h] + w1 * E[1, place, h])
                if h < g:
                    A[h, g] += added
                elif h > g:
                    A[g, h] += added
                else:
                    A[g, g] += 2.0 * added
            for to in range(gapped.size):
                h = gapped[to]
                if h >= g:
                    A[g, h] += (
                        own * fill[t, h] * (w0 * E[0, place, gap[h]] + w1 * E[1, place, gap[h]])
                    )
        for g in range(n):
            squares[g] = A[g, g] + total * centre[g] ** 2 + alpha * scale[t, g] ** 2
        for g in range(n):
            row, own, mine = A[g], column_sums[g] - total * centre[g], centre[g]
            if size == 2:
                # In one pass: most sets are pairs.
                i, j = x[0], x[1]
                left = (w1 if kind[sets[t, 0]] else w0) * i[g]
                right = (w1 if kind[sets[t, 1]] else w0) * j[g]
                for h in range(g, n):
                    gone = left * i[h] + right * j[h]
                    row[h] -= gone + (own * centre[h] + mine * column_sums[h])
            else:
                for k in range(size):
                    left = (w1 if kind[sets[t, k]] else w0) * x[k, g]
                    for h in range(g, n):
                        row[h] -= left * x[k, h]
                for h in range(g, n):
                    row[h] -= own * centre[h] + mine * column_sums[h]
            row[g] += alpha * scale[t, g] * scale[t, g]
        note_ends(A, scale[t], ends[t])
        mean = y_sum / total if is_free else 0.0
        explained, trace[t] = predict_set(
            A, b, x, centre, mean, y_squares, squares, gamma[t], with_trace, f[t], error[t]
        )
        rss[t] = y_squares - (y_sum * mean) - explained


@compiled
def answer_selected(
    sets: IntArray,
    chosen: IntArray,
    C: FloatArray,
    gap: IntArray,
    kind: IntArray,
    y: FloatArray,
    weight: FloatArray,
    fill: FloatArray,
    shift: FloatArray,
    scale: FloatArray,
    alpha: float,
    is_free: bool,
    gamma: FloatArray,
    with_trace: bool,
    f: FloatArray,
    error: FloatArray,
    rss: FloatArray,
    trace: FloatArray,
    ends: FloatArray,
) -> None:
    """Do the same with a few columns, others in every training set; from its rows."""
    m, n, size = C.shape[0], chosen.shape[1], sets.shape[1]
    A, b, centre, squares = np.empty((n, n)), np.empty(n), np.empty(n), np.empty(n)
    x, rows = np.empty((size, n)), np.empty((m, n))
    is_out = np.zeros(m, dtype=np.bool_)
    for t in range(sets.shape[0]):
        for k in range(size):
            is_out[sets[t, k]] = True
        total, y_sum, y_squares = 0.0, 0.0, 0.0
        centre[:] = 0.0
        for unit in range(m):
            w = weight[t, 1] if kind[unit] else weight[t, 0]
            for g in range(n):
                column = chosen[t, g]
                rows[unit, g] = C[unit, column]
                if gap[column] >= 0:
                    rows[unit, g] += fill[t, column] * C[unit, gap[column]]
                if not is_out[unit]:
                    centre[g] += w * rows[unit, g]
            if not is_out[unit]:
                total += w
                y_sum += w * y[unit]
                y_squares += w * y[unit] * y[unit]
        for g in range(n):
            centre[g] = centre[g] / total if is_free else shift[t, chosen[t, g]]
        for k in range(size):
            for g in range(n):
                x[k, g] = rows[sets[t, k], g]
        A[:] = 0.0
        b[:] = 0.0
        squares[:] = 0.0
        for unit in range(m):
            if is_out[unit]:
                continue
            w = weight[t, 1] if kind[unit] else weight[t, 0]
            wy = w * y[unit]
            for g in range(n):
                squares[g] += w * (rows[unit, g] ** 2 + centre[g] ** 2)
                rows[unit, g] -= centre[g]
            for g in range(n):
                b[g] += wy * rows[unit, g]
                own = w * rows[unit, g]
                for h in range(g, n):
                    A[g, h] += own * rows[unit, h]
        for g in range(n):
            s = scale[t, chosen[t, g]]
            A[g, g] += alpha * s * s
            squares[g] += alpha * s * s
        note_ends(A, scale[t][chosen[t]], ends[t])
        mean = y_sum / total if is_free else 0.0
        explained, trace[t] = predict_set(
            A, b, x, centre, mean, y_squares, squares, gamma[t], with_trace, f[t], error[t]
        )
        rss[t] = y_squares - y_sum * mean - explained
        for k in range(size):
            is_out[sets[t, k]] = False
