"""Estimates of several schemes, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.displays.style import COLOURS, axes

if TYPE_CHECKING:
    import pandas as pd

HONEST = ("tlpo", "lpo", "quicksort", "kfold-averaged")
SCHEME_NAMES = {
    "tlpo": "tournament (TLPO)",
    "lpo": "leave-pair-out",
    "loo": "leave-one-out, pooled",
    "kfold-pooled": "K-fold, pooled",
    "kfold-averaged": "K-fold, averaged",
    "harrell": "bootstrap (Harrell)",
    "632": "bootstrap (.632)",
    "632+": "bootstrap (.632+)",
    "quicksort": "quicksort",
}


@dataclass(eq=False, repr=False)
class SchemesDisplay:
    """Several estimates of one AUC or concordance, side by side.

    Attributes
    ----------
    estimates : dict of str to float
        Estimate by scheme.
    interval : (float, float) or None
        Interval of the tournament's.
    measure : {"AUC", "concordance"}
        What was estimated.
    figure_, ax_, dots_
        What `plot` drew.

    Examples
    --------
    >>> import numpy as np
    >>> import tlpo
    >>> y = np.arange(30) % 2
    >>> X = np.random.default_rng(0).normal(size=(30, 10)) + 0.3 * y[:, None]
    >>> table = tlpo.evaluate(tlpo.RLS(), X, y, schemes=("tlpo", "loo", "harrell"), random_state=0)
    >>> interval = tlpo.tournament(tlpo.RLS(), X, y).auc_interval()
    >>> tlpo.SchemesDisplay.from_result(table, tuple(interval)).plot()
    SchemesDisplay(tlpo 0.542, loo 0.431, harrell 0.659)
    """

    estimates: dict[str, float]
    interval: tuple[float, float] | None = None
    measure: str = "AUC"

    figure_: Any = None
    ax_: Any = None
    dots_: Any = None

    @classmethod
    def from_result(
        cls, table: pd.DataFrame, interval: tuple[float, float] | None = None
    ) -> SchemesDisplay:
        """Show the table that `evaluate` returns.

        Examples
        --------
        >>> from sklearn.dummy import DummyClassifier
        >>> import tlpo
        >>> X, y = [[0.0]] * 10, [0, 1] * 5
        >>> table = tlpo.evaluate(DummyClassifier(), X, y, schemes=("lpo", "loo"))
        >>> tlpo.SchemesDisplay.from_result(table)
        SchemesDisplay(lpo 0.500, loo 0.000)
        """
        measure = "AUC" if "auc" in table else "concordance"
        found = table[measure.lower()].items()
        return cls({str(name): float(value) for name, value in found}, interval, measure)

    def __repr__(self) -> str:
        aucs = (f"{name} {auc:.3f}" for name, auc in self.estimates.items())
        return f"SchemesDisplay({', '.join(aucs)})"

    def plot(self, ax: Any = None) -> SchemesDisplay:
        """Draw one line per scheme, with the interval shaded behind them.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        ax = axes(ax, (5.2, 0.6 + 0.3 * len(self.estimates)))
        if self.interval is not None:
            ax.axvspan(*self.interval, color=COLOURS[0], alpha=0.12, linewidth=0)
        ax.axvline(0.5, color="0.7", linewidth=0.8)
        names = list(self.estimates)
        values = [self.estimates[name] for name in names]
        known = [v for v in (*values, *(self.interval or ())) if v == v]
        rows = np.arange(len(names))[::-1]
        honest = [name in HONEST for name in names]
        colours = [COLOURS[0] if good else COLOURS[1] for good in honest]
        self.dots_ = ax.scatter(values, rows, c=colours, s=30, zorder=3)
        for value, row in zip(values, rows, strict=True):
            text = f"{value:.3f}" if value == value else "not defined"
            at = (value if value == value else 0.5, row)
            ax.annotate(text, at, (6, 4), textcoords="offset points", fontsize="x-small")
        ax.set(
            yticks=rows,
            yticklabels=[SCHEME_NAMES.get(name, name) for name in names],
            xlabel=self.measure,
            xlim=(min([0.3, *(v - 0.03 for v in known)]), 1.06),
            ylim=(-0.7, len(names) - 0.3),
        )
        ax.tick_params(axis="y", length=0, labelsize="small")
        ax.spines[["top", "right", "left"]].set_visible(False)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def frame(self) -> pd.DataFrame:
        """Return the estimates.

        Examples
        --------
        >>> import tlpo
        >>> print(tlpo.SchemesDisplay({"lpo": 0.75, "loo": 0.5}).frame())
          scheme   auc
        0    lpo  0.75
        1    loo  0.50
        """
        import pandas as pd

        estimates = {self.measure.lower(): list(self.estimates.values())}
        return pd.DataFrame({"scheme": list(self.estimates), **estimates})
