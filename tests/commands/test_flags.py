from functools import partial

import pytest

from tlpo.commands.cli import flags_of
from tlpo.commands.flags import write_flag
from tlpo.errors import InputError, UsageError, arg, as_usage, in_words

RUN = flags_of(["run", "t.csv"])


@pytest.mark.parametrize(
    ("argument", "call", "flag"),
    [
        (arg("group", "patient"), "group='patient'", "--group patient"),
        (arg("group", "it's here"), 'group="it\'s here"', "--group 'it'\"'\"'s here'"),
        (arg("drop", ["a", "b c"]), "drop=['a', 'b c']", "--drop a 'b c'"),
        (arg("drop", ("d",)), "drop=('d',)", "--drop d"),
        (arg("features", ...), "features=…", "--features"),
        (arg("sep"), "sep", "--sep"),
        (arg("confidence_level", 1e-3), "confidence_level=0.001", "--confidence-level 0.001"),
        (arg("models", ("ridge",)), "models=('ridge',)", "--model ridge"),
        (arg("journal", None), "journal=None", "no --journal"),
        (arg("seed", -1), "seed=-1", "--seed -1"),
        (arg("specificity", float("nan")), "specificity=nan", "--specificity nan"),
        # What is no option of the command stays.
        (arg("on_error", "skip"), "on_error='skip'", "on_error='skip'"),
        # What is not marked as an argument is the user's own text.
        ("'seed=3'", "'seed=3'", "'seed=3'"),
        (arg("group", "seed=3 \ue000x"), "group='seed=3 \\ue000x'", "--group 'seed=3 \ue000x'"),
    ],
)
def test_arguments_are_shown_as_flags(argument, call, flag):
    with pytest.raises(UsageError) as raised, as_usage():
        raise InputError(f"You passed {argument}.\nUse {arg('group')}.")
    assert str(raised.value) == f"You passed {call}.\nUse group."
    said = in_words(raised.value, partial(write_flag, RUN))
    assert said == f"You passed {flag}.\nUse --group."


def test_only_options_of_the_command_are_flags():
    demo = flags_of(["demo"])
    assert write_flag(demo, "group", "'x'") == "group='x'"
    assert write_flag(demo, "n_units", "30") == "--units 30"
    assert flags_of(["nonsense"]) == {}
    assert flags_of([]) == {}
    assert "data" not in RUN
