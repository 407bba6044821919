"""Scores of several classes that were fixed beforehand: one for every class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.checks import require_level
from tlpo.problem.outcome import SeveralClasses
from tlpo.results.intervals import Interval
from tlpo.results.summary import Summary
from tlpo.roc.intervals import two_sided_quantile
from tlpo.roc.order import order_interval
from tlpo.roc.several import ClassGames, SeveralEvidence
from tlpo.synonyms import refuse_foreign_arguments

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class FixedMulticlass(Summary):
    """Scores of several classes that were fixed beforehand. `assess` makes it.

    Attributes
    ----------
    values : ndarray of shape (m, K)
        A score for every class, in the order of their names.
    outcome : SeveralClasses
        The class of every unit.
    groups : ndarray of shape (m,) or None
        Units that belong together, and are not independent.

    Notes
    -----
    Formulas: `Multiclass`, with scores in place of responses.

    Examples
    --------
    >>> import numpy as np
    >>> import tlpo
    >>> y = np.repeat(["a", "b", "c"], 4)
    >>> noise = np.random.default_rng(0).normal(size=(12, 3))
    >>> scores = noise + (y[:, None] == ["a", "b", "c"])
    >>> round(tlpo.assess(scores, y).auc, 3)
    0.875
    """

    values: FloatArray
    outcome: SeveralClasses
    groups: IntArray | None = None

    @property
    def auc(self) -> float:
        """Hand and Till's M: the mean AUC of all pairs of classes."""
        return self._games.auc()

    @property
    def standard_error(self) -> float:
        """Standard error of M; with groups, over groups."""
        return float(np.sqrt(self._evidence.placement_variance))

    @property
    def shares(self) -> pd.DataFrame:
        """A(a|b) as a table: how often units of the row's class have its larger score."""
        import pandas as pd

        names = list(self.outcome.names)
        return pd.DataFrame(self._games.shares, index=names, columns=names)

    @refuse_foreign_arguments
    def auc_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return a score interval for M: that of `Multiclass`, with the placement variance."""
        require_level("confidence_level", confidence_level)
        found = self._evidence
        phi = found.design_effect
        if found.own_variance > 0 and found.placement_variance > 0:
            phi = found.placement_variance / found.own_variance
        quantile = two_sided_quantile(confidence_level, found.degrees_of_freedom)
        low, high = order_interval(found.concordance, found.counts, phi, quantile)
        return Interval(
            what="AUC (M)",
            estimate=found.concordance,
            low=low,
            high=high,
            confidence_level=float(confidence_level),
            method="score",
            phi=phi,
            variance=phi * found.own_variance,
            placement_variance=found.placement_variance,
            degrees_of_freedom=found.degrees_of_freedom,
        )

    @cached_property
    def _games(self) -> ClassGames:
        code, K = self.outcome.code, len(self.outcome.names)
        is_of = code[:, None] == np.arange(K)
        wins, games = [], []
        for own in self.values.T:
            beats = np.heaviside(own[:, None] - own[None, :], 0.5)
            np.fill_diagonal(beats, 0.0)
            wins.append(beats @ is_of)
            games.append(np.tile(is_of.sum(axis=0), (code.size, 1)) - is_of.astype(float))
        return ClassGames(code, wins, games, groups=self.groups)

    @cached_property
    def _evidence(self) -> SeveralEvidence:
        return self._games.measure(self._games.blocks())

    def _title(self) -> str:
        return f"Scores of {self.outcome.count}"

    def _rows(self) -> list[tuple[str, str]]:
        return [("AUC (M)", f"{self.auc:.4f} ({self.auc_interval().short}; Hand and Till)")]
