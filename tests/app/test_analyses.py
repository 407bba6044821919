"""An analysis without a page, but with its real worker."""

import asyncio
import json

import numpy as np
import pytest

from tables import patients
from tlpo.analysis.caveats import remarks_on
from tlpo.analysis.remarks import Categorical, Direction, Drop, Group, Positive, in_words
from tlpo.app.analyses import Analyses
from tlpo.app.answer import _said
from tlpo.app.work import JobRunner
from tlpo.tables.options import Specification

COLUMNS = [
    {"name": "patient", "kind": "identifier"},
    {"name": "age", "kind": "numeric"},
    {"name": "marker", "kind": "numeric"},
    {"name": "odd", "kind": "mixed"},
    {"name": "outcome", "kind": "categorical"},
]


async def until(is_it, seconds=120):
    for _ in range(10 * seconds):
        if is_it():
            return
        await asyncio.sleep(0.1)
    raise AssertionError("it did not happen")


@pytest.fixture
def folder(tmp_path):
    return tmp_path


def test_switches_become_a_question(folder):
    async def scenario():
        analysis = Analyses(folder).begin()
        analysis.table = {"columns": COLUMNS}
        assert analysis.spec is None
        analysis.ask(target="outcome")
        assert analysis.spec == Specification("outcome")
        analysis.switch(1, False)
        analysis.switch(3, False)
        assert analysis.spec == Specification("outcome", drop=("age", "odd"))
        analysis.switch(0, True)  # from now on, all columns are named
        assert analysis.spec == Specification("outcome", features=("patient", "marker"))
        analysis.switch(0, False)
        analysis.switch(1, True)
        assert analysis.spec == Specification("outcome", drop=("odd",))
        analysis.ask(group="odd")  # what has another role is not a feature in any case
        assert analysis.spec == Specification("outcome", group="odd")

    asyncio.run(scenario())


def test_parameters_belong_to_the_models_that_are_asked_for(folder):
    async def scenario():
        analysis = Analyses(folder).begin()
        analysis.choose(("ridge", "knn"))
        assert analysis.models_asked == ("ridge", "knn")
        analysis.set_parameters("knn", " n_neighbors=7 ")
        analysis.set_parameters("logistic", "C=0.1")
        assert analysis.models_asked == ("ridge", "knn:n_neighbors=7")
        analysis.set_parameters("knn", " ")
        assert analysis.models_asked == ("ridge", "knn")

    asyncio.run(scenario())


def test_another_outcome_has_other_labels(folder):
    async def scenario():
        analysis = Analyses(folder).begin()
        analysis.table = {"columns": COLUMNS}
        analysis.ask(target="outcome")
        analysis.ask(positive="yes")
        assert analysis.asked == Specification("outcome", positive="yes")
        analysis.ask(target="odd", group="patient")
        assert analysis.asked == Specification("odd", group="patient")
        analysis.ask(missing=("impute", "drop"))
        assert analysis.asked == Specification("odd", group="patient")
        assert analysis.error["question"].startswith("Missing values are either imputed or")

    asyncio.run(scenario())


@pytest.mark.long
def test_nothing_starts_once_all_is_closed(folder):
    """A run that is ended with the page must not take another worker to go on with."""

    async def scenario():
        analyses = Analyses(folder)
        analysis = analyses.begin()
        arrival = analysis.expect("p.CSV")
        assert arrival.path.suffix == ".csv"
        patients(70).to_csv(arrival.path, index=False)
        analysis.open(arrival)
        await until(lambda: analysis.table is not None)
        analysis.ask(target="outcome")
        await until(lambda: analysis.can_run)
        analysis.choose(("svm",))
        analysis.run()
        assert not analysis.can_run
        await until(lambda: analysis.progress is not None)
        assert analysis.status == "running"
        worker = analysis._worker
        await analyses.workers.close()
        assert not worker.is_alive
        assert analysis.found is None
        await asyncio.sleep(0.1)
        assert len(asyncio.all_tasks()) == 1  # this one
        assert json.dumps(analysis.error) == "{}"

    asyncio.run(scenario())


