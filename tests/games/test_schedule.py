import itertools
from collections import Counter

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import oracles
import survival_oracles
import tlpo
from tlpo.games.schedule import (
    Schedule,
    _cycle,
    _matching,
    all_pairs,
    draw_rounds,
    ordered_pairs,
    require_rounds,
)
from tlpo.problem.outcome import Classes, Ordered, TimeToEvent


def as_sets(games):
    return {frozenset(game) for game in games.reshape(-1, 2).tolist()}


def connected(games, m):
    reached = {0}
    for _ in range(m):
        reached |= {unit for game in as_sets(games) if game & reached for unit in game}
    return len(reached) == m


@pytest.mark.parametrize("m", [6, 7, 12, 15])
def test_everybody_meets_as_many_others(m):
    for opponents in range(2, m):
        if m % 2 and opponents % 2:
            continue
        for seed in range(10):
            games = draw_rounds(m, opponents, seed)
            assert (games[..., 0] < games[..., 1]).all()
            assert len(as_sets(games)) == m * opponents // 2  # nobody meets twice
            assert np.bincount(games.ravel(), minlength=m).tolist() == [opponents] * m
            assert connected(games, m)
            for one in games:
                assert set(np.bincount(one.ravel(), minlength=m)) == {1 if m % 2 == 0 else 2}


def test_all_rounds_hold_every_pair():
    pairs = {frozenset(pair) for pair in itertools.combinations(range(6), 2)}
    assert as_sets(np.stack([_matching(6, k) for k in range(5)])) == pairs
    pairs = {frozenset(pair) for pair in itertools.combinations(range(7), 2)}
    assert as_sets(np.stack([_cycle(7, k) for k in range(3)])) == pairs


@pytest.mark.exhaustive
@pytest.mark.parametrize(("m", "opponents"), [(6, 3), (7, 4), (9, 2)])
def test_every_pair_is_as_likely(m, opponents):
    draws = 3000
    drawn = (draw_rounds(m, opponents, seed) for seed in range(draws))
    seen = Counter(game for games in drawn for game in as_sets(games))
    share = opponents / (m - 1)
    # Five standard errors of a share of 3 000, over at most 36 pairs.
    bound = 5 * np.sqrt(share * (1 - share) / draws)
    assert len(seen) == m * (m - 1) // 2
    assert max(abs(count / draws - share) for count in seen.values()) < bound


def test_the_draw_depends_on_nothing_but_sizes_and_the_seed():
    assert np.array_equal(draw_rounds(10, 4, 3), draw_rounds(10, 4, 3))
    assert not np.array_equal(draw_rounds(10, 4, 3), draw_rounds(10, 4, 4))
    X, y = oracles.blobs(m=10)
    games = as_sets(draw_rounds(10, 4, 3))
    for estimator in (tlpo.RLS(), tlpo.InverseDistanceKNN(), LogisticRegression()):
        t = tlpo.tournament(estimator, X, y, rounds=4, random_state=3)
        assert {
            frozenset(game) for game in np.argwhere(~np.isnan(t.win_matrix())).tolist()
        } == games


@pytest.mark.parametrize(
    ("m", "rounds", "message"),
    [
        (
            13,
            5,
            "An odd number of units cannot play an odd number of games each.\n"
            "You passed rounds=5 for 13 units.\n"
            "Use rounds=4 or rounds=6.",
        ),
        (
            12,
            12,
            "rounds must be a whole number, at least 2 and at most 11, the number of opponents "
            "there are.\n"
            "You passed rounds=12.\n"
            "For example rounds=10.",
        ),
        (
            12,
            1,
            "rounds must be a whole number, at least 2 and at most 11, the number of opponents "
            "there are.\n"
            "You passed rounds=1.\n"
            "For example rounds=10.",
        ),
    ],
)
def test_numbers_that_cannot_be_played(m, rounds, message):
    X, y = oracles.blobs(m=m)
    with pytest.raises(tlpo.InputError) as caught:
        tlpo.tournament(tlpo.RLS(), X, y, rounds=rounds)
    assert str(caught.value) == message


TWO_CLASSES = Classes(np.array([False, True, True, False, False]), False, True)


def test_games_of_five_units_by_hand():
    every, ordered = Schedule(), Schedule("ordered")
    assert every.games(TWO_CLASSES).tolist() == [
        *([0, 1], [0, 2], [0, 3], [0, 4]),
        *([1, 2], [1, 3], [1, 4]),
        *([2, 3], [2, 4]),
        [3, 4],
    ]
    assert ordered.games(TWO_CLASSES).tolist() == [
        *([0, 1], [0, 2]),
        *([1, 3], [1, 4]),
        *([2, 3], [2, 4]),
    ]
    assert (every.n_games(TWO_CLASSES), ordered.n_games(TWO_CLASSES)) == (10, 6)
    assert (every.is_ordered, ordered.is_ordered) == (False, True)
    assert [one.least_off_mode(TWO_CLASSES) for one in (every, ordered)] == [3, 2]
    # Both units of an ordered pair may have had the event.
    times = TimeToEvent(np.arange(5.0), np.ones(5, dtype=bool))
    assert [one.least_off_mode(times) for one in (every, ordered)] == [3, 3]


def test_a_list_is_played_as_it_is():
    listed = np.array([[3, 4], [0, 1], [0, 1]])
    schedule = Schedule("ordered", listed, "matched")
    assert schedule.games(TWO_CLASSES) is listed
    assert schedule.n_games(TWO_CLASSES) == 3
    assert schedule.least_off_mode(TWO_CLASSES) == 2


@pytest.mark.parametrize("seed", range(5))
def test_pairs_against_loops(seed):
    is_positive = np.random.default_rng(seed).random(9) < 0.4
    pairs = list(itertools.combinations(range(9), 2))
    assert all_pairs(9).tolist() == [list(pair) for pair in pairs]
    expected = [[i, j] for i, j in pairs if is_positive[i] != is_positive[j]]
    assert ordered_pairs(Classes(is_positive, False, True)).tolist() == expected
    y = np.random.default_rng(seed).integers(0, 4, 9).astype(float)
    expected = [[i, j] for i, j in pairs if y[i] != y[j]]
    assert ordered_pairs(Ordered(y)).tolist() == expected
    event = np.random.default_rng(seed).random(9) < 0.5
    expected = sorted(sorted(pair) for pair in survival_oracles.ordered_pairs(y, event))
    assert ordered_pairs(TimeToEvent(y, event)).tolist() == expected


def test_rounds_that_can_be_played():
    for rounds, n_units in ((2, 6), (5, 6), (2, 7), (6, 7), (4, 7)):
        require_rounds(rounds, n_units)
    for rounds, n_units in ((1, 6), (6, 6), (3, 7), (7, 7), (2.0, 6)):
        with pytest.raises(tlpo.InputError):
            require_rounds(rounds, n_units)


@pytest.mark.parametrize("listing", ["all_pairs", "ordered_pairs"])
def test_games_that_do_not_fit_into_memory(monkeypatch, listing):
    def fail(_):
        raise MemoryError

    monkeypatch.setattr(f"tlpo.games.schedule.{listing}", fail)
    kind = Schedule() if listing == "all_pairs" else Schedule("ordered")
    with pytest.raises(tlpo.InputError) as caught:
        kind.games(Classes(np.arange(100) < 50, False, True))
    n_games = 4950 if listing == "all_pairs" else 2500
    assert str(caught.value) == (
        "The list of all games does not fit into memory.\n"
        f"You passed 100 units, which play {n_games} games.\n"
        "Pass fewer units, or play a part of the games, for example tournament(…, rounds=20)."
    )
