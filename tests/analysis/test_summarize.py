import json

import jsonschema
import pytest

from tlpo.analysis.caveats import remarks_on
from tlpo.analysis.load import decode, schema
from tlpo.document.write import json_of


def not_json(constant):
    raise AssertionError(constant)


@pytest.mark.exhaustive
def test_it_is_plain_json_that_follows_the_schema_and_comes_back(any_analysis):
    text = json_of(any_analysis)
    found = json.loads(text, parse_constant=not_json)
    jsonschema.validate(found, schema())
    assert found["warnings"] == [remark.worded() for remark in remarks_on(any_analysis)]
    assert decode(text) == any_analysis


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(schema())
