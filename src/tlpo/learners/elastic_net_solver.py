"""Logistic regression with an elastic-net penalty, for one penalty or a path: compiled loops.

With kept units k, n of them, linear predictors ``z_k = b + Σ_f w_f x_kf`` and the standard
deviation s_f of every column over the kept units, the coefficients minimise

    F(b, w) = (1/n) Σ_k [log(1 + exp(z_k)) − y_k z_k] + λ Σ_f [a s_f |w_f| + ½ (1 − a) s_f² w_f²],

which is the problem of standardised columns. Columns may be shifted and stretched beforehand: that
changes neither the solution's z nor F, as long as s is taken of the same columns.

Newton's method on a working set of columns: the quadratic model of the loss, with the penalty as it
is, is minimised by coordinate descent on its Gram matrix and, once signs stay as they are, by a
Cholesky decomposition. Columns outside the set whose gradient exceeds ``λ a s_f`` join it. Models
are exact up to rounding: the last step is at most `CLOSE`, and Newton's method squares that.
"""

from __future__ import annotations

import numpy as np

from tlpo.arrays import BoolArray, FloatArray
from tlpo.cholesky import LEAST_PIVOT, factorise, solve_lower, solve_upper
from tlpo.compiled import compiled

STEPS = 100
ROUNDS = 100
SWEEPS = 10_000
# Newton's method ends with a step that changes no linear predictor by more than this.
CLOSE = 1e-6
# Steps that change linear predictors by more than this are shortened unless F decreases.
FARTHEST = 0.1
LEAST_DECREASE = 0.1
# Coordinate descent ends where a sweep changes the root of the model by no more than this or,
# after a decomposition, by no more than what its rounding may leave.
PRECISION = 1e-13
LEFT = 1e-8
# Share of its bound by which a gradient may exceed it.
SLACK = 1e-10
# Curvature of a unit, at least: of one that is fitted perfectly it vanishes.
LEAST_CURVATURE = 1e-12
# A variance below this share of the mean square is computed anew: rounding would show.
CANCELLED = 1e-6

# How a solution was found: it is the only one, there may be others, or it was not found.
FOUND, DEPENDENT, ENDLESS = 0, 1, 2


@compiled
def scales(Xt: FloatArray, squares: FloatArray, keep: FloatArray) -> FloatArray:
    """Return the standard deviation of every column over the kept units, 0 of a constant one.

    Parameters
    ----------
    Xt, squares : ndarray of shape (p, m)
        Columns as rows, and their squares.
    keep : ndarray of shape (m,)
        1 for kept units, 0 for others.
    """
    n = keep.sum()
    total = np.dot(Xt, keep)
    square = np.dot(squares, keep)
    scale = np.empty(total.size)
    for f in range(total.size):
        scale[f] = scale_of(Xt[f], keep, n, total[f], square[f])
    return scale


@compiled
def scale_of(x: FloatArray, keep: FloatArray, n: float, total: float, square: float) -> float:
    """Return the standard deviation of a column from its sums, 0 if it is constant."""
    mean = total / n
    variance = square / n - mean * mean
    if variance > CANCELLED * square / n:
        return float(np.sqrt(variance))
    low, high, variance = np.inf, -np.inf, 0.0
    for k in range(x.size):
        if keep[k] > 0.0:
            low, high = min(low, x[k]), max(high, x[k])
            variance += (x[k] - mean) ** 2
    return float(np.sqrt(variance / n)) if high > low else 0.0


@compiled
def loss_at(z: float, y: float) -> float:
    """Return ``log(1 + exp(z)) − y z`` without overflow."""
    t = z if y < 0.5 else -z
    return float(np.log1p(np.exp(-abs(t)))) + max(t, 0.0)


@compiled
def mean_loss(z: FloatArray, y: FloatArray, keep: FloatArray, n: float) -> float:
    """Return the mean loss of the kept units."""
    total = 0.0
    for k in range(z.size):
        if keep[k] > 0.0:
            total += loss_at(z[k], y[k])
    return total / n


@compiled
def residuals(z: FloatArray, y: FloatArray, keep: FloatArray, n: float, g: FloatArray) -> None:
    """Write the derivatives of the mean loss by z into g."""
    for k in range(z.size):
        g[k] = (1.0 / (1.0 + np.exp(-z[k])) - y[k]) / n if keep[k] > 0.0 else 0.0


