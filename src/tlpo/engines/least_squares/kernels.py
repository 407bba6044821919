"""Loops over games, compiled by numba. Free functions on arrays, no checks.

No fastmath: reordering additions may change a tie. Each has a plain NumPy twin that a test
compares it with. Wins are counted in halves, as whole numbers, so the order of counting does not
matter.

Symbols: ``h`` = h_ij; ``a`` = 1 − h_ii; ``u`` = ŷ_i − h_ii y_i, so that ``u / a`` is the
leave-one-out prediction; ``g`` undoes the scaling by square roots of sample weights.
"""

from __future__ import annotations

import numpy as np

from tlpo.arrays import FloatArray, HalfWins, IntArray
from tlpo.compiled import compiled
from tlpo.games.response import TIE_ATOL, TIE_RTOL


@compiled
def predict_pair(
    h: float, a_i: float, a_j: float, u_i: float, u_j: float, y_i: float, y_j: float
) -> tuple[float, float, float]:
    """Predict i and j by the model without both; also return how errors of h and a grow."""
    det = a_i * a_j - h * h
    if not det > 0.0:  # rounding: the two units leave nothing to predict them from
        return 0.0, 0.0, np.inf
    e_i, e_j = u_i - h * y_j, u_j - h * y_i
    f_i = (a_j * e_i + h * e_j) / det
    f_j = (a_i * e_j + h * e_i) / det
    sizes = abs(y_i) + abs(y_j) + 2.0 * max(abs(f_i), abs(f_j))
    return f_i, f_j, (a_i + a_j + 2.0 * abs(h)) * sizes / det


@compiled
def predict_games(
    h: FloatArray,
    first: IntArray,
    second: IntArray,
    a: FloatArray,
    u: FloatArray,
    y: FloatArray,
    f: FloatArray,
    growth: FloatArray,
) -> None:
    """Write the predictions of listed games into ``f`` (g, 2), and how errors grow."""
    for k in range(h.size):
        i, j = first[k], second[k]
        f[k, 0], f[k, 1], growth[k] = predict_pair(h[k], a[i], a[j], u[i], u[j], y[i], y[j])


@compiled
def tie_width(f_i: float, f_j: float) -> float:
    """Return how far two responses may be apart and still tie, as `games.response` has it."""
    return max(TIE_RTOL * max(abs(f_i), abs(f_j)), TIE_ATOL)


@compiled
def half_wins(f_i: float, f_j: float) -> int:
    """Return the result of a game for i, in halves: 2, 1 or 0."""
    # As in `tlpo.games.response.outcomes`, to the last bit: a difference would round differently.
    if min(f_i, f_j) >= max(f_i, f_j) - tie_width(f_i, f_j):
        return 1
    return 2 if f_i > f_j else 0


@compiled
def is_doubtful(f_i: float, f_j: float, error: float) -> bool:
    """Return whether rounding might decide: but for the error, the gap is the widest tie."""
    return not abs(abs(f_i - f_j) - tie_width(f_i, f_j)) > error


@compiled
def column_of(own: int, other: int) -> int:
    """Return where a game counts: with a unit that should lose, that should win, or a peer."""
    if own == other:
        return 2
    return 1 if other > own else 0


@compiled
def play_rows(
    H: FloatArray,
    sign: float,
    first: int,
    start: int,
    stop: int,
    a: FloatArray,
    u: FloatArray,
    y: FloatArray,
    g: FloatArray,
    level: IntArray,
    ordered: bool,
    error: float,
    least_det: float,
    wins: HalfWins,
    doubts: IntArray,
) -> tuple[int, int]:
    """Play the units ``start … stop`` against all later units.

    ``sign · H[r, c]`` is h of the units ``first + r`` and ``first + c``. Adds to ``wins`` (m, 3),
    in halves: of games that a unit should win, should lose, and with peers. A game that the
    ``error`` of the entries of H might decide, or whose determinant is less than ``least_det``, is
    doubtful: it is counted as a tie and recorded in ``doubts`` while there is room. Returns the
    number of ties and of doubtful games.
    """
    ties = 0
    n_doubts = 0
    for i in range(start, stop):
        for j in range(i + 1, a.size):
            if ordered and level[i] == level[j]:
                continue
            h = sign * H[i - first, j - first]
            f_i, f_j, growth = predict_pair(h, a[i], a[j], u[i], u[j], y[i], y[j])
            f_i, f_j = f_i * g[i], f_j * g[j]
            won = half_wins(f_i, f_j)
            free = a[i] * a[j] - h * h >= least_det
            if not free or is_doubtful(f_i, f_j, error * growth * max(g[i], g[j])):
                won = 1
                if n_doubts < doubts.shape[0]:
                    doubts[n_doubts, 0] = i
                    doubts[n_doubts, 1] = j
                n_doubts += 1
            wins[i, column_of(level[i], level[j])] += won
            wins[j, column_of(level[j], level[i])] += 2 - won
            ties += won == 1
    return ties, n_doubts


