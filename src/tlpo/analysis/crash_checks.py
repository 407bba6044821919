"""Find what would crash or hang a saved model, before anything is built from it and after.

The types in a model file are checked by skops; what its arrays hold is not, and compiled code
follows an index in an array wherever it leads. `find_unsound_parts` reads the arrays of decision
trees and search trees in the file itself, since some are followed when they are loaded.
`find_unsound_fit` then looks at the loaded estimator: whether its parts fit together.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from typing import Any, TypedDict, cast

import numpy as np

_TREE = "sklearn.tree._tree.Tree"
_SEARCH = {"sklearn.neighbors._kd_tree.KDTree": 2, "sklearn.neighbors._ball_tree.BallTree": 1}
_METRICS = "sklearn.metrics._dist_metrics."
# How skops writes the types whose code is compiled; under another loader they are not what they
# seem.
_LOADERS = {_TREE: "TreeNode", **dict.fromkeys(_SEARCH, "ObjectNode")}
# Attributes that are numbers in any model; others may be empty, such as the score of a constant.
_FINITE = (
    *("coef_", "intercept_", "mean_", "scale_", "theta_", "var_", "class_prior_", "_fit_X", "X_"),
    *("support_vectors_", "dual_coef_", "_dual_coef_", "_intercept_"),
)


class _UnsoundError(Exception):
    """Why a part cannot be used, as a clause."""


def find_unsound_parts(archive: zipfile.ZipFile, schema: Any) -> str | None:
    """Return what is wrong with a tree in a file of skops, as a clause, or None.

    Parameters
    ----------
    archive : ZipFile
        The file.
    schema : dict
        Its member ``schema.json``.
    """
    try:
        parts = _Parts(archive, schema)
        for node in parts.nodes:
            name = _type_of(node)
            loader = node.get("__loader__")
            expected = _LOADERS.get(name, "ObjectNode" if name.startswith(_METRICS) else None)
            if loader == "TreeNode" or expected is not None:
                _require(loader == expected, f"a {name.rpartition('.')[2]} is not what it seems")
            if name == _TREE:
                _check_tree(parts.value(node["__reduce__"]["args"]), parts.value(node["content"]))
            elif name in _SEARCH:
                _check_search_tree(parts.value(node["content"]), _SEARCH[name], parts)
    except _UnsoundError as error:
        return str(error)
    except Exception as error:  # whatever else does not have the form that skops writes
        return f"a tree in it cannot be read ({type(error).__name__})"
    return None


# A description of an object in the schema that skops writes.
Node = TypedDict(
    "Node",
    {
        "__module__": str,
        "__class__": str,
        "__loader__": str,
        "__id__": int,
        "__reduce__": Any,
        "content": Any,
        "type": str,
        "file": str,
    },
    total=False,
)


def _require(fact: Any, otherwise: str) -> None:
    if not fact:
        raise _UnsoundError(otherwise)


def _type_of(node: Node) -> str:
    return f"{node.get('__module__')}.{node.get('__class__')}"


class _Parts:
    """The objects described in a schema, and the values of the plain ones."""

    def __init__(self, archive: zipfile.ZipFile, schema: Any) -> None:
        self.archive = archive
        self.nodes = [node for node in _dicts(schema) if "__loader__" in node]
        self.known: dict[Any, Node] = {}
        for node in self.nodes:
            key = node.get("__id__")
            if key is None or node["__loader__"] == "CachedNode":
                continue
            # skops builds the first object of a number in place of all that follow. It writes an
            # object that is used twice twice.
            first = self.known.setdefault(key, node)
            if first is not node:
                same = self.bare(first) == self.bare(node)
                _require(same, "two objects have the same number")

    def bare(self, node: Any) -> Any:
        """Return a description without the numbers and names that change when it is written."""
        if isinstance(node, list):
            return [self.bare(item) for item in node]
        if not isinstance(node, dict):
            return node
        rest = {key: self.bare(item) for key, item in node.items() if key != "__id__"}
        if node.get("type") == "numpy":
            rest["file"] = self.archive.read(node["file"])
        return rest

    def value(self, node: Node) -> Any:
        """Return a number, a text, a list, a dict or an array; any other object as described."""
        loader, content = node["__loader__"], node.get("content")
        if loader == "CachedNode":
            return self.value(self.known[node["__id__"]])
        if loader == "JsonNode":
            return json.loads(str(content))
        if loader in ("TupleNode", "ListNode"):
            return [self.value(item) for item in content or ()]
        if loader == "DictNode":
            return {name: self.value(item) for name, item in (content or {}).items()}
        if loader == "NdArrayNode" and node["type"] == "numpy":
            _require(_type_of(node) == "numpy.ndarray", "an array is not what it seems")
            return np.load(io.BytesIO(self.archive.read(node["file"])), allow_pickle=False)
        return node


def _dicts(value: Any) -> Iterator[Node]:
    """Yield all dicts in a value, outer ones first; not by recursion, however deep it is."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            yield cast(Node, one)
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31


