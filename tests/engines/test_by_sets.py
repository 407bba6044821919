import numpy as np
import pytest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

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


@pytest.mark.parametrize("model", [RidgeClassifier(), LogisticRegression()])
def test_a_gap_filled_with_the_value_of_the_other_unit_ties_without_a_refit(model):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 2, 30), rng.integers(20, 23, 30)]).astype(float)
    X[rng.uniform(size=30) < 0.3, 1] = np.nan
    y = np.arange(30) % 2
    for strategy in ("most_frequent", "median"):
        pipeline = make_pipeline(SimpleImputer(strategy=strategy), StandardScaler(), model)
        fast = tlpo.tournament(pipeline, X, y)
        slow = tlpo.tournament(pipeline, X, y, engine="refit")
        assert fast.diagnostics.fits == 1
        assert np.array_equal(fast.standings.wins, slow.standings.wins)
        assert fast.n_ties == slow.n_ties > 0
