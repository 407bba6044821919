"""Other estimates of a concordance: leave-one-out, K-fold, bootstrap, sorts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tlpo.arrays import FloatArray
from tlpo.execution.diagnostics import Diagnostics
from tlpo.problem.outcome import Outcome
from tlpo.results.summary import Summary, played_row, spread_note


@dataclass(frozen=True, eq=False, repr=False)
class ConcordanceEstimate(Summary):
    """A concordance by another scheme than a tournament, for comparison.

    `leave_one_out`, `kfold`, `bootstrap` and `quicksort` return it for times to an event, and for
    numbers and grades if ``order`` is passed.

    Attributes
    ----------
    scheme : str
        How it was estimated.
    concordance : float
        The estimate.
    parts : dict of str to float
        What it was computed from, such as the apparent concordance and its optimism.
    repeats : ndarray
        The concordance of each repeat, fold or sort; NaN for a fold without ordered units.
    scores : ndarray of shape (m,) or None
        The scores that were ranked, if there is one for every unit.
    outcome : Outcome
        The outcome of every unit.
    diagnostics : Diagnostics
        Fits, seconds, warnings.
    estimator_name : str
        What was evaluated.
    engine : str
        How units were held out.
    note : str
        What the reader should know.
    each : str
        What ``repeats`` are: ``"repeats"``, ``"folds"`` or ``"sorts"``.

    Notes
    -----
    As for the AUC: `PooledScores`, `PooledKFold`, `AveragedKFold`, `HarrellBootstrap`,
    `OutOfBagBootstrap` and `Quicksort`, with the concordance of scores in place of the AUC.

    Examples
    --------
    A model that knows nothing but the mean of its training set looks worse than chance:

    >>> import numpy as np
    >>> from sklearn.dummy import DummyRegressor
    >>> import tlpo
    >>> X, y = np.zeros((12, 1)), np.arange(12.0)
    >>> tlpo.leave_one_out(DummyRegressor(), X, y, order=True)
    leave-one-out of 12 units, y from 0 to 11 (12 different values)
      estimator    DummyRegressor
      concordance  0.0000
      note         pooled: compares scores of different models
      played       12 fits, ...
    >>> tlpo.concordance(DummyRegressor(), X, y).concordance
    0.5
    """

    scheme: str
    concordance: float
    parts: dict[str, float]
    repeats: FloatArray
    scores: FloatArray | None
    outcome: Outcome
    diagnostics: Diagnostics
    estimator_name: str
    engine: str = ""
    note: str = ""
    each: str = "repeats"

    @property
    def spread(self) -> float:
        """Standard deviation over repeats, folds or sorts; NaN for a single one."""
        known = self.repeats[~np.isnan(self.repeats)]
        return float(np.std(known, ddof=1)) if known.size > 1 else float("nan")

    def _title(self) -> str:
        return f"{self.scheme} of {self.outcome.count}"

    def _rows(self) -> list[tuple[str, str]]:
        known = self.repeats[~np.isnan(self.repeats)]
        spread = spread_note(known, self.each) if known.size > 1 else ""
        rows = [
            ("estimator", self.estimator_name),
            ("concordance", f"{self.concordance:.4f}{spread}"),
            *((name, f"{value:.4f}") for name, value in self.parts.items()),
        ]
        if self.note:
            rows.append(("note", self.note))
        return [*rows, ("played", played_row(self.diagnostics))]
