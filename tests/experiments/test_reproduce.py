"""The whole command: tables, figures, findings; interrupted at any moment, it goes on."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

import tlpo
from tlpo.commands.cli import app, main
from tlpo.experiments import grid
from tlpo.experiments.paper import Pool
from tlpo.experiments.pools import breast_cancer
from tlpo.experiments.reproduce import reproduce


@pytest.fixture
def small_pool():
    y = np.arange(300) < 100
    return Pool("small", np.random.default_rng(0).normal(size=(300, 3)) + y[:, None], y)


def tables(out):
    return {path.name: path.read_bytes() for path in out.glob("*.csv")}


@pytest.mark.exhaustive
def test_everything_is_written(tmp_path, small_pool):
    found = reproduce(tmp_path, repetitions=4, n_jobs=1, pool=small_pool, progress=False)
    for name in grid.FIGURES:
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert b"<svg" in (tmp_path / f"{name}.svg").read_bytes()
    auc = pd.read_csv(tmp_path / "auc.csv")
    assert auc.columns.tolist() == [
        *("learner", "features", "signal", "fraction", "scheme"),
        *("mean", "variance", "se", "true_auc", "repetitions"),
    ]
    counts = auc.groupby("scheme").size().to_dict()
    assert counts == {"harrell": 20, "loo": 60, "lpo": 60, "tlpo": 60}
    assert set(auc["learner"]) == {"ridge", "knn"}
    assert (auc["repetitions"] == 4).all()
    np.testing.assert_allclose(auc["se"], np.sqrt(auc["variance"] / 4), rtol=1e-4)
    consistency = pd.read_csv(tmp_path / "consistency.csv")
    assert consistency.columns.tolist() == [
        *("learner", "features", "signal", "fraction", "mean", "se", "repetitions"),
    ]
    assert len(consistency) == 60
    sensitivity = pd.read_csv(tmp_path / "sensitivity.csv")
    assert sensitivity.columns.tolist() == [
        *("learner", "features", "signal", "fraction", "specificity"),
        *("mean", "variance", "se", "repetitions"),
    ]
    assert len(sensitivity) == 60 * 9
    assert set(found.pool["pool"]) == {"small"}
    summary = (tmp_path / "summary.md").read_text()
    assert summary.count("| agrees |") + summary.count("**does not**") == 29
    assert "chance decides some of these verdicts" in summary


@pytest.mark.exhaustive
def test_more_repetitions_go_on_and_fewer_use_the_first(tmp_path, small_pool):
    options = {"only": ["consistency-no-signal"], "n_jobs": 1, "pool": small_pool}
    reproduce(tmp_path / "a", repetitions=40, progress=False, **options)
    grown = tmp_path / "b"
    reproduce(grown, repetitions=15, progress=False, **options)
    size = (grown / "repetitions.tlpo").stat().st_size
    reproduce(grown, repetitions=40, progress=False, **options)
    assert (grown / "repetitions.tlpo").stat().st_size > size
    assert tables(grown) == tables(tmp_path / "a")
    fewer = reproduce(grown, repetitions=15, progress=False, **options)
    fresh = reproduce(tmp_path / "c", repetitions=15, progress=False, **options)
    pd.testing.assert_frame_equal(fewer.auc, fresh.auc)
    assert (tmp_path / "c" / "consistency.csv").exists()
    assert not (tmp_path / "c" / "pool.csv").exists()


@pytest.mark.exhaustive
def test_numbers_do_not_depend_on_cores(tmp_path, small_pool):
    options = {"only": ["pool-auc"], "repetitions": 40, "pool": small_pool, "progress": False}
    one = reproduce(tmp_path / "1", n_jobs=1, **options)
    two = reproduce(tmp_path / "2", n_jobs=2, **options)
    pd.testing.assert_frame_equal(one.pool, two.pool)
    other = reproduce(tmp_path / "3", n_jobs=1, seed=5, **options)
    assert (other.pool["mean"] != one.pool["mean"]).all()


@pytest.mark.long
def test_killed_and_interrupted_it_gives_the_same_table(tmp_path):
    command = [
        *(sys.executable, "-m", "tlpo.commands.cli", "reproduce", "bootstrap", "--out"),
        *(str(tmp_path / "killed"), "--repetitions", "16", "--n-jobs", "2"),
        *("--pool", "breast-cancer"),
    ]
    journal = tmp_path / "killed" / "repetitions.tlpo"
    sizes = []
    for how, wait in ((signal.SIGKILL, 0.2), (signal.SIGINT, 0.1)):
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )
        while not journal.exists() or journal.stat().st_size <= (sizes[-1] if sizes else 0):
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.01)
        time.sleep(wait)
        os.killpg(process.pid, how)
        process.communicate()
        assert process.returncode != 0
        sizes.append(journal.stat().st_size)
    subprocess.run(command, check=True, capture_output=True)
    whole = reproduce(
        tmp_path / "whole",
        only=["bootstrap"],
        repetitions=16,
        n_jobs=1,
        pool=breast_cancer(),
        progress=False,
    )
    assert len(whole.auc) == 80  # rows, not repetitions
    assert tables(tmp_path / "killed") == tables(tmp_path / "whole")


@pytest.mark.exhaustive
def test_another_pool_in_the_same_folder_is_not_mistaken(tmp_path, small_pool):
    options = {"only": ["pool-auc"], "repetitions": 3, "n_jobs": 1, "progress": False}
    first = reproduce(tmp_path, pool=small_pool, **options)
    other = Pool("small", small_pool.X + 1e-3 * np.arange(300)[:, None], small_pool.y)
    second = reproduce(tmp_path, pool=other, **options)
    assert (first.pool["auc"] != second.pool["auc"]).any()
    again = reproduce(tmp_path, pool=small_pool, **options)
    pd.testing.assert_frame_equal(again.pool, first.pool)


@pytest.mark.exhaustive
def test_the_phantom_is_made_only_if_needed(tmp_path):
    reproduce(tmp_path, only=["consistency-no-signal"], repetitions=2, n_jobs=1, progress=False)
    assert not (tmp_path / "phantom.npz").exists()


@pytest.mark.exhaustive
def test_another_run_in_the_same_folder_is_refused(tmp_path, small_pool):
    options = {"only": ["consistency-no-signal"], "repetitions": 2, "pool": small_pool}
    reproduce(tmp_path, progress=False, **options)
    with pytest.raises(tlpo.JournalError, match="seed was 0 and is 1"):
        reproduce(tmp_path, seed=1, progress=False, **options)


def test_command_line(tmp_path, capsys, monkeypatch):
    with pytest.raises(SystemExit) as ended:
        app(["reproduce", "--help"])
    assert ended.value.code == 0
    assert "resumes where it was" in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", ["tlpo", "reproduce", "figure-9", "--out", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    error = capsys.readouterr().err
    assert error.startswith("tlpo: There is no such figure.\nYou passed 'figure-9'.")
    assert "Traceback" not in error
