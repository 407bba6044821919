"""The journal: a file that finished work is appended to and that a run resumes from.

One append-only file of records, each with its length and a checksum, each forced to disk before it
counts as written. A database would also work, but a log needs no library, has a single write path,
and leaves an easily understood state after a crash: at most one torn record, at the end, detected
by its checksum. A record damaged later is skipped in the same way and its work is redone; the
records after it are found by their marker and accepted only if their checksum is correct. So is a
record that has a correct checksum but not the form of one; what its values must be, those who use
them know (`run.Keep.unpack`).

A journal has parts, one for each run it serves: a tournament, for example, or each model of a
table. A part begins with the fingerprint of its run, and each of its records carries a digest of
that fingerprint, so a record of another run is never accepted. A journal that another process is
writing is refused.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import stat
import warnings
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

from tlpo.errors import JournalError, arg, explain
from tlpo.execution.diagnostics import outside
from tlpo.execution.framing import (
    MARK,
    DamagedError,
    Values,
    bodies,
    decode,
    encode,
    framed,
    is_whole,
)

FORMAT = 2

Fingerprint = Mapping[str, Any]


@dataclass(frozen=True)
class Record:
    """Finished tasks of one section."""

    section: str
    start: int
    stop: int
    of: int
    values: Values


@dataclass(eq=False)
class Part:
    """The contents of a journal for one run.

    Attributes
    ----------
    name : str
        Name of the run in this journal.
    run : str
        Digest of its fingerprint.
    fingerprint : dict or None
        What the run depends on; None if that record is damaged.
    records : list of Record
        Finished tasks.
    """

    name: str
    run: str
    fingerprint: dict[str, Any] | None = None
    records: list[Record] = field(default_factory=list)
    journal: Journal | None = None

    def section(self, name: str) -> Section:
        """Return a series of tasks with its finished records, in order; they may overlap."""
        own = sorted((r for r in self.records if r.section == name), key=lambda r: r.start)
        # Moved, not copied: a long run should not keep them in memory twice.
        self.records = [r for r in self.records if r.section != name]
        return Section(self, name, own)

    def progress(self) -> dict[str, list[tuple[int, int, int]]]:
        """Return the finished ranges of tasks of each section: start, stop and the total."""
        found: dict[str, list[tuple[int, int, int]]] = {}
        for name in dict.fromkeys(record.section for record in self.records):
            runs = found.setdefault(name, [])
            for record in without_overlaps([r for r in self.records if r.section == name]):
                if runs and record.start == runs[-1][1]:
                    runs[-1] = (runs[-1][0], record.stop, record.of)
                else:
                    runs.append((record.start, record.stop, record.of))
        return found


@dataclass
class Section:
    """One series of tasks within a part."""

    part: Part
    name: str
    done: list[Record]

    @property
    def path(self) -> Path:
        """The file."""
        assert self.part.journal is not None
        return self.part.journal.path

    def append(self, start: int, stop: int, of: int, values: Values) -> None:
        """Write finished tasks; return once they are on disk."""
        assert self.part.journal is not None
        record = Record(self.name, start, stop, of, values)
        self.part.journal.append(_pack_record(self.part, record))


@dataclass
class Journal:
    """An open journal; a context manager.

    Parameters
    ----------
    path : path
        The file; created if it does not exist.

    Attributes
    ----------
    parts : dict of str to Part
        Its contents, by run.
    damaged : int
        Bytes that had to be skipped when the journal was opened.
    """

    path: Path
    damaged: int = 0
    parts: dict[str, Part] = field(default_factory=dict)
    _file: FileIO | None = None

    def __enter__(self) -> Self:
        self.path = Path(self.path)
        _require_regular(self.path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # Not mode "a": a torn record is overwritten, and nothing is truncated before the lock.
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
        except (OSError, ValueError) as error:  # a path with a null character is a ValueError
            raise JournalError(
                explain(
                    "The journal cannot be opened.",
                    f"You passed {self.path}: {getattr(error, 'strerror', None) or error}.",
                    "Pass the path of a file in a writable directory.",
                )
            ) from error
        # Unbuffered: a failed write must leave nothing behind for a later write to flush.
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

    def under(self, name: str) -> JournalView:
        """Return a view that prefixes the name of every part with this one."""
        return JournalView(self, name)

    def part(self, name: str, fingerprint: Fingerprint) -> Part:
        """Return the part of a run; create it if it does not exist.

        Raises
        ------
        JournalError
            If a part of that name has a different fingerprint.
        """
        wanted: dict[str, Any] = json.loads(json.dumps(dict(fingerprint), default=_to_python))
        run = _digest(wanted)
        part = self.parts.setdefault(name, Part(name, run))
        if part.run != run:
            raise JournalError(
                explain(
                    "The journal belongs to another run.",
                    f"You passed {self.path}: {_difference(part.fingerprint, wanted)}.",
                    "Repeat the original call to resume it, or pass another path to start over.",
                )
            )
        part.journal = self
        if part.fingerprint is None:  # new, or its first record is damaged
            part.fingerprint = wanted
            self.append(_pack_head(part))
        return part

    def append(self, *contents: bytes) -> None:
        """Append records; whatever happens, earlier records stay valid."""
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
            # If even that fails, the checksum exposes the unfinished record.
            with suppress(OSError):
                os.ftruncate(self._file.fileno(), where)
            raise JournalError(
                explain(
                    "The journal could not be written; what it already holds is safe.",
                    f"{self.path}: {error.strerror}.",
                    "Free some disk space, then start the same run again: it resumes.",
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
class JournalView:
    """A view of a journal shared by several runs of the same kind, such as one per model."""

    journal: Journal
    name: str

    def part(self, name: str, fingerprint: Fingerprint) -> Part:
        """Return the part of a run; create it if it does not exist."""
        return self.journal.part(f"{self.name}: {name}", fingerprint)

    @property
    def n_done(self) -> int:
        """Number of tasks that earlier runs finished."""
        own = (
            part for name, part in self.journal.parts.items() if name.startswith(f"{self.name}: ")
        )
        return sum(
            stop - start
            for part in own
            for runs in part.progress().values()
            for start, stop, _ in runs
        )


JournalLike = str | Path | JournalView | None


@contextmanager
def open_part(
    journal: JournalLike, name: str, fingerprint: Callable[[], Fingerprint]
) -> Iterator[Part | None]:
    """Open the part of a run in the journal passed as ``journal=``; None without a journal."""
    if journal is None:
        yield None
    elif isinstance(journal, JournalView):
        yield journal.part(name, fingerprint())
    elif isinstance(journal, str | os.PathLike):
        with Journal(Path(journal)) as opened:
            yield opened.part(name, fingerprint())
    else:
        raise JournalError(
            explain(
                f"{arg('journal')} must be the path of a file.",
                f"You passed {arg('journal', journal)}.",
                f"For example {arg('journal', 'run.tlpo')}.",
            )
        )


def read_journal(path: Path) -> tuple[dict[str, Part], int]:
    """Read a journal without locking it: its parts, and the number of damaged bytes."""
    _require_regular(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise JournalError(
            explain("The journal cannot be read.", f"{path}: {error.strerror}.", "Check the path.")
        ) from error
    parts, damaged, end = _parse(content)
    if content and not end:  # an empty file is a journal that was just created
        raise JournalError(
            explain(
                "This file is not a journal.",
                f"You passed {path}, {len(content)} bytes.",
                f"Pass the file that was used as {arg('journal')}.",
            )
        )
    return parts, damaged


def describe_parts(parts: Iterable[Part], *, fully: bool = False) -> list[str]:
    """Report how much of each run is done and, if ``fully``, what it depends on."""
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
            of = max(total for _, _, total in runs)
            done = sum(stop - start for start, stop, _ in runs)
            name = re.sub(" [0-9a-f]{8}$", "", section)  # a digest, of no use to a reader
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
    """Merge journals of the same runs into one file, and return its parts.

    Journals that are still being written may be merged too; their finished tasks are copied.
    Nothing is written unless all of them belong to the same runs.
    """
    target = Path(target)
    others = [path for path in map(Path, sources) if not _is_same(path, target)]
    read = [(path, read_journal(path)[0]) for path in others]
    first: dict[str, Part] = {}
    for source, parts in read:  # before the target is created
        for name, found in parts.items():
            _require_same_run(source, first.setdefault(name, found), found)
    with Journal(target) as journal:
        new: list[bytes] = []
        for source, parts in read:
            for name, found in parts.items():
                own = journal.parts.setdefault(name, Part(name, found.run))
                _require_same_run(source, own, found)
                if own.fingerprint is None and found.fingerprint is not None:
                    own.fingerprint = found.fingerprint
                    new.append(_pack_head(own))
                # Whole records are compared: one of two for the same tasks may be unusable.
                have = {_pack_record(own, record) for record in own.records}
                for record in found.records:
                    packed = _pack_record(own, record)
                    if packed not in have:
                        own.records.append(record)
                        new.append(packed)
        if new:
            journal.append(*new)
        return journal.parts


def _require_same_run(source: Path, own: Part, found: Part) -> None:
    if own.run != found.run:
        raise JournalError(
            explain(
                "The journals belong to different runs.",
                f"You passed {source}, which differs from those before it: "
                f"{_difference(own.fingerprint, found.fingerprint)}.",
                "Merge only journals of the same run: same data, model and versions.",
            )
        )


def _is_same(path: Path, other: Path) -> bool:
    with suppress(OSError, ValueError):
        return path.samefile(other)
    return os.path.realpath(path) == os.path.realpath(other)


class Span(Protocol):
    """Something that holds a range of tasks."""

    @property
    def start(self) -> int:
        """The first task."""
        ...

    @property
    def stop(self) -> int:
        """The task after the last."""
        ...


S = TypeVar("S", bound=Span)


def without_overlaps(records: list[S]) -> list[S]:
    """Choose records that do not overlap and together cover the most tasks, in order.

    Records overlap if a run was divided in different ways, for example into halves and thirds.
    """
    records = sorted(records, key=lambda r: r.stop)
    stops = [record.stop for record in records]
    best: list[tuple[int, int]] = [(0, -1)]  # of the first k: tasks covered, last record chosen
    for k, record in enumerate(records):
        before = bisect_right(stops, record.start, hi=k)
        held = best[before][0] + record.stop - record.start
        best.append((held, k) if held > best[-1][0] else (best[-1][0], -1))
    chosen: list[S] = []
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
    """Return the parts, the number of damaged bytes, and where the last valid record ends."""
    heads: dict[str, tuple[str, dict[str, Any]]] = {}
    found: list[tuple[str, str, Record | None]] = []
    end = damaged = 0
    for start, stop, body in bodies(content):
        damaged += start - end
        end = stop
        try:
            values = decode(body)
            name, run, record = _understand(values)
        except DamagedError:
            damaged += stop - start
            continue
        if record is None:
            heads.setdefault(name, (run, values["fingerprint"]))
        found.append((name, run, record))
    parts: dict[str, Part] = {}
    for name, run, record in found:
        # A run is known by its description; the first record speaks for it if that is damaged.
        part = parts.setdefault(name, Part(name, *heads.get(name, (run, None))))
        if record is not None and run == part.run:
            part.records.append(record)
    return parts, damaged + len(content) - end, end


def _understand(values: Values) -> tuple[str, str, Record | None]:
    """Return part, run and record of what was read, or no record if it describes the run."""
    place = values.pop("", None)
    if not isinstance(place, dict):
        raise DamagedError("The record belongs nowhere.")
    if is_whole(place.get("format")) and place["format"] != FORMAT:
        raise JournalError(
            explain(
                "The journal was written by another version of tlpo.",
                f"This version reads journal format {FORMAT}.",
                "Finish the run with that version, or start a new journal.",
            )
        )
    name, run, section = place.get("part"), place.get("run"), place.get("section")
    if not (isinstance(name, str) and isinstance(run, str)):
        raise DamagedError("The record belongs to no run.")
    if "fingerprint" in values:
        fingerprint = values["fingerprint"]
        if not (isinstance(fingerprint, dict) and _digest(fingerprint) == run):
            raise DamagedError("The run is not the one described.")
        return name, run, None
    spans: list[Any] = [place.get(key) for key in ("start", "stop", "of")]
    if not (isinstance(section, str) and all(map(is_whole, spans))):
        raise DamagedError("The record is of no tasks.")
    start, stop, of = spans
    if not 0 <= start < stop <= of:
        raise DamagedError("There are no such tasks.")
    return name, run, Record(section, start, stop, of, values)


def _to_python(value: Any) -> Any:
    """Convert a NumPy scalar to a Python number."""
    return value.item()


def _digest(fingerprint: dict[str, Any]) -> str:
    text = json.dumps(fingerprint, sort_keys=True).encode()
    return hashlib.blake2b(text, digest_size=8).hexdigest()


def _difference(written: Fingerprint | None, wanted: Fingerprint | None) -> str:
    if written is None or wanted is None:
        return "its description is damaged, and its digest differs"
    return "; ".join(
        f"{name} was {written.get(name)!r} and is {wanted.get(name)!r}"
        for name in dict.fromkeys([*written, *wanted])
        if written.get(name) != wanted.get(name)
    )


def _require_regular(path: Path) -> None:
    """Refuse what cannot be read to an end, such as a pipe or a device."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):  # opening it says why
        return
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise JournalError(
            explain(
                "A journal must be an ordinary file.",
                f"You passed {path}, which is a pipe, a socket or a device.",
                "Pass the path of a file.",
            )
        )


def _sync_folder(folder: Path) -> None:
    """Make the directory entry of a new file durable too, where the system allows it."""
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
    except (OSError, ImportError) as error:
        taken = (errno.EWOULDBLOCK, errno.EACCES, errno.EAGAIN, errno.EDEADLK)
        if getattr(error, "errno", None) not in taken:
            # Some platforms and cluster file systems have no locks. Two writers would overwrite
            # each other's records. Checksums detect that: work would be lost, but nothing wrong is
            # accepted.
            why = getattr(error, "strerror", None) or "this platform has no locks"
            warnings.warn(
                f"{path} cannot be locked ({why}): make sure that no other process writes to it.",
                RuntimeWarning,
                stacklevel=outside(),
            )
            return
        raise JournalError(
            explain(
                "Another process is writing this journal.",
                f"You passed {path}.",
                "Wait for it to finish, stop it, or pass another path.",
            )
        ) from error
