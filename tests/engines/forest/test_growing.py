"""One tree or base model against scikit-learn's own ensemble of one, with the same bag and seed."""

from contextlib import contextmanager
from unittest.mock import patch

import numpy as np
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression, Perceptron, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier

import oracles
import tlpo
from tlpo.engines.forest.bags import TreeSequence
from tlpo.engines.forest.growing import make_grower, why_not_grown
from tlpo.engines.least_squares.families import BEFORE_1_9
from tlpo.games.response import fits_numbers, respond, response_method
from tlpo.problem.problem import make_problem

M, N = 24, 6


class Scripted:
    """A generator whose whole numbers are known."""

    def __init__(self, *values):
        self.values = list(values)

    def integers(self, high, size=None):
        value = self.values.pop(0)
        assert np.all(np.asarray(value) < high)
        assert np.shape(value) == (() if size is None else (size,))
        return value


@contextmanager
def forced(bag, features):
    """Make scikit-learn draw this bag, in the numbers of its own training set."""
    forest = patch("sklearn.ensemble._forest._generate_sample_indices", lambda *_: bag)
    bagging = patch(
        "sklearn.ensemble._bagging._generate_bagging_indices", lambda *_: (features, bag)
    )
    with forest, bagging:
        yield


def assert_as_refitted(estimator, X, y, tolerance=0.0, draws=8):
    """Compare the answers for two units that a bag leaves out with those of a refitted ensemble."""
    problem = make_problem(X, y)
    grower = make_grower(estimator, problem, 2)
    one = clone(estimator).set_params(n_estimators=1, random_state=5)
    targets = problem.target if fits_numbers(estimator) else problem.y
    rng = np.random.default_rng(3)
    sequence = TreeSequence(9, len(y), 2, grower)
    differ = set()
    for number in range(draws):
        bag, _ = sequence.bag(number)
        out = np.setdiff1d(np.arange(len(y)), bag)
        pair = rng.choice(out, 2, replace=False)
        train = np.setdiff1d(np.arange(len(y)), pair)
        is_bagging = hasattr(one, "bootstrap_features")
        features, drawn = np.arange(X.shape[1]), []
        if is_bagging and one.bootstrap_features:
            features = rng.integers(X.shape[1], size=grower.shell._max_features)
            drawn = [features]
        elif is_bagging and grower.shell._max_features < X.shape[1]:
            from sklearn.utils.random import sample_without_replacement

            drawn = [number]
            features = sample_without_replacement(
                X.shape[1], grower.shell._max_features, random_state=number
            )
        with forced(np.searchsorted(train, bag), features):
            rows = problem.rows(train)
            one.fit(rows, targets[train])
        tree = one.estimators_[0]
        seeds = [
            value
            for name, value in sorted(tree.get_params().items())
            if name == "random_state" or name.endswith("__random_state")
        ]
        method = response_method(one)
        expected = respond(one, method, problem.rows(pair), 1, (0, 1))
        values = grower.grow(bag, out, Scripted(*seeds, *drawn))
        found = values[np.searchsorted(out, pair)]
        assert np.abs(found - expected).max() <= tolerance
        assert grower.method == method
        differ.add(float(expected[0]))
    return differ


def data(kind="plain"):
    X, y = oracles.blobs(m=M, n=N, shift=0.8, seed=4)
    if kind == "missing":
        X[np.random.default_rng(0).uniform(size=X.shape) < 0.2] = np.nan
        X[:, 2] = np.arange(M)
        X[3, 2] = np.nan  # the only missing value of its column
    elif kind == "sparse":
        X = sparse.csr_matrix(np.where(np.abs(X) < 0.5, 0.0, X))
    return X, y


