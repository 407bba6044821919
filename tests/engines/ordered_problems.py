"""Nasty problems with numbers and grades, models, and games played by a plain loop."""

import itertools
import math
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.impute import SimpleImputer
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, Ridge, RidgeCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler

import tlpo
from tlpo.games.contest import Contest, ContestOptions


@dataclass
class Problem:
    """What a contest is made of, and who leaves the training set with whom."""

    X: object
    y: np.ndarray
    order: object = True
    numbers: np.ndarray | None = None
    groups: np.ndarray | None = None
    places: np.ndarray | None = None
    radius: float = 0.0
    params: dict = field(default_factory=dict)

    def contest(self, model, engine="auto"):
        exclude = None if self.places is None else tlpo.Buffer(self.places, self.radius)
        options = ContestOptions(
            order=self.order,
            groups=self.groups,
            exclude=exclude,
            params=self.params or None,
            engine=engine,
        )
        return Contest(model, self.X, self.y, options)

    @property
    def target(self):
        return np.asarray(self.y if self.numbers is None else self.numbers, dtype=float)

    @property
    def unit(self):
        """The power of two at or below the largest number."""
        return 2.0 ** (math.frexp(np.abs(self.target).max())[1] - 1)

    @property
    def spread(self):
        return np.ptp(self.target) / self.unit

    def training_set(self, held_out):
        def leaves(k):
            return any(
                k == i
                or (self.groups is not None and self.groups[k] == self.groups[i])
                or (self.places is not None and abs(self.places[k] - self.places[i]) <= self.radius)
                for i in held_out
            )

        return [k for k in range(len(self.y)) if not leaves(k)]

    def respond(self, model, held_out, train=None):
        """Fit without some units, and predict them, in the unit in which games are decided."""
        train = self.training_set(held_out) if train is None else train
        rows = self.X.iloc if isinstance(self.X, pd.DataFrame) else self.X
        params = {name: value[train] for name, value in self.params.items()}
        fitted = clone(model).fit(rows[train], self.target[train], **params)
        return fitted.predict(rows[list(held_out)]) / self.unit


def result(first, second):
    """Who wins, with the tie rule: equal but for rounding."""
    width = max(1e-12 * max(abs(first), abs(second)), 1e-13)
    return 0.5 if abs(first - second) <= width else float(first > second)


def play(problem, model):
    """Play every game; return wins and games by kind of opponent, and the held-out predictions."""
    y, m = problem.target, len(problem.y)
    wins, games, F = np.zeros((m, 3)), np.zeros((m, 3)), np.full((m, m), np.nan)
    for i, j in itertools.combinations(range(m), 2):
        F[i, j], F[j, i] = problem.respond(model, (i, j))
        won = result(F[i, j], F[j, i])
        for one, other, own in ((i, j, won), (j, i, 1 - won)):
            kind = 0 if y[one] > y[other] else 1 if y[one] < y[other] else 2
            wins[one, kind] += own
            games[one, kind] += 1
    return wins, games, F


def plain(seed, m=14, n=3, signal=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, n))
    return X, signal * X[:, 0] + rng.normal(size=m), rng


def graded(seed):
    X, y, _ = plain(seed)
    names = np.array(["none", "mild", "severe"])
    place = np.digitize(y, [-0.5, 0.5])
    return Problem(X, names[place], order=names.tolist(), numbers=place)


