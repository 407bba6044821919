"""Two million fits of a millisecond each: memory over time, accuracy of the estimated time left.

    python -m studies.benchmarks.load [--units 2000] [--jobs 2] [--write]

The tournament runs in a separate process with a journal; memory is the private memory of that
process and its workers, without shared libraries. ``--write`` puts the tables into
docs/reliability.md.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

from studies.marked import DOCS, markdown_table, write_blocks

RUN = """
import sys
import numpy as np
from sklearn.naive_bayes import GaussianNB
import tlpo
from tlpo.execution import progress, run

class Told(progress.Progress):
    def advance(self, rounds):
        super().advance(rounds)
        print(self.done, flush=True)

run.Progress = Told
m, jobs, journal = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
rng = np.random.default_rng(0)
y = np.arange(m) % 2
X = rng.normal(size=(m, 10)) + 0.3 * y[:, None]
t = tlpo.tournament(GaussianNB(), X, y, n_jobs=jobs, journal=journal)
print("auc", t.auc, flush=True)
"""


def memory(group: int) -> float:
    """Return the private memory of a process group in megabytes."""
    total = 0
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                if os.getpgid(int(folder.name)) == group:
                    text = (folder / "smaps_rollup").read_text()
                    total += int(text.split("\nAnonymous:")[1].split()[0])
            except (OSError, IndexError):
                continue  # it has just ended
    return total / 1024


def watch(units: int, jobs: int) -> tuple[list[tuple[float, int]], list[tuple[float, float]]]:
    """Run the tournament; return rounds done and memory over time."""
    done: list[tuple[float, int]] = []
    used: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        journal = Path(folder, "run.tlpo")
        arguments = [sys.executable, "-c", RUN, str(units), str(jobs), str(journal)]
        with subprocess.Popen(
            arguments, stdout=subprocess.PIPE, text=True, start_new_session=True
        ) as process:
            assert process.stdout is not None
            started = time.monotonic()
            for line in process.stdout:
                now = time.monotonic() - started
                if line.startswith("auc"):
                    break
                done.append((now, int(line)))
                if not used or now - used[-1][0] > 5:
                    used.append((now, memory(process.pid)))
                    print(f"{now:7.0f} s {done[-1][1]:>9} games {used[-1][1]:7.1f} MB", flush=True)
        size = journal.stat().st_size
    print(f"journal: {size / 1e6:.0f} MB")
    return done, used


def tables(done: list[tuple[float, int]], used: list[tuple[float, float]], units: int) -> str:
    """Summarise memory and the accuracy of the time left."""
    total, end = units * (units - 1) // 2, done[-1][0]
    settled = [mb for when, mb in used if when >= 60] or [mb for _, mb in used]
    lines = [
        f"{total} fits of GaussianNB on {units} units in {end / 60:.1f} minutes.",
        "",
        f"Memory of all processes after the first minute: {settled[0]:.0f} MB then, "
        f"{min(settled):.0f} to {max(settled):.0f} MB until the end "
        f"({(max(settled) / settled[0] - 1):+.1%} at most).",
        "",
    ]
    rows = []
    for share in (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9):
        k = next(k for k, (_, n) in enumerate(done) if n >= share * total)
        now, n = done[k]
        # As the progress bar does: from what was done in the last two minutes.
        since = next((t, d) for t, d in done if now - t <= 120)
        speed = (n - since[1]) / max(now - since[0], 1e-9)
        left = (total - n) / speed
        rows.append(
            (
                f"{n / total:.0%}",
                f"{left / 60:.1f} min",
                f"{(end - now) / 60:.1f} min",
                f"{(left - (end - now)) / end:+.1%}",
            )
        )
    head = ("done", "time left as estimated", "time left in truth", "error, of the whole")
    lines.append(markdown_table(head, rows))
    gaps = [b[0] - a[0] for a, b in pairwise(done)]
    lines += ["", f"Longest time without a step of the bar: {max(gaps):.1f} s."]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--units", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--write", action="store_true", help="write docs/reliability.md")
    wanted = parser.parse_args()
    text = tables(*watch(wanted.units, wanted.jobs), wanted.units)
    print(text)
    if wanted.write:
        made = "Made by `python -m studies.benchmarks.load --write`."
        write_blocks(DOCS / "reliability.md", {"load": f"{text}\n\n{made}"})


if __name__ == "__main__":
    main()
