import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import oracles
from tlpo.games.schedule import all_pairs
from tlpo.games.standings import (
    Standings,
    circular_triads,
    max_circular_triads,
    tally,
)
from tlpo.problem.outcome import Classes, Ordered
from tlpo.roc.curve import wmw_auc

tournaments = st.integers(6, 9).flatmap(
    lambda m: st.tuples(
        arrays(float, m * (m - 1) // 2, elements=st.sampled_from([0.0, 0.5, 1.0])),
        st.integers(2, m - 2),
    ).map(lambda drawn: (m, *drawn))
)


def play(m, outcome, n_positive):
    is_positive = np.arange(m) < n_positive
    return tally(all_pairs(m), outcome, classes(is_positive)), is_positive


def classes(is_positive):
    return Classes(np.asarray(is_positive, dtype=bool), False, True)


def win_matrix(m, outcome):
    matrix = np.zeros((m, m))
    for (i, j), won in zip(itertools.combinations(range(m), 2), outcome, strict=True):
        matrix[i, j], matrix[j, i] = won, 1 - won
    return matrix


def test_four_units_by_hand():
    # 0 beats 1, 1 beats 2, 2 beats 0: one circle. 3 beats 0 and 1, ties with 2.
    pairs = all_pairs(4)
    assert pairs.tolist() == [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
    outcome = np.array([1.0, 0.0, 0.0, 1.0, 0.0, 0.5])
    standings = tally(pairs, outcome, classes([True, False, False, True]))
    assert standings.wins.tolist() == [[1, 0], [1, 0], [0, 1.5], [1.5, 1]]
    assert standings.scores.tolist() == [1, 1, 1.5, 2.5]
    assert standings.n_ties == 1
    assert standings.lpo_auc(np.array([True, False, False, True])) == (1 + 1.5) / 4
    # m(m-1)(2m-1)/12 - sum S^2 / 2 = 7 - (1 + 1 + 2.25 + 6.25) / 2
    assert standings.circular_triads == 7 - 10.5 / 2
    assert standings.consistency == pytest.approx(1 - 1.75 / 2)


def test_four_numbers_by_hand():
    # 1 should beat all, 0 and 3 should beat 2, and are peers.
    outcome = Ordered(np.array([2.0, 7.0, -1.0, 2.0]))
    # 0 beats 1 and 2, ties with 3; 1 beats 2, loses to 3; 2 beats 3.
    standings = tally(all_pairs(4), np.array([1.0, 1.0, 0.5, 1.0, 0.0, 1.0]), outcome)
    assert standings.wins.tolist() == [[1, 1, 0.5], [1, 0, 0], [0, 1, 0], [0, 1, 0.5]]
    assert standings.games.tolist() == [[1, 1, 1], [3, 0, 0], [0, 3, 0], [1, 1, 1]]
    assert standings.scores.tolist() == [2.5, 1, 1, 1.5]
    # Of the games 0-1, 0-2, 1-2, 1-3 and 2-3, those of 0 with 2 and of 1 with 2 go as they should.
    assert standings.concordance(outcome) == 2 / 5
    assert outcome.scheduled(ordered=False).tolist() == standings.games.tolist()
    ordered = outcome.scheduled(ordered=True)
    assert ordered.tolist() == [[1, 1, 0], [3, 0, 0], [0, 3, 0], [1, 1, 0]]


@given(tournaments)
def test_concordance_of_two_classes_against_the_lpo_auc(drawn):
    standings, is_positive = play(*drawn)
    expected = standings.lpo_auc(is_positive)
    assert standings.concordance(classes(is_positive)) == expected
    m, results, _ = drawn
    numbers = Ordered(is_positive.astype(float))
    assert tally(all_pairs(m), results, numbers).concordance(numbers) == expected


@given(tournaments, st.data())
def test_wins_by_numbers_against_matrix(drawn, data):
    m, results, _ = drawn
    y = data.draw(arrays(float, m, elements=st.sampled_from([-1.0, 0.0, 2.5])))
    standings = tally(all_pairs(m), results, Ordered(y))
    matrix = win_matrix(m, results)
    above = y[:, None] > y
    peers = (y[:, None] == y) & ~np.eye(m, dtype=bool)
    for column, which in enumerate((above, above.T, peers)):
        assert np.array_equal(standings.wins[:, column], (matrix * which).sum(axis=1))
        assert np.array_equal(standings.games[:, column], which.sum(axis=1))
    assert standings.scores.tolist() == matrix.sum(axis=1).tolist()


@given(tournaments)
def test_wins_against_matrix(drawn):
    m, outcome, n_positive = drawn
    standings, is_positive = play(m, outcome, n_positive)
    matrix = win_matrix(m, outcome)
    assert np.array_equal(standings.wins[:, 0], matrix[:, ~is_positive].sum(axis=1))
    assert np.array_equal(standings.wins[:, 1], matrix[:, is_positive].sum(axis=1))
    assert standings.scores.sum() == m * (m - 1) / 2
    assert standings.lpo_auc(is_positive) == pytest.approx(
        matrix[np.ix_(is_positive, ~is_positive)].mean()
    )
    assert standings.n_ties == np.sum(outcome == 0.5)


@given(tournaments)
def test_triads_against_brute_force(drawn):
    m, outcome, n_positive = drawn
    outcome = np.where(outcome == 0.5, 1.0, outcome)
    standings, is_positive = play(m, outcome, n_positive)
    count = oracles.circular_triads(win_matrix(m, outcome))
    assert standings.circular_triads == count
    transitive = sorted(standings.scores) == list(range(m))
    assert transitive == (count == 0)
    if transitive:
        assert standings.consistency == 1
        assert wmw_auc(standings.scores, is_positive) == standings.lpo_auc(is_positive)


@pytest.mark.parametrize("m", [5, 6, 7])
def test_most_triads_against_every_tournament(m):
    n_games = m * (m - 1) // 2
    if m == 7:  # 2 million tournaments: a regular one reaches the maximum
        beats = np.array([[(j - i) % 7 in (1, 2, 3) for j in range(7)] for i in range(7)])
        most = oracles.circular_triads(beats)
    else:
        bits = (np.arange(2**n_games)[:, None] >> np.arange(n_games)) & 1
        first, second = np.array(list(itertools.combinations(range(m), 2))).T
        scores = np.zeros((len(bits), m))
        for g in range(n_games):
            scores[:, first[g]] += bits[:, g]
            scores[:, second[g]] += 1 - bits[:, g]
        most = max(circular_triads(s) for s in np.unique(np.sort(scores, axis=1), axis=0))
    assert max_circular_triads(m) == most


def test_all_ties_are_no_contradiction_yet_lower_consistency():
    m = 7
    standings, is_positive = play(m, np.full(21, 0.5), 3)
    assert np.all(standings.scores == 3)
    assert standings.consistency == 0
    assert standings.n_ties == 21
    assert standings.lpo_auc(is_positive) == 0.5


def test_missing_games_give_shares():
    outcome = np.array([1.0, np.nan, 1.0, 1.0, 1.0, np.nan])
    standings = tally(all_pairs(4), outcome, classes([True, True, False, False]))
    # 0 won 2 of 2, 1 won 2 of 3, 2 lost its only game, 3 lost 2 of 2
    assert standings.scores.tolist() == [3.0, 2.0, 0.0, 0.0]
    assert standings.n_games == 4
    assert not standings.is_complete
    assert np.isnan(standings.consistency)
    assert standings.lpo_auc(np.array([True, True, False, False])) == 1.0


def test_a_unit_without_games_has_no_score():
    outcome = np.array([1.0, 1.0, np.nan, 1.0, np.nan, np.nan])
    standings = tally(all_pairs(4), outcome, classes([True, True, False, False]))
    assert np.isnan(standings.scores[3])
    assert np.isfinite(standings.scores[:3]).all()


def test_a_million_units_lose_no_digit():
    m = 1_000_001
    scores = np.arange(m, dtype=float)
    scores[:3] = 1.0  # one circular triad among the last three
    assert circular_triads(scores) == 1.0
    assert isinstance(Standings(np.zeros((4, 2)), np.zeros((4, 2)), 0).n_games, int)
