"""The table of held-out predictions, and which engines there are."""

import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tlpo
from tlpo.engines.base import Predictions, engines, engines_for

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


def test_engines_are_found_where_they_stand():
    names = [
        "bayes",
        "boosting",
        "cox",
        "coxnet",
        "discriminant",
        "forest",
        "forests",
        "ipc-ridge",
        "lasso",
        "least-squares",
        "liblinear",
        "logistic",
        "logistic-path",
        "logistic-steps",
        "neighbors",
        "pls",
        "search",
        "selection",
        "svm",
        "tree",
        "refit",
    ]
    assert list(dict.fromkeys(engine.name for engine in engines())) == names
    by_name = {engine.name: engine for engine in engines()}
    assert [name for name, engine in by_name.items() if not engine.is_exact] == ["refit"]
    assert [name for name, engine in by_name.items() if not engine.estimators] == ["refit"]


def test_no_type_is_played_by_exact_engines_of_two_names():
    # Discriminants of two classes are least squares, and so is ridge without folds. What the
    # solution of logistic regression leaves open, the path of its solver plays, also behind steps
    # without a closed form; liblinear's is another solution. Forests that cannot share trees are
    # grown one by one.
    others = ("discriminant", "search", "selection", "liblinear", "forests")
    others += ("logistic-path", "logistic-steps")
    two = [engine for engine in engines() if engine.name not in others]
    played = {(kind, engine.name) for engine in two for kind in engine.estimators}
    assert len(played) == len({kind for kind, _ in played}) >= 20


def test_only_engines_of_the_type_are_asked(monkeypatch):
    """Whoever reads how a model is played need not read why others do not play it."""
    model, asked = make_pipeline(StandardScaler(), GaussianNB()), set()
    for engine in engines():

        def accepts(prepared, engine=engine, own=engine.accepts):
            asked.add(engine)
            return own(prepared)

        monkeypatch.setattr(engine, "accepts", accepts)
    t = tlpo.tournament(model, np.random.default_rng(0).normal(size=(12, 2)), [0, 1] * 6)
    assert t.engine == "bayes"
    assert asked == {e for e in engines() if GaussianNB in e.estimators or not e.estimators}
    assert len(asked) < len(engines()) / 3


def test_the_last_engine_plays_any_type():
    kinds = [*(kind for engine in engines() for kind in engine.estimators), int]
    assert all(engines_for(kind)[-1] is engines()[-1] for kind in kinds)
    assert [engine.name for engine in engines_for(int)] == ["refit"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("dtype", ["complex128", "datetime64[D]", "U4"])
@pytest.mark.parametrize(
    "model", [tlpo.RLS(), Ridge(), KernelRidge(), tlpo.InverseDistanceKNN()], ids=repr
)
def test_what_is_no_number_is_as_in_a_refit(model, dtype):
    array, y = np.arange(20).reshape(10, 2).astype(dtype), np.arange(10) % 2
    for X in (array, pd.DataFrame(array)):
        found = []
        for engine in ("auto", "refit"):
            try:
                found.append(tlpo.tournament(model, X, y, engine=engine).scores.tolist())
            except tlpo.GameError as error:
                found.append(str(error))
        assert found[0] == found[1]
        if dtype == "complex128":
            assert "Complex data not supported" in found[0]


def test_scikit_survival_is_not_imported():
    """Neither by looking for the engine of a type nor by playing times to an event."""
    code = (
        "import sys, numpy as np, tlpo; from tlpo.engines.base import engines; "
        "from tlpo.games.contest import Contest; from tlpo.games.schedule import Schedule; "
        "print(any(int in engine.estimators for engine in engines())); "
        "print('tlpo.engines.ipc_ridge.engine' in sys.modules, 'sksurv' in sys.modules); "
        "y = np.array([(True, 2.0), (True, 1.0), (False, 3.0), (True, 2.5), (False, 4.0)] * 2, "
        "dtype=[('event', bool), ('time', float)]); "
        "X = np.random.default_rng(0).normal(size=(10, 2)); "
        "print(Contest(tlpo.Cox(), X, y).play(Schedule()).engine, 'sksurv' in sys.modules)"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.split() == ["False", "True", "False", "cox", "False"]
