"""The process that works for one analysis: ``python -m tlpo.app.work``.

It gets jobs as lines of JSON on stdin and tells what happens as lines of JSON on stdout. The
page's own process stays small and quick, whatever tables and models do here, and to cancel a run
is to end this process: what its journal holds is not lost.
"""

from __future__ import annotations

import json
import os
import queue
import shutil
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tlpo.errors import EXPECTED, InputError, as_call, enumerate_briefly, explain, in_words

if TYPE_CHECKING:
    import pandas as pd

    from tlpo.analysis.shapes import AnyAnalysis
    from tlpo.execution.progress import Progress
    from tlpo.tables.build_sample import Sample

Tell = Callable[..., None]
# What is shown of a table before it is analysed.
PREVIEW_ROWS, PREVIEW_COLUMNS = 8, 12
# Of more labels, most would have to be left out.
MOST_LABELS = 30
# How often progress is told, in seconds.
EVERY = 0.2
# Messages name the arguments of Python; on the page they have these names.
ON_THE_PAGE = {
    "target": "the outcome",
    "time": "the column of times",
    "event": "the outcome",
    "at": "the times to report:",
    "positive": "the positive label",
    "classes": "the classes",
    "ordered": "the kind of outcome",
    "order": "the grades",
    "group": "the group",
    "rows": "the rows used:",
    "by": "the subgroups:",
    "categorical": "the categories:",
    "numeric": "the numbers:",
    "unit": "what a row is:",
    "rounds": "the rounds:",
    "sorts": "the sorts:",
    "permutations": "the permutations:",
    "seed": "the seed",
    "save_model": "the saved model",
    "smaller_is_positive": "the markers of which small values are positive:",
    "cutoff": "the cut-off",
    "features": "the columns used:",
    "drop": "the columns not used:",
    "sheet": "the sheet",
    "sep": "the separator",
    "decimal": "the decimal sign",
    "header_row": "the header row",
    "missing": "missing values:",
    "specificity": "the specificity",
    "confidence_level": "the confidence level",
    "prevalence": "the prevalence",
    "encoding": "the encoding",
    "smooth": "smoothed curves",
}


def name_control(name: str, value: str | None) -> str:
    """Name an argument as the page does.

    Examples
    --------
    >>> name_control("sep", "';'"), name_control("engine", "'refit'")
    ("the separator ';'", "engine='refit'")
    """
    if name not in ON_THE_PAGE:
        return as_call(name, value)
    shown = ON_THE_PAGE[name]
    return shown.removesuffix(":") if value in (None, "…", "True") else f"{shown} {value}"


