"""Is there any signal at all? The permutation test of a cross-validated AUC."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
from scipy.stats import binomtest

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.checks import (
    RandomState,
    journal_seed,
    require_choice,
    require_count,
    require_level,
    seed_sequence,
)
from tlpo.engines.base import Execution, delegate
from tlpo.engines.least_squares.relabel import Relabelling, relabelling
from tlpo.errors import GameError, InputError, explain
from tlpo.execution.diagnostics import Diagnostics, RunLog
from tlpo.execution.fingerprint import journaled
from tlpo.execution.fits import require_estimator
from tlpo.execution.framing import Values
from tlpo.execution.journal import JournalLike
from tlpo.execution.run import Keep, run_rounds
from tlpo.problem.labels import Labels
from tlpo.problem.problem import Problem, make_problem
from tlpo.results.summary import Summary, describe, played_row
from tlpo.roc.curve import wmw_auc
from tlpo.schedule import Pairs, Schedule
from tlpo.schemes.exchange import Draw, exchange, relabel
from tlpo.standings import Standings


@dataclass(frozen=True, eq=False, repr=False)
class PermutationTest(Summary):
    """A one-sided test of "the labels have nothing to do with the features".

    Attributes
    ----------
    statistic : {"tlpo", "lpo"}
        The AUC that was computed for every permutation.
    observed : float
        Its value for the labels as they are.
    null_distribution : ndarray
        Its values for permuted labels, in the order of drawing.
    n_requested : int
        Permutations that were asked for; fewer were made if the test stopped early.
    stop_at : float or None
        The level at which the test was to stop once its decision was certain.
    exchanged : str
        What was permuted.
    labels : Labels
        Class of every unit.
    engine : str
        How the tournaments were played.
    diagnostics : Diagnostics
        Fits, seconds, warnings.
    estimator_name : str
        What was evaluated.
    """

    statistic: str
    observed: float
    null_distribution: FloatArray
    n_requested: int
    stop_at: float | None
    exchanged: str
    labels: Labels
    engine: str
    diagnostics: Diagnostics
    estimator_name: str

    @property
    def n_permutations(self) -> int:
        """Permutations that were made."""
        return int(self.null_distribution.size)

    @property
    def n_as_large(self) -> int:
        """How many of them gave an AUC at least as large as the observed one.

        A permutation of which no game could be played (NaN, with ``on_error="skip"``) counts.
        """
        return int(np.count_nonzero(~(self.null_distribution < self.observed)))

    @property
    def p_value(self) -> float:
        """(1 + count) / (B + 1), which is valid for any number of permutations B.

        If the test stopped early, the decision at its level is that of all permutations; the
        number itself is then a conservative estimate, see `p_value_bounds`.
        """
        return (1 + self.n_as_large) / (self.n_permutations + 1)

    def p_value_interval(self, confidence_level: float = 0.95) -> tuple[float, float]:
        """Monte-Carlo interval (Clopper-Pearson) for the p-value of all permutations there are.

        Approximate if the test stopped early; then see also `p_value_bounds`.
        """
        require_level("confidence_level", confidence_level)
        test = binomtest(self.n_as_large, self.n_permutations)
        interval = test.proportion_ci(confidence_level, method="exact")
        return float(interval.low), float(interval.high)

    @property
    def p_value_bounds(self) -> tuple[float, float]:
        """Smallest and largest p-value that all requested permutations could have given."""
        left = self.n_requested - self.n_permutations
        count = 1 + self.n_as_large
        return count / (self.n_requested + 1), (count + left) / (self.n_requested + 1)

    def _title(self) -> str:
        return f"Permutation test of {self.labels.count}"

    def _rows(self) -> list[tuple[str, str]]:
        low, high = self.p_value_interval()
        null = self.null_distribution
        rows = [
            ("estimator", self.estimator_name),
            (f"{self.statistic.upper()} AUC", f"{self.observed:.4f}"),
            ("p-value", f"{self.p_value:.4g} (95 % Monte-Carlo interval {low:.4g} to {high:.4g})"),
            (
                "permuted",
                f"{self.exchanged}: mean {np.nanmean(null):.3f}, SD {np.nanstd(null):.3f}",
            ),
            (
                "played",
                f"{self.n_permutations} permutations, {played_row(self.diagnostics)}, "
                f"engine {self.engine}",
            ),
        ]
        if self.n_permutations < self.n_requested:
            least, most = self.p_value_bounds
            verdict = (
                f"≤ {self.stop_at:g}" if most <= (self.stop_at or 0) else f"> {self.stop_at:g}"
            )
            rows.append(
                (
                    "stopped",
                    f"p {verdict} is certain: all {self.n_requested} would give "
                    f"{least:.4g} to {most:.4g}",
                )
            )
        return rows


@dataclass
class _Chunk:
    """AUCs of some permutations."""

    aucs: FloatArray
    fits: int
    failures: Counter[str]

    @property
    def finished(self) -> int:
        """Number of permutations."""
        return len(self.aucs)


def _pack(chunk: _Chunk) -> Values:
    return {"aucs": chunk.aucs, "fits": chunk.fits, "failures": dict(chunk.failures)}


def _unpack(values: Values) -> _Chunk:
    return _Chunk(values["aucs"], values["fits"], Counter(values["failures"]))


class _Enough(Exception):  # noqa: N818
    """The decision is certain."""


def permutation_test(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    n_permutations: int = 1000,
    statistic: Literal["tlpo", "lpo"] = "tlpo",
    positive: Any = None,
    groups: Any = None,
    engine: str = "auto",
    random_state: RandomState = None,
    stop_at: float | None = None,
    n_jobs: int | None = None,
    progress: bool = False,
    params: Mapping[str, Any] | None = None,
    on_error: Literal["raise", "skip"] = "raise",
    journal: JournalLike = None,
) -> PermutationTest:
    """Test whether an estimator finds any signal, by permuting the labels and redoing everything.

    Parameters
    ----------
    estimator, X, y, positive, engine, n_jobs, progress, params, on_error, journal
        As in `tournament`. With least squares one decomposition serves all permutations. Sample
        weights in ``params`` stay with their units: weights made from the labels do not fit then.
    n_permutations : int
        How many. The smallest p-value is one over this number plus one.
    statistic : {"tlpo", "lpo"}
        The AUC to compare.
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
    require_estimator(estimator)
    require_count("n_permutations", n_permutations, 1)
    require_choice("statistic", statistic, ("tlpo", "lpo"))
    require_choice("on_error", on_error, ("raise", "skip"))
    if stop_at is not None:
        _require_reachable(stop_at, n_permutations)
    execution = Execution(n_jobs, progress, on_error, predictions=False)
    pairs: Pairs = "all" if statistic == "tlpo" else "opposite"
    smallest = 3 if statistic == "tlpo" else 2
    problem = make_problem(
        X, y, positive=positive, groups=groups, params=params, min_per_class=smallest
    )
    seed = journal_seed(journal, random_state)
    options = {"statistic": statistic, "seed": seed, "on_error": on_error}
    with journaled(journal, "permutation test", estimator, problem, **options) as part:
        return _test(
            estimator,
            problem,
            n_permutations=n_permutations,
            pairs=pairs,
            engine=engine,
            seeds=seed_sequence(random_state),
            stop_at=stop_at,
            execution=replace(execution, journal=part),
        )


