"""Concordance of numbers and grades, against plain loops over every pair."""

import itertools
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, somersd
from scipy.stats import t as student
from sklearn.base import clone
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.svm import SVR, LinearSVC
from sklearn.tree import DecisionTreeRegressor

import tlpo
from tlpo.roc.order import Order, independent_variance


def sample(m=16, seed=0, grades=None):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, 3))
    y = X[:, 0] + rng.normal(size=m)
    return X, (y if grades is None else np.digitize(y, np.quantile(y, grades)).astype(float))


def loop(model, X, y):
    """Every pair by its definition: wins of all units, U of the ordered pairs, F."""
    m = len(y)
    F = np.full((m, m), np.nan)
    for i, j in itertools.combinations(range(m), 2):
        train = [k for k in range(m) if k not in (i, j)]
        fitted = clone(model).fit(X[train], y[train])
        F[i, j], F[j, i] = fitted.predict(X[[i, j]])
    wins = np.heaviside(np.nan_to_num(F - F.T), 0.5)
    np.fill_diagonal(wins, 0.0)
    pairs = [(i, j) for i in range(m) for j in range(m) if y[i] > y[j]]
    return wins, {(i, j): wins[i, j] for i, j in pairs}, F


@pytest.mark.parametrize("grades", [None, (0.3, 0.6), (0.5,)])
@pytest.mark.parametrize("model", [Ridge(), DecisionTreeRegressor(max_depth=2, random_state=0)])
def test_against_a_loop_over_every_pair(model, grades):
    X, y = sample(m=12, grades=grades)
    wins, U, F = loop(model, X, y)
    c = tlpo.concordance(model, X, y)
    assert c.concordance == pytest.approx(np.mean(list(U.values())))
    assert c.somers_d == pytest.approx(2 * np.mean(list(U.values())) - 1)
    assert c.scores.tolist() == wins.sum(axis=1).tolist()
    assert c.n_ordered == len(U)
    assert c.n_ties == int(np.sum(np.triu(wins == 0.5, 1)))
    np.testing.assert_allclose(c.predictions, F, rtol=1e-9)
    np.testing.assert_array_equal(np.nan_to_num(c.win_matrix()), wins)
    assert c.standings.wins[:, 0].sum() == pytest.approx(sum(U.values()))


def test_predictions_are_in_the_units_of_the_outcome():
    X, y = sample()
    small, large = (tlpo.concordance(Ridge(), X, y * size) for size in (1e-9, 1e9))
    assert small.concordance == large.concordance == tlpo.concordance(Ridge(), X, y).concordance
    np.testing.assert_allclose(small.predictions * 1e18, large.predictions, rtol=1e-9)
    refitted = tlpo.concordance(Ridge(), X, y * 1e-9, engine="refit")
    assert refitted.standings.wins.tolist() == small.standings.wins.tolist()


def test_a_fixed_ranking_has_somers_d():
    """A model that passes its only feature on ranks as the feature does."""
    X, y = sample(m=30, grades=(0.2, 0.5, 0.7))
    model = LinearRegression()
    c = tlpo.concordance(model, X[:, [0]], y)
    assert c.somers_d == pytest.approx(somersd(y, X[:, 0]).statistic)


def test_a_constant_model_ties_and_two_classes_are_the_auc():
    X, y = sample(m=20, grades=(0.5,))
    assert tlpo.concordance(DummyRegressor(), X, y).concordance == 0.5
    t, c = tlpo.tournament(tlpo.RLS(), X, y == 1), tlpo.concordance(tlpo.RLS(), X, 2 * y - 1)
    assert c.concordance == t.auc
    assert c.scores.tolist() == t.scores.tolist()
    assert c.consistency == t.consistency


def test_the_interval_solves_its_equation():
    X, y = sample(m=40, seed=2)
    c = tlpo.concordance(Ridge(), X, y)
    found = c.concordance_interval(0.9)
    evidence, order = c._evidence, Order.of_values(y)
    variance = np.sqrt(found.placement_variance * found.jackknife_variance)
    phi = max(1.0, variance / independent_variance(c.concordance, order.counts))
    assert found.phi == pytest.approx(phi)
    for theta in found:
        own = norm.ppf(0.95) ** 2 * phi * independent_variance(theta, order.counts)
        assert (c.concordance - theta) ** 2 == pytest.approx(own, rel=1e-6)
    assert found.method == "placement-jackknife"
    assert found.degrees_of_freedom is None
    assert evidence.n_off_mode == 39


