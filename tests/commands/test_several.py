"""Several classes at the command line: ``tlpo run``, ``tlpo marker`` and ``tlpo render``."""

import json

import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tlpo
from commands.test_ordered import ask


@pytest.fixture
def table(tmp_path):
    """Thirty flowers of three species."""
    flowers = load_iris(as_frame=True)
    frame = flowers.data.iloc[::5].rename(columns=lambda name: name.replace(" (cm)", ""))
    names = [str(flowers.target_names[k]) for k in flowers.target[::5]]
    frame.assign(species=names).to_csv(tmp_path / "iris.csv", index=False)
    return tmp_path / "iris.csv"


def test_three_labels_are_told_apart_without_being_asked(table, tmp_path, monkeypatch, capsys):
    names = {kind: tmp_path / f"out.{kind}" for kind in ("html", "json", "md", "csv")}
    code, out, err = ask(
        *(monkeypatch, capsys, "run", table, "--target", "species", "--model", "lda"),
        *("--drop", "petal length", "petal width", "--unit", "flower", "--permutations", 19),
        *(part for kind, path in names.items() for part in (f"--{kind}", path)),
        *("--figures", tmp_path / "figures"),
    )
    assert code == 0, err
    frame = pd.read_csv(table)
    estimator = make_pipeline(StandardScaler(), LinearDiscriminantAnalysis())
    k = tlpo.multiclass(estimator, frame.iloc[:, :2], frame["species"])
    (model,) = json.loads(names["json"].read_text())["models"]
    assert model["auc"] == pytest.approx(k.auc)
    assert (model["interval"]["low"], model["interval"]["high"]) == pytest.approx(
        tuple(k.auc_interval())
    )
    assert out.startswith(
        "lda tells two random flowers of different classes of species apart with probability "
        f"{k.auc:.3f} (the AUC"
    )
    assert "setosa and virginica" in out
    first = err.splitlines()[0]
    assert first.startswith("The outcome is 'species', which has 3 classes: 'setosa' (10), ")
    assert "one against the others: --classes setosa rest" in first
    assert {path.name for path in (tmp_path / "figures").iterdir()} >= {
        "pairs-1.png", "classes-1.png", "schemes-1.png"
    }  # fmt: skip
    assert len(names["csv"].read_text().splitlines()) == 31


def test_a_run_can_be_rendered_again(table, tmp_path, monkeypatch, capsys):
    run = ("run", table, "--target", "species", "--model", "bayes", "--json", tmp_path / "r.json")
    code, out, _ = ask(monkeypatch, capsys, *run, "--html", tmp_path / "a.html")
    assert code == 0
    again = ask(
        *(monkeypatch, capsys, "render", tmp_path / "r.json", "--html", tmp_path / "b.html"),
        *("--csv", tmp_path / "b.csv"),
    )
    assert again[:2] == (0, out)
    assert (tmp_path / "a.html").read_text() == (tmp_path / "b.html").read_text()
    assert (tmp_path / "b.csv").read_text().startswith("row,label,bayes setosa score")


def test_a_smoothed_curve_is_of_two_classes(table, monkeypatch, capsys):
    code, out, err = ask(
        *(monkeypatch, capsys, "run", table, "--target", "species", "--model", "lda", "--smooth"),
        "--quiet",
    )
    assert (code, out) == (2, "")
    assert err == (
        "tlpo: A smoothed ROC curve needs two classes, and the outcome has 3 classes.\n"
        "You passed --smooth.\nLeave it out, or choose two classes, for example --classes setosa "
        "versicolor or --classes setosa rest.\n"
    )


def test_classes_that_are_pooled_are_two(table, monkeypatch, capsys):
    code, out, err = ask(
        *(monkeypatch, capsys, "run", table, "--target", "species", "--model", "rls"),
        *("--classes", "setosa,versicolor", "virginica"),
    )
    assert code == 0
    said = " ".join(err.split())
    assert "10 positive ('virginica') and 20 negative ('setosa,versicolor')" in said
    assert out.startswith("rls ranks a random patient with species 'virginica' above one with")


def test_three_of_more_classes_are_told_apart(table, monkeypatch, capsys):
    code, out, _ = ask(
        *(monkeypatch, capsys, "run", table, "--target", "species", "--model", "rls"),
        *("--classes", "setosa", "virginica", "rest"),
    )
    assert code == 0
    assert "rest and setosa" in out


def test_a_marker_asks_for_two_classes(table, monkeypatch, capsys):
    ask_marker = ("marker", table, "--target", "species", "--marker", "petal length")
    code, out, err = ask(monkeypatch, capsys, *ask_marker)
    assert (code, out) == (1, "")
    said = " ".join(err.split())
    assert said == (
        "tlpo: A marker tells two classes apart. You passed --target species with 3: 'setosa', "
        "'versicolor', 'virginica'. Choose two, for example --classes setosa versicolor, or one "
        "against the others, for example --classes setosa rest."
    )
    code, out, _ = ask(monkeypatch, capsys, *ask_marker, "--classes", "versicolor", "virginica")
    assert code == 0
    frame = pd.read_csv(table).query("species != 'setosa'")
    auc = tlpo.assess(frame["petal length"], frame["species"], positive="virginica").auc
    assert f"{auc:.3f}" in out


@pytest.mark.exhaustive
def test_shards_are_merged_to_the_same_answer(table, tmp_path, monkeypatch, capsys):
    pd.read_csv(table).iloc[::3].to_csv(table, index=False)
    journal = tmp_path / "run.tlpo"
    run = (
        *("run", table, "--target", "species", "--model", "logistic:max_iter=50"),
        *("--drop", "petal length", "petal width", "--n-jobs", 1),
    )
    _, plain, _ = ask(monkeypatch, capsys, *run)
    for k in (1, 2):
        code, out, err = ask(monkeypatch, capsys, *run, "--journal", journal, "--shard", f"{k}/2")
        assert (code, out) == (0, ""), err
    parts = sorted(tmp_path.glob("run.*-of-2.tlpo"))
    code, out, err = ask(monkeypatch, capsys, "merge", journal, *parts)
    assert code == 0, err
    assert out.endswith(": 45 of 45 done (100.0%)")
    code, out, err = ask(monkeypatch, capsys, *run, "--journal", journal)
    assert (code, out) == (0, plain), err
