"""CurveWithLimits with limits: what a tournament and a fixed score have in common."""

from __future__ import annotations

from tlpo.checks import require_level
from tlpo.results.intervals import Interval, RocBand, rate_interval, roc_band
from tlpo.results.precision import PrecisionRecall
from tlpo.results.ranking import Ranking
from tlpo.roc.precision import average_precision, precision_limits, precisions


class CurveWithLimits(Ranking):
    """A ranking whose curve has limits; results provide `rate_factor`."""

    # Whether no unit had a part in the scores of the others.
    _is_fixed = False

    @property
    def _has_few_points(self) -> bool:
        """Whether so few rates can be attained that the curve is read between them."""
        raise NotImplementedError

    def _rate_factor(self, confidence_level: float) -> tuple[float, float]:
        """Return by how much binomial variances are multiplied, and φ.

        The first is the squared quantile times φ, the factor by which the variance exceeds that of
        independent scores.
        """
        raise NotImplementedError

    def sensitivity_interval(
        self,
        specificity: float,
        *,
        confidence_level: float = 0.95,
        interpolate: bool | None = None,
    ) -> Interval:
        """Return `sensitivity_at` with an interval: a reading of the curve.

        It is about the sensitivity at exactly this specificity, whatever cut-off that takes, and so
        wider than that of `operating_point`, which is about the rates of one cut-off: the variance
        of the positives' share and of the threshold that the negatives set, both inflated by φ, in
        a score interval (``tlpo.roc.rates``).

        Parameters
        ----------
        specificity : float
            From 0 to 1.
        confidence_level : float
            Of the interval.
        interpolate : bool, optional
            Read between two points of the curve. By default where few rates can be attained:
            where games tie, or a marker has fewer than 20 values. Which one is attained changes
            from sample to sample, and no interval of this kind held there (docs/inference.md).

        Notes
        -----
        Limits are the π on either side of the estimate p at specificity s with::

            (p − π)² = z² φ [π(1 − π)/m+ + g² s(1 − s)/m-],   g = ϕ(Φ⁻¹(π)) / ϕ(Φ⁻¹(1 − s))

        g is the slope of the ROC curve of two normal classes (the larger of those at π and at p). φ
        is that of the AUC's interval; for fixed scores, the factor by which groups increase
        variances.

        Examples
        --------
        >>> import numpy as np
        >>> import tlpo
        >>> ill = np.arange(50) % 2 == 1
        >>> X = np.random.default_rng(0).normal(size=(50, 2)) + ill[:, None]
        >>> tlpo.tournament(tlpo.RLS(), X, ill).sensitivity_interval(specificity=0.8)
        Sensitivity at specificity 0.8: 0.7600, 95 % interval 0.4638 to 0.9555
          φ  1.000
        """
        between = self._has_few_points if interpolate is None else interpolate
        estimate = self.sensitivity_at(specificity, interpolate=between)
        what, note = f"sensitivity at specificity {specificity:g}", self._note(between)
        return rate_interval(self, estimate, specificity, what, confidence_level, note)

    def specificity_interval(
        self,
        sensitivity: float,
        *,
        confidence_level: float = 0.95,
        interpolate: bool | None = None,
    ) -> Interval:
        """Return `specificity_at` with an interval, as `sensitivity_interval` does.

        Examples
        --------
        >>> import tlpo
        >>> a = tlpo.assess([1, 2, 2, 3, 2, 3, 4, 4], ["good"] * 4 + ["poor"] * 4)
        >>> low, high = a.specificity_interval(sensitivity=0.7)
        >>> round(low, 2), round(high, 2)
        (0.22, 1.0)
        """
        between = self._has_few_points if interpolate is None else interpolate
        estimate = self.specificity_at(sensitivity, interpolate=between)
        what, note = f"specificity at sensitivity {sensitivity:g}", self._note(between)
        return rate_interval(self, estimate, sensitivity, what, confidence_level, note)

    def _note(self, between: bool) -> str | None:
        """Say what a reading of a curve with few points is worth."""
        if not self._has_few_points:
            return None
        if between:
            return "Few rates can be attained, so the curve was read between its points."
        return (
            "Few rates can be attained, and not the same in every sample: coverage of 95 % "
            "intervals was 78 % to 100 %. Leave out interpolate=False, or use operating_point."
        )

    def roc_band(self, confidence_level: float = 0.95) -> RocBand:
        """Return pointwise limits of the sensitivity over the false positive rates.

        Those of `sensitivity_interval` at up to 200 rates. A ROC curve rises: where limits
        do not, those of smaller and larger rates hold as well.

        Examples
        --------
        >>> import tlpo
        >>> band = tlpo.assess([1, 2, 2, 3, 2, 3, 4, 4], ["good"] * 4 + ["poor"] * 4).roc_band()
        >>> for fpr, low, high in zip(band.fpr, band.low, band.high, strict=True):
        ...     print(f"sensitivity at FPR {fpr:.2f}: {low:.2f} to {high:.2f}")
        sensitivity at FPR 0.00: 0.00 to 1.00
        sensitivity at FPR 0.25: 0.16 to 1.00
        sensitivity at FPR 0.50: 0.28 to 1.00
        sensitivity at FPR 0.75: 0.33 to 1.00
        sensitivity at FPR 1.00: 1.00 to 1.00
        """
        return roc_band(self, confidence_level)

    def precision_recall(
        self, prevalence: float | None = None, *, confidence_level: float = 0.95
    ) -> PrecisionRecall:
        """Return precision and recall at every threshold, and the average precision with limits.

        Parameters
        ----------
        prevalence : float, optional
            Share of positives where the test will be used; that of the sample by default. Precision
            depends on it: a study with as many patients as controls says little about a screening.
        confidence_level : float
            Of the limits of the average precision.

        Returns
        -------
        PrecisionRecall
            Without any discrimination the precision is the prevalence, at every recall.

        Notes
        -----
        At a prevalence π, ``precision = π TPR / (π TPR + (1 − π) FPR)`` and ``recall = TPR``; the
        average precision is ``Σ_k precision_k (recall_k − recall_{k−1})``.

        Examples
        --------
        The same grades in a study of as many patients as controls, and in a screening:

        >>> import tlpo
        >>> grade = tlpo.assess([1, 1, 1, 2, 2, 3, 2, 3, 4, 4, 5, 5], ["good"] * 6 + ["poor"] * 6)
        >>> for prevalence in (0.5, 0.02):
        ...     print(grade.precision_recall(prevalence))
        Average precision 0.917
          95 % interval  0.563 to 0.984
          prevalence     0.5, the precision of a useless test
        Average precision 0.689
          95 % interval  0.026 to 0.813
          prevalence     0.02, the precision of a useless test
        """
        require_level("confidence_level", confidence_level)
        p, n = self.class_sizes
        share = p / (p + n)
        if prevalence is not None:
            require_level("prevalence", prevalence)
            share = float(prevalence)
        curve = self.roc_curve()
        _, phi = self._rate_factor(confidence_level)
        average = average_precision(curve, share)
        low, high = precision_limits(
            average, share, (p, n), phi, float(confidence_level), is_fixed=self._is_fixed
        )
        return PrecisionRecall(
            prevalence=share,
            recall=curve.tpr[1:],
            precision=precisions(curve, share),
            thresholds=curve.thresholds[1:],
            average_precision=average,
            low=low,
            high=high,
            confidence_level=float(confidence_level),
        )
