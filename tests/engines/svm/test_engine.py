"""Support vector machines without refitting against refits, game for game."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.compose import make_column_transformer
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR, NuSVC, NuSVR

import tlpo
from engines.agreement import KINDS, assert_close, make, problems
from engines.sparse.problems import BEFORE, assert_same_games, with_gaps
from engines.svm.problems import KERNELS, assert_same_or_same_failure, machine_of, machines
from tlpo.engines.preparation.prepared import unprepared
from tlpo.engines.preparation.steps import prepare
from tlpo.engines.svm import engine as svm
from tlpo.execution.fits import Fit
from tlpo.execution.options import Execution
from tlpo.games.contest import Contest, ContestOptions
from tlpo.games.schedule import Schedule
from tlpo.problem.problem import make_problem


@pytest.mark.parametrize("kind", KINDS)
def test_nasty_data_against_refits(kind):
    X, y = make(kind, 12, 3, 4, 0.5, 3)
    for model in (SVC(), SVC(kernel="linear", max_iter=20_000), NuSVR()):
        assert_same_games(model, X, y, "svm")


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("kind", [SVC, NuSVC, SVR, NuSVR])
def test_kernels_against_refits(kernel, kind):
    """The solver has libsvm's own rounding: not a digit of a prediction differs."""
    X, y = make("plain", 16, 3, 7, 0.5, 0)
    model = machine_of(kind, kernel=kernel, C=3.0, nu=0.4, coef0=0.5)
    found = assert_same_games(model, X, y, "svm")
    slow = tlpo.tournament(model, X, y, engine="refit")
    np.testing.assert_array_equal(found.predictions, slow.predictions)
    assert found.diagnostics.fits == 1


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("kind", [SVC, SVR])
def test_behind_steps_against_refits(before, kind):
    X, y = make("plain", 14, 4, 6, 0.5, 3)
    X = with_gaps(3.0 * X + 1.0) if before == "imputer" else 3.0 * X + 1.0
    found = assert_same_games(machine_of(kind, before), X, y, "svm")
    assert found is not None
    assert found.diagnostics.fits < 10


def test_paths_that_rounding_decides_are_refitted():
    """Behind most scalers the diagonal of a linear kernel has other last digits than libsvm's."""
    X, y = make("plain", 16, 3, 8, 0.5, 1)
    model = machine_of(SVC, "not centred", kernel="linear")
    found = assert_same_games(model, X, y, "svm")
    slow = tlpo.tournament(model, X, y, engine="refit")
    assert_close(found.predictions, slow.predictions, rtol=1e-10)
    assert 1 < found.diagnostics.fits < 100


@pytest.mark.parametrize("kernel", ["linear", "poly", "sigmoid"])
def test_standardised_columns_against_refits_digit_by_digit(kernel):
    X, y = make("plain", 16, 3, 8, 0.5, 1)
    model = machine_of(SVC, "StandardScaler", kernel=kernel)
    found = assert_same_games(model, 3.0 * X + 1.0, y, "svm")
    slow = tlpo.tournament(model, 3.0 * X + 1.0, y, engine="refit")
    np.testing.assert_array_equal(found.predictions, slow.predictions)
    assert found.diagnostics.fits == 1


@pytest.mark.parametrize("n", [1, 2, 9])
def test_means_and_deviations_against_scikit_learn(n):
    samples = np.random.default_rng(n).normal(size=(5, 30, n)) * 10.0 ** np.arange(n) + 7.0
    samples[1, :, 0] = 0.1  # constant, which scikit-learn divides by 1
    mean, deviation = svm.standardise(samples)
    assert deviation[1, 0] == 0.0
    deviation[1, 0] = 1.0
    for k, sample in enumerate(samples):
        scaler = StandardScaler().fit(sample)
        np.testing.assert_array_equal(mean[k], scaler.mean_)
        np.testing.assert_array_equal(deviation[k], scaler.scale_)


def test_a_column_that_is_constant_without_a_pair_against_refits():
    X, y = make("plain", 14, 3, 7, 0.5, 1)
    X[:, 0] = 0.0
    X[[3, 4], 0] = 1.0
    model = machine_of(SVC, "StandardScaler", kernel="linear")
    assert assert_same_games(model, X, y, "svm") is not None


@settings(max_examples=6, deadline=None, derandomize=True)
@given(estimator=machines, problem=problems, seed=st.integers(0, 99))
def test_any_machine_on_any_data_against_refits(estimator, problem, seed):
    assert_same_or_same_failure(estimator, problem, seed)