@compiled
def minimise_model(H: FloatArray, q: FloatArray, soft: FloatArray, u: FloatArray) -> int:
    """Minimise ``qᵀd + ½ dᵀHd + Σ soft |u + d|`` over d, with u + d written over u.

    The gradient q is overwritten by that at the solution. Returns `DEPENDENT` if the solution may
    not be the only one.
    """
    n = u.size
    sign = np.sign(u)
    active = np.empty(n, dtype=np.intp)
    status = FOUND
    is_solved = False
    for _ in range(SWEEPS):
        most = 0.0
        stays = True
        for f in range(n):
            h = H[f, f]
            if not h > 0.0:
                continue
            old = u[f]
            target = h * old - q[f]
            new = 0.0
            if target > soft[f]:
                new = (target - soft[f]) / h
            elif target < -soft[f]:
                new = (target + soft[f]) / h
            d = new - old
            if d != 0.0:
                u[f] = new
                for e in range(n):
                    q[e] += H[f, e] * d
                most = max(most, abs(d) * np.sqrt(h))
                if np.sign(new) != sign[f]:
                    stays = False
                    sign[f] = np.sign(new)
        if most <= PRECISION or (is_solved and stays and most <= LEFT):
            break
        is_solved = False
        if not stays:
            continue
        # Signs have settled: the solution with these signs, or the way to where one changes.
        a = 0
        for f in range(n):
            if sign[f] != 0.0 or soft[f] == 0.0:
                active[a] = f
                a += 1
        U, d = np.empty((a, a)), np.empty(a)
        for c in range(a):
            f = active[c]
            d[c] = -q[f] - soft[f] * sign[f]
            for e in range(c, a):
                U[c, e] = H[f, active[e]]
        if not factorise(U, LEAST_PIVOT):
            status = DEPENDENT
            continue
        status = FOUND
        solve_lower(U, d)
        solve_upper(U, d)
        share, first = 1.0, -1
        for c in range(a):
            f = active[c]
            if soft[f] > 0.0 and (u[f] + d[c]) * sign[f] <= 0.0 and -u[f] / d[c] < share:
                share, first = -u[f] / d[c], c
        for c in range(a):
            f = active[c]
            step = share * d[c] if c != first else -u[f]
            u[f] += step
            for e in range(n):
                q[e] += H[f, e] * step
        is_solved = first < 0
        if first >= 0:
            sign[active[first]] = 0.0
    return status


@compiled
def newton(
    Z: FloatArray,
    y: FloatArray,
    keep: FloatArray,
    soft: FloatArray,
    ridge: FloatArray,
    u: FloatArray,
    z: FloatArray,
    close: float,
    far: FloatArray,
) -> int:
    """Minimise F over some columns; overwrites the coefficients u and linear predictors z.

    Parameters
    ----------
    Z : ndarray of shape (c, m)
        Columns as rows; the last is 1, for the intercept.
    y, keep : ndarray of shape (m,)
        Labels 0 and 1, and 1 for kept units.
    soft, ridge : ndarray of shape (c,)
        Penalties of absolute values and of halved squares.
    u, z : ndarray
        Coefficients to start from, and their linear predictors.
    close : float
        Newton's method ends with a step no longer than this.
    far : ndarray of shape (1,)
        Gets the most that the last step changed a linear predictor.
    """
    m = z.size
    n = keep.sum()
    g, v, trial, scaled = np.empty(m), np.empty(m), np.empty(m), np.empty(Z.shape)
    new = np.empty(u.size)
    status = ENDLESS
    for _ in range(STEPS):
        for k in range(m):
            if keep[k] > 0.0:
                p = 1.0 / (1.0 + np.exp(-z[k]))
                g[k] = (p - y[k]) / n
                v[k] = max(p * (1.0 - p), LEAST_CURVATURE) / n
            else:
                g[k] = v[k] = 0.0
        for c in range(u.size):
            for k in range(m):
                scaled[c, k] = Z[c, k] * v[k]
        H = np.dot(scaled, Z.T)
        q = np.dot(Z, g)
        for c in range(u.size):
            H[c, c] += ridge[c]
            q[c] += ridge[c] * u[c]
            new[c] = u[c]
        slope = q.copy()
        status = minimise_model(H, q, soft, new)
        promised = 0.0
        for c in range(u.size):
            d = new[c] - u[c]
            promised += slope[c] * d + soft[c] * (abs(new[c]) - abs(u[c]))
            slope[c] = d
        dz = np.dot(slope, Z)
        far[0] = 0.0
        for k in range(m):
            if keep[k] > 0.0:
                far[0] = max(far[0], abs(dz[k]))
        share = 1.0
        if far[0] > FARTHEST:
            height = mean_loss(z, y, keep, n) + penalty_of(u, soft, ridge)
            for _ in range(60):
                for k in range(m):
                    trial[k] = z[k] + share * dz[k]
                for c in range(u.size):
                    new[c] = u[c] + share * slope[c]
                now = mean_loss(trial, y, keep, n) + penalty_of(new, soft, ridge)
                if now <= height + LEAST_DECREASE * share * promised:
                    break
                share *= 0.5
        for c in range(u.size):
            # Not u + d, which rounds: what the model sets to zero stays zero.
            u[c] = new[c]
        for k in range(m):
            z[k] += share * dz[k]
        if far[0] <= close:
            return status
    return ENDLESS


@compiled
def penalty_of(u: FloatArray, soft: FloatArray, ridge: FloatArray) -> float:
    """Return the penalty of some coefficients."""
    total = 0.0
    for c in range(u.size):
        total += soft[c] * abs(u[c]) + 0.5 * ridge[c] * u[c] * u[c]
    return total


