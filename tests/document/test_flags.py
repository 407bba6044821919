import pytest

from tlpo.commands.cli import flags_of
from tlpo.document.flags import in_flags

RUN = flags_of(["run", "t.csv"])


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Use group='patient'.", "Use --group patient."),
        ("Use group='it\\'s here'.", "Use --group 'it'\"'\"'s here'."),
        ('Use group="it\'s".', "Use --group 'it'\"'\"'s'."),
        ("Use drop=['a', 'b c'], or drop=('d',).", "Use --drop a 'b c', or --drop d."),
        ("Set features=…, or sep=.", "Set --features, or --sep."),
        ("You passed confidence_level=1e-3.", "You passed --confidence-level 1e-3."),
        ("You passed models=('ridge',).", "You passed --model ridge."),
        ("You passed shard='1/2' and journal=None.", "You passed --shard 1/2 and no --journal."),
        ("json= would overwrite the journal.", "--json would overwrite the journal."),
        (
            "seed must be whole.\nYou passed seed=-1.",
            "--seed must be whole.\nYou passed --seed -1.",
        ),
        # What is no option of the command, is not an argument, or is the user's own text stays.
        ("Use on_error='skip' or engine='refit'.", "Use on_error='skip' or engine='refit'."),
        ("The target must have two labels.", "The target must have two labels."),
        ("You passed 'knn:seed=3' and 'seed=3'.", "You passed 'knn:seed=3' and 'seed=3'."),
        ("The model's seed=3 isn't used.", "The model's --seed 3 isn't used."),
        ("You passed \"group='x'\".", "You passed \"group='x'\"."),
    ],
)
def test_arguments_are_shown_as_flags(message, expected):
    assert in_flags(message, RUN) == expected


def test_only_options_of_the_command_are_flags():
    assert in_flags("Use group='x', n_units=30.", flags_of(["demo"])) == (
        "Use group='x', --units 30."
    )
    assert flags_of(["nonsense"]) == {}
    assert flags_of([]) == {}
    assert "data" not in RUN
    assert in_flags("Use group='x'.", {}) == "Use group='x'."
