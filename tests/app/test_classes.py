"""More than two labels in the app: what can be chosen among them, and what comes of it."""

import asyncio
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import tlpo
from analysis.analyses import KINDS, subtypes
from app.test_analyses import asking, do, run
from app.test_work import job, run_job, told_by, without_times
from tables import patients
from tlpo.analysis.marker_options import MarkerOptions
from tlpo.analysis.models import MODELS
from tlpo.analysis.options import Options, OutputFiles
from tlpo.analysis.remarks import Order
from tlpo.app.analyses import Analyses
from tlpo.app.answer import _contents, _said
from tlpo.app.classes import Choice, Label, show
from tlpo.app.work import MOST_LABELS
from tlpo.commands.marker import marker_command
from tlpo.commands.run import run_command
from tlpo.document.as_code import as_command
from tlpo.tables.options import Reading, Specification

EVIL = "<img src=x onerror=\"document.title='owned'\">"
LABELS = [Label("a", 7), Label("b", 7), Label("c", 6)]
UNRANKED = {"ordered": False, "order": (), "positive": None}


def chosen(*changes, labels=LABELS):
    """Return the choice after controls were changed."""
    choice = Choice().among(labels)
    for change in changes:
        choice = choice.changed(*change)
    return choice


@pytest.mark.parametrize(
    ("changes", "classes"),
    [
        ([], ()),
        ([("way", "two")], ("a", "b")),
        ([("way", "two"), ("first", "2")], ("c", "b")),
        ([("second", "2"), ("way", "two")], ("a", "c")),
        ([("way", "one"), ("one", "1")], ("b", "rest")),
        ([("way", "pooled")], ()),
        ([("way", "pooled"), ("pool", "A", 0), ("pool", "A", 2)], ("b", "a,c")),
        ([("way", "pooled"), ("pool", "B", 0), ("pool", "A", 1)], ("c", "b", "a")),
        ([("way", "pooled"), ("pool", "out", 1)], ("a", "c")),
        ([("way", "pooled"), ("pool", "out", 1), ("pool", "own", 1)], ()),
        # What was said about another way is kept, and not used.
        ([("way", "pooled"), ("pool", "A", 0), ("way", "all")], ()),
    ],
)
def test_controls_become_classes(changes, classes):
    assert chosen(*changes).asked == {"classes": classes, **UNRANKED}


def test_a_label_called_rest_is_not_all_others():
    choice = chosen(("way", "one"), labels=[Label("a", 3), Label("b", 3), Label("rest", 3)])
    assert choice.classes == ("a", "b,rest")


def test_a_class_is_not_named_like_a_label(tmp_path):
    """Somebody may have both mutations."""
    path, names = tmp_path / "t.csv", ["ALK", "EGFR", "EGFR,KRAS", "KRAS"]
    pd.DataFrame({"x": np.arange(24) % 7, "gene": names * 6}).to_csv(path, index=False)
    labels = [Label(*label) for label in asked(path, target="gene")[0]["labels"]]
    assert [label.name for label in labels] == names
    choice = chosen(("way", "pooled"), ("pool", "A", 1), ("pool", "A", 3), labels=labels)
    _, understood = asked(path, target="gene", classes=choice.classes)
    assert "'ALK' (6), 'EGFR, KRAS' (12), 'EGFR,KRAS' (6)" in understood["understood"]["notes"][0]
    # One that has a comma can be pooled as well.
    choice = chosen(("way", "pooled"), ("pool", "A", 0), ("pool", "A", 2), labels=labels)
    _, understood = asked(path, target="gene", classes=choice.classes)
    pooled = repr('ALK,"EGFR,KRAS"')
    assert "'EGFR' (6), 'KRAS' (6)" in understood["understood"]["notes"][0]
    assert f"{pooled} (12)" in understood["understood"]["notes"][0]


def test_grades_are_ranked_as_the_command_suggests():
    of_names = chosen(("way", "grades"), labels=[Label("mild", 5), Label("severe", 5)])
    assert of_names.asked == {"classes": (), **UNRANKED, "order": ("mild", "severe")}
    numbers = [Label("0", 5), Label("2", 5), Label("10", 5)]
    assert chosen(labels=numbers).order == ("0", "2", "10")
    of_numbers = chosen(("way", "grades"), labels=numbers)
    assert of_numbers.asked == {"classes": (), **UNRANKED, "ordered": True}
    # Numbers from highest to lowest are an order of their own.
    typed = chosen(labels=numbers).ranked(("10", "2", "0"))
    assert typed.asked == {"classes": (), **UNRANKED, "order": ("10", "2", "0")}
    assert typed.unranked() == chosen(labels=numbers)
    assert chosen().order == ()


