"""Remarks on values that may mean something else: codes, gaps, decimals, spellings, groups."""

from __future__ import annotations

from collections.abc import Sequence

from tlpo.analysis.remarks import (
    Categorical,
    Classes,
    Decimal,
    Group,
    Missing,
    Numeric,
    Remark,
    names,
)
from tlpo.analysis.shapes import Suspect
from tlpo.plurals import counted
from tlpo.tables.options import MOST_CLASSES
from tlpo.tables.several import LEAST

# Columns that an action names.
NAMED = 5


def on_values(suspects: Sequence[Suspect], labels: Sequence[str] = ()) -> list[Remark]:
    """Ask about values that may mean something else; ``labels`` are those of an outcome."""
    return [
        *_on_spellings(suspects, labels),
        *_on_missing_codes(suspects),
        *_on_codes(suspects),
        *_on_decimals(suspects),
    ]


def missing_labels(suspects: Sequence[Suspect], target: str) -> list[str]:
    """Return the labels of an outcome that look like codes for a missing one."""
    asked = [s for s in suspects if s.kind == "missing code" and s.column == target]
    return [label for suspect in asked for label in suspect.values]


def on_groups(suspects: Sequence[Suspect], units: str, group: str | None) -> list[Remark]:
    """Ask about an identifier whose values occur at several places."""
    found = []
    for suspect in suspects:
        if suspect.kind != "shared":
            continue
        column, (place,) = suspect.column, suspect.values
        apart = (f"If every {place!r} numbers its own,", Group((place, column)))
        text = f"{column!r} has the same values at different {place!r}"
        if group is not None:
            text += f", and rows that share one were kept together as the same {column!r}."
            found.append(Remark("shared identifier", text, (apart,)))
            continue
        text += (
            ", and repeats within one. If it identifies the patient, models were tested on "
            f"{units} they had seen."
        )
        alike = (f"if the same value is the same {column!r} everywhere,", Group((column,)))
        found.append(Remark("shared identifier", text, (apart, alike)))
    return found


def _on_spellings(suspects: Sequence[Suspect], labels: Sequence[str]) -> list[Remark]:
    found = [suspect for suspect in suspects if suspect.kind == "spelling"]
    if not found:
        return []
    parts = []
    for suspect in found:
        kept, *others = suspect.values
        were = "was" if len(others) == 1 else "were"
        rows = counted(suspect.n_values or 0, "row")
        parts.append(f"{' and '.join(map(repr, others))} {were} taken for {kept!r} ({rows})")
    apart = tuple(dict.fromkeys([*labels, *(v for suspect in found for v in suspect.values)]))
    can_be = len(apart) <= MOST_CLASSES and all((s.n_values or 0) >= LEAST for s in found)
    return [
        Remark(
            "spelling",
            f"Labels of {found[0].column!r} that differ only in case or spaces count as one: "
            f"{', '.join(parts)}.",
            (("If they are different classes,", Classes(apart)),) if can_be else (),
        )
    ]


def _on_missing_codes(suspects: Sequence[Suspect]) -> list[Remark]:
    found = [suspect for suspect in suspects if suspect.kind == "missing code"]
    if not found:
        return []
    by_values: dict[tuple[str, ...], list[str]] = {}
    for suspect in found:
        by_values.setdefault(tuple(suspect.values), []).append(suspect.column)
    parts = [f"{' and '.join(values)} in {names(columns)}" for values, columns in by_values.items()]
    values = tuple((suspect.column, value) for suspect in found for value in suspect.values)
    is_one = len(values) == 1
    return [
        Remark(
            "missing code",
            f"{'; '.join(parts)} {'looks like a code' if is_one else 'look like codes'} for a "
            f"missing value, and {'was' if is_one else 'were'} used as "
            f"{'it is' if is_one else 'they are'}.",
            (("If so,", Missing(values[: 2 * NAMED])),),
        )
    ]


def _on_codes(suspects: Sequence[Suspect]) -> list[Remark]:
    found = [suspect for suspect in suspects if suspect.kind == "codes"]
    if not found:
        return []
    columns = tuple(suspect.column for suspect in found)
    one = len(columns) == 1
    example = found[0]
    has = (
        f"has the values {', '.join(example.values)} and was used as a number"
        if one
        else f"have few whole numbers as values, {', '.join(example.values)} for example, and were "
        "used as numbers"
    )
    return [
        Remark(
            "codes",
            f"{names(columns)} {has}, whose effect is a straight line.",
            (
                (
                    f"If {'it is a code' if one else 'they are codes'} for categories,",
                    Categorical(columns[:NAMED]),
                ),
                (
                    f"if {'it is a number' if one else 'they are numbers'}, say so and",
                    Numeric(columns[:NAMED]),
                ),
            ),
        )
    ]


def _on_decimals(suspects: Sequence[Suspect]) -> list[Remark]:
    found = [suspect for suspect in suspects if suspect.kind == "decimals"]
    if not found:
        return []
    written, read, other = found[0].values
    is_decimal = "." in read
    what = "a decimal mark" if is_decimal else "a separator of thousands"
    text = (
        f"The comma in {names([suspect.column for suspect in found])} was read as {what}: "
        f"{written} as {read}. Nothing in the file says so."
    )
    if is_decimal:
        way = f"If it separates thousands, so that {written} is {other},", Decimal(".")
    else:
        way = f"If it is a decimal mark, so that {written} is {other},", Decimal(",")
    return [Remark("decimals", text, (way,))]
