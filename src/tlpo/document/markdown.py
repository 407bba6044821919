"""A document as Markdown: all but the pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tlpo.document.blocks import (
    Block,
    Bullets,
    Document,
    Figure,
    Folded,
    Heading,
    Paragraph,
    Quote,
    Remarks,
    SideBySide,
    Table,
    Terms,
)


def to_markdown(document: Document) -> str:
    """Return a document as Markdown."""
    parts = [f"# {escape(document.title)}", escape(document.lead)]
    for section in document.sections:
        found = [part for block in section.blocks for part in _parts(block)]
        if found:
            parts += [f"## {escape(section.title)}", *found]
    return "\n\n".join([*parts, escape(document.footer)]) + "\n"


def _parts(block: Block) -> Iterator[str]:
    if isinstance(block, Paragraph):
        yield escape(block.text)
    elif isinstance(block, Terms):
        yield "\n".join(f"- **{escape(term)}**: {escape(text)}" for term, text in block.items)
    elif isinstance(block, Table):
        yield f"*{escape(block.caption)}*"
        yield "\n".join(_grid(block.head or [""] * len(block.rows[0]), block.rows))
    elif isinstance(block, SideBySide | Folded):
        for part in block.blocks:
            yield from _parts(part)
    elif isinstance(block, Remarks):
        if block.title:
            yield f"**{escape(block.title)}**"
        yield "\n".join(f"- {escape(item)}" for item in block.items)
    elif isinstance(block, Bullets):
        marks = (f"{k}." if block.is_numbered else "-" for k in range(1, len(block.items) + 1))
        yield "\n".join(
            f"{mark} {escape(item)}" for mark, item in zip(marks, block.items, strict=True)
        )
    elif isinstance(block, Quote):
        yield f"> {escape(block.text)}"
    elif isinstance(block, Heading):
        yield f"### {escape(block.text)}"
    else:
        assert isinstance(block, Figure)


def _grid(head: Sequence[str], body: Sequence[Sequence[Any]]) -> list[str]:
    written = ["| " + " | ".join(map(escape, row)) + " |" for row in (head, *body)]
    return [written[0], "|" + " --- |" * len(head), *written[1:]]


def escape(text: Any) -> str:
    """Keep text from being read as Markdown or HTML."""
    escaped = str(text).replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")
    escaped = escaped.replace("&", "&amp;").replace("<", "&lt;")
    return escaped.replace("`", "\\`").replace("[", "\\[")