def test_the_page_offers_what_can_be_chosen():
    page = str(show(chosen(("way", "pooled"), ("pool", "out", 1)), "subtype"))
    said = "subtype has 3 labels: a (7 rows), b (7 rows), c (6 rows). All of them are told apart,"
    assert said in page
    assert page.count('type="radio"') == 4
    assert page.count("checked") == 1
    assert page.count('<option value="out" selected="">') == 1
    graded = str(show(chosen(labels=[Label("G2", 9), Label("G1", 1), Label("G3", 4)]), "grade"))
    assert graded.count('type="radio"') == 5
    assert "Are these grades? Rank them: G1 &lt; G2 &lt; G3" in graded
    assert "G1 (1 row)" in graded
    many = str(show(chosen(labels=[Label(f"{k} or so", 5) for k in range(11)]), "kind"))
    assert many.count('type="radio"') == 3
    assert "Choose up to 10 classes." in many
    evil = str(show(chosen(labels=[Label(EVIL, 4), *LABELS]), EVIL))
    assert "<img" not in evil


def asked_about(folder):
    analysis = Analyses(folder).begin()
    names = ("subtype", "person", "marker", "other")
    analysis.table = {"columns": [{"name": name, "kind": "numeric"} for name in names]}
    analysis.ask(target="subtype")
    analysis.choice = chosen()
    return analysis


def test_a_choice_becomes_the_question(tmp_path):
    async def scenario():
        analysis = asked_about(tmp_path)
        analysis.tell_apart(chosen(("way", "one")))
        assert analysis.spec == Specification("subtype", classes=("a", "rest"))
        analysis.ask(positive="rest")
        assert analysis.spec == Specification("subtype", "rest", classes=("a", "rest"))
        # Of other classes, another one is positive.
        analysis.tell_apart(chosen(("way", "one"), ("one", "1")))
        assert analysis.spec == Specification("subtype", classes=("b", "rest"))
        before = analysis.versions["form"]
        analysis.tell_apart(chosen().ranked(("c", "b", "a")))
        assert analysis.spec == Specification("subtype", order=("c", "b", "a"))
        assert analysis.versions["form"] == before + 1
        analysis.ask(target="other")
        assert analysis.spec == Specification("other")
        assert analysis.choice == Choice()

    asyncio.run(scenario())


def test_a_time_is_no_class(tmp_path):
    async def scenario():
        analysis = asked_about(tmp_path)
        analysis.tell_apart(chosen(("way", "two")))
        analysis.ask(time="marker")
        assert analysis.spec == Specification("subtype", time="marker")
        assert analysis.choice == Choice()

    asyncio.run(scenario())


def test_what_cannot_be_asked_is_not_run_until_it_is_changed(tmp_path):
    async def scenario():
        analysis = asked_about(tmp_path)
        analysis.understood, analysis.is_asking = {"outcome": "SeveralClasses"}, False
        analysis.models = ("lda",)
        assert analysis.can_run
        analysis.tell_apart(chosen(("way", "two"), ("second", "0")))
        assert analysis.error["question"].split("\n")[:2] == [
            "Two to 10 classes are told apart.",
            "You passed the classes ['a', 'a'].",
        ]
        assert analysis.spec is None
        assert not analysis.can_run
        # Nothing else makes it clear.
        analysis.ask(group="person")
        analysis.switch(3, use=False)
        assert "question" in analysis.error
        assert analysis.spec is None
        assert not analysis.is_asking
        analysis.tell_apart(chosen(("way", "two"), ("second", "2")))
        assert analysis.spec == Specification(
            "subtype", classes=("a", "c"), group="person", drop=("other",)
        )
        assert analysis.error == {}
        # The same as before is heard, too.
        before = analysis.asked
        analysis.tell_apart(chosen(("way", "two"), ("second", "0")))
        analysis.tell_apart(chosen(("way", "two"), ("second", "2")))
        assert analysis.asked == before
        assert analysis.is_asking
        assert analysis.error == {}

    asyncio.run(scenario())


