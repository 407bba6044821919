"""The difference of two AUCs, or of several pairs, as it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tlpo.results.summary import Summary
from tlpo.roc.difference import ZTest

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class Comparison(Summary):
    """Difference of the AUCs, or concordances, of two models or of two scores fixed beforehand.

    Attributes
    ----------
    names : (str, str)
        The models or scores.
    aucs : (float, float)
        Their AUCs, or concordances: of models, leave-pair-out; of scores, in the units that count.
    difference : float
        The first minus the second.
    low, high : float
        Limits of the difference.
    p_value : float
        Two-sided. Where the games of a model show too little spread, that of the two intervals for
        single AUCs, if it is larger.
    confidence_level : float
        Of the limits.
    variance : float
        Of the difference. Of models: from the two variances below (Notes); of fixed scores:
        DeLong's or, with groups, Obuchowski's.
    degrees_of_freedom : float
        Of Student's t: Satterthwaite's for models, Welch's for fixed scores of different units,
        infinite (the normal distribution) for fixed scores of the same.
    statistic : float
        The difference divided by its standard error.
    paired : bool
        Whether both rest on the same units.
    placement_variance, jackknife_variance : float or None
        Of models; without held-out predictions there is no jackknife, and the first is doubled.
    delong : ZTest or None
        Of models: the paired DeLong test of the tournament scores, which treats the models as
        fixed and rejects true hypotheses too often. For comparison only.
    notes : tuple of str
        What the reader should know.
    measure : {"AUC", "concordance"}
        What was compared.

    Notes
    -----
    ``difference = A₁ − A₂`` and ``statistic = difference / √variance``.

    Models: ``placement_variance`` is DeLong's, of the differences ``U₁ − U₂`` of the games;
    ``jackknife_variance`` that of the differences without each unit; ``variance`` is
    ``√(placement_variance · jackknife_variance)``. For two classes without groups it is
    ``(V_place − a) · f``: a is the part of V_place due to single games, which rows and columns both
    count; ``f = √(V_jack/V_place)``, but at least 1 and at most 2 or, if larger, the f of either
    AUC, because games that turn over without a unit differ between two models however similar.

    Fixed scores: DeLong, DeLong and Clarke-Pearson (1988), ``variance = V₁ + V₂ − 2C``; C = 0 on
    different units.

    Examples
    --------
    Does size add to the texture of forty tumours?

    >>> from sklearn.datasets import load_breast_cancer
    >>> import tlpo
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X, malignant = X[200:240], y[200:240] == 0
    >>> both = tlpo.tournament(tlpo.RLS(), X[:, [0, 1]], malignant)
    >>> texture = tlpo.tournament(tlpo.RLS(), X[:, [1]], malignant)
    >>> tlpo.compare(both, texture, names=["size and texture", "texture"])
    size and texture against texture
      AUC            0.9348 and 0.7419
      difference     +0.1930 (95 % interval +0.0192 to +0.3668)
      p-value        0.03067
      paired DeLong  z = 2.237, p = 0.0253: treats the models as fixed, rejects too often

    Two markers, measured before:

    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> poor = np.arange(50) < 20
    >>> s100b, grade = rng.normal(size=50) + 0.6 * poor, rng.integers(1, 6, 50) + 2 * poor
    >>> tlpo.compare(tlpo.assess(s100b, poor), tlpo.assess(grade, poor), names=["S100B", "grade"])
    S100B against grade
      AUC         0.7450 and 0.7875
      difference  -0.0425 (95 % interval -0.2162 to +0.1312)
      p-value     0.6316
      DeLong      Z = -0.4794, on the same units
    """

    names: tuple[str, str]
    aucs: tuple[float, float]
    difference: float
    low: float
    high: float
    p_value: float
    confidence_level: float
    variance: float
    degrees_of_freedom: float
    statistic: float
    paired: bool = True
    placement_variance: float | None = None
    jackknife_variance: float | None = None
    delong: ZTest | None = None
    notes: tuple[str, ...] = ()
    measure: str = "AUC"

    def row(self, p_value_holm: float | None = None) -> dict[str, Any]:
        """Return the comparison as a row of a table; with others, its adjusted p-value.

        Examples
        --------
        >>> import tlpo
        >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
        >>> a = tlpo.assess([1, 4, 2, 3, 5, 4, 6, 8], y)
        >>> b = tlpo.assess([2, 1, 3, 4, 2, 5, 3, 6], y)
        >>> row = tlpo.compare(a, b).row()
        >>> row["auc_first"], row["auc_second"], round(row["p_value"], 3)
        (0.96875, 0.75, 0.322)
        """
        measure = self.measure.lower()
        row = {
            "first": self.names[0],
            "second": self.names[1],
            f"{measure}_first": self.aucs[0],
            f"{measure}_second": self.aucs[1],
            "difference": self.difference,
            "low": self.low,
            "high": self.high,
            "p_value": self.p_value,
            "p_value_holm": p_value_holm,
        }
        return row if self.delong is None else {**row, "p_value_delong": self.delong.p_value}

    def _title(self) -> str:
        return f"{self.names[0]} against {self.names[1]}"

    def _rows(self) -> list[tuple[str, str]]:
        level = f"{100 * self.confidence_level:.4g} %"
        return [
            (self.measure, f"{self.aucs[0]:.4f} and {self.aucs[1]:.4f}"),
            (
                "difference",
                f"{self.difference:+.4f} ({level} interval {self.low:+.4f} to {self.high:+.4f})",
            ),
            ("p-value", f"{self.p_value:.4g}"),
            self._test(),
        ]

    def _test(self) -> tuple[str, str]:
        if self.delong is not None:
            return "paired DeLong", (
                f"z = {self.delong.z:.3f}, p = {self.delong.p_value:.4g}: "
                "treats the models as fixed, rejects too often"
            )
        if self.measure != "AUC" or self.placement_variance is not None:
            df = self.degrees_of_freedom
            student = "" if df == float("inf") else f", {df:.1f} degrees of freedom"
            return "statistic", f"{self.statistic:.4g}{student}"
        if self.paired:
            return "DeLong", f"Z = {self.statistic:.4g}, on the same units"
        return "DeLong", (
            f"D = {self.statistic:.4g}, {self.degrees_of_freedom:.1f} degrees of freedom, "
            "on different units"
        )

    def _notes(self) -> tuple[str, ...]:
        return self.notes


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons(Summary):
    """All pairs of several models, p-values adjusted for their number.

    Attributes
    ----------
    pairs : tuple of Comparison
        Every pair, in the order the models were given.
    adjusted : tuple of float
        Holm's p-value of each.

    Notes
    -----
    Holm's adjusted p-values of K pairs: of the sorted ones, ``max_{j≤k} min(1, (K − j + 1)
    p_(j))``.

    Examples
    --------
    >>> import numpy as np
    >>> import tlpo
    >>> rng = np.random.default_rng(0)
    >>> ill = np.arange(40) % 2
    >>> markers = [tlpo.assess(rng.normal(size=40) + shift * ill, ill) for shift in (0, 1, 2)]
    >>> tlpo.compare(*markers, names=["none", "some", "much"])
    3 comparisons of AUCs, p-values adjusted by Holm
      none − some  -0.0550 (-0.3206 to +0.2106), p = 0.6849, adjusted 0.6849
      none − much  -0.3225 (-0.5090 to -0.1360), p = 0.0006998, adjusted 0.002099
      some − much  -0.2675 (-0.4426 to -0.0924), p = 0.002751, adjusted 0.005501
    """

    pairs: tuple[Comparison, ...]
    adjusted: tuple[float, ...]

    def to_frame(self) -> pd.DataFrame:
        """Tabulate the pairs.

        Examples
        --------
        >>> import tlpo
        >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
        >>> scores = [1, 4, 2, 3, 5, 4, 6, 8], [2, 1, 3, 4, 2, 5, 3, 6], [5, 3, 1, 2, 4, 6, 1, 2]
        >>> found = tlpo.compare(*(tlpo.assess(s, y) for s in scores), names=["x", "y", "z"])
        >>> table = found.to_frame()
        >>> print(table[["first", "second", "difference", "p_value", "p_value_holm"]].round(3))
          first second  difference  p_value  p_value_holm
        0     x      y       0.219    0.322         0.644
        1     x      z       0.406    0.110         0.329
        2     y      z       0.188    0.556         0.644
        """
        import pandas as pd

        return pd.DataFrame(
            [pair.row(p) for pair, p in zip(self.pairs, self.adjusted, strict=True)]
        )

    def _title(self) -> str:
        what = f"{self.pairs[0].measure}s"
        return f"{len(self.pairs)} comparisons of {what}, p-values adjusted by Holm"

    def _rows(self) -> list[tuple[str, str]]:
        return [
            (
                f"{pair.names[0]} − {pair.names[1]}",
                f"{pair.difference:+.4f} ({pair.low:+.4f} to {pair.high:+.4f}), "
                f"p = {pair.p_value:.4g}, adjusted {adjusted:.4g}",
            )
            for pair, adjusted in zip(self.pairs, self.adjusted, strict=True)
        ]

    def _notes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(note for pair in self.pairs for note in pair.notes))
