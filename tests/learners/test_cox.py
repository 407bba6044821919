"""Cox regression against scikit-survival, formulas written out, and scikit-learn's conventions."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize_scalar
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.utils import estimator_checks
from sksurv.linear_model import CoxPHSurvivalAnalysis
from sksurv.metrics import concordance_index_censored

import tlpo


def times_of(time, event):
    y = np.empty(len(time), dtype=[("event", bool), ("time", float)])
    y["event"], y["time"] = event, time
    return y


def sample(m, n, seed=0, digits=None, effect=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, n))
    time, censored = rng.exponential(np.exp(-effect * X[:, 0])), rng.exponential(1.5, m)
    event, time = time <= censored, np.minimum(time, censored)
    return X, times_of(time if digits is None else np.round(time, digits) + 0.1, event)


@pytest.mark.parametrize("ties", ["breslow", "efron"])
@pytest.mark.parametrize("alpha", [0.0, 0.1, 10.0])
@pytest.mark.parametrize("digits", [None, 1, 0])
def test_coefficients_against_scikit_survival(ties, alpha, digits):
    X, y = sample(60, 4, digits=digits)
    model = tlpo.Cox(alpha=alpha, ties=ties).fit(X, y)
    # With its own tolerance scikit-survival is off by 1e-9 or so.
    other = CoxPHSurvivalAnalysis(alpha=alpha, ties=ties, tol=1e-14).fit(X, y)
    assert model.coef_ == pytest.approx(other.coef_, rel=1e-10, abs=1e-12)
    assert model.hazard_ratios_ == pytest.approx(np.exp(other.coef_))
    assert model.predict(X) == pytest.approx(other.predict(X), rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("n", [24, 25, 26, 60])
@pytest.mark.parametrize("alpha", [0.1, 1.0])
def test_more_features_than_units_against_scikit_survival(n, alpha):
    X, y = sample(25, n, digits=1)
    model = tlpo.Cox(alpha=alpha).fit(X, y)
    other = CoxPHSurvivalAnalysis(alpha=alpha, ties="efron", tol=1e-14).fit(X, y)
    assert model.coef_ == pytest.approx(other.coef_, rel=1e-8, abs=1e-10)


def test_two_units_against_the_formula():
    # The first has the event while both are at risk: F(w) = log(e^w + 1) − w + ½ α w².
    alpha = 0.7
    found = minimize_scalar(
        lambda w: np.log(np.exp(w) + 1) - w + 0.5 * alpha * w**2, bounds=(0, 3), method="bounded"
    )
    model = tlpo.Cox(alpha=alpha).fit([[1.0], [0.0]], times_of([1.0, 2.0], [True, False]))
    assert model.coef_[0] == pytest.approx(found.x, abs=1e-5)
    w = model.coef_[0]
    assert 1 / (1 + np.exp(w)) == pytest.approx(alpha * w, rel=1e-12)


def test_tied_events_against_both_formulas():
    # Two of three units have the event at time 1, with features 2 and 1; the third has 0.
    def total(w, shares):
        tied, both = np.exp(2 * w) + np.exp(w), 3 * w
        return sum(np.log(share * tied + 1) for share in shares) - both + 0.5 * w**2

    y = times_of([1.0, 1.0, 3.0], [True, True, False])
    for ties, shares in (("breslow", (1, 1)), ("efron", (1, 0.5))):
        found = minimize_scalar(total, args=(shares,), bounds=(0, 3), method="bounded")
        model = tlpo.Cox(ties=ties).fit([[2.0], [1.0], [0.0]], y)
        assert model.coef_[0] == pytest.approx(found.x, abs=1e-5)


def test_the_gradient_vanishes_up_to_rounding():
    X, y = sample(80, 6, digits=1)
    w = tlpo.Cox(ties="breslow").fit(X, y).coef_
    e = np.exp(X @ w)
    gradient = w.copy()
    for k in np.flatnonzero(y["event"]):
        at_risk = y["time"] >= y["time"][k]
        gradient += e[at_risk] @ X[at_risk] / e[at_risk].sum() - X[k]
    assert np.abs(gradient).max() < 1e-12 * np.abs(X[y["event"]]).sum()


def test_without_an_effect_the_baseline_is_that_of_nelson_and_aalen():
    y = times_of([1.0, 2.0, 2.0, 4.0, 5.0], [True, True, True, False, True])
    model = tlpo.Cox(alpha=1e30).fit([[1.0], [0.0], [2.0], [5.0], [0.0]], y)
    assert model.baseline_.time.tolist() == [1.0, 2.0, 5.0]
    assert model.baseline_.cumulative_hazard == pytest.approx([1 / 5, 1 / 5 + 2 / 4, 1.7])
    survival = model.predict_survival([[0.0], [7.0]], [0.5, 1.0, 1.5, 3.0, 9.0])
    assert survival == pytest.approx(np.exp([[0, -0.2, -0.2, -0.7, -1.7]] * 2))


@pytest.mark.parametrize("ties", ["breslow", "efron"])
def test_survival_against_scikit_survival(ties):
    X, y = sample(50, 3, digits=1)
    X += [5.0, 0.0, -2.0]
    model = tlpo.Cox(alpha=0.5, ties=ties).fit(X, y)
    other = CoxPHSurvivalAnalysis(alpha=0.5, ties=ties, tol=1e-14).fit(X, y)
    # Theirs is the hazard of a unit whose features are 0.
    ratio = np.exp(model.mean_ @ model.coef_)
    hazard = other.cum_baseline_hazard_(model.baseline_.time) * ratio
    assert model.baseline_.cumulative_hazard == pytest.approx(hazard)
    times = np.linspace(y["time"].min(), y["time"].max(), 20)
    curves = [curve(times) for curve in other.predict_survival_function(X)]
    assert model.predict_survival(X, times) == pytest.approx(np.array(curves))


def test_score_against_scikit_survival():
    X, y = sample(50, 3, digits=1)
    model = tlpo.Cox().fit(X, y)
    expected = concordance_index_censored(y["event"], y["time"], model.predict(X))[0]
    assert model.score(X, y) == pytest.approx(expected)


@pytest.mark.parametrize("scale", [1e-5, 1e5, 1e100])
def test_scale_without_a_penalty_only_scales_coefficients(scale):
    X, y = sample(40, 3)
    plain, scaled = tlpo.Cox(alpha=0).fit(X, y), tlpo.Cox(alpha=0).fit(scale * X, y)
    assert scale * scaled.coef_ == pytest.approx(plain.coef_, rel=1e-9)


def test_an_offset_changes_nothing():
    X, y = sample(40, 3)
    plain, shifted = tlpo.Cox().fit(X, y), tlpo.Cox().fit(X + 1e6, y)
    assert shifted.coef_ == pytest.approx(plain.coef_, rel=1e-6)
    times = [0.2, 1.0]
    found = shifted.predict_survival(X + 1e6, times)
    assert found == pytest.approx(plain.predict_survival(X, times), rel=1e-6)


@pytest.mark.parametrize("n", [3, 50])
def test_features_that_tell_the_order_with_hardly_any_penalty(n):
    # Linear predictors differ by so much that exponentials of them would overflow or vanish.
    X, y = sample(30, n)
    X[:, 0] = -y["time"]
    model = tlpo.Cox(alpha=1e-6).fit(1e5 * X, y)
    assert np.ptp(model.predict(1e5 * X)) > 30
    assert model.score(1e5 * X, y) == 1.0
    assert np.isfinite(model.predict_survival(1e5 * X, [0.5])).all()


def test_identical_units_at_identical_times():
    y = times_of([1.0, 1.0, 2.0, 2.0], [True, True, True, False])
    model = tlpo.Cox(alpha=0.5).fit(np.ones((4, 2)), y)
    assert model.coef_.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("names", [("event", "time"), ("died", "months"), ("a", "b")])
def test_fields_are_known_by_their_type(names):
    X, y = sample(30, 2)
    coef = tlpo.Cox().fit(X, y).coef_
    other = np.empty(30, dtype=[(names[1], float), (names[0], bool)])
    other[names[0]], other[names[1]] = y["event"], y["time"]
    assert tlpo.Cox().fit(X, other).coef_.tolist() == coef.tolist()


def test_order_of_the_units_does_not_matter():
    X, y = sample(40, 3, digits=1)
    order = np.random.default_rng(0).permutation(40)
    one, other = tlpo.Cox().fit(X, y), tlpo.Cox().fit(X[order], y[order])
    assert one.coef_ == pytest.approx(other.coef_, rel=1e-12)


def test_conventions_of_scikit_learn():
    name, model = "Cox", tlpo.Cox(alpha=3.0, ties="breslow")
    estimator_checks.check_get_params_invariance(name, model)
    estimator_checks.check_set_params(name, model)
    estimator_checks.check_no_attributes_set_in_init(name, model)
    estimator_checks.check_estimator_cloneable(name, model)
    estimator_checks.check_estimator_repr(name, model)
    estimator_checks.check_parameters_default_constructible(name, model)
    assert not is_classifier(model)
    assert not is_regressor(model)
    assert clone(model).get_params() == {"alpha": 3.0, "ties": "breslow"}


def test_names_and_numbers_of_features():
    X, y = sample(30, 2)
    frame = pd.DataFrame(X, columns=["age", "stage"])
    model = tlpo.Cox().fit(frame, y)
    assert model.feature_names_in_.tolist() == ["age", "stage"]
    assert model.n_features_in_ == 2
    assert model.predict(frame).tolist() == pytest.approx(model.fit(X, y).predict(X).tolist())
    with pytest.raises(ValueError, match="expecting 2 features"):
        model.predict(X[:, :1])
    for bad in (np.nan, np.inf):
        with pytest.raises(ValueError, match="Input X contains"):
            tlpo.Cox().fit(np.where(X[0, 0] == X, bad, X), y)
    with pytest.raises(NotFittedError):
        tlpo.Cox().predict(X)


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf, "1", None, True])
def test_a_bad_penalty_is_refused(bad):
    X, y = sample(20, 2)
    with pytest.raises(tlpo.InputError) as error:
        tlpo.Cox(alpha=bad).fit(X, y)
    assert str(error.value) == (
        f"alpha must be a non-negative number.\nYou passed alpha={bad!r}.\nFor example alpha=1.0."
    )


@pytest.mark.parametrize("bad", ["exact", None, 1])
def test_bad_ties_are_refused(bad):
    X, y = sample(20, 2)
    with pytest.raises(tlpo.InputError) as error:
        tlpo.Cox(ties=bad).fit(X, y)
    assert str(error.value) == (
        f"ties must be 'efron' or 'breslow'.\nYou passed ties={bad!r}.\n"
        "Use 'efron', which is closer to the exact likelihood."
    )


def test_an_outcome_without_events_or_times_is_refused():
    X, y = sample(20, 2)
    with pytest.raises(tlpo.InputError, match="No unit had the event"):
        tlpo.Cox().fit(X, times_of(y["time"], np.zeros(20, dtype=bool)))
    with pytest.raises(tlpo.InputError) as error:
        tlpo.Cox().fit(X, y["time"])
    assert str(error.value) == (
        "y must say for every unit whether it had the event, and when.\n"
        "You passed an object of type ndarray.\n"
        "Pass a structured array with a field of type bool and one of times."
    )
    with pytest.raises(tlpo.InputError) as error:
        tlpo.Cox().fit(X, y[:-1])
    assert str(error.value) == (
        "X and y must describe the same units.\nYou passed 20 rows of X and 19 times.\n"
        "Check that neither was filtered without the other."
    )


def test_missing_times_of_interest_are_refused():
    X, y = sample(20, 2)
    with pytest.raises(tlpo.InputError) as error:
        tlpo.Cox().fit(X, y).predict_survival(X, [1.0, np.nan])
    assert str(error.value) == (
        "times must be numbers.\nYou passed 1 missing of 2.\n"
        "Ask for the times at which survival is of interest, for example [12, 36]."
    )


def test_without_a_penalty_an_order_that_features_tell_is_refused():
    X, y = np.arange(6.0)[:, None], times_of(np.arange(6.0, 0.0, -1.0), [True] * 6)
    with pytest.raises(tlpo.InputError) as error:
        tlpo.Cox(alpha=0.0).fit(X, y)
    assert str(error.value) == (
        "Some combination of features tells the order of the events, so the likelihood has no "
        "maximum.\n"
        "You passed alpha=0 and 1 features of 6 units, 6 events, times from 1 to 6.\n"
        "Pass a penalty, for example alpha=1.0, or fewer features."
    )


@pytest.mark.parametrize("kind", ["constant", "dependent"])
def test_without_a_penalty_dependent_features_are_refused(kind):
    X, y = sample(30, 3)
    X[:, 2] = 4.0 if kind == "constant" else X[:, 0] - X[:, 1]
    with pytest.raises(tlpo.InputError, match="constant or depend on others"):
        tlpo.Cox(alpha=0.0).fit(X, y)
    assert np.isfinite(tlpo.Cox(alpha=0.1).fit(X, y).coef_).all()


def test_importing_learners_compiles_nothing():
    code = "import sys, tlpo.learners; print([m for m in ('numba', 'sksurv') if m in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
