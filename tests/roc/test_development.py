"""Units that a model needs, against published examples and the definitions."""

import math
import pickle

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

import tlpo
from tlpo.roc.development import r_squared_of_auc, r_squared_of_concordance


def sizes(size):
    return size.for_shrinkage, size.for_optimism, size.for_precision, size.n_units


def test_two_classes_against_published_examples():
    """Examples of pmsampsize, by the authors of the criteria; BMJ 2020;368:m441."""
    size = tlpo.development_size(24, r_squared=0.288, fraction=0.174)
    assert sizes(size) == (623, 662, 221, 662)
    assert size.n_events == 116
    # The same model by its C statistic, whose R² they simulate.
    assert sizes(tlpo.development_size(24, auc=0.89, fraction=0.174)) == (615, 660, 221, 660)
    assert tlpo.development_size(6, auc=0.89, fraction=0.18).n_units == 227


def test_times_against_published_examples():
    """Recurrent venous thromboembolism: BMJ 2020;368:m441, and tests of pmsampsize 1.1."""
    timed = {"rate": 0.065, "follow_up": 2.07, "time": 2}
    size = tlpo.development_size(30, r_squared=0.051, **timed)
    assert sizes(size)[:2] == (5143, 1039)
    assert (size.n_units, size.n_events) == (5143, 692)
    assert sizes(tlpo.development_size(25, r_squared=0.051, **timed))[:2] == (4286, 866)
    # They round events up to a whole number, so one of theirs is 859.
    assert sizes(tlpo.development_size(25, r_squared=0.065, **timed))[:2] == (3335, 860)
    # At 5 143 units the risk of 0.122 has limits 0.113 and 0.130.
    risk = 1 - math.exp(-2 * 0.065)
    assert risk - size.risk_error(5143) == pytest.approx(0.113, abs=5e-4)


def test_a_number_against_published_examples():
    """Lung function by 25 features: Statistics in Medicine 2019;38:1262-1275."""
    size = tlpo.development_size(25, r_squared=0.2, order=True)
    assert sizes(size) == (918, 401, 259, 918)
    assert size.n_events is None
    assert size.risk_error(100) is None


