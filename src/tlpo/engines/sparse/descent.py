"""The path of scikit-learn's coordinate descent: compiled loops.

Lasso and ElasticNet minimise ``½‖y − Xw‖² + α‖w‖₁ + ½β‖w‖²`` and stop at a gap between primal and
dual of ``tol ‖y‖²``. With more features than units that leaves predictions of held-out units off by
1e-2 and more, so that games are decided by where the solver stops. The loops here take the same
steps, except for rounding: from zero, one coordinate after the other, features that cannot be in
the solution dropped by the same rule (Fercoq, Gramfort and Salmon 2015) at the same moments.

They are cheaper because they update slopes instead of residuals (Friedman, Hastie and Tibshirani
2010): a feature that stays at zero costs a look, not a sum over all units. And they need no new
products of columns for every training set. Columns and y are centred on all m units. With Q their
products, out of which a set S leaves n units, ``s = Σ_S x_u``, ``Y = Σ_S y_u`` and v the
coefficients of these columns, the slopes of the centred training set are

    g + Σ_S x_u a_u + s b,   g = Xᵀy − Qv,   a_u = x_uᵀv − y_u,   b = (sᵀv − Y)/n

and a step in one coordinate adds a row of Q to g and a number to each ``a_u`` and to b. Without an
intercept nothing is centred, and ``s = 0``. Columns that are scaled anew in every training set only
multiply slopes.

Decisions that rounding could change are reported, and such a game is left to the estimator.
"""

from __future__ import annotations

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.compiled import compiled
from tlpo.engines.preparation.kernels import prepare
from tlpo.engines.sparse.watched import begin, choose, row_at, step_to, sweep

# How a path ends.
FOLLOWED = 0
STAYED = 1
DOUBTFUL = 2
UNFINISHED = 3
# Of the sum of squares of y, the share that must be left without a set.
LEAST_LEFT = 1e-3
# Features are watched up to so many times the length of a sweep.
WIDER = 4.0
# Decisions closer than this, relative to what is compared, may be those of rounding.
BLUR = 1e-11
# Rows of a second path are off by this; see `follow_twice`.
TREMOR = 1e-12
GROWTH = 1e5
SAFETY = 100.0


@compiled
def refresh(
    g: FloatArray,
    scale: FloatArray,
    rows: FloatArray,
    sums: FloatArray,
    a: FloatArray,
    b: float,
    slopes: FloatArray,
) -> None:
    """Write the slopes of the squared error along all features, downwards."""
    for j in range(g.size):
        slopes[j] = slope(j, g, scale, rows, sums, a, b)


@compiled
def slope(
    j: int,
    g: FloatArray,
    scale: FloatArray,
    rows: FloatArray,
    sums: FloatArray,
    a: FloatArray,
    b: float,
) -> float:
    """Return one of these."""
    value = g[j] + sums[j] * b
    for u in range(a.size):
        value += rows[u, j] * a[u]
    return float(value * scale[j])


@compiled
def take(
    j: int,
    move: float,
    products: FloatArray,
    rows: FloatArray,
    sums: FloatArray,
    n: int,
    g: FloatArray,
    a: FloatArray,
) -> float:
    """Move one coefficient: update g and a, and return what is to be added to b."""
    for k in range(g.size):
        g[k] -= move * products[k]
    for u in range(a.size):
        a[u] += move * rows[u, j]
    return float(move * sums[j] / n)


@compiled
def gap_at(
    alpha: float,
    beta: float,
    yy: float,
    w: FloatArray,
    slopes: FloatArray,
    start: FloatArray,
    positive: bool,
) -> tuple[float, float]:
    """Return the gap between primal and dual, and the steepest slope of all but L1.

    ``start`` has the slopes at zero.
    """
    length, square, explained, left = 0.0, 0.0, 0.0, 0.0
    steepest = -np.inf if positive else 0.0
    for j in range(w.size):
        down = slopes[j]
        if w[j] != 0.0:
            length += abs(w[j])
            square += w[j] * w[j]
            explained += start[j] * w[j]
            left += down * w[j]
            down -= beta * w[j]
        steepest = max(steepest, down if positive else abs(down))
    squared = yy - explained - left + beta * square
    shrunk = alpha / steepest if steepest > alpha else 1.0
    primal = 0.5 * squared + alpha * length
    dual = -0.5 * shrunk * shrunk * squared + shrunk * (yy - explained)
    return primal - dual, steepest