def test_an_order_that_is_typed_is_chosen_and_taken_back(tmp_path):
    async def scenario():
        analysis = asked_about(tmp_path)
        form, fields = analysis.versions["form"], analysis.versions["classes"]
        analysis.rank(("c", "a", "b"), is_ranked=True)
        assert analysis.spec == Specification("subtype", order=("c", "a", "b"))
        assert (analysis.choice.way, analysis.choice.order) == ("grades", ("c", "a", "b"))
        assert analysis.versions["classes"] == fields + 1
        assert analysis.versions["form"] == form  # somebody is typing in there
        analysis.rank((), is_ranked=False)
        assert analysis.spec == Specification("subtype")
        assert analysis.choice == chosen()
        analysis.tell_apart(chosen(("way", "two")))
        analysis.rank((), is_ranked=False)
        assert analysis.spec == Specification("subtype", classes=("a", "b"))

    asyncio.run(scenario())


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table-0a.csv"
    subtypes().drop(columns="person").to_csv(path, index=False)
    return path


def asked(table, is_for_markers=False, **spec):
    return told_by(job("ask", table, spec=spec, known=list(MODELS), is_for_markers=is_for_markers))


def test_labels_are_told_with_their_rows(table):
    labels = {"labels": [("a", 8), ("b", 7), ("c", 5)]}
    first, understood = asked(table, target="subtype")
    assert first == labels
    assert understood["understood"]["outcome"] == "SeveralClasses"
    assert understood["understood"]["notes"][0] == (
        "The outcome is 'subtype', which has 3 classes: 'a' (8), 'b' (7), 'c' (5). All of them are "
        "told apart."
    )
    # Whatever was chosen among them, the others can be.
    first, understood = asked(table, target="subtype", classes=["a", "rest"])
    assert first == labels
    found = understood["understood"]
    assert (found["positive"], found["negative"]) == ("a", "rest")
    assert (found["n_positive"], found["n_negative"]) == (8, 12)
    first, understood = asked(table, target="subtype", order=["a", "b", "c"])
    assert first == labels
    assert understood["understood"]["outcome"] == "Ordered"
    assert [list(told) for told in asked(table, target="smoker")] == [["understood"]]


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([10, 9, 1] * 4, [("1", 4), ("9", 4), ("10", 4)]),
        (list("aabbccddxxxx"), [("a", 2), ("b", 2), ("c", 2), ("d", 2), ("x", 4)]),
        (["yes", "no"] * 6, None),
        (range(12), None),
        ([f"P{k}" for k in range(12)], None),  # each once
        ([f"P{k // 3}" for k in range(3 * (MOST_LABELS + 1))], None),
        ([k // 3 for k in range(36)], None),  # numbers that are ordered
        ([f"T{k // 3}" for k in range(36)], [(f"T{k}", 3) for k in range(12)]),
    ],
)
def test_labels_are_offered_if_some_can_be_told_apart(values, labels, tmp_path):
    path = tmp_path / "t.csv"
    frame = pd.DataFrame({"y": values})
    frame.assign(x=np.arange(len(frame)) % 7 + 0.5).to_csv(path, index=False)
    told = asked(path, target="y")
    assert [what["labels"] for what in told if "labels" in what] == ([labels] if labels else [])


def test_a_class_that_is_too_small_can_be_pooled(table):
    frame = pd.read_csv(table)
    frame.loc[frame["subtype"] == "c", "subtype"] = ["c", "c", "d", "d", "d"]
    frame.to_csv(table, index=False)
    labels, refused = asked(table, target="subtype")
    assert refused["error"].split("\n")[0] == "Every class needs at least 3 rows."
    assert "pool it with another, 'c,d' in the classes for example" in refused["error"]
    pooled = chosen(
        *[("way", "pooled"), ("pool", "A", 2), ("pool", "A", 3)],
        labels=[Label(*label) for label in labels["labels"]],
    )
    _, understood = asked(table, target="subtype", classes=pooled.classes)
    assert "'c,d' (5)" in understood["understood"]["notes"][0]


