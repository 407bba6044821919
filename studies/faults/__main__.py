"""Break runs on purpose, resume, and compare with a run that was never interrupted.

    python -m studies.faults [--kills 20] [--damages 100] [--workers 2] [--write]

Needs its own process, since it forks the runs that it kills. Prints the outcomes of each fault as
JSON; ``--write`` puts them into docs/reliability.md.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time

import numpy as np

from studies.faults.journals import cut, damaged, flip, forged, full, killed, overwrite, swap
from studies.faults.outputs import disks_full, make_table, printed
from studies.faults.processes import (
    on_clusters,
    parents_killed,
    play_to_be_killed,
    workers_exit,
    workers_killed,
)
from studies.faults.runs import FINE, LOST, REFUSED, TRACEBACK, WRONG, play, small_chunks
from studies.marked import DOCS, markdown_table, write_blocks


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--damages", type=int, default=100)
    parser.add_argument("--workers", type=int, default=0, help="number of cluster workers to kill")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true", help="write docs/reliability.md")
    parser.add_argument("--play", help=argparse.SUPPRESS)  # a run to be killed
    wanted = parser.parse_args()
    small_chunks()
    if wanted.play is not None:
        play_to_be_killed(wanted.play)
        return
    found = break_everything(wanted, np.random.default_rng(wanted.seed))
    print(json.dumps(found))
    if wanted.write:
        write_table(found)


def break_everything(wanted, rng):
    """Return how often each fault ended in which way."""
    found = {}

    def take(name, fault, *arguments):
        began = time.monotonic()
        outcomes = fault(*arguments)
        found.update({name: outcomes} if name else outcomes)
        print(f"{time.monotonic() - began:6.1f} s  {name or fault.__name__}", file=sys.stderr)

    few, kills, damages = max(1, wanted.damages // 40), wanted.kills, wanted.damages
    with tempfile.TemporaryDirectory() as folder:
        whole = play(None)
        take("killed at a random moment", killed, folder, rng, whole, kills, False)
        take("killed in the middle of a write", killed, folder, rng, whole, kills, True)
        take("journal cut at a random byte", damaged, folder, rng, whole, damages, cut)
        take("one to five bits flipped", damaged, folder, rng, whole, damages, flip)
        take("a stretch overwritten", damaged, folder, rng, whole, damages, overwrite)
        take("two stretches exchanged", damaged, folder, rng, whole, damages, swap)
        take("a record forged, its checksum right", forged, folder, rng, whole, damages)
        take("disk full (64 kB), then room made", full, folder, whole, max(3, 2 * few))
        parents = max(3, kills // 4)
        take("parent killed while workers start", parents_killed, rng, whole, parents, folder)
        workers = max(2, kills // 10)
        take("a worker killed", workers_killed, "loky", whole, workers, folder)
        take("a worker ended by its estimator", workers_exit, rng, whole, workers, folder)
        make_table(folder)
        take(None, printed, folder, few)
        take(None, disks_full, folder, rng, 3 * few)
        if wanted.workers:
            take(None, on_clusters, wanted.workers, whole, folder)
    return found


def write_table(found):
    """Put the outcomes into docs/reliability.md."""
    columns = {
        "identical result": FINE,
        "refused, with a message": REFUSED,
        "wrong": WRONG,
        "lost": LOST,
        "traceback": TRACEBACK,
    }
    rows = [(name, n.total(), *(n[key] for key in columns.values())) for name, n in found.items()]
    total = [sum(row[k] for row in rows) for k in range(1, len(columns) + 2)]
    table = markdown_table(("fault", "tried", *columns), [*rows, ("all", *total)])
    made = f"Made by `python -m studies.faults {' '.join(sys.argv[1:])}`."
    write_blocks(DOCS / "reliability.md", {"faults": f"{table}\n\n{made}"})


if __name__ == "__main__":
    main()