class JobRunner:
    """Does one job after the other; keeps the table that the last one needed.

    Parameters
    ----------
    tell : callable
        Told what happens, as keyword arguments.
    is_wanted_elsewhere : callable
        Whether another job is waiting, so that what can be left unfinished should be.
    """

    def __init__(self, tell: Tell, is_wanted_elsewhere: Callable[[], bool]) -> None:
        self._send = self._tell = tell
        self._is_wanted_elsewhere = is_wanted_elsewhere
        self._held: tuple[Any, pd.DataFrame] | None = None

    def do(self, job: dict[str, Any]) -> None:
        """Do a job; whatever goes wrong is told in words."""
        self._tell = partial(self._send, job=job["number"])
        try:
            {
                "example": self._example,
                "look": self._look,
                "ask": self._ask,
                "run": self._run,
                "mark": self._mark,
            }[job["do"]](job)
        except EXPECTED as error:
            # The path is ours; the user knows the file by its name.
            said = in_words(error, name_control).replace(job["path"], job["name"])
            self._tell(error=said)
        except Exception as error:  # an estimator's, or a fault of ours
            self._tell(
                error=explain(
                    "Something went wrong that should not.",
                    f"{type(error).__name__}: {error}",
                    "Try other columns or models; please report it if it stays.",
                )
            )
        self._tell(end=True)

    def _example(self, job: dict[str, Any]) -> None:
        """Write a table to try things with."""
        from sklearn.datasets import load_breast_cancer

        from tlpo.execution.replace import write_text
        from tlpo.tables.examples import draw_units

        data = load_breast_cancer(as_frame=True)
        drawn = draw_units((data.target == 0).to_numpy(), 100, seed=0)
        # Without the sizes of cells, which give nearly everything away.
        table = data.data.iloc[sorted(drawn), [1, 4, 8, 9, 11, 14, 18]].reset_index(drop=True)
        labels = data.target_names[data.target.iloc[sorted(drawn)]]
        table.insert(0, "patient", [f"P{k:03d}" for k in range(1, len(table) + 1)])
        table.insert(1, "diagnosis", labels)
        write_text(Path(job["path"]), table.to_csv(index=False))
        self._look(job)

    def _look(self, job: dict[str, Any]) -> None:
        """Tell what the columns of a table are."""
        from tlpo.tables.columns import kinds_of
        from tlpo.tables.read import sheets_of

        table = self._table(job)
        names = list(table.columns)
        kinds = kinds_of(table, names)
        missing = table.isna().sum().tolist()
        columns = [
            {
                "name": name,
                "kind": kinds[name][0],
                "why": kinds[name][1],
                "missing": gaps,
                "has_two_values": _has_two_values(table[name]),
            }
            for name, gaps in zip(names, missing, strict=True)
        ]
        head = table.iloc[:PREVIEW_ROWS, :PREVIEW_COLUMNS]
        gaps = head.isna().to_numpy()
        cells = [
            ["" if gap else str(value) for value, gap in zip(row, where, strict=True)]
            for row, where in zip(head.to_numpy(object), gaps, strict=True)
        ]
        self._tell(
            table={
                "n_rows": len(table),
                "columns": columns,
                "preview": {"names": names[:PREVIEW_COLUMNS], "rows": cells},
                "sheets": sheets_of(job["path"]),
            }
        )

    def _ask(self, job: dict[str, Any]) -> None:
        """Tell how a question is understood, then how long every model takes."""
        from joblib import effective_n_jobs

        from tlpo.analysis.forecast import forecast
        from tlpo.analysis.models import MODELS, default_model, make_model, make_runs
        from tlpo.analysis.options import Options
        from tlpo.analysis.pipeline import require_two_classes
        from tlpo.problem.outcome import Classes

        codes = self._codes(job)
        if codes:
            self._tell(codes=codes)
        labels = self._labels(job)
        if labels:  # told first: whatever is wrong with them, others can be chosen
            self._tell(labels=labels)
        sample, options = self._sample(job), Options(**job["options"])
        if job.get("is_for_markers"):
            require_two_classes(sample)
        understood: dict[str, Any] = {
            "outcome": type(sample.outcome).__name__,
            "notes": sample.notes,
            "default": default_model(sample)._asdict(),
        }
        if isinstance(sample.outcome, Classes):
            two = sample.outcome
            understood |= {
                "positive": two.positive,
                "negative": two.negative,
                "n_positive": two.n_positive,
                "n_negative": two.n_negative,
                "chosen_by": sample.chosen_by,
            }
        self._tell(understood=understood)
        cores = effective_n_jobs(options.n_jobs)
        for name, entry in MODELS.items():
            if name in job["known"] or entry.maker(type(sample.outcome)) is None:
                continue
            if self._is_wanted_elsewhere():
                return
            try:
                costs = forecast(make_runs(sample, [make_model(name, sample)], options), options)
            except InputError as error:
                self._tell(model=name, trouble=in_words(error, name_control))
                continue
            self._tell(model=name, seconds=sum(cost.lasts(cores) for cost in costs))

    def _run(self, job: dict[str, Any]) -> None:
        """Do what ``tlpo run`` does; the answer first, then what takes longer to draw."""
        from tlpo.analysis.model_file import save_model
        from tlpo.analysis.models import make_model
        from tlpo.analysis.options import Options
        from tlpo.analysis.pipeline import analyse
        from tlpo.analysis.shapes import ModelAnalysis, SurvivalAnalysis
        from tlpo.document.patients import inert_table, to_table
        from tlpo.execution.journal import Journal
        from tlpo.results.survival import Survival
        from tlpo.results.tournament import Tournament

        def say(text: str) -> None:
            self._tell(say=text)

        sample, options, folder = self._sample(job), Options(**job["options"]), Path(job["folder"])
        if sample.is_ordered and not sample.is_survival:  # the control is there for two classes
            options = replace(options, specificity=Options.specificity)
        chosen = [make_model(spec, sample) for spec in job["models"]]
        with _watched(self._tell), Journal(Path(job["journal"])) as journal:
            model_file = None if sample.unlisted else job["model_file"]
            analysis, played = analyse(
                sample,
                chosen,
                options,
                source=job["name"],
                model_file=model_file,
                journal=journal,
                say=say,
            )
        csv = "patients.csv", lambda: inert_table(to_table(analysis, sample.ids))
        self._deliver(analysis, folder, *csv)
        if job["model_file"] is not None and model_file is None:
            self._tell(
                unsaved="No model file was written: it would hold the values of "
                f"{enumerate_briefly(sample.unlisted)}, which look like names or free text. Switch "
                "these columns off to get one."
            )
        if model_file is not None and isinstance(analysis, ModelAnalysis | SurvivalAnalysis):
            path, model = folder / model_file, chosen[0]
            result = played[model.name]
            assert isinstance(result, Tournament | Survival)
            notes = save_model(path, model, sample, result, analysis, options)
            self._tell(file=path.name, notes=[n.replace(str(path), path.name) for n in notes])

    def _mark(self, job: dict[str, Any]) -> None:
        """Do what ``tlpo marker`` does."""
        from tlpo.analysis.marker_options import MarkerOptions
        from tlpo.analysis.pipeline import analyse_any_markers
        from tlpo.analysis.shapes import MarkerAnalysis
        from tlpo.document.patients import inert_table

        sample, options = self._sample(job), MarkerOptions(**job["markers"])
        if sample.is_ordered and not sample.is_survival:  # as in _run
            options = replace(options, specificity=MarkerOptions.specificity)
        analysis, table = analyse_any_markers(sample, options, job["name"])
        csv = "cutoffs.csv" if isinstance(analysis, MarkerAnalysis) else "patients.csv"
        self._deliver(analysis, Path(job["folder"]), csv, lambda: inert_table(table()))

    def _deliver(
        self, analysis: AnyAnalysis, folder: Path, csv: str, table: Callable[[], str]
    ) -> None:
        """Write all files, first those that are there at once."""
        from tlpo.analysis.options import OutputFiles
        from tlpo.document.write import write
        from tlpo.execution.replace import replacing

        for outputs in (
            OutputFiles(json=folder / "result.json", csv=folder / csv, md=folder / "answer.md"),
            OutputFiles(html=folder / "report.html"),
            *([OutputFiles(html=folder / "report.docx")] if find_spec("docx") else []),
        ):
            for path in write(analysis, outputs, table):
                self._tell(file=path.name)
        # An earlier run may have drawn more.
        shutil.rmtree(folder / "figures", ignore_errors=True)
        write(analysis, OutputFiles(figures=folder / "figures"))
        with replacing(folder / "figures.zip") as beside:
            shutil.make_archive(str(beside.with_suffix("")), "zip", folder / "figures")
        self._tell(file="figures.zip")

    def _table(self, job: dict[str, Any]) -> pd.DataFrame:
        from tlpo.tables.options import Reading
        from tlpo.tables.read import read_table

        wanted = job["path"], job["reading"]
        if self._held is None or self._held[0] != wanted:
            self._held = None  # before another is read: two large tables may be too much
            self._held = wanted, read_table(job["path"], Reading(**job["reading"]))
        return self._held[1]

    def _sample(self, job: dict[str, Any]) -> Sample:
        from tlpo.tables.build_sample import build_sample
        from tlpo.tables.options import Specification

        return build_sample(self._table(job), Specification(**job["spec"]))

    def _codes(self, job: dict[str, Any]) -> list[str]:
        """Return the values of a column of events, one of which may be chosen."""
        from tlpo.tables.columns import as_text, is_filled
        from tlpo.tables.survival import find_event

        table, spec = self._table(job), job["spec"]
        if spec.get("time") is None:
            return []
        column = table[find_event(table, spec["target"]).column]
        found = sorted(set(as_text(column[is_filled(column)]).tolist()))
        return found if len(found) <= MOST_LABELS else []

    def _labels(self, job: dict[str, Any]) -> list[tuple[str, int]]:
        """Return the labels of an outcome, and their rows, if there is something to choose."""
        from tlpo.tables.columns import as_text, is_filled
        from tlpo.tables.options import MOST_CLASSES, Specification
        from tlpo.tables.outcomes import as_numbers
        from tlpo.tables.several import LEAST, find_order, spell

        table, spec = self._table(job), job["spec"]
        if spec.get("time") is not None or spec["target"] not in table.columns:
            return []
        column = table[spec["target"]]
        filled = is_filled(column)
        texts = as_text(column)
        texts, _ = spell(texts, filled, Specification(**spec))
        rows = Counter(texts[filled].tolist())
        if not 2 < len(rows) <= MOST_LABELS or max(rows.values()) < LEAST:
            return []
        if len(rows) > MOST_CLASSES and as_numbers(column, filled) is not None:
            return []  # which are ordered
        return [(name, rows[name]) for name in find_order(list(rows)) or sorted(rows)]


