"""Tournament leave-pair-out cross-validation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from tlpo.arrays import IntArray
from tlpo.checks import RandomState, require_choice
from tlpo.engines.base import Played
from tlpo.errors import InputError, explain
from tlpo.execution.journal import JournalLike
from tlpo.games.contest import Contest, ContestOptions, OnError
from tlpo.games.response import Link, probability_link
from tlpo.games.schedule import Schedule, draw_rounds, require_rounds
from tlpo.problem.outcome import Classes
from tlpo.problem.times import has_times
from tlpo.results.curves import CURVES
from tlpo.results.rounds import judge_rounds
from tlpo.results.tournament import Tournament
from tlpo.roc.drawn import Drawn
from tlpo.schemes.drawn import draw_changes
from tlpo.synonyms import refuse_foreign_arguments


@refuse_foreign_arguments
def tournament(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    positive: Any = None,
    groups: Any = None,
    exclude: Any = None,
    rounds: int | None = None,
    random_state: RandomState = None,
    curve: Literal["auto", "tournament", "leave-pair-out"] = "auto",
    engine: str = "auto",
    n_jobs: int | None = None,
    progress: bool = False,
    params: Mapping[str, Any] | None = None,
    on_error: OnError = "raise",
    predictions: bool | None = None,
    journal: JournalLike = None,
) -> Tournament:
    """Play every pair of units under a model trained without both, and rank by wins.

    Parameters
    ----------
    estimator : scikit-learn classifier, regressor or pipeline
        Cloned and fitted without both units for every one of the m(m − 1)/2 pairs. Its
        response is ``decision_function``, else ``predict_proba`` of the positive class, else
        ``predict`` of a regressor, which is fitted on labels ±1.
    X : array, sparse matrix, dataframe or list, one row per unit
        Features.
    y : array-like of shape (m,)
        Labels of two classes, at least three units of each.
    positive : object, optional
        The positive label. By default the one that reads so (``'yes'``, ``'Cancer'``, ``'+'``; the
        result says which), else the second in sorted order.
    groups : array-like of shape (m,), optional
        Units that share a group with a held-out unit leave the training set with it.
    exclude : Buffer or callable, optional
        Which other units to leave out of training: ``tlpo.Buffer(coordinates, radius)`` leaves
        out everything near either held-out unit, a function ``(i, j) → indices`` whatever it
        names for the pair i < j.
    rounds : int, optional
        Play only part of the tournament, in which every unit meets this many opponents: for
        models too slow for all games. At least 2, at most m − 1 (all), even if m is odd. Scores
        are then shares of games won. The AUC is noisier by ``diagnostics.added_sd``, but not
        biased; the area of the tournament's curve, ``tlpo_auc``, is lower by about
        ``-rounds.bias``. What this saves: docs/fewer_games.md.
    random_state : int, RandomState or Generator, optional
        Seed of the draw of rounds, which depends on nothing else but m and ``rounds``. None draws
        anew in every call.
    curve : {"auto", "tournament", "leave-pair-out"}
        Which ROC curve to show: that of the scores, or that of the pooled predictions of
        opposite-class games, anchored to the AUC. ``"auto"`` uses the latter where games tie,
        because the former is biased there (docs/ties.md). ``t.curve`` says which it is and why.
    engine : str
        ``"auto"``: an exact engine, which need not refit, if there is one for the estimator.
        The name of an engine, such as ``"least-squares"`` (docs/how_it_works.md has them),
        requires it; ``"refit"`` always refits, which is the definition. Forests are exact in
        distribution: their result depends on the estimator's ``random_state`` alone, but is
        another draw than refitting with the same ``random_state`` gives.
    n_jobs : int, optional
        Processes, as in scikit-learn; `joblib.parallel_config` is respected. The result does
        not depend on it.
    progress : bool
        Show a bar with the time left on stderr, if that is a terminal.
    params : mapping, optional
        Further arguments of ``fit``, such as ``{"sample_weight": w}``. Values with one entry per
        unit are cut to each training set.
    on_error : {"raise", "skip"}
        What to do when the estimator fails on a pair: stop and say which, or leave the game
        out. Scores are then shares of the games a unit finished, times m − 1, and
        ``diagnostics`` counts the causes.
    predictions : bool, optional
        Keep the m × m table of held-out predictions. By default if it fits into 256 MB.
    journal : path, optional
        A file that finished games are appended to. Interrupted or killed, the same call resumes
        from it, with the same result; a journal of other data, another estimator or another
        version is refused. Exact engines, which need no refits, have nothing to write, except
        for the trees of a forest.

    Returns
    -------
    Tournament

    Notes
    -----
    ``F[i, j]`` is what the model trained without i and j predicts for i, and H(a) is 1, ½ or 0 for
    a above, equal to or below 0. The score of a unit and the AUC are::

        S(i) = Σ_{j≠i} H(F[i, j] − F[j, i])
        auc  = Σ_{i∈I+} Σ_{j∈I-} H(F[i, j] − F[j, i]) / (m+ m-)

    Examples
    --------
    A classifier that always predicts the class frequencies knows nothing:

    >>> from sklearn.dummy import DummyClassifier
    >>> import tlpo
    >>> X, y = [[0.0]] * 10, [0, 1] * 5
    >>> dummy = DummyClassifier(strategy="prior")
    >>> tlpo.leave_one_out(dummy, X, y).auc, tlpo.tournament(dummy, X, y).auc
    (0.0, 0.5)

    Part of the tournament, with a tenth of the games:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(101) % 2
    >>> X = rng.normal(size=(101, 3)) + y[:, None]
    >>> t = tlpo.tournament(tlpo.RLS(), X, y, rounds=10, random_state=0)
    >>> t.diagnostics.pairs_played
    505
    >>> round(t.diagnostics.added_sd, 3), round(t.rounds.bias, 3)
    (0.019, -0.033)
    """
    options = ContestOptions(
        positive=positive,
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
    if curve not in CURVES:
        require_choice("curve", curve, CURVES)
    if curve == "leave-pair-out" and predictions is False:
        raise InputError(
            explain(
                "The leave-pair-out curve needs the table of held-out predictions.",
                "You passed curve='leave-pair-out' and predictions=False.",
                "Leave out one of the two.",
            )
        )
    if has_times(y):
        raise InputError(
            explain(
                "y has times to an event, and censored is not negative.",
                "You passed an array of times and events to tlpo.tournament.",
                "Use tlpo.survival.",
            )
        )
    if curve == "leave-pair-out":
        options = replace(options, predictions=True)
    return play_tournament(Contest(estimator, X, y, options), rounds, random_state, curve)


def play_tournament(
    contest: Contest,
    rounds: int | None = None,
    random_state: RandomState = None,
    curve: str = "auto",
) -> Tournament:
    """Play every pair of a contest or, with ``rounds``, a balanced part of them."""
    schedule, drawn = plan(contest, rounds, random_state)
    played = contest.play(schedule)
    return conclude_tournament(
        played,
        contest.labels,
        name=contest.name,
        groups=contest.problem.groups,
        drawn=drawn,
        curve=curve,
        link=probability_link(contest.estimator),
        changes=None if drawn is not None else draw_changes(contest, played),
    )


def conclude_tournament(
    played: Played,
    labels: Classes,
    *,
    name: str,
    groups: IntArray | None,
    drawn: IntArray | None = None,
    curve: str = "auto",
    link: Link | str,
    changes: Drawn | None = None,
) -> Tournament:
    """Return the result of games that were played.

    ``drawn`` are the rounds, if not all met; ``changes`` is what a draw of third units shows.
    """
    judged, diagnostics = None, played.diagnostics
    if drawn is not None and played.outcome is not None:
        judged = judge_rounds(drawn, played.outcome.reshape(drawn.shape[:2]), labels)
        diagnostics = replace(
            diagnostics,
            added_sd=judged.lpo_added_sd,
            warnings=(*diagnostics.warnings, *judged.remarks()),
        )
    return Tournament(
        standings=played.standings,
        labels=labels,
        _table=played.predictions,
        engine=played.engine,
        diagnostics=diagnostics,
        estimator_name=name,
        groups=groups,
        rounds=judged,
        _asked_curve=curve,
        _link=link,
        _drawn=changes,
    )


def plan(
    contest: Contest, rounds: int | None, random_state: RandomState
) -> tuple[Schedule, IntArray | None]:
    """Return the games to play and, if not all, the rounds drawn, (R, g, 2)."""
    n_units = contest.problem.n_units
    if rounds is None:
        return Schedule(), None
    require_rounds(rounds, n_units)
    if rounds == n_units - 1:
        return Schedule(), None
    contest.seed(random_state)
    drawn = draw_rounds(n_units, rounds, random_state)
    why = f"{rounds} rounds of seed {random_state}"
    return Schedule(listed=drawn.reshape(-1, 2), why=why), drawn
