"""Estimates by other schemes, for comparison; some are left out if they take too long."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tlpo.checks import RandomState
from tlpo.games.contest import Contest
from tlpo.results.summary import in_words
from tlpo.schemes.evaluate import evaluate_contest

if TYPE_CHECKING:
    import pandas as pd


def estimate_otherwise(
    contest: Contest,
    schemes: Sequence[str],
    n_resamples: int,
    random_state: RandomState,
    left_out: Mapping[str, float] | None = None,
) -> pd.DataFrame:
    """Estimate by every scheme that is not left out; see `tlpo.schemes.evaluate`.

    ``left_out`` are names of schemes and their seconds. Both kinds of K-fold come from the same
    folds, so the averaged one stands for the pooled one as well.
    """
    too_long = dict(left_out or {})
    if "kfold-averaged" in too_long:
        too_long["kfold-pooled"] = too_long["kfold-averaged"]
    done = [scheme for scheme in schemes if scheme not in too_long]
    found = evaluate_contest(contest, done, n_resamples=n_resamples, random_state=random_state)
    found = found.reindex(list(schemes))
    for scheme in schemes:
        if scheme in too_long:
            found.loc[scheme, "fits"] = 0
            lasts = in_words(too_long[scheme])
            found.loc[scheme, "note"] = f"left out: it would take about {lasts}"
    return found
