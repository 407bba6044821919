"""Several classes: the AUC of every pair, and the ROC curve of every class against the others."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.arrays import FloatArray
from tlpo.displays.style import COLOURS, DASHES, plain_text
from tlpo.roc.curve import RocCurve

if TYPE_CHECKING:
    import pandas as pd

    from tlpo.results.multiclass import Multiclass

# Names that are longer lose their middle: the ends tell apart what begins alike.
LONGEST, BEGINNING, END = 22, 12, 9
# More classes get smaller numbers, and a legend beside the curves.
FEW = 6
# Of a letter, in inches; names that are wider than a cell are turned.
WIDTH = 0.09


@dataclass(eq=False, repr=False)
class MulticlassDisplay:
    """The AUCs of all pairs of classes as half a matrix, and a ROC curve for each class.

    Attributes
    ----------
    names : tuple of str
        What the classes are called.
    aucs : ndarray of shape (K, K)
        AUC of every pair of classes, NaN on the diagonal.
    curves : tuple of RocCurve
        Of every class against the others.
    areas : ndarray of shape (K,)
        AUC of every class against the others.
    auc : float
        Hand and Till's M.
    figure_, axes_
        What `plot` drew.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> import tlpo
    >>> X, y = load_iris(return_X_y=True)
    >>> k = tlpo.multiclass(GaussianNB(), X[::6, :2], y[::6])
    >>> tlpo.MulticlassDisplay.from_result(k).areas.round(3)
    array([1.   , 0.86 , 0.919])
    """

    names: tuple[str, ...]
    aucs: FloatArray
    curves: tuple[RocCurve, ...]
    areas: FloatArray
    auc: float

    figure_: Any = None
    axes_: Any = None

    @classmethod
    def from_result(cls, result: Multiclass) -> MulticlassDisplay:
        """Show a result.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> import tlpo
        >>> X, y = load_iris(return_X_y=True)
        >>> k = tlpo.multiclass(GaussianNB(), X[::6, :2], y[::6])
        >>> tlpo.MulticlassDisplay.from_result(k)
        MulticlassDisplay(3 classes, M = 0.9230)
        """
        shares = result.shares.to_numpy()
        each = result.one_vs_rest.values()
        return cls(
            tuple(map(str, result.outcome.names)),
            (shares + shares.T) / 2,
            tuple(one.roc_curve() for one in each),
            np.array([one.auc for one in each]),
            result.auc,
        )

    def __repr__(self) -> str:
        return f"MulticlassDisplay({len(self.names)} classes, M = {self.auc:.4f})"

    def frame(self) -> pd.DataFrame:
        """Return the points of the ROC curves.

        Examples
        --------
        >>> import tlpo
        >>> k = tlpo.multiclass(tlpo.RLS(), [[1], [2], [3], [4], [5], [6]], list("aaabbb"))
        >>> print(tlpo.MulticlassDisplay.from_result(k).frame().head(2))
          class  fpr       tpr  thresholds
        0     a  0.0  0.000000         5.0
        1     a  0.0  0.333333         4.0
        """
        import pandas as pd

        parts = [
            pd.DataFrame({"class": np.full(curve.fpr.size, name), **curve._asdict()})
            for name, curve in zip(self.names, self.curves, strict=True)
        ]
        return pd.concat(parts, ignore_index=True)

    def plot(self) -> MulticlassDisplay:
        """Draw both in a new figure, which grows with the number of classes."""
        import matplotlib.pyplot as plt

        widths, heights = zip(self.matrix_size, self.curves_size, strict=True)
        self.figure_, self.axes_ = plt.subplots(
            1, 2, figsize=(sum(widths), max(heights)), width_ratios=widths, layout="constrained"
        )
        self.plot_matrix(self.axes_[0])
        self.plot_curves(self.axes_[1])
        return self

    @property
    def matrix_size(self) -> tuple[float, float]:
        """Width and height that the matrix needs, in inches."""
        below = 0.5 * self._longest if self._are_turned else 0.2
        return self._side + 0.6 + max(0.8, self._longest), self._side + 0.8 + below

    @property
    def curves_size(self) -> tuple[float, float]:
        """Width and height that the curves need, in inches."""
        beside = 0.4 if self._are_few else 1.6 + self._longest
        return self._side + 1.0 + beside, self._side + 1.0

    @property
    def _are_few(self) -> bool:
        return len(self.names) <= FEW

    @property
    def _side(self) -> float:
        """Of the matrix, in inches."""
        return max(3.4, 0.48 * len(self.names))

    @property
    def _longest(self) -> float:
        """The longest name as it is written, in inches."""
        return WIDTH * max(len(self._called(k)) for k in range(len(self.names)))

    @property
    def _are_turned(self) -> bool:
        return self._longest > self._side / (len(self.names) - 1)

    def plot_matrix(self, ax: Any) -> None:
        """Draw each pair once: rows begin with the second class, columns end before the last."""
        names = [self._called(k) for k in range(len(self.names))]
        half = np.where(np.tri(len(names), k=-1), self.aucs, np.nan)[1:, :-1]
        ax.imshow(half, vmin=0.5, vmax=1.0, cmap="Blues")
        for a, b in combinations(range(len(names)), 2):
            auc = self.aucs[b, a]
            style = {"color": "white" if auc > 0.8 else "black"}
            style["size"] = "medium" if self._are_few else "small"
            ax.text(a, b - 1, f"{auc:.3f}", ha="center", va="center", **style)
        ticks = np.arange(len(names) - 1)
        ax.set_xticks(ticks, names[:-1])
        if self._are_turned:
            ax.tick_params(axis="x", labelrotation=35)
            for label in ax.get_xticklabels():
                label.set(ha="right", rotation_mode="anchor")
        ax.set_yticks(ticks, names[1:])
        ax.spines[:].set_visible(False)
        ax.set_title(f"AUC of each pair of classes (M = {self.auc:.3f})", fontsize=10)

    def plot_curves(self, ax: Any) -> None:
        """Draw the ROC curve of every class against the others."""
        ax.plot([0, 1], [0, 1], ":", color="0.6", linewidth=1)
        for k, (curve, area) in enumerate(zip(self.curves, self.areas, strict=True)):
            ax.plot(
                curve.fpr,
                curve.tpr,
                color=COLOURS[k % len(COLOURS)],
                linestyle=DASHES[k % len(DASHES)],
                label=f"{self._called(k)} ({area:.3f})",
            )
        ax.set(xlabel="1 − specificity", ylabel="sensitivity", aspect="equal")
        ax.set_title("Each class against the others (AUC)", fontsize=10)
        place: dict[str, Any] = {"loc": "lower right"}
        if not self._are_few:
            place = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5)}
        ax.legend(fontsize=9, frameon=False, **place)

    def _called(self, k: int) -> str:
        name = self.names[k]
        if len(name) > LONGEST:
            name = f"{name[:BEGINNING].rstrip()}…{name[-END:].lstrip()}"
        return plain_text(name)
