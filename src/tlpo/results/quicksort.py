"""Several sorts of the units by leave-pair-out games."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.execution.diagnostics import Diagnostics
from tlpo.problem.outcome import Classes
from tlpo.results.ranking import Ranking
from tlpo.results.summary import Repeated, Summary, played_row, spread_note
from tlpo.roc.curve import wmw_auc


@dataclass(frozen=True, eq=False, repr=False)
class Quicksort(Repeated, Summary, Ranking):
    """Several independent sorts of the units, each with its own pivots.

    Attributes
    ----------
    ranks : ndarray of shape (n_sorts, m)
        Place of each unit in each sort, 0 for the most negative; equal units share a place.
    comparisons : ndarray of shape (n_sorts,)
        Games each sort needed. Sorts share games, so fewer are played in total.
    labels : Classes
        Class of every unit.
    diagnostics : Diagnostics
        Games, fits, seconds, warnings.
    estimator_name : str
        What was evaluated.

    Notes
    -----
    ``auc`` is the mean of ``aucs``, the AUC of the places in each sort; ``spread`` their standard
    deviation.

    Examples
    --------
    >>> import numpy as np
    >>> import tlpo
    >>> y = np.arange(40) % 2
    >>> X = np.random.default_rng(0).normal(size=(40, 10)) + 0.5 * y[:, None]
    >>> result = tlpo.quicksort(tlpo.RLS(), X, y, n_sorts=3, random_state=0)
    >>> result.aucs, result.comparisons
    (array([0.8325, 0.825 , 0.8275]), array([192, 200, 194]))
    >>> result.ranks[0, :5]
    array([17.,  1., 22., 31., 34.])
    """

    ranks: FloatArray
    comparisons: IntArray
    labels: Classes
    diagnostics: Diagnostics
    estimator_name: str

    @property
    def scores(self) -> FloatArray:
        """Mean place of each unit over the sorts; the ROC curve is drawn from it."""
        return np.asarray(self.ranks.mean(axis=0))

    @property
    def aucs(self) -> FloatArray:
        """AUC of each sort."""
        return np.array([wmw_auc(rank, self.labels.is_positive) for rank in self.ranks])

    def _title(self) -> str:
        return f"Quicksort leave-pair-out of {self.labels.count}"

    def _rows(self) -> list[tuple[str, str]]:
        m = self.labels.n_units
        return [
            ("estimator", self.estimator_name),
            ("AUC", f"{self.auc:.4f}{spread_note(self.aucs, 'sorts')}"),
            (
                "comparisons",
                f"{self.comparisons.mean():.0f} per sort; {self.diagnostics.pairs_played} games "
                f"played instead of {m * (m - 1) // 2}",
            ),
            ("played", played_row(self.diagnostics)),
        ]