def _check_tree(args: Any, state: Any) -> None:
    """Check a decision tree: its nodes lead to later nodes, each reached once, and to features."""
    n_features, n_classes, n_outputs = args
    nodes, values = state["nodes"], state["values"]
    _require(_is_count(n_features) and _is_count(n_outputs), "a tree has no number of features")
    _require(
        n_classes.dtype.kind == "i" and n_classes.shape == (n_outputs,) and (n_classes > 0).all(),
        "a tree has no number of classes",
    )
    m = state["node_count"]
    _require(_is_count(m) and m > 0 and nodes.shape == (m,), "a tree lacks nodes")
    _require(
        values.shape == (m, n_outputs, int(n_classes.max())),
        "the values of a tree do not match its nodes",
    )
    _require(
        values.dtype == np.float64 and np.isfinite(values).all(),
        "the values of a tree are not finite",
    )
    left, right, feature = (nodes[name] for name in ("left_child", "right_child", "feature"))
    _require(
        all(one.dtype.kind == "i" for one in (left, right, feature)),
        "the indices of a tree are not whole numbers",
    )
    splits = left != -1
    own = np.arange(m)
    _require((splits == (right != -1)).all(), "a node of a tree has one child")
    children = np.concatenate([left[splits], right[splits]])
    parents = np.concatenate([own[splits], own[splits]])
    _require(
        ((children > parents) & (children < m)).all() and children.size == m - 1,
        "the nodes of a tree do not form one",
    )
    _require(np.unique(children).size == children.size, "the nodes of a tree do not form one")
    _require(
        ((feature[splits] >= 0) & (feature[splits] < n_features)).all(),
        "a tree asks for a feature that there is not",
    )
    _require(np.isfinite(nodes["threshold"]).all(), "the thresholds of a tree are not finite")
    depth = np.zeros(m, dtype=int)
    for node in np.flatnonzero(splits):  # parents come before their children
        depth[[left[node], right[node]]] = depth[node] + 1
    # Paths are written into memory for this many steps.
    _require(_is_count(state["max_depth"]), "a tree has no depth")
    _require(state["max_depth"] >= depth.max(), "a tree is deeper than it says")


def _check_search_tree(state: Any, n_bounds: int, parts: _Parts) -> None:
    """Check a KD-tree or ball tree: every node covers its rows, and its children halve them."""
    data, order, nodes, bounds, leaf_size, n_levels, n_nodes = state[:7]
    metric = state[11]
    _require(
        data.ndim == 2 and data.dtype == np.float64,
        "the rows of a search tree are not finite numbers",
    )
    n, d = data.shape
    _require(
        np.isfinite(data).all() and n > 0 and d > 0,
        "the rows of a search tree are not finite numbers",
    )
    _require(
        order.dtype.kind == "i" and np.array_equal(np.sort(order), np.arange(n)),
        "a search tree names rows that there are not",
    )
    _require(
        all(map(_is_count, (leaf_size, n_levels, n_nodes)))
        and leaf_size > 0
        and 0 < n_levels < 32
        and n_nodes == 2**n_levels - 1
        and nodes.shape == (n_nodes,)
        and bounds.shape == (n_bounds, n_nodes, d),
        "the nodes of a search tree do not match its rows",
    )
    start, end, leaf = (nodes[name] for name in ("idx_start", "idx_end", "is_leaf"))
    _require(
        all(one.dtype.kind == "i" for one in (start, end, leaf)),
        "the indices of a search tree are not whole numbers",
    )
    inner = np.flatnonzero(leaf == 0)
    _require(np.isin(leaf, (0, 1)).all(), "a node of a search tree is neither a leaf nor inside")
    _require((start >= 0).all() and (end <= n).all(), "a search tree leaves its rows")
    _require((start[0], end[0]) == (0, n), "a search tree leaves out rows")
    first, second = 2 * inner + 1, 2 * inner + 2
    _require((second < n_nodes).all(), "a search tree ends too early")
    _require(
        (start[first] == start[inner]).all()
        and (end[first] == start[second]).all()
        and (end[second] == end[inner]).all()
        and (start <= end)[[*first, *second, 0]].all(),
        "a search tree does not divide its rows",
    )
    _require(
        np.isfinite(bounds).all() and np.isfinite(nodes["radius"]).all(),
        "the bounds of a search tree are not finite",
    )
    _require(isinstance(metric, dict), "a search tree has no metric")
    _require(_type_of(metric).startswith(_METRICS), "a search tree has no metric")
    _, weights, _ = parts.value(metric["content"])
    _require(
        weights.size in (0, 1, d) and np.isfinite(weights).all(),
        "the metric of a search tree has other features",
    )


