"""Load an analysis that was written as JSON, and refuse any other file in words."""

from __future__ import annotations

import msgspec

from tlpo.analysis.json_values import say_misfit
from tlpo.analysis.relations import find_contradiction
from tlpo.analysis.shapes import SCHEMA, AnyAnalysis
from tlpo.errors import InputError, explain
from tlpo.tables.read import require_file

# Written for whoever reads the JSON, and made from the numbers again when it is read back.
WORDS = ("warnings",)


def to_json(analysis: AnyAnalysis, warnings: list[str]) -> str:
    """Return an analysis as JSON, with the remarks in words that a reader should see."""
    content = msgspec.to_builtins(analysis) | {"warnings": warnings}
    return msgspec.json.format(msgspec.json.encode(content), indent=1).decode() + "\n"


def schema() -> dict[str, object]:
    """Return the JSON schema that every analysis follows."""
    found = msgspec.json.schema(AnyAnalysis)
    for kind in found["anyOf"]:
        name = kind["$ref"].rpartition("/")[2]
        for key in WORDS:
            words = {"type": "array", "items": {"type": "string"}}
            found["$defs"][name]["properties"][key] = words
    return found


def decode(text: str) -> AnyAnalysis:
    """Return an analysis that was written just now."""
    return _convert(msgspec.json.decode(text))


def load_analysis(path: str) -> AnyAnalysis:
    """Load the JSON of an analysis; a file that no document can be made from is refused."""
    content = require_file(path).read_bytes()
    try:
        found = msgspec.json.decode(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise InputError(
            explain(
                "The file is not JSON, or it was cut off.",
                f"You passed {path!r}: {error}.",
                "Pass a JSON file that tlpo wrote, complete.",
            )
        ) from error
    if not (isinstance(found, dict) and "schema" in found and "version" in found):
        raise InputError(
            explain(
                "The file is JSON, but not an analysis.",
                f"You passed {path!r}.",
                "Pass a JSON file that tlpo wrote.",
            )
        )
    if found["schema"] != SCHEMA:
        raise InputError(
            explain(
                f"The analysis follows another schema; this version of tlpo reads schema {SCHEMA}.",
                f"You passed {path!r}, which tlpo {found['version']} wrote, with schema "
                f"{found['schema']!r}.",
                "Render it with the version of tlpo that wrote it, or run the analysis again.",
            )
        )
    fault = None
    try:
        analysis = _convert(found)
        contradiction = find_contradiction(analysis)
        fault = None if contradiction is None else str(contradiction)
    except msgspec.ValidationError as error:
        fault = say_misfit(error)
    if fault is not None:
        raise InputError(
            explain(
                "The analysis is incomplete or was changed.",
                f"You passed {path!r}: {fault}.",
                "Run the analysis again and keep the JSON as it is written.",
            )
        )
    return analysis


def _convert(found: dict[str, object]) -> AnyAnalysis:
    kept = {key: part for key, part in found.items() if key not in WORDS}
    analysis: AnyAnalysis = msgspec.convert(kept, AnyAnalysis)
    return analysis


if __name__ == "__main__":
    print(msgspec.json.format(msgspec.json.encode(schema()), indent=1).decode())