@compiled
def follow(
    alpha: float,
    beta: float,
    tol: float,
    max_iter: int,
    positive: bool,
    blur: float,
    yy: float,
    squares: FloatArray,
    scale: FloatArray,
    Xt: FloatArray,
    Q: FloatArray,
    row_of: IntArray,
    n_rows: IntArray,
    rows: FloatArray,
    sums: FloatArray,
    n: int,
    start: FloatArray,
    g: FloatArray,
    a: FloatArray,
    b: float,
    room: FloatArray,
    w: FloatArray,
    slopes: FloatArray,
) -> int:
    """Write the coefficients where the solver stops, and the slopes there; return how it ends.

    Parameters
    ----------
    alpha, beta, tol, max_iter, positive
        Penalties, already multiplied by the number of training units, and when to stop.
    blur : float
        Decisions that are closer than this are doubtful.
    yy : float
        Sum of squares of y in the training set.
    squares : ndarray of shape (p,)
        Sums of squares of the scaled features in the training set.
    scale : ndarray of shape (p,)
        What the columns are multiplied by.
    Xt : ndarray of shape (p, m)
        The columns.
    Q, row_of, n_rows
        Some rows of their products, where each is or -1, and how many there are; rows are added.
    rows, sums, n
        Left-out rows, their sum, and how many units are left.
    start : ndarray of shape (p,)
        Slopes at zero.
    g, a, b
        As above, at the coefficients to begin with; overwritten.
    room : ndarray of shape (q, q)
        Room for products of up to q watched features.
    w, slopes : ndarray of shape (p,)
        The coefficients to begin with, overwritten by the last, and where to write slopes.
    """
    p, most = w.size, room.shape[0]
    is_out, active = np.zeros(p, dtype=np.bool_), np.empty(p, dtype=np.int64)
    watched, own, before = np.empty(most, dtype=np.int64), np.empty(most), np.empty(most)
    known = np.empty(most, dtype=np.bool_)
    their_rows, their_sums, their_scale = np.empty((a.size, most)), np.empty(most), np.empty(most)
    theirs = (own, before, known, their_rows, their_sums, their_scale)
    refresh(g, scale, rows, sums, a, b, slopes)
    n_active, n_watched, n_sweeps, limit, moved = 0, 0, 0, 0.0, 0.0
    for iteration in range(-1, max_iter):
        largest, farthest = 0.0, 0.0
        following = p if iteration < 0 else 0
        while following < p:
            if n_watched:
                place, high, far, moved = sweep(
                    int(np.searchsorted(watched[:n_watched], following)),
                    watched[:n_watched],
                    own,
                    slopes,
                    squares,
                    room,
                    known,
                    scale,
                    Xt,
                    Q,
                    row_of,
                    n_rows,
                    rows,
                    sums,
                    n,
                    their_rows,
                    their_sums,
                    their_scale,
                    alpha,
                    beta,
                    positive,
                    limit,
                    moved,
                    w,
                )
                if place < 0:
                    return DOUBTFUL
                largest, farthest = max(largest, high), max(farthest, far)
                if moved <= limit * limit:
                    n_sweeps += 1
                    break
                following = watched[place - 1] + 1
                for k in range(n_watched):
                    j = watched[k]
                    if w[j] != before[k]:
                        move = (w[j] - before[k]) * scale[j]
                        b += take(j, move, Q[row_of[j]], rows, sums, n, g, a)
                limit *= WIDER / (n_sweeps + 1)
            else:
                moved = 0.0
                for j in active[:n_active]:
                    if j < following:
                        continue
                    down, old = slope(j, g, scale, rows, sums, a, b), w[j]
                    new = step_to(down + old * squares[j], squares[j], alpha, beta, positive)
                    largest = max(largest, abs(new))
                    if new == old:
                        continue
                    farthest = max(farthest, abs(new - old))
                    row = row_at(j, squares[j], scale[j], Xt, Q, row_of, n_rows)
                    if row < 0:
                        return DOUBTFUL
                    w[j] = new
                    moved += (new - old) * (2.0 * (slopes[j] - down) + (new - old) * squares[j])
                    b += take(j, (new - old) * scale[j], Q[row], rows, sums, n, g, a)
                following = p
                limit = WIDER * np.sqrt(max(moved, 0.0))
            refresh(g, scale, rows, sums, a, b, slopes)
            n_watched = choose(active[:n_active], w, slopes, squares, alpha, limit, watched)
            n_watched = begin(watched[:n_watched], w, slopes, scale, rows, sums, *theirs)
            moved, n_sweeps = 0.0, 0
        if largest > 0.0 and 0 <= iteration < max_iter - 1:
            if not abs(farthest / largest - tol) > blur:
                return DOUBTFUL
            if farthest / largest > tol:
                continue
        for k in range(n_watched):
            j = watched[k]
            if w[j] != before[k]:
                move = (w[j] - before[k]) * scale[j]
                b += take(j, move, Q[row_of[j]], rows, sums, n, g, a)
        refresh(g, scale, rows, sums, a, b, slopes)
        gap, steepest = gap_at(alpha, beta, yy, w, slopes, start, positive)
        if not abs(gap - tol * yy) > blur * yy:
            return DOUBTFUL
        if gap <= tol * yy:
            return STAYED if iteration < 0 else FOLLOWED
        # Features that are farther from the bound than the gap allows are not in the solution.
        n_active = 0
        radius = np.sqrt(2.0 * gap) / alpha
        for j in range(p):
            if is_out[j]:
                continue
            if squares[j] > 0.0:
                share = abs(slopes[j] - beta * w[j]) / max(alpha, steepest)
                distance = (1.0 - share) / np.sqrt(squares[j] + beta)
                if not abs(distance - radius) > blur * radius:
                    return DOUBTFUL
                if distance <= radius:
                    active[n_active] = j
                    n_active += 1
                    continue
            is_out[j] = True
            if w[j] != 0.0:
                b += take(j, -w[j] * scale[j], Q[row_of[j]], rows, sums, n, g, a)
                w[j] = 0.0
        refresh(g, scale, rows, sums, a, b, slopes)
        n_watched = 0
        if limit > 0.0:
            n_watched = choose(active[:n_active], w, slopes, squares, alpha, limit, watched)
            n_watched = begin(watched[:n_watched], w, slopes, scale, rows, sums, *theirs)
        moved, n_sweeps = 0.0, 0
    return UNFINISHED


