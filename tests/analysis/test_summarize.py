import json

import jsonschema

from tlpo.analysis.load import find_fault, schema


def test_it_is_plain_json_and_follows_the_schema(summary):
    def kinds(value):
        yield type(value)
        inside = value.values() if isinstance(value, dict) else value
        if isinstance(value, dict | list):
            for item in inside:
                yield from kinds(item)

    assert set(kinds(summary)) <= {dict, list, str, int, float, bool, type(None)}
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary
    jsonschema.validate(summary, schema())
    assert find_fault(summary) is None