def test_few_different_outcomes_get_students_quantile():
    X, y = sample(m=30)
    y = np.where(np.arange(30) < 6, np.arange(30) + 1.0, 0.0)
    c = tlpo.concordance(Ridge(), X, y)
    found = c.concordance_interval()
    assert found.degrees_of_freedom == 5.0
    own = student.ppf(0.975, 5) ** 2 * found.phi
    own *= independent_variance(found.low, Order.of_values(y).counts)
    assert (c.concordance - found.low) ** 2 == pytest.approx(own, rel=1e-6)


def test_without_predictions_the_variance_is_doubled():
    X, y = sample(m=30)
    c = tlpo.concordance(Ridge(), X, y, predictions=False)
    with pytest.warns(UserWarning, match="was not kept"):
        found = c.concordance_interval()
    assert (found.method, found.phi) == ("inflated", 2.0)
    whole = tlpo.concordance(Ridge(), X, y)
    assert found.placement_variance == pytest.approx(
        whole.concordance_interval().placement_variance
    )
    assert c.predictions is None
    assert c.win_matrix() is None


def test_rounds_add_the_variance_of_the_draw():
    X, y = sample(m=40)
    c = tlpo.concordance(Ridge(), X, y, rounds=10, random_state=0)
    found = c.concordance_interval()
    every = Order.of_values(y).counts
    added = (1 - 10 / 39) * c.concordance * (1 - c.concordance) / c.n_ordered
    own = independent_variance(c.concordance, every)
    assert found.phi == pytest.approx(2.0 + added / own)
    assert c.opponents == 10
    assert "every unit met 10 of 39 others" in repr(c)
    with pytest.raises(tlpo.InputError, match="Subgroups need the games of every pair"):
        c.by(np.arange(40) % 2)


def test_groups_are_left_out_together_and_add_up():
    X, y = sample(m=24)
    groups = np.arange(24) // 3
    c = tlpo.concordance(Ridge(), X, y, groups=groups)
    refitted = tlpo.concordance(Ridge(), X, y, groups=groups, engine="refit")
    assert c.standings.wins.tolist() == refitted.standings.wins.tolist()
    order, U = c._ordered_games()
    expected = order.placement_variance(U, groups)
    found = c.concordance_interval()
    assert found.placement_variance == pytest.approx(expected)
    without = order.without_groups(U, c._table.full(), groups)
    for group in range(8):
        kept = (groups[order.winner] != group) & (groups[order.loser] != group)
        assert abs(without[group] - U[kept].mean()) < 0.2
    spread = 7 / 8 * np.sum((without - without.mean()) ** 2)
    assert found.jackknife_variance == pytest.approx(spread)


def test_without_groups_against_a_loop():
    rng = np.random.default_rng(1)
    F = rng.normal(size=(9, 9))
    np.fill_diagonal(F, np.nan)
    y, groups = rng.normal(size=9), np.array([0, 0, 1, 1, 1, 2, 3, 3, 2])
    order = Order.of_values(y)
    U = np.heaviside(F[order.winner, order.loser] - F[order.loser, order.winner], 0.5)
    d = np.nanmean(F, axis=1)
    expected = []
    for g in range(4):
        shift = np.nanmean(F[:, groups == g], axis=1) - d
        left = [(i, j) for i in range(9) for j in range(9) if y[i] > y[j]]
        left = [(i, j) for i, j in left if g not in (groups[i], groups[j])]
        expected.append(np.mean([F[i, j] + shift[i] > F[j, i] + shift[j] for i, j in left]))
    assert order.without_groups(U, F, groups) == pytest.approx(expected)


def test_subgroups_compare_only_their_own_units():
    X, y = sample(m=40, grades=(0.25, 0.5, 0.75))
    c = tlpo.concordance(Ridge(), X, y)
    sex = np.repeat(["men", "women", None], [20, 17, 3])
    table = c.by(sex)
    wins = c.win_matrix()
    for name, inside in (("men", np.arange(20)), ("women", np.arange(20, 37))):
        pairs = [(i, j) for i in inside for j in inside if y[i] > y[j]]
        row = table.loc[name]
        assert row["concordance"] == pytest.approx(np.mean([wins[i, j] for i, j in pairs]))
        assert (row["units"], row["ordered"]) == (len(inside), len(pairs))
        assert row["low"] < row["concordance"] < row["high"]
    assert table.iloc[-1]["note"].startswith("too small")