def suspicious():
    """Patients with something to remark on: a leak, visits, labels in the alphabet, names."""
    frame = patients(48).drop(columns=["patient", "clinic", "smoker"])
    ill = frame["outcome"] == "yes"
    # Neither label reads as positive, so that the alphabet decides.
    frame["outcome"] = np.where(ill, "beta", "alpha")
    frame["bwt"] = np.where(ill, 3000.0, 2000.0) + np.arange(48)
    frame["person"] = [f"P{101 + k // 2}" for k in range(48)]
    frame["doctor"] = [f"Zadeh{k % 3}" for k in range(48)]
    return frame


async def asking(folder, frame, **spec):
    """Return an analysis of a table, and of a question if there is one, that can be run."""
    analysis = Analyses(folder).begin()
    arrival = analysis.expect("p.csv")
    frame.to_csv(arrival.path, index=False)
    analysis.open(arrival)
    await until(lambda: analysis.table is not None)
    if spec:
        analysis.ask(**spec)
        await until(lambda: analysis.can_run)
    return analysis


async def run(analysis):
    analysis.run()
    await until(lambda: analysis.found is not None or analysis.error)
    assert analysis.error == {}
    return analysis.found


async def do(analysis, kind, code):
    """Press the button of a remark, and return what comes of it."""
    before = analysis.found
    (action,) = (
        way
        for remark in remarks_on(before)
        if remark.code == code
        for _, way in remark.ways
        if isinstance(way, kind)
    )
    analysis.do(action)
    await until(lambda: analysis.found not in (before, None) or analysis.error)
    assert analysis.error == {}
    return analysis.found


def codes(found):
    return {remark.code for remark in remarks_on(found)}


@pytest.mark.long
def test_what_a_remark_suggests_is_done_and_run_again(folder):
    async def scenario():
        analysis = await asking(folder, suspicious(), target="outcome")
        analysis.choose(("ridge",))
        found = await run(analysis)
        assert codes(found) == {*("label", "separates the classes", "names", "repeated identifier")}
        assert "bwt" in found.sample.numeric
        # While figures are still being drawn.
        assert analysis.status == "answered"
        seen = analysis.versions.copy()
        found = await do(analysis, Drop, "separates the classes")
        assert "bwt" not in found.sample.numeric
        assert found.models[0].auc.lpo < 0.95
        assert analysis.spec.drop == ("bwt",)
        assert analysis.answered.spec == analysis.spec
        await until(lambda: analysis.status == "done")

        found = await do(analysis, Group, "repeated identifier")
        assert (found.sample.group, found.sample.n_groups) == ("person", 24)
        assert "bwt" not in found.sample.numeric
        found = await do(analysis, Positive, "label")
        assert (found.positive, found.negative) == ("alpha", "beta")
        found = await do(analysis, Categorical, "names")
        assert [row.level for row in found.baseline if row.feature == "doctor"] == [
            *("Zadeh0", "Zadeh1", "Zadeh2")
        ]
        assert analysis.spec == Specification(
            "outcome", "alpha", drop=("bwt",), group="person", categorical=("doctor",)
        )
        assert codes(found) == set()
        # The form shows what is asked now.
        for part in ("table", "columns", "question", "answer"):
            assert analysis.versions[part] > seen[part]

    asyncio.run(scenario())


@pytest.mark.long
def test_a_marker_is_turned_or_left_out_by_a_button(folder):
    async def scenario():
        frame = patients(60).assign(inverse=-patients(60)["marker"])
        analysis = await asking(folder, frame, target="outcome")
        analysis.judge(markers=True)
        for name in ("marker", "inverse"):
            analysis.mark(name)
        await until(lambda: analysis.can_run)
        first = await run(analysis)
        found = await do(analysis, Direction, "direction")
        assert analysis.markers["inverse"].is_smaller_positive
        assert [marker.larger_is_positive for marker in found.markers] == [True, False]
        assert found.markers[1].auc == first.markers[0].auc
        await until(lambda: analysis.status == "done")
        analysis.do(Drop(("inverse",)))
        await until(lambda: analysis.found not in (found, None))
        assert [marker.name for marker in analysis.found.markers] == ["marker"]

    asyncio.run(scenario())


