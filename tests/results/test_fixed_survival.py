"""Scores that were fixed beforehand, and times to an event: against loops and scikit-survival."""

import itertools
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq
from scipy.stats import norm
from scipy.stats import t as student
from sksurv.metrics import concordance_index_censored

import survival_oracles as by_loops
import tlpo
from roc.times import CASES, random_times
from survival_oracles import patients, y_of
from tlpo.problem.times import read_times
from tlpo.roc.order import Order, independent_variance


def sample(m=40, seed=0, n_times=15):
    X, time, event = patients(m, seed=seed, n_times=n_times)
    return X[:, 0].round(1), time, event


def influence(score, time, event, size=1e-5):
    """How much C changes with the weight of each unit, by differences."""
    pairs = by_loops.ordered_pairs(time, event)
    U = np.array([by_loops.heaviside(score[i], score[j]) for i, j in pairs])
    i, j = np.array(pairs).T

    def weighted(k, change):
        w = np.ones(len(time))
        w[k] += change
        games = w[i] * w[j]
        return games @ U / games.sum()

    units = range(len(time))
    return np.array([(weighted(k, size) - weighted(k, -size)) / (2 * size) for k in units])


@pytest.mark.parametrize("case", CASES)
def test_the_concordance_is_that_of_scikit_survival(case):
    time, event = random_times(*case)
    score = np.random.default_rng(case[-1]).normal(size=time.size).round(1)
    expected, concordant, discordant, tied, _ = concordance_index_censored(event, time, score)
    a = tlpo.assess(score, y_of(time, event))
    assert isinstance(a, tlpo.FixedSurvival)
    assert a.concordance == pytest.approx(expected, abs=1e-12)
    assert a.n_ordered == concordant + discordant + tied
    turned = tlpo.assess(score, y_of(time, event), larger_is_positive=False)
    assert turned.concordance == pytest.approx(1 - expected)
    assert turned.standard_error == pytest.approx(a.standard_error)


@pytest.mark.parametrize("seed", range(5))
def test_the_standard_error_is_the_infinitesimal_jackknife(seed):
    score, time, event = sample(seed=seed)
    a = tlpo.assess(score, y_of(time, event))
    expected = np.sqrt(40 / 39 * np.sum(influence(score, time, event) ** 2))
    assert a.standard_error == pytest.approx(expected, rel=1e-6)
    # With groups, whole groups change their weight.
    groups = np.arange(40) // 4
    sums = influence(score, time, event).reshape(10, 4).sum(axis=1)
    grouped = tlpo.assess(score, y_of(time, event), groups=groups)
    assert grouped.standard_error == pytest.approx(np.sqrt(10 / 9 * np.sum(sums**2)), rel=1e-6)
    assert grouped.p_value is None


