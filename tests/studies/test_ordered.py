"""The study of the concordance: its samples, its truth, and the tables made from it."""

import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.tree import DecisionTreeRegressor

import tlpo
from studies import measured, ordered, ordered_page
from studies.marked import DOCS, read_block
from studies.ordered import GroupedOrderedSimulation, OrderedSimulation
from studies.trees import forest_tables
from tlpo.roc.order import concordance_of_scores


@pytest.mark.parametrize("digits", [0, 1, 9])
def test_concordance_by_sorting_against_all_pairs(digits):
    rng = np.random.default_rng(digits)
    scores = rng.normal(size=200).round(digits)
    y = (scores + rng.normal(size=200)).round(digits)
    level = np.unique(y, return_inverse=True)[1]
    expected = concordance_of_scores(scores, level)
    assert ordered.concordance_of_many(scores, y) == pytest.approx(expected, abs=1e-12)


def test_equal_scores_have_a_concordance_of_a_half():
    assert ordered.concordance_of_many(np.zeros(5), np.arange(5.0)) == 0.5


def test_truth_against_the_closed_form_of_normal_numbers():
    """½ + arcsin(r)/π for two normal numbers of correlation r; 4 000 units know it to 0.005."""
    setting = OrderedSimulation("ridge", 60, 4, 2, 0.7)
    X, y = setting.draw(setting.rng(0))
    w = setting.estimator.fit(X, y).coef_
    r = 0.7 * w[:2].sum() / np.sqrt(2) / np.linalg.norm(w)
    assert setting.truth(X, y) == pytest.approx(0.5 + np.arcsin(r) / np.pi, abs=0.02)


@pytest.mark.parametrize("outcome", list(ordered.GRADES))
def test_grades_have_their_shares(outcome):
    """20 000 units: a share is known to 0.004."""
    setting = OrderedSimulation("ridge", 20_000, 2, 1, 0.6, outcome)
    _, y = setting.draw(setting.rng(0))
    shares = np.bincount(y.astype(int)) / y.size
    np.testing.assert_allclose(shares, ordered.GRADES[outcome], atol=0.015)


@pytest.mark.parametrize("outcome", ["normal", "4 grades"])
def test_trees_of_numbers_against_scikit_learn(outcome):
    setting = OrderedSimulation("tree of depth 2", 14, 4, 2, 0.8, outcome)
    X, y = setting.draw(setting.rng(0))
    model = DecisionTreeRegressor(max_depth=2, random_state=0)
    refitted = tlpo.concordance(model, X, y, engine="refit")
    played = setting.play(X, y)
    np.testing.assert_allclose(played.predictions, refitted.predictions, atol=1e-12)
    np.testing.assert_array_equal(played.scores, refitted.scores)
    assert played.concordance == refitted.concordance


@pytest.mark.exhaustive
def test_forests_of_numbers_are_distributed_as_scikit_learn_grows_them():
    """Trees of either are independent given the sample: their means differ by chance alone."""
    setting = OrderedSimulation("forest of 50", 24, 4, 2, 0.8)
    X, y = setting.draw(setting.rng(0))
    n_trees = 2000
    F, halves = forest_tables(X, y, n_trees)
    np.testing.assert_allclose((halves[0] + halves[1]) / 2, F, rtol=1e-12)
    for i, j in ((0, 1), (3, 20), (10, 12)):
        rest = np.delete(np.arange(24), [i, j])
        forest = RandomForestRegressor(n_trees, random_state=1).fit(X[rest], y[rest])
        each = np.array([tree.predict(X[[i, j]]) for tree in forest.estimators_])
        error = np.sqrt(2 / n_trees) * each.std(axis=0)
        assert np.all(np.abs([F[i, j], F[j, i]] - each.mean(axis=0)) <= 4 * error)


def test_bootstrap_against_drawing_units():
    """With 200 resamples a limit is known to about 0.01."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 40).astype(float)
    scores = (y + rng.normal(size=40)).round()
    found = ordered.bootstrap_limits(scores, y, None, rng)
    drawn = [rng.integers(0, 40, 40) for _ in range(2000)]
    values = [concordance_of_scores(scores[k], y[k].astype(int)) for k in drawn]
    assert found == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])), abs=0.03)


def test_groups_are_resampled_whole():
    """Two patients: a resample holds one of them only, or both."""
    y = np.array([0.0, 1.0, 0.0, 1.0])
    scores = np.array([0.0, 1.0, 2.0, 3.0])
    groups = np.array([0, 0, 1, 1])
    low, high = ordered.bootstrap_limits(scores, y, groups, np.random.default_rng(0))
    assert (low, high) == (0.75, 1.0)


def test_units_of_a_patient_are_alike():
    setting = GroupedOrderedSimulation("ridge", 4000, 2, 0, 0.0, "normal", 2000)
    X, y = setting.draw(setting.rng(0))
    for values in (X[:, 0], y):
        assert np.var(values) == pytest.approx(1.0, abs=0.1)
        assert np.corrcoef(values[:2000], values[2000:])[0, 1] == pytest.approx(0.5, abs=0.07)


def test_a_repetition_is_the_same_again():
    (what,) = (m for m in ordered.measurements(1) if m.name.endswith("normal, 20 patients"))
    assert what.measure(3) == what.measure(3)
    assert "as if alone" in what.measure(3)


# --- what was measured


@pytest.fixture(scope="module")
def table():
    return measured.table_of(DOCS / "ordered.csv")


def test_every_declared_setting_was_measured():
    measured = pd.read_csv(DOCS / "ordered.csv")
    expected = {(m.name, m.repetitions) for m in ordered.measurements(ordered.REPETITIONS)}
    found = set(measured[["measurement", "requested"]].itertuples(index=False, name=None))
    assert found == expected


def test_the_command_changes_nothing_in_the_committed_pages(tmp_path, monkeypatch):
    page, paper = tmp_path / "ordered.md", tmp_path / "paper.md"
    page.write_bytes(ordered_page.PAGE.read_bytes())
    paper.write_bytes(measured.PAPER.read_bytes())
    options = ["--page", str(page), "--paper", str(paper)]
    monkeypatch.setattr(sys, "argv", ["ordered_page", *options])
    ordered_page.main()
    assert page.read_bytes() == ordered_page.PAGE.read_bytes()
    assert paper.read_bytes() == measured.PAPER.read_bytes()


def test_a_setting_outside_the_aim_is_named(table):
    low = table.copy()
    name = ordered.NUMBERS[0].name
    low.loc[name, ("mean", "placement-jackknife")] = 0.9
    said = ordered_page.coverage(low).rsplit("\n\n", 1)[1]
    assert "ridge, 20 units, 2 (0) features, normal numbers (0.900)" in said
    block = read_block(DOCS / "ordered.md", "coverage of concordance")
    assert block == ordered_page.coverage(table)
