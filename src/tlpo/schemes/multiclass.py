"""Tournament leave-pair-out for several classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from tlpo.arrays import IntArray
from tlpo.engines.base import Played, PlayedClasses, Predictions
from tlpo.errors import InputError, arg, explain
from tlpo.execution.journal import JournalLike
from tlpo.games.contest import Contest, ContestOptions, OnError
from tlpo.games.schedule import Schedule
from tlpo.problem.outcome import Outcome, SeveralClasses
from tlpo.problem.times import has_times
from tlpo.results.multiclass import Multiclass
from tlpo.roc.several import ClassGames
from tlpo.synonyms import refuse_foreign_arguments


@refuse_foreign_arguments
def multiclass(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    exclude: Any = None,
    engine: str = "auto",
    n_jobs: int | None = None,
    progress: bool = False,
    params: Mapping[str, Any] | None = None,
    on_error: OnError = "raise",
    predictions: bool | None = None,
    journal: JournalLike = None,
) -> Multiclass:
    """Play every pair for each of several classes: its own units should have the larger response.

    Parameters
    ----------
    estimator : scikit-learn classifier, regressor or pipeline
        Cloned and fitted without both units for every pair, and compared by the probability of
        each class or, without probabilities, by the decision function of each. A regressor is
        fitted to each class against all others.
    X : array, sparse matrix, dataframe or list, one row per unit
        Features.
    y : array-like of shape (m,)
        Classes, each of at least three units.
    groups, exclude, engine, n_jobs, progress, params, on_error, predictions, journal
        As in `tournament`.

    Returns
    -------
    Multiclass

    Notes
    -----
    Formula: `Multiclass`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    >>> import tlpo
    >>> X, y = load_wine(return_X_y=True)
    >>> k = tlpo.multiclass(LinearDiscriminantAnalysis(), X[::4, [0, 2, 9]], y[::4])
    >>> low, high = k.auc_interval()
    >>> f"M {k.auc:.3f} ({low:.3f} to {high:.3f})"
    'M 0.973 (0.892 to 0.993)'
    """
    options = ContestOptions(
        several=True,
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
                "y has times to an event, which are not classes.",
                "You passed an array of times and events to tlpo.multiclass.",
                "Use tlpo.survival.",
            )
        )
    contest = Contest(estimator, X, y, options)
    outcome = contest.problem.several
    if len(outcome.names) > 2:
        return play_several(contest)
    # The response is that of a tournament.
    two = replace(options, several=False, positive=outcome.names[1])
    return _result(contest, _both_ways(Contest(estimator, X, y, two).play(Schedule())))


def play_several(contest: Contest) -> Multiclass:
    """Play all games of more than two classes."""
    return _result(contest, contest.play_classes(Schedule()))


def _result(contest: Contest, played: PlayedClasses) -> Multiclass:
    problem = contest.problem
    return conclude_multiclass(played, problem.several, name=contest.name, groups=problem.groups)


def require_all_games(outcome: Outcome, rounds: int | None) -> None:
    """Refuse rounds of several classes."""
    if rounds is not None and isinstance(outcome, SeveralClasses):
        raise InputError(
            explain(
                "Several classes play all games.",
                f"You passed {arg('rounds', rounds)} and {outcome.count}.",
                f"Leave out {arg('rounds')}.",
            )
        )


def conclude_multiclass(
    played: PlayedClasses, outcome: SeveralClasses, *, name: str, groups: IntArray | None
) -> Multiclass:
    """Return the result of games that were played for the response of each class."""
    return Multiclass(
        outcome=outcome,
        each=played.each,
        engine=played.engine,
        diagnostics=played.diagnostics,
        estimator_name=name,
        groups=groups,
    )


def _both_ways(played: Played) -> PlayedClasses:
    """Return the games of two classes in the response of each, which is minus that of the other."""
    standings, table = played.standings, played.predictions
    turned = replace(standings, wins=standings.games - standings.wins)
    mirrored = None
    if table is not None:
        top = table.ceiling if np.isfinite(table.ceiling) else 0.0
        mirrored = Predictions(lambda: np.asarray(top - table.full()), table.ceiling)
    first = replace(played, standings=turned, predictions=mirrored)
    return PlayedClasses((first, played), played.diagnostics, played.engine)


def auc_of_games(played: PlayedClasses, outcome: SeveralClasses) -> float:
    """Return M of games that were played for the response of each class."""
    standings = [each.standings for each in played.each]
    wins, games = [each.wins for each in standings], [each.games for each in standings]
    return ClassGames(outcome.code, wins, games).auc()
