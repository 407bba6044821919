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
