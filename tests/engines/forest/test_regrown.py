"""Forests that are grown anew without every pair against refits, to the last bit."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.decomposition import PCA
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tlpo
from engines.agreement import KINDS, make, problems
from engines.sparse.problems import with_gaps
from engines.trees.problems import assert_same_answers, assert_same_bits, limits
from tlpo.engines.base import Predictions
from tlpo.engines.forest.regrown import GrownForests
from tlpo.engines.preparation.prepared import unprepared
from tlpo.engines.trees.settings import draw_by_weight, is_followed
from tlpo.execution.fits import Fit
from tlpo.execution.options import Execution
from tlpo.games.contest import Contest, ContestOptions
from tlpo.games.schedule import Schedule
from tlpo.problem.problem import make_problem

pytestmark = pytest.mark.skipif(not is_followed(), reason="other trees than scikit-learn 1.9's")

WITHOUT_TABLE = Execution(keep_predictions=False)
FORESTS = {
    "extra": ExtraTreesClassifier(3, random_state=3),
    "numbers": ExtraTreesRegressor(3, random_state=3, min_samples_leaf=2),
    "weighted": ExtraTreesClassifier(3, random_state=3, class_weight="balanced"),
    "weighted bags": RandomForestClassifier(3, random_state=3, class_weight="balanced"),
    "smaller bags": RandomForestClassifier(
        3, random_state=3, class_weight={0: 3.0, 1: 2.0}, max_samples=0.8
    ),
    "no bags": RandomForestClassifier(
        3, random_state=3, class_weight="balanced_subsample", bootstrap=False, max_features=None
    ),
    "no bags of numbers": RandomForestRegressor(3, random_state=3, bootstrap=False),
}


@pytest.mark.parametrize("forest", FORESTS.values(), ids=FORESTS)
def test_games_sets_and_resamples_against_refits(forest):
    X, y = make("integers", 12, 4, 6, 0.5, 1)
    rng = np.random.default_rng(0)
    tests = list(rng.permutation(12).reshape(-1, 3))
    fits = [Fit(train, np.arange(12)) for train in rng.integers(0, 12, (3, 12))]
    assert_same_bits(forest, (X, y), "forests")
    assert_same_answers(forest, X, y, "forests", tests, fits)


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("forest", FORESTS.values(), ids=FORESTS)
def test_nasty_data_against_refits(forest, kind):
    assert_same_bits(forest, make(kind, 14, 4, 7, 0.5, 1), "forests")


def extra(kind, criterion, bootstrap, limits):
    if kind == "numbers":
        return ExtraTreesRegressor(3, **limits)
    weight = "balanced" if bootstrap else None
    return ExtraTreesClassifier(
        3, criterion=criterion, bootstrap=bootstrap, class_weight=weight, **limits
    )


@pytest.mark.exhaustive
@settings(max_examples=60, deadline=None)
@given(
    estimator=st.builds(
        extra,
        kind=st.sampled_from(["numbers", "classes"]),
        criterion=st.sampled_from(["gini", "entropy", "log_loss"]),
        bootstrap=st.booleans(),
        limits=limits,
    ),
    problem=problems,
    positive=st.sampled_from([0, 1]),
)
def test_any_forest_on_any_data_against_refits(estimator, problem, positive):
    assert_same_bits(estimator, problem, "forests", positive)


def test_groups_against_refits():
    X, y = make("plain", 12, 3, 6, 0.5, 1)
    model = RandomForestClassifier(3, random_state=0)
    fast, slow = (
        tlpo.tournament(model, X, y, groups=np.arange(12) // 2, engine=engine)
        for engine in ("auto", "refit")
    )
    assert fast.engine == "forests"
    assert np.array_equal(fast.predictions, slow.predictions, equal_nan=True)


@pytest.mark.parametrize("steps", [(PCA(2),), (StandardScaler(),)], ids=["PCA", "scaler"])
def test_behind_steps_against_refits(steps):
    model = make_pipeline(*steps, ExtraTreesClassifier(3, random_state=0))
    assert_same_bits(model, make("integers", 10, 3, 5, 0.5, 1), "forests")


def test_behind_an_imputer_against_refits():
    X, y = make("integers", 10, 3, 5, 0.5, 1)
    model = make_pipeline(SimpleImputer(), RandomForestClassifier(3, random_state=0))
    assert_same_bits(model, (with_gaps(X), y), "forests")


def test_several_classes_against_refits():
    X, _ = make("plain", 12, 3, 6, 0.5, 2)
    y = np.arange(12) % 3
    model = ExtraTreesClassifier(4, random_state=1)
    fast, slow = (
        Contest(model, X, y, ContestOptions(several=True, engine=engine)).play_classes(Schedule())
        for engine in ("auto", "refit")
    )
    assert fast.engine == "forests"
    for own, expected in zip(fast.each, slow.each, strict=True):
        assert np.array_equal(own.predictions.full(), expected.predictions.full(), equal_nan=True)


def test_a_forest_that_can_share_trees_does():
    X, y = make("plain", 12, 3, 6, 0.5, 1)
    for model in (RandomForestClassifier(3), ExtraTreesClassifier(3, bootstrap=True)):
        assert tlpo.tournament(model, X, y).engine == "forest"


def test_draws_by_weight_against_choice():
    weight = np.array([0.5, 2.0, 0.0, 1.0, 0.3])
    for seed in range(20):
        uniform = np.random.RandomState(seed).random_sample(50)
        expected = np.random.RandomState(seed).choice(5, 50, p=weight / weight.sum())
        assert np.array_equal(draw_by_weight(uniform, weight), expected)


@pytest.mark.exhaustive
@pytest.mark.parametrize("weight", [None, "balanced"])
def test_unseeded_forests_are_drawn_as_refits_draw_them(weight):
    """Shares that three trees answer for a pair: 2 000 forests either way, chi-square."""
    X, y = make("integers", 12, 3, 5, 0.5, 4)
    model = ExtraTreesClassifier(
        3, max_depth=2, bootstrap=weight is not None, class_weight=weight, max_features=1
    )
    pair = np.array([np.argmax(y == 0), np.argmax(y == 1)])
    train = np.setdiff1d(np.arange(12), pair)
    own = Contest(model, X, y, ContestOptions(engine="forests")).hold_out([pair] * 2000, "pair")
    refitted = [model.fit(X[train], y[train]).predict_proba(X[pair])[:, 1] for _ in range(2000)]
    values = np.array(own.responses + refitted)
    cells = np.unique((np.clip(values, 0.0, 0.999) * 4).astype(int), axis=0, return_inverse=True)[1]
    table = np.array([np.bincount(half, minlength=cells.max() + 1) for half in np.split(cells, 2)])
    table = table[:, table.sum(axis=0) >= 20]
    assert table.shape[1] > 4
    assert stats.chi2_contingency(table).pvalue > 1e-4


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (
            RandomForestRegressor(criterion="absolute_error"),
            "RandomForestRegressor with criterion='absolute_error' is not covered.",
        ),
        (
            ExtraTreesClassifier(warm_start=True),
            "ExtraTreesClassifier with warm_start=True is not covered.",
        ),
        (
            ExtraTreesClassifier(monotonic_cst=[1, 0, 0]),
            "ExtraTreesClassifier with monotonic constraints is not covered.",
        ),
        (
            ExtraTreesClassifier(max_leaf_nodes=3),
            "ExtraTreesClassifier with max_leaf_nodes is not covered.",
        ),
    ],
)
def test_what_is_not_covered(model, reason):
    problem = make_problem(*make("plain", 10, 3, 5, 0.5, 0))
    assert GrownForests.why_not(unprepared(model, problem)) == reason


def test_missing_values_are_refitted():
    X, y = make("plain", 10, 3, 5, 0.5, 0)
    X[3, 1] = np.nan
    found = tlpo.tournament(ExtraTreesClassifier(2, random_state=0), X, y)
    assert found.engine == "refit"
    assert "X has missing or infinite values." in found.diagnostics.why_not_faster


# --- either half of the trees

GROUPS = np.arange(16) // 2
APART = tlpo.Buffer(np.column_stack([np.arange(16.0), np.zeros(16)]), radius=1.0)


@pytest.mark.parametrize(
    "options",
    [{}, {"groups": GROUPS}, {"exclude": APART}, {"groups": GROUPS, "exclude": APART}],
    ids=["alone", "groups", "exclude", "both"],
)
@pytest.mark.parametrize("kind", ["classes", "numbers", "several", "behind steps"])
def test_the_first_half_is_the_forest_of_half_as_many_trees(kind, options):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(16, 3)), rng.permutation(16)

    def play(n_trees, **more):
        if kind == "numbers":
            model = ExtraTreesRegressor(n_trees, random_state=3)
            return [tlpo.concordance(model, X, y, **options, **more)._table]
        if kind == "several":
            model = RandomForestClassifier(n_trees, random_state=3, bootstrap=False)
            played = tlpo.multiclass(model, X, y % 3, **options, **more)
            return [each.predictions for each in played.each]
        model = ExtraTreesClassifier(n_trees, random_state=3, max_depth=2)
        if kind == "behind steps":
            model = make_pipeline(PCA(2), model)
        return [tlpo.tournament(model, X, y % 2, **options, **more)._table]

    for whole, half in zip(play(5), play(2, engine="refit"), strict=True):
        assert half.halves is None
        first, second = whole.halves
        np.testing.assert_allclose(first, half.full(), rtol=1e-12, atol=1e-14)
        together = 0.4 * first + 0.6 * second
        np.testing.assert_allclose(together, whole.full(), rtol=1e-12, atol=1e-14)
    assert all(table.halves is None for table in play(1))


def test_intervals_of_groups_are_free_of_the_noise_of_trees():
    rng = np.random.default_rng(1)
    groups = np.arange(30) // 2
    y = groups % 2
    X = rng.normal(size=(30, 3)) + y[:, None]
    forest = RandomForestClassifier(20, random_state=0)
    t = tlpo.tournament(forest, X, y, groups=groups)
    assert t.engine == "forests"

    def jackknife(F):
        own = replace(t, _table=Predictions.of_table(F, 1.0))
        return own.auc_interval().jackknife_variance

    full, halves = jackknife(t.predictions), [jackknife(F) for F in t._table.halves]
    interval = t.auc_interval()
    expected = max(2 * full - np.mean(halves), interval.placement_variance)
    assert expected < full
    assert interval.jackknife_variance == pytest.approx(expected)
    refitted = tlpo.tournament(forest, X, y, groups=groups, engine="refit")
    assert refitted.auc_interval().jackknife_variance == pytest.approx(full)


def test_nothing_is_kept_of_halves_that_nobody_asks_for():
    X, y = make("integers", 12, 4, 6, 0.5, 1)
    engine = GrownForests(unprepared(FORESTS["extra"], make_problem(X, y)))
    played = engine.play(Schedule(), WITHOUT_TABLE)
    assert played.predictions is None
    assert engine._halves is None
    pairs = np.array([[0, 5], [3, 9]])
    whole, first, second = engine.predict_parts(pairs, WITHOUT_TABLE)
    np.testing.assert_array_equal(whole, engine.predict_pairs(pairs, WITHOUT_TABLE))
    np.testing.assert_allclose((first + 2 * second) / 3, whole, rtol=1e-12, atol=1e-15)
    assert engine._halves is None
