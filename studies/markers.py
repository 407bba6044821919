"""Coverage of intervals of scores that were fixed beforehand: normal markers, continuous or graded.

The marker is standard normal in the negatives and shifted in the positives; a graded one is cut
into five grades between the classes. Its ROC curve is known, and so is everything read off it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtr, ndtri

from studies.measure import Quantities, holds
from studies.simulations import Simulation
from tlpo.arrays import BoolArray, FloatArray
from tlpo.results.comparison import compare
from tlpo.results.fixed import FixedScores
from tlpo.roc.curve import RocCurve, partial_auc, sensitivity_at, specificity_at
from tlpo.roc.methods import FIXED
from tlpo.roc.precision import average_precision
from tlpo.schemes.assess import assess

LEVEL = 0.95
GRADES = 5
# Fewer than by default: they are drawn two thousand times.
RESAMPLES = 300
REPETITIONS = 1000
# The prevalence of a screening, beside that of the sample.
SCREENING = 0.1


@dataclass(frozen=True)
class Marker:
    """A marker of some units.

    Attributes
    ----------
    n_units : int
        Units, m.
    fraction : float
        Share of positives.
    auc : float
        The AUC before grading.
    is_graded : bool
        Whether it has five grades only.
    """

    n_units: int
    fraction: float
    auc: float
    is_graded: bool = False

    @property
    def name(self) -> str:
        """Identify the setting in one word."""
        kind = "grades" if self.is_graded else "normal"
        return f"{kind}-{self.n_units}-{100 * self.fraction:.0f}-{100 * self.auc:.0f}"

    @property
    def distance(self) -> float:
        """Standard deviations between the classes."""
        return float(np.sqrt(2.0) * ndtri(self.auc))

    @property
    def cuts(self) -> FloatArray:
        """What separates the grades."""
        return np.asarray(ndtri(np.arange(1, GRADES) / GRADES) + self.distance / 2)

    def rng(self, repetition: int) -> np.random.Generator:
        """Return the random numbers of a repetition."""
        return np.random.default_rng([repetition, *self.name.encode()])

    def labels(self) -> BoolArray:
        """Return the classes."""
        return np.arange(self.n_units) < round(self.n_units * self.fraction)

    def draw(self, noise: FloatArray) -> FloatArray:
        """Return the marker of every unit."""
        values = noise + self.distance * self.labels()
        return np.searchsorted(self.cuts, values) + 1.0 if self.is_graded else values

    @cached_property
    def curve(self) -> RocCurve:
        """The true curve."""
        fine = np.linspace(self.distance + 8.0, -8.0, 4001)
        between = self.cuts[::-1] if self.is_graded else fine
        thresholds = np.concatenate([[np.inf], between, [-np.inf]])
        return RocCurve(ndtr(-thresholds), ndtr(self.distance - thresholds), thresholds)


@dataclass(frozen=True)
class GroupedMarker:
    """A marker measured several times per patient.

    Attributes
    ----------
    n_patients, n_images : int
        Patients, half of them positive, and measurements of each.
    auc : float
        The AUC.
    """

    n_patients: int
    n_images: int
    auc: float

    @property
    def name(self) -> str:
        """Identify the setting in one word."""
        return f"{self.n_patients}x{self.n_images}-{100 * self.auc:.0f}"

    def draw(self, repetition: int) -> FixedScores:
        """Draw patients; half of the variance is between them."""
        rng = np.random.default_rng([repetition, *self.name.encode()])
        patient = np.repeat(np.arange(self.n_patients), self.n_images)
        y = patient % 2 == 1
        noise = rng.normal(size=self.n_patients)[patient] + rng.normal(size=patient.size)
        return assess(np.sqrt(0.5) * noise + np.sqrt(2.0) * ndtri(self.auc) * y, y, groups=patient)


# units, share of positives, AUC, whether it has five grades only
MARKERS = [
    *(Marker(m, 0.5, auc, g) for m in (30, 60, 200) for auc in (0.6, 0.8, 0.95) for g in (0, 1)),
    *(Marker(m, 0.2, auc) for m in (60,) for auc in (0.6, 0.8, 0.95)),
]
# The second marker on the same units: its AUC, and its correlation with the first in either class.
RIVAL_MARKERS = [
    (Marker(30, 0.5, 0.8), 0.8, 0.5),
    (Marker(60, 0.2, 0.8), 0.8, 0.5),
    (Marker(60, 0.5, 0.9), 0.75, 0.5),
    (Marker(200, 0.5, 0.7), 0.7, 0.8),
    (Marker(60, 0.5, 0.8, True), 0.8, 0.5),
]
GROUPED_MARKERS = [GroupedMarker(20, 3, 0.8), GroupedMarker(40, 5, 0.8), GroupedMarker(40, 5, 0.95)]
# Tournaments whose average precision is measured.
TOURNAMENTS = [
    Simulation(*row)
    for row in (
        ("ridge", 30, 0.5, 10, 0),
        ("ridge", 30, 0.5, 10, 4),
        ("ridge", 60, 0.2, 10, 4),
        ("ridge", 100, 0.5, 10, 1),
        ("knn", 60, 0.5, 10, 4),
    )
]


def measure_marker(setting: Marker, repetition: int) -> Quantities:
    """Draw a sample; return which intervals contain the truth, and their widths."""
    rng = setting.rng(repetition)
    a = assess(setting.draw(rng.normal(size=setting.n_units)), setting.labels())
    curve = setting.curve
    auc = float(np.trapezoid(curve.tpr, curve.fpr))
    found: Quantities = {"true AUC": (auc, 0.0), "bias of AUC": (a.auc - auc, 0.0)}
    for method in FIXED:
        low, high = a.auc_interval(LEVEL, method, n_resamples=RESAMPLES, random_state=rng)
        found[method] = holds(low, high, auc)
    found["rejected"] = (float(a.p_value <= 1 - LEVEL), 0.0)
    for between in (False, True):
        ending = ", interpolated" if between else ""
        se = a.sensitivity_interval(0.9, confidence_level=LEVEL, interpolate=between)
        sp = a.specificity_interval(0.9, confidence_level=LEVEL, interpolate=between)
        true = sensitivity_at(curve, 0.9, interpolate=between)
        found[f"sensitivity at 0.9{ending}"] = holds(se.low, se.high, true)
        true = specificity_at(curve, 0.9, interpolate=between)
        found[f"specificity at 0.9{ending}"] = holds(sp.low, sp.high, true)
    for least in (0.9, 0.8):
        low, high = a.partial_auc_interval(specificity=(least, 1.0), confidence_level=LEVEL)
        true = partial_auc(curve, specificity=(least, 1.0))
        found[f"partial AUC, specificity {least:g} to 1"] = holds(low, high, true)
    low, high = a.partial_auc_interval(sensitivity=(0.8, 1.0), confidence_level=LEVEL)
    true = partial_auc(curve, sensitivity=(0.8, 1.0))
    found["partial AUC, sensitivity 0.8 to 1"] = holds(low, high, true)
    return found | _precision(a, curve)


def _precision(a: FixedScores, curve: RocCurve) -> Quantities:
    found = {}
    p, n = a.class_sizes
    for name, share in (("the sample", p / (p + n)), ("a screening", SCREENING)):
        pr = a.precision_recall(share, confidence_level=LEVEL)
        true = average_precision(curve, share)
        found[f"average precision in {name}"] = holds(pr.low, pr.high, true)
        found[f"bias of average precision in {name}"] = (pr.average_precision - true, 0.0)
    return found


def measure_markers(setting: Marker, other: float, together: float, repetition: int) -> Quantities:
    """Compare two markers of the same units, and the first with another of other units."""
    rng = setting.rng(repetition)
    second = Marker(setting.n_units, setting.fraction, other, setting.is_graded)
    noise, own = rng.normal(size=(2, setting.n_units))
    a = assess(setting.draw(noise), setting.labels())
    b = assess(second.draw(together * noise + np.sqrt(1 - together**2) * own), setting.labels())
    c = assess(second.draw(rng.normal(size=setting.n_units)), setting.labels())
    areas = [float(np.trapezoid(s.curve.tpr, s.curve.fpr)) for s in (setting, second)]
    true = areas[0] - areas[1]
    found: Quantities = {"true difference": (true, 0.0)}
    for name, rival, paired in (("same units", b, True), ("different units", c, False)):
        result = compare(a, rival, confidence_level=LEVEL, paired=paired)
        found[name] = holds(result.low, result.high, true)
        found[f"rejected, {name}"] = (float(result.p_value <= 1 - LEVEL), 0.0)
    return found


def measure_grouped_marker(setting: GroupedMarker, repetition: int) -> Quantities:
    """Measure intervals of a marker with several measurements per patient."""
    a = setting.draw(repetition)
    found = {}
    for method in FIXED:
        interval = a.auc_interval(LEVEL, method, n_resamples=RESAMPLES, random_state=repetition)
        found[method] = holds(interval.low, interval.high, setting.auc)
    true = Marker(a.labels.n_units, 0.5, setting.auc).curve
    se = a.sensitivity_interval(0.9, confidence_level=LEVEL)
    found["sensitivity at 0.9"] = holds(se.low, se.high, sensitivity_at(true, 0.9))
    return found


def measure_tournament(setting: Simulation, repetition: int) -> Quantities:
    """Measure the average precision of a tournament."""
    X, y = setting.draw(setting.rng(repetition))
    t, truth = setting.play(X, y), setting.truth(X, y)
    fpr = np.concatenate([np.logspace(-6, -2, 400, endpoint=False), np.linspace(0.01, 1, 600)])
    fpr[-1] = 1.0
    tpr = np.array([truth.sensitivity_at(1.0 - rate) for rate in fpr[:-1]] + [1.0])
    ends = np.concatenate([[0.0], fpr]), np.concatenate([[0.0], tpr])
    curve = RocCurve(*ends, np.zeros(ends[0].size))
    found = {}
    for name, share in (("the sample", setting.fraction), ("a screening", SCREENING)):
        pr = t.precision_recall(share, confidence_level=LEVEL)
        # Few points of a smooth curve: halfway between precision before and after each.
        true = _smooth_average(curve, share)
        found[f"average precision in {name}"] = holds(pr.low, pr.high, true)
        found[f"bias of average precision in {name}"] = (pr.average_precision - true, 0.0)
    return found


def _smooth_average(curve: RocCurve, share: float) -> float:
    called = share * curve.tpr + (1 - share) * curve.fpr
    precision = np.divide(share * curve.tpr, called, out=np.ones_like(called), where=called > 0)
    precision[0] = precision[1]
    return float(np.trapezoid(precision, curve.tpr))
