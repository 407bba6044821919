import numpy as np
import pytest
from scipy.stats import norm

import tlpo
from tlpo.roc.intervals import hanley_mcneil_variance, score_interval, score_variance
from tlpo.roc.order import Order, independent_variance
from tlpo.roc.planning import expected_interval, ordered_width, split


@pytest.mark.parametrize("auc", [0.5, 0.7, 0.95])
@pytest.mark.parametrize("fraction", [0.1, 0.3, 0.5])
def test_sample_size_is_the_smallest(auc, fraction):
    found = tlpo.sample_size(auc, width=0.25, fraction=fraction)
    assert found.high - found.low <= 0.25
    assert (found.n_positive, found.n_negative) == split(found.n_units, fraction)
    for n_units in range(max(6, found.n_units - 30), found.n_units):
        low, high = expected_interval(auc, n_units, fraction, 0.95)
        assert high - low > 0.25


def test_expected_interval_is_the_inflated_one():
    limits = expected_interval(0.8, 60, 0.5, 0.95)
    assert limits == score_interval(0.8, 30, 30, 2.0, norm.ppf(0.975))


def test_small_classes_use_students_quantile():
    low, high = expected_interval(0.5, 16, 0.5, 0.95)
    plain = score_interval(0.5, 8, 8, 2.0, norm.ppf(0.975))
    assert low < plain[0]
    assert high > plain[1]


def test_power_by_hand():
    at_null, at_auc = (np.sqrt(2 * score_variance(theta, 20, 20)) for theta in (0.5, 0.75))
    expected = norm.cdf((0.25 - norm.ppf(0.95) * at_null) / at_auc)
    assert tlpo.power(0.75, 40) == pytest.approx(expected)
    assert tlpo.power(0.5, 40) == pytest.approx(0.05)


def test_planning_table():
    table = tlpo.planning_table(sizes=(20, 100), aucs=(0.7,), fraction=0.3)
    assert table.index.tolist() == [20, 100]
    assert table["positives"].tolist() == [6, 30]
    low, high = expected_interval(0.7, 100, 0.3, 0.95)
    assert table.loc[100, "width at 0.7"] == pytest.approx(high - low)
    found = table.loc[100, "found with 80 %"]
    assert (
        tlpo.power(found, 100, fraction=0.3) >= 0.8 > tlpo.power(found - 0.001, 100, fraction=0.3)
    )


def test_the_smallest_samples_can_be_played():
    found = tlpo.sample_size(0.8, width=0.99)
    assert found.n_units >= 6
    assert min(found.n_positive, found.n_negative) >= 3


@pytest.mark.parametrize(
    "options",
    [{"confidence_level": 95}, {"aucs": (1.2,)}, {"sizes": [30.7]}, {"fraction": 0}],
    ids=str,
)
def test_wrong_tables(options):
    with pytest.raises(tlpo.InputError):
        tlpo.planning_table(**options)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: tlpo.sample_size(1.2, width=0.1),
            "auc must be strictly between 0 and 1.\nYou passed auc=1.2.\nFor example auc=0.5.",
        ),
        (
            lambda: tlpo.sample_size(0.7, width=0.0001),
            "No sample of up to 1000000 units gives an interval this narrow.\n"
            "You passed width=0.0001.\nAsk for a wider interval.",
        ),
        (
            lambda: tlpo.power(0.7, 3),
            "n_units must be a whole number, at least 6.\nYou passed n_units=3.\n"
            "For example n_units=60.",
        ),
    ],
)
def test_wrong_plans(call, message):
    with pytest.raises(tlpo.InputError) as caught:
        call()
    assert str(caught.value) == message


# --- numbers and grades


@pytest.mark.parametrize("order", [True, [0.2, 0.3, 0.5]])
@pytest.mark.parametrize("concordance", [0.5, 0.8])
def test_ordered_sample_size_is_the_smallest(concordance, order):
    found = tlpo.sample_size(concordance, width=0.25, order=order)
    assert found.high - found.low <= 0.25
    assert isinstance(found.n_units, int)
    smaller = found.n_units - 1
    sizes = [1] * smaller
    if order is not True:
        edges = np.rint(np.cumsum([0.0, *order]) * smaller).astype(int)
        sizes = np.diff(edges).tolist()
    low, high = ordered_width(concordance, sizes, 0.95)
    assert high - low > 0.25


def test_two_grades_are_planned_as_hanley_and_mcneil_do():
    low, high = ordered_width(0.8, [20, 30], 0.95)
    for theta in (low, high):
        own = 2 * norm.ppf(0.975) ** 2 * hanley_mcneil_variance(theta, 30, 20)
        assert (0.8 - theta) ** 2 == pytest.approx(own, rel=1e-6)


def test_power_of_a_concordance_by_hand():
    m = 40
    kendall = (2 * m + 5) / (18 * m * (m - 1))
    counts = Order.of_values(np.arange(float(m))).counts
    at = np.sqrt(2 * independent_variance(0.7, counts))
    expected = norm.cdf((0.2 - norm.ppf(0.95) * np.sqrt(2 * kendall)) / at)
    assert tlpo.power(0.7, m, order=True) == pytest.approx(expected)


@pytest.mark.parametrize("order", ["abc", [0.5], [0.2, 0.2], [1.2, -0.2], 3, False])
def test_orders_that_cannot_be_planned(order):
    with pytest.raises(tlpo.InputError, match="must be True, for numbers, or the shares"):
        tlpo.sample_size(0.7, width=0.2, order=order)
