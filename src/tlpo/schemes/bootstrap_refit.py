"""Bootstrap of the whole leave-pair-out cross-validation, with every model refitted.

The interval of a tournament rests on the games that were played. This one shares nothing with it
but the estimate: units are drawn with replacement, and everything is done again on each resample.
It needs the estimator and the features, which a result does not keep, so it is a function of its
own rather than a method of `Tournament.auc_interval`.

A resample has copies. A model that has seen one copy of a unit knows the others, so a pair is left
out with all copies of both, and copies of one unit do not meet. Their games are the same, so each
is played once and weighted by the number of copies.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from tlpo.arrays import BoolArray, IntArray
from tlpo.checks import RandomState, require_count, seed_sequence
from tlpo.errors import GameError, InputError, explain
from tlpo.execution.diagnostics import RunLog
from tlpo.execution.journal import JournalLike
from tlpo.execution.run import Keep, run_tasks
from tlpo.games.contest import Contest, ContestOptions
from tlpo.games.schedule import Schedule
from tlpo.problem.outcome import Classes
from tlpo.problem.problem import Problem
from tlpo.results.bootstrap_refit import BootstrapRefit
from tlpo.results.games import LeavePairOutResult
from tlpo.roc.evidence import GameEvidence
from tlpo.schemes.aucs import AucChunk, pack_aucs, unpack_aucs
from tlpo.schemes.leave_pair_out import play_opposite_pairs
from tlpo.synonyms import refuse_foreign_arguments

LEAST_RESAMPLES = 50
LEAST_PER_CLASS = 3


@refuse_foreign_arguments
def bootstrap_refit(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    n_resamples: int = 200,
    positive: Any = None,
    groups: Any = None,
    engine: str = "auto",
    random_state: RandomState = None,
    n_jobs: int | None = None,
    progress: bool = False,
    params: Mapping[str, Any] | None = None,
    journal: JournalLike = None,
) -> BootstrapRefit:
    """Bootstrap the leave-pair-out AUC, playing all games again on every resample.

    A second opinion on the interval of `tournament`, by another route. It is wider on average, and
    takes about ``n_resamples`` times as long: docs/inference.md compares the two.

    Parameters
    ----------
    estimator, X, y, positive, engine, n_jobs, progress, params, journal
        As in `tournament`. Two classes, at least three units (or groups) of each.
    n_resamples : int
        How many, at least 50. The standard error has a relative error of 5 % with 200.
    groups : array-like of shape (m,), optional
        Units that belong together: whole groups are drawn, and left out.
    random_state : int, generator or None
        Seed. Every resample has its own, so the result does not depend on ``n_jobs``.

    Returns
    -------
    BootstrapRefit

    Notes
    -----
    Units of each class (groups with positives, with negatives, with both) are drawn with
    replacement. With c_i copies of unit i, and f trained without all copies of i and j, the AUC of
    a resample is::

        Σ_{i∈I+} Σ_{j∈I-} c_i c_j H(f(i) − f(j)) / Σ_{i∈I+} Σ_{j∈I-} c_i c_j

    A resample in which some pair would leave a single class to train on is drawn again.

    Examples
    --------
    >>> import numpy as np
    >>> import tlpo
    >>> y = np.arange(30) % 2
    >>> X = np.random.default_rng(1).normal(size=(30, 3)) + 0.8 * y[:, None]
    >>> model = tlpo.RLS()
    >>> low, high = tlpo.bootstrap_refit(model, X, y, random_state=0).auc_interval()
    >>> f"{low:.1f} to {high:.1f}"
    '0.6 to 0.9'
    >>> low, high = tlpo.tournament(model, X, y).auc_interval()
    >>> f"{low:.1f} to {high:.1f}"
    '0.6 to 0.9'
    """
    require_count("n_resamples", n_resamples, LEAST_RESAMPLES)
    options = ContestOptions(
        positive=positive,
        groups=groups,
        params=params,
        engine=engine,
        n_jobs=n_jobs,
        progress=progress,
        predictions=False,
        journal=journal,
    )
    contest = Contest(estimator, X, y, options)
    if not isinstance(contest.outcome, Classes):
        raise InputError(
            explain(
                "The bootstrap with refits needs two classes.",
                f"You passed y with times or numbers: {contest.outcome.count}.",
                "Use the interval of tlpo.survival or tlpo.concordance.",
            )
        )
    _require_enough(contest.problem)
    log = RunLog()
    with contest.journaled("bootstrap with refits", seed=contest.seed(random_state)) as part:
        observed = play_opposite_pairs(contest, part=part)
        log.fits += observed.diagnostics.fits
        aucs = np.empty(n_resamples)

        def collect(where: slice, chunk: AucChunk) -> None:
            aucs[where] = chunk.aucs

        unpack = partial(unpack_aucs, most_fits=1 + contest.outcome.n_ordered, skip=False)
        run_tasks(
            partial(_play_resamples, contest=contest, seeds=seed_sequence(random_state)),
            np.arange(n_resamples),
            collect,
            log,
            n_jobs=n_jobs,
            progress=progress,
            title="Resamples",
            keep=None if part is None else Keep(part.section("resamples"), pack_aucs, unpack),
        )
    log.warnings.emit(log.fits)
    return BootstrapRefit(
        auc=observed.auc,
        aucs=aucs,
        degrees_of_freedom=_degrees_of_freedom(observed),
        labels=contest.outcome,
        engine=observed.engine,
        diagnostics=log.diagnostics(remarks=observed.diagnostics.warnings),
        estimator_name=contest.name,
    )


def _degrees_of_freedom(observed: LeavePairOutResult) -> float | None:
    return GameEvidence(observed.auc, observed._placements, None, []).degrees_of_freedom


def _play_resamples(
    numbers: IntArray, *, contest: Contest, seeds: np.random.SeedSequence
) -> AucChunk:
    aucs, fits = np.empty(len(numbers)), 0
    for k, b in enumerate(numbers):
        # Not spawn(), which keeps a count: resample b has the same seed wherever it is played.
        own = np.random.SeedSequence(seeds.entropy, spawn_key=(int(b),))
        units = draw_resample(contest.problem, np.random.default_rng(own))
        try:
            aucs[k], more = _play(contest, units)
        except GameError as error:
            raise GameError(
                explain(
                    f"Resample {b} could not be played.",
                    str(error),
                    "Units were drawn with repetition: try whether the estimator can be fitted to "
                    "two thirds of the units.",
                )
            ) from error
        fits += more
    return AucChunk(aucs, fits, Counter())


def _play(contest: Contest, units: IntArray) -> tuple[float, int]:
    """Return the AUC of a resample, and the number of fits."""
    resample = contest.resampled(units)
    _, first, copies = np.unique(units, return_index=True, return_counts=True)
    is_positive = contest.labels.is_positive[units[first]]
    positives, negatives = np.flatnonzero(is_positive), np.flatnonzero(~is_positive)
    i, j = np.repeat(positives, negatives.size), np.tile(negatives, positives.size)
    games = np.column_stack([first[i], first[j]])
    positive_is_first = games[:, 0] < games[:, 1]
    games.sort(axis=1)
    played = resample.play(Schedule("ordered", games, "one copy of each unit"))
    assert played.outcome is not None
    won = np.where(positive_is_first, played.outcome, 1.0 - played.outcome)
    weight = (copies[i] * copies[j]).astype(float)
    return float(weight @ won / weight.sum()), played.diagnostics.fits


def draw_resample(problem: Problem, rng: np.random.Generator) -> IntArray:
    """Draw units, or whole groups, of each kind with replacement, until all games can be played."""
    is_positive, groups = problem.labels.is_positive, problem.groups
    groups = np.arange(is_positive.size) if groups is None else groups
    members = [np.flatnonzero(groups == g) for g in range(int(groups.max()) + 1)]
    # 1: only negatives, 2: only positives, 3: both.
    kind = np.array([int(2 * is_positive[u].any() + (~is_positive[u]).any()) for u in members])
    strata = [np.flatnonzero(kind == k) for k in np.unique(kind)]
    while True:
        drawn = np.concatenate([rng.choice(stratum, stratum.size) for stratum in strata])
        units = np.concatenate([members[g] for g in drawn])
        if min(_groups_per_class(groups[units], is_positive[units])) >= 2 + (kind == 3).any():
            return units


def _groups_per_class(groups: IntArray, is_positive: BoolArray) -> tuple[int, int]:
    return np.unique(groups[is_positive]).size, np.unique(groups[~is_positive]).size


def _require_enough(problem: Problem) -> None:
    """Refuse classes with so few units or groups that resamples hardly differ."""
    labels = problem.labels
    groups = np.arange(labels.n_units) if problem.groups is None else problem.groups
    sizes = _groups_per_class(groups, labels.is_positive)
    if min(sizes) >= LEAST_PER_CLASS:
        return
    of = "units" if problem.groups is None else "groups"
    raise InputError(
        explain(
            f"A bootstrap needs at least {LEAST_PER_CLASS} {of} of each class.",
            f"You passed {sizes[0]} with class {labels.positive!r} and {sizes[1]} with class "
            f"{labels.negative!r}.",
            "Collect more.",
        )
    )
