"""Uno's concordance and the AUC at a horizon, against scikit-survival and by hand.

scikit-survival weights an event at T by 1/G(T), this package by 1/G(T−). The two are the same where
no censoring shares its time with an event, so censorings are moved to just after for it.
"""

import numpy as np
import pytest
from sksurv.metrics import (
    concordance_index_censored,
    concordance_index_ipcw,
    cumulative_dynamic_auc,
)
from sksurv.util import Surv

from roc.times import CASES, after_events, random_times
from tlpo.roc.curve import roc_curve, sensitivity_at, wmw_auc
from tlpo.roc.kaplan_meier import kaplan_meier
from tlpo.roc.order import Order, concordance_of_scores, levels_of_times
from tlpo.roc.placements import placements_of_scores
from tlpo.roc.survival import (
    auc_at,
    horizon,
    order_at,
    roc_curve_at,
    uno_order,
    uno_weights,
)

# Six patients: A had the event at 1, B left at 2, C had it at 3, D at 4 when E left; F left at 6.
TIME = np.array([1.0, 2.0, 3.0, 4.0, 4.0, 6.0])
EVENT = np.array([True, False, True, True, False, False])
# Of the five at risk of leaving at 2 one does: G is 4/5 from 2 on. At 4, D has the event, and one
# of E and F leaves: G is 2/5 from 4 on.
SCORES = np.array([0.2, 0.9, 0.8, 0.6, 0.2, 0.7])


def random_scores(time, seed):
    """Scores that know a little of the time; rounded, so that some tie."""
    rng = np.random.default_rng(seed)
    return np.round(-np.log(time) + rng.normal(size=time.size), 1)


def of_scores(scores, order):
    return np.heaviside(scores[order.winner] - scores[order.loser], 0.5)


def test_uno_by_hand():
    weights = [1, 0, 25 / 16, 25 / 16, 0, 0]
    assert uno_weights(TIME, EVENT) == pytest.approx(weights)
    # A loses to B, C, D and F, and ties with E. C beats D, E and F. D beats E, and loses to F.
    wins, games = 0.5 + 25 / 16 * (3 + 1), 5 + 25 / 16 * (3 + 2)
    order = uno_order(TIME, EVENT)
    assert order.winner.size == 10
    assert order.concordance(of_scores(SCORES, order)) == pytest.approx(wins / games)
    # Events at 4 and later do not count.
    order = uno_order(TIME, EVENT, 4.0)
    assert set(order.winner) == {0, 2}
    wins, games = 0.5 + 25 / 16 * 3, 5 + 25 / 16 * 3
    assert order.concordance(of_scores(SCORES, order)) == pytest.approx(wins / games)
    assert uno_order(TIME, EVENT, 1.0) is None


def test_horizon_by_hand():
    found = horizon(TIME, EVENT, 4.0)
    assert found.cases.tolist() == [0, 2, 3]
    assert found.controls.tolist() == [5]
    assert found.case_weight == pytest.approx([1, 5 / 4, 5 / 4])
    assert found.control_weight == pytest.approx(5 / 2)
    # 1 − 5/6 · 3/4 · 2/3
    assert found.share_of_cases == pytest.approx(7 / 12)
    # A and D are below F, C is above.
    assert auc_at(SCORES, TIME, EVENT, 4.0) == pytest.approx(5 / 14)
    # At 3, D, E and F are controls: A ties with E; C beats all.
    assert auc_at(SCORES, TIME, EVENT, 3.0) == pytest.approx((1 / 6 + 5 / 4) / (9 / 4))
    order = order_at(TIME, EVENT, 3.0)
    games = list(zip(order.winner.tolist(), order.loser.tolist(), order.weight, strict=True))
    assert [game[:2] for game in games] == [(0, 3), (0, 4), (0, 5), (2, 3), (2, 4), (2, 5)]
    assert order.weight == pytest.approx([1, 1, 1, 5 / 4, 5 / 4, 5 / 4])


def test_curve_by_hand():
    curve = roc_curve_at(SCORES, TIME, EVENT, 3.0)
    # C .8, F .7, D .6, then A and E .2; B left before 3.
    assert curve.thresholds.tolist() == [0.8, 0.7, 0.6, 0.2, -np.inf]
    assert curve.tpr == pytest.approx([0, 5 / 9, 5 / 9, 5 / 9, 1])
    assert curve.fpr == pytest.approx([0, 0, 1 / 3, 2 / 3, 1])
    assert sensitivity_at(curve, 1.0) == pytest.approx(5 / 9)
    assert sensitivity_at(curve, 1 / 3) == pytest.approx(5 / 9)
    assert sensitivity_at(curve, 0.0) == 1


@pytest.mark.parametrize("t", [0.5, 6.0, 7.0])
def test_without_cases_or_controls_there_is_no_curve(t):
    assert horizon(TIME, EVENT, t) is None
    assert order_at(TIME, EVENT, t) is None
    assert roc_curve_at(SCORES, TIME, EVENT, t) is None
    assert np.isnan(auc_at(SCORES, TIME, EVENT, t))


