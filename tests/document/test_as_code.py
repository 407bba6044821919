import ast
import json
import shlex
import subprocess
import sys
from dataclasses import replace

import pytest

from analysis.analyses import losses
from commands.running import command
from tables import patients
from tlpo.analysis.marker_options import MarkerOptions
from tlpo.analysis.options import Options, OutputFiles
from tlpo.document.as_code import Run, as_command, as_python
from tlpo.problem.outcome import Ordered, SeveralClasses
from tlpo.tables.options import Reading, Specification

NAME = "it's `date` $(touch owned) -.csv"
COLUMN = "--a\tg; \"'$(touch owned)"


@pytest.fixture
def analysis(tmp_path):
    table = patients(14).rename(columns={"marker": COLUMN, "outcome": "out come"})
    table.to_csv(tmp_path / NAME, sep=";", decimal=",", index=False)
    return Run(
        NAME,
        Specification(
            "out come", positive="no", features=[COLUMN, "age", "smoker"], drop=["smoker"]
        ),
        Reading(decimal=","),
        Options(specificity=0.8, prevalence=0.1, seed=3),
        OutputFiles(json=tmp_path / "result.json"),
        ("ridge:alpha=2", "lda"),
    )


def summary(folder):
    found = json.loads((folder / "result.json").read_text())
    (folder / "result.json").unlink()
    for model in found.get("models", ()):
        del model["seconds"]
    return found


