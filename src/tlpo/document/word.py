"""A document for Word: headings, tables, pictures and captions that can be edited."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any

from tlpo.control_characters import escape_control_characters
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
    Section,
    SideBySide,
    Table,
    Terms,
)
from tlpo.errors import InputError, explain

if TYPE_CHECKING:
    from docx.document import Document as Word
    from docx.styles.style import ParagraphStyle

DPI = 300
# A picture is as wide on paper as it is on the page, but no wider than the text.
WIDEST_INCHES = 6.0
# Characters of a property that Word accepts.
LONGEST = 255
# Characters that XML cannot hold, beside those that act on a terminal.
_NO_XML = re.compile("[\ufffe\uffff]")


def to_word(document: Document) -> bytes:
    """Return a document as a .docx file."""
    docx = require_docx()
    word: Word = docx.Document()
    _prepare(word)
    word.core_properties.title = _written(document.title)[:LONGEST]
    word.core_properties.author = ""
    word.core_properties.comments = ""
    word.add_heading(_written(document.title), level=0)
    word.add_paragraph(_written(document.lead))
    for section in document.sections:
        _add_section(word, section)
    word.add_paragraph(_written(document.footer), style="Caption")
    content = io.BytesIO()
    word.save(content)
    return content.getvalue()


def require_docx() -> Any:
    """Return python-docx, which comes with the extra ``word``."""
    try:
        import docx
    except ImportError as error:
        raise InputError(
            explain(
                "Word files are written by python-docx, which is not installed.",
                f"Importing it fails: {error}.",
                "Install it with: pip install 'tlpo[word]'.",
            )
        ) from error
    return docx


def _prepare(word: Word) -> None:
    from docx.shared import Cm, Pt

    for page in word.sections:
        page.page_width, page.page_height = Cm(21.0), Cm(29.7)
        page.left_margin = page.right_margin = Cm(2.2)
        page.top_margin = page.bottom_margin = Cm(2.0)
    style: ParagraphStyle = word.styles["Normal"]
    style.font.name, style.font.size = "Calibri", Pt(10)


def _add_section(word: Word, section: Section) -> None:
    word.add_heading(_written(section.title), level=1)
    for block in section.blocks:
        _add(word, block)


def _add(word: Word, block: Block) -> None:
    if isinstance(block, Paragraph):
        run = word.add_paragraph().add_run(_written(block.text))
        run.bold = block.style == "lead" or None
    elif isinstance(block, Terms):
        for term, meaning in block.items:
            paragraph = word.add_paragraph(style="List Bullet")
            paragraph.add_run(_written(term)).bold = True
            paragraph.add_run(f": {_written(meaning)}")
    elif isinstance(block, Table):
        _add_table(word, block)
    elif isinstance(block, Figure):
        _add_picture(word, block)
    elif isinstance(block, SideBySide | Folded):
        for part in block.blocks:
            _add(word, part)
    elif isinstance(block, Remarks):
        if block.title:
            word.add_paragraph().add_run(_written(block.title)).bold = True
        for item in block.items:
            word.add_paragraph(_written(item), style="List Bullet")
    elif isinstance(block, Bullets):
        style = "List Number" if block.is_numbered else "List Bullet"
        for item in block.items:
            word.add_paragraph(_written(item), style=style)
    elif isinstance(block, Quote):
        word.add_paragraph(_written(block.text), style="Quote")
    else:
        assert isinstance(block, Heading)
        word.add_heading(_written(block.text), level=2)


def _add_table(word: Word, block: Table) -> None:
    caption = word.add_paragraph(_written(block.caption), style="Caption")
    caption.paragraph_format.keep_with_next = True
    rows = [*([block.head] if block.head else []), *block.rows]
    table = word.add_table(len(rows), len(rows[0]), style="Light List Accent 1")
    for k, row in enumerate(rows):
        cells = table.rows[k].cells
        for cell, text in zip(cells, row, strict=True):
            cell.text = _written(str(text))
    word.add_paragraph()


def _add_picture(word: Word, block: Figure) -> None:
    from docx.shared import Inches

    figure = block.draw()
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=DPI, metadata={"Software": None})
    width = min(float(figure.get_figwidth()), WIDEST_INCHES)
    word.add_picture(content, width=Inches(width))
    picture = word.paragraphs[-1]
    picture.paragraph_format.keep_with_next = True
    # What a screen reader says.
    for properties in picture._p.xpath(".//wp:docPr"):
        properties.set("descr", _written(block.alt))
    word.add_paragraph(_written(block.caption), style="Caption")


def _written(text: str) -> str:
    """Return text that the file can hold, and that acts on nothing."""
    return _NO_XML.sub("\N{REPLACEMENT CHARACTER}", escape_control_characters(text))
