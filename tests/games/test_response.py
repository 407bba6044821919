import numpy as np
import pytest
from scipy.special import expit
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.ensemble import (
    BaggingClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    IsolationForest,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

import oracles
import tlpo
from tlpo.engines.neighbors.kernels import half_wins
from tlpo.errors import InputError
from tlpo.games.response import (
    TIE_ATOL,
    TIE_RTOL,
    Link,
    fit_and_respond,
    fits_numbers,
    lowest_tie,
    outcomes,
    probability_link,
    respond,
    respond_in_order,
    response_method,
)


def test_outcomes_by_hand():
    nan = np.nan
    first = np.array([2.0, 1.0, 1.0, 0.0, nan, -1.0, 1.0])
    second = np.array([1.0, 2.0, 1.0, 0.0, 1.0, 1.0, nan])
    assert np.array_equal(outcomes(first, second), [1, 0, 0.5, 0.5, nan, 0, nan], equal_nan=True)


@pytest.mark.parametrize("size", [1.0, 1e8, 1e200])
def test_the_tie_rule_is_relative_for_large_responses(size):
    a = np.array([size, size, -size, -size])
    b = a * (1 + TIE_RTOL * np.array([0.5, 2.0, 0.5, 2.0]))
    assert outcomes(a, b).tolist() == [0.5, 0.0, 0.5, 1.0]
    assert outcomes(b, a).tolist() == [0.5, 1.0, 0.5, 0.0]


def test_the_tie_rule_is_absolute_for_small_responses():
    a = np.array([0.0, 0.0, 1e-14, -1e-3])
    b = a + TIE_ATOL * np.array([0.9, 1.1, -1.1, 0.9])
    assert outcomes(a, b).tolist() == [0.5, 0.0, 1.0, 0.5]


@pytest.mark.parametrize("size", [1e-300, 1e-20, 0.3])
def test_the_tie_rule_is_relative_for_probabilities(size):
    a = np.array([size, size])
    b = a * (1 + TIE_RTOL * np.array([0.5, 2.0]))
    assert outcomes(a, b, ceiling=1.0).tolist() == [0.5, 0.0]
    assert outcomes(b, a, ceiling=1.0).tolist() == [0.5, 1.0]


@pytest.mark.parametrize("ceiling", [np.inf, 1.0])
def test_lowest_tie_agrees_with_outcomes(ceiling):
    rng = np.random.default_rng(0)
    high = np.concatenate([rng.uniform(0, 1, 50), [0.0, 1.0, 1 - 1e-14, 1e-14, 1e-200]])
    for factor in (0.0, 0.5, 2.0):
        low = high - factor * (high - lowest_tie(high, ceiling=ceiling))
        tied = outcomes(high, low, ceiling) == 0.5
        assert tied.all() if factor < 1 else not (tied & (low < high)).any()


def test_probabilities_near_one_stay_apart():
    a, b = np.array([1 - 1e-15, 1.0, 1 - 1e-13, 0.5]), np.array([1.0, 1.0, 1 - 2e-13, 0.5 + 1e-15])
    assert outcomes(a, b, ceiling=1.0).tolist() == [0.0, 0.5, 1.0, 0.5]
    assert outcomes(a, b).tolist() == [0.5, 0.5, 0.5, 0.5]


@pytest.mark.parametrize("high", [1.0 + 2e-16, 1.5, 50.0, 1e9])
def test_above_the_ceiling_only_the_size_counts(high):
    low = high * (1.0 - TIE_RTOL * np.array([0.0, 0.5, 2.0]))
    first = np.full(3, high)
    assert outcomes(first, low, ceiling=1.0).tolist() == [0.5, 0.5, 1.0]
    assert (lowest_tie(first, ceiling=1.0) < first).all()
    assert [half_wins(high, other, 1.0) for other in low] == [1, 1, 2]


class PerCent(GaussianNB):
    """Probabilities in per cent, of all that learns a constant."""

    def __init__(self, is_constant=False):
        super().__init__()
        self.is_constant = is_constant

    def predict_proba(self, X):
        p = np.full((len(X), 2), 0.5) if self.is_constant else super().predict_proba(X)
        return 100.0 * p


def test_per_cent_are_ranked_as_probabilities_are():
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1], [9, 6])
    X = np.round(rng.normal(size=(15, 2)) + y[:, None])  # with duplicates, whose games tie
    tied = tlpo.tournament(PerCent(is_constant=True), X, y)
    assert (tied.auc, tied.tlpo_auc) == (0.5, 0.5)
    t, own = tlpo.tournament(PerCent(), X, y), tlpo.tournament(GaussianNB(), X, y)
    assert t.engine == "refit"
    np.testing.assert_array_equal(t.win_matrix(), own.win_matrix())
    assert (own.win_matrix() == 0.5).any()
    with pytest.raises(tlpo.InputError) as error:
        _ = t.probabilities
    low, high = np.nanmin(t.predictions), np.nanmax(t.predictions)
    assert f"its predict_proba ranges from {low:.3g} to {high:.3g}, not within 0 and 1." in str(
        error.value
    )


