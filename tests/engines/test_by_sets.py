import numpy as np
import pytest

import tlpo
from tlpo.engines.by_sets import Answers, BySets
from tlpo.engines.preparation.prepared import unprepared
from tlpo.engines.refit import Refit
from tlpo.execution.options import Execution
from tlpo.games.schedule import Schedule
from tlpo.problem.problem import make_problem


class GivesUp(BySets):
    """Answers nothing, and leaves whatever was in memory."""

    name = "gives-up"

    def answer(self, sets, execution):
        left = np.resize([np.inf, -np.inf, np.nan, 1e308], sets.shape)
        return Answers(left, np.full(sets.shape, np.inf))

    @property
    def can_answer_again(self):
        return True

    answer_again = answer


@pytest.mark.parametrize("groups", [None, np.arange(10) // 2])
def test_what_an_engine_gives_up_is_refitted_without_a_warning(groups):
    X, y = np.random.default_rng(0).normal(size=(10, 2)), np.arange(10) // 2 % 2
    prepared = unprepared(tlpo.RLS(), make_problem(X, y, groups=groups))
    found = GivesUp(prepared).play(Schedule(), Execution())
    expected = Refit(prepared).play(Schedule(), Execution())
    np.testing.assert_array_equal(found.standings.scores, expected.standings.scores)
