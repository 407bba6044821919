"""Readings with limits: what a tournament and a fixed score have in common."""

from __future__ import annotations

from tlpo.checks import require_level
from tlpo.results.intervals import RateInterval, RocBand, rate_interval, roc_band
from tlpo.results.precision import PrecisionRecall
from tlpo.results.ranking import Ranking
from tlpo.roc.precision import average_precision, precision_limits, precisions


class Readings(Ranking):
    """A ranking whose curve has limits; results provide `rate_factor`."""

    # Whether no unit had a part in the scores of the others.
    _is_fixed = False

    def rate_factor(self, confidence_level: float) -> tuple[float, float]:
        """Return by how much binomial variances are multiplied, and φ.

        The first is the squared quantile times φ, the factor by which the variance exceeds that of
        independent scores.
        """
        raise NotImplementedError

    def sensitivity_interval(
        self, specificity: float, *, confidence_level: float = 0.95, interpolate: bool = False
    ) -> RateInterval:
        """Return `sensitivity_at` with an interval.

        The variance of the positives' share and of the threshold that the negatives set, both
        inflated by φ, in a score interval (``tlpo.roc.rates``).
        """
        estimate = self.sensitivity_at(specificity, interpolate=interpolate)
        what = f"sensitivity at specificity {specificity:g}"
        return rate_interval(self, estimate, specificity, what, confidence_level)

    def specificity_interval(
        self, sensitivity: float, *, confidence_level: float = 0.95, interpolate: bool = False
    ) -> RateInterval:
        """Return `specificity_at` with an interval, as `sensitivity_interval` does."""
        estimate = self.specificity_at(sensitivity, interpolate=interpolate)
        what = f"specificity at sensitivity {sensitivity:g}"
        return rate_interval(self, estimate, sensitivity, what, confidence_level)

    def roc_band(self, confidence_level: float = 0.95) -> RocBand:
        """Return pointwise limits of the sensitivity over the false positive rates.

        Those of `sensitivity_interval` at up to 200 rates. A ROC curve rises: where limits
        do not, those of smaller and larger rates hold as well.
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
        """
        require_level("confidence_level", confidence_level)
        p, n = self.class_sizes
        share = p / (p + n)
        if prevalence is not None:
            require_level("prevalence", prevalence)
            share = float(prevalence)
        curve = self.roc_curve()
        _, phi = self.rate_factor(confidence_level)
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
