"""Is there any signal at all? The permutation test of a cross-validated AUC."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np

from tlpo.arrays import IntArray
from tlpo.checks import (
    RandomState,
    require_choice,
    require_count,
    require_level,
    seed_sequence,
)
from tlpo.engines.base import Played, PlayedClasses, Reordering
from tlpo.errors import GameError, InputError, arg, explain
from tlpo.execution.diagnostics import RunLog
from tlpo.execution.journal import JournalLike, Part
from tlpo.execution.run import Keep, run_tasks
from tlpo.games.contest import Contest, ContestOptions, OnError
from tlpo.games.schedule import Pairs, Schedule
from tlpo.games.standings import Standings
from tlpo.problem.outcome import Classes, Outcome, SeveralClasses
from tlpo.problem.problem import means_several
from tlpo.problem.times import has_times
from tlpo.results.permutation import PermutationTest
from tlpo.roc.curve import wmw_auc
from tlpo.schemes.aucs import AucChunk, pack_aucs, unpack_aucs
from tlpo.schemes.exchange import Draw, exchange
from tlpo.schemes.multiclass import auc_of_games
from tlpo.synonyms import refuse_foreign_arguments


class _Enough(Exception):  # noqa: N818
    """The decision is certain."""


@refuse_foreign_arguments
def permutation_test(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    n_permutations: int = 1000,
    statistic: Literal["tlpo", "lpo"] | None = None,
    positive: Any = None,
    order: Any = None,
    groups: Any = None,
    engine: str = "auto",
    random_state: RandomState = None,
    stop_at: float | None = None,
    n_jobs: int | None = None,
    progress: bool = False,
    params: Mapping[str, Any] | None = None,
    on_error: OnError = "raise",
    journal: JournalLike = None,
) -> PermutationTest:
    """Test whether an estimator finds any signal, by permuting the labels and repeating everything.

    The test is of one model. The smallest p-value of several models is too small: test an estimator
    that makes the choice itself (``GridSearchCV``), or report the best of several with `choose`.

    Parameters
    ----------
    estimator, X, y, positive, engine, n_jobs, progress, params, on_error, journal
        As in `tournament`. With least squares one decomposition serves all permutations. Sample
        weights in ``params`` stay with their units: weights made from the labels are then wrong.
    n_permutations : int
        How many. The smallest possible p-value is 1 / (n_permutations + 1).
    order : True or sequence, optional
        The larger y should win: True for numbers and ordered categories, or the grades from lowest
        to highest. The concordance is tested instead of the AUC.
    statistic : {"tlpo", "lpo"}, optional
        The AUC of two classes to compare, ``"tlpo"`` by default. Of several classes it is Hand and
        Till's M, as in `multiclass`.
    groups : array-like of shape (m,), optional
        Units that belong together. If every group has one label, whole groups exchange their
        labels; otherwise labels are exchanged within groups.
    random_state : int, generator or None
        Seed. Every permutation has its own, so the result does not depend on ``n_jobs``.
    stop_at : float, optional
        A level of significance: stop as soon as it is certain on which side of it the p-value
        of all permutations would lie.

    Returns
    -------
    PermutationTest

    Notes
    -----
    ``p = (1 + #{AUC of permuted labels ≥ AUC}) / (n_permutations + 1)``.

    Examples
    --------
    >>> import numpy as np
    >>> import tlpo
    >>> y = np.arange(20) < 10
    >>> X = np.column_stack([y + np.arange(20) % 3, np.arange(20) % 7])
    >>> test = tlpo.permutation_test(tlpo.RLS(), X, y, n_permutations=199, random_state=0)
    >>> test.p_value
    0.105
    """
    require_count("n_permutations", n_permutations, 1)
    several = means_several(y, positive, order)
    if statistic is not None:
        require_choice("statistic", statistic, ("tlpo", "lpo"))
        if order is not None or has_times(y):
            given = f" and {arg('order', order)}" if order is not None else ""
            raise InputError(
                explain(
                    "Numbers, grades and times have one statistic, the concordance.",
                    f"You passed {arg('statistic', statistic)}{given}.",
                    f"Leave out {arg('statistic')}.",
                )
            )
        if several:
            raise InputError(
                explain(
                    "Several classes have one statistic, Hand and Till's M.",
                    f"You passed {arg('statistic', statistic)} and y with more than two labels.",
                    f"Leave out {arg('statistic')}.",
                )
            )
    if stop_at is not None:
        _require_reachable(stop_at, n_permutations)
    options = ContestOptions(
        positive=positive,
        order=order,
        several=several,
        groups=groups,
        params=params,
        engine=engine,
        n_jobs=n_jobs,
        progress=progress,
        on_error=on_error,
        predictions=False,
        journal=journal,
    )
    contest = Contest(estimator, X, y, options)
    is_all = isinstance(contest.outcome, Classes) and statistic != "lpo"
    pairs: Pairs = "all" if is_all else "ordered"
    return permute(contest, pairs, n_permutations, random_state, stop_at)


def permute(
    contest: Contest,
    pairs: Pairs,
    n_permutations: int,
    random_state: RandomState,
    stop_at: float | None,
) -> PermutationTest:
    """Play a contest as it is and with permuted labels."""
    log = RunLog()
    statistic = "tlpo" if pairs == "all" else "lpo"
    if not isinstance(contest.outcome, Classes):
        statistic = "M" if isinstance(contest.outcome, SeveralClasses) else "concordance"
    binding = {
        "statistic": statistic,
        "seed": contest.seed(random_state),
        "on_error": contest.options.on_error,
    }
    aucs: list[float] = []
    n_as_large = 0
    with contest.journaled("permutation test", **binding) as part:
        observed, played = _play(contest, pairs, part)
        log.fits += played.diagnostics.fits
        failures = Counter(played.diagnostics.failures)
        draw = exchange(contest, pairs)
        work = partial(
            _play_permutations,
            contest=contest,
            shared=contest.reordering(),
            pairs=pairs,
            draw=draw,
            seeds=seed_sequence(random_state),
        )

        unpack = partial(
            unpack_aucs,
            most_fits=1 + Schedule(pairs).n_games(contest.outcome),
            skip=contest.options.on_error == "skip",
        )

        def collect(_: slice, chunk: AucChunk) -> None:
            nonlocal n_as_large
            failures.update(chunk.failures)
            for auc in chunk.aucs.tolist():
                aucs.append(auc)
                n_as_large += not auc < observed  # NaN counts
                left = n_permutations - len(aucs)
                if stop_at is not None and _is_certain(n_as_large, left, n_permutations, stop_at):
                    raise _Enough

        with suppress(_Enough):
            run_tasks(
                work,
                np.arange(n_permutations),
                collect,
                log,
                n_jobs=contest.options.n_jobs,
                progress=contest.options.progress,
                title="Permutations",
                keep=None
                if part is None
                else Keep(part.section("permutations"), pack_aucs, unpack),
            )
    log.warnings.emit(log.fits)
    diagnostics = log.diagnostics(
        failures=dict(failures.most_common()), remarks=_remarks(draw, failures, stop_at)
    )
    return PermutationTest(
        statistic=statistic,
        observed=observed,
        null_distribution=np.array(aucs),
        n_requested=n_permutations,
        stop_at=stop_at,
        exchanged=draw.kind,
        labels=contest.outcome,
        engine=played.engine,
        diagnostics=replace(diagnostics, why_not_faster=played.diagnostics.why_not_faster),
        estimator_name=contest.name,
    )


def _play_permutations(
    numbers: IntArray,
    *,
    contest: Contest,
    shared: Reordering | None,
    pairs: Pairs,
    draw: Draw,
    seeds: np.random.SeedSequence,
) -> AucChunk:
    # Not spawn(), which keeps a count: permutation b has the same seed wherever it is played.
    orders = np.array(
        [
            draw(np.random.default_rng(np.random.SeedSequence(seeds.entropy, spawn_key=(int(b),))))
            for b in numbers
        ]
    )
    fits = 0
    failures: Counter[str] = Counter()
    if shared is None:
        aucs, left = np.empty(len(orders)), np.arange(len(orders))
    else:
        aucs, doubts = shared.shares(orders, pairs)
        left = np.flatnonzero(doubts)
    for k in left:
        try:
            aucs[k], played = _play(contest.reordered(orders[k]), pairs)
        except GameError as error:
            if contest.options.on_error == "skip":
                # Nothing could be played: counts as at least as large as the observed AUC.
                failures[str(error).split("\n")[0]] += 1
                aucs[k] = np.nan
                continue
            raise GameError(
                explain(
                    f"Permutation {numbers[k]} could not be played.",
                    str(error),
                    "Labels were exchanged: some training sets differ greatly from the real ones.",
                )
            ) from error
        fits += played.diagnostics.fits
        failures.update(played.diagnostics.failures)
    return AucChunk(aucs, fits, failures)


def _play(
    contest: Contest, pairs: Pairs, part: Part | None = None
) -> tuple[float, Played | PlayedClasses]:
    """Play a contest, and return its statistic with what was played."""
    outcome = contest.outcome
    if isinstance(outcome, SeveralClasses):
        classes = contest.play_classes(Schedule(pairs), part=part)
        return auc_of_games(classes, outcome), classes
    played = contest.play(Schedule(pairs), part=part)
    return _statistic(played.standings, outcome, pairs), played


def _statistic(standings: Standings, outcome: Outcome, pairs: Pairs) -> float:
    if pairs == "ordered":
        return standings.concordance(outcome)
    assert isinstance(outcome, Classes)
    rated = ~np.isnan(standings.scores)  # with on_error="skip" a unit may have no game at all
    return wmw_auc(standings.scores[rated], outcome.is_positive[rated])


def _remarks(draw: Draw, failures: Counter[str], stop_at: float | None) -> tuple[str, ...]:
    remarks = []
    level = 0.05 if stop_at is None else stop_at
    if draw.n_orders < 1 / level:
        remarks.append(
            f"Only {draw.n_orders} labellings can be drawn ({draw.kind} are exchanged): "
            f"the p-value cannot fall to {level:g}."
        )
    if failures:
        remarks.append(f"{failures.total()} games, or whole permutations, could not be played.")
    return tuple(remarks)


def _is_certain(n_as_large: int, left: int, total: int, level: float) -> bool:
    most = level * (total + 1)
    return 1 + n_as_large > most or 1 + n_as_large + left <= most


def _require_reachable(level: float, n_permutations: int) -> None:
    require_level("stop_at", level)
    if 1 / (n_permutations + 1) > level:
        raise InputError(
            explain(
                "Too few permutations to reach this level.",
                f"You passed stop_at={level!r} and n_permutations={n_permutations}.",
                f"Use at least {int(np.ceil(1 / level)) - 1} permutations.",
            )
        )
