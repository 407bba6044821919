"""A file that finished work is appended to, and that a run goes on from.

One append-only file of records, each with its length and a checksum, each forced to disk before it
counts as written. A database would do as well; a log needs no library, has one way to write, and
what a crash leaves behind is easy to reason about: at most one torn record, at the end, which its
checksum gives away. A record that was damaged later is skipped in the same way, and its work done
again; the records after it are found by their mark and believed only with a right checksum.

A journal has parts, one for each run it serves: a tournament, say, or every model of a table. A
part begins with the fingerprint of its run, and each of its records carries a digest of that, so
that nothing of another run is ever believed. A journal that another process is writing is refused.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import warnings
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tlpo.errors import JournalError, explain
from tlpo.execution.diagnostics import outside
from tlpo.execution.framing import MARK, Values, bodies, decode, encode, framed

FORMAT = 2

Fingerprint = Mapping[str, Any]


@dataclass(frozen=True)
class Record:
    """Some finished rounds of one section."""

    section: str
    start: int
    stop: int
    of: int
    values: Values


@dataclass(eq=False)
class Part:
    """What a journal holds of one run.

    Attributes
    ----------
    name : str
        What the run is called in this journal.
    run : str
        Digest of its fingerprint.
    fingerprint : dict or None
        What the run depends on; None if that record is damaged.
    records : list of Record
        Finished rounds.
    """

    name: str
    run: str
    fingerprint: dict[str, Any] | None = None
    records: list[Record] = field(default_factory=list)
    journal: Journal | None = None

    def section(self, name: str) -> Section:
        """Return a series of rounds, with what is already done of it, in order."""
        own = _apart([r for r in self.records if r.section == name])
        # They are handed over: a long run should not hold them twice.
        self.records = [r for r in self.records if r.section != name]
        return Section(self, name, own)

    def progress(self) -> dict[str, list[tuple[int, int, int]]]:
        """Return, for each section, runs of rounds that are done and the number of all rounds."""
        found: dict[str, list[tuple[int, int, int]]] = {}
        for name in dict.fromkeys(record.section for record in self.records):
            runs = found.setdefault(name, [])
            for record in _apart([r for r in self.records if r.section == name]):
                if runs and record.start == runs[-1][1]:
                    runs[-1] = (runs[-1][0], record.stop, record.of)
                else:
                    runs.append((record.start, record.stop, record.of))
        return found


@dataclass
class Section:
    """A part of a part: one series of rounds."""

    part: Part
    name: str
    done: list[Record]

    @property
    def path(self) -> Path:
        """The file."""
        assert self.part.journal is not None
        return self.part.journal.path

    def append(self, start: int, stop: int, of: int, values: Values) -> None:
        """Write finished rounds, and return when they are on the disk."""
        assert self.part.journal is not None
        record = Record(self.name, start, stop, of, values)
        self.part.journal.append(_pack_record(self.part, record))


@dataclass
class Journal:
    """An open journal; a context manager.

    Parameters
    ----------
    path : path
        The file; made if it is not there.

    Attributes
    ----------
    parts : dict of str to Part
        What it holds.
    damaged : int
        Bytes that had to be skipped when the journal was opened.
    """

    path: Path
    damaged: int = 0
    parts: dict[str, Part] = field(default_factory=dict)
    _file: FileIO | None = None

    def __enter__(self) -> Self:
        self.path = Path(self.path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # Not "a": a torn record is overwritten, and nothing is truncated before the lock.
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
        except (OSError, ValueError) as error:  # a path with a null character is a ValueError
            raise JournalError(
                explain(
                    "The journal cannot be opened.",
                    f"You passed {self.path}: {getattr(error, 'strerror', None) or error}.",
                    "Pass the path of a file in a directory that can be written.",
                )
            ) from error
        # Unbuffered: after a failed write nothing is left that a later one would bring along.
        self._file = os.fdopen(descriptor, "r+b", buffering=0)
        try:
            _lock(self._file, self.path)
            self._read()
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def under(self, name: str) -> Chapter:
        """Return a view in which every part's name begins with this one."""
        return Chapter(self, name)

    def part(self, name: str, fingerprint: Fingerprint) -> Part:
        """Return what is there of a run, or begin it.

        Raises
        ------
        JournalError
            If there is something of that name with another fingerprint.
        """
        wanted: dict[str, Any] = json.loads(json.dumps(dict(fingerprint), default=_plain))
        run = _digest(wanted)
        part = self.parts.setdefault(name, Part(name, run))
        if part.run != run:
            raise JournalError(
                explain(
                    "The journal belongs to another run.",
                    f"You passed {self.path}: {_difference(part.fingerprint, wanted)}.",
                    "Run again as before to go on, or pass another path to start anew.",
                )
            )
        part.journal = self
        if part.fingerprint is None:  # new, or its first record was damaged
            part.fingerprint = wanted
            self.append(_pack_head(part))
        return part

    def append(self, *contents: bytes) -> None:
        """Append records; what was there before stays valid, whatever happens."""
        assert self._file is not None
        where = self._file.seek(0, os.SEEK_END)
        try:
            left = memoryview(b"".join(map(framed, contents)))
            while left:
                left = left[self._file.write(left) :]
            os.fsync(self._file.fileno())
            if where == 0:
                _sync_folder(self.path.parent)
        except OSError as error:
            # If even that fails, the checksum gives the unfinished record away.
            with suppress(OSError):
                os.ftruncate(self._file.fileno(), where)
            raise JournalError(
                explain(
                    "The journal could not be written; what it already holds is safe.",
                    f"{self.path}: {error.strerror}.",
                    "Make room, then start the same run again: it goes on from there.",
                )
            ) from error

    def _read(self) -> None:
        assert self._file is not None
        content = self._file.read()
        self.parts, self.damaged, end = _parse(content)
        if not end and content and not content.startswith(MARK[: len(content)]):
            raise JournalError(
                explain(
                    "This file is not a journal, and will not be overwritten.",
                    f"You passed {self.path}, {len(content)} bytes.",
                    "Pass another path.",
                )
            )
        if end < len(content):
            self._file.truncate(end)


