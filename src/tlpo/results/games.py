"""Results of played games: what tournaments, leave-pair-out and concordance have in common."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.base import Predictions
from tlpo.execution.diagnostics import Diagnostics
from tlpo.games.standings import Standings
from tlpo.problem.matching import Matched
from tlpo.problem.outcome import Classes
from tlpo.results.intervals import Interval, opposite_interval
from tlpo.results.summary import Summary, engine_row
from tlpo.roc.drawn import Drawn
from tlpo.roc.placements import Placements


@dataclass(frozen=True, eq=False, repr=False)
class PlayedGames(Summary):
    """Games that were played, and their cost. Keeps no features, nor does its pickle.

    Attributes
    ----------
    standings : Standings
        Wins by kinds of opponents; everything else follows from these.
    engine : str
        How the games were played.
    diagnostics : Diagnostics
        Pairs played, fits, seconds, warnings.
    estimator_name : str
        What was evaluated.
    groups : ndarray of shape (m,) or None
        Units that were left out together.
    """

    standings: Standings
    _table: Predictions | None
    engine: str
    diagnostics: Diagnostics
    estimator_name: str
    groups: IntArray | None = None
    # Whether predictions of different models are on one scale.
    _are_comparable: bool = field(default=True, kw_only=True)
    # What a draw shows of how models change without a unit, where the table is too large.
    _drawn: Drawn | None = field(default=None, kw_only=True)

    @property
    def n_ties(self) -> int:
        """Number of tied games."""
        return self.standings.n_ties

    def _played(self, n_games: int) -> str:
        games = f"{self.diagnostics.pairs_played} games"
        if self.diagnostics.pairs_failed:
            games += f" of {n_games}"
        return f"{games}, {engine_row(self.diagnostics, self.engine)}"

    def _consistency_row(self) -> str:
        ties = f"{self.n_ties} {'tie' if self.n_ties == 1 else 'ties'}"
        if not self.standings.is_complete:
            return f"not defined, games are missing ({ties})"
        triads = f"{self.standings.circular_triads:,.10g} circular triads"
        return f"ξ = {self.standings.consistency:.3f} ({triads}, {ties})"


@dataclass(frozen=True, eq=False, repr=False)
class GamesResult(PlayedGames):
    """Games between units of two classes.

    Attributes
    ----------
    labels : Classes
        Class of every unit.
    """

    labels: Classes = field(kw_only=True)

    @property
    def lpo_auc(self) -> float:
        """Leave-pair-out AUC: the share of opposite-class games the positive unit won."""
        return self.standings.lpo_auc(self.labels.is_positive)

    @property
    def _by_class(self) -> tuple[IntArray, IntArray] | None:
        """Groups of the positives and of the negatives."""
        if self.groups is None:
            return None
        is_positive = self.labels.is_positive
        return self.groups[is_positive], self.groups[~is_positive]

    @property
    def _placements(self) -> Placements:
        """Share of opposite-class games that each unit won, or lost if it is negative."""
        is_positive = self.labels.is_positive
        wins, games = self.standings.wins, self.standings.games
        share = np.divide(wins, games, out=np.full(wins.shape, np.nan), where=games > 0)
        return Placements(share[is_positive, 0], 1.0 - share[~is_positive, 1], self._by_class)


@dataclass(frozen=True, eq=False, repr=False)
class LeavePairOutResult(GamesResult):
    """Leave-pair-out: only the games between the classes. `leave_pair_out` plays them.

    Attributes
    ----------
    standings : Standings
        ``standings.wins``: wins of each unit against negatives and against positives.
    labels : Classes
        Class of every unit.
    engine : str
        How the games were played.
    diagnostics : Diagnostics
        Games played, fits, seconds, warnings.
    estimator_name : str
        What was evaluated.
    groups : ndarray of shape (m,) or None
        Units that were left out together.
    matched : Matched or None
        How many pairs ``match`` left; None if every opposite-class pair met.

    Notes
    -----
    ``auc = Σ_{i∈I+} Σ_{j∈I-} H(F[i, j] − F[j, i]) / (m+ m-)``, with the symbols of `tournament`;
    with ``match``, the mean of H over the pairs that match.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import tlpo
    >>> X, y = load_iris(return_X_y=True)
    >>> X, kind = X[85:125, :3], y[85:125]  # versicolor and virginica
    >>> lpo = tlpo.leave_pair_out(tlpo.RLS(), X, kind)
    >>> lpo
    Leave-pair-out of 40 units, 25 positive (2) and 15 negative (1)
      estimator  RLS
      LPO AUC    0.9947 (0.7849 to 0.9999, 95 % interval; 0 ties)
      played     375 games, 1 fit, ..., engine least-squares
    >>> lpo.predictions.shape
    (40, 40)
    """

    matched: Matched | None = None

    @cached_property
    def predictions(self) -> FloatArray | None:
        """Table ``F[i, j]``: what the model trained without i and j predicts for i.

        NaN for units of one class, which do not meet. None if it was not kept.
        """
        if self._table is None:
            return None
        is_positive = self.labels.is_positive
        opposite = is_positive[:, None] != is_positive[None, :]
        return np.where(opposite, self._table.full(), np.nan)

    @property
    def auc(self) -> float:
        """Share of games the positive unit won, ties counting half."""
        return self.lpo_auc

    def auc_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return an interval for `auc`: a score interval with twice the variance.

        How models change without a unit, which narrows the interval of a `tournament`, only the
        games within the classes show, and these are not played here. In samples too large for the
        table of predictions it is that of a tournament: units are drawn for it.

        Examples
        --------
        >>> import numpy as np
        >>> import tlpo
        >>> y = np.arange(40) % 2
        >>> X = np.random.default_rng(3).normal(size=(40, 5)) + 0.6 * y[:, None]
        >>> low, high = tlpo.leave_pair_out(tlpo.RLS(), X, y).auc_interval()
        >>> round(low, 3), round(high, 3)
        (0.504, 0.901)
        """
        return opposite_interval(self, self._placements, confidence_level)

    def _title(self) -> str:
        return f"Leave-pair-out of {self.labels.count}"

    def _rows(self) -> list[tuple[str, str]]:
        counted_ties = f"{self.n_ties} {'tie' if self.n_ties == 1 else 'ties'}"
        rows = [
            ("estimator", self.estimator_name),
            ("LPO AUC", f"{self.auc:.4f} ({self.auc_interval().short}; {counted_ties})"),
        ]
        n_games = self.labels.n_positive * self.labels.n_negative
        if self.matched is not None:
            rows.append(("matched", str(self.matched)))
            n_games = self.matched.n_pairs
        return [*rows, ("played", self._played(n_games))]
