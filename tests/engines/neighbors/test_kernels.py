"""Compiled loops against plain NumPy."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from tlpo.engines.neighbors.kernels import (
    cast,
    find_open,
    half_wins,
    reach,
    vote_by_columns,
    vote_by_lists,
)
from tlpo.engines.neighbors.voting import (
    DIFFERENCE,
    SHARE,
    UNIFORM,
    distance_vote,
    uniform_vote,
)
from tlpo.games.response import outcomes
from tlpo.learners import inverse_distance_vote

VOTES = {UNIFORM: uniform_vote, SHARE: distance_vote, DIFFERENCE: inverse_distance_vote}
EXACT, ROUNDED = np.array([-1.0, 0.0, 0.0]), np.array([1e-12, 0.0, 0.0])
NO_RIVALS = np.zeros(2, dtype=np.intp)
NO_LABELS, NO_VALUES = np.empty(0, dtype=bool), np.empty(0)


def vote(distance, is_positive, *rest):
    """Let the k nearest units vote, which are the first units in another order."""
    voter = np.arange(distance.size)[::-1].copy()
    return cast(distance, voter, is_positive[voter], *rest)


@pytest.mark.parametrize("style", sorted(VOTES))
@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0, 3.0]), st.booleans()), min_size=1))
def test_votes_against_plain_numpy(style, neighbours):
    distance, is_positive = (np.array(part) for part in zip(*sorted(neighbours), strict=True))
    response, error = vote(distance, is_positive, NO_RIVALS, style, False, EXACT)
    assert response == VOTES[style](distance[None], is_positive[None])[0]
    assert error == 0


@pytest.mark.parametrize("style", sorted(VOTES))
@settings(deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from([0.5, 1.0]), st.booleans()), max_size=3),
    st.lists(st.booleans(), min_size=1, max_size=6),
    st.integers(1, 6),
)
def test_errors_cover_every_choice_of_rivals(style, nearer, pool, places):
    places = min(places, len(pool))
    distance = np.array([d for d, _ in sorted(nearer)] + [2.0] * places)
    sure = [kind for _, kind in sorted(nearer)]
    rivals = np.array([pool[places:].count(False), pool[places:].count(True)])
    response, error = vote(distance, np.array(sure + pool[:places]), rivals, style, False, ROUNDED)
    others = [
        VOTES[style](distance[None], np.array([sure + [pool[p] for p in chosen]]))[0]
        for chosen in combinations(range(len(pool)), places)
    ]
    assert np.max(np.abs(np.array(others) - response)) == pytest.approx(error, abs=1e-9)
    strict = vote(distance, np.array(sure + pool[:places]), rivals, style, True, ROUNDED)
    assert np.isinf(strict[1]) == (error > 1e-9)


def test_a_distance_of_zero_from_inner_products_is_not_trusted():
    distance, is_positive = np.array([1e-9, 1.0]), np.array([True, False])
    margin = np.array([1e-12, 0.0, 1e-13])
    assert vote(distance, is_positive, NO_RIVALS, SHARE, False, margin)[1] == np.inf
    assert vote(distance, is_positive, NO_RIVALS, UNIFORM, False, margin) == (0.5, 0.0)


def test_reach():
    assert reach(2.0, EXACT) < 0
    assert reach(2.0, np.array([0.1, 0.01, 0.0])) == pytest.approx(0.21)
    assert reach(2.0, np.array([0.0, 0.0, 0.4])) == pytest.approx(0.2)
    assert reach(0.0, np.array([0.0, 0.0, 0.04])) == pytest.approx(0.2)


def plain(D, label, k, style, sets):
    """Responses for the units of each set, first come first at equal distance."""
    answers = []
    for units in sets:
        rest = np.setdiff1d(np.arange(len(D)), units)
        near = rest[np.argsort(D[np.ix_(units, rest)], axis=1, kind="stable")[:, :k]]
        answers.append(VOTES[style](np.take_along_axis(D[units], near, axis=1), label[near]))
    return np.array(answers)


@pytest.mark.parametrize("size", [1, 2, 5])
@pytest.mark.parametrize("style", sorted(VOTES))
@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
def test_both_ways_to_vote_against_plain_numpy(metric, style, size):
    rng = np.random.default_rng(size)
    X = np.round(rng.normal(size=(20, 3)), 1)
    label = rng.uniform(size=20) < 0.5
    sets = np.array([rng.permutation(20)[:size] for _ in range(15)])
    D = cdist(X, X, metric)
    expected = plain(D, label, 4, style, sets)
    np.fill_diagonal(D, -1.0)
    order = np.argsort(D, axis=1, kind="stable")[:, 1:]
    response, error = np.empty(sets.shape), np.empty(sets.shape)
    vote_by_lists(
        sets,
        order,
        np.take_along_axis(D, order, axis=1),
        label,
        NO_VALUES,
        4,
        style,
        True,
        EXACT,
        response,
        error,
    )
    assert response == pytest.approx(expected, rel=1e-14)
    assert not error.any()
    columns = np.ascontiguousarray(X.T)
    missing = np.zeros(columns.shape, dtype=bool)
    missing[1, ::4] = True
    fill, scale = rng.normal(size=(15, 3)), rng.uniform(0.5, 2.0, size=(15, 3))
    vote_by_columns(
        sets,
        columns,
        missing,
        missing.any(axis=1),
        label,
        NO_VALUES,
        fill,
        scale,
        np.repeat(EXACT[None], 15, axis=0),
        metric == "euclidean",
        4,
        style,
        True,
        response,
        error,
    )
    for g, units in enumerate(sets):
        Z = np.where(missing.T, fill[g], X) / scale[g]
        own = plain(cdist(Z, Z, metric), label, 4, style, units[None])
        assert response[g] == pytest.approx(own[0], rel=1e-12)


def test_too_few_units_are_left_to_scikit_learn():
    X = np.arange(5.0)[:, None]
    D = cdist(X, X)
    np.fill_diagonal(D, -1.0)
    order = np.argsort(D, axis=1, kind="stable")[:, 1:]
    response, error = np.empty((1, 3)), np.empty((1, 3))
    near = np.take_along_axis(D, order, axis=1)
    label = X[:, 0] > 2
    vote_by_lists(
        np.array([[0, 1, 2]]),
        order,
        near,
        label,
        NO_VALUES,
        3,
        UNIFORM,
        True,
        EXACT,
        response,
        error,
    )
    assert np.isinf(error).all()


def test_open_places_against_plain_numpy():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 5, size=(14, 2)).astype(float)
    D = cdist(X, X)
    m, k = len(X), 3
    expected = np.zeros((m, m), dtype=bool)
    for i in range(m):
        for j in range(m):
            if i != j:
                rest = np.sort(np.delete(D[i], [i, j]))
                expected[i, j] = rest[k] == rest[k - 1]
    np.fill_diagonal(D, -1.0)
    order = np.argsort(D, axis=1, kind="stable")[:, 1:]
    is_open = np.zeros((m, m), dtype=bool)
    find_open(order, np.take_along_axis(D, order, axis=1), k, ROUNDED, is_open)
    assert np.array_equal(is_open, expected)
    assert expected.any()
    assert not expected.all()


@pytest.mark.parametrize("ceiling", [1.0, np.inf])
@settings(deadline=None)
@given(st.floats(0, 1), st.sampled_from([0.0, 1e-16, 1e-14, 1e-13, 1e-12, 1e-6]))
def test_half_wins_against_the_tie_rule(ceiling, response, gap):
    other = min(1.0, response * (1 + gap) + gap)
    for first, second in ((response, other), (other, response), (1 - response, 1 - other)):
        expected = outcomes(np.array([first]), np.array([second]), ceiling)[0]
        assert half_wins(first, second, ceiling) == 2 * expected
