"""Triangular factors of small positive definite matrices, and their solutions: compiled loops."""

from __future__ import annotations

import numpy as np

from tlpo.arrays import FloatArray
from tlpo.compiled import compiled

# A column whose pivot is at most this share of its diagonal is usually taken for dependent.
LEAST_PIVOT = 1e-13


@compiled
def factorise(A: FloatArray, least: float) -> bool:
    """Overwrite the upper triangle of A by U with ``UᵀU = A``; return whether that went well.

    It does not if a pivot is at most the share ``least`` of its diagonal.
    """
    n = A.shape[0]
    for c in range(n):
        whole = A[c, c]
        for b in range(c):
            whole += A[b, c] * A[b, c]
        if not A[c, c] > least * whole:
            return False
        root = np.sqrt(A[c, c])
        for e in range(c, n):
            A[c, e] /= root
        for d in range(c + 1, n):
            r = A[c, d]
            for e in range(d, n):
                A[d, e] -= r * A[c, e]
    return True


@compiled
def solve_lower(U: FloatArray, b: FloatArray) -> float:
    """Overwrite b by the solution of ``Uᵀx = b``; return ``‖x‖²``."""
    square = 0.0
    for i in range(b.size):
        b[i] /= U[i, i]
        r = b[i]
        square += r * r
        for h in range(i + 1, b.size):
            b[h] -= U[i, h] * r
    return square


@compiled
def solve_upper(U: FloatArray, b: FloatArray) -> None:
    """Overwrite b by the solution of ``Ux = b``."""
    for i in range(b.size - 1, -1, -1):
        t = b[i]
        for h in range(i + 1, b.size):
            t -= U[i, h] * b[h]
        b[i] = t / U[i, i]


@compiled
def solve(U: FloatArray, b: FloatArray) -> None:
    """Overwrite b by the solution of ``UᵀU x = b``."""
    solve_lower(U, b)
    solve_upper(U, b)


@compiled
def invert(U: FloatArray, inverse: FloatArray) -> None:
    """Write the inverse of ``UᵀU``."""
    k = U.shape[0]
    column = np.empty(k)
    for c in range(k):
        for e in range(k):
            column[e] = 1.0 if e == c else 0.0
        solve(U, column)
        for e in range(k):
            inverse[c, e] = column[e]
