"""Every method of the table against the plain formulas of `tlpo.roc.intervals`."""

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student

from roc.tables import opposite, random_table
from tlpo.roc import intervals
from tlpo.roc.evidence import measure_games
from tlpo.roc.methods import DEFAULT, FALLBACK, METHODS, Found, Request

LEVEL, Z = 0.9, norm.ppf(0.95)


def request(m=30, **changes):
    """A table of 11 positives and 19 negatives, or 7 and 11 with m = 18."""
    F, y = random_table(m, seed=0)
    U = opposite(F, y)
    evidence = measure_games(U, F, y, None)
    made = {"confidence_level": LEVEL, "games": lambda: U, **changes}
    return Request(evidence, **made)


def score(asked, phi, quantile, df):
    """The score interval, its φ and its variance."""
    p, n = asked.evidence.counts
    low, high = intervals.score_interval(asked.evidence.auc, p, n, phi, quantile)
    return Found(low, high, phi, phi * intervals.score_variance(asked.evidence.auc, p, n), df)


def wald(asked, variance):
    return Found(*intervals.wald_interval(asked.evidence.auc, variance, Z), variance=variance)


def observed_phi(asked):
    evidence = asked.evidence
    variances = evidence.placement_variance, evidence.jackknife_variance
    return intervals.inflation(asked.evidence.auc, *variances, *evidence.counts)


# By the normal quantile: both classes have more than ten units.
PLAIN = {
    "placement-jackknife": lambda asked: score(asked, observed_phi(asked), Z, None),
    "inflated": lambda asked: score(asked, 2.0, Z, None),
    "newcombe": lambda asked: score(asked, 1.0, Z, None),
    "delong": lambda asked: wald(asked, asked.evidence.placement_variance),
    "delong-logit": lambda asked: Found(
        *intervals.logit_interval(asked.evidence.auc, asked.evidence.placement_variance, Z),
        variance=asked.evidence.placement_variance,
    ),
    "hanley-mcneil": lambda asked: wald(
        asked, intervals.hanley_mcneil_variance(asked.evidence.auc, *asked.evidence.counts)
    ),
    "bootstrap": lambda asked: Found(
        *intervals.bootstrap_interval(asked.games(), LEVEL, 2000, np.random.default_rng(5))
    ),
}


def test_every_method_is_tested():
    assert list(PLAIN) == list(METHODS)
    assert (DEFAULT, FALLBACK) == ("placement-jackknife", "inflated")


@pytest.mark.parametrize("name", METHODS)
def test_methods_against_plain_formulas(name):
    asked = request(rng=np.random.default_rng(5))
    assert asked.evidence.counts == (11, 19)
    assert METHODS[name].compute(asked) == pytest.approx(PLAIN[name](asked))


def test_methods_tell_each_other_apart():
    found = {name: METHODS[name].compute(request(rng=np.random.default_rng(5))) for name in METHODS}
    assert len({limits.low for limits in found.values()}) == len(METHODS)
    assert found["placement-jackknife"].phi > 1


@pytest.mark.parametrize("name", METHODS)
def test_small_classes_use_students_quantile_where_the_variance_was_estimated(name):
    asked = request(m=18, rng=np.random.default_rng(5))
    assert asked.evidence.counts == (7, 11)
    df = asked.evidence.degrees_of_freedom
    expected = PLAIN[name](asked)
    if name in (DEFAULT, FALLBACK):
        expected = score(asked, expected.phi, student.ppf(0.95, df), df)
    assert METHODS[name].compute(asked) == pytest.approx(expected)


def test_what_a_draw_adds_is_added_to_the_fallback_only():
    added = 0.003
    for name in METHODS:
        plain = METHODS[name].compute(request(rng=np.random.default_rng(5)))
        drawn = METHODS[name].compute(request(rng=np.random.default_rng(5), added_variance=added))
        if name == FALLBACK:
            assert drawn.variance == pytest.approx(plain.variance + added)
            assert drawn.high - drawn.low > plain.high - plain.low
        else:
            assert drawn == plain


@pytest.mark.parametrize("name", METHODS)
def test_methods_that_cover_less_than_they_say_are_marked(name):
    measured = METHODS[name].measured
    if name in (DEFAULT, FALLBACK):
        assert measured is None
    else:
        low, high = measured
        assert 0 < low < 0.95
        assert low < high < 1


def test_the_bootstrap_resamples_as_often_as_asked():
    asked = request(rng=np.random.default_rng(5), n_resamples=20)
    expected = intervals.bootstrap_interval(asked.games(), LEVEL, 20, np.random.default_rng(5))
    assert METHODS["bootstrap"].compute(asked)[:2] == expected
