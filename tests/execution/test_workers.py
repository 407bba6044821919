"""Tournaments on real clusters, chosen with joblib: the same result, whoever dies."""

import os
import signal
import sys
import threading
import time
import warnings
from pathlib import Path

import joblib
import numpy as np
import pytest
from distributed import Client, LocalCluster

import tlpo
from estimators import Fussy, Mortal, Slow
from oracles import blobs
from tlpo.execution.journal import read_journal
from tlpo.execution.workers import _Queue

pytestmark = pytest.mark.long


class Shipped(Slow):
    """Notes in a folder every process that it is pickled, unpickled and fitted in."""

    def __init__(self, folder=""):
        super().__init__()
        self.folder = folder

    def __getstate__(self):
        with Path(self.folder, "pickled").open("a") as file:
            file.write(f"{os.getpid()}\n")
        return super().__getstate__()

    def __setstate__(self, state):
        super().__setstate__(state)
        with Path(self.folder, "unpickled").open("a") as file:
            file.write(f"{os.getpid()}\n")

    def fit(self, X, y):
        with Path(self.folder, "fitted").open("a") as file:
            file.write(f"{os.getpid()}\n")
        return super().fit(X, y)


def processes(folder, what):
    path = Path(folder, what)
    return path.read_text().split() if path.exists() else []


def kill_a_worker(folder, journal, killed):
    """Wait until two workers play and something is in the journal, then kill one of them."""
    while len(workers := {*processes(folder, "fitted")}) < 2 or journal.stat().st_size < 2_000:
        time.sleep(0.01)
    killed.append(int(sorted(workers)[0]))
    os.kill(killed[0], signal.SIGKILL)


@pytest.fixture(scope="module")
def dask():
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def ray():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own
        import ray
        from ray.util.joblib import register_ray

        # Its workers do not look for modules where pytest does.
        here = {"env_vars": {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}}
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env=here)
    register_ray()
    yield ray
    ray.shutdown()


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("backend", ["dask", "ray"])
def test_a_worker_that_is_killed_changes_nothing(backend, request, tmp_path):
    request.getfixturevalue(backend)
    with joblib.parallel_config(backend, n_jobs=-1):
        tlpo.tournament(Slow(), *blobs(10, 3, seed=1))  # workers import what they need
    X, y = blobs(24, 3, seed=1)
    journal, killed = tmp_path / "run.tlpo", []
    journal.touch()
    killer = threading.Thread(target=kill_a_worker, args=(tmp_path, journal, killed), daemon=True)
    killer.start()
    with joblib.parallel_config(backend, n_jobs=-1):
        t = tlpo.tournament(Shipped(str(tmp_path)), X, y, journal=journal)
    killer.join(1)
    assert killed
    whole = tlpo.tournament(Slow(), X, y)
    np.testing.assert_array_equal(t.predictions, whole.predictions)
    np.testing.assert_array_equal(t.scores, whole.scores)
    assert t.diagnostics.fits == 276
    # Some of what the worker did was lost with it, and nothing else was played again.
    fits = len(processes(tmp_path, "fitted"))
    assert 276 <= fits < 276 + 250
    (part,) = read_journal(journal)[0].values()
    assert list(part.progress().values()) == [[(0, 276, 276)]]
    # The killed one, the other, and who took its place: data went to each of them once.
    shipped = processes(tmp_path, "unpickled")
    workers = {*processes(tmp_path, "fitted")}
    assert len(workers) >= 2
    assert str(os.getpid()) not in workers
    assert all(shipped.count(worker) == 1 for worker in workers)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("backend", ["dask", "ray"])
def test_a_scheme_of_several_steps_sends_its_data_once(backend, request, tmp_path):
    request.getfixturevalue(backend)
    X, y = blobs(12, 3, seed=1)
    with joblib.parallel_config(backend, n_jobs=-1):
        found = tlpo.quicksort(Shipped(str(tmp_path)), X, y, n_sorts=1, random_state=0)
    expected = tlpo.quicksort(Slow(), X, y, n_sorts=1, random_state=0)
    np.testing.assert_array_equal(found.ranks, expected.ranks)
    # Two fits here look whether the model learns at all; every game is played elsewhere.
    assert processes(tmp_path, "fitted").count(str(os.getpid())) == 2
    # Workers of dask that do not need it for a moment may drop it, and ask each other later.
    assert processes(tmp_path, "pickled").count(str(os.getpid())) == 1


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_cluster_of_one_worker_is_used(tmp_path):
    X, y = blobs(10, 3, seed=1)
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster),
        joblib.parallel_config("dask"),
    ):
        t = tlpo.tournament(Shipped(str(tmp_path)), X, y)
    np.testing.assert_array_equal(t.scores, tlpo.tournament(Slow(), X, y).scores)
    assert len({*processes(tmp_path, "fitted")} - {str(os.getpid())}) == 1
    assert str(os.getpid()) not in processes(tmp_path, "fitted")


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("backend", ["dask", "ray"])
def test_a_failure_comes_back_with_its_cause(backend, request):
    request.getfixturevalue(backend)
    X, y = blobs(10, 2, seed=0)
    model = Fussy(needs=(X[3, 0],))
    with joblib.parallel_config(backend, n_jobs=-1):
        with pytest.raises(tlpo.GameError, match=r"failed on the pair \(0, 3\)\.\nFussy: Arith"):
            tlpo.tournament(model, X, y)
        t = tlpo.tournament(model, X, y, on_error="skip")
    assert t.diagnostics.pairs_failed == 9


