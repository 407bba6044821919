"""Held-out scores of different models, pooled into one ranking."""

from __future__ import annotations

from dataclasses import dataclass

from tlpo.arrays import FloatArray
from tlpo.execution.diagnostics import Diagnostics
from tlpo.problem.labels import Labels
from tlpo.results.ranking import Ranking
from tlpo.results.summary import Summary, played_row


@dataclass(frozen=True, eq=False, repr=False)
class PooledScores(Summary, Ranking):
    """Held-out scores of different models pooled into one ranking.

    Attributes
    ----------
    scheme : str
        How units were held out.
    responses : ndarray of shape (m,)
        Response for each unit of the model trained without it; these are the scores.
    labels : Labels
        Class of every unit.
    engine : str
        How the held-out responses were computed.
    diagnostics : Diagnostics
        Fits, seconds, warnings.
    estimator_name : str
        What was evaluated.
    """

    scheme: str
    responses: FloatArray
    labels: Labels
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