@compiled
def solve(
    Xt: FloatArray,
    y: FloatArray,
    keep: FloatArray,
    scale: FloatArray,
    penalty: float,
    l1: float,
    w: FloatArray,
    z: FloatArray,
    grad: FloatArray,
    is_in: BoolArray,
    is_near: BoolArray,
    close: float,
    far: FloatArray,
) -> int:
    """Solve for one penalty, from where w and z are; all are overwritten.

    Parameters
    ----------
    Xt : ndarray of shape (p, m)
        Columns as rows.
    y, keep : ndarray of shape (m,)
        Labels 0 and 1, and 1 for kept units.
    scale : ndarray of shape (p,)
        Standard deviations over the kept units; columns of 0 are left out.
    penalty, l1 : float
        λ and a.
    w : ndarray of shape (p + 1,)
        Coefficients, and the intercept.
    z : ndarray of shape (m,)
        Linear predictors of all units.
    grad : ndarray of shape (p,)
        Gets the gradient of the mean loss.
    is_in : ndarray of bool of shape (p,)
        The working set; columns join it.
    is_near : ndarray of bool of shape (p,)
        Columns that are looked at first for some that must join.
    close, far
        As in `newton`.
    """
    p, m = Xt.shape
    n = keep.sum()
    g = np.empty(m)
    status = ENDLESS
    for _ in range(ROUNDS):
        columns = np.flatnonzero(is_in)
        c = columns.size
        Z, u = np.ones((c + 1, m)), np.empty(c + 1)
        soft, ridge = np.zeros(c + 1), np.zeros(c + 1)
        for e in range(c):
            f = columns[e]
            Z[e] = Xt[f]
            u[e] = w[f]
            soft[e] = penalty * l1 * scale[f]
            ridge[e] = penalty * (1.0 - l1) * scale[f] * scale[f]
        u[c] = w[p]
        status = newton(Z, y, keep, soft, ridge, u, z, close, far)
        for e in range(c):
            w[columns[e]] = u[e]
        w[p] = u[c]
        residuals(z, y, keep, n, g)
        joined = False
        for f in range(p):
            bound = penalty * l1 * scale[f] * (1.0 + SLACK)
            if is_near[f] and not is_in[f] and abs(np.dot(Xt[f], g)) > bound:
                is_in[f] = joined = True
        if joined:
            continue
        grad[:] = np.dot(Xt, g)
        for f in range(p):
            bound = penalty * l1 * scale[f] * (1.0 + SLACK)
            if not is_in[f] and scale[f] > 0.0 and abs(grad[f]) > bound:
                is_in[f] = is_near[f] = joined = True
        if not joined:
            return status
    return ENDLESS


@compiled
def null_model(
    Xt: FloatArray, y: FloatArray, keep: FloatArray, z: FloatArray, grad: FloatArray
) -> float:
    """Write the linear predictors and gradient of a model without columns; return its intercept."""
    n = keep.sum()
    share = np.dot(keep, y) / n
    b = float(np.log(share / (1.0 - share)))
    g = np.empty(z.size)
    for k in range(z.size):
        z[k] = b
        g[k] = keep[k] * (share - y[k]) / n
    grad[:] = np.dot(Xt, g)
    return b


@compiled
def largest_penalty(grad: FloatArray, scale: FloatArray, l1: float) -> float:
    """Return the smallest penalty that uses no column; the gradient is the null model's."""
    largest = 0.0
    for f in range(grad.size):
        if scale[f] > 0.0:
            largest = max(largest, abs(grad[f]) / (l1 * scale[f]))
    return largest


@compiled
def follow(
    Xt: FloatArray,
    y: FloatArray,
    keep: FloatArray,
    scale: FloatArray,
    penalties: FloatArray,
    l1: float,
    W: FloatArray,
    Z: FloatArray,
    status: FloatArray,
) -> None:
    """Solve for decreasing penalties, each from the one before.

    Columns that the strong rule of Tibshirani et al. (2012) leaves are looked at first; `solve`
    adds those it was wrong about.

    Parameters
    ----------
    Xt, y, keep, scale, l1
        As in `solve`.
    penalties : ndarray of shape (c,)
        The penalties, largest first.
    W : ndarray of shape (c, p + 1)
        Gets the coefficients and intercepts.
    Z : ndarray of shape (c, m)
        Gets the linear predictors of all units.
    status : ndarray of shape (c,)
        Gets how each was found.
    """
    p, m = Xt.shape
    w, z, grad, far = np.zeros(p + 1), np.empty(m), np.empty(p), np.empty(1)
    w[p] = null_model(Xt, y, keep, z, grad)
    before = largest_penalty(grad, scale, l1)
    is_in, is_near = np.zeros(p, dtype=np.bool_), np.zeros(p, dtype=np.bool_)
    for c in range(penalties.size):
        now = penalties[c]
        status[c] = FOUND
        if now < before:
            for f in range(p):
                unit = l1 * scale[f]
                is_near[f] = unit > 0.0 and abs(grad[f]) >= unit * (2.0 * now - before)
                is_in[f] = w[f] != 0.0 or (is_near[f] and abs(grad[f]) >= unit * now)
            status[c] = solve(Xt, y, keep, scale, now, l1, w, z, grad, is_in, is_near, CLOSE, far)
            before = now
        W[c] = w
        Z[c] = z
