"""The final model, fitted to all patients: what it looks at.

Nothing here is validated. The tournament says how well such a model ranks new patients; its
coefficients are apparent, and so is its AUC on the data that it was fitted to.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from tlpo.analysis.chosen import find_chosen
from tlpo.analysis.equation import find_average_survival, find_equation, is_unpenalised
from tlpo.analysis.models import Model
from tlpo.analysis.separation import separating
from tlpo.analysis.shapes import FinalModel, Term
from tlpo.execution.fits import Fitter
from tlpo.games.contest import Contest
from tlpo.games.response import respond, respond_in_order, respond_with_risk, response_method
from tlpo.problem.outcome import Classes, TimeToEvent
from tlpo.roc.curve import wmw_auc
from tlpo.roc.order import concordance_of_scores
from tlpo.tables.levels import Levels

MOST_ROWS = 15
NOTHING = FinalModel(None, 0, [], None)


def describe_final(
    model: Model,
    contest: Contest,
    names: Sequence[str],
    levels: Mapping[str, Levels],
    confidence_level: float = 0.95,
    times: Sequence[float] = (),
) -> FinalModel:
    """Fit a copy of the model to all patients, and describe it.

    Parameters
    ----------
    model, contest : Model, Contest
        What to fit, and to whom.
    names : sequence of str
        The features, in the order of the columns that the model is given.
    levels : mapping of str to Levels
        Those of them that are one-hot encoded, and what is shown of their levels.
    confidence_level : float
        Of limits, where a model has some.
    times : sequence of float
        When to tell the survival, if the outcome is times to an event.
    """
    fitter = Fitter(model.estimator, contest.problem)
    terms, auc, equation, chosen, average = NOTHING, None, None, None, None
    separated_by: list[str] = []
    is_classes = isinstance(contest.outcome, Classes)
    positive = contest.labels.positive if is_classes else None

    def name(columns: Sequence[int]) -> list[str]:
        reach = last_step(fitted, names)[1]
        return shown_names([reach[k] for k in columns], levels, model.is_own)

    # The model may be the user's and raise anything; a report does without what it cannot say.
    with warnings.catch_warnings(), suppress(Exception, SystemExit):
        warnings.simplefilter("ignore")  # the games have counted and reported them
        fitted = fitter.fit(np.arange(contest.problem.n_units))
        with suppress(Exception, SystemExit):
            terms = _list_weights(fitted, names, levels, positive, model.is_own)
        auc = _apparent(fitted, fitter)
        equation = find_equation(fitted, fitter, names, levels, confidence_level)
        if equation is not None and times:
            with suppress(Exception, SystemExit):
                average = find_average_survival(fitted, fitter, times)
        if is_classes and is_unpenalised(fitted):
            rows = contest.problem.rows(np.arange(contest.problem.n_units))
            X = np.asarray(fitted[:-1].transform(rows) if hasattr(fitted, "steps") else rows)
            columns = separating(X.astype(float), contest.labels.is_positive)
            separated_by = [] if columns is None else name(columns.tolist())
        chosen = find_chosen(fitted, fitter, contest, name)
    return FinalModel(terms.kind, terms.n, terms.rows, auc, equation, separated_by, chosen, average)


def _apparent(fitted: Any, fitter: Fitter) -> float | None:
    """Return the AUC or concordance of the model on the patients that it was fitted to."""
    problem = fitter.problem
    rows = problem.rows(np.arange(problem.n_units))
    if not isinstance(problem.outcome, Classes):
        outcome = problem.outcome
        ask = respond_with_risk if isinstance(outcome, TimeToEvent) else respond_in_order
        scores = ask(fitted, rows)
        is_sound = scores.shape == (problem.n_units,) and bool(np.isfinite(scores).all())
        return concordance_of_scores(scores, outcome.level, outcome.may_win) if is_sound else None
    method = response_method(fitted)
    scores = respond(fitted, method, rows, problem.labels.positive, problem.labels.in_order)
    if scores.shape != (problem.n_units,) or not np.isfinite(scores).all():
        return None
    return wmw_auc(scores, problem.labels.is_positive)


def _list_weights(
    fitted: Any, names: Sequence[str], levels: Mapping[str, Levels], positive: Any, is_own: bool
) -> FinalModel:
    """Return the largest coefficients or importances, by feature."""
    last, reach = last_step(fitted, names)
    values, importances = getattr(last, "coef_", None), None
    if values is None:
        values = importances = getattr(last, "feature_importances_", None)
    if values is None:
        return NOTHING
    weights = np.asarray(values, dtype=float).reshape(-1)
    if weights.size != len(reach) or not np.isfinite(weights).all():
        return NOTHING
    classes = getattr(last, "classes_", None)
    if importances is None and classes is not None and classes[0] == positive:
        weights = -weights  # towards the positive label, which scikit-learn sorted first
    order = np.argsort(-np.abs(weights), kind="stable")[:MOST_ROWS]
    named = shown_names([reach[k] for k in order], levels, is_own)
    rows = [Term(name, float(weights[k])) for name, k in zip(named, order, strict=True)]
    if importances is None:
        return FinalModel("coefficients", int(weights.size), rows, None)
    return FinalModel("importances", int(weights.size), rows, None)


def last_step(fitted: Any, names: Sequence[str]) -> tuple[Any, list[str]]:
    """Return the model of a pipeline, and what its features are called."""
    if not hasattr(fitted, "steps"):
        return fitted, [*names]
    reach = fitted[:-1].get_feature_names_out([*names])
    return fitted[-1], [str(name) for name in reach]


def shown_names(reach: Sequence[str], levels: Mapping[str, Levels], is_own: bool) -> list[str]:
    """Write the names of prepared features as they may be shown."""
    named = [readable(name, levels) for name in reach]
    return [_unnamed(name, levels) for name in named] if is_own else named


def readable(name: str, levels: Mapping[str, Levels]) -> str:
    """Write the name of a prepared feature as its reader would.

    Examples
    --------
    >>> sex = {"sex": Levels(("male", "female"), (), "", is_listed=True)}
    >>> readable("categorical__sex_male", sex), readable("numeric__age", sex)
    ('sex: male', 'age')
    """
    for prefix in ("numeric__", "categorical__"):
        if name.startswith(prefix):
            name = name.removeprefix(prefix)
            if prefix == "numeric__":
                return name
    for feature in sorted(levels, key=len, reverse=True):
        if name.startswith(f"{feature}_"):
            level = name.removeprefix(f"{feature}_")
            return f"{feature}: {levels[feature].shown(level)}"
    return name


def _unnamed(name: str, levels: Mapping[str, Levels]) -> str:
    """Take the name from a feature that tells a level: a model of the user's own has the table."""
    is_told = any(found.is_told_by(name) for found in levels.values())
    return "a level that is not named" if is_told else name
