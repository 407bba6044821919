"""What is tried once before an engine plays an estimator that is not ours.

An engine knows an estimator by its type and parameters. Whether the estimator accepts these data,
and does on them what its type says, only a fit can tell. So the model without one pair is fitted
for real: what refitting refuses, an engine refuses; where their answers differ, refitting plays.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import chain, islice, product
from typing import TYPE_CHECKING

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.matrix import is_double
from tlpo.errors import EngineError
from tlpo.execution.fits import Fitter, failure_of
from tlpo.execution.options import Execution
from tlpo.learners import RLS, Cox, ElasticNetLogisticCV, InverseDistanceKNN
from tlpo.problem.problem import Problem

if TYPE_CHECKING:
    from tlpo.engines.base import Engine

# Their fits compute what the engines do, in double precision, whatever the data.
OURS = frozenset({RLS, InverseDistanceKNN, Cox, ElasticNetLogisticCV})
# How far a gap may be from the estimator's own besides the error that the engine states, relative
# to the responses. Rounding is far below, another model far above.
AGREEMENT = 1e-6
# Pairs that are looked at for one that leaves ordered units to train on.
MOST_PAIRS = 100
# Of these, fits of a random estimator of which one must succeed.
MOST_DRAWS = 20


def why_not_trusted(engine: Engine, execution: Execution) -> str | None:
    """Return why an engine must not play, as a sentence, or None if it may."""
    prepared = engine.prepared
    whole, given = prepared.whole, prepared.given
    # Frames may be refused whoever fits: two columns of one name, for example.
    if type(whole) in OURS and not hasattr(given.X, "columns"):
        return None
    name = type(prepared.model).__name__
    if not engine.is_random and type(whole) not in OURS:
        for what, values in {"X": given.X, **given.params}.items():
            if not is_double(values):
                return f"{name} computes in the precision of {what}, which is not double."
    pairs, cause = find_pairs(given), ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # games say the same
        # A random estimator may fail by a draw, and its engine counts such games.
        for pair in islice(pairs, MOST_DRAWS if engine.is_random else 1):
            try:
                own, _ = Fitter(whole, given).ask(given.training_set(pair), pair)
                break
            except Exception as error:
                cause = failure_of(pair, error).cause.rstrip(".:")
        else:
            return f"A fit of the estimator itself fails: {cause}." if cause else None
        if engine.is_random:
            return None
        try:
            found, slack = engine.answer_pair(pair, execution)
        except EngineError:  # as playing will say
            return None
    if _agree(found, own, slack):
        return None
    found, own = found.reshape(2, -1)[:, 0], own.reshape(2, -1)[:, 0]
    return (
        f"For one pair the closed form gives {found[0]:.6g} and {found[1]:.6g}, a fit of the "
        f"estimator {own[0]:.6g} and {own[1]:.6g}."
    )


def find_pairs(problem: Problem) -> Iterator[IntArray]:
    """Yield a few pairs of ordered units without which a training set is left."""
    level = problem.outcome.level
    upper = level >= np.median(level[level > 0])
    # From the middle: first and last units of a sorted table are odd ones.
    orders = [
        np.roll(units, -(units.size // 2)).tolist()
        for units in (np.flatnonzero(upper), np.flatnonzero(~upper))
    ]
    for pair in islice(chain(zip(*orders, strict=False), product(*orders)), MOST_PAIRS):
        if problem.outcome.is_trainable(problem.training_set(np.array(pair))):
            yield np.array(pair)


def _agree(found: FloatArray, own: FloatArray, slack: float) -> bool:
    """Return whether two answers have the same gap, which is what decides a game."""
    if not np.isfinite(slack):  # the engine does not know, and refits this game
        return True
    apart = np.abs((found[0] - found[1]) - (own[0] - own[1])).max()
    return bool(apart <= slack + AGREEMENT * np.abs(own).max())
