"""Pick one of many operating points."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tlpo.arrays import BoolArray, FloatArray
from tlpo.checks import require_choice, require_share
from tlpo.errors import InputError, explain

if TYPE_CHECKING:
    import pandas as pd

RULES = ("youden", "closest")


def pick_point(
    table: pd.DataFrame, rule: str | None, sensitivity: float | None, specificity: float | None
) -> int:
    """Return the row of a table of operating points that a rule or a rate picks.

    Of equally good points, the one that is better in the other rate, or more sensitive.
    """
    se, sp = table["sensitivity"].to_numpy(float), table["specificity"].to_numpy(float)
    every = np.ones(se.size, dtype=bool)
    if sensitivity is not None:
        require_share("sensitivity", sensitivity)
        return _best(se >= sensitivity - 1e-9, sp, se)
    if specificity is not None:
        require_share("specificity", specificity)
        return _best(sp >= specificity - 1e-9, se, sp)
    if rule == "youden":
        return _best(every, se + sp, se)
    return _best(every, 2.0 - (1.0 - se) ** 2 - (1.0 - sp) ** 2, se)


def require_one_way(rule: str | None, **given: float | None) -> None:
    """Refuse anything but one rule, rate or cut-off."""
    if (rule is not None) + sum(value is not None for value in given.values()) != 1:
        passed = ", ".join(f"{name}={value!r}" for name, value in given.items())
        raise InputError(
            explain(
                "operating_point needs one rule, rate or cut-off."
                if "cutoff" in given
                else "operating_point needs one rule or rate.",
                f"You passed rule={rule!r}, {passed}.",
                "For example operating_point('youden') or operating_point(specificity=0.9).",
            )
        )
    if rule is not None:
        require_choice("rule", rule, RULES)


def _best(allowed: BoolArray, first: FloatArray, second: FloatArray) -> int:
    # Sums of rates that are equal may differ in the last bit.
    first, second = (np.where(allowed, np.round(part, 12), -1.0) for part in (first, second))
    return int(np.lexsort((second, first))[-1])