def run_python(code, folder, monkeypatch):
    """Run it as a user would, who imports tlpo and no part of it."""
    tree = list(ast.walk(ast.parse(code)))
    imported = [node for node in tree if isinstance(node, ast.Import | ast.ImportFrom)]
    assert [ast.unparse(node) for node in imported] == ["import tlpo"]
    monkeypatch.chdir(folder)
    found = {}
    exec(code, found)
    return found["results"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("options", [Options(rounds=10, seed=2), Options(sorts=3, seed=2)])
def test_fewer_games_give_the_same_numbers(analysis, options, tmp_path, monkeypatch):
    analysis = replace(analysis, options=options, models=("lda",))
    tlpo = [sys.executable, "-m", "tlpo.commands.cli"]
    subprocess.run([*tlpo, *shlex.split(as_command(analysis))[1:]], cwd=tmp_path, check=True)
    (model,) = summary(tmp_path)["models"]
    t = run_python(as_python(analysis), tmp_path, monkeypatch)["lda"]
    assert t.scores.tolist() == model["scores"]


def test_both_give_the_same_numbers(analysis, tmp_path, monkeypatch):
    command = as_command(analysis)
    assert command.startswith("tlpo run ")
    tlpo = shlex.join([sys.executable, "-m", "tlpo.commands.cli"])
    subprocess.run(command.replace("tlpo", tlpo, 1), shell=True, cwd=tmp_path, check=True)
    by_command = summary(tmp_path)
    results = run_python(as_python(analysis), tmp_path, monkeypatch)
    for model in by_command["models"]:
        t = results[model["name"]]
        assert (t.auc, *t.auc_interval()) == (
            model["auc"]["lpo"],
            model["interval"]["low"],
            model["interval"]["high"],
        )
        assert t.scores.tolist() == model["scores"]
    assert by_command["positive"] == "no"
    assert by_command["sample"]["numeric"] == [COLUMN, "age"]
    assert [model["name"] for model in by_command["models"]] == ["ridge:alpha=2", "lda"]
    options = [by_command[name] for name in ("specificity", "prevalence", "seed")]
    assert options == [0.8, 0.1, 3]
    assert {file.name for file in tmp_path.iterdir()} == {NAME}


def test_both_judge_the_same_markers(analysis, tmp_path, monkeypatch, capsys):
    text = (tmp_path / NAME).read_text()
    (tmp_path / NAME).write_text("a;b;c\n1;2;3\n" + text)
    names = [COLUMN, "age"]
    markers = Run(
        NAME,
        Specification("out come", positive="no", features=names),
        Reading(decimal=",", header_row=3),
        MarkerOptions(names, names, [f"{COLUMN}=-0.5", "age=50"], confidence_level=0.9),
        analysis.outputs,
    )
    told = as_command(markers)
    assert told.startswith("tlpo marker ")
    monkeypatch.chdir(tmp_path)
    code, _, err = command(monkeypatch, capsys, *shlex.split(told)[1:])
    assert code == 0, err
    by_command = summary(tmp_path)
    results = run_python(as_python(markers), tmp_path, monkeypatch)
    for marker in by_command["markers"]:
        found = results[marker["name"]].auc_interval(0.9)
        assert (found.estimate, found.low, found.high) == (
            marker["auc"],
            marker["interval"]["low"],
            marker["interval"]["high"],
        )
    assert [marker["name"] for marker in by_command["markers"]] == names
    assert not any(marker["larger_is_positive"] for marker in by_command["markers"])
    given = [marker["operating_points"][0]["point"] for marker in by_command["markers"]]
    assert given == ["cut-off -0.5, as given", "cut-off 50, as given"]
    assert by_command["confidence_level"] == 0.9


def test_names_that_look_like_flags():
    spec = Specification("-y", group="--group")
    assert as_command(Run("-", spec)) == "tlpo run ./- --target=-y --group=--group"


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("spec", "options"),
    [
        (Specification("loss", drop=["grade"]), Options(confidence_level=0.9)),
        (Specification("loss", drop=["grade"]), Options(rounds=10, seed=2)),
        (Specification("grade", drop=["loss"], order=["low", "high"]), Options()),
        (Specification("loss", drop=["grade"], order=[], ordered=True), Options()),
    ],
)
def test_both_give_the_same_concordance(spec, options, tmp_path, monkeypatch):
    table = losses(14).drop(columns=["site", "clinic", "patient"])
    table["loss"] += table.index / 100
    table["grade"] = ["low" if loss < 1 else "high" for loss in table["loss"]]
    table.to_csv(tmp_path / "t.csv", index=False)
    outputs = OutputFiles(json=tmp_path / "result.json")
    ordered = Run("t.csv", spec, Reading(), options, outputs, ("rls",), outcome=Ordered)
    command = [sys.executable, "-m", "tlpo.commands.cli", *shlex.split(as_command(ordered))[1:]]
    subprocess.run(command, cwd=tmp_path, check=True)
    found = summary(tmp_path)
    (model,), c = found["models"], run_python(as_python(ordered), tmp_path, monkeypatch)["rls"]
    assert found["kind"] == "ordered"
    assert c.concordance == model["concordance"]
    assert c.scores.tolist() == model["scores"]
    interval = c.concordance_interval(options.confidence_level)
    assert tuple(interval) == (model["interval"]["low"], model["interval"]["high"])


@pytest.mark.exhaustive
def test_both_judge_the_same_markers_of_numbers(tmp_path, monkeypatch):
    losses(24).to_csv(tmp_path / "t.csv", index=False)
    names = ["marker", "age"]
    markers = Run(
        "t.csv",
        Specification("loss", features=names, ordered=True),
        Reading(),
        MarkerOptions(names, ["age"], confidence_level=0.9),
        OutputFiles(json=tmp_path / "result.json"),
        outcome=Ordered,
    )
    command = [sys.executable, "-m", "tlpo.commands.cli", *shlex.split(as_command(markers))[1:]]
    subprocess.run(command, cwd=tmp_path, check=True)
    results = run_python(as_python(markers), tmp_path, monkeypatch)
    for marker in summary(tmp_path)["markers"]:
        found = results[marker["name"]]
        assert found.concordance == marker["concordance"]
        low, high = found.concordance_interval(0.9)
        assert (low, high) == (marker["interval"]["low"], marker["interval"]["high"])