def _has_two_values(column: pd.Series) -> bool:
    try:
        return len(column.dropna().unique()) == 2
    except TypeError:  # lists, as Parquet may hold
        return False


@contextmanager
def _watched(tell: Tell) -> Iterator[None]:
    """Tell how far the work is, now and then."""
    from tlpo.execution.progress import watch

    told = 0.0

    def see(progress: Progress) -> None:
        nonlocal told
        now = time.monotonic()
        if now - told >= EVERY or progress.done in (0, progress.total):
            told = now
            tell(
                title=progress.title,
                done=progress.done,
                total=progress.total,
                seconds_left=progress.seconds_left,
            )

    watch(see)
    try:
        yield
    finally:
        watch(None)


def warm_up() -> None:
    """Import and compile what the first analysis would have to wait for."""
    import matplotlib.figure  # noqa: F401
    import pandas as pd

    from tlpo.analysis.models import make_model
    from tlpo.analysis.options import Options
    from tlpo.analysis.pipeline import analyse
    from tlpo.tables.build_sample import build_sample
    from tlpo.tables.options import Specification

    table = pd.DataFrame({"marker": [0.1, 2, 1.3, 1, 0.2, 3, 1.1, 2], "y": ["no", "yes"] * 4})
    sample = build_sample(table, Specification("y"))
    analyse(sample, [make_model(name, sample) for name in ("glm", "logistic")], Options())


def main() -> None:
    """Work until stdin ends, which it does with the page."""
    from tlpo.execution.interrupt import end_in_time

    end_in_time()
    # What an estimator prints must not come between the lines of JSON.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    waiting: queue.Queue[dict[str, Any]] = queue.Queue()
    threading.Thread(target=_receive, args=(waiting,), daemon=True).start()

    def tell(**what: Any) -> None:
        out.write(json.dumps(what, allow_nan=False) + "\n")
        out.flush()

    runner = JobRunner(tell, is_wanted_elsewhere=lambda: not waiting.empty())
    warm_up()
    while True:
        runner.do(waiting.get())


def _receive(waiting: queue.Queue[dict[str, Any]]) -> None:
    for line in sys.stdin:
        waiting.put(json.loads(line))
    os._exit(0)


if __name__ == "__main__":
    main()
