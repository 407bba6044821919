"""Folds of `ElasticNetLogisticCV`: hashed ones, whose sizes vary, against dealt ones.

    python -m studies.lasso_folds

Prints the mean deviance of new units under the penalty that either kind of folds chooses, and the
difference with its standard error.
"""

from __future__ import annotations

from unittest import mock

import numpy as np

import tlpo

NEW = 1000


def dealt(_X, y, n_folds, seed):
    """Deal the units of either class in turns, in random order."""
    rng = np.random.default_rng(seed)
    fold = np.empty(len(y), dtype=np.intp)
    for label in (0, 1):
        units = rng.permutation(np.flatnonzero(y == label))
        fold[units] = (np.arange(units.size) + label) % n_folds
    return fold


def draw(m, p, share, rng):
    """Draw units, five features of which say something."""
    y = (np.arange(m) < share * m).astype(int)
    X = rng.normal(size=(m, p))
    X[:, :5] += 0.6 * y[:, None]
    return X, y


def deviance(model, X, y):
    """Return the mean deviance of new units."""
    z = model.decision_function(X)
    return 2.0 * np.logaddexp(0.0, np.where(y == 1, -z, z)).mean()


def compare(m, p, share, repetitions):
    """Return the deviances under hashed and dealt folds."""
    found = np.empty((repetitions, 2))
    for r in range(repetitions):
        rng = np.random.default_rng([m, p, r])
        (X, y), new = draw(m, p, share, rng), draw(NEW, p, share, rng)
        model = tlpo.ElasticNetLogisticCV(random_state=r)
        found[r, 0] = deviance(model.fit(X, y), *new)
        with mock.patch("tlpo.learners.folds.folds_of", dealt):
            found[r, 1] = deviance(model.fit(X, y), *new)
    return found


def main():
    """Print a line per setting."""
    for m, p, share in ((30, 5, 0.5), (60, 10, 0.5), (60, 10, 0.2), (100, 10, 0.5), (60, 100, 0.5)):
        repetitions = 400 if p <= 10 else 100
        hashed, by_turns = compare(m, p, share, repetitions).T
        apart = hashed - by_turns
        print(
            f"m={m} p={p} share={share}: hashed {hashed.mean():.4f} dealt {by_turns.mean():.4f} "
            f"difference {apart.mean():+.4f} ± {apart.std() / np.sqrt(repetitions):.4f} "
            f"({repetitions} samples)",
            flush=True,
        )


if __name__ == "__main__":
    main()
