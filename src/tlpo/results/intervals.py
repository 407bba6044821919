"""Intervals of a tournament: for its AUC, its readings, its curve.

The default is the *placement-jackknife* interval. Two variances can be computed from the games
alone: the spread of the placement values, which takes the models for given and is too small, and
the jackknife over units, which is too large. Their geometric mean is close to the truth. Divided
by the variance that Newcombe's model gives independent scores, it is φ, and the interval is
Newcombe's score interval with the variance inflated by φ. Coverage: ``docs/inference.md``.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.checks import (
    RandomState,
    require_choice,
    require_count,
    require_level,
    seed_sequence,
)
from tlpo.engines.base import PREDICTIONS_BUDGET, Predictions
from tlpo.errors import InputError, explain
from tlpo.execution.diagnostics import outside
from tlpo.response import outcomes
from tlpo.results.ranking import Ranking
from tlpo.results.rounds import Rounds
from tlpo.results.subgroups import tabulate_subgroups
from tlpo.results.summary import Summary
from tlpo.roc import intervals as limits
from tlpo.roc import rates
from tlpo.roc.evidence import Evidence, weigh
from tlpo.roc.placements import Placements, games_of_scores, placements_of_scores
from tlpo.standings import Standings

if TYPE_CHECKING:
    import pandas as pd

Method = Literal[
    "placement-jackknife",
    "inflated",
    "newcombe",
    "delong",
    "delong-logit",
    "hanley-mcneil",
    "bootstrap",
]
METHODS: tuple[str, ...] = Method.__args__  # type: ignore[attr-defined]
Centre = Literal["lpo", "tlpo"]
CENTRES: tuple[str, ...] = Centre.__args__  # type: ignore[attr-defined]
# Least and most coverage that was measured of 95 % intervals (docs/coverage.csv).
MEASURED: dict[str, tuple[float, float]] = {
    "newcombe": (0.81, 0.99),
    "delong": (0.21, 0.92),
    "delong-logit": (0.18, 0.93),
    "hanley-mcneil": (0.21, 0.94),
    "bootstrap": (0.21, 0.92),
}
# A band has at most so many steps.
BAND_STEPS = 200
# Limits of the curve need as many games of every unit: with 4 they held 80 % instead of 95 %.
LEAST_OPPONENTS = 10


@dataclass(frozen=True, repr=False)
class AucInterval(Summary):
    """An interval for the AUC of the model that learns from all units.

    Unpacks into its limits: ``low, high = t.auc_interval()``.

    Attributes
    ----------
    low, high : float
        The limits.
    estimate : float
        The AUC they lie about: LPO or TLPO, as `centre` says.
    confidence_level : float
        How often the interval is to hold the true AUC.
    method : str
        How it was computed; ``"inflated"`` where ``"placement-jackknife"`` could not be.
    centre : {"lpo", "tlpo"}
        Which estimate.
    phi : float or None
        By how much the variance exceeds that of independent scores. None for methods that
        do not ask.
    variance : float or None
        The variance at the estimate that the limits rest on; None for the bootstrap.
    placement_variance : float
        The variance that takes the models for given: of the games or, for DeLong's methods
        about the TLPO AUC, of the scores.
    jackknife_variance : float or None
        The variance that exaggerates how models change; None without held-out predictions.
    degrees_of_freedom : float or None
        Of Student's quantile, which small classes need; None for the normal one.
    notes : tuple of str
        What the reader should know.
    """

    low: float
    high: float
    estimate: float
    confidence_level: float
    method: str
    centre: str
    phi: float | None
    variance: float | None
    placement_variance: float
    jackknife_variance: float | None
    degrees_of_freedom: float | None
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[float]:
        yield self.low
        yield self.high

    def _title(self) -> str:
        return (
            f"{self.centre.upper()} AUC {self.estimate:.4f}, "
            f"{100 * self.confidence_level:.4g} % interval {self.low:.4f} to {self.high:.4f}"
        )

    def _rows(self) -> list[tuple[str, str]]:
        quantile = "normal"
        if self.degrees_of_freedom is not None:
            quantile = f"Student's with {self.degrees_of_freedom:.1f} degrees of freedom"
        jackknife = "—" if self.jackknife_variance is None else f"{self.jackknife_variance:.3g}"
        rows = [("method", self.method)]
        if self.method != "bootstrap":
            rows.append(("quantile", quantile))
        if self.phi is not None:
            rows.append(("φ", f"{self.phi:.3f}"))
        rows.append(
            ("variances", f"placement {self.placement_variance:.3g}, jackknife {jackknife}")
        )
        return rows

    def _notes(self) -> tuple[str, ...]:
        return self.notes


@dataclass(frozen=True, repr=False)
class RateInterval(Summary):
    """An interval for a sensitivity or a specificity; unpacks into its limits.

    Attributes
    ----------
    low, high : float
        The limits.
    estimate : float
        What was read off the curve.
    what : str
        For example ``"sensitivity at specificity 0.9"``.
    confidence_level, phi : float
        As in `AucInterval`.
    """

    low: float
    high: float
    estimate: float
    what: str
    confidence_level: float
    phi: float

    def __iter__(self) -> Iterator[float]:
        yield self.low
        yield self.high

    def _title(self) -> str:
        return f"{self.what[0].upper()}{self.what[1:]}: {self.estimate:.3f}"

    def _rows(self) -> list[tuple[str, str]]:
        level = f"{100 * self.confidence_level:.4g} % interval"
        return [(level, f"{self.low:.3f} to {self.high:.3f}"), ("φ", f"{self.phi:.3f}")]


@dataclass(frozen=True, eq=False)
class RocBand:
    """Pointwise limits of the sensitivity at every false positive rate.

    Attributes
    ----------
    fpr, low, high : ndarray
        The band.
    confidence_level : float
        Of each point; the whole curve lies inside less often.
    """

    fpr: FloatArray
    low: FloatArray
    high: FloatArray
    confidence_level: float


class Uncertainty(Ranking):
    """Intervals of a result that knows its games."""

    standings: Standings
    held_out: Predictions | None
    groups: IntArray | None
    rounds: Rounds | None

    @property
    def predictions(self) -> FloatArray | None:
        """Table of held-out predictions, if it was kept."""
        raise NotImplementedError

    @property
    def lpo_auc(self) -> float:
        """Leave-pair-out AUC."""
        raise NotImplementedError

    def auc_interval(
        self,
        confidence_level: float = 0.95,
        method: Method = "placement-jackknife",
        centre: Centre = "lpo",
        *,
        n_resamples: int = 2000,
        random_state: RandomState = None,
    ) -> AucInterval:
        """Return an interval for the AUC of the model that learns from all units.

        Parameters
        ----------
        confidence_level : float
            How often the interval is to hold the true AUC.
        method : str
            ``"placement-jackknife"``, the only one here that keeps its promise at any size
            (coverage of a 95 % interval: docs/inference.md). Without held-out predictions it
            gives way to ``"inflated"``, the same with φ = 2, and says so. Ask for that by name
            if scores of different rounds are on different scales. With ``rounds`` it gives way
            as well: the games that were drawn do not show how models change without a unit. What
            the draw adds to the variance is added then.
            The others are there to compare with, and cover less than they say:
            ``"newcombe"`` (φ = 1), ``"delong"``, ``"delong-logit"``, ``"hanley-mcneil"``,
            ``"bootstrap"`` (of the games, not of the models).
        centre : {"lpo", "tlpo"}
            The estimate in the middle. With ``rounds`` the first only: the other is biased.
        n_resamples, random_state
            Of the bootstrap.
        """
        require_level("confidence_level", confidence_level)
        require_choice("method", method, METHODS)
        require_choice("centre", centre, CENTRES)
        if self.rounds is not None and centre == "tlpo":
            raise InputError(
                explain(
                    "The TLPO AUC of some games only is biased, and an interval about it misses.",
                    "You passed centre='tlpo' for a tournament in which every unit met "
                    f"{self.rounds.opponents} of {self.labels.n_units - 1} others.",
                    "Use centre='lpo', the LPO AUC of the same games.",
                )
            )
        auc = self.lpo_auc if centre == "lpo" else self.auc
        evidence = self._evidence
        p, n = evidence.counts
        chosen: str = method
        notes = []
        if method == "placement-jackknife" and self.rounds is not None:
            chosen = "inflated"
            notes.append(
                f"Every unit met {self.rounds.opponents} of {self.labels.n_units - 1} others, "
                "which does not show how models change without a unit: the variance of independent "
                "scores was doubled, and what the draw of games adds was added."
            )
        elif method == "placement-jackknife" and self.predictions is None:
            chosen = "inflated"
            notes.append(
                "The table of held-out predictions was not kept, so the variance of independent "
                "scores was doubled instead of estimated; predictions=True keeps it."
            )
            warnings.warn(notes[0], stacklevel=outside())
        placement = evidence.placement_variance
        phi, variance, df = None, None, None
        if chosen in ("placement-jackknife", "inflated", "newcombe"):
            if chosen == "newcombe":
                phi = 1.0
            else:
                df = evidence.degrees_of_freedom
                phi = evidence.phi(auc)
                if chosen == "inflated":
                    phi = limits.INFLATION * evidence.design_effect
                    if self.rounds is not None:
                        phi += self._added_phi(auc, self.rounds.lpo_added_sd)
            variance = phi * limits.score_variance(auc, p, n)
            quantile = limits.two_sided_quantile(confidence_level, df)
            low, high = limits.score_interval(auc, p, n, phi, quantile)
        elif chosen == "bootstrap":
            require_count("n_resamples", n_resamples, 100)
            rng = np.random.default_rng(seed_sequence(random_state))
            U = self._opposite_games(centre)
            low, high = limits.bootstrap_interval(U, confidence_level, n_resamples, rng)
        else:
            quantile = limits.two_sided_quantile(confidence_level)
            own = evidence.placements if centre == "lpo" else self._score_placements
            placement = variance = own.variance.total
            if chosen == "hanley-mcneil":
                variance = limits.hanley_mcneil_variance(auc, p, n)
            interval = limits.logit_interval if chosen == "delong-logit" else limits.wald_interval
            low, high = interval(auc, variance, quantile)
        if chosen in MEASURED:
            least, most = MEASURED[chosen]
            notes.append(
                f"To compare with. When it promised 95 %, it held the truth in {least:.0%} to "
                f"{most:.0%} (docs/inference.md)."
            )
        if not self.standings.is_complete and self.rounds is None:
            notes.append("Games are missing; the interval rests on those that were finished.")
        return AucInterval(
            low=low,
            high=high,
            estimate=auc,
            confidence_level=float(confidence_level),
            method=chosen,
            centre=centre,
            phi=phi,
            variance=variance,
            placement_variance=placement,
            jackknife_variance=evidence.jackknife_variance,
            degrees_of_freedom=df,
            notes=tuple(notes),
        )

    def sensitivity_interval(
        self, specificity: float, *, confidence_level: float = 0.95, interpolate: bool = False
    ) -> RateInterval:
        """Return `sensitivity_at` with an interval.

        The variance of the positives' share and of the threshold that the negatives set, both
        inflated by φ of `auc_interval`, in a score interval (``tlpo.roc.rates``).
        """
        estimate = self.sensitivity_at(specificity, interpolate=interpolate)
        p, n = self._class_sizes
        what = f"sensitivity at specificity {specificity:g}"
        return self._rate_interval(estimate, specificity, p, n, what, confidence_level)

    def specificity_interval(
        self, sensitivity: float, *, confidence_level: float = 0.95, interpolate: bool = False
    ) -> RateInterval:
        """Return `specificity_at` with an interval, as `sensitivity_interval` does."""
        estimate = self.specificity_at(sensitivity, interpolate=interpolate)
        p, n = self._class_sizes
        what = f"specificity at sensitivity {sensitivity:g}"
        return self._rate_interval(estimate, sensitivity, n, p, what, confidence_level)

    def roc_band(self, confidence_level: float = 0.95) -> RocBand:
        """Return pointwise limits of the sensitivity over the false positive rates.

        Those of `sensitivity_interval` at up to 200 rates. A ROC curve rises: where limits
        do not, those of smaller and larger rates hold as well.
        """
        factor, _ = self._factor(confidence_level)
        p, n = self._class_sizes
        steps = min(n, BAND_STEPS)
        fpr = np.arange(steps + 1) / steps
        curve = self.roc_curve()
        bounds = [
            rates.share_at(tpr, 1.0 - at, p, n, factor)
            for at, tpr in zip(fpr, _highest(curve.fpr, curve.tpr, fpr), strict=True)
        ]
        bounds[0], bounds[-1] = (0.0, bounds[0][1]), (1.0, 1.0)
        low, high = np.array(bounds).T
        low = np.maximum.accumulate(low)
        high = np.minimum.accumulate(high[::-1])[::-1]
        return RocBand(fpr, low, high, float(confidence_level))

    def operating_points(
        self, prevalence: float | None = None, confidence_level: float | None = None
    ) -> pd.DataFrame:
        """Tabulate what every threshold means.

        Parameters
        ----------
        prevalence : float, optional
            Share of positives where the test will be used; adds PPV and NPV at it.
        confidence_level : float, optional
            Adds limits, ``…_low`` and ``…_high``, to sensitivity, specificity, predictive
            values and likelihood ratios. They hold for a threshold that was fixed beforehand,
            not for one that was picked because it looked best.

        Returns
        -------
        pandas.DataFrame
            One row a threshold (criterion "score > threshold") with sensitivity,
            specificity, PPV, NPV, likelihood ratios, Youden's index and counts.
        """
        table = super().operating_points(prevalence)
        if confidence_level is None:
            return table
        factor, _ = self._factor(confidence_level)
        p, n = self._class_sizes
        tp, fp = (table[name].to_numpy(float) for name in ("tp", "fp"))
        found = rates.point_limits(tp, fp, p, n, factor, p / (p + n))
        if prevalence is not None:
            there = rates.point_limits(tp, fp, p, n, factor, prevalence)
            found |= {f"{name}_at_prevalence": there[name] for name in ("ppv", "npv")}
        for name, (low, high) in found.items():
            # The last threshold calls everybody positive, which takes no estimating.
            low[-1] = high[-1] = table[name].iloc[-1]
            where = table.columns.get_loc(name)
            assert isinstance(where, int)
            table.insert(where + 1, f"{name}_low", low)
            table.insert(where + 2, f"{name}_high", high)
        return table

    def by(self, group: Any, *, confidence_level: float = 0.95) -> pd.DataFrame:
        """Tabulate the AUC within subgroups, from the games that were played.

        Models learned from everybody, and only units of the same subgroup are compared.

        Parameters
        ----------
        group : array-like of shape (m,)
            Subgroup of each unit; units with a missing value form one of their own.
        confidence_level : float
            Of the intervals, which are computed as in `auc_interval`.

        Returns
        -------
        pandas.DataFrame
            One row a subgroup: units of either class, LPO and TLPO AUC, limits about the
            former, φ, and a note where it is too small to tell.
        """
        return tabulate_subgroups(self, group, confidence_level)

    def _rate_interval(
        self, estimate: float, other: float, own: int, others: int, what: str, level: float
    ) -> RateInterval:
        factor, phi = self._factor(level)
        # At the end of the curve everybody is called alike, which takes no estimating.
        low, high = (
            (1.0, 1.0) if other == 0 else rates.share_at(estimate, other, own, others, factor)
        )
        return RateInterval(low, high, estimate, what, float(level), phi)

    def _factor(self, confidence_level: float) -> tuple[float, float]:
        """Return the squared quantile times φ, and φ."""
        interval = self.auc_interval(confidence_level)
        assert interval.phi is not None
        quantile = limits.two_sided_quantile(confidence_level, interval.degrees_of_freedom)
        phi = interval.phi
        if self.rounds is not None:
            if self.rounds.opponents < LEAST_OPPONENTS:
                raise InputError(
                    explain(
                        "Scores of so few games are too coarse for limits of the curve.",
                        "You passed a tournament in which every unit met "
                        f"{self.rounds.opponents} others.",
                        f"Play with rounds={LEAST_OPPONENTS} or more.",
                    )
                )
            # The curve is that of the scores, to which the draw adds more than to the LPO AUC.
            phi = limits.INFLATION * self._evidence.design_effect
            phi += self._added_phi(self.auc, self.rounds.added_sd)
        return quantile**2 * phi, phi

    def _added_phi(self, auc: float, added_sd: float) -> float:
        """Return what the draw of rounds adds to φ."""
        if not 0 < auc < 1:
            return 0.0
        return added_sd**2 / limits.score_variance(auc, *self._evidence.counts)

    @property
    def _class_sizes(self) -> tuple[int, int]:
        _, is_positive = self._rated()
        p = int(np.count_nonzero(is_positive))
        return p, is_positive.size - p

    @cached_property
    def _evidence(self) -> Evidence:
        """What the games say about the LPO AUC."""
        is_positive = self.labels.is_positive
        U = self._games_between(is_positive, ~is_positive)
        if U is not None and self.predictions is not None:
            return weigh(U, self.predictions, is_positive, self.groups)
        wins, games = self.standings.wins, self.standings.games
        share = np.divide(wins, games, out=np.full(wins.shape, np.nan), where=games > 0)
        placements = Placements(
            share[is_positive, 0], 1.0 - share[~is_positive, 1], self._groups_by_class
        )
        return Evidence(self.lpo_auc, placements, None, [])

    @property
    def _groups_by_class(self) -> tuple[IntArray, IntArray] | None:
        if self.groups is None:
            return None
        is_positive = self.labels.is_positive
        return self.groups[is_positive], self.groups[~is_positive]

    @property
    def _score_placements(self) -> Placements:
        """Placements of the tournament scores; NaN for units that could not be ranked."""
        scores, is_positive = self.scores, self.labels.is_positive
        rated = ~np.isnan(scores)
        placed = placements_of_scores(scores[rated], is_positive[rated])
        full = []
        for kind, values in ((True, placed.positive), (False, placed.negative)):
            own = np.full(np.count_nonzero(is_positive == kind), np.nan)
            own[rated[is_positive == kind]] = values
            full.append(own)
        return Placements(full[0], full[1], self._groups_by_class)

    def _opposite_games(self, centre: str) -> FloatArray:
        """Return U: of the games, or of the tournament scores."""
        is_positive = self.labels.is_positive
        U = self._games_between(is_positive, ~is_positive) if centre == "lpo" else None
        if U is not None:
            return U
        p, n = self._class_sizes
        if centre == "lpo" or 8 * p * n > PREDICTIONS_BUDGET:
            raise InputError(
                explain(
                    "The bootstrap needs the table of games.",
                    f"You passed centre={centre!r}; the tournament of {p + n} units kept no table.",
                    "Play with predictions=True, or use method='inflated'.",
                )
            )
        return games_of_scores(*self._rated())

    def _games_between(self, positives: BoolArray, negatives: BoolArray) -> FloatArray | None:
        """Return U of some units, if held-out predictions were kept."""
        F = self.predictions
        if F is None or self.held_out is None:
            return None
        between = np.ix_(positives, negatives)
        return outcomes(F[between], F.T[between], self.held_out.ceiling)


def _highest(fpr: FloatArray, tpr: FloatArray, at: FloatArray) -> FloatArray:
    """Return the largest TPR with FPR ≤ each value."""
    return np.asarray(tpr[np.searchsorted(fpr, at + 1e-9, side="right") - 1])
