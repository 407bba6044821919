"""A jackknife variance from drawn units, against that of the whole table."""

import numpy as np
import pytest

import tlpo
from tlpo.roc import drawn
from tlpo.roc.drawn import Draw, Drawn, Estimate, Shifts
from tlpo.roc.evidence import measure_drawn


def tournament_of(m, positive=0.5, n=5, signal=0.0):
    rng = np.random.default_rng(m)
    y = np.arange(m) < positive * m
    return tlpo.tournament(tlpo.RLS(), rng.normal(size=(m, n)) + signal * y[:, None], y)


def estimated(t, third, units, seed=0, factor=None):
    """Estimate the variance from a draw, with games and predictions taken from the table."""
    F, y = t.predictions, t.labels.is_positive
    draw = Draw.of(y.astype(np.intp), third, units, seed)
    shifts = Shifts.of(draw, F[np.ix_(draw.units, draw.third)], third == y.size)
    found, winner, loser = shifts.close_games(y.astype(np.intp), None)
    i, j = draw.units[winner], draw.units[loser]
    D = F[i, j] - F[j, i]
    change = shifts.replay(winner, loser, D, np.heaviside(D, 0.5), factor or found)
    p, n = np.count_nonzero(y), np.count_nonzero(~y)
    change /= p * n - np.where(y[draw.third], n, p)
    left = 1.0 - draw.share[winner].mean(), 1.0 - draw.share[loser].mean()
    found = Drawn(draw.third, draw.weight, change, left)
    evidence = measure_drawn(t.auc, t._placements, y, found)
    return found.variance(evidence.own, evidence.strata)


@pytest.mark.parametrize(("m", "positive", "signal"), [(61, 0.5, 0.0), (80, 0.1, 0.8)])
def test_all_units_drawn_against_the_table(m, positive, signal):
    t = tournament_of(m, positive, signal=signal)
    found = estimated(t, m, m)
    assert found.value == pytest.approx(t._evidence.jackknife_variance, rel=1e-9)
    assert found.error == 0.0


@pytest.mark.parametrize(
    ("third", "units"), [(60, 200), (200, 100), (60, 100)], ids=["third units", "units", "both"]
)
def test_a_draw_is_unbiased(third, units):
    """40 draws; the mean is within four Monte-Carlo errors of the truth."""
    t = tournament_of(200, 0.4, signal=0.2)
    truth = t._evidence.jackknife_variance
    draws = [estimated(t, third, units, seed, factor=1.0) for seed in range(40)]
    values = np.array([draw.value for draw in draws]) / truth
    error = values.std(ddof=1) / np.sqrt(len(draws))
    assert abs(values.mean() - 1.0) < 4.0 * error < 0.35
    # The error that is said is about the one that is seen, rather larger.
    said = np.sqrt(np.mean([draw.error**2 for draw in draws])) / truth
    assert 0.6 * values.std() < said < 3.0 * values.std()


def test_without_the_correction_a_draw_is_too_large(monkeypatch):
    t = tournament_of(200, 0.4, signal=0.2)
    truth = t._evidence.jackknife_variance
    monkeypatch.setattr(Drawn, "_squares", lambda _, change: change.sum(axis=(0, 1)) ** 2)
    values = [estimated(t, 200, 60, seed, factor=1.0).value for seed in range(20)]
    assert np.mean(values) > 1.2 * truth


def test_widened_shifts_leave_the_variance():
    """Single games that turn are averaged over, which takes away a few per cent at this size."""
    t = tournament_of(400, 0.4, signal=0.2)
    truth = t._evidence.jackknife_variance
    values = [estimated(t, 400, 200, seed, factor=2.0).value / truth for seed in range(20)]
    assert 0.85 < np.mean(values) < 1.1


def test_a_draw_takes_all_of_a_rare_kind():
    draw = Draw.of(np.repeat([0, 1], [500, 20]), third=100, units=200)
    assert np.count_nonzero(draw.third >= 500) == 20
    assert np.count_nonzero(draw.units >= 500) == 20
    assert draw.weight.sum() == pytest.approx(520)
    assert np.unique(draw.share).tolist() == [180 / 500, 1.0]


