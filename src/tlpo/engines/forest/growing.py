"""What grows on one bag: a tree of a forest, or the base estimator of a bagging ensemble.

Both are grown as scikit-learn grows them, and answer as an ensemble of one would: an ensemble of
several answers with the mean. Trees of survival forests are in `hazards.py`. Nothing but the bag
may matter. That is checked here, because scikit-learn gives a tree, and any base estimator with a
``sample_weight``, *all* units of its training set, those outside the bag with weight zero. Some
estimators look at these nevertheless: ``SVC(gamma="scale")`` at their variance, ``GaussianNB``
likewise, class weights at their labels. Then a model without i and j is not the same as one whose
bag misses i and j, and is refused.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from math import ceil
from numbers import Integral
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn import get_config
from sklearn.base import clone
from sklearn.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)
from sklearn.utils import check_array, compute_sample_weight
from sklearn.utils.random import sample_without_replacement
from sklearn.utils.validation import has_fit_parameter

from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.forest.compiled import compiled_grower
from tlpo.engines.forest.compiled_survival import compiled_survival_grower
from tlpo.engines.forest.hazards import make_survival_grower
from tlpo.engines.forest.notes import shares_with_notes
from tlpo.engines.optional import OptionalTypes
from tlpo.errors import EngineError
from tlpo.execution.diagnostics import first_line
from tlpo.games.response import fits_numbers, respond, response_method
from tlpo.problem.outcome import TimeToEvent
from tlpo.problem.problem import Problem

FORESTS = frozenset(
    {ExtraTreesClassifier, ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor}
)
BAGGING = frozenset({BaggingClassifier, BaggingRegressor})
SURVIVAL_FORESTS = OptionalTypes(
    "sksurv.ensemble.ExtraSurvivalTrees", "sksurv.ensemble.RandomSurvivalForest"
)

_TREES = frozenset(
    {DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor}
)
_OF_ENSEMBLES = {
    *("bootstrap", "max_features", "max_samples", "n_estimators", "n_jobs", "oob_score"),
    *("random_state", "verbose", "warm_start"),
}
_OF_FORESTS = {
    *("ccp_alpha", "class_weight", "criterion", "max_depth", "max_leaf_nodes", "monotonic_cst"),
    *("min_impurity_decrease", "min_samples_leaf", "min_samples_split", "min_weight_fraction_leaf"),
}
OF_FORESTS = frozenset(_OF_ENSEMBLES | _OF_FORESTS)
_OF_BAGGING = {"bootstrap_features", "estimator"}
_OF_SURVIVAL_FORESTS = {
    *("low_memory", "max_depth", "max_leaf_nodes"),
    *("min_samples_leaf", "min_samples_split", "min_weight_fraction_leaf"),
}
_SEEDS = np.iinfo(np.int32).max
_TRIES = 20


class Grower(Protocol):
    """Grows on one bag after another.

    Attributes
    ----------
    bag_size : int
        Units that are drawn for a bag.
    method : str
        What an ensemble answers with.
    n_notes : int
        How many numbers are kept of a tree besides its responses.
    """

    @property
    def bag_size(self) -> int: ...  # noqa: D102

    @property
    def method(self) -> str: ...  # noqa: D102

    @property
    def n_notes(self) -> int: ...  # noqa: D102

    def grow(self, bag: IntArray, out: IntArray, rng: np.random.Generator) -> FloatArray:
        """Grow on a bag, and return the responses for the units outside it, then the notes."""
        ...


@dataclass(frozen=True, eq=False)
class TreeGrower:
    """Grows the trees of scikit-learn's forests.

    Attributes
    ----------
    kind, params
        Type of the trees, and their parameters.
    X, X_new : array or sparse matrix
        Features in single precision, to grow on and to predict.
    y : ndarray of shape (m, 1)
        Targets; a forest numbers its classes.
    missing : ndarray or None
        Which features have missing values.
    balanced : bool
        Whether classes are weighted by their counts in the bag.
    column : int or None
        The positive class; None for a regressor, and for several classes.
    n_notes : int
        Shares of further classes, if there are several.
    """

    bag_size: int
    method: str
    kind: type
    params: dict[str, Any]
    X: Any
    X_new: Any
    y: FloatArray
    missing: npt.NDArray[np.bool_] | None
    balanced: bool
    column: int | None
    n_notes: int = 0

    def grow(self, bag: IntArray, out: IntArray, rng: np.random.Generator) -> FloatArray:
        """Grow a tree on a bag, as ``_parallel_build_trees`` of scikit-learn does."""
        tree = self.kind(**self.params, random_state=int(rng.integers(_SEEDS)))
        weight = np.bincount(bag, minlength=len(self.y)).astype(np.float64)
        if self.balanced:
            weight *= compute_sample_weight("balanced", self.y, indices=bag)
        tree._fit(
            self.X,
            self.y,
            sample_weight=weight,
            check_input=False,
            missing_values_in_feature_mask=self.missing,
        )
        rows = self.X_new[out]
        if self.n_notes:
            shares = np.array(tree.predict_proba(rows, check_input=False))
            return shares_with_notes(shares, out, len(self.y))
        if self.column is None:
            return np.asarray(tree.predict(rows, check_input=False))
        return np.asarray(tree.predict_proba(rows, check_input=False)[:, self.column])


@dataclass(frozen=True, eq=False)
class BaseGrower:
    """Fits the base estimator of a bagging ensemble.

    Attributes
    ----------
    shell : estimator
        A fitted ensemble of one, which answers by scikit-learn's own rule.
    base : estimator
        What is cloned and fitted.
    X, y : array
        Features, and targets as the ensemble passes them on.
    takes_weights : bool
        Whether a bag is passed as weights of all units.
    positive, labels
        The positive label, and both in sorted order.
    n_notes : int
        Shares of further classes, if there are several.
    """

    bag_size: int
    method: str
    shell: Any
    base: Any
    X: Any
    y: npt.NDArray[Any]
    takes_weights: bool
    positive: Any
    labels: tuple[Any, Any]
    n_notes: int = 0

    def grow(self, bag: IntArray, out: IntArray, rng: np.random.Generator) -> FloatArray:
        """Fit a clone to a bag, as ``_parallel_build_estimators`` of scikit-learn does."""
        model = clone(self.base)
        seeds = [
            name
            for name in sorted(model.get_params(deep=True))
            if name == "random_state" or name.endswith("__random_state")
        ]
        if seeds:
            model.set_params(**{name: int(rng.integers(_SEEDS)) for name in seeds})
        X, shell = self.X, copy.copy(self.shell)
        n_features = X.shape[1]
        features = np.arange(n_features)
        if shell.bootstrap_features:
            features = rng.integers(n_features, size=shell._max_features)
        elif shell._max_features < n_features:
            seed = int(rng.integers(_SEEDS))
            features = sample_without_replacement(
                n_features, shell._max_features, random_state=seed
            )
        if self.takes_weights:
            weight = np.bincount(bag, minlength=len(self.y))
            model.fit(X[:, features], self.y, sample_weight=weight)
        else:
            model.fit(X[bag][:, features], self.y[bag])
        shell.estimators_, shell.estimators_features_ = [model], [features]
        if self.n_notes:
            return shares_with_notes(np.array(shell.predict_proba(X[out])), out, len(self.y))
        return respond(shell, self.method, X[out], self.positive, self.labels)


def why_not_grown(estimator: Any) -> str | None:
    """Say why one larger ensemble is not the same as many, or None if it is."""
    kind, name = type(estimator), type(estimator).__name__
    own = _OF_FORESTS if kind in FORESTS else _OF_BAGGING
    if kind in SURVIVAL_FORESTS:
        own = _OF_SURVIVAL_FORESTS
    unknown = sorted(set(kind._get_param_names()) - _OF_ENSEMBLES - own)
    if unknown:
        return f"The forest engine does not cover the parameter {unknown[0]!r} of {name}."
    try:
        estimator._validate_params()
    except (TypeError, ValueError) as error:
        return f"{name} rejects its parameters: {first_line(str(error))}"
    if not estimator.bootstrap:
        return "Without bootstrap every tree is grown on all units, so no tree leaves out a pair."
    if estimator.warm_start:
        return "The forest engine does not cover warm_start=True."
    if kind in BAGGING:
        return _why_not_bagged(estimator)
    weight = getattr(estimator, "class_weight", None)
    if weight not in (None, "balanced_subsample"):
        return (
            "Class weights that come from the whole training set change with the pair; the forest "
            f"engine covers class_weight='balanced_subsample', not {weight!r}."
        )
    return None


def _why_not_bagged(estimator: Any) -> str | None:
    if get_config()["enable_metadata_routing"]:
        return "The forest engine does not cover metadata routing."
    base = estimator._get_estimator()
    if not has_fit_parameter(base, "sample_weight"):
        return None  # fitted to the rows of its bag, and to nothing else
    why = _what_it_looks_at(base)
    if why is None:
        return None
    name = type(base).__name__
    return (
        f"{type(estimator).__name__} passes a bag to {name} as weights of all units, and {why}. "
        f"make_pipeline({name}(...)) as the base estimator would be fitted to the bag alone."
    )


def _what_it_looks_at(base: Any) -> str | None:
    """Say what an estimator may take from units of weight zero, or None if nothing."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import SVC, SVR

    kind = type(base)
    if kind not in {*_TREES, LogisticRegression, SVC, SVR}:
        return "it is not known to ignore units of weight zero"
    if isinstance(getattr(base, "class_weight", None), str):
        return f"class_weight={base.class_weight!r} counts units of weight zero"
    if kind in (SVC, SVR):
        if base.kernel not in ("linear", "poly", "rbf", "sigmoid"):
            return f"the kernel {base.kernel!r} is not covered"
        if base.kernel != "linear" and base.gamma == "scale":
            return "gamma='scale' is computed from all of them"
        if getattr(base, "probability", False) is True:
            return "probability=True is not covered"
    if kind is LogisticRegression and base.solver not in ("lbfgs", "newton-cg", "newton-cholesky"):
        return f"the solver {base.solver!r} visits units of weight zero"
    return None