@pytest.mark.exhaustive
@settings(max_examples=100, deadline=None)
@given(estimator=machines, problem=problems, seed=st.integers(0, 99))
def test_many_machines_on_any_data_against_refits(estimator, problem, seed):
    assert_same_or_same_failure(estimator, problem, seed)


@pytest.mark.parametrize("positive", [0, 1])
@pytest.mark.parametrize("weight", ["balanced", {0: 3.0, 1: 0.5}, {1: 5.0}])
def test_weights_and_either_positive_class_against_refits(positive, weight):
    X, y = make("plain", 15, 3, 5, 0.5, 5)
    model = SVC(class_weight=weight)
    assert assert_same_games(model, X, y, "svm", positive=positive) is not None
    weighted = {"sample_weight": np.random.default_rng(0).uniform(0.5, 2.0, 15)}
    found = assert_same_games(model, X, y, "svm", positive=positive, params=weighted)
    plain = tlpo.tournament(model, X, y, positive=positive)
    assert not np.array_equal(found.predictions, plain.predictions)


def test_a_given_kernel_against_refits():
    X, y = make("plain", 16, 3, 7, 0.5, 6)
    K = rbf_kernel(X, gamma=0.4)
    found = assert_same_games(SVC(kernel="precomputed"), K, y, "svm")
    same = tlpo.tournament(SVC(gamma=0.4), X, y)
    assert np.array_equal(found.standings.wins, same.standings.wins)


def test_groups_and_buffers_against_refits():
    X, y = make("plain", 16, 3, 8, 0.5, 1)
    groups = np.random.default_rng(0).permutation(16) // 2
    buffer = tlpo.Buffer(np.arange(16.0), 1.0)
    for options in ({"groups": groups}, {"exclude": buffer}):
        for model in (SVC(), make_pipeline(StandardScaler(), SVC())):
            assert assert_same_games(model, X, y, "svm", **options) is not None


def test_numbers_against_refits():
    X, y = make("plain", 14, 3, 7, 0.5, 2)
    numbers = 1000.0 * (X[:, 0] + y)
    for model in (SVR(C=500.0), make_pipeline(StandardScaler(), NuSVR(C=500.0))):
        fast, slow = (
            Contest(model, X, numbers, ContestOptions(order=True, engine=engine)).play(Schedule())
            for engine in ("auto", "refit")
        )
        assert fast.engine == "svm"
        assert np.array_equal(fast.standings.wins, slow.standings.wins)
        assert_close(fast.predictions.full(), slow.predictions.full(), rtol=1e-10)


def test_categories_against_refits():
    X, y = make("plain", 20, 4, 9, 0.5, 4)
    frame = pd.DataFrame(with_gaps(X), columns=list("abcd"))
    frame["kind"] = np.array(["x", "y", "z"])[np.arange(20) % 3]
    steps = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), list("abcd")),
        (OneHotEncoder(handle_unknown="ignore"), ["kind"]),
        sparse_threshold=0.0,
    )
    assert assert_same_games(make_pipeline(steps, SVC()), frame, y, "svm") is not None


def test_held_out_sets_and_resamples_against_refits():
    X, y = make("plain", 20, 3, 9, 0.5, 7)
    rng = np.random.default_rng(0)
    tests = [np.array([k]) for k in range(20)] + np.array_split(rng.permutation(20), 4)
    fits = []
    for _ in range(8):
        train = rng.integers(0, 20, size=20)
        fits.append(Fit(train, np.setdiff1d(np.arange(20), train)))
    for model in (
        SVC(),
        SVC(kernel="linear", class_weight="balanced"),
        SVR(),
        make_pipeline(StandardScaler(), SVC()),
    ):
        fast, slow = (
            Contest(model, X, y, ContestOptions(engine=name)) for name in ("svm", "refit")
        )
        held_out = [contest.hold_out(tests, "sets") for contest in (fast, slow)]
        drawn = [contest.fit(fits, "fits", "Fits") for contest in (fast, slow)]
        for one, other in (held_out, drawn):
            assert one.engine == "svm"
            assert one.diagnostics.fits <= 3
            for found, own in zip(one.responses, other.responses, strict=True):
                np.testing.assert_allclose(found, own, rtol=0, atol=1e-12)