def test_a_marker_needs_two_of_the_classes(table, tmp_path, capsys):
    labels, refused = asked(table, is_for_markers=True, target="subtype")
    assert list(labels) == ["labels"]
    assert refused["error"] == (
        "A marker tells two classes apart.\n"
        "You passed the outcome 'subtype' with 3: 'a', 'b', 'c'.\n"
        "Choose two, for example the classes ['a', 'b'], or one against the others, for example "
        "the classes ['a', 'rest']."
    )
    spec = {"target": "subtype", "classes": ["c", "rest"], "features": ["marker"]}
    (_, understood) = asked(table, is_for_markers=True, **spec)
    assert understood["understood"]["positive"] == "c"
    folder, theirs = tmp_path / "mine", tmp_path / "theirs"
    folder.mkdir()
    options = {"markers": ["marker"], "smaller_is_positive": []}
    told_by(job("mark", table, spec=spec, markers=options, folder=str(folder)))
    marker_command(
        *(str(table), Specification(**spec), OutputFiles(json=theirs), MarkerOptions(**options)),
        reading=Reading(),
        quiet=True,
    )
    capsys.readouterr()
    mine = json.loads((folder / "result.json").read_text())
    assert mine == {**json.loads(theirs.read_text()), "source": "my table"}
    frame = subtypes().dropna(subset=["subtype", "marker"])
    a = tlpo.assess(frame["marker"], frame["subtype"] == "c", positive=True)
    assert mine["markers"][0]["auc"] == a.auc


def test_a_run_is_that_of_the_command(table, tmp_path, capsys):
    folder, theirs = tmp_path / "mine", tmp_path / "theirs"
    folder.mkdir()
    spec, options = {"target": "subtype", "drop": ["smoker"]}, {"specificity": 0.8, "n_jobs": 1}
    told = told_by(run_job(table, folder, spec=spec, models=["lda"], options=options))
    assert [what["file"] for what in told if "file" in what] == [
        *("result.json", "answer.md", "patients.csv", "report.html", "report.docx", "figures.zip")
    ]
    run_command(
        *(str(table), Specification(**spec)),
        OutputFiles(json=theirs / "json", csv=theirs / "csv", md=theirs / "md"),
        models=["lda"],
        reading=Reading(),
        options=Options(**options),
        quiet=True,
    )
    capsys.readouterr()
    expected = {**without_times(theirs / "json"), "source": "my table"}
    assert without_times(folder / "result.json") == expected
    assert (folder / "patients.csv").read_text() == (theirs / "csv").read_text()


def test_the_page_says_it():
    analysis = KINDS["several classes"]()
    page = str(_said(analysis))
    (model,) = analysis.models
    assert f'<span class="figure">{model.auc:.3f}</span>' in page
    assert "of different classes of subtype apart with probability" in page
    assert 'aria-label="AUC of every model"' in page
    assert _contents(analysis).startswith("every two classes, each class")


@pytest.mark.long
def test_the_order_of_grades_is_used_by_a_button(tmp_path):
    async def scenario():
        frame = patients(30)[["age", "marker"]]
        grade = np.arange(30) % 3
        frame["marker"] += grade
        analysis = await asking(
            tmp_path, frame.assign(grade=[f"G{k + 1}" for k in grade]), target="grade"
        )
        assert [label.n_rows for label in analysis.choice.labels] == [10, 10, 10]
        analysis.choose(("lda", "bayes"))
        found = await run(analysis)
        assert [part.name for part in found.parts] == ["G1", "G2", "G3"]
        assert "--" not in str(_said(found))
        # What several classes know, grades may not.
        analysis.choose(("lda", "ridge"))
        seen = analysis.versions.copy()
        found = await do(analysis, Order, "grades")
        assert found.grades == ["G1", "G2", "G3"]
        assert [model.name for model in found.models] == ["ridge"]
        assert analysis.choice.way == "grades"
        assert analysis.asked.order == ("G1", "G2", "G3")
        for part in ("table", "classes", "question", "answer"):
            assert analysis.versions[part] > seen[part]
        assert " --order G1 --order G2 --order G3 " in as_command(analysis.answered)
        analysis.tell_apart(replace(analysis.choice, way="two"))
        assert analysis.spec == Specification("grade", classes=("G1", "G2"))

    asyncio.run(scenario())
