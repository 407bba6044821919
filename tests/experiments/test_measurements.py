"""The measurement itself: repeatable, resumable, and it goes on where it was."""

import sys

import pandas as pd

from tlpo.experiments import coverage


def run(monkeypatch, path, *options):
    monkeypatch.setattr(sys, "argv", ["coverage", "--csv", str(path), "--n-jobs", "1", *options])
    coverage.main()
    return pd.read_csv(path)


def test_measures_what_is_missing_only(tmp_path, monkeypatch, capsys):
    path = tmp_path / "sub" / "table.csv"
    first = run(monkeypatch, path, "--repetitions", "3", "--only", "compare ridge-30-50-10-0 *")
    assert set(first["measurement"]) == {"compare ridge-30-50-10-0 knn"}
    assert "compare ridge-30-50-10-0 knn" in capsys.readouterr().out
    again = run(monkeypatch, path, "--repetitions", "3", "--only", "compare ridge-30-50-10* knn")
    assert set(again["measurement"]) == {
        "compare ridge-30-50-10-0 knn",
        "compare ridge-30-50-1000-0 knn",
        "compare ridge-30-50-10-4 knn",
        "compare ridge-30-50-1000-50 knn",
    }
    assert "ridge-30-50-10-0" not in capsys.readouterr().out
    old = again[again["measurement"] == "compare ridge-30-50-10-0 knn"].reset_index(drop=True)
    pd.testing.assert_frame_equal(old, first, check_dtype=False)


def test_repetitions_do_not_depend_on_cores():
    what = next(m for m in coverage.measurements(40) if m.name.startswith("permute knn"))
    what = coverage.Measurement(what.name, what.measure, 12)
    one, two = (
        coverage.measure(what, n_jobs, progress=False).drop(columns="seconds") for n_jobs in (1, 2)
    )
    pd.testing.assert_frame_equal(one, two)
