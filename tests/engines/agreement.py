"""Nasty problems, and what it means for an engine to agree with refitting."""

import warnings

import numpy as np
import pytest
from hypothesis import strategies as st

import tlpo

KINDS = (
    "plain",
    "duplicates",
    "integers",
    "binary",
    "constant column",
    "all equal",
    "times 1e8",
    "times 1e-8",
    "mixed scales",
    "offset",
)


def make(kind, m, n, n_positive, shift, seed):
    rng = np.random.default_rng(seed)
    y = np.zeros(m, dtype=int)
    y[rng.permutation(m)[:n_positive]] = 1
    X = rng.normal(size=(m, n))
    X[y == 1] += shift
    if kind == "duplicates":
        X[m // 2 :] = X[: m - m // 2]
    elif kind == "integers":
        X = np.round(X)
    elif kind == "binary":
        X = (X > 0.5).astype(float)
    elif kind == "constant column":
        X[:, 0] = 3.0
    elif kind == "all equal":
        X[:] = 1.5
    elif kind == "times 1e8":
        X *= 1e8
    elif kind == "times 1e-8":
        X *= 1e-8
    elif kind == "mixed scales":
        X *= 10.0 ** rng.integers(-8, 9, size=n)
    elif kind == "offset":
        X += 1e4
    return X, y


problems = st.integers(7, 18).flatmap(
    lambda m: st.builds(
        make,
        kind=st.sampled_from(KINDS),
        m=st.just(m),
        n=st.sampled_from([1, 2, 3, 5, m - 1, m, 2 * m]),
        n_positive=st.integers(3, m - 3),
        shift=st.sampled_from([0.0, 0.5, 2.0]),
        seed=st.integers(0, 2**31),
    )
)


def assert_same_games(estimator, X, y, engine, params=None, slow=None):
    """Every game, both AUCs and every prediction as by refitting; returns whether it applied."""
    fast = tlpo.tournament(estimator, X, y, params=params)
    if fast.engine != engine:
        assert fast.engine == "refit"
        assert fast.diagnostics.why_not_faster
        return False
    if slow is None:
        slow = tlpo.tournament(estimator, X, y, params=params, engine="refit")
    assert np.array_equal(fast.standings.wins, slow.standings.wins)
    assert fast.n_ties == slow.n_ties
    assert np.array_equal(fast.standings.games, slow.standings.games)
    pair = tlpo.leave_pair_out(estimator, X, y, params=params)
    assert pair.auc == fast.lpo_auc
    assert pair.engine == engine
    assert pair.diagnostics.pairs_played == np.sum(y == 1) * np.sum(y == 0)
    assert_close(fast.predictions, slow.predictions)
    return True


def assert_close(fast, slow, rtol=1e-5):
    # Where features are badly scaled scikit-learn's own predictions carry larger errors than ours,
    # and where units coincide and hardly any penalty keeps them apart, ours than its.
    scale = np.maximum(1.0, np.abs(slow))
    assert np.nanmax(np.abs(fast - slow) / scale) < rtol
    assert np.array_equal(np.isnan(fast), np.isnan(slow))


def assert_same_wins(model, X, y):
    """Wins and ties as by refitting, whoever plays; where refitting fails, nobody plays."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            slow = tlpo.tournament(model, X, y, engine="refit")
        except tlpo.GameError:
            with pytest.raises(tlpo.GameError):
                tlpo.tournament(model, X, y)
            return
        fast = tlpo.tournament(model, X, y)
    assert np.array_equal(fast.standings.wins, slow.standings.wins)
    assert fast.n_ties == slow.n_ties


def assert_refitted(model, X, y, why):
    """No engine plays a model, and this is said about it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        played = tlpo.tournament(model, X, y)
    assert played.engine == "refit"
    assert why in played.diagnostics.why_not_faster
