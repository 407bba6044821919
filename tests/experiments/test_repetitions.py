"""Repetitions with a journal: none is run twice, and the time of earlier runs counts."""

import time

import numpy as np
import pytest

from tlpo.execution.journal import Journal
from tlpo.experiments.repetitions import Rows, repeat


class Squares:
    """Squares and cubes; counts the repetitions, and is interrupted at one of them."""

    def __init__(self, stop_at=None):
        self.stop_at = stop_at
        self.counted = []

    def __call__(self, repetitions):
        if self.stop_at in repetitions:
            raise KeyboardInterrupt
        self.counted += repetitions.tolist()
        time.sleep(0.02)
        return Rows(np.array([[k**2, k**3] for k in repetitions.astype(float)]), ("two", "three"))


def run(path, work, repetitions):
    with Journal(path) as journal:
        section = journal.part("test", {}).section("squares")
        return repeat(work, repetitions, section, title="squares", n_jobs=1)


def test_against_a_run_without_a_journal(tmp_path):
    whole = repeat(Squares(), 30, title="squares", n_jobs=1)
    np.testing.assert_array_equal(whole.values[:, 0], np.arange(30.0) ** 2)
    assert whole.names == ("two", "three")
    assert whole.seconds > 0
    kept = run(tmp_path / "run.tlpo", Squares(), 30)
    np.testing.assert_array_equal(kept.values, whole.values)
    assert kept.names == whole.names


def test_an_interrupted_run_resumes_and_its_time_counts(tmp_path):
    path = tmp_path / "run.tlpo"
    interrupted = Squares(stop_at=20)
    with pytest.raises(KeyboardInterrupt):
        run(path, interrupted, 30)
    rest = Squares()
    found = run(path, rest, 30)
    assert interrupted.counted + rest.counted == list(range(30))
    np.testing.assert_array_equal(found.values[:, 1], np.arange(30.0) ** 3)
    assert found.seconds > 0.04  # at least one chunk of each run
    nothing = Squares()
    again = run(path, nothing, 30)
    assert nothing.counted == []
    assert again.seconds == found.seconds
    assert again.names == ("two", "three")


def test_more_continue_and_fewer_use_the_first(tmp_path):
    path, work = tmp_path / "run.tlpo", Squares()
    run(path, work, 5)
    run(path, work, 12)
    assert work.counted == list(range(12))
    seen = []
    with Journal(path) as journal:
        section = journal.part("test", {}).section("squares")
        few = repeat(work, 7, section, title="squares", n_jobs=1, advance=seen.append)
    assert work.counted == list(range(12))
    np.testing.assert_array_equal(few.values[:, 0], np.arange(7.0) ** 2)
    assert seen[0].start == 0
    assert seen[-1].stop == 7