def test_a_worker_that_dies_once_is_replaced(tmp_path):
    X, y = blobs(20, 3, seed=1)
    deaths, journal = tmp_path / "deaths", tmp_path / "run.tlpo"
    deaths.write_text("1")
    model = Mortal(str(deaths), X[17, 0], os.getpid())
    with pytest.warns(RuntimeWarning, match=r"A worker process died \(EXIT\(3\)\)\. Its fits are"):
        t = tlpo.tournament(model, X, y, journal=journal, n_jobs=2)
    assert deaths.read_text() == "0"
    whole = tlpo.tournament(Slow(), X, y)
    np.testing.assert_array_equal(t.predictions, whole.predictions)
    assert t.diagnostics.fits == 190
    (part,) = read_journal(journal)[0].values()
    assert list(part.progress().values()) == [[(0, 190, 190)]]


@pytest.mark.filterwarnings("ignore:A worker process died")
def test_games_that_always_kill_their_worker_end_the_run_with_their_names(tmp_path):
    X, y = blobs(20, 3, seed=1)
    deaths, journal = tmp_path / "deaths", tmp_path / "run.tlpo"
    deaths.write_text("1000")
    model = Mortal(str(deaths), X[17, 0], os.getpid())
    with pytest.raises(tlpo.GameError) as caught:
        tlpo.tournament(model, X, y, journal=journal, n_jobs=2)
    problem, passed, remedy = str(caught.value).splitlines()
    assert problem == (
        "Worker processes died again and again in the same fits, in the end with nothing else to "
        "do (EXIT(3))."
    )
    assert passed.startswith("Games: (")
    assert ", 17)" in passed or "(17, " in passed or "in all" in passed
    (part,) = read_journal(journal)[0].values()
    ((done, *_),) = part.progress().values()
    kept = sum(stop - start for runs in part.progress().values() for start, stop, _ in runs)
    assert done[0] == 0
    assert remedy == (
        "Memory ran out, or the estimator ends its process: pass a smaller n_jobs=… or fix it. "
        f"Games: {kept} of 190 are safe in {journal}. Start the same run again with this journal "
        "to resume."
    )
    # With the cause removed, the same call resumes.
    deaths.write_text("0")
    t = tlpo.tournament(model, X, y, journal=journal, n_jobs=2)
    np.testing.assert_array_equal(t.scores, tlpo.tournament(Slow(), X, y).scores)


def test_lost_chunks_come_again_and_then_alone():
    queue = _Queue(iter([("a",), ("b",), ("c",), ("d",)]))
    first = queue.draw()
    assert [next(first), next(first)] == [(0, ("a",)), (1, ("b",))]
    queue.finish(0)
    assert queue.put_back() == []
    assert [*first] == []  # whoever still draws from it gets nothing, and loses nothing
    second = queue.draw()
    assert [next(second), next(second)] == [(1, ("b",)), (2, ("c",))]
    queue.finish(2)
    assert queue.put_back() == [(1, ("b",))]
    assert [*queue.draw()] == [(3, ("d",))]


@pytest.mark.long  # Ray takes a minute to give up on a task.
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("backend", ["dask", "ray"])
def test_a_chunk_that_kills_workers_of_a_cluster_is_named(backend, request, tmp_path):
    request.getfixturevalue(backend)
    X, y = blobs(10, 3, seed=1)
    deaths = tmp_path / "deaths"
    deaths.write_text("1000")
    with (
        joblib.parallel_config(backend, n_jobs=-1),
        pytest.raises(tlpo.GameError, match=r"died again and again[^\n]*\nGames: \("),
    ):
        tlpo.tournament(Mortal(str(deaths), X[7, 0]), X, y)