def test_rounding_does_not_decide():
    assert outcomes(np.array([0.1 + 0.2]), np.array([0.3]))[0] == 0.5


class Untyped(BaseEstimator):
    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.zeros(len(X))


@pytest.mark.parametrize(
    ("estimator", "method", "signs"),
    [
        (LogisticRegression(), "decision_function", False),
        (make_pipeline(StandardScaler(), SVC()), "decision_function", False),
        (GaussianNB(), "predict_proba", False),
        (Ridge(), "predict", True),
        (make_pipeline(StandardScaler(), Ridge()), "predict", True),
        (Untyped(), "predict", True),
    ],
)
def test_which_method_and_which_labels(estimator, method, signs):
    X, y = oracles.blobs()
    assert fits_numbers(estimator) == signs
    assert response_method(estimator.fit(X, y)) == method


@pytest.mark.parametrize("estimator", [LogisticRegression(), GaussianNB()])
def test_direction_follows_the_positive_label(estimator):
    X, y = oracles.blobs()
    model = estimator.fit(X, np.where(y == 1, "case", "control"))
    method = response_method(model)
    case = respond(model, method, X, "case", ("case", "control"))
    control = respond(model, method, X, "control", ("case", "control"))
    assert oracles.auc(case, y) > 0.7
    assert oracles.auc(control, y) == pytest.approx(1 - oracles.auc(case, y))


class Wrapped:
    """A classifier that does not tell its classes."""

    def __init__(self, method):
        self.method = method

    def fit(self, X, y):
        self.model = LogisticRegression().fit(X, y)
        return self

    def __getattr__(self, name):
        if name == self.__dict__.get("method"):
            return getattr(self.model, name)
        raise AttributeError(name)


@pytest.mark.parametrize("method", ["decision_function", "predict_proba"])
def test_direction_without_classes(method):
    X, y = oracles.blobs()
    model = Wrapped(method).fit(X, y)
    assert response_method(model) == method
    for positive in (0, 1):
        scores = respond(model, method, X, positive, (0, 1))
        assert oracles.auc(scores, (y == positive).astype(int)) > 0.7


def test_an_outlier_detector_is_never_turned_round():
    X, _ = oracles.blobs()
    model = IsolationForest(n_estimators=5, random_state=0).fit(X)
    scores = [respond(model, "decision_function", X, positive, (0, 1)) for positive in (0, 1)]
    assert np.array_equal(*scores)


def test_a_classifier_without_score_is_refused():
    X, y = oracles.blobs()
    hard = VotingClassifier([("a", LogisticRegression()), ("b", GaussianNB())]).fit(X, y)
    with pytest.raises(InputError) as caught:
        response_method(hard)
    assert str(caught.value) == (
        "The classifier provides no score to rank units by.\n"
        "You passed VotingClassifier, which has neither decision_function nor predict_proba.\n"
        "Enable its probabilities (for example voting='soft'), or wrap it in "
        "CalibratedClassifierCV."
    )


