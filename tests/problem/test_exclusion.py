"""Units excluded from training."""

import itertools
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import estimators
import oracles
import tlpo
from tlpo.problem.problem import make_problem


def message(call):
    with pytest.raises(tlpo.InputError) as caught:
        call()
    return str(caught.value)


def test_a_buffer_holds_what_is_near_either_unit():
    #        0    1    2    3    4    5
    place = [0.0, 1.0, 2.0, 5.0, 6.0, 9.0]
    buffer = tlpo.Buffer(place, 1)
    assert buffer.units(np.array([0, 3])).tolist() == [0, 1, 3, 4]
    assert tlpo.Buffer(place, 0).units(np.array([0, 3])).tolist() == [0, 3]
    assert tlpo.Buffer(place, 99).units(np.array([0, 3])).tolist() == [0, 1, 2, 3, 4, 5]
    twice = tlpo.Buffer([[0, 0], [0, 0], [3, 4], [9, 9]], 5)
    assert twice.units(np.array([0])).tolist() == [0, 1, 2]  # 3² + 4² = 5²: at the radius is near


def test_groups_and_exclude_combine():
    X, y = np.zeros((8, 1)), [0, 1] * 4
    groups, place = [0, 0, 1, 1, 2, 2, 3, 3], np.arange(8)
    problem = make_problem(X, y, groups=groups, exclude=tlpo.Buffer(place, 1))
    assert problem.training_set(np.array([0, 7])).tolist() == [2, 3, 4, 5]
    assert problem.training_set(np.array([1, 4])).tolist() == [6, 7]
    assert problem.left_out(np.array([1, 4])).tolist() == [0, 1, 2, 3, 4, 5]
    alone = make_problem(X, y, exclude=lambda i, j: [(i + j) % 8])
    assert alone.training_set(np.array([1, 4])).tolist() == [0, 2, 3, 6, 7]


@pytest.mark.exhaustive
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_tournaments_against_loops(n_jobs):
    X, y = oracles.blobs(m=16, seed=3)
    place = np.random.default_rng(0).uniform(0, 10, (16, 2))
    buffer = tlpo.Buffer(pd.DataFrame(place), 2.5)
    learner = estimators.Slow() if n_jobs == 2 else LogisticRegression()
    t = tlpo.tournament(learner, X, y, exclude=buffer, n_jobs=n_jobs)
    wins = np.zeros(16)
    for i, j in itertools.combinations(range(16), 2):
        train = [
            k
            for k in range(16)
            if min(np.linalg.norm(place[k] - place[i]), np.linalg.norm(place[k] - place[j])) > 2.5
        ]
        f_i, f_j = oracles.predict(LogisticRegression(), X, y, train, [i, j])
        wins[i] += oracles.heaviside(f_i, f_j)
        wins[j] += oracles.heaviside(f_j, f_i)
    assert np.array_equal(t.scores, wins)
    assert not np.array_equal(t.scores, tlpo.tournament(LogisticRegression(), X, y).scores)


@pytest.mark.exhaustive
def test_a_function_in_other_processes_and_schemes():
    X, y = oracles.blobs(m=14, seed=4)
    near = tlpo.Buffer(np.arange(14), 1)

    def rule(i, j):
        return [k for k in range(14) if min(abs(k - i), abs(k - j)) <= 1]

    by_buffer = tlpo.tournament(estimators.Slow(), X, y, exclude=near)
    by_rule = tlpo.tournament(estimators.Slow(), X, y, exclude=rule, n_jobs=2)
    assert np.array_equal(by_rule.predictions, by_buffer.predictions, equal_nan=True)
    pair = tlpo.leave_pair_out(LogisticRegression(), X, y, exclude=rule)
    assert pair.auc == by_buffer.lpo_auc
    one, other = (
        tlpo.quicksort(LogisticRegression(), X, y, n_sorts=2, random_state=0, exclude=exclude)
        for exclude in (near, rule)
    )
    assert np.array_equal(one.ranks, other.ranks)
    plain = tlpo.quicksort(LogisticRegression(), X, y, n_sorts=2, random_state=0)
    assert not np.array_equal(one.ranks, plain.ranks)


