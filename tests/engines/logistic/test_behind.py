"""Logistic regression behind steps that are fitted to every training set, against refits."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    KBinsDiscretizer,
    OneHotEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    StandardScaler,
)

import tlpo
from engines.agreement import KINDS, assert_refitted, assert_same_games, assert_same_wins, make
from tlpo.execution.fits import Fit
from tlpo.games.contest import Contest, ContestOptions
from tlpo.games.schedule import Schedule

NAME = "logistic-steps"
BINS = {"encode": "onehot-dense", "quantile_method": "averaged_inverted_cdf"}
STEPS = {
    "components": (StandardScaler(), PCA(2)),
    "all components": (PCA(),),
    "bins": (KBinsDiscretizer(3, **BINS),),
    "quantiles": (QuantileTransformer(n_quantiles=5),),
    "powers": (PowerTransformer(),),
    "squares": (StandardScaler(), PolynomialFeatures(2, include_bias=False)),
}


def behind(steps, **settings):
    return make_pipeline(*steps, LogisticRegression(**{"max_iter": 1000, **settings}))


@pytest.mark.parametrize("name", STEPS)
def test_games_against_refits(name):
    assert assert_same_games(behind(STEPS[name]), *make("plain", 12, 4, 5, 0.5, 1), NAME)


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", STEPS)
def test_nasty_tables_against_refits(name, kind):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed, weight in enumerate((None, "balanced")):
            model = behind(STEPS[name], class_weight=weight, C=[0.1, 100.0][seed])
            assert_same_wins(model, *make(kind, 13, 3, 5, 0.5, seed))


@pytest.mark.exhaustive
def test_more_features_than_units_against_refits():
    X, y = make("plain", 16, 40, 7, 0.3, 2)
    for model in (behind((PCA(3),)), behind((StandardScaler(), PCA(0.5)), C=10.0)):
        assert assert_same_games(model, X, y, NAME)


def test_a_sparse_matrix_of_words_and_gaps_against_refits():
    X, y = make("integers", 14, 2, 6, 0.5, 1)
    X[3, 0] = np.nan
    frame = pd.DataFrame(X, columns=list("ab"))
    frame["site"] = np.array(list("xyzxyzxyzxyzxw"))
    steps = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["site"]),
        (make_pipeline(SimpleImputer(), StandardScaler()), list("ab")),
        sparse_threshold=1.0,
    )
    assert sparse.issparse(steps.fit_transform(frame))
    assert assert_same_games(behind((steps,)), frame, y, NAME)


def test_folds_and_resamples_against_fits():
    X, y = make("plain", 24, 4, 11, 0.5, 3)
    rng = np.random.default_rng(0)
    folds = list(rng.permutation(24).reshape(-1, 6))
    fits = [Fit(train, np.arange(24)) for train in rng.integers(0, 24, (5, 24))]
    for weight in (None, "balanced"):
        model = behind(STEPS["components"], class_weight=weight)
        fast, slow = (
            Contest(model, X, y, ContestOptions(engine=name)) for name in ("auto", "refit")
        )
        found, expected = (own.hold_out(folds, "folds").responses for own in (fast, slow))
        np.testing.assert_allclose(np.concatenate(found), np.concatenate(expected), rtol=1e-6)
        found, expected = (
            own.fit(fits, "resamples", "Resamples").responses for own in (fast, slow)
        )
        np.testing.assert_allclose(np.concatenate(found), np.concatenate(expected), rtol=1e-6)
        assert fast.hold_out(folds, "folds").engine == NAME


def test_groups_against_refits():
    X, y = make("plain", 16, 4, 8, 0.5, 3)
    fast, slow = (
        tlpo.tournament(behind(STEPS["components"]), X, y, groups=np.arange(16) // 2, engine=name)
        for name in ("auto", "refit")
    )
    assert fast.engine == NAME
    assert np.array_equal(fast.standings.wins, slow.standings.wins)


def test_a_search_for_the_number_of_components_against_refits():
    X, y = make("plain", 20, 5, 9, 0.7, 0)
    search = GridSearchCV(
        behind(STEPS["components"]), {"pca__n_components": [1, 3]}, cv=3, scoring="roc_auc"
    )
    games = np.array([(i, j) for i in range(20) for j in range(i)])[::12]
    fast, slow = (
        Contest(search, X, y, ContestOptions(engine=name, n_jobs=1)).play(Schedule(listed=games))
        for name in ("auto", "refit")
    )
    assert fast.engine == "search", fast.diagnostics.why_not_faster
    assert np.array_equal(fast.outcome, slow.outcome)


class Noise(TransformerMixin, BaseEstimator):
    """Adds what no other fit adds."""

    def fit(self, X, y=None):
        self.shift_ = np.random.normal(size=X.shape[1])
        return self

    def transform(self, X):
        return X * (1.0 + self.shift_)


class Fussy(TransformerMixin, BaseEstimator):
    """Refuses a training set without the first unit."""

    def fit(self, X, y=None):
        if X[:, 0].max() < 100.0:
            raise ValueError("too small")
        return self

    def transform(self, X):
        return np.minimum(X, 3.0)


class Talking(StandardScaler):
    """Warns in every fit."""

    def fit(self, X, y=None):
        warnings.warn("as always", UserWarning, stacklevel=2)
        return super().fit(X, y)


def test_steps_that_draw_are_refitted():
    X, y = make("plain", 14, 3, 6, 0.5, 1)
    played = tlpo.tournament(behind((Noise(),)), X, y)
    assert played.engine == "refit"
    assert "For one pair" in played.diagnostics.why_not_faster


def test_where_a_step_fails_the_game_fails_as_by_refitting():
    X, y = make("plain", 14, 3, 6, 0.5, 1)
    X[0, 0] = 200.0
    model = behind((Fussy(),))
    fast, slow = (
        tlpo.tournament(model, X, y, engine=name, on_error="skip") for name in ("auto", "refit")
    )
    assert np.array_equal(fast.standings.games, slow.standings.games)
    assert np.array_equal(fast.standings.wins, slow.standings.wins)
    with pytest.raises(tlpo.GameError, match="too small"):
        tlpo.tournament(model, X, y)


def test_a_warning_of_a_step_is_issued_once():
    X, y = make("plain", 12, 3, 6, 0.5, 1)
    with pytest.warns(UserWarning, match="as always") as seen:
        played = tlpo.tournament(behind((Talking(),)), X, y)
    assert played.engine == NAME
    assert len(seen) == 1


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (behind((PCA(2),), solver="saga"), "How close the solver 'saga'"),
        (behind((PCA(2),), solver="newton-cg"), "only lbfgs is followed"),
        (behind((PCA(2),), C=1.0, max_iter=1), "could not be followed"),
    ],
)
def test_what_is_refitted_is_said(model, why):
    assert_refitted(model, *make("plain", 14, 3, 6, 0.5, 1), why)
