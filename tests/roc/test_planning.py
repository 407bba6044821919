import numpy as np
import pytest
from scipy.stats import norm

import tlpo
from tlpo.roc.intervals import score_interval, score_variance
from tlpo.roc.planning import expected_interval, split


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
