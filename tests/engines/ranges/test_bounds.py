import numpy as np
import pytest

from tlpo.engines import by_sets
from tlpo.engines.by_sets import Answers, BySets
from tlpo.engines.preparation.prepared import unprepared
from tlpo.engines.ranges import bounds as ranges
from tlpo.engines.ranges.bounds import Bounds, Ranges
from tlpo.execution.options import Execution
from tlpo.games.schedule import Schedule
from tlpo.learners import RLS
from tlpo.problem.problem import make_problem


def numbers(m, seed, heavy=True):
    """Bases, factors and slacks, some far larger than most, some unknown, some equal."""
    rng = np.random.default_rng(seed)
    base = rng.normal(size=m)
    base[: m // 10] = np.round(base[: m // 10], 1)
    near, far = rng.exponential(0.05, size=(2, m, 2))
    slack = rng.exponential(0.01, size=m)
    if heavy:
        near[rng.integers(m, size=3)] *= 50.0
        far[rng.integers(m, size=3)] *= 50.0
        slack[rng.integers(m)] = np.inf
        near[rng.integers(m), 0] = np.nan
    return base, near, far, slack


def open_by_definition(base, near, far, slack, level, ordered):
    found = set()
    for i in range(base.size):
        for j in range(i):
            if ordered and level[i] == level[j]:
                continue
            bound = slack[i] + slack[j] + near[i] @ far[j] + near[j] @ far[i]
            if not abs(base[i] - base[j]) > bound:
                found.add((j, i))
    return found


@pytest.mark.parametrize(
    ("ordered", "n_levels"), [(False, 1), (False, 2), (False, 7), (True, 2), (True, 7)]
)
def test_open_games_against_definition(ordered, n_levels, monkeypatch):
    monkeypatch.setattr(ranges, "AT_A_TIME", 1)  # pieces of as few games as possible
    rng = np.random.default_rng(n_levels)
    base, near, far, slack = numbers(90, seed=n_levels)
    level = rng.integers(n_levels, size=120)
    units = rng.permutation(120)[:90]
    known = Bounds(units, base, near.copy(), far.copy(), slack, ordered)
    listed = list(Ranges(known, level).open_games())
    games = np.concatenate([part for part, _ in listed])
    found = {tuple(sorted(game)) for game in games.tolist()}
    assert len(found) == len(games)
    definition = open_by_definition(base, near, far, slack, level[units], ordered)
    assert found == {tuple(sorted(units[[i, j]].tolist())) for i, j in definition}
    assert sum(n for _, n in listed) == 90
    assert len(listed) > 1


@pytest.mark.parametrize("ordered", [False, True])
def test_half_wins_against_loop(ordered):
    base, near, far, slack = numbers(40, seed=3, heavy=False)
    level = np.random.default_rng(0).integers(4, size=40)
    found = Ranges(Bounds(np.arange(40), base, near, far, slack, ordered), level)
    expected = np.zeros((40, 3), dtype=int)
    order = found.units
    for later in range(40):
        for earlier in range(later):
            one, other = level[order[later]], level[order[earlier]]
            column = 2 if one == other else int(other > one)
            if not (ordered and column == 2):
                expected[later, column] += 2
    np.testing.assert_array_equal(found.half_wins(), expected)
    assert np.all(np.diff(base[order]) >= 0)


class Bounded(BySets):
    """Gaps are differences of bases, moved by anything within the bound; some tie, some fail."""

    name = "bounded"

    def __init__(self, prepared, with_closer=False):
        super().__init__(prepared)
        m = prepared.problem.n_units
        self.numbers = numbers(m, seed=m)
        self.with_closer, self.answered = with_closer, 0

    def gaps(self, games):
        base, near, far, slack = self.numbers
        i, j = games.T
        bound = np.sum(near[i] * far[j] + near[j] * far[i], axis=1) + 0.9 * (slack[i] + slack[j])
        bound = np.where(np.isfinite(bound), bound, 5.0)
        turn = np.sin(1000.0 * (i + j) + i * j)
        gap = base[i] - base[j] + turn * bound
        gap[(np.abs(base[i] - base[j]) < bound) & ((i + j) % 7 == 0)] = 0.0
        return gap

    def answer(self, sets, execution):
        self.answered += len(sets)
        gap = self.gaps(sets)
        gap = np.where(sets[:, 0] < sets[:, 1], gap, -self.gaps(sets[:, ::-1]))
        return Answers(np.column_stack([gap, np.zeros_like(gap)]), np.zeros(sets.shape))

    def closer(self, games):
        low, high = np.sort(games, axis=1).T
        gap = self.gaps(np.column_stack([low, high])) * np.where(games[:, 0] == low, 1, -1)
        return gap + 0.01, np.full(len(games), 0.02)

    def bounds(self, ordered, execution):
        base, near, far, slack = self.numbers
        closer = self.closer if self.with_closer else None
        units = np.arange(base.size)
        return [Bounds(units, base, near.copy(), far.copy(), slack, ordered, closer)]


@pytest.mark.parametrize("kind", ["all", "ordered"])
@pytest.mark.parametrize("with_closer", [False, True])
@pytest.mark.parametrize("is_ordered", [False, True])
def test_open_games_played_against_all_games(is_ordered, with_closer, kind, monkeypatch):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(120, 2))
    if is_ordered:
        problem = make_problem(X, rng.integers(9, size=120), order=True)
    else:
        problem = make_problem(X, np.arange(120) % 5 == 0)
    prepared, schedule = unprepared(RLS(), problem), Schedule(kind)
    every = Bounded(prepared).play(schedule, Execution())  # so few units play every game
    monkeypatch.setattr(by_sets, "RANGES_FROM", 100)
    engine = Bounded(prepared, with_closer)
    pruned = engine.play(schedule, Execution())
    np.testing.assert_array_equal(pruned.standings.wins, every.standings.wins)
    np.testing.assert_array_equal(pruned.standings.games, every.standings.games)
    assert pruned.standings.n_ties == every.standings.n_ties > 0
    n_games = schedule.n_games(problem.outcome)
    assert pruned.diagnostics.games_evaluated < n_games / 2
    assert engine.answered <= pruned.diagnostics.games_evaluated
    assert pruned.diagnostics.pairs_played == n_games
    np.testing.assert_array_equal(pruned.predictions.full(), every.predictions.full())
