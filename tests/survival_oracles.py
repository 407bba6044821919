"""Times to an event: naive loops, written from the definitions, and samples to run them on."""

import itertools

import numpy as np
from scipy.optimize import brentq
from sklearn.base import clone

from oracles import heaviside


def patients(m=16, seed=0, n_times=None, censored=0.4, signal=1.0):
    """Three features, the first of which shortens times; with ``n_times``, times are shared."""
    rng = np.random.default_rng([seed, m])
    X = rng.normal(size=(m, 3))
    time = rng.exponential(np.exp(-signal * X[:, 0])) + 0.01
    left = rng.exponential(np.quantile(time, 1 - censored / 2) / censored, m) + 0.01
    event, time = time <= left, np.minimum(time, left)
    if n_times is not None:
        time = np.ceil(time / time.max() * n_times)
    event[np.argsort(time)[: m // 4]] = True  # enough to leave two out
    return X, time, event


def y_of(time, event):
    """Return the array that survival models are fitted on."""
    y = np.empty(len(time), dtype=[("event", bool), ("time", float)])
    y["event"], y["time"] = event, time
    return y


def ordered_pairs(time, event):
    """Who should win over whom: had the event while the other was known to be without it."""
    m = len(time)
    return [
        (i, j)
        for i in range(m)
        for j in range(m)
        if event[i] and (time[i] < time[j] or (time[i] == time[j] and not event[j]))
    ]


def held_out_risk(model, X, time, event, sign=1.0, train_on=None):
    """F[i, j]: the risk of i under the model without i and j; ``train_on`` may leave out more."""
    m = len(time)
    y, F = y_of(time, event), np.full((m, m), np.nan)
    for i, j in itertools.combinations(range(m), 2):
        train = [k for k in range(m) if k not in (i, j)]
        if train_on is not None:
            train = [k for k in train if train_on(k, i, j)]
        fitted = clone(model).fit(X[train], y[train])
        F[i, j], F[j, i] = sign * fitted.predict(X[[i, j]])
    return F


def share(score, pairs, weight=None):
    """The weighted share of pairs whose first has the higher score; of scores or a table F."""
    wins = games = 0.0
    for i, j in pairs:
        a, b = (score[i], score[j]) if np.ndim(score) == 1 else (score[i, j], score[j, i])
        w = 1.0 if weight is None else weight[i]
        wins, games = wins + w * heaviside(a, b), games + w
    return wins / games


def wins_of(F):
    m = len(F)
    return np.array(
        [sum(heaviside(F[i, j], F[j, i]) for j in range(m) if j != i) for i in range(m)]
    )


def still_followed(time, event, t):
    """G(t−), the share not censored before t: at any time, events come first."""
    share = 1.0
    for s in sorted(set(time)):
        if s >= t:
            break
        lost = np.sum((time == s) & ~event)
        share *= 1.0 - lost / max(1, np.sum((time > s) | ((time == s) & ~event)))
    return share


def survivors(time, event, t):
    """S(t), by Kaplan and Meier."""
    share = 1.0
    for s in sorted(set(time[event])):
        if s <= t:
            share *= 1.0 - np.sum((time == s) & event) / np.sum(time >= s)
    return share


def uno(F, time, event, tau=np.inf):
    weight = [still_followed(time, event, t) ** -2.0 for t in time]
    pairs = [(i, j) for i, j in ordered_pairs(time, event) if time[i] < tau]
    return share(F, pairs, weight)


def cases_and_controls(time, event, t):
    cases = [i for i in range(len(time)) if event[i] and time[i] <= t]
    weight = {i: 1.0 / still_followed(time, event, time[i]) for i in cases}
    return cases, [j for j in range(len(time)) if time[j] > t], weight


def auc_at(F, time, event, t):
    cases, controls, weight = cases_and_controls(time, event, t)
    return share(F, [(i, j) for i in cases for j in controls], weight)


def rates_at(score, time, event, t, threshold):
    """False and true positive rate at a time of "score > threshold"."""
    cases, controls, weight = cases_and_controls(time, event, t)
    above = sum(weight[i] for i in cases if score[i] > threshold)
    fpr = sum(score[j] > threshold for j in controls) / len(controls)
    return fpr, above / sum(weight.values())


def sensitivity_at(score, time, event, t, specificity):
    found = [rates_at(score, time, event, t, cut) for cut in (*np.unique(score), -np.inf)]
    return max(tpr for fpr, tpr in found if fpr <= 1 - specificity + 1e-12)


def placement_jackknife(F, c, quantile, as_printed=False):
    """The interval for any order, step by step, from F and the matrix of weights c.

    Games that share the unit that should lose are both won with probability θ/(2 − θ), as Hanley
    and McNeil have it; ``as_printed`` exchanges this with that of games that share the winner.
    """
    m, U = len(F), np.heaviside(np.nan_to_num(F - F.T), 0.5)
    P = c.sum()
    C = (c * U).sum() / P
    psi = (c * (U - C)).sum(axis=1) + (c * (U - C)).sum(axis=0)
    place = m / (m - 1) * np.sum(psi**2) / P**2
    d, without = np.nanmean(F, axis=1), []
    for k in range(m):
        shift = F[:, k] - d
        left = c.copy()
        left[k], left[:, k] = 0.0, 0.0
        gap = np.nan_to_num(F - F.T + shift[:, None] - shift[None, :])
        gap[np.abs(gap) < 1e-12] = 0.0
        without.append((left * np.heaviside(gap, 0.5)).sum() / left.sum())
    jack = (m - 1) / m * np.sum((np.array(without) - np.mean(without)) ** 2)
    won, lost, squares = c.sum(axis=1), c.sum(axis=0), (c**2).sum()
    n_w, n_l, n_c = won @ won - squares, lost @ lost - squares, 2 * won @ lost

    def variance(theta):
        own = theta * (1 - theta)
        winner, loser = 2 * theta**2 / (1 + theta) - theta**2, theta / (2 - theta) - theta**2
        if as_printed:
            winner, loser = loser, winner
        return (squares * own + n_w * winner + n_l * loser - n_c * own / 3) / P**2

    phi = max(1.0, np.sqrt(place * jack) / variance(C))

    def outside(theta):
        return (C - theta) ** 2 - quantile**2 * phi * variance(theta)

    return (brentq(outside, 0.0, C), brentq(outside, C, 1.0)), phi, place, jack


def weights_of(time, event, pairs=None, weight=None):
    """The matrix c of ordered pairs, weighted by who should win."""
    c = np.zeros((len(time), len(time)))
    for i, j in ordered_pairs(time, event) if pairs is None else pairs:
        c[i, j] = 1.0 if weight is None else weight[i]
    return c
