"""Kills, and damage to journals and disks: resumed, the run ends as if nothing had happened."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
import traceback
from collections import Counter
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

import tlpo
from studies.faults.runs import (
    FINE,
    LOST,
    N_GAMES,
    TRACEBACK,
    WRONG,
    kept,
    outcome_of,
    play,
    same,
)
from tlpo.execution import journal as journals
from tlpo.execution.framing import bodies, decode, encode, framed

CRASHED = 70  # exit code of a run that raised


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
    try:
        play(journal, file)
    except BaseException:
        traceback.print_exc()
        os._exit(CRASHED)
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
            if os.WIFEXITED(status) and os.WEXITSTATUS(status) == CRASHED:
                found[TRACEBACK] += 1
                break
            finished = os.WIFEXITED(status)
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
    content = _intact(folder)
    found = Counter()
    journal, file = Path(folder, "damaged.tlpo"), Path(folder, "fits")
    for _ in range(n_damages):
        file.write_text("")
        journal.write_bytes(damage(bytearray(content), rng))
        left = len(kept(journal))

        def resume(left=left):
            if not same(play(journal, file), whole):
                return WRONG
            # Games that the journal still holds must be used.
            return FINE if _size(file) == N_GAMES - left else LOST

        found[outcome_of(resume)] += 1
    return found


def forged(folder, rng, whole, n_forgeries):
    """Change what a record says, give it the right checksum, and resume."""
    content = _intact(folder)
    records = [body for _, _, body in bodies(content)]
    found = Counter()
    journal, file = Path(folder, "forged.tlpo"), Path(folder, "fits")
    for k in range(n_forgeries):
        file.write_text("")
        place = int(rng.integers(1, len(records)))  # the first is the description of the run
        values = decode(records[place])
        games = values[""]["stop"] - values[""]["start"]
        FORGERIES[k % len(FORGERIES)](values, rng)
        changed = [*records[:place], encode(values), *records[place + 1 :]]
        journal.write_bytes(b"".join(map(framed, changed)))

        def resume(games=games):
            if not same(play(journal, file), whole):
                return WRONG
            return FINE if _size(file) <= games else LOST  # the other records must be used

        found[outcome_of(resume)] += 1
    return found


def _set_number(number):
    def forge(values, rng):
        values["values"][rng.integers(values["values"].size)] = number

    return forge


def _as_type(dtype):
    def forge(values, _):
        values["values"] = values["values"].astype(dtype)

    return forge


def _shorten(values, _):
    values["values"] = values["values"][:-1]


def _square(values, _):
    values["values"] = values["values"].reshape(-1, 2)


def _resize(values, rng):
    values["sizes"][rng.integers(values["sizes"].size)] += 1


def _lengthen(values, _):
    values[""]["stop"] += 1


def _move(values, _):
    values[""]["start"] -= 500
    values[""]["stop"] -= 500


def _drop(name):
    def forge(values, _):
        del values[name]

    return forge


def _say(name, text):
    def forge(values, _):
        values[name] = text

    return forge


FORGERIES = [
    *(_set_number(number) for number in (np.nan, np.inf, -np.inf)),
    *(_as_type(dtype) for dtype in ("f4", "i8", "S8", "?")),
    *(_shorten, _square, _resize, _lengthen, _move),
    *(_drop(name) for name in ("values", "sizes", "fits", "ceiling", "failures")),
    *(_say("fits", "many"), _say("ceiling", "high"), _say("failures", [[1]])),
    *(_say("values", "none"), _say("warnings", 3)),
]


def _intact(folder):
    """Return a complete journal."""
    intact = Path(folder, "intact.tlpo")
    if not intact.exists():
        play(intact)
    return intact.read_bytes()


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
