"""The study of differences: its settings, and the table made from it."""

import sys

import pandas as pd
import pytest

from studies import differences, differences_page
from studies.differences import EVERY, TIMES, name_of


def test_every_declared_setting_was_measured():
    found = pd.read_csv(differences_page.CSV)
    declared = {(m.name, m.repetitions) for m in differences.measurements(differences.REPETITIONS)}
    assert set(found[["measurement", "requested"]].itertuples(index=False, name=None)) == declared
    assert len(declared) == len(EVERY)


def test_a_repetition_is_the_same_again():
    for compared in (EVERY[0], TIMES[0]):
        assert compared.measure(3) == compared.measure(3)


def test_the_truth_is_zero_without_signal():
    for compared in EVERY[:2]:
        assert compared.measure(0)["true difference"][0] == 0.0


def test_the_command_changes_nothing_in_the_committed_page(tmp_path, monkeypatch):
    page = tmp_path / "coverage.md"
    page.write_bytes(differences_page.PAGE.read_bytes())
    monkeypatch.setattr(sys, "argv", ["differences_page", "--page", str(page)])
    differences_page.main()
    assert page.read_bytes() == differences_page.PAGE.read_bytes()


def test_intervals_and_tests_hold_what_the_page_says():
    found = pd.read_csv(differences_page.CSV).pivot(
        index="measurement", columns="quantity", values="mean"
    )
    covers = found["interval of difference"]
    assert covers.min() >= 0.93
    (wide,) = covers[covers > 0.99].index
    assert wide == name_of(EVERY[6])
    # Without signal the true difference is 0; models of Cox regression are known to 1e-6.
    equal = found[found["true difference"].abs() < 1e-6]
    assert equal["rejected"].round(3).agg(["min", "max"]).tolist() == [0.019, 0.057]
    earlier = equal["rejected by the geometric mean"].round(3)
    assert earlier.agg(["min", "max"]).tolist() == [pytest.approx(0.0), 0.015]