@compiled
def predict_rows(
    H: FloatArray,
    sign: float,
    first: int,
    a: FloatArray,
    u: FloatArray,
    y: FloatArray,
    table: FloatArray,
) -> None:
    """Write the predictions of the units ``first …`` and all later ones into the m × m table."""
    for r in range(H.shape[0]):
        i = first + r
        table[i, i] = np.nan
        for j in range(i + 1, a.size):
            h = sign * H[r, j - first]
            f_i, f_j, _ = predict_pair(h, a[i], a[j], u[i], u[j], y[i], y[j])
            table[i, j] = f_i
            table[j, i] = f_j


@compiled
def dot(x: FloatArray, y: FloatArray) -> float:
    """Return the inner product, in four running sums that the processor can add in parallel."""
    n = x.size
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    whole = n - n % 4
    for c in range(0, whole, 4):
        s0 += x[c] * y[c]
        s1 += x[c + 1] * y[c + 1]
        s2 += x[c + 2] * y[c + 2]
        s3 += x[c + 3] * y[c + 3]
    for c in range(whole, n):
        s0 += x[c] * y[c]
    return (s0 + s1) + (s2 + s3)


@compiled
def sort_units(
    start: int,
    stop: int,
    order: IntArray,
    a: FloatArray,
    u: FloatArray,
    y: FloatArray,
    rows: FloatArray,
) -> None:
    """Write a, u, y, p, v, w, t and r of the units at places ``start … stop`` into ``rows`` (8, m).

    With the leverage ``h = 1 − a``: ``p = u/a``, ``r = |y − p|``, ``v = √h r``, ``w = √h/a`` and
    ``t = h/a``, as in `certified`.
    """
    for k in range(start, stop):
        i = order[k]
        p, h = u[i] / a[i], 1.0 - a[i]
        r, root = abs(y[i] - p), np.sqrt(max(h, 0.0))
        rows[0, k], rows[1, k], rows[2, k], rows[3, k] = a[i], u[i], y[i], p
        rows[4, k], rows[5, k], rows[6, k], rows[7, k] = root * r, root / a[i], h / a[i], r


@compiled
def gather_rows(
    start: int,
    stop: int,
    order: IntArray,
    X: FloatArray,
    mean: FloatArray,
    constant: float,
    scale: FloatArray,
    Z: FloatArray,
) -> None:
    """Write the rows of the design at places ``start … stop`` into ``Z``, in the given order.

    ``scale`` is empty if it is 1; the constant column is written if Z has one.
    """
    n = X.shape[1]
    for k in range(start, stop):
        i = order[k]
        for f in range(n):
            Z[k, f] = X[i, f] - mean[f]
        if Z.shape[1] > n:
            Z[k, n] = constant
        if scale.size:
            for f in range(Z.shape[1]):
                Z[k, f] *= scale[i]


@compiled
def find_ends(
    start: int,
    stop: int,
    p: FloatArray,
    v: FloatArray,
    w: FloatArray,
    t: FloatArray,
    r: FloatArray,
    most: FloatArray,
    slack: float,
    end: IntArray,
) -> None:
    """Write where the units begin that a unit is certain to lose to, whoever they are.

    ``most`` holds the largest v, w, t and r. Units are sorted by p; the search starts where that
    of the unit before ended, and its steps double.
    """
    m = p.size
    at = start
    for i in range(start, stop):
        rho = t[i] * most[2]
        if not rho < 1.0:
            end[i] = m
            continue
        bound = (v[i] * most[1] + w[i] * most[0] + rho * (r[i] + most[3])) / (1.0 - rho)
        reach = p[i] + bound + slack
        low, high, step = at, at, 1
        while high < m and p[high] <= reach:
            low, high, step = high + 1, high + step, 2 * step
        step = 1
        while low > 0 and p[low - 1] > reach:
            high, low, step = low - 1, low - step, 2 * step
        low, high = max(low, 0), min(high, m)
        while low < high:
            middle = (low + high) // 2
            if p[middle] <= reach:
                low = middle + 1
            else:
                high = middle
        end[i] = at = low


