"""Estimators are strangers: whatever they write into their data stays with them."""

import copy
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.kernel_ridge import KernelRidge
from sklearn.neighbors import KNeighborsClassifier

import tlpo
from hostile import KINDS, Vandal, VandalRegressor, vandal_kernel
from oracles import blobs

pytestmark = pytest.mark.long

X, y = blobs(10, 3, seed=4)
WEIGHT = np.linspace(0.5, 2.0, 10)
NAMES = np.where(y > 0, "ill", "well")


def frame_of_lists():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame["b"] = pd.Series([[value] for value in X[:, 1]], dtype=object)
    return frame


def array_of_lists():
    array = X.astype(object)
    array[:, 1] = [[value] for value in X[:, 1]]
    return array


CONTAINERS = {
    "array": X.copy,
    "columns first": lambda: np.asfortranarray(X),
    "frame": lambda: pd.DataFrame(X, columns=["a", "b", "c"]),
    "frame of objects": lambda: pd.DataFrame(X.astype(object), columns=["a", "b", "c"]),
    "frame of lists": frame_of_lists,
    "array of lists": array_of_lists,
    "sparse": lambda: sparse.csr_array(X),
    "sparse columns": lambda: sparse.csc_matrix(X),
    "list": X.tolist,
}


def schemes(model, X, y, params, n_jobs=1):
    """Everything that fits, with what tells results apart."""
    given = {"params": params, "n_jobs": n_jobs}
    seeded = {"random_state": 0, **given}
    tournament = tlpo.tournament(model, X, y, **given)
    return {
        "tournament": np.concatenate([tournament.scores, tournament.predictions.ravel()]),
        "rounds": tlpo.tournament(model, X, y, rounds=4, **seeded).scores,
        "groups": tlpo.tournament(model, X, y, groups=list("abcde") * 2, **given).scores,
        "leave_pair_out": tlpo.leave_pair_out(model, X, y, **given).predictions,
        "leave_one_out": tlpo.leave_one_out(model, X, y, **given).scores,
        "kfold": tlpo.kfold(model, X, y, n_splits=3, **seeded).scores,
        "bootstrap": tlpo.bootstrap(model, X, y, n_resamples=5, **seeded).auc,
        "632+": tlpo.bootstrap(model, X, y, kind="632+", n_resamples=5, **seeded).auc,
        "quicksort": tlpo.quicksort(model, X, y, n_sorts=2, **seeded).ranks,
        "permutation_test": tlpo.permutation_test(
            model, X, y, n_permutations=3, **seeded
        ).null_distribution,
        "evaluate": tlpo.evaluate(model, X, y, n_resamples=4, n_sorts=2, **seeded)["auc"],
    }


def several_schemes(model, X, y, params, n_jobs=1):
    """Everything that fits several classes."""
    given = {"params": params, "n_jobs": n_jobs}
    seeded = {"random_state": 0, **given}
    k = tlpo.multiclass(model, X, y, **given)
    return {
        "multiclass": np.column_stack([k.scores, k.responses]),
        "groups": tlpo.multiclass(model, X, y, groups=list("abcdefghi") * 2, **given).scores,
        "permutation_test": tlpo.permutation_test(
            model, X, y, n_permutations=2, **seeded
        ).null_distribution,
        "evaluate": tlpo.evaluate(model, X, y, n_splits=3, n_resamples=3, **seeded)["auc"],
    }


def agree(found, expected):
    for name, values in expected.items():
        np.testing.assert_array_equal(found[name], values, err_msg=name)


def same(one, other):
    """Whether two containers hold the same, cell by cell."""
    if sparse.issparse(one):
        return (one != other).nnz == 0 and one.indices.tolist() == other.indices.tolist()
    if isinstance(one, pd.DataFrame):
        return one.to_numpy(object).tolist() == other.to_numpy(object).tolist() and list(
            one.columns
        ) == list(other.columns)
    return np.asarray(one, dtype=object).tolist() == np.asarray(other, dtype=object).tolist()


@pytest.fixture(scope="module")
def expected():
    return schemes(Vandal(), X, NAMES, {"sample_weight": WEIGHT})


