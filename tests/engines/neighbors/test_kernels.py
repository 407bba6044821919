"""Compiled loops against plain NumPy."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.neighbors import KNeighborsRegressor

from tlpo.engines.neighbors.kernels import (
    cast,
    cast_numbers,
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
    Ballot,
    distance_vote,
    mean_vote,
    uniform_vote,
    weighted_vote,
)
from tlpo.games.response import outcomes
from tlpo.learners import inverse_distance_vote

VOTES = {UNIFORM: uniform_vote, SHARE: distance_vote, DIFFERENCE: inverse_distance_vote}
EXACT, ROUNDED = np.array([-1.0, 0.0, 0.0]), np.array([1e-12, 0.0, 0.0])
MEANS = {UNIFORM: mean_vote, SHARE: weighted_vote}
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


# --- neighbours with numbers


def mean(distance, value, style, margin, rivals=(), is_strict=False):
    """Let neighbours with numbers vote; those are the last units, in another order."""
    k = len(value)
    value = np.concatenate([rivals, value[::-1]])
    span = np.array([np.min(rivals), np.max(rivals)] if len(rivals) else [np.inf, -np.inf])
    voter = np.arange(value.size)[: -k - 1 : -1].copy()
    counts = np.array([len(rivals), 0])
    return cast_numbers(distance, voter, value, counts, span, style, is_strict, margin)


numbers = st.sampled_from([-3.0, 0.0, 0.1, 2.0, 1e6])


@pytest.mark.parametrize("style", sorted(MEANS))
@given(st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0, 3.0]), numbers), min_size=1))
def test_means_against_plain_numpy(style, neighbours):
    distance, value = (np.array(part) for part in zip(*sorted(neighbours), strict=True))
    response, error = mean(distance, value, style, EXACT)
    expected = MEANS[style](distance[None], value[None])[0]
    size = np.abs(value).max()
    assert abs(response - expected) <= error
    assert error <= 1e-13 * len(value) * size


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_means_against_scikit_learn(weights):
    rng = np.random.default_rng(0)
    X, y = np.round(rng.normal(size=(30, 2)), 1), rng.normal(size=30)
    X[7:9] = X[:2]
    model = KNeighborsRegressor(4, weights=weights, algorithm="brute").fit(X, y)
    distance, unit = model.kneighbors(X)
    vote = mean_vote if weights == "uniform" else weighted_vote
    assert vote(distance, y[unit]) == pytest.approx(model.predict(X), rel=1e-14)


def choices(distance, value, pool, places, style, rng, blur):
    """Yield the means of all choices of the last places, with distances that are a little off."""
    sure = len(value) - places
    for chosen in combinations(range(len(pool)), places):
        voters = np.concatenate([value[:sure], [pool[p] for p in chosen]])
        off = distance * (1.0 + blur * rng.uniform(-1, 1, distance.size))
        yield MEANS[style](off[None], voters[None])[0]


@pytest.mark.exhaustive
@pytest.mark.parametrize("style", sorted(MEANS))
@pytest.mark.parametrize("relative", [1e-12, 1e-3])
@settings(max_examples=200)
@given(
    st.lists(st.tuples(st.sampled_from([0.5, 1.0]), numbers), max_size=3),
    st.lists(numbers, min_size=1, max_size=6),
    st.integers(1, 6),
    st.integers(0, 99),
)
def test_errors_of_means_cover_every_choice_of_rivals(style, relative, nearer, pool, places, seed):
    places = min(places, len(pool))
    rng, margin = np.random.default_rng(seed), np.array([relative, 0.0, 0.0])
    distance = np.array([d for d, _ in sorted(nearer)] + [2.0] * places)
    value = np.array([v for _, v in sorted(nearer)] + pool[:places])
    response, error = mean(distance, value, style, margin, pool[places:])
    means = list(choices(distance, value, pool, places, style, rng, relative))
    moved = np.max(np.abs(np.array(means) - response))
    # To first order in the margin.
    assert moved <= error * (1.0 + 4.0 * relative)
    strict = mean(distance, value, style, margin, pool[places:], is_strict=True)
    assert strict[0] == response
    if moved > 1e-2 * np.abs(value).max():
        assert np.isinf(strict[1])
    if len(set(pool)) == 1:  # whoever votes says the same
        assert strict[1] == error


@pytest.mark.parametrize("style", sorted(MEANS))
def test_errors_of_means_cover_distances_within_reach(style):
    """The last places and their rivals are at distances that differ, by less than the margin."""
    rng, margin = np.random.default_rng(1), np.array([1e-6, 0.0, 0.0])
    for _ in range(300):
        k, n = rng.integers(1, 5), 8
        near = np.where(rng.random(n) < 0.6, 2 + 2e-6 * rng.uniform(-1, 1, n), rng.uniform(1, 3, n))
        distance, value = np.sort(near), rng.normal(size=n)
        last = distance[k - 1]
        rivals = np.flatnonzero(distance[k:] <= last + reach(last, margin)) + k
        response, error = mean(distance[:k], value[:k], style, margin, value[rivals])
        is_open = distance[:k] >= last - reach(last, margin)
        sure, pool = np.flatnonzero(~is_open), [*np.flatnonzero(is_open), *rivals]
        for chosen in combinations(pool, int(is_open.sum())):
            voters = np.array([*sure, *chosen])
            own = MEANS[style](distance[None, voters], value[None, voters])[0]
            assert abs(own - response) <= error * (1 + 1e-5)


def test_a_mean_at_a_distance_of_zero_that_is_not_trusted():
    margin, value = np.array([1e-12, 0.0, 1e-13]), np.array([1.0, 3.0])
    assert mean(np.array([1e-9, 1.0]), value, SHARE, margin)[1] == np.inf
    response, error = mean(np.array([1e-9, 1.0]), value, UNIFORM, margin)
    assert (response, error < 1e-14) == (2.0, True)


def test_reach():
    assert reach(2.0, EXACT) < 0
    assert reach(2.0, np.array([0.1, 0.01, 0.0])) == pytest.approx(0.21)
    assert reach(2.0, np.array([0.0, 0.0, 0.4])) == pytest.approx(0.2)
    assert reach(0.0, np.array([0.0, 0.0, 0.04])) == pytest.approx(0.2)


def plain(D, said, k, vote, sets):
    """Responses for the units of each set, first come first at equal distance."""
    answers = []
    for units in sets:
        rest = np.setdiff1d(np.arange(len(D)), units)
        near = rest[np.argsort(D[np.ix_(units, rest)], axis=1, kind="stable")[:, :k]]
        answers.append(vote(np.take_along_axis(D[units], near, axis=1), said[near]))
    return np.array(answers)


@pytest.mark.parametrize("size", [1, 2, 5])
@pytest.mark.parametrize(
    ("votes", "style"),
    [*(("classes", style) for style in VOTES), *(("numbers", style) for style in MEANS)],
)
@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
def test_both_ways_to_vote_against_plain_numpy(metric, votes, style, size):
    rng = np.random.default_rng(size)
    X = np.round(rng.normal(size=(20, 3)), 1)
    if votes == "numbers":
        said = value = rng.normal(size=20)
        label, vote = NO_LABELS, MEANS[style]
    else:
        said = label = rng.uniform(size=20) < 0.5
        value, vote = NO_VALUES, VOTES[style]
    sets = np.array([rng.permutation(20)[:size] for _ in range(15)])
    D = cdist(X, X, metric)
    expected = plain(D, said, 4, vote, sets)
    np.fill_diagonal(D, -1.0)
    order = np.argsort(D, axis=1, kind="stable")[:, 1:]
    response, error = np.empty(sets.shape), np.empty(sets.shape)
    ballot = Ballot(label, value, 4, style, metric == "euclidean")
    vote_by_lists(
        sets,
        order,
        np.take_along_axis(D, order, axis=1),
        ballot,
        True,
        EXACT,
        response,
        error,
    )
    assert response == pytest.approx(expected, rel=1e-13)
    assert error.max() <= (1e-14 if value.size else 0.0) * np.abs(said).max()
    columns = np.ascontiguousarray(X.T)
    missing = np.zeros(columns.shape, dtype=bool)
    missing[1, ::4] = True
    fill, scale = rng.normal(size=(15, 3)), rng.uniform(0.5, 2.0, size=(15, 3))
    vote_by_columns(
        sets,
        columns,
        missing,
        missing.any(axis=1),
        ballot,
        fill,
        scale,
        np.repeat(EXACT[None], 15, axis=0),
        True,
        response,
        error,
    )
    for g, units in enumerate(sets):
        Z = np.where(missing.T, fill[g], X) / scale[g]
        own = plain(cdist(Z, Z, metric), said, 4, vote, units[None])
        assert response[g] == pytest.approx(own[0], rel=1e-12)


@pytest.mark.parametrize("style", sorted(MEANS))
def test_both_ways_know_the_same_rivals(style):
    """Units on a grid: who of those at equal distance votes is open, and both say how much so."""
    rng = np.random.default_rng(style)
    X, value = rng.integers(0, 4, size=(20, 2)).astype(float), rng.normal(size=20)
    sets = np.array([rng.permutation(20)[:3] for _ in range(15)])
    D = cdist(X, X, "cityblock")
    np.fill_diagonal(D, -1.0)
    order = np.argsort(D, axis=1, kind="stable")[:, 1:]
    ranked = np.take_along_axis(D, order, axis=1)
    lists, columns = np.empty((2, *sets.shape)), np.empty((2, *sets.shape))
    ballot = Ballot(NO_LABELS, value, 4, style, False)
    vote_by_lists(sets, order, ranked, ballot, False, ROUNDED, *lists)
    no_gaps, same = np.zeros((2, 20), dtype=bool), np.zeros((1, 2))
    rows = np.ascontiguousarray(X.T)
    gaps = (no_gaps, no_gaps.any(axis=1))
    fitted = (same, same + 1.0, ROUNDED[None])
    vote_by_columns(sets, rows, *gaps, ballot, *fitted, False, columns[0], columns[1])
    assert columns == pytest.approx(lists, rel=1e-9)
    assert (lists[1] > 0.01).mean() > 0.1
    for g, s in np.ndindex(sets.shape):
        rest = np.setdiff1d(np.arange(20), sets[g])
        d = D[sets[g, s], rest]
        last = np.sort(d)[3]
        pool, sure = rest[d == last], rest[d < last]
        if last == 0 or (style == SHARE and (d[d < last] == 0).any()):
            continue
        for chosen in combinations(pool, 4 - sure.size):
            voters = np.array([*sure, *chosen])
            own = MEANS[style](D[sets[g, s], voters][None], value[None, voters])[0]
            assert abs(own - lists[0, g, s]) <= lists[1, g, s] + 1e-15


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
        Ballot(label, NO_VALUES, 3, UNIFORM, True),
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
