"""What is said about columns, values and the outcome on the page, without a page."""

import asyncio

import pandas as pd
import pytest

from analysis.followed import followed
from app.test_analyses import COLUMNS
from app.test_work import job, told_by
from tlpo.analysis.models import MODELS
from tlpo.analysis.options import Options
from tlpo.analysis.remarks import (
    Categorical,
    Classes,
    Decimal,
    Event,
    Group,
    Missing,
    Numeric,
    flags_for,
    in_words,
)
from tlpo.app.analyses import Analyses, Cut
from tlpo.app.table import _column
from tlpo.app.work import name_control
from tlpo.document.as_code import Run, as_command
from tlpo.tables.options import Specification


def asked(folder, *changes, markers=()):
    """Return what is asked after the changes, each a method and its arguments."""

    async def scenario():
        analysis = Analyses(folder).begin()
        analysis.table = {"columns": COLUMNS}
        for name, given in changes:
            change = getattr(analysis, name)
            change(**given) if isinstance(given, dict) else change(*given)
        for name in markers:
            analysis.judge(markers=True)
            analysis.mark(name)
        return analysis.spec

    return asyncio.run(scenario())


OUTCOME = ("ask", {"target": "outcome"})


@pytest.mark.parametrize(
    ("changes", "spec"),
    [
        ([OUTCOME, ("say_kind", ("age", "categorical"))], {"categorical": ("age",)}),
        ([("say_kind", ("age", "categorical")), OUTCOME, ("say_kind", ("age", ""))], {}),
        # What is not used, or has another role, is not spoken of.
        ([OUTCOME, ("say_kind", ("age", "numeric")), ("switch", (1, False))], {"drop": ("age",)}),
        ([("ask", {"target": "outcome", "group": "odd"}), ("say_kind", ("odd", "numeric"))],
         {"group": "odd"}),
        # An identifier that is said to be categories is used.
        ([OUTCOME, ("say_kind", ("patient", "categorical"))], {"categorical": ("patient",)}),
        ([OUTCOME, ("ask", {"missing": ("drop", "999")})], {"missing": ("drop", "999")}),
        ([OUTCOME, ("ask", {"rows": ("age>=18",), "by": ("odd",)})],
         {"rows": ("age>=18",), "by": ("odd",)}),
        ([("ask", {"target": "age"}), ("cut_at", (Cut(">=", "50"),))], {"target": "age >= 50"}),
        # Half a limit is none, and another outcome has none.
        ([("ask", {"target": "age"}), ("cut_at", (Cut(">=", ""),))], {"target": "age"}),
        ([("ask", {"target": "age"}), ("cut_at", (Cut(">=", "50"),)), OUTCOME], {}),
        ([OUTCOME, ("ask", {"positive": "yes"}), ("cut_at", (Cut("<", "5"),))],
         {"target": "outcome < 5"}),
    ],
)  # fmt: skip
def test_what_is_said_becomes_a_question(tmp_path, changes, spec):
    assert asked(tmp_path, *changes) == Specification(**{"target": "outcome", **spec})


def test_markers_need_no_kinds_but_keep_values_that_mean_missing(tmp_path):
    changes = [OUTCOME, ("ask", {"missing": ("drop", "999"), "by": ("odd",)})]
    changes.append(("say_kind", ("age", "categorical")))
    found = asked(tmp_path, *changes, markers=["marker"])
    assert found == Specification("outcome", features=("marker",), missing=("999",))


def test_markers_are_reported_as_models_are(tmp_path):
    async def scenario():
        analysis = Analyses(tmp_path).begin()
        analysis.table = {"columns": COLUMNS}
        analysis.mark("marker", cutoff="0.3")
        wanted = {"specificity": 0.8, "confidence_level": 0.9, "prevalence": 0.2, "smooth": True}
        analysis.report(**wanted, at=(12.0,))
        found = analysis._marker_options()
        assert {name: getattr(found, name) for name in wanted} == wanted
        assert (found.markers, found.cutoffs, found.at) == (("marker",), {"marker": [0.3]}, (12.0,))

    asyncio.run(scenario())


def test_every_column_says_what_it_is(tmp_path):
    analysis = Analyses(tmp_path).begin()
    analysis.said = {"<i>": "categorical"}
    column = {"name": "<i>", "kind": "numeric", "why": "", "missing": 0}
    shown = str(_column(3, column, analysis, None))
    assert '<option value="">automatic: a number</option>' in shown
    assert '<option value="categorical" selected="">categories</option>' in shown
    assert 'aria-label="Kind of &lt;i&gt;"' in shown
    assert "<i>" not in shown
    assert "<select" not in str(_column(3, column, analysis, "the outcome"))


def test_the_values_of_an_event_are_told(tmp_path):
    path = tmp_path / "t.csv"
    followed(24).to_csv(path, index=False)
    spec = {"target": "died", "time": "months"}
    found = told_by(job("ask", path, spec=vars(Specification(**spec)), known=list(MODELS)))
    assert next(told["codes"] for told in found if "codes" in told) == ["no", "yes"]
    named = vars(Specification("died == no", time="months"))
    found = told_by(job("ask", path, spec=named, known=list(MODELS)))
    assert next(told["codes"] for told in found if "codes" in told) == ["no", "yes"]


WAYS = [
    (Categorical(("race",)), "with 'race' as a category", "with --categorical race"),
    (Numeric(("a", "b")), "with 'a' and 'b' as numbers", "with --numeric a b"),
    (
        Missing((("age", "999"), ("first visit", "-1"))),
        "with 999 in 'age', -1 in 'first visit' as missing",
        "with --missing age=999 'first visit=-1'",
    ),
    (Decimal(","), "with a comma as the decimal mark", "with --decimal ,"),
    (Classes(("no", "No")), "with the classes 'no', 'No'", "with --classes no No"),
    (Group(("centre", "id")), "with 'centre' and 'id' together as the group",
     "with --group centre id"),
    (Event("status == 1"), "with 'status == 1' as the event", "with --event 'status == 1'"),
]  # fmt: skip


@pytest.mark.parametrize(("way", "words", "flags"), WAYS)
def test_every_front_end_has_its_own_words(way, words, flags):
    assert (in_words(way), flags_for(way)) == (words, flags)
    assert "--" not in in_words(way)


@pytest.mark.parametrize(
    "name", ["missing", "numeric", "categorical", "rows", "by", "rounds", "sorts", "permutations"]
)
def test_messages_name_controls(name):
    assert "=" not in name_control(name, "1")


def test_the_same_as_a_command():
    spec = Specification(
        "y", group=("centre", "id"), missing=("drop", "-9", "age=999"), numeric=["grade"]
    )
    run = Run("t.csv", spec, options=Options(rounds=12, permutations=0), models=("svm",))
    assert as_command(run) == (
        "tlpo run t.csv --target y --group centre --group id --missing drop --missing=-9 "
        "--missing age=999 --numeric grade --model svm --rounds 12"
    )


def test_labels_in_two_spellings_are_told_as_one(tmp_path):
    path = tmp_path / "t.csv"
    names = ["Low", "low", "mid", "high"] * 6
    pd.DataFrame({"x": range(24), "y": names}).to_csv(path, index=False)
    found = told_by(job("ask", path, spec=vars(Specification("y")), known=list(MODELS)))
    labels = next(told["labels"] for told in found if "labels" in told)
    assert sorted(map(tuple, labels)) == [("Low", 12), ("high", 6), ("mid", 6)]
