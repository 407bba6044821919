"""Some games only, and games that leave out more than two units: as by refitting, game for game."""

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier

import oracles
import tlpo
from engines.agreement import assert_close, make, problems
from tlpo.engines.least_squares import blocks
from tlpo.engines.least_squares.engine import LeastSquares
from tlpo.engines.neighbors.engine import Neighbors
from tlpo.engines.preparation.prepared import unprepared
from tlpo.engines.refit import Refit
from tlpo.execution.options import Execution
from tlpo.games.contest import Contest, ContestOptions
from tlpo.games.schedule import Schedule, all_pairs
from tlpo.problem.problem import make_problem

ESTIMATORS = {
    "rls": tlpo.RLS,
    "ridge": Ridge,
    "ridge-classifier": RidgeClassifier,
    "ols": lambda _: LinearRegression(),
    "kernel-rbf": lambda alpha: KernelRidge(alpha=alpha, kernel="rbf", gamma=0.3),
    "lda": lambda _: LinearDiscriminantAnalysis(),
}
WEIGHTED = ("rls", "ridge", "ols", "kernel-rbf")
OTHERS = ("knn", "inverse-distance")
ALPHAS = [0.0, 1e-8, 1e-3, 1.0, 1e10]


def estimator_of(name, alpha):
    if name == "knn":
        return KNeighborsClassifier(3)
    if name == "inverse-distance":
        return tlpo.InverseDistanceKNN(2)
    return ESTIMATORS[name](alpha)


def outcome_of(engine, estimator, problem, games):
    played = engine(unprepared(estimator, problem)).play(
        Schedule(listed=games), Execution(n_jobs=1)
    )
    return played, played.outcome


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore")  # singular fits warn when they are refitted
@settings(max_examples=25, deadline=None)
@given(
    problems,
    st.sampled_from([*ESTIMATORS, *OTHERS]),
    st.sampled_from(ALPHAS),
    st.booleans(),
    st.integers(0, 99),
)
def test_listed_games_against_refits(data, name, alpha, weighted, seed):
    X, y = data
    rng = np.random.default_rng(seed)
    params = {"sample_weight": rng.uniform(0.1, 3.0, len(y))} if weighted else None
    problem = make_problem(X, y, params=params if name in WEIGHTED else None)
    games = rng.permutation(all_pairs(len(y)))[: rng.integers(1, 40)]
    estimator = estimator_of(name, alpha)
    exact = LeastSquares if name in ESTIMATORS else Neighbors
    assume(exact.why_not(unprepared(estimator, problem)) is None)
    try:
        fast, outcome = outcome_of(exact, estimator, problem, games)
        slow, expected = outcome_of(Refit, estimator, problem, games)
    except (tlpo.EngineError, tlpo.GameError):  # ill posed, or scikit-learn itself fails
        reject()
    assert outcome.tolist() == expected.tolist()
    assert np.array_equal(fast.standings.wins, slow.standings.wins)
    assert np.array_equal(fast.standings.games, slow.standings.games)
    assert fast.standings.n_ties == slow.standings.n_ties
    rtol = 1e-2 if name == "kernel-rbf" else 1e-6  # kernels of shifted data are rounded themselves
    assert_close(fast.predictions.full(), slow.predictions.full(), rtol)


