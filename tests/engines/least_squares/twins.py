"""Plain NumPy twins of the compiled kernels, written for reading."""

import numpy as np

from tlpo.games.response import TIE_ATOL, TIE_RTOL


def predict_pair(h, a_i, a_j, u_i, u_j, y_i, y_j):
    block = np.array([[a_i, -h], [-h, a_j]])
    right = np.array([u_i - h * y_j, u_j - h * y_i])
    f_i, f_j = np.linalg.solve(block, right)
    sizes = abs(y_i) + abs(y_j) + 2 * max(abs(f_i), abs(f_j))
    return f_i, f_j, (a_i + a_j + 2 * abs(h)) * sizes / np.linalg.det(block)


def half_wins(f_i, f_j):
    tie = max(TIE_RTOL * max(abs(f_i), abs(f_j)), TIE_ATOL)
    return 1 if abs(f_i - f_j) <= tie else 2 if f_i > f_j else 0


def column_of(own, other):
    return 0 if own > other else 1 if own < other else 2


def play(H, a, u, y, g, level, ordered):
    """Play every game from the whole matrix H: half-wins (m, 3) and ties."""
    m = len(a)
    wins, ties = np.zeros((m, 3), dtype=int), 0
    for i in range(m):
        for j in range(i + 1, m):
            if ordered and level[i] == level[j]:
                continue
            f_i, f_j, _ = predict_pair(H[i, j], a[i], a[j], u[i], u[j], y[i], y[j])
            won = half_wins(f_i * g[i], f_j * g[j])
            wins[i, column_of(level[i], level[j])] += won
            wins[j, column_of(level[j], level[i])] += 2 - won
            ties += won == 1
    return wins, ties


def predictions(H, a, u, y):
    m = len(a)
    F = np.full((m, m), np.nan)
    for i in range(m):
        for j in range(i + 1, m):
            F[i, j], F[j, i], _ = predict_pair(H[i, j], a[i], a[j], u[i], u[j], y[i], y[j])
    return F


def sorted_units(order, a, u, y):
    a, u, y = a[order], u[order], y[order]
    p, h = u / a, 1 - a
    r, root = np.abs(y - p), np.sqrt(np.maximum(h, 0))
    return np.array([a, u, y, p, root * r, root / a, h / a, r])


def ends(p, v, w, t, r, slack):
    rho = t * t.max()
    most = v * w.max() + w * v.max() + rho * (r + r.max())
    bound = np.where(rho < 1, most / np.where(rho < 1, 1 - rho, 1), np.inf)
    return np.searchsorted(p, p + bound + slack, side="right")
