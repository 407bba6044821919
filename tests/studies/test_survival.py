"""The study of times to an event: its samples, its truth, and the tables made from it."""

import sys

import numpy as np
import pandas as pd
import pytest

from studies import measured, survival, survival_page
from studies.marked import DOCS, read_block
from studies.survival import AUC, COX, FORESTS, GROUPED, MEASURES, C, SurvivalSimulation

SMALL = COX[0]


def every():
    return [*COX, *survival.CENSORED, *GROUPED, *survival.FEW_VALUES, *FORESTS]


def test_settings_are_what_their_page_says():
    assert len({s.name for s in every()}) == len(every()) >= 16
    assert {s.n_features for s in COX} == {2, 10, 20}
    assert {s.learner for s in COX} == {"Cox, α = 0.1", "Cox, α = 1"}
    events = [s.n_units * (1 - s.censored) for s in every()]
    assert min(events) <= 10
    assert max(events) >= 60
    truths = [s.measures[C].of_correlation(1.0) for s in every()]
    assert min(truths) == pytest.approx(0.5)
    assert max(truths) > 0.87


def test_rounded_times_take_few_values():
    (setting,) = (s for s in survival.CENSORED if s.n_times == 3)
    _, y = setting.draw(setting.rng(0))
    first = np.unique(y["time"])[:3]
    assert np.mean(y["time"][y["event"]] <= first[-1]) > 0.8
    t, tau = setting.times
    assert t in np.unique(y["time"])
    assert tau not in np.unique(y["time"])


def test_units_of_a_patient_are_alike():
    """2 000 patients with two units: correlations are known to 0.02."""
    setting = SurvivalSimulation("Cox, α = 1", 4000, 1, 0, 0.0, 1e-6, "", n_patients=2000)
    X, y = setting.draw(setting.rng(0))
    log_time = np.log(y["time"])
    for values in (X[:, 0], log_time):
        assert 0.3 < np.corrcoef(values[:2000], values[2000:])[0, 1] < 0.6
    assert y["time"].mean() == pytest.approx(1.0, abs=0.1)  # exponential all the same


def test_truth_is_that_of_the_model_of_all_units():
    setting = COX[2]
    X, y = setting.draw(setting.rng(0))
    w = survival.Cox(0.1).fit(X, y).coef_
    r = w[0] / np.linalg.norm(w)
    assert setting.truth(X, y)[C] == setting.measures[C].of_correlation(r)
    assert setting.rival_truth(X, y) == pytest.approx(0.5)  # the second feature has no signal


@pytest.mark.exhaustive
@pytest.mark.parametrize("setting", survival.FEW_VALUES, ids=lambda s: s.name)
def test_rounded_features_tie(setting):
    X, y = setting.draw(setting.rng(0))
    assert np.unique(X).size <= setting.n_values + 1
    assert setting.play(X, y).standings.n_ties > 20
    truth = setting.truth(X, y)
    assert 0.55 < truth[C] < 0.85


@pytest.mark.exhaustive
@pytest.mark.parametrize("setting", FORESTS, ids=lambda s: s.name)
def test_new_units_against_integration(setting):
    """2 500 units know the concordance of the best score to about 0.005."""
    found = setting.worth(setting.signal)
    for name in MEASURES:
        expected = setting.measures[name].of_correlation(1.0)
        if setting.beta:
            assert found[name] == pytest.approx(expected, abs=0.02)
        else:
            assert found[name] == pytest.approx(0.5, abs=1e-12)


def test_a_repetition_is_the_same_again():
    for setting in (SMALL, GROUPED[0]):
        first = survival.measure_survival(setting, 3)
        assert survival.measure_survival(setting, 3) == first
        assert ("C: as if alone" in first) == (setting in GROUPED)


def test_the_interval_at_a_time_has_the_normal_quantile_but_for_groups():
    found = survival.measure_survival(SMALL, 0)
    for name in (survival.UNO, survival.UNO_ALL, AUC):
        assert found[f"{name}: placement-jackknife"] == found[f"{name}: normal"]
    grouped = survival.measure_survival(GROUPED[0], 0)
    for name in MEASURES:
        assert grouped[f"{name}: placement-jackknife"] == grouped[f"{name}: Student"]


def test_a_time_that_nobody_reached_leaves_gaps_in_their_place():
    (setting,) = (s for s in FORESTS if s.beta == 0.0)
    setting = SurvivalSimulation("Cox, α = 1", *list(vars(setting).values())[1:7])
    whole = survival.measure_survival(setting, 0)
    setting.__dict__["times"] = (1e9, setting.times[1])
    found = survival.measure_survival(setting, 0)
    assert list(found) == list(whole)
    gaps = {name for name, (value, _) in found.items() if np.isnan(value)}
    assert gaps == {name for name in whole if name.startswith(f"{AUC}:")}


def test_errors_are_those_of_the_estimates():
    X, y = SMALL.draw(SMALL.rng(5))
    s, truth = SMALL.play(X, y), SMALL.truth(X, y)
    found = survival.measure_survival(SMALL, 5)
    assert found["C: error"][0] == pytest.approx(s.concordance - truth[C])
    assert found["C: squared error"][0] == pytest.approx((s.concordance - truth[C]) ** 2)
    assert found["AUC(t): error"][0] == pytest.approx(s.auc_at(SMALL.times[0]) - truth[AUC])
    assert found["events"][0] == y["event"].sum()


# --- what was measured


@pytest.fixture(scope="module")
def table():
    return measured.table_of(survival_page.CSV)


def test_every_declared_setting_was_measured():
    found = pd.read_csv(survival_page.CSV)
    declared = {(m.name, m.repetitions) for m in survival.measurements(survival.REPETITIONS)}
    measured = set(found[["measurement", "requested"]].itertuples(index=False, name=None))
    assert measured == declared


def test_the_command_changes_nothing_in_the_committed_pages(tmp_path, monkeypatch):
    page, paper = tmp_path / "survival.md", tmp_path / "paper.md"
    page.write_bytes(survival_page.PAGE.read_bytes())
    paper.write_bytes(measured.PAPER.read_bytes())
    options = ["--page", str(page), "--paper", str(paper)]
    monkeypatch.setattr(sys, "argv", ["survival_page", *options])
    survival_page.main()
    assert page.read_bytes() == survival_page.PAGE.read_bytes()
    assert paper.read_bytes() == measured.PAPER.read_bytes()


def test_a_setting_outside_the_aim_is_named(table):
    low = table.copy()
    low.loc[SMALL.name, ("mean", "C: placement-jackknife")] = 0.9
    low.loc[SMALL.name, ("mean", "AUC(t): placement-jackknife")] = 0.8
    words = "Cox, α = 0.1, 25 units, 2 (0) features, 60 %"
    assert f"{words} (0.900)" in survival_page.coverage(low).rsplit("\n\n", 1)[1]
    (said,) = (x for x in survival_page.others(low).splitlines() if x.startswith("- *AUC at t.*"))
    assert f"{words} (0.800)" in said
    block = read_block(DOCS / "survival.md", "coverage of survival")
    assert block == survival_page.coverage(table)


def test_what_was_not_measured_is_a_dash(table):
    """Forests are not resampled."""
    lines = [line for line in survival_page.biases(table).splitlines() if "forest" in line]
    assert len(lines) == len(FORESTS)
    assert all(line.endswith("| — |") for line in lines)
    assert "nan" not in survival_page.biases(table)
