"""Precision against recall."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.arrays import FloatArray
from tlpo.displays.style import COLOURS, DASHES, axes, plain_text, wrapped
from tlpo.results.readings import CurveWithLimits

if TYPE_CHECKING:
    import pandas as pd


@dataclass(eq=False, repr=False)
class PrecisionRecallDisplay:
    """Precision against recall, with the prevalence as the baseline.

    Attributes
    ----------
    curves : dict of str to (recall, precision)
        Curves by name.
    averages : dict of str to float
        Average precision of each, for the legend.
    prevalence : float
        The precision of a useless test, drawn as a line.
    figure_, ax_, lines_, baseline_
        What `plot` drew.

    Notes
    -----
    Formulas: `Tournament.precision_recall`.

    Examples
    --------
    >>> import numpy as np
    >>> import tlpo
    >>> y = np.arange(40) % 2
    >>> X = np.random.default_rng(0).normal(size=(40, 2)) + y[:, None]
    >>> t = tlpo.tournament(tlpo.RLS(), X, y)
    >>> tlpo.PrecisionRecallDisplay.from_result(t, prevalence=0.1).plot()
    PrecisionRecallDisplay(RLS, average 0.643)
    """

    curves: dict[str, tuple[FloatArray, FloatArray]]
    averages: dict[str, float]
    prevalence: float

    figure_: Any = None
    ax_: Any = None
    lines_: Any = None
    baseline_: Any = None

    @classmethod
    def from_result(
        cls, result: CurveWithLimits, *, prevalence: float, name: str | None = None
    ) -> PrecisionRecallDisplay:
        """Show one result, at a prevalence.

        Examples
        --------
        >>> import tlpo
        >>> a = tlpo.assess([1, 2, 4, 3, 5, 6], [0, 0, 0, 1, 1, 1])
        >>> tlpo.PrecisionRecallDisplay.from_result(a, prevalence=0.2, name="grade")
        PrecisionRecallDisplay(grade, average 0.810)
        """
        if name is None:
            name = getattr(result, "estimator_name", "score")
        return cls.from_results({name: result}, prevalence=prevalence)

    @classmethod
    def from_results(
        cls, results: Mapping[str, CurveWithLimits], *, prevalence: float
    ) -> PrecisionRecallDisplay:
        """Show tournaments or fixed scores by name, at one prevalence.

        Examples
        --------
        >>> import tlpo
        >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
        >>> markers = {"CRP": [3, 8, 5, 9, 7, 12, 20, 15], "WBC": [4, 9, 7, 6, 8, 7, 11, 5]}
        >>> found = {name: tlpo.assess(values, y) for name, values in markers.items()}
        >>> tlpo.PrecisionRecallDisplay.from_results(found, prevalence=0.3)
        PrecisionRecallDisplay(CRP, average 0.865; WBC, average 0.554)
        """
        found = {name: one.precision_recall(prevalence) for name, one in results.items()}
        return cls(
            curves={name: (pr.recall, pr.precision) for name, pr in found.items()},
            averages={name: pr.average_precision for name, pr in found.items()},
            prevalence=float(prevalence),
        )

    def __repr__(self) -> str:
        curves = (f"{name}, average {value:.3f}" for name, value in self.averages.items())
        return f"PrecisionRecallDisplay({'; '.join(curves)})"

    def plot(self, ax: Any = None) -> PrecisionRecallDisplay:
        """Draw the curves as steps, which is how their average is computed.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        ax = axes(ax, (4.2, 4.0))
        label = f"useless test (prevalence {self.prevalence:.3g})"
        self.baseline_ = ax.axhline(self.prevalence, color="0.7", linewidth=0.8, label=label)
        self.lines_ = []
        for k, (name, (recall, precision)) in enumerate(self.curves.items()):
            (line,) = ax.step(
                np.concatenate([[0.0], recall]),
                np.concatenate([precision[:1], precision]),
                color=COLOURS[k % len(COLOURS)],
                linestyle=DASHES[k % len(DASHES)],
                linewidth=1.6,
                label=plain_text(wrapped(f"{name} (average {self.averages[name]:.3f})", 56)),
            )
            self.lines_.append(line)
        ax.set(
            xlabel="recall (sensitivity)",
            ylabel="precision (PPV)",
            xlim=(-0.02, 1.02),
            ylim=(-0.02, 1.02),
        )
        ax.spines[["top", "right"]].set_visible(False)
        ax.legend(loc="best", frameon=False, fontsize="small")
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def frame(self) -> pd.DataFrame:
        """Return the points of the curves.

        Examples
        --------
        >>> import tlpo
        >>> a = tlpo.assess([1, 2, 3, 4], [0, 1, 0, 1])
        >>> display = tlpo.PrecisionRecallDisplay.from_result(a, prevalence=0.5, name="grade")
        >>> print(display.frame().round(2))
           curve  recall  precision
        0  grade     0.5       1.00
        1  grade     0.5       0.50
        2  grade     1.0       0.67
        3  grade     1.0       0.50
        """
        import pandas as pd

        parts = [
            pd.DataFrame({"curve": name, "recall": recall, "precision": precision})
            for name, (recall, precision) in self.curves.items()
        ]
        return pd.concat(parts, ignore_index=True)