def _test(
    estimator: Any,
    problem: Problem,
    *,
    n_permutations: int,
    pairs: Pairs,
    engine: str,
    seeds: np.random.SeedSequence,
    stop_at: float | None,
    execution: Execution,
) -> PermutationTest:
    log = RunLog()
    chosen, played = delegate(
        engine,
        estimator,
        problem,
        lambda player: player.play(estimator, problem, Schedule(pairs), execution),
    )
    observed = _statistic(played.standings, problem.labels.is_positive, pairs)
    log.fits += played.diagnostics.fits
    shared = relabelling(estimator, problem) if chosen == "least-squares" else ""
    exchanged, draw = exchange(problem, 3 if pairs == "all" else 2, pairs)
    work = partial(
        _play_permutations,
        estimator=estimator,
        problem=problem,
        shared=None if isinstance(shared, str) else shared,
        engine=engine,
        pairs=pairs,
        draw=draw,
        seeds=seeds,
        execution=Execution(1, False, execution.on_error, False),
    )
    aucs: list[float] = []
    n_as_large = 0
    failures = Counter(played.diagnostics.failures)

    def collect(_: slice, chunk: _Chunk) -> None:
        nonlocal n_as_large
        failures.update(chunk.failures)
        for auc in chunk.aucs.tolist():
            aucs.append(auc)
            n_as_large += not auc < observed  # NaN counts
            left = n_permutations - len(aucs)
            if stop_at is not None and _is_certain(n_as_large, left, n_permutations, stop_at):
                raise _Enough

    journal = execution.journal
    with suppress(_Enough):
        run_rounds(
            work,
            np.arange(n_permutations),
            collect,
            log,
            n_jobs=execution.n_jobs,
            progress=execution.progress,
            title="Permutations",
            keep=None if journal is None else Keep(journal.section("permutations"), _pack, _unpack),
        )
    log.warnings.emit(log.fits)
    return PermutationTest(
        statistic="tlpo" if pairs == "all" else "lpo",
        observed=observed,
        null_distribution=np.array(aucs),
        n_requested=n_permutations,
        stop_at=stop_at,
        exchanged=exchanged,
        labels=problem.labels,
        engine=chosen,
        diagnostics=replace(
            log.diagnostics(
                failures=dict(failures.most_common()), remarks=_remarks(draw, failures, stop_at)
            ),
            why_refit=played.diagnostics.why_refit,
        ),
        estimator_name=describe(estimator),
    )


