"""Messages name the arguments of Python; whoever typed a command wants its flags."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Mapping


def in_flags(message: str, flags: Mapping[str, str]) -> str:
    """Write the arguments that a message names as flags of the command line.

    Text in quotation marks is the user's own and stays as it is.

    Parameters
    ----------
    message : str
        An error for whoever calls Python.
    flags : mapping of str to str
        Flags by argument; other names stay as they are.

    Examples
    --------
    >>> flags = {"group": "--group", "drop": "--drop", "n_jobs": "--n-jobs", "seed": "--seed"}
    >>> in_flags("n_jobs must not be 0: use group='ward 3', drop=['a', 'b'] or seed=7.", flags)
    "--n-jobs must not be 0: use --group 'ward 3', --drop a b or --seed 7."
    >>> in_flags("You passed 'seed=7' and group=None.", flags)
    "You passed 'seed=7' and no --group."
    """
    if not flags:
        return message
    names = "|".join(map(re.escape, flags))
    text = r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\""
    value = rf"{text}|[\[(](?:{text}|[\s,])*[\])]|None|-?(?:nan|inf|\d+(?:\.\d+)?(?:e[-+]?\d+)?)\b"
    named = rf"(?<![\w.:-])(?P<name>{names})=(?P<value>{value}|…)?"
    subject = rf"^(?P<subject>{names})(?= must\b)"

    def flagged(found: re.Match[str]) -> str:
        name, given = found["name"] or found["subject"], found["value"]
        if name is None:
            return found[0]
        flag = flags[name]
        if given in (None, "…"):
            return flag
        if given == "None":
            return f"no {flag}"
        if given[0] in "'\"([":
            parsed = ast.literal_eval(given)
            values = [parsed] if isinstance(parsed, str) else parsed
            return " ".join([flag, *map(shlex.quote, values)])
        return f"{flag} {given}"

    # An apostrophe within a word opens no quotation.
    return re.sub(rf"{named}|{subject}|(?<!\w)(?:{text})", flagged, message, flags=re.MULTILINE)
