"""Scalers: centre and scale columns, each training set by itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import stats
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

from tlpo.engines.preparation.columns import Centre, Fill, Scale
from tlpo.engines.preparation.stage import Stage, Step, Unknown, name_of


def _scaler(step: Any, stage: Stage, centre: Centre, scale: Scale, **more: Any) -> Stage:
    """Centre and scale columns, each training set by itself."""
    if centre == Centre.NOTHING and scale == Scale.NOTHING:
        return stage
    columns = stage.as_columns()
    if np.any(columns.missing.any(axis=0) & (columns.fill == Fill.NOTHING)):
        raise Unknown(f"Missing values reach {name_of(step)}.")
    # What the F statistic selects is the same before and after a scaler; and one that centres and
    # scales undoes what was done to its columns before.
    undoes = centre != Centre.NOTHING and scale != Scale.NOTHING
    if not undoes and (columns.centre.any() or columns.scale.any()):
        raise Unknown(f"{name_of(step)} comes after another scaler, which has no closed form.")
    if scale == Scale.QUANTILES and columns.has_gaps:
        raise Unknown(f"{name_of(step)} after filling missing values has no closed form.")
    if centre == Centre.MEDIAN and columns.has_gaps:
        raise Unknown(f"{name_of(step)} after filling missing values has no closed form.")
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


STEPS: dict[type, Step] = {
    StandardScaler: ({"copy", "with_mean", "with_std"}, _standard),
    MinMaxScaler: ({"feature_range", "copy", "clip"}, _min_max),
    MaxAbsScaler: ({"copy", "clip"}, _max_abs),
    RobustScaler: (
        {"with_centering", "with_scaling", "quantile_range", "copy", "unit_variance"},
        _robust,
    ),
}
