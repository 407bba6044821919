"""Steps that treat every row, or every cell, by itself: applied once."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.preprocessing import Binarizer, FunctionTransformer, Normalizer, PolynomialFeatures

from tlpo.engines.preparation.stage import Stage, Step, Unknown, apply, name_of, numbers


def _every_row(step: Any, stage: Stage) -> Stage:
    """Treat each row by itself."""
    matrix = numbers(stage.fixed(step))
    if np.isnan(matrix).any():
        raise Unknown(f"Missing values reach {name_of(step)}.")
    return stage.then(numbers(apply(step, matrix)))


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
    return stage.then(numbers(apply(step, stage.fixed(step))))


STEPS: dict[type, Step] = {
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
}