def _play_permutations(
    rounds: IntArray,
    *,
    estimator: Any,
    problem: Problem,
    shared: Relabelling | None,
    engine: str,
    pairs: Pairs,
    draw: Callable[[np.random.Generator], BoolArray],
    seeds: np.random.SeedSequence,
    execution: Execution,
) -> _Chunk:
    # Not spawn(), which counts: permutation b has the same seed wherever it is played.
    labels = np.array(
        [
            draw(np.random.default_rng(np.random.SeedSequence(seeds.entropy, spawn_key=(int(b),))))
            for b in rounds
        ]
    )
    fits = 0
    failures: Counter[str] = Counter()
    if shared is None:
        aucs, left = np.empty(len(labels)), np.arange(len(labels))
    else:
        aucs, doubts = shared.aucs(labels, pairs)
        left = np.flatnonzero(doubts)
    for k in left:
        permuted = relabel(problem, labels[k])
        try:
            _, played = delegate(
                engine,
                estimator,
                permuted,
                lambda player, permuted=permuted: player.play(  # type: ignore[misc]
                    estimator, permuted, Schedule(pairs), execution
                ),
            )
        except GameError as error:
            if execution.on_error == "skip":
                # Nothing could be played: counted as if it had been as large as the observed.
                failures[str(error).split("\n")[0]] += 1
                aucs[k] = np.nan
                continue
            raise GameError(
                explain(
                    f"Permutation {rounds[k]} could not be played.",
                    str(error),
                    "Labels were exchanged: some training sets differ much from the real ones.",
                )
            ) from error
        aucs[k] = _statistic(played.standings, labels[k], pairs)
        fits += played.diagnostics.fits
        failures.update(played.diagnostics.failures)
    return _Chunk(aucs, fits, failures)


def _statistic(standings: Standings, is_positive: BoolArray, pairs: Pairs) -> float:
    if pairs == "opposite":
        return standings.lpo_auc(is_positive)
    rated = ~np.isnan(standings.scores)  # with on_error="skip" a unit may have no game at all
    return wmw_auc(standings.scores[rated], is_positive[rated])


def _remarks(draw: Draw, failures: Counter[str], stop_at: float | None) -> tuple[str, ...]:
    remarks = []
    level = 0.05 if stop_at is None else stop_at
    if draw.n_labellings * level < 1:
        remarks.append(
            f"Only {draw.n_labellings} different labels can be drawn ({draw.kind} are exchanged): "
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
                "So few permutations cannot reach this level.",
                f"You passed stop_at={level!r} and n_permutations={n_permutations}.",
                f"Use at least {int(np.ceil(1 / level)) - 1} permutations.",
            )
        )
