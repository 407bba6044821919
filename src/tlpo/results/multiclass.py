"""Several classes: Hand and Till's M, what every pair of classes and every class is worth."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.checks import require_level
from tlpo.engines.base import Played
from tlpo.execution.diagnostics import Diagnostics
from tlpo.games.response import outcomes
from tlpo.games.standings import Standings
from tlpo.problem.outcome import SeveralClasses
from tlpo.results.intervals import Interval, why_doubled
from tlpo.results.ordered_games import interval_of
from tlpo.results.summary import Summary, engine_row, tabulate_units
from tlpo.results.tournament import Tournament
from tlpo.roc.several import ClassGames, SeveralEvidence, unordered
from tlpo.synonyms import refuse_foreign_arguments

if TYPE_CHECKING:
    import pandas as pd

    from tlpo.displays import MulticlassDisplay


@dataclass(frozen=True, eq=False, repr=False)
class Multiclass(Summary):
    """A tournament of several classes. `multiclass` plays it. Keeps no features.

    Attributes
    ----------
    outcome : SeveralClasses
        The class of every unit.
    each : tuple of Played
        The games in the response of every class.
    engine : str
        How the games were played.
    diagnostics : Diagnostics
        Games played, fits, seconds, warnings.
    estimator_name : str
        What was evaluated.
    groups : ndarray of shape (m,) or None
        Units that were left out together.

    Notes
    -----
    With ``f_a`` the response for class a of the model that was trained without i and j::

        A(a|b) = Σ_{i∈a} Σ_{j∈b} H(f_a(i) − f_a(j)) / (m_a m_b)
        A(a,b) = ½ [A(a|b) + A(b|a)]
        auc    = M = 2/(K(K − 1)) Σ_{a<b} A(a,b)

    Hand and Till (2001). Where K = 2, M is the AUC.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> import tlpo
    >>> X, y = load_iris(return_X_y=True)
    >>> k = tlpo.multiclass(GaussianNB(), X[::6, :2], y[::6])
    >>> k.shares.round(3)
           0      1      2
    0    NaN  1.000  1.000
    1  0.944    NaN  0.766
    2  1.000  0.828    NaN
    """

    outcome: SeveralClasses
    each: tuple[Played, ...]
    engine: str
    diagnostics: Diagnostics
    estimator_name: str
    groups: IntArray | None = None
    _are_comparable: bool = True  # predictions of different models

    @property
    def auc(self) -> float:
        """Hand and Till's M: the mean AUC of all pairs of classes."""
        return self._games.auc()

    @refuse_foreign_arguments
    def auc_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return an interval for M of the model trained on all units.

        Notes
        -----
        ψ_i is what unit i of class a does to M, over all other classes b::

            ψ_i = 2/(K(K − 1)) Σ_b [mean over j∈b of ½(H_a(i, j) + H_b(j, i)) − A(a,b)]

        ``V_place = Σ_a Σ_{i∈a} ψ_i²/(m_a(m_a − 1))`` takes the models as fixed; ``V_jack``, the
        jackknife within classes with the shifts of every response, exaggerates how they change.
        With groups, what units do is summed within them and whole groups are left out. Limits are
        the θ with ``(M − θ)² = t² φ V₀(θ)``, ``φ = √(V_place V_jack)/V₀(M)``. V₀ is the variance
        of independent scores, Hanley and McNeil's with games that share a unit in any two pairs of
        classes; t is Student's quantile, with one degree of freedom less than the smallest class
        has units, or groups. For two classes the interval is that of `tournament`. Without
        held-out predictions the variance of independent scores is doubled instead, and the
        interval says so.
        """
        require_level("confidence_level", confidence_level)
        if len(self.outcome.names) == 2:
            return self.one_vs_rest[self.outcome.names[1]].auc_interval(confidence_level)
        notes = []
        if self._predictions is None or not self._are_comparable:
            notes.append(why_doubled(self._are_comparable))
        if not self._is_complete:
            notes.append("Games are missing; the interval rests on those that were finished.")
        return interval_of(self._evidence, confidence_level, notes, "AUC (M)")

    @property
    def shares(self) -> pd.DataFrame:
        """A(a|b) as a table: how often units of the row's class have its larger response."""
        import pandas as pd

        names = list(self.outcome.names)
        return pd.DataFrame(self._games.shares, index=names, columns=names)

    @property
    def pairs(self) -> pd.DataFrame:
        """Every pair of classes: its AUC with 95 % limits, A(a|b) both ways, and the sizes."""
        return self.pair_intervals()

    @refuse_foreign_arguments
    def pair_intervals(self, confidence_level: float = 0.95) -> pd.DataFrame:
        """Tabulate `pairs` with limits of another confidence level."""
        import pandas as pd

        require_level("confidence_level", confidence_level)
        games, names, sizes = self._games, self.outcome.names, self.outcome.sizes
        rows = []
        for a, b in unordered(len(names)):
            share = (games.shares[a, b] + games.shares[b, a]) / 2
            if len(names) == 2:
                low, high = self.auc_interval(confidence_level)
            else:
                low, high = games.measure([(a, b), (b, a)]).limits(confidence_level)
            rows.append(
                {
                    "first": names[a],
                    "second": names[b],
                    "auc": share,
                    "low": low,
                    "high": high,
                    "first_by_own": games.shares[a, b],
                    "second_by_own": games.shares[b, a],
                    "n_first": sizes[a],
                    "n_second": sizes[b],
                }
            )
        return pd.DataFrame(rows).set_index(["first", "second"])

    @cached_property
    def one_vs_rest(self) -> dict[Any, Tournament]:
        """Of every class, the tournament of its response: AUC, interval, ROC curve against all."""
        return {name: self._tournament(k) for k, name in enumerate(self.outcome.names)}

    @property
    def scores(self) -> FloatArray:
        """Tournament scores, one column for the response of each class."""
        return np.column_stack([played.standings.scores for played in self.each])

    @property
    def consistency(self) -> FloatArray:
        """Coefficient of consistency ξ of the games of each class."""
        return np.array([played.standings.consistency for played in self.each])

    @cached_property
    def responses(self) -> FloatArray | None:
        """Mean held-out response of every unit for every class; None if not kept.

        NaN for a unit that finished no game.
        """
        if self._predictions is None or not self._are_comparable:
            return None
        means = np.full((self.outcome.n_units, len(self.outcome.names)), np.nan)
        played = self._games.has_played
        means[played] = np.column_stack([np.nanmean(F[played], axis=1) for F in self._predictions])
        return means

    @property
    def _predicted(self) -> IntArray | None:
        """The class of the largest mean response of every unit; -1 without a game."""
        if self.responses is None:
            return None
        largest = np.argmax(np.nan_to_num(self.responses, nan=-np.inf), axis=1)
        return np.where(self._games.has_played, largest, -1)

    @property
    def confusion(self) -> pd.DataFrame | None:
        """Classes as they are (rows) and as mean held-out responses say (columns).

        Units that finished no game are left out.
        """
        import pandas as pd

        if self._predicted is None:
            return None
        K, played = len(self.outcome.names), self._games.has_played
        counts = np.zeros((K, K), dtype=int)
        np.add.at(counts, (self.outcome.code[played], self._predicted[played]), 1)
        names = list(self.outcome.names)
        return pd.DataFrame(
            counts, index=pd.Index(names, name="class"), columns=pd.Index(names, name="predicted")
        )

    def to_frame(self) -> pd.DataFrame:
        """Tabulate the units: class, predicted class, and score in the response of every class."""
        names = np.array(self.outcome.names, dtype=object)
        columns: dict[str, Any] = {"class": names[self.outcome.code]}
        if self._predicted is not None:
            columns["predicted"] = np.array([*names, None], dtype=object)[self._predicted]
        for k, name in enumerate(names):
            columns[f"score_{name}"] = self.scores[:, k]
        return tabulate_units(self.outcome, columns)

    def plot(self) -> MulticlassDisplay:
        """Draw the AUC of every pair of classes, and the ROC curve of every class."""
        from tlpo.displays import MulticlassDisplay

        return MulticlassDisplay.from_result(self).plot()

    # --- what all of this is computed from

    @cached_property
    def _predictions(self) -> list[FloatArray] | None:
        tables = [played.predictions for played in self.each]
        return None if None in tables else [table.full() for table in tables if table is not None]

    @cached_property
    def _games(self) -> ClassGames:
        F, results, halves = self._predictions, None, []
        if F is not None:
            tables = [p.predictions for p in self.each if p.predictions is not None]

            def play(F: list[FloatArray]) -> list[FloatArray]:
                return [outcomes(f, f.T, t.ceiling) for f, t in zip(F, tables, strict=True)]

            results = play(F)
            # Of either half of an ensemble, a table for every class.
            of_halves = zip(*(table.halves or () for table in tables), strict=True)
            halves = [(play(list(half)), list(half)) for half in of_halves]
        return ClassGames(
            self.outcome.code,
            [played.standings.wins for played in self.each],
            [played.standings.games for played in self.each],
            results,
            F if self._are_comparable else None,
            self.groups,
            halves,
        )

    @cached_property
    def _evidence(self) -> SeveralEvidence:
        """What the games say about M."""
        return self._games.measure(self._games.blocks())

    @property
    def _is_complete(self) -> bool:
        return all(played.standings.is_complete for played in self.each)

    def _tournament(self, k: int) -> Tournament:
        played = self.each[k]
        return Tournament(
            standings=_against_others(played.standings, k),
            _table=played.predictions,
            engine=self.engine,
            diagnostics=self.diagnostics,
            estimator_name=self.estimator_name,
            groups=self.groups,
            labels=self.outcome.view(k),
            _are_comparable=self._are_comparable,
        )

    def _title(self) -> str:
        return f"Tournament of {self.outcome.count}"

    def _rows(self) -> list[tuple[str, str]]:
        shares, names = self._games.shares, self.outcome.names
        means = (shares + shares.T) / 2
        worst = min(unordered(len(names)), key=lambda pair: means[pair])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the interval itself says how it was computed
            interval = self.auc_interval().short
        consistency = "not defined, games are missing"
        if self._is_complete:
            consistency = ", ".join(f"ξ = {xi:.3f}" for xi in self.consistency)
        games, m = f"{self.diagnostics.pairs_played} games", self.outcome.n_units
        if self.diagnostics.pairs_failed:
            games += f" of {m * (m - 1) // 2}"
        return [
            ("estimator", self.estimator_name),
            ("AUC (M)", f"{self.auc:.4f} ({interval}; Hand and Till)"),
            ("worst pair", f"{names[worst[0]]!r} and {names[worst[1]]!r}: {means[worst]:.4f}"),
            ("consistency", consistency),
            ("played", f"{games}, {engine_row(self.diagnostics, self.engine)}"),
        ]


def _against_others(standings: Standings, k: int) -> Standings:
    """Return wins against all other classes, and against the class itself."""

    def summed(counts: FloatArray) -> FloatArray:
        return np.column_stack([np.delete(counts, k, axis=1).sum(axis=1), counts[:, k]])

    return Standings(summed(standings.wins), summed(standings.games), standings.n_ties)
