"""Assess a score that was fixed beforehand."""

from __future__ import annotations

from typing import Any

import numpy as np

from tlpo.arrays import FloatArray
from tlpo.errors import InputError, enumerate_briefly, explain
from tlpo.problem.labels import label_array, missing, object_safe
from tlpo.problem.problem import make_problem
from tlpo.results.fixed import FixedScores, require_groups


def assess(
    scores: Any,
    y: Any,
    *,
    positive: Any = None,
    groups: Any = None,
    larger_is_positive: bool = True,
) -> FixedScores:
    """Assess a score that was fixed before these units were seen.

    A laboratory value, a grade, or a model that was trained on other patients. For a model that is
    to be trained on these units, use `tournament`.

    Parameters
    ----------
    scores : array-like of shape (m,)
        One number per unit, ordinal or continuous; missing values are left out, counted and
        stated. The name of a pandas Series is kept.
    y : array-like of shape (m,)
        Labels, of two classes.
    positive : object, optional
        The positive label; the second in sorted order by default.
    groups : array-like of shape (m,), optional
        Units that share a value, such as images of one patient, are not independent: variances are
        computed over groups (Obuchowski 1997). Each class needs units from two groups.
    larger_is_positive : bool
        Whether large values speak for the positive class. It is never turned to make an AUC look
        better.

    Returns
    -------
    FixedScores
        AUC, intervals, ROC curve, partial AUC, operating points in the units of the score.

    Notes
    -----
    Formulas: `FixedScores`.

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
    values = _as_numbers(scores)
    labelled = label_array(y)
    if values.size != labelled.size:
        raise InputError(
            explain(
                "scores and y must describe the same units.",
                f"You passed {values.size} scores and {labelled.size} labels.",
                "Check that neither was filtered without the other.",
            )
        )
    has_index = hasattr(scores, "index") and not callable(scores.index)
    problem = make_problem(
        scores if has_index else values,
        y,
        positive=positive,
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
    result = FixedScores(
        name=name if isinstance(name, str) and name else "score",
        values=values,
        labels=problem.labels,
        groups=problem.groups,
        larger_is_positive=bool(larger_is_positive),
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
        require_groups(result.evidence.placements)
    return result


def _as_numbers(scores: Any) -> FloatArray:
    """Return scores as doubles, missing ones as NaN."""
    values = object_safe(scores)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise InputError(
            explain(
                "scores must have one number per unit.",
                f"You passed an array of shape {values.shape}.",
                "Pass one column; assess several scores one by one.",
            )
        )
    if values.dtype.kind not in "biuf":
        values = np.where(missing(values), np.nan, values)
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        odd = [v for v in values.tolist() if not isinstance(v, int | float)]
        raise InputError(
            explain(
                "scores must be numbers.",
                f"You passed {enumerate_briefly(dict.fromkeys(map(str, odd)))}.",
                "Code ordered categories as numbers, 1, 2, 3 …, and leave missing scores empty.",
            )
        ) from error
    if np.isinf(numbers).any():
        raise InputError(
            explain(
                "scores must be finite.",
                f"You passed {np.count_nonzero(np.isinf(numbers))} infinite values.",
                "Replace a value beyond the range of a measurement by the end of that range.",
            )
        )
    return numbers