@pytest.mark.long
def test_a_button_that_changes_nothing_runs_again_once(folder):
    """The question may already be what a remark suggests."""

    async def scenario():
        analysis = await asking(folder, suspicious().drop(columns="bwt"), target="outcome")
        analysis.choose(("ridge",))
        await run(analysis)
        await until(lambda: analysis.status == "done")
        analysis.ask(group="person")
        await until(lambda: analysis.can_run)
        found = await do(analysis, Group, "repeated identifier")
        assert found.sample.group == "person"
        await until(lambda: analysis.status == "done")
        # Nothing is left to be run by the next change.
        analysis.ask(missing="drop")
        await until(lambda: analysis.can_run)
        await asyncio.sleep(1)
        assert (analysis.status, analysis.found) == ("done", found)

    asyncio.run(scenario())


def shown(analysis):
    """Return every text that the page shows of an answer, but the command to type."""
    found = analysis.found
    return [
        *analysis.understood["notes"],
        *analysis.notes,
        *analysis.model_notes,
        *analysis.error.values(),
        *(column["why"] for column in analysis.table["columns"]),
        *(remark.worded() for remark in remarks_on(found)),
        *(in_words(way) for remark in remarks_on(found) for _, way in remark.ways),
        str(_said(found)),
    ]


@pytest.mark.long
def test_no_flag_of_the_command_line_is_shown(folder):
    async def scenario():
        frame = suspicious().assign(stage=["1", "2", "3", "4", "2b", "5"] * 8)
        analysis = await asking(folder, frame)
        analysis.switch(frame.columns.get_loc("stage"), False)
        analysis.ask(target="outcome")
        await until(lambda: analysis.can_run)
        analysis.choose(("ridge",))
        await run(analysis)
        await until(lambda: analysis.status == "done")
        page = " ".join(shown(analysis)).replace("&#x27;", "'").replace("&apos;", "'")
        for text in ("Run again without 'bwt'", "with 'person' as the group", "as a category"):
            assert text in page
        assert not [text for text in shown(analysis) if "--" in text]
        assert analysis.model_notes  # a model of names is not saved
        # Neither in what is written, nor in what goes wrong.
        written = analysis.chosen.folder
        for name in ("result.json", "answer.md"):
            content = (written / name).read_text()
            assert not [line for line in content.splitlines() if "--" in line.replace("| ---", "")]
        analysis.ask(target="person")
        await until(lambda: analysis.error)
        assert "exactly two labels" in analysis.error["question"]
        assert "--" not in analysis.error["question"]
        number = [column["name"] for column in analysis.table["columns"]].index("stage")
        analysis.switch(number, True)
        analysis.ask(target="outcome")
        await until(lambda: "question" not in analysis.error)
        await until(lambda: analysis.error)
        assert "mixes numbers and text" in analysis.error["question"]
        assert "--" not in analysis.error["question"]

    asyncio.run(scenario())


@pytest.mark.exhaustive
def test_a_slow_model_gets_no_advice_in_flags(tmp_path, monkeypatch):
    told = []
    monkeypatch.setattr("tlpo.analysis.forecast.LONG", 0.0)
    path = tmp_path / "p.csv"
    patients(12)[["age", "marker", "outcome"]].to_csv(path, index=False)
    job = {
        **{"do": "run", "number": 1, "path": str(path), "name": "p.csv", "reading": {}},
        **{
            "options": {"n_jobs": 1},
            "spec": {"target": "outcome"},
            "models": ["ridge:solver=lsqr"],
        },
        **{"folder": str(tmp_path), "journal": str(tmp_path / "j"), "model_file": None},
    }
    JobRunner(lambda **what: told.append(what), lambda: False).do(job)
    said = [what["say"] for what in told if "say" in what]
    assert said[0].startswith("ridge:solver=lsqr: ")
    assert not [text for text in said if "--" in text]
