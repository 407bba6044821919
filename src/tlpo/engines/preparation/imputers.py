"""Imputers: fill missing cells, in closed form for numbers, once for words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.impute import SimpleImputer

from tlpo.arrays import BoolArray
from tlpo.engines.preparation.categories import codes_of, is_nan, object_columns
from tlpo.engines.preparation.columns import Columns, Fill
from tlpo.engines.preparation.prepared import Guard
from tlpo.engines.preparation.stage import Stage, Step, Unknown, apply, is_numeric, numbers

_FILLS = {"mean": Fill.MEAN, "median": Fill.MEDIAN, "most_frequent": Fill.MODE}


def _imputer(step: SimpleImputer, stage: Stage) -> Stage:
    """Fill missing cells; filling is in closed form for numbers."""
    if not (isinstance(step.missing_values, float) and np.isnan(step.missing_values)):
        raise Unknown("A SimpleImputer has a closed form only for missing_values=nan.")
    table = stage.fixed(step)
    if not is_numeric(table):
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
    if any(all(map(is_nan, column)) for column in object_columns(table)):
        raise Unknown("A column of words is empty.")
    filled = apply(step, table)
    for column, whole in zip(object_columns(table), object_columns(filled), strict=True):
        missing = np.array([is_nan(value) for value in column], dtype=bool)
        if not missing.any():
            continue
        guards.append(Guard((~missing).astype(float), float((~missing).sum())))
        if step.strategy == "most_frequent":
            guards += _mode_guards(column[~missing], ~missing, whole[missing][0])
        elif step.strategy != "constant":
            raise Unknown("A SimpleImputer of words needs most_frequent or constant.")
    return stage.then(filled, guards)


def _mode_guards(values: Any, seen: BoolArray, chosen: Any) -> list[Guard]:
    """Say when another value may become the most frequent one; ``chosen`` is that of all units."""
    codes, found = codes_of(values)
    counts = np.bincount(codes)
    best = list(found).index(chosen)
    guards = []
    for other in range(len(found)):
        if other == best:
            continue
        weight = np.zeros(seen.size)
        weight[seen] = (codes == best).astype(float) - (codes == other)
        guards.append(Guard(weight, float(counts[best] - counts[other])))
    return guards


STEPS: dict[type, Step] = {
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
}
