"""The score of every unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.arrays import BoolArray, FloatArray
from tlpo.displays.style import COLOURS, MOST_DOTS, axes, plain_text, wrapped
from tlpo.results.ranking import Ranking

if TYPE_CHECKING:
    import pandas as pd


@dataclass(eq=False, repr=False)
class ScoreDisplay:
    """The wins of every unit, one dot each, by class.

    Attributes
    ----------
    scores : ndarray of shape (m,)
        Tournament scores.
    is_positive : ndarray of shape (m,)
        Class of each unit.
    classes : (str, str)
        Names of the negative and the positive class.
    figure_, ax_, dots_
        What `plot` drew.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> import tlpo
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> kind = ["malignant" if label == 0 else "benign" for label in y[200:230]]
    >>> t = tlpo.tournament(tlpo.RLS(), X[200:230, [1, 4]], kind)
    >>> tlpo.ScoreDisplay.from_result(t).plot()
    ScoreDisplay(14 × malignant, 16 × benign)
    """

    scores: FloatArray
    is_positive: BoolArray
    classes: tuple[str, str]

    figure_: Any = None
    ax_: Any = None
    dots_: Any = None

    @classmethod
    def from_result(cls, result: Ranking) -> ScoreDisplay:
        """Show the scores of a result.

        Examples
        --------
        >>> import tlpo
        >>> a = tlpo.assess([1, 2, 4, 3, 5, 6], ["well", "well", "well", "ill", "ill", "ill"])
        >>> tlpo.ScoreDisplay.from_result(a)
        ScoreDisplay(3 × ill, 3 × well)
        """
        labels = result.labels
        return cls(result.scores, labels.is_positive, (str(labels.negative), str(labels.positive)))

    def __repr__(self) -> str:
        n_positive = int(self.is_positive.sum())
        n_negative = self.is_positive.size - n_positive
        return f"ScoreDisplay({n_positive} × {self.classes[1]}, {n_negative} × {self.classes[0]})"

    def plot(self, ax: Any = None) -> ScoreDisplay:
        """Draw the dots; those that would overlap are stacked.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        from matplotlib.ticker import MaxNLocator

        ax = axes(ax, (5.2, 2.4))
        rated = ~np.isnan(self.scores)
        low, high = float(self.scores[rated].min()), float(self.scores[rated].max())
        step = max((high - low) / 45.0, 1e-12)
        self.dots_ = []
        names = []
        for row, (name, colour) in enumerate(zip(self.classes, ("0.45", COLOURS[1]), strict=True)):
            own = np.sort(self.scores[rated & (self.is_positive == (row == 1))])
            place = np.round((own - low) / step).astype(int)
            stack = np.arange(own.size) - np.searchsorted(place, place)
            height = row + 0.75 * stack / max(8, int(stack.max(initial=0)))
            marker = "o" if row == 0 else "D"
            (dots,) = ax.plot(own, height, marker, color=colour, markersize=4, alpha=0.85)
            dots.set_rasterized(own.size > MOST_DOTS)
            self.dots_.append(dots)
            names.append(plain_text(wrapped(_shorten(name, 60), 20)) + f"\n({own.size})")
        ax.set(xlabel="wins", yticks=[0, 1], yticklabels=names, ylim=(-0.2, 1.95))
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.tick_params(axis="y", length=0, labelsize="small")
        ax.spines[["top", "right", "left"]].set_visible(False)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def frame(self) -> pd.DataFrame:
        """Return score and class of every unit.

        Examples
        --------
        >>> import tlpo
        >>> print(tlpo.ScoreDisplay.from_result(tlpo.assess([1, 4, 3], [0, 0, 1])).frame())
           score  positive
        0    1.0     False
        1    4.0     False
        2    3.0      True
        """
        import pandas as pd

        return pd.DataFrame({"score": self.scores, "positive": self.is_positive})


def _shorten(text: str, most: int) -> str:
    """Cut a long label, and show that it was cut."""
    return text if len(text) <= most else text[: most - 1] + "…"
