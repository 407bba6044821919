"""Differences of concordances, against loops and the variance of the difference."""

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor

import tlpo
from oracles import noise_of_pairs
from tlpo.roc.difference import difference_variance
from tlpo.roc.order import Order


@pytest.fixture(scope="module")
def played():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 4))
    y = np.round(X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=40), 1)
    models = (Ridge(), KNeighborsRegressor(3), Ridge(alpha=100.0))
    return X, y, [tlpo.concordance(model, X, y) for model in models]


def test_the_difference_against_a_loop(played):
    _, y, (a, b, _) = played
    found = tlpo.compare(a, b, names=["ridge", "knn"])
    order = Order.of_values(y)
    U, V = (c.win_matrix()[order.winner, order.loser] for c in (a, b))
    apart = U - V
    assert found.difference == pytest.approx(apart.mean())
    psi = np.zeros(40)
    each = order.winner, order.loser, (apart - apart.mean()) / U.size
    for i, j, d in zip(*each, strict=True):
        psi[[i, j]] += d
    placement = 40 / 39 * np.sum(psi**2)
    assert found.placement_variance == pytest.approx(placement)
    without = a._evidence.without_each - b._evidence.without_each
    jackknife = 39 / 40 * np.sum((without - without.mean()) ** 2)
    assert found.jackknife_variance == pytest.approx(jackknife)
    noise = noise_of_pairs({(i, j): d for i, j, d in zip(*each, strict=True)}, range(40))
    apiece = [x._evidence.jackknife_variance / x._evidence.placement_variance for x in (a, b)]
    factor = min(np.sqrt(jackknife / placement), max(2.0, *np.sqrt(apiece)))
    assert factor > 1
    variance = (placement - noise) * factor
    assert found.variance == pytest.approx(variance)
    half = student.ppf(0.975, 39) * np.sqrt(variance)
    assert (found.low, found.high) == pytest.approx(
        (found.difference - half, found.difference + half)
    )
    assert found.p_value == pytest.approx(
        2 * student.sf(abs(found.difference) / np.sqrt(variance), 39)
    )
    assert found.measure == "concordance"
    assert repr(found).splitlines()[1] == (
        f"  concordance  {a.concordance:.4f} and {b.concordance:.4f}"
    )


def test_groups_count_as_units_where_games_are_noisy(played):
    X, y, _ = played
    groups = np.arange(40) % 9
    a, b = (tlpo.concordance(m, X, y, groups=groups) for m in (Ridge(), KNeighborsRegressor(3)))
    found = tlpo.compare(a, b)
    order = Order.of_values(y)
    apart = np.subtract(*(c.win_matrix()[order.winner, order.loser] for c in (a, b)))
    moves = {}
    for i, j, d in zip(order.winner, order.loser, apart - apart.mean(), strict=True):
        pair = groups[i], groups[j]
        moves[pair] = moves.get(pair, 0.0) + (d / apart.size if i % 9 != j % 9 else 0.0)
    noise = noise_of_pairs(moves, range(9))
    factors = a._evidence.factor, b._evidence.factor
    both = found.placement_variance, found.jackknife_variance
    assert 0 < noise < both[0]
    assert found.variance == pytest.approx(difference_variance(*both, noise, factors))


def test_several_models_and_the_best(played):
    _, _, models = played
    table = tlpo.compare(*models, names=list("abc")).to_frame()
    assert table["concordance_first"].tolist() == [models[k].concordance for k in (0, 0, 1)]
    assert (table["p_value_holm"] >= table["p_value"]).all()
    best = tlpo.choose(*models, names=list("abc"))
    values = [c.concordance for c in models]
    assert best.winner == "abc"[int(np.argmax(values))]
    assert best.uncorrected == max(values)
    assert best.auc == pytest.approx(max(values) - best.optimism)
    assert best.low < best.auc < best.high
    assert best.measure == "concordance"
    assert list(best.to_frame()["concordance"]) == sorted(values, reverse=True)


def test_a_model_does_not_differ_from_itself(played):
    X, y, (a, *_) = played
    found = tlpo.compare(a, tlpo.concordance(Ridge(), X, y))
    assert (found.difference, found.p_value) == (0.0, 1.0)
    assert (found.low, found.high) == (0.0, 0.0)


