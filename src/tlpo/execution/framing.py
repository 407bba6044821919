"""Records as bytes: the file format of a journal.

A record is a marker, its length, a checksum of length and body, and the body: JSON and raw
arrays, nothing pickled. Records are found by their marker and accepted if the checksum is correct.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from tlpo.errors import JournalError

MARK = b"\x93TLP"
HEAD = struct.Struct("<4sII")  # marker, length of the body, checksum of length and body

Values = dict[str, Any]


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
    """Convert bytes back to values."""
    (size,) = struct.unpack_from("<I", body)
    head = json.loads(body[4 : 4 + size])
    values: Values = head["json"]
    place = 4 + size
    for name, kind, shape in head["arrays"]:
        dtype = np.dtype(kind)
        if dtype.hasobject:
            raise JournalError("A journal cannot hold Python objects.")
        count = int(np.prod(shape, dtype=np.int64))
        values[name] = np.frombuffer(body, dtype, count, place).reshape(shape).copy()
        place += count * dtype.itemsize
    return values


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
