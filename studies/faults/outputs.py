"""Terminals and disks that fail while results are written."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd

from studies.faults.journals import small_disk
from studies.faults.runs import FINE, LOST, REFUSED, TRACEBACK, WRONG, X, Y, outcome_of
from tlpo.analysis.load import load_analysis
from tlpo.analysis.options import OutputFiles
from tlpo.document.patients import inert_table, to_table
from tlpo.document.write import write

# What happens to the output of a command: redirection in a shell, encoding, exit code.
PRINTING = {
    "printed to cp1252": ("", "cp1252", 0),
    "printed to ASCII (C locale)": ("", "ascii", 0),
    "printed to a full disk": ("> /dev/full", "utf-8", 1),
    "standard output closed": (">&-", "utf-8", 1),
    "notes printed to a full disk": ("2> /dev/full", "utf-8", 0),
    "reader gone (`head`)": ("| true; exit ${PIPESTATUS[0]}", "utf-8", 0),
}
# What is written, one kind of file each.
OUTPUTS = {"json": "r.json", "md": "r.md", "csv": "r.csv", "html": "r.html", "figures": "figures"}


def make_table(folder):
    """Write a small table, and what commands make of it when nothing fails."""
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame["outcome"] = np.where(Y, "yes", "no")
    frame.to_csv(Path(folder, "t.csv"), index=False)
    done = _shell(folder, f"run t.csv {RUN} --json whole.json", "", "utf-8")
    assert done.returncode == 0, done.stderr


RUN = "--target outcome --model rls --n-jobs 1 --csv r.csv --md r.md"
COMMANDS = {
    "run": f"run t.csv {RUN}",
    "render": "render whole.json --csv r.csv --md r.md",
}


def printed(folder, n_times):
    """Let printing fail, in all ways in turn; the files must be there, and the exit code right."""
    expected = {}
    for name, command in COMMANDS.items():
        _shell(folder, command, "", "utf-8")
        expected[name] = _written(folder)
    found = {way: Counter() for way in PRINTING}
    for way, (redirection, encoding, code) in PRINTING.items():
        for k in range(n_times):
            name = ("render", "run")[k % 4 == 3]  # running takes longer
            for file in ("r.csv", "r.md"):
                Path(folder, file).unlink(missing_ok=True)
            done = _shell(folder, COMMANDS[name], redirection, encoding)
            if "Traceback" in done.stderr or "Exception ignored" in done.stderr:
                outcome = TRACEBACK
            elif _written(folder) != expected[name]:
                outcome = LOST
            elif done.returncode != code:
                outcome = WRONG
            else:
                outcome = FINE
            found[way][outcome] += 1
    return found


def _written(folder):
    return {
        file: Path(folder, file).read_bytes() if Path(folder, file).exists() else None
        for file in ("r.csv", "r.md")
    }


def _shell(folder, arguments, redirection, encoding):
    path = os.pathsep.join(str(Path(part).resolve()) for part in sys.path if part)
    return subprocess.run(
        ["/bin/bash", "-c", f'"{sys.executable}" -m tlpo.commands.cli {arguments} {redirection}'],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        env={**os.environ, "PYTHONIOENCODING": encoding, "PYTHONPATH": path},
    )


def disks_full(folder, rng, n_times):
    """Fill a disk while each kind of file replaces an old one; then make room and write again."""
    analysis = load_analysis(str(Path(folder, "whole.json")))
    found = {}
    for kind, name in OUTPUTS.items():
        whole = Path(folder, "whole", name)
        _write(analysis, kind, whole)
        expected = _contents(whole)
        pages = sum(-(-len(content) // 4096) for content in expected.values())
        counts = found[f"disk full while writing {kind}"] = Counter()
        # Pages with pictures take a second to draw.
        for _ in range(max(1, n_times // 3) if kind in ("html", "figures") else n_times):
            # Every old file makes room for a page once it is replaced.
            room = int(rng.integers(max(1, pages - len(expected))))
            counts[_fill(folder, analysis, kind, name, expected, room)] += 1
    return found


def _write(analysis, kind, path):
    patients = to_table(analysis)
    write(analysis, OutputFiles(**{kind: path}), lambda: inert_table(patients))


def _fill(folder, analysis, kind, name, expected, room):
    disk = Path(folder, "outputs")
    disk.mkdir(exist_ok=True)
    with small_disk(disk, "16m"):
        target = disk / name
        for file in expected:
            (target / file).parent.mkdir(parents=True, exist_ok=True)
            (target / file).write_bytes(b"old")
        ballast = disk / "ballast"
        with suppress(OSError), ballast.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))
        os.truncate(ballast, ballast.stat().st_size - 4096 * room)
        outcome = outcome_of(lambda: (_write(analysis, kind, target), FINE)[1])
        if outcome == FINE:
            outcome = WRONG  # it claims to have written what does not fit
        found = _contents(target)
        complete = all(found.get(file) in (b"old", expected[file]) for file in expected)
        if outcome == REFUSED and (not complete or found.keys() != expected.keys()):
            outcome = LOST  # truncated, gone, or something unfinished beside it
        ballast.unlink()
        if outcome == REFUSED:
            _write(analysis, kind, target)
            outcome = REFUSED if _contents(target) == expected else WRONG
    return outcome


def _contents(path):
    """Return the contents of a file, or of all files of a folder, by name."""
    if path.is_dir():
        return {file.name: file.read_bytes() for file in path.iterdir()}
    beside = [file for file in path.parent.glob(".*") if file.is_file()]
    return {
        file.relative_to(path.parent).name if file != path else "": file.read_bytes()
        for file in (path, *beside)
    }
