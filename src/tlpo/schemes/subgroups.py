"""How well does the model do within a part of the sample? From the same games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.arrays import BoolArray, FloatArray
from tlpo.errors import InputError, enumerate_briefly, explain, plain
from tlpo.labels import missing, object_safe
from tlpo.roc import intervals as limits
from tlpo.roc.curve import wmw_auc
from tlpo.roc.placements import auc_without_each, jackknife_variance, placements_of_games
from tlpo.schemes.options import require_level

if TYPE_CHECKING:
    import pandas as pd

    from tlpo.schemes.uncertainty import Uncertainty

# An AUC with fewer units of a class than this is not reported.
SMALLEST = 3


def tabulate_subgroups(result: Uncertainty, group: Any, confidence_level: float) -> pd.DataFrame:
    """Return one row a subgroup; see `Tournament.by`."""
    import pandas as pd

    require_level("confidence_level", confidence_level)
    values = _values(group, result.labels.n_units)
    absent = missing(values)
    names: list[Any] = sorted({plain(v) for v in values[~absent]}, key=lambda v: (str(type(v)), v))
    members = [(name, np.array([v == name for v in values]) & ~absent) for name in names]
    if absent.any():
        members.append((None, absent))
    rows = [
        {"subgroup": name, **_row(result, inside, confidence_level)} for name, inside in members
    ]
    return pd.DataFrame(rows).set_index("subgroup")


def _row(result: Uncertainty, inside: BoolArray, level: float) -> dict[str, Any]:
    is_positive = result.labels.is_positive & inside
    is_negative = ~result.labels.is_positive & inside
    p, n = int(np.count_nonzero(is_positive)), int(np.count_nonzero(is_negative))
    scores = result.scores
    rated = inside & ~np.isnan(scores)
    row: dict[str, Any] = {
        "units": p + n,
        "positives": p,
        "negatives": n,
        "lpo_auc": np.nan,
        "tlpo_auc": np.nan,
        "low": np.nan,
        "high": np.nan,
        "phi": np.nan,
        "note": "",
    }
    if min(p, n) < SMALLEST:
        row["note"] = f"too small: an AUC needs {SMALLEST} units of each class"
        return row
    row["tlpo_auc"] = wmw_auc(scores[rated], result.labels.is_positive[rated])
    U = result._games_between(is_positive, is_negative)
    notes = []
    if U is None:
        auc, phi, df = row["tlpo_auc"], limits.INFLATION, None
        if min(p, n) <= limits.FEW:
            df = float(min(p, n) - 1)
        notes.append("no table of held-out predictions: φ = 2 about the TLPO AUC")
    else:
        auc, phi, df = _spread(result, U, is_positive, is_negative)
        row["lpo_auc"] = auc
    if min(p, n) < limits.FEW:
        notes.append(f"small: {min(p, n)} units of a class")
    quantile = limits.two_sided_quantile(level, df)
    row["low"], row["high"] = limits.score_interval(auc, p, n, phi, quantile)
    row["phi"] = phi
    row["note"] = "; ".join(notes)
    return row


def _spread(
    result: Uncertainty, U: FloatArray, is_positive: BoolArray, is_negative: BoolArray
) -> tuple[float, float, float | None]:
    """Return the AUC of some games, φ and degrees of freedom.

    Units outside the subgroup play no game in it, but their models do: they are strata of
    their own in the jackknife.
    """
    F = result.predictions
    assert F is not None
    p, n = U.shape
    auc = float(np.nanmean(U))
    positives, negatives = np.flatnonzero(is_positive), np.flatnonzero(is_negative)
    without_each = auc_without_each(U, F, positives, negatives)
    everybody = result.labels.is_positive
    strata = [is_positive, is_negative, everybody & ~is_positive, ~everybody & ~is_negative]
    parts = placements_of_games(U).variance
    phi = limits.inflation(auc, parts.total, jackknife_variance(without_each, strata), p, n)
    df = limits.degrees_of_freedom(parts, p, n) if min(p, n) <= limits.FEW else None
    return auc, phi, df


def _values(group: Any, n_units: int) -> Any:
    values = object_safe(group)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.shape != (n_units,):
        raise InputError(
            explain(
                "group must hold one value a unit.",
                f"You passed values of shape {values.shape} for {n_units} units.",
                "Pass the column that says which subgroup each unit belongs to.",
            )
        )
    distinct = {plain(v) for v in values[~missing(values)]}
    if len(distinct) > n_units // 2:
        raise InputError(
            explain(
                "group must divide the units into a few subgroups.",
                f"You passed {len(distinct)} different values for {n_units} units: "
                f"{enumerate_briefly(sorted(distinct, key=str))}.",
                "Cut a continuous variable into ranges first.",
            )
        )
    return values
