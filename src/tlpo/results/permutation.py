"""The result of a permutation test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import binomtest

from tlpo.arrays import FloatArray
from tlpo.checks import require_level
from tlpo.execution.diagnostics import Diagnostics
from tlpo.problem.outcome import Outcome
from tlpo.results.summary import Summary, played_row


@dataclass(frozen=True, eq=False, repr=False)
class PermutationTest(Summary):
    """A one-sided test of "the labels have nothing to do with the features".

    Attributes
    ----------
    statistic : {"tlpo", "lpo", "concordance", "M"}
        What was computed for every permutation: an AUC, or the concordance of an ordered outcome.
    observed : float
        Its value for the actual labels.
    null_distribution : ndarray
        Its values for permuted labels, in the order of drawing.
    n_requested : int
        Permutations requested; fewer were made if the test stopped early.
    stop_at : float or None
        The level at which the test was to stop once its decision was certain.
    exchanged : str
        What was permuted.
    labels : Outcome
        Class, number or grade of every unit.
    engine : str
        How the tournaments were played.
    diagnostics : Diagnostics
        Fits, seconds, warnings.
    estimator_name : str
        What was evaluated.

    Notes
    -----
    ``p_value = (1 + n_as_large) / (n_permutations + 1)``.

    Examples
    --------
    >>> import numpy as np
    >>> import tlpo
    >>> y = np.arange(24) % 2
    >>> X = np.random.default_rng(6).normal(size=(24, 3)) + 0.8 * y[:, None]
    >>> test = tlpo.permutation_test(tlpo.RLS(), X, y, n_permutations=99, random_state=0)
    >>> test
    Permutation test of 24 units, 12 positive (1) and 12 negative (0)
      estimator  RLS
      TLPO AUC   0.9444
      p-value    0.01 (95 % Monte-Carlo interval 0 to 0.03658)
      permuted   units: mean 0.500, SD 0.175
      played     99 permutations, 1 fit, ..., engine least-squares
    >>> test.null_distribution.size, test.n_as_large
    (99, 0)
    """

    statistic: str
    observed: float
    null_distribution: FloatArray
    n_requested: int
    stop_at: float | None
    exchanged: str
    labels: Outcome
    engine: str
    diagnostics: Diagnostics
    estimator_name: str

    @property
    def n_permutations(self) -> int:
        """Permutations that were made."""
        return int(self.null_distribution.size)

    @property
    def n_as_large(self) -> int:
        """How many of them gave an AUC at least as large as the observed one.

        A permutation in which no game could be played (NaN, with ``on_error="skip"``) counts.
        """
        return int(np.count_nonzero(~(self.null_distribution < self.observed)))

    @property
    def p_value(self) -> float:
        """(1 + count) / (B + 1), which is valid for any number of permutations B.

        If the test stopped early, the decision at its level is that of all permutations; the
        number itself is then a conservative estimate, see `p_value_bounds`.
        """
        return (1 + self.n_as_large) / (self.n_permutations + 1)

    def p_value_interval(self, confidence_level: float = 0.95) -> tuple[float, float]:
        """Monte-Carlo interval (Clopper-Pearson) for the p-value over all possible permutations.

        Approximate if the test stopped early; then see also `p_value_bounds`.

        Examples
        --------
        More permutations would narrow it:

        >>> import numpy as np
        >>> import tlpo
        >>> X, y = np.random.default_rng(2).normal(size=(20, 2)), np.arange(20) % 2
        >>> test = tlpo.permutation_test(tlpo.RLS(), X, y, n_permutations=99, random_state=0)
        >>> low, high = test.p_value_interval()
        >>> f"p = {test.p_value:.2f} ({low:.2f} to {high:.2f})"
        'p = 0.57 (0.46 to 0.67)'
        """
        require_level("confidence_level", confidence_level)
        test = binomtest(self.n_as_large, self.n_permutations)
        interval = test.proportion_ci(confidence_level, method="exact")
        return float(interval.low), float(interval.high)

    @property
    def p_value_bounds(self) -> tuple[float, float]:
        """Smallest and largest p-value that all requested permutations could have given."""
        left = self.n_requested - self.n_permutations
        count = 1 + self.n_as_large
        return count / (self.n_requested + 1), (count + left) / (self.n_requested + 1)

    @property
    def _called(self) -> str:
        is_auc = self.statistic in ("tlpo", "lpo")
        return f"{self.statistic.upper()} AUC" if is_auc else self.statistic

    def _title(self) -> str:
        return f"Permutation test of {self.labels.count}"

    def _rows(self) -> list[tuple[str, str]]:
        low, high = self.p_value_interval()
        null = self.null_distribution
        rows = [
            ("estimator", self.estimator_name),
            (self._called, f"{self.observed:.4f}"),
            ("p-value", f"{self.p_value:.4g} (95 % Monte-Carlo interval {low:.4g} to {high:.4g})"),
            (
                "permuted",
                f"{self.exchanged}: mean {np.nanmean(null):.3f}, SD {np.nanstd(null):.3f}",
            ),
            (
                "played",
                f"{self.n_permutations} permutations, {played_row(self.diagnostics)}, "
                f"engine {self.engine}",
            ),
        ]
        if self.n_permutations < self.n_requested:
            least, most = self.p_value_bounds
            verdict = (
                f"≤ {self.stop_at:g}" if most <= (self.stop_at or 0) else f"> {self.stop_at:g}"
            )
            rows.append(
                (
                    "stopped",
                    f"p {verdict} whatever the remaining permutations show (p of all "
                    f"{self.n_requested} would be {least:.4g} to {most:.4g})",
                )
            )
        return rows