def test_ordered_categories_and_names_are_their_places():
    X, _ = sample()
    names = np.array(["low", "mid", "high"])[np.arange(16) % 3]
    codes = (np.arange(16) % 3).astype(float)
    expected = tlpo.concordance(Ridge(), X, codes).standings.wins.tolist()
    graded = pd.Series(pd.Categorical(names, ["low", "mid", "high"], ordered=True))
    assert tlpo.concordance(Ridge(), X, graded).standings.wins.tolist() == expected
    c = tlpo.concordance(Ridge(), X, names, order=["low", "mid", "high"])
    assert c.standings.wins.tolist() == expected
    assert c.to_frame()["outcome"].tolist() == names.tolist()
    assert c.outcome.count == "16 units, 3 grades: 'low' (6), 'mid' (5), 'high' (5)"


def test_a_classifier_of_grades_ranks_by_the_mean_grade():
    X, y = sample(m=14, grades=(0.3, 0.6))
    model = RandomForestClassifier(5, random_state=0)
    c = tlpo.concordance(model, X, y.astype(int))
    train = np.arange(2, 14)
    fitted = clone(model).fit(X[train], y[train])
    expected = fitted.predict_proba(X[[0, 1]]) @ fitted.classes_
    assert c.predictions[[0, 1], [1, 0]] == pytest.approx(expected)
    with pytest.raises(tlpo.InputError) as caught:
        tlpo.concordance(LinearSVC(), X, y)
    assert str(caught.value) == (
        "The classifier does not say which grade it expects on average.\n"
        "You passed LinearSVC, which has no predict_proba.\n"
        "Use a regressor, or a classifier with probabilities."
    )


def test_results_keep_no_features_and_survive_a_pickle():
    X, y = sample()
    c = tlpo.concordance(Ridge(), X, y)
    again = pickle.loads(pickle.dumps(c))
    assert again.concordance_interval().low == c.concordance_interval().low
    assert not any(np.shares_memory(X, v) for v in vars(c).values() if isinstance(v, np.ndarray))


def test_failed_games_are_left_out_and_counted():
    class Moody(SVR):
        def fit(self, X, y, sample_weight=None):
            if y.max() < 1.5:
                raise ValueError("too small")
            return super().fit(X, y, sample_weight)

    X, y = sample(m=12, seed=4)
    y = np.where(np.arange(12) == 0, 2.0, np.minimum(y, 1.0))
    c = tlpo.concordance(Moody(), X, y, on_error="skip")
    assert np.isnan(c.scores[0])
    assert c.diagnostics.pairs_failed == 11
    assert not np.isnan(c.concordance_interval().low)
    assert "Games are missing" in c.concordance_interval().notes[0]


def test_repr_and_html_have_the_interval():
    X, y = sample(m=20)
    c = tlpo.concordance(Ridge(), X, y)
    low, high = c.concordance_interval()
    assert f"concordance  {c.concordance:.4f} ({low:.4f} to {high:.4f}, 95 % interval)" in repr(c)
    assert "Somers&#x27; D" in c._repr_html_()


def test_a_tournament_says_what_to_call_for_numbers():
    X, y = sample()
    with pytest.raises(tlpo.InputError, match=r"tlpo\.concordance\.$"):
        tlpo.tournament(Ridge(), X, y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (
            [0.0] * 14 + [1.0, 2.0],
            "Too few units differ from the most common value of y: leaving out two of them must "
            "leave one to train on.\nYou passed 16 units, 3 values: 0 (14), 1 (1), 2 (1); 2 differ "
            "from it.\nCollect at least 3 units with other values.",
        ),
        (
            [3.0] * 16,
            "y must have at least two different values.\nYou passed 3.0 for all 16 units.\n"
            "Units with equal values are tied in the outcome and cannot be ordered.",
        ),
    ],
)
def test_outcomes_that_order_too_few(y, message):
    X, _ = sample()
    with pytest.raises(tlpo.InputError) as caught:
        tlpo.concordance(Ridge(), X, y)
    assert str(caught.value) == message


def test_groups_that_leave_only_peers():
    X, _ = sample(m=12)
    y = np.where(np.arange(12) < 4, np.arange(12) + 1.0, 0.0)
    with pytest.raises(tlpo.InputError) as caught:
        tlpo.concordance(Ridge(), X, y, groups=np.arange(12) // 2)
    assert str(caught.value) == (
        "Leaving out the pair (0, 2) and the units that go with it leaves only units with equal "
        "values of y to train on.\nYou passed 12 units, 5 values: 0 (8), 1 (1), 2 (1), 3 (1), "
        "4 (1); 8 units would be left.\nUse smaller groups, or pass on_error='skip' to leave such "
        "games out and count them."
    )
    skipped = tlpo.concordance(Ridge(), X, y, groups=np.arange(12) // 2, on_error="skip")
    assert skipped.diagnostics.pairs_failed == 4
    assert skipped.diagnostics.failures == {
        "only units with equal outcomes would be left to train on": 4
    }
