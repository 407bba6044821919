"""Results of K-fold cross-validation, pooled and averaged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tlpo.arrays import FloatArray
from tlpo.errors import InputError, explain
from tlpo.execution.diagnostics import Diagnostics
from tlpo.problem.outcome import Classes
from tlpo.results.pooled import PooledScores
from tlpo.results.ranking import Ranking
from tlpo.results.summary import Repeated, Summary, played_row, sample_sd, spread_note


@dataclass(frozen=True, eq=False, repr=False)
class PooledKFold(Repeated, Summary, Ranking):
    """K-fold with the scores of all folds pooled, once or several times.

    Attributes
    ----------
    repeats : tuple of PooledScores
        One for each random division into folds.
    labels : Classes
        Class of every unit.
    diagnostics : Diagnostics
        Fits, seconds, warnings.

    Notes
    -----
    ``auc`` is the mean of ``aucs``, each ``Σ_{i∈I+} Σ_{j∈I-} H(s_i − s_j) / (m+ m-)`` (H as in
    `tournament`) over the scores ``s_i`` that the model trained without the fold of i gives it.
    Scores of different models are compared, which biases it.

    Examples
    --------
    Three divisions of the same units into folds give three AUCs:

    >>> import numpy as np
    >>> import tlpo
    >>> X, y = np.random.default_rng(0).normal(size=(30, 20)), np.arange(30) % 2
    >>> result = tlpo.kfold(tlpo.RLS(), X, y, n_splits=5, n_repeats=3, random_state=0)
    >>> result.aucs.round(3), round(result.auc, 3), round(result.spread, 3)
    (array([0.453, 0.449, 0.542]), 0.481, 0.053)
    >>> result.repeats[0].roc_curve().tpr.size
    31
    """

    repeats: tuple[PooledScores, ...]
    labels: Classes
    diagnostics: Diagnostics

    @property
    def scores(self) -> FloatArray:
        """Held-out scores of the only repeat."""
        if len(self.repeats) > 1:
            raise InputError(
                explain(
                    "Several repeats have several sets of scores.",
                    f"This result has {len(self.repeats)} repeats.",
                    "Use .repeats[k].scores and .repeats[k].roc_curve().",
                )
            )
        return self.repeats[0].scores

    @property
    def aucs(self) -> FloatArray:
        """Pooled AUC of each repeat."""
        return np.array([repeat.auc for repeat in self.repeats])

    def _title(self) -> str:
        return f"Pooled {self.repeats[0].scheme} of {self.labels.count}"

    def _rows(self) -> list[tuple[str, str]]:
        return [
            ("estimator", self.repeats[0].estimator_name),
            ("pooled AUC", f"{self.auc:.4f}{spread_note(self.aucs, 'repeats')}"),
            ("played", played_row(self.diagnostics)),
        ]


@dataclass(frozen=True, eq=False, repr=False)
class AveragedKFold(Summary):
    """K-fold with one AUC inside each fold, averaged.

    Attributes
    ----------
    scheme : str
        How units were held out.
    fold_aucs : ndarray of shape (n_repeats, n_splits)
        AUC inside each test fold; NaN for folds that lack a class.
    labels : Classes
        Class of every unit.
    diagnostics : Diagnostics
        Fits, seconds, warnings.
    estimator_name : str
        What was evaluated.

    Notes
    -----
    ``auc = mean of fold_aucs``, over the folds that have units of both classes. Only scores of one
    model are compared, but there is no curve.

    Examples
    --------
    Five folds of a sample with four positives: one fold has none, and so no AUC.

    >>> import numpy as np
    >>> import tlpo
    >>> y = np.arange(20) % 5 == 0
    >>> X = np.random.default_rng(1).normal(size=(20, 2)) + 0.3 * y[:, None]
    >>> result = tlpo.kfold(tlpo.RLS(), X, y, n_splits=5, pooling="averaged", random_state=0)
    >>> result.fold_aucs
    array([[1.        , 0.33333333, 0.66666667, 0.33333333,        nan]])
    >>> result.auc, result.n_without_auc
    (0.5833333333333334, 1)
    """

    scheme: str
    fold_aucs: FloatArray
    labels: Classes
    diagnostics: Diagnostics
    estimator_name: str

    @property
    def auc(self) -> float:
        """Mean over the folds that have an AUC; NaN if none has."""
        defined = self.fold_aucs[~np.isnan(self.fold_aucs)]
        return float(defined.mean()) if defined.size else float("nan")

    @property
    def spread(self) -> float:
        """Standard deviation over repeats; NaN for one repeat."""
        defined = np.sum(~np.isnan(self.fold_aucs), axis=1)
        kept = defined > 0
        return sample_sd(np.nansum(self.fold_aucs[kept], axis=1) / defined[kept])

    @property
    def n_without_auc(self) -> int:
        """Number of folds without both classes, which have no AUC."""
        return int(np.count_nonzero(np.isnan(self.fold_aucs)))

    def _title(self) -> str:
        return f"Averaged {self.scheme} of {self.labels.count}"

    def _rows(self) -> list[tuple[str, str]]:
        return [
            ("estimator", self.estimator_name),
            ("averaged AUC", f"{self.auc:.4f}"),
            ("folds", f"{self.fold_aucs.size}, of which {self.n_without_auc} had no AUC"),
            ("played", played_row(self.diagnostics)),
        ]