FORESTS = [
    RandomForestClassifier(),
    RandomForestClassifier(max_features=None, max_depth=2, criterion="entropy"),
    RandomForestClassifier(min_samples_leaf=0.11, max_samples=0.8),
    RandomForestClassifier(min_samples_split=0.4, min_weight_fraction_leaf=0.1),
    RandomForestClassifier(max_leaf_nodes=4, min_impurity_decrease=0.01),
    RandomForestClassifier(ccp_alpha=0.02, max_samples=15),
    RandomForestClassifier(class_weight="balanced_subsample", max_depth=3),
    RandomForestClassifier(monotonic_cst=[1, -1, 0, 0, 0, 0], max_features=None),
    RandomForestClassifier(oob_score=True, n_jobs=2, verbose=0),
    RandomForestRegressor(),
    RandomForestRegressor(criterion="absolute_error", max_depth=3),
    ExtraTreesClassifier(bootstrap=True),
    ExtraTreesClassifier(bootstrap=True, min_samples_leaf=0.1, max_depth=3),
    ExtraTreesRegressor(bootstrap=True, max_samples=0.7),
]


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")
@pytest.mark.filterwarnings("ignore:invalid value encountered")
@pytest.mark.parametrize("estimator", FORESTS, ids=repr)
def test_a_tree_against_scikit_learn(estimator):
    assert why_not_grown(estimator) is None
    assert len(assert_as_refitted(estimator, *data())) > 1


@pytest.mark.parametrize("kind", ["missing", "sparse"])
@pytest.mark.parametrize("estimator", [FORESTS[0], FORESTS[9], FORESTS[11]], ids=repr)
def test_a_tree_on_other_data_against_scikit_learn(estimator, kind):
    assert len(assert_as_refitted(estimator, *data(kind), draws=20)) > 1


BAGGING = [
    (BaggingClassifier(), 0.0),
    (BaggingClassifier(DecisionTreeClassifier(min_samples_leaf=0.11, max_depth=2)), 0.0),
    (BaggingClassifier(DecisionTreeClassifier(class_weight={0: 1, 1: 3})), 0.0),
    (BaggingClassifier(ExtraTreeClassifier(), max_samples=0.5), 0.0),
    (BaggingClassifier(SVC(gamma="auto")), 1e-9),
    (BaggingClassifier(SVC(kernel="linear", class_weight={0: 1.0, 1: 2.0})), 1e-9),
    (BaggingClassifier(make_pipeline(StandardScaler(), SVC())), 1e-12),
    (BaggingClassifier(SVC(gamma=0.1), max_features=0.5), 1e-9),
    (BaggingClassifier(KNeighborsClassifier(3), bootstrap_features=True, max_features=4), 0.0),
    (BaggingClassifier(LogisticRegression(), max_samples=20), 1e-6),
    (BaggingClassifier(LogisticRegression(), max_samples=0.8), 1e-6),
    (BaggingRegressor(), 0.0),
    (BaggingRegressor(SVR(gamma="auto")), 1e-9),
    (BaggingRegressor(DecisionTreeRegressor(min_samples_split=0.3)), 0.0),
]


@pytest.mark.parametrize(("estimator", "tolerance"), BAGGING, ids=repr)
def test_a_base_model_against_scikit_learn(estimator, tolerance):
    assert why_not_grown(estimator) is None
    assert len(assert_as_refitted(estimator, *data(), tolerance)) > 1


class Voting(KNeighborsClassifier):
    """Neighbours that only vote."""

    def __getattribute__(self, name):
        if name == "predict_proba":
            raise AttributeError(name)
        return super().__getattribute__(name)


def test_models_without_scores_vote():
    estimator = BaggingClassifier(Voting(1))
    assert assert_as_refitted(estimator, *data()) == {0.0, 1.0}
    assert make_grower(estimator, make_problem(*data()), 2).method == "predict_proba"


def test_models_that_look_beyond_their_bag():
    """Why these are refused: the answer depends on units of weight zero."""
    balanced = DecisionTreeClassifier(max_depth=1, class_weight="balanced")
    for base in (SVC(), GaussianNB(var_smoothing=0.1), balanced):
        X, y = data()
        weight = np.r_[np.zeros(9), np.ones(M - 9)]
        method = "decision_function" if isinstance(base, SVC) else "predict_proba"
        with_them = getattr(clone(base).fit(X, y, sample_weight=weight), method)(X)
        without = getattr(clone(base).fit(X[9:], y[9:]), method)(X)
        assert np.abs(with_them - without).max() > 1e-3, base