def exclusions(kind, m, rng):
    """Groups and exclude of one kind."""
    groups = rng.integers(0, max(4, m // 2), m) if "groups" in kind else None
    if "buffer" in kind:
        return groups, tlpo.Buffer(rng.uniform(0, 10, m), rng.choice([0.0, 0.5, 1.0]))
    if "function" in kind:
        more = rng.permutation(m)[: rng.integers(0, 4)]
        return groups, lambda i, j: more[(more + i + j) % 3 == 0]
    return groups, None


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore")
@settings(max_examples=35, deadline=None)
@given(
    problems,
    st.sampled_from(list(ESTIMATORS)),
    st.sampled_from(ALPHAS),
    st.sampled_from(["groups", "buffer", "function", "groups+buffer", "groups+function"]),
    st.booleans(),
    st.integers(0, 99),
)
def test_larger_held_out_sets_against_refits(data, name, alpha, kind, weighted, seed):
    X, y = data
    rng = np.random.default_rng(seed)
    groups, exclude = exclusions(kind, len(y), rng)
    options = {"groups": groups, "exclude": exclude, "n_jobs": 1}
    if weighted and name in WEIGHTED:
        options["params"] = {"sample_weight": rng.uniform(0.1, 3.0, len(y))}
    estimator = ESTIMATORS[name](alpha)
    try:
        fast = tlpo.tournament(estimator, X, y, **options)
    except tlpo.InputError as error:
        assert "to train on" in str(error)  # noqa: PT017
        reject()
    except tlpo.GameError:  # scikit-learn itself fails
        reject()
    if fast.engine == "refit":
        assert fast.diagnostics.why_not_faster
        reject()
    slow = tlpo.tournament(estimator, X, y, **options, engine="refit")
    assert np.array_equal(fast.standings.wins, slow.standings.wins)
    assert fast.n_ties == slow.n_ties
    # Kernels of shifted data are rounded themselves, otherwise in every training set.
    assert_close(fast.predictions, slow.predictions, rtol=1e-2 if name == "kernel-rbf" else 1e-6)
    pair = tlpo.leave_pair_out(estimator, X, y, **options)
    assert pair.auc == slow.lpo_auc


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["groups", "buffer", "function", "groups+buffer"])
@pytest.mark.parametrize(
    ("name", "shape"),
    [
        (name, shape)
        for name in ESTIMATORS
        for shape in ((16, 3), (16, 30))
        # Without a penalty more units than features are needed.
        if shape[0] > shape[1] or name not in ("lda", "ols")
    ],
)
def test_ordinary_problems_are_not_refitted(name, shape, kind):
    X, y = make("plain", *shape, 7, 0.5, seed=3)
    groups, exclude = exclusions(kind, 16, np.random.default_rng(5))
    t = tlpo.tournament(ESTIMATORS[name](1.0), X, y, groups=groups, exclude=exclude)
    assert t.engine == "least-squares"
    assert t.diagnostics.fits <= 2  # one of the 120 games may leave too little to be sure
    slow = tlpo.tournament(
        ESTIMATORS[name](1.0), X, y, groups=groups, exclude=exclude, engine="refit"
    )
    assert np.array_equal(t.standings.wins, slow.standings.wins)
    assert_close(t.predictions, slow.predictions)


def test_larger_sets_against_loops():
    X, y = oracles.blobs(m=14, seed=1)
    place, groups = np.arange(14) * 1.0, np.arange(14) // 2
    t = tlpo.tournament(Ridge(), X, y, groups=groups, exclude=tlpo.Buffer(place, 1))
    assert t.engine == "least-squares"
    for i, j in itertools.combinations(range(14), 2):
        train = [
            k
            for k in range(14)
            if groups[k] not in (groups[i], groups[j])
            and min(abs(place[k] - place[i]), abs(place[k] - place[j])) > 1
        ]
        expected = oracles.predict(Ridge(), X, y, train, [i, j])
        assert [t.predictions[i, j], t.predictions[j, i]] == pytest.approx(expected)


def test_leave_one_out_with_groups_and_buffers_against_loops():
    X, y = oracles.blobs(m=16, seed=2)
    groups, place = np.arange(16) % 6, np.arange(16) // 2
    loo = tlpo.leave_one_out(tlpo.RLS(), X, y, groups=groups, exclude=tlpo.Buffer(place, 0))
    assert loo.engine == "least-squares"
    for i in range(16):
        train = [k for k in range(16) if groups[k] != groups[i] and place[k] != place[i]]
        assert loo.scores[i] == pytest.approx(oracles.predict(tlpo.RLS(), X, y, train, [i])[0])


def test_kfold_with_groups_against_refits():
    X, y = oracles.blobs(m=24, seed=3)
    options = {"groups": np.arange(24) % 8, "n_splits": 4, "random_state": 0}
    fast = tlpo.kfold(Ridge(), X, y, **options)
    slow = tlpo.kfold(Ridge(), X, y, **options, engine="refit")
    assert (fast.diagnostics.fits, slow.diagnostics.fits) == (1, 4)
    assert fast.scores == pytest.approx(slow.scores)


def test_units_that_carry_a_direction_alone_are_refitted():
    X, y = make("plain", 14, 3, 7, 0.5, seed=4)
    X[:, 2] = 0.0
    X[[2, 3], 2] = 1.0  # one group holds all there is of this direction
    groups = np.where(np.isin(np.arange(14), (2, 3)), 2, np.arange(14))
    t = tlpo.tournament(LinearRegression(), X, y, groups=groups)
    slow = tlpo.tournament(LinearRegression(), X, y, groups=groups, engine="refit")
    assert t.engine == "least-squares"
    assert t.diagnostics.fits == 1 + 12 * 2 + 1  # every game of either of them
    assert np.array_equal(t.standings.wins, slow.standings.wins)
    assert_close(t.predictions, slow.predictions)


def test_singular_blocks_do_not_spoil_their_batch():
    B = np.array([np.zeros((2, 2)), np.diag([2.0, 4.0])])

    class Hat:
        a, u = np.full(4, 0.5), np.full(4, 0.25)
        y = np.array([1.0, -1.0, 1.0, -1.0])
        error, least_det = 1e-15, 0.0

        def blocks(self, sets):
            return B

    f, growth = blocks._solve(Hat(), np.array([[0, 1], [2, 3]]))
    assert np.isnan(growth[0])
    assert growth[1] == 2 * 0.5 * (2 + 2 * np.abs(f[1]).max())
    assert f[1].tolist() == [1 - 0.25 / 2, -1 + 0.75 / 4]


def test_identical_units_tie_where_a_set_carries_a_direction_alone():
    # Found at random: the group's block is nearly singular, and rounding reached these two.
    X, y = make("binary", 13, 5, 8, 0.0, seed=919188)
    rng = np.random.default_rng(19)
    groups, _ = exclusions("groups", 13, rng)
    options = {"groups": groups, "params": {"sample_weight": rng.uniform(0.1, 3, 13)}}
    assert np.array_equal(X[1], X[12])
    t = tlpo.tournament(tlpo.RLS(1e-8), X, y, **options)
    slow = tlpo.tournament(tlpo.RLS(1e-8), X, y, **options, engine="refit")
    assert t.engine == "least-squares"
    assert t.win_matrix()[1, 12] == 0.5
    assert np.array_equal(t.standings.wins, slow.standings.wins)


def test_blocks_are_solved_in_batches(monkeypatch):
    X, y = oracles.blobs(m=20)
    groups = np.arange(20) // 3
    whole = tlpo.tournament(tlpo.RLS(), X, y, groups=groups)
    monkeypatch.setattr(blocks, "ENTRIES", 10)
    parts = tlpo.tournament(tlpo.RLS(), X, y, groups=groups)
    assert np.array_equal(whole.predictions, parts.predictions, equal_nan=True)


@pytest.mark.parametrize("name", [*ESTIMATORS, *OTHERS])
def test_ordinary_lists_are_played_without_refitting(name):
    X, y = make("plain", 20, 3, 9, 0.5, seed=6)
    X[4] = X[11]
    games = np.random.default_rng(0).permutation(all_pairs(20))[:60]
    games = np.concatenate([games, [[4, 11]]])
    problem, estimator = make_problem(X, y), estimator_of(name, 1.0)
    exact = LeastSquares if name in ESTIMATORS else Neighbors
    fast, outcome = outcome_of(exact, estimator, problem, games)
    slow, expected = outcome_of(Refit, estimator, problem, games)
    assert fast.diagnostics.fits == 1
    assert outcome.tolist() == expected.tolist()
    assert outcome[-1] == 0.5  # identical units
    assert_close(fast.predictions.full(), slow.predictions.full())
    assert np.count_nonzero(~np.isnan(slow.predictions.full())) == 2 * len(as_sets(games))


def as_sets(games):
    return {frozenset(game) for game in games.tolist()}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_leave_one_out_with_groups_against_refits(name):
    X, y = make("plain", 20, 3, 9, 0.5, seed=7)
    groups = np.arange(20) % 7
    estimator = ESTIMATORS[name](1.0)
    fast = tlpo.leave_one_out(estimator, X, y, groups=groups, engine="least-squares")
    slow = tlpo.leave_one_out(estimator, X, y, groups=groups, engine="refit")
    assert fast.scores == pytest.approx(slow.scores, rel=1e-8)


def test_discriminant_analysis_needs_scatter_within_the_classes():
    X, y = make("plain", 20, 2, 10, 0.0, seed=8)
    X[:, 0] = y + 1e-6 * X[:, 0]
    X[:3, 0] += 2.0  # all scatter there is, in one group
    groups = np.maximum(np.arange(20), 2)
    fast = tlpo.tournament(LinearDiscriminantAnalysis(), X, y, groups=groups)
    slow = tlpo.tournament(LinearDiscriminantAnalysis(), X, y, groups=groups, engine="refit")
    assert fast.diagnostics.fits > 1
    assert np.array_equal(fast.standings.wins, slow.standings.wins)


@pytest.mark.parametrize("name", ["ridge", "rls", "ols", "lda"])
def test_folds_of_more_units_than_columns_against_refits(name):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
    model = {
        "ridge": Ridge(),
        "rls": tlpo.RLS(),
        "ols": LinearRegression(),
        "lda": LinearDiscriminantAnalysis(),
    }[name]
    sets = [rng.permutation(60)[:size] for size in (2, 4, 5, 6, 30)]
    fast, slow = (
        Contest(model, X, y, ContestOptions(engine=engine)).hold_out(sets, "sets").responses
        for engine in ("least-squares", "refit")
    )
    for one, other in zip(fast, slow, strict=True):
        assert_close(one, other, rtol=1e-10)
