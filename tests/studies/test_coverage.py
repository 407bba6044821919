"""The measurement itself: repeatable, and it resumes when interrupted."""

import sys

import numpy as np
import pandas as pd
import pytest

import tlpo
from studies import coverage, measure


def run(monkeypatch, path, *options):
    monkeypatch.setattr(sys, "argv", ["coverage", "--csv", str(path), "--n-jobs", "1", *options])
    coverage.main()
    return pd.read_csv(path)


def count_repetitions(monkeypatch, stop_after=None):
    """Count the repetitions of comparisons that are measured, and interrupt after some."""
    counted = []
    measured = coverage.measure_comparison

    def counting(setting, rival, repetition):
        if len(counted) == stop_after:
            raise KeyboardInterrupt
        counted.append(repetition)
        return measured(setting, rival, repetition)

    monkeypatch.setattr(coverage, "measure_comparison", counting)
    return counted


def test_measures_what_is_missing_only(tmp_path, monkeypatch, capsys):
    path = tmp_path / "sub" / "table.csv"
    counted = count_repetitions(monkeypatch)
    first = run(monkeypatch, path, "--repetitions", "3", "--only", "compare ridge-30-50-10-0 *")
    assert set(first["measurement"]) == {"compare ridge-30-50-10-0 knn"}
    assert "compare ridge-30-50-10-0 knn" in capsys.readouterr().out
    assert counted == [0, 1, 2]
    again = run(monkeypatch, path, "--repetitions", "3", "--only", "compare ridge-30-50-10* knn")
    assert set(again["measurement"]) == {
        "compare ridge-30-50-10-0 knn",
        "compare ridge-30-50-1000-0 knn",
        "compare ridge-30-50-10-4 knn",
        "compare ridge-30-50-1000-50 knn",
    }
    assert len(counted) == 3 + 9
    old = again[again["measurement"] == "compare ridge-30-50-10-0 knn"].reset_index(drop=True)
    pd.testing.assert_frame_equal(old, first, check_dtype=False)


def test_an_interrupted_measurement_resumes(tmp_path, monkeypatch):
    options = ("--repetitions", "12", "--only", "compare ridge-30-50-10-0 knn")
    whole = run(monkeypatch, tmp_path / "whole.csv", *options)
    path = tmp_path / "interrupted.csv"
    with monkeypatch.context() as patch:
        count_repetitions(patch, stop_after=7)
        with pytest.raises(KeyboardInterrupt):
            run(monkeypatch, path, *options)
    assert not path.exists()
    counted = count_repetitions(monkeypatch)
    resumed = run(monkeypatch, path, *options)
    assert 5 <= len(counted) < 12
    assert counted[-1] == 11
    pd.testing.assert_frame_equal(
        resumed.drop(columns="seconds"), whole.drop(columns="seconds"), check_exact=True
    )


def test_more_repetitions_continue_and_fewer_use_the_first(tmp_path, monkeypatch):
    only = ("--only", "compare ridge-30-50-10-0 knn")
    counted = count_repetitions(monkeypatch)
    few = run(monkeypatch, tmp_path / "a.csv", "--repetitions", "4", *only)
    many = run(monkeypatch, tmp_path / "a.csv", "--repetitions", "9", *only)
    assert counted == list(range(9))
    assert (many["repetitions"] == 9).all()
    again = run(monkeypatch, tmp_path / "a.csv", "--repetitions", "4", *only)
    assert counted == list(range(9))
    pd.testing.assert_frame_equal(again.drop(columns="seconds"), few.drop(columns="seconds"))


def test_the_journal_of_other_code_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "table.csv"
    options = ("--repetitions", "2", "--only", "compare ridge-30-50-10-0 knn")
    run(monkeypatch, path, *options)
    before = path.read_bytes()
    changed = {**measure.fingerprint("coverage"), "code": "other"}
    monkeypatch.setattr(measure, "fingerprint", lambda study: changed)
    with pytest.raises(tlpo.JournalError, match="and is 'other'"):
        run(monkeypatch, path, *options)
    assert path.read_bytes() == before


def test_a_finished_study_leaves_no_journal_and_measures_anew(tmp_path, monkeypatch):
    path = tmp_path / "table.csv"
    (one,) = (m for m in coverage.measurements(2) if m.name == "compare ridge-30-50-10-0 knn")
    monkeypatch.setattr(coverage, "measurements", lambda repetitions: [one])
    run(monkeypatch, path, "--only", "compare *")
    assert path.with_suffix(".tlpo").exists()
    first = run(monkeypatch, path)
    assert not path.with_suffix(".tlpo").exists()
    other = coverage.Measurement(one.name, lambda k: {"new": (float(k), 1.0)}, 2)
    monkeypatch.setattr(coverage, "measurements", lambda repetitions: [other])
    second = run(monkeypatch, path)
    assert first["quantity"].tolist() != ["new"]
    assert second["quantity"].tolist() == ["new"]


def test_a_part_measured_again_replaces_its_rows_in_their_place():
    old = pd.DataFrame({"measurement": ["a", "b", "b", "c"], "mean": [1.0, 2.0, 3.0, 4.0]})
    new = pd.DataFrame({"measurement": ["d", "b"], "mean": [6.0, 5.0]})
    merged = measure.merge(old, new)
    assert merged["measurement"].tolist() == ["a", "b", "c", "d"]
    assert merged["mean"].tolist() == [1.0, 5.0, 4.0, 6.0]


def test_a_pattern_that_matches_nothing_is_refused(tmp_path, monkeypatch, capsys):
    with pytest.raises(SystemExit):
        run(monkeypatch, tmp_path / "table.csv", "--only", "nothing *")
    assert "no measurement matches 'nothing *'" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_quantity_is_averaged_over_the_repetitions_that_have_it():
    def one(k):
        return {
            "all": (k, 1.0),
            "some": (k, 2.0) if k % 2 else (np.nan,) * 2,
            "none": (np.nan,) * 2,
        }

    table = measure.measure(coverage.Measurement("x", one, 6), n_jobs=1, progress=False)
    assert table["quantity"].tolist() == ["all", "some"]
    assert table["mean"].tolist() == [2.5, 3.0]
    assert table["width"].tolist() == [1.0, 2.0]
    assert table["repetitions"].tolist() == [6, 3]
    assert table["requested"].tolist() == [6, 6]


@pytest.mark.exhaustive
def test_repetitions_do_not_depend_on_cores():
    what = next(m for m in coverage.measurements(40) if m.name.startswith("permute knn"))
    what = coverage.Measurement(what.name, what.measure, 12)
    one, two = (
        measure.measure(what, n_jobs, progress=False).drop(columns="seconds") for n_jobs in (1, 2)
    )
    pd.testing.assert_frame_equal(one, two)
