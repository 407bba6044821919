"""Games of numbers and grades: every exact engine against refits, and both against a plain loop."""

import itertools

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import BaggingRegressor, RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier, RidgeCV
from sklearn.metrics.pairwise import linear_kernel
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR
from sklearn.tree import DecisionTreeRegressor

import tlpo
from engines.ordered_problems import KINDS, MODELS, Problem, plain, play, result
from tlpo.engines.least_squares import engine as least_squares
from tlpo.execution.fits import Fit
from tlpo.games.contest import Contest, ContestOptions
from tlpo.games.schedule import Schedule

# Nothing has a closed form here, whichever way the games are played.
REFITTED = {
    ("KernelRidge, linear", "X times 1e8"): "The kernel matrix is too close to singular for the "
    "closed form: units coincide, or the penalty is too small.",
    ("LinearRegression", "constant column"): "The features are linearly dependent and there is no "
    "penalty.",
    ("LinearRegression", "X of mixed scales"): "The features are nearly dependent and there is no "
    "penalty.",
    ("LinearRegression", "one far row"): "The features are nearly dependent and there is no "
    "penalty.",
}


def assert_close(found, expected, problem):
    """Responses agree, relative to how far they and the outcomes are apart."""
    assert np.array_equal(np.isnan(found), np.isnan(expected))
    size = np.abs(expected - np.median(problem.target) / problem.unit)
    error = np.abs(found - expected) / np.maximum(problem.spread, size)
    # Where features are badly scaled, scikit-learn's own predictions are off by as much.
    assert np.nanmax(error) < 1e-5


def assert_plays(name, kind, seed=0, is_refitted=True):
    """Every game and every prediction, by the engine, by refitting and by a loop."""
    model = MODELS[name]
    problem = model.problem(kind, seed)
    fast = problem.contest(model.estimator).play(Schedule())
    if (name, kind) in REFITTED:
        assert fast.engine == "refit"
        assert fast.diagnostics.why_not_faster == REFITTED[name, kind]
    else:
        assert fast.engine == model.engine, fast.diagnostics.why_not_faster
    all_played = [fast]
    if is_refitted:
        all_played.append(problem.contest(model.estimator, "refit").play(Schedule()))
        assert all_played[1].engine == "refit"
    wins, games, F = play(problem, model.estimator)
    for played in all_played:
        assert np.array_equal(played.standings.wins, wins)
        assert np.array_equal(played.standings.games, games)
        assert played.standings.n_ties == count_ties(F)
        assert_close(played.predictions.full(), F, problem)
    outcome = problem.contest(model.estimator).outcome
    assert fast.standings.concordance(outcome) == wins[:, 0].sum() / games[:, 0].sum()
    return problem, F


def count_ties(F):
    pairs = itertools.combinations(range(len(F)), 2)
    return sum(result(F[i, j], F[j, i]) == 0.5 for i, j in pairs)


def assert_plays_other_schedules(name, kind, seed=0):
    """Ordered games, games of a list, and held-out sets, against refits."""
    model = MODELS[name]
    problem = model.problem(kind, seed)
    fast, slow = (problem.contest(model.estimator, engine) for engine in ("auto", "refit"))
    m, rng = len(problem.y), np.random.default_rng(seed)
    pairs = np.array(list(itertools.combinations(range(m), 2)))
    listed = pairs[rng.random(len(pairs)) < 0.3]
    for schedule in (Schedule("ordered"), Schedule(listed=listed)):
        one, other = fast.play(schedule), slow.play(schedule)
        assert np.array_equal(one.standings.wins, other.standings.wins)
        assert np.array_equal(one.standings.games, other.standings.games)
        assert one.standings.n_ties == other.standings.n_ties
        if schedule.listed is not None:
            assert np.array_equal(one.outcome, other.outcome)
    # No set may take along so many units that too few are left.
    size = 1 if problem.groups is not None or problem.places is not None or m < 10 else 3
    sets = [np.sort(rng.permutation(m)[:size]) for _ in range(4)] + [np.array([0])]
    found, refitted = (contest.hold_out(sets, "sets") for contest in (fast, slow))
    assert found.engine in (model.engine, "refit")
    for one, other, test in zip(found.responses, refitted.responses, sets, strict=True):
        assert_close(one, other, problem)
        assert_close(one, problem.respond(model.estimator, test), problem)