@pytest.mark.exhaustive
@pytest.mark.parametrize("classes", [(), ("north", "south,west", "east")])
def test_both_tell_the_same_classes_apart(classes, tmp_path, monkeypatch):
    table = patients(24)[["age", "marker"]].assign(site=["north", "south", "west", "east"] * 6)
    table.to_csv(tmp_path / "t.csv", index=False)
    spec, options = Specification("site", classes=classes), Options(confidence_level=0.9)
    outputs = OutputFiles(json=tmp_path / "result.json")
    several = Run("t.csv", spec, Reading(), options, outputs, ("lda",), outcome=SeveralClasses)
    command = [sys.executable, "-m", "tlpo.commands.cli", *shlex.split(as_command(several))[1:]]
    subprocess.run(command, cwd=tmp_path, check=True)
    found = summary(tmp_path)
    (model,), k = found["models"], run_python(as_python(several), tmp_path, monkeypatch)["lda"]
    assert [part["name"] for part in found["parts"]] == sorted(classes or set(table["site"]))
    assert k.auc == model["auc"]
    assert tuple(k.auc_interval(0.9)) == (model["interval"]["low"], model["interval"]["high"])


@pytest.mark.exhaustive
def test_both_play_a_model_of_the_user(tmp_path, monkeypatch):
    """It gets the table as it is, with levels that other models would pool."""
    (tmp_path / "own_model.py").write_text(
        "from sklearn.compose import make_column_transformer\n"
        "from sklearn.linear_model import Ridge\n"
        "from sklearn.pipeline import make_pipeline\n"
        "from sklearn.preprocessing import OneHotEncoder\n"
        "encode = OneHotEncoder(sparse_output=False, handle_unknown='ignore')\n"
        "columns = make_column_transformer((encode, ['site']), ('passthrough', ['marker']))\n"
        "own = make_pipeline(columns, Ridge())\n"
    )
    table = patients(24)[["marker", "outcome"]].assign(site=["a", "b", *["c", "d"] * 11])
    table.to_csv(tmp_path / "t.csv", index=False)
    spec, models = Specification("outcome", by=["site"]), ("own_model:own", "rls")
    outputs = OutputFiles(json=tmp_path / "result.json")
    run = Run("t.csv", spec, Reading(), Options(), outputs, models)
    command = [sys.executable, "-m", "tlpo.commands.cli", *shlex.split(as_command(run))[1:]]
    subprocess.run(command, cwd=tmp_path, check=True)
    monkeypatch.syspath_prepend(tmp_path)
    results = run_python(as_python(run), tmp_path, monkeypatch)
    for model in summary(tmp_path)["models"]:
        assert results[model["name"]].scores.tolist() == model["scores"]


@pytest.mark.exhaustive
def test_both_judge_a_marker_of_two_classes_out_of_more(tmp_path, monkeypatch):
    table = patients(24)[["age", "marker"]].assign(site=["north", "south", "west"] * 8)
    table.to_csv(tmp_path / "t.csv", index=False)
    markers = Run(
        "t.csv",
        Specification("site", features=["marker"], classes=("west", "rest")),
        Reading(),
        MarkerOptions(["marker"]),
        OutputFiles(json=tmp_path / "result.json"),
    )
    command = [sys.executable, "-m", "tlpo.commands.cli", *shlex.split(as_command(markers))[1:]]
    subprocess.run(command, cwd=tmp_path, check=True)
    by_command = summary(tmp_path)
    (marker,) = by_command["markers"]
    assert (by_command["n_positive"], by_command["n_negative"]) == (8, 16)
    assert run_python(as_python(markers), tmp_path, monkeypatch)["marker"].auc == marker["auc"]


def test_models_are_named():
    models, spec = ("ridge", "knn"), Specification("loss")
    assert as_command(Run("t.csv", spec)) == "tlpo run t.csv --target loss"
    assert as_command(Run("t.csv", spec, models=models, outcome=Ordered)) == (
        "tlpo run t.csv --target loss --model ridge --model knn"
    )
