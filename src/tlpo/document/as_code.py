"""The same analysis again, as a command line and as Python, for whoever did it in the app."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any

from tlpo.analysis.marker_options import MarkerOptions
from tlpo.analysis.models import DEFAULT
from tlpo.analysis.options import Options, OutputFiles
from tlpo.tables.options import Question, Reading

# They say how to compute, not what: the result does not depend on them.
_HOW = ("n_jobs", "progress")


@dataclass(frozen=True)
class Run:
    """All that `tlpo run` is told, or `tlpo marker`.

    Attributes
    ----------
    data : str
        The file with the table.
    question, reading, options, wanted
        As in `tlpo.commands.run.run_command`; with `MarkerOptions`, as in
        `tlpo.commands.marker.marker_command`.
    models : sequence of str
        The models, as the user names them; markers need none.
    """

    data: str
    question: Question
    reading: Reading = field(default_factory=Reading)
    options: Options | MarkerOptions = field(default_factory=Options)
    wanted: OutputFiles = field(default_factory=OutputFiles)
    models: Sequence[str] = DEFAULT


def as_command(run: Run) -> str:
    """Return the command line, quoted for a POSIX shell.

    Examples
    --------
    >>> question = Question("outcome", drop=["site", "date of visit"])
    >>> print(as_command(Run("my patients.csv", question, models=("svm",))))
    tlpo run 'my patients.csv' --target outcome --drop site --drop 'date of visit' --model svm
    """
    # A file may be called "-", which would be standard input.
    data = f"./{run.data}" if run.data.startswith("-") else run.data
    question, options = dict(_changed(run.question)), dict(_changed(run.options))
    judged: dict[str, Any] = {}
    if isinstance(run.options, MarkerOptions):
        words = ["tlpo", "marker", data]
        judged["marker"] = options.pop("markers")
        question.pop("features")  # the markers
    else:
        words = ["tlpo", "run", data]
        if tuple(run.models) != DEFAULT:
            judged["model"] = run.models
    for part in (
        question,
        dict(_changed(run.reading)),
        judged,
        options,
        dict(_changed(run.wanted)),
    ):
        for name, value in part.items():
            words += _flagged(name, value)
    return shlex.join(words)


def as_python(run: Run) -> str:
    """Return Python code.

    Examples
    --------
    >>> print(as_python(Run("p.csv", Question("outcome"), options=Options(specificity=0.8))))
    from pathlib import Path
    <BLANKLINE>
    from tlpo.commands.run import run_command
    from tlpo.analysis.options import Options, OutputFiles
    from tlpo.tables.options import Question, Reading
    <BLANKLINE>
    summary = run_command(
        'p.csv',
        Question(target='outcome'),
        OutputFiles(),
        models=['logistic', 'ridge'],
        reading=Reading(),
        options=Options(specificity=0.8),
    )
    """
    if isinstance(run.options, MarkerOptions):
        lines = [
            "from pathlib import Path",
            "",
            "from tlpo.commands.marker import marker_command",
            "from tlpo.analysis.marker_options import MarkerOptions",
            "from tlpo.analysis.options import OutputFiles",
            "from tlpo.tables.options import Question, Reading",
            "",
            "summary = marker_command(",
            f"    {run.data!r},",
            f"    {_call(run.question)},",
            f"    {_call(run.wanted)},",
            f"    {_call(run.options)},",
            f"    reading={_call(run.reading)},",
            ")",
        ]
        return "\n".join(lines)
    lines = [
        "from pathlib import Path",
        "",
        "from tlpo.commands.run import run_command",
        "from tlpo.analysis.options import Options, OutputFiles",
        "from tlpo.tables.options import Question, Reading",
        "",
        "summary = run_command(",
        f"    {run.data!r},",
        f"    {_call(run.question)},",
        f"    {_call(run.wanted)},",
        f"    models={list(run.models)!r},",
        f"    reading={_call(run.reading)},",
        f"    options={_call(run.options)},",
        ")",
    ]
    return "\n".join(lines)


def _changed(part: Any) -> list[tuple[str, Any]]:
    """Return what is not as it would be anyway."""
    found = [(place, getattr(part, place.name)) for place in fields(part) if place.init]
    return [
        (place.name, value)
        for place, value in found
        if place.name not in _HOW
        and (place.default is MISSING or _plain(value) != _plain(place.default))
    ]


def _flagged(name: str, value: Any) -> list[str]:
    """Repeat the flag for every value; one that looks like a flag itself is tied to its own."""
    flag = f"--{name.replace('_', '-')}"
    values = map(str, value if isinstance(value, list | tuple) else [value])
    return [w for v in values for w in ([f"{flag}={v}"] if v.startswith("-") else [flag, v])]


def _call(part: Any) -> str:
    given = ", ".join(f"{name}={_shown(value)}" for name, value in _changed(part))
    return f"{type(part).__name__}({given})"


def _shown(value: Any) -> str:
    return f"Path({str(value)!r})" if isinstance(value, Path) else repr(_plain(value))


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
