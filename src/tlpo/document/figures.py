"""Write the pictures of a document as files."""

from __future__ import annotations

import io
from contextlib import AbstractContextManager
from pathlib import Path

from tlpo.document.blocks import Document
from tlpo.execution.replace import replacing

# The files of a figure, and the metadata that leaves out the date.
KINDS: dict[str, dict[str, None]] = {
    "png": {},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
}


def write_figures(document: Document, folder: Path) -> list[Path]:
    """Write every figure as PNG, SVG and PDF."""
    paths = []
    with reproducibly():
        for name, block in document.figures().items():
            figure = block.draw()
            for kind, undated in KINDS.items():
                path = folder / f"{name}.{kind}"
                # In memory first: on a full disk matplotlib's own writer fails twice, in its words.
                content = io.BytesIO()
                figure.savefig(content, format=kind, dpi=200, metadata=undated)
                with replacing(path) as beside:
                    beside.write_bytes(content.getvalue())
                paths.append(path)
    return paths


def reproducibly() -> AbstractContextManager[None]:
    """Let matplotlib name the parts of an SVG by their content, not at random."""
    import matplotlib as mpl

    return mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": "tlpo"})
