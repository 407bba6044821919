"""Survival curves of groups, with numbers at risk below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.displays.style import COLOURS, DASHES, axes, plain_text
from tlpo.roc.kaplan_meier import KaplanMeier

if TYPE_CHECKING:
    import pandas as pd

# Numbers at risk are shown at about so many times.
N_TIMES = 5


@dataclass(eq=False, repr=False)
class SurvivalDisplay:
    """Kaplan-Meier curves of groups, with a tick for every censored unit and numbers at risk.

    Attributes
    ----------
    names : sequence of str
        What the groups are called.
    curves : sequence of KaplanMeier
        Their survival curves.
    p_value : float or None
        Of a log-rank test.
    label : str
        What the time axis is called.
    figure_, ax_, lines_
        What `plot` drew.

    Examples
    --------
    >>> import tlpo
    >>> y = tlpo.time_to_event([5, 2, 9, 4, 3], [1, 1, 0, 0, 1])
    >>> display = tlpo.assess([3, 5, 1, 4, 2], y).plot_survival(n_groups=2)
    >>> display
    SurvivalDisplay(low 2 units, high 3 units)
    """

    names: Sequence[str]
    curves: Sequence[KaplanMeier]
    p_value: float | None = None
    label: str = "time"

    figure_: Any = None
    ax_: Any = None
    lines_: Any = None

    def __repr__(self) -> str:
        sizes = zip(self.names, self.curves, strict=True)
        groups = ", ".join(f"{name} {int(curve.at_risk[0])} units" for name, curve in sizes)
        return f"SurvivalDisplay({groups})"

    def plot(self, ax: Any = None) -> SurvivalDisplay:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        ax = axes(ax, (5.6, 4.4))
        self.lines_ = []
        for k, (name, curve) in enumerate(zip(self.names, self.curves, strict=True)):
            colour, dash = COLOURS[k % len(COLOURS)], DASHES[k % len(DASHES)]
            x, y = np.append(0.0, curve.time), np.append(1.0, curve.survival)
            style: dict[str, Any] = {"where": "post", "color": colour, "linestyle": dash}
            self.lines_ += ax.step(x, y, label=plain_text(name), **style)
            lost = curve.censored > 0
            ax.plot(curve.time[lost], curve.survival[lost], "|", color=colour, markersize=6)
        ax.set(ylim=(0.0, 1.03), xlim=(0.0, None), ylabel="survival")
        ax.set_xlabel(plain_text(self.label))
        ax.legend(loc="best", frameon=False, fontsize="small", title="risk", title_fontsize="small")
        ax.spines[["top", "right"]].set_visible(False)
        if self.p_value is not None and np.isfinite(self.p_value):
            said = "p < 0.0001" if self.p_value < 1e-4 else f"p = {self.p_value:.2g}"
            ax.set_title(f"log-rank test of equal survival: {said}", fontsize="small")
        self._write_numbers(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def frame(self) -> pd.DataFrame:
        """Return the steps of the curves: time, survival, units at risk, events, censored.

        Examples
        --------
        >>> import tlpo
        >>> y = tlpo.time_to_event([5, 2, 9, 4, 3], [1, 1, 0, 0, 1])
        >>> print(tlpo.assess([3, 5, 1, 4, 2], y).plot_survival(n_groups=2).frame().head(3))
          group  time  survival  at_risk  events  censored
        0   low   3.0  0.500000        2       1         0
        1   low   9.0  0.500000        1       0         1
        2  high   2.0  0.666667        3       1         0
        """
        import pandas as pd

        parts = []
        for name, curve in zip(self.names, self.curves, strict=True):
            columns = ("time", "survival", "at_risk", "events", "censored")
            values = {column: getattr(curve, column) for column in columns}
            parts.append(pd.DataFrame({"group": name, **values}))
        return pd.concat(parts, ignore_index=True)

    def _write_numbers(self, ax: Any) -> None:
        """Write how many units were at risk below the axis of time."""
        ticks = [tick for tick in ax.get_xticks() if 0 <= tick <= ax.get_xlim()[1]]
        times = np.array(ticks[:: max(1, len(ticks) // N_TIMES)])
        # Across in units of time, upwards in those of the axes.
        style: dict[str, Any] = {
            "fontsize": "small",
            "va": "top",
            "annotation_clip": False,
            "textcoords": "offset points",
            "xycoords": ax.get_xaxis_transform(),
        }
        ax.annotate("at risk", (0, 0), (-14, -38), ha="right", **style)
        for k, (name, curve) in enumerate(zip(self.names, self.curves, strict=True)):
            own = {**style, "color": COLOURS[k % len(COLOURS)]}
            drop = -52 - 13 * k
            ax.annotate(plain_text(name), (0, 0), (-14, drop), ha="right", **own)
            for time, n in zip(times, curve.n_at_risk(times), strict=True):
                ax.annotate(str(n), (time, 0), (0, drop), ha="center", **own)
