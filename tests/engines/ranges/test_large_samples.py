"""Thousands of units: games that bounds decide, and any others, go as by refitting."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tlpo
from tlpo.games.contest import Contest, ContestOptions
from tlpo.games.schedule import Schedule

MODELS = {
    "ridge": RidgeClassifier(),
    "lda": LinearDiscriminantAnalysis(),
    "bayes": GaussianNB(),
    "logistic": LogisticRegression(tol=1e-6, max_iter=1000),
    "knn": KNeighborsClassifier(5),
    "balanced ridge": RidgeClassifier(class_weight="balanced"),
    "balanced logistic": LogisticRegression(tol=1e-6, max_iter=1000, class_weight="balanced"),
}
PLAIN = ["ridge", "lda", "bayes", "logistic", "knn"]
# Units whose games are all played one by one.
FOLLOWED = 3


def sample(m):
    """Draw a smaller class, and columns that are normal, skewed, rounded and on other scales."""
    rng = np.random.default_rng(m)
    y = (rng.random(m) < 0.2).astype(int)
    X = rng.normal(size=(m, 10)) + 0.3 * y[:, None]
    X[:, 1] = np.exp(X[:, 1])
    X[:, 2] = np.round(X[:, 2])
    X[:, 3] *= 1e4
    return X, y


def registry(m, n_events=50):
    """Draw a rare event, and twenty columns."""
    rng = np.random.default_rng(m)
    y = rng.permutation(np.arange(m) < n_events).astype(int)
    return rng.normal(size=(m, 20)) + 0.3 * y[:, None], y


def assert_games_like_refits(name, m, n_games, draw=sample):
    """Compare wins with games that are played one by one, and these with refits.

    Half of the games that are refitted are between units next to each other in the ranking, where
    an error of a bound or a formula would turn them.
    """
    estimator = make_pipeline(StandardScaler(), MODELS[name])
    X, y = draw(m)
    whole = tlpo.tournament(estimator, X, y, predictions=False)
    assert whole.engine != "refit"
    assert whole.diagnostics.games_evaluated < 0.5 * whole.diagnostics.pairs_played
    order = np.argsort(whole.scores, kind="stable")
    contest = Contest(estimator, X, y)

    for unit in order[np.linspace(0.1 * m, 0.9 * m, FOLLOWED).astype(int)]:
        others = np.delete(np.arange(m), unit)
        games = np.sort(np.column_stack([np.full(m - 1, unit), others]), axis=1)
        won = contest.play(Schedule(listed=games)).outcome
        won = np.where(games[:, 0] == unit, won, 1.0 - won)
        assert whole.scores[unit] == won.sum()

    rng = np.random.default_rng(0)
    place = rng.permutation(m - 3)[: n_games // 2]
    close = np.column_stack([order[place], order[place + rng.integers(1, 4, size=place.size)]])
    any_two = np.array([rng.choice(m, 2, replace=False) for _ in range(n_games - place.size)])
    games = np.unique(np.sort(np.concatenate([close, any_two]), axis=1), axis=0)
    assert len(games) > 0.99 * n_games
    refits = Contest(estimator, X, y, ContestOptions(engine="refit", n_jobs=2))
    refitted = refits.play(Schedule(listed=games)).outcome
    assert np.array_equal(contest.play(Schedule(listed=games)).outcome, refitted)


@pytest.mark.parametrize("name", PLAIN)
def test_some_games_against_refits(name):
    assert_games_like_refits(name, 1_500, 60)


@pytest.mark.exhaustive
@pytest.mark.parametrize("m", [3_000, 10_000])
@pytest.mark.parametrize("name", MODELS)
def test_games_of_large_samples_against_refits(name, m):
    assert_games_like_refits(name, m, 2_050)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["ridge", "lda"])
def test_games_of_a_hundred_thousand_against_refits(name):
    assert_games_like_refits(name, 100_000, 200)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["ridge", "lda", "bayes", "balanced ridge"])
def test_games_of_a_registry_against_refits(name):
    assert_games_like_refits(name, 20_000, 2_050, registry)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["logistic", "balanced logistic"])
def test_games_of_a_registry_against_slow_refits(name):
    assert_games_like_refits(name, 20_000, 2_050, registry)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ridge", "lda", "bayes", "logistic"])
def test_many_games_of_a_hundred_thousand_against_refits(name):
    assert_games_like_refits(name, 100_000, 2_050)
