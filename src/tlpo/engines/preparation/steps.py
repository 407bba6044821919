"""Take a pipeline apart: what every step does to a training set, as far as it is known.

Steps are of four kinds: the same in every training set, and applied once; without effect on the
games of the model, and left out; different in every training set but in closed form, and kept as
`Columns`; unknown, and then every pair is refitted. A step that would be of the first kind but for
a few training sets gets a `Guard`.

Exact types only, and every parameter is checked.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)
from sklearn.utils import _safe_indexing
from sklearn.utils._indexing import _get_column_indices

from tlpo.engines.preparation import encoders, imputers, rows, scalers, selection
from tlpo.engines.preparation.columns import Columns, Fill
from tlpo.engines.preparation.prepared import Prepared, unprepared
from tlpo.engines.preparation.stage import Stage, Step, Unknown, name_of, require_known
from tlpo.problem.problem import Problem

# Trees see only the order of values.
_TREES = {
    RandomForestClassifier,
    RandomForestRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
}
# Growing these takes so long that the steps before them may be fitted to every training set.
_GROWN = _TREES | {
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
}
# A one-hot matrix is passed on sparse or dense depending on its density; too close to call.
DENSITY_MARGIN = 0.02


def prepare(estimator: Any, problem: Problem) -> Prepared | str:
    """Return an estimator taken apart, or why only refitting can play it."""
    if type(estimator) is not Pipeline:
        return unprepared(estimator, problem)
    try:
        *steps, model = _flat(estimator)
        if problem.params:
            names = ", ".join(problem.params)
            raise Unknown(f"The fit arguments {names} of a pipeline have no closed form.")
        if not steps:
            return replace(unprepared(model, problem), whole=estimator)
        if sparse.issparse(problem.X):
            raise Unknown("Steps of a pipeline have no closed form on sparse data.")
        if type(model) in _GROWN:
            return _grown(estimator, problem, steps, model)
        if type(model) is LogisticRegression:
            return _solved(estimator, problem, steps, model)
        return _taken_apart(estimator, problem, steps, model)
    except Unknown as reason:
        return str(reason)
    except Exception as error:  # steps are strangers, and what a fit accepts must be played
        return f"The pipeline cannot be taken apart: {type(error).__name__}: {error}."


def _taken_apart(estimator: Any, problem: Problem, steps: list[Any], model: Any) -> Prepared:
    stage = Stage(problem.X)
    for step in steps:
        stage = pass_through(step, stage)
    return _finish(estimator, problem, model, stage)


def _grown(estimator: Any, problem: Problem, steps: list[Any], model: Any) -> Prepared:
    """Return trees behind steps, which are fitted unless they are fixed or only fill gaps."""
    with suppress(Exception):  # steps are strangers
        known = _taken_apart(estimator, problem, steps, model)
        if known.columns is None or known.columns.is_only_filled:
            return replace(known, steps=tuple(steps))
    return _fitted_anew(estimator, problem, steps, model)


def _solved(estimator: Any, problem: Problem, steps: list[Any], model: Any) -> Prepared:
    """Return a model that takes longer to fit than the steps before it."""
    try:
        return _taken_apart(estimator, problem, steps, model)
    except Unknown:
        return _fitted_anew(estimator, problem, steps, model)


def _fitted_anew(estimator: Any, problem: Problem, steps: list[Any], model: Any) -> Prepared:
    """Return a model behind steps that have to be fitted to every training set."""
    return Prepared(estimator, problem, model, problem, steps=tuple(steps), is_unknown=True)


def _finish(estimator: Any, problem: Problem, model: Any, stage: Stage) -> Prepared:
    if stage.is_sparse:
        raise Unknown("The model gets a sparse matrix, for which there is no closed form.")
    columns = stage.as_columns()
    if np.any(columns.missing.any(axis=0) & (columns.fill == Fill.NOTHING)):
        raise Unknown("Missing values reach the model.")
    if _ignores_scale(model, columns.n_columns < problem.n_units - 3):
        if not columns.has_gaps and columns.n_best is None:
            everyone = np.arange(problem.n_units)
            scaled = columns.prepared(columns.fit_on(everyone), 0, everyone)
            columns = Columns.of_matrix(scaled)
        else:
            nothing = np.zeros(columns.n_columns, dtype=np.intp)
            columns = replace(columns, centre=nothing, scale=nothing)
    if columns.is_fixed:
        own = replace(problem, X=columns.matrix)
        return Prepared(estimator, problem, model, own, None, stage.guards)
    return Prepared(estimator, problem, model, problem, columns, stage.guards)


def _ignores_scale(model: Any, is_tall: bool) -> bool:
    """Whether the model stays the same if columns are shifted and scaled."""
    if type(model) is LinearRegression:
        return is_tall and bool(model.fit_intercept) and not model.positive
    if type(model) is LinearDiscriminantAnalysis:
        return is_tall and model.shrinkage is None
    return type(model) in _TREES


def _flat(pipeline: Pipeline) -> list[Any]:
    """List the steps of a pipeline; nested pipelines are opened."""
    require_known(pipeline, {"steps", "memory", "verbose", "transform_input"})
    if getattr(pipeline, "transform_input", None) is not None:
        raise Unknown("A pipeline with transform_input has no closed form.")
    steps = [step for _, step in pipeline.steps if step not in (None, "passthrough")]
    if not steps:
        raise Unknown("The pipeline has no model.")
    return list(
        chain.from_iterable(_flat(step) if type(step) is Pipeline else [step] for step in steps)
    )


def pass_through(step: Any, stage: Stage) -> Stage:
    """Return what a step makes of the features."""
    if type(step) is Pipeline:
        for inner in _flat(step):
            stage = pass_through(inner, stage)
        return stage
    known = _STEPS.get(type(step))
    if known is None:
        raise Unknown(f"{name_of(step)} is fitted anew without every pair: it has no closed form.")
    parameters, act = known
    require_known(step, parameters)
    if stage.is_sparse:
        raise Unknown(f"{name_of(step)} gets a sparse matrix, for which there is no closed form.")
    return act(step, stage)


def _column_transformer(step: ColumnTransformer, stage: Stage) -> Stage:
    if step.transformer_weights:
        raise Unknown("A ColumnTransformer with transformer_weights has no closed form.")
    table = stage.fixed(step)
    branches: list[Stage] = []
    used: set[int] = set()
    for _, transformer, columns in step.transformers:
        if callable(columns):
            if type(columns) is not make_column_selector:
                raise Unknown(
                    "A ColumnTransformer that calls a function of yours has no closed form."
                )
            columns = columns(table)
        if isinstance(columns, str | int):
            raise Unknown(
                "A ColumnTransformer that passes on a single column as a vector has no closed form."
            )
        which = _positions(table, columns)
        used.update(which)
        branches += _branch(transformer, table, which)
    width = table.shape[1] if hasattr(table, "shape") else np.shape(table)[1]
    left = [f for f in range(width) if f not in used]
    branches += _branch(step.remainder, table, left)
    return _side_by_side(stage, branches, step.sparse_threshold)


def _branch(transformer: Any, table: Any, which: list[int]) -> list[Stage]:
    if not which or (isinstance(transformer, str) and transformer == "drop"):
        return []
    own = Stage(_safe_indexing(table, which, axis=1))
    if isinstance(transformer, str) and transformer == "passthrough":
        return [own]
    return [pass_through(transformer, own)]


def _union(step: FeatureUnion, stage: Stage) -> Stage:
    if step.transformer_weights:
        raise Unknown("A FeatureUnion with transformer_weights has no closed form.")
    own = replace(stage, guards=())
    branches = [
        own if transformer == "passthrough" else pass_through(transformer, own)
        for _, transformer in step.transformer_list
        if not (isinstance(transformer, str) and transformer == "drop")
    ]
    return _side_by_side(stage, branches, 1.0)


def _side_by_side(stage: Stage, branches: list[Stage], sparse_threshold: float) -> Stage:
    if not branches:
        raise Unknown("No column is left.")
    parts = [branch.as_columns() for branch in branches]
    if any(part.n_best is not None for part in parts):
        raise Unknown("A selection beside other columns has no closed form.")
    guards = list(chain.from_iterable(branch.guards for branch in branches))
    is_sparse = False
    if any(branch.is_sparse for branch in branches):
        stored = [
            np.count_nonzero(part.values) if branch.is_sparse else part.values.size
            for branch, part in zip(branches, parts, strict=True)
        ]
        density = sum(stored) / sum(part.values.size for part in parts)
        if abs(density - sparse_threshold) < DENSITY_MARGIN:
            raise Unknown("Whether the model gets a sparse matrix depends on the training set.")
        is_sparse = density < sparse_threshold
    columns = Columns.join(parts)
    if columns.is_fixed and not is_sparse:
        return stage.then(columns.matrix, guards)
    return replace(stage.changed(columns, guards), is_sparse=is_sparse)


def _positions(table: Any, columns: Any) -> list[int]:
    try:
        return [int(f) for f in _get_column_indices(table, columns)]
    except Exception as error:
        raise Unknown(
            f"The ColumnTransformer names columns that X does not have: {error}."
        ) from error


_STEPS: dict[type, Step] = {
    **rows.STEPS,
    **scalers.STEPS,
    **imputers.STEPS,
    **encoders.STEPS,
    **selection.STEPS,
    ColumnTransformer: (
        {
            "transformers",
            "remainder",
            "sparse_threshold",
            "n_jobs",
            "transformer_weights",
            "verbose",
            "verbose_feature_names_out",
            "force_int_remainder_cols",
        },
        _column_transformer,
    ),
    FeatureUnion: (
        {
            "transformer_list",
            "n_jobs",
            "transformer_weights",
            "verbose",
            "verbose_feature_names_out",
        },
        _union,
    ),
}
