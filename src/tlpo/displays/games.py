"""Who beat whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.arrays import BoolArray, FloatArray
from tlpo.displays.style import COLOURS, axes
from tlpo.errors import InputError, explain
from tlpo.results.tournament import Tournament

if TYPE_CHECKING:
    import pandas as pd


@dataclass(eq=False, repr=False)
class TournamentDisplay:
    """The win matrix, with units sorted by score.

    Attributes
    ----------
    games : ndarray of shape (m, m)
        1, ½ or 0: the row's unit against the column's; best unit first. NaN: not played.
    is_positive : ndarray of shape (m,)
        Class of each row.
    names : list
        Name of each row's unit.
    consistency : float
        ξ of the tournament.
    figure_, ax_, image_
        What `plot` drew.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> import tlpo
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> t = tlpo.tournament(tlpo.RLS(), X[200:230, [1, 4]], y[200:230] == 0)
    >>> display = tlpo.TournamentDisplay.from_result(t).plot()
    >>> display
    TournamentDisplay(30 units, ξ = 1.000)
    >>> display.names[:5]  # the five tumours that won most often
    [19, 2, 13, 28, 14]
    """

    games: FloatArray
    is_positive: BoolArray
    names: list[Any]
    consistency: float

    figure_: Any = None
    ax_: Any = None
    image_: Any = None

    @classmethod
    def from_result(cls, tournament: Tournament) -> TournamentDisplay:
        """Show the games of a tournament that kept its predictions.

        Examples
        --------
        >>> import tlpo
        >>> X, y = [[1], [2], [5], [4], [7], [8]], [0, 0, 0, 1, 1, 1]
        >>> tlpo.TournamentDisplay.from_result(tlpo.tournament(tlpo.RLS(), X, y))
        TournamentDisplay(6 units, ξ = 1.000)
        """
        games = tournament.win_matrix()
        if games is None:
            raise InputError(
                explain(
                    "The games were not kept.",
                    f"You passed a tournament of {tournament.labels.n_units} units without "
                    "predictions.",
                    "Play with predictions=True.",
                )
            )
        labels = tournament.labels
        return cls.from_games(
            games, tournament.scores, labels.is_positive, tournament.consistency, labels.unit_names
        )

    @classmethod
    def from_games(
        cls,
        games: FloatArray,
        scores: FloatArray,
        is_positive: BoolArray,
        consistency: float,
        names: Any = None,
    ) -> TournamentDisplay:
        """Show a win matrix whose units are in any order; names are numbers by default.

        Examples
        --------
        Three units that beat each other in turn:

        >>> import numpy as np
        >>> import tlpo
        >>> games = np.array([[np.nan, 1, 0], [0, np.nan, 1], [1, 0, np.nan]])
        >>> classes = np.array([True, False, True])
        >>> tlpo.TournamentDisplay.from_games(games, np.ones(3), classes, consistency=0.0)
        TournamentDisplay(3 units, ξ = 0.000)
        """
        order = np.argsort(-np.nan_to_num(scores, nan=-1.0), kind="stable")
        return cls(
            games=games[np.ix_(order, order)],
            is_positive=is_positive[order],
            names=[int(k) if names is None else names[k] for k in order],
            consistency=consistency,
        )

    def __repr__(self) -> str:
        return f"TournamentDisplay({len(self.games)} units, ξ = {self.consistency:.3f})"

    def plot(self, ax: Any = None) -> TournamentDisplay:
        """Draw wins dark, losses light, ties in between, and the classes along the edges.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        from matplotlib.colors import ListedColormap

        ax = axes(ax, (4.2, 4.2))
        m = len(self.games)
        shades = ListedColormap(["#e4e4e4", "#9ecae1", "#2f6690"])
        self.image_ = ax.imshow(
            2.0 * self.games, cmap=shades, vmin=0, vmax=2, interpolation="nearest"
        )
        width = max(1.0, 0.035 * m)
        ax.add_collection(_edges(self.is_positive, width), autolim=False)
        ax.set(
            xlim=(-0.5 - 1.5 * width, m - 0.5),
            ylim=(m - 0.5, -0.5 - 1.5 * width),
            xlabel="opponent, most wins first",
            ylabel="most wins first",
            xticks=[],
            yticks=[],
        )
        handles = [
            _square(colour, name)
            for colour, name in (
                ("#2f6690", "won"),
                ("#9ecae1", "tie"),
                ("#e4e4e4", "lost"),
                (COLOURS[1], "positive"),
                ("0.75", "negative"),
            )
        ]
        ax.spines[:].set_visible(False)
        ax.legend(
            handles=handles,
            loc="upper center",
            bbox_to_anchor=(0.5, -0.06),
            ncols=5,
            frameon=False,
            fontsize="x-small",
            handlelength=1.0,
            columnspacing=1.0,
        )
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def frame(self) -> pd.DataFrame:
        """Return the win matrix, labelled with the names of the units.

        Examples
        --------
        >>> import tlpo
        >>> X, y = [[1], [2], [5], [4], [7], [8]], [0, 0, 0, 1, 1, 1]
        >>> print(tlpo.TournamentDisplay.from_result(tlpo.tournament(tlpo.RLS(), X, y)).frame())
             5    4    2    3    1    0
        5  NaN  1.0  1.0  1.0  1.0  1.0
        4  0.0  NaN  1.0  1.0  1.0  1.0
        2  0.0  0.0  NaN  1.0  1.0  1.0
        3  0.0  0.0  0.0  NaN  1.0  1.0
        1  0.0  0.0  0.0  0.0  NaN  1.0
        0  0.0  0.0  0.0  0.0  0.0  NaN
        """
        import pandas as pd

        return pd.DataFrame(self.games, index=self.names, columns=self.names)


def _edges(is_positive: BoolArray, width: float) -> Any:
    """Return bars left of and above the games, one for each run of units of a class."""
    from matplotlib.collections import PolyCollection

    ends = np.flatnonzero(np.append(np.diff(is_positive), True)) + 1
    first, last = np.append(0, ends[:-1]) - 0.5, ends - 0.5
    low, high = np.full(ends.size, -0.5 - 1.4 * width), np.full(ends.size, -0.5 - 0.4 * width)
    across = np.stack([low, high, high, low], axis=1)
    along = np.stack([first, first, last, last], axis=1)
    corners = np.concatenate([np.stack([across, along], axis=2), np.stack([along, across], axis=2)])
    colours = [COLOURS[1] if positive else "0.75" for positive in is_positive[ends - 1]]
    return PolyCollection(list(corners), facecolors=2 * colours, edgecolors="none")


def _square(colour: str, name: str) -> Any:
    """Return what a legend shows for a colour."""
    from matplotlib.patches import Patch

    return Patch(facecolor=colour, edgecolor="none", label=name)