def make_grower(estimator: Any, problem: Problem, n_left_out: int) -> Grower:
    """Return what grows on the bags of ensembles whose training sets lack so many units.

    One such ensemble, of a single tree, is fitted: scikit-learn itself then tells the size of a
    bag, how many features are drawn, and what it answers with.
    """
    is_bagging = type(estimator) in BAGGING
    try:
        X = check_array(
            problem.X,
            accept_sparse="csr",
            dtype=None if is_bagging else np.float32,
            order="C",
            ensure_all_finite=False,
        )
        one = _ensemble_of_one(estimator, X, problem, n_left_out)
        if isinstance(problem.outcome, TimeToEvent):
            return compiled_survival_grower(
                make_survival_grower(one, X, problem.outcome, n_left_out)
            )
        n_train = problem.n_units - n_left_out
        if is_bagging:
            return _base_grower(one, X, problem, n_train)
        trees: Grower = compiled_grower(_tree_grower(one, X, problem, n_train), one.estimators_[0])
        return trees
    except Exception as error:  # the base estimator may be the user's, and raise anything
        raise EngineError(
            f"{type(estimator).__name__} cannot be fitted: {first_line(str(error))}"
        ) from error


def _ensemble_of_one(estimator: Any, X: Any, problem: Problem, n_left_out: int) -> Any:
    has_times = isinstance(problem.outcome, TimeToEvent)
    targets = problem.target if fits_numbers(estimator) and not has_times else problem.y
    level = problem.outcome.level
    most_common = level.max() - np.argmax(np.bincount(level)[::-1])
    out = [np.argmax(level == most_common), np.argmax(level != most_common)][:n_left_out]
    train = np.delete(np.arange(problem.n_units), out)
    for seed in range(_TRIES):
        one = clone(estimator).set_params(
            n_estimators=1, n_jobs=None, oob_score=False, random_state=seed, verbose=0
        )
        try:
            return one.fit(X[train], targets[train])
        except Exception:  # perhaps only on this bag, because it lacks a class
            if seed == _TRIES - 1:
                raise
    return None


