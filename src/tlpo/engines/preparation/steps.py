"""Take a pipeline apart: what every step does to a training set, as far as it is known.

Steps are of four kinds: the same in every training set, and applied once; without effect on the
games of the model, and left out; different in every training set but in closed form, and kept as
`Columns`; unknown, and then every pair is refitted. A step that would be of the first kind but for
a few training sets gets a `Guard`.

Exact types only, and every parameter is checked.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
from scipy import sparse, stats
from sklearn.base import clone
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import SelectKBest, VarianceThreshold, f_classif
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import (
    Binarizer,
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
from sklearn.utils import _safe_indexing
from sklearn.utils._indexing import _get_column_indices

from tlpo.arrays import BoolArray, FloatArray
from tlpo.engines.preparation.columns import Centre, Columns, Fill, Scale
from tlpo.engines.preparation.prepared import Guard, Prepared, unprepared
from tlpo.problem.problem import Problem

# A one-hot matrix is passed on sparse or dense depending on its density; too close to call.
DENSITY_MARGIN = 0.02


class Unknown(Exception):  # noqa: N818
    """A step is not known; the sentence says which, and why."""


@dataclass(frozen=True, eq=False)
class Stage:
    """What has become of the features before a step.

    Attributes
    ----------
    table : Any
        Rows of any kind, the same in every training set; not used if there are columns.
    columns : Columns or None
        Columns that change with the training set.
    guards : tuple of Guard
        When the former is not true.
    is_sparse : bool
        Whether the next step would get a sparse matrix.
    """

    table: Any
    columns: Columns | None = None
    guards: tuple[Guard, ...] = ()
    is_sparse: bool = False

    def as_columns(self) -> Columns:
        """Return the features as columns of numbers."""
        return Columns.of_matrix(numbers(self.table)) if self.columns is None else self.columns

    def fixed(self, step: Any) -> Any:
        """Return the table, or refuse if it changes with the training set."""
        if self.columns is not None:
            raise Unknown(
                f"{_name(step)} comes after a step that changes with the training set, which has "
                "no closed form."
            )
        return self.table

    def then(self, table: Any, guards: Sequence[Guard] = (), is_sparse: bool = False) -> Stage:
        """Return the next stage, the same in every training set but for guards."""
        return Stage(table, None, (*self.guards, *guards), is_sparse)

    def changed(self, columns: Columns, guards: Sequence[Guard] = ()) -> Stage:
        """Return the next stage, which changes with the training set."""
        return Stage(None, columns, (*self.guards, *guards))


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
        stage = Stage(problem.X)
        for step in steps:
            stage = pass_through(step, stage)
        return _finish(estimator, problem, model, stage)
    except Unknown as reason:
        return str(reason)


def _finish(estimator: Any, problem: Problem, model: Any, stage: Stage) -> Prepared:
    if stage.is_sparse:
        raise Unknown("The model gets a sparse matrix, for which there is no closed form.")
    columns = stage.as_columns()
    if np.any(columns.missing.any(axis=0) & (columns.fill == Fill.NOTHING)):
        raise Unknown("Missing values reach the model.")
    if _ignores_scale(model) and columns.n_columns < problem.n_units - 3:
        nothing = np.zeros(columns.n_columns, dtype=np.intp)
        columns = replace(columns, centre=nothing, scale=nothing)
    if columns.is_fixed:
        own = replace(problem, X=columns.matrix)
        return Prepared(estimator, problem, model, own, None, stage.guards)
    return Prepared(estimator, problem, model, problem, columns, stage.guards)


def _ignores_scale(model: Any) -> bool:
    """Whether the model stays the same if columns, fewer than units, are shifted and scaled."""
    if type(model) is LinearRegression:
        return bool(model.fit_intercept) and not model.positive
    return type(model) is LinearDiscriminantAnalysis and model.shrinkage is None


def _flat(pipeline: Pipeline) -> list[Any]:
    """List the steps of a pipeline; nested pipelines are opened."""
    _require_known(pipeline, {"steps", "memory", "verbose", "transform_input"})
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
        raise Unknown(f"{_name(step)} is fitted anew without every pair: it has no closed form.")
    parameters, act = known
    _require_known(step, parameters)
    if stage.is_sparse:
        raise Unknown(f"{_name(step)} gets a sparse matrix, for which there is no closed form.")
    return act(step, stage)


def numbers(table: Any) -> FloatArray:
    """Return a table as a matrix of doubles, NaN where cells are missing."""
    dtypes = {np.dtype(kind) for kind in _dtypes(table)}
    if any(kind in (np.float32, np.float16) for kind in dtypes):
        raise Unknown("On data in single precision, steps are computed in single precision.")
    if any(kind.kind not in "biufO" for kind in dtypes):
        raise Unknown("The features are not a matrix of numbers.")
    try:
        if hasattr(table, "to_numpy") and hasattr(table, "iloc"):
            matrix = table.to_numpy(dtype=np.float64, na_value=np.nan)
        else:
            matrix = np.asarray(table, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise Unknown(f"The features are not a matrix of numbers: {error}.") from error
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise Unknown("The features are not a matrix of numbers.")
    if np.isinf(matrix).any():
        raise Unknown("The features have infinite values.")
    return np.ascontiguousarray(matrix)


def _dtypes(table: Any) -> list[Any]:
    dtypes = getattr(table, "dtypes", None)
    if dtypes is not None:  # a dataframe; extension types stand for their numbers
        return [kind if isinstance(kind, np.dtype) else _plain(kind) for kind in dtypes]
    return [np.asarray(table).dtype]


def _plain(kind: Any) -> Any:
    own = getattr(kind, "numpy_dtype", None)
    if own is not None:
        return own
    return np.float32 if str(kind) in ("Float32", "float32") else np.dtype(object)


def _apply(step: Any, table: Any) -> Any:
    """Let scikit-learn transform a table, once."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # refits would say the same
            return clone(step).fit_transform(table)
    except Exception as error:
        raise Unknown(f"{_name(step)} fails: {type(error).__name__}.") from error


