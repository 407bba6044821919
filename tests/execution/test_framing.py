import struct

import numpy as np
import pytest

from tlpo.execution.framing import MARK, DamagedError, bodies, decode, encode, framed


def test_values_survive_the_way_to_bytes_and_back():
    values = {
        "floats": np.array([[1.5, np.nan], [-np.inf, 0.0]]),
        "whole": np.arange(3, dtype=np.int32),
        "flags": np.array([True, False]),
        "empty": np.empty((0, 2)),
        "text": "é\n",
        "nested": {"a": [1, None, 2.5]},
    }
    back = decode(encode(values))
    assert back.keys() == values.keys()
    for name, value in values.items():
        if isinstance(value, np.ndarray):
            assert back[name].dtype == value.dtype
            np.testing.assert_array_equal(back[name], value)
        else:
            assert back[name] == value


def test_records_are_found_between_rubbish():
    first, second = framed(b"one"), framed(b"two " + MARK + b" marks within")
    content = b"rubbish" + first + MARK + b"\x00" * 3 + second + MARK
    found = list(bodies(content))
    assert [body for _, _, body in found] == [b"one", b"two " + MARK + b" marks within"]
    for start, end, body in found:
        assert content[start:end] == framed(body)


@pytest.mark.parametrize("place", range(len(framed(b"body"))))
def test_a_changed_byte_is_never_believed(place):
    record = bytearray(framed(b"body"))
    record[place] ^= 1
    assert list(bodies(bytes(record))) == []


def test_python_objects_are_not_decoded():
    head = b'{"json": {}, "arrays": [["x", "|O", [1]]]}'
    with pytest.raises(DamagedError, match=r"^A journal holds arrays of numbers only\.$"):
        decode(struct.pack("<I", len(head)) + head + bytes(8))
