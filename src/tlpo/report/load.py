"""Load a summary that was written as JSON, and refuse any other file in words."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files
from typing import Any

from tlpo.errors import InputError, explain
from tlpo.report.plain import SCHEMA, Summary
from tlpo.report.read import require_file

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
    return summary


def find_fault(summary: Summary) -> str | None:
    """Return the first place where a summary departs from ``schema.json``, or None."""
    fault = misfit(summary, schema(), schema())
    if fault is not None:
        return fault
    m = summary["n_units"]
    names = [model["name"] for model in summary["models"]]
    if len(set(names)) < len(names):
        return "two models have the same name"
    if len(summary["is_positive"]) != m:
        return "'is_positive' does not match the number of patients"
    for k, row in enumerate(summary["baseline"]):
        n_values = 3 if row["kind"] == "median" else 2
        if any(len(row[part]["values"]) != n_values for part in ("all", "positive", "negative")):
            return f"'baseline[{k}]' does not have {n_values} values"
    for k, model in enumerate(summary["models"]):
        final, n_points = model["final"], len(model["operating_points"])
        if final["score"] is not None and (None in final["cuts"] or len(final["cuts"]) != n_points):
            return f"'models[{k}].final' does not have a cut-off for every operating point"
        if len(model["scores"]) != m or model["scores"].count(None) == m:
            return f"'models[{k}].scores' does not match the number of patients"
        if model["games"] is not None and [*map(len, model["games"])] != [*range(m)][::-1]:
            return f"'models[{k}].games' does not match the number of patients"
        tables = {name: model[name] for name in ("curve", "band") if model[name] is not None}
        for name in ("curve", "net_benefit") if model["probabilities"] is not None else ():
            tables[f"probabilities.{name}"] = model["probabilities"][name]
        for name, table in tables.items():
            if len({len(part) for part in table.values() if isinstance(part, list)}) != 1:
                return f"'models[{k}].{name}' has lists of different lengths"
        if summary["prevalence"] is not None and any(
            f"{value}_at_prevalence{end}" not in point
            for point in model["operating_points"]
            for value in ("ppv", "npv")
            for end in ("", "_low", "_high")
        ):
            return f"'models[{k}].operating_points' lacks values at the prevalence"
    return None


@cache
def schema() -> dict[str, Any]:
    """Return the schema that every summary follows."""
    text = files("tlpo.report").joinpath("schema.json").read_text(encoding="utf-8")
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
        abs(value) < infinity  # which 1e999 in a file is
        and rule.get("minimum", -infinity) <= value <= rule.get("maximum", infinity)
        and rule.get("exclusiveMinimum", -infinity) < value
        and value < rule.get("exclusiveMaximum", infinity)
    )


def _refuse(text: str) -> None:
    raise ValueError(f"{text} is not JSON")
