"""Held-out scores of different models, pooled into one ranking."""

from __future__ import annotations

from dataclasses import dataclass

from tlpo.arrays import FloatArray
from tlpo.execution.diagnostics import Diagnostics
from tlpo.problem.outcome import Classes
from tlpo.results.ranking import Ranking
from tlpo.results.summary import Summary, played_row

POOLED = "pooled: compares scores of different models"


@dataclass(frozen=True, eq=False, repr=False)
class PooledScores(Summary, Ranking):
    """Held-out scores of different models pooled into one ranking, by `leave_one_out` or `kfold`.

    Attributes
    ----------
    scheme : str
        How units were held out.
    responses : ndarray of shape (m,)
        Response for each unit of the model trained without it; these are the scores.
    labels : Classes
        Class of every unit.
    engine : str
        How the held-out responses were computed.
    diagnostics : Diagnostics
        Fits, seconds, warnings.
    estimator_name : str
        What was evaluated.

    Notes
    -----
    ``auc = Σ_{i∈I+} Σ_{j∈I-} H(s_i − s_j) / (m+ m-)`` with H of `tournament`; ``s_i`` is the
    response for i of a model trained without it, and ``s_j`` mostly that of another model.

    Examples
    --------
    A model of pure noise that learns little but the class frequencies, with either scheme:

    >>> import numpy as np
    >>> from sklearn.linear_model import Ridge
    >>> import tlpo
    >>> X, y = np.random.default_rng(0).normal(size=(20, 4)), np.arange(20) % 2
    >>> tlpo.leave_one_out(Ridge(alpha=1000), X, y)
    leave-one-out of 20 units, 10 positive (1) and 10 negative (0)
      estimator   Ridge
      pooled AUC  0.0000 (biased: scores of different models are compared)
      played      1 fit, ...
    >>> tlpo.leave_pair_out(Ridge(alpha=1000), X, y).auc
    0.58
    """

    scheme: str
    responses: FloatArray
    labels: Classes
    engine: str
    diagnostics: Diagnostics
    estimator_name: str

    @property
    def scores(self) -> FloatArray:
        """Held-out response for each unit."""
        return self.responses

    def _title(self) -> str:
        return f"{self.scheme} of {self.labels.count}"

    def _rows(self) -> list[tuple[str, str]]:
        return [
            ("estimator", self.estimator_name),
            ("pooled AUC", f"{self.auc:.4f} (biased: scores of different models are compared)"),
            ("played", played_row(self.diagnostics)),
        ]
