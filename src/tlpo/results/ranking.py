"""ROC analysis shared by every result that scores units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.arrays import BoolArray, FloatArray
from tlpo.checks import require_share
from tlpo.errors import InputError, explain
from tlpo.problem.outcome import Classes
from tlpo.roc import curve as roc
from tlpo.roc.operating_points import operating_points, write_criteria
from tlpo.roc.smooth import BinormalCurve, fit_binormal
from tlpo.synonyms import refuse_foreign_arguments

if TYPE_CHECKING:
    import pandas as pd

    from tlpo.displays import RocDisplay


class Ranking:
    """A score for every unit, and the ROC analysis of these scores.

    Results inherit from it; they provide ``labels`` and ``scores``. Units whose score is NaN
    (no game could be finished) take no part.
    """

    labels: Classes

    @property
    def _compared(self) -> str:
        """What thresholds of the curve are compared with."""
        return "score"

    @property
    def scores(self) -> FloatArray:
        """Score of each unit, larger meaning more positive."""
        raise NotImplementedError

    @property
    def auc(self) -> float:
        """Area under the ROC curve of the scores."""
        return roc.wmw_auc(*self._rated())

    def roc_curve(self) -> roc.RocCurve:
        """Return ``fpr, tpr, thresholds``; a unit is positive when its score > threshold."""
        return roc.roc_curve(*self._rated())

    def smooth_curve(self) -> BinormalCurve:
        """Return a smooth curve through the points of `roc_curve`: that of two normal classes.

        It is the curve that pROC's ``smooth(method = "binormal")`` draws. Its area is a number of
        its own; the one to report is `auc`.

        Notes
        -----
        A straight line through the points inside the axes, where both are on the scale of normal
        quantiles: ``Φ⁻¹(TPR) = a + b Φ⁻¹(FPR)``, by least squares of ``Φ⁻¹(1 − FPR)`` on
        ``Φ⁻¹(TPR)``. The area is ``Φ(a/√(1 + b²))``.

        Examples
        --------
        >>> import tlpo
        >>> grades = [1, 1, 2, 2, 3, 4, 1, 2, 3, 4, 4, 5]
        >>> a = tlpo.assess(grades, ["good"] * 6 + ["poor"] * 6)
        >>> smooth = a.smooth_curve()
        >>> round(smooth.intercept, 3), round(smooth.slope, 3)
        (0.688, 0.689)
        >>> round(smooth.auc, 3), round(a.auc, 3)
        (0.715, 0.708)
        """
        found = fit_binormal(self.roc_curve())
        if found is None:
            raise InputError(
                explain(
                    "The ROC curve cannot be smoothed: it has too few points.",
                    "A smooth curve needs two points with different sensitivities and "
                    "specificities, all strictly between 0 and 1.",
                    "Show the curve as it is.",
                )
            )
        return found

    def sensitivity_at(self, specificity: float, *, interpolate: bool = False) -> float:
        """Sensitivity at a specificity.

        The largest TPR among thresholds with FPR ≤ 1 − specificity, or, with
        ``interpolate=True``, the line between thresholds.

        Examples
        --------
        >>> import tlpo
        >>> a = tlpo.assess([1, 2, 2, 3, 2, 3, 4, 4], ["good"] * 4 + ["poor"] * 4)
        >>> a.sensitivity_at(specificity=0.9), a.sensitivity_at(specificity=0.7)
        (0.5, 0.75)
        >>> round(a.sensitivity_at(specificity=0.9, interpolate=True), 3)
        0.6
        """
        require_share("specificity", specificity)
        return roc.sensitivity_at(self.roc_curve(), specificity, interpolate=interpolate)

    def specificity_at(self, sensitivity: float, *, interpolate: bool = False) -> float:
        """Specificity at a sensitivity.

        The largest specificity among thresholds with TPR ≥ sensitivity, or, with
        ``interpolate=True``, the line between thresholds.

        Examples
        --------
        >>> import tlpo
        >>> a = tlpo.assess([1, 2, 2, 3, 2, 3, 4, 4], ["good"] * 4 + ["poor"] * 4)
        >>> a.specificity_at(sensitivity=0.7), a.specificity_at(sensitivity=1)
        (0.75, 0.25)
        """
        require_share("sensitivity", sensitivity)
        return roc.specificity_at(self.roc_curve(), sensitivity, interpolate=interpolate)

    @refuse_foreign_arguments
    def partial_auc(
        self,
        *,
        specificity: tuple[float, float] | None = None,
        sensitivity: tuple[float, float] | None = None,
        corrected: bool = False,
    ) -> float:
        """Area over a range of specificity or of sensitivity.

        Parameters
        ----------
        specificity, sensitivity : (low, high)
            Exactly one of them.
        corrected : bool
            McClish's correction: ½ for chance and 1 for perfect, whatever the range.

        Notes
        -----
        ``∫ TPR dFPR`` over the range, which is at most its width. McClish's correction of an area A
        is ``½ (1 + (A − A₀)/(A₁ − A₀))``, where A₀ is the area of chance and A₁ that of a perfect
        test.

        Examples
        --------
        >>> import tlpo
        >>> a = tlpo.assess([1, 2, 2, 3, 2, 3, 4, 4], ["good"] * 4 + ["poor"] * 4)
        >>> round(a.partial_auc(specificity=(0.8, 1)), 3)
        0.12
        >>> round(a.partial_auc(specificity=(0.8, 1), corrected=True), 3)
        0.778
        """
        given = [r for r in (specificity, sensitivity) if r is not None]
        if len(given) != 1 or not _is_range(given[0]):
            raise InputError(
                explain(
                    "partial_auc needs one range, of specificity or of sensitivity.",
                    f"You passed specificity={specificity!r}, sensitivity={sensitivity!r}.",
                    "For example specificity=(0.8, 1.0).",
                )
            )
        return roc.partial_auc(
            self.roc_curve(),
            specificity=specificity,
            sensitivity=sensitivity,
            corrected=corrected,
        )

    def operating_points(self, prevalence: float | None = None) -> pd.DataFrame:
        """Tabulate what every threshold means.

        Parameters
        ----------
        prevalence : float, optional
            Share of positives where the test will be used, which PPV and NPV refer to; that of
            the sample by default.

        Returns
        -------
        pandas.DataFrame
            One row per threshold (criterion "score > threshold") with sensitivity,
            specificity, PPV, NPV, likelihood ratios, Youden's index and counts.

        Examples
        --------
        >>> from sklearn.dummy import DummyClassifier
        >>> import tlpo
        >>> loo = tlpo.leave_one_out(DummyClassifier(), [[0]] * 6, [0, 0, 0, 1, 1, 1])
        >>> print(loo.operating_points()[["criterion", "sensitivity", "specificity", "tp", "fp"]])
              criterion  sensitivity  specificity  tp  fp
        0   score > 0.6          0.0          1.0   0   0
        1   score > 0.4          0.0          0.0   0   3
        2  score > -inf          1.0          0.0   3   3
        """
        import pandas as pd

        if prevalence is not None:
            require_share("prevalence", prevalence)
        columns = operating_points(self.roc_curve(), *self.class_sizes, prevalence)
        table = pd.DataFrame(columns).astype(dict.fromkeys(("tp", "fp", "fn", "tn"), int))
        table.insert(0, "criterion", write_criteria(self._compared, columns["threshold"]))
        return table

    def plot(self, ax: Any = None, *, name: str | None = None, **options: Any) -> RocDisplay:
        """Draw the ROC curve; options are those of `RocDisplay.from_result`.

        Examples
        --------
        >>> import tlpo
        >>> a = tlpo.assess([1, 2, 2, 3, 2, 3, 4, 4], ["good"] * 4 + ["poor"] * 4)
        >>> display = a.plot(name="grade", specificity=0.9)
        >>> display
        RocDisplay(grade, AUC 0.844)
        >>> display.figure_.savefig("roc.pdf")  # doctest: +SKIP
        """
        from tlpo.displays import RocDisplay

        return RocDisplay.from_result(self, name=name, **options).plot(ax)

    def to_frame(self) -> pd.DataFrame:
        """Tabulate the units: label, score and rank (1 is the most positive).

        Examples
        --------
        >>> import tlpo
        >>> print(tlpo.assess([2, 5, 3, 9], ["well", "well", "ill", "ill"]).to_frame())
             label  positive  score  rank
        unit
        0     well     False    2.0   4.0
        1     well     False    5.0   2.0
        2      ill      True    3.0   3.0
        3      ill      True    9.0   1.0
        """
        import pandas as pd

        frame = pd.DataFrame(
            {
                "label": np.where(
                    self.labels.is_positive, self.labels.positive, self.labels.negative
                ),
                "positive": self.labels.is_positive,
                "score": self.scores,
            },
            index=pd.RangeIndex(self.labels.n_units, name="unit"),
        )
        rated = ~np.isnan(self.scores)
        frame.loc[rated, "rank"] = pd.Series(self._rated()[0]).rank(ascending=False).to_numpy()
        if self.labels.unit_names is not None:
            frame.index = self.labels.unit_names
        return frame

    @property
    def class_sizes(self) -> tuple[int, int]:
        """Positive and negative units that could be ranked."""
        _, is_positive = self._rated()
        p = int(np.count_nonzero(is_positive))
        return p, is_positive.size - p

    def _rated(self) -> tuple[FloatArray, BoolArray]:
        """Return scores and classes of the units that could be ranked."""
        scores = self.scores
        rated = ~np.isnan(scores)
        return scores[rated], self.labels.is_positive[rated]


def _is_range(given: Any) -> bool:
    numbers = isinstance(given, tuple | list) and all(isinstance(v, int | float) for v in given)
    return numbers and len(given) == 2 and 0 <= given[0] < given[1] <= 1
