"""How the user wants the work done."""

from __future__ import annotations

from dataclasses import dataclass

from tlpo.execution.journal import Part

# The table of held-out predictions is kept by default while it fits this many bytes.
PREDICTIONS_BUDGET = 256 * 2**20


def keeps_predictions(n_units: int) -> bool:
    """Return whether the table of held-out predictions is kept unless it was asked for or not."""
    return 8 * n_units**2 <= PREDICTIONS_BUDGET


@dataclass(frozen=True)
class Execution:
    """How an engine is to work.

    Attributes
    ----------
    n_jobs : int or None
        Processes, as in joblib.
    progress : bool
        Show a bar with the time left.
    skip : bool
        Leave out games on which the estimator fails, instead of stopping.
    may_skip : bool
        Whether the user could have asked for that; only messages depend on it.
    keep_predictions : bool
        Whether held-out predictions are wanted.
    journal : Part or None
        Where finished fits are kept.
    shard : (int, int) or None
        Run only the k-th of n shares.
    """

    n_jobs: int | None = None
    progress: bool = False
    skip: bool = False
    may_skip: bool = True
    keep_predictions: bool = True
    journal: Part | None = None
    shard: tuple[int, int] | None = None