def _every_row(step: Any, stage: Stage) -> Stage:
    """Treat each row by itself."""
    matrix = numbers(stage.fixed(step))
    if np.isnan(matrix).any():
        raise Unknown(f"Missing values reach {_name(step)}.")
    return stage.then(numbers(_apply(step, matrix)))


def _function(step: FunctionTransformer, stage: Stage) -> Stage:
    if step.func is not None and not (
        isinstance(step.func, np.ufunc) and step.func.nin == step.func.nout == 1
    ):
        raise Unknown(
            "A FunctionTransformer with a function of your own may look at all rows, so it has no "
            "closed form; NumPy's elementwise functions have one."
        )
    if step.kw_args:
        raise Unknown("A FunctionTransformer with kw_args has no closed form.")
    if step.func is None:
        return stage
    return stage.then(numbers(_apply(step, stage.fixed(step))))


def _scaler(step: Any, stage: Stage, centre: Centre, scale: Scale, **more: Any) -> Stage:
    """Centre and scale columns, each training set by itself."""
    if centre == Centre.NOTHING and scale == Scale.NOTHING:
        return stage
    columns = stage.as_columns()
    if np.any(columns.missing.any(axis=0) & (columns.fill == Fill.NOTHING)):
        raise Unknown(f"Missing values reach {_name(step)}.")
    if columns.n_best is not None:
        raise Unknown(f"{_name(step)} comes after a selection, which has no closed form.")
    # A scaler that centres and scales undoes what was done to its columns before.
    undoes = centre != Centre.NOTHING and scale != Scale.NOTHING
    if not undoes and (columns.centre.any() or columns.scale.any()):
        raise Unknown(f"{_name(step)} comes after another scaler, which has no closed form.")
    if scale == Scale.QUANTILES and columns.has_gaps:
        raise Unknown(f"{_name(step)} after filling missing values has no closed form.")
    if centre == Centre.MEDIAN and columns.has_gaps:
        raise Unknown(f"{_name(step)} after filling missing values has no closed form.")
    n = columns.n_columns
    every = {name: np.full(n, value) for name, value in more.items()}
    quantiles = np.tile(np.asarray(every.pop("quantiles", np.zeros(0)), float), (1, 1))
    return stage.changed(
        replace(
            columns,
            centre=np.full(n, int(centre), dtype=np.intp),
            scale=np.full(n, int(scale), dtype=np.intp),
            factor=every.get("factor", np.ones(n)),
            offset=every.get("offset", np.zeros(n)),
            quantiles=quantiles if quantiles.size == 2 * n else columns.quantiles,
        )
    )


