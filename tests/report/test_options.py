import pytest

import tlpo
from tlpo.cli import flags_of
from tlpo.errors import UsageError
from tlpo.flags import in_flags
from tlpo.report.options import Options, Question, Reading, Wanted

RUN = flags_of(["run", "t.csv"])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Options(specificity=90),
            "specificity must be between 0 and 1.\nYou passed specificity=90.\n"
            "For example specificity=0.9 for 90 %.",
        ),
        (
            lambda: Options(confidence_level=1.0),
            "confidence_level must be strictly between 0 and 1.\n"
            "You passed confidence_level=1.0.\nFor example confidence_level=0.95 for 95 %.",
        ),
        (
            lambda: Options(prevalence=0.0),
            "prevalence must be strictly between 0 and 1.\nYou passed prevalence=0.0.\n"
            "For example prevalence=0.05 for 5 %.",
        ),
        (
            lambda: Options(seed=-1),
            "seed must be a whole number, at least 0.\nYou passed seed=-1.\nFor example seed=0.",
        ),
        (
            lambda: Question("y", missing="guess"),
            "missing must be one of 'impute', 'drop'.\nYou passed missing='guess'.\n"
            "For example missing='impute'.",
        ),
        (
            lambda: Question("y", features="age"),
            "features must be a list of column names.\nYou passed features='age'.\n"
            "For example features=['age', 'marker'].",
        ),
        (
            lambda: Reading(decimal="::"),
            "decimal must be a single character.\nYou passed decimal='::'.\n"
            "For example decimal=','.",
        ),
        (
            lambda: Reading(encoding="klingon"),
            "There is no such encoding.\nYou passed encoding='klingon'.\nFor example "
            "encoding='utf-8' or encoding='latin-1'; leave it out to have it detected.",
        ),
    ],
)
def test_wrong_options_are_refused_when_they_are_made(make, message):
    with pytest.raises(UsageError) as caught:
        make()
    assert str(caught.value) == message
    assert isinstance(caught.value, tlpo.InputError)


def test_what_is_wanted(tmp_path):
    assert Wanted().paths() == {}
    assert Wanted(md=tmp_path / "a.md").paths() == {"md": tmp_path / "a.md"}


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
