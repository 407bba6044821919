"""What it means for an engine of times to an event to agree with refitting."""

import numpy as np
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler

import tlpo
from engines.agreement import assert_close
from tlpo.games.contest import Contest, ContestOptions
from tlpo.games.schedule import Schedule

BEFORE = {
    "nothing": (),
    "StandardScaler": (StandardScaler(),),
    "not centred": (StandardScaler(with_mean=False),),
    "centred": (StandardScaler(with_std=False),),
    "MinMaxScaler": (MinMaxScaler(feature_range=(-1, 2)),),
    "RobustScaler": (RobustScaler(),),
    "mean": (SimpleImputer(), StandardScaler()),
    "median": (SimpleImputer(strategy="median"),),
    "mode": (SimpleImputer(strategy="most_frequent"), MinMaxScaler()),
}
FILLING = ("mean", "median", "mode")
NOT_FILLING = [name for name in BEFORE if name not in FILLING]


def after(before, model):
    """Return a model after steps of preparation, if there are any."""
    return make_pipeline(*map(clone, BEFORE[before]), model) if BEFORE[before] else model


def gaps(X, before, seed=0):
    """Return X with some cells missing, if there is an imputer."""
    if before not in FILLING:
        return X
    return np.where(np.random.default_rng(seed).random(X.shape) < 0.1, np.nan, X)


def play(estimator, X, y, engine="auto", **options):
    return Contest(estimator, X, y, ContestOptions(engine=engine, **options)).play(Schedule())


def outcome_of(estimator, X, y, engine, **options):
    """What is played, or the error."""
    try:
        return play(estimator, X, y, engine, **options)
    except (tlpo.GameError, tlpo.InputError) as error:
        return error


def assert_same_games_by(engine, estimator, X, y, *, rtol, **options):
    """Every game as by refitting; returns what was played, None if the engine did not apply."""
    fast = outcome_of(estimator, X, y, "auto", **options)
    slow = outcome_of(estimator, X, y, "refit", **options)
    if isinstance(slow, Exception):
        assert str(fast) == str(slow)
        return None
    if fast.engine != engine:
        assert fast.engine == "refit"
        assert fast.diagnostics.why_not_faster
        return None
    assert np.array_equal(fast.standings.wins, slow.standings.wins)
    assert np.array_equal(fast.standings.games, slow.standings.games)
    assert fast.standings.n_ties == slow.standings.n_ties
    assert_close(fast.predictions.full(), slow.predictions.full(), rtol)
    return fast