def _standard(step: StandardScaler, stage: Stage) -> Stage:
    return _scaler(
        step,
        stage,
        Centre.MEAN if step.with_mean else Centre.NOTHING,
        Scale.DEVIATION if step.with_std else Scale.NOTHING,
    )


def _min_max(step: MinMaxScaler, stage: Stage) -> Stage:
    if step.clip:
        raise Unknown("A MinMaxScaler that clips has no closed form.")
    low, high = step.feature_range
    if not low < high:
        raise Unknown("The feature_range of the MinMaxScaler is empty.")
    return _scaler(
        step, stage, Centre.MINIMUM, Scale.RANGE, factor=1.0 / (high - low), offset=float(low)
    )


def _max_abs(step: MaxAbsScaler, stage: Stage) -> Stage:
    if getattr(step, "clip", False):
        raise Unknown("A MaxAbsScaler that clips has no closed form.")
    return _scaler(step, stage, Centre.NOTHING, Scale.LARGEST)


def _robust(step: RobustScaler, stage: Stage) -> Stage:
    low, high = step.quantile_range
    if not 0 <= low < high <= 100:
        raise Unknown("The quantile_range of the RobustScaler is empty.")
    factor = 1.0
    if step.unit_variance:
        factor = 1.0 / float(stats.norm.ppf(high / 100.0) - stats.norm.ppf(low / 100.0))
    scaled = _scaler(
        step,
        stage,
        Centre.MEDIAN if step.with_centering else Centre.NOTHING,
        Scale.QUANTILES if step.with_scaling else Scale.NOTHING,
        factor=factor if step.with_scaling else 1.0,
    )
    if scaled.columns is None:
        return scaled
    n = scaled.columns.n_columns
    quantiles = np.repeat([[low / 100.0], [high / 100.0]], n, axis=1)
    return replace(scaled, columns=replace(scaled.columns, quantiles=quantiles))


def _imputer(step: SimpleImputer, stage: Stage) -> Stage:
    """Fill missing cells; filling is in closed form for numbers."""
    if not (isinstance(step.missing_values, float) and np.isnan(step.missing_values)):
        raise Unknown("A SimpleImputer has a closed form only for missing_values=nan.")
    table = stage.fixed(step)
    if not _is_numeric(table):
        return _imputer_of_words(step, stage)
    matrix = numbers(table)
    missing = np.isnan(matrix)
    if not missing.any():
        return stage.then(matrix)
    seen = ~missing
    empty = ~seen.any(axis=0)
    if step.strategy == "constant":
        value = 0.0 if step.fill_value is None else step.fill_value
        if not isinstance(value, int | float | np.number):
            raise Unknown("A SimpleImputer of numbers needs a number as fill_value.")
        filled = np.where(missing, float(value), matrix)
        columns = Columns.of_matrix(filled)
    elif step.strategy in _FILLS:
        filled = matrix.copy()
        filled[:, empty] = 0.0
        columns = Columns.of_matrix(filled)
        fill = np.where(columns.missing.any(axis=0), int(_FILLS[step.strategy]), int(Fill.NOTHING))
        columns = replace(columns, fill=fill.astype(np.intp))
    else:
        raise Unknown("A SimpleImputer with a strategy of your own has no closed form.")
    # A column that nobody in the training set has a value for is treated differently.
    partial = missing.any(axis=0) & ~empty
    guards = [Guard(seen[:, f].astype(float), seen[:, f].sum()) for f in np.flatnonzero(partial)]
    if not step.keep_empty_features:
        columns = columns.take(np.flatnonzero(~empty))
    if step.add_indicator:
        marked = np.flatnonzero(missing.any(axis=0))
        guards += [Guard(missing[:, f].astype(float), missing[:, f].sum()) for f in marked]
        columns = Columns.join([columns, Columns.of_matrix(missing[:, marked].astype(float))])
    if not columns.n_columns:
        raise Unknown("No column has any value.")
    if not columns.has_gaps:
        return stage.then(columns.matrix, guards)
    return stage.changed(columns, guards)


