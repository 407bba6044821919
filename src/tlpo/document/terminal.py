"""The short form of a document, for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tlpo.control_characters import escape_control_characters
from tlpo.document.blocks import Document, Paragraph, Remarks, Table, walk

if TYPE_CHECKING:
    from rich.console import RenderableType

GAP = 2  # spaces between the columns of a table


def print_document(document: Document) -> None:
    """Print the short form to stdout."""
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=False)
    for part in to_terminal(document, console.width):
        console.print(part)


def to_terminal(document: Document, width: int = 80) -> list[RenderableType]:
    """Return what is printed of a document: tables, sentences, remarks."""
    from rich.text import Text

    shown: list[RenderableType] = []
    for section in document.sections:
        for block in walk(section.blocks) if section.is_short else ():
            if isinstance(block, Table):
                caption = Text(escape_control_characters(block.caption), style="dim")
                space = [Text("")] if shown and shown[-1] != Text("") else []
                shown += [*space, caption, *_table(block, width), Text("")]
            elif isinstance(block, Paragraph):
                shown.append(Text(escape_control_characters(block.text)))
            elif isinstance(block, Remarks):
                shown += [
                    Text(f"! {escape_control_characters(item)}", style="yellow")
                    for item in block.items
                ]
    return shown


def _table(block: Table, width: int) -> list[RenderableType]:
    """Return a table or, in a terminal too narrow for it, a list per row."""
    from rich.cells import cell_len
    from rich.padding import Padding
    from rich.table import Table as Grid
    from rich.text import Text

    head = [escape_control_characters(name) for name in block.head]
    rows = [[escape_control_characters(str(cell)) for cell in row] for row in block.rows]
    # What no row fills is not shown.
    kept = [k for k in range(len(head)) if any(row[k] not in ("", "—") for row in rows)]
    head, rows = [head[k] for k in kept], [[row[k] for k in kept] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(head, *rows, strict=True)]
    if sum(widths) + GAP * (len(widths) - 1) <= width:
        grid = Grid(box=None, pad_edge=False, header_style="bold", padding=(0, GAP, 0, 0))
        for name in head:
            grid.add_column(name, no_wrap=True)
        for row in rows:
            grid.add_row(*map(Text, row))
        return [grid]
    shown: list[RenderableType] = []
    for name, *values in rows:
        items = Grid(box=None, pad_edge=False, show_header=False, padding=(0, GAP, 0, 0))
        for title, value in zip(head[1:], values, strict=True):
            items.add_row(title, Text(value))
        shown += [Text(name, style="bold"), Padding(items, (0, 0, 0, GAP))]
    return shown
