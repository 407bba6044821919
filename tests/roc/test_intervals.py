import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from tlpo.roc import intervals
from tlpo.roc.placements import Parts


def test_variances_by_hand():
    # θ = ½, three and five units: N* = 3, ¼ (1 + 3·⅓ + 3·⅓) / 15
    assert intervals.score_variance(0.5, 3, 5) == pytest.approx(0.25 * 3 / 15)
    # A = ½: Q1 = Q2 = ⅓, ¼ + 2/12 + 4/12 over 15
    assert intervals.hanley_mcneil_variance(0.5, 3, 5) == pytest.approx((0.25 + 6 / 12) / 15)


@pytest.mark.parametrize("auc", [0.0, 1.0])
def test_models_have_no_variance_at_the_ends(auc):
    assert intervals.score_variance(auc, 4, 9) == 0
    assert intervals.hanley_mcneil_variance(auc, 4, 9) == pytest.approx(0)


@given(
    st.integers(2, 60), st.integers(2, 60), st.integers(0, 100), st.floats(1, 3), st.floats(0.5, 5)
)
def test_score_interval_solves_its_equation(p, n, percent, phi, quantile):
    auc = percent / 100
    low, high = intervals.score_interval(auc, p, n, phi, quantile)
    assert 0 <= low <= auc <= high <= 1
    for limit, end in ((low, 0.0), (high, 1.0)):
        if limit != end:
            excess = (auc - limit) ** 2 - quantile**2 * phi * intervals.score_variance(limit, p, n)
            assert excess == pytest.approx(0, abs=1e-9)
    if auc in (0, 1):
        assert high - low > 0.001


def test_inflation_is_at_least_one_and_one_at_the_ends():
    model = intervals.score_variance(0.7, 10, 10)
    assert intervals.inflation(0.7, 4 * model, model, 10, 10) == pytest.approx(2)
    assert intervals.inflation(0.7, model / 4, model, 10, 10) == 1
    assert intervals.inflation(1.0, 1.0, 1.0, 10, 10) == 1
    assert intervals.inflation(0.0, 1.0, 1.0, 10, 10) == 1


def test_wald_and_logit():
    z = norm.ppf(0.975)
    assert intervals.wald_interval(0.7, 0.01, z) == pytest.approx((0.7 - 0.1 * z, 0.7 + 0.1 * z))
    assert intervals.wald_interval(0.95, 0.01, z)[1] == 1
    low, high = intervals.logit_interval(0.7, 0.01, z)
    middle = np.log(0.7 / 0.3)
    assert np.log(low / (1 - low)) == pytest.approx(middle - z * 0.1 / 0.21)
    assert np.log(high / (1 - high)) == pytest.approx(middle + z * 0.1 / 0.21)
    assert intervals.logit_interval(1.0, 0.0, z) == (1.0, 1.0)


def test_degrees_of_freedom():
    # Equal parts of equal classes: those of both together.
    assert intervals.degrees_of_freedom(Parts(0.1, 0.1), 8, 8) == pytest.approx(14)
    # One part alone: those of its class.
    assert intervals.degrees_of_freedom(Parts(0.1, 0.0), 8, 20) == pytest.approx(7)
    # Nothing to judge by: the fewest.
    assert intervals.degrees_of_freedom(Parts(0.0, 0.0), 8, 20) == 7


def test_bootstrap_of_games_has_the_variance_of_the_placements():
    """Up to the factor (m − 1)/m; 20 000 resamples, so within 3 %."""
    rng = np.random.default_rng(0)
    U = (rng.normal(size=(40, 1)) + 0.5 > rng.normal(size=(1, 50))).astype(float)
    low, high = intervals.bootstrap_interval(U, 0.6827, 20_000, np.random.default_rng(1))
    rows, columns = U.mean(axis=1), U.mean(axis=0)
    expected = np.sqrt(rows.var() / 40 + columns.var() / 50)
    assert (high - low) / 2 == pytest.approx(expected, rel=0.03)


def test_bootstrap_leaves_out_unfinished_games():
    U = np.array([[1.0, np.nan], [1.0, 1.0]])
    assert intervals.bootstrap_interval(U, 0.95, 100, np.random.default_rng(0)) == (1.0, 1.0)