def _imputer_of_words(step: SimpleImputer, stage: Stage) -> Stage:
    """Fill missing cells of categories: once, except where another value becomes the commonest."""
    if step.add_indicator:
        raise Unknown("A SimpleImputer of words with add_indicator has no closed form.")
    table = stage.fixed(step)
    guards = []
    for column in _object_columns(table):
        missing = np.array([_is_missing(value) for value in column], dtype=bool)
        if not missing.any():
            continue
        if missing.all():
            raise Unknown("A column of words is empty.")
        guards.append(Guard((~missing).astype(float), float((~missing).sum())))
        if step.strategy == "most_frequent":
            guards += _mode_guards(column[~missing], ~missing)
        elif step.strategy != "constant":
            raise Unknown("A SimpleImputer of words needs most_frequent or constant.")
    return stage.then(_apply(step, table), guards)


def _mode_guards(values: Any, seen: BoolArray) -> list[Guard]:
    """Say when another value becomes the most frequent one, ties included."""
    codes, found = _codes(values)
    counts = np.bincount(codes)
    best = int(np.argmax(counts))
    guards = []
    for other in range(len(found)):
        if other == best:
            continue
        weight = np.zeros(seen.size)
        weight[seen] = (codes == best).astype(float) - (codes == other)
        guards.append(Guard(weight, float(counts[best] - counts[other])))
    return guards


def _one_hot(step: OneHotEncoder, stage: Stage) -> Stage:
    if step.dtype not in (np.float64, float):
        raise Unknown("A OneHotEncoder has a closed form only in double precision.")
    if step.max_categories is not None:
        raise Unknown("A OneHotEncoder with max_categories has no closed form.")
    table = stage.fixed(step)
    coded = numbers(_dense(_apply(step, table)))
    guards: list[Guard] = []
    if isinstance(step.categories, str):
        harmless = (
            step.drop is None
            and step.min_frequency is None
            and step.handle_unknown in ("ignore", "infrequent_if_exist")
        )
        for column in _object_columns(table):
            guards += _category_guards(column, harmless)
    if step.min_frequency is not None:
        for column in _object_columns(table):
            guards += _frequency_guards(column, step.min_frequency)
    return stage.then(coded, guards, is_sparse=bool(step.sparse_output))


def _ordinal(step: OrdinalEncoder, stage: Stage) -> Stage:
    if step.dtype not in (np.float64, float):
        raise Unknown("An OrdinalEncoder has a closed form only in double precision.")
    if step.max_categories is not None or step.min_frequency is not None:
        raise Unknown("An OrdinalEncoder that merges categories has no closed form.")
    table = stage.fixed(step)
    coded = numbers(_apply(step, table))
    guards: list[Guard] = []
    if isinstance(step.categories, str):
        for column in _object_columns(table):
            guards += _category_guards(column, harmless=False)
    return stage.then(coded, guards)


def _category_guards(column: Any, harmless: bool) -> list[Guard]:
    """Say when a category vanishes from the training set."""
    codes, found = _codes(column)
    return [
        Guard((codes == k).astype(float), float(np.count_nonzero(codes == k)), harmless)
        for k in range(len(found))
    ]


def _frequency_guards(column: Any, least: float) -> list[Guard]:
    """Say when a category becomes frequent or infrequent."""
    codes, found = _codes(column)
    m = codes.size
    share = float(least) if isinstance(least, float) else 0.0
    needed = share * m if share else float(least)
    guards = []
    for k in range(len(found)):
        own = (codes == k).astype(float) - share
        count = float(np.count_nonzero(codes == k))
        sign = 1.0 if count >= needed else -1.0
        # By numbers, a category becomes infrequent with one unit fewer than needed.
        margin = 1.0 if sign > 0 and not share else 0.0
        guards.append(Guard(sign * own, sign * (count - needed) + margin))
    return guards


def _variance_threshold(step: VarianceThreshold, stage: Stage) -> Stage:
    if step.threshold != 0:
        raise Unknown("A VarianceThreshold above 0 has no closed form.")
    columns = stage.as_columns()
    if columns.n_best is not None:
        raise Unknown("VarianceThreshold comes after a selection, which has no closed form.")
    odd = columns.differs
    n_odd = odd.sum(axis=0)
    kept = np.flatnonzero(n_odd > 0)
    if not kept.size:
        raise Unknown("VarianceThreshold leaves no column.")
    guards = [Guard(odd[:, f].astype(float), float(n_odd[f])) for f in kept]
    columns = columns.take(kept)
    if columns.is_fixed:
        return stage.then(columns.matrix, guards)
    return stage.changed(columns, guards)


