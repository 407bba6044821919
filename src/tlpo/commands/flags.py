"""Arguments that a message names, as flags of the command line."""

from __future__ import annotations

import ast
import shlex
from collections.abc import Mapping

from tlpo.errors import as_call


def write_flag(flags: Mapping[str, str], name: str, value: str | None) -> str:
    """Write an argument and the repr of its value as whoever typed a command would.

    Parameters
    ----------
    flags : mapping of str to str
        Flags by argument; an argument that has none is written as in Python.
    name : str
        The argument.
    value : str or None
        The repr of its value, or an ellipsis; None if there is none.

    Examples
    --------
    >>> flags = {"group": "--group", "drop": "--drop"}
    >>> write_flag(flags, "group", "'ward 3'"), write_flag(flags, "drop", "['a', 'b']")
    ("--group 'ward 3'", '--drop a b')
    >>> write_flag(flags, "group", "None"), write_flag(flags, "engine", "'refit'")
    ('no --group', "engine='refit'")
    >>> write_flag({"smooth": "--smooth"}, "smooth", "True")
    '--smooth'
    """
    if name not in flags:
        return as_call(name, value)
    flag = flags[name]
    if value in (None, "…"):
        return flag
    try:
        given = ast.literal_eval(value)
    except (ValueError, SyntaxError):  # the repr of an object
        return f"{flag} {value}"
    if given is None:
        return f"no {flag}"
    if given is True:
        return flag
    values = given if isinstance(given, list | tuple) else [given]
    return " ".join([flag, *(shlex.quote(str(one)) for one in values)])
