"""Compiled factors against NumPy."""

import numpy as np
import pytest

from tlpo.cholesky import LEAST_PIVOT, factorise, invert, solve, solve_lower


def test_factorise_and_solve_against_numpy():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(9, 5))
    A, b = X.T @ X, rng.normal(size=5)
    U, x, half = A.copy(), b.copy(), b.copy()
    assert factorise(U, LEAST_PIVOT)
    assert np.triu(U).T @ np.triu(U) == pytest.approx(A)
    solve(U, x)
    assert np.allclose(x, np.linalg.solve(A, b), rtol=1e-12)
    assert solve_lower(U, half) == pytest.approx(b @ x)
    inverse = np.empty((5, 5))
    invert(U, inverse)
    assert np.allclose(inverse, np.linalg.inv(A), rtol=1e-10)


@pytest.mark.parametrize("last", [0.0, 1e-14])
def test_dependent_columns_are_refused(last):
    X = np.random.default_rng(0).normal(size=(9, 3))
    X[:, 2] = X[:, 0] - X[:, 1] + last * X[:, 2]
    assert not factorise(X.T @ X, LEAST_PIVOT)
