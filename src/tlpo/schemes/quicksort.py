"""Quicksort leave-pair-out: rank the units with far fewer games than a tournament."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.checks import RandomState, journal_seed, require_count, seed_sequence
from tlpo.engines.base import Execution
from tlpo.execution.diagnostics import Diagnostics
from tlpo.execution.fingerprint import journaled
from tlpo.execution.fits import Games
from tlpo.execution.journal import JournalLike
from tlpo.problem.labels import Labels
from tlpo.problem.problem import Problem, make_problem
from tlpo.results.ranking import Ranking
from tlpo.results.summary import Repeated, Summary, describe, played_row, spread_note
from tlpo.roc.curve import wmw_auc


@dataclass(frozen=True, eq=False, repr=False)
class Quicksort(Repeated, Summary, Ranking):
    """Several independent sorts of the units, each with its own pivots.

    Attributes
    ----------
    ranks : ndarray of shape (n_sorts, m)
        Place of each unit in each sort, 0 for the most negative; equal units share a place.
    comparisons : ndarray of shape (n_sorts,)
        Games each sort asked for. Sorts share games, so fewer are played in all.
    labels : Labels
        Class of every unit.
    diagnostics : Diagnostics
        Games, fits, seconds, warnings.
    estimator_name : str
        What was evaluated.
    """

    ranks: FloatArray
    comparisons: IntArray
    labels: Labels
    diagnostics: Diagnostics
    estimator_name: str

    @property
    def scores(self) -> FloatArray:
        """Mean place of each unit over the sorts; the ROC curve is drawn from it."""
        return np.asarray(self.ranks.mean(axis=0))

    @property
    def aucs(self) -> FloatArray:
        """AUC of each sort."""
        return np.array([wmw_auc(rank, self.labels.is_positive) for rank in self.ranks])

    def _title(self) -> str:
        return f"Quicksort leave-pair-out of {self.labels.count}"

    def _rows(self) -> list[tuple[str, str]]:
        m = self.labels.n_units
        return [
            ("estimator", self.estimator_name),
            ("AUC", f"{self.auc:.4f}{spread_note(self.aucs, 'sorts')}"),
            (
                "comparisons",
                f"{self.comparisons.mean():.0f} a sort; {self.diagnostics.pairs_played} games "
                f"played instead of {m * (m - 1) // 2}",
            ),
            ("played", played_row(self.diagnostics)),
        ]


def quicksort(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    n_sorts: int = 10,
    random_state: RandomState = None,
    positive: Any = None,
    groups: Any = None,
    exclude: Any = None,
    n_jobs: int | None = None,
    progress: bool = False,
    params: Mapping[str, Any] | None = None,
    journal: JournalLike = None,
) -> Quicksort:
    """Sort the units by leave-pair-out games (Numminen et al. 2022).

    For models too slow for m(m − 1)/2 fits: one sort asks for about ``2 m ln m`` games. The
    ranking depends on the pivots wherever games contradict each other, so several sorts are
    averaged and their spread reported. Units that tie with a pivot share its place.

    Parameters
    ----------
    estimator, X, y, positive, groups, exclude, n_jobs, progress, params, journal
        As in `tournament`. A game that leaves one class only to learn from is an error.
    n_sorts : int
        Number of independent sorts.
    random_state : int, RandomState or Generator, optional
        Seed of the pivots.

    Returns
    -------
    Quicksort
    """
    require_count("n_sorts", n_sorts, 1)
    problem = make_problem(X, y, positive=positive, groups=groups, params=params, exclude=exclude)
    if problem.exclude is None:
        problem.require_playable_pairs()
    seed = journal_seed(journal, random_state)
    with journaled(journal, "quicksort", estimator, problem, n_sorts=n_sorts, seed=seed) as part:
        execution = Execution(n_jobs, progress, journal=part)
        games = Games(estimator, problem, execution, may_skip=False)
        table = GameTable(problem.n_units, games)
        ranks, comparisons = sort_units(problem.n_units, n_sorts, random_state, table.outcomes)
    games.log.warnings.emit(games.log.fits)
    return Quicksort(
        ranks=ranks,
        comparisons=comparisons,
        labels=problem.labels,
        diagnostics=games.log.diagnostics(pairs_played=games.log.fits),
        estimator_name=describe(estimator),
    )


class GameTable:
    """Games by demand, each played once however many sorts ask for it."""

    def __init__(self, n_units: int, games: Games) -> None:
        self.n_units = n_units
        self.games = games
        self.known: dict[int, float] = {}

    def outcomes(self, first: IntArray, second: IntArray) -> FloatArray:
        """Return 1, ½ or 0 for each game between ``first`` and ``second``."""
        low, high = np.minimum(first, second), np.maximum(first, second)
        keys = low * self.n_units + high
        new = np.array([key for key in np.unique(keys).tolist() if key not in self.known], int)
        if new.size:
            pairs = np.column_stack([new // self.n_units, new % self.n_units])
            _require_playable(self.games.problem, pairs)
            outcome, _ = self.games.play(pairs)
            self.known.update(zip(new.tolist(), outcome.tolist(), strict=True))
        result = np.array([self.known[key] for key in keys.tolist()])
        return np.where(first == low, result, 1.0 - result)


def _require_playable(problem: Problem, pairs: IntArray) -> None:
    """Refuse games that leave one class only; which games are needed shows while sorting."""
    if problem.exclude is None:
        return
    emptied = problem.empties_a_class(pairs)
    if emptied.any():
        raise problem.emptied_by(pairs[np.argmax(emptied)], may_skip=False)


def sort_units(
    n_units: int,
    n_sorts: int,
    random_state: RandomState,
    outcomes: Callable[[IntArray, IntArray], FloatArray],
) -> tuple[FloatArray, IntArray]:
    """Sort by games, several times, level by level.

    All partitions of one level of all sorts are played in one batch, so that even an adaptive
    scheme keeps every core busy: about ``log m`` batches instead of thousands of single games.

    Parameters
    ----------
    n_units, n_sorts : int
        Size of the problem, number of sorts.
    random_state
        Seed of the pivots.
    outcomes : callable
        ``outcomes(i, j)`` is 1, ½ or 0 for arrays of units that meet.

    Returns
    -------
    ranks : ndarray of shape (n_sorts, n_units)
    comparisons : ndarray of shape (n_sorts,)
    """
    rngs = [np.random.default_rng(s) for s in seed_sequence(random_state).spawn(n_sorts)]
    ranks = np.zeros((n_sorts, n_units))
    comparisons = np.zeros(n_sorts, dtype=np.intp)
    # A part is a run of units that still has to be sorted, and the place of its lowest.
    parts = [(sort, 0, np.arange(n_units)) for sort in range(n_sorts)]
    while parts:
        pivots = [int(rngs[sort].integers(units.size)) for sort, _, units in parts]
        others = [np.delete(units, k) for (_, _, units), k in zip(parts, pivots, strict=True)]
        against = [
            np.full(rest.size, units[k])
            for (_, _, units), k, rest in zip(parts, pivots, others, strict=True)
        ]
        won = outcomes(np.concatenate(others), np.concatenate(against))
        cuts = np.cumsum([rest.size for rest in others])[:-1]
        following = []
        for (sort, base, units), k, rest, result in zip(
            parts, pivots, others, np.split(won, cuts), strict=True
        ):
            comparisons[sort] += rest.size
            lower, equal, upper = (rest[result == value] for value in (0.0, 0.5, 1.0))
            equal = np.append(equal, units[k])
            ranks[sort, equal] = base + lower.size + (equal.size - 1) / 2
            above = base + lower.size + equal.size
            for start, part in ((base, lower), (above, upper)):
                if part.size > 1:
                    following.append((sort, start, part))
                elif part.size:
                    ranks[sort, part] = start
        parts = following
    return ranks, comparisons
