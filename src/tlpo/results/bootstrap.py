"""Bootstrap estimates of the AUC: Harrell's optimism, .632 and .632+."""

from __future__ import annotations

from dataclasses import dataclass

from tlpo.execution.diagnostics import Diagnostics
from tlpo.problem.outcome import Classes
from tlpo.results.summary import Summary, played_row


@dataclass(frozen=True, eq=False, repr=False)
class HarrellBootstrap(Summary):
    """Apparent AUC minus its optimism (Harrell, Lee & Mark 1996).

    Attributes
    ----------
    apparent : float
        AUC of the model fitted on all units, on the same units.
    optimism : float
        Mean over resamples of the AUC on the resample minus the AUC on all units.
    n_resamples : int
        Resamples that count.
    n_redrawn : int
        Resamples drawn again because they lacked a class.
    labels : Classes
        Class of every unit.
    diagnostics : Diagnostics
        Fits, seconds, warnings.
    estimator_name : str
        What was evaluated.

    Notes
    -----
    ``optimism = mean_b [A(f_b on its resample) − A(f_b on all units)]``, ``auc = apparent −
    optimism``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> import tlpo
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X, malignant = X[200:240, [1, 4]], y[200:240] == 0
    >>> tlpo.bootstrap(tlpo.RLS(), X, malignant, n_resamples=50, random_state=0)
    Harrell's bootstrap of 40 units, 19 positive (True) and 21 negative (False)
      estimator      RLS
      corrected AUC  0.7323
      apparent AUC   0.7419, optimism 0.0096
      resamples      50 (0 redrawn for lack of a class)
      played         1 fit, ...
    """

    apparent: float
    optimism: float
    n_resamples: int
    n_redrawn: int
    labels: Classes
    diagnostics: Diagnostics
    estimator_name: str

    @property
    def auc(self) -> float:
        """Apparent AUC minus optimism."""
        return self.apparent - self.optimism

    def _title(self) -> str:
        return f"Harrell's bootstrap of {self.labels.count}"

    def _rows(self) -> list[tuple[str, str]]:
        return [
            ("estimator", self.estimator_name),
            ("corrected AUC", f"{self.auc:.4f}"),
            ("apparent AUC", f"{self.apparent:.4f}, optimism {self.optimism:.4f}"),
            ("resamples", f"{self.n_resamples} ({self.n_redrawn} redrawn for lack of a class)"),
            ("played", played_row(self.diagnostics)),
        ]


@dataclass(frozen=True, eq=False, repr=False)
class OutOfBagBootstrap(Summary):
    """Weighted mean of the apparent and the out-of-bag AUC (Efron 1983; Efron & Tibshirani 1997).

    Attributes
    ----------
    name : str
        ``".632"`` or ``".632+"``.
    auc : float
        The estimate: apparent and out-of-bag AUC, weighted.
    apparent : float
        AUC of the model fitted on all units, on the same units.
    out_of_bag : float
        Mean over resamples of the AUC on the units not drawn; NaN if no resample has one.
    overfitting_rate : float
        Relative overfitting rate R of .632+, 0 for .632.
    weight : float
        Weight of the out-of-bag AUC.
    n_resamples : int
        Resamples that were fitted.
    n_without_auc : int
        Resamples whose out-of-bag units lacked a class.
    n_redrawn : int
        Resamples drawn again because they lacked a class.
    labels : Classes
        Class of every unit.
    diagnostics : Diagnostics
        Fits, seconds, warnings.
    estimator_name : str
        What was evaluated.

    Notes
    -----
    ::

        auc    = (1 − weight) · apparent + weight · out_of_bag
        weight = 0.632 / (1 − 0.368 R)
        R      = (apparent − out_of_bag) / (apparent − ½)

    R is 0 for .632; for .632+ an out-of-bag AUC below ½ counts as ½.

    Examples
    --------
    >>> import numpy as np
    >>> import tlpo
    >>> y = np.arange(30) % 2
    >>> X = np.random.default_rng(4).normal(size=(30, 10)) + 0.4 * y[:, None]
    >>> found = tlpo.bootstrap(tlpo.RLS(), X, y, kind="632+", n_resamples=50, random_state=0)
    >>> round(found.apparent, 3), round(found.out_of_bag, 3), round(found.weight, 3)
    (0.938, 0.683, 0.805)
    >>> round(found.auc, 3)
    0.732
    """

    name: str
    auc: float
    apparent: float
    out_of_bag: float
    overfitting_rate: float
    weight: float
    n_resamples: int
    n_without_auc: int
    n_redrawn: int
    labels: Classes
    diagnostics: Diagnostics
    estimator_name: str

    def _title(self) -> str:
        return f"{self.name} bootstrap of {self.labels.count}"

    def _rows(self) -> list[tuple[str, str]]:
        return [
            ("estimator", self.estimator_name),
            ("AUC", f"{self.auc:.4f}"),
            ("apparent AUC", f"{self.apparent:.4f}"),
            ("out-of-bag AUC", f"{self.out_of_bag:.4f}, weight {self.weight:.3f}"),
            (
                "resamples",
                f"{self.n_resamples} ({self.n_without_auc} without an out-of-bag AUC, "
                f"{self.n_redrawn} redrawn for lack of a class)",
            ),
            ("played", played_row(self.diagnostics)),
        ]
