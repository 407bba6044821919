import pytest

import tlpo
from tlpo.analysis.options import Options, OutputFiles
from tlpo.errors import UsageError
from tlpo.tables.options import Reading, Specification


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
            lambda: Options(rounds=9),
            "rounds must be a whole number, at least 10.\nYou passed rounds=9.\n"
            "For example rounds=10.",
        ),
        (
            lambda: Options(rounds=20, sorts=5),
            "Rounds and sorts are two ways to play fewer games.\n"
            "You passed rounds=20 and sorts=5.\n"
            "Use rounds=20 for an AUC with an interval, or sorts=5 for a ranking.",
        ),
        (
            lambda: Options(sorts=5, permutations=99),
            "A permutation test plays all games, many times.\n"
            "You passed permutations=99 and sorts=5.\nLeave out one of the two.",
        ),
        (
            lambda: Specification("y", by="sex"),
            "by must be a list of column names.\nYou passed by='sex'.\n"
            "For example by=['age', 'marker'].",
        ),
        (
            lambda: Specification("y", missing=["drop", "impute"]),
            "Missing values are either imputed or dropped.\nYou passed missing=['drop', "
            "'impute'].\nLeave out one of the two.",
        ),
        (
            lambda: Specification("y", missing=["999", " "]),
            "Empty cells are missing anyway.\nYou passed missing=['999', ' '].\n"
            "Name values, for example missing=['999', 'age=-1'].",
        ),
        (
            lambda: Specification("y", missing=[999]),
            "missing must be a list of texts.\nYou passed missing=[999].\n"
            "For example missing=['999', 'age=-1'].",
        ),
        (
            lambda: Specification("y", group=[7]),
            "group must be a list of column names.\nYou passed group=[7].\n"
            "For example group=['age', 'marker'].",
        ),
        (
            lambda: Specification("y", numeric=["a", "b"], categorical=["b"]),
            "A column is either numbers or categories.\nYou passed numeric=['b'] and "
            "categorical=['b'].\nLeave out one of the two.",
        ),
        (
            lambda: Specification("y", features="age"),
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
    assert OutputFiles().paths() == {}
    assert OutputFiles(md=tmp_path / "a.md").paths() == {"md": tmp_path / "a.md"}
