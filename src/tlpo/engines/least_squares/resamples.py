"""Least squares fitted on units drawn with repetition: the bootstrap, without the estimator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.least_squares.families import (
    LEAST_SCATTER,
    DiscriminantFamily,
    Family,
    KernelFamily,
)
from tlpo.engines.preparation.columns import EPSILON, Columns
from tlpo.engines.preparation.prepared import Prepared
from tlpo.execution.fits import Fit

# Without a penalty: the least eigenvalue, with a diagonal of ones, that is not left to refitting.
LEAST_EIGENVALUE = 1e-5
# Without a penalty: the least spread of a column, relative to its mean, that is more than rounding.
LEAST_SPREAD = 1e-10
# How far off a response may be where rounding has grown, before it is left to refitting.
MOST_BLUR = 1e-8


def fit_resamples(
    family: Family, prepared: Prepared, columns: Columns, fits: Sequence[Fit]
) -> list[FloatArray | None]:
    """Return the responses of some fits, None where the estimator itself must be fitted."""
    problem = prepared.problem
    units = np.arange(problem.n_units)
    cells = np.concatenate([columns.values, columns.missing], axis=1)
    # Identical units get the same response, to the last digit.
    _, one, which = np.unique(cells, axis=0, return_index=True, return_inverse=True)
    which = which.reshape(-1)
    answers: list[FloatArray | None] = []
    for train, test in fits:
        fitted = columns.fit_on(train)
        if prepared.is_exception(train, family.notices_empty) or not np.isfinite(fitted.growth[0]):
            answers.append(None)
            continue
        Z = columns.prepared(fitted, 0, units)
        if columns.n_best is not None:
            chosen = columns.best_on(train, problem.scaled_target, fitted)
            if chosen is None:
                answers.append(None)
                continue
            Z = Z[:, chosen]
        weight = _weights(family, prepared, train)
        growth = float(fitted.growth[0])
        response = _respond(family, Z[train], problem.scaled_target[train], weight, Z[one], growth)
        answers.append(None if response is None else response[which[test]])
    return answers


def _weights(family: Family, prepared: Prepared, train: IntArray) -> FloatArray | None:
    weight: Any = family.class_weight
    if weight is None:
        given = family.weight(prepared.problem)
        return None if given is None else given[train]
    labels = prepared.problem.labels
    is_positive = labels.is_positive[train]
    if weight == "balanced":
        n1 = np.count_nonzero(is_positive)
        pair = (train.size / (2.0 * (train.size - n1)), train.size / (2.0 * n1))
    else:
        pair = (weight.get(labels.negative, 1.0), weight.get(labels.positive, 1.0))
    return np.where(is_positive, pair[1], pair[0])


def _respond(
    family: Family,
    Z: FloatArray,
    y: FloatArray,
    weight: FloatArray | None,
    new: FloatArray,
    growth: float,
) -> FloatArray | None:
    """Fit on the rows of Z and return the responses for new rows.

    None where the estimator's own rounding, which ``growth`` multiplies, would be seen.
    """
    if isinstance(family, KernelFamily) and family.metric != "linear":
        return None
    if family.intercept == "penalised":
        Z, new = (np.column_stack([part, np.ones(len(part))]) for part in (Z, new))
    mean, centre = 0.0, np.zeros(Z.shape[1])
    if family.intercept == "free":
        centre = np.average(Z, axis=0, weights=weight)
        mean = float(np.average(y, weights=weight))
        Z, new, y = Z - centre, new - centre, y - mean
    if weight is not None:
        root = np.sqrt(weight)
        Z, y = Z * root[:, None], y * root
    n, k = Z.shape[1], Z.shape[0]
    if family.alpha > 0 or growth > 1.0:
        condition = 1.0 + float(np.sum(Z**2)) / (family.alpha or 1.0)
        if EPSILON * growth * condition > MOST_BLUR:
            return None
    try:
        if n <= k or family.alpha == 0:
            A, b = Z.T @ Z, Z.T @ y
            sizes = np.sqrt(np.diag(A) + family.alpha)
            # What is left of a constant column is the rounding of its mean.
            rounding = np.abs(centre) * np.sqrt(k) * LEAST_SPREAD if family.alpha == 0 else 0.0
            if not np.min(sizes - rounding) > 0:
                return None
            A.flat[:: n + 1] += family.alpha
            A, b = A / sizes / sizes[:, None], b / sizes
            least = float(np.linalg.eigvalsh(A)[0]) if family.alpha == 0 else 1.0
            if not least > LEAST_EIGENVALUE:
                return None
            # The estimator drops directions that are small beside the largest, in its own scale.
            if family.alpha == 0 and not least * sizes.min() > family.least_rcond * sizes.max():
                return None
            w = cho_solve(cho_factor(A), b)
            f = mean + (new / sizes) @ w
            if isinstance(family, DiscriminantFamily):
                return _discriminate(family, f, y + mean, float(y @ y - b @ w), least)
            return np.asarray(f)
        K = Z @ Z.T
        K.flat[:: k + 1] += family.alpha
        return np.asarray(mean + new @ (Z.T @ cho_solve(cho_factor(K), y)))
    except LinAlgError:
        return None


def _discriminate(
    family: DiscriminantFamily, f: FloatArray, y: FloatArray, rss: float, least: float
) -> FloatArray | None:
    n1, n0 = np.count_nonzero(y > 0), np.count_nonzero(y < 0)
    share = rss / (4.0 * n1 * n0 / (n1 + n0))
    if not (share > LEAST_SCATTER and least * share > 1e4 * family.tol**2):
        return None
    return np.asarray(family.decision(f, rss, n1, n0))
