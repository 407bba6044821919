"""A document as one self-contained page; everything from a user's file is escaped."""

from __future__ import annotations

import base64
import io
import re
from functools import cache
from typing import TYPE_CHECKING, Any

from tlpo.document.blocks import Document
from tlpo.document.figures import reproducibly

if TYPE_CHECKING:
    from jinja2 import Template

# Letters of a word that is never broken.
LONG = 20


def to_html(document: Document) -> str:
    """Return the page of a document."""
    pictures = {name: data_url(figure.draw()) for name, figure in document.figures().items()}
    return _template().render(d=document, pictures=pictures)


def data_url(figure: Any) -> str:
    """Return a figure as an address that a page can show."""
    buffer = io.BytesIO()
    # An image of its own, so that its identifiers and styles cannot clash with the page's.
    with reproducibly():
        figure.savefig(buffer, format="svg", dpi=200, metadata={"Date": None})
    return "data:image/svg+xml;base64," + base64.b64encode(buffer.getvalue()).decode()


def breakable(name: str) -> str:
    """Let long words of a name be broken after marks within them, or else every few letters.

    Browsers break a word anywhere, or not at all: the first cuts short words of narrow columns,
    the second makes tables wider than the page.

    Examples
    --------
    >>> str(breakable("mean_corpuscular_haemoglobin <g>"))
    'mean_<wbr>corpuscular_<wbr>haemoglobin &lt;g&gt;'
    """
    from markupsafe import Markup, escape

    parts = []
    for word in re.findall(r"\s+|\S+", name):
        pieces = [word]
        if len(word) > LONG:
            pieces = re.findall(rf"[^_./,:-]{{1,{LONG}}}[_./,:-]*|[_./,:-]+", word)
        parts.append(Markup("<wbr>").join(escape(piece) for piece in pieces))
    return Markup("").join(parts)


@cache
def _template() -> Template:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("tlpo.document"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    environment.filters["breakable"] = breakable
    return environment.get_template("page.html.j2")
