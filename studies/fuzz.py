"""Play random pipelines on random, nasty tables without refitting and with it, and compare.

    python -m studies.fuzz --minutes 10 --write

Every game must end alike; so must the order of units by held-out sets and by bootstrap resamples.
With `--several` tables have three or four classes, and games a result in the response of each;
with `--tuned` a search chooses a parameter of every model in folds, and some have an L1 penalty.
A table is made from its number alone, so a difference can be played again:
`python -m studies.fuzz --first 1234 --tables 1`.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from scipy import sparse
from sklearn.base import is_regressor
from sklearn.compose import ColumnTransformer
from sklearn.cross_decomposition import PLSRegression
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
)
from sklearn.feature_selection import SelectKBest, VarianceThreshold
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import (
    ElasticNet,
    ElasticNetCV,
    Lasso,
    LassoCV,
    LinearRegression,
    LogisticRegression,
    LogisticRegressionCV,
    Ridge,
    RidgeClassifier,
    RidgeClassifierCV,
    RidgeCV,
)
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    RandomizedSearchCV,
    StratifiedShuffleSplit,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)
from sklearn.svm import SVC, SVR, LinearSVC, NuSVC, NuSVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier

from studies.marked import DOCS, markdown_table, write_blocks
from tlpo import (
    RLS,
    ElasticNetLogisticCV,
    GameError,
    InputError,
    InverseDistanceKNN,
    multiclass,
    tournament,
)
from tlpo.arrays import FloatArray
from tlpo.engines.base import Played
from tlpo.execution.fits import Fit
from tlpo.games.contest import Contest, ContestOptions
from tlpo.games.response import outcomes

PAGE = DOCS / "reliability.md"
KINDS = (
    "plain",
    "duplicates",
    "grades",
    "binary",
    "constant column",
    "nearly constant column",
    "one unit differs",
    "extreme scales",
    "tiny",
    "offset",
    "dependent columns",
    "heavy tails",
)
CONTAINERS = (
    *("array", "array", "array", "array", "frame", "single", "half", "one single", "nullable"),
    *("polars", "sparse", "lists", "matrix", "same names"),
)
METRICS: tuple[tuple[str, Any], ...] = (
    ("minkowski", None),
    ("manhattan", None),
    ("chebyshev", None),
    ("canberra", None),
    ("braycurtis", None),
    ("cosine", None),
    ("hamming", None),
    ("mahalanobis", None),
    ("seuclidean", None),
    ("minkowski", {"p": 3}),
)
# Refitted if there are more, which would compare refits with refits.
TWO_CLASSES = (
    LogisticRegression,
    RidgeClassifierCV,
    RidgeClassifier,
)
Random = np.random.Generator


@dataclass
class Count:
    """What an engine played."""

    tables: int = 0
    pairs: int = 0
    refitted: int = 0
    different: int = 0


Counts = dict[tuple[str, str], Count]  # by engine and by what was compared


def draw_labels(rng: Random, m: int, several: bool) -> Any:
    """Draw two classes, or three or four, each of three units or more."""
    if not several:
        y = np.zeros(m)
        y[rng.permutation(m)[: rng.integers(3, m - 2)]] = 1.0
        return y
    K = int(rng.integers(3, m // 3 + 1))
    code = np.append(np.repeat(np.arange(K), 3), rng.integers(0, K, size=m - 3 * K))
    return rng.permutation(code).astype(float)


def draw_numbers(rng: Random, m: int, y: FloatArray) -> FloatArray:
    """Draw columns of one kind, now and then with missing cells."""
    n = int(
        rng.choice([1, 2, 3, 5, 8, m - 3, m, 2 * m], p=[0.1, 0.2, 0.2, 0.15, 0.05, 0.1, 0.1, 0.1])
    )
    kind = str(rng.choice(KINDS))
    X = rng.normal(size=(m, n)) + y[:, None] * rng.choice([0.0, 0.5, 2.0])
    if kind == "duplicates":
        X[m // 2 :] = X[: m - m // 2]
    elif kind == "grades":
        X = np.round(X)
    elif kind == "binary":
        X = (X > 0.5).astype(float)
    elif kind == "constant column":
        X[:, 0] = 3.0
    elif kind == "nearly constant column":
        X[:, 0] = 1.0 + 1e-9 * X[:, 0]
    elif kind == "one unit differs":
        X[:, 0] = 0.0
        X[rng.integers(m), 0] = 1.0
    elif kind == "extreme scales":
        X *= 10.0 ** rng.integers(-8, 9, size=n)
    elif kind == "tiny":
        X *= 1e-8
    elif kind == "offset":
        X += 1e4
    elif kind == "dependent columns":
        X[:, -1] = X[:, 0]
    elif kind == "heavy tails":
        X = rng.standard_t(1.5, size=(m, n))
    if rng.random() < 0.35:
        X[rng.random(X.shape) < rng.choice([0.02, 0.1, 0.3])] = np.nan
    return X


def draw_steps(rng: Random, has_gaps: bool) -> list[Any]:
    """Draw what stands before a model."""
    steps: list[Any] = []
    if has_gaps:
        strategy = str(rng.choice(["mean", "median", "most_frequent", "constant"]))
        steps.append(
            SimpleImputer(
                strategy=strategy,
                fill_value=0.0 if strategy == "constant" else None,
                add_indicator=bool(rng.random() < 0.3),
                keep_empty_features=bool(rng.random() < 0.3),
            )
        )
    if rng.random() < 0.15:
        steps.append(PolynomialFeatures(2, include_bias=bool(rng.random() < 0.5)))
    if rng.random() < 0.1:
        steps.append(VarianceThreshold())
    if rng.random() < 0.1:
        steps.append(FunctionTransformer(np.arcsinh))
    scaler = str(
        rng.choice(["none", "standard", "not centred", "range", "largest", "robust", "rows"])
    )
    steps += {
        "none": [],
        "standard": [StandardScaler()],
        "not centred": [StandardScaler(with_mean=False)],
        "range": [MinMaxScaler(feature_range=(-1, 2))],
        "largest": [MaxAbsScaler()],
        "robust": [RobustScaler()],
        "rows": [Normalizer()],
    }[scaler]
    if rng.random() < 0.1:
        steps.append(SelectKBest(k=1))
    return steps


def draw_model(rng: Random, several: bool = False) -> Any:
    """Draw a model that an exact engine plays, for two classes or several."""
    alpha = float(rng.choice([1e-6, 1e-2, 1.0, 100.0]))
    # The last has a key that is no label, which scikit-learn refuses.
    weights: list[Any] = [None, "balanced", {1.0: 3.0}, {1.0: 3.0, 2.0: 1.0}]
    weight = weights[rng.choice(4, p=[0.35, 0.3, 0.3, 0.05])]
    k = int(rng.integers(1, 4))
    metric, own = METRICS[rng.integers(len(METRICS)) if rng.random() < 0.4 else 0]
    near: dict[str, Any] = {"metric": metric, "metric_params": own}
    near["algorithm"] = str(rng.choice(["auto", "brute"]))
    models = [
        RLS(alpha),
        Ridge(alpha, fit_intercept=bool(rng.random() < 0.8)),
        RidgeClassifier(alpha, class_weight=weight, fit_intercept=bool(rng.random() < 0.8)),
        KernelRidge(alpha=alpha),
        LinearRegression(),
        LinearDiscriminantAnalysis(),
        RidgeCV(np.logspace(-2, 2, 5)),
        RidgeClassifierCV(np.logspace(-2, 2, 5)),
        KNeighborsClassifier(k, weights=str(rng.choice(["uniform", "distance"])), **near),
        KNeighborsRegressor(k, **near),
        InverseDistanceKNN(k),
        GaussianNB(),
        LogisticRegression(
            C=10.0 ** rng.uniform(-3, 3),
            tol=10.0 ** rng.uniform(-5, -2),
            max_iter=1000,
            class_weight=weight,
            fit_intercept=bool(rng.random() < 0.9),
        ),
        DecisionTreeClassifier(class_weight=weight, random_state=0),
        DecisionTreeRegressor(max_depth=k, random_state=0),
        GradientBoostingClassifier(n_estimators=5, max_depth=k, random_state=0),
        GradientBoostingRegressor(
            n_estimators=5, subsample=float(rng.choice([1.0, 0.7])), random_state=0
        ),
    ]
    if several:
        models = [model for model in models if not isinstance(model, TWO_CLASSES)]
        models += [GaussianNB(var_smoothing=10.0 ** rng.uniform(-9, 0)), RidgeClassifier(alpha)]
    chosen = models[rng.integers(len(models))]
    (own,) = rng.spawn(1)
    if own.random() < 0.15:
        return draw_machine(own, weight, several)
    return draw_forest(own, weight) if own.random() < 0.1 else chosen


def draw_forest(rng: Random, weight: Any) -> Any:
    """Draw trees that are grown anew for every pair: seeded, so that games are those of refits."""
    shared: dict[str, Any] = {
        "max_depth": [None, 2, 4][rng.integers(3)],
        "min_samples_leaf": int(rng.integers(1, 3)),
        "random_state": int(rng.integers(100)),
    }
    forests = [
        ExtraTreesClassifier(4, class_weight=weight, **shared),
        ExtraTreesRegressor(4, **shared),
        ExtraTreeClassifier(class_weight=weight, **shared),
        RandomForestClassifier(4, bootstrap=False, class_weight=weight, **shared),
        RandomForestClassifier(4, class_weight="balanced", **shared),
    ]
    forest = forests[rng.integers(len(forests))]
    return make_pipeline(PCA(1), forest) if rng.random() < 0.2 else forest


def draw_machine(rng: Random, weight: Any, several: bool) -> Any:
    """Draw support vectors or partial least squares, a regressor if there are several classes."""
    shared: dict[str, Any] = {
        "kernel": str(rng.choice(["rbf", "rbf", "linear", "poly"])),
        "gamma": ["scale", "auto", 0.1][rng.integers(3)],
        "C": 10.0 ** rng.uniform(-2, 2),
        "shrinking": bool(rng.random() < 0.8),
        "max_iter": 20_000,
    }
    machines = [SVR(epsilon=float(rng.choice([0.0, 0.1])), **shared), NuSVR(**shared)]
    machines.append(PLSRegression(int(rng.integers(1, 4)), scale=bool(rng.random() < 0.7)))
    if not several:
        machines += [SVC(class_weight=weight, **shared)] * 2
        nu = {name: value for name, value in shared.items() if name != "C"}
        machines.append(NuSVC(nu=float(rng.choice([0.1, 0.3])), class_weight=weight, **nu))
        linear = {"C": shared["C"], "class_weight": weight, "random_state": 0}
        machines += [LinearSVC(**linear), LogisticRegression(solver="liblinear", **linear)]
    return machines[rng.integers(len(machines))]


def draw_encoder(rng: Random) -> Any:
    """Draw what turns words into numbers."""
    kinds = [
        OneHotEncoder(handle_unknown="ignore"),
        OneHotEncoder(handle_unknown="ignore", sparse_output=False),
        OneHotEncoder(drop="first", handle_unknown="ignore"),
        OneHotEncoder(min_frequency=2, handle_unknown="infrequent_if_exist", sparse_output=False),
        OneHotEncoder(min_frequency=0.2, handle_unknown="ignore", sparse_output=False),
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
        make_pipeline(
            SimpleImputer(strategy="most_frequent"),
            OneHotEncoder(handle_unknown="ignore", sparse_output=False),
        ),
    ]
    return kinds[rng.integers(len(kinds))]


def draw_words(rng: Random, m: int) -> Any:
    """Draw a column of words, now and then with cells that are None, NaN or both."""
    words = rng.choice(list("abcdefgh")[: rng.integers(2, 8)], size=m).astype(object)
    for empty in (None, np.nan):
        if rng.random() < 0.3:
            words[rng.random(m) < 0.2] = empty
    return words


def contain(rng: Random, X: Any) -> Any:
    """Put a table into a container that people use; some change its precision."""
    frame = pd.DataFrame(X)
    frame.columns = [str(name) for name in frame.columns]
    is_number = [kind.kind == "f" for kind in frame.dtypes]
    numbers = frame.columns[is_number]
    kind = str(rng.choice(CONTAINERS))
    # Beyond the largest number of a narrow type nothing is left to compare.
    narrow = {"single": "float32", "half": "float16", "one single": "float32"}.get(kind)
    if narrow is not None and np.nanmax(np.abs(frame[numbers]), initial=0.0) > 1e4:
        return X
    if kind in ("single", "half"):
        frame = frame.astype(dict.fromkeys(numbers, narrow))
        return frame if all(is_number) and rng.random() < 0.5 else _like(X, frame)
    if kind == "one single":
        return frame.astype({numbers[0]: narrow})
    if kind == "nullable":
        name = str(rng.choice(["Float64", "Float32"]))
        return frame.astype(dict.fromkeys(numbers, name))
    if kind == "polars":
        words = {
            n: [None if v != v else v for v in frame[n]]
            for n in frame.columns[~np.array(is_number)]
        }
        cells = {**{n: frame[n].to_numpy() for n in numbers}, **words}
        found = pl.DataFrame({n: cells[n] for n in frame.columns})
        return found.cast({pl.Float64: pl.Float32}) if rng.random() < 0.4 else found
    if kind == "sparse" and all(is_number) and not frame.isna().to_numpy().any():
        return sparse.csr_matrix(frame.to_numpy())
    if kind == "lists" and all(is_number):
        return frame.to_numpy().tolist()
    if kind == "matrix" and all(is_number):
        return np.asmatrix(frame.to_numpy())
    if kind == "same names":
        return frame.set_axis(["x"] * frame.shape[1], axis=1) if all(is_number) else frame
    return frame if kind == "frame" else X


def _like(X: Any, frame: pd.DataFrame) -> Any:
    return frame if isinstance(X, pd.DataFrame) else frame.to_numpy()


def draw_search(rng: Random, estimator: Any) -> Any:
    """Draw a search for a parameter of a model."""
    if rng.random() < 0.3:  # models with an L1 penalty, of which some choose it themselves
        models = [
            Lasso(),
            ElasticNet(),
            LogisticRegression(l1_ratio=1.0, solver="liblinear", random_state=0),
            ElasticNetLogisticCV(n_folds=3, n_penalties=5),
            LassoCV(cv=3, alphas=10),
            ElasticNetCV(cv=3, alphas=[0.01, 0.1, 1.0], l1_ratio=[0.3, 0.9]),
        ]
        estimator = _with_last(estimator, models[rng.integers(len(models))])
    last = estimator[-1] if isinstance(estimator, Pipeline) else estimator
    prefix = f"{estimator.steps[-1][0]}__" if isinstance(estimator, Pipeline) else ""
    grids: dict[str, list[Any]] = {
        "C": [0.01, 1.0, 100.0],
        "alpha": [0.01, 1.0, 100.0],
        "n_neighbors": [1, 2, 3],
        "var_smoothing": [1e-9, 0.01, 1.0],
        "tol": [1e-4, 1e-3],
    }
    if isinstance(last, RidgeCV | RidgeClassifierCV):
        cv = [2, 3, KFold(3, shuffle=True, random_state=1)][rng.integers(3)]
        return _with_last(estimator, type(last)(np.logspace(-2, 2, 5), cv=cv))
    names = [name for name in grids if name in last.get_params()]
    if not names or isinstance(last, LassoCV | ElasticNetCV):
        return estimator
    scores = [None, "roc_auc", "neg_log_loss", "neg_brier_score", "balanced_accuracy", "f1"]
    if is_regressor(last):
        scores = [None, "neg_mean_squared_error", "neg_mean_absolute_error"]
    drawn = StratifiedShuffleSplit(2, random_state=0)
    splitters = [2, 3, KFold(3, shuffle=True, random_state=1), drawn]
    scoring = scores[rng.integers(len(scores))]
    cv = splitters[rng.choice(4, p=[0.4, 0.2, 0.2, 0.2])]
    if type(last) is LogisticRegression and last.solver == "lbfgs" and rng.random() < 0.5:
        own = {"scoring": scoring, "cv": cv, "Cs": int(rng.integers(2, 6)), "tol": last.tol}
        return _with_last(estimator, tuned_logistic(last, own))
    values = grids[names[0]]
    behind = isinstance(estimator, Pipeline) and rng.random() < 0.5
    model, name = (last, names[0]) if behind else (estimator, prefix + names[0])
    search = GridSearchCV(model, {name: values}, scoring=scoring, cv=cv)
    if rng.random() < 0.3:
        own = {"n_iter": 2, "random_state": int(rng.integers(100))}
        search = RandomizedSearchCV(model, {name: values}, scoring=scoring, cv=cv, **own)
    return _with_last(estimator, search) if behind else search


def tuned_logistic(model: LogisticRegression, own: dict[str, Any]) -> LogisticRegressionCV:
    """Return a logistic regression that chooses its penalty itself."""
    same = {name: getattr(model, name) for name in ("class_weight", "fit_intercept", "max_iter")}
    return LogisticRegressionCV(**same, **own, l1_ratios=(0.0,), use_legacy_attributes=False)


def _with_last(estimator: Any, model: Any) -> Any:
    is_pipeline = isinstance(estimator, Pipeline)
    return make_pipeline(*estimator[:-1], model) if is_pipeline else model


def draw_table(
    number: int, several: bool = False, tuned: bool = False
) -> tuple[Any, Any, FloatArray, dict[str, Any]]:
    """Return a pipeline, its table, labels and options, all by one number."""
    rng = np.random.default_rng(number)
    m = int(rng.integers(9, 13) if several else rng.integers(7, 17))
    y = draw_labels(rng, m, several)
    X: Any = draw_numbers(rng, m, y)
    # A game of several classes may take a fit for each: plainer tables, and more of them.
    is_plain = several and bool(rng.random() < 0.7)
    if is_plain:
        X = np.nan_to_num(X)
    steps = [] if is_plain and rng.random() < 0.6 else draw_steps(rng, bool(np.isnan(X).any()))
    model = draw_model(rng, several)
    options: dict[str, Any] = {}
    if rng.random() < 0.15:
        options["groups"] = rng.integers(0, max(4, m // 2), size=m)
    if not is_plain and rng.random() < 0.3:
        numbers = [f"x{f}" for f in range(X.shape[1])]
        X = pd.DataFrame(X, columns=numbers)
        X["site"] = draw_words(rng, m)
        before = make_pipeline(*steps) if steps else "passthrough"
        both = ColumnTransformer(
            [("numbers", before, numbers), ("site", draw_encoder(rng), ["site"])]
        )
        steps = [both]
    estimator = make_pipeline(*steps, model) if steps else model
    if steps and rng.random() < 0.15:
        estimator.set_output(transform=str(rng.choice(["pandas", "polars", "default"])))
    X = X if is_plain else contain(rng, X)
    if rng.random() < 0.03:
        with suppress(Exception):
            estimator = FrozenEstimator(estimator.fit(X, y))
    if tuned:
        estimator = draw_search(np.random.default_rng([number, 1]), estimator)
    return estimator, X, y, options


def compare(number: int, counts: Counts, several: bool = False, tuned: bool = False) -> bool:
    """Play a table both ways; return whether all ended alike."""
    estimator, X, y, options = draw_table(number, several, tuned)
    if several:
        options["several"] = True
    what, act = QUESTIONS[number % len(QUESTIONS)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            engine, n, n_refitted, n_different = act(estimator, X, y, options, number)
        except RefitError:
            counts["cannot be fitted", ""].tables += 1
            return True
        except AssertionError as error:
            print(f"table {number}: {what}, {error}, {estimator!r}", flush=True)
            return False
    count = counts[engine, what]
    count.tables += 1
    count.pairs += n
    count.refitted += n_refitted
    count.different += n_different
    if n_different:
        said = f"table {number}: {n_different} of {n} pairs differ, {what}, {engine}"
        print(said, repr(estimator), flush=True)
    return not n_different


class RefitError(Exception):
    """Refitting fails; then nothing else may succeed."""


Compared = tuple[str, int, int, int]


def _by_refits(act: Callable[[], Any], fast: Callable[[], Any]) -> Any:
    """Return what refitting gives; if it fails, make sure that any engine does."""
    try:
        return act()
    except (GameError, InputError) as error:
        try:
            fast()
        except (GameError, InputError):
            raise RefitError from error
        raise AssertionError("an engine answers where refitting fails") from error


def compare_games(estimator: Any, X: Any, y: FloatArray, options: Any, _: int) -> Compared:
    """Compare every game of a tournament."""
    if "several" in options:
        return _compare_classes(estimator, X, y, options.get("groups"))

    def play(**chosen: Any) -> Any:
        return tournament(estimator, X, y, **chosen, **options)

    slow = _by_refits(lambda: play(engine="refit"), play)
    fast = play()
    if isinstance(estimator, FrozenEstimator):
        assert any("not fitted here" in text for text in fast.diagnostics.warnings)
    one, other = fast.win_matrix(), slow.win_matrix()
    assert one is not None
    assert other is not None
    n_different = int(np.count_nonzero((one != other) & ~(np.isnan(one) & np.isnan(other)))) // 2
    return fast.engine, fast.standings.n_games, fast.diagnostics.fits - 1, n_different


def _compare_classes(estimator: Any, X: Any, y: FloatArray, groups: Any) -> Compared:
    """Compare every game of several classes, in the response of each."""

    def play(engine: str = "auto") -> Any:
        return multiclass(estimator, X, y, groups=groups, engine=engine)

    slow = _by_refits(lambda: play("refit"), play)
    fast = play()
    results = [_results(played) for k in (fast, slow) for played in k.each]
    K = len(fast.each)
    differ = [
        (one != other) & ~(np.isnan(one) & np.isnan(other))
        for one, other in zip(results[:K], results[K:], strict=True)
    ]
    n = sum(played.standings.n_games for played in fast.each)
    return fast.engine, n, fast.diagnostics.fits - 1, int(np.count_nonzero(differ)) // 2


def _results(played: Played) -> FloatArray:
    assert played.predictions is not None
    F = played.predictions.full()
    return outcomes(F, F.T, played.predictions.ceiling)


def compare_held_out(estimator: Any, X: Any, y: FloatArray, options: Any, number: int) -> Compared:
    """Compare the order of opposite classes by leave-one-out, or by three folds."""
    units = np.random.default_rng(number).permutation(y.size)
    tests = list(units[:, None]) if number % 2 else np.array_split(units, 3)

    def ask(engine: str = "auto") -> Any:
        contest = Contest(estimator, X, y, ContestOptions(engine=engine, **options))
        return contest.hold_out(tests, "held-out sets")

    slow = _by_refits(lambda: ask("refit"), ask)
    fast = ask()
    order = np.concatenate(tests)
    one, other = (np.concatenate(found.responses) for found in (fast, slow))
    n, n_different = swapped(one, other, y[order])
    return fast.engine, n, fast.diagnostics.fits - 1, n_different


def compare_resamples(estimator: Any, X: Any, y: FloatArray, options: Any, number: int) -> Compared:
    """Compare the order of opposite classes by models of units drawn with repetition."""
    rng = np.random.default_rng(number)
    everyone = np.arange(y.size)
    drawn = [rng.integers(y.size, size=y.size) for _ in range(4)]
    is_whole = [np.isin(y, y[train]).all() for train in drawn]
    fits = [Fit(train, everyone) for train, whole in zip(drawn, is_whole, strict=True) if whole]

    def ask(engine: str = "auto") -> Any:
        contest = Contest(estimator, X, y, ContestOptions(engine=engine, **options))
        return contest.fit(fits, "resamples", "Resamples")

    slow = _by_refits(lambda: ask("refit"), ask)
    fast = ask()
    found = [swapped(a, b, y) for a, b in zip(fast.responses, slow.responses, strict=True)]
    n, n_different = np.sum(found, axis=0, dtype=int) if found else (0, 0)
    return fast.engine, int(n), fast.diagnostics.fits - 1, int(n_different)


def swapped(one: FloatArray, other: FloatArray, y: FloatArray) -> tuple[int, int]:
    """Count pairs of opposite class, and those whose order differs by more than rounding.

    Here responses of different models are compared, and mathematically equal ones may differ in
    their last digits by either way.
    """
    if one.ndim == 2:  # a response for each class, in which it should be above all others
        each = [swapped(a, b, y == k) for k, (a, b) in enumerate(zip(one.T, other.T, strict=True))]
        n, n_different = np.sum(each, axis=0, dtype=int)
        return int(n), int(n_different)
    gaps = [found[y == 1][:, None] - found[y == 0] for found in (one, other)]
    size = max(np.abs(one).max(initial=0.0), np.abs(other).max(initial=0.0), 1e-300)
    differ = (np.sign(gaps[0]) != np.sign(gaps[1])) & (np.abs(gaps[0] - gaps[1]) > 1e-9 * size)
    return gaps[0].size, int(np.count_nonzero(differ))


_GAMES = ("games", compare_games)
QUESTIONS = (
    *(_GAMES, _GAMES, _GAMES),
    ("held-out sets", compare_held_out),
    ("resamples", compare_resamples),
)


def report(counts: Counts) -> str:
    """Return a table of what was played."""
    rows = [
        [name, what, f"{c.tables:,}", f"{c.pairs:,}", f"{c.refitted:,}", f"{c.different:,}"]
        for (name, what), c in sorted(counts.items())
        if name not in ("refit", "cannot be fitted")
    ]
    head = ["engine", "compared", "tables", "pairs", "refitted", "different"]
    refused, failed = (
        sum(count.tables for (name, _), count in counts.items() if name == left)
        for left in ("refit", "cannot be fitted")
    )
    return (
        f"{markdown_table(head, rows)}\n\nTables that every engine left to refitting: {refused:,}; "
        f"that could not be fitted at all: {failed:,}."
    )


def main() -> None:
    """Compare until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--first", type=int, default=0, help="number of the first table")
    parser.add_argument("--tables", type=int, default=sys.maxsize, help="at most")
    parser.add_argument("--several", action="store_true", help="three or four classes")
    parser.add_argument("--tuned", action="store_true", help="a parameter chosen in folds")
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--write", action="store_true", help="update the table in docs/")
    arguments = parser.parse_args()
    counts: Counts = defaultdict(Count)
    until = time.monotonic() + 60.0 * arguments.minutes
    alike = True
    for number in range(arguments.first, arguments.first + arguments.tables):
        if time.monotonic() > until:
            break
        alike &= compare(number, counts, arguments.several, arguments.tuned)
    print(report(counts))
    if arguments.write:
        kind = " several" * arguments.several + " tuned" * arguments.tuned
        write_blocks(arguments.page, {f"fuzz{kind}": report(counts)})
    if not alike:
        sys.exit(1)


if __name__ == "__main__":
    main()
