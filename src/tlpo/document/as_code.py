"""The same analysis again, as a command line and as Python, for whoever did it in the app."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any

from tlpo.analysis.marker_options import MarkerOptions
from tlpo.analysis.models import is_own
from tlpo.analysis.options import Options, OutputFiles
from tlpo.problem.outcome import Classes, Ordered, Outcome, SeveralClasses
from tlpo.tables.options import Reading, Specification

# They say how to compute, not what: the result does not depend on them.
_HOW = ("n_jobs", "progress")
WIDTH = 80  # a longer call has a line for every argument


@dataclass(frozen=True)
class Run:
    """All that `tlpo run` is told, or `tlpo marker`.

    Attributes
    ----------
    data : str
        The file with the table.
    spec, reading, options, outputs
        As in `tlpo.commands.run.run_command`; with `MarkerOptions`, as in
        `tlpo.commands.marker.marker_command`.
    models : sequence of str
        The models, as the user names them; markers need none.
    outcome : type
        What kind of outcome it turned out to be.
    """

    data: str
    spec: Specification
    reading: Reading = field(default_factory=Reading)
    options: Options | MarkerOptions = field(default_factory=Options)
    outputs: OutputFiles = field(default_factory=OutputFiles)
    models: Sequence[str] = ()
    outcome: type[Outcome] = Classes


def as_command(run: Run) -> str:
    """Return the command line, quoted for a POSIX shell.

    Examples
    --------
    >>> spec = Specification("outcome", drop=["site", "date of visit"])
    >>> print(as_command(Run("my patients.csv", spec, models=("svm",))))
    tlpo run 'my patients.csv' --target outcome --drop site --drop 'date of visit' --model svm
    """
    # A file may be called "-", which would be standard input.
    data = f"./{run.data}" if run.data.startswith("-") else run.data
    spec, options = dict(_changed(run.spec)), dict(_changed(run.options))
    if run.spec.time is not None:
        spec = {"time": spec.pop("time"), "event": spec.pop("target"), **spec}
    judged: dict[str, object] = {}
    if isinstance(run.options, MarkerOptions):
        words = ["tlpo", "marker", data]
        judged["marker"] = options.pop("markers")
        spec.pop("features")  # the markers
    else:
        words = ["tlpo", "run", data]
        judged["model"] = run.models
    for part in (
        spec,
        dict(_changed(run.reading)),
        judged,
        options,
        dict(_changed(run.outputs)),
    ):
        for name, value in part.items():
            words += _flagged(name, value)
    return shlex.join(words)


def as_python(run: Run) -> str:
    r"""Return Python code that reads the table in the same way and gives the same AUCs.

    Examples
    --------
    >>> options = Options(specificity=0.8)
    >>> print(as_python(Run("p.csv", Specification("outcome"), options=options, models=["glm"])))
    import tlpo
    <BLANKLINE>
    sample = tlpo.read_table('p.csv', target='outcome')
    results = {}
    for name in ['glm']:
        results[name] = t = tlpo.tournament(
            sample.model(name),  # a scikit-learn pipeline
            sample.X,
            sample.y,
            positive=sample.positive,
            groups=sample.groups,
        )
        print(name, t.auc_interval(0.95), sep='\n')
        print(t.operating_point(specificity=0.8))
    """
    lines = ["import tlpo", "", f"sample = {_read(run)}", "results = {}"]
    if isinstance(run.options, MarkerOptions):
        return "\n".join([*lines, *_assess(run.options, run.outcome)])
    own = [name for name in run.models if is_own(name)]
    known = [name for name in run.models if name not in own]
    for names, X in ((known, "sample.X"), (own, "sample.table")):
        if names:
            lines += [f"for name in {names!r}:", *_play(run, run.options, X)]
    return "\n".join(lines)


def _read(run: Run) -> str:
    """Call `tlpo.read_table`."""
    spec = dict(_changed(run.spec))
    if run.spec.time is not None:
        spec = {"time": spec.pop("time"), "event": spec.pop("target"), **spec}
    given = (spec | dict(_changed(run.reading))).items()
    args = [repr(run.data), *(f"{name}={_plain(value)!r}" for name, value in given)]
    call = f"tlpo.read_table({', '.join(args)})"
    if len(call) <= WIDTH:
        return call
    return "\n".join(["tlpo.read_table(", *(f"    {one}," for one in args), ")"])


def _play(run: Run, options: Options, X: str) -> list[str]:
    """Play a model, of whatever outcome."""
    level, how = options.confidence_level, []
    y = [f"        {X},", "        sample.y,"]
    interval = f"    print(name, {{}}_interval({level}), sep='\\n')"
    if options.rounds is not None:
        how = [f"        rounds={options.rounds},", f"        random_state={options.seed},"]
    if run.outcome is Classes:
        act, result = "tournament", "t"
        y.append("        positive=sample.positive,")
        by = [
            f"    print(t.by(sample.by[{name!r}], confidence_level={level}))"
            for name in run.spec.by
        ]
        point = f"    print(t.operating_point(specificity={options.specificity}))"
        shown = [interval.format("t.auc"), point, *by]
        if options.sorts is not None:
            act, shown = "quicksort", ["    print(name, t, sep='\\n')"]
            how = [f"        n_sorts={options.sorts},", f"        random_state={options.seed},"]
    elif run.outcome is SeveralClasses:
        act, result = "multiclass", "k"
        shown = [interval.format("k.auc"), f"    print(k.pair_intervals({level}))"]
    else:
        act, result = "concordance", "c"
        shown = [interval.format("c.concordance")]
        if run.outcome is not Ordered:
            act = "survival"
            y[1:] = ["        sample.time,", "        sample.event,"]
            shown += [] if how else _at_times("c", options)  # rounds have none
    return [
        f"    results[name] = {result} = tlpo.{act}(",
        "        sample.model(name),  # a scikit-learn pipeline",
        *y,
        "        groups=sample.groups,",
        *how,
        "    )",
        *shown,
    ]


def _assess(options: MarkerOptions, kind: type[Outcome]) -> list[str]:
    """Assess every marker."""
    how, measure = ["        positive=sample.positive,"], "auc"
    if kind is not Classes:
        how, measure = ["        order=True,"] if kind is Ordered else [], "concordance"
    return [
        f"for name in {list(options.markers)!r}:",
        "    results[name] = marker = tlpo.assess(",
        "        sample.table[name],",
        "        sample.y,",
        *how,
        "        groups=sample.groups,",
        f"        larger_is_positive=name not in {list(options.smaller_is_positive)!r},",
        "    )",
        f"    print(name, marker.{measure}_interval({options.confidence_level}), sep='\\n')",
        *_at_times("marker", options),
    ]


def _at_times(result: str, options: Options | MarkerOptions) -> list[str]:
    """Print the AUC at every time that was asked for."""
    level = options.confidence_level
    return [f"    print({result}.auc_at_interval({time!r}, {level}))" for time in options.at]


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
    if value is True:
        return [flag]
    values = map(str, value if isinstance(value, list | tuple) else [value])
    return [w for v in values for w in ([f"{flag}={v}"] if v.startswith("-") else [flag, v])]


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
