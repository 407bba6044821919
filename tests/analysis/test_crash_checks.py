"""What is looked at in a saved model: what scikit-learn fits is sound, what would crash is not."""

import io
import json
import zipfile

import numpy as np
import pytest
import skops.io
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    IsolationForest,
    RandomForestClassifier,
)
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier, LocalOutlierFactor, RadiusNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC, NuSVC, OneClassSVM
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from tlpo.analysis.crash_checks import find_unsound_fit, find_unsound_parts
from tlpo.analysis.model_file import TRUSTED

SOUND = [
    DecisionTreeClassifier(),
    DecisionTreeClassifier(max_leaf_nodes=6),
    DecisionTreeClassifier(min_samples_leaf=30),  # a single node
    ExtraTreesClassifier(3, bootstrap=True),
    RandomForestClassifier(3, max_features=1),
    GradientBoostingClassifier(n_estimators=3),
    GradientBoostingClassifier(n_estimators=3, init="zero"),
    AdaBoostClassifier(n_estimators=3),
    BaggingClassifier(DecisionTreeClassifier(), 3, max_features=2),
    BaggingClassifier(KNeighborsClassifier(), 3),
    IsolationForest(n_estimators=3),
    KNeighborsClassifier(algorithm="kd_tree", leaf_size=1, p=3),
    KNeighborsClassifier(algorithm="ball_tree", leaf_size=7, p=1, weights="distance"),
    KNeighborsClassifier(metric="cosine"),
    RadiusNeighborsClassifier(5.0),
    LocalOutlierFactor(novelty=True),
    SVC(kernel="linear"),
    NuSVC(nu=0.3),
    LinearSVC(),
    OneClassSVM(),
    make_pipeline(SelectFromModel(RandomForestClassifier(3)), LogisticRegression()),
]


def sample(m=40):
    rng = np.random.default_rng(0)
    y = np.array(["no", "yes"])[np.arange(m) % 2]
    X = rng.normal(size=(m, 4)).round(1) + 0.5 * (y == "yes")[:, None]  # some rows are alike
    X[:, 3] = 1.0
    return X, y


def faults(fitted):
    """Return what is found in the file of a model, and in what is loaded from it."""
    content = skops.io.dumps(fitted)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = find_unsound_parts(archive, json.loads(archive.read("schema.json")))
    return parts, find_unsound_fit(skops.io.loads(content, trusted=sorted(TRUSTED)))


@pytest.mark.parametrize("model", SOUND, ids=lambda model: type(model).__name__)
def test_nothing_is_wrong_with_what_was_fitted(model):
    assert faults(model.fit(*sample())) == (None, None)


def test_duplicates_make_sound_search_trees():
    X, y = np.repeat(sample()[0][:4], 10, axis=0), np.array([0, 1] * 20)
    for algorithm in ("kd_tree", "ball_tree"):
        assert (
            faults(KNeighborsClassifier(algorithm=algorithm, leaf_size=1).fit(X, y)) == (None,) * 2
        )


def test_a_regressor_is_sound():
    X, y = sample()
    assert faults(DecisionTreeRegressor().fit(X, (y == "yes") + 0.0)) == (None, None)


def changed(model, **attributes):
    fitted = model.fit(*sample())
    vars(fitted).update(attributes)
    return fitted


@pytest.mark.parametrize(
    ("fitted", "why"),
    [
        (
            changed(RandomForestClassifier(3), n_features_in_=2),
            "a tree of a forest has other features",
        ),
        (
            changed(
                GradientBoostingClassifier(n_estimators=2), estimators_=np.empty((2, 3), object)
            ),
            "boosting has other classes",
        ),
        (changed(DecisionTreeClassifier(), n_features_in_=9), "a tree has other features"),
        (changed(KNeighborsClassifier(), _y=np.full(40, 7)), "a neighbour has no class"),
        (
            changed(KNeighborsClassifier(), _y=np.zeros(3, int)),
            "the neighbours have other outcomes",
        ),
        (changed(KNeighborsClassifier(), n_samples_fit_=80), "the neighbours have other features"),
        (
            changed(KNeighborsClassifier(), _fit_X=np.zeros((40, 4))),
            "the neighbours and their tree are not the same",
        ),
        (
            changed(SVC(), _n_support=np.array([1, 1], np.int32)),
            "the support vectors have other classes",
        ),
        (
            changed(SVC(), _dual_coef_=np.ones((1, 2))),
            "the support vectors do not match their weights",
        ),
        (changed(SVC(), _impl="epsilon_svr"), "SVC has another _impl"),
        (
            changed(LogisticRegression(), coef_=np.ones((1, 9))),
            "the coefficients of LogisticRegression do not match its features",
        ),
        (
            changed(LogisticRegression(), coef_=np.full((1, 4), np.nan)),
            "coef_ of LogisticRegression is not finite",
        ),
    ],
)
def test_parts_that_do_not_fit_together_are_found(fitted, why):
    assert find_unsound_fit(fitted) == why
    # … also within a pipeline.
    assert find_unsound_fit(make_pipeline(fitted)) == why
