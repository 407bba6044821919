"""Write an analysis and its document; what cannot work is refused before anything is fitted."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path

from tlpo.analysis.caveats import remarks_on
from tlpo.analysis.load import to_json
from tlpo.analysis.options import OutputFiles
from tlpo.analysis.shapes import AnyAnalysis
from tlpo.document.blocks import Document
from tlpo.document.figures import KINDS, write_figures
from tlpo.document.html import to_html
from tlpo.document.make import make_document
from tlpo.document.markdown import to_markdown
from tlpo.document.pdf import require_browser, write_pdf
from tlpo.document.word import require_docx, to_word
from tlpo.errors import InputError, UsageError, arg, explain
from tlpo.execution.replace import is_same_file, replacing, write_text

# What is a page; a device, such as /dev/stdout, has no ending.
PAGES = ("", ".html", ".htm")


def write(
    analysis: AnyAnalysis, outputs: OutputFiles, csv: Callable[[], str] | None = None
) -> list[Path]:
    """Write the files that are asked for.

    Parameters
    ----------
    analysis : Analysis
        What was found.
    outputs : OutputFiles
        Which files, and where.
    csv : callable, optional
        Returns the table for ``outputs.csv``, of which an analysis holds only a part.

    Returns
    -------
    list of Path
        What was written.
    """
    document = make_document(analysis)
    paths, failed = [], []
    for name, path in outputs.paths().items():
        if name == "save_model":  # needs more than the analysis
            continue
        try:
            if name == "html":
                write_document(document, path)
            elif name == "figures":
                write_figures(document, path)
            elif name == "md":
                write_text(path, to_markdown(document))
            elif name == "json":
                write_text(path, json_of(analysis))
            else:
                assert csv is not None, "a table is to be written, but none was passed"
                write_text(path, csv())
            paths.append(path)
        except OSError as error:
            failed.append(f"{error.filename or path}: {error.strerror or error}")
    if failed:
        raise InputError(
            explain(
                "Some files could not be written, and are as they were; the answer above is "
                "complete.",
                "; ".join(failed) + ".",
                "Free some disk space or choose other paths, then run again.",
            )
        )
    return paths


def write_document(document: Document, path: Path) -> None:
    """Write a document; the ending of the name says what."""
    if path.suffix.lower() == ".pdf":
        write_pdf(path, to_html(document), require_browser("html", path))
    elif path.suffix.lower() == ".docx":
        content = to_word(document)
        with replacing(path) as beside:
            beside.write_bytes(content)
    else:
        write_text(path, to_html(document))


def json_of(analysis: AnyAnalysis) -> str:
    """Return an analysis as JSON, with what a reader should know in words."""
    return to_json(analysis, [remark.worded() for remark in remarks_on(analysis)])


def require_writable(outputs: OutputFiles, taken: Mapping[Path, str]) -> None:
    """Refuse paths that would fail after hours of fitting, or destroy a file that is read.

    Parameters
    ----------
    outputs : OutputFiles
        Files to write.
    taken : mapping of Path to str
        Files in use, and what they are.
    """
    seen = [*taken.items()]
    for name, path in outputs.paths().items():
        clash = next((what for other, what in seen if _overwrites(path, other, name)), None)
        if clash is not None:
            raise UsageError(
                explain(
                    f"{arg(name)} would overwrite {clash}.",
                    f"You passed {arg(name, str(path))}.",
                    "Pass another path.",
                )
            )
        seen.append((path, arg(name)))
        if name == "html":
            _require_known(path)
        is_folder = name == "figures"
        if not _can_be_written(path, is_folder):
            raise UsageError(
                explain(
                    f"{arg(name)} cannot be written there.",
                    f"You passed {arg(name, str(path))}.",
                    "Pass a folder that can be created or written to."
                    if is_folder
                    else "Pass a file in a folder that can be created or written to.",
                )
            )


def _require_known(path: Path) -> None:
    """Refuse a document of a kind that cannot be written, or not here."""
    kind = path.suffix.lower()
    if kind == ".pdf":
        require_browser("html", path)
    elif kind == ".docx":
        require_docx()
    elif kind not in PAGES:
        raise UsageError(
            explain(
                "The ending of the name says what is written: .html, .pdf or .docx.",
                f"You passed {arg('html', str(path))}.",
                f"For example {arg('html', f'{path.stem}.docx')} for Word.",
            )
        )


def _overwrites(path: Path, other: Path, name: str) -> bool:
    is_figure = name == "figures" and other.suffix.lower().lstrip(".") in KINDS
    return is_same_file(path, other.parent if is_figure else other)


def _can_be_written(path: Path, is_folder: bool) -> bool:
    try:
        found = path.stat()
    except FileNotFoundError:
        pass
    except (OSError, ValueError):  # links that lead to each other, a file as a folder
        return False
    else:
        if stat.S_ISDIR(found.st_mode) != is_folder:
            return False
        if not os.access(path, os.W_OK):
            return False
        if not (is_folder or stat.S_ISREG(found.st_mode)):  # a device or pipe
            return True
    folder = Path(os.path.realpath(path))
    folder = folder if is_folder else folder.parent
    existing = next(p for p in (folder, *folder.parents) if p.exists())
    return existing.is_dir() and os.access(existing, os.W_OK)
