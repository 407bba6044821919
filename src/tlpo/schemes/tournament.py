"""Tournament leave-pair-out cross-validation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.checks import RandomState
from tlpo.execution.journal import JournalLike
from tlpo.problem.problem import Problem
from tlpo.results.intervals import Uncertainty
from tlpo.results.rounds import Rounds, judge_rounds, plan_rounds
from tlpo.schedule import Schedule
from tlpo.schemes.games import GamesResult, play_games

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Tournament(GamesResult, Uncertainty):
    """A finished tournament and the ROC analysis of its scores.

    Attributes
    ----------
    rounds : Rounds or None
        What it means that some games only were drawn; None if every pair has met.
    """

    rounds: Rounds | None = None

    @property
    def scores(self) -> FloatArray:
        """Tournament score of each unit: the number of games it won, ties counting half.

        Where games are missing, the share of its games that it won, times m − 1.
        """
        return self.standings.scores

    @cached_property
    def predictions(self) -> FloatArray | None:
        """Table ``F[i, j]``: what the model that saw neither i nor j predicts for i.

        None if it was not kept, or is too large and was not asked for.
        """
        return None if self.held_out is None else self.held_out.full()

    def win_matrix(self) -> FloatArray | None:
        """Return every game: 1, ½ or 0 if the row's unit beat the column's; NaN if not played.

        None if held-out predictions were not kept.
        """
        everybody = np.ones(self.labels.n_units, dtype=bool)
        return self._games_between(everybody, everybody)

    @property
    def lpo_auc(self) -> float:
        """Leave-pair-out AUC: the share of opposite-class games the positive unit won."""
        return self.standings.lpo_auc(self.labels.is_positive)

    @property
    def consistency(self) -> float:
        """Coefficient of consistency ξ: 1 without circular triads, 0 with as many as can be.

        A tied game counts as half a win in either direction, so many ties lower ξ although
        nothing contradicts itself: read it together with `n_ties`. NaN if games are missing.
        """
        return self.standings.consistency

    @property
    def circular_triads(self) -> float:
        """Number of triples in which a beat b, b beat c and c beat a."""
        return self.standings.circular_triads

    def to_frame(self) -> pd.DataFrame:
        """Tabulate the units: label, score, rank, wins against either class."""
        frame = super().to_frame()
        frame["wins_against_negatives"] = self.standings.wins[:, 0]
        frame["wins_against_positives"] = self.standings.wins[:, 1]
        return frame

    def _title(self) -> str:
        return f"Tournament of {self.labels.count}"

    def _rows(self) -> list[tuple[str, str]]:
        m = self.labels.n_units
        ties = f"{self.n_ties} ties"
        consistency = (
            f"ξ = {self.consistency:.3f} ({self.circular_triads:,.10g} circular triads, {ties})"
            if self.standings.is_complete
            else f"not defined, games are missing ({ties})"
        )
        rows = [
            ("estimator", self.estimator_name),
            ("TLPO AUC", f"{self.auc:.4f}"),
            ("LPO AUC", f"{self.lpo_auc:.4f}"),
            ("consistency", consistency),
        ]
        if self.rounds is None:
            return [*rows, ("played", self._played(m * (m - 1) // 2))]
        r = self.rounds.opponents
        return [
            *rows,
            ("rounds", f"every unit met {r} of {m - 1} others; {self.rounds}"),
            ("played", self._played(m * r // 2)),
        ]


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
    engine: str = "auto",
    n_jobs: int | None = None,
    progress: bool = False,
    params: Mapping[str, Any] | None = None,
    on_error: Literal["raise", "skip"] = "raise",
    predictions: bool | None = None,
    journal: JournalLike = None,
) -> Tournament:
    """Play every pair of units under a model that saw neither, and rank by wins.

    Parameters
    ----------
    estimator : scikit-learn classifier, regressor or pipeline
        Cloned and fitted without both units for every one of the m(m − 1)/2 pairs. Its
        response is ``decision_function``, else ``predict_proba`` of the positive class, else
        ``predict`` of a regressor, which is fitted on labels ±1.
    X : array, sparse matrix, dataframe or list, one row a unit
        Features.
    y : array-like of shape (m,)
        Labels of two classes, at least three units of each.
    positive : object, optional
        The positive label; by default the second in sorted order.
    groups : array-like of shape (m,), optional
        Units that share a group with a held-out unit are not learned from either.
    exclude : Buffer or callable, optional
        Whom else not to learn from: ``tlpo.Buffer(coordinates, radius)`` leaves out everything
        near either held-out unit, a function ``(i, j) → indices`` whatever it names for the
        pair i < j.
    rounds : int, optional
        Play a part of the tournament, in which every unit meets this many opponents: for
        models too slow for all games. At least 2, at most m − 1 (all), even if m is odd. Scores
        are then shares of games won, and the AUC is noisier by ``diagnostics.added_sd`` and lower
        by about ``-rounds.bias``; ``lpo_auc`` is noisier, but not biased. What is gained:
        docs/fewer_games.md.
    random_state : int, RandomState or Generator, optional
        Seed of the draw of the rounds, which depends on nothing else but m and ``rounds``.
    engine : str
        ``"auto"``: an exact engine that need not refit, if there is one for the estimator.
        ``"least-squares"`` or ``"neighbors"`` insists on it; ``"refit"`` insists on the
        definition.
    n_jobs : int, optional
        Processes, as in scikit-learn; `joblib.parallel_config` is respected. The result does
        not depend on it.
    progress : bool
        Show a bar with the time left on stderr, if that is a terminal.
    params : mapping, optional
        Further arguments of ``fit``, such as ``{"sample_weight": w}``. Values with one entry a
        unit are cut to each training set.
    on_error : {"raise", "skip"}
        What to do when the estimator fails on a pair: stop and say which, or leave the game
        out. Then scores are shares of the games a unit did finish, times m − 1, and
        ``diagnostics`` counts the causes.
    predictions : bool, optional
        Keep the m × m table of held-out predictions. By default while it fits 256 MB.
    journal : path, optional
        A file that finished games are appended to. Interrupted or killed, the same call goes on
        from it, with the same result; a journal of other data, another estimator or another
        version is refused. Exact engines, which need no refits, have nothing to write.

    Returns
    -------
    Tournament

    Examples
    --------
    A classifier that always answers with the class frequencies knows nothing:

    >>> from sklearn.dummy import DummyClassifier
    >>> import tlpo
    >>> X, y = [[0.0]] * 10, [0, 1] * 5
    >>> dummy = DummyClassifier(strategy="prior")
    >>> tlpo.leave_one_out(dummy, X, y).auc, tlpo.tournament(dummy, X, y).auc
    (0.0, 0.5)

    A part of the tournament, with a tenth of the games:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(101) % 2
    >>> X = rng.normal(size=(101, 3)) + y[:, None]
    >>> t = tlpo.tournament(tlpo.RLS(), X, y, rounds=10, random_state=0)
    >>> t.diagnostics.pairs_played
    505
    >>> round(t.diagnostics.added_sd, 3), round(t.rounds.bias, 3)
    (0.021, -0.033)
    """
    drawn: IntArray | None = None

    def plan(problem: Problem) -> Schedule:
        nonlocal drawn
        drawn, schedule = plan_rounds(problem.n_units, rounds, random_state, journal)
        return schedule

    fields, outcome = play_games(
        estimator,
        X,
        y,
        plan,
        min_per_class=3,
        positive=positive,
        groups=groups,
        exclude=exclude,
        engine=engine,
        n_jobs=n_jobs,
        progress=progress,
        params=params,
        on_error=on_error,
        predictions=predictions,
        journal=journal,
    )
    if drawn is None or outcome is None:
        return Tournament(**fields)
    judged = judge_rounds(drawn, outcome.reshape(drawn.shape[:2]), fields["labels"].is_positive)
    fields["diagnostics"] = replace(
        fields["diagnostics"],
        added_sd=judged.added_sd,
        warnings=(*fields["diagnostics"].warnings, *judged.remarks()),
    )
    return Tournament(**fields, rounds=judged)
