"""Decision curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tlpo.displays.style import COLOURS, axes
from tlpo.results.probabilities import THRESHOLDS, Probabilities

if TYPE_CHECKING:
    import pandas as pd


@dataclass(eq=False, repr=False)
class NetBenefitDisplay:
    """Net benefit over threshold probabilities: a decision curve.

    Attributes
    ----------
    table : DataFrame
        What `Probabilities.net_benefit` returns.
    confidence_level : float
        Of its limits.
    figure_, ax_, line_, band_, all_, none_
        What `plot` drew.

    Notes
    -----
    Formula: `Probabilities`.

    Examples
    --------
    >>> import numpy as np
    >>> import tlpo
    >>> rng = np.random.default_rng(0)
    >>> p = rng.uniform(size=100)
    >>> ill = rng.random(100) < p
    >>> tlpo.NetBenefitDisplay.from_result(tlpo.Probabilities(p, ill)).plot()
    NetBenefitDisplay(thresholds 0.01 to 0.99)
    """

    table: pd.DataFrame
    confidence_level: float = 0.95

    figure_: Any = None
    ax_: Any = None
    line_: Any = None
    band_: Any = None
    all_: Any = None
    none_: Any = None

    @classmethod
    def from_result(
        cls,
        probabilities: Probabilities,
        *,
        thresholds: Any = THRESHOLDS,
        confidence_level: float = 0.95,
    ) -> NetBenefitDisplay:
        """Show the net benefit of probabilities, for example those of a tournament.

        Examples
        --------
        >>> import numpy as np
        >>> import tlpo
        >>> p, ill = np.array([0.2, 0.4, 0.6, 0.8]), np.array([False, True, False, True])
        >>> found = tlpo.Probabilities(p, ill)
        >>> tlpo.NetBenefitDisplay.from_result(found, thresholds=[0.1, 0.2, 0.3])
        NetBenefitDisplay(thresholds 0.1 to 0.3)
        """
        return cls(probabilities.net_benefit(thresholds, confidence_level), confidence_level)

    def __repr__(self) -> str:
        low, high = self.table["threshold"].min(), self.table["threshold"].max()
        return f"NetBenefitDisplay(thresholds {low:g} to {high:g})"

    def plot(self, ax: Any = None) -> NetBenefitDisplay:
        """Draw the net benefit of the model, of treating all, and of treating none.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        ax = axes(ax, (4.2, 4.2))
        table = self.table
        at = table["threshold"]
        self.none_ = ax.axhline(0, color="0.5", linewidth=1.0, label="treat none")
        (self.all_,) = ax.plot(at, table["all"], "--", color="0.5", label="treat all")
        self.band_ = ax.fill_between(
            at,
            table["low"],
            table["high"],
            color=COLOURS[0],
            alpha=0.15,
            linewidth=0,
            label=f"{100 * self.confidence_level:.4g}% limits, pointwise",
        )
        (self.line_,) = ax.plot(at, table["model"], color=COLOURS[0], linewidth=1.6, label="model")
        # Far below zero the decision is clear, and limits of the last thresholds are vast.
        top = max(0.05, float(table["model"].max()), float(table["all"].max()))
        ax.set(
            xlabel="threshold probability",
            ylabel="net benefit",
            xlim=(0, 1),
            ylim=(-0.6 * top, 1.5 * top),
        )
        ax.spines[["top", "right"]].set_visible(False)
        ax.legend(
            handles=[self.line_, self.band_, self.all_, self.none_],
            loc="upper right",
            frameon=False,
            fontsize="small",
        )
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def frame(self) -> pd.DataFrame:
        """Return the numbers behind the plot.

        Examples
        --------
        >>> import numpy as np
        >>> import tlpo
        >>> p, ill = np.array([0.2, 0.4, 0.6, 0.8]), np.array([False, True, False, True])
        >>> found = tlpo.Probabilities(p, ill)
        >>> display = tlpo.NetBenefitDisplay.from_result(found, thresholds=[0.3, 0.5])
        >>> print(display.frame()[["threshold", "model", "all", "none"]].round(3))
           threshold  model    all  none
        0        0.3  0.393  0.286   0.0
        1        0.5  0.000  0.000   0.0
        """
        return self.table.copy()