def assert_fits_resamples(name, kind, seed=0):
    """Fits on units drawn with repetition, against refits and a loop."""
    model = MODELS[name]
    problem = model.problem(kind, seed)
    m, rng = len(problem.y), np.random.default_rng(seed)
    drawn = [rng.integers(m, size=m) for _ in range(8)]
    fits = [Fit(train, np.arange(m)) for train in drawn if np.ptp(problem.target[train])]
    fast = problem.contest(model.estimator).fit(fits, "fits", "Fits")
    slow = problem.contest(model.estimator, "refit").fit(fits, "fits", "Fits")
    for one, other, fit in zip(fast.responses, slow.responses, fits, strict=True):
        expected = problem.respond(model.estimator, range(m), fit.train)
        assert_close(one, expected, problem)
        assert_close(other, expected, problem)


# A few kinds for every model, others for each.
FEW = [
    (name, kind)
    for k, name in enumerate(sorted(MODELS))
    for kind in ("ties in y", sorted(KINDS)[(5 * k) % len(KINDS)])
    if not (name == "selecting Ridge" and kind in ("one column", "few units", "fewest units"))
    if not (name == "Ridge of words" and kind == "ties in y")  # tables take their time
]
ALL = [
    (name, kind)
    for name in MODELS
    for kind in KINDS
    if not (name == "selecting Ridge" and kind in ("one column", "few units", "fewest units"))
]


@pytest.mark.parametrize(("name", "kind"), FEW)
@pytest.mark.filterwarnings("ignore")  # of singular fits and unknown categories, where refitted
def test_games_against_refits_and_a_loop(name, kind):
    # The loop refits, too: once more for one kind of each model.
    assert_plays(name, kind, is_refitted=kind != "ties in y")


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "kind"), FEW[1::4])
@pytest.mark.filterwarnings("ignore")
def test_other_schedules_against_refits(name, kind):
    assert_plays_other_schedules(name, kind)


@pytest.mark.parametrize(("name", "kind"), FEW[::2])
@pytest.mark.filterwarnings("ignore")
def test_resamples_against_refits_and_a_loop(name, kind):
    assert_fits_resamples(name, kind)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "kind"), ALL)
@pytest.mark.filterwarnings("ignore")
def test_all_resamples_against_refits_and_a_loop(name, kind):
    assert_fits_resamples(name, kind)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "kind"), ALL)
@pytest.mark.filterwarnings("ignore")
def test_all_games_against_refits_and_a_loop(name, kind):
    assert_plays(name, kind)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "kind"), ALL)
@pytest.mark.filterwarnings("ignore")
def test_all_other_schedules_against_refits(name, kind):
    assert_plays_other_schedules(name, kind)


@pytest.mark.parametrize(
    "kind", ["plain", "grades", "y plus 1e5", "y times 1e-9", "groups", "wide"]
)
@pytest.mark.parametrize("name", ["Ridge", "RLS", "scaled Ridge", "scaled weighted neighbours"])
def test_ordinary_games_are_not_refitted(name, kind):
    model = MODELS[name]
    played = model.problem(kind).contest(model.estimator).play(Schedule())
    assert (played.engine, played.diagnostics.fits) == (model.engine, 1)


