"""Encoders of categories: applied once, with guards for training sets that lack a category."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

from tlpo.engines.preparation.categories import codes_of, object_columns
from tlpo.engines.preparation.prepared import Guard
from tlpo.engines.preparation.stage import Stage, Step, Unknown, apply, numbers


def _one_hot(step: OneHotEncoder, stage: Stage) -> Stage:
    if step.dtype not in (np.float64, float):
        raise Unknown("A OneHotEncoder has a closed form only in double precision.")
    if step.max_categories is not None:
        raise Unknown("A OneHotEncoder with max_categories has no closed form.")
    table = stage.fixed(step)
    coded = numbers(apply(clone(step).set_params(sparse_output=False), table))
    guards: list[Guard] = []
    if isinstance(step.categories, str):
        harmless = (
            step.drop is None
            and step.min_frequency is None
            and step.handle_unknown in ("ignore", "infrequent_if_exist")
        )
        for column in object_columns(table):
            guards += _category_guards(column, harmless)
    if step.min_frequency is not None:
        for column in object_columns(table):
            guards += _frequency_guards(column, step.min_frequency)
    return stage.then(coded, guards, is_sparse=bool(step.sparse_output))


def _ordinal(step: OrdinalEncoder, stage: Stage) -> Stage:
    if step.dtype not in (np.float64, float):
        raise Unknown("An OrdinalEncoder has a closed form only in double precision.")
    if step.max_categories is not None or step.min_frequency is not None:
        raise Unknown("An OrdinalEncoder that merges categories has no closed form.")
    table = stage.fixed(step)
    coded = numbers(apply(step, table))
    guards: list[Guard] = []
    if isinstance(step.categories, str):
        for column in object_columns(table):
            guards += _category_guards(column, harmless=False)
    return stage.then(coded, guards)


def _category_guards(column: Any, harmless: bool) -> list[Guard]:
    """Say when a category vanishes from the training set."""
    codes, found = codes_of(column)
    return [
        Guard((codes == k).astype(float), float(np.count_nonzero(codes == k)), harmless)
        for k in range(len(found))
    ]


def _frequency_guards(column: Any, least: float) -> list[Guard]:
    """Say when a category becomes frequent or infrequent."""
    codes, found = codes_of(column)
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


STEPS: dict[type, Step] = {
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
}
