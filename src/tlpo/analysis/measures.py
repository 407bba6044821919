"""What one played model is worth, as numbers: AUC, curve, operating points, games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.analysis.options import Options
from tlpo.analysis.packed_games import MOST_UNITS, pack_games
from tlpo.arrays import BoolArray, FloatArray
from tlpo.plurals import counted
from tlpo.results.intervals import AucInterval
from tlpo.results.quicksort import Quicksort
from tlpo.results.tournament import Tournament
from tlpo.roc.curve import RocCurve

if TYPE_CHECKING:
    import pandas as pd

# Pooled predictions may have as many thresholds as there are games.
MOST_POINTS = 1000
RATES = ("sensitivity", "specificity", "ppv", "npv", "lr_positive", "lr_negative")


def measure(t: Tournament, others: pd.DataFrame | None, options: Options) -> dict[str, Any]:
    """Return the numbers of a model for the summary.

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
    at = t.sensitivity_interval(share, confidence_level=level)
    interval, band = t.auc_interval(level), t.roc_band(level)
    return {
        "estimator": t.estimator_name,
        "engine": t.engine,
        "headline": {"auc": t.auc, "low": interval.low, "high": interval.high},
        "auc": {
            "tlpo": t.tlpo_auc,
            "lpo": t.auc,
            "loo": None if others is None else _auc(others, "loo"),
        },
        "interval": _interval(interval),
        "consistency": t.consistency,
        "circular_triads": t.circular_triads,
        "n_ties": t.n_ties,
        "n_games": t.standings.n_games,
        "sensitivity_at": [
            {"specificity": share, "sensitivity": at.estimate, "low": at.low, "high": at.high}
        ],
        "scores": t.scores,
        "curve": _curve(t.roc_curve(), str(t.curve), t.curve.why),
        "band": {
            "fpr": band.fpr,
            "low": band.low,
            "high": band.high,
            "level": band.confidence_level,
        },
        "games": _games(t),
        "schemes": [*_own_schemes(t), *([] if others is None else _other_schemes(others))],
        "operating_points": _points(t, options),
        "fits": t.diagnostics.fits,
        "seconds": t.diagnostics.seconds,
        "notes": t.diagnostics.warnings,
    }


def measure_sorts(t: Quicksort, others: pd.DataFrame, options: Options) -> dict[str, Any]:
    """Return the same for sorts, which give neither intervals nor the consistency of games."""
    share = options.specificity
    found = t.sensitivity_at(share)
    n_sorts = len(t.ranks)
    return {
        "estimator": t.estimator_name,
        "engine": "quicksort",
        "headline": {"auc": t.auc, "low": None, "high": None},
        "auc": {"tlpo": None, "lpo": None, "loo": _auc(others, "loo")},
        "interval": None,
        "consistency": None,
        "circular_triads": None,
        "n_ties": None,
        "n_games": t.diagnostics.pairs_played,
        "sensitivity_at": [{"specificity": share, "sensitivity": found, "low": None, "high": None}],
        "scores": t.scores,
        "curve": _curve(t.roc_curve(), "quicksort", f"mean place in {counted(n_sorts, 'sort')}"),
        "band": None,
        "games": None,
        "schemes": [
            {
                "scheme": "quicksort",
                "auc": t.auc,
                "note": "close to the area of the tournament's curve; no interval"
                + (f"; SD {t.spread:.4f} over sorts" if n_sorts > 1 else ""),
            },
            *_other_schemes(others),
        ],
        "operating_points": _points(t, options),
        "fits": t.diagnostics.fits,
        "seconds": t.diagnostics.seconds,
        "notes": t.diagnostics.warnings,
    }


def _auc(others: pd.DataFrame, scheme: str) -> float:
    return float(others.loc[scheme, "auc"])  # type: ignore[arg-type]


def _curve(curve: RocCurve, kind: str, why: str) -> dict[str, Any]:
    shown = thinned(curve)
    return {
        "kind": kind,
        "why": why,
        "fpr": shown.fpr,
        "tpr": shown.tpr,
        "thresholds": shown.thresholds,
    }


def thinned(curve: RocCurve) -> RocCurve:
    """Leave out points that no picture shows; a reading is never taken from what is left."""
    if curve.fpr.size <= MOST_POINTS:
        return curve
    kept = np.unique(np.linspace(0, curve.fpr.size - 1, MOST_POINTS).astype(int))
    return RocCurve(*(values[kept] for values in curve))


