"""What models say about units they have not seen, and cut-offs for the model of all units."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tlpo.arrays import FloatArray
from tlpo.results.probabilities import why_not_of_model

if TYPE_CHECKING:
    import pandas as pd

    from tlpo.results.tournament import Tournament


class HeldOut(NamedTuple):
    """A held-out score of every unit.

    Attributes
    ----------
    scores : ndarray
        Means over the models that decided the unit's games with the other class; NaN without any.
    scale : str
        ``"probability"``, or ``"score"`` if the model gives none: what a new unit gets.
    """

    scores: FloatArray
    scale: str


def held_out_scores(t: Tournament) -> HeldOut | None:
    """Return the held-out scores of a tournament; None if its predictions were not kept."""
    if t.predictions is None:
        return None
    if why_not_of_model(t) is None:
        return HeldOut(t.probabilities.frame()["probability"].to_numpy(), "probability")
    is_positive = t.labels.is_positive
    opposite = is_positive[:, None] != is_positive
    F = np.where(opposite & ~np.isnan(t.predictions), t.predictions, 0.0)
    n = (opposite & ~np.isnan(t.predictions)).sum(axis=1)
    return HeldOut(np.divide(F.sum(axis=1), n, out=np.full(n.size, np.nan), where=n > 0), "score")


def find_cutoffs(t: Tournament, points: pd.DataFrame) -> FloatArray:
    """Return for each operating point where a score calls as many units positive.

    Halfway between the held-out scores of neighbours, so cut-offs fall as more are called positive,
    whatever order the curve has put the units in.
    """
    if t.held_out is None:
        return np.full(len(points), np.nan)
    scores = np.sort(t.held_out.scores[~np.isnan(t.held_out.scores)])[::-1]
    p, n = t.class_sizes
    called = p * points["sensitivity"].to_numpy() + n * (1.0 - points["specificity"].to_numpy())
    k = np.rint(called * scores.size / (p + n)).astype(int)
    fenced = np.concatenate([[np.inf], scores, [-np.inf]])
    above, below = fenced[k], fenced[k + 1]
    with np.errstate(invalid="ignore"):
        halfway = (above + below) / 2.0
    # A score above the cut-off is positive, also where rounding leaves nothing in between.
    found: FloatArray = np.where(
        np.isinf(above) | np.isinf(below), halfway, np.where(halfway < above, halfway, below)
    )
    return found
