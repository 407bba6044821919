"""The three parts of a message, and which kind of error is which."""

import numpy as np
import pytest

import tlpo
from tlpo.errors import (
    InputError,
    NoScoreError,
    UsageError,
    arg,
    enumerate_briefly,
    explain,
    unboxed,
)


def test_a_message_has_three_lines():
    assert explain("It is wrong.", "You passed 3.", "Pass 4.") == (
        "It is wrong.\nYou passed 3.\nPass 4."
    )


@pytest.mark.parametrize(
    ("items", "shown"),
    [
        ([], ""),
        (["a", "b"], "'a', 'b'"),
        (range(6), "0, 1, 2, 3, 4, 5"),
        (range(7), "0, 1, 2, 3, 4, 5, … (7 in all)"),
        (np.array(["b", "a"]), "'b', 'a'"),  # in the order given, and as Python shows them
        ((np.float64(0.5), None), "0.5, None"),
    ],
)
def test_lists_are_shown_briefly(items, shown):
    assert enumerate_briefly(items) == shown


def test_as_many_as_are_asked_for():
    assert enumerate_briefly("abc", most=2) == "'a', 'b', … (3 in all)"


def test_text_of_others_is_left_as_it_is():
    for text in ("a \ue000 b", "\ue002", "\ue000x\ue001"):
        assert text.replace("\ue000", "") in str(InputError(f"{text} and {arg('sep', ';')}."))
    assert str(InputError()) == ""


def test_numpy_scalars_are_shown_as_python_does():
    assert repr(unboxed(np.str_("a"))) == "'a'"
    assert repr(unboxed(np.int64(3))) == "3"
    assert unboxed("a") == "a"


def test_whoever_catches_wrong_input_catches_all_of_it():
    for kind in (UsageError, NoScoreError):
        assert issubclass(kind, tlpo.InputError)
    assert issubclass(tlpo.InputError, ValueError)
    assert issubclass(tlpo.EngineError, ValueError)
    assert not issubclass(tlpo.EngineError, tlpo.InputError)
    for kind in (tlpo.GameError, tlpo.JournalError):
        assert issubclass(kind, RuntimeError)
        assert not issubclass(kind, tlpo.InputError)
