"""Pictures of results. Constructors compute, ``plot`` draws."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.roc.curve import RocCurve
from tlpo.schemes.ranking import Ranking
from tlpo.schemes.tournament import Tournament
from tlpo.schemes.uncertainty import RocBand

if TYPE_CHECKING:
    import pandas as pd

# Okabe and Ito's colours, told apart by colour-blind readers too; dashes for print in grey.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1)))


@dataclass(eq=False)
class RocDisplay:
    """ROC curves, one or several.

    Attributes
    ----------
    curves : dict of str to RocCurve
        Curves by name.
    aucs : dict of str to float
        Area of each, for the legend.
    bands : dict of str to RocBand
        Pointwise limits of those curves that have them.
    figure_, ax_, lines_, bands_, chance_
        What `plot` drew.
    """

    curves: dict[str, RocCurve]
    aucs: dict[str, float]
    bands: dict[str, RocBand] = field(default_factory=dict)

    figure_: Any = None
    ax_: Any = None
    lines_: Any = None
    bands_: Any = None
    chance_: Any = None

    @classmethod
    def from_tournament(
        cls,
        tournament: Tournament,
        *,
        name: str = "TLPO",
        confidence_level: float | None = 0.95,
    ) -> RocDisplay:
        """Show one tournament, with a band unless ``confidence_level`` is None."""
        return cls.from_results({name: tournament}, confidence_level=confidence_level)

    @classmethod
    def from_results(
        cls, results: Mapping[str, Ranking], *, confidence_level: float | None = None
    ) -> RocDisplay:
        """Show several results, by name; with a level, tournaments have bands."""
        return cls(
            curves={name: result.roc_curve() for name, result in results.items()},
            aucs={name: result.auc for name, result in results.items()},
            bands={
                name: result.roc_band(confidence_level)
                for name, result in results.items()
                if isinstance(result, Tournament) and confidence_level is not None
            },
        )

    def plot(self, ax: Any = None) -> RocDisplay:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        if ax is None:
            import matplotlib.pyplot as plt

            _, ax = plt.subplots(figsize=(4.2, 4.2), layout="constrained")
        (self.chance_,) = ax.plot([0, 1], [0, 1], color="0.7", linewidth=0.8, label="chance")
        self.lines_, self.bands_ = [], []
        for k, (name, curve) in enumerate(self.curves.items()):
            (line,) = ax.plot(
                curve.fpr,
                curve.tpr,
                color=COLOURS[k % len(COLOURS)],
                linestyle=DASHES[k % len(DASHES)],
                linewidth=1.6,
                label=f"{name} (AUC {self.aucs[name]:.3f})",
            )
            self.lines_.append(line)
            if name in self.bands:
                band = self.bands[name]
                shade = ax.fill_between(
                    band.fpr,
                    band.low,
                    band.high,
                    color=COLOURS[k % len(COLOURS)],
                    alpha=0.15,
                    linewidth=0,
                    label=f"{100 * band.confidence_level:.4g} % limits, pointwise",
                )
                self.bands_.append(shade)
        ax.set(
            xlabel="1 − specificity",
            ylabel="sensitivity",
            xlim=(-0.02, 1.02),
            ylim=(-0.02, 1.02),
            aspect="equal",
        )
        ax.spines[["top", "right"]].set_visible(False)
        handles = [*self.lines_, *self.bands_[:1], self.chance_]
        ax.legend(handles=handles, loc="lower right", frameon=False, fontsize="small")
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def frame(self) -> pd.DataFrame:
        """Return the numbers behind the picture: points of curves, then limits of bands."""
        import pandas as pd

        parts = [
            pd.DataFrame({"curve": np.full(curve.fpr.size, name), **curve._asdict()})
            for name, curve in self.curves.items()
        ]
        parts += [
            pd.DataFrame({"curve": name, "fpr": band.fpr, "low": band.low, "high": band.high})
            for name, band in self.bands.items()
        ]
        return pd.concat(parts, ignore_index=True)
