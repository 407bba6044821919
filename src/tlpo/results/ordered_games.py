"""Games between units of which an outcome says who should win, and their concordance."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from tlpo.arrays import BoolArray, FloatArray
from tlpo.checks import require_level
from tlpo.errors import InputError, arg, explain
from tlpo.games.response import outcomes
from tlpo.problem.matching import Matched
from tlpo.problem.outcome import Outcome
from tlpo.results.games import PlayedGames
from tlpo.results.intervals import Interval, why_doubled
from tlpo.results.subgroups import SMALLEST, factorise
from tlpo.results.summary import tabulate_units
from tlpo.roc.evidence import by_group
from tlpo.roc.methods import DEFAULT, FALLBACK
from tlpo.roc.order import Counts, Order, OrderEvidence, measure_order
from tlpo.synonyms import refuse_foreign_arguments

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class OrderedGames(PlayedGames):
    """A tournament of units of which an outcome says who should win.

    Attributes
    ----------
    outcome : Outcome
        Who should win.
    opponents : int or None
        How many others every unit met, if not all.
    matched : Matched or None
        How many pairs ``match`` left; None if every ordered pair met.
    """

    outcome: Outcome = field(kw_only=True)
    opponents: int | None = None
    _is_ordered_only: bool = False
    matched: Matched | None = None

    # What units do that differ from the most common outcome.
    _off_mode_in_words: ClassVar[str] = "differ from the most common outcome"
    # What plays all games.
    _function: ClassVar[str] = "concordance"

    @property
    def concordance(self) -> float:
        """Share of the games between ordered units won by the one that should win."""
        return self.standings.concordance(self.outcome)

    @property
    def scores(self) -> FloatArray:
        """Tournament score of each unit: the number of games it won, ties counting half.

        Where games are missing, the share of its games that it won, times m − 1.
        """
        return self.standings.scores

    @property
    def consistency(self) -> float:
        """Coefficient of consistency ξ: 1 without circular triads, 0 with as many as possible."""
        return self.standings.consistency

    @property
    def circular_triads(self) -> float:
        """Number of triples in which a beat b, b beat c and c beat a."""
        return self.standings.circular_triads

    @property
    def n_ordered(self) -> int:
        """Number of games played between units of which one should win."""
        return int(self.standings.games[:, 0].sum())

    @cached_property
    def predictions(self) -> FloatArray | None:
        """Table ``F[i, j]``: what the model trained without i and j predicts for i.

        None if it was not kept: not wanted, or too large and not requested; or if predictions of
        different models cannot be compared (`from_predictions`).
        """
        if self._table is None or not self._are_comparable:
            return None
        return self._table.full() * self.outcome.unit

    def win_matrix(self) -> FloatArray | None:
        """Return every game: 1, ½ or 0 if the row's unit beat the column's; NaN if not played.

        None if held-out predictions were not kept.

        Examples
        --------
        >>> import tlpo
        >>> c = tlpo.concordance(tlpo.RLS(), [[1], [2], [4], [5]], [10, 20, 40, 30])
        >>> c.win_matrix()[3]
        array([ 1.,  1.,  1., nan])
        """
        if self._table is None:
            return None
        F = self._table.full()
        return outcomes(F, F.T, self._table.ceiling)

    @refuse_foreign_arguments
    def concordance_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return an interval for the concordance of the model trained on all units.

        Without held-out predictions, or with ``rounds``, the variance of independent scores is
        doubled instead of estimated, and the interval says so.

        Notes
        -----
        U is the result of a game for the unit that should win it, P the number of such games.
        ``V_place = m/(m − 1) Σ_i ψ_i²/P²``, where ψ_i adds up U − C over the games of i, takes the
        models as fixed; ``V_jack``, the jackknife over units, exaggerates how they change. With
        groups, ψ is summed within them and whole groups are left out. Limits are the θ with::

            (C − θ)² = z² φ V₀(θ),   φ = max(1, √(V_place V_jack) / V₀(C))
            V₀(θ) = [ P θ(1 − θ) + n_w (2θ²/(1 + θ) − θ²) + n_l (θ/(2 − θ) − θ²)
                      − n_c θ(1 − θ)/3 ] / P²

        n_w, n_l and n_c count pairs of games that share the unit that should win, that should lose,
        and chains. V₀ is the variance of independent scores: Hanley and McNeil's for two classes,
        Kendall's for numbers at ½. z is the normal quantile; Student's if ten or fewer units differ
        from the most common outcome, and for groups: its degrees of freedom are one less than the
        units, or groups, that do. Coverage: docs/ordered.md.

        Examples
        --------
        >>> import numpy as np
        >>> import tlpo
        >>> X = np.random.default_rng(0).normal(size=(40, 3))
        >>> y = X[:, 0] + np.random.default_rng(1).normal(size=40)
        >>> tlpo.concordance(tlpo.RLS(), X, y).concordance_interval(0.9)
        Concordance: 0.7910, 90 % interval 0.7017 to 0.8543
          method     placement-jackknife
          quantile   normal
          φ          1.245
          variances  placement 0.0017, jackknife 0.00269
        """
        require_level("confidence_level", confidence_level)
        notes = []
        if self.opponents is not None:
            notes.append(
                f"Every unit met {self.opponents} of {self.outcome.n_units - 1} others, which does "
                "not show how models change without a unit: the variance of independent scores "
                "was doubled, and what the draw of games adds was added."
            )
        elif self._is_ordered_only and self._drawn is None:
            notes.append(
                "Games between peers were not played, so the variance of independent scores was "
                f"doubled instead of estimated; {self._function}() estimates it."
            )
        elif (self._table is None and self._drawn is None) or not self._are_comparable:
            notes.append(why_doubled(self._are_comparable))
        elif not self.standings.is_complete:
            notes.append("Games are missing; the interval rests on those that were finished.")
        return interval_of(self._evidence, confidence_level, notes)

    @refuse_foreign_arguments
    def by(self, group: Any, *, confidence_level: float = 0.95) -> pd.DataFrame:
        """Tabulate the concordance within subgroups, from the games that were played.

        Models were trained on all units, and only units of the same subgroup are compared.

        Parameters
        ----------
        group : array-like of shape (m,)
            Subgroup of each unit; units with a missing value form one of their own.
        confidence_level : float
            Of the intervals.

        Returns
        -------
        pandas.DataFrame
            One row per subgroup: units, ordered pairs, concordance with limits, φ, and a note
            where it is too small to tell.

        Examples
        --------
        >>> import numpy as np
        >>> import tlpo
        >>> X = np.random.default_rng(0).normal(size=(60, 3))
        >>> y = X[:, 0] + np.random.default_rng(1).normal(size=60)
        >>> sex = np.repeat(["men", "women"], [36, 24])
        >>> table = tlpo.concordance(tlpo.RLS(), X, y).by(sex)
        >>> table[["units", "ordered"]]
                  units  ordered
        subgroup
        men          36      630
        women        24      276
        """
        return self._by(group, confidence_level)

    def _by(self, group: Any, confidence_level: float, units: str = "units") -> pd.DataFrame:
        """Tabulate subgroups; see `by`. Notes call what was ranked ``units``."""
        import pandas as pd

        require_level("confidence_level", confidence_level)
        if self.opponents is not None or self._table is None or self._is_ordered_only:
            raise InputError(
                explain(
                    "Subgroups need the games of every pair.",
                    "You passed a result without them.",
                    f"Call tlpo.{self._function} without {arg('rounds')}, and with "
                    f"{arg('predictions', True)}.",
                )
            )
        codes, names = factorise(group, self.outcome, "the result")
        rows = [
            {"subgroup": name, **self._subgroup(codes == code, confidence_level, units)}
            for code, name in [*enumerate(names), (-1, None)]
            if (codes == code).any()
        ]
        return pd.DataFrame(rows).set_index("subgroup")

    def _frame(self, outcome: dict[str, npt.NDArray[Any]]) -> pd.DataFrame:
        """Tabulate the units: what is known of them, score, rank, wins by kinds of opponents."""
        frame = tabulate_units(self.outcome, {**outcome, "score": self.scores})
        frame["rank"] = frame["score"].rank(ascending=False)
        for k, name in enumerate(("wins_expected", "wins_unexpected", "wins_against_peers")):
            frame[name] = self.standings.wins[:, k]
        return frame

    # --- what intervals, comparisons and subgroups are computed from

    @cached_property
    def _evidence(self) -> OrderEvidence:
        """What the games say about the concordance."""
        if self._table is not None and self.opponents is None and not self._is_ordered_only:
            return self._measure(np.ones(self.outcome.n_units, dtype=bool))
        wins, games, C = self.standings.wins, self.standings.games, self.concordance
        to_win, to_lose = games[:, 0], games[:, 1]
        deviation = wins[:, 0] - C * to_win + (to_lose - wins[:, 1]) - C * to_lose
        left, counts = 0.0, Counts.of(to_win, to_lose)
        if self.opponents is not None:
            left = 1.0 - self.opponents / (self.outcome.n_units - 1)
            # The draw of games is added, so what they estimate is that of all games.
            every = self.outcome.n_expected.astype(np.float64)
            counts = Counts.of(every[:, 0], every[:, 1])
        return OrderEvidence(
            C,
            counts,
            deviation / to_win.sum(),
            self._n_off_mode(np.ones(self.outcome.n_units, dtype=bool)),
            self.groups,
            added_variance=left * C * (1.0 - C) / float(to_win.sum()),
            drawn=self._drawn,
            own=None if self._drawn is None else self._without_each(),
        )

    def _without_each(self) -> FloatArray:
        """Return the concordance without the games of each unit, or group."""
        wins, games = self.standings.wins, self.standings.games
        own, played = wins[:, 0] + games[:, 1] - wins[:, 1], games[:, 0] + games[:, 1]
        if self.groups is not None:
            within = self.outcome.n_ordered_within(self.groups).astype(np.float64)
            own, played = by_group(own, played, self.groups, within, self.concordance)
        return np.asarray((wins[:, 0].sum() - own) / (games[:, 0].sum() - played))

    def _measure(self, inside: BoolArray) -> OrderEvidence:
        """Return the evidence of the games between units of a subgroup."""
        order, U = self._ordered_games(inside)
        return self._measure_games(order, U, self._n_off_mode(inside))

    def _measure_games(self, order: Order, U: FloatArray, n_off_mode: int) -> OrderEvidence:
        assert self._table is not None
        if not self._are_comparable:
            return OrderEvidence(
                order.concordance(U), order.counts, order.moves(U), n_off_mode, self.groups
            )
        halves = [(self._results(order, F), F) for F in self._table.halves or ()]
        return measure_order(order, U, self._table.full(), self.groups, n_off_mode, halves)

    def _ordered_games(self, inside: BoolArray | None = None) -> tuple[Order, FloatArray]:
        """Return the ordered pairs of some units, and the results for those that should win."""
        winner, loser = self.outcome.should_win()
        if inside is not None and not inside.all():
            kept = inside[winner] & inside[loser]
            winner, loser = winner[kept], loser[kept]
        order = Order(winner, loser, self.outcome.n_units)
        return order, self._results(order)

    def _results(self, order: Order, F: FloatArray | None = None) -> FloatArray:
        """Return the results of games for those that should win them, in a table or another."""
        assert self._table is not None
        F, winner, loser = self._table.full() if F is None else F, order.winner, order.loser
        return outcomes(F[winner, loser], F[loser, winner], self._table.ceiling)

    def _n_off_mode(self, inside: BoolArray) -> int:
        """Count the units, or groups, that differ from the most common outcome."""
        off = self.outcome.off_mode(inside)
        return int(off.sum()) if self.groups is None else np.unique(self.groups[off]).size

    def _subgroup(self, inside: BoolArray, level: float, units: str) -> dict[str, Any]:
        row: dict[str, Any] = {
            "units": int(inside.sum()),
            "ordered": 0,
            "concordance": np.nan,
            "low": np.nan,
            "high": np.nan,
            "phi": np.nan,
            "note": "",
        }
        _, U = self._ordered_games(inside)
        row["ordered"] = int(np.count_nonzero(~np.isnan(U)))
        n_off_mode = self._n_off_mode(inside)
        if n_off_mode < SMALLEST or not row["ordered"]:
            note = f"too small: {SMALLEST} {units} must {self._off_mode_in_words}"
            return {**row, "note": note}
        evidence = self._measure(inside)
        row["concordance"], row["phi"] = evidence.concordance, evidence.phi()
        row["low"], row["high"] = evidence.limits(level)
        if evidence.degrees_of_freedom is not None:
            row["note"] = f"small: {n_off_mode} {self._off_mode_in_words}"
        return row

    def _further_estimates(self) -> list[tuple[str, str]]:
        """Return rows of a summary about other estimates than the concordance."""
        return []

    def _rows(self) -> list[tuple[str, str]]:
        m = self.outcome.n_units
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the interval itself says how it was computed
            interval = self.concordance_interval().short
        n_peers = self.standings.n_games - self.n_ordered
        rows = [
            ("estimator", self.estimator_name),
            ("concordance", f"{self.concordance:.4f} ({interval})"),
            *self._further_estimates(),
            ("games", f"{self.n_ordered} ordered, {n_peers} between peers"),
            ("consistency", self._consistency_row()),
        ]
        n_games = self.outcome.n_ordered if self._is_ordered_only else m * (m - 1) // 2
        if self.matched is not None:
            rows.append(("matched", str(self.matched)))
            n_games = self.matched.n_pairs
        if self.opponents is not None:
            rows.append(("rounds", f"every unit met {self.opponents} of {m - 1} others"))
            n_games = m * self.opponents // 2
        return [*rows, ("played", self._played(n_games))]


def interval_of(
    evidence: OrderEvidence, level: float, notes: Sequence[str], what: str = "concordance"
) -> Interval:
    """Return the interval that evidence gives."""
    low, high = evidence.limits(level)
    phi, is_default = evidence.phi(), evidence.jackknife_variance is not None
    return Interval(
        what=what,
        estimate=evidence.concordance,
        low=low,
        high=high,
        confidence_level=float(level),
        method=DEFAULT if is_default else FALLBACK,
        phi=phi,
        variance=phi * evidence.own_variance,
        placement_variance=evidence.placement_variance,
        jackknife_variance=evidence.jackknife_variance,
        degrees_of_freedom=evidence.degrees_of_freedom,
        width_error=evidence.width_error,
        notes=tuple(notes),
    )
