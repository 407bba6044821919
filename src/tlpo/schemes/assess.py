"""Assess a score that was fixed beforehand."""

from __future__ import annotations

from typing import Any, overload

import numpy as np

from tlpo.arrays import IntArray
from tlpo.errors import InputError, arg, enumerate_briefly, explain
from tlpo.problem.exact import read_scores
from tlpo.problem.labels import as_floats, label_array, unique_labels
from tlpo.problem.outcome import Classes, SeveralClasses, TimeToEvent
from tlpo.problem.problem import make_problem, means_several
from tlpo.problem.times import has_times
from tlpo.results.fixed import FixedScores, require_groups
from tlpo.results.fixed_concordance import FixedConcordance
from tlpo.results.fixed_multiclass import FixedMulticlass
from tlpo.results.fixed_survival import FixedSurvival
from tlpo.results.subgroups import LEAST_GROUPS


@overload
def assess(
    scores: Any,
    y: Any,
    *,
    positive: Any = None,
    order: None = None,
    groups: Any = None,
    larger_is_positive: bool = True,
) -> FixedScores: ...


@overload
def assess(
    scores: Any,
    y: Any,
    *,
    positive: None = None,
    order: Any,
    groups: Any = None,
    larger_is_positive: bool = True,
) -> FixedConcordance: ...


def assess(
    scores: Any,
    y: Any,
    *,
    positive: Any = None,
    order: Any = None,
    groups: Any = None,
    larger_is_positive: bool = True,
) -> FixedScores | FixedConcordance | FixedSurvival | FixedMulticlass:
    """Assess a score that was fixed before these units were seen.

    A laboratory value, a grade, or a model that was trained on other patients. For a model that is
    to be trained on these units, use `tournament`.

    Parameters
    ----------
    scores : array-like of shape (m,), or (m, K) for K classes
        One number per unit, ordinal or continuous; missing values are left out, counted and
        stated. The name of a pandas Series is kept. Numbers of any type are ranked as they are,
        also those that a double would round, such as whole ones above 2**53. Of more than two
        classes, a score for each, in the order of their sorted names.
    y : array-like of shape (m,)
        Labels, of two classes or as many as there are columns of scores; with ``order``, numbers
        or grades; or times and events, as `time_to_event` joins them.
    positive : object, optional
        The positive label. By default the one that reads so (``'yes'``, ``'Cancer'``, ``'+'``; the
        result says which), else the second in sorted order.
    order : True or sequence, optional
        The larger y should have the larger score: True for numbers and ordered categories, or the
        grades from lowest to highest.
    groups : array-like of shape (m,), optional
        Units that share a value, such as images of one patient, are not independent: variances are
        computed over groups (Obuchowski 1997). Each class needs units from two groups.
    larger_is_positive : bool
        Whether large values speak for the positive class, or for an early event. It is never
        turned to make an AUC look better.

    Returns
    -------
    FixedScores, FixedConcordance, FixedSurvival or FixedMulticlass
        AUC, intervals, ROC curve, partial AUC, operating points in the units of the score; or the
        concordance with numbers, grades or times to an event.

    Notes
    -----
    Formulas: `FixedScores`, `FixedConcordance`, `FixedSurvival`.

    Examples
    --------
    >>> import tlpo
    >>> grade = [1, 1, 1, 2, 2, 3, 2, 3, 4, 4, 5, 5]
    >>> outcome = ["good"] * 6 + ["poor"] * 6
    >>> a = tlpo.assess(grade, outcome)
    >>> round(a.auc, 3)
    0.931
    >>> point = a.operating_point(cutoff=3)
    >>> f"sensitivity {point['sensitivity']:.3f}, specificity {point['specificity']:.3f}"
    'sensitivity 0.833, specificity 0.833'
    """
    if means_several(y, positive, order):
        _require_no_direction(larger_is_positive)
        return _assess_classes(scores, y, groups)
    values, exact = read_scores(scores)
    if isinstance(y, TimeToEvent):
        n_units = y.n_units
    elif has_times(y):
        n_units = len(y)
    else:
        n_units = label_array(y, "labels" if order is None else "values").size
    what = "labels" if order is None else "values of y"
    _require_same_units(values.size, n_units, "scores", what)
    has_index = hasattr(scores, "index") and not callable(scores.index)
    problem = make_problem(
        scores if has_index else values,
        y,
        positive=positive,
        order=order,
        groups=groups,
    )
    name = getattr(scores, "name", None)
    if not isinstance(larger_is_positive, bool | np.bool_):
        raise InputError(
            explain(
                "larger_is_positive must be True or False.",
                f"You passed larger_is_positive={larger_is_positive!r}.",
                "For example larger_is_positive=False if small values speak for the positive "
                "class.",
            )
        )
    called = name if isinstance(name, str) and name else "score"
    outcome = problem.outcome
    if not isinstance(outcome, Classes):
        kind: Any = FixedSurvival if isinstance(outcome, TimeToEvent) else FixedConcordance
        found: FixedConcordance | FixedSurvival = kind(
            called, values, outcome, problem.groups, bool(larger_is_positive), exact
        )
        _ = found.concordance  # refuse scores of which none are ordered at once
        return found
    result = FixedScores(
        name=called,
        values=values,
        labels=problem.labels,
        groups=problem.groups,
        larger_is_positive=bool(larger_is_positive),
        _exact=exact,
    )
    if 0 in result.class_sizes:
        label = problem.labels.positive if result.class_sizes[0] == 0 else problem.labels.negative
        raise InputError(
            explain(
                "Each class needs a unit with a score.",
                f"You passed {values.size} scores, {result.n_missing} of them missing: all of "
                f"class {label!r}.",
                "Check that scores and y belong together.",
            )
        )
    if result.groups is not None:
        require_groups(result._evidence.placements)
    return result


