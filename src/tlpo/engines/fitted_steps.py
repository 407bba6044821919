"""Steps before a model that are fitted to every training set, as refitting fits them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from sklearn.base import clone

from tlpo.arrays import FloatArray
from tlpo.blas import one_blas_thread
from tlpo.engines.preparation.prepared import Prepared
from tlpo.execution.diagnostics import WarningLog, recording
from tlpo.execution.fits import Fit
from tlpo.execution.threads import in_threads, slices, thread_count

R = TypeVar("R")


class FittedSteps:
    """Fits the steps of a pipeline, and issues each of their warnings once.

    Parameters
    ----------
    prepared : Prepared
        The pipeline.
    as_matrix : callable
        Turns what the last step returns into a matrix of doubles, or raises.
    """

    def __init__(self, prepared: Prepared, as_matrix: Callable[[Any], FloatArray]) -> None:
        self._prepared = prepared
        self._as_matrix = as_matrix
        self._told = WarningLog()

    def matrices(self, fit: Fit, log: WarningLog) -> tuple[FloatArray, FloatArray] | None:
        """Fit the steps, and return the features of the units to train on, then of the others.

        None if they fail, or if what they return is no matrix of doubles: a fit of the estimator
        will say so, or know better.
        """
        given = self._prepared.given
        train, test = given.rows(fit.train), given.rows(fit.test)
        y = self._prepared.refits.fitter.targets[fit.train]
        try:
            with recording(log):
                for step in self._prepared.steps or ():
                    own = clone(step)
                    both = getattr(own, "fit_transform", None)
                    train = own.fit(train, y).transform(train) if both is None else both(train, y)
                    test = own.transform(test)
            return self._as_matrix(train), self._as_matrix(test)
        except Exception:  # steps are strangers
            return None

    def in_threads(
        self,
        respond: Callable[[Sequence[Fit], WarningLog], list[R]],
        fits: Sequence[Fit],
        n_jobs: int | None,
    ) -> list[R]:
        """Call a function that fits steps, for parts of some fits, with a log for warnings."""
        parts = slices(len(fits), min(thread_count(n_jobs), max(1, len(fits))))
        logs = [WarningLog() for _ in parts]
        calls = [(fits[part], log) for part, log in zip(parts, logs, strict=True)]
        with one_blas_thread():  # as refits are run
            found = in_threads(respond, calls)
        self._tell(logs, len(fits))
        return [response for part in found for response in part]

    def forget(self) -> None:
        """Issue all warnings again: nobody has seen those issued so far."""
        self._told = WarningLog()

    def _tell(self, logs: list[WarningLog], n_fits: int) -> None:
        said = WarningLog()
        for log in logs:
            said.merge(log)
        known = set(self._told.first)
        self._told.merge(said)
        for place in known & set(said.first):
            del said.first[place]
        said.emit(n_fits)
