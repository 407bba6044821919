"""Performance within subgroups, from the same games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.arrays import BoolArray, IntArray
from tlpo.checks import require_level
from tlpo.errors import InputError, arg, enumerate_briefly, explain
from tlpo.problem.labels import names_that_differ
from tlpo.problem.outcome import Outcome
from tlpo.roc.curve import wmw_auc
from tlpo.roc.evidence import GameEvidence, measure_games
from tlpo.roc.intervals import FEW
from tlpo.roc.placements import placements_of_games, placements_of_scores

if TYPE_CHECKING:
    import pandas as pd

    from tlpo.results.tournament import Tournament

# An AUC with fewer units of a class than this is not reported.
SMALLEST = 3
# Fewer groups cannot show how groups differ, which is what an interval of grouped units rests on.
LEAST_GROUPS = 2


def tabulate_subgroups(
    result: Tournament, group: Any, confidence_level: float, units: str = "units"
) -> pd.DataFrame:
    """Return one row per subgroup; see `Tournament.by`. Notes call what was ranked ``units``."""
    import pandas as pd

    require_level("confidence_level", confidence_level)
    if result.rounds is not None:
        raise InputError(
            explain(
                "Subgroups need the games of every pair.",
                f"You passed a tournament in which every unit met {result.rounds.opponents} of "
                f"{result.labels.n_units - 1} others.",
                f"Play it without {arg('rounds')}.",
            )
        )
    codes, names = factorise(group, result.labels, "the tournament")
    rows = [
        {"subgroup": name, **_row(result, codes == code, confidence_level, units)}
        for code, name in [*enumerate(names), (-1, None)]
        if (codes == code).any()
    ]
    return pd.DataFrame(rows).set_index("subgroup")


def _row(result: Tournament, inside: BoolArray, level: float, units: str) -> dict[str, Any]:
    is_positive = result.labels.is_positive
    rated = inside & ~np.isnan(result.scores)
    p, n = int(np.sum(rated & is_positive)), int(np.sum(rated & ~is_positive))
    row: dict[str, Any] = {
        "units": int(np.sum(inside)),
        "positives": p,
        "negatives": n,
        "auc": np.nan,
        "tlpo_auc": np.nan,
        "low": np.nan,
        "high": np.nan,
        "phi": np.nan,
        "note": "",
    }
    if min(p, n) < SMALLEST:
        row["note"] = f"too small: an AUC needs {SMALLEST} {units} of each class"
        return row
    row["tlpo_auc"] = wmw_auc(result.scores[rated], is_positive[rated])
    notes = []
    U = result._games_between(is_positive & rated, ~is_positive & rated)
    groups = None
    if result.groups is not None:
        groups = result.groups[rated & is_positive], result.groups[rated & ~is_positive]
    if U is not None:
        if np.isnan(U).all():
            return {**row, "note": "no game between its classes was finished"}
        if result.predictions is not None:
            halves = result._halves_between(is_positive & rated, ~is_positive & rated)
            evidence = measure_games(
                U, result.predictions, is_positive, result.groups, rated, halves
            )
        else:
            placed = placements_of_games(U, groups)
            evidence = GameEvidence(float(np.nanmean(U)), placed, None, [])
            notes.append("models are not comparable: φ = 2")
        row["auc"] = evidence.auc
    else:
        placements = placements_of_scores(result.scores[rated], is_positive[rated])
        placements = placements._replace(groups=groups)
        evidence = GameEvidence(row["tlpo_auc"], placements, None, [])
        notes.append("no table of held-out predictions: φ = 2 about the TLPO AUC")
    if result.groups is not None and min(evidence.placements.sizes) < LEAST_GROUPS:
        return {
            **row,
            "note": f"too small: an interval needs {LEAST_GROUPS} groups with each class",
        }
    if evidence.is_small:
        notes.append(f"small: {min(evidence.placements.sizes)} in a class, {FEW} or fewer")
    row["low"], row["high"] = evidence.limits(level)
    row["phi"] = evidence.phi()
    row["note"] = "; ".join(notes)
    return row


def factorise(group: Any, labels: Outcome, whose: str) -> tuple[IntArray, list[Any]]:
    """Assign a number to every subgroup, −1 to units without one; list the names in order.

    ``whose`` units they must be, for the message.
    """
    import pandas as pd

    n_units = labels.n_units
    if hasattr(group, "to_pandas"):  # polars, pyarrow
        group = group.to_pandas()
    if isinstance(group, pd.DataFrame) and group.shape[1] == 1:
        group = group.iloc[:, 0]
    if isinstance(group, pd.Series) and labels.unit_names is not None and len(group) == n_units:
        differ = names_that_differ(labels.unit_names, group.index)
        if differ.size:
            k = int(differ[0])
            raise InputError(
                explain(
                    f"group is indexed by different units from {whose}.",
                    f"You passed {differ.size} that differ: unit {k} is "
                    f"{labels.unit_names[k]!r} and {group.index[k]!r}.",
                    "Put them in the same order first, for example with group.loc[X.index].",
                )
            )
    try:
        values = group if isinstance(group, pd.Series) else pd.Series(group)
        sortable = not isinstance(values.dtype, pd.CategoricalDtype)
        codes, names = pd.factorize(values, sort=False)
    except (TypeError, ValueError) as error:
        raise InputError(
            explain(
                "group must have one value per unit.",
                f"You passed {type(group).__name__}: {error}.",
                "Pass the column that says which subgroup each unit belongs to.",
            )
        ) from error
    if codes.shape != (n_units,):
        raise InputError(
            explain(
                "group must have one value per unit.",
                f"You passed {codes.size} values for {n_units} units.",
                "Pass the column that says which subgroup each unit belongs to.",
            )
        )
    if len(names) > n_units // 2:
        raise InputError(
            explain(
                "group must divide the units into a few subgroups.",
                f"You passed {len(names)} different values for {n_units} units: "
                f"{enumerate_briefly(names)}.",
                "Cut a continuous variable into ranges first.",
            )
        )
    found = list(names)
    order = list(range(len(found)))
    if not sortable:
        position = {name: k for k, name in enumerate(values.cat.categories)}
        order.sort(key=lambda k: position[found[k]])
    else:
        try:
            order.sort(key=lambda k: found[k])
        except TypeError:  # values that have no order keep that of their first appearance
            order = list(range(len(found)))
    place = {old: new for new, old in enumerate(order)}
    place[-1] = -1
    return np.array([place[int(code)] for code in codes]), [found[k] for k in order]
