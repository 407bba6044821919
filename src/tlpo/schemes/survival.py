"""Tournament leave-pair-out for times to an event."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tlpo.checks import RandomState
from tlpo.errors import InputError, arg, explain
from tlpo.execution.journal import JournalLike
from tlpo.games.contest import Contest, ContestOptions, OnError
from tlpo.problem.problem import unit_names
from tlpo.problem.times import has_times, read_times
from tlpo.results.survival import Survival
from tlpo.schemes.ordered_games import play_ordered
from tlpo.synonyms import refuse_foreign_arguments


@refuse_foreign_arguments
def survival(
    estimator: Any,
    X: Any,
    time: Any,
    event: Any = None,
    *,
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
) -> Survival:
    """Play every pair under a model trained without both: who had the event earlier should win.

    Parameters
    ----------
    estimator : Cox, scikit-survival model or pipeline
        Cloned and fitted without both units for every pair, and compared by ``predict``. Where a
        model of scikit-survival predicts times instead of risk, the sign is turned.
    X : array, sparse matrix, dataframe or list, one row per unit
        Features.
    time : array-like of shape (m,)
        When a unit had the event, or was last known to be without it. Or an array of times and
        events as scikit-survival takes it, without ``event``.
    event : array-like of shape (m,)
        Whether a unit had the event: True or 1, and False or 0 for censored units. A status of 1
        and 2 is read as in R: 2 is the event.
    groups, exclude, rounds, random_state, engine, n_jobs, progress, params, on_error
        As in `tournament`.
    predictions, journal
        As in `tournament`.

    Returns
    -------
    Survival

    Notes
    -----
    Formula: `Survival`.

    Examples
    --------
    >>> import numpy as np
    >>> import tlpo
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 3))
    >>> time = rng.exponential(np.exp(-X[:, 0]))
    >>> followed = np.minimum(time, 1.0)
    >>> s = tlpo.survival(tlpo.Cox(alpha=1.0), X, followed, time <= 1.0)
    >>> low, high = s.concordance_interval()
    >>> f"C {s.concordance:.2f} ({low:.2f} to {high:.2f}), AUC at ½ {s.auc_at(0.5):.2f}"
    'C 0.81 (0.71 to 0.88), AUC at ½ 0.92'
    """
    options = ContestOptions(
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
    contest = Contest(estimator, X, join_times(time, event), options)
    result = play_ordered(contest, rounds, random_state)
    assert isinstance(result, Survival)
    return result


def join_times(time: Any, event: Any) -> Any:
    """Return times and events as one, however they were passed."""
    if has_times(time) and event is None:
        return time
    if event is None or has_times(time):
        raise InputError(
            explain(
                f"Whether units had the event must be known: {arg('event')} is missing."
                if event is None
                else f"{arg('time')} has events already.",
                f"You passed only {arg('time')}." if event is None else "You passed both.",
                "Pass time and event, or one array of both, such as scikit-survival's y.",
            )
        )
    return read_times(time, event, unit_names(time, event))