def test_a_search_among_machines_against_refits():
    X, y = make("plain", 14, 3, 7, 0.8, 8)
    grid = {"svc__C": [0.1, 1.0, 10.0], "svc__gamma": ["scale", 0.05]}
    search = GridSearchCV(make_pipeline(StandardScaler(), SVC()), grid, cv=2)
    found = assert_same_games(search, X, y, "search")
    assert found.diagnostics.fits < 5


def test_processors_that_round_otherwise_are_allowed_for(monkeypatch):
    """Where last digits of all units differ from libsvm's, every path is followed three times."""
    X, y = make("plain", 16, 3, 8, 0.5, 9)
    monkeypatch.setattr(svm.SupportVectors, "_ends_alike", False)
    found = assert_same_games(SVC(C=0.1), X, y, "svm")
    assert found.diagnostics.fits > 1
    engine = svm.SupportVectors(unprepared(SVC(), make_problem(X, y)))
    sets = np.array([[0, 1], [2, 3]])
    once = engine.answer(sets, Execution())
    monkeypatch.undo()
    engine = svm.SupportVectors(unprepared(SVC(), make_problem(X, y)))
    twice = engine.answer(sets, Execution())
    np.testing.assert_array_equal(once.response, twice.response)
    assert (once.error > twice.error).all()


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (SVC(kernel=rbf_kernel), "The path of SVC does not cover a kernel of your own."),
        (SVC(C=np.inf), "The path of SVC needs finite numbers."),
        (NuSVC(nu=0.0), "The path of NuSVC needs positive numbers for C, nu and tol."),
        (SVR(gamma=-1.0), "The path of SVR does not cover gamma=-1.0."),
        (SVC(degree=2.5), "The path of SVC needs a whole number for degree."),
        (
            SVC(class_weight={0: -1.0}),
            "Class weights that are not positive numbers are not covered.",
        ),
        (SVC(class_weight="even"), "The class weight 'even' is not covered."),
    ],
)
def test_what_is_not_covered(model, reason):
    X, y = make("plain", 10, 3, 5, 0.5, 0)
    prepared = unprepared(model, make_problem(X, y))
    assert svm.SupportVectors.accepts(prepared)
    assert svm.SupportVectors.why_not(prepared) == reason


def test_data_that_are_not_covered():
    X, y = make("plain", 10, 3, 5, 0.5, 0)
    why_not = svm.SupportVectors.why_not
    reason = "The path of SVC on sparse data is not covered."
    assert why_not(unprepared(SVC(), make_problem(sparse.csr_array(X), y))) == reason
    given = make_problem(X, y, params={"other": np.ones(10)})
    reason = "The path of SVC does not cover the fit arguments other."
    assert why_not(unprepared(SVC(), given)) == reason
    selected = prepare(make_pipeline(SelectKBest(k=2), SVC()), make_problem(X, y))
    assert why_not(selected) == "SVC after a selection of features is not covered."


def test_weights_that_are_not_positive_are_refitted():
    X, y = make("plain", 10, 3, 5, 0.5, 0)
    weight = np.append(0.0, np.ones(9))
    found = tlpo.tournament(SVC(), X, y, params={"sample_weight": weight})
    assert found.engine == "refit"
    assert found.diagnostics.why_not_faster == (
        "The path of libsvm needs one positive sample weight per unit."
    )


def test_a_machine_that_does_not_converge_is_refitted():
    X, y = make("plain", 10, 3, 5, 0.5, 0)
    with pytest.warns(UserWarning, match="Solver terminated early"):
        found = tlpo.tournament(SVC(max_iter=3), X, y)
    assert found.engine == "refit"
    assert found.diagnostics.why_not_faster == (
        "SVC does not converge within max_iter=3; with more, it may."
    )


def test_several_classes_are_played_by_regressors():
    X, _ = make("plain", 15, 3, 7, 0.5, 0)
    classes = np.arange(15) % 3
    assert tlpo.multiclass(SVR(), X, classes).engine == "svm"
    refitted = tlpo.multiclass(SVC(), X, classes)
    assert refitted.diagnostics.why_not_faster == (
        "SVC is played without refitting only for two classes."
    )


def test_playing_is_worth_fewer_fits_than_games():
    X, y = make("plain", 40, 3, 20, 0.5, 0)
    exact = Contest(SVC(), X, y).exact_engine(Schedule())
    assert exact.engine == "svm"
    assert 1.0 < exact.fits < 780.0
