"""Write the files of a report; paths that cannot work are refused before anything is fitted."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tlpo.errors import InputError, UsageError, explain
from tlpo.report.figures import write_figures
from tlpo.report.options import Wanted
from tlpo.report.plain import Summary
from tlpo.report.render import to_html, to_json, to_markdown, to_table

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
    paths, failed = [], []
    for name, path in wanted.paths().items():
        try:
            if name == "figures":
                write_figures(summary, path)
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(contents[name](), encoding="utf-8", newline="\n")
            paths.append(path)
        except OSError as error:
            failed.append(f"{path}: {error.strerror}")
    if failed:
        raise InputError(
            explain(
                "Some files could not be written; the answer above is complete.",
                "; ".join(failed) + ".",
                "Choose other paths and run again.",
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
    seen = {path.resolve(): what for path, what in taken.items()}
    for name, path in wanted.paths().items():
        if path.resolve() in seen:
            raise UsageError(
                explain(
                    f"{name}= would overwrite {seen[path.resolve()]}.",
                    f"You passed {name}={str(path)!r}.",
                    "Pass another path.",
                )
            )
        seen[path.resolve()] = f"{name}="
        is_folder = name == "figures"
        folder = path if is_folder else path.parent
        existing = next(p for p in (folder, *folder.resolve().parents) if p.exists())
        is_taken = path.is_dir() and not is_folder
        if is_taken or not existing.is_dir() or not os.access(existing, os.W_OK):
            raise UsageError(
                explain(
                    f"{name}= cannot be written there.",
                    f"You passed {name}={str(path)!r}.",
                    "Pass a folder that can be created or written to."
                    if is_folder
                    else "Pass a file in a folder that can be created or written to.",
                )
            )
