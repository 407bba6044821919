"""Write the files of a report; paths that cannot work are refused before anything is fitted."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tlpo.analysis.json_values import Summary
from tlpo.analysis.options import Wanted
from tlpo.document.figures import KINDS, write_figures
from tlpo.document.pdf import is_pdf, require_browser, write_pdf
from tlpo.document.render import to_html, to_json, to_markdown, to_table
from tlpo.errors import InputError, UsageError, explain
from tlpo.execution.replace import is_same_file, write_text

if TYPE_CHECKING:
    import pandas as pd


def write(summary: Summary, wanted: Wanted, ids: pd.DataFrame | None = None) -> list[Path]:
    """Write the files that are wanted.

    Parameters
    ----------
    summary : dict
        The summary.
    wanted : Wanted
        Which files, and where.
    ids : DataFrame, optional
        `Sample.ids`, for the table of the patients alone.

    Returns
    -------
    list of Path
        What was written.
    """
    contents: dict[str, Callable[[], str]] = {
        "json": lambda: to_json(summary),
        "csv": lambda: str(to_table(summary, ids).to_csv(index=False)),
        "md": lambda: to_markdown(summary),
        "html": lambda: to_html(summary),
    }
    return write_contents(wanted, contents, lambda folder: write_figures(summary, folder))


def write_contents(
    wanted: Wanted,
    contents: Mapping[str, Callable[[], str]],
    figures: Callable[[Path], object],
) -> list[Path]:
    """Write the files that are wanted, each from its own content; return what was written."""
    paths, failed = [], []
    for name, path in wanted.paths().items():
        if name == "save_model":  # needs more than the summary
            continue
        try:
            if name == "figures":
                figures(path)
            elif name == "html" and is_pdf(path):
                write_pdf(path, contents[name](), require_browser(name, path))
            else:
                write_text(path, contents[name]())
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


def require_writable(wanted: Wanted, taken: Mapping[Path, str]) -> None:
    """Refuse paths that would fail after hours of fitting, or destroy a file that is read.

    Parameters
    ----------
    wanted : Wanted
        Files to write.
    taken : mapping of Path to str
        Files in use, and what they are.
    """
    seen = [*taken.items()]
    for name, path in wanted.paths().items():
        clash = next((what for other, what in seen if _overwrites(path, other, name)), None)
        if clash is not None:
            raise UsageError(
                explain(
                    f"{name}= would overwrite {clash}.",
                    f"You passed {name}={str(path)!r}.",
                    "Pass another path.",
                )
            )
        seen.append((path, f"{name}="))
        if name == "html" and is_pdf(path):
            require_browser(name, path)
        is_folder = name == "figures"
        if not _can_be_written(path, is_folder):
            raise UsageError(
                explain(
                    f"{name}= cannot be written there.",
                    f"You passed {name}={str(path)!r}.",
                    "Pass a folder that can be created or written to."
                    if is_folder
                    else "Pass a file in a folder that can be created or written to.",
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