def _assess_classes(scores: Any, y: Any, groups: Any) -> FixedMulticlass:
    """Assess a score for each of several classes."""
    try:
        values = as_floats(scores)
    except (TypeError, ValueError) as error:
        raise InputError(
            explain(
                "scores must be numbers.",
                f"You passed something else: {error}.",
                "Pass a column of numbers for every class.",
            )
        ) from error
    names = unique_labels(label_array(y))
    if values.shape[1:] != names.shape:
        raise InputError(
            explain(
                "Several classes need a score for each.",
                f"You passed scores of shape {values.shape} and {names.size} labels: "
                f"{enumerate_briefly(names)}.",
                "Pass a column for every class, in the order of the sorted labels. If the larger "
                f"label should have the larger score, pass {arg('order', True)} or the grades from "
                "lowest to highest.",
            )
        )
    _require_same_units(len(values), label_array(y).size, "rows of scores", "labels")
    bad = np.flatnonzero(~np.isfinite(values).all(axis=1))
    if bad.size:
        raise InputError(
            explain(
                "Scores of several classes must be finite.",
                f"You passed scores that are missing or infinite (index {enumerate_briefly(bad)}).",
                "Drop these units from scores and y.",
            )
        )
    has_index = hasattr(scores, "index") and not callable(scores.index)
    problem = make_problem(scores if has_index else values, y, groups=groups, several=True)
    outcome = problem.several
    _require_spread(outcome, problem.groups)
    return FixedMulticlass(values, outcome, problem.groups)


def _require_same_units(n_scores: int, n_units: int, scores: str, values: str) -> None:
    if n_scores != n_units:
        raise InputError(
            explain(
                "scores and y must describe the same units.",
                f"You passed {n_scores} {scores} and {n_units} {values}.",
                "Check that neither was filtered without the other.",
            )
        )


def _require_no_direction(larger_is_positive: Any) -> None:
    """Refuse what scores of several classes would ignore."""
    if larger_is_positive is not True:
        raise InputError(
            explain(
                "Of several classes, the larger score always speaks for its class.",
                f"You passed larger_is_positive={larger_is_positive!r}.",
                "Leave it out, and pass minus the scores.",
            )
        )


def _require_spread(outcome: SeveralClasses, groups: IntArray | None) -> None:
    """Refuse a class whose units, or groups, are too few to show how they differ."""
    for k, name in enumerate(outcome.names):
        own = outcome.code == k
        n_groups = None if groups is None else np.unique(groups[own]).size
        if own.sum() < 2:
            raise InputError(
                explain(
                    "Each class needs at least two units.",
                    f"You passed {own.sum()} of class {name!r} among {outcome.n_units} units.",
                    "Merge classes, or collect more units.",
                )
            )
        if n_groups is not None and n_groups < LEAST_GROUPS:
            raise InputError(
                explain(
                    f"Each class needs units from at least {LEAST_GROUPS} groups.",
                    f"You passed {own.sum()} units of class {name!r} from {n_groups}.",
                    "Units of one group cannot show how far others would differ: add groups, or "
                    "leave them out if units are independent.",
                )
            )