def test_bag_sizes_against_scikit_learn():
    problem = make_problem(*data())
    for max_samples, n_left_out, size in (
        *((None, 2, 22), (None, 1, 23), (0.75, 2, 16), (0.75, 1, 17), (12, 2, 12)),
    ):
        for kind in (RandomForestClassifier, BaggingClassifier):
            if BEFORE_1_9 and kind is BaggingClassifier and max_samples is None:
                continue  # not allowed
            grower = make_grower(kind(max_samples=max_samples), problem, n_left_out)
            assert grower.bag_size == size


def test_a_bag_without_a_class_is_no_obstacle_at_first():
    """Base models that fail on some bags: that is for games to find out."""
    X, y = oracles.blobs(m=40, n_positive=2, seed=0)
    grower = make_grower(BaggingClassifier(SVC(kernel="linear")), make_problem(X, y), 2)
    assert grower.method == "decision_function"


PASSES = (
    "passes a bag to {0} as weights of all units, and {1}. make_pipeline({0}(...)) as the base "
)
ALONE = "estimator would be fitted to the bag alone."
REFUSED = [
    (
        ExtraTreesClassifier(),
        "Without bootstrap every tree is grown on all units, so no tree leaves out a pair.",
    ),
    (
        RandomForestClassifier(warm_start=True),
        "The forest engine does not cover warm_start=True.",
    ),
    (
        RandomForestClassifier(class_weight="balanced"),
        "Class weights that come from the whole training set change with the pair; the forest "
        "engine covers class_weight='balanced_subsample', not 'balanced'.",
    ),
    (
        RandomForestClassifier(n_estimators=0),
        "RandomForestClassifier rejects its parameters: The 'n_estimators' parameter of "
        "RandomForestClassifier must be an int in the range [1, inf). Got 0 instead.",
    ),
    *(
        (BaggingClassifier(base), "BaggingClassifier " + PASSES.format(name, why) + ALONE)
        for base, name, why in (
            (SVC(), "SVC", "gamma='scale' is computed from all of them"),
            (SVC(kernel="precomputed"), "SVC", "the kernel 'precomputed' is not covered"),
            (
                SVC(kernel="linear", class_weight="balanced"),
                "SVC",
                "class_weight='balanced' counts units of weight zero",
            ),
            (
                LogisticRegression(solver="saga"),
                "LogisticRegression",
                "the solver 'saga' visits units of weight zero",
            ),
            *(
                (base, type(base).__name__, "it is not known to ignore units of weight zero")
                for base in (GaussianNB(), SGDClassifier(), LinearSVC(), RandomForestClassifier())
            ),
        )
    ),
]


@pytest.mark.parametrize(("estimator", "sentence"), REFUSED, ids=lambda v: repr(v)[:50])
def test_what_is_refused(estimator, sentence):
    assert why_not_grown(estimator) == sentence


def test_class_weights_by_name_or_number_are_refused():
    assert "not {0: 1, 1: 2}" in why_not_grown(RandomForestClassifier(class_weight={0: 1, 1: 2}))


def test_metadata_routing_is_refused():
    with sklearn.config_context(enable_metadata_routing=True):
        sentence = why_not_grown(BaggingClassifier(Perceptron()))
    assert sentence == "The forest engine does not cover metadata routing."


def test_a_parameter_of_a_later_version_is_refused(monkeypatch):
    names = RandomForestClassifier._get_param_names()
    monkeypatch.setattr(RandomForestClassifier, "_get_param_names", lambda: [*names, "novelty"])
    sentence = "The forest engine does not cover the parameter 'novelty' of RandomForestClassifier."
    assert why_not_grown(RandomForestClassifier()) == sentence


@pytest.mark.parametrize(
    ("estimator", "X", "why"),
    [
        (RandomForestClassifier(5), np.full((12, 2), np.inf), "Input X contains infinity"),
        (RandomForestClassifier(5), np.full((12, 2), "a"), "could not convert string"),
        (BaggingClassifier(DummyClassifier(strategy="constant")), np.ones((12, 2)), "Constant"),
    ],
)
def test_what_cannot_be_fitted_is_left_to_refitting(estimator, X, why):
    with pytest.raises(tlpo.EngineError, match=f"cannot be fitted: .*{why}"):
        make_grower(estimator, make_problem(X, np.arange(12) % 2), 2)