def test_without_predictions_the_placements_are_doubled(played):
    X, y, (a, b, _) = played
    models = [tlpo.concordance(m, X, y, predictions=False) for m in (Ridge(), Ridge(alpha=9.0))]
    found = tlpo.compare(*models)
    assert found.jackknife_variance is None
    assert found.variance == pytest.approx(2 * found.placement_variance)
    assert found.notes[0].startswith("The table of held-out predictions was not kept")
    assert tlpo.compare(a, b).jackknife_variance is not None


def test_only_the_same_units_are_compared(played):
    X, y, (a, *_) = played
    other = tlpo.concordance(Ridge(), X, y[::-1])
    with pytest.raises(tlpo.InputError, match="Only results over the same units"):
        tlpo.compare(a, other)
    with pytest.raises(tlpo.InputError, match="Only results of one kind"):
        tlpo.compare(a, tlpo.tournament(Ridge(), X, y > 0))
    with pytest.raises(tlpo.InputError, match="40 units in result 1 and 20 in result 2"):
        tlpo.choose(a, tlpo.concordance(Ridge(), X[:20], y[:20]))
    few = tlpo.concordance(Ridge(), X, y, rounds=4, random_state=0, predictions=False)
    with pytest.raises(tlpo.InputError, match="Games are missing"):
        tlpo.compare(a, few)


def test_rounds_are_compared_on_the_games_of_both(played):
    X, y, _ = played
    models = (Ridge(), KNeighborsRegressor(3))
    a, b = (tlpo.concordance(m, X, y, rounds=10, random_state=0) for m in models)
    found = tlpo.compare(a, b)
    assert found.aucs == pytest.approx((a.concordance, b.concordance))
    assert found.variance == pytest.approx(2 * found.placement_variance)
    assert found.notes[0] == f"The {a.n_ordered} of 769 games that both finished count."
    assert found.notes[1].startswith("Not every pair has met")
    assert tlpo.choose(a, b).uncorrected == max(a.concordance, b.concordance)


# --- scores that were fixed beforehand


def test_a_fixed_score_against_a_loop(played):
    X, y, _ = played
    score = np.round(X[:, 0], 1)
    found = tlpo.assess(score, y, order=True)
    pairs = [(i, j) for i in range(40) for j in range(40) if y[i] > y[j]]
    U = {g: (score[g[0]] > score[g[1]]) + 0.5 * (score[g[0]] == score[g[1]]) for g in pairs}
    C = np.mean(list(U.values()))
    assert found.concordance == pytest.approx(C)
    psi = [sum(U[g] - C for g in pairs if k in g) for k in range(40)]
    variance = 40 / 39 * np.sum(np.square(psi)) / len(pairs) ** 2
    assert found.standard_error == pytest.approx(np.sqrt(variance))
    assert found.n_ordered == len(pairs)
    turned = tlpo.assess(score, y, order=True, larger_is_positive=False)
    assert turned.concordance == pytest.approx(1 - C)
    low, high = found.concordance_interval()
    assert low < C < high


def test_two_classes_have_delongs_variance(played):
    """But for m/(m − 1) in place of one factor per class."""
    X, y, _ = played
    is_high = y > 0
    own, known = tlpo.assess(X[:, 0], is_high, order=True), tlpo.assess(X[:, 0], is_high)
    assert own.concordance == pytest.approx(known.auc)
    assert own.standard_error == pytest.approx(known.standard_error, rel=0.03)


def test_scores_are_compared_on_the_units_that_have_both(played):
    X, y, _ = played
    one, other = X[:, 0].copy(), X[:, 1].copy()
    one[3], other[5] = np.nan, np.nan
    a, b = tlpo.assess(one, y, order=True), tlpo.assess(other, y, order=True)
    assert (a.n_missing, b.n_missing) == (1, 1)
    found = tlpo.compare(a, b)
    both = np.delete(np.arange(40), [3, 5])
    expected = [tlpo.assess(x[both], y[both], order=True).concordance for x in (one, other)]
    assert found.aucs == pytest.approx(expected)
    half = norm.ppf(0.975) * np.sqrt(found.variance)
    assert found.high == pytest.approx(found.difference + half)


def test_whole_numbers_that_doubles_round_are_ranked():
    scores = [2**53 + k for k in range(6)]
    assert tlpo.assess(scores, range(6), order=True).concordance == 1.0


def test_scores_without_ordered_units_are_refused():
    with pytest.raises(tlpo.InputError) as caught:
        tlpo.assess([1.0, 2.0, np.nan, np.nan], [0, 0, 1, 2], order=True)
    assert str(caught.value) == (
        "No two units of which one should win have a score.\n"
        "You passed 4 units, 2 of them with a score.\n"
        "Check that scores and y belong together."
    )
