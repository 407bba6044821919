"""What a report says about the table itself, before anything is reported from it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from tlpo.analysis.json_values import Summary
from tlpo.errors import enumerate_briefly
from tlpo.plurals import counted
from tlpo.problem.labels import LARGER, SORTED
from tlpo.tables.select import UNSAID

# Columns that are named; of more, only how many there are.
NAMED = 5


def caveats(summary: Summary) -> list[str]:
    """Say what was done with labels, rows and columns, and which of them may deceive."""
    sample = summary["sample"]
    return [
        *_say_label(summary),
        *_say_rows(sample),
        *_say_left_out(sample["left_out"]),
        *_say_leaks(sample["suspects"]),
        *_say_identifiers(sample["suspects"]),
        *_say_names(sample["suspects"]),
        *_say_repeats(summary),
    ]


def _say_label(summary: Summary) -> list[str]:
    positive, negative = summary["positive"], summary["negative"]
    why = {
        SORTED: f"it follows {negative!r} in the alphabet",
        LARGER: f"it is larger than {negative!r}",
    }.get(summary["sample"]["chosen_by"])
    if why is None:
        return []
    return [
        f"{positive!r} counts as positive only because {why}. If that is the wrong way round, run "
        f"the analysis again with {_flag('positive', negative)}."
    ]


def _say_rows(sample: dict[str, Any]) -> list[str]:
    parts = []
    if sample["unselected"]:
        rows = [row if row.startswith(UNSAID) else _flag("rows", row) for row in sample["rows"]]
        parts.append(f"{sample['unselected']} by {' and '.join(rows)}")
    if sample["other_classes"]:
        asked = _flag("classes", *sample["classes"])
        parts.append(f"{sample['other_classes']} with another outcome ({asked})")
    if not parts:
        return []
    n = sample["unselected"] + sample["other_classes"]
    return [f"{n} of {sample['read']} rows were left out on request: {' and '.join(parts)}."]


def _say_left_out(left_out: dict[str, str]) -> list[str]:
    reasons: dict[str, list[str]] = {}
    for name, why in left_out.items():
        reasons.setdefault(why.partition(";")[0].removeprefix("it is "), []).append(name)
    parts = [f"{_columns(names)} ({why})" for why, names in reasons.items()]
    return [f"Not used as predictors: {'; '.join(parts)}."] if parts else []


def _say_leaks(suspects: list[dict[str, Any]]) -> list[str]:
    said = []
    for suspect in _of(suspects, "copy"):
        name = suspect["column"]
        said.append(
            f"{name!r} tells the outcome: it has two values, one for each label. Unless it is a "
            f"test to be judged, run the analysis again with {_flag('drop', name)}."
        )
    separating = _of(suspects, "separates")
    if separating:
        names = [suspect["column"] for suspect in separating]
        lowest = min(suspect["auc"] for suspect in separating)
        least = "at least " if len(names) > 1 else ""
        said.append(
            f"{_columns(names)} alone {_plural(names, 'separates', 'separate')} the classes (AUC "
            f"{least}{lowest:.3f}). If {_plural(names, 'it', 'they')} followed the outcome or "
            "defined it, no AUC here means anything: run the analysis again with "
            f"{_flag('drop', *names[:NAMED])}."
        )
    names = [suspect["column"] for suspect in _of(suspects, "after")]
    if names:
        said.append(
            f"By the name, {_columns(names)} {_plural(names, 'was', 'were')} known only after the "
            f"outcome. If so, {_plural(names, 'it', 'they')} cannot predict it: run the analysis "
            f"again with {_flag('drop', *names[:NAMED])}."
        )
    return said


def _say_identifiers(suspects: list[dict[str, Any]]) -> list[str]:
    names = [suspect["column"] for suspect in _of(suspects, "identifier")]
    if not names:
        return []
    return [
        f"{_columns(names)} {_plural(names, 'looks like an identifier', 'look like identifiers')} "
        f"but {_plural(names, 'was used as a predictor', 'were used as predictors')}. If so, run "
        f"the analysis again with {_flag('drop', *names[:NAMED])}."
    ]


def _say_names(suspects: list[dict[str, Any]]) -> list[str]:
    names = [suspect["column"] for suspect in _of(suspects, "names")]
    if not names:
        return []
    category = _plural(names, "it is a category", "they are categories")
    return [
        f"{_columns(names)} {_plural(names, 'looks', 'look')} like names or free text, so "
        f"{_plural(names, 'its', 'their')} values are not written here. If "
        f"{_plural(names, 'it identifies', 'they identify')} people, run the analysis again with "
        f"{_flag('drop', *names[:NAMED])}; if {category} that may be shown, with "
        f"{_flag('categorical', *names[:NAMED])}."
    ]


def _say_repeats(summary: Summary) -> list[str]:
    sample = summary["sample"]
    if sample["group"] is not None:
        return []
    units = summary["units"]
    seen = f"models were tested on {units} they had seen"
    said = [
        f"{suspect['column']!r} repeats: {suspect['n_values']} values in {summary['n_units']} "
        f"rows. If it says whose the rows are, {seen}: run the analysis again with "
        f"{_flag('group', suspect['column'])}."
        for suspect in _of(sample["suspects"], "repeated")
    ]
    n = sample["duplicates"]
    if n:
        one = n == 1
        said.append(
            f"{counted(n, 'row')} {'has' if one else 'have'} the same features as an earlier row, "
            "which is to be expected only of features with few values. If "
            f"{'it belongs' if one else 'they belong'} to the same {summary['unit']}, {seen}: "
            f"remove {'this row' if one else 'these rows'}, or name the column that identifies "
            f"{units} with --group."
        )
    return said


def _of(suspects: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [suspect for suspect in suspects if suspect["kind"] == kind]


def _columns(names: Sequence[str]) -> str:
    if len(names) > NAMED:
        return f"{len(names)} columns, such as {enumerate_briefly(names[:3])},"
    listed = ", ".join(map(repr, names[:-1]))
    return f"{listed} and {names[-1]!r}" if listed else repr(names[0])


def _plural(names: Sequence[str], one: str, several: str) -> str:
    return one if len(names) == 1 else several


def _flag(name: str, *values: str) -> str:
    return " ".join([f"--{name}", *map(shlex.quote, values)])
