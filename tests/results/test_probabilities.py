"""Held-out probabilities of a tournament, against loops over refitted models."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import oracles
import tlpo
from tlpo.results.probabilities import Probabilities

MODELS = {
    "logistic": LogisticRegression(tol=1e-8),
    "balanced": LogisticRegression(tol=1e-8, class_weight="balanced"),
    "pipeline": make_pipeline(StandardScaler(), LogisticRegression(tol=1e-8)),
    "LDA": LinearDiscriminantAnalysis(),
    "naive Bayes": GaussianNB(),
    "naive Bayes with priors": GaussianNB(priors=[0.5, 0.5]),
    "neighbours": KNeighborsClassifier(3),
    "boosting": GradientBoostingClassifier(n_estimators=3, random_state=0),
    "calibrated": CalibratedClassifierCV(RidgeClassifier(), cv=2),
}
FREE = ("balanced", "naive Bayes with priors")


def sample(m=14, p=5, seed=1):
    rng = np.random.default_rng(seed)
    y = np.arange(m) < p
    return rng.normal(size=(m, 2)) + 0.8 * y[:, None], y


def refitted(model, X, y, groups=None, free=False):
    """Probabilities of i by models without i and j, of the other class, shifted; a list each."""
    groups = np.arange(y.size) if groups is None else groups
    found = []
    for i in range(y.size):
        own = []
        for j in np.flatnonzero(y != y[i]):
            train = (groups != groups[i]) & (groups != groups[j])
            p = clone(model).fit(X[train], y[train]).predict_proba(X[[i]])[0, 1]
            odds = y.sum() / (~y).sum() / (y[train].sum() / (~y[train]).sum())
            own.append(p if free else p * odds / (1 - p + p * odds))
        found.append(own)
    return found


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", MODELS)
def test_probabilities_against_refits(name):
    X, y = sample()
    found = tlpo.tournament(MODELS[name], X, y).probabilities
    for own, expected in zip(found.p, refitted(MODELS[name], X, y, free=name in FREE), strict=True):
        assert own[~np.isnan(own)] == pytest.approx(expected, abs=2e-5)
    assert found.frame()["models"].tolist() == np.where(y, 9, 5).tolist()


def test_the_first_label_can_be_positive():
    X, y = sample()
    other = tlpo.tournament(LogisticRegression(), X, ~y, positive=False).probabilities
    found = tlpo.tournament(LogisticRegression(), X, y).probabilities
    assert other.p == pytest.approx(found.p, abs=1e-5, nan_ok=True)
    assert other.is_positive.tolist() == y.tolist()


def test_groups_against_refits():
    X, y = sample(16, 7)
    groups = np.array([0, 0, 1, 2, 3, 4, 5, 6, 6, 0, 7, 7, 8, 9, 10, 11])
    found = tlpo.tournament(GaussianNB(), X, y, groups=groups).probabilities
    for own, expected in zip(found.p, refitted(GaussianNB(), X, y, groups), strict=True):
        assert own[~np.isnan(own)] == pytest.approx(expected)
    assert found.groups is not None


def test_a_constant_model_predicts_the_prevalence():
    X, y = sample(20, 6)
    found = tlpo.tournament(DummyClassifier(), X, y).probabilities
    assert found.p[~np.isnan(found.p)] == pytest.approx(0.3)
    assert found.brier().estimate == pytest.approx(0.21)
    assert found.scaled_brier().estimate == pytest.approx(0, abs=1e-12)
    assert found.observed_expected().estimate == pytest.approx(1)
    assert np.isnan(found.slope().estimate)
    assert found.slope().notes == ("All probabilities are equal, or they separate the classes.",)


def test_forests_have_probabilities():
    X, y = sample(20, 8)
    forest = RandomForestClassifier(10, random_state=0)
    found = tlpo.tournament(forest, X, y).probabilities
    assert 0 < found.brier().estimate < 0.5
    assert found.frame()["probability"].between(0, 1).all()


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (RidgeClassifier(), "RidgeClassifier has no predict_proba"),
        (SVC(), "SVC has no predict_proba"),
        (tlpo.RLS(), "RLS has no predict_proba"),
        (
            GradientBoostingClassifier(loss="exponential", n_estimators=2),
            "GradientBoostingClassifier is ranked by decision_function, from which its "
            "predict_proba does not follow",
        ),
    ],
)
def test_models_without_probabilities_say_why(model, why):
    X, y = sample(10, 4)
    t = tlpo.tournament(model, X, y)
    with pytest.raises(tlpo.InputError) as error:
        _ = t.probabilities
    assert str(error.value) == (
        "The model gives no probabilities that a tournament could keep.\n"
        f"You passed a tournament of {type(model).__name__}: {why}.\n"
        "Play a model whose score is a probability, for example LogisticRegression, or wrap this "
        "one in CalibratedClassifierCV."
    )


def test_without_predictions_there_are_no_probabilities():
    X, y = sample(10, 4)
    t = tlpo.tournament(GaussianNB(), X, y, predictions=False)
    with pytest.raises(tlpo.InputError) as error:
        _ = t.probabilities
    assert str(error.value) == (
        "Probabilities need the table of held-out predictions.\n"
        "You passed a tournament of 10 units that kept none.\n"
        "Play with predictions=True."
    )


def test_rounds_leave_units_with_fewer_probabilities():
    X, y = oracles.blobs(m=30, seed=3)
    t = tlpo.tournament(GaussianNB(), X, y, rounds=6, random_state=0)
    frame = t.probabilities.frame()
    assert frame["models"].between(0, 6).all()
    assert np.array_equal(frame["probability"].isna(), frame["models"] == 0)


def test_limits_of_tournaments_are_wider_than_of_fixed_probabilities():
    p, y = np.linspace(0.1, 0.9, 30), np.arange(30) % 3 > 0
    y = np.sort(y)[np.random.default_rng(0).permutation(30)]
    fixed, trained = Probabilities(p, y), Probabilities(p, y, phi=1.5)

    def width(measure):
        return measure.high - measure.low

    assert width(trained.slope()) == pytest.approx(np.sqrt(2) * width(fixed.slope()))
    assert width(trained.brier()) > width(fixed.brier())
    assert tuple(trained.intercept()) == tuple(fixed.intercept())
    narrow, wide = (x.net_benefit([0.5]).iloc[0] for x in (fixed, trained))
    assert wide["high"] - wide["low"] == pytest.approx(
        np.sqrt(1.5) * (narrow["high"] - narrow["low"])
    )


def test_a_brier_score_is_at_most_one():
    """Of six units little is known: on the log scale the limit would be 1.3."""
    p = np.array([0.1, 0.4, 0.8, 0.3, 0.9, 0.55])
    found = Probabilities(p, np.array([0, 0, 1, 1, 1, 0]) > 0).brier()
    assert (found.estimate, found.high) == (
        pytest.approx(np.mean([0.01, 0.16, 0.04, 0.49, 0.01, 0.3025])),
        1.0,
    )


def test_scaled_brier_limits_are_in_order():
    p, y = np.linspace(0.1, 0.9, 30), np.arange(30) > 12
    found = Probabilities(p, y).scaled_brier()
    assert found.low < found.estimate < found.high < 1


def test_perfect_and_infinite_log_odds():
    found = Probabilities(np.array([0.0, 0.2, 0.7, 1.0]), np.array([0, 1, 0, 1], dtype=bool))
    assert np.isnan(found.slope().estimate)
    assert np.isnan(found.intercept().estimate)
    note = "Some probabilities are exactly 0 or 1, whose log odds are infinite."
    assert found.slope().notes == found.intercept().notes == (note,)
    assert "calibration slope      —" in repr(found)
    assert found.brier().estimate == pytest.approx((0.64 + 0.49) / 4)


def test_more_in_one_group_say_less():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.1, 0.9, 40)
    y = rng.random(40) < p
    many = Probabilities(np.repeat(p, 3), np.repeat(y, 3), groups=np.repeat(np.arange(40), 3))
    once = Probabilities(p, y)
    for name in ("brier", "slope", "intercept", "observed_expected"):
        assert tuple(getattr(many, name)()) == pytest.approx(tuple(getattr(once, name)()))


def test_few_units_are_told_by_the_intervals_alone():
    p = np.tile([0.2, 0.4, 0.6, 0.8], 100)
    y = np.random.default_rng(0).random(400) < p
    few, many = Probabilities(p[:40], y[:40]), Probabilities(p, y)
    assert few.remarks == many.remarks == ()
    assert few.slope().high - few.slope().low > 2 * (many.slope().high - many.slope().low)
    (undefined,) = Probabilities(np.append(p[:39], 0.0), y[:40]).remarks
    assert undefined.endswith("The calibration slope and intercept are not defined.")


@pytest.mark.parametrize(
    ("p", "y", "message"),
    [
        (
            [0.2, 1.5],
            [True, False],
            "Probabilities lie between 0 and 1.\nYou passed values from 0.2 to 1.5.\n"
            "Pass probabilities of the positive class, not scores or percentages.",
        ),
        (
            [0.2, 0.5, 0.7],
            [True, False],
            "There must be one probability, or one row of them, per unit.\n"
            "You passed an array of shape (3,) for 2 units.\n"
            "Check that probabilities and labels belong to the same units.",
        ),
        (
            [0.2, np.nan],
            [True, False],
            "Both classes need units with a probability.\n"
            "You passed 1 positive and 0 negative units with one.\n"
            "Check the labels, and missing values.",
        ),
    ],
)
def test_bad_probabilities_are_refused(p, y, message):
    with pytest.raises(tlpo.InputError) as error:
        Probabilities(np.array(p), np.array(y))
    assert str(error.value) == message


@pytest.mark.parametrize("thresholds", [[0.0], [1.0], [[0.5]], [np.nan]])
def test_bad_thresholds_are_refused(thresholds):
    found = Probabilities(np.array([0.2, 0.5]), np.array([True, False]))
    with pytest.raises(tlpo.InputError, match="thresholds must be strictly between 0 and 1"):
        found.net_benefit(thresholds)


def test_a_pickle_says_the_same():
    X, y = sample()
    found = tlpo.tournament(LogisticRegression(), X, y).probabilities
    assert repr(pickle.loads(pickle.dumps(found))) == repr(found)


@pytest.mark.parametrize(
    ("p", "is_positive"),
    [([0.01, 0.99], [0, 1]), ([0.5] * 4, [0, 1, 0, 1]), ([0.0, 1.0] * 3, [0, 1] * 3)],
)
def test_no_spread_is_not_certainty(p, is_positive):
    found = tlpo.Probabilities(np.array(p), np.array(is_positive, dtype=bool))
    brier = found.brier()
    assert np.isnan([brier.low, brier.high]).all()
    assert brier.notes[0] == (
        "All units are equally far off, which does not show how far others would be."
    )
    assert np.isnan(found.scaled_brier().low)
    assert f"{brier.estimate:.3f} (no interval)" in repr(found)