@dataclass(frozen=True)
class Chapter:
    """A view of a journal that several runs of the same kind share, such as one a model."""

    journal: Journal
    name: str

    def part(self, name: str, fingerprint: Fingerprint) -> Part:
        """Return what is there of a run, or begin it."""
        return self.journal.part(f"{self.name}: {name}", fingerprint)


JournalLike = str | Path | Chapter | None


@contextmanager
def open_part(
    journal: JournalLike, name: str, fingerprint: Callable[[], Fingerprint]
) -> Iterator[Part | None]:
    """Open the part of a run in what the user passed as ``journal=``; None stays None."""
    if journal is None:
        yield None
    elif isinstance(journal, Chapter):
        yield journal.part(name, fingerprint())
    elif isinstance(journal, str | os.PathLike):
        with Journal(Path(journal)) as opened:
            yield opened.part(name, fingerprint())
    else:
        raise JournalError(
            explain(
                "journal must be the path of a file.",
                f"You passed journal={journal!r}.",
                "For example journal='run.tlpo'.",
            )
        )


def read_journal(path: Path) -> tuple[dict[str, Part], int]:
    """Read a journal without taking it: its parts, and how many bytes are damaged."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise JournalError(
            explain("The journal cannot be read.", f"{path}: {error.strerror}.", "Check the path.")
        ) from error
    parts, damaged, end = _parse(content)
    if content and not end:  # an empty one has just been begun
        raise JournalError(
            explain(
                "This file is not a journal.",
                f"You passed {path}, {len(content)} bytes.",
                "Pass the file that was given as journal=.",
            )
        )
    return parts, damaged


def describe_parts(parts: Iterable[Part], *, fully: bool = False) -> list[str]:
    """Say how much of each run is done, and, in full, what it depends on."""
    lines: list[str] = []
    for part in parts:
        lines.append(part.name)
        if fully and part.fingerprint is not None:
            lines += [
                f"  {name}: {value}"
                for name, value in part.fingerprint.items()
                if name != "task" and value not in (None, {})
            ]
        for section, runs in part.progress().items():
            of = runs[-1][2]
            done = sum(stop - start for start, stop, _ in runs)
            name = re.sub(" [0-9a-f]{8}$", "", section)  # which games, for programs
            lines.append(f"  {name}: {done} of {of} done ({done / of:.1%})")
            edges = [0, *(edge for start, stop, _ in runs for edge in (start, stop)), of]
            gaps = [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if a < b]
            if gaps:
                shown = ", ".join(f"{a}–{b - 1}" for a, b in gaps[:6])
                lines.append(f"    missing: {shown}{', …' if len(gaps) > 6 else ''}")
        if not part.records:
            lines.append("  nothing done yet")
    return lines


def merge_journals(target: Path, sources: Iterable[Path]) -> dict[str, Part]:
    """Write what several journals hold of the same runs into one, and return what that holds.

    Journals that are still being written may be read: their finished rounds are taken. Nothing is
    written unless all of them belong together.
    """
    target = Path(target)
    others = [path for path in map(Path, sources) if path.resolve() != target.resolve()]
    read = [(path, read_journal(path)[0]) for path in others]  # before a target is made
    with Journal(target) as journal:
        new: list[bytes] = []
        for source, parts in read:
            for name, found in parts.items():
                own = journal.parts.setdefault(name, Part(name, found.run))
                if own.run != found.run:
                    raise JournalError(
                        explain(
                            "The journals belong to different runs.",
                            f"You passed {source}, which differs from those before it: "
                            f"{_difference(own.fingerprint, found.fingerprint)}.",
                            "Merge journals of one run only: the same data, model and versions.",
                        )
                    )
                if own.fingerprint is None and found.fingerprint is not None:
                    own.fingerprint = found.fingerprint
                    new.append(_pack_head(own))
                have = {(r.section, r.start, r.stop) for r in own.records}
                for record in found.records:
                    if (record.section, record.start, record.stop) not in have:
                        own.records.append(record)
                        new.append(_pack_record(own, record))
        if new:
            journal.append(*new)
        return journal.parts


def _apart(records: list[Record]) -> list[Record]:
    """Choose records that do not overlap and hold the most rounds, in order.

    Records overlap if runs were divided in different ways: shards of halves and of thirds, say.
    """
    records = sorted(records, key=lambda r: r.stop)
    stops = [record.stop for record in records]
    best: list[tuple[int, int]] = [(0, -1)]  # of the first k: rounds held, who was chosen last
    for k, record in enumerate(records):
        before = bisect_right(stops, record.start, hi=k)
        held = best[before][0] + record.stop - record.start
        best.append((held, k) if held > best[-1][0] else (best[-1][0], -1))
    chosen: list[Record] = []
    k = len(records)
    while k:
        if best[k][1] < 0:
            k -= 1
        else:
            chosen.append(records[k - 1])
            k = bisect_right(stops, records[k - 1].start, hi=k - 1)
    return chosen[::-1]


def _pack_head(part: Part) -> bytes:
    place = {"part": part.name, "run": part.run, "format": FORMAT}
    return encode({"": place, "fingerprint": part.fingerprint})


def _pack_record(part: Part, record: Record) -> bytes:
    place = {
        "part": part.name,
        "run": part.run,
        "section": record.section,
        "start": record.start,
        "stop": record.stop,
        "of": record.of,
    }
    return encode({**record.values, "": place})


def _parse(content: bytes) -> tuple[dict[str, Part], int, int]:
    """Return the parts, the number of bytes that make no sense, and the end of what does."""
    parts: dict[str, Part] = {}
    end = damaged = 0
    for start, stop, body in bodies(content):
        values = decode(body)
        damaged += start - end
        end = stop
        place = values.pop("", None)
        if not (isinstance(place, dict) and place.get("format", FORMAT) == FORMAT):
            raise JournalError(
                explain(
                    "The journal was written by another version of tlpo.",
                    f"This is version {FORMAT} of the format.",
                    "Finish it with that version, or start with a new journal.",
                )
            )
        part = parts.setdefault(place["part"], Part(place["part"], place["run"]))
        if place["run"] != part.run:
            continue
        if "fingerprint" in values:
            part.fingerprint = values["fingerprint"]
        else:
            part.records.append(
                Record(place["section"], place["start"], place["stop"], place["of"], values)
            )
    return parts, damaged + len(content) - end, end


def _plain(value: Any) -> Any:
    """Turn a number of NumPy's into one of Python's."""
    return value.item()


def _digest(fingerprint: dict[str, Any]) -> str:
    text = json.dumps(fingerprint, sort_keys=True).encode()
    return hashlib.blake2b(text, digest_size=8).hexdigest()


def _difference(written: Fingerprint | None, wanted: Fingerprint | None) -> str:
    if written is None or wanted is None:
        return "what it depends on is damaged, and was not the same"
    return "; ".join(
        f"{name} was {written.get(name)!r} and is {wanted.get(name)!r}"
        for name in dict.fromkeys([*written, *wanted])
        if written.get(name) != wanted.get(name)
    )


def _sync_folder(folder: Path) -> None:
    """Make the name of a new file as durable as its content, where the system lets us."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _lock(file: FileIO, path: Path) -> None:
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        else:
            import fcntl

            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in (errno.EWOULDBLOCK, errno.EACCES, errno.EAGAIN, errno.EDEADLK):
            # Some cluster file systems have no locks. Two writers would overwrite each other's
            # records, which checksums notice: work is lost then, but nothing wrong is believed.
            warnings.warn(
                f"{path} cannot be locked ({error.strerror}): make sure that no other process "
                "writes it.",
                RuntimeWarning,
                stacklevel=outside(),
            )
            return
        raise JournalError(
            explain(
                "Another process is writing this journal.",
                f"You passed {path}.",
                "Wait for it, stop it, or pass another path.",
            )
        ) from error