def _interval(interval: AucInterval) -> dict[str, Any]:
    return {
        "low": interval.low,
        "high": interval.high,
        "level": interval.confidence_level,
        "method": interval.method,
        "phi": interval.phi,
        "degrees_of_freedom": interval.degrees_of_freedom,
    }


def _games(t: Tournament) -> list[str] | None:
    # A picture of a few games in a hundred shows nothing.
    if t.labels.n_units > MOST_UNITS or t.rounds is not None:
        return None
    wins = t.win_matrix()
    return None if wins is None else pack_games(wins)


def _own_schemes(t: Tournament) -> list[dict[str, Any]]:
    note = "area of the tournament's curve"
    if t.rounds is not None and abs(t.rounds.bias) >= 0.0005:
        side = "low" if t.rounds.bias < 0 else "high"
        note += f"; too {side} by about {abs(t.rounds.bias):.3f}, because few pairs met"
    elif t.curve != "tournament":
        note += "; biased, because comparisons tie"
    return [
        {"scheme": "lpo", "auc": t.auc, "note": "the AUC to report: almost unbiased"},
        {"scheme": "tlpo", "auc": t.tlpo_auc, "note": note},
    ]


def _other_schemes(others: pd.DataFrame) -> list[dict[str, Any]]:
    """List every other estimate of the AUC; a remark that nothing went wrong is no remark."""
    return [
        {
            "scheme": str(name),
            "auc": float(row["auc"]),
            "note": "" if str(row["note"]).startswith("0 of") else str(row["note"]),
        }
        for name, row in others.iterrows()
    ]


def _points(t: Tournament | Quicksort, options: Options) -> list[dict[str, Any]]:
    """Pick three points: at the specificity asked for, at the same sensitivity, and the best.

    Thresholds are taken from the data, so the rate that a point is about gets the limits that
    treat its threshold as estimated.
    """
    level, share = options.confidence_level, options.specificity
    if isinstance(t, Tournament):
        table = t.operating_points(options.prevalence, level)
        limits = {
            0: t.sensitivity_interval(share, confidence_level=level),
            1: t.specificity_interval(share, confidence_level=level),
        }
    else:
        table, limits = t.operating_points(options.prevalence), {}
    se, sp = table["sensitivity"].to_numpy(), table["specificity"].to_numpy()
    # Of equal points the one that is better in the other rate.
    rows = [
        (f"specificity at least {share:g}", _best(sp >= share - 1e-9, se, sp)),
        (f"sensitivity at least {share:g}", _best(se >= share - 1e-9, sp, se)),
        ("largest sensitivity + specificity", _best(np.ones(se.size, dtype=bool), se + sp, se)),
    ]
    found = []
    for k, (name, row) in enumerate(rows):
        # The leave-pair-out curve counts no patients, and sorts have no limits.
        point: dict[str, Any] = {"point": name, **dict.fromkeys(("tp", "fp", "fn", "tn"))}
        at = () if options.prevalence is None else ("ppv_at_prevalence", "npv_at_prevalence")
        for rate in (*RATES, *at):
            point |= dict.fromkeys((f"{rate}_low", f"{rate}_high"))
        for key, value in table.iloc[row].items():
            point[str(key)] = value if isinstance(value, str) else float(value)
        # In the reader's words: a score of the tournament is a number of wins.
        counts = "wins" if isinstance(t, Tournament) else "mean place"
        point["criterion"] = point["criterion"].replace("score >", f"{counts} >")
        if point["threshold"] == -np.inf:
            point["criterion"] = "always"
        if k in limits:
            rate = ("sensitivity", "specificity")[k]
            point[f"{rate}_low"], point[f"{rate}_high"] = limits[k].low, limits[k].high
        # The rate that a point is about, for the final model's score at the same rate.
        point["about"] = "sensitivity" if k == 1 else "specificity"
        point["rate"] = float(sp[row]) if k == 2 else share
        found.append(point)
    return found


def _best(allowed: BoolArray, first: FloatArray, second: FloatArray) -> int:
    return int(np.lexsort((np.where(allowed, second, -1.0), np.where(allowed, first, -1.0)))[-1])
