"""The study of several classes: its samples, its truth, and the tables made from it."""

import sys

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from studies import measured, multiclass, multiclass_page
from studies.marked import DOCS, read_block
from studies.multiclass import DIFFERENCE, PAIR, REST, SETTINGS, ClassSimulation, M

SMALL = SETTINGS[0]
(PERFECT,) = (s for s in SETTINGS if s.shift == 4.0)
GROUPED = multiclass_page.GROUPED


def test_settings_are_what_their_page_says():
    assert len({s.name for s in SETTINGS}) == len(SETTINGS) >= 30
    shown = [s for settings in multiclass_page.SECTIONS.values() for s in settings]
    assert sorted(s.name for s in shown) == sorted(s.name for s in SETTINGS)
    assert {s.learner for s in SETTINGS} == set(multiclass.LEARNERS)
    assert all(s.rival in multiclass.LEARNERS and s.rival != s.learner for s in SETTINGS)
    assert {len(s.sizes) for s in SETTINGS} == {3, 5}
    assert min(min(s.sizes) for s in SETTINGS) == 5
    assert max(max(s.sizes) for s in SETTINGS) == 60
    assert {s.n_apart for s in SETTINGS} == {0, 1, 3, 5}


def test_classes_are_moved_along_their_features():
    """1 000 units of a class: a mean is known to 0.03."""
    setting = ClassSimulation("ridge", "LDA", (1000, 1000, 1000), 2, 3, 2.0)
    X = setting.draw(setting.rng(0))
    means = [X[setting.code == k].mean(axis=0) for k in range(3)]
    np.testing.assert_allclose(means, [[2, 0], [0, 2], [2, 0]], atol=0.15)
    assert X[setting.code == 0].std(axis=0) == pytest.approx(1.0, abs=0.1)


def test_units_of_a_patient_are_alike_and_of_one_class():
    """1 000 patients with two units: a correlation is known to 0.03."""
    setting = ClassSimulation("ridge", "LDA", (1000, 1000), 1, 0, 0.0, 2)
    X, groups = setting.draw(setting.rng(0))[:, 0], setting.groups
    assert np.bincount(groups).tolist() == [2] * 1000
    first, second = (np.flatnonzero(np.arange(2000) % 2 == k) for k in (0, 1))
    assert groups[first].tolist() == groups[second].tolist()
    assert setting.code[first].tolist() == setting.code[second].tolist()
    assert np.corrcoef(X[first], X[second])[0, 1] == pytest.approx(0.5, abs=0.12)


def test_truth_against_the_closed_form_of_two_directions():
    """Naive Bayes of many units knows the classes; 1 000 new units of each know M to 0.01.

    Two classes that are moved along two features are √2 of the shift apart.
    """
    setting = ClassSimulation("LDA", "ridge", (4000, 4000), 2, 2, 1.5)
    truth = setting.truth("LDA", setting.draw(setting.rng(0)))
    expected = norm.cdf(1.5)  # √2 · 1.5 apart, and differences have the deviation √2
    assert truth[M] == truth[PAIR] == pytest.approx(expected, abs=0.02)
    assert truth[REST] == pytest.approx(expected, abs=0.02)


def test_without_signal_the_truth_is_a_half():
    truth = SMALL.truth(SMALL.learner, SMALL.draw(SMALL.rng(0)))
    for value in truth.values():
        assert value == pytest.approx(0.5, abs=0.05)


def test_a_repetition_is_the_same_again():
    for setting in (SMALL, GROUPED[0]):
        first = multiclass.measure_classes(setting, 3)
        assert multiclass.measure_classes(setting, 3) == first


def test_errors_are_those_of_the_estimates():
    X = PERFECT.draw(PERFECT.rng(5))
    k, truth = PERFECT.play(PERFECT.learner, X), PERFECT.truth(PERFECT.learner, X)
    found = multiclass.measure_classes(PERFECT, 5)
    assert found["M: error"][0] == pytest.approx(k.auc - truth[M])
    assert found["M: squared error"][0] == pytest.approx((k.auc - truth[M]) ** 2)
    low, high = k.auc_interval()
    assert found["M: placement-jackknife"] == (float(low <= truth[M] <= high), high - low)
    row = k.pairs.loc[(0, 1)]
    assert found[f"{PAIR}: error"][0] == pytest.approx(row["auc"] - truth[PAIR])
    assert found[f"{PAIR}: placement-jackknife"][1] == pytest.approx(row["high"] - row["low"])
    assert found[f"{REST}: error"][0] == pytest.approx(k.one_vs_rest[0].auc - truth[REST])
    rival = PERFECT.play(PERFECT.rival, X).auc - PERFECT.truth(PERFECT.rival, X)[M]
    assert found[f"{DIFFERENCE}: error"][0] == pytest.approx(k.auc - truth[M] - rival)


def test_games_without_spread_have_a_jackknife_variance_of_zero():
    """Not none at all: it counts in the mean."""
    found = [multiclass.measure_classes(PERFECT, k)["jackknife variance"][0] for k in range(12)]
    assert 0.0 in found
    assert not np.isnan(found).any()


# --- what was measured


@pytest.fixture(scope="module")
def table():
    return measured.table_of(multiclass_page.CSV)


def test_every_declared_setting_was_measured():
    found = pd.read_csv(multiclass_page.CSV)
    declared = {(m.name, m.repetitions) for m in multiclass.measurements(multiclass.REPETITIONS)}
    assert set(found[["measurement", "requested"]].itertuples(index=False, name=None)) == declared


def test_every_declared_quantity_was_measured(table):
    declared = {name for setting in (SMALL,) for name in multiclass.measure_classes(setting, 0)}
    assert set(table["mean"].columns) == declared
    assert not table["mean"].isna().any(axis=None)


def test_the_command_changes_nothing_in_the_committed_pages(tmp_path, monkeypatch):
    page, paper = tmp_path / "multiclass.md", tmp_path / "paper.md"
    page.write_bytes(multiclass_page.PAGE.read_bytes())
    paper.write_bytes(measured.PAPER.read_bytes())
    options = ["--page", str(page), "--paper", str(paper)]
    monkeypatch.setattr(sys, "argv", ["multiclass_page", *options])
    multiclass_page.main()
    assert page.read_bytes() == multiclass_page.PAGE.read_bytes()
    assert paper.read_bytes() == measured.PAPER.read_bytes()


def test_a_setting_outside_the_aim_is_named(table):
    low = table.copy()
    low.loc[SMALL.name, ("mean", f"{M}: placement-jackknife")] = 0.9
    low.loc[SMALL.name, ("mean", f"{REST}: placement-jackknife")] = 0.8
    words = "ridge, 3 × 10, classes apart: none"
    assert f"{words} (0.900)" in multiclass_page.coverage(low).rsplit("\n\n", 1)[1]
    lines = multiclass_page.others(low).splitlines()
    (said,) = (line for line in lines if line.startswith("- *one class against the others.*"))
    assert f"{words} (0.800)" in said
    block = read_block(DOCS / "multiclass.md", "coverage of M")
    assert block == multiclass_page.coverage(table)


def test_sizes_of_classes_in_words():
    assert multiclass_page._units(SMALL) == "3 × 10"
    (unequal,) = {multiclass_page._units(s) for s in SETTINGS if len(set(s.sizes)) > 1}
    assert unequal == "5/20/60"
    assert multiclass_page._units(GROUPED[1]) == "3 × 10 patients of 3"
