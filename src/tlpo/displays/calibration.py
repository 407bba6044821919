"""How well probabilities agree with what was observed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tlpo.displays.style import COLOURS, axes
from tlpo.results.probabilities import Probabilities
from tlpo.roc.calibration import CalibrationCurve

if TYPE_CHECKING:
    import pandas as pd


@dataclass(eq=False, repr=False)
class CalibrationDisplay:
    """Observed frequencies over predicted probabilities.

    Attributes
    ----------
    curve : CalibrationCurve
        The curve and its consistency band.
    confidence_level : float
        Of the band.
    figure_, ax_, line_, band_, ideal_
        What `plot` drew.

    Examples
    --------
    >>> import numpy as np
    >>> import tlpo
    >>> rng = np.random.default_rng(0)
    >>> p = rng.uniform(size=100)
    >>> ill = rng.random(100) < p
    >>> display = tlpo.CalibrationDisplay.from_result(tlpo.Probabilities(p, ill)).plot()
    >>> [text.get_text() for text in display.ax_.get_legend().get_texts()]
    ['observed', '95% by chance, if perfect', 'perfect']
    """

    curve: CalibrationCurve
    confidence_level: float = 0.95

    figure_: Any = None
    ax_: Any = None
    line_: Any = None
    band_: Any = None
    ideal_: Any = None

    @classmethod
    def from_result(
        cls, probabilities: Probabilities, *, confidence_level: float = 0.95
    ) -> CalibrationDisplay:
        """Show the calibration of probabilities, for example those of a tournament.

        Examples
        --------
        >>> import numpy as np
        >>> import tlpo
        >>> p, ill = np.array([0.2, 0.4, 0.6, 0.8]), np.array([False, True, False, True])
        >>> tlpo.CalibrationDisplay.from_result(tlpo.Probabilities(p, ill), confidence_level=0.9)
        CalibrationDisplay(4 points)
        """
        return cls(probabilities.calibration_curve(confidence_level), confidence_level)

    def __repr__(self) -> str:
        return f"CalibrationDisplay({len(self.curve.predicted)} points)"

    def plot(self, ax: Any = None) -> CalibrationDisplay:
        """Draw the curve and, about the diagonal, where it would lie by chance.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        ax = axes(ax, (4.2, 4.2))
        curve = self.curve
        (self.ideal_,) = ax.plot([0, 1], [0, 1], color="0.7", linewidth=0.8, label="perfect")
        self.band_ = ax.fill_between(
            curve.predicted,
            curve.low,
            curve.high,
            color="0.5",
            alpha=0.2,
            linewidth=0,
            label=f"{100 * self.confidence_level:.4g}% by chance, if perfect",
        )
        (self.line_,) = ax.plot(
            curve.predicted, curve.observed, color=COLOURS[0], linewidth=1.6, label="observed"
        )
        ax.set(
            xlabel="predicted probability",
            ylabel="observed frequency",
            xlim=(-0.02, 1.02),
            ylim=(-0.02, 1.02),
            aspect="equal",
        )
        ax.spines[["top", "right"]].set_visible(False)
        ax.legend(
            handles=[self.line_, self.band_, self.ideal_],
            loc="upper left",
            frameon=False,
            fontsize="small",
        )
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def frame(self) -> pd.DataFrame:
        """Return the points of the curve and its band.

        Examples
        --------
        >>> import numpy as np
        >>> import tlpo
        >>> p, ill = np.array([0.2, 0.4, 0.6, 0.8]), np.array([False, True, False, True])
        >>> display = tlpo.CalibrationDisplay.from_result(tlpo.Probabilities(p, ill))
        >>> print(display.frame()[["predicted", "observed"]])
           predicted  observed
        0        0.2       0.0
        1        0.4       0.5
        2        0.6       0.5
        3        0.8       1.0
        """
        import pandas as pd

        return pd.DataFrame(self.curve._asdict())
