"""Records as bytes: the file format of a journal.

A record is a marker, its length, a checksum of length and body, and the body: JSON and raw
arrays, nothing pickled. Records are found by their marker and accepted if the checksum is correct
and the body is one that `encode` writes. A checksum detects accidents, not intent: whoever reads a
record also checks what it holds.
"""

from __future__ import annotations

import json
import math
import struct
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

MARK = b"\x93TLP"
HEAD = struct.Struct("<4sII")  # marker, length of the body, checksum of length and body

Values = dict[str, Any]


class DamagedError(ValueError):
    """A body that no journal holds, although its checksum is correct."""


def encode(values: Values) -> bytes:
    """Convert values to bytes: arrays raw, everything else as JSON. Nothing is pickled."""
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
    """Convert bytes back to values; refuse anything that `encode` would not write."""
    try:
        (size,) = struct.unpack_from("<I", body)
        head = json.loads(body[4 : 4 + size])
        values, arrays = head["json"], [_Stored(*stored) for stored in head["arrays"]]
        ends = 4 + size + np.cumsum([array.n_bytes for array in arrays], dtype=np.int64)
        if not isinstance(values, dict) or len(body) != (ends[-1] if arrays else 4 + size):
            raise DamagedError("The body has another length than it says.")
        for array, end in zip(arrays, ends.tolist(), strict=True):
            values[array.name] = array.read(body, end - array.n_bytes)
    except DamagedError:
        raise
    except Exception as error:  # whatever the bytes make of struct, json and NumPy
        raise DamagedError(f"{type(error).__name__}: {error}") from error
    return values


class _Stored:
    """An array as the head of a body describes it."""

    def __init__(self, name: str, kind: str, shape: list[int]) -> None:
        self.name, self.shape, self.dtype = name, shape, np.dtype(kind)
        if not (isinstance(name, str) and self.dtype.kind in "biuf" and self.dtype.str == kind):
            raise DamagedError("A journal holds arrays of numbers only.")
        if not all(is_whole(length) and 0 <= length < 2**40 for length in shape):
            raise DamagedError("An array has no such shape.")
        self.n_bytes = math.prod(shape) * self.dtype.itemsize
        if self.n_bytes >= 2**40:
            raise DamagedError("An array has no such size.")

    def read(self, body: bytes, place: int) -> np.ndarray[Any, Any]:
        count = math.prod(self.shape)
        return np.frombuffer(body, self.dtype, count, place).reshape(self.shape).copy()


def is_whole(value: Any) -> bool:
    """Return whether a value read from JSON is a whole number; true and false are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_array(value: Any, dtype: type, shape: tuple[int, ...]) -> bool:
    """Return whether a value that was read is an array of exactly this type and shape."""
    return isinstance(value, np.ndarray) and value.dtype == dtype and value.shape == shape


def framed(body: bytes) -> bytes:
    """Prepend marker, length and checksum to the body of a record."""
    checksum = zlib.crc32(struct.pack("<I", len(body)) + body)
    return HEAD.pack(MARK, len(body), checksum) + body


def bodies(content: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield start, end and body of every record whose checksum is correct."""
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
