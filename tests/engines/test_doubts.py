"""What becomes of games that rounding would decide."""

from collections import Counter

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

import tlpo
from engines.agreement import make
from tlpo.engines import doubts
from tlpo.execution.diagnostics import RunLog
from tlpo.execution.fits import PlayedByFitting
from tlpo.execution.options import Execution


def test_too_many_doubtful_games_are_left_to_refitting(monkeypatch):
    X, y = make("plain", 20, 3, 10, 0.5, seed=10)
    X[:, 2] = 0.0
    X[4, 2] = 1.0
    monkeypatch.setattr(doubts, "MOST_REFITS", 5)
    monkeypatch.setattr(doubts, "LARGEST_SHARE", 0.0)
    t = tlpo.tournament(LinearRegression(), X, y)
    assert t.engine == "refit"
    assert "Rounding would decide 19 games" in t.diagnostics.why_not_faster
    monkeypatch.setattr(doubts, "MOST_GAMES", 5)  # too many to refit all
    t = tlpo.tournament(LinearRegression(), X, y)
    assert t.engine == "least-squares"
    assert t.diagnostics.warnings == ("19 games that rounding would decide count as ties.",)


def test_more_doubtful_games_than_are_worth_it_are_left_to_refitting(monkeypatch):
    X, y = make("plain", 14, 3, 7, 0.5, seed=4)
    X[:, 2] = 0.0
    X[[2, 3], 2] = 1.0
    groups = np.where(np.isin(np.arange(14), (2, 3)), 2, np.arange(14))
    monkeypatch.setattr(doubts, "MOST_REFITS", 5)
    monkeypatch.setattr(doubts, "LARGEST_SHARE", 0.0)
    t = tlpo.tournament(LinearRegression(), X, y, groups=groups)
    assert t.engine == "refit"
    assert t.diagnostics.why_not_faster.startswith("Rounding would decide 25 games.")
    monkeypatch.setattr(doubts, "MOST_GAMES", 50)
    t = tlpo.tournament(LinearRegression(), X, y, groups=groups)
    assert t.engine == "least-squares"
    assert t.n_ties == 25
    assert t.diagnostics.warnings == ("25 games that rounding would decide count as ties.",)


class Refits:
    """Stands in for refitting: notes the games it is asked for, and answers as told."""

    def __init__(self, outcome):
        self.outcome = np.array(outcome)
        self.asked = []

    def play(self, pairs, execution):
        self.asked.append(pairs.tolist())
        responses = np.column_stack([self.outcome, 1 - self.outcome])
        return PlayedByFitting(self.outcome, responses, np.inf, Counter(), RunLog())


DOUBTFUL = np.array([[0, 3], [1, 2]])


def test_without_doubts_nothing_is_refitted():
    refits = Refits([])
    settled = doubts.settle(DOUBTFUL[:0], 0, 10, refits, Execution())
    assert (len(settled.games), settled.warnings, refits.asked) == (0, (), [])


def test_a_few_doubtful_games_are_refitted():
    refits = Refits([1.0, 0.0])
    settled = doubts.settle(DOUBTFUL, 2, 10, refits, Execution())
    assert refits.asked == [[[0, 3], [1, 2]]]
    assert settled.games is DOUBTFUL
    assert settled.outcome.tolist() == [1.0, 0.0]
    assert settled.responses.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert settled.warnings == ()


def test_a_refit_that_fails_leaves_everything_to_refitting():
    with pytest.raises(tlpo.EngineError) as caught:
        doubts.settle(DOUBTFUL, 2, 10, Refits([1.0, np.nan]), Execution())
    assert str(caught.value) == "The estimator fails on a game that rounding would decide."


