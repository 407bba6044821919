"""Wins against an outcome of numbers, grades or times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.displays.style import COLOURS, MOST_DOTS, axes, plain_text
from tlpo.errors import InputError, explain
from tlpo.problem.outcome import Ordered, TimeToEvent

if TYPE_CHECKING:
    import pandas as pd

    from tlpo.results.ordered_games import OrderedGames

# More grades than this are numbered like any other number.
MOST_NAMED = 12


@dataclass(eq=False, repr=False)
class ConcordanceDisplay:
    """Wins of every unit against its outcome, with a line for every pair ranked the wrong way.

    Attributes
    ----------
    y : ndarray of shape (m,)
        The outcome: numbers, places of grades, or times to an event.
    wins : ndarray of shape (m,)
        Tournament scores.
    lost : ndarray of shape (k, 2)
        Ordered games that ended the wrong way: who should have won, and who won.
    n_ordered : int
        Ordered games.
    grades : tuple of str or None
        Names of grades.
    name : str or None
        What the model is called.
    event : ndarray of bool of shape (m,) or None
        Of times, who had the event.
    figure_, ax_, dots_, lines_
        What `plot` drew.

    Examples
    --------
    >>> import tlpo
    >>> c = tlpo.concordance(tlpo.RLS(), [[1], [2], [5], [4], [7]], [10, 20, 20, 40, 50])
    >>> tlpo.ConcordanceDisplay.from_result(c).lost
    array([[3, 2]])
    """

    y: FloatArray
    wins: FloatArray
    lost: IntArray
    n_ordered: int
    grades: tuple[str, ...] | None = None
    name: str | None = None
    event: BoolArray | None = None

    figure_: Any = None
    ax_: Any = None
    dots_: Any = None
    lines_: Any = None

    @classmethod
    def from_result(cls, result: OrderedGames, *, name: str | None = None) -> ConcordanceDisplay:
        """Show the games of a result.

        Examples
        --------
        >>> import tlpo
        >>> c = tlpo.concordance(tlpo.RLS(), [[1], [2], [5], [4], [7]], [10, 20, 20, 40, 50])
        >>> tlpo.ConcordanceDisplay.from_result(c, name="ridge")
        ConcordanceDisplay(ridge, 5 units, 1 of 9 pairs the wrong way)
        """
        if result.predictions is None:
            raise InputError(
                explain(
                    "The picture needs to know who won every game.",
                    "You passed a result that kept no held-out predictions.",
                    "Play with predictions=True.",
                )
            )
        wins, outcome = result.win_matrix(), result.outcome
        assert wins is not None
        if isinstance(outcome, TimeToEvent):
            return cls.from_games(wins, outcome.time, result.scores, name=name, event=outcome.event)
        assert isinstance(outcome, Ordered)
        called = None if outcome.grades is None else tuple(map(str, outcome.grades))
        return cls.from_games(wins, outcome.y, result.scores, called, name)

    @classmethod
    def from_games(
        cls,
        wins: FloatArray,
        y: FloatArray,
        scores: FloatArray,
        grades: tuple[str, ...] | None = None,
        name: str | None = None,
        event: BoolArray | None = None,
    ) -> ConcordanceDisplay:
        """Show games from their matrix of wins; with ``event``, y are times.

        Examples
        --------
        >>> import numpy as np
        >>> import tlpo
        >>> wins = np.array([[np.nan, 1.0], [0.0, np.nan]])
        >>> tlpo.ConcordanceDisplay.from_games(wins, np.array([1.0, 2.0]), np.array([1.0, 0.0]))
        ConcordanceDisplay(2 units, 1 of 1 pairs the wrong way)
        """
        outcome = Ordered(y) if event is None else TimeToEvent(y, event)
        winner, loser = outcome.should_win()
        U = wins[winner, loser]
        wrong = U == 0.0
        lost = np.column_stack([winner[wrong], loser[wrong]])
        return cls(y, scores, lost, int(np.count_nonzero(~np.isnan(U))), grades, name, event)

    def __repr__(self) -> str:
        name = "" if self.name is None else f"{self.name}, "
        lost = f"{len(self.lost)} of {self.n_ordered} pairs the wrong way"
        return f"ConcordanceDisplay({name}{self.y.size} units, {lost})"

    def plot(self, ax: Any = None) -> ConcordanceDisplay:
        """Draw the units and the games that ended the wrong way.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        from matplotlib.collections import LineCollection
        from matplotlib.ticker import MaxNLocator

        ax = axes(ax, (5.2, 4.0))
        x = self.y + self._spread()
        points = np.column_stack([x, self.wins])
        # Many lines are a shade, few are lines.
        alpha = float(np.clip(40.0 / max(1, len(self.lost)), 0.03, 0.5))
        self.lines_ = ax.add_collection(
            LineCollection(list(points[self.lost]), colors="0.35", linewidths=0.6, alpha=alpha)
        )
        style: dict[str, Any] = {"color": COLOURS[0], "markersize": 4.5, "alpha": 0.9}
        style["rasterized"] = x.size > MOST_DOTS
        full = np.ones(x.size, dtype=bool) if self.event is None else self.event
        (self.dots_,) = ax.plot(x[full], self.wins[full], "o", **style)
        ax.set(xlabel="outcome" if self.event is None else "time", ylabel="wins")
        if self.event is not None:
            hollow = ax.plot(x[~full], self.wins[~full], "o", mfc="white", **style)
            handles = [handle for handle in (self.dots_, *hollow) if handle.get_xdata().size]
            names = ["event"] * bool(full.any()) + ["censored"] * bool((~full).any())
            ax.legend(handles, names, loc="best", frameon=False, fontsize="small")
        if self.grades is not None and len(self.grades) <= MOST_NAMED:
            names = [plain_text(name) for name in self.grades]
            ax.set_xticks(range(len(names)), names)
            ax.set_xlabel("grade")
        ax.yaxis.set_major_locator(MaxNLocator(integer=True))
        ax.spines[["top", "right"]].set_visible(False)
        share = 100.0 * len(self.lost) / max(1, self.n_ordered)
        title = f"{len(self.lost)} of {self.n_ordered} pairs ranked the wrong way ({share:.0f}%)"
        ax.set_title(
            title if self.name is None else f"{plain_text(self.name)}\n{title}", fontsize="medium"
        )
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def frame(self) -> pd.DataFrame:
        """Return outcome, wins, and how many ordered games every unit lost and won wrongly.

        Examples
        --------
        >>> import tlpo
        >>> c = tlpo.concordance(tlpo.RLS(), [[1], [2], [5], [4], [7]], [10, 20, 20, 40, 50])
        >>> print(tlpo.ConcordanceDisplay.from_result(c).frame())
           outcome  wins  lost_wrongly  won_wrongly
        0     10.0   0.0             0            0
        1     20.0   1.0             0            0
        2     20.0   3.0             0            1
        3     40.0   2.0             1            0
        4     50.0   4.0             0            0
        """
        import pandas as pd

        m = self.y.size
        return pd.DataFrame(
            {
                "outcome": self.y,
                "wins": self.wins,
                "lost_wrongly": np.bincount(self.lost[:, 0], minlength=m),
                "won_wrongly": np.bincount(self.lost[:, 1], minlength=m),
            }
        )

    def _spread(self) -> FloatArray:
        """Return small shifts that keep units of one grade apart, the same in every picture."""
        if self.grades is None:
            return np.zeros(self.y.size)
        place = np.argsort(np.argsort(self.wins, kind="stable"), kind="stable")
        return np.asarray(0.24 * ((place * 0.618034) % 1.0 - 0.5))
