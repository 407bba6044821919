"""Precision and recall of a result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tlpo.arrays import FloatArray
from tlpo.results.summary import Summary

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class PrecisionRecall(Summary):
    """Precision (positive predictive value) and recall (sensitivity) at a prevalence.

    Attributes
    ----------
    prevalence : float
        The share of positives that they refer to, and the precision of a useless test.
    recall, precision, thresholds : ndarray
        One entry per threshold; recall increases.
    average_precision : float
        Mean precision over the positives.
    low, high : float
        Limits of the average precision (coverage: docs/inference.md).
    confidence_level : float
        Of the limits.

    Notes
    -----
    Formulas: `Tournament.precision_recall`.

    Examples
    --------
    >>> import numpy as np
    >>> import tlpo
    >>> y = np.arange(40) % 2
    >>> X = np.random.default_rng(0).normal(size=(40, 2)) + y[:, None]
    >>> found = tlpo.tournament(tlpo.RLS(), X, y).precision_recall(prevalence=0.1)
    >>> found
    Average precision 0.643
      95 % interval  0.240 to 0.872
      prevalence     0.1, the precision of a useless test
    """

    prevalence: float
    recall: FloatArray
    precision: FloatArray
    thresholds: FloatArray
    average_precision: float
    low: float
    high: float
    confidence_level: float

    def to_frame(self) -> pd.DataFrame:
        """Tabulate the thresholds.

        Examples
        --------
        >>> import tlpo
        >>> a = tlpo.assess([1, 2, 3, 2, 3, 4], [0, 0, 0, 1, 1, 1])
        >>> print(a.precision_recall(prevalence=0.2).to_frame().round(3))
           threshold  recall  precision
        0        3.5   0.333      1.000
        1        2.5   0.667      0.333
        2        1.5   1.000      0.273
        3       -inf   1.000      0.200
        """
        import pandas as pd

        return pd.DataFrame(
            {"threshold": self.thresholds, "recall": self.recall, "precision": self.precision}
        )

    def _title(self) -> str:
        return f"Average precision {self.average_precision:.3f}"

    def _rows(self) -> list[tuple[str, str]]:
        return [
            (f"{100 * self.confidence_level:.4g} % interval", f"{self.low:.3f} to {self.high:.3f}"),
            ("prevalence", f"{self.prevalence:.3g}, the precision of a useless test"),
        ]
