"""Logistic regression without refitting against refits, game for game."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler

import oracles
import tlpo
from engines.agreement import assert_close, make, problems
from engines.logistic import twins
from tlpo.engines import by_sets, doubts, linear
from tlpo.engines.by_sets import Answers
from tlpo.engines.logistic import engine as logistic
from tlpo.engines.logistic import pairs
from tlpo.engines.preparation.prepared import unprepared
from tlpo.execution.fits import Fit
from tlpo.games import contest
from tlpo.games.contest import Contest
from tlpo.problem.problem import make_problem

BEFORE = {
    "nothing": (),
    "StandardScaler": (StandardScaler(),),
    "MinMaxScaler": (MinMaxScaler(feature_range=(-1, 2)),),
    "RobustScaler": (RobustScaler(),),
    "imputer": (SimpleImputer(strategy="median"), StandardScaler()),
}


def estimator_of(before="nothing", **params):
    model = LogisticRegression(**params)
    return make_pipeline(*BEFORE[before], model) if BEFORE[before] else model


def tight(estimator):
    """The same estimator, solved to rounding."""
    model = clone(estimator)
    last = model[-1] if hasattr(model, "steps") else model
    last.set_params(solver="newton-cholesky", tol=1e-11, max_iter=1000)
    return model


def assert_same_games(estimator, X, y, **options):
    """Every game as by refitting; returns the tournament, or None if the engine did not apply."""
    fast = tlpo.tournament(estimator, X, y, **options)
    if fast.engine not in ("logistic", "logistic-path"):
        assert fast.engine == "refit"
        assert fast.diagnostics.why_not_faster
        return None
    slow = tlpo.tournament(estimator, X, y, engine="refit", **options)
    assert np.array_equal(fast.standings.wins, slow.standings.wins)
    assert np.array_equal(fast.standings.games, slow.standings.games)
    assert fast.n_ties == slow.n_ties
    return fast


class Subclass(LogisticRegression):
    """The same model, which the engine does not play: a subclass may override anything."""


estimators = st.builds(
    estimator_of,
    before=st.sampled_from(list(BEFORE)),
    C=st.sampled_from([1e-4, 1e-2, 1.0, 1e2, 1e5, np.inf]),
    fit_intercept=st.sampled_from([True, True, False]),
    class_weight=st.sampled_from([None, "balanced", {0: 3.0, 1: 0.5}]),
    solver=st.sampled_from(["lbfgs", "newton-cg", "newton-cholesky"]),
    tol=st.sampled_from([1e-3, 1e-4, 1e-6]),
    max_iter=st.just(400),
)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::scipy.linalg.LinAlgWarning")
@pytest.mark.filterwarnings("ignore:.*Line Search failed:UserWarning")
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@settings(max_examples=8, deadline=None)
@given(problems, estimators, st.sampled_from([0, 1]))
def test_games_against_refits(problem, estimator, positive):
    assert_same_games(estimator, *problem, positive=positive)


@pytest.mark.exhaustive
@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_ordinary_problems_are_not_refitted(before, class_weight):
    X, y = make("plain", 14, 3, 6, 0.8, seed=3)
    if before == "imputer":
        X[np.random.default_rng(0).random(X.shape) < 0.15] = np.nan
    estimator = estimator_of(before, class_weight=class_weight)
    t = assert_same_games(estimator, X, y)
    assert t is not None
    assert t.diagnostics.games_evaluated == 91
    assert t.diagnostics.fits <= 2
    # Close games have the responses of refits, which stop early.
    exact = tlpo.tournament(tight(estimator), X, y, engine="refit").predictions
    own = tlpo.tournament(estimator, X, y, engine="refit").predictions
    is_exact = np.isclose(t.predictions, exact, rtol=1e-5, atol=1e-5, equal_nan=True)
    is_own = np.isclose(t.predictions, own, rtol=1e-9, atol=1e-9, equal_nan=True)
    assert np.all(is_exact | is_own)


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["duplicates", "integers", "binary", "constant column"])
@pytest.mark.parametrize("before", ["nothing", "StandardScaler"])
def test_ties_and_constant_columns(kind, before):
    X, y = make(kind, 14, 3, 6, 0.5, seed=5)
    t = assert_same_games(estimator_of(before), X, y)
    assert t is not None
    assert (t.n_ties > 0) == (kind != "constant column")


def test_units_that_are_all_the_same_tie():
    X, y = make("all equal", 10, 2, 4, 0.0, seed=0)
    assert assert_same_games(estimator_of(), X, y).n_ties == 45


@pytest.mark.parametrize("C", [1e-4, 1.0, 1e4])
def test_separable_classes(C):
    X, y = make("plain", 11, 2, 5, 8.0, seed=1)
    assert_same_games(estimator_of(C=C, max_iter=1000), X, y)


NOT_UNIQUE = "Without a larger penalty, logistic regression has no unique fit."


def test_separable_classes_without_a_penalty():
    """Where there is no solution, only the path of the solver tells."""
    X, y = make("plain", 12, 2, 5, 8.0, seed=1)
    newton = estimator_of(C=np.inf, solver="newton-cg")
    why = tlpo.tournament(newton, X, y).diagnostics.why_not_faster
    assert why == f"{NOT_UNIQUE} Of the solvers of LogisticRegression, only lbfgs is followed."
    assert assert_same_games(estimator_of(C=np.inf), X, y).engine == "logistic-path"


def test_dependent_columns_with_and_without_a_penalty():
    X, y = make("plain", 16, 2, 7, 0.5, seed=1)
    X = np.column_stack([X, X[:, 0] - X[:, 1]])
    assert assert_same_games(estimator_of(), X, y) is not None
    assert assert_same_games(estimator_of(C=np.inf), X, y).engine == "logistic-path"


def test_sample_weights():
    X, y = make("plain", 18, 3, 7, 0.8, seed=4)
    weights = np.random.default_rng(0).uniform(0.2, 3.0, size=18)
    t = assert_same_games(estimator_of(), X, y, params={"sample_weight": weights})
    assert t is not None
    plain = tlpo.tournament(estimator_of(), X, y)
    assert not np.allclose(t.predictions, plain.predictions, equal_nan=True)


def test_groups_and_exclusions():
    X, y = make("plain", 12, 2, 6, 0.8, seed=6)
    order = np.random.default_rng(0).permutation(12)
    for options in (
        {"groups": np.arange(12) // 2},
        {"groups": np.repeat([0, 1, 2, 3, 4], [1, 2, 2, 3, 4])[order]},
        {"exclude": lambda i, j: [(i + j) % 12]},
    ):
        fast = tlpo.tournament(estimator_of("StandardScaler"), X, y, on_error="skip", **options)
        slow = tlpo.tournament(
            estimator_of("StandardScaler"), X, y, on_error="skip", engine="refit", **options
        )
        assert fast.engine == "logistic"
        assert np.array_equal(fast.standings.wins, slow.standings.wins)


def test_opposite_classes_and_rounds():
    X, y = make("plain", 20, 3, 8, 0.5, seed=7)
    estimator = estimator_of("StandardScaler")
    pair = tlpo.leave_pair_out(estimator, X, y)
    assert pair.engine == "logistic"
    assert pair.auc == tlpo.tournament(estimator, X, y, engine="refit").lpo_auc


@pytest.mark.parametrize("before", ["nothing", "StandardScaler", "imputer"])
def test_held_out_sets_against_tight_refits(before):
    X, y = make("plain", 14, 3, 7, 0.5, seed=8)
    if before == "imputer":
        X[np.random.default_rng(0).random(X.shape) < 0.15] = np.nan
    estimator = estimator_of(before, class_weight="balanced", tol=1e-6)
    one = tlpo.leave_one_out(estimator, X, y)
    assert one.engine == "logistic"
    assert one.diagnostics.fits <= 3
    exact = oracles.leave_one_out_scores(tight(estimator), X, y)
    assert np.allclose(one.scores, exact, rtol=1e-4, atol=1e-4)
    folds = tlpo.kfold(estimator, X, y, n_splits=4, random_state=0)
    exact = tlpo.kfold(tight(estimator), X, y, n_splits=4, random_state=0, engine="refit")
    assert folds.diagnostics.why_not_faster is None
    assert np.allclose(folds.scores, exact.scores, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("tol", [1e-2, 1e-4])
def test_other_schemes_have_the_auc_of_refits(tol, monkeypatch):
    X, y = make("plain", 24, 3, 10, 0.3, seed=5)

    def aucs(model, most=1000):
        estimator = make_pipeline(StandardScaler(), model(tol=tol))
        results = [
            tlpo.leave_one_out(estimator, X, y),
            tlpo.kfold(estimator, X, y, n_splits=4, random_state=0),
            tlpo.bootstrap(estimator, X, y, n_resamples=20, random_state=0),
        ]
        assert all(result.diagnostics.fits <= most for result in results)
        return [result.auc for result in results]

    refitted = aucs(Subclass)
    assert aucs(LogisticRegression, most=2) == refitted
    if tol == 1e-2:  # the solution itself has others
        for module in (doubts, by_sets):
            monkeypatch.setattr(module, "may_swap", lambda _, error, __: np.isinf(error))
        assert aucs(LogisticRegression) != refitted


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_units_drawn_repeatedly_against_tight_fits(before, class_weight):
    X, y = make("plain", 24, 3, 10, 0.5, seed=4)
    rng = np.random.default_rng(0)
    if before == "imputer":
        X[rng.random(X.shape) < 0.15] = np.nan
    estimator = estimator_of(before, class_weight=class_weight, tol=1e-6)
    contest = Contest(estimator, X, y)
    draws = [Fit(rng.integers(24, size=24), np.arange(24)) for _ in range(6)]
    responses = logistic.Logistic(contest.prepared).respond(draws)
    assert sum(response is not None for response in responses) >= 3
    for fit, response in zip(draws, responses, strict=True):
        if response is not None:
            model = tight(estimator).fit(X[fit.train], y[fit.train])
            assert np.allclose(response, model.decision_function(X), rtol=1e-6, atol=1e-6)


def test_a_separable_draw_without_a_penalty_is_left_to_fitting():
    X, y = make("plain", 12, 1, 6, 0.3, seed=0)
    engine = logistic.Logistic(unprepared(estimator_of(C=np.inf), make_problem(X, y)))
    order = np.argsort(X[:, 0])
    low, high = order[y[order] == 0][:3], order[y[order] == 1][-3:]
    assert X[low].max() < X[high].min()
    whole = Fit(np.arange(12), np.arange(12))
    assert engine.respond([Fit(np.repeat([*low, *high], 2), np.arange(12))]) == [None]
    assert engine.respond([whole])[0] is not None


@pytest.mark.exhaustive
def test_permutations_are_those_of_refits():
    X, y = make("plain", 12, 2, 5, 0.5, seed=9)
    fast, slow = (
        tlpo.permutation_test(
            estimator_of("StandardScaler"), X, y, n_permutations=5, random_state=0, engine=engine
        )
        for engine in ("auto", "refit")
    )
    assert np.array_equal(fast.null_distribution, slow.null_distribution)


@pytest.mark.exhaustive
def test_one_step_games_against_refits(monkeypatch):
    X, y = make("plain", 32, 2, 13, 1.0, seed=0)
    estimator = estimator_of("StandardScaler", C=0.1, tol=1e-6)
    solved = tlpo.tournament(estimator, X, y)
    monkeypatch.setattr(logistic, "CERTIFY_FROM", 0)
    t = assert_same_games(estimator, X, y)
    assert 0 < t.diagnostics.games_evaluated < 0.6 * 496
    assert solved.diagnostics.games_evaluated == 496
    assert_close(t.predictions, solved.predictions, rtol=0.05)


def count_wrong(estimator, X, y):
    fast = tlpo.tournament(estimator, X, y)
    slow = tlpo.tournament(estimator, X, y, engine="refit")
    assert fast.engine == "logistic"
    return np.abs(fast.standings.wins - slow.standings.wins).sum() / 2


@pytest.mark.exhaustive
def test_without_the_solvers_slack_games_go_wrong(monkeypatch):
    X, y = make("plain", 30, 3, 12, 0.2, seed=2)
    estimator = estimator_of(tol=1e-2)
    assert count_wrong(estimator, X, y) == 0
    monkeypatch.setattr(logistic.Logistic, "_tol", 0.0)
    monkeypatch.setattr(contest, "why_not_trusted", lambda *_: None)  # it would notice
    assert count_wrong(estimator, X, y) > 0


def test_close_games_of_many_are_refitted_and_do_not_tie(monkeypatch):
    monkeypatch.setattr(doubts, "MOST_GAMES", 100)
    monkeypatch.setattr(doubts, "MOST_REFITS", 0)
    X, y = make("plain", 16, 2, 7, 1.0, seed=4)
    t = assert_same_games(estimator_of(solver="newton-cg"), X, y)
    assert 0 < t.diagnostics.fits - 1 <= 0.02 * 120
    assert not t.diagnostics.warnings
    monkeypatch.setattr(logistic.Logistic, "refitted_share", 0.0)
    assert tlpo.tournament(estimator_of(solver="newton-cg"), X, y).diagnostics.warnings


@pytest.mark.exhaustive
@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_close_games_are_followed_to_where_the_solver_stops(before, class_weight):
    # With this tolerance it stops far from the solution.
    X, y = make("plain", 16, 3, 7, 0.8, seed=5)
    if before == "imputer":
        X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    estimator = estimator_of(before, class_weight=class_weight, tol=0.03)
    t = assert_same_games(estimator, X, y)
    assert t is not None
    own = tlpo.tournament(estimator, X, y, engine="refit").predictions
    is_own = np.isclose(t.predictions, own, rtol=1e-9, atol=1e-9)
    assert is_own.sum() > 50
    assert t.diagnostics.fits < 5


def test_what_cannot_be_followed_keeps_its_first_answer(monkeypatch):
    monkeypatch.setattr(doubts, "MOST_GAMES", 100)
    monkeypatch.setattr(doubts, "MOST_REFITS", 0)
    monkeypatch.setattr(logistic.Logistic, "refitted_share", 0.0)
    monkeypatch.setattr(
        logistic.Logistic,
        "answer_again",
        lambda _, sets, __: Answers(np.full(sets.shape, np.nan), np.full(sets.shape, np.inf)),
    )
    X, y = make("plain", 16, 2, 7, 1.0, seed=4)
    t = tlpo.tournament(estimator_of(), X, y)
    assert t.diagnostics.warnings  # some games count as ties
    assert np.isfinite(t.predictions[~np.eye(16, dtype=bool)]).all()


def test_another_solver_would_be_noticed(monkeypatch):
    X, y = make("plain", 16, 2, 7, 1.0, seed=4)

    def engine(**params):
        return logistic.Logistic(unprepared(LogisticRegression(**params), make_problem(X, y)))

    here, elsewhere = engine(), engine()
    assert here.can_answer_again
    monkeypatch.setitem(elsewhere.__dict__, "_stop", here._stop + 1e-6)
    assert not elsewhere.can_answer_again
    assert not engine(solver="newton-cg").can_answer_again


def test_with_a_hundredth_of_the_bound_games_go_wrong(monkeypatch):
    monkeypatch.setattr(logistic, "CERTIFY_FROM", 0)
    X, y = make("plain", 60, 5, 25, 0.5, seed=9)
    estimator = estimator_of("StandardScaler", C=10.0, tol=1e-6)
    right = tlpo.tournament(estimator, X, y).standings.wins
    whole = pairs.Block.error

    def hundredth(self, *given):
        return tuple(0.01 * part for part in whole(self, *given))

    monkeypatch.setattr(pairs.Block, "error", hundredth)
    wrong = tlpo.tournament(estimator, X, y).standings.wins
    assert np.abs(right - wrong).sum() > 0


def test_more_threads_play_the_same_games(monkeypatch):
    monkeypatch.setattr(pairs, "CELLS", 2000)
    monkeypatch.setattr(linear, "SETS_A_THREAD", 1)
    X, y = make("plain", 24, 3, 10, 0.5, seed=2)
    one = tlpo.tournament(estimator_of("StandardScaler"), X, y, n_jobs=1)
    monkeypatch.setattr(linear, "thread_count", lambda _: 3)
    three = tlpo.tournament(estimator_of("StandardScaler"), X, y)
    assert np.array_equal(one.standings.wins, three.standings.wins)
    assert np.array_equal(one.predictions, three.predictions, equal_nan=True)


def why_not(estimator, X, y, params=None):
    problem = make_problem(X, y, params=params)
    return logistic.Logistic.why_not(unprepared(estimator, problem))


def test_what_the_engine_does_not_cover():
    X, y = make("plain", 12, 3, 5, 0.5, seed=0)
    assert why_not(estimator_of(), X, y) is None
    assert why_not(estimator_of(), sparse.csr_matrix(X), y) == (
        "The solution of logistic regression does not cover sparse data."
    )
    wide = np.random.default_rng(0).normal(size=(12, 9))
    assert why_not(estimator_of(), wide, y) == (
        "With more features than units, the tolerance of logistic regression leaves too many games "
        "open."
    )
    weight = {"sample_weight": np.ones(12)}
    assert why_not(estimator_of(class_weight="balanced"), X, y, weight) == (
        "Balanced classes together with sample weights are not covered."
    )
    assert why_not(estimator_of(), X, y, {"other": 1}) == (
        "The solution does not cover the fit arguments other."
    )
    assert why_not(estimator_of(solver="saga"), X, y).startswith("How close the solver 'saga'")


def test_weights_that_are_not_positive_are_refitted():
    X, y = make("plain", 12, 2, 5, 0.5, seed=0)
    weight = np.ones(12)
    weight[3] = 0.0
    t = tlpo.tournament(estimator_of(), X, y, params={"sample_weight": weight})
    assert t.diagnostics.why_not_faster == "The solution needs one positive sample weight per unit."


def test_subclasses_are_refitted():
    X, y = make("plain", 12, 2, 5, 0.5, seed=0)
    assert tlpo.tournament(Subclass(), X, y).engine == "refit"


@pytest.mark.slow
def test_no_certified_game_is_wrong():
    """A million games, decided after one step, against their solutions; none may differ."""
    n_certified, seed = 0, 0
    while n_certified < 1_000_000:
        rng = np.random.default_rng(seed)
        seed += 1
        m, n = int(rng.integers(40, 400)), int(rng.integers(1, 12))
        C = 10.0 ** rng.uniform(-2, 3)
        X, y, weight, alpha = twins.problem(
            m, n, shift=rng.uniform(0, 2), seed=seed, C=C, weighted=bool(seed % 2)
        )
        X[:, :n] *= rng.standard_t(3, size=(m, n)) ** (seed % 3 == 0)
        games = np.array(list(itertools.combinations(range(m), 2)))
        reference = pairs.Reference.fit(X, y, weight, alpha)
        one = pairs.solve_pairs(reference, games, None, 1e-9, certify=True)
        every = pairs.solve_pairs(reference, games, None, 1e-9, certify=False)
        decided = ~one.is_solved & np.isfinite(every.error)
        gaps = [found.response[:, 0] - found.response[:, 1] for found in (one, every)]
        assert np.array_equal(gaps[0][decided] > 0, gaps[1][decided] > 0)
        assert np.all(np.abs(gaps[0] - gaps[1])[decided] <= one.error[decided])
        n_certified += int(decided.sum())


@pytest.mark.exhaustive
@pytest.mark.parametrize("strategy", ["median", "most_frequent"])
@pytest.mark.parametrize("kind", ["plain", "integers", "duplicates"])
def test_sets_whose_gaps_are_filled_alike_against_refits(kind, strategy, monkeypatch):
    monkeypatch.setattr(logistic, "ALIKE", 3)
    monkeypatch.setattr(logistic, "MOST_FILLED", 2)
    X, y = make(kind, 22, 3, 10, 0.5, seed=11)
    X[np.random.default_rng(1).uniform(size=X.shape) < 0.2] = np.nan
    X[:3] = 0.5
    made = []
    monkeypatch.setattr(
        logistic.Logistic,
        "_engine_on",
        lambda self, filled, act=logistic.Logistic._engine_on: made.append(1) or act(self, filled),
    )
    steps = SimpleImputer(strategy=strategy), StandardScaler()
    for before in (steps, steps[:1]):
        model = make_pipeline(*before, LogisticRegression(tol=1e-6))
        fast = tlpo.tournament(model, X, y)
        slow = tlpo.tournament(model, X, y, engine="refit")
        assert fast.engine == "logistic"
        assert np.array_equal(fast.standings.wins, slow.standings.wins)
        assert fast.n_ties == slow.n_ties
    assert made
