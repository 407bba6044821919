"""Compiled loops against plain NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp
from scipy.stats import norm

from tlpo.engines.bayes.gaussian import Gaussian
from tlpo.engines.bayes.kernels import gaussian_sets, posterior, scatter_of
from tlpo.engines.preparation.columns import Columns


def plain_posterior(jll_positive, jll_negative):
    """The probability as scikit-learn computes it."""
    both = np.array([jll_negative, jll_positive])
    return np.exp(both - logsumexp(both))[1]


@settings(deadline=None)
@given(
    st.floats(-2000, 2000),
    st.floats(-800, 800),
    st.sampled_from([1e-15, 1e-12, 1e-6]),
    st.floats(-1, 1),
)
def test_posterior_against_plain_numpy(jll, gap, blur, part):
    p, error = posterior(jll + gap, jll, blur + 1e-15 * abs(jll))
    off = plain_posterior(jll + gap + part * blur, jll)
    assert abs(p - off) <= error
    if error == 0:
        assert p == off


def test_posterior_at_the_ends():
    assert posterior(0.0, -1e4, 1e-9) == (1.0, 0.0) or posterior(0.0, -1e4, 1e-9)[1] > 0
    assert posterior(-50.0, -1e4, 1e-9) == (1.0, 0.0)
    assert posterior(-1e4, -50.0, 1e-9) == (0.0, 0.0)
    p, error = posterior(-50.0, -83.0, 1e-13)
    assert 0 < 1 - p < 1e-13 < 10 * error
    assert posterior(0.0, 0.0, np.nan)[1] == np.inf


def plain(X, kind, weight, smoothing, priors, units):
    """Probabilities of the classes for some units, from models without these."""
    rest = np.setdiff1d(np.arange(len(X)), units)
    added = smoothing * X[rest].var(axis=0).max()
    jll = []
    for c in range(kind.max() + 1):
        own = rest[kind[rest] == c]
        mean = np.average(X[own], axis=0, weights=weight[own])
        variance = np.average((X[own] - mean) ** 2, axis=0, weights=weight[own]) + added
        share = weight[own].sum() / weight[rest].sum() if priors is None else priors[c]
        jll.append(np.log(share) + norm.logpdf(X[units], mean, np.sqrt(variance)).sum(axis=1))
    return np.exp(jll - logsumexp(jll, axis=0)).T


@pytest.mark.parametrize("size", [1, 2, 7])
@pytest.mark.parametrize(
    ("K", "priors"), [(2, None), (2, np.array([0.2, 0.8])), (3, None), (4, np.full(4, 0.25))]
)
@pytest.mark.parametrize("n", [3, 400])
def test_gaussian_sets_against_plain_numpy(n, K, priors, size):
    rng = np.random.default_rng(n + size)
    X = rng.normal(size=(30, n)) * 10.0 ** rng.integers(-2, 3, size=n)
    X[4, 0] = 1e6  # its class has hardly any scatter without it
    kind = np.arange(30) % K
    weight = rng.uniform(size=30)
    sums = Gaussian(Columns.of_matrix(X), kind, weight, 1e-3, priors, range(K))
    sets = np.array([rng.permutation(30)[:size] for _ in range(20)] + [np.arange(4, 4 + size)])
    response, error = np.empty((*sets.shape, K)), np.empty((*sets.shape, K))
    gaussian_sets(*sums.arguments(sets), response, error)
    for units, own, off in zip(sets, response, error, strict=True):
        expected = plain(X, kind, weight, 1e-3, priors, units)
        assert np.all(np.abs(own - expected) <= off + 1e-10 * expected)
        assert own == pytest.approx(expected, rel=1e-7)


def test_scatter_against_plain_numpy():
    rng = np.random.default_rng(0)
    X, kind, weight = rng.normal(size=(20, 2)), np.arange(20) % 2, rng.uniform(size=20)
    missing, is_out = rng.uniform(size=X.shape) < 0.3, np.arange(20) < 5
    for which in (0, 1, -1):
        own = ~is_out & ~missing[:, 1] & ((kind == which) | (which == -1))
        w = np.ones(own.sum()) if which == -1 else weight[own]
        total, mean, scatter = scatter_of(1, which, X, missing, kind, weight, is_out)
        expected = np.average(X[own, 1], weights=w)
        assert (total, mean) == pytest.approx((w.sum(), expected))
        assert scatter == pytest.approx(np.sum(w * (X[own, 1] - expected) ** 2))
    assert scatter_of(0, 0, X, np.ones_like(missing), kind, weight, is_out) == (0.0, 0.0, 0.0)