def test_the_p_value_has_the_variance_of_all_permutations():
    time, event = np.array([2.0, 3.0, 3.0, 5.0, 6.0, 8.0]), np.array([1, 1, 0, 1, 0, 1], dtype=bool)
    pairs = by_loops.ordered_pairs(time, event)
    every = [by_loops.share(np.array(s), pairs) for s in itertools.permutations(range(6))]
    assert np.mean(every) == pytest.approx(0.5)
    a = tlpo.assess([6, 5, 1, 4, 2, 3], y_of(time, event))
    z = (a.concordance - 0.5) / np.std(every)
    assert a.p_value == pytest.approx(2 * norm.sf(abs(z)))
    turned = tlpo.assess([6, 5, 1, 4, 2, 3], y_of(time, event), larger_is_positive=False)
    assert turned.p_value == pytest.approx(a.p_value)
    assert tlpo.assess(np.zeros(6), y_of(time, event)).p_value == 1.0


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("grouped", [False, True])
def test_intervals_against_their_equation(seed, grouped):
    score, time, event = sample(seed=seed)
    groups = np.arange(40) // 2 if grouped else None
    a = tlpo.assess(score, y_of(time, event), groups=groups)
    t = float(np.median(time[event]))
    cases, controls, weight = by_loops.cases_and_controls(time, event, t)
    squared = {i: by_loops.still_followed(time, event, time[i]) ** -2.0 for i in range(40)}
    every = by_loops.ordered_pairs(time, event)
    for found, pairs, own in (
        (a.concordance_interval(0.9), every, dict.fromkeys(range(40), 1.0)),
        (a.uno_interval(confidence_level=0.9), every, squared),
        (a.auc_at_interval(t, 0.9), [(i, j) for i in cases for j in controls], weight),
    ):
        winner, loser = np.array(pairs).T
        order = Order(winner, loser, 40, np.array([own[i] for i in winner]))
        C = by_loops.share(score, pairs, own)
        U = np.heaviside(score[winner] - score[loser], 0.5)
        psi = np.zeros(40)
        for k, w, u in zip(pairs, order.weight, U, strict=True):
            psi[list(k)] += w * (u - C) / order.weight.sum()
        sums = psi if groups is None else psi.reshape(20, 2).sum(axis=1)
        variance = sums.size / (sums.size - 1) * np.sum(sums**2)
        phi = max(1.0, variance / independent_variance(C, order.counts))
        if grouped:
            phi = max(phi, variance / (40 / 39 * np.sum(psi**2)))
        df = None if groups is None else np.unique(groups[event]).size - 1
        z = norm.ppf(0.95) if df is None else student.ppf(0.95, df)

        def outside(theta, C=C, z=z, phi=phi, counts=order.counts):
            return (C - theta) ** 2 - z**2 * phi * independent_variance(theta, counts)

        assert found.estimate == pytest.approx(C)
        assert tuple(found) == pytest.approx((brentq(outside, 0, C), brentq(outside, C, 1)))
        assert (found.method, found.degrees_of_freedom) == ("score", df)


@pytest.mark.parametrize("seed", range(3))
def test_measures_at_times_against_loops(seed):
    score, time, event = sample(seed=seed)
    a = tlpo.assess(score, y_of(time, event))
    assert a.uno() == pytest.approx(by_loops.uno(score, time, event))
    assert a.uno(9.0) == pytest.approx(by_loops.uno(score, time, event, 9.0))
    for t in (2.0, 3.5, 6.0):
        assert a.auc_at(t) == pytest.approx(by_loops.auc_at(score, time, event, t))
        curve = a.roc_curve_at(t)
        for fpr, tpr, cut in zip(curve.fpr, curve.tpr, curve.thresholds, strict=True):
            assert (fpr, tpr) == pytest.approx(by_loops.rates_at(score, time, event, t, cut))
        assert np.trapezoid(curve.tpr, curve.fpr) == pytest.approx(a.auc_at(t))
        for specificity in (0.0, 0.6, 1.0):
            expected = by_loops.sensitivity_at(score, time, event, t, specificity)
            found = a.sensitivity_at(specificity=specificity, time=t)
            assert found == pytest.approx(expected)
    with pytest.raises(tlpo.InputError, match=r"specificity must be between 0 and 1\."):
        a.sensitivity_at(specificity=1.5, time=2.0)


def test_units_without_a_score_take_no_part():
    score, time, event = sample()
    score[[3, 8, 21]] = np.nan
    rated = ~np.isnan(score)
    a, own = (
        tlpo.assess(s, y_of(t, e))
        for s, t, e in ((score, time, event), (score[rated], time[rated], event[rated]))
    )
    assert a.n_missing == 3
    for ask in (
        lambda b: b.concordance,
        lambda b: b.n_ordered,
        lambda b: b.standard_error,
        lambda b: b.p_value,
        lambda b: tuple(b.concordance_interval()),
        lambda b: b.uno(),
        lambda b: tuple(b.uno_interval()),
        lambda b: b.auc_at(4.0),
        lambda b: tuple(b.auc_at_interval(4.0)),
        lambda b: b.roc_curve_at(4.0).tpr.tolist(),
        lambda b: np.concatenate([curve.survival for curve in b.risk_groups(3).curves]),
        lambda b: b.risk_groups(3).test.p_value,
    ):
        assert ask(a) == pytest.approx(ask(own))
    assert a.risk_groups(3).member[[3, 8, 21]].tolist() == [-1, -1, -1]
    assert repr(a).splitlines()[0].endswith("; 3 without a score")


