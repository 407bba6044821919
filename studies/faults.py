"""Break runs and journals on purpose, resume, and compare with a run that was never interrupted.

    python -m studies.faults [--kills 20] [--damages 100] [--workers 2] [--write]

Needs its own process, since it forks the runs that it kills. Prints the outcomes of each fault as
JSON; ``--write`` puts them into docs/reliability.md.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import contextmanager, suppress
from pathlib import Path

import joblib
import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

import tlpo
from studies.marked import DOCS, markdown_table, write_blocks
from tlpo.execution import journal as journals
from tlpo.execution import run
from tlpo.execution.journal import read_journal

N_GAMES = 231
_rng = np.random.default_rng(1)
Y = np.isin(np.arange(22), _rng.permutation(22)[:11]).astype(int)
X = _rng.normal(size=(22, 3)) + 0.8 * Y[:, None]
# The outcomes of a fault. The last two must never occur.
FINE, REFUSED, WRONG, LOST = "identical", "refused", "WRONG RESULT", "LOST GAMES"


class Counted(RegressorMixin, BaseEstimator):
    """Appends one character to a file per fit, and takes a millisecond."""

    def fit(self, X, y):
        with Path(os.environ.get("FITS", os.devnull)).open("a") as file:
            file.write(".")
        time.sleep(0.001)
        self.direction_ = X[y > 0].mean(axis=0) - X[y < 0].mean(axis=0)
        return self

    def predict(self, X):
        return X @ self.direction_


def play(journal, file=os.devnull):
    os.environ["FITS"] = str(file)
    return tlpo.tournament(Counted(), X, Y, journal=journal, n_jobs=1)


def same(t, whole):
    return np.array_equal(t.predictions, whole.predictions, equal_nan=True) and np.array_equal(
        t.scores, whole.scores
    )


def kept(journal):
    """Return the games in a journal."""
    games = set()
    if journal.exists() and journal.stat().st_size:
        with suppress(tlpo.JournalError):
            for part in read_journal(journal)[0].values():
                for runs in part.progress().values():
                    games.update(k for start, stop, _ in runs for k in range(start, stop))
    return games


def start(journal, file, acknowledged, die_after=None):
    """Fork a run that records in a file what the journal has acknowledged."""
    child = os.fork()
    if child:
        return child
    append, written = journals.Section.append, 0

    def noted(section, begin, end, of, values):
        append(section, begin, end, of, values)
        with acknowledged.open("a") as notes:
            notes.write(f"{begin} {end}\n")

    class Mortal(journals.FileIO):
        """A file whose writer is killed after a number of bytes."""

        def write(self, data):
            nonlocal written
            if written + len(data) > die_after:
                super().write(bytes(data)[: die_after - written])
                os.kill(os.getpid(), signal.SIGKILL)
            written += len(data)
            return super().write(data)

    journals.Section.append = noted
    if die_after is not None:
        journals.os.fdopen = lambda descriptor, *_, **__: Mortal(descriptor, "r+b")
    play(journal, file)
    os._exit(0)


def killed(folder, rng, whole, n_kills, in_writes):
    """Kill and resume runs until each is done, and start new ones until there were enough kills."""
    found = Counter()
    while found.total() < n_kills:
        here = Path(tempfile.mkdtemp(dir=folder))
        journal, file, acknowledged = here / "run.tlpo", here / "fits", here / "acknowledged"
        acknowledged.touch()
        kills, finished = 0, False
        while not finished:
            die_after = int(rng.integers(0, 8_000)) if in_writes else None
            missing, fits = N_GAMES - len(kept(journal)), _size(file)
            child = start(journal, file, acknowledged, die_after)
            if not in_writes:
                time.sleep(rng.uniform(0, 0.4))
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
            status = os.waitpid(child, 0)[1]
            finished = os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0
            if finished:
                if _size(file) - fits != missing:  # games in the journal must not be played again
                    found[LOST] += 1
                continue
            kills += 1
            rows = (line.split() for line in acknowledged.read_text().splitlines())
            told = {k for begin, end in rows for k in range(int(begin), int(end))}
            if not told <= kept(journal):
                found[LOST] += 1
        found[FINE if same(play(journal), whole) else WRONG] += kills
    return found


def _size(file):
    return file.stat().st_size if file.exists() else 0


def damaged(folder, rng, whole, n_damages, damage):
    """Damage a finished journal and resume from it."""
    intact = Path(folder, "intact.tlpo")
    if not intact.exists():
        play(intact)
    content = intact.read_bytes()
    found = Counter()
    for _ in range(n_damages):
        journal, file = Path(folder, "damaged.tlpo"), Path(folder, "fits")
        file.write_text("")
        journal.write_bytes(damage(bytearray(content), rng))
        left = len(kept(journal))
        try:
            t = play(journal, file)
        except tlpo.JournalError as error:
            found[REFUSED if len(str(error).splitlines()) == 3 else WRONG] += 1
            continue
        if not same(t, whole):
            found[WRONG] += 1
        elif len(file.read_text()) != N_GAMES - left:  # games the journal still holds must be used
            found[LOST] += 1
        else:
            found[FINE] += 1
    return found


def cut(content, rng):
    return content[: rng.integers(len(content))]


def flip(content, rng):
    for place in rng.integers(len(content), size=rng.integers(1, 6)):
        content[place] ^= 1 << rng.integers(8)
    return content


def overwrite(content, rng):
    place = int(rng.integers(len(content)))
    size = int(rng.integers(1, 500))
    content[place : place + size] = rng.bytes(len(content[place : place + size]))
    return content


def swap(content, rng):
    """Exchange two adjacent stretches, as a file system may after a crash."""
    a, b, c = sorted(int(k) for k in rng.integers(len(content), size=3))
    return content[:a] + content[b:c] + content[a:b] + content[c:]


@contextmanager
def small_disk(folder, size):
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


def full(folder, whole, n_times):
    """Fill a small real file system, make room, and resume."""
    found = Counter()
    disk = Path(folder, "disk")
    disk.mkdir()
    for _ in range(n_times):
        with small_disk(disk, "64k"):
            ballast = disk / "ballast"
            ballast.write_bytes(bytes(15 * 4096))  # leaves a page; the games take more
            journal = disk / "run.tlpo"
            try:
                play(journal)
            except tlpo.JournalError as error:
                clear = "No space left on device" in str(error) and "Free some disk space" in str(
                    error
                )
            else:
                clear = False
            before = kept(journal)
            ballast.unlink()
            t = play(journal)
            ok = clear and before <= kept(journal) and same(t, whole)
            found[FINE if ok else WRONG] += 1
    return found


def workers_killed(backend, whole, n_times, folder):
    """Kill a cluster worker while it plays."""
    found = Counter()
    for k in range(n_times):
        journal = Path(folder, f"{backend}-{k}.tlpo")
        journal.touch()
        victims = []

        def kill(journal=journal, victims=victims):
            while journal.stat().st_size < 2_000:
                time.sleep(0.01)
            victims.append(_a_worker(backend))
            os.kill(victims[0], signal.SIGKILL)

        killer = threading.Thread(target=kill, daemon=True)
        killer.start()
        with joblib.parallel_config(backend, n_jobs=2):
            t = tlpo.tournament(Counted(), X, Y, journal=journal)
        killer.join(5)
        games = kept(journal)
        found[FINE if victims and same(t, whole) and len(games) == N_GAMES else WRONG] += 1
    return found


def _a_worker(backend):
    """Return the process id of a worker that is playing."""
    word = "ray::_call_on_ray" if backend == "ray" else "from multiprocessing.spawn"
    shown = subprocess.run(["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True).stdout
    rows = [line.split(maxsplit=2) for line in shown.splitlines()]
    ours = {os.getpid()}
    for _ in range(6):
        ours |= {int(pid) for pid, parent, _ in rows if int(parent) in ours}
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


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--damages", type=int, default=100)
    parser.add_argument("--workers", type=int, default=0, help="number of cluster workers to kill")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true", help="write docs/reliability.md")
    wanted = parser.parse_args()
    rng = np.random.default_rng(wanted.seed)
    # Small chunks give many records, so that faults hit all kinds of places.
    run.CHUNK_SECONDS, run.PROBE_SECONDS, run.CHUNKS_A_SECOND = 0.01, 0.002, 1000
    with tempfile.TemporaryDirectory() as folder:
        whole = play(None)
        found = {
            "killed at a random moment": killed(folder, rng, whole, wanted.kills, False),
            "killed in the middle of a write": killed(folder, rng, whole, wanted.kills, True),
            "journal cut at a random byte": damaged(folder, rng, whole, wanted.damages, cut),
            "one to five bits flipped": damaged(folder, rng, whole, wanted.damages, flip),
            "a stretch overwritten": damaged(folder, rng, whole, wanted.damages, overwrite),
            "two stretches exchanged": damaged(folder, rng, whole, wanted.damages, swap),
            "disk full (64 kB), then room made": full(folder, whole, max(3, wanted.damages // 20)),
        }
        if wanted.workers:
            found |= on_clusters(wanted.workers, whole, folder)
    print(json.dumps(found))
    if wanted.write:
        head = ("fault", "tried", "identical result", "refused, with a message", "wrong or lost")
        rows = [
            (name, n.total(), n[FINE], n[REFUSED], n[WRONG] + n[LOST]) for name, n in found.items()
        ]
        made = f"Made by `python -m studies.faults {' '.join(sys.argv[1:])}`."
        text = f"{markdown_table(head, rows)}\n\n{made}"
        write_blocks(DOCS / "reliability.md", {"faults": text})


if __name__ == "__main__":
    main()
