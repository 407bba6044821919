"""Intervals of a tournament: for its AUC, its readings, its curve."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tlpo.arrays import FloatArray
from tlpo.checks import RandomState, require_choice, require_count, require_level, seed_sequence
from tlpo.errors import InputError, arg, explain
from tlpo.execution.diagnostics import outside
from tlpo.results.summary import Summary
from tlpo.roc import rates
from tlpo.roc.curve import sensitivity_at
from tlpo.roc.evidence import GameEvidence, measure_drawn
from tlpo.roc.intervals import INFLATION, score_variance, two_sided_quantile
from tlpo.roc.methods import DEFAULT, FALLBACK, METHODS, Found, Request
from tlpo.roc.placements import Placements

if TYPE_CHECKING:
    import pandas as pd

    from tlpo.results.games import GamesResult
    from tlpo.results.readings import CurveWithLimits
    from tlpo.results.tournament import Tournament

# The method of `tlpo.bootstrap_refit`.
REFIT = "bootstrap-refit"
# A band has at most this many steps.
BAND_STEPS = 200
# Limits of the curve need this many games of every unit: with 4 they covered 80 % instead of 95 %.
LEAST_OPPONENTS = 10
NOT_COMPARABLE = "Predictions of different models are not comparable"
NO_TABLE = (
    "The table of held-out predictions was not kept, so the variance of independent scores was "
    "doubled instead of estimated; predictions=True keeps it."
)


@dataclass(frozen=True, repr=False)
class Interval(Summary):
    """An estimate and its confidence limits; unpacks into the limits.

    ``low, high = t.auc_interval()``. What a kind of interval does not use is None.

    Attributes
    ----------
    what : str
        What was estimated, for example ``"AUC"`` or ``"sensitivity at specificity 0.9"``.
    estimate : float
        The estimate; NaN if it is not defined.
    low, high : float
        The limits.
    confidence_level : float
        How often such an interval should contain the true value.
    method : str
        How the interval of an AUC was computed; ``"inflated"`` where ``"placement-jackknife"``
        could not be.
    phi : float or None
        The factor by which the variance exceeds that of independent scores.
    variance : float or None
        The variance at the estimate that the limits rest on.
    placement_variance : float or None
        The variance that treats the models as fixed.
    jackknife_variance : float or None
        The variance that exaggerates how models change; None without held-out predictions.
    degrees_of_freedom : float or None
        Of Student's quantile, which small classes need; None for the normal one.
    width_error : float or None
        The relative standard error of the width, if units were drawn to estimate the jackknife
        variance; None if all were used.
    notes : tuple of str
        What the reader should know.

    Notes
    -----
    Formulas: `Tournament.auc_interval`, `Tournament.sensitivity_interval`, `Probabilities`; of
    fixed scores, `FixedScores.auc_interval`.

    Examples
    --------
    >>> import tlpo
    >>> marker = tlpo.assess([3, 5, 2, 8, 6, 9, 4, 7], list("nnnnyyyy"))
    >>> interval = marker.auc_interval(0.9)
    >>> low, high = interval
    >>> f"{interval.estimate:.2f} ({low:.2f} to {high:.2f}), {interval.method}"
    '0.75 (0.41 to 1.00), delong'
    >>> marker.sensitivity_interval(specificity=0.75)
    Sensitivity at specificity 0.75: 0.7500, 95 % interval 0.1619 to 1.0000
      φ  1.000
      ! Few rates can be attained, so the curve was read between its points.
    """

    what: str
    estimate: float
    low: float
    high: float
    confidence_level: float
    method: str = ""
    phi: float | None = None
    variance: float | None = None
    placement_variance: float | None = None
    jackknife_variance: float | None = None
    degrees_of_freedom: float | None = None
    width_error: float | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def of_auc(
        cls, found: Found, evidence: GameEvidence, level: float, method: str, notes: Sequence[str]
    ) -> Interval:
        """Return what a method has found for an AUC."""
        return cls(
            what="AUC",
            estimate=evidence.auc,
            low=found.low,
            high=found.high,
            confidence_level=float(level),
            method=method,
            phi=found.phi,
            variance=found.variance,
            placement_variance=evidence.placement_variance,
            jackknife_variance=evidence.jackknife_variance,
            degrees_of_freedom=found.degrees_of_freedom,
            width_error=evidence.width_error if method == DEFAULT else None,
            notes=tuple(notes),
        )

    @property
    def short(self) -> str:
        """The limits in a few words."""
        level = f"{100 * self.confidence_level:.4g} %"
        return f"{self.low:.4f} to {self.high:.4f}, {level} interval"

    def __iter__(self) -> Iterator[float]:
        yield self.low
        yield self.high

    def _title(self) -> str:
        level = f"{100 * self.confidence_level:.4g} % interval"
        what = self.what[0].upper() + self.what[1:]
        return f"{what}: {self.estimate:.4f}, {level} {self.low:.4f} to {self.high:.4f}"

    def _rows(self) -> list[tuple[str, str]]:
        rows = []
        if self.method:
            rows.append(("method", self.method))
        if self.method and self.method != "bootstrap":
            quantile = "normal"
            if self.degrees_of_freedom is not None:
                quantile = f"Student's with {self.degrees_of_freedom:.1f} degrees of freedom"
            rows.append(("quantile", quantile))
        if self.phi is not None:
            rows.append(("φ", f"{self.phi:.3f}"))
        if self.placement_variance is not None:
            jackknife = "—" if self.jackknife_variance is None else f"{self.jackknife_variance:.3g}"
            variances = f"placement {self.placement_variance:.3g}, jackknife {jackknife}"
            rows.append(("variances", variances))
        if self.width_error is not None:
            error = f"the width ± {100 * self.width_error:.2g} %"
            rows.append(("draw", f"jackknife from units drawn at random: {error}"))
        return rows

    def _notes(self) -> tuple[str, ...]:
        return self.notes


@dataclass(frozen=True, eq=False)
class RocBand:
    """Pointwise limits of the sensitivity at every false positive rate.

    Attributes
    ----------
    fpr, low, high : ndarray
        The band.
    confidence_level : float
        Of each point; the whole curve lies inside less often.

    Notes
    -----
    Formula: `Tournament.sensitivity_interval`, at every false positive rate.

    Examples
    --------
    >>> import numpy as np
    >>> import tlpo
    >>> y = np.arange(30) % 2
    >>> X = np.random.default_rng(2).normal(size=(30, 3)) + y[:, None]
    >>> band = tlpo.tournament(tlpo.RLS(), X, y).roc_band(0.9)
    >>> at = np.searchsorted(band.fpr, 0.2)
    >>> f"FPR {band.fpr[at]:.2f}: TPR {band.low[at]:.2f} to {band.high[at]:.2f}"
    'FPR 0.20: TPR 0.48 to 1.00'
    """

    fpr: FloatArray
    low: FloatArray
    high: FloatArray
    confidence_level: float


def auc_interval(
    t: Tournament,
    confidence_level: float,
    method: str,
    n_resamples: int,
    random_state: RandomState,
) -> Interval:
    """Return an interval for the AUC; see `Tournament.auc_interval`."""
    require_level("confidence_level", confidence_level)
    if method == REFIT:
        raise InputError(
            explain(
                "A bootstrap with refits needs the estimator and the data, which no result keeps.",
                f"You passed {arg('method', method)}.",
                "Use tlpo.bootstrap_refit(estimator, X, y).auc_interval().",
            )
        )
    require_choice("method", method, tuple(METHODS))
    if method == "bootstrap":
        require_count("n_resamples", n_resamples, 100)
    chosen, notes = _applicable(t, method)
    evidence = t._evidence
    request = Request(
        evidence=evidence,
        confidence_level=confidence_level,
        games=lambda: _opposite_games(t),
        added_variance=0.0 if t.rounds is None else t.rounds.lpo_added_sd**2,
        n_resamples=n_resamples,
        rng=np.random.default_rng(seed_sequence(random_state)),
    )
    found = METHODS[chosen].compute(request)
    measured = METHODS[chosen].measured
    if measured is not None:
        notes.append(
            "For comparison only: empirical coverage of the nominal 95% interval was "
            f"{measured[0]:.0%} to {measured[1]:.0%} (docs/inference.md)."
        )
    if not t.standings.is_complete and t.rounds is None:
        notes.append("Games are missing; the interval rests on those that were finished.")
    return Interval.of_auc(found, evidence, confidence_level, chosen, notes)


def opposite_interval(
    result: GamesResult, placements: Placements, confidence_level: float
) -> Interval:
    """Return an interval from games between the classes alone."""
    require_level("confidence_level", confidence_level)
    evidence = measure_drawn(result.lpo_auc, placements, result.labels.is_positive, result._drawn)
    method = FALLBACK if result._drawn is None else DEFAULT
    found = METHODS[method].compute(
        Request(evidence, confidence_level, games=lambda: np.empty((0, 0)))
    )
    if method == DEFAULT:
        return Interval.of_auc(found, evidence, confidence_level, method, [])
    note = (
        "Games within the classes were not played, so the variance of independent scores was "
        "doubled instead of estimated; tournament() estimates it."
    )
    return Interval.of_auc(found, evidence, confidence_level, FALLBACK, [note])


def _applicable(t: Tournament, method: str) -> tuple[str, list[str]]:
    """Return the method, or the fallback and why if the default cannot be computed."""
    has_predictions = t._table is not None and t._are_comparable
    if method != DEFAULT or (t.rounds is None and (has_predictions or t._drawn is not None)):
        return method, []
    if t.rounds is not None:
        return FALLBACK, [
            f"Every unit met {t.rounds.opponents} of {t.labels.n_units - 1} others, which does "
            "not show how models change without a unit: the variance of independent scores was "
            "doubled, and what the draw of games adds was added."
        ]
    return FALLBACK, [why_doubled(t._are_comparable)]


def why_doubled(are_comparable: bool) -> str:
    """Say why a result without a table of predictions has the fallback; warn if unasked for."""
    if not are_comparable:
        return (
            f"{NOT_COMPARABLE}, which leaves open how models change without a unit: the variance "
            "of independent scores was doubled instead of estimated."
        )
    warnings.warn(NO_TABLE, stacklevel=outside())
    return NO_TABLE


def _opposite_games(t: Tournament) -> FloatArray:
    """Return U, the games between the classes."""
    is_positive = t.labels.is_positive
    U = t._games_between(is_positive, ~is_positive)
    if U is None:
        raise InputError(
            explain(
                "The bootstrap needs the table of games.",
                f"You passed a tournament of {t.labels.n_units} units that kept no table.",
                "Play with predictions=True, or use method='inflated'.",
            )
        )
    return U


def rate_interval(
    t: CurveWithLimits,
    estimate: float,
    other: float,
    what: str,
    confidence_level: float,
    note: str | None,
) -> Interval:
    """Return limits of a sensitivity at a specificity, or the other way round."""
    factor, phi = t._rate_factor(confidence_level)
    p, n = t.class_sizes
    own, others = (p, n) if what.startswith("sensitivity") else (n, p)
    # At the end of the curve all units are called alike, so nothing is estimated.
    low, high = (1.0, 1.0) if other == 0 else rates.share_at(estimate, other, own, others, factor)
    notes = () if note is None else (note,)
    return Interval(what, estimate, low, high, float(confidence_level), phi=phi, notes=notes)


def roc_band(t: CurveWithLimits, confidence_level: float) -> RocBand:
    """Return pointwise limits of the curve; see `CurveWithLimits.roc_band`."""
    factor, _ = t._rate_factor(confidence_level)
    p, n = t.class_sizes
    steps = min(n, BAND_STEPS)
    fpr = np.arange(steps + 1) / steps
    curve = t.roc_curve()
    between = t._has_few_points
    highest = [sensitivity_at(curve, 1.0 - at, interpolate=between) for at in fpr]
    bounds = [
        rates.share_at(tpr, 1.0 - at, p, n, factor) for at, tpr in zip(fpr, highest, strict=True)
    ]
    bounds[0], bounds[-1] = (0.0, bounds[0][1]), (1.0, 1.0)
    low, high = np.array(bounds).T
    low = np.maximum.accumulate(low)
    high = np.minimum.accumulate(high[::-1])[::-1]
    return RocBand(fpr, low, high, float(confidence_level))


def add_limits(
    t: CurveWithLimits,
    table: pd.DataFrame,
    prevalence: float | None,
    confidence_level: float,
    *,
    chosen: bool,
) -> pd.DataFrame:
    """Add limits to a table of operating points; see `Tournament.operating_points`.

    ``chosen`` if the cut-offs come from the same units, not from before.
    """
    factor, _ = t._rate_factor(confidence_level)
    factor *= rates.CHOSEN if chosen else 1.0
    p, n = t.class_sizes
    # On the leave-pair-out curve these counts are not whole numbers.
    tp, fp = (p * table["sensitivity"]).to_numpy(), (n * (1.0 - table["specificity"])).to_numpy()
    found = rates.point_limits(
        tp, fp, p, n, factor, p / (p + n) if prevalence is None else prevalence
    )
    for name, (low, high) in found.items():
        # The last threshold calls every unit positive, so nothing is estimated.
        low[-1] = high[-1] = table[name].iloc[-1]
        where = table.columns.get_loc(name)
        assert isinstance(where, int)
        table.insert(where + 1, f"{name}_low", low)
        table.insert(where + 2, f"{name}_high", high)
    return table


def rate_factor(t: Tournament, confidence_level: float) -> tuple[float, float]:
    """Return the squared quantile times φ, and φ, of a tournament."""
    interval = t.auc_interval(confidence_level)
    assert interval.phi is not None
    quantile = two_sided_quantile(confidence_level, interval.degrees_of_freedom)
    phi = interval.phi
    if t.rounds is not None:
        if t.rounds.opponents < LEAST_OPPONENTS:
            raise InputError(
                explain(
                    "Scores of so few games are too coarse for limits of the curve.",
                    f"You passed a tournament in which every unit met {t.rounds.opponents} others.",
                    f"Play with {arg('rounds', LEAST_OPPONENTS)} or more.",
                )
            )
        # The curve is that of the scores, to which the draw adds more than to the AUC.
        phi = INFLATION * t._evidence.design_effect
        if 0 < t.tlpo_auc < 1:
            phi += t.rounds.added_sd**2 / score_variance(t.tlpo_auc, *t._evidence.counts)
    return quantile**2 * phi, phi