def in_groups(seed, ties=False):
    X, y, rng = plain(seed, m=15)
    y = np.round(y) if ties else y
    return Problem(X, y, groups=rng.permutation(15) // 2)


def buffered(seed):
    X, y, _ = plain(seed, m=15)
    return Problem(X, y, places=np.arange(15.0), radius=1.0)


def changed(change, **size):
    """Return a kind of problems: plain ones, changed."""

    def make(seed):
        X, y, rng = plain(seed, **size)
        found = change(X, y, rng)
        return found if isinstance(found, Problem) else Problem(*found)

    return make


def with_one_at(value):
    return changed(lambda X, y, rng: (X, np.where(np.arange(len(y)) == 5, value, y)))


def with_doubles(X, y, rng):
    X[7:] = X[:7]
    return X, y


def with_a_far_row(X, y, rng):
    X[3] *= 1e4
    return X, y


KINDS = {
    "plain": changed(lambda X, y, rng: (X, y)),
    "no signal": changed(lambda X, y, rng: (X, y), signal=0.0),
    "strong signal": changed(lambda X, y, rng: (X, y), signal=100.0),
    "ties in y": changed(lambda X, y, rng: (X, np.round(y))),
    "two values": changed(lambda X, y, rng: (X, np.where(y > np.median(y), 3.0, 1.0))),
    "half at zero": changed(lambda X, y, rng: (X, np.where(y > np.median(y), y + 5, 0.0))),
    "grades": graded,
    "one far above": with_one_at(1e6),
    "one far below": with_one_at(-1e4),
    "constant column": changed(lambda X, y, rng: (np.column_stack([np.full(14, 3.0), X]), y)),
    "duplicate rows": changed(with_doubles),
    "duplicate units": changed(lambda X, y, rng: (np.tile(X[:7], (2, 1)), np.tile(y[:7], 2))),
    "integers": changed(lambda X, y, rng: (np.round(X), np.round(2 * y))),
    "binary": changed(lambda X, y, rng: ((X > 0).astype(float), y)),
    "wide": changed(lambda X, y, rng: (X, y), n=30),
    "as wide as long": changed(lambda X, y, rng: (X, y), n=13),
    "one column": changed(lambda X, y, rng: (X, y), n=1),
    "X times 1e8": changed(lambda X, y, rng: (1e8 * X, y)),
    "X times 1e-8": changed(lambda X, y, rng: (1e-8 * X, y)),
    "X of mixed scales": changed(lambda X, y, rng: (X * [1e-4, 1.0, 1e5], y)),
    "X plus 1e4": changed(lambda X, y, rng: (X + 1e4, y)),
    "one far row": changed(with_a_far_row),
    "y times 1e-9": changed(lambda X, y, rng: (X, 1e-9 * y)),
    "y times 1e9": changed(lambda X, y, rng: (X, 1e9 * y)),
    "y plus 1e5": changed(lambda X, y, rng: (X, y + 1e5)),
    "y minus 1e5": changed(lambda X, y, rng: (X, np.round(y, 1) - 1e5)),
    "y of many magnitudes": changed(lambda X, y, rng: (X, 10.0 ** (3 * y))),
    "groups": in_groups,
    "groups and ties": lambda seed: in_groups(seed, ties=True),
    "buffer": buffered,
    "few units": changed(lambda X, y, rng: (X, y), m=8, n=2),
    "fewest units": changed(lambda X, y, rng: (X[:, :1], [0.0, 0.0, 1.0, 2.0, 3.0, 0.0]), m=6),
}


def gappy(problem, seed):
    """Return the same with a tenth of the cells missing."""
    X = np.array(problem.X)
    X[np.random.default_rng(seed).random(X.shape) < 0.1] = np.nan
    X[:4, np.isnan(X).all(axis=0)] = 1.0
    problem.X = X
    return problem


def with_words(problem, seed):
    """Return the same in a table with a column of words."""
    table = pd.DataFrame(np.array(problem.X), columns=[f"x{k}" for k in range(problem.X.shape[1])])
    words = np.array(["red", "green", "blue"])
    table["colour"] = words[np.random.default_rng(seed).integers(0, 3, len(table))]
    problem.X = table
    return problem


def weighted(problem, seed):
    weight = np.random.default_rng(seed).uniform(0.2, 3.0, len(problem.y))
    problem.params = {"sample_weight": weight}
    return problem


WORDS = make_column_transformer(
    (OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["colour"]),
    remainder=StandardScaler(),
)


@dataclass(frozen=True)
class Model:
    """A model, the engine that plays it, and how problems are changed for it."""

    estimator: object
    engine: str
    change: object = None
    least_columns: int = 1

    def problem(self, kind, seed=0):
        found = KINDS[kind](seed)
        return found if self.change is None else self.change(found, seed)


def squares(estimator, **options):
    return Model(estimator, "least-squares", **options)


def neighbours(estimator):
    return Model(estimator, "neighbors")


MODELS = {
    "Ridge": squares(Ridge()),
    "Ridge, small penalty": squares(Ridge(alpha=1e-3)),
    "Ridge without intercept": squares(Ridge(fit_intercept=False)),
    "Ridge with weights": squares(Ridge(), change=weighted),
    "RLS": squares(tlpo.RLS()),
    "KernelRidge, linear": squares(KernelRidge()),
    "KernelRidge, rbf": squares(KernelRidge(alpha=0.1, kernel="rbf", gamma=0.3)),
    "LinearRegression": squares(LinearRegression()),
    "RidgeCV": squares(RidgeCV(alphas=(0.1, 1.0, 10.0))),
    "scaled Ridge": squares(make_pipeline(StandardScaler(), Ridge())),
    "imputed Ridge": squares(make_pipeline(SimpleImputer(), Ridge()), change=gappy),
    "Ridge of words": squares(make_pipeline(WORDS, Ridge()), change=with_words),
    "selecting Ridge": squares(
        make_pipeline(SelectKBest(f_regression, k=2), Ridge()), least_columns=3
    ),
    "uniform neighbours": neighbours(KNeighborsRegressor(3)),
    "weighted neighbours": neighbours(KNeighborsRegressor(3, weights="distance")),
    "one neighbour": neighbours(KNeighborsRegressor(1)),
    "Manhattan neighbours": neighbours(KNeighborsRegressor(3, p=1, weights="distance")),
    "scaled neighbours": neighbours(make_pipeline(StandardScaler(), KNeighborsRegressor(3))),
    "scaled weighted neighbours": neighbours(
        make_pipeline(MinMaxScaler(), KNeighborsRegressor(3, weights="distance"))
    ),
}