def _method(one: Any, problem: Problem) -> str:
    """Name the method that an ensemble answers with: of several classes, their shares."""
    return "predict_proba" if problem.outcome.response_shape else response_method(one)


def _n_notes(problem: Problem) -> int:
    """Count the shares of further classes."""
    (K,) = problem.outcome.response_shape or (1,)
    return (K - 1) * problem.n_units


def _tree_grower(one: Any, X: Any, problem: Problem, n_train: int) -> TreeGrower:
    tree, method = one.estimators_[0], _method(one, problem)
    params = _counted(tree, n_train)
    params.pop("random_state")
    targets: npt.NDArray[Any] = problem.target if method == "predict" else _class_numbers(problem)
    X_fit = check_array(X, accept_sparse="csc", dtype=None, ensure_all_finite=False)
    if sparse.issparse(X):
        X_fit.sort_indices()
    return TreeGrower(
        bag_size=one._n_samples_bootstrap,
        method=method,
        kind=type(tree),
        params=params,
        X=X_fit,
        X_new=X,
        y=np.ascontiguousarray(targets[:, None], dtype=np.float64),
        missing=tree._compute_missing_values_in_feature_mask(X, estimator_name=type(one).__name__),
        balanced=getattr(one, "class_weight", None) == "balanced_subsample",
        column=None
        if method == "predict" or problem.outcome.response_shape
        else problem.labels.in_order.index(problem.labels.positive),
        n_notes=_n_notes(problem),
    )


def _base_grower(one: Any, X: Any, problem: Problem, n_train: int) -> BaseGrower:
    base, method = clone(one.estimator_), _method(one, problem)
    has_two = method != "predict" and not problem.outcome.response_shape
    if type(base) in _TREES:
        base.set_params(**_counted(base, n_train))
    return BaseGrower(
        bag_size=one._max_samples,
        method=method,
        shell=one,
        base=base,
        X=X,
        y=problem.target if method == "predict" else _class_numbers(problem),
        takes_weights=has_fit_parameter(base, "sample_weight"),
        positive=problem.labels.positive if has_two else None,
        labels=problem.labels.in_order if has_two else (None, None),
        n_notes=_n_notes(problem),
    )


def _counted(tree: Any, n_train: int) -> dict[str, Any]:
    """Return the parameters of a tree, with shares of the training set as counts.

    The tree is given all m units, while a share means one of the training set.
    """
    params: dict[str, Any] = tree.get_params(deep=False)
    for name, least in (("min_samples_leaf", 1), ("min_samples_split", 2)):
        if not isinstance(params[name], Integral):
            params[name] = max(least, ceil(params[name] * n_train))
    return params


def _class_numbers(problem: Problem) -> IntArray:
    return np.unique(problem.y, return_inverse=True)[1].reshape(-1)
