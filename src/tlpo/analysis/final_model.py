"""The final model, fitted to all patients: what it looks at, and its own score at each cut-off.

Nothing here is validated. The tournament says how well such a model ranks new patients; its
coefficients, and cut-offs of its score on the data that it was fitted to, are apparent.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from tlpo.analysis.models import Model
from tlpo.arrays import BoolArray, FloatArray
from tlpo.execution.fits import Fitter
from tlpo.games.contest import Contest
from tlpo.games.response import respond, response_method
from tlpo.roc.curve import wmw_auc
from tlpo.tables.levels import Levels

MOST_ROWS = 15
SCORES = {
    "predict_proba": "probability",
    "decision_function": "decision value",
    "predict": "prediction",
}


def describe_final(
    model: Model,
    contest: Contest,
    names: Sequence[str],
    levels: Mapping[str, Levels],
    points: Sequence[dict[str, Any]],
) -> dict[str, Any]:
    """Fit a copy of the model to all patients, and describe it.

    Parameters
    ----------
    model, contest : Model, Contest
        What to fit, and to whom.
    names : sequence of str
        The features, in the order of the columns that the model is given.
    levels : mapping of str to Levels
        Those of them that are one-hot encoded, and what is shown of their levels.
    points : sequence of dict
        Operating points of the tournament.

    Returns
    -------
    dict
        ``kind``, "coefficients", "importances" or None; ``n``, how many; ``rows``, the largest;
        the name of its ``score``; its ``apparent_auc``; and ``cuts``, one per point: where the
        score has the same rate.
    """
    found: dict[str, Any] = {
        **{"kind": None, "n": 0, "rows": []},
        **{"score": None, "apparent_auc": None, "cuts": [None] * len(points)},
    }
    problem = contest.problem
    everyone = np.arange(problem.n_units)
    fitter = Fitter(model.estimator, problem)
    # The model may be the user's and raise anything; a report does without what it cannot say.
    with warnings.catch_warnings(), suppress(Exception, SystemExit):
        warnings.simplefilter("ignore")  # the games have counted and reported them
        fitted = fitter.fit(everyone)
        with suppress(Exception, SystemExit):
            found |= _weigh(fitted, names, levels, problem.labels.positive)
            if model.is_own:
                found["rows"] = [_unnamed(row, levels) for row in found["rows"]]
        found |= _score(fitted, fitter, points)
    return found


def _score(fitted: Any, fitter: Fitter, points: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return what the model's own score says about the patients that it was fitted to."""
    problem = fitter.problem
    method = "predict_proba" if hasattr(fitted, "predict_proba") else response_method(fitted)
    rows = problem.rows(np.arange(problem.n_units))
    scores = respond(fitted, method, rows, problem.labels.positive, fitter.labels)
    if scores.shape != (problem.n_units,) or not np.isfinite(scores).all():
        return {}
    is_positive = problem.labels.is_positive
    return {
        "score": SCORES[method],
        "apparent_auc": wmw_auc(scores, is_positive),
        "cuts": [_cut(scores, is_positive, point) for point in points],
    }


def _weigh(
    fitted: Any, names: Sequence[str], levels: Mapping[str, Levels], positive: Any
) -> dict[str, Any]:
    """Return the largest coefficients or importances, by feature."""
    last, reach = fitted, [*names]
    if hasattr(fitted, "steps"):
        last = fitted[-1]
        reach = [str(name) for name in fitted[:-1].get_feature_names_out([*names])]
    kind = "coefficients"
    values = getattr(last, "coef_", None)
    if values is None:
        kind, values = "importances", getattr(last, "feature_importances_", None)
    if values is None:
        return {}
    weights = np.asarray(values, dtype=float).reshape(-1)
    if weights.size != len(reach) or not np.isfinite(weights).all():
        return {}
    classes = getattr(last, "classes_", None)
    if kind == "coefficients" and classes is not None and classes[0] == positive:
        weights = -weights  # towards the positive label, which scikit-learn sorted first
    order = np.argsort(-np.abs(weights), kind="stable")[:MOST_ROWS]
    rows = [{"feature": readable(reach[k], levels), "value": float(weights[k])} for k in order]
    return {"kind": kind, "n": int(weights.size), "rows": rows}


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


def _unnamed(row: dict[str, Any], levels: Mapping[str, Levels]) -> dict[str, Any]:
    """Take the name from a feature that tells a level: a model of the user's own has the table."""
    is_told = any(found.is_told_by(row["feature"]) for found in levels.values())
    return row | {"feature": "a level that is not named"} if is_told else row


def _cut(scores: FloatArray, is_positive: BoolArray, point: dict[str, Any]) -> dict[str, Any]:
    """Return where the score has the rate that an operating point is about."""
    values = np.unique(scores)
    positives, negatives = np.sort(scores[is_positive]), np.sort(scores[~is_positive])
    # Positive above values[k]; k = -1 is always.
    below = np.searchsorted(negatives, values, side="right")
    specificity = np.append(0.0, below / negatives.size)
    missed = np.searchsorted(positives, values, side="right")
    sensitivity = np.append(1.0, 1.0 - missed / positives.size)
    if point["about"] == "sensitivity":
        k = int(np.flatnonzero(sensitivity >= point["rate"] - 1e-9)[-1])
    else:
        k = int(np.flatnonzero(specificity >= point["rate"] - 1e-9)[0])
    threshold = -np.inf
    if k > 0:
        threshold = float(values[k - 1 : k + 1].mean())  # halfway to the next score
    return {
        "threshold": threshold,
        "sensitivity": float(sensitivity[k]),
        "specificity": float(specificity[k]),
    }
