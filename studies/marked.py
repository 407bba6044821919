"""Blocks of a page that a script writes: the text between two marks, and Markdown tables for it.

A block is ``<!-- measured: NAME -->``, its text, and ``<!-- end: NAME -->``, each mark on a line of
its own. Everything outside the blocks is written by hand and is never changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tlpo.errors import InputError, explain

DOCS = Path(__file__).parents[1] / "docs"


def write_blocks(page: Path, blocks: Mapping[str, str]) -> None:
    """Replace the text of some blocks of a page; all of them, or none if a mark is not right.

    Raises
    ------
    InputError
        If a mark is missing or doubled, or the end comes before the beginning.
    """
    # Bytes, because text mode would change the line endings of a page.
    text = page.read_bytes().decode("utf-8")
    for name, content in blocks.items():
        start, stop = _find(page, text, name)
        text = f"{text[:start]}\n{content}\n{text[stop:]}"
    page.write_bytes(text.encode("utf-8"))


def read_block(page: Path, name: str) -> str:
    """Return the text of one block of a page."""
    text = page.read_bytes().decode("utf-8")
    start, stop = _find(page, text, name)
    return text[start:stop].strip()


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def write_rows(
    page: Path,
    name: str,
    head: Sequence[str],
    cases: Sequence[str],
    rows: Iterable[Sequence[object]],
    made: str,
) -> None:
    """Write the table of a block with new rows, and keep the others that it has.

    Parameters
    ----------
    page, name : Path, str
        The block.
    head : sequence of str
        The columns; the first is the case.
    cases : sequence of str
        All cases there are, in the order of the table. Rows of others are dropped.
    rows : iterable of sequences
        What was measured now, of some or all cases.
    made : str
        What stands below the table: how it was made.
    """
    lines = [line for line in read_block(page, name).splitlines() if line.startswith("| ")]
    old = [line.removeprefix("| ").removesuffix(" |").split(" | ") for line in lines]
    # Under other columns the old cells would mean something else.
    kept = {row[0]: row for row in old[2:]} if old and old[0] == list(head) else {}
    found = {**kept, **{str(row[0]): row for row in rows}}
    table = markdown_table(head, [found[case] for case in cases if case in found])
    write_blocks(page, {name: f"{table}\n\n{made}"})


def _find(page: Path, text: str, name: str) -> tuple[int, int]:
    """Return where the text between the two marks of a block begins and ends."""
    marks = f"<!-- measured: {name} -->", f"<!-- end: {name} -->"
    for mark in marks:
        if (count := text.count(mark)) != 1:
            raise InputError(
                explain(
                    f"A block needs each of its marks exactly once: {mark}",
                    f"You passed {page}, which has {count or 'none'}.",
                    f"Put {marks[0]} and {marks[1]} on lines of their own around the block.",
                )
            )
    start, stop = text.index(marks[0]) + len(marks[0]), text.index(marks[1])
    if stop < start:
        raise InputError(
            explain(
                "A block ends before it begins.",
                f"You passed {page}, where {marks[1]} comes before {marks[0]}.",
                "Exchange the two marks.",
            )
        )
    return start, stop