@pytest.mark.parametrize(
    ("estimator", "expected"),
    [
        (Ridge(), lambda model, X: model.predict(X)),
        (LogisticRegression(), lambda model, X: model.decision_function(X)),
        (GaussianNB(), lambda model, X: model.predict_proba(X)[:, 1]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_fit_and_respond_against_scikit_learn(estimator, expected):
    rng = np.random.default_rng(0)
    y = np.arange(20) < 8
    X, X_new = rng.normal(size=(20, 3)) + y[:, None], rng.normal(size=(7, 3))
    found = fit_and_respond(estimator, X, y, X_new)
    assert not hasattr(estimator, "n_features_in_")  # a clone was fitted
    model = clone(estimator).fit(X, np.where(y, 1.0, -1.0))
    np.testing.assert_allclose(found, expected(model, X_new), rtol=1e-12)


class TwoOutputs(RegressorMixin, BaseEstimator):
    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.column_stack([X[:, 0], -X[:, 0]])


def test_two_predictions_per_unit_are_refused():
    X, y = np.arange(8.0)[:, None], np.arange(8) % 2
    with pytest.raises(tlpo.GameError) as caught:
        tlpo.tournament(TwoOutputs(), X, y)
    assert str(caught.value) == (
        "The estimator failed on the pair (0, 1).\n"
        "TwoOutputs: predict returned 4 numbers for 2 units instead of one each\n"
        "Fix the cause, or pass on_error='skip' to leave such games out and count them."
    )


LOGISTIC = [
    LogisticRegression(),
    LogisticRegression(solver="liblinear"),
    LinearDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(),
    GradientBoostingClassifier(n_estimators=3),
    HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=3),
    SGDClassifier(loss="log_loss", random_state=0),
    make_pipeline(StandardScaler(), LogisticRegression()),
    GridSearchCV(LogisticRegression(), {"C": [1.0, 2.0]}, cv=2),
]


@pytest.mark.parametrize("estimator", LOGISTIC, ids=lambda e: type(e).__name__)
def test_log_odds_are_what_the_link_says(estimator):
    X, y = oracles.blobs(m=40, n=2)
    assert probability_link(estimator) == Link(is_logistic=True, follows_prevalence=True)
    fitted = estimator.fit(X, y)
    p = fitted.predict_proba(X)[:, 1]
    assert expit(fitted.decision_function(X)) == pytest.approx(p, abs=1e-12)


@pytest.mark.parametrize(
    ("estimator", "follows"),
    [
        (GaussianNB(), True),
        (GaussianNB(priors=[0.5, 0.5]), False),
        (RandomForestClassifier(class_weight="balanced"), False),
        (CalibratedClassifierCV(LogisticRegression(class_weight="balanced")), True),
        (KNeighborsClassifier(), True),
    ],
)
def test_probabilities_are_taken_as_they_are(estimator, follows):
    assert probability_link(estimator) == Link(is_logistic=False, follows_prevalence=follows)


@pytest.mark.parametrize(
    "estimator",
    [
        GradientBoostingClassifier(loss="exponential"),
        SGDClassifier(loss="modified_huber"),
        BaggingClassifier(LogisticRegression()),
    ],
)
def test_other_decision_functions_give_no_probabilities(estimator):
    assert probability_link(estimator) == (
        f"{type(estimator).__name__} is ranked by decision_function, from which its predict_proba "
        "does not follow"
    )


@pytest.mark.parametrize("estimator", [Ridge(), RidgeClassifier(), LinearSVC()])
def test_models_without_predict_proba_have_no_link(estimator):
    assert probability_link(estimator) == f"{type(estimator).__name__} has no predict_proba"


# --- numbers and grades


class OnlyFits(BaseEstimator):
    def fit(self, X, y):
        return self


def test_numbers_are_predicted():
    X, y = np.arange(5.0)[:, None], np.array([1.0, 4.0, 2.0, 8.0, 5.0])
    model = Ridge().fit(X, y)
    assert respond_in_order(model, X).tolist() == model.predict(X).tolist()
    several = Ridge().fit(X, np.column_stack([y]))  # predicts one column
    assert respond_in_order(several, X).tolist() == several.predict(X).ravel().tolist()


@pytest.mark.parametrize(
    "classifier", [LogisticRegression(), GaussianNB(), KNeighborsClassifier(3)]
)
def test_grades_are_the_mean_of_their_probabilities(classifier):
    X, _ = oracles.blobs(m=30)
    grades = np.array([0.0, 1.0, 3.0])[np.arange(30) % 3]
    model = classifier.fit(X, grades)
    expected = [
        sum(share * grade for share, grade in zip(row, model.classes_, strict=True))
        for row in model.predict_proba(X)
    ]
    assert respond_in_order(model, X) == pytest.approx(expected, rel=1e-14)


def test_what_a_model_returns_is_copied():
    class Remembers(RegressorMixin, BaseEstimator):
        def fit(self, X, y):
            self.kept_ = np.zeros(len(X))
            return self

        def predict(self, X):
            return self.kept_

    model = Remembers().fit(np.zeros((3, 1)), np.arange(3.0))
    respond_in_order(model, np.zeros((3, 1)))[:] = 7.0
    assert model.kept_.tolist() == [0.0, 0.0, 0.0]


def test_classifiers_without_probabilities_do_not_grade():
    X, y = oracles.blobs(m=12)
    with pytest.raises(tlpo.InputError) as caught:
        respond_in_order(RidgeClassifier().fit(X, y), X)
    assert str(caught.value) == (
        "The classifier does not say which grade it expects on average.\n"
        "You passed RidgeClassifier, which has no predict_proba.\n"
        "Use a regressor, or a classifier with probabilities."
    )


def test_estimators_that_predict_nothing():
    with pytest.raises(tlpo.InputError) as caught:
        respond_in_order(OnlyFits(), np.zeros((3, 1)))
    assert str(caught.value) == (
        "The estimator provides no score to rank units by.\n"
        "You passed OnlyFits, which has no predict.\n"
        "Use a regressor."
    )
