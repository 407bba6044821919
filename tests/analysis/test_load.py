import copy
import json
from pathlib import Path

import jsonschema
import msgspec
import pytest

import tlpo
from analysis.analyses import ANALYSES, KINDS
from analysis.judging import find_fault, shown
from tlpo.analysis.load import decode, load_analysis, schema
from tlpo.analysis.shapes import AnyAnalysis
from tlpo.document.write import json_of


def spoiled(found):
    """Every analysis in which one key is missing, or one value is of another kind."""

    def spoil(value, path):
        keys = value if isinstance(value, dict) else range(min(1, len(value)))
        for key in keys:
            at = [*path, key]
            yield at, "removed"
            yield at, "changed"
            if isinstance(value[key], dict | list) and value[key]:
                yield from spoil(value[key], at)

    for path, how in spoil(found, []):
        spoilt = copy.deepcopy(found)
        place = spoilt
        for key in path[:-1]:
            place = place[key]
        if how == "removed":
            del place[path[-1]]
        else:
            place[path[-1]] = {"other": "kind"}
        yield path, spoilt


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("name", "least"), [("probabilities", 200), ("markers", 150), ("validation", 200)]
)
def test_faults_are_those_of_the_schema(name, least):
    """Refused when it is read if and only if a full validator refuses it, or it contradicts."""
    found = json.loads(json_of((ANALYSES | KINDS)[name]()))
    validator = jsonschema.Draft202012Validator(schema())
    n = 0
    for path, spoilt in spoiled(found):
        if path[0] == "warnings":
            continue  # which are not read
        if not validator.is_valid(spoilt):
            assert find_fault(spoilt) is not None, path
            n += 1
        elif find_fault(spoilt) is None:
            assert shown(spoilt), path  # nothing that is needed
    assert n > least


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (-0.1, "'specificity': expected `float` >= 0.0"),
        (1.1, "'specificity': expected `float` <= 1.0"),
        (True, "'specificity': expected `float`, got `bool`"),
        ("0.5", "'specificity': expected `float`, got `str`"),
        (None, "'specificity': expected `float`, got `null`"),
    ],
)
def test_a_value_out_of_range_says_where(value, fault):
    found = json.loads(json_of(ANALYSES["one model"]()))
    assert find_fault(found | {"specificity": value}) == fault


def test_games_are_of_one_form_and_as_many_as_pairs():
    longer = json.loads(json_of(ANALYSES["one model"]()))
    longer["models"][0]["games"][0] += "1"
    rule = "line k has the games against all later patients"
    assert find_fault(longer) == f"'models[0].games' is 14, but {rule}"
    longer["models"][0]["games"][0] = "x"
    fault = "'models[0].games[0]': expected `str` matching regex '^[01=.]*$'"
    assert find_fault(longer) == fault


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (
            lambda text: "a,b\n1,2\n",
            "The file is not JSON, or it was cut off.\nYou passed {path}: JSON is malformed: "
            "invalid character (byte 0).\nPass a JSON file that tlpo wrote, complete.",
        ),
        (
            lambda text: text[: len(text) // 2],
            "The file is not JSON, or it was cut off.\n",
        ),
        (
            lambda text: text.replace('"seed": 0', '"seed": NaN'),
            "The file is not JSON, or it was cut off.\nYou passed {path}: JSON is malformed: ",
        ),
        (
            lambda text: "\udcff",
            "The file is not JSON, or it was cut off.\n",
        ),
        (
            lambda text: '[{"schema": 1}]',
            "The file is JSON, but not an analysis.\nYou passed {path}.\n"
            "Pass a JSON file that tlpo wrote.",
        ),
        (
            lambda text: text.replace('"schema": 2,', '"schema": 1,'),
            "The analysis follows another schema; this version of tlpo reads schema 2.\nYou passed "
            f"{{path}}, which tlpo {tlpo.__version__} wrote, with schema 1.\nRender it with the "
            "version of tlpo that wrote it, or run the analysis again.",
        ),
        (
            lambda text: json.dumps({**json.loads(text), "models": [{"name": "rls"}]}),
            "The analysis is incomplete or was changed.\nYou passed {path}: 'models[0]': object "
            "missing required field `what`.\nRun the analysis again and keep the JSON as it is "
            "written.",
        ),
        (
            lambda text: text.replace('"kind": "run"', '"kind": "walk"'),
            "The analysis is incomplete or was changed.\nYou passed {path}: 'kind': invalid value "
            "'walk'.\nRun the analysis again and keep the JSON as it is written.",
        ),
    ],
)
def test_other_files_are_refused(written, tmp_path, spoil, message):
    path = tmp_path / "other.json"
    path.write_bytes(spoil(written.read_text()).encode(errors="surrogateescape"))
    with pytest.raises(tlpo.InputError) as caught:
        load_analysis(str(path))
    assert str(caught.value).startswith(message.format(path=repr(str(path))))
    assert str(caught.value).count("\n") == 2


@pytest.mark.exhaustive
def test_every_kind_comes_back_as_it_was(any_analysis, tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json_of(any_analysis))
    assert load_analysis(str(path)) == any_analysis == decode(path.read_text())
    # Also with the mark that some editors put before the text.
    path.write_text(json_of(any_analysis), encoding="utf-8-sig")
    assert load_analysis(str(path)) == any_analysis


def test_nobody_can_change_an_analysis(any_analysis):
    def walk(value):
        if isinstance(value, msgspec.Struct):
            assert type(value).__struct_config__.frozen, type(value)
            assert type(value).__struct_config__.forbid_unknown_fields, type(value)
            for name in value.__struct_fields__:
                walk(getattr(value, name))
        elif isinstance(value, list | tuple):
            for item in value:
                walk(item)

    assert isinstance(any_analysis, AnyAnalysis)
    walk(any_analysis)


def test_the_published_schema_is_that_of_the_types():
    """Written by: python -m tlpo.analysis.load > docs/schema.json."""
    path = Path(__file__).parents[2] / "docs" / "schema.json"
    assert json.loads(path.read_text(encoding="utf-8")) == schema()