@pytest.mark.parametrize("container", CONTAINERS)
def test_every_scheme_against_the_estimator_that_behaves(container, expected):
    data, labels, weight = CONTAINERS[container](), NAMES.copy(), WEIGHT.copy()
    untouched = copy.deepcopy(CONTAINERS[container]())
    found = schemes(Vandal(ruins=KINDS), data, labels, {"sample_weight": weight})
    agree(found, expected)
    assert same(data, untouched)
    assert labels.tolist() == NAMES.tolist()
    assert weight.tolist() == WEIGHT.tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_each_way_to_ruin_by_itself(kind, expected):
    params = {"sample_weight": WEIGHT.tolist()}
    agree(schemes(Vandal(ruins=(kind,)), X.copy(), NAMES.tolist(), params), expected)
    assert params["sample_weight"] == WEIGHT.tolist()


@pytest.mark.parametrize("container", ["array", "frame of lists", "sparse", "list"])
def test_other_processes_against_this_one(container, expected, monkeypatch):
    # Nothing is learned here first, and nothing is too short to be sent.
    monkeypatch.setattr("tlpo.execution.run.PROBE_SECONDS", 0.0)
    monkeypatch.setattr("tlpo.execution.run.CHUNK_SECONDS", 0.0)
    data = CONTAINERS[container]()
    found = schemes(Vandal(ruins=KINDS), data, NAMES, {"sample_weight": WEIGHT}, n_jobs=2)
    agree(found, expected)
    assert same(data, CONTAINERS[container]())


@pytest.mark.parametrize("kind", KINDS)
def test_several_classes_against_the_estimator_that_behaves(kind):
    X, y = blobs(18, 3, seed=5)
    y = np.array(["ill", "so so", "well"])[np.arange(18) % 3]
    weight = np.linspace(0.5, 2.0, 18)
    data, labels, given = X.copy(), y.copy(), weight.copy()
    found = several_schemes(Vandal(ruins=(kind,)), data, labels, {"sample_weight": given})
    agree(found, several_schemes(Vandal(), X, y, {"sample_weight": weight}))
    for one, other in ((data, X), (labels, y), (given, weight)):
        assert one.tolist() == other.tolist()


def test_regressors_of_several_classes_get_copies():
    X, _ = blobs(18, 3, seed=5)
    agree(
        several_schemes(VandalRegressor(ruins=("everything",)), X.copy(), np.arange(18) % 3, None),
        several_schemes(VandalRegressor(), X, np.arange(18) % 3, None),
    )


def test_signs_of_a_regressor_are_copies():
    agree(
        schemes(VandalRegressor(ruins=("everything",)), X.copy(), y, None),
        schemes(VandalRegressor(), X, y, None),
    )


def test_fit_arguments_that_are_not_one_per_unit_are_copies():
    class Reader(Vandal):
        def fit(self, X, y, limits):
            super().fit(np.clip(X, *limits[0]), y)
            limits[0][:] = [0.0, 0.0]
            return self

    limits = [[-1.0, 1.0]]
    found = tlpo.tournament(Reader(), X, y, params={"limits": limits})
    assert limits == [[-1.0, 1.0]]
    expected = tlpo.tournament(Reader(), X, y, params={"limits": [[-1.0, 1.0]]})
    np.testing.assert_array_equal(found.predictions, expected.predictions)
    assert found.auc > 0.5


@pytest.mark.filterwarnings("ignore")  # what it computes is of no interest
@pytest.mark.parametrize(
    "make",
    [
        partial(KernelRidge, kernel=vandal_kernel),
        partial(KNeighborsClassifier, metric=vandal_kernel, algorithm="brute"),
    ],
    ids=["kernel", "distance"],
)
def test_functions_of_two_units_get_copies(make):
    data = X.copy()
    tlpo.tournament(make(), data, y)
    tlpo.leave_one_out(make(), data, y)
    np.testing.assert_array_equal(data, X)


@pytest.mark.parametrize(
    "model",
    [
        *(tlpo.RLS(), tlpo.InverseDistanceKNN(), KernelRidge(), KNeighborsClassifier()),
        KernelRidge(kernel="precomputed"),
    ],
    ids=str,
)
def test_exact_engines_leave_the_data_alone(model):
    data = X @ X.T if getattr(model, "kernel", None) == "precomputed" else X.copy()
    labels, weight = y.copy(), WEIGHT.copy()
    for part in (data, labels, weight):
        part.flags.writeable = False
    takes_weight = isinstance(model, tlpo.RLS | KernelRidge)
    params = {"sample_weight": weight} if takes_weight else None
    t = tlpo.tournament(model, data, labels, params=params)
    assert t.engine != "refit"
    tlpo.leave_one_out(model, data, labels, params=params)
    tlpo.permutation_test(model, data, labels, params=params, n_permutations=3)
