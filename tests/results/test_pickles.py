"""A result can be mailed around: neither it nor its pickle holds features."""

import copy
import pickle
import struct

import numpy as np
import pandas as pd
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import oracles
import survival_oracles
import tlpo

COLUMNS = ["haemoglobin_at_home", "age_of_grandmother", "postcode_of_birth"]
ESTIMATORS = [
    tlpo.RLS(),
    Ridge(),
    LinearRegression(),
    KernelRidge(kernel="rbf"),
    KernelRidge(),
    LinearDiscriminantAnalysis(),
    tlpo.InverseDistanceKNN(),
    KNeighborsClassifier(3),
    make_pipeline(StandardScaler(), LogisticRegression()),
]
RESULTS = {
    "tournament": lambda e, X, y: tlpo.tournament(e, X, y),
    "rounds": lambda e, X, y: tlpo.tournament(e, X, y, rounds=4, random_state=0),
    "groups": lambda e, X, y: tlpo.tournament(e, X, y, groups=np.arange(len(y)) % 7),
    "leave-pair-out": lambda e, X, y: tlpo.leave_pair_out(e, X, y),
    "leave-one-out": lambda e, X, y: tlpo.leave_one_out(e, X, y),
    "pooled K-fold": lambda e, X, y: tlpo.kfold(e, X, y, n_splits=3, random_state=0),
    "averaged K-fold": lambda e, X, y: tlpo.kfold(
        e, X, y, n_splits=3, random_state=0, pooling="averaged"
    ),
    "Harrell": lambda e, X, y: tlpo.bootstrap(e, X, y, n_resamples=5, random_state=0),
    ".632": lambda e, X, y: tlpo.bootstrap(e, X, y, kind="632", n_resamples=5, random_state=0),
    "quicksort": lambda e, X, y: tlpo.quicksort(e, X, y, n_sorts=2, random_state=0),
    "permutation test": lambda e, X, y: tlpo.permutation_test(
        e, X, y, n_permutations=3, random_state=0
    ),
    "bootstrap with refits": lambda e, X, y: tlpo.bootstrap_refit(
        e, X, y, n_resamples=50, random_state=0
    ),
    "comparison": lambda e, X, y: tlpo.compare(
        tlpo.tournament(e, X, y), tlpo.tournament(tlpo.RLS(7.0), X, y)
    ),
    "precision": lambda e, X, y: tlpo.tournament(e, X, y).precision_recall(0.1),
    "interval": lambda e, X, y: tlpo.tournament(e, X, y).auc_interval(),
    "probabilities": lambda e, X, y: (
        tlpo.tournament(e if hasattr(e, "predict_proba") else GaussianNB(), X, y).probabilities
    ),
}


def traces(content, X):
    """Features whose bytes, of either order, are in a pickle, and column names that are."""
    found = [
        float(value)
        for value in np.asarray(X).ravel()
        for order in "<>"
        if struct.pack(f"{order}d", value) in content
    ]
    return found + [name for name in COLUMNS if name.encode() in content]


def data(m=12):
    X, y = oracles.blobs(m=m, n=3, seed=4)
    return pd.DataFrame(X, columns=COLUMNS), y


def test_the_search_finds_features():
    X, _ = data()
    assert len(traces(pickle.dumps(X), X)) == X.size + len(COLUMNS)
    assert len(traces(pickle.dumps(X.to_numpy()), X)) == X.size


@pytest.mark.parametrize("kind", RESULTS)
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_no_pickle_holds_features(estimator, kind):
    X, y = data()
    result = RESULTS[kind](estimator, X, y)
    content = pickle.dumps(result)
    assert traces(content, X) == []
    again = pickle.loads(content)
    assert repr(again) == repr(result)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_predictions_survive_whether_or_not_they_were_asked_for(estimator):
    X, y = data()
    t = tlpo.tournament(estimator, X, y)
    fresh, copied = pickle.loads(pickle.dumps(t)), copy.deepcopy(t)
    expected = t.predictions
    for other in (fresh, copied, pickle.loads(pickle.dumps(t))):
        assert np.array_equal(other.predictions, expected, equal_nan=True)
        assert tuple(other.auc_interval()) == tuple(t.auc_interval())
    without = tlpo.tournament(estimator, X, y, predictions=False)
    assert pickle.loads(pickle.dumps(without)).predictions is None


