"""A linear model written down: intercept and coefficients on the scale of the raw features.

Preparation is linear as well, so the whole pipeline is. Its equation is read off its responses:
one row changed in one feature at a time. It is believed only if it gives back the response of
every complete row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from msgspec.structs import replace

from tlpo.analysis.shapes import Equation, EquationTerm
from tlpo.arrays import FloatArray
from tlpo.execution.fits import Fitter
from tlpo.games.response import (
    Link,
    probability_link,
    respond,
    respond_with_risk,
    response_method,
)
from tlpo.problem.outcome import TimeToEvent
from tlpo.roc.intervals import two_sided_quantile
from tlpo.tables.levels import Levels

if TYPE_CHECKING:
    import pandas as pd

# A longer equation is not written down.
MOST_TERMS = 200
# Survival models whose predictions are logarithms of hazard ratios.
HAZARDS = frozenset({"Cox", "CoxPHSurvivalAnalysis", "CoxnetSurvivalAnalysis"})
# How far the equation may be from the model, relative to its responses.
_SAME = 1e-6


def find_equation(
    fitted: Any,
    fitter: Fitter,
    names: Sequence[str],
    levels: Mapping[str, Levels],
    confidence_level: float,
) -> Equation | None:
    """Return the equation of a fitted model; None if it has none, or one that is not to be told.

    Parameters
    ----------
    fitted : Any
        The model.
    fitter : Fitter
        What it was fitted to.
    names : sequence of str
        The features, in the order of the columns that the model is given.
    levels : mapping of str to Levels
        Those of them that are categories.
    confidence_level : float
        Of the limits, where there are some.
    """
    import pandas as pd

    if not all(found.is_listed for found in levels.values()):
        return None
    problem = fitter.problem
    given = problem.rows(np.arange(problem.n_units))
    is_table = isinstance(given, pd.DataFrame)
    X = given if is_table else pd.DataFrame(np.asarray(given, dtype=float), columns=[*names])
    if is_table and any(
        level not in levels[name].kept and level != levels[name].pooled
        for name in levels
        for level in X[name].dropna()
    ):
        return None
    has_times = isinstance(problem.outcome, TimeToEvent)
    if has_times and type(model_of(fitted)).__name__ not in HAZARDS:
        return None

    def ask(rows: pd.DataFrame) -> FloatArray:
        table = rows if is_table else rows.to_numpy(float)
        if has_times:
            return respond_with_risk(fitted, table)
        labels, method = problem.labels, response_method(fitted)
        return respond(fitted, method, table, labels.positive, labels.in_order)

    columns = _columns(X, levels)
    if sum(len(others) for _, others in columns.values()) > MOST_TERMS:
        return None
    base = X.iloc[[0]].copy()
    for name, (first, _) in columns.items():
        base[name] = first
    # Not the extremes, which are those of single patients.
    ranges = {
        name: tuple(np.nanquantile(X[name].to_numpy(float), [0.05, 0.95]).tolist())
        for name in columns
        if name not in levels
    }
    intercept, terms = _read(ask, base, columns, levels, ranges)
    design = _design(X, columns)
    complete = ~np.isnan(design).any(axis=1)
    weights = np.array([intercept, *(term.value for term in terms)])
    found, expected = design[complete] @ weights, ask(X)[complete]
    size = 1.0 + np.abs(expected).max(initial=0.0)
    if not complete.any() or np.abs(found - expected).max() > _SAME * size:
        return None
    references = {name: levels[name].shown(columns[name][0]) for name in levels}
    if has_times:
        return Equation("log hazard ratio", float(intercept), terms, references)
    link = probability_link(fitted)
    is_log_odds = isinstance(link, Link) and link.is_logistic
    limits = None
    if is_log_odds and is_unpenalised(fitted) and complete.all():
        limits = _limits(design, found, confidence_level)
    if limits is not None:
        ends = limits[1:].tolist()
        terms = [replace(t, low=low, high=high) for t, (low, high) in zip(terms, ends, strict=True)]
    scale: Literal["log odds", "score"] = "log odds" if is_log_odds else "score"
    return Equation(scale, float(intercept), terms, references)


def is_unpenalised(fitted: Any) -> bool:
    """Return whether a model is a logistic regression without any penalty."""
    last = model_of(fitted)
    if type(last).__name__ != "LogisticRegression":
        return False
    weighted = last.get_params().get("class_weight") is not None
    return not weighted and (last.penalty is None or np.isinf(last.C))


def model_of(fitted: Any) -> Any:
    """Return the model itself, without its preparation."""
    return fitted[-1] if hasattr(fitted, "steps") else fitted


Columns = dict[str, tuple[Any, list[Any]]]


def _columns(X: pd.DataFrame, levels: Mapping[str, Levels]) -> Columns:
    """Return a value of every column to start from, and those to change it to."""
    found: Columns = {}
    for name in X.columns:
        if name in levels:
            counts = X[name].dropna().value_counts(sort=True)
            first, *others = sorted(counts.index, key=lambda level: (-counts[level], level))
            found[str(name)] = first, others
        else:
            values = X[name].to_numpy(float)
            found[str(name)] = float(np.nanmin(values)), [float(np.nanmax(values))]
    return found


def _read(
    ask: Callable[[pd.DataFrame], FloatArray],
    base: pd.DataFrame,
    columns: Columns,
    levels: Mapping[str, Levels],
    ranges: Mapping[str, tuple[float, float]],
) -> tuple[float, list[EquationTerm]]:
    import pandas as pd

    changed, places = [base], []
    for name, (_, others) in columns.items():
        for value in others:
            row = base.copy()
            row[name] = value
            changed.append(row)
            places.append((name, value))
    responses = ask(pd.concat(changed, ignore_index=True).astype(base.dtypes))
    intercept, terms = float(responses[0]), []
    for (name, value), response in zip(places, responses[1:].tolist(), strict=True):
        change, first = response - float(responses[0]), columns[name][0]
        if name in levels:
            terms.append(EquationTerm(name, levels[name].shown(value), change, None, None))
        else:
            slope = change / (value - first) if value > first else 0.0
            intercept -= slope * first
            terms.append(EquationTerm(name, None, slope, *ranges[name]))
    return intercept, terms


def _design(X: pd.DataFrame, columns: Columns) -> FloatArray:
    """Return what the terms multiply, for every row; NaN where a value is missing."""
    parts = [np.ones(len(X))]
    for name, (first, others) in columns.items():
        if isinstance(first, str):
            known = X[name].notna().to_numpy()
            parts += [np.where(known, X[name].to_numpy() == level, np.nan) for level in others]
        else:
            parts.append(X[name].to_numpy(float))
    return np.column_stack(parts).astype(float)


def _limits(design: FloatArray, log_odds: FloatArray, level: float) -> FloatArray | None:
    """Return Wald's limits of the coefficients, by the information at the estimate."""
    from scipy.special import expit

    p = expit(log_odds)
    scale = np.abs(design).max(axis=0)
    scaled = design / np.where(scale > 0, scale, 1.0)
    information = scaled.T @ (scaled * (p * (1.0 - p))[:, None])
    if np.linalg.cond(information) > 1e12:  # classes are separated, or columns dependent
        return None
    error = np.sqrt(np.diag(np.linalg.inv(information))) / scale
    z = two_sided_quantile(level, None)
    weights = np.linalg.lstsq(design, log_odds, rcond=None)[0]
    return np.column_stack([weights - z * error, weights + z * error])
