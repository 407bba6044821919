"""The table of held-out predictions, and which engines there are."""

import pickle

import numpy as np

from tlpo.engines.base import Predictions, engines

TABLE = np.array([[np.nan, 0.5, -1.0], [0.25, np.nan, 2.0], [0.0, 1.0, np.nan]])


class Source:
    """Counts how often the table is computed."""

    def __init__(self):
        self.asked = 0

    def __call__(self):
        self.asked += 1
        return TABLE.copy()


def test_a_table_is_computed_once_and_its_source_dropped():
    source = Source()
    predictions = Predictions(source, ceiling=1.0)
    assert source.asked == 0
    first = predictions.full()
    np.testing.assert_array_equal(first, TABLE)
    assert predictions.full() is first
    assert source.asked == 1
    assert predictions.compute is None


def test_a_pickle_holds_the_table_alone():
    source = Source()
    again = pickle.loads(pickle.dumps(Predictions(source, ceiling=1.0)))
    assert source.asked == 1
    assert again.compute is None
    assert again.ceiling == 1.0
    np.testing.assert_array_equal(again.full(), TABLE)
    assert b"Source" not in pickle.dumps(Predictions(source))


def test_a_table_of_games_by_hand():
    pairs = np.array([[0, 2], [1, 2]])
    responses = np.array([[0.3, 0.1], [-1.0, 4.0]])
    predictions = Predictions.of_games(4, pairs, responses, ceiling=1.0)
    F = predictions.full()
    assert (F[0, 2], F[2, 0], F[1, 2], F[2, 1]) == (0.3, 0.1, -1.0, 4.0)
    assert np.count_nonzero(~np.isnan(F)) == 4
    assert F.shape == (4, 4)
    assert predictions.ceiling == 1.0


def test_a_table_that_is_there_has_no_ceiling_unless_told():
    assert Predictions.of_table(TABLE).ceiling == np.inf
    assert Predictions.of_table(TABLE).full() is TABLE


def test_engines_in_order_of_preference():
    assert [engine.name for engine in engines()] == [
        "least-squares",
        "neighbors",
        "bayes",
        "refit",
    ]
    by_name = {engine.name: engine for engine in engines()}
    assert [name for name, engine in by_name.items() if not engine.is_exact] == ["refit"]
    assert [name for name, engine in by_name.items() if not engine.estimators] == ["refit"]


def test_no_type_is_played_by_two_exact_engines():
    types = [kind for engine in engines() for kind in engine.estimators]
    assert len(types) == len(set(types)) > 5