@pytest.mark.parametrize(
    ("n_doubtful", "most_refits"),
    [(2, 1), (3, 1000)],  # more than are worth it; more than were written down
)
def test_many_doubtful_games(n_doubtful, most_refits, monkeypatch):
    monkeypatch.setattr(doubts, "MOST_REFITS", most_refits)
    monkeypatch.setattr(doubts, "LARGEST_SHARE", 0.0)
    monkeypatch.setattr(doubts, "MOST_GAMES", 10)
    refits = Refits([1.0, 0.0])
    with pytest.raises(tlpo.EngineError) as caught:
        doubts.settle(DOUBTFUL, n_doubtful, 10, refits, Execution())
    assert str(caught.value) == f"Rounding would decide {n_doubtful} games."
    settled = doubts.settle(DOUBTFUL, n_doubtful, 11, refits, Execution())
    assert len(settled.games) == 0
    assert settled.warnings == (f"{n_doubtful} games that rounding would decide count as ties.",)
    assert refits.asked == []


def test_the_games_of_the_schedule_count(monkeypatch):
    """100 games between the classes may all be refitted, 190 games of all pairs may not."""
    X, y = make("plain", 20, 3, 10, 0.5, seed=10)
    X[:, 2] = 0.0
    X[4, 2] = 1.0  # unit 4 alone has the third feature: rounding would decide its games
    monkeypatch.setattr(doubts, "MOST_REFITS", 5)
    monkeypatch.setattr(doubts, "LARGEST_SHARE", 0.0)
    monkeypatch.setattr(doubts, "MOST_GAMES", 100)
    pair = tlpo.leave_pair_out(LinearRegression(), X, y)
    assert (pair.engine, pair.diagnostics.fits) == ("refit", 100)
    assert pair.diagnostics.why_not_faster == "Rounding would decide 10 games."
    t = tlpo.tournament(LinearRegression(), X, y)
    assert (t.engine, t.n_ties) == ("least-squares", 19)
    assert t.diagnostics.warnings == ("19 games that rounding would decide count as ties.",)
    monkeypatch.setattr(doubts, "MOST_GAMES", 99)
    pair = tlpo.leave_pair_out(LinearRegression(), X, y)
    assert (pair.engine, pair.n_ties) == ("least-squares", 10)


@pytest.mark.parametrize("n_levels", [2, 4, 12])
def test_who_may_change_order_against_a_loop(n_levels):
    rng = np.random.default_rng(n_levels)
    for _ in range(50):
        f, error = rng.normal(size=12), rng.uniform(0, 0.2, size=12)
        level = rng.integers(0, n_levels, size=12)
        error[rng.random(12) < 0.02] = np.inf
        apart = [[abs(f[i] - f[j]) - error[i] - error[j] for j in range(12)] for i in range(12)]
        expected = [
            np.isinf(error[i]) or any(level[i] != level[j] and apart[i][j] <= 0 for j in range(12))
            for i in range(12)
        ]
        assert doubts.may_swap(f, error, level).tolist() == expected
    alone = doubts.may_swap(f, np.where(f > 1.0, np.inf, 0.0), np.zeros(12, dtype=int))
    assert alone.tolist() == (f > 1.0).tolist()


def test_settled_rows_against_a_loop_over_pairs():
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(300):
        rows = rng.integers(0, 4, size=(8, 1)).astype(float)
        level = rng.integers(0, 2, size=8)
        response, error = 3.0 * rows[:, 0], np.repeat(rng.choice([0.5, 1.0, 2.0]), 8)
        may_change = any(
            level[i] != level[j]
            and rows[i] != rows[j]
            and abs(response[i] - response[j]) <= error[i] + error[j]
            for i in range(8)
            for j in range(8)
        )
        found = doubts.settle_rows(rows, response, error, level)
        if found is not None:
            assert np.array_equal(found, response)
        # Equal rows on both levels count as ordered with everybody.
        is_mixed = len(np.unique(np.column_stack([rows, level]), axis=0)) > len(np.unique(rows))
        assert found is None or not may_change
        assert may_change or is_mixed or found is not None
        seen.add((found is None, is_mixed))
    assert len(seen) == 4
