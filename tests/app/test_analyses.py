"""An analysis without a page, but with its real worker."""

import asyncio
import json

import pytest

from tables import patients
from tlpo.app.analyses import Analyses
from tlpo.tables.options import Question

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
        assert analysis.question is None
        analysis.ask(target="outcome")
        assert analysis.question == Question("outcome")
        analysis.switch(1, False)
        analysis.switch(3, False)
        assert analysis.question == Question("outcome", drop=("age", "odd"))
        analysis.switch(0, True)  # from now on, all columns are named
        assert analysis.question == Question("outcome", features=("patient", "marker"))
        analysis.switch(0, False)
        analysis.switch(1, True)
        assert analysis.question == Question("outcome", drop=("odd",))
        analysis.ask(group="odd")  # what has another role is not a feature in any case
        assert analysis.question == Question("outcome", group="odd")

    asyncio.run(scenario())


def test_another_outcome_has_other_labels(folder):
    async def scenario():
        analysis = Analyses(folder).begin()
        analysis.table = {"columns": COLUMNS}
        analysis.ask(target="outcome")
        analysis.ask(positive="yes")
        assert analysis.asked == Question("outcome", positive="yes")
        analysis.ask(target="odd", group="patient")
        assert analysis.asked == Question("odd", group="patient")
        analysis.ask(missing="nonsense")
        assert analysis.asked == Question("odd", group="patient")
        assert analysis.error["question"].startswith("missing must be one of")

    asyncio.run(scenario())


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
        assert analysis.summary is None
        await asyncio.sleep(0.1)
        assert len(asyncio.all_tasks()) == 1  # this one
        assert json.dumps(analysis.error) == "{}"

    asyncio.run(scenario())
