"""Replace a file in one step: a full disk or a kill leaves the old one, never half of the new."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tlpo.control_characters import whole


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a path to write to; at the end of the block that file takes the place of ``path``.

    If anything fails, the file at ``path`` is as it was and the unfinished one is removed. An
    OSError names ``path``. Folders are created. A device or pipe is written to directly.
    """
    target = Path(path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target = Path(os.path.realpath(target))  # a link goes on pointing to its file
        if target.exists() and not target.is_file():
            yield target
            return
        if target.exists() and not os.access(target, os.W_OK):  # renaming would not ask
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        # Beside it, since renaming works only within a file system; a suffix tells matplotlib and
        # NumPy what to write.
        beside = target.with_name(f".tlpo-{secrets.token_hex(8)}{target.suffix}")
        try:
            yield beside
            _finish(beside, target)
        finally:
            with suppress(OSError):
                beside.unlink(missing_ok=True)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def write_text(path: Path, text: str) -> None:
    """Write a text file, in one step."""
    with replacing(path) as beside:
        beside.write_text(whole(text), encoding="utf-8", newline="\n")


def is_same_file(path: Path, other: Path) -> bool:
    """Whether writing to one would change the other, however they are spelled or linked."""
    try:
        return path.samefile(other)
    except (OSError, ValueError):  # at least one does not exist
        return os.path.normcase(os.path.realpath(path)) == os.path.normcase(os.path.realpath(other))


def _finish(beside: Path, target: Path) -> None:
    with suppress(FileNotFoundError):
        beside.chmod(target.stat().st_mode)
    with beside.open("rb+") as file:  # on disk before its name is
        os.fsync(file.fileno())
    beside.replace(target)
