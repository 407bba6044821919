"""ROC curves, with bands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.displays.style import COLOURS, DASHES, axes, plain_text, wrapped
from tlpo.results.intervals import RocBand
from tlpo.results.ranking import Ranking
from tlpo.results.readings import CurveWithLimits
from tlpo.roc.curve import RocCurve, sensitivity_at
from tlpo.roc.smooth import BinormalCurve

if TYPE_CHECKING:
    import pandas as pd

# With longer names or more curves the legend goes below the axes.
SHORT_NAME, FEW_CURVES = 28, 3


@dataclass(eq=False, repr=False)
class RocDisplay:
    """One or several ROC curves.

    Attributes
    ----------
    curves : dict of str to RocCurve
        Curves by name.
    aucs : dict of str to float
        AUC of each curve, for the legend.
    bands : dict of str to RocBand
        Pointwise limits, for curves that have them.
    specificity : float or None
        Where to mark the operating point of every curve.
    smooth : dict of str to BinormalCurve
        Smooth curves to draw with the others, for those that have them.
    figure_, ax_, lines_, bands_, smooth_, chance_
        What `plot` drew.

    Examples
    --------
    The curve of the tournament, and the biased one of leave-one-out:

    >>> import numpy as np
    >>> import tlpo
    >>> y = np.arange(40) % 2
    >>> X = np.random.default_rng(0).normal(size=(40, 10)) + 0.4 * y[:, None]
    >>> t, loo = tlpo.tournament(tlpo.RLS(), X, y), tlpo.leave_one_out(tlpo.RLS(), X, y)
    >>> display = tlpo.RocDisplay.from_results({"TLPO": t, "LOO, pooled": loo}).plot()
    >>> display
    RocDisplay(TLPO, AUC 0.745; LOO, pooled, AUC 0.725)
    >>> display.ax_.get_xlabel(), len(display.lines_)
    ('1 − specificity', 2)
    """

    curves: dict[str, RocCurve]
    aucs: dict[str, float]
    bands: dict[str, RocBand] = field(default_factory=dict)
    specificity: float | None = None
    smooth: dict[str, BinormalCurve] = field(default_factory=dict)

    figure_: Any = None
    ax_: Any = None
    lines_: Any = None
    bands_: Any = None
    smooth_: Any = None
    chance_: Any = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        name: str | None = None,
        confidence_level: float | None = 0.95,
        specificity: float | None = None,
        smooth: bool = False,
        **options: Any,
    ) -> RocDisplay:
        """Play the tournament of an estimator and draw its curve.

        Other options are those of `tlpo.tournament`. Whoever needs the tournament for more than
        this picture plays it once and passes it to `from_result`.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> import tlpo
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> tlpo.RocDisplay.from_estimator(tlpo.RLS(), X[200:240, [1, 4]], y[200:240] == 0)
        RocDisplay(RLS, AUC 0.742)
        """
        from tlpo.schemes.tournament import tournament

        return cls.from_result(
            tournament(estimator, X, y, **options),
            name=name,
            confidence_level=confidence_level,
            specificity=specificity,
            smooth=smooth,
        ).plot()

    @classmethod
    def from_result(
        cls,
        result: Ranking,
        *,
        name: str | None = None,
        confidence_level: float | None = 0.95,
        specificity: float | None = None,
        smooth: bool = False,
    ) -> RocDisplay:
        """Show one result, with a band if it is a tournament and ``confidence_level`` not None.

        ``name`` is that of the estimator by default; ``specificity`` marks the operating point
        with at least this specificity; ``smooth`` adds the smooth curve of `smooth_curve`.

        Examples
        --------
        >>> import tlpo
        >>> t = tlpo.tournament(tlpo.RLS(), [[1], [2], [5], [4], [7], [8]], [0, 0, 0, 1, 1, 1])
        >>> display = tlpo.RocDisplay.from_result(t, name="ridge", specificity=0.9)
        >>> display, list(display.bands)
        (RocDisplay(ridge, AUC 0.889), ['ridge'])
        """
        if name is None:
            name = getattr(result, "estimator_name", "ROC")
        return cls.from_results(
            {name: result},
            confidence_level=confidence_level,
            specificity=specificity,
            smooth=smooth,
        )

    @classmethod
    def from_results(
        cls,
        results: Mapping[str, Ranking],
        *,
        confidence_level: float | None = None,
        specificity: float | None = None,
        smooth: bool = False,
    ) -> RocDisplay:
        """Show several results by name; bands of a confidence level, for those that have them.

        Examples
        --------
        >>> import tlpo
        >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
        >>> markers = {"CRP": [3, 8, 5, 9, 7, 12, 20, 15], "WBC": [4, 9, 7, 6, 8, 7, 11, 5]}
        >>> found = {name: tlpo.assess(values, y) for name, values in markers.items()}
        >>> tlpo.RocDisplay.from_results(found, confidence_level=0.9)
        RocDisplay(CRP, AUC 0.875; WBC, AUC 0.656)
        """
        return cls(
            curves={name: result.roc_curve() for name, result in results.items()},
            aucs={name: result.auc for name, result in results.items()},
            bands={
                name: result.roc_band(confidence_level)
                for name, result in results.items()
                if isinstance(result, CurveWithLimits) and confidence_level is not None
            },
            specificity=specificity,
            smooth={name: result.smooth_curve() for name, result in results.items()}
            if smooth
            else {},
        )

    def __repr__(self) -> str:
        curves = (f"{name}, AUC {self.aucs[name]:.3f}" for name in self.curves)
        return f"RocDisplay({'; '.join(curves)})"

    def plot(self, ax: Any = None) -> RocDisplay:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

        Examples
        --------
        Two displays in one figure:

        >>> from matplotlib.figure import Figure
        >>> import tlpo
        >>> a = tlpo.assess([1, 2, 4, 3, 5, 6], [0, 0, 0, 1, 1, 1])
        >>> left, right = Figure(figsize=(8, 4)).subplots(1, 2)
        >>> display = tlpo.RocDisplay.from_result(a).plot(ax=left)
        >>> scores = tlpo.ScoreDisplay.from_result(a).plot(ax=right)
        >>> display.figure_ is scores.figure_
        True
        """
        ax = axes(ax, (4.2, 4.2))
        (self.chance_,) = ax.plot([0, 1], [0, 1], color="0.7", linewidth=0.8, label="chance")
        self.lines_, self.bands_, self.smooth_ = [], [], []
        for k, (name, curve) in enumerate(self.curves.items()):
            (line,) = ax.plot(
                curve.fpr,
                curve.tpr,
                color=COLOURS[k % len(COLOURS)],
                linestyle=DASHES[k % len(DASHES)],
                linewidth=1.6,
                label=plain_text(wrapped(f"{name} (AUC {self.aucs[name]:.3f})", 56)),
            )
            self.lines_.append(line)
            if name in self.smooth:
                smooth = self.smooth[name]
                (also,) = ax.plot(
                    *smooth.points(),
                    color=line.get_color(),
                    linewidth=0.9,
                    label=plain_text(wrapped(self._say_smooth(name), 56)),
                )
                self.smooth_.append(also)
            if self.specificity is not None:
                point = sensitivity_at(curve, self.specificity)
                at = curve.fpr[(curve.tpr == point) & (curve.fpr <= 1 - self.specificity + 1e-9)]
                ax.plot(at.min(), point, "o", color=line.get_color(), markersize=6, zorder=4)
            if name in self.bands:
                band = self.bands[name]
                shade = ax.fill_between(
                    band.fpr,
                    band.low,
                    band.high,
                    color=COLOURS[k % len(COLOURS)],
                    alpha=0.15,
                    linewidth=0,
                    label=f"{100 * band.confidence_level:.4g}% limits, pointwise",
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
        handles = [*self.lines_, *self.smooth_, *self.bands_[:1], self.chance_]
        inside = len(self.curves) <= FEW_CURVES and all(len(n) <= SHORT_NAME for n in self.curves)
        where: dict[str, Any] = {"loc": "lower right"}
        if not inside:
            where = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.14)}
        ax.legend(handles=handles, frameon=False, fontsize="small", **where)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _say_smooth(self, name: str) -> str:
        """Name a smooth curve and its area, which is not the AUC."""
        of = f"{name}, smoothed" if len(self.curves) > 1 else "smoothed"
        return f"{of} (area {self.smooth[name].auc:.3f})"

    def frame(self) -> pd.DataFrame:
        """Return the numbers behind the plot: points of curves, then limits of bands.

        Points of a smooth curve come last; their column is called ``smooth``.

        Examples
        --------
        >>> import tlpo
        >>> a = tlpo.assess([1, 2, 3, 4], [0, 1, 0, 1])
        >>> print(tlpo.RocDisplay.from_result(a, name="grade", confidence_level=None).frame())
           curve  fpr  tpr  thresholds
        0  grade  0.0  0.0         inf
        1  grade  0.0  0.5         3.5
        2  grade  0.5  0.5         2.5
        3  grade  0.5  1.0         1.5
        4  grade  1.0  1.0        -inf
        """
        import pandas as pd

        parts = [
            pd.DataFrame({"curve": np.full(curve.fpr.size, name), **curve._asdict()})
            for name, curve in self.curves.items()
        ]
        parts += [
            pd.DataFrame({"curve": name, "fpr": band.fpr, "low": band.low, "high": band.high})
            for name, band in self.bands.items()
        ]
        for name, smooth in self.smooth.items():
            fpr, tpr = smooth.points()
            parts.append(pd.DataFrame({"curve": name, "fpr": fpr, "smooth": tpr}))
        return pd.concat(parts, ignore_index=True)