@pytest.mark.parametrize("fraction", [0.02, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("auc", [0.51, 0.7, 0.97])
def test_r_squared_of_an_auc_against_an_integral(auc, fraction):
    distance = math.sqrt(2) * norm.ppf(auc)

    def gain(x, positive):
        own = norm.pdf(x, distance if positive else 0)
        other = norm.pdf(x, 0 if positive else distance)
        share = fraction if positive else 1 - fraction
        # log of the probability of the class at x, over its share
        return share * own * math.log(own / (share * own + (1 - share) * other))

    middle = distance / 2
    total = sum(quad(gain, middle - 10, middle + 10, args=(p,), limit=200)[0] for p in (0, 1))
    assert r_squared_of_auc(auc, fraction) == pytest.approx(1 - math.exp(-2 * total), abs=1e-8)
    assert r_squared_of_auc(auc, 1 - fraction) == pytest.approx(
        r_squared_of_auc(auc, fraction), rel=1e-9
    )


def test_r_squared_of_a_concordance_against_the_published_steps():
    """Royston's D, its R², O'Quigley's R², the likelihood ratio, Cox and Snell's R²."""
    for concordance, events in ((0.55, 0.1), (0.7, 0.4), (0.9, 0.99)):
        D = 5.5 * (concordance - 0.5) + 10.26 * (concordance - 0.5) ** 3
        own = math.pi / 8 * D**2 / (math.pi**2 / 6 + math.pi / 8 * D**2)
        oquigley = -(math.pi**2) / 6 * own / ((1 - math.pi**2 / 6) * own - 1)
        ratio = -events * math.log(1 - oquigley)
        assert r_squared_of_concordance(concordance, events) == pytest.approx(
            1 - math.exp(-ratio), rel=1e-12
        )


def test_nagelkerke_is_015_if_nothing_is_known():
    size = tlpo.development_size(8, fraction=0.2)
    assert size.r_squared / size.largest_r_squared == pytest.approx(0.15)
    # R² of a model that knows every outcome: 1 − (0.2^0.2 0.8^0.8)²
    assert size.largest_r_squared == pytest.approx(1 - (0.2**0.2 * 0.8**0.8) ** 2)
    assert tlpo.development_size(8) == tlpo.development_size(8, fraction=0.5)


@pytest.mark.parametrize(
    "expected",
    [
        {"auc": 0.8, "fraction": 0.3},
        {"auc": 0.6, "fraction": 0.1},
        {"auc": 0.7, "rate": 0.1, "follow_up": 5, "time": 3},
        {"r_squared": 0.3, "order": True},
    ],
)
def test_features_supported_against_every_number_of_features(expected):
    size = tlpo.development_size(3, **expected)
    for n_units in (1, 7, 30, 113, 500):
        fit = [tlpo.development_size(p, **expected) for p in range(1, 120)]
        enough = [one.features for one in fit if max(sizes(one)[:2]) <= n_units]
        assert size.features_supported(n_units) == max(enough, default=0)


def test_the_overall_risk_is_known_from_the_size_for_precision_on():
    timed = {"rate": 0.065, "follow_up": 2.07, "time": 2}
    for size in (
        tlpo.development_size(2, auc=0.8, fraction=0.3),
        tlpo.development_size(2, auc=0.8, **timed),
    ):
        assert size.risk_error(size.for_precision) <= 0.05
        assert size.risk_error(size.for_precision - 1) > 0.05


def test_sizes_can_be_pickled_and_shown():
    size = pickle.loads(pickle.dumps(tlpo.development_size(5, auc=0.8)))
    assert size.features_supported(200) == 6
    assert repr(size).startswith("DevelopmentSize(features=5, n_units=")
    assert "object at" not in repr(size)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"features": 0},
            "features must be a whole number, at least 1.\nYou passed features=0.\n"
            "For example features=1.",
        ),
        (
            {"features": 5, "auc": 0.5},
            "auc must be strictly between 0.5 and 1.\nYou passed auc=0.5.\nFor example auc=0.75.",
        ),
        (
            {"features": 5, "auc": 0.8, "r_squared": 0.2},
            "The AUC and R² say the same in two ways.\nYou passed auc=0.8 and r_squared=0.2.\n"
            "Pass one of them.",
        ),
        (
            {"features": 5, "r_squared": 0.7, "fraction": 0.1},
            "r_squared must be strictly between 0 and 0.478.\nYou passed r_squared=0.7.\n"
            "For example r_squared=0.239.",
        ),
        (
            {"features": 5, "r_squared": 0.7, "shrinkage": 0.6},
            "With so large an R², coefficients never need to be shrunk this much.\n"
            "You passed shrinkage=0.6 and expect R² = 0.7.\n"
            "Pass a larger factor, for example shrinkage=0.9, or a smaller R².",
        ),
        (
            {"features": 5, "rate": 0.1, "fraction": 0.3},
            "Times to an event need rate, follow_up and time, two classes fraction alone.\n"
            "You passed rate and fraction.\n"
            "For example 0.065 events a year, a mean follow-up of 2.07 years, and the risk at 2 "
            "years.",
        ),
        (
            {"features": 5, "rate": 0.5, "follow_up": 3, "time": 2},
            "Each unit has at most one event.\n"
            "You passed rate=0.5 and follow_up=3: 1.5 events per unit.\n"
            "Count events and follow-up in the same unit of time.",
        ),
        (
            {"features": 5, "rate": -0.5, "follow_up": 3, "time": 2},
            "rate must be a positive number.\nYou passed rate=-0.5.\nFor example rate=0.065.",
        ),
        (
            {"features": 5, "order": True},
            "Of a number, only its adjusted R² is needed: r_squared.\nYou passed none.\n"
            "For example r_squared=0.2.",
        ),
        (
            {"features": 5, "order": True, "r_squared": 0.2, "fraction": 0.5},
            "Of a number, only its adjusted R² is needed: r_squared.\n"
            "You passed r_squared and fraction.\nFor example r_squared=0.2.",
        ),
    ],
)
def test_what_cannot_be_is_refused(arguments, message):
    with pytest.raises(tlpo.InputError) as caught:
        tlpo.development_size(**arguments)
    assert str(caught.value) == message


@pytest.mark.parametrize("value", [np.nan, np.inf, "many", None, -1])
def test_numbers_must_be_numbers(value):
    with pytest.raises(tlpo.InputError):
        tlpo.development_size(value)
    with pytest.raises(tlpo.InputError):
        tlpo.development_size(3, shrinkage=value)
    with pytest.raises(tlpo.InputError):
        tlpo.development_size(3).features_supported(value)
