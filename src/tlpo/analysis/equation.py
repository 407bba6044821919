"""A linear model written down: intercept and coefficients on the scale of the raw features.

Of several classes there is an equation for each; of times to an event, survival goes with it.
Preparation is linear as well, so the whole pipeline is. Its equation is read off its responses:
one row changed in one feature at a time. It is believed only if it gives back the response of
every complete row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from msgspec.structs import replace
from sklearn.base import is_regressor

from tlpo.analysis.predicted_survival import has_proportional_hazards, predict_survival
from tlpo.analysis.shapes import AverageSurvival, Equation, EquationTerm
from tlpo.arrays import FloatArray
from tlpo.execution.fits import Fitter
from tlpo.games.response import (
    Link,
    probability_link,
    respond,
    respond_by_class,
    respond_in_order,
    respond_with_risk,
    response_method,
)
from tlpo.problem.outcome import Ordered, TimeToEvent
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
    problem = fitter.problem
    has_times = isinstance(problem.outcome, TimeToEvent)
    if has_times and type(model_of(fitted)).__name__ not in HAZARDS:
        return None

    def ask(rows: Any) -> FloatArray:
        if has_times:
            return respond_with_risk(fitted, rows)
        if isinstance(problem.outcome, Ordered):
            return respond_in_order(fitted, rows)
        labels, method = problem.labels, response_method(fitted)
        return respond(fitted, method, rows, labels.positive, labels.in_order)

    linear = _find_linear(ask, fitter, names, levels)
    if linear is None:
        return None
    ((intercept, terms),) = linear.each
    if has_times:
        return Equation("log hazard ratio", intercept, terms, linear.references)
    if isinstance(problem.outcome, Ordered):
        # What is no regressor may predict on a scale of its own.
        is_outcome = is_regressor(model_of(fitted))
        return Equation("outcome" if is_outcome else "score", intercept, terms, linear.references)
    link = probability_link(fitted)
    is_log_odds = isinstance(link, Link) and link.is_logistic
    limits = None
    if is_log_odds and is_unpenalised(fitted) and linear.is_complete:
        limits = _limits(linear.design, linear.values[:, 0], confidence_level)
    if limits is not None:
        ends = limits[1:].tolist()
        terms = [replace(t, low=low, high=high) for t, (low, high) in zip(terms, ends, strict=True)]
    scale: Literal["log odds", "score"] = "log odds" if is_log_odds else "score"
    return Equation(scale, intercept, terms, linear.references)


def find_equations(
    fitted: Any, fitter: Fitter, names: Sequence[str], levels: Mapping[str, Levels]
) -> list[Equation]:
    """Return an equation for every class of several, in their order; none as above.

    ``fitted`` is the model, or a list of regressors, one for each class. Scores of a model that
    has probabilities must be their logarithms, up to a constant that all classes share.
    """
    classes = fitter.problem.several.names

    def ask(rows: Any) -> FloatArray:
        if isinstance(fitted, list):
            each = [np.asarray(one.predict(rows), dtype=float).reshape(-1) for one in fitted]
            return np.column_stack(each)
        values = np.asarray(fitted.decision_function(rows), dtype=float)
        found = list(fitted.classes_)
        return values[:, [found.index(name) for name in classes]]

    linear = _find_linear(ask, fitter, names, levels)
    if linear is None:
        return []
    has_probabilities = not isinstance(fitted, list) and hasattr(fitted, "predict_proba")
    if has_probabilities:
        from scipy.special import softmax

        everyone = fitter.problem.rows(np.arange(fitter.problem.n_units))
        _, shares = respond_by_class(fitted, everyone, classes)
        if np.abs(softmax(ask(everyone), axis=1) - shares).max() > _SAME:
            return []
    scale: Literal["log probability", "score"] = "log probability" if has_probabilities else "score"
    return [Equation(scale, start, terms, linear.references) for start, terms in linear.each]


def find_average_survival(
    fitted: Any, fitter: Fitter, times: Sequence[float]
) -> AverageSurvival | None:
    """Return the survival of average risk, if that of all patients follows from it."""
    if not times or not has_proportional_hazards(fitted):
        return None
    rows = fitter.problem.rows(np.arange(fitter.problem.n_units))
    scores = respond_with_risk(fitted, rows)
    survival = predict_survival(fitted, rows, times)
    average = float(scores.mean())
    # From the patient closest to it, whose survival has lost least to rounding.
    k = int(np.argmin(np.abs(scores - average)))
    own = survival[k] ** np.exp(average - scores[k])
    follows = own ** np.exp(scores - average)[:, None]
    if not np.abs(follows - survival).max() <= _SAME:
        return None
    return AverageSurvival(average, list(map(float, times)), own.tolist())


class _Linear(NamedTuple):
    """What linear responses are made of: each is an intercept and terms.

    ``design`` is what these multiply in rows without gaps, and ``values`` what they give there.
    """

    each: list[tuple[float, list[EquationTerm]]]
    references: dict[str, str]
    design: FloatArray
    values: FloatArray
    is_complete: bool


def _find_linear(
    ask: Callable[[Any], FloatArray],
    fitter: Fitter,
    names: Sequence[str],
    levels: Mapping[str, Levels],
) -> _Linear | None:
    """Read off what responses, a column for each, are made of; None if they are not linear."""
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

    def responses(rows: pd.DataFrame) -> FloatArray:
        return ask(rows if is_table else rows.to_numpy(float)).reshape(len(rows), -1)

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
    rows, places = _changed(base, columns)
    read = responses(rows)
    each = [_terms(column, places, columns, levels, ranges) for column in read.T.tolist()]
    design = _design(X, columns)
    complete = ~np.isnan(design).any(axis=1)
    weights = np.array([[start, *(term.value for term in terms)] for start, terms in each])
    found, expected = design[complete] @ weights.T, responses(X)[complete]
    size = 1.0 + np.abs(expected).max(initial=0.0)
    # Also refuses what is not a number.
    if not complete.any() or not np.abs(found - expected).max() <= _SAME * size:
        return None
    references = {name: levels[name].shown(columns[name][0]) for name in levels}
    return _Linear(each, references, design[complete], found, bool(complete.all()))


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


def _changed(base: pd.DataFrame, columns: Columns) -> tuple[pd.DataFrame, list[tuple[str, Any]]]:
    """Return a row, and the same with one feature changed at a time; and which, to what."""
    import pandas as pd

    changed, places = [base], []
    for name, (_, others) in columns.items():
        for value in others:
            row = base.copy()
            row[name] = value
            changed.append(row)
            places.append((name, value))
    return pd.concat(changed, ignore_index=True).astype(base.dtypes), places


def _terms(
    responses: Sequence[float],
    places: Sequence[tuple[str, Any]],
    columns: Columns,
    levels: Mapping[str, Levels],
    ranges: Mapping[str, tuple[float, float]],
) -> tuple[float, list[EquationTerm]]:
    """Return intercept and terms from the responses to these rows."""
    intercept, terms = responses[0], []
    for (name, value), response in zip(places, responses[1:], strict=True):
        change, first = response - responses[0], columns[name][0]
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