def test_scores_of_which_none_are_ordered():
    y = tlpo.time_to_event([1, 2, 3, 4], [0, 1, 0, 1])
    with pytest.raises(tlpo.InputError) as caught:
        tlpo.assess([1.0, np.nan, 2.0, 3.0], y)
    assert str(caught.value) == (
        "No two units of which one should win have a score.\n"
        "You passed 4 units, 3 of them with a score.\n"
        "Check that scores and y belong together."
    )
    with pytest.raises(tlpo.InputError) as caught:
        tlpo.assess([1.0, 2.0, 3.0], y)
    assert str(caught.value).startswith("scores and y must describe the same units.\nYou passed 3 ")


def test_whole_numbers_that_doubles_round_are_ranked():
    scores, y = [2**53 + 6 - k for k in range(6)], tlpo.time_to_event(range(1, 7), [1] * 6)
    a = tlpo.assess(scores, y)
    assert (a.concordance, a.uno(), a.auc_at(3.0)) == (1.0, 1.0, 1.0)
    assert [curve.at_risk[0] for curve in a.risk_groups(3).curves] == [2, 2, 2]


def test_two_scores_are_compared_on_the_units_that_have_both():
    score, time, event = sample()
    other = np.random.default_rng(1).normal(size=40)
    score[3], other[5] = np.nan, np.nan
    y, both = y_of(time, event), np.delete(np.arange(40), [3, 5])
    a, b = tlpo.assess(pd.Series(score, name="one"), y), tlpo.assess(other, y)
    found = tlpo.compare(a, b)
    own = [tlpo.assess(x[both], y[both]).concordance for x in (score, other)]
    assert found.aucs == pytest.approx(own)
    gap = influence(score[both], time[both], event[both])
    gap -= influence(other[both], time[both], event[both])
    error = np.sqrt(38 / 37 * np.sum(gap**2))
    half = norm.ppf(0.975) * error
    assert (found.low, found.high) == pytest.approx(
        (found.difference - half, found.difference + half), rel=1e-5
    )
    assert found.p_value == pytest.approx(2 * norm.sf(abs(found.difference) / error), rel=1e-5)
    assert found.names == ("one", "score")
    with pytest.raises(tlpo.InputError, match="Only results over the same units"):
        tlpo.compare(a, tlpo.assess(other, y_of(time + 1, event)))


def test_what_it_says_and_keeps():
    score, time, event = sample()
    names = [f"P{k}" for k in range(40)]
    a = tlpo.assess(pd.Series(score, name="crp", index=names), y_of(time, event))
    low, high = a.concordance_interval()
    assert repr(a).splitlines() == [
        f"crp, fixed beforehand: 40 units, {event.sum()} events, times from 1 to 15",
        f"  concordance  {a.concordance:.4f} (95 % interval {low:.4f} to {high:.4f})",
        f"  Uno's        {a.uno():.4f}",
        f"  p-value      {a.p_value:.4g} (no association, score test)",
        "  earlier      larger values",
    ]
    turned = tlpo.assess(score, y_of(time, event), larger_is_positive=False, groups=names)
    assert repr(turned).splitlines()[-1] == "  earlier      smaller values"
    assert "p-value" not in repr(turned)
    frame = a.to_frame()
    assert frame.index.tolist() == names
    assert frame.columns.tolist() == ["time", "event", "score"]
    assert (frame["time"].tolist(), frame["event"].tolist()) == (time.tolist(), event.tolist())
    again = pickle.loads(pickle.dumps(a))
    assert repr(again) == repr(a)
    # What a table of the package holds is taken as it is, with what it says about codes.
    times = read_times(time, np.where(event, 2, 1), None)
    assert tlpo.assess(score, times).concordance == a.concordance
    assert "(2 is the event)" in repr(tlpo.assess(score, times))
