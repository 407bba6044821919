import numpy as np

from tlpo.execution.framing import decode, encode


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
