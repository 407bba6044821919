"""Games that leave only one class to train on, and classes too small for any game."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import estimators
import oracles
import tlpo
from tlpo.errors import InputError
from tlpo.games.schedule import Schedule
from tlpo.problem.playable import admit
from tlpo.problem.problem import make_problem

X = np.arange(12.0).reshape(6, 2)
Y = [0, 1, 0, 1, 0, 1]


def test_a_class_too_small():
    def play(scheme, y):
        with pytest.raises(tlpo.InputError) as caught:
            scheme(tlpo.RLS(), X, y)
        return str(caught.value)

    labels = ["no", "no", "no", "no", "yes", "yes"]
    assert play(tlpo.tournament, labels) == (
        "Class 'yes' has too few units: leaving out two of them must leave one to train on.\n"
        "You passed 2 of class 'yes' among 6 units.\n"
        "Collect at least 3 units of each class."
    )
    assert play(tlpo.quicksort, labels) == play(tlpo.tournament, labels)
    for scheme in (tlpo.leave_pair_out, tlpo.leave_one_out):
        assert 0 <= scheme(tlpo.RLS(), X, labels).auc <= 1
        assert play(scheme, [0, 0, 0, 0, 0, 1]) == (
            "Class 1 has too few units: leaving out one of them must leave one to train on.\n"
            "You passed 1 of class 1 among 6 units.\n"
            "Collect at least 2 units of each class."
        )


@pytest.mark.parametrize(
    ("groups", "named", "holds"),
    [
        (["a", "b", "a", "c", "a", "d"], "group 'a'", "that one holds"),
        (["a", "x", "b", "y", "b", "z"], "groups 'a', 'b'", "these two hold"),
    ],
)
def test_groups_that_empty_a_class(groups, named, holds):
    problem = make_problem(X, Y, groups=groups)
    with pytest.raises(InputError) as caught:
        admit(problem, Schedule())
    n_groups = len(set(groups))
    assert str(caught.value) == (
        f"Leaving out {named} leaves no unit of class 0 to train on.\n"
        f"You passed {n_groups} groups, and {holds} all 3 units of the class.\n"
        "Every class needs units in at least three groups: collect more groups, split these, "
        "or analyse the units without groups."
    )


def test_opposite_games_allow_two_groups_that_never_meet():
    groups = ["a", "x", "b", "y", "b", "z"]  # a and b are all negative
    admit(make_problem(X, Y, groups=groups), Schedule("ordered"))
    groups = ["a", "a", "b", "y", "b", "z"]  # now the positive of a meets the negatives of b
    with pytest.raises(InputError, match="groups 'a', 'b'"):
        admit(make_problem(X, Y, groups=groups), Schedule("ordered"))


def message(call):
    with pytest.raises(tlpo.InputError) as caught:
        call()
    return str(caught.value)


@pytest.mark.parametrize("estimator", [tlpo.RLS(), estimators.FixedFunction()])
def test_pairs_that_leave_only_one_class(estimator):
    X, _ = oracles.blobs(m=10)
    y = np.array([1, 1, 1, 0, 0, 0, 0, 0, 0, 0])
    near = tlpo.Buffer([0, 1, 9, 20, 30, 40, 50, 60, 70, 80], 1)
    # Units 0 and 1 go together, so a game of either with unit 2 leaves no positive.
    assert message(lambda: tlpo.tournament(estimator, X, y, exclude=near)) == (
        "Leaving out the pair (0, 2) and the units that go with it leaves no unit of class 1 to "
        "train on.\n"
        "You passed 10 units, 3 positive (1) and 7 negative (0); 7 units would be left.\n"
        "Exclude fewer units, for example with a smaller radius, or pass on_error='skip' to leave "
        "such games out and count them."
    )
    t = tlpo.tournament(estimator, X, y, exclude=near, on_error="skip")
    assert t.diagnostics.failures == {"only one class would be left to train on": 2}
    assert t.diagnostics.pairs_played == 43
    assert np.isnan(t.win_matrix()[[0, 1], 2]).all()
    assert np.count_nonzero(np.isnan(t.win_matrix())) == 10 + 2 * 2
    assert t.diagnostics.warnings[0] == (
        "2 of 45 games would leave only one class to train on; estimates rest on 43."
    )
    pair = tlpo.leave_pair_out(estimator, X, y, exclude=near)
    assert pair.diagnostics.pairs_played == 21
    everything = tlpo.Buffer(np.zeros(10), 1)
    with pytest.raises(tlpo.InputError, match=r"\(0, 1\).*\n.*; 0 units would be left"):
        tlpo.tournament(estimator, X, y, exclude=everything, on_error="skip")


def test_quicksort_stops_at_a_pair_that_leaves_only_one_class():
    X, _ = oracles.blobs(m=10)
    y = np.array([1, 1, 1, 0, 0, 0, 0, 0, 0, 0])
    # Every game takes all positives away.
    text = message(
        lambda: tlpo.quicksort(tlpo.RLS(), X, y, random_state=0, exclude=lambda i, j: [0, 1, 2])
    )
    assert text.endswith("Exclude fewer units, for example with a smaller radius.")


@pytest.mark.parametrize("engine", ["auto", "refit"])
def test_when_no_game_between_the_classes_is_left_it_says_so(engine):
    """Two clusters, one a class: every game between them takes all of one class along."""
    X = np.random.default_rng(0).normal(size=(10, 2))
    y = np.arange(10) >= 5
    places = np.where(y, 100.0, 0.0)
    with pytest.raises(tlpo.InputError) as caught:
        tlpo.tournament(
            tlpo.RLS(), X, y, exclude=tlpo.Buffer(places, 1), on_error="skip", engine=engine
        )
    assert str(caught.value).startswith(
        "Leaving out the pair (0, 1) and the units that go with it leaves "
    )


def test_groups_that_hold_a_class_are_refused_by_every_engine():
    X, y = oracles.blobs(m=12)
    for estimator in (tlpo.RLS(), LogisticRegression()):
        with pytest.raises(tlpo.InputError, match="to train on"):
            tlpo.tournament(estimator, X, y, groups=np.where(y == 1, 100, np.arange(12)))


def test_a_group_that_empties_a_class_is_named():
    X, y = oracles.blobs(m=8)
    groups = np.where(y == 1, "ward 7", [f"p{k}" for k in range(8)])
    with pytest.raises(tlpo.InputError, match="group 'ward 7' leaves no unit of class 1"):
        tlpo.tournament(LogisticRegression(), X, y, groups=groups)