def _select_best(step: SelectKBest, stage: Stage) -> Stage:
    if step.score_func is not f_classif:
        raise Unknown("SelectKBest has a closed form only with f_classif.")
    columns = stage.as_columns()
    if columns.n_best is not None:
        raise Unknown("A second selection has no closed form.")
    if step.k == "all":
        return stage
    if not 1 <= step.k <= columns.n_columns:
        raise Unknown(f"SelectKBest cannot choose {step.k} of {columns.n_columns} columns.")
    if step.k == columns.n_columns:
        return stage
    return stage.changed(replace(columns, n_best=int(step.k)))


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


def _is_numeric(table: Any) -> bool:
    return all(np.dtype(kind).kind in "biuf" for kind in _dtypes(table))


def _dense(table: Any) -> Any:
    return table.toarray() if hasattr(table, "toarray") else table


def _object_columns(table: Any) -> list[Any]:
    """Return the columns of a table as arrays of Python objects."""
    if hasattr(table, "iloc"):
        return [table.iloc[:, f].to_numpy(dtype=object) for f in range(table.shape[1])]
    if hasattr(table, "get_columns"):  # polars
        return [np.array(column.to_list(), dtype=object) for column in table.get_columns()]
    return list(np.asarray(table, dtype=object).T)


def _codes(column: Any) -> tuple[Any, list[Any]]:
    """Give the different values of a column numbers; missing ones are one value."""
    seen: dict[Any, int] = {}
    codes = np.array(
        [
            seen.setdefault(None if _is_missing(value) else value, len(seen))
            for value in column.tolist()
        ],
        dtype=np.intp,
    )
    return codes, list(seen)


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and np.isnan(value)) or _is_na(value)


def _is_na(value: Any) -> bool:
    return type(value).__name__ in ("NAType", "NaTType")


def _require_known(step: Any, parameters: set[str]) -> None:
    unknown = sorted(set(step.get_params(deep=False)) - parameters)
    if unknown:
        raise Unknown(f"The closed form of {_name(step)} does not cover its {unknown[0]!r}.")


def _name(step: Any) -> str:
    return type(step).__name__


_FILLS = {"mean": Fill.MEAN, "median": Fill.MEDIAN, "most_frequent": Fill.MODE}

_STEPS: dict[type, tuple[set[str], Callable[[Any, Stage], Stage]]] = {
    StandardScaler: ({"copy", "with_mean", "with_std"}, _standard),
    MinMaxScaler: ({"feature_range", "copy", "clip"}, _min_max),
    MaxAbsScaler: ({"copy", "clip"}, _max_abs),
    RobustScaler: (
        {"with_centering", "with_scaling", "quantile_range", "copy", "unit_variance"},
        _robust,
    ),
    SimpleImputer: (
        {
            "missing_values",
            "strategy",
            "fill_value",
            "copy",
            "add_indicator",
            "keep_empty_features",
        },
        _imputer,
    ),
    OneHotEncoder: (
        {
            "categories",
            "drop",
            "sparse_output",
            "dtype",
            "handle_unknown",
            "min_frequency",
            "max_categories",
            "feature_name_combiner",
        },
        _one_hot,
    ),
    OrdinalEncoder: (
        {
            "categories",
            "dtype",
            "handle_unknown",
            "unknown_value",
            "encoded_missing_value",
            "min_frequency",
            "max_categories",
        },
        _ordinal,
    ),
    FunctionTransformer: (
        {
            "func",
            "inverse_func",
            "validate",
            "accept_sparse",
            "check_inverse",
            "feature_names_out",
            "kw_args",
            "inv_kw_args",
        },
        _function,
    ),
    PolynomialFeatures: ({"degree", "interaction_only", "include_bias", "order"}, _every_row),
    Normalizer: ({"norm", "copy"}, _every_row),
    Binarizer: ({"threshold", "copy"}, _every_row),
    VarianceThreshold: ({"threshold"}, _variance_threshold),
    SelectKBest: ({"score_func", "k"}, _select_best),
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
