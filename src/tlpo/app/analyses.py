"""Analyses: what the page knows, which outlives the connection that a reload cuts."""

from __future__ import annotations

import asyncio
import json
import re
import secrets
import shutil
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from contextvars import Context
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tlpo.analysis.load import decode
from tlpo.analysis.marker_options import MarkerOptions
from tlpo.analysis.models import MODELS
from tlpo.analysis.options import Options, OutputFiles
from tlpo.analysis.remarks import (
    Action,
    Categorical,
    Decimal,
    Direction,
    Drop,
    Event,
    Group,
    Missing,
    Numeric,
    Order,
    Positive,
    Time,
)
from tlpo.analysis.remarks import Classes as Apart
from tlpo.analysis.remarks import Marker as AsMarker
from tlpo.analysis.shapes import AnyAnalysis
from tlpo.app.classes import Choice, Label
from tlpo.app.work import name_control
from tlpo.app.workers import Worker, Workers, start_apart
from tlpo.document import as_code
from tlpo.errors import EXPECTED, explain, in_words
from tlpo.problem.outcome import Classes, Ordered, Outcome, SeveralClasses, TimeToEvent
from tlpo.tables.options import IMPUTE, Reading, Specification

# What can be downloaded; the worker writes these.
FILES = (
    "report.html",
    "report.docx",
    "result.json",
    "patients.csv",
    "cutoffs.csv",
    "answer.md",
    "figures.zip",
    "model.skops",
)
# Columns of these kinds are used unless the user says otherwise. One that mixes numbers and text
# is too, so that the message about it is not missed.
UNUSED = ("identifier", "constant", "date", "text")
# Seconds that a user may take for the next click before the question is looked into.
PAUSE = 0.3

Job = dict[str, Any]

_OUTCOMES: dict[str, type[Outcome]] = {
    kind.__name__: kind for kind in (Classes, SeveralClasses, Ordered, TimeToEvent)
}


@dataclass(frozen=True)
class Arrival:
    """A table that was chosen, and may not be there yet.

    Attributes
    ----------
    number : int
        How many tables had been chosen with it: the largest is the one chosen last.
    name : str
        What the user calls it.
    path : Path
        Where it is written to, in a folder of its own, which is also for what comes of it.
    """

    number: int
    name: str
    path: Path

    @property
    def folder(self) -> Path:
        """The table, its journals and its results; nothing else is in there."""
        return self.path.parent

    def discard(self) -> None:
        """Remove it, and all that came of it."""
        shutil.rmtree(self.folder, ignore_errors=True)


@dataclass(frozen=True)
class Marker:
    """What the user says about a marker.

    Attributes
    ----------
    is_smaller_positive : bool
        Whether small values speak for the positive label.
    cutoff : str
        A number to report on; empty for none.
    """

    is_smaller_positive: bool = False
    cutoff: str = ""


@dataclass(frozen=True)
class Cut:
    """What makes two classes of a number, or names the value that is the event.

    Attributes
    ----------
    mark : str
        A comparison; empty for none.
    value : str
        The limit, or the value.
    """

    mark: str = ""
    value: str = ""

    def of(self, column: str) -> str:
        """Return the outcome as a `Specification` names it.

        Examples
        --------
        >>> Cut(">=", "5").of("loss"), Cut(">=", "").of("loss")
        ('loss >= 5', 'loss')
        """
        return f"{column} {self.mark} {self.value}" if self.mark and self.value else column


