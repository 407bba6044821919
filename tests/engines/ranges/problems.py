"""Tables large enough for bounds, most of them nasty, and what it means to decide by these."""

import numpy as np
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

import tlpo
from tlpo.engines import by_sets
from tlpo.engines.preparation.steps import prepare
from tlpo.execution.options import Execution
from tlpo.games.schedule import all_pairs
from tlpo.problem.problem import make_problem

KINDS = (
    "plain",
    "skewed",
    "heavy tails",
    "integers",
    "rare categories",
    "constant and duplicates",
    "extreme scales",
    "collinear",
    "outliers",
)
SCALERS = (
    StandardScaler(),
    StandardScaler(with_mean=False),
    StandardScaler(with_std=False),
    MinMaxScaler(),
    MinMaxScaler((-1, 1)),
    RobustScaler(),
    RobustScaler(unit_variance=True),
    MaxAbsScaler(),
)


def table(kind, seed):
    """Draw units of two classes; the smaller one may have four."""
    rng = np.random.default_rng(seed)
    m, n = int(rng.choice([400, 450])), int(rng.choice([1, 2, 5, 8]))
    y = np.zeros(m, dtype=int)
    y[rng.permutation(m)[: rng.choice([4, 10, m // 10, m // 2])]] = 1
    X = rng.normal(size=(m, n))
    if kind == "skewed":
        X = rng.lognormal(sigma=1.5, size=(m, n))
    elif kind == "heavy tails":
        X = rng.standard_cauchy(size=(m, n))
    elif kind == "integers":
        X = np.round(X)
    elif kind == "rare categories":
        X = (X > 1.5).astype(float)
    elif kind == "constant and duplicates":
        X[:, 0] = 3.0
        X[m // 2 :] = X[: m - m // 2]
    elif kind == "extreme scales":
        X = X * 10.0 ** rng.integers(-6, 7, size=n) + 10.0 ** rng.integers(-3, 4, size=n)
    elif kind == "collinear":
        X[:, -1] = X[:, 0] + 1e-3 * X[:, -1]
    elif kind == "outliers":
        X[:, 0] = 0.0
        X[rng.integers(m, size=rng.integers(1, 5)), 0] = 100.0 * rng.normal()
        X[3] *= 40.0
    X += X.std(axis=0) * rng.choice([0.0, 0.3, 1.5]) * y[:, None] * (rng.random(n) < 0.5)
    return X, y


def assert_like_all_games(model, X, y, engine, monkeypatch):
    """Wins and ties with bounds are those without; returns the share of games that were open."""
    monkeypatch.setattr(by_sets, "RANGES_FROM", 10**9)
    every = tlpo.tournament(model, X, y, engine=engine, predictions=False)
    monkeypatch.setattr(by_sets, "RANGES_FROM", 400)
    pruned = tlpo.tournament(model, X, y, engine=engine, predictions=False)
    assert np.array_equal(pruned.standings.wins, every.standings.wins)
    assert np.array_equal(pruned.standings.games, every.standings.games)
    assert pruned.n_ties == every.n_ties
    pair = tlpo.leave_pair_out(model, X, y, engine=engine)
    assert pair.auc == every.lpo_auc
    return pruned.diagnostics.games_evaluated / every.diagnostics.games_evaluated


def bounded_gaps(own, i, j):
    """Return gaps of bases, their bounds, gaps after a closer look, and the errors of these."""
    gap, bound = own.base[i] - own.base[j], own.slack[i] + own.slack[j]
    bound = bound + np.sum(own.near[i] * own.far[j] + own.near[j] * own.far[i], axis=1)
    if own.closer is None:
        return gap, bound, gap, bound
    return gap, bound, *own.closer(np.column_stack([own.units[i], own.units[j]]))


def pairs_of(own, level):
    """List the games that bounds are about, of units that have any."""
    i, j = all_pairs(own.units.size).T
    known = np.isfinite(own.slack)[i] & np.isfinite(own.slack)[j]
    if own.ordered:
        known &= level[own.units[i]] != level[own.units[j]]
    return i[known], j[known]


def gaps_and_bounds(kind, model, X, y, to_gap=lambda response: response):
    """Return the gaps of all games by the engine, and those of `bounded_gaps`.

    ``kind`` is the type of engine, and ``to_gap`` turns responses into what bases are about.
    """
    engine = kind(prepare(model, make_problem(X, y)))
    found = []
    for own in engine.bounds(False, Execution()):
        i, j = pairs_of(own, engine.problem.outcome.level)
        if not i.size:  # too few units of a class
            continue
        games = np.column_stack([own.units[i], own.units[j]])
        responses = to_gap(engine.bracket(games, Execution()).response)
        found.append((np.subtract(*responses.T), *bounded_gaps(own, i, j)))
    return [np.concatenate(column) for column in zip(*found, strict=True)]


def assert_like_refits(kind, model, m, n_games=2000):
    """Games that bounds decide, half of them as close as possible, go as by refitting."""
    rng = np.random.default_rng(m)
    y = (np.arange(m) % 10 == 0).astype(int)
    X = rng.lognormal(size=(m, 6)) * (1.0 + 0.4 * y[:, None])
    engine = kind(prepare(model, make_problem(X, y)))
    played, every = 0, engine.bounds(False, Execution())
    for own in every:
        order = np.argsort(own.base)
        first = rng.integers(0, own.units.size - 40, size=40_000)
        ahead = np.where(np.arange(first.size) % 2, rng.integers(1, 40, size=first.size), 1)
        far = rng.integers(0, own.units.size, size=first.size)
        second = np.where(np.arange(first.size) % 4 == 0, far, first + ahead)
        i, j = order[first], order[second]
        level = y[own.units]
        gap, bound, closer, error = bounded_gaps(own, i, j)
        kept = (i != j) & np.where(own.ordered, level[i] != level[j], True)
        by_range = np.abs(gap) > bound
        decided = kept & (by_range | (np.abs(closer) > error))
        winner = np.where(by_range, gap, closer) > 0
        size = np.minimum(np.abs(gap), np.abs(closer))
        closest = np.argsort(np.where(decided, size, np.inf))[: n_games // (2 * len(every))]
        others = rng.choice(np.flatnonzero(decided), n_games // (2 * len(every)), replace=False)
        sampled = np.concatenate([closest, others])
        games = np.column_stack([own.units[i], own.units[j]])[sampled]
        refitted = engine.prepared.refits.play(games, Execution()).outcome
        assert np.array_equal(refitted, winner[sampled].astype(float))
        played += len(games)
    assert played >= n_games - 2 * len(every)
