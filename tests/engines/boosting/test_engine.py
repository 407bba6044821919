"""Boosting without refitting against refits, to the last bit."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse, stats
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)

import tlpo
from engines.agreement import KINDS, make, problems
from engines.sparse.problems import with_gaps
from engines.trees.problems import assert_same_answers, assert_same_bits, limits
from tlpo.engines.boosting.engine import Boosting
from tlpo.engines.preparation.prepared import unprepared
from tlpo.engines.trees.settings import is_followed
from tlpo.execution.fits import Fit
from tlpo.games.contest import Contest, ContestOptions
from tlpo.games.schedule import Schedule
from tlpo.problem.problem import make_problem

pytestmark = pytest.mark.skipif(not is_followed(), reason="other trees than scikit-learn 1.9's")


def booster(kind, limits, **params):
    if kind == "numbers":
        return GradientBoostingRegressor(**params, **limits)
    return GradientBoostingClassifier(loss=kind, **params, **limits)


boosters = st.builds(
    booster,
    kind=st.sampled_from(["log_loss", "log_loss", "exponential", "numbers"]),
    limits=limits,
    n_estimators=st.sampled_from([1, 5, 12]),
    learning_rate=st.sampled_from([0.1, 0.05, 1.0]),
    subsample=st.sampled_from([1.0, 1.0, 0.6]),
    init=st.sampled_from([None, None, "zero"]),
)


@pytest.mark.parametrize("kind", KINDS)
def test_nasty_data_against_refits(kind):
    problem = make(kind, 18, 4, 7, 0.5, 1)
    for model in (GradientBoostingClassifier, GradientBoostingRegressor):
        assert_same_bits(model(n_estimators=6, random_state=3), problem, "boosting")


@settings(max_examples=6, deadline=None, derandomize=True)
@given(estimator=boosters, problem=problems, positive=st.sampled_from([0, 1]))
def test_any_model_on_any_data_against_refits(estimator, problem, positive):
    assert_same_bits(estimator, problem, "boosting", positive)


@pytest.mark.exhaustive
@settings(max_examples=100, deadline=None)
@given(estimator=boosters, problem=problems, positive=st.sampled_from([0, 1]))
def test_many_models_on_any_data_against_refits(estimator, problem, positive):
    assert_same_bits(estimator, problem, "boosting", positive)


@pytest.mark.exhaustive
@pytest.mark.parametrize("loss", ["log_loss", "exponential", "numbers"])
def test_leaves_of_more_than_128_units_against_fits(loss):
    """NumPy sums these in halves."""
    X, y = make("plain", 700, 3, 300, 0.5, 2)
    model = booster(loss, {"max_depth": 2, "random_state": 1}, n_estimators=20)
    tests = [np.array([3, 400]), np.array([17, 600])]
    assert_same_answers(model, X, y, "boosting", tests, [])


def test_held_out_sets_and_resamples_against_fits():
    X, y = make("plain", 30, 4, 15, 0.5, 7)
    X[:, 0] = np.round(X[:, 0])
    rng = np.random.default_rng(0)
    tests = [*rng.permutation(30).reshape(-1, 3), *rng.permutation(30).reshape(-1, 15)[:1]]
    fits = []
    for train in rng.integers(0, 30, size=(6, 30)):
        fits.append(Fit(train, np.setdiff1d(np.arange(30), train)))
    for subsample in (1.0, 0.5):
        model = GradientBoostingClassifier(n_estimators=8, random_state=0, subsample=subsample)
        assert_same_answers(model, X, y, "boosting", tests, fits)
    model = GradientBoostingRegressor(n_estimators=8, random_state=0)
    numbers = 1000.0 * (X[:, 1] + y)
    assert_same_answers(model, X, numbers, "boosting", tests, fits, order=True)


def test_groups_and_buffers_against_refits():
    X, y = make("plain", 16, 3, 8, 0.5, 1)
    model = GradientBoostingClassifier(n_estimators=5, random_state=0)
    groups = np.random.default_rng(0).permutation(16) // 2
    for options in ({"groups": groups}, {"exclude": tlpo.Buffer(np.arange(16.0), 1.0)}):
        fast, slow = (
            tlpo.tournament(model, X, y, engine=engine, **options) for engine in ("auto", "refit")
        )
        assert fast.engine == "boosting"
        assert np.array_equal(fast.predictions, slow.predictions, equal_nan=True)


@pytest.mark.exhaustive
@pytest.mark.parametrize("strategy", ["mean", "median", "most_frequent"])
def test_behind_imputers_against_refits(strategy):
    X, y = make("integers", 16, 3, 8, 0.5, 1)
    frame = pd.DataFrame(with_gaps(X + 0.1), columns=list("abc"))
    frame["kind"] = np.array(["x", "y"])[np.arange(16) % 2]
    steps = make_column_transformer(
        (OneHotEncoder(), ["kind"]),
        (SimpleImputer(strategy=strategy, add_indicator=True), list("abc")),
    )
    model = GradientBoostingClassifier(n_estimators=5, random_state=1)
    assert_same_bits(make_pipeline(steps, model), (frame, y), "boosting", refits=60)


def test_folds_and_resamples_behind_an_imputer_against_fits():
    X, _ = make("plain", 24, 3, 12, 0.5, 1)
    rng = np.random.default_rng(0)
    tests = list(rng.permutation(24).reshape(-1, 6))
    fits = [Fit(train, np.arange(24)) for train in rng.integers(0, 24, (4, 24))]
    model = make_pipeline(
        SimpleImputer(), GradientBoostingRegressor(n_estimators=5, random_state=0)
    )
    numbers = np.round(100.0 * rng.normal(size=24))
    assert_same_answers(model, with_gaps(X), numbers, "boosting", tests, fits, order=True)


def test_a_mean_that_rounding_could_move_is_that_of_the_imputer():
    """The mean of the others is half-way between two numbers of single precision."""
    X, y = make("plain", 12, 2, 6, 0.5, 1)
    X[:, 0] = 1.0 + 2.0**-24
    X[0, 0] = np.nan
    booster = GradientBoostingClassifier(n_estimators=2, random_state=0)
    engine = made(make_pipeline(SimpleImputer(), booster), X, y)
    assert engine._features_on(np.arange(10)) is None
    assert_same_bits(engine.prepared.whole, (X, y), "boosting")


STEPS = {
    "standard": (StandardScaler(),),
    "range": (MinMaxScaler(),),
    "robust": (RobustScaler(),),
    "components": (PCA(2),),
    "selection": (SelectKBest(k=2), StandardScaler()),
    "polynomials": (PolynomialFeatures(2), MaxAbsScaler()),
}


@pytest.mark.parametrize("steps", STEPS.values(), ids=STEPS)
@pytest.mark.parametrize("kind", ["integers", "mixed scales"])
def test_behind_steps_that_change_with_the_pair_against_refits(steps, kind):
    model = GradientBoostingClassifier(n_estimators=4, random_state=1)
    assert_same_bits(make_pipeline(*steps, model), make(kind, 8, 4, 4, 0.5, 2), "boosting")


def test_folds_groups_and_resamples_behind_a_scaler_against_fits():
    X, y = make("integers", 24, 3, 12, 0.5, 1)
    rng = np.random.default_rng(0)
    tests = list(rng.permutation(24).reshape(-1, 6))
    fits = [Fit(train, np.arange(24)) for train in rng.integers(0, 24, (4, 24))]
    model = make_pipeline(
        StandardScaler(), GradientBoostingRegressor(n_estimators=5, random_state=0)
    )
    numbers = np.round(100.0 * rng.normal(size=24))
    groups = np.arange(24) // 2
    assert_same_answers(model, X, numbers, "boosting", tests, fits, order=True)
    assert_same_answers(model, X, y, "boosting", tests, fits, groups=groups)


def test_rare_words_and_gaps_against_refits():
    """A category that a pair takes away changes the columns."""
    X, y = make("integers", 9, 2, 4, 0.5, 1)
    frame = pd.DataFrame(with_gaps(X), columns=list("ab"))
    frame["kind"] = np.array(["x", "y", "z"])[np.r_[np.arange(7) % 2, 2, 2]]
    steps = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["kind"]),
        (make_pipeline(SimpleImputer(), StandardScaler()), list("ab")),
    )
    model = make_pipeline(steps, GradientBoostingClassifier(n_estimators=3, random_state=1))
    assert_same_bits(model, (frame, y), "boosting")


class Constant(StandardScaler):
    """Warns in every fit."""

    def fit(self, X, y=None):
        warnings.warn(f"{len(X)} rows, mean {X[0, 0]}", UserWarning, stacklevel=2)
        return super().fit(X, y)


def test_warnings_of_steps_are_issued_once():
    X, y = make("plain", 10, 2, 5, 0.5, 1)
    model = GradientBoostingClassifier(n_estimators=2, random_state=0)
    contest = Contest(make_pipeline(Constant(), model), X, y)
    with pytest.warns(UserWarning, match=r"8 rows, mean") as found:
        contest.play(Schedule())
    assert len([own for own in found if "rows, mean" in str(own.message)]) == 1


def test_a_step_that_fails_on_some_pairs_fails_as_a_refit_does():
    class Strict(StandardScaler):
        def fit(self, X, y=None):
            if not (X[:, 0] == 9.0).any():
                raise ValueError("no nine")
            return super().fit(X, y)

    X, y = make("integers", 10, 2, 5, 0.5, 1)
    X[3, 0] = 9.0
    pipeline = make_pipeline(Strict(), GradientBoostingClassifier(n_estimators=2, random_state=0))
    found = []
    for engine in ("boosting", "refit"):
        with pytest.raises((tlpo.GameError, tlpo.EngineError), match="no nine") as error:
            tlpo.tournament(pipeline, X, y, engine=engine)
        found.append(str(error.value))
    assert found[0] == found[1]


def test_numbers_against_refits():
    X, y = make("duplicates", 16, 3, 7, 0.5, 2)
    numbers = np.round(1000.0 * (X[:, 0] + y), -2)
    model = GradientBoostingRegressor(n_estimators=6, random_state=1)
    fast, slow = (
        Contest(model, X, numbers, ContestOptions(order=True, engine=engine)).play(Schedule())
        for engine in ("auto", "refit")
    )
    assert fast.engine == "boosting"
    assert np.array_equal(fast.predictions.full(), slow.predictions.full(), equal_nan=True)


def test_a_generator_is_a_seed_because_clones_copy_it():
    X, y = make("integers", 16, 4, 8, 0.5, 3)
    state = np.random.RandomState(5)
    model = GradientBoostingClassifier(n_estimators=5, random_state=state, max_features=1)
    assert_same_bits(model, (X, y), "boosting")


SEVERAL = ("plain", "duplicates", "integers", "binary", "constant column", "mixed scales")


def assert_same_classes(model, X, y, engine="boosting"):
    """Probabilities of all classes, bit for bit."""
    fast, slow = (
        Contest(model, X, y, ContestOptions(several=True, engine=name)).play_classes(Schedule())
        for name in ("auto", "refit")
    )
    assert fast.engine == engine
    for own, expected in zip(fast.each, slow.each, strict=True):
        assert np.array_equal(own.predictions.full(), expected.predictions.full(), equal_nan=True)


def several(kind, m, K, seed):
    """Return features, and K classes of m units in all."""
    X, _ = make(kind, m, 4, m // 2, 0.5, seed)
    y = np.random.default_rng(seed).permutation(np.arange(m) % K)
    X[y == 0, 0] += 1.0
    return X, np.array(["a", "b", "c", "d"])[y]


@pytest.mark.parametrize("params", [{}, {"subsample": 0.6}, {"init": "zero", "max_features": 1}])
def test_several_classes_against_refits(params):
    X, y = several("integers", 12, 3, 2)
    model = GradientBoostingClassifier(n_estimators=3, random_state=1, **params)
    assert_same_classes(model, X, y)


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", SEVERAL)
@pytest.mark.parametrize("K", [3, 4])
def test_several_classes_of_any_data_against_refits(kind, K):
    X, y = several(kind, 16, K, K)
    model = GradientBoostingClassifier(n_estimators=12, random_state=1, learning_rate=0.5)
    assert_same_classes(model, X, y)
    assert_same_classes(make_pipeline(StandardScaler(), model), X, y)


def test_sets_and_resamples_of_several_classes_against_fits():
    X, y = several("plain", 30, 4, 1)
    rng = np.random.default_rng(0)
    tests = list(rng.permutation(30).reshape(-1, 6))
    fits = [Fit(train, np.arange(30)) for train in rng.integers(0, 30, (4, 30))]
    model = GradientBoostingClassifier(n_estimators=6, random_state=0)
    assert_same_answers(model, X, y, "boosting", tests, fits, several=True)


def test_several_classes_have_no_exponential_loss():
    X, y = several("plain", 12, 3, 1)
    model = GradientBoostingClassifier(loss="exponential")
    problem = make_problem(X, y, several=True)
    assert Boosting.why_not(unprepared(model, problem)) == (
        "GradientBoostingClassifier with loss='exponential' takes two classes only."
    )


def made(model, X, y):
    """Return the engine that plays a model."""
    contest = Contest(model, X, y, ContestOptions(engine="boosting"))
    return contest._make(Boosting)


def tied():
    """Return columns that are copies of each other, but not in units 10 and 11."""
    X = np.repeat(np.random.default_rng(0).normal(size=(12, 1)), 3, axis=1)
    X[10:] = [[2.0, -2.0, 2.0], [-2.0, 2.0, 2.0]]
    return X, (X[:, 0] > 0).astype(int)


def test_without_a_seed_ties_between_features_are_drawn():
    X, y = tied()
    model = GradientBoostingClassifier(n_estimators=3)
    fast = [tlpo.tournament(model, X, y).predictions[10, 11] for _ in range(20)]
    assert len(set(fast)) > 1


@pytest.mark.exhaustive
def test_ties_are_drawn_as_refits_draw_them():
    """Which of three equal features is split by: 2 000 games either way, chi-square."""
    X, y = tied()
    model = GradientBoostingClassifier(n_estimators=2, max_depth=1)
    pair, train = np.array([10, 11]), np.arange(10)
    contest = Contest(model, X, y)
    own = [contest.hold_out([pair], "pair").responses[0] for _ in range(2000)]
    assert contest.hold_out([pair], "pair").engine == "boosting"
    refitted = [
        GradientBoostingClassifier(n_estimators=2, max_depth=1)
        .fit(X[train], y[train])
        .decision_function(X[pair])
        for _ in range(2000)
    ]
    values, which = np.unique(np.round(own + refitted, 12), axis=0, return_inverse=True)
    table = np.array([np.bincount(part, minlength=len(values)) for part in np.split(which, 2)])
    assert len(values) > 2
    assert stats.chi2_contingency(table).pvalue > 1e-4


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (
            GradientBoostingRegressor(loss="huber"),
            "GradientBoostingRegressor with loss='huber' is not covered.",
        ),
        (
            GradientBoostingRegressor(init=Ridge()),
            "GradientBoostingRegressor that starts from another model (init) is not covered.",
        ),
        (
            GradientBoostingClassifier(n_iter_no_change=2),
            "GradientBoostingClassifier that stops early (n_iter_no_change) is not covered.",
        ),
        (
            GradientBoostingClassifier(criterion="squared_error"),
            "GradientBoostingClassifier with a criterion, which scikit-learn ignores, is not "
            "covered.",
        ),
        (
            GradientBoostingClassifier(ccp_alpha=0.1),
            "GradientBoostingClassifier with pruned trees (ccp_alpha) is not covered.",
        ),
        (
            GradientBoostingClassifier(max_leaf_nodes=4),
            "GradientBoostingClassifier with max_leaf_nodes is not covered.",
        ),
        (
            GradientBoostingClassifier(n_estimators=0),
            "GradientBoostingClassifier rejects its parameters: The 'n_estimators' parameter of "
            "GradientBoostingClassifier must be an int in the range [1, inf). Got 0 instead.",
        ),
    ],
)
def test_what_is_not_covered(model, reason):
    X, y = make("plain", 10, 3, 5, 0.5, 0)
    assert Boosting.why_not(unprepared(model, make_problem(X, y))) == reason


def test_data_that_are_not_covered():
    X, y = make("plain", 10, 3, 5, 0.5, 0)
    model = GradientBoostingClassifier(n_estimators=2, random_state=0)
    weighted = make_problem(X, y, params={"sample_weight": np.ones(10)})
    reason = "GradientBoostingClassifier with the fit arguments sample_weight is not covered."
    assert Boosting.why_not(unprepared(model, weighted)) == reason
    found = tlpo.tournament(model, sparse.csr_array(X), y)
    assert found.engine == "refit"
    assert found.diagnostics.why_not_faster == "Trees on sparse data are not covered."
    numbers = 1e150 * X[:, 0]
    contest = Contest(
        GradientBoostingRegressor(n_estimators=2), X, numbers, ContestOptions(order=True)
    )
    played = contest.play(Schedule())
    assert played.engine == "refit"
    assert played.diagnostics.why_not_faster == "The squares of such large numbers overflow."
    encoded = tlpo.tournament(
        make_pipeline(OneHotEncoder(handle_unknown="ignore"), model), np.round(X), y
    )
    assert encoded.engine == "refit"
    assert encoded.diagnostics.why_not_faster == (
        "What reaches GradientBoostingClassifier is not a matrix of finite numbers in double "
        "precision."
    )


def test_another_version_or_machine_is_refitted(monkeypatch):
    problem = make_problem(*make("plain", 10, 3, 5, 0.5, 0))
    prepared = unprepared(GradientBoostingClassifier(), problem)
    monkeypatch.setattr("platform.machine", lambda: "arm64")
    assert Boosting.why_not(prepared).startswith("How scikit-learn ")
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    monkeypatch.setattr("sklearn.__version__", "1.7.2")
    assert Boosting.why_not(prepared) == (
        "How scikit-learn 1.7.2 on x86_64 rounds when it grows the trees of "
        "GradientBoostingClassifier is not known."
    )


def test_a_training_set_of_one_class_fails_as_a_refit_does():
    X, y = make("plain", 12, 3, 3, 0.5, 0)
    found = []
    for engine in ("boosting", "refit"):
        contest = Contest(
            GradientBoostingClassifier(n_estimators=2, random_state=0),
            X,
            y,
            ContestOptions(engine=engine),
        )
        with pytest.raises(tlpo.GameError) as error:
            contest.fit([Fit(np.flatnonzero(y == 0), np.flatnonzero(y))], "fits", "Fits")
        found.append(str(error.value))
    assert found[0] == found[1]


def tied_table(kind, m, seed):
    """Return rounded measurements, ages, yes and no, or all of them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, 5))
    y = (X[:, 0] + rng.normal(size=m) > 0).astype(int)
    if kind == "rounded":
        return X.round(1), y
    if kind == "ages":
        return np.round(60.0 + 12.0 * X), y
    if kind == "yes or no":
        return (X > 0.3).astype(float), y
    X[:, 1], X[:, 2], X[:, 3] = X[:, 1].round(1), X[:, 2] > 0.0, X[:, 0].round(2)
    return X, y


