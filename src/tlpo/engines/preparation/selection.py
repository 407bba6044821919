"""Selection of columns: constant ones once, the best ones anew in every training set."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sklearn.feature_selection import SelectKBest, VarianceThreshold, f_classif, f_regression

from tlpo.engines.preparation.prepared import Guard
from tlpo.engines.preparation.stage import Stage, Step, Unknown


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
    if step.score_func not in (f_classif, f_regression):
        raise Unknown("SelectKBest has a closed form only with f_classif and f_regression.")
    columns = stage.as_columns()
    if columns.n_best is not None:
        raise Unknown("A second selection has no closed form.")
    if step.k == "all":
        return stage
    if not 1 <= step.k <= columns.n_columns:
        raise Unknown(f"SelectKBest cannot choose {step.k} of {columns.n_columns} columns.")
    if step.k == columns.n_columns:
        return stage
    by_correlation = step.score_func is f_regression
    return stage.changed(replace(columns, n_best=int(step.k), by_correlation=by_correlation))


STEPS: dict[type, Step] = {
    VarianceThreshold: ({"threshold"}, _variance_threshold),
    SelectKBest: ({"score_func", "k"}, _select_best),
}
