"""Survival forests grown in compiled loops against scikit-survival's, to the last bit."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from tlpo.engines.forest.compiled_survival import compiled_survival_forest, is_survival_followed
from tlpo.engines.forest.growing import make_grower
from tlpo.engines.forest.hazards import SurvivalGrower
from tlpo.execution.fits import Fit
from tlpo.games.contest import Contest
from tlpo.problem.problem import make_problem

pytest.importorskip("sksurv")
from sksurv.ensemble import ExtraSurvivalTrees, RandomSurvivalForest
from sksurv.util import Surv

pytestmark = pytest.mark.skipif(
    not is_survival_followed(), reason="other trees than those followed"
)

M = 24


def data(kind, seed):
    """Times that depend on the first feature, and features that may have equal values."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(M, 4))
    time = rng.exponential(np.exp(-X[:, 0]))
    event = rng.uniform(size=M) < 0.7
    if kind == "tied times":
        time = np.ceil(2.0 * time)
    if kind == "rounded":
        X = X.round()
    if kind == "constant":
        X[:, 1] = 3.0
        X[:, 2] = X[:, 0]
    if kind == "few events":
        event = np.argsort(np.argsort(time)) < 6
    return X, Surv.from_arrays(event, time)


forests = st.builds(
    RandomSurvivalForest,
    n_estimators=st.sampled_from([1, 5]),
    max_depth=st.sampled_from([None, None, 2]),
    min_samples_split=st.sampled_from([2, 6, 0.3]),
    min_samples_leaf=st.sampled_from([1, 3, 0.125]),
    min_weight_fraction_leaf=st.sampled_from([0.0, 0.0, 0.1]),
    max_features=st.sampled_from(["sqrt", "log2", None, 0.5, 3]),
    max_samples=st.sampled_from([None, None, 8]),
    low_memory=st.booleans(),
    random_state=st.integers(0, 99),
)
KINDS = "plain", "tied times", "rounded", "constant", "few events"


def assert_same_forests(estimator, kind, seed):
    X, y = data(kind, seed)
    rng = np.random.default_rng(seed)
    contest = Contest(estimator, X, y)
    fits = [Fit(train, np.arange(M)) for train in rng.integers(0, M, (3, M))]
    fits = [fit for fit in fits if y["event"][fit.train].any()]
    answered = contest.fit(fits, "resamples", "Resamples")
    assert answered.engine == "forest"
    tests = np.array_split(rng.permutation(M), 4)
    held_out = contest.hold_out(tests, "folds")
    assert held_out.engine == "forest"
    fits += [Fit(np.setdiff1d(np.arange(M), test), test) for test in tests]
    for (train, test), found in zip(fits, answered.responses + held_out.responses, strict=True):
        np.testing.assert_array_equal(found, estimator.fit(X[train], y[train]).predict(X[test]))


@settings(max_examples=20, deadline=None, derandomize=True)
@given(estimator=forests, kind=st.sampled_from(KINDS), seed=st.integers(0, 9999))
def test_folds_and_resamples_against_refits(estimator, kind, seed):
    assert_same_forests(estimator, kind, seed)


@pytest.mark.exhaustive
@settings(max_examples=400, deadline=None)
@given(estimator=forests, kind=st.sampled_from(KINDS), seed=st.integers(0, 9999))
def test_many_folds_and_resamples_against_refits(estimator, kind, seed):
    assert_same_forests(estimator, kind, seed)


@pytest.mark.parametrize("kind", KINDS)
def test_trees_on_bags_against_scikit_survival(kind):
    X, y = data(kind, 3)
    rng, m = np.random.default_rng(0), np.arange(M)
    forest = RandomSurvivalForest(1, min_samples_leaf=0.1, random_state=0)
    fast = make_grower(forest, make_problem(X, y), 2)
    slow = SurvivalGrower(**{field.name: getattr(fast, field.name) for field in fields(fast)})
    for seed in range(20):
        bag = rng.integers(M, size=M)
        out = np.setdiff1d(m, bag)
        found, expected = (
            grower.grow(bag, out, np.random.default_rng(seed)) for grower in (fast, slow)
        )
        np.testing.assert_allclose(found[: out.size], expected[: out.size], rtol=1e-13)
        leaf, known = found[out.size :][:M], expected[out.size :][:M]
        np.testing.assert_array_equal(leaf[:, None] == leaf, known[:, None] == known)
        steps = np.setdiff1d(m, out)
        np.testing.assert_array_equal(found[-M:][steps], expected[-M:][steps])


def test_without_a_seed_every_fit_is_another_draw():
    X, y = data("plain", 0)
    fit = Fit(np.arange(18), np.arange(18, M))
    found = Contest(RandomSurvivalForest(5), X, y).fit([fit] * 10, "fits", "Fits")
    assert len({tuple(response) for response in found.responses}) > 5


def test_which_forests_are_compiled():
    X, y = data("plain", 0)
    holes = np.where(np.abs(X) > 2.0, np.nan, X)
    assert np.isnan(holes).any()
    for estimator, table, is_compiled in (
        (RandomSurvivalForest(2), X, True),
        (RandomSurvivalForest(2, max_leaf_nodes=3), X, False),
        (RandomSurvivalForest(2), holes, False),
        (RandomSurvivalForest(2), sparse.csr_matrix(X), False),
        (ExtraSurvivalTrees(2, bootstrap=True), X, False),
    ):
        grower = make_grower(estimator, make_problem(table, y), 1)
        assert (compiled_survival_forest(estimator, grower) is not None) == is_compiled


def test_folds_of_trees_that_are_not_compiled_are_refitted():
    X, y = data("plain", 0)
    contest = Contest(ExtraSurvivalTrees(3, bootstrap=True, random_state=0), X, y)
    answered = contest.hold_out([np.arange(4), np.arange(4, M)[::3]], "folds")
    assert answered.engine == "refit"
    assert "too rare to share" in answered.diagnostics.why_not_faster


@pytest.mark.parametrize("why", ["no events", "one time"])
def test_what_scikit_survival_refuses_is_left_to_it(why):
    X, y = data("plain", 0)
    train = np.flatnonzero(~y["event"]) if why == "no events" else np.zeros(M, dtype=int)
    estimator = RandomSurvivalForest(3, random_state=0)
    forest = compiled_survival_forest(estimator, make_grower(estimator, make_problem(X, y), 1))
    assert forest.respond(train, np.arange(M)) is None