class Analysis:
    """A table, a question and its answer.

    Attributes
    ----------
    id : str
        Part of the page's address.
    folder : Path
        Has a folder for every table; only this user may enter.
    versions : Counter
        How often each part of the page has changed: "table", "columns", "form", "classes",
        "question", "models", "markers", "run", "progress", "answer", "files".
    listeners : set of callable
        Called after every change.
    chosen : Arrival or None
        The table that the page shows, or None before the first.
    table : dict or None
        What the worker told about it.
    error : dict
        What went wrong, by part.
    """

    def __init__(self, name: str, folder: Path, workers: Workers) -> None:
        self.id = name
        self.folder = folder
        self.versions: Counter[str] = Counter()
        self.listeners: set[Callable[[], None]] = set()
        self._workers = workers
        self._worker: Worker | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._sending = asyncio.Lock()
        self._latest: object = None  # run, whose news count
        self._soon: asyncio.TimerHandle | None = None
        self._n_chosen = 0
        self.chosen: Arrival | None = None
        self.error: dict[str, str] = {}
        self._forget()

    def _forget(self) -> None:
        """Forget everything about a table."""
        self.reading = Reading()
        self.table: dict[str, Any] | None = None
        self.is_reading = False
        self._forget_columns()

    def _forget_columns(self) -> None:
        self.switched: dict[str, bool] = {}
        self.said: dict[str, str] = {}  # columns that are "numeric" or "categorical", by name
        self.cut = Cut()  # of the outcome
        self.codes: tuple[str, ...] = ()  # of an event, one of which may be chosen
        self.asked: Specification | None = None
        self._refused: dict[str, Any] = {}  # what was asked since, and cannot be
        self.choice = Choice()  # among the labels of the outcome
        self.understood: dict[str, Any] | None = None
        self.is_asking = False
        self.times: dict[str, dict[str, Any]] = {}
        self.judges_markers = False  # instead of models
        self.models: tuple[str, ...] = ()
        self.parameters: dict[str, str] = {}  # of models, as they are typed: C=0.1
        self._default: tuple[str, ...] = ()  # the models unless others are chosen
        self.markers: dict[str, Marker] = {}
        self.options = Options(n_jobs=-1)
        self._is_to_run = False  # as soon as the question is understood
        self.status = "idle"  # idle, running, cancelling, cancelled, answered, done
        self.notes: list[str] = []
        self.progress: dict[str, Any] | None = None
        self.found: AnyAnalysis | None = None
        self.files: set[str] = set()
        self.model_notes: list[str] = []
        self.answered: as_code.Run | None = None
        self.error = {}

    def touch(self, *parts: str) -> None:
        """Let parts of the page be shown anew."""
        self.versions.update(parts)
        for listen in list(self.listeners):
            listen()

    # --- 1 the table

    def expect(self, name: str) -> Arrival:
        """Make room for a table; of its name, only the kind of file is used."""
        kind = Path(name).suffix.lower()
        kind = kind if re.fullmatch(r"\.[a-z0-9]{1,10}", kind) else ""
        self._n_chosen += 1
        folder = self.folder / f"table-{self._n_chosen}"
        folder.mkdir(mode=0o700)
        return Arrival(self._n_chosen, name, folder / f"table{kind}")

    def open(self, arrival: Arrival) -> bool:
        """Look at a table that has arrived, unless one that was chosen later already has."""
        if self.chosen is not None and self.chosen.number > arrival.number:
            return False
        self._replace_table(arrival)
        self._look("look")
        return True

    def open_example(self) -> None:
        """Look at a table of ours."""
        name = "breast-cancer.csv"
        try:
            arrival = self.expect(name)
        except OSError as error:
            self._fail("table", not_written(name, error))
            return
        self._replace_table(arrival)
        self._look("example")

    def read_as(self, **changes: Any) -> None:
        """Read the table in another way."""
        try:
            reading = replace(self.reading, **changes)
        except EXPECTED as error:
            self._fail("table", in_words(error, name_control))
            return
        if reading != self.reading:
            self.reading = reading
            self._forget_columns()
            self._look("look")

    def _read_again(self, **changes: Any) -> None:
        """Read the table in another way, and ask the same of it."""
        self.reading = replace(self.reading, **changes)
        self._look("look")

    def _replace_table(self, arrival: Arrival) -> None:
        self._latest = None
        worker, self._worker = self._worker, None
        if self.chosen is not None:
            self.chosen.discard()
        if worker is not None:
            self._start(self._end(worker, self.chosen))
        self._forget()
        self.chosen = arrival
        self.touch("question", "answer", "files", "run")

    async def _end(self, worker: Worker, old: Arrival | None) -> None:
        """End the worker of another table, which may have written something until then."""
        await self._workers.give_back(worker)
        if old is not None:
            old.discard()

    def _look(self, what: str) -> None:
        self.is_reading, self.table = True, None
        looked_at = self.chosen, self.reading

        def hear(told: Job) -> None:
            if (self.chosen, self.reading) != looked_at:  # of another table meanwhile
                return
            if "table" in told:
                self.table = told["table"]
            self._hear_trouble("table", told)
            if _is_last(told):
                self.is_reading = False
                if self.asked is not None:
                    self._ask_soon()
            self.touch("table", "columns", "question")

        self._send({"do": what}, hear)
        self.touch("table", "columns", "question", "run", "answer", "files")

    # --- 2 the question

    def is_used(self, column: dict[str, Any]) -> bool:
        """Whether a column will be used, as it is or because the user wants it."""
        is_wanted = column["kind"] not in UNUSED or column["name"] in self.said
        return self.switched.get(column["name"], is_wanted)

    def switch(self, number: int, use: bool) -> None:
        """Use a column, or do not."""
        assert self.table is not None
        column = self.table["columns"][number]
        self.switched.pop(column["name"], None)
        if use != self.is_used(column):
            self.switched[column["name"]] = use
        self.touch("columns")
        self._ask_soon()

    def say_kind(self, name: str, kind: str) -> None:
        """Say what a column is: "numeric", "categorical" or, if empty, what it looks like."""
        self.said.pop(name, None)
        if kind:
            self.said[name] = kind
        self.touch("columns")
        self._ask_soon()

    def cut_at(self, cut: Cut) -> None:
        """Cut the outcome into two classes, or name the value that is the event."""
        if cut == self.cut:
            return
        before, self.cut = self.cut, cut
        if self.asked is not None and before.of("") != cut.of(""):
            self._set_choice(Choice())
            kinds = {"positive": None, "classes": (), "ordered": False, "order": ()}
            self.ask(**kinds)
            self.touch("classes")
            self._ask_soon()

    def ask(self, **changes: Any) -> None:
        """Change the question."""
        asked = self.asked
        is_other = asked is not None and changes.get("target", asked.target) != asked.target
        if is_other or changes.get("time") is not None:
            kinds = {"positive": None, "classes": (), "ordered": False, "order": ()}
            changes = kinds | ({"time": None} if is_other else {}) | changes
            self._refused = {}
            self._set_choice(Choice())
            self.touch("classes", *(["form"] if self.cut != Cut() else []))
            self.cut, self.codes = Cut(), ()
        if is_other:
            self.understood = None
        changes = self._refused | changes
        try:
            spec = Specification(**changes) if asked is None else replace(asked, **changes)
        except EXPECTED as error:
            # The page shows another question than the last that was clear: neither can be run.
            self._refused, self.understood, self.is_asking = changes, None, False
            self._fail("question", in_words(error, name_control))
            self.touch("run")
            return
        if spec != asked or self._refused:
            self.asked, self._refused = spec, {}
            for name in _roles(spec):
                self.markers.pop(name, None)
            if self.judges_markers:
                self.touch("markers")
            self._ask_soon()

    def tell_apart(self, choice: Choice) -> None:
        """Choose among the labels of the outcome."""
        self._set_choice(choice)
        self.ask(**choice.asked)

    def rank(self, order: tuple[str, ...], *, is_ranked: bool) -> None:
        """Rank by numbers, or by grades from lowest to highest; or tell classes apart again."""
        before = self.choice
        self.choice = before.ranked(order) if is_ranked else before.unranked()
        if self.choice != before:
            # Not the form, in which the order is being typed.
            self.touch("classes")
            self.ask(**self.choice.asked)

    def _set_choice(self, choice: Choice) -> None:
        before, self.choice = self.choice, choice
        if before.labels != choice.labels:
            self.touch("classes")
        if (before.way == "grades") != (choice.way == "grades"):
            self.touch("form")  # which also says how they are ranked

    def report(self, **changes: Any) -> None:
        """Change what is reported."""
        try:
            options = replace(self.options, **changes)
        except EXPECTED as error:
            self._fail("question", in_words(error, name_control))
            return
        if options != self.options:
            self.options = options
            self._ask_soon()

    def choose(self, models: tuple[str, ...]) -> None:
        """Choose the models."""
        self.models = models
        self.touch("models", "run")

    def set_parameters(self, name: str, typed: str) -> None:
        """Give parameters of a model, or none to have it as it is."""
        self.parameters = {**self.parameters, name: typed.strip()}
        self.touch("run")

    @property
    def models_asked(self) -> tuple[str, ...]:
        """The models with their parameters, as the command takes them."""
        typed = [(name, self.parameters.get(name, "")) for name in self.models]
        return tuple(f"{name}:{parameters}" if parameters else name for name, parameters in typed)

    def judge(self, *, markers: bool) -> None:
        """Judge markers, or models."""
        self.judges_markers = markers
        self.touch("markers")
        self._ask_soon()

    def mark(self, name: str, **changes: Any) -> None:
        """Use a column as a marker, or change what is said about it."""
        if name not in self.markers:
            self.touch("markers")
        self.markers[name] = replace(self.markers.get(name, Marker()), **changes)
        self._ask_soon()

    def unmark(self, name: str) -> None:
        """Do not use a column as a marker any more."""
        self.markers.pop(name, None)
        self.touch("markers")
        self._ask_soon()

    @property
    def outcome(self) -> type[Outcome]:
        """What kind of outcome there is; classes as long as that is not known."""
        name = "Classes" if self.understood is None else self.understood["outcome"]
        return _OUTCOMES[name]

    @property
    def default(self) -> dict[str, str] | None:
        """The model that was chosen for the table, and why, unless others are."""
        if self.understood is None or self.models != self._default:
            return None
        return dict(self.understood["default"])

    @property
    def is_ordered(self) -> bool:
        """Whether the outcome is no classes."""
        return self.outcome not in (Classes, SeveralClasses)

    def _understand(self, understood: dict[str, Any]) -> None:
        """Take note of how the question was understood; other outcomes have other models."""
        shown, default = (self.outcome, self.models), self._default
        self.understood, self._default = understood, (understood["default"]["name"],)
        if self.models == default:
            self.models = self._default
        known = [n for n in self.models if MODELS[n].maker(self.outcome) is not None]
        self.models = tuple(known)
        if shown != (self.outcome, self.models):
            self.touch("markers")

    @property
    def is_chosen(self) -> bool:
        """Whether there is a model, or a marker, to judge."""
        return bool(self.markers if self.judges_markers else self.models)

    def _marker_options(self) -> MarkerOptions:
        cutoffs = [(name, m.cutoff) for name, m in self.markers.items() if m.cutoff]
        return MarkerOptions(
            tuple(self.markers),
            tuple(name for name, marker in self.markers.items() if marker.is_smaller_positive),
            tuple(c if len(self.markers) == 1 else f"{name}={c}" for name, c in cutoffs),
            self.options.specificity,
            self.options.confidence_level,
            self.options.prevalence,
            self.options.at,
            self.options.smooth,
        )

    @property
    def spec(self) -> Specification | None:
        """The question together with the columns that are switched on and off."""
        if self.asked is None or self.table is None or self._refused:
            return None
        asked = replace(self.asked, target=self.cut.of(self.asked.target))
        if self.judges_markers:
            values = asked.missing_values or IMPUTE
            return replace(asked, features=tuple(self.markers), missing=values, by=())
        columns, others = self.table["columns"], _roles(self.asked)
        switched = {name: use for name, use in self.switched.items() if name not in others}
        said = [
            (column["name"], self.said[column["name"]])
            for column in columns
            if self.is_used(column) and column["name"] in set(self.said) - others
        ]
        asked = replace(
            asked,
            numeric=tuple(name for name, kind in said if kind == "numeric"),
            categorical=tuple(name for name, kind in said if kind == "categorical"),
        )
        if any(switched.values()):
            used = [c["name"] for c in columns if self.is_used(c) and c["name"] not in others]
            return replace(asked, features=tuple(used), drop=())
        return replace(asked, features=(), drop=tuple(switched))

    def do(self, action: Action) -> None:
        """Do what a remark suggests, and run again as soon as nothing is being written."""
        if self.table is None or self.status not in ("answered", "done"):
            return
        numbers = {column["name"]: k for k, column in enumerate(self.table["columns"])}
        if isinstance(action, Drop):
            for name in action.columns:
                if name in self.markers:
                    self.unmark(name)
                else:
                    self.switch(numbers[name], use=False)
        elif isinstance(action, Categorical | Numeric):
            kind = "numeric" if isinstance(action, Numeric) else "categorical"
            self.said |= dict.fromkeys(action.columns, kind)
        elif isinstance(action, Missing):
            gaps, known = (self.asked.gaps, self.asked.missing_values) if self.asked else ("", ())
            values = (f"{column}={value}" for column, value in action.values)
            self.ask(missing=missing_of(gaps, (*known, *values)))
        elif isinstance(action, Decimal):
            self._read_again(decimal=action.mark)
        elif isinstance(action, Apart):
            self.ask(classes=action.labels)
        elif isinstance(action, Event):
            self.cut_at(Cut("==", action.condition.rpartition("==")[2].strip()))
        elif isinstance(action, Group):
            self.ask(group=group_of(action.columns))
        elif isinstance(action, Direction):
            self.mark(action.marker, is_smaller_positive=action.smaller)
        elif isinstance(action, Positive):
            self.ask(positive=action.label)
        elif isinstance(action, Time):
            self.ask(time=action.column)
        elif isinstance(action, Order):
            self.tell_apart(self.choice.ranked(action.grades))
            self.touch("classes")
        elif isinstance(action, AsMarker):
            self.mark(action.column)
            self.judge(markers=True)
        # The form is to show what is asked now.
        self.touch("table", "columns", "markers")
        self._is_to_run = True
        self._ask_soon()

    def _ask_soon(self) -> None:
        if self._refused:
            return
        # What was understood last stays on the page meanwhile: it may have the focus.
        self.is_asking, self.times = self.asked is not None, {}
        self.error.pop("question", None)
        self.touch("question", "models", "run")
        if self._soon is not None:
            self._soon.cancel()
        if self.asked is not None:
            self._soon = asyncio.get_running_loop().call_later(
                PAUSE,
                self._ask,
                context=Context(),  # as in `start_apart`
            )

    def _ask(self) -> None:
        spec = self.spec
        # The worker has its hands full; the end of its run asks again.
        if spec is None or self.status not in ("idle", "cancelled", "done"):
            return

        def hear(told: Job) -> None:
            if spec != self.spec:  # asked anew meanwhile
                return
            if "codes" in told:
                self.codes = tuple(told["codes"])
                self.touch("classes")
                return
            if "labels" in told:
                self._set_choice(self.choice.among([Label(*label) for label in told["labels"]]))
                return
            if "understood" in told:
                self._understand(told["understood"])
            if "model" in told:
                self.times = {**self.times, told["model"]: told}
            if self._hear_trouble("question", told):
                self.understood = None
            if "model" in told:
                self.touch("models")
            else:
                self.is_asking = False
                self.touch("question", "run")
                if self._is_to_run:
                    self._is_to_run = False
                    self.run()

        known = list(MODELS if self.judges_markers else self.times)
        job = {"do": "ask", "spec": asdict(spec), "known": known}
        self._send({**job, "is_for_markers": self.judges_markers}, hear)

    # --- 3 the run

    @property
    def can_run(self) -> bool:
        """Whether there is something to run."""
        is_at_rest = self.status in ("idle", "cancelled", "done")
        is_clear = self.understood is not None and not self.is_asking
        return is_clear and self.is_chosen and is_at_rest

    @property
    def _can_save_model(self) -> bool:
        is_one = len(self.models) == 1 and not self.judges_markers
        has_cutoffs = self.outcome in (Classes, TimeToEvent) and self.options.sorts is None
        return is_one and has_cutoffs and find_spec("skops") is not None

    def run(self) -> None:
        """Work out the answer; what an earlier, cancelled run has finished is not done again."""
        spec = self.spec
        if not self.can_run or spec is None or self.chosen is None:
            return
        try:
            options = self._marker_options() if self.judges_markers else self.options
        except EXPECTED as error:
            self._fail("run", in_words(error, name_control))
            return
        self.status, self.notes, self.progress, self.found = "running", [], None, None
        self.files = set()
        self.error.pop("run", None)
        self.answered = as_code.Run(
            Path(self.chosen.name).name or "table.csv",
            spec,
            self.reading,
            options,
            OutputFiles(
                html=Path("report.html"),
                json=Path("result.json"),
                save_model=Path("model.skops") if self._can_save_model else None,
            ),
            self.models_asked,
            self.outcome,
        )
        folder = self.chosen.folder
        job: Job = {"spec": asdict(spec), "folder": str(folder)}
        if isinstance(options, MarkerOptions):
            given = {k: v for k, v in asdict(options).items() if k != "cutoffs"}
            job |= {"do": "mark", "markers": given}
        else:
            played = [self.options.seed, self.options.rounds, self.options.sorts]
            bound = json.dumps([job["spec"], asdict(self.reading), *played])
            digest = blake2b(bound.encode(), digest_size=8).hexdigest()
            journal = folder / f"journal-{digest}.tlpo"
            saved = "model.skops" if self._can_save_model else None
            job |= {"do": "run", "models": self.models_asked, "model_file": saved}
            job["journal"] = str(journal)
        latest = self._latest = object()

        def hear(told: Job) -> None:
            if latest is self._latest:
                self._hear_run(told)

        self._send(job, hear)
        self.touch("run", "answer", "files")

    def _hear_run(self, told: Job) -> None:
        if "say" in told:
            self.notes = [*self.notes, told["say"]]
            self.progress = None
        if "total" in told:
            self.progress = told
        self.touch("progress")
        if "file" in told:
            self.files = self.files | {told["file"]}
            self.model_notes = told.get("notes", [])
            if told["file"] == "result.json":
                assert self.chosen is not None
                text = (self.chosen.folder / "result.json").read_text(encoding="utf-8")
                self.found, self.status = decode(text), "answered"
                self.touch("answer", "run")
            self.touch("files")
        if "unsaved" in told and self.answered is not None:
            outputs = replace(self.answered.outputs, save_model=None)
            self.answered = replace(self.answered, outputs=outputs)
            self.model_notes = [told["unsaved"]]
            self.touch("files")
        self._hear_trouble("run", told)
        if _is_last(told):
            if self.status == "cancelling":
                self.status = "cancelled"
            else:
                self.status = "done" if self.found is not None else "idle"
            # The question may have changed meanwhile, or not all models been timed.
            is_timed = self.judges_markers or len(self.times) == len(MODELS)
            if self.is_asking or not is_timed:
                self._ask()
            self.touch("run")

    def cancel(self) -> None:
        """Stop what is being done, at once."""
        if self.status == "running":
            self.status = "cancelling"
            self.touch("run")
            self._give_back()

    # --- the worker

    def _send(self, job: Job, hear: Callable[[Job], None]) -> None:
        """Give a job to this analysis' worker, or to a new one; it gets to know the table."""
        chosen = self.chosen
        assert chosen is not None
        about = {
            "path": str(chosen.path),
            "name": chosen.name,
            "reading": asdict(self.reading),
            "options": asdict(self.options),
        }

        async def send() -> None:
            if self._workers.is_closed:
                return
            async with self._sending:
                if self._worker is None or not self._worker.is_alive:
                    self._worker = await self._workers.take()
            if self.chosen is not chosen:  # another table meanwhile
                return
            if self.status == "cancelling":  # before it began
                self._give_back()
                hear({"end": True})
                return
            self._worker.send({**about, **job}, hear)

        self._start(send())

    def _give_back(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            self._start(self._workers.give_back(worker))

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = start_apart(work)
        self._tasks.add(task)  # the loop itself keeps no reference
        task.add_done_callback(self._tasks.discard)

    def _hear_trouble(self, part: str, told: Job) -> bool:
        """Return whether there was any."""
        if "error" in told:
            self._fail(part, told["error"])
        elif "died" in told and not told["stopped"]:
            self._fail(
                part,
                explain(
                    "The work ended before it was done.",
                    f"Its process was ended with code {told['died']}; memory may have run out.",
                    "Try again, with fewer rows, columns or models.",
                ),
            )
        else:
            return False
        return True

    def _fail(self, part: str, message: str) -> None:
        self.error[part] = message
        self.touch(part)


class Analyses:
    """All analyses since the start, each with a folder of its own.

    Parameters
    ----------
    folder : Path
        Private to this user.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        scratch = folder / "scratch"
        scratch.mkdir(mode=0o700)
        self.workers = Workers(scratch)
        self._all: dict[str, Analysis] = {}

    def begin(self) -> Analysis:
        """Begin another analysis."""
        name = secrets.token_urlsafe(12)
        folder = self._folder / f"analysis-{len(self._all) + 1}"
        folder.mkdir(mode=0o700)
        self._all[name] = Analysis(name, folder, self.workers)
        return self._all[name]

    def find(self, name: str) -> Analysis | None:
        """Return an analysis by its name in the address."""
        return self._all.get(name)


def not_written(name: str, error: OSError) -> str:
    """Return the message for a table that there is no room for."""
    return explain(
        "The table could not be written to disk.",
        f"You passed {name!r}; the system says: {error.strerror or error}.",
        "Free some disk space, then choose it again.",
    )


def _roles(spec: Specification) -> set[str]:
    """Return the columns that are no predictors: the outcome, its time, and groups."""
    return {spec.target, *spec.groups, *([] if spec.time is None else [spec.time])}


def missing_of(gaps: str, values: Sequence[str]) -> str | tuple[str, ...]:
    """Return all that is said about missing values, as briefly as it can be.

    Examples
    --------
    >>> missing_of("impute", []), missing_of("impute", ["999"]), missing_of("drop", ["999"])
    ('impute', ('999',), ('drop', '999'))
    """
    if not values:
        return gaps
    return tuple(values) if gaps == IMPUTE else (gaps, *values)


def group_of(columns: Sequence[str]) -> str | tuple[str, ...] | None:
    """Return what a `Specification` says about columns of groups.

    Examples
    --------
    >>> group_of([]), group_of(["patient"]), group_of(["centre", "patient"])
    (None, 'patient', ('centre', 'patient'))
    """
    return tuple(columns) if len(columns) > 1 else next(iter(columns), None)


def _is_last(told: Job) -> bool:
    return "end" in told or "died" in told