SURVIVAL = {
    "survival": lambda e, X, y: tlpo.survival(e, X, y),
    "rounds": lambda e, X, y: tlpo.survival(e, X, y, rounds=4, random_state=0),
    "groups": lambda e, X, y: tlpo.survival(e, X, y, groups=np.arange(len(y)) % 9),
    "leave-pair-out": lambda e, X, y: tlpo.leave_pair_out(e, X, y),
    "leave-one-out": lambda e, X, y: tlpo.leave_one_out(e, X, y),
    "K-fold": lambda e, X, y: tlpo.kfold(e, X, y, n_splits=3, random_state=0),
    "bootstrap": lambda e, X, y: tlpo.bootstrap(e, X, y, n_resamples=5, random_state=0),
    "quicksort": lambda e, X, y: tlpo.quicksort(e, X, y, n_sorts=2, random_state=0),
    "permutation test": lambda e, X, y: tlpo.permutation_test(
        e, X, y, n_permutations=3, random_state=0
    ),
    "comparison": lambda e, X, y: tlpo.compare(
        tlpo.survival(e, X, y), tlpo.survival(tlpo.Cox(7.0), X, y)
    ),
    "risk groups": lambda e, X, y: tlpo.survival(e, X, y).risk_groups(),
    "interval": lambda e, X, y: tlpo.survival(e, X, y).uno_interval(),
}


@pytest.mark.parametrize("kind", SURVIVAL)
@pytest.mark.parametrize(
    "estimator", [tlpo.Cox(), make_pipeline(StandardScaler(), tlpo.Cox())], ids=["plain", "scaled"]
)
def test_no_pickle_of_survival_holds_features(estimator, kind):
    X, time, event = survival_oracles.patients(18, seed=4)
    X = pd.DataFrame(X, columns=COLUMNS)
    result = SURVIVAL[kind](estimator, X, tlpo.time_to_event(time, event))
    content = pickle.dumps(result)
    assert traces(content, X) == []
    assert repr(pickle.loads(content)) == repr(result)


SEVERAL = {
    "multiclass": lambda e, X, y: tlpo.multiclass(e, X, y),
    "groups": lambda e, X, y: tlpo.multiclass(e, X, y, groups=np.arange(len(y)) % 7),
    "one class": lambda e, X, y: tlpo.multiclass(e, X, y).one_vs_rest[1],
    "interval": lambda e, X, y: tlpo.multiclass(e, X, y).auc_interval(),
    "permutation test": lambda e, X, y: tlpo.permutation_test(
        e, X, y, n_permutations=3, random_state=0
    ),
    "comparison": lambda e, X, y: tlpo.compare(
        tlpo.multiclass(e, X, y), tlpo.multiclass(tlpo.RLS(7.0), X, y)
    ),
    "choice": lambda e, X, y: tlpo.choose(
        tlpo.multiclass(e, X, y), tlpo.multiclass(tlpo.RLS(7.0), X, y)
    ),
}


@pytest.mark.filterwarnings("ignore")  # neighbours that hardly differ
@pytest.mark.parametrize("kind", SEVERAL)
@pytest.mark.parametrize(
    "estimator",
    [
        *(tlpo.RLS(), GaussianNB(), LinearDiscriminantAnalysis(), KNeighborsClassifier(3)),
        *(RandomForestClassifier(5, random_state=0), LogisticRegression()),
    ],
    ids=lambda e: type(e).__name__,
)
def test_no_pickle_of_several_classes_holds_features(estimator, kind):
    X, _ = data(m=9)
    result = SEVERAL[kind](estimator, X, np.arange(len(X)) % 3)
    content = pickle.dumps(result)
    assert traces(content, X) == []
    assert repr(pickle.loads(content)) == repr(result)


def test_what_predictions_were_computed_from_is_dropped_with_them():
    X, y = data()
    t = tlpo.tournament(tlpo.RLS(), X, y)
    t.auc_interval()
    assert t._table.compute is None