def find_unsound_fit(fitted: Any) -> str | None:
    """Return which parts of a loaded estimator do not fit together, as a clause, or None."""
    try:
        for one in _estimators(fitted):
            _check_names(one)
            if not _is_fitted(one):  # one that an ensemble copied
                continue
            _check_arrays(one)
            _check_trees(one)
            _check_survival_trees(one)
            _check_baseline(one)
            _check_neighbours(one)
            _check_vectors(one)
    except _UnsoundError as error:
        return str(error)
    except Exception as error:  # an attribute that is not there, or of another type
        return f"its parts do not fit together ({type(error).__name__})"
    return None


def _estimators(fitted: Any) -> Iterator[Any]:
    """Yield an estimator and all within it."""
    from sklearn.base import BaseEstimator

    waiting, seen = [fitted], set()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, BaseEstimator):
            yield one
            waiting.extend(vars(one).values())
        elif isinstance(one, dict):
            waiting.extend(one.values())
        elif isinstance(one, list | tuple):
            waiting.extend(one)
        elif isinstance(one, np.ndarray) and one.dtype == object:
            waiting.extend(one.ravel().tolist())


def _is_fitted(one: Any) -> bool:
    """Return what scikit-learn asks before it predicts; without that, it predicts nothing."""
    return any(name.endswith("_") and not name.startswith("__") for name in vars(one))


def _check_names(one: Any) -> None:
    """Require that nothing in the file stands in for a part of the estimator's class."""
    taken = [name for name in vars(one) if name not in one.get_params(deep=False)]
    shadowed = [name for name in taken if hasattr(type(one), name)]
    _require(not shadowed, f"{type(one).__name__} has another {(shadowed or [''])[0]}")


def _check_arrays(one: Any) -> None:
    """Require finite numbers in what predictions are computed from."""
    for name in _FINITE:
        value = getattr(one, name, None)
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            _require(np.isfinite(value).all(), f"{name} of {type(one).__name__} is not finite")
    if hasattr(one, "coef_") and not hasattr(one, "support_vectors_"):
        # A path of Coxnet has a column for every penalty.
        of_features = 0 if type(one).__name__ == "CoxnetSurvivalAnalysis" else -1
        _require(
            np.shape(one.coef_)[of_features] == one.n_features_in_,
            f"the coefficients of {type(one).__name__} do not match its features",
        )


def _check_trees(one: Any) -> None:
    """Require that a forest and its trees look at the same features."""
    from sklearn.ensemble._forest import BaseForest
    from sklearn.ensemble._gb import BaseGradientBoosting
    from sklearn.tree import BaseDecisionTree

    if isinstance(one, BaseDecisionTree):
        _require(one.tree_.n_features == one.n_features_in_, "a tree has other features")
    if isinstance(one, BaseGradientBoosting):
        # Compiled code adds one column per class, without asking how many there are.
        _require(np.shape(one.estimators_)[1:] == (1,), "boosting has other classes")
    if isinstance(one, BaseForest | BaseGradientBoosting) and not _is_survival_forest(one):
        trees = np.ravel(one.estimators_).tolist()
        _require(
            trees
            and all(isinstance(tree, BaseDecisionTree) for tree in trees)
            and all(tree.n_features_in_ == one.n_features_in_ for tree in trees)
            and all(tree.tree_.n_outputs == 1 for tree in trees),
            "a tree of a forest has other features",
        )


def _is_survival_forest(one: Any) -> bool:
    return type(one).__module__ == "sksurv.ensemble.forest"


