"""Load a summary that was written as JSON, and refuse any other file in words."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files
from sys import float_info
from typing import Any

from tlpo.analysis.json_values import SCHEMA, Summary, plain
from tlpo.analysis.narrative import add_words
from tlpo.analysis.plan import plan_sample
from tlpo.analysis.relations import find_contradiction
from tlpo.errors import InputError, explain
from tlpo.tables.read import require_file

# Free text that is longer was not written by tlpo, and would fill pages.
MOST_CHARACTERS = 100_000
# Beyond it are whole numbers that nothing can compute with, and 1e999, which is read as infinite.
LARGEST = float_info.max

_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "number": (int, float),
    "integer": int,
    "boolean": bool,
    "null": type(None),
}


def load_summary(path: str) -> Summary:
    """Load the JSON of a report; a file that renderers could not use is refused."""
    content = require_file(path).read_bytes()
    try:
        summary = json.loads(content.decode("utf-8-sig"), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise InputError(
            explain(
                "The file is not JSON, or it was cut off.",
                f"You passed {path!r}: {error}.",
                "Pass a file that 'tlpo run … --json' wrote, complete.",
            )
        ) from error
    if not (isinstance(summary, dict) and "schema" in summary and "models" in summary):
        raise InputError(
            explain(
                "The file is JSON, but not the summary of a report.",
                f"You passed {path!r}.",
                "Pass a file that 'tlpo run … --json' wrote.",
            )
        )
    if summary["schema"] != SCHEMA:
        raise InputError(
            explain(
                f"The summary follows another schema; this version of tlpo reads schema {SCHEMA}.",
                f"You passed {path!r}, which follows schema {summary['schema']!r}.",
                "Render it with the version of tlpo that wrote it, or run the analysis again.",
            )
        )
    fault = find_fault(summary)
    if fault is not None:
        raise InputError(
            explain(
                "The summary is incomplete or was changed.",
                f"You passed {path!r}: {fault}.",
                "Run the analysis again and keep the JSON as it is written.",
            )
        )
    return _remade(summary)


def _remade(summary: Summary) -> Summary:
    """Write what follows from the numbers anew: a sentence beside them could say anything."""
    share = summary["n_positive"] / summary["n_units"]
    planning = plan_sample(summary["n_units"], share, summary["confidence_level"])
    return add_words(summary | {"planning": plain(planning)})


def find_fault(summary: Summary) -> str | None:
    """Return the first place where a summary departs from ``schema.json`` or contradicts itself."""
    try:
        fault = misfit(summary, schema(), schema())
    except RecursionError:
        return "it is nested too deeply"
    if fault is not None:
        return fault
    contradiction = find_contradiction(summary)
    return None if contradiction is None else str(contradiction)


@cache
def schema() -> dict[str, Any]:
    """Return the schema that every summary follows."""
    text = files("tlpo.analysis").joinpath("schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def misfit(value: Any, rule: dict[str, Any], root: dict[str, Any], where: str = "") -> str | None:
    """Return where a value departs from a rule of the schema ``root``, or None.

    Only the few keywords that ``schema.json`` and ``card.json`` use are known: a validator of all
    of JSON Schema would be one more dependency for every user. A test compares this one with it.
    """
    if "$ref" in rule:
        rule = root["$defs"][rule["$ref"].rpartition("/")[2]]
    name = repr(where) if where else "the whole"
    if "anyOf" in rule:
        faults = [misfit(value, option, root, where) for option in rule["anyOf"]]
        return None if None in faults else faults[0]
    if "const" in rule and value != rule["const"]:
        return f"{name} is not {rule['const']!r}"
    kinds = rule.get("type", list(_TYPES))
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if not any(_is_a(value, kind) for kind in kinds):
        return f"{name} is not of type {' or '.join(kinds)}"
    if isinstance(value, dict):
        absent = [key for key in rule.get("required", ()) if key not in value]
        if absent:
            return f"{name} has no {absent[0]!r}"
        known, other = rule.get("properties", {}), rule.get("additionalProperties", {})
        parts = [
            (f"{where}.{key}".lstrip("."), item, known.get(key, other))
            for key, item in value.items()
        ]
    elif isinstance(value, list):
        if not rule.get("minItems", 0) <= len(value) <= rule.get("maxItems", len(value)):
            return f"{name} has {len(value)} items"
        parts = [(f"{where}[{k}]", v, rule.get("items", {})) for k, v in enumerate(value)]
    elif isinstance(value, str):
        if len(value) > MOST_CHARACTERS and "pattern" not in rule:
            return f"{name} has {len(value)} characters"
        fits = re.fullmatch(rule.get("pattern", "(?s:.*)"), value) is not None
        return None if fits else f"{name} is not of the form {rule['pattern']}"
    else:
        return None if _is_within(value, rule) else f"{name} is out of range"
    found = (misfit(item, own, root, place) for place, item, own in parts)
    return next((fault for fault in found if fault is not None), None)


def _is_a(value: Any, kind: str) -> bool:
    return isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _is_within(value: Any, rule: dict[str, Any]) -> bool:
    if value is None or isinstance(value, bool):
        return True
    infinity = float("inf")
    return bool(
        rule.get("minimum", -LARGEST) <= value <= rule.get("maximum", LARGEST)
        and rule.get("exclusiveMinimum", -infinity) < value
        and value < rule.get("exclusiveMaximum", infinity)
    )


def _refuse(text: str) -> None:
    raise ValueError(f"{text} is not JSON")
