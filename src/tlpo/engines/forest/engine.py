"""Forests and other bagged ensembles: one larger ensemble plays every game.

Its games have the distribution that games of refitted ensembles have (`bags.py` says why), but
they are another draw from it: a seed fixes the result, not the result of refitting with that seed.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Sequence, Set
from functools import cached_property, partial
from typing import ClassVar

import numpy as np
from sklearn.utils import check_random_state

from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.base import (
    Answered,
    Decided,
    Engine,
    Played,
    PlayedClasses,
    failure_remarks,
)
from tlpo.engines.forest.bags import Grown, Trees, TreeSequence, pack, section_name, unpack
from tlpo.engines.forest.classes import ClassTrees
from tlpo.engines.forest.compiled import CompiledForest, compiled_forest
from tlpo.engines.forest.compiled_survival import CompiledSurvivalForest, compiled_survival_forest
from tlpo.engines.forest.growing import BAGGING, FORESTS, make_grower, why_not_grown
from tlpo.engines.forest.hazards import SurvivalGrower
from tlpo.engines.preparation.prepared import Prepared
from tlpo.errors import EngineError, GameError
from tlpo.execution.diagnostics import RunLog, recording
from tlpo.execution.fits import NEEDS_EVERY_FIT, Failure, Fit, failed, failed_on_pair
from tlpo.execution.journal import Part
from tlpo.execution.options import Execution
from tlpo.execution.run import Keep, run_tasks
from tlpo.execution.threads import in_threads, slices, thread_count
from tlpo.games.response import outcomes
from tlpo.games.schedule import Schedule
from tlpo.problem.outcome import Classes, Ordered, SeveralClasses

# Below this share of qualifying bags, even drawing them takes time and memory. With bags as large
# as the training set it is 0.37 for one unit and 0.14 for two.
LEAST_SHARE = 0.02


class Forest(Engine):
    """Lets each pair be judged by the first trees whose bags hold neither unit."""

    name = "forest"
    plays_each = False
    shares_models = True
    estimators: ClassVar[Set[type]] = FORESTS | BAGGING
    is_random = True
    outcomes = frozenset({Classes, Ordered, SeveralClasses})
    trees_type: ClassVar[type[Trees]] = Trees

    @classmethod
    def why_not(cls, prepared: Prepared) -> str | None:
        """Name the first thing that shared trees do not cover."""
        problem = prepared.problem
        if prepared.has_exceptions(2):
            return "Some training sets are prepared in another way, so trees cannot be shared."
        # The share of bags that leave out s given units is about e^-s: nothing to share. Bags drawn
        # from fewer units, so as to leave out whole groups, would have another distribution.
        if problem.groups is not None:
            return "Bags that leave out two whole groups by chance are too rare to share trees."
        if problem.exclude is not None:
            return "Bags that leave out all that exclude names are too rare to share trees."
        if problem.params:
            names = ", ".join(problem.params)
            name = type(prepared.model).__name__
            return f"{name} with the fit arguments {names} is not covered."
        return why_not_grown(prepared.model)

    def play(self, schedule: Schedule, execution: Execution) -> Played:
        """Grow the trees that the games need, and play."""
        return self._decide(schedule, execution).described(schedule, execution)

    def play_classes(self, schedule: Schedule, execution: Execution) -> PlayedClasses:
        """Do the same with the share of every class."""
        return self._decide(schedule, execution).by_class(schedule, execution)

    def _decide(self, schedule: Schedule, execution: Execution) -> Decided:
        who_wins = self.problem.outcome
        pairs, log = schedule.games(who_wins), RunLog()
        trees = self._trees(2, execution, log)
        responses, *halves = self._ask(trees, pairs, execution, log)
        is_failed = ~np.isfinite(responses).all(axis=tuple(range(1, responses.ndim)))
        for table in (responses, *halves):
            table[is_failed] = np.nan
        failures = Counter(trees.cause(pair) for pair in pairs[is_failed])
        ceiling = 1.0 if trees.sequence.grower.method == "predict_proba" else np.inf
        outcome = outcomes(responses[:, 0], responses[:, 1], ceiling)
        finished = pairs[~is_failed]
        remarks = failure_remarks(np.bincount(finished.ravel()), pairs, failures)
        diagnostics = log.diagnostics(
            pairs_played=len(finished),
            failures=dict(failures.most_common()),
            remarks=(*remarks, self._caveat(trees, "played all games")),
        )
        kept = (halves[0], halves[1]) if trees.n_judges > 1 else None
        return Decided(who_wins, pairs, outcome, responses, ceiling, diagnostics, kept)

    def predict_parts(self, pairs: IntArray, execution: Execution) -> list[FloatArray]:
        """Return the responses of all trees for held-out pairs, and of either half of them."""
        decided = self._decide(Schedule(listed=pairs), execution)
        return [decided.responses, *(decided.halves or ())]

    def hold_out(self, tests: list[IntArray], execution: Execution) -> Answered:
        """Answer for single units by shared trees, for larger sets by forests of their own."""
        if any(test.size != 1 for test in tests):
            if self._forest is None:
                raise EngineError(
                    "Bags that leave out a whole fold by chance are too rare to share."
                )
            fits = [Fit(self.problem.training_set(test), test) for test in tests]
            return self.fit(fits, execution, title="Held-out sets")
        log = RunLog()
        trees = self._trees(1, execution, log)
        responses = self._ask(trees, np.array(tests), execution, log)[0]
        remarks = (self._caveat(trees, "judged all units"),)
        return Answered(list(responses), log.diagnostics(remarks=remarks))

    def respond(self, fits: Sequence[Fit]) -> list[FloatArray | None]:
        """Grow a forest for every fit, in compiled loops."""
        if self._forest is None:
            return super().respond(fits)
        parts = slices(len(fits), min(thread_count(None), max(1, len(fits))))
        found = in_threads(self._respond, [(fits[part],) for part in parts])
        return [response for part in found for response in part]

    def _respond(self, fits: Sequence[Fit]) -> list[FloatArray | None]:
        forest = self._forest
        assert forest is not None
        found: list[FloatArray | None] = []
        for train, test in fits:
            response = None
            if not self.prepared.is_exception(train):
                response = forest.respond(train, test)
            found.append(None if response is None else response / self.problem.outcome.unit)
        return found

    @cached_property
    def _forest(self) -> CompiledForest | CompiledSurvivalForest | None:
        """What fits forests in compiled loops, if these are covered."""
        if not self._is_forest:
            return None
        grower = make_grower(self.estimator, self.problem, 1)
        if isinstance(grower, SurvivalGrower):
            return compiled_survival_forest(self.estimator, grower)
        return compiled_forest(self.estimator, grower)

    def fits_for(self, schedule: Schedule, execution: Execution) -> float:
        """Count the trees that the games need; nothing is grown."""
        trees = self._trees(2, execution, RunLog())
        n_trees = trees.needed(schedule.games(self.problem.outcome)).size
        return float(n_trees / trees.n_judges)

    @cached_property
    def _known(self) -> dict[int, Trees]:
        """The trees grown so far, by how many units their ensembles are without."""
        return {}

    def _trees(self, n_left_out: int, execution: Execution, log: RunLog) -> Trees:
        if n_left_out not in self._known:
            with recording(log.warnings):
                grower = make_grower(self.estimator, self.problem, n_left_out)
            seed = self._seed(execution.journal)
            sequence = TreeSequence(seed, self.problem.n_units, n_left_out, grower)
            if sequence.share < LEAST_SHARE:
                raise EngineError(
                    f"Bags of {grower.bag_size} draws from {self.problem.n_units} units leave out "
                    "given units too rarely to share trees."
                )
            n_judges = int(self.estimator.n_estimators)
            has_several = bool(self.problem.outcome.response_shape)
            kind = ClassTrees if has_several else self.trees_type
            self._known[n_left_out] = kind(sequence, n_judges)
        return self._known[n_left_out]

    def _seed(self, journal: Part | None) -> int:
        """Return the seed of all bags: one for the estimator's random_state, as for its clones."""
        for trees in self._known.values():
            return trees.sequence.seed
        if self.estimator.random_state is None and journal is not None:
            for record in journal.records:  # what is already there must not be wasted
                if "seed" in record.values:
                    return int(record.values["seed"])
        random = check_random_state(copy.deepcopy(self.estimator.random_state))
        return int(random.randint(np.iinfo(np.int32).max))

    def _ask(self, trees: Trees, sets: IntArray, execution: Execution, log: RunLog) -> FloatArray:
        """Grow what is missing, and return the responses for each held-out set.

        Three tables: of all trees that judge it, of the first half and of the second.
        """
        numbers = trees.needed(sets)
        numbers = numbers[~trees.is_grown[numbers]]

        def collect(where: slice, grown: Grown) -> None:
            if grown.stopped is not None:
                raise self._stopped(grown.stopped, trees, sets, execution) from grown.stopped.error
            trees.take(numbers[where], grown)

        keep = None
        if execution.journal is not None:
            section = execution.journal.section(section_name(trees.sequence, numbers))
            keep = Keep(section, pack, partial(unpack, sequence=trees.sequence))
        run_tasks(
            trees.work[sets.shape[1] == 1 or not execution.skip],
            numbers,
            collect,
            log,
            n_jobs=execution.n_jobs,
            progress=execution.progress,
            title="Trees" if self._is_forest else "Models",
            keep=keep,
        )
        log.warnings.emit(log.fits)
        return np.asarray(trees.responses(sets) / self.problem.outcome.unit)

    def _stopped(
        self, failure: Failure, trees: Trees, sets: IntArray, execution: Execution
    ) -> GameError:
        units = trees.judged_by(int(failure.test[0]), sets).tolist()
        if len(units) == 1:
            where = f"in a fit that predicts unit {units[0]}"
            return failed(self.estimator, where, failure, NEEDS_EVERY_FIT)
        return failed_on_pair(self.estimator, units, failure, execution)

    @property
    def _is_forest(self) -> bool:
        return type(self.estimator) not in BAGGING

    def _caveat(self, trees: Trees, did: str) -> str:
        n_trees = np.count_nonzero(trees.is_grown)
        what = f"forest of {n_trees} trees" if self._is_forest else f"ensemble of {n_trees} models"
        text = f"One {what} {did}: exact in distribution"
        if self.estimator.random_state is None:
            return f"{text}."
        return f"{text}, but another draw than refitting with this random_state would give."


ENGINE = Forest
