"""A finished tournament of units with numbers or grades, and its concordance."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tlpo.problem.outcome import Ordered
from tlpo.results.ordered_games import OrderedGames

if TYPE_CHECKING:
    import pandas as pd

    from tlpo.displays import ConcordanceDisplay


@dataclass(frozen=True, eq=False, repr=False)
class Concordance(OrderedGames):
    """A tournament of units with numbers or grades. `concordance` plays it.

    Attributes
    ----------
    standings : Standings
        ``standings.wins``: wins of each unit against those that should lose, those that should win,
        and peers, which have the same outcome.
    outcome : Ordered
        The outcome of every unit, as ``outcome.y``.
    engine : str
        How the games were played.
    diagnostics : Diagnostics
        Games played, fits, seconds, warnings.
    estimator_name : str
        What was evaluated.
    groups : ndarray of shape (m,) or None
        Units that were left out together.
    opponents : int or None
        How many others every unit met, if not all.
    matched : Matched or None
        How many pairs ``match`` left; None if every ordered pair met.

    Notes
    -----
    With ``F[i, j]`` and H of `tournament`, over the pairs in which i has the larger outcome::

        concordance = Σ H(F[i, j] − F[j, i]) / number of such pairs

    ½ is chance, and ``2 · concordance − 1`` is Somers' D of the predictions given the outcome.
    Scores and ``consistency`` are those of `Tournament`.

    Examples
    --------
    How far diabetes has progressed, in forty patients:

    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import Ridge
    >>> import tlpo
    >>> X, y = load_diabetes(return_X_y=True)
    >>> c = tlpo.concordance(Ridge(alpha=0.01), X[:40], y[:40])
    >>> c
    Concordance of 40 units, y from 49 to 341 (38 different values)
      estimator    Ridge
      concordance  0.7584 (0.6... to 0.8..., 95 % interval)
      Somers' D    0.5167
      games        778 ordered, 2 between peers
      consistency  ξ = 0.997 (7 circular triads, 0 ties)
      played       780 games, 1 fit, ..., engine least-squares
    >>> low, high = c.concordance_interval()
    >>> f"C {c.concordance:.2f} ({low:.2f} to {high:.2f})"
    'C 0.76 (0.66 to 0.83)'
    """

    outcome: Ordered = field(kw_only=True)

    @property
    def somers_d(self) -> float:
        """Somers' D of the predictions given the outcome: ``2 · concordance − 1``."""
        return 2.0 * self.concordance - 1.0

    def to_frame(self) -> pd.DataFrame:
        """Tabulate the units: outcome, score, rank, wins by kinds of opponents.

        Examples
        --------
        >>> import tlpo
        >>> c = tlpo.concordance(tlpo.RLS(), [[1], [2], [5], [4], [7]], [10, 20, 20, 40, 50])
        >>> print(c.to_frame().drop(columns="outcome"))
              score  rank  wins_expected  wins_unexpected  wins_against_peers
        unit
        0       0.0   5.0            0.0              0.0                 0.0
        1       1.0   4.0            1.0              0.0                 0.0
        2       3.0   2.0            1.0              1.0                 1.0
        3       2.0   3.0            2.0              0.0                 0.0
        4       4.0   1.0            4.0              0.0                 0.0
        """
        return self._frame({"outcome": self.outcome.values})

    def plot(self, ax: Any = None, *, name: str | None = None) -> ConcordanceDisplay:
        """Draw wins against the outcome, with a line for every game that ended the wrong way.

        Examples
        --------
        >>> import tlpo
        >>> c = tlpo.concordance(tlpo.RLS(), [[1], [2], [5], [4], [7]], [10, 20, 20, 40, 50])
        >>> c.plot()
        ConcordanceDisplay(5 units, 1 of 9 pairs the wrong way)
        """
        from tlpo.displays import ConcordanceDisplay

        return ConcordanceDisplay.from_result(self, name=name).plot(ax)

    def _title(self) -> str:
        return f"Concordance of {self.outcome.count}"

    def _further_estimates(self) -> list[tuple[str, str]]:
        return [("Somers' D", f"{self.somers_d:.4f}")]
