"""Workers that die, and parents that die before their workers have begun."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections import Counter
from contextlib import suppress
from pathlib import Path

import joblib

import tlpo
from studies.faults.runs import (
    FINE,
    LOST,
    N_GAMES,
    REFUSED,
    WRONG,
    Counted,
    X,
    Y,
    kept,
    outcome_of,
    play,
    same,
)

# How a worker that is playing is called.
WORKERS = {
    "loky": "popen_loky_posix",
    "dask": "from multiprocessing.spawn",
    "ray": "ray::_call_on_ray",
}


class Exits(Counted):
    """Ends its process, unless it is the main one, while a file holds a number above zero."""

    def __init__(self, deaths="", unit=0.0, main=0):
        self.deaths = deaths
        self.unit = unit
        self.main = main

    def fit(self, X, y):
        if os.getpid() != self.main and self.unit not in X[:, 0]:
            left = int(Path(self.deaths).read_text())
            if left:
                Path(self.deaths).write_text(str(left - 1))
                os._exit(3)
        return super().fit(X, y)


def workers_killed(backend, whole, n_times, folder):
    """Kill a worker while it plays."""
    found = Counter()
    for k in range(3 * n_times):
        if found.total() == n_times:
            break
        journal = Path(folder, f"{backend}-{k}.tlpo")
        journal.touch()
        victims = []

        def kill(journal=journal, victims=victims):
            while journal.stat().st_size < 2_000:
                time.sleep(0.01)
            victims.append(_a_worker(backend))
            os.kill(victims[0], signal.SIGKILL)

        def resume(journal=journal, victims=victims):
            killer = threading.Thread(target=kill, daemon=True)
            killer.start()
            with joblib.parallel_config(backend, n_jobs=2), warnings.catch_warnings():
                warnings.filterwarnings("ignore", "A worker process died")
                t = tlpo.tournament(Counted(), X, Y, journal=journal)
            killer.join(5)
            if not same(t, whole):
                return WRONG
            return FINE if len(kept(journal)) == N_GAMES else LOST

        outcome = outcome_of(resume)
        if victims:  # otherwise it ended before a worker was found
            found[outcome] += 1
    return found


def workers_exit(rng, whole, n_times, folder):
    """Let an estimator end its worker: once, and then every time until the cause is removed."""
    found = Counter()
    for k in range(n_times):
        here = Path(folder, f"exit-{k}")
        here.mkdir()
        journal, deaths = here / "run.tlpo", here / "deaths"
        model = Exits(str(deaths), X[rng.integers(len(X)), 0], os.getpid())
        for_ever = k % 2 == 1

        def attempt(journal=journal, model=model):
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "A worker process died")
                return FINE if same(_play(model, journal), whole) else WRONG

        deaths.write_text("1000" if for_ever else "1")
        outcome = outcome_of(attempt)
        before = kept(journal)
        deaths.write_text("0")
        if outcome == (REFUSED if for_ever else FINE):
            resumed = outcome_of(attempt)
            outcome = outcome if resumed == FINE else resumed
            outcome = outcome if before <= kept(journal) else LOST
        elif outcome == REFUSED:  # one death must be survived
            outcome = LOST
        found[outcome] += 1
    return found


def _play(model, journal):
    return tlpo.tournament(model, X, Y, journal=journal, n_jobs=2)


def parents_killed(rng, whole, n_times, folder):
    """Kill the parent while its workers start; no process may remain, and the run resumes."""
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", "import joblib"], check=True)
    start_up = time.monotonic() - began  # before that, a worker cannot look for its parent
    found = Counter()
    while found.total() < n_times:
        mark = f"tlpo-{os.getpid()}-{found.total()}"
        journal = Path(folder, f"{mark}.tlpo")
        process = subprocess.Popen(
            [sys.executable, "-m", "studies.faults", "--play", str(journal)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "TLPO_MARK": mark},
        )
        process.stdout.readline()
        time.sleep(rng.uniform(0, 2 * start_up))
        was_running = process.poll() is None
        process.kill()
        killed = time.monotonic()
        process.communicate()
        while marked(mark) and time.monotonic() - killed < 1 + 3 * start_up:
            time.sleep(0.02)
        remain = marked(mark)
        for pid in remain:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if not was_running:
            continue  # it had finished

        def resume(journal=journal, remain=remain):
            before = kept(journal)
            if not same(play(journal), whole):
                return WRONG
            return LOST if remain or not before <= kept(journal) else FINE

        found[outcome_of(resume)] += 1
    return found


def play_to_be_killed(journal):
    """Say when the run begins, and play it with two workers."""
    print("ready", flush=True)
    play(journal, n_jobs=2)


def marked(mark):
    """List the processes that have a mark in their environment and are not dead."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            if state != "Z" and mark.encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
    return found


def _a_worker(backend):
    """Return the process id of a worker that is playing."""
    shown = subprocess.run(
        ["ps", "-ww", "-eo", "pid=,ppid=,args="], capture_output=True, text=True
    ).stdout
    rows = [line.split(maxsplit=2) for line in shown.splitlines()]
    ours = {os.getpid()}
    for _ in range(6):
        ours |= {int(pid) for pid, parent, _ in rows if int(parent) in ours}
    word = WORKERS[backend]
    found = [int(pid) for pid, _, what in rows if int(pid) in ours and word in what]
    return found[-1]


def on_clusters(n_times, whole, folder):
    """Start a local dask and a local ray and kill their workers."""
    from distributed import Client, LocalCluster

    found = {}
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster),
    ):
        found["a dask worker killed"] = workers_killed("dask", whole, n_times, folder)
    import ray
    from ray.util.joblib import register_ray

    here = {"env_vars": {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}}
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env=here)
    register_ray()
    found["a ray worker killed"] = workers_killed("ray", whole, n_times, folder)
    ray.shutdown()
    return found