def test_a_score_that_is_not_a_number():
    for unit, is_nan in [(1, False), (2, True), (5, True)]:
        scores = np.where(np.arange(6) == unit, np.nan, SCORES)
        assert np.isnan(auc_at(scores, TIME, EVENT, 3.0)) == is_nan


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("share", [None, 0.8])
def test_uno_against_scikit_survival(case, share):
    time, event = random_times(*case)
    scores = random_scores(time, case[-1])
    tau = None if share is None else float(np.quantile(time, share))
    y = Surv.from_arrays(event, after_events(time, event))
    expected = concordance_index_ipcw(y, y, scores, tau)[0]
    order = uno_order(time, event, tau)
    assert order.concordance(of_scores(scores, order)) == pytest.approx(expected, abs=1e-12)
    assert (order.weight > 0).all()
    weights = uno_weights(time, event, tau)
    found = concordance_of_scores(scores, levels_of_times(time, event), event, weights)
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_auc_against_scikit_survival(case):
    time, event = random_times(*case)
    scores = random_scores(time, case[-1])
    moved = after_events(time, event)
    y = Surv.from_arrays(event, moved)
    # Between two times, where nobody is censored.
    inner = np.unique(time)
    inner = inner[(inner >= time[event].min()) & (inner < time.max())] + 1e-4
    expected = cumulative_dynamic_auc(y, y, scores, inner)[0]
    found = [auc_at(scores, time, event, t) for t in inner]
    assert found == pytest.approx(expected, abs=1e-12)
    for t, auc in zip(inner, found, strict=True):
        order, curve = order_at(time, event, t), roc_curve_at(scores, time, event, t)
        assert order.concordance(of_scores(scores, order)) == pytest.approx(auc, abs=1e-12)
        assert np.trapezoid(curve.tpr, curve.fpr) == pytest.approx(auc, abs=1e-12)
        assert (curve.fpr[0], curve.tpr[0], curve.fpr[-1], curve.tpr[-1]) == (0, 0, 1, 1)


@pytest.mark.parametrize("case", CASES)
def test_rates_against_loops(case):
    time, event = random_times(*case)
    scores, t = random_scores(time, case[-1]), float(np.median(time[event]))
    found, curve = horizon(time, event, t), roc_curve_at(scores, time, event, t)
    weight = dict(zip(found.cases.tolist(), found.case_weight, strict=True))
    for threshold, tpr, fpr in zip(curve.thresholds, curve.tpr, curve.fpr, strict=True):
        above = sum(w for k, w in weight.items() if scores[k] > threshold)
        assert tpr == pytest.approx(above / sum(weight.values()))
        assert fpr == pytest.approx(np.mean(scores[time > t] > threshold))


@pytest.mark.parametrize("case", CASES)
def test_weights_add_up_to_the_curve_of_kaplan_and_meier(case):
    time, event = random_times(*case)
    curve = kaplan_meier(time, event)
    for t, S in zip(curve.time, curve.survival, strict=True):
        found = horizon(time, event, t)
        if found is None:
            continue
        assert found.case_weight.sum() == pytest.approx(time.size * (1 - S))
        assert found.controls.size * found.control_weight == pytest.approx(time.size * S)
        assert found.share_of_cases == pytest.approx(1 - S)


def test_an_event_when_the_last_are_censored_has_a_weight():
    # 1/G(T) would be infinite for the event at 2.
    time, event = np.array([1.0, 2.0, 2.0, 2.0]), np.array([False, True, False, False])
    assert uno_weights(time, event) == pytest.approx([0, 16 / 9, 0, 0])
    y = Surv.from_arrays(event, time)
    with pytest.raises(ValueError, match="zero"):
        concordance_index_ipcw(y, y, np.arange(4.0))


@pytest.mark.parametrize("m", [8, 25, 60])
@pytest.mark.parametrize("n_times", [6, 1000])
def test_without_censoring(m, n_times):
    """Uno's C is Harrell's, and the AUC at t that of having had the event by then."""
    time = np.random.default_rng(m).integers(1, n_times, m).astype(float)
    event, scores = np.ones(m, dtype=bool), random_scores(time, m)
    order = uno_order(time, event)
    harrell = concordance_index_censored(event, time, scores)[0]
    assert order.concordance(of_scores(scores, order)) == pytest.approx(harrell, abs=1e-12)
    for t in np.unique(time)[:-1]:
        had_it = time <= t
        assert auc_at(scores, time, event, t) == pytest.approx(wmw_auc(scores, had_it), abs=1e-12)
        for found, expected in zip(
            roc_curve_at(scores, time, event, t), roc_curve(scores, had_it), strict=True
        ):
            assert found == pytest.approx(expected)
        assert horizon(time, event, t).share_of_cases == pytest.approx(had_it.mean())


def test_two_classes_are_those_of_delong():
    """An event at 1 against no event by 2 is a positive against a negative."""
    is_positive = np.arange(20) % 3 == 0
    time = np.where(is_positive, 1.0, 2.0)
    scores = random_scores(time, 0)
    placements = placements_of_scores(scores, is_positive)
    p, n = placements.positive.size, placements.negative.size
    parts = placements.variance
    # DeLong divides by m+ − 1 and m− − 1, this by m − 1.
    variance = 20 / 19 * (parts.positive * (p - 1) / p + parts.negative * (n - 1) / n)
    for order in (
        Order.of_times(time, is_positive),
        uno_order(time, is_positive),
        order_at(time, is_positive, 1.5),
    ):
        U = of_scores(scores, order)
        assert order.concordance(U) == pytest.approx(wmw_auc(scores, is_positive), abs=1e-15)
        assert order.placement_variance(U) == pytest.approx(variance)


@pytest.mark.parametrize("seed", range(20))
def test_times_that_nobody_shares_against_scikit_survival(seed):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(10, 60))
    time, event = rng.exponential(size=m), rng.random(m) < 0.4
    event[np.argsort(time)[m // 4]] = True
    scores, y = random_scores(time, seed), Surv.from_arrays(event, time)
    tau, t = np.quantile(time, 0.7), np.median(time)
    order = uno_order(time, event, tau)
    expected = concordance_index_ipcw(y, y, scores, tau)[0]
    assert order.concordance(of_scores(scores, order)) == pytest.approx(expected, abs=1e-12)
    expected = cumulative_dynamic_auc(y, y, scores, [t])[0]
    assert [auc_at(scores, time, event, t)] == pytest.approx(expected, abs=1e-12)