@compiled
def play_near(
    start: int,
    stop: int,
    end: IntArray,
    Q: FloatArray,
    p: FloatArray,
    v: FloatArray,
    w: FloatArray,
    t: FloatArray,
    r: FloatArray,
    a: FloatArray,
    u: FloatArray,
    y: FloatArray,
    level: IntArray,
    slack: float,
    ordered: bool,
    error: float,
    change: HalfWins,
    doubts: IntArray,
) -> tuple[int, int, int]:
    """Play the games of the units ``start … stop`` that the order of p does not decide.

    Units are sorted by their leave-one-out prediction p. Unit i meets the later units before
    ``end[i]``; a game whose gap in p exceeds its own bound is decided without h_ij. Starting from
    "the later unit wins", changes of wins in halves are added to ``change``, whose first row
    belongs to ``start``. Doubtful games are counted as ties and recorded in ``doubts`` as in
    `play_rows`. Returns the number of games evaluated, of ties and of doubtful games.
    """
    evaluated = 0
    ties = 0
    n_doubts = 0
    for i in range(start, stop):
        p_i, v_i, w_i, t_i, r_i = p[i] + slack, v[i], w[i], t[i], r[i]
        a_i, u_i, y_i, level_i = a[i], u[i], y[i], level[i]
        for j in range(i + 1, end[i]):
            rho = t_i * t[j]
            if (p[j] - p_i) * (1.0 - rho) > v_i * w[j] + w_i * v[j] + rho * (r_i + r[j]):
                continue
            level_j = level[j]
            if ordered and level_i == level_j:
                continue
            f_i, f_j, growth = predict_pair(dot(Q[i], Q[j]), a_i, a[j], u_i, u[j], y_i, y[j])
            evaluated += 1
            won = half_wins(f_i, f_j)
            if is_doubtful(f_i, f_j, error * growth):
                won = 1
                if n_doubts < doubts.shape[0]:
                    doubts[n_doubts, 0] = i
                    doubts[n_doubts, 1] = j
                n_doubts += 1
            if won:
                change[i - start, column_of(level_i, level_j)] += won
                change[j - start, column_of(level_j, level_i)] -= won
                ties += won == 1
    return evaluated, ties, n_doubts


@compiled
def look_at_games(
    games: IntArray,
    Q: FloatArray,
    moved: FloatArray,
    weight: FloatArray,
    y: FloatArray,
    a: FloatArray,
    r: FloatArray,
    e: FloatArray,
    kappa: FloatArray,
    inner: FloatArray,
    psi: FloatArray,
    chi: FloatArray,
    eta: FloatArray,
    tau: FloatArray,
    slack: FloatArray,
    c: float,
    gap: FloatArray,
    error: FloatArray,
) -> None:
    """Write gaps to first order in what else a pair changes, and by how much they may be off.

    Symbols are those of `bounded`. ``moved`` has no rows if nothing else changes.
    """
    for g in range(games.shape[0]):
        i, j = games[g, 0], games[g, 1]
        K = dot(Q[i], Q[j])
        rest = 1.0 - weight[i] * weight[j] * K * K / (a[i] * a[j])
        f_i = y[i] - (r[i] + weight[j] * K * r[j] / a[i]) / rest
        f_j = y[j] - (r[j] + weight[i] * K * r[i] / a[j]) / rest
        gap[g] = f_i - f_j
        error[g] = slack[i] + slack[j]
        if moved.shape[0]:
            own = dot(Q[i], moved[i]) - dot(Q[j], moved[j])
            gap[g] -= own + dot(Q[i], moved[j]) - dot(Q[j], moved[i])
            s = weight[i] * kappa[i] * abs(e[i]) + weight[j] * kappa[j] * abs(e[j])
            second = (eta[i] + eta[j]) * s + (tau[i] + tau[j]) * (psi[i] + psi[j])
            error[g] += (inner[i] + inner[j]) * (chi[i] + chi[j] + c * second)
        if not tau[i] + tau[j] < np.inf:
            error[g] = np.inf


