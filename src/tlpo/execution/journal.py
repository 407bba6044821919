"""A file that finished work is appended to, and that a run goes on from.

One append-only file of records, each with its length and a checksum, each forced to disk before it
counts as written. A database would do as well; a log needs no library, has one way to write, and
what a crash leaves behind is easy to reason about: at most one torn record, at the end, which its
checksum gives away. A record that was damaged later is skipped in the same way, and its work done
again; the records after it are found by their mark and believed only with a right checksum.

The first record is the fingerprint of the run. A journal of another run is refused, and so is a
journal that another process is writing.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from tlpo.errors import JournalError, explain

MARK = b"\x93TLP"
HEAD = struct.Struct("<4sII")  # mark, length of the body, checksum of length and body
FORMAT = 1

Values = dict[str, Any]


@dataclass(frozen=True)
class Record:
    """Some finished rounds of one section."""

    section: str
    start: int
    stop: int
    values: Values


@dataclass
class Section:
    """A part of a journal: one series of rounds."""

    journal: Journal
    name: str
    done: list[Record]

    def append(self, start: int, stop: int, values: Values) -> None:
        """Write finished rounds, and return when they are on the disk."""
        self.journal.write(Record(self.name, start, stop, values))


@dataclass
class Journal:
    """An open journal; a context manager.

    Parameters
    ----------
    path : path
        The file; made if it is not there.
    fingerprint : mapping of str to str or number
        What the run depends on. A journal with another one is refused.

    Attributes
    ----------
    damaged : int
        Bytes that had to be skipped when the journal was opened.
    """

    path: Path
    fingerprint: Mapping[str, Any]
    damaged: int = 0
    records: list[Record] = field(default_factory=list)
    _file: FileIO | None = None

    def __enter__(self) -> Self:
        self.path = Path(self.path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # Not "a": a torn record is overwritten, and nothing is truncated before the lock.
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise JournalError(
                explain(
                    "The journal cannot be opened.",
                    f"You passed {self.path}: {error.strerror}.",
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

    def section(self, name: str) -> Section:
        """Return a series of rounds, with what is already done of it, in order."""
        done: list[Record] = []
        for record in sorted(
            (r for r in self.records if r.section == name), key=lambda r: (r.start, -r.stop)
        ):
            if record.start >= (done[-1].stop if done else 0):
                done.append(record)
        return Section(self, name, done)

    def write(self, record: Record) -> None:
        """Append a record; what was there before stays valid, whatever happens."""
        assert self._file is not None
        place = {"section": record.section, "start": record.start, "stop": record.stop}
        self._append(encode({**record.values, "": place}))

    def _append(self, body: bytes) -> None:
        assert self._file is not None
        where = self._file.seek(0, os.SEEK_END)
        length = struct.pack("<I", len(body))
        try:
            left = memoryview(HEAD.pack(MARK, len(body), zlib.crc32(length + body)) + body)
            while left:
                left = left[self._file.write(left) :]
            os.fsync(self._file.fileno())
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
        found, self.damaged = [], 0
        end = 0
        for start, stop, body in _bodies(content):
            self.damaged += start - end
            end = stop
            found.append(decode(body))
        torn = len(content) - end
        if not found:
            if content and not content.startswith(MARK[: len(content)]):
                raise JournalError(
                    explain(
                        "This file is not a journal, and will not be overwritten.",
                        f"You passed {self.path}, {len(content)} bytes.",
                        "Pass another path.",
                    )
                )
            self._file.truncate(0)
            self._append(encode({"format": FORMAT, "fingerprint": dict(self.fingerprint)}))
            return
        self._require_same(found[0])
        for values in found[1:]:
            place = values.pop("")
            self.records.append(Record(place["section"], place["start"], place["stop"], values))
        if torn:
            self.damaged += torn
            self._file.truncate(end)

    def _require_same(self, head: Values) -> None:
        written = head.get("fingerprint")
        if head.get("format") != FORMAT or not isinstance(written, dict):
            raise JournalError(
                explain(
                    "The journal's first record is damaged or of another version.",
                    f"You passed {self.path}.",
                    "It cannot be told what run it belongs to: start with a new journal.",
                )
            )
        wanted = json.loads(json.dumps(dict(self.fingerprint)))
        differ = [
            f"{name} was {written.get(name)!r} and is {wanted.get(name)!r}"
            for name in dict.fromkeys([*written, *wanted])
            if written.get(name) != wanted.get(name)
        ]
        if differ:
            raise JournalError(
                explain(
                    "The journal belongs to another run.",
                    f"You passed {self.path}: {'; '.join(differ)}.",
                    "Run again as before to go on, or pass another path to start anew.",
                )
            )


def inspect(path: Path) -> tuple[dict[str, Any], dict[str, int], int]:
    """Read a journal without taking it: its fingerprint, rounds by section, damaged bytes."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise JournalError(
            explain("The journal cannot be read.", f"{path}: {error.strerror}.", "Check the path.")
        ) from error
    end = damaged = 0
    bodies = []
    for start, stop, body in _bodies(content):
        damaged += start - end
        end = stop
        bodies.append(decode(body))
    if not bodies or "fingerprint" not in bodies[0]:
        raise JournalError(
            explain(
                "This file is not a journal.",
                f"You passed {path}, {len(content)} bytes.",
                "Pass the file that was given as journal=.",
            )
        )
    rounds: dict[str, set[int]] = {}
    for values in bodies[1:]:
        place = values[""]
        rounds.setdefault(place["section"], set()).update(range(place["start"], place["stop"]))
    counts = {name: len(done) for name, done in rounds.items()}
    return dict(bodies[0]["fingerprint"]), counts, damaged + len(content) - end


def encode(values: Values) -> bytes:
    """Write values as bytes: arrays as they are, everything else as JSON. Nothing is pickled."""
    arrays = {name: value for name, value in values.items() if isinstance(value, np.ndarray)}
    head = {
        "json": {name: value for name, value in values.items() if name not in arrays},
        "arrays": [(name, a.dtype.str, a.shape) for name, a in arrays.items()],
    }
    text = json.dumps(head).encode()
    parts = [struct.pack("<I", len(text)), text]
    parts += [np.ascontiguousarray(a).tobytes() for a in arrays.values()]
    return b"".join(parts)


def decode(body: bytes) -> Values:
    """Read values back."""
    (size,) = struct.unpack_from("<I", body)
    head = json.loads(body[4 : 4 + size])
    values: Values = head["json"]
    place = 4 + size
    for name, kind, shape in head["arrays"]:
        dtype = np.dtype(kind)
        if dtype.hasobject:
            raise JournalError("A journal holds no objects.")
        count = int(np.prod(shape, dtype=np.int64))
        values[name] = np.frombuffer(body, dtype, count, place).reshape(shape).copy()
        place += count * dtype.itemsize
    return values


def _bodies(content: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield every record with a right checksum: where it begins, where it ends, its body."""
    place = content.find(MARK)
    while 0 <= place <= len(content) - HEAD.size:
        _, length, checksum = HEAD.unpack_from(content, place)
        begin = place + HEAD.size
        body = content[begin : begin + length]
        if len(body) == length and zlib.crc32(struct.pack("<I", length) + body) == checksum:
            yield place, begin + length, body
            place = content.find(MARK, begin + length)
        else:
            place = content.find(MARK, place + 1)


def _lock(file: FileIO, path: Path) -> None:
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        else:
            import fcntl

            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise JournalError(
            explain(
                "Another process is writing this journal.",
                f"You passed {path}.",
                "Wait for it, stop it, or pass another path.",
            )
        ) from error