@compiled
def follow_sets(
    X: FloatArray,
    Xt: FloatArray,
    y: FloatArray,
    mean: float,
    start: FloatArray,
    squares: FloatArray,
    lift: FloatArray,
    with_intercept: bool,
    settings: tuple[float, float, float, int, bool],
    scale: FloatArray,
    blur: FloatArray,
    reach: FloatArray,
    sets: IntArray,
    most_rows: int,
    response: FloatArray,
    error: FloatArray,
) -> None:
    """Write the responses of the solver's models without some sets, and how far they may be off.

    Parameters
    ----------
    X, Xt : ndarray of shape (m, p) and (p, m)
        Columns, centred on all units if there is an intercept.
    y, mean
        What is predicted, centred likewise, and what was subtracted.
    start, squares : ndarray of shape (p,)
        ``Xᵀy`` and the sums of squares of the columns.
    lift : ndarray of shape (p,)
        What was subtracted from the columns, up to its sign.
    with_intercept : bool
        Whether there is one.
    settings
        Penalty, share of L1 in it, tolerance, most sweeps, whether coefficients are positive.
    scale : ndarray of shape (g, p) or (1, p)
        What columns are multiplied by, without each set.
    blur, reach : ndarray of shape (g,)
        Decisions that are closer than ``blur`` are doubtful, and ``reach`` is how far responses
        may be off, relative to their parts.
    sets : ndarray of shape (g, s)
        The sets.
    most_rows : int
        Products of columns that may be kept.
    response, error : ndarray of shape (g, s)
        Where to write; an infinite error leaves the set to the estimator.
    """
    penalty, share, tol, max_iter, positive = settings
    m, p = X.shape
    size = sets.shape[1]
    n = m - size
    Q, row_of, n_rows = np.empty((most_rows, p)), np.full(p, -1), np.zeros(1, dtype=np.int64)
    w, slopes, g, sums, left = np.empty(p), np.empty(p), np.empty(p), np.zeros(p), np.empty(p)
    at_zero = np.empty(p)
    a, rows, room = np.empty(size), np.empty((size, p)), np.empty((p // 2, p // 2))
    all_yy = np.dot(y, y)
    for k in range(sets.shape[0]):
        own = scale[k if scale.shape[0] > 1 else 0]
        yy, out = all_yy, 0.0
        for u in range(size):
            unit = sets[k, u]
            rows[u] = X[unit]
            yy -= y[unit] * y[unit]
            out += y[unit]
            a[u] = -y[unit]
        b = 0.0
        if with_intercept:
            b = -out / n
            yy -= out * out / n
            sums[:] = 0.0
            for u in range(size):
                sums += rows[u]
        for j in range(p):
            value = squares[j] - sums[j] * sums[j] / n
            for u in range(size):
                value -= rows[u, j] * rows[u, j]
            left[j] = max(value, 0.0) * own[j] * own[j]
        g[:] = start
        error[k] = np.inf
        if not yy > LEAST_LEFT * all_yy:
            response[k] = 0.0
            continue
        w[:] = 0.0
        refresh(g, own, rows, sums, a, b, at_zero)
        end = follow(
            penalty * share * n,
            penalty * (1.0 - share) * n,
            tol,
            max_iter,
            positive,
            blur[k],
            yy,
            left,
            own,
            Xt,
            Q,
            row_of,
            n_rows,
            rows,
            sums,
            n,
            at_zero,
            g,
            a,
            b,
            room,
            w,
            slopes,
        )
        level = mean - out / n if with_intercept else 0.0
        for u in range(size):
            response[k, u] = level
        if end == STAYED:
            error[k] = 0.0
        if end != FOLLOWED:
            continue
        for u in range(size):
            parts = abs(level)
            for j in range(p):
                if w[j] != 0.0:
                    at = rows[u, j] + sums[j] / n
                    response[k, u] += at * own[j] * w[j]
                    parts += (abs(at) + lift[j]) * abs(own[j] * w[j])
            error[k, u] = reach[k] * parts
        if are_alike(rows, w, slopes, penalty * share * n * (1.0 - blur[k])):
            error[k] = 0.0


@compiled
def are_alike(rows: FloatArray, w: FloatArray, slopes: FloatArray, bound: float) -> bool:
    """Return whether rows agree in all features that the model uses, or nearly does."""
    for j in range(w.size):
        if w[j] != 0.0 or abs(slopes[j]) >= bound:
            for u in range(1, rows.shape[0]):
                if rows[u, j] != rows[0, j]:
                    return False
    return True


@compiled
def centred(
    X: FloatArray, y: FloatArray, train: IntArray, with_intercept: bool, tremor: float
) -> tuple[FloatArray, FloatArray, FloatArray, float]:
    """Return columns and y of a training set, and what was subtracted if there is an intercept.

    Rows are off by up to ``tremor``, relative to what is left of them.
    """
    n, p = train.size, X.shape[1]
    Xt, target, centre, mean = np.empty((p, n)), np.empty(n), np.zeros(p), 0.0
    for k in range(n):
        target[k] = y[train[k]]
        for j in range(p):
            Xt[j, k] = X[train[k], j]
    if with_intercept:
        mean = target.mean()
        target -= mean
        for j in range(p):
            centre[j] = Xt[j].mean()
            Xt[j] -= centre[j]
    if tremor > 0.0:
        for j in range(p):
            for k in range(n):
                # Of no pattern, and the same in every run.
                Xt[j, k] *= 1.0 + tremor * np.sin(12.9898 * (k + 1) + 78.233 * j)
    return Xt, target, centre, mean


@compiled
def follow_units(
    X: FloatArray,
    y: FloatArray,
    train: IntArray,
    tests: IntArray,
    with_intercept: bool,
    settings: tuple[float, float, float, int, bool],
    blur: float,
    tremor: float,
    most_rows: int,
    response: FloatArray,
) -> int:
    """Write what the solver's model of some units responds to others; return how its path ends.

    Rows of the training set are off by up to ``tremor``, relative to what is left of them after
    centring; if it is 0, they are as given. Units may be repeated.
    """
    penalty, share, tol, max_iter, positive = settings
    n, p = train.size, X.shape[1]
    Xt, target, centre, mean = centred(X, y, train, with_intercept, tremor)
    squares, start = np.empty(p), np.empty(p)
    for j in range(p):
        squares[j] = np.dot(Xt[j], Xt[j])
        start[j] = np.dot(Xt[j], target)
    w = np.zeros(p)
    end = follow(
        penalty * share * n,
        penalty * (1.0 - share) * n,
        tol,
        max_iter,
        positive,
        blur,
        np.dot(target, target),
        squares,
        np.ones(p),
        Xt,
        np.empty((most_rows, p)),
        np.full(p, -1),
        np.zeros(1, dtype=np.int64),
        np.empty((0, p)),
        np.zeros(p),
        n,
        start,
        start.copy(),
        np.empty(0),
        0.0,
        np.empty((p // 2, p // 2)),
        w,
        np.empty(p),
    )
    for t in range(tests.size):
        response[t] = mean
        for j in range(p):
            if w[j] != 0.0:
                response[t] += (X[tests[t], j] - centre[j]) * w[j]
    return end


@compiled
def follow_prepared(
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
    sets: IntArray,
    alpha: FloatArray,
    share: FloatArray,
    response: FloatArray,
    error: FloatArray,
) -> None:
    """Do the same as `follow_sets` with columns prepared for every set, twice.

    Parameters are those of `follow_sets`, with values, marks of missing cells, and by what these
    are filled, the columns shifted and divided, in one row per set or one for all; ``growth`` says
    by how much rounding has grown. ``limits`` are tolerance, most sweeps, and whether coefficients
    are positive; ``alpha`` and ``share`` the penalty of each set, NaN if unknown, and its share of
    L1.
    """
    m, p = values.shape
    tol, max_iter, positive = limits
    X, is_out, other = np.empty((m, p)), np.empty(m, dtype=np.bool_), np.empty(sets.shape[1])
    for k in range(sets.shape[0]):
        at = k if fill.shape[0] > 1 else 0
        if k == 0 or fill.shape[0] > 1:
            prepare(values, missing, fill[at], shift[at], scale[at], X)
        response[k], error[k] = 0.0, np.inf
        if not alpha[k] > 0.0:
            continue
        is_out[:] = False
        is_out[sets[k]] = True
        train = np.flatnonzero(~is_out)
        error[k] = follow_twice(
            X,
            y,
            train,
            sets[k],
            with_intercept,
            (alpha[k], share[k], tol, max_iter, positive),
            growth[k],
            most_rows,
            response[k],
            other,
        )


@compiled
def follow_twice(
    X: FloatArray,
    y: FloatArray,
    train: IntArray,
    tests: IntArray,
    with_intercept: bool,
    settings: tuple[float, float, float, int, bool],
    growth: float,
    most_rows: int,
    response: FloatArray,
    other: FloatArray,
) -> float:
    """Write the responses of a model, and return how far they may be off by rounding.

    Two paths, the second on a training set that is off by `TREMOR`, show how much rounding grows.
    """
    response[:] = 0.0
    if not growth < np.inf:
        return np.inf
    tremor, blur = TREMOR * growth, BLUR * growth
    common = (with_intercept, settings, blur)
    end = follow_units(X, y, train, tests, *common, 0.0, most_rows, response)
    if end > STAYED:
        return np.inf
    if follow_units(X, y, train, tests, *common, tremor, most_rows, other) != end:
        return np.inf
    apart, largest, is_same = 0.0, 0.0, True
    for t in range(tests.size):
        apart = max(apart, abs(response[t] - other[t]))
        largest = max(largest, abs(response[t]))
        is_same = is_same and response[t] == response[0] and other[t] == other[0]
    if is_same:
        return 0.0
    return SAFETY * (apart + tremor * largest) if apart <= GROWTH * tremor * largest else np.inf