@compiled
def reordered_shares(
    H: FloatArray,
    sign: float,
    a: FloatArray,
    scale: FloatArray,
    error: float,
    least_det: float,
    target: FloatArray,
    level: IntArray,
    orders: IntArray,
    ordered: bool,
    shares: FloatArray,
    doubts: IntArray,
) -> None:
    """Play one tournament for every order of the outcome, with the same hat matrix.

    In order b, unit i has the outcome of unit ``orders[b, i]``. Writes the share of games won as
    they should be (``ordered``) or, of two classes, the AUC of the tournament scores, and the
    number of games that rounding might decide.
    """
    m = a.size
    y, u = np.empty(m), np.empty(m)
    own = np.empty(m, dtype=np.intp)
    half_scores = np.empty(m, dtype=np.int64)
    for b in range(orders.shape[0]):
        for i in range(m):
            own[i] = level[orders[b, i]]
            y[i] = target[orders[b, i]] * scale[i]
            half_scores[i] = 0
        for i in range(m):
            # the diagonal of H is 0 here, which leaves ŷ_i − h_ii y_i
            u[i] = sign * dot(H[i], y)
        won_as_expected, n_ordered, n_doubts = 0, 0, 0
        for i in range(m):
            for j in range(i + 1, m):
                if ordered and own[i] == own[j]:
                    continue
                h = sign * H[i, j]
                f_i, f_j, growth = predict_pair(h, a[i], a[j], u[i], u[j], y[i], y[j])
                f_i, f_j = f_i / scale[i], f_j / scale[j]
                won = half_wins(f_i, f_j)
                rounding = error * growth / min(scale[i], scale[j])
                if a[i] * a[j] - h * h < least_det or is_doubtful(f_i, f_j, rounding):
                    n_doubts += 1
                half_scores[i] += won
                half_scores[j] += 2 - won
                if own[i] != own[j]:
                    n_ordered += 1
                    won_as_expected += won if own[i] > own[j] else 2 - won
        doubts[b] = n_doubts
        if not ordered:
            won_as_expected = _half_wins_by_score(half_scores, own)
        shares[b] = won_as_expected / (2.0 * n_ordered)


@compiled
def _half_wins_by_score(half_scores: IntArray, is_positive: IntArray) -> int:
    """Count, in halves, how often a positive outscores a negative."""
    m = half_scores.size
    negatives = np.zeros(2 * m, dtype=np.int64)
    for i in range(m):
        if not is_positive[i]:
            negatives[half_scores[i]] += 1
    lower = np.zeros(2 * m + 1, dtype=np.int64)
    for s in range(2 * m):
        lower[s + 1] = lower[s] + negatives[s]
    total = 0
    for i in range(m):
        if is_positive[i]:
            s = half_scores[i]
            total += 2 * lower[s] + negatives[s]
    return total


@compiled
def choose_penalties(
    M: FloatArray,
    e: FloatArray,
    y: FloatArray,
    blur: FloatArray,
    blur_e: FloatArray,
    sets: IntArray,
    f: FloatArray,
    growth: FloatArray,
    best: IntArray,
    gap: FloatArray,
) -> None:
    """Choose for every pair the penalty with the smallest leave-one-out errors without it.

    ``M = I − H`` (L, m, m) and the residuals ``e`` (L, m) belong to one penalty each; ``blur`` and
    ``blur_e`` (L, m) say how well an estimator knows the diagonal of M, and e. Writes the
    predictions, how errors of M grow, the choice, and by how much, relatively, any other is worse
    at least.
    """
    n_choices, m = e.shape
    totals, doubts = np.empty(n_choices), np.empty(n_choices)
    for t in range(sets.shape[0]):
        i, j = sets[t]
        least = np.inf
        best[t], growth[t], f[t, 0], f[t, 1] = 0, np.inf, 0.0, 0.0
        for c in range(n_choices):
            row_i, row_j, own = M[c, i], M[c, j], M[c]
            a_i, a_j, h = row_i[i], row_j[j], -row_i[j]
            det = a_i * a_j - h * h
            if not det > 0.0:
                least = np.nan
                break
            r_i = (a_j * e[c, i] + h * e[c, j]) / det
            r_j = (a_i * e[c, j] + h * e[c, i]) / det
            b_i, b_j, b_h = a_j / det, a_i / det, 2.0 * h / det
            total, doubt = 0.0, 0.0
            for k in range(m):
                if k in (i, j):
                    continue
                u, v = row_i[k], row_j[k]
                free = own[k, k] - (u * u * b_i + v * v * b_j + u * v * b_h)
                if not free > 0.0:  # rounding
                    total = np.nan
                    break
                error = (e[c, k] - u * r_i - v * r_j) / free
                total += error * error
                if blur[c, k] > 0.1 * free:
                    doubt = np.inf
                doubt += 2.0 * abs(error) * (blur_e[c, k] + abs(error) * blur[c, k]) / free
            if np.isnan(total):
                least = np.nan
                break
            totals[c], doubts[c] = total, doubt
            if total < least:
                least = total
                best[t] = c
                f[t, 0], f[t, 1] = y[i] - r_i, y[j] - r_j
                sizes = abs(y[i]) + abs(y[j]) + 2.0 * max(abs(f[t, 0]), abs(f[t, 1]))
                growth[t] = (a_i + a_j + 2.0 * abs(h)) * sizes / det
        gap[t] = 1.0 if n_choices == 1 else np.inf
        if least > 0.0:
            for c in range(n_choices):
                if c != best[t]:
                    gap[t] = min(gap[t], (totals[c] - least - doubts[c] - doubts[best[t]]) / least)
        elif n_choices > 1:
            gap[t] = 0.0
        if not np.isfinite(least):
            growth[t] = np.inf
