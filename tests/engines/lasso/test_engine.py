"""The lasso with its penalty chosen in every game, against refits."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import tlpo
from engines.agreement import assert_same_games, make, problems
from tlpo.engines.lasso.engine import Lasso
from tlpo.engines.lasso.margins import errors_of
from tlpo.engines.preparation.prepared import unprepared
from tlpo.learners.elastic_net import average, choose
from tlpo.learners.folds import folds_of
from tlpo.problem.problem import make_problem


def small(l1_ratio=1.0, **parameters):
    return tlpo.ElasticNetLogisticCV(l1_ratio, **{"n_folds": 4, "n_penalties": 8, **parameters})


def sample(m, p, seed, shift=0.7, n_positive=None):
    return make("plain", m, p, n_positive or m // 2, shift, seed)


@pytest.mark.parametrize(
    ("m", "p", "model"),
    [
        (26, 4, small(n_penalties=5)),
        (26, 4, small(choice="1se", n_penalties=5)),
        (14, 20, small(0.6)),
        (16, 20, small(choice="1se", n_folds=10)),
    ],
)
def test_games_against_refits(m, p, model):
    X, y = sample(m, p, seed=m + p)
    assert assert_same_games(model, X, y, "lasso")


@pytest.mark.parametrize("kind", ["duplicates", "binary", "constant column", "mixed scales"])
def test_nasty_games_against_refits(kind):
    X, y = make(kind, 16, 3, 7, 0.7, 3)
    assert_same_games(small(), X, y, "lasso")


@pytest.mark.exhaustive
@settings(max_examples=40, deadline=None)
@given(problems)
def test_any_games_against_refits(problem):
    assume(np.bincount(problem[1]).min() > 3)  # a training set needs two of each class
    for model in (small(), small(0.5, choice="1se")):
        assert_same_games(model, *problem, "lasso", slow=None)


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", [0, 1, 3])
@pytest.mark.parametrize("choice", ["min", "1se"])
@pytest.mark.parametrize("p", [3, 12, 90])
def test_larger_games_against_refits(p, choice, seed):
    X, y = sample(40, p, seed, shift=[0.0, 0.4, 1.5][seed % 3])
    if seed == 3:
        X = np.round(X)
    assert assert_same_games(tlpo.ElasticNetLogisticCV(choice=choice), X, y, "lasso")


def test_two_identical_units_leave_as_if_the_last_had():
    X, y = sample(24, 3, seed=5)
    X[5:12], y[5:12] = X[5], y[5]
    engine = Lasso(unprepared(small(), make_problem(X, y)))
    assert engine._left_out(np.array([[5, 0], [6, 9], [0, 1]])).tolist() == [
        [11, 0],
        [11, 10],
        [0, 1],
    ]
    assert assert_same_games(small(), X, y, "lasso")


def test_folds_of_training_sets_against_a_loop():
    X, y = make("plain", 12, 2, 4, 0.5, 8)
    engine = Lasso(unprepared(small(n_folds=3), make_problem(X, y)))
    i, j = np.triu_indices(12, 1)
    sets = np.column_stack([i, j])
    kept = engine._keep_folds(sets)
    every = folds_of(X, y, 3, 0)
    for pair, is_kept in zip(sets, kept, strict=True):
        rest = np.setdiff1d(np.arange(12), pair)
        assert is_kept == np.array_equal(folds_of(X[rest], y[rest], 3, 0), every[rest])
    assert kept.any()


def test_penalties_of_training_sets_against_fits():
    X, y = sample(20, 5, seed=9)
    model = small()
    engine = Lasso(unprepared(model, make_problem(X, y)))
    sets = np.array([[0, 1], [3, 17], [8, 9]])
    for pair, first in zip(sets, engine._first(sets), strict=True):
        rest = np.setdiff1d(np.arange(20), pair)
        path = model.fit(X[rest], y[rest]).path_
        assert np.array_equal(engine._sample.penalties[first : first + 8], path.penalty)


@pytest.mark.parametrize("choice", ["min", "1se"])
def test_chosen_penalties_against_fits(choice):
    from tlpo.engines.lasso import choosing, kernels

    X, y = sample(30, 6, seed=10, shift=0.4)
    model = tlpo.ElasticNetLogisticCV(choice=choice)
    engine = Lasso(unprepared(model, make_problem(X, y)))
    singles, rule = engine._singles(1)
    assert not rule.solve_all
    sample_, (p, m) = engine._sample, engine._sample.Xt.shape
    K = sample_.edges.size - 1
    n = rule.n_penalties
    count = np.zeros(1, dtype=np.intp)
    known = np.zeros(n, dtype=bool)
    path = choosing.Path(*np.empty((2, n)), known, *np.empty((2, n)), np.empty(K), count)
    room = kernels.make_room(m, p)
    rng = np.random.default_rng(0)
    for _ in range(25):
        pair = rng.permutation(30)[:2]
        (first,) = engine._first(pair[None])
        i, j = engine._places[pair]
        found = choosing.choose(sample_, singles, rule, i, j, first, room, path, np.empty((n, K)))
        rest = np.setdiff1d(np.arange(30), pair)
        assert sample_.penalties[found] == model.fit(X[rest], y[rest]).lambda_
    assert count[0] < 25 * n  # not every one had to be solved


@pytest.mark.parametrize("choice", ["min", "1se"])
def test_averages_and_choices_against_those_of_the_learner(choice):
    from tlpo.engines.lasso import choosing, kernels

    X, y = sample(24, 4, seed=11)
    engine = Lasso(unprepared(small(choice=choice), make_problem(X, y)))
    sample_ = engine._sample
    K = sample_.edges.size - 1
    rng = np.random.default_rng(1)
    for _ in range(20):
        pair = rng.permutation(24)[:2]
        sums = rng.uniform(1.0, 2.0, size=(8, K))
        counts = np.diff(sample_.edges) - np.bincount(sample_.fold[pair], minlength=K)
        assert counts.min() > 0
        mean, error = average((2.0 * sums / counts).T, counts)
        own = np.array([kernels.average(sample_, *pair, row) for row in sums])
        assert own == pytest.approx(np.column_stack([mean, error]))
        known = np.ones(8, dtype=bool)
        count = np.zeros(1, dtype=np.intp)
        path = choosing.Path(mean, mean + error, known, *np.zeros((2, 8)), np.empty(K), count)
        rule = engine._singles(1)[1]
        assert choosing.choose_solved(rule, 3, 8, path) == 3 + choose(mean, error, choice)


def test_largest_errors_by_hand():
    about = np.zeros((2, 3, 4))
    about[:, :, 0] = [[3.0, 1.0, 2.0], [1.0, 2.0, 3.0]]
    about[:, :, 2] = about[:, :, 0] + [[0.1, 0.0, -0.2], [0.0, 0.0, 0.5]]
    about[:, :, 3] = 0.4
    gaps, near, values = errors_of(about, np.full((2, 3), 2.0))
    assert gaps[:, 0] == pytest.approx([0.0, 0.1, 0.25])
    assert gaps[:, 1] == pytest.approx([0.0, 0.05, 0.125])
    assert near == pytest.approx([0.0, 0.125, 0.125])  # (0.5 − 0) / (2 + 2)
    assert values[:, 2] == pytest.approx([0.1, 0.5, 0.5])
    assert values[:, 0] == pytest.approx([0.05, 0.25, 0.25])
    assert values[:, 1] == pytest.approx([0.2, 0.2, 0.2])


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_threads_change_nothing(n_jobs):
    X, y = sample(26, 4, seed=13)
    one = tlpo.tournament(small(), X, y, n_jobs=n_jobs)
    assert np.array_equal(one.predictions, tlpo.tournament(small(), X, y).predictions, True)


def test_the_first_class_may_be_the_positive_one():
    X, y = sample(16, 3, seed=14)
    words = np.where(y == 1, "a", "b")
    fast, slow = (
        tlpo.tournament(small(), X, words, positive="a", engine=engine)
        for engine in ("lasso", "refit")
    )
    assert np.array_equal(fast.standings.wins, slow.standings.wins)
    assert fast.predictions == pytest.approx(slow.predictions, abs=1e-7, nan_ok=True)


@pytest.mark.parametrize(
    ("m", "p", "model"),
    [
        (30, 4, small(n_penalties=6)),
        (30, 40, small(choice="1se")),
        (28, 5, small(0.5)),
        (28, 26, small()),  # without one unit, more units than features; without two, not
    ],
)
def test_leave_one_out_against_refits(m, p, model):
    X, y = sample(m, p, seed=m + p)
    X[5], y[5] = X[9], y[9]
    fast, slow = (tlpo.leave_one_out(model, X, y, engine=e) for e in ("lasso", "refit"))
    assert fast.responses == pytest.approx(slow.responses, abs=1e-7)
    assert fast.auc == slow.auc
    assert (fast.diagnostics.fits < m / 2) == (p != m - 2)


def test_folds_are_refitted():
    X, y = sample(16, 3, seed=15)
    fast, slow = (tlpo.kfold(small(), X, y, engine=e, random_state=0) for e in ("auto", "refit"))
    assert fast.auc == slow.auc


def test_behind_steps_that_do_not_change():
    X, y = sample(16, 3, seed=16)
    model = make_pipeline(FunctionTransformer(), small())
    assert_same_games(model, X, y, "lasso")
    scaled = tlpo.tournament(make_pipeline(StandardScaler(), small()), X, y)
    assert scaled.engine == "refit"
    assert scaled.diagnostics.why_not_faster


@pytest.mark.parametrize(
    ("model", "options", "reason"),
    [
        (
            small(random_state=None),
            {},
            "Folds are drawn anew in every fit with random_state=None.",
        ),
        (
            small(),
            {"groups": np.arange(16) // 2},
            "The solution of the lasso covers neither groups nor exclude.",
        ),
    ],
)
def test_what_is_refitted(model, options, reason):
    X, y = sample(16, 3, seed=17)
    played = tlpo.tournament(model, X, y, **options)
    assert played.engine == "refit"
    assert reason in played.diagnostics.why_not_faster


def test_classes_of_three_leave_games_that_fail_to_refitting():
    X, y = sample(14, 3, seed=18, n_positive=3)
    with pytest.raises(tlpo.GameError, match="two units of each class"):
        tlpo.tournament(small(), X, y)
