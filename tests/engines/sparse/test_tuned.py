"""LassoCV and ElasticNetCV without refitting against their fits: every response and every game."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.linear_model import ElasticNetCV, LassoCV
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tlpo
from engines.agreement import KINDS, assert_refitted, assert_same_wins, make
from tlpo.engines.sparse import tuned
from tlpo.engines.sparse.objective import is_followed
from tlpo.execution.options import Execution
from tlpo.games.contest import Contest, ContestOptions

pytestmark = pytest.mark.skipif(
    not is_followed(), reason="another coordinate descent than that of scikit-learn 1.9"
)

MODELS = {
    "lasso": LassoCV(cv=3, alphas=20),
    "scaled": make_pipeline(StandardScaler(), LassoCV(cv=3, alphas=20)),
    "elastic net": ElasticNetCV(cv=3, alphas=10, l1_ratio=0.3),
    "several shares": ElasticNetCV(cv=3, alphas=8, l1_ratio=[0.2, 0.9, 1.0]),
    "given": LassoCV(cv=3, alphas=[0.01, 0.5, 0.1]),
    "positive": LassoCV(cv=3, alphas=20, positive=True),
    "no intercept": LassoCV(cv=3, alphas=20, fit_intercept=False),
    "products": LassoCV(cv=3, alphas=20, precompute=True),
    "no products": LassoCV(cv=3, alphas=20, precompute=False),
    "coarse": LassoCV(cv=3, alphas=20, tol=1e-2),
    "narrow": LassoCV(cv=3, alphas=20, eps=0.1),
    "shuffled": LassoCV(cv=KFold(3, shuffle=True, random_state=1), alphas=20),
    "drawn": LassoCV(cv=ShuffleSplit(3, test_size=0.3, random_state=0), alphas=20),
}


def sample(kind="plain", m=20, n=4, n_positive=9, seed=0):
    return make(kind, m, n, n_positive, 0.7, seed)


def engine_of(model, X, y):
    return tuned.LassoCV(Contest(model, X, y, ContestOptions()).prepared)


def assert_same_responses(model, X, y, count=4, seed=0):
    """Without some pairs the engine responds as the model does; returns how often it could tell."""
    rng = np.random.default_rng(seed)
    pairs = np.sort([rng.choice(len(y), 2, replace=False) for _ in range(count)], axis=1)
    engine = engine_of(model, X, y)
    response, error = engine.bracket(pairs, Execution())
    for pair, found, slack in zip(pairs, response, error, strict=True):
        if not np.isfinite(slack).all():
            continue
        train = np.setdiff1d(np.arange(len(y)), pair)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            own = clone(model).fit(X[train], engine.problem.target[train]).predict(X[pair])
        assert np.all(np.abs(own - found) <= slack + 1e-12 * np.abs(own)), pair
    return np.count_nonzero(np.isfinite(error).all(axis=1))


@pytest.mark.parametrize("name", MODELS)
def test_every_model_chooses_as_the_estimator_does(name):
    assert assert_same_responses(MODELS[name], *sample(seed=3)) == 4


@pytest.mark.parametrize("name", ["lasso", "scaled", "several shares", "given"])
def test_errors_of_folds_against_those_of_the_estimator(name):
    X, y = sample(m=40, n=6, n_positive=18)
    model = MODELS[name]
    engine = engine_of(model, X, y)
    nobody = np.empty((1, 0), dtype=np.intp)
    followed = engine._follow(nobody, engine._fitted(nobody), Execution())
    own = clone(model).fit(X, engine.problem.target)
    own = own[-1] if hasattr(own, "steps") else own
    errors = own.mse_path_.mean(axis=-1).reshape(followed.low[0].shape)
    assert np.all((followed.low[0] <= errors) & (errors <= followed.high[0]))
    assert np.all(followed.high - followed.low < 1e-5)
    assert followed.alphas[0] == pytest.approx(
        own.alphas_.reshape(-1, errors.shape[1]) + 0 * errors
    )
    alpha, share = engine._choose(followed)
    assert alpha[0] == pytest.approx(own.alpha_, rel=1e-12)
    assert share[0] == getattr(own, "l1_ratio_", 1.0)


def assert_same_games(play):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fast, slow = play(), play(engine="refit")
    assert fast.engine == "lasso", fast.diagnostics.why_not_faster
    assert np.array_equal(fast.standings.wins, slow.standings.wins)
    assert fast.n_ties == slow.n_ties


@pytest.mark.parametrize("name", ["lasso", "scaled", "several shares"])
def test_games(name):
    X, y = sample(m=10, n=3, n_positive=5)
    assert_same_games(lambda **options: tlpo.tournament(MODELS[name], X, y, **options))


def test_games_of_numbers():
    X, _ = sample(m=10, n=3)
    y = np.round(X[:, 0] + np.random.default_rng(0).normal(size=10), 2) * 1000.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fast, slow = (
            tlpo.concordance(MODELS["lasso"], X, y, engine=engine) for engine in ("auto", "refit")
        )
    assert fast.engine == "lasso"
    assert np.array_equal(fast.standings.wins, slow.standings.wins)


def test_gaps_behind_an_imputer_and_groups():
    X, y = sample(m=12, n=3, n_positive=6)
    X[[1, 5], 1] = np.nan
    model = make_pipeline(SimpleImputer(), StandardScaler(), LassoCV(cv=3, alphas=5))
    groups = np.repeat(np.arange(6), 2)
    assert_same_games(lambda **options: tlpo.tournament(model, X, y, groups=groups, **options))


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["lasso", "scaled", "given", "no intercept"])
def test_games_on_nasty_tables(kind, name):
    X, y = sample(kind, 11, 3, 5, seed=len(kind))
    assert_same_wins(MODELS[name], X, y)


def test_choices_that_rounding_could_make_are_left_to_the_estimator():
    engine = engine_of(MODELS["lasso"], *sample())
    pairs = np.array([[0, 1], [2, 9]])
    followed = engine._follow(pairs, engine._fitted(pairs), Execution())
    assert np.isfinite(engine._choose(followed)[0]).all()
    followed.low[1] -= 1.0
    alpha, _ = engine._choose(followed)
    assert np.isfinite(alpha).tolist() == [True, False]


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (LassoCV(cv=2, selection="random", random_state=0), "LassoCV takes features in random"),
        (ElasticNetCV(cv=2, alphas=[1.0, 0.0]), "without an L1 penalty"),
        (LassoCV(cv=KFold(2, shuffle=True), alphas=3), "other folds each time"),
        (LassoCV(cv=2, alphas=3, tol=1e-12), "rounding decides where LassoCV stops"),
    ],
)
def test_what_is_not_covered_is_refitted_and_says_why(model, why):
    X, y = sample(m=7, n=2, n_positive=3)
    assert_refitted(model, X, y, why)


def test_more_features_than_units_are_refitted():
    X, y = sample(m=7, n=6, n_positive=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        played = tlpo.tournament(LassoCV(cv=2, alphas=3), X, y)
    assert played.diagnostics.why_not_faster == (
        "With more features than units, the path of LassoCV takes as long as its fits."
    )
