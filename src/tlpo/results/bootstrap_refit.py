"""The result of a bootstrap of the whole leave-pair-out cross-validation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tlpo.arrays import FloatArray
from tlpo.checks import require_level
from tlpo.execution.diagnostics import Diagnostics
from tlpo.problem.outcome import Classes
from tlpo.results.intervals import REFIT, Interval
from tlpo.results.summary import Summary, played_row, sample_sd
from tlpo.roc.intervals import refit_inflation, score_interval, score_variance, two_sided_quantile


@dataclass(frozen=True, eq=False, repr=False)
class BootstrapRefit(Summary):
    """An AUC, and those of resamples on which everything was repeated. `bootstrap_refit` makes it.

    Attributes
    ----------
    auc : float
        Leave-pair-out AUC of the sample.
    aucs : ndarray
        That of each resample, in the order of drawing.
    degrees_of_freedom : float or None
        Of Student's quantile, which small classes need; None for the normal one.
    labels : Classes
        Class of every unit.
    engine : str
        How the games were played.
    diagnostics : Diagnostics
        Fits, seconds, warnings.
    estimator_name : str
        What was evaluated.

    Notes
    -----
    With the standard deviation s and the mean ā of ``aucs``, limits are the θ on either side with::

        (auc − θ)² = z² φ V(θ),   φ = max(1, s² / V(ā))

    V is Newcombe's variance of independent scores, as in `Tournament.auc_interval`. The percentiles
    of ``aucs`` are no interval: a resample lacks about a third of the units, so its models are
    worse, and ā is below ``auc``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> import tlpo
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X, malignant = X[200:240, [1, 4]], y[200:240] == 0
    >>> found = tlpo.bootstrap_refit(tlpo.RLS(), X, malignant, random_state=0)
    >>> found
    Bootstrap with refits of 40 units, 19 positive (True) and 21 negative (False)
      estimator       RLS
      AUC             0.7419 (0.4... to 0.9..., 95 % interval; leave-pair-out)
      standard error  0.12... ± 0.006...
      resamples       200, mean AUC 0.72...
      played          201 fits, ..., engine least-squares
    """

    auc: float
    aucs: FloatArray
    degrees_of_freedom: float | None
    labels: Classes
    engine: str
    diagnostics: Diagnostics
    estimator_name: str

    @property
    def n_resamples(self) -> int:
        """Number of resamples."""
        return int(self.aucs.size)

    @property
    def standard_error(self) -> float:
        """Standard deviation of the AUC over resamples."""
        return sample_sd(self.aucs)

    def auc_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return an interval for the AUC of the model trained on all units, about `auc`.

        Examples
        --------
        >>> import numpy as np
        >>> import tlpo
        >>> y = np.arange(40) % 2
        >>> X = np.random.default_rng(3).normal(size=(40, 5)) + 0.6 * y[:, None]
        >>> found = tlpo.bootstrap_refit(tlpo.RLS(), X, y, random_state=0)
        >>> low, high = found.auc_interval()
        >>> f"{found.auc:.2f} ({low:.2f} to {high:.2f})"
        '0.76 (0.49 to 0.90)'
        """
        require_level("confidence_level", confidence_level)
        p, n = self.labels.n_positive, self.labels.n_negative
        phi = refit_inflation(float(self.aucs.mean()), self.standard_error**2, p, n)
        quantile = two_sided_quantile(confidence_level, self.degrees_of_freedom)
        low, high = score_interval(self.auc, p, n, phi, quantile)
        return Interval(
            "AUC",
            self.auc,
            low,
            high,
            float(confidence_level),
            method=REFIT,
            phi=phi,
            variance=phi * score_variance(self.auc, p, n),
            degrees_of_freedom=self.degrees_of_freedom,
        )

    def _title(self) -> str:
        return f"Bootstrap with refits of {self.labels.count}"

    def _rows(self) -> list[tuple[str, str]]:
        # Of a standard deviation from normal values.
        error = self.standard_error / np.sqrt(2.0 * (self.n_resamples - 1))
        return [
            ("estimator", self.estimator_name),
            ("AUC", f"{self.auc:.4f} ({self.auc_interval().short}; leave-pair-out)"),
            ("standard error", f"{self.standard_error:.4f} ± {error:.4f}"),
            ("resamples", f"{self.n_resamples}, mean AUC {self.aucs.mean():.4f}"),
            ("played", f"{played_row(self.diagnostics)}, engine {self.engine}"),
        ]