@pytest.mark.parametrize("name", sorted(MODELS))
def test_the_unit_of_a_measurement_decides_no_game(name):
    """Powers of two change no digit; responses are compared in units of their own."""
    model = MODELS[name]
    problem = model.problem("plain", seed=3)
    expected = problem.contest(model.estimator).play(Schedule())
    for factor in (2.0**-40, 2.0**40):
        problem.y = problem.y * factor
        played = problem.contest(model.estimator).play(Schedule())
        assert np.array_equal(played.standings.wins, expected.standings.wins)
        assert np.array_equal(played.predictions.full(), expected.predictions.full(), True)


# --- many units


@pytest.mark.exhaustive
@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("kind", ["numbers", "ties", "offset", "grades", "heavy tail"])
@pytest.mark.parametrize("model", [Ridge(), tlpo.RLS()], ids=lambda e: type(e).__name__)
def test_certified_games_against_the_table_of_predictions(model, kind, ordered):
    m = least_squares.CERTIFY_FROM + 11
    X, y, rng = plain(2, m=m, n=4)
    X[5] = X[4]
    y = {
        "numbers": y,
        "ties": np.round(y),
        "offset": y + 1e5,
        "grades": np.digitize(y, [-1.0, 0.0, 1.0]).astype(float),
        "heavy tail": np.exp(4 * y),
    }[kind]
    problem = Problem(X, y)
    schedule = Schedule("ordered" if ordered else "all")
    played = problem.contest(model).play(schedule)
    assert played.engine == "least-squares"
    F = played.predictions.full()
    n_games = schedule.n_games(problem.contest(model).outcome)
    assert played.diagnostics.games_evaluated < 0.5 * n_games  # the others were decided by bounds
    wins, games = np.zeros((m, 3)), np.zeros((m, 3))
    for i, j in itertools.combinations(range(m), 2):
        if ordered and y[i] == y[j]:
            continue
        won = result(F[i, j], F[j, i])
        for one, other, own in ((i, j, won), (j, i, 1 - won)):
            column = 0 if y[one] > y[other] else 1 if y[one] < y[other] else 2
            wins[one, column] += own
            games[one, column] += 1
    assert np.array_equal(played.standings.wins, wins)
    assert np.array_equal(played.standings.games, games)
    for pair in [(4, 5), *rng.permutation(m)[:20].reshape(-1, 2)]:
        expected = problem.respond(model, pair)
        assert [F[pair[0], pair[1]], F[pair[1], pair[0]]] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("k", [1, 4])
def test_neighbours_of_many_units_against_the_definition(k):
    """Games of units that are neighbours of each other, and of others, counted by a loop."""
    m = 90
    X, y, _ = plain(4, m=m, n=2)
    y = np.round(y, 1)
    played = Problem(X, y).contest(KNeighborsRegressor(k)).play(Schedule())
    assert played.engine == "neighbors"
    nearest = np.argsort(((X[:, None] - X) ** 2).sum(axis=2), axis=1)[:, : k + 2]
    F, unit = np.full((m, m), np.nan), Problem(X, y).unit
    for i, j in itertools.permutations(range(m), 2):
        rest = [other for other in nearest[i] if other not in (i, j)]
        F[i, j] = y[rest[:k]].mean() / unit
    wins = np.zeros(m)
    for i, j in itertools.permutations(range(m), 2):
        wins[i] += result(F[i, j], F[j, i])
    assert played.standings.scores.tolist() == wins.tolist()
    assert played.predictions.full() == pytest.approx(F, rel=1e-12, nan_ok=True)


# --- forests