def test_chances_of_pairs_against_counting():
    """All 6 · 4 = 24 draws of 2 of 4 and 1 of 4 units are equally likely."""
    draw = Draw.of(np.repeat([0, 1], [4, 4]), third=8, units=8)
    fewer = draw.first(4)
    places = np.arange(fewer.units.size)
    kinds = fewer.kind
    same = [(i, j) for i in places for j in places if i != j and kinds[i] == kinds[j]]
    if same:
        first, second = np.array(same).T
        size = np.bincount(kinds)[kinds[first]]
        assert fewer.chance(first, second) == pytest.approx(size * (size - 1) / 12.0)
    across = np.array([(i, j) for i in places for j in places if kinds[i] != kinds[j]]).T
    sizes = np.bincount(kinds)
    assert fewer.chance(*across) == pytest.approx(sizes[0] * sizes[1] / 16.0)


def test_fewer_units_keep_their_order_and_shares():
    draw = Draw.of(np.repeat([0, 1], [400, 100]), units=300)
    fewer = draw.first(150)
    assert set(fewer.units) < set(draw.units)
    for kind, there_are in ((0, 400), (1, 100)):
        own = fewer.kind == kind
        assert fewer.share[own] == pytest.approx(np.count_nonzero(own) / there_are)


def test_a_variance_that_a_draw_leaves_open_is_raised_by_its_error():
    assert Estimate(2.0, 0.39).careful == 2.0
    assert Estimate(2.0, 0.41).careful == 2.41
    assert Estimate(0.0, 0.1).careful == 0.1
    assert Estimate(0.0, 0.0).careful == 0.0
    t = tournament_of(60)
    found = Drawn(
        np.arange(60), np.ones(60), np.random.default_rng(0).normal(size=(8, 8, 60)), (0.9, 0.9)
    )
    evidence = measure_drawn(t.auc, t._placements, t.labels.is_positive, found)
    shown = evidence.drawn_variance
    assert shown.error > 0.2 * shown.value
    assert evidence.jackknife_variance == shown.value + shown.error


def test_the_width_error_against_widths():
    found = Estimate(2.0, 0.04)
    assert found.width_error(1.7) == pytest.approx(0.005, rel=1e-3)
    # φ is at least 1, so that only a larger variance would widen the interval.
    assert found.width_error(0.999) == pytest.approx((np.sqrt(0.999) * 1.02**0.25 - 1) / 2)
    assert found.width_error(0.9) == 0.0
    assert Estimate(0.0, 0.0).width_error(1.7) == 0.0
    # Of a variance that may be anything from 0 to twice the one that is used.
    found = Estimate(0.0, 0.04).width_error(1.7)
    assert found == pytest.approx((np.sqrt(1.7 * np.sqrt(2.0)) - 1.0) / (2.0 * np.sqrt(1.7)))


def test_a_difference_of_equal_models_is_that_of_the_placements():
    change = np.zeros((drawn.BLOCKS, drawn.BLOCKS, 4))
    found = Drawn(np.arange(4), np.full(4, 2.0), change, (0.5, 0.5))
    everyone = [np.ones(8, dtype=bool)]
    assert drawn.drawn_difference(found - found, np.zeros(8), everyone, 0.3) == 0.3


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("m", "positive", "n"), [(1000, 0.5, 10), (2000, 0.3, 30), (2000, 0.03, 5)]
)
def test_the_default_draw_of_large_samples_against_the_table(m, positive, n):
    """12 draws of half the units; widened shifts may take away 5 % of the variance."""
    t = tournament_of(m, positive, n, signal=0.1)
    truth = t._evidence.jackknife_variance
    draws = [estimated(t, 256, m // 2, seed) for seed in range(12)]
    values = np.array([draw.value for draw in draws]) / truth
    error = values.std(ddof=1) / np.sqrt(len(draws))
    assert -0.05 - 3.0 * error < values.mean() - 1.0 < 0.03 + 3.0 * error
    assert values.std(ddof=1) < 0.2
