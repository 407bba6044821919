"""Tournament leave-pair-out for numbers and grades."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tlpo.checks import RandomState
from tlpo.errors import InputError, explain
from tlpo.execution.journal import JournalLike
from tlpo.games.contest import Contest, ContestOptions, OnError
from tlpo.problem.times import has_times
from tlpo.results.concordance import Concordance
from tlpo.schemes.ordered_games import play_ordered
from tlpo.synonyms import refuse_foreign_arguments


@refuse_foreign_arguments
def concordance(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    order: Sequence[Any] | None = None,
    groups: Any = None,
    exclude: Any = None,
    rounds: int | None = None,
    random_state: RandomState = None,
    engine: str = "auto",
    n_jobs: int | None = None,
    progress: bool = False,
    params: Mapping[str, Any] | None = None,
    on_error: OnError = "raise",
    predictions: bool | None = None,
    journal: JournalLike = None,
) -> Concordance:
    """Play every pair under a model trained without both: the unit with the larger y should win.

    Parameters
    ----------
    estimator : scikit-learn regressor, classifier or pipeline
        Cloned and fitted without both units for every pair. A regressor is fitted on y, or on the
        places 0, 1, 2 … of grades, and compared by ``predict``. A classifier of grades is compared
        by the mean of the grades, weighted by ``predict_proba``.
    X : array, sparse matrix, dataframe or list, one row per unit
        Features.
    y : array-like of shape (m,)
        Numbers, or grades: an ordered pandas Categorical, or any names with ``order``. Units with
        equal values are peers: they play for the ranking, but nobody should win.
    order : sequence, optional
        The grades in y, from lowest to highest.
    groups, exclude, rounds, random_state, engine, n_jobs, progress, params, on_error
        As in `tournament`.
    predictions, journal
        As in `tournament`.

    Returns
    -------
    Concordance

    Notes
    -----
    Formula: `Concordance`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import Ridge
    >>> import tlpo
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(50, 4))
    >>> loss = X[:, 0] + rng.normal(size=50)
    >>> round(tlpo.concordance(Ridge(), X, loss).concordance, 3)
    0.689

    Grades, with their names:

    >>> grade = np.array(["I", "II", "III"])[np.digitize(loss, [-0.5, 0.8])]
    >>> c = tlpo.concordance(Ridge(), X, grade, order=["I", "II", "III"])
    >>> c.outcome.count
    "50 units, 3 grades: 'I' (20), 'II' (19), 'III' (11)"
    """
    options = ContestOptions(
        order=True if order is None else order,
        groups=groups,
        exclude=exclude,
        params=params,
        engine=engine,
        n_jobs=n_jobs,
        progress=progress,
        on_error=on_error,
        predictions=predictions,
        journal=journal,
    )
    if has_times(y):
        raise InputError(
            explain(
                "y has times to an event.",
                "You passed an array of times and events to tlpo.concordance.",
                "Use tlpo.survival.",
            )
        )
    result = play_ordered(Contest(estimator, X, y, options), rounds, random_state)
    assert isinstance(result, Concordance)
    return result