def test_buffers_travel():
    buffer = pickle.loads(pickle.dumps(tlpo.Buffer(np.arange(5), 1)))
    assert buffer.units(np.array([0])).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            ([0.0, 1.0], -1),
            "radius must be a non-negative number.\n"
            "You passed radius=-1.\n"
            "Give the distance within which units resemble each other.",
        ),
        (
            ([0.0, np.nan, 2.0, np.inf], 1),
            "coordinates have missing or infinite values.\n"
            "You passed 4 units, 2 of them with such values (index 1, 3).\n"
            "Fill in these coordinates, or drop these units.",
        ),
        (
            (["a", "b"], 1),
            "coordinates must be numbers, one row per unit.\n"
            "You passed list: could not convert string to float: 'a'.\n"
            "Convert dates to days and places to projected coordinates first.",
        ),
        (
            (np.zeros((2, 2, 2)), 1),
            "coordinates must be numbers, one row per unit.\n"
            "You passed an array of shape (2, 2, 2).\n"
            "Pass one value or one row per unit.",
        ),
    ],
)
def test_buffers_that_are_refused(arguments, expected):
    assert message(lambda: tlpo.Buffer(*arguments)) == expected


@pytest.mark.parametrize("radius", [np.inf, np.nan, "1", None, True])
def test_a_radius_is_a_finite_number(radius):
    assert f"You passed radius={radius!r}." in message(lambda: tlpo.Buffer([0.0], radius))


@pytest.mark.parametrize(
    ("exclude", "expected"),
    [
        (
            lambda i, j: np.arange(8) == i,
            "exclude must return the indices of units.\n"
            "For the pair (0, 1) it returned a boolean mask of 8 values.\n"
            "Return whole numbers, for example np.flatnonzero(mask).",
        ),
        (
            lambda i, j: [1.0],
            "exclude must return the indices of units.\n"
            "For the pair (0, 1) it returned values of type float64.\n"
            "Return whole numbers, for example np.flatnonzero(mask).",
        ),
        (
            lambda i, j: 3,
            "exclude must return the indices of units.\n"
            "For the pair (0, 1) it returned an array of shape ().\n"
            "Return whole numbers, for example np.flatnonzero(mask).",
        ),
        (
            lambda i, j: [2, 8],
            "exclude must return indices between 0 and 7.\n"
            "For the pair (0, 1) it returned 8.\n"
            "Count units from 0, in the order of the rows of X.",
        ),
        (
            lambda i, j: [-1],
            "exclude must return indices between 0 and 7.\n"
            "For the pair (0, 1) it returned -1.\n"
            "Count units from 0, in the order of the rows of X.",
        ),
        (
            tlpo.Buffer(np.arange(7), 1),
            "exclude must have coordinates for every unit.\n"
            "You passed coordinates for 7 units; X has 8.\n"
            "Check that neither was filtered without the other.",
        ),
        (
            5,
            "exclude must be a tlpo.Buffer or a function of two units.\n"
            "You passed an object of type int.\n"
            "For example exclude=tlpo.Buffer(coordinates, radius=10).",
        ),
    ],
)
def test_what_exclude_must_be(exclude, expected):
    X, y = oracles.blobs(m=8)
    assert message(lambda: tlpo.tournament(tlpo.RLS(), X, y, exclude=exclude)) == expected


def test_single_units_need_a_buffer():
    X, y = oracles.blobs(m=8)
    assert message(lambda: tlpo.leave_one_out(tlpo.RLS(), X, y, exclude=lambda i, j: [])) == (
        "exclude must be a tlpo.Buffer when single units are held out.\n"
        "You passed a function of a pair.\n"
        "For example exclude=tlpo.Buffer(coordinates, radius=10)."
    )
    y = np.array([1, 1, 0, 0, 0, 0, 0, 0])
    near = tlpo.Buffer(np.arange(8), 1)
    assert message(lambda: tlpo.leave_one_out(tlpo.RLS(), X, y, exclude=near)).startswith(
        "Leaving out unit 0 and the units that go with it leaves no unit of class 1 to train on.\n"
    )
