"""What one played model is worth, as numbers: AUC, curve, operating points, games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.arrays import BoolArray, FloatArray
from tlpo.report.games import MOST_UNITS, pack_games
from tlpo.report.options import Options
from tlpo.results.intervals import AucInterval
from tlpo.results.tournament import Tournament
from tlpo.roc.curve import RocCurve

if TYPE_CHECKING:
    import pandas as pd

# Pooled predictions may have as many thresholds as there are games.
MOST_POINTS = 1000


def measure(t: Tournament, others: pd.DataFrame, options: Options) -> dict[str, Any]:
    """Return the numbers of a model for the summary.

    Parameters
    ----------
    t : Tournament
        All pairs, played.
    others : DataFrame
        What `evaluate` returns for the schemes to compare it with.
    options : Options
        What to report.
    """
    level, share = options.confidence_level, options.specificity
    at = t.sensitivity_interval(share, confidence_level=level)
    interval, curve, band = t.auc_interval(level), _thinned(t.roc_curve()), t.roc_band(level)
    return {
        "estimator": t.estimator_name,
        "engine": t.engine,
        "headline": {"auc": t.auc, "low": interval.low, "high": interval.high},
        "auc": {"tlpo": t.tlpo_auc, "lpo": t.auc, "loo": float(others.loc["loo", "auc"])},  # type: ignore[arg-type]
        "interval": _interval(interval),
        "consistency": t.consistency,
        "circular_triads": t.circular_triads,
        "n_ties": t.n_ties,
        "n_games": t.standings.n_games,
        "sensitivity_at": [
            {"specificity": share, "sensitivity": at.estimate, "low": at.low, "high": at.high}
        ],
        "scores": t.scores,
        "curve": {
            "kind": str(t.curve),
            "why": t.curve.why,
            "fpr": curve.fpr,
            "tpr": curve.tpr,
            "thresholds": curve.thresholds,
        },
        "band": {
            "fpr": band.fpr,
            "low": band.low,
            "high": band.high,
            "level": band.confidence_level,
        },
        "games": _games(t),
        "schemes": _schemes(t, others),
        "operating_points": _points(t, options),
        "fits": t.diagnostics.fits,
        "seconds": t.diagnostics.seconds,
        "notes": t.diagnostics.warnings,
    }


def _thinned(curve: RocCurve) -> RocCurve:
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
    if t.labels.n_units > MOST_UNITS:
        return None
    wins = t.win_matrix()
    return None if wins is None else pack_games(wins)


def _schemes(t: Tournament, others: pd.DataFrame) -> list[dict[str, Any]]:
    """List every estimate of the AUC; a remark that nothing went wrong is no remark."""
    return [
        {"scheme": "lpo", "auc": t.auc, "note": "the AUC to report: almost unbiased"},
        {
            "scheme": "tlpo",
            "auc": t.tlpo_auc,
            "note": "area of the tournament's curve"
            + ("" if t.curve == "tournament" else "; biased, because comparisons tie"),
        },
        *(
            {
                "scheme": str(name),
                "auc": float(row["auc"]),
                "note": "" if str(row["note"]).startswith("0 of") else str(row["note"]),
            }
            for name, row in others.iterrows()
        ),
    ]


def _points(t: Tournament, options: Options) -> list[dict[str, Any]]:
    """Pick three rows: at the specificity asked for, at the same sensitivity, and the best.

    Thresholds are taken from the data, so the rate that a row is about gets the limits that
    treat its threshold as estimated.
    """
    level, share = options.confidence_level, options.specificity
    table = t.operating_points(options.prevalence, level)
    se, sp = table["sensitivity"].to_numpy(), table["specificity"].to_numpy()
    # Of equal points the one that is better in the other rate.
    rows = [
        (f"specificity at least {share:g}", _best(sp >= share - 1e-9, se, sp)),
        (f"sensitivity at least {share:g}", _best(se >= share - 1e-9, sp, se)),
        ("largest sensitivity + specificity", _best(np.ones(se.size, dtype=bool), se + sp, se)),
    ]
    limits = {
        0: ("sensitivity", t.sensitivity_interval(share, confidence_level=level)),
        1: ("specificity", t.specificity_interval(share, confidence_level=level)),
    }
    found = []
    for k, (name, row) in enumerate(rows):
        # The leave-pair-out curve counts no patients.
        point: dict[str, Any] = {"point": name, "tp": None, "fp": None, "fn": None, "tn": None}
        for key, value in table.iloc[row].items():
            point[str(key)] = value if isinstance(value, str) else float(value)
        if point["threshold"] == -np.inf:
            point["criterion"] = "always"
        if k in limits:
            rate, interval = limits[k]
            point[f"{rate}_low"], point[f"{rate}_high"] = interval.low, interval.high
        found.append(point)
    return found


def _best(allowed: BoolArray, first: FloatArray, second: FloatArray) -> int:
    return int(np.lexsort((np.where(allowed, second, -1.0), np.where(allowed, first, -1.0)))[-1])
