"""Closed-form predictions for the two units of some games, whatever else was left out.

For a game between i and j let S hold i, j and all units that leave the training set with them,
those of their groups and excluded ones. With ``B = (I − H)_SS`` and ``e = y − ŷ``

    f_{-S}(S) = y_S − B^{-1} e_S .

An error ε in the entries of B and e moves f by at most ``ε ‖B^{-1}‖ (|y|_S + |f|_S)``, with the
largest row sum as norm and sums over S, for either of the two units; for S = {i, j} that is the
``growth`` of the compiled kernels. Not row by row: where S carries a direction nearly alone, rows
of a computed inverse cannot be trusted. The smallest eigenvalue of B is what S leaves of the
direction it carries most of.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.engines.least_squares.families import Family
from tlpo.engines.least_squares.hat import Hat
from tlpo.games.response import tie_width
from tlpo.problem.problem import LeftOut

# Entries of the blocks solved at a time.
ENTRIES = 1 << 21
# Predictions that may be off by more, relative to their size, are left to refitting.
PRECISION = 1e-6


class Predicted(NamedTuple):
    """Predictions of games.

    Attributes
    ----------
    f, response : ndarray of shape (g, 2)
        Predictions of labels, which decide, and the estimator's responses.
    error : ndarray of shape (g,)
        By how much rounding may have moved the former; infinite where they are meaningless.
    """

    f: FloatArray
    response: FloatArray
    error: FloatArray

    @property
    def is_doubtful(self) -> BoolArray:
        """Whether rounding might decide: but for the error, the gap is the widest tie."""
        tie = tie_width(np.abs(self.f).max(axis=1))
        gap = np.abs(self.f[:, 0] - self.f[:, 1])
        return np.asarray(~(np.abs(gap - tie) > self.error))


def predict_pairs(hat: Hat, family: Family, unscale: FloatArray, games: IntArray) -> Predicted:
    """Predict games that leave out only their two units."""
    from tlpo.engines.least_squares.kernels import predict_games

    i, j = games.T
    h = hat.entries(i, j)
    f, growth = np.empty((len(games), 2)), np.empty(len(games))
    predict_games(h, i, j, hat.a, hat.u, hat.y, f, growth)
    is_free = np.isfinite(growth) & (hat.a[i] * hat.a[j] - h * h >= hat.least_det)
    error = np.where(is_free, hat.error * growth * unscale[games].max(axis=1), np.inf)
    f *= unscale[games]
    f[~np.isfinite(growth)] = np.nan
    f_i, f_j = f.T
    response = np.column_stack(
        [
            family.respond_games(hat, i, j, f_i, f_j),
            family.respond_games(hat, j, i, f_j, f_i),
        ]
    )
    return Predicted(f, response, error)


def predict_sets(
    hat: Hat, family: Family, unscale: FloatArray, games: IntArray, left_out: LeftOut
) -> Predicted:
    """Predict games that leave out more; those with the same set share its block."""
    f, response = np.full((len(games), 2), np.nan), np.full((len(games), 2), np.nan)
    error = np.full(len(games), np.inf)
    order = np.argsort(left_out.which, kind="stable")
    counts = np.bincount(left_out.which, minlength=len(left_out.sets))
    firsts = np.cumsum(counts) - counts
    for which, sets in _batches(left_out.sets):
        predicted, growth = _solve(hat, sets)
        answers = predicted * unscale[sets]
        if not family.is_plain:
            for k, S in enumerate(sets):
                if not family.is_settled(hat, S, predicted[k]):
                    growth[k] = np.inf
        growth[~np.isfinite(growth)] = np.inf
        responses = answers
        if not family.is_plain:
            responses = np.array(
                [family.respond(hat, S, own) for S, own in zip(sets, answers, strict=True)]
            )
        # The games of these sets, and the row of each.
        row = np.repeat(np.arange(which.size), counts[which])
        mine = order[np.repeat(firsts[which], counts[which]) + _within(counts[which])]
        for side in (0, 1):
            place = np.argmax(sets[row] == games[mine, side][:, None], axis=1)
            f[mine, side], response[mine, side] = answers[row, place], responses[row, place]
        error[mine] = hat.error * growth[row] * unscale[games[mine]].max(axis=1)
    unsettled = ~np.isfinite(error)
    f[unsettled] = response[unsettled] = np.nan
    # Large sets may leave a badly conditioned problem; its predictions are not worth keeping.
    error[~(error <= PRECISION * np.maximum(1.0, np.abs(f).max(axis=1)))] = np.inf
    return Predicted(f, response, error)


def _within(counts: IntArray) -> IntArray:
    """Count from 0 in every run: lengths 2, 3 give 0, 1, 0, 1, 2."""
    starts = np.cumsum(counts) - counts
    return np.arange(counts.sum()) - np.repeat(starts, counts)


def _batches(sets: list[IntArray]) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield numbers of sets of equal size, and these sets as rows."""
    sizes = np.array([units.size for units in sets])
    for size in np.unique(sizes):
        which = np.flatnonzero(sizes == size)
        for part in np.array_split(
            which, min(which.size, 1 + which.size * int(size) ** 2 // ENTRIES)
        ):
            yield part, np.array([sets[k] for k in part])


def _solve(hat: Hat, S: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return predictions for sets of one size, and the growth of errors; not finite if unsolved."""
    B = hat.blocks(S)
    residual = (hat.a * hat.y - hat.u)[S]
    try:
        inverse, r = _inverted(B, residual)
    except np.linalg.LinAlgError:  # one of them is singular: solve one by one
        inverse, r = np.full(B.shape, np.nan), np.full(S.shape, np.nan)
        for k in range(len(B)):
            with suppress(np.linalg.LinAlgError):
                inverse[k], r[k] = _inverted(B[k], residual[k])
    f = hat.y[S] - r
    size = S.shape[1]
    sizes = np.abs(hat.y[S]).sum(axis=1) + size * np.abs(f).max(axis=1)
    growth = 2.0 * np.abs(inverse).sum(axis=2).max(axis=1) * sizes
    if hat.least_det > 0:
        growth[np.linalg.eigvalsh(B)[:, 0] < hat.least_det] = np.inf
    return f, growth


def _inverted(B: FloatArray, e: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the inverse, needed for its norm, and ``B^{-1} e``.

    The latter is solved, not multiplied: only that is exact for a block off by rounding.
    """
    return np.asarray(np.linalg.inv(B), float), np.asarray(
        np.linalg.solve(B, e[..., None])[..., 0], float
    )
