import copy
import json
import math

import jsonschema
import pytest

import tlpo
from analysis.summaries import SUMMARIES
from tlpo.analysis.load import find_fault, load_summary, schema
from tlpo.document.render import to_markdown


def spoiled(summary):
    """Every summary in which one key is missing, or one value is of another kind."""

    def spoil(value, path):
        keys = value if isinstance(value, dict) else range(min(1, len(value)))
        for key in keys:
            at = [*path, key]
            yield at, "removed"
            yield at, "changed"
            if isinstance(value[key], dict | list) and value[key]:
                yield from spoil(value[key], at)

    for path, how in spoil(summary, []):
        spoilt = copy.deepcopy(summary)
        place = spoilt
        for key in path[:-1]:
            place = place[key]
        if how == "removed":
            del place[path[-1]]
        else:
            place[path[-1]] = {"other": "kind"}
        yield path, spoilt


def test_faults_are_those_of_the_schema():
    """Found by our few lines if and only if found by a full validator."""
    summary = SUMMARIES["probabilities"]()
    validator = jsonschema.Draft202012Validator(schema())
    n = 0
    for path, spoilt in spoiled(summary):
        if not validator.is_valid(spoilt):
            assert find_fault(spoilt) is not None, path
            n += 1
        elif find_fault(spoilt) is None:
            assert to_markdown(spoilt), path  # nothing that is needed
    assert n > 200
    for value in (-0.1, 1.1, math.inf, True, "0.5"):
        spoilt = copy.deepcopy(summary) | {"specificity": value}
        assert find_fault(spoilt) in ("'specificity' is out of range", TYPE), value
    longer = copy.deepcopy(summary)
    longer["models"][0]["games"][0] += "1"
    rule = "line k has the games against all later patients"
    assert find_fault(longer) == f"'models[0].games' is 14, but {rule}"
    longer["models"][0]["games"][0] = "x"
    assert find_fault(longer) == "'models[0].games[0]' is not of the form ^[01=.]*$"


TYPE = "'specificity' is not of type number"


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (
            lambda text: "a,b\n1,2\n",
            "The file is not JSON, or it was cut off.\nYou passed {path}: Expecting value: line 1 "
            "column 1 (char 0).\nPass a file that 'tlpo run … --json' wrote, complete.",
        ),
        (
            lambda text: text[: len(text) // 2],
            "The file is not JSON, or it was cut off.\n",
        ),
        (
            lambda text: text.replace('"seed": 0', '"seed": NaN'),
            "The file is not JSON, or it was cut off.\nYou passed {path}: NaN is not JSON.\n",
        ),
        (
            lambda text: "\udcff",
            "The file is not JSON, or it was cut off.\n",
        ),
        (
            lambda text: '[{"schema": 1}]',
            "The file is JSON, but not the summary of a report.\nYou passed {path}.\n"
            "Pass a file that 'tlpo run … --json' wrote.",
        ),
        (
            lambda text: text.replace('"schema": 1,', '"schema": 2,'),
            "The summary follows another schema; this version of tlpo reads schema 1.\nYou passed "
            "{path}, which follows schema 2.\nRender it with the version of tlpo that wrote it, or "
            "run the analysis again.",
        ),
        (
            lambda text: json.dumps({**json.loads(text), "models": [{"name": "rls"}]}),
            "The summary is incomplete or was changed.\nYou passed {path}: 'models[0]' has no "
            "'what'.\nRun the analysis again and keep the JSON as it is written.",
        ),
    ],
)
def test_other_files_are_refused(written, tmp_path, spoil, message):
    path = tmp_path / "other.json"
    path.write_bytes(spoil(written.read_text()).encode(errors="surrogateescape"))
    with pytest.raises(tlpo.InputError) as caught:
        load_summary(str(path))
    assert str(caught.value).startswith(message.format(path=repr(str(path))))
    assert str(caught.value).count("\n") == 2
