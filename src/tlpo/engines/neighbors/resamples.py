"""Neighbours in units drawn with repetition: the bootstrap, without its copies.

A resample says how many copies of every unit there are, and its scaling differs little from that
of all units. The nearest units of every unit are listed once, at the scale of all; those of which
there are copies vote, by distances in the scale of the resample. Where the list is too short, all
distances are measured. Copies of a unit share its class and its distance, so it does not matter
which of them votes; if other units are as near as the last that votes, only the estimator knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tlpo.arrays import FloatArray
from tlpo.engines.neighbors.candidates import Candidates, list_nearest
from tlpo.engines.neighbors.trust import Trust
from tlpo.engines.neighbors.voting import UNIFORM, Ballot
from tlpo.engines.preparation.columns import Fitted
from tlpo.engines.preparation.prepared import Prepared
from tlpo.execution.fits import Fit
from tlpo.execution.threads import in_threads, slices, thread_count

# How many units are listed, as a multiple of those that vote, and beyond it.
LISTED_PER_VOTE, SPARE = 3, 16
# Responses that may be off by more, relative to their size, are left to the estimator.
MOST_BLUR = 1e-10


@dataclass(frozen=True, eq=False)
class Resamples:
    """Responses of models that are trained on copies of units.

    Attributes
    ----------
    prepared : Prepared
        What is fitted.
    trust : Trust
        The columns that distances are measured in, and how far these can be trusted.
    ballot : Ballot
        What units vote for, and how.
    """

    prepared: Prepared
    trust: Trust
    ballot: Ballot

    def respond(self, fits: Sequence[Fit]) -> list[FloatArray | None]:
        """Return the responses of some fits, NaN where only the estimator knows; None if nowhere.

        A row that a tree searches is searched alone; rows searched by products of matrices are
        not, so the estimator is asked for all of them or none.
        """
        _ = self._nearest  # made once for all threads
        parts = slices(len(fits), min(thread_count(None), max(1, len(fits))))
        found = in_threads(self._respond, [(fits[part],) for part in parts])
        return [response for part in found for response in part]

    def _respond(self, fits: Sequence[Fit]) -> list[FloatArray | None]:
        return [self._respond_to(fit) for fit in fits]

    def _respond_to(self, fit: Fit) -> FloatArray | None:
        from tlpo.engines.neighbors.copy_kernels import vote_on_copies

        voting, columns, nearest = self.trust.voting, self.trust.columns, self._nearest
        if fit.train.size < voting.k or self.prepared.is_exception(fit.train):
            return None
        fitted = self._fit_on(fit)
        if not np.isfinite(fitted.growth[0]):
            return None
        margin = self.trust.margins(fitted, fit.train.size)[0]
        by_products = margin[2] > 0
        copies = np.bincount(fit.train, minlength=columns.n_units)
        if by_products and voting.style != UNIFORM and copies[fit.test].any():
            return None  # nobody knows whether its distance to a copy is rounded to zero
        response, error = np.empty(fit.test.size), np.empty(fit.test.size)
        vote_on_copies(
            fit.test,
            copies,
            columns.prepared(fitted, 0, np.arange(columns.n_units)),
            nearest,
            float(np.min(nearest.scale / fitted.scale[0])) * (1.0 - 1e-9),
            self._drift(fitted),
            self.ballot,
            margin,
            response,
            error,
        )
        is_unknown = ~(error <= MOST_BLUR * np.maximum(1.0, np.abs(response)))
        if is_unknown.all() or (by_products and is_unknown.any()):
            return None
        response[is_unknown] = np.nan
        return 2.0 * response - 1.0 if voting.is_signed else response

    def _fit_on(self, fit: Fit) -> Fitted:
        columns = self.trust.columns
        if self.trust.is_prepared:
            return columns.fit_on(fit.train)
        zero = np.zeros((1, columns.n_columns))
        return Fitted(zero, zero, zero + 1.0, np.ones(1))

    def _drift(self, fitted: Fitted) -> float:
        """Return by how much what is filled into gaps may bring two units closer."""
        away = np.abs(fitted.fill[0] - self._full.fill[0]) / fitted.scale[0]
        return float(np.sqrt(np.sum(away**2)) if self.trust.voting.power == 2 else away.sum())

    @cached_property
    def _full(self) -> Fitted:
        """The columns, fitted on all units."""
        everyone = np.arange(self.trust.columns.n_units)
        return self._fit_on(Fit(everyone, everyone))

    @cached_property
    def _nearest(self) -> Candidates:
        """The nearest units of each; nobody is listed where that would be nearly everyone."""
        voting, columns = self.trust.voting, self.trust.columns
        m, count = columns.n_units, LISTED_PER_VOTE * voting.k + SPARE
        scale = self._full.scale[0]
        if count > m // 4 or not np.isfinite(self._full.growth[0]):
            nobody = np.empty((m, 0))
            return Candidates(nobody.astype(np.int32), nobody, np.zeros(m), scale)
        assert voting.power is not None
        X = columns.prepared(self._full, 0, np.arange(m))
        return list_nearest(X, voting.power, count, scale, thread_count(None))
