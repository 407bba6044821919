"""What one played model is worth, as numbers: AUC, curve, operating points, games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from tlpo.analysis.options import Options
from tlpo.analysis.packed_games import MOST_UNITS, pack_games
from tlpo.analysis.shapes import (
    Aucs,
    Band,
    Curve,
    Headline,
    Interval,
    Point,
    Scheme,
    SensitivityAt,
    Smooth,
)
from tlpo.arrays import FloatArray
from tlpo.plurals import counted
from tlpo.results import intervals
from tlpo.results.curves import choose_curve
from tlpo.results.intervals import RocBand
from tlpo.results.points import pick_point
from tlpo.results.quicksort import Quicksort
from tlpo.results.tournament import Tournament
from tlpo.roc.curve import RocCurve
from tlpo.roc.smooth import fit_binormal

if TYPE_CHECKING:
    import pandas as pd

# Pooled predictions may have as many thresholds as there are games.
MOST_POINTS = 1000
COUNTS = ("tp", "fp", "fn", "tn")
RATES = ("sensitivity", "specificity", "ppv", "npv", "lr_positive", "lr_negative")
BEST = "largest sensitivity + specificity"


class Measured(TypedDict):
    """Those fields of a `Model` that its games give."""

    estimator: str
    engine: str
    headline: Headline
    auc: Aucs
    interval: Interval | None
    consistency: float | None
    circular_triads: float | None
    n_ties: int | None
    n_games: int
    sensitivity_at: list[SensitivityAt]
    scores: list[float | None]
    scale: Any
    curve: Curve
    band: Band | None
    games: list[str] | None
    schemes: list[Scheme]
    operating_points: list[Point]
    fits: int
    seconds: float
    notes: list[str]


def measure(t: Tournament, others: pd.DataFrame | None, options: Options) -> Measured:
    """Return the numbers of a model.

    Parameters
    ----------
    t : Tournament
        The games: of all pairs, or of some rounds.
    others : DataFrame or None
        What `evaluate` returns for the schemes to compare it with, if any.
    options : Options
        What to report.
    """
    level, share = options.confidence_level, options.specificity
    points = pick_points(t, options)
    interval = t.auc_interval(level)
    loo = None if others is None else _auc(others, "loo")
    return {
        "estimator": t.estimator_name,
        "engine": t.engine,
        "headline": Headline(t.auc, interval.low, interval.high),
        "auc": Aucs(t.tlpo_auc, t.auc, loo),
        "interval": describe_interval(interval),
        "consistency": t.consistency,
        "circular_triads": t.circular_triads,
        "n_ties": t.n_ties,
        "n_games": t.standings.n_games,
        "sensitivity_at": [read_sensitivity(share, points)],
        "scores": t.scores.tolist(),
        "scale": None if t.held_out is None else t.held_out.scale,
        "curve": describe_curve(
            t.roc_curve(),
            str(t.curve),
            choose_curve(t, "comparisons").why,
            t.operating_points()["cutoff"].to_numpy(),
            smooth=options.smooth,
        ),
        "band": describe_band(t.roc_band(level)),
        "games": _games(t),
        "schemes": [*_own_schemes(t), *([] if others is None else list_other_schemes(others))],
        "operating_points": points,
        "fits": t.diagnostics.fits,
        "seconds": t.diagnostics.seconds,
        "notes": list(t.diagnostics.warnings),
    }


def measure_sorts(t: Quicksort, others: pd.DataFrame, options: Options) -> Measured:
    """Return the same for sorts, which give neither intervals nor the consistency of games."""
    share = options.specificity
    points = pick_points(t, options)
    n_sorts = len(t.ranks)
    note = "close to the area of the tournament's curve; no interval"
    if n_sorts > 1:
        note += f"; SD {t.spread:.4f} over sorts"
    why = f"mean place in {counted(n_sorts, 'sort')}"
    return {
        "estimator": t.estimator_name,
        "engine": "quicksort",
        "headline": Headline(t.auc, None, None),
        "auc": Aucs(None, None, _auc(others, "loo")),
        "interval": None,
        "consistency": None,
        "circular_triads": None,
        "n_ties": None,
        "n_games": t.diagnostics.pairs_played,
        "sensitivity_at": [read_sensitivity(share, points)],
        "scores": t.scores.tolist(),
        "scale": None,
        "curve": describe_curve(t.roc_curve(), "quicksort", why, smooth=options.smooth),
        "band": None,
        "games": None,
        "schemes": [Scheme("quicksort", t.auc, note), *list_other_schemes(others)],
        "operating_points": points,
        "fits": t.diagnostics.fits,
        "seconds": t.diagnostics.seconds,
        "notes": list(t.diagnostics.warnings),
    }


def describe_interval(interval: intervals.Interval) -> Interval:
    """Return the interval of an AUC."""
    return Interval(
        interval.low,
        interval.high,
        interval.confidence_level,
        interval.method,
        interval.phi,
        interval.degrees_of_freedom,
        interval.width_error,
    )


def describe_curve(
    curve: RocCurve,
    kind: str,
    why: str,
    cutoffs: FloatArray | None = None,
    *,
    smooth: bool = False,
) -> Curve:
    """Return a curve without points that no picture shows; readings are taken before."""
    kept = np.arange(curve.fpr.size)
    if kept.size > MOST_POINTS:
        kept = np.unique(np.linspace(0, kept.size - 1, MOST_POINTS).astype(int))
    fpr, tpr, thresholds = (values[kept].tolist() for values in curve)
    known = None if cutoffs is None or np.isnan(cutoffs).all() else cutoffs[kept].tolist()
    found = fit_binormal(curve) if smooth else None
    fitted = None if found is None else Smooth(found.intercept, found.slope, found.auc)
    return Curve(kind, why, fpr, tpr, thresholds, known, fitted)


def describe_band(band: RocBand) -> Band:
    """Return the limits of a curve."""
    return Band(
        band.fpr.tolist(), band.low.tolist(), band.high.tolist(), float(band.confidence_level)
    )


def describe_point(name: str, row: pd.Series, *, given: bool = False) -> Point:
    """Return a row of a table of operating points; what it lacks is null."""
    # The leave-pair-out curve counts no patients, and sorts have no limits.
    ends = [f"{rate}{end}" for rate in RATES for end in ("", "_low", "_high")]
    values = {key: float(row[key]) if key in row else None for key in (*COUNTS, *ends)}
    cutoff = float(row["cutoff"]) if "cutoff" in row else None
    criterion, threshold = str(row["criterion"]), float(row["threshold"])
    return Point(
        point=name,
        criterion=criterion,
        threshold=threshold,
        cutoff=cutoff,
        given=given,
        **values,
    )


def pick_points(t: Tournament | Quicksort, options: Options) -> list[Point]:
    """Pick three points: at the specificity asked for, at the same sensitivity, and the best."""
    share = options.specificity
    found = []
    for name, asked in (
        (f"specificity at least {share:g}", {"specificity": share}),
        (f"sensitivity at least {share:g}", {"sensitivity": share}),
        (BEST, {"rule": "youden"}),
    ):
        if isinstance(t, Tournament):
            row = t.operating_point(
                **asked,
                prevalence=options.prevalence,
                confidence_level=options.confidence_level,
            )
        else:
            table = t.operating_points(options.prevalence)
            given = {"rule": None, "sensitivity": None, "specificity": None, **asked}
            row = table.iloc[pick_point(table, **given)].copy()  # type: ignore[arg-type]
        # In the reader's words: a score of the tournament is a number of wins.
        counts = "wins" if isinstance(t, Tournament) else "mean place"
        if row["threshold"] == -np.inf:
            row["criterion"] = "always"
        elif not isinstance(t, Tournament) or t.curve == "tournament":
            row["criterion"] = f"{counts} > {row['criterion'].partition(' > ')[2]}"
        found.append(describe_point(name, row))
    return found


def read_sensitivity(share: float, points: list[Point]) -> SensitivityAt:
    """Return the sensitivity of the cut-off that was chosen for a specificity."""
    (at,) = (point for point in points if point.point == f"specificity at least {share:g}")
    assert at.sensitivity is not None
    return SensitivityAt(share, at.sensitivity, at.sensitivity_low, at.sensitivity_high)


def _auc(others: pd.DataFrame, scheme: str) -> float:
    return float(others.loc[scheme, "auc"])  # type: ignore[arg-type]


def _games(t: Tournament) -> list[str] | None:
    # A picture of a few games in a hundred shows nothing.
    if t.labels.n_units > MOST_UNITS or t.rounds is not None:
        return None
    wins = t.win_matrix()
    return None if wins is None else pack_games(wins)


def _own_schemes(t: Tournament) -> list[Scheme]:
    note = "area of the tournament's curve"
    if t.rounds is not None and abs(t.rounds.bias) >= 0.0005:
        side = "low" if t.rounds.bias < 0 else "high"
        note += f"; too {side} by about {abs(t.rounds.bias):.3f}, because few pairs met"
    elif t.curve != "tournament":
        note += "; biased, because comparisons tie"
    return [
        Scheme("lpo", t.auc, "the AUC to report: almost unbiased"),
        Scheme("tlpo", t.tlpo_auc, note),
    ]


def list_other_schemes(others: pd.DataFrame) -> list[Scheme]:
    """List every other estimate of the AUC; a remark that nothing went wrong is no remark."""
    return [
        Scheme(
            str(name),
            float(row["auc"]),
            "" if str(row["note"]).startswith("0 of") else str(row["note"]),
        )
        for name, row in others.iterrows()
    ]
