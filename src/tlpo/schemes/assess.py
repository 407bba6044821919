"""Assess a score that was fixed beforehand."""

from __future__ import annotations

from typing import Any, overload

import numpy as np

from tlpo.errors import InputError, explain
from tlpo.problem.exact import read_scores
from tlpo.problem.labels import label_array
from tlpo.problem.outcome import Classes, TimeToEvent
from tlpo.problem.problem import make_problem
from tlpo.problem.times import has_times
from tlpo.results.fixed import FixedScores, require_groups
from tlpo.results.fixed_concordance import FixedConcordance
from tlpo.results.fixed_survival import FixedSurvival


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
) -> FixedScores | FixedConcordance | FixedSurvival:
    """Assess a score that was fixed before these units were seen.

    A laboratory value, a grade, or a model that was trained on other patients. For a model that is
    to be trained on these units, use `tournament`.

    Parameters
    ----------
    scores : array-like of shape (m,)
        One number per unit, ordinal or continuous; missing values are left out, counted and
        stated. The name of a pandas Series is kept. Numbers of any type are ranked as they are,
        also those that a double would round, such as whole ones above 2**53.
    y : array-like of shape (m,)
        Labels, of two classes; with ``order``, numbers or grades; or times and events, as
        `time_to_event` joins them.
    positive : object, optional
        The positive label; the second in sorted order by default.
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
    FixedScores, FixedConcordance or FixedSurvival
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
    values, exact = read_scores(scores)
    if isinstance(y, TimeToEvent):
        n_units = y.n_units
    elif has_times(y):
        n_units = len(y)
    else:
        n_units = label_array(y, "labels" if order is None else "values").size
    if values.size != n_units:
        raise InputError(
            explain(
                "scores and y must describe the same units.",
                f"You passed {values.size} scores and {n_units} "
                f"{'labels' if order is None else 'values of y'}.",
                "Check that neither was filtered without the other.",
            )
        )
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
        exact=exact,
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
