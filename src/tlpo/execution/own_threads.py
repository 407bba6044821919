"""Estimators that start threads of their own, whatever the limits of BLAS and OpenMP.

Fits run side by side, and are small: threads inside a fit take longer to start than they save.
LightGBM asks for as many as there are cores, which made a fit to 100 rows 35 times slower. The
model is the same.
"""

from __future__ import annotations

from typing import Any

# Packages, and their parameter for the number of threads.
_PARAMETERS = {"catboost": "thread_count", "lightgbm": "n_jobs", "xgboost": "n_jobs"}


def one_thread_each(estimator: Any) -> dict[str, int]:
    """Return the parameters that give parts of an estimator one thread; explicit numbers stay."""
    try:
        parts = {"": estimator}
        for name, value in estimator.get_params(deep=True).items():
            if hasattr(value, "get_params") and not isinstance(value, type):
                parts[f"{name}__"] = value
        found = {}
        for prefix, part in parts.items():
            parameter = _thread_parameter(part)
            if parameter and part.get_params(deep=False).get(parameter) in (None, -1, 0):
                found[prefix + parameter] = 1
        return found
    except Exception:  # the estimator may raise anything, and will when it is fitted
        return {}


def _thread_parameter(part: Any) -> str | None:
    packages = (kind.__module__.partition(".")[0] for kind in type(part).__mro__)
    return next((_PARAMETERS[own] for own in packages if own in _PARAMETERS), None)
