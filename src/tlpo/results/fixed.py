"""Scores fixed before these units were seen: a laboratory value, a model from elsewhere."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.checks import RandomState, require_choice, require_count, require_level, seed_sequence
from tlpo.errors import InputError, arg, explain
from tlpo.problem.exact import Exact, as_fraction, is_beyond
from tlpo.problem.outcome import Classes
from tlpo.results.intervals import Interval, add_limits
from tlpo.results.points import pick_point, require_one_way
from tlpo.results.probabilities import Probabilities
from tlpo.results.readings import CurveWithLimits
from tlpo.results.subgroups import LEAST_GROUPS, SMALLEST, factorise
from tlpo.results.summary import Summary
from tlpo.roc.curve import RocCurve, correct, roc_curve
from tlpo.roc.evidence import GameEvidence
from tlpo.roc.intervals import two_sided_quantile
from tlpo.roc.methods import BY_SPREAD, FIXED, FIXED_DEFAULT, Found, Request
from tlpo.roc.operating_points import operating_points
from tlpo.roc.partial import partial_limits, partial_model, partial_placements
from tlpo.roc.placements import Placements, placements_of_scores
from tlpo.roc.resample import resampled_aucs

if TYPE_CHECKING:
    import pandas as pd

# The curve of a score with fewer values is read between its points.
FEW_VALUES = 20


@dataclass(frozen=True, eq=False, repr=False)
class FixedScores(Summary, CurveWithLimits):
    """A score that was fixed beforehand, and its ROC analysis. `assess` makes it.

    Attributes
    ----------
    name : str
        What the score is called.
    values : ndarray of shape (m,)
        The score as it was measured; NaN where it is missing.
    labels : Classes
        Class of every unit.
    groups : ndarray of shape (m,) or None
        Units that belong together, and are not independent.
    larger_is_positive : bool
        Whether large values speak for the positive class.

    Notes
    -----
    ``auc = Σ_{i∈I+} Σ_{j∈I-} H(s_i − s_j) / (m+ m-)``, with H as in `tournament`.
    ``standard_error`` is DeLong's: ``√(var(V_i)/m+ + var(V_j)/m-)``, where V_i is the share of
    negatives below positive i and V_j the share of positives above negative j.

    Examples
    --------
    >>> import pandas as pd
    >>> import tlpo
    >>> s100b = pd.Series([0.08, 0.11, 0.10, 0.15, 0.35, 0.12, 0.09, 0.48, 0.20, 0.71])
    >>> a = tlpo.assess(s100b.rename("S100B"), ["good"] * 6 + ["poor"] * 4)
    >>> a
    S100B, fixed beforehand: 10 units, 4 positive ('poor') and 6 negative ('good')
      AUC       0.7500 (95 % interval 0.3411 to 1.0000)
      p-value   0.2571 (AUC of ½, Mann-Whitney)
      positive  larger values
    >>> round(a.standard_error, 3)
    0.209
    """

    name: str
    values: FloatArray
    labels: Classes
    groups: IntArray | None = None
    larger_is_positive: bool = True
    # The order of values that are equal once they are rounded to doubles; None if none are.
    _exact: Exact | None = None

    _is_fixed = True

    @property
    def scores(self) -> FloatArray:
        """The score of each unit, larger meaning more positive."""
        return self.values if self.larger_is_positive else -self.values

    def _rated(self) -> tuple[FloatArray, BoolArray]:
        """Return scores, or ranks where scores are equal only by rounding, and classes.

        Units without a score are left out.
        """
        if self._exact is None:
            return super()._rated()
        ranks = self._exact.ranks[self._is_rated]
        is_positive = self.labels.is_positive[self._is_rated]
        return (ranks if self.larger_is_positive else -ranks), is_positive

    @property
    def n_missing(self) -> int:
        """Number of units without a score, which take no part."""
        return int(np.count_nonzero(np.isnan(self.values)))

    @property
    def auc(self) -> float:
        """How often a positive scores higher than a negative, ties counting half."""
        return self._evidence.auc

    @cached_property
    def _evidence(self) -> GameEvidence:
        """The AUC and its placement values."""
        scores, is_positive = self._rated()
        placements = placements_of_scores(scores, is_positive)._replace(groups=self._by_class)
        if self.groups is not None:
            require_groups(placements)
        return GameEvidence(float(placements.positive.mean()), placements, None, [])

    @property
    def degrees_of_freedom(self) -> float | None:
        """Degrees of freedom of Student's quantile if there are few groups, otherwise None.

        Ungrouped scores have the normal quantile, as DeLong's interval has everywhere.
        """
        return None if self.groups is None else self._evidence.degrees_of_freedom

    @cached_property
    def probabilities(self) -> Probabilities:
        """Calibration, Brier score and net benefit, if the scores are probabilities."""
        known = self.values[~np.isnan(self.values)]
        if not self.larger_is_positive or known.min() < 0 or known.max() > 1:
            raise InputError(
                explain(
                    f"{self.name} is not a probability of the positive class.",
                    f"You passed values from {known.min():g} to {known.max():g}, of which "
                    f"{'large' if self.larger_is_positive else 'small'} ones speak for it.",
                    "Pass probabilities between 0 and 1, for example those of a model from "
                    "elsewhere.",
                )
            )
        return Probabilities(self.values, self.labels.is_positive, self.groups)

    @property
    def standard_error(self) -> float:
        """DeLong's standard error of the AUC; with groups, Obuchowski's."""
        return float(np.sqrt(self._evidence.placement_variance))

    @cached_property
    def p_value(self) -> float:
        """Two-sided p-value against an AUC of ½: the Mann-Whitney test.

        Exact for small samples without ties. With groups, its variance is multiplied by the
        factor by which they increase that of the AUC.
        """
        from scipy.stats import mannwhitneyu, norm, tiecorrect
        from scipy.stats import t as student

        scores, is_positive = self._rated()
        if self.groups is None:
            return float(mannwhitneyu(scores[is_positive], scores[~is_positive]).pvalue)
        p, n = self.class_sizes
        _, ranks = np.unique(scores, return_inverse=True)
        variance = (p + n + 1) / (12.0 * p * n) * tiecorrect(np.sort(ranks))
        if variance == 0:
            return 1.0
        z = abs(self.auc - 0.5) / np.sqrt(variance * self._evidence.design_effect)
        df = self.degrees_of_freedom
        return float(2 * (norm.sf(z) if df is None else student.sf(z, df)))

    def auc_interval(
        self,
        confidence_level: float = 0.95,
        method: str | None = None,
        *,
        n_resamples: int = 2000,
        random_state: RandomState = None,
    ) -> Interval:
        """Return an interval for the AUC.

        Parameters
        ----------
        confidence_level : float
            How often the interval should contain the true AUC.
        method : str, optional
            ``"delong"``, the default, is what R's pROC and most programs print, and right in large
            samples. In small ones, and near an AUC of 1, it is too narrow (coverage:
            docs/inference.md).
            ``"score"``, Newcombe's score interval with a variance no smaller than DeLong's,
            covers there too. ``"delong-logit"``: on the scale of the log odds;
            ``"newcombe"``: without DeLong's variance; ``"bootstrap"``: percentiles.
            All but Newcombe's, which is widened, compute with whole groups; with ten or fewer in a
            class, with Student's quantile. Where a class has one unit, or the score separates the
            classes or is constant, no spread is seen, and methods that rest on it give way to
            ``"score"``.
        n_resamples, random_state
            Of the bootstrap.

        Notes
        -----
        ``"delong"``: ``auc ± z · standard_error``, clipped to 0 … 1. ``"delong-logit"``: the same
        for ``log(auc/(1 − auc))``. ``"score"``: the θ with ``(auc − θ)² = z² φ V(θ)``, V as in
        `Tournament.auc_interval` and φ DeLong's variance divided by V(auc), at least 1.

        Examples
        --------
        >>> import tlpo
        >>> a = tlpo.assess([1, 2, 3, 3, 5, 4, 3, 5, 6, 7], [0] * 5 + [1] * 5)
        >>> for method in ("delong", "delong-logit", "score"):
        ...     low, high = a.auc_interval(method=method)
        ...     print(f"{method}: {low:.3f} to {high:.3f}")
        delong: 0.626 to 1.000
        delong-logit: 0.469 to 0.977
        score: 0.485 to 0.972
        """
        require_level("confidence_level", confidence_level)
        evidence = self._evidence
        method = FIXED_DEFAULT if method is None else method
        require_choice("method", method, tuple(FIXED))
        notes = [] if self.groups is None else [say_groups(evidence)]
        if method == "bootstrap":
            require_count("n_resamples", n_resamples, 100)
        why = _why_no_spread(evidence) if method in BY_SPREAD else None
        if why is not None:
            method = "score"
            notes.append(f"{why}: this is the score interval instead.")
        if method == "bootstrap":
            found = self._bootstrapped(confidence_level, n_resamples, random_state)
        else:
            request = Request(
                evidence,
                confidence_level,
                games=_no_games,
                degrees_of_freedom=self.degrees_of_freedom,
            )
            found = FIXED[method].compute(request)
        measured = FIXED[method].measured
        if measured is not None:
            notes.append(
                f"Empirical coverage of the nominal 95% interval was {measured[0]:.0%} to "
                f"{measured[1]:.0%} in small and medium samples (docs/inference.md)."
            )
        return Interval.of_auc(found, evidence, confidence_level, method, notes)

    def _bootstrapped(self, level: float, n_resamples: int, random_state: RandomState) -> Found:
        scores, is_positive = self._rated()
        rng = np.random.default_rng(seed_sequence(random_state))
        groups = None if self.groups is None else self.groups[self._is_rated]
        aucs = resampled_aucs(scores, is_positive, groups, n_resamples, rng)
        low, high = np.quantile(aucs, [(1 - level) / 2, (1 + level) / 2])
        return Found(float(low), float(high))

    def _rate_factor(self, confidence_level: float) -> tuple[float, float]:
        """Return the squared quantile times the factor by which groups increase variances.

        Examples
        --------
        >>> import tlpo
        >>> factor, phi = tlpo.assess([1, 2, 4, 3, 5, 6], [0, 0, 0, 1, 1, 1])._rate_factor(0.95)
        >>> round(factor, 3), phi
        (3.841, 1.0)
        """
        require_level("confidence_level", confidence_level)
        phi = self._evidence.design_effect
        return two_sided_quantile(confidence_level, self.degrees_of_freedom) ** 2 * phi, phi

    @property
    def _has_few_points(self) -> bool:
        return np.unique(self._rated()[0]).size < FEW_VALUES

    @cached_property
    def _curve(self) -> RocCurve:
        curve = roc_curve(*self._rated())
        if self._exact is not None:
            ranks = np.abs(curve.thresholds[:-1])
            numbers = np.array([float(self._exact.numbers[int(rank)]) for rank in ranks])
            thresholds = numbers if self.larger_is_positive else -numbers
            return curve._replace(thresholds=np.concatenate([[np.inf], thresholds[:-1], [-np.inf]]))
        # Halfway between neighbours, as whoever uses the cut-off on new patients would have it.
        above, below = curve.thresholds[:-2], curve.thresholds[1:-1]
        halfway = below + (above - below) / 2
        halfway = np.where(halfway > below, halfway, above)  # neighbours that differ in one bit
        return curve._replace(thresholds=np.concatenate([[np.inf], halfway, [-np.inf]]))

    def roc_curve(self) -> RocCurve:
        """Return ``fpr, tpr, thresholds``; a unit is positive when its score ≥ threshold.

        Thresholds lie halfway between the values that occur. Where small values are positive
        (``larger_is_positive=False``), those of the negated score are returned.

        Examples
        --------
        >>> import tlpo
        >>> fpr, tpr, thresholds = tlpo.assess([10, 20, 30, 40], list("nyny")).roc_curve()
        >>> thresholds
        array([ inf,  35.,  25.,  15., -inf])
        >>> tpr
        array([0. , 0.5, 0.5, 1. , 1. ])
        """
        return self._curve

    def partial_auc_interval(
        self,
        *,
        specificity: tuple[float, float] | None = None,
        sensitivity: tuple[float, float] | None = None,
        corrected: bool = False,
        confidence_level: float = 0.95,
    ) -> Interval:
        """Return `partial_auc` with an interval.

        A score interval with the variance of two normal classes, or with that of the contributions
        of the units where it is larger (``tlpo.roc.partial``).

        Examples
        --------
        >>> import numpy as np
        >>> import tlpo
        >>> ill = np.arange(80) % 2 == 1
        >>> marker = np.random.default_rng(0).normal(size=80) + 1.5 * ill
        >>> tlpo.assess(marker, ill).partial_auc_interval(specificity=(0.8, 1), corrected=True)
        Partial AUC, corrected, for specificity 0.8 to 1: 0.7622, 95 % interval 0.6512 to 0.8593
          φ  1.000
        """
        require_level("confidence_level", confidence_level)
        area = self.partial_auc(specificity=specificity, sensitivity=sensitivity)
        scores, is_positive = self._rated()
        given = specificity if specificity is not None else sensitivity
        assert given is not None
        low, high = 1.0 - given[1], 1.0 - given[0]
        step = np.unique(-scores, return_inverse=True)[1]
        placements = partial_placements(
            self.roc_curve(), step, is_positive, specificity=specificity, sensitivity=sensitivity
        )._replace(groups=self._by_class)
        p, n = self.class_sizes
        own, other = (p, n) if specificity is not None else (n, p)
        limits, phi = partial_limits(
            area,
            placements.variance.total,
            partial_model(low, high, own, other),
            two_sided_quantile(confidence_level, self.degrees_of_freedom) ** 2
            * (1.0 if self._evidence.has_spread else self._evidence.design_effect),
        )
        if corrected:
            area = correct(area, low, high)
            limits = correct(limits[0], low, high), correct(limits[1], low, high)
        rate = "specificity" if specificity is not None else "sensitivity"
        kind = "partial AUC, corrected," if corrected else "partial AUC"
        what = f"{kind} for {rate} {given[0]:g} to {given[1]:g}"
        return Interval(what, area, limits[0], limits[1], float(confidence_level), phi=phi)

    def operating_points(
        self, prevalence: float | None = None, confidence_level: float | None = None
    ) -> pd.DataFrame:
        """Tabulate what every cut-off means, in the units of the score.

        Parameters
        ----------
        prevalence : float, optional
            Share of positives where the test will be used, which PPV and NPV refer to; that of
            the sample by default.
        confidence_level : float, optional
            Adds limits, which account for a cut-off that is chosen from this table; those of one
            that was fixed beforehand are narrower: ``operating_point(cutoff=…)``.

        Returns
        -------
        pandas.DataFrame
            One row per cut-off, as `Tournament.operating_points`.

        Examples
        --------
        >>> import pandas as pd
        >>> import tlpo
        >>> age = pd.Series([31, 44, 52, 58, 49, 63, 71, 77], name="age")
        >>> points = tlpo.assess(age, ["alive"] * 4 + ["dead"] * 4).operating_points()
        >>> print(points[["criterion", "sensitivity", "specificity", "youden"]])
            criterion  sensitivity  specificity  youden
        0       never         0.00         1.00    0.00
        1    age ≥ 74         0.25         1.00    0.25
        2    age ≥ 67         0.50         1.00    0.50
        3  age ≥ 60.5         0.75         1.00    0.75
        4    age ≥ 55         0.75         0.75    0.50
        5  age ≥ 50.5         0.75         0.50    0.25
        6  age ≥ 46.5         1.00         0.50    0.50
        7  age ≥ 37.5         1.00         0.25    0.25
        8      always         1.00         0.00    0.00
        """
        table = super().operating_points(prevalence)
        return self._in_units(table, self._written(), prevalence, confidence_level, chosen=True)

    def operating_point(
        self,
        rule: str | None = None,
        *,
        sensitivity: float | None = None,
        specificity: float | None = None,
        cutoff: float | None = None,
        prevalence: float | None = None,
        confidence_level: float | None = 0.95,
    ) -> pd.Series:
        """Return one row of `operating_points`.

        Parameters
        ----------
        rule : {"youden", "closest"}, optional
            The largest sensitivity + specificity, or the point closest to (0, 1).
        sensitivity, specificity : float, optional
            The best point with at least this sensitivity or specificity.
        cutoff : float, optional
            Units with this value or a larger one (a smaller one, if small values are positive)
            are positive.
        prevalence, confidence_level
            As in `operating_points`. Limits at a ``cutoff`` hold if it was fixed beforehand; those
            at a rule or rate account for the choice on these units.

        Examples
        --------
        >>> import tlpo
        >>> a = tlpo.assess([1, 2, 3, 4, 5, 6], [0, 0, 1, 0, 1, 1])
        >>> a.operating_point("youden")["criterion"]
        'score ≥ 2.5'
        """
        require_one_way(rule, sensitivity=sensitivity, specificity=specificity, cutoff=cutoff)
        if cutoff is not None:
            return self._at(cutoff, prevalence, confidence_level)
        table = self.operating_points(prevalence, confidence_level)
        return table.iloc[pick_point(table, rule, sensitivity, specificity)]

    def _at(self, cutoff: Any, prevalence: float | None, level: float | None) -> pd.Series:
        import pandas as pd

        try:
            limit = as_fraction(cutoff)
            at = float(limit)
        except (ArithmeticError, TypeError, ValueError) as error:
            raise InputError(
                explain(
                    f"{arg('cutoff')} must be a finite number.",
                    f"You passed {arg('cutoff', cutoff)}.",
                    f"For example {arg('cutoff', 0.3)}.",
                )
            ) from error
        _, is_positive = self._rated()
        above = is_beyond(self.values, self._exact, limit, upwards=self.larger_is_positive)
        above = above[self._is_rated]
        at = at if self.larger_is_positive else -at
        ends = np.array([0.0, 1.0])  # limits are known at the end of a curve
        curve = RocCurve(
            np.insert(ends, 1, above[~is_positive].mean()),
            np.insert(ends, 1, above[is_positive].mean()),
            np.array([np.inf, at, -np.inf]),
        )
        table = pd.DataFrame(operating_points(curve, *self.class_sizes, prevalence))
        table.insert(0, "criterion", "")
        counts = dict.fromkeys(("tp", "fp", "fn", "tn"), int)
        written = f"{float(limit):.12g}"
        if limit.denominator == 1 and as_fraction(written) != limit:
            written = str(limit)
        table, shown = table.astype(counts), ["", written, ""]
        return self._in_units(table, shown, prevalence, level, chosen=False).iloc[1]

    def _written(self) -> list[str]:
        """Return the thresholds of the curve in the units of the score."""
        thresholds = self._curve.thresholds if self.larger_is_positive else -self._curve.thresholds
        if self._exact is not None:
            # The smallest value that is positive: what lies halfway would be rounded.
            ranks = np.abs(roc_curve(*self._rated()).thresholds[:-2])
            return ["", *(self._exact.written(rank) for rank in ranks), ""]
        short = [f"{threshold:.12g}" for threshold in thresholds]
        return short if len(set(short)) == len(short) else [repr(float(t)) for t in thresholds]

    def _in_units(
        self,
        table: pd.DataFrame,
        written: list[str],
        prevalence: float | None,
        level: float | None,
        *,
        chosen: bool,
    ) -> pd.DataFrame:
        sign = "≥" if self.larger_is_positive else "≤"
        if not self.larger_is_positive:
            table["threshold"] = -table["threshold"]
        table["criterion"] = [f"{self.name} {sign} {cutoff}" for cutoff in written]
        table.iloc[0, table.columns.get_loc("criterion")] = "never"  # type: ignore[index]
        table.iloc[-1, table.columns.get_loc("criterion")] = "always"  # type: ignore[index]
        if level is None:
            return table
        return add_limits(self, table, prevalence, level, chosen=chosen)

    def by(self, group: Any, *, confidence_level: float = 0.95) -> pd.DataFrame:
        """Tabulate the AUC within subgroups.

        Parameters
        ----------
        group : array-like of shape (m,)
            Subgroup of each unit; units with a missing value form one of their own.
        confidence_level : float
            Of the intervals.

        Returns
        -------
        pandas.DataFrame
            One row per subgroup: units with a score, positives, negatives, AUC with limits, and a
            note where it is too small to tell.

        Examples
        --------
        >>> import numpy as np
        >>> import tlpo
        >>> ill = np.arange(60) % 2 == 1
        >>> marker = np.random.default_rng(1).normal(size=60) + ill
        >>> table = tlpo.assess(marker, ill).by(np.repeat(["clinic A", "clinic B"], 30))
        >>> print(table[["positives", "negatives", "auc", "low", "high"]].round(2))
                  positives  negatives   auc   low  high
        subgroup
        clinic A         15         15  0.84  0.69  1.00
        clinic B         15         15  0.66  0.46  0.86
        """
        import pandas as pd

        require_level("confidence_level", confidence_level)
        codes, names = factorise(group, self.labels, "the scores")
        rows = []
        for code, name in [*enumerate(names), (-1, None)]:
            inside = (codes == code) & self._is_rated
            if not (codes == code).any():
                continue
            p = int(np.count_nonzero(inside & self.labels.is_positive))
            n = int(np.count_nonzero(inside)) - p
            row = {"subgroup": name, "units": p + n, "positives": p, "negatives": n}
            row |= {"auc": np.nan, "low": np.nan, "high": np.nan, "note": ""}
            if min(p, n) < SMALLEST:
                row["note"] = f"too small: an AUC needs {SMALLEST} units of each class"
            elif self.groups is not None and self._fewest_groups(inside) < LEAST_GROUPS:
                row["note"] = f"too small: an interval needs {LEAST_GROUPS} groups with each class"
            else:
                part = self._subset(inside)
                low, high = part.auc_interval(confidence_level)
                row |= {"auc": part.auc, "low": low, "high": high}
            rows.append(row)
        return pd.DataFrame(rows).set_index("subgroup")

    def _subset(self, inside: BoolArray) -> FixedScores:
        """Return the same score of some of the units.

        Examples
        --------
        >>> import numpy as np
        >>> import tlpo
        >>> a = tlpo.assess([1, 2, 4, 3, 5, 6], [0, 0, 0, 1, 1, 1])
        >>> round(a.auc, 3), a._subset(np.array([True, True, False, True, True, True])).auc
        (0.889, 1.0)
        """
        names = self.labels.unit_names
        labels = replace(
            self.labels,
            is_positive=self.labels.is_positive[inside],
            unit_names=None if names is None else names[inside],
        )
        groups = None if self.groups is None else self.groups[inside]
        exact = None if self._exact is None else self._exact.of(inside)
        return replace(self, values=self.values[inside], labels=labels, groups=groups, _exact=exact)

    def _fewest_groups(self, inside: BoolArray) -> int:
        assert self.groups is not None
        kinds = (self.labels.is_positive, ~self.labels.is_positive)
        return min(np.unique(self.groups[inside & kind]).size for kind in kinds)

    @property
    def _is_rated(self) -> BoolArray:
        """Which units have a score."""
        return ~np.isnan(self.values)

    @property
    def _by_class(self) -> tuple[IntArray, IntArray] | None:
        if self.groups is None:
            return None
        _, is_positive = self._rated()
        groups = self.groups[self._is_rated]
        return groups[is_positive], groups[~is_positive]

    def _title(self) -> str:
        return f"{self.name}, fixed beforehand: {self.labels.count}"

    def _rows(self) -> list[tuple[str, str]]:
        low, high = self.auc_interval()
        direction = "larger" if self.larger_is_positive else "smaller"
        return [
            ("AUC", f"{self.auc:.4f} (95 % interval {low:.4f} to {high:.4f})"),
            ("p-value", f"{self.p_value:.4g} (AUC of ½, Mann-Whitney)"),
            ("positive", f"{direction} values"),
        ]

    def _notes(self) -> tuple[str, ...]:
        notes = []
        if self.n_missing:
            lost = self.n_missing - int(
                np.count_nonzero(~self._is_rated & ~self.labels.is_positive)
            )
            notes.append(
                f"{self.n_missing} of {self.labels.n_units} units have no score and take no part "
                f"({lost} positive, {self.n_missing - lost} negative)."
            )
        if self.auc < 0.5:
            turned = not self.larger_is_positive
            notes.append(
                "The AUC is below ½: the other way round "
                f"(larger_is_positive={turned}) it would be {1 - self.auc:.4f}. Turn it only if "
                "that was the direction beforehand."
            )
        return tuple(notes)


def require_groups(placements: Placements) -> None:
    """Refuse groups too few to show how groups differ: no variance can be seen in one."""
    p, n = placements.sizes
    if min(p, n) >= LEAST_GROUPS:
        return
    raise InputError(
        explain(
            f"Each class needs units from at least {LEAST_GROUPS} groups.",
            f"You passed {placements.positive.size} positives from {p} and "
            f"{placements.negative.size} negatives from {n}.",
            "Units of one group cannot show how far others would differ: add groups, or leave them "
            "out if units are independent.",
        )
    )


def say_groups(evidence: GameEvidence) -> str:
    """Say how many groups carry the intervals.

    Examples
    --------
    >>> import tlpo
    >>> a = tlpo.assess([1, 2, 4, 3, 5, 6], [0, 0, 0, 1, 1, 1], groups=[1, 1, 2, 3, 4, 4])
    >>> say_groups(a._evidence)
    'Intervals rest on 2 groups with positives and 2 with negatives.'
    """
    p, n = evidence.placements.sizes
    return f"Intervals rest on {p} groups with positives and {n} with negatives."


def _why_no_spread(evidence: GameEvidence) -> str | None:
    """Return why the spread of the placements says nothing about the AUC's variance, or None."""
    if min(evidence.placements.sizes) == 1:
        return "A class has a single unit, which shows no spread"
    if not evidence.has_spread:
        return "DeLong's variance is zero here, which is not certainty"
    return None


def _no_games() -> FloatArray:
    raise NotImplementedError("fixed scores play no games")
