"""Kernels against scikit-learn's, and how uncertain numbers of single precision are found."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import pairwise_kernels

from tlpo.engines.svm import kernels, paths

NO_DOUBT = kernels.Doubt(0.0, 0.0, 0.0)


def table(kernel, gamma, training):
    return np.array([[kernels.value_of(kernel, gamma, a) for a in row] for row in training])


@pytest.mark.parametrize(
    ("kind", "name", "options"),
    [
        (kernels.ITSELF, "linear", {}),
        (kernels.GAUSSIAN, "rbf", {"gamma": 0.3}),
        (kernels.POLYNOMIAL, "poly", {"gamma": 0.3, "coef0": 0.5, "degree": 5}),
        (kernels.SIGMOID, "sigmoid", {"gamma": 0.3, "coef0": 0.5}),
    ],
)
def test_values_against_scikit_learn(kind, name, options):
    X = np.random.default_rng(0).normal(size=(12, 4))
    own = pairwise_kernels(X, metric=name, **options)
    kernel = kernels.Kernel(kind, options.get("coef0", 0.0), options.get("degree", 3))
    gamma = options.get("gamma", 0.0)
    training, asked, lengths = np.empty((12, 12)), np.empty((12, 12)), np.empty(12)
    for fill in (kernels.arguments, None):
        if fill is None:
            kernels.products(X, name == "rbf", lengths, training)
            np.testing.assert_allclose(lengths, np.linalg.norm(X, axis=1))
        else:
            fill(X, name == "rbf", training, asked)
            np.testing.assert_allclose(table(kernel, gamma, asked), own, rtol=1e-12)
        np.testing.assert_allclose(table(kernel, gamma, training), own, rtol=1e-12)
    assert kernels.argument_of(X, 1, 2, name == "rbf") == pytest.approx(asked[1, 2])
    units, K = np.array([7, 0, 1, 2, 9]), np.empty((5, 5), dtype=np.float32)
    diagonal = np.empty(5)
    for side in (-1, 0, 1):
        count = kernels.in_single(
            training, units, kernel, gamma, NO_DOUBT, lengths, side, K, diagonal
        )
        assert count == 0
        np.testing.assert_array_equal(K, np.float32(own[np.ix_(units, units)]))
        np.testing.assert_allclose(diagonal, own[units, units])


def test_exponentials_against_numpy():
    x = np.concatenate([[0.0, -1e-300, -700.0, -1e4], -np.logspace(-9, 2.8, 999)])
    found, scale = x.copy(), np.empty(x.size)
    kernels.exponentials(found, x.size, scale, scale.view(np.int64))
    np.testing.assert_allclose(found, np.exp(np.maximum(x, -700.0)), rtol=1e-15)


@pytest.mark.parametrize("kind", [kernels.ITSELF, kernels.GAUSSIAN])
def test_numbers_between_two_of_single_precision_are_uncertain(kind):
    middle = 0.5 + 2.0**-25  # between 0.5 and 0.5 + 2⁻²⁴
    argument = middle if kind == kernels.ITSELF else -np.log(middle)
    training = np.array([[0.0, argument], [argument, 0.0]])
    kernel, K = kernels.Kernel(kind, 0.0, 3), np.empty((2, 2), dtype=np.float32)
    for side, expected in ((-1, 0.5), (1, 0.5 + 2.0**-24)):
        count = kernels.in_single(
            *(training, np.arange(2), kernel, 1.0, NO_DOUBT, np.zeros(2), side, K, np.empty(2))
        )
        assert count == 2
        assert K[0, 1] == np.float32(expected)


@pytest.mark.parametrize("kind", range(4))
def test_errors_cover_rows_that_are_off(kind):
    """Rows are off by a relative and an absolute part of 1e-7, and kernels by no more than said."""
    rng = np.random.default_rng(kind)
    kernel, gamma, blur = kernels.Kernel(kind, 0.5, 3), 0.3, 1e-7
    X = rng.normal(size=(20, 5))
    doubt = kernels.Doubt(blur, 0.0, np.sqrt(5.0))
    factor, shift = 1.0 + blur * rng.uniform(-1, 1, 5), blur * rng.uniform(-1, 1, 5)
    other = X * factor + shift
    lengths = np.linalg.norm(X, axis=1)
    for i in range(20):
        for j in range(i):
            one, two = (kernels.argument_of(Z, i, j, kind == kernels.GAUSSIAN) for Z in (X, other))
            value = kernels.value_of(kernel, gamma, one)
            error = kernels.error_of(kernel, gamma, one, value, doubt, lengths[i], lengths[j])
            assert abs(kernels.value_of(kernel, gamma, two) - value) <= 1.01 * error + 1e-15
            assert error < 1e-4


def test_powers_by_hand():
    assert [kernels.power(3.0, k) for k in range(5)] == [1.0, 3.0, 9.0, 27.0, 81.0]


def test_runs_by_hand():
    units = np.array([0, 1, 2, 5, 6, 6, 8])
    runs = kernels.runs_of(units)
    assert runs.tolist() == [0, 3, 5, 6, 7]
    row, chosen = np.arange(10.0) ** 2, np.empty(7)
    kernels.take(row, units, runs, chosen)
    np.testing.assert_array_equal(chosen, row[units])


def test_factor_against_scikit_learn():
    Z = np.random.default_rng(0).normal(size=(9, 3)) + 2.0
    gamma, growth = paths.gamma_of(Z, np.arange(7))
    assert gamma == pytest.approx(1.0 / (3 * Z[:7].var()), rel=1e-14)
    assert growth > 3.0
    assert paths.gamma_of(np.ones((4, 2)), np.arange(3)) == (1.0, np.inf)