TIED = ("rounded", "ages", "yes or no", "mixed")


@pytest.mark.parametrize("kind", TIED)
def test_sets_of_tied_tables_against_fits(kind):
    """Nodes of more than 15 units are sorted by parts, which mixes up equal values."""
    X, y = tied_table(kind, 60, 3)
    tests = [np.array([k, k + 1]) for k in range(0, 60, 6)]
    for params in ({}, {"subsample": 0.7, "max_features": 2}, {"min_impurity_decrease": 0.01}):
        model = GradientBoostingClassifier(n_estimators=25, random_state=1, **params)
        assert_same_answers(model, X, y, "boosting", tests, [])
    model = GradientBoostingRegressor(n_estimators=25, random_state=1, min_samples_leaf=3)
    assert_same_answers(model, X, X[:, 0] + y, "boosting", tests, [], order=True)


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", TIED)
@pytest.mark.parametrize("depth", [1, 3, 6, 8, 9])
def test_many_sets_of_tied_tables_against_fits(kind, depth):
    for seed in range(2):
        X, y = tied_table(kind, 80, seed)
        rng = np.random.default_rng(seed)
        tests = [*rng.permutation(80).reshape(-1, 2)[:12], rng.permutation(80)[:20]]
        fits = [Fit(train, np.arange(80)) for train in rng.integers(0, 80, (2, 80))]
        for subsample in (1.0, 0.6):
            model = GradientBoostingClassifier(
                n_estimators=30, max_depth=depth, random_state=seed, subsample=subsample
            )
            assert_same_answers(model, X, y, "boosting", tests, fits)
