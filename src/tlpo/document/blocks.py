"""What a document is made of. A renderer knows these and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple


class Beside(NamedTuple):
    """A cell with a number and, smaller, its limits."""

    text: str
    small: str

    def __str__(self) -> str:
        return f"{self.text} ({self.small})" if self.small else self.text


Cell = str | Beside


@dataclass(frozen=True)
class Paragraph:
    """Running text; ``lead`` is what a reader should see first, ``soft`` explains."""

    kind: ClassVar = "paragraph"
    text: str
    style: Literal["plain", "lead", "soft"] = "plain"


@dataclass(frozen=True)
class Terms:
    """Words and what they mean here."""

    kind: ClassVar = "terms"
    items: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Table:
    """A table whose first column heads its rows.

    Attributes
    ----------
    caption : str
        What it shows.
    head : sequence of str
        Names of the columns; empty for a table without.
    rows : sequence of rows
        Cells.
    style : str
        ``"wide"`` scrolls and, on a phone, becomes a list; ``"dense"`` wraps its cells.
    """

    kind: ClassVar = "table"
    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    style: Literal["wide", "dense"] = "dense"


@dataclass(frozen=True)
class Figure:
    """A picture; ``draw`` returns a matplotlib figure."""

    kind: ClassVar = "figure"
    name: str
    alt: str
    caption: str
    draw: Callable[[], Any]


@dataclass(frozen=True)
class SideBySide:
    """Blocks beside each other, where there is room."""

    kind: ClassVar = "side by side"
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Remarks:
    """What should be read before anything is reported."""

    kind: ClassVar = "remarks"
    title: str
    items: Sequence[str]


@dataclass(frozen=True)
class Bullets:
    """A list of short texts."""

    kind: ClassVar = "bullets"
    items: Sequence[str]
    is_numbered: bool = False


@dataclass(frozen=True)
class Quote:
    """Text to be pasted elsewhere."""

    kind: ClassVar = "quote"
    text: str


@dataclass(frozen=True)
class Heading:
    """A heading within a section."""

    kind: ClassVar = "heading"
    text: str


@dataclass(frozen=True)
class Folded:
    """Blocks that a page shows on demand, and paper always."""

    kind: ClassVar = "folded"
    summary: str
    blocks: Sequence[Block]
    is_open: bool = False


Block = (
    Paragraph | Terms | Table | Figure | SideBySide | Remarks | Bullets | Quote | Heading | Folded
)


@dataclass(frozen=True)
class Section:
    """A part of a document.

    Attributes
    ----------
    id : str
        Its anchor.
    title : str
        Its heading.
    blocks : sequence of Block
        What it says.
    name : str
        What it is called in the table of contents; the title by default.
    is_short : bool
        Whether a terminal shows it.
    """

    id: str
    title: str
    blocks: Sequence[Block]
    name: str = ""
    is_short: bool = False


@dataclass(frozen=True)
class Document:
    """A document: title, one paragraph about what it is, sections, and how it was made."""

    title: str
    lead: str
    sections: Sequence[Section]
    footer: str

    def figures(self) -> dict[str, Figure]:
        """Return all pictures by name."""
        blocks = (block for section in self.sections for block in walk(section.blocks))
        return {block.name: block for block in blocks if isinstance(block, Figure)}


def walk(blocks: Sequence[Block]) -> Iterator[Block]:
    """Return blocks and all that are within them."""
    for block in blocks:
        yield block
        if isinstance(block, SideBySide | Folded):
            yield from walk(block.blocks)