FORESTS = {
    "forest": RandomForestRegressor(20, max_features=2, random_state=0),
    "bags of trees": BaggingRegressor(DecisionTreeRegressor(max_depth=3), 20, random_state=0),
    "bags of pipelines": BaggingRegressor(
        make_pipeline(StandardScaler(), Ridge()), 10, random_state=0
    ),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", FORESTS)
@pytest.mark.parametrize("kind", ["plain", "y plus 1e5", "grades"])
def test_forests_play_numbers(name, kind):
    forest = FORESTS[name]
    problem = MODELS["Ridge"].problem(kind, seed=5)
    played = problem.contest(forest).play(Schedule())
    again = problem.contest(forest).play(Schedule())
    assert played.engine == "forest"
    assert np.array_equal(played.standings.wins, again.standings.wins)
    m = len(problem.y)
    F = played.predictions.full()
    wins = np.zeros(m)
    for i, j in itertools.permutations(range(m), 2):
        wins[i] += result(F[i, j], F[j, i])
    assert played.standings.scores.tolist() == wins.tolist()
    if name != "bags of pipelines":  # trees predict means of outcomes in training
        low, high = problem.target.min() / problem.unit, problem.target.max() / problem.unit
        assert low - 1e-9 <= np.nanmin(F) <= np.nanmax(F) <= high + 1e-9


@pytest.mark.exhaustive
def test_a_forest_against_refits():
    """Concordances of two draws of the same forest."""
    X, y, _ = plain(6, m=18, signal=2.0)
    found = {}
    for engine in ("auto", "refit"):
        contest = Problem(X, y).contest(RandomForestRegressor(40, random_state=0), engine)
        played = contest.play(Schedule("ordered"))
        found[engine] = played.standings.concordance(contest.outcome)
        assert played.engine == ("forest" if engine == "auto" else "refit")
    assert found["auto"] == pytest.approx(found["refit"], abs=0.06)
    assert found["auto"] > 0.7


# --- models that are refitted


GRADERS = {
    "LogisticRegression": make_pipeline(StandardScaler(), LogisticRegression()),
    "GaussianNB": GaussianNB(),
    "KNeighborsClassifier": KNeighborsClassifier(3),
    "RandomForestClassifier": RandomForestClassifier(5, random_state=0),
    "LinearDiscriminantAnalysis": LinearDiscriminantAnalysis(),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", GRADERS)
def test_classifiers_of_grades_against_a_loop(name):
    """Exact engines play them with two classes only; grades are expected on average."""
    model = GRADERS[name]
    problem = KINDS["grades"](1)
    played = problem.contest(model).play(Schedule("ordered"))
    assert played.engine == "refit"
    y, m = problem.target, len(problem.y)
    wins = np.zeros((m, 3))
    for i, j in itertools.combinations(range(m), 2):
        if y[i] == y[j]:
            continue
        train = problem.training_set((i, j))
        fitted = clone(model).fit(problem.X[train], y[train])
        f_i, f_j = fitted.predict_proba(problem.X[[i, j]]) @ fitted.classes_ / problem.unit
        won = result(f_i, f_j)
        wins[i, int(y[j] > y[i])] += won
        wins[j, int(y[i] > y[j])] += 1 - won
    assert np.array_equal(played.standings.wins, wins)


@pytest.mark.parametrize(
    "model",
    [
        SVR(kernel=linear_kernel),
        TransformedTargetRegressor(Ridge(), func=np.cbrt, inverse_func=lambda z: z**3),
    ],
    ids=lambda e: type(e).__name__,
)
def test_other_regressors_against_a_loop(model):
    problem = KINDS["y of many magnitudes"](1)
    played = problem.contest(model).play(Schedule())
    wins, games, _ = play(problem, model)
    assert played.engine == "refit"
    assert np.array_equal(played.standings.wins, wins)
    assert np.array_equal(played.standings.games, games)


@pytest.mark.parametrize("model", [GaussianNB(), RidgeClassifier()], ids=lambda e: type(e).__name__)
def test_classifiers_do_not_play_numbers(model):
    with pytest.raises(tlpo.GameError, match=r"The estimator failed on the pair \(0, 1\)\."):
        KINDS["plain"](1).contest(model).play(Schedule())


def test_a_classifier_without_probabilities_does_not_grade():
    with pytest.raises(tlpo.InputError) as caught:
        KINDS["grades"](1).contest(RidgeClassifier()).play(Schedule())
    assert str(caught.value) == (
        "The classifier does not say which grade it expects on average.\n"
        "You passed RidgeClassifier, which has no predict_proba.\n"
        "Use a regressor, or a classifier with probabilities."
    )


# --- too little to train on


def test_too_few_units_off_the_most_common_value():
    X = np.random.default_rng(0).normal(size=(9, 2))
    problem = Problem(X, np.array([0, 0, 0, 0, 0, 0, 0, 1, 2.5]))
    with pytest.raises(tlpo.InputError) as caught:
        problem.contest(Ridge()).play(Schedule())
    assert str(caught.value) == (
        "Too few units differ from the most common value of y: leaving out two of them must leave "
        "one to train on.\n"
        "You passed 9 units, 3 values: 0 (7), 1 (1), 2.5 (1); 2 differ from it.\n"
        "Collect at least 3 units with other values."
    )
    # Ordered games leave out one of them at most, and those of the two leave none.
    problem.y = np.array([0, 0, 0, 0, 0, 0, 0, 1, 1.0])
    assert problem.contest(Ridge()).play(Schedule("ordered")).standings.n_games == 14


def test_groups_that_hold_all_other_values():
    X = np.random.default_rng(0).normal(size=(9, 2))
    y = np.array([0, 0, 0, 0, 0, 0, 1, 2, 3.0])
    groups = np.array([0, 1, 2, 3, 4, 5, 6, 6, 6])
    contest = Problem(X, y, groups=groups).contest(Ridge())
    with pytest.raises(tlpo.InputError) as caught:
        contest.play(Schedule())
    assert str(caught.value) == (
        "Leaving out the pair (0, 6) and the units that go with it leaves only units with equal "
        "values of y to train on.\n"
        "You passed 9 units, 4 values: 0 (6), 1 (1), 2 (1), 3 (1); 5 units would be left.\n"
        "Use smaller groups, or pass on_error='skip' to leave such games out and count them."
    )
    with pytest.raises(tlpo.InputError) as caught:
        contest.hold_out([np.array([6])], "sets")
    assert str(caught.value) == (
        "Leaving out group 6 leaves only units with equal values of y to train on.\n"
        "You passed 9 units, 4 values: 0 (6), 1 (1), 2 (1), 3 (1).\n"
        "Use smaller held-out sets, or collect more units with other values."
    )


@pytest.mark.parametrize("engine", ["auto", "refit"])
def test_games_that_leave_only_peers_may_be_skipped(engine):
    X = np.random.default_rng(0).normal(size=(9, 2))
    y = np.array([0, 0, 0, 0, 0, 5, 1, 2, 3.0])
    groups = np.array([0, 1, 2, 3, 4, 5, 6, 6, 6])
    options = ContestOptions(order=True, groups=groups, on_error="skip", engine=engine)
    played = Contest(Ridge(), X, y, options).play(Schedule())
    # Units 6, 7 and 8 leave together: no game with 5 leaves a value other than 0.
    assert played.diagnostics.failures == {
        "only units with equal outcomes would be left to train on": 3
    }
    assert played.diagnostics.warnings[0] == (
        "3 of 36 games would leave only units with equal outcomes to train on; estimates rest on "
        "33."
    )
    assert played.standings.n_games == 33
    assert played.standings.games[5].tolist() == [5, 0, 0]


def test_a_penalty_chosen_where_numbers_have_a_large_mean():
    rng = np.random.default_rng(147)
    X = rng.normal(size=(14, 3))
    y = X[:, 0] + rng.normal(size=14)
    model = RidgeCV(alphas=(0.1, 1, 10))
    fast = tlpo.concordance(model, X + 1e4, y + 3e7)
    slow = tlpo.concordance(model, X + 1e4, y + 3e7, engine="refit")
    assert fast.standings.wins.tolist() == slow.standings.wins.tolist()