def _check_survival_trees(one: Any) -> None:
    """Require that a survival forest and its trees look at the same features and times."""
    if type(one).__module__ == "sksurv.tree.tree":
        tree = one.tree_
        _require(tree.n_features == one.n_features_in_, "a tree has other features")
        _check_times(one)
        # A tree keeps what happens at every time or, with low_memory, one number.
        expected = (1, 1) if one.low_memory is True else (one.unique_times_.size, 2)
        found = tree.n_outputs, int(np.max(tree.n_classes))
        _require(found == expected, "a tree has other times")
    if not _is_survival_forest(one):
        return
    _check_times(one)
    _require(
        isinstance(one.estimators_, list)
        and one.estimators_
        and all(type(tree).__module__ == "sksurv.tree.tree" for tree in one.estimators_)
        and all(tree.n_features_in_ == one.n_features_in_ for tree in one.estimators_)
        and all(tree.low_memory is one.low_memory for tree in one.estimators_),
        "a tree of a forest has other features",
    )
    _require(
        one.n_outputs_ == one.unique_times_.size
        and all(np.array_equal(tree.unique_times_, one.unique_times_) for tree in one.estimators_)
        and all(
            np.array_equal(tree.is_event_time_, one.is_event_time_) for tree in one.estimators_
        ),
        "a tree of a forest has other times",
    )


def _check_times(one: Any) -> None:
    times, events = one.unique_times_, one.is_event_time_
    _require(
        times.ndim == 1
        and np.isfinite(times).all()
        and (np.diff(times) > 0).all()
        and events.dtype == bool
        and events.shape == times.shape,
        "the times of a tree are not increasing numbers",
    )


def _check_baseline(one: Any) -> None:
    """Require that the cumulative hazard of Cox regression rises."""
    from tlpo.learners.cox import Cox

    if not isinstance(one, Cox):
        return
    time, hazard = one.baseline_
    _require(
        time.ndim == 1
        and hazard.shape == time.shape == (time.size,)
        and one.mean_.shape == one.coef_.shape == (one.n_features_in_,),
        "the baseline of Cox regression does not match its times",
    )
    _require(
        np.isfinite(time).all() and (np.diff(time) > 0).all() and not np.isnan(hazard).any(),
        "the baseline of Cox regression is not finite",
    )
    _require((np.diff(np.append(0.0, hazard)) >= 0).all(), "the hazard of Cox regression falls")


def _check_neighbours(one: Any) -> None:
    """Require that all parts of nearest neighbours are about the same rows."""
    from sklearn.neighbors._base import NeighborsBase

    if not isinstance(one, NeighborsBase):
        return
    X = one._fit_X
    _require(isinstance(X, np.ndarray) and X.ndim == 2, "the neighbours are not an array")
    _require(X.dtype == np.float64 and X.flags.c_contiguous, "the neighbours are not plain numbers")
    _require(
        X.shape == (one.n_samples_fit_, one.n_features_in_), "the neighbours have other features"
    )
    if one._tree is not None:
        data = np.asarray(one._tree.data)
        _require(np.array_equal(data, X), "the neighbours and their tree are not the same")
    y: Any = getattr(one, "_y", None)
    if y is not None:
        _require(np.shape(y)[0] == X.shape[0], "the neighbours have other outcomes")
    classes: Any = getattr(one, "classes_", None)
    if classes is not None:
        _require(
            y is not None and y.dtype == np.intp and y.ndim == 1,
            "the outcomes of the neighbours are not whole numbers",
        )
        _require(((y >= 0) & (y < len(classes))).all(), "a neighbour has no class")


def _check_vectors(one: Any) -> None:
    """Require that all parts of a support vector machine are about the same vectors."""
    from sklearn.svm._base import BaseLibSVM

    if not isinstance(one, BaseLibSVM):
        return
    _require(one._sparse is False, "the support vectors are not an array")
    n, d = one.support_vectors_.shape
    _require(d == one.n_features_in_, "the support vectors have other features")
    fits = (
        one.support_.shape == (n,)
        and one._dual_coef_.shape == (1, n)
        and one.dual_coef_.shape == (1, n)
        and one._intercept_.shape == (1,)
        and one._probA.shape == one._probB.shape
        and one._probA.size <= 1
    )
    _require(fits, "the support vectors do not match their weights")
    if hasattr(one, "classes_"):
        counts = one._n_support
        _require(
            counts.shape == (2,) and (counts >= 0).all() and counts.sum() == n,
            "the support vectors have other classes",
        )
