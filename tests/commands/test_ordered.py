"""Numbers and grades at the command line: ``tlpo run`` and ``tlpo marker``."""

import json

import numpy as np
import pandas as pd
import pytest

import tlpo
from analysis.analyses import losses
from commands.running import command
from tlpo.analysis.forecast import LONG, Cost, say_forecast
from tlpo.analysis.remarks import flags_for

FAST = ("--model", "rls", "--n-jobs", 1)


@pytest.fixture
def table(tmp_path):
    """Losses with decimals, and the same as grades."""
    path = tmp_path / "t.csv"
    frame = losses(24)
    frame["loss"] = (frame["loss"] + np.arange(24) / 100).round(2)
    frame["grade"] = np.array(["low", "medium", "high"])[
        pd.qcut(frame["loss"], 3, labels=False).to_numpy()
    ]
    frame.to_csv(path, index=False)
    return path


def ask(monkeypatch, capsys, *arguments):
    """Return exit code, answer and everything else, in lines without their breaks."""
    code, out, err = command(monkeypatch, capsys, *arguments)
    return code, " ".join(out.split()), err


def without_times(path):
    found = json.loads(path.read_text())
    for model in found["models"]:
        del model["seconds"]
    return found


def concordance_of(path, target="loss", **options):
    """Return what Python says about the same columns: numbers, one-hot sites."""
    frame = pd.read_csv(path)
    features = frame[["age", "marker"]].assign(
        smoker=frame["smoker"].astype(float),
        north=(frame["site"] == "north") * 1.0,
        south=(frame["site"] == "south") * 1.0,
    )
    y = (
        frame[target].map({"low": 0, "medium": 1, "high": 2})
        if target == "grade"
        else frame[target]
    )
    return tlpo.concordance(tlpo.RLS(), features, y, **options)


def test_numbers_are_ordered_without_being_asked(table, tmp_path, monkeypatch, capsys):
    names = {kind: tmp_path / f"out.{kind}" for kind in ("html", "json", "md", "csv")}
    code, out, err = ask(
        *(monkeypatch, capsys, "run", table, "--target", "loss", "--drop", "grade", *FAST),
        *(part for kind, path in names.items() for part in (f"--{kind}", path)),
        *("--figures", tmp_path / "figures"),
    )
    assert code == 0, err
    c = concordance_of(table)
    (model,) = json.loads(names["json"].read_text())["models"]
    assert model["concordance"] == pytest.approx(c.concordance)
    assert (model["interval"]["low"], model["interval"]["high"]) == pytest.approx(
        tuple(c.concordance_interval())
    )
    low, high = (f"{limit:.3f}" for limit in c.concordance_interval())
    assert out.startswith(
        "rls ranks two random patients with different loss in the right order with probability "
        f"{c.concordance:.3f} (the concordance; 95% interval {low} to {high})."
    )
    first = err.splitlines()[0]
    assert first.startswith("The outcome is 'loss', a number from -0.99 to 5.22: of two patients")
    assert "For two classes, name a limit as well: 'loss >= " in first
    assert "24 rows read: 24 patients." in err
    patients = pd.read_csv(names["csv"])
    assert patients.columns.tolist() == ["row", "patient", "outcome", "rls score", "rls rank"]
    assert patients["outcome"].tolist() == pd.read_csv(table)["loss"].tolist()
    assert sorted(p.stem for p in (tmp_path / "figures").glob("*.svg")) == ["schemes-1", "wins-1"]
    # The same page from the file.
    again = tmp_path / "again.html"
    code, shown, _ = ask(monkeypatch, capsys, "render", names["json"], "--html", again)
    assert (code, shown) == (0, out)
    assert again.read_bytes() == names["html"].read_bytes()


def test_grades_are_named_from_lowest_to_highest(table, tmp_path, monkeypatch, capsys):
    path = tmp_path / "r.json"
    code, _, err = ask(
        *(monkeypatch, capsys, "run", table, "--target", "grade", "--order", "low", "medium"),
        *("high", "--drop", "loss", "--json", path, *FAST),
    )
    assert code == 0, err
    assert "The outcome is 'grade', a grade: low < medium < high." in err
    found = json.loads(path.read_text())
    assert found["grades"] == ["low", "medium", "high"]
    c = concordance_of(table, "grade")
    assert found["models"][0]["concordance"] == pytest.approx(c.concordance)


def test_a_limit_makes_two_classes(table, tmp_path, monkeypatch, capsys):
    path = tmp_path / "r.json"
    code, out, err = ask(
        *(monkeypatch, capsys, "run", table, "--target", "loss >= 1", "--drop", "grade"),
        *("--json", path, *FAST),
    )
    assert code == 0, err
    found = json.loads(path.read_text())
    assert (found["kind"], found["positive"], found["negative"]) == ("run", ">= 1", "< 1")
    assert found["n_positive"] == (pd.read_csv(table)["loss"] >= 1).sum()
    assert "rls ranks a random patient with loss '>= 1' above one with loss '< 1'" in out


def test_few_numbers_are_ordered_on_request(table, monkeypatch, capsys):
    frame = pd.read_csv(table)
    frame["loss"] = frame["loss"].round().clip(0, 2)
    frame.drop(columns="grade").to_csv(table, index=False)
    run = ("run", table, "--target", "loss", *FAST)
    code, out, err = ask(monkeypatch, capsys, *run)
    assert (code, err.splitlines()[0].endswith("If they are grades, run with --ordered.")) == (
        0,
        True,
    )
    assert "look like grades" in out
    code, out, err = ask(monkeypatch, capsys, *run, "--ordered")
    assert code == 0, err
    assert "(the concordance; " in out
    assert "For two classes" not in err


@pytest.mark.parametrize(
    ("asked", "code", "said"),
    [
        (
            ("--model", "logistic"),
            2,
            "tlpo: The model cannot be used here.\n'logistic' is a model of two classes, and the "
            "outcome is numbers or grades.\nChoose from ridge, ridge-cv, rls, knn, pls, forest, "
            "boosting, constant, or cut the outcome into two classes, for example --target "
            "'column >= 5'.\n",
        ),
        (
            ("--model", "rls", "--save-model", "m.skops"),
            2,
            "tlpo: A saved model has cut-offs between two classes, and the outcome is numbers or "
            "grades.\nYou passed --save-model m.skops.\nLeave it out, or cut the outcome into two "
            "classes, for example --target 'column >= 5'.\n",
        ),
        (
            ("--model", "rls", "--sorts", "3"),
            2,
            "tlpo: Sorts give no interval of a concordance, and the outcome is numbers or grades.\n"
            "You passed --sorts 3.\nLeave it out, or cut the outcome into two classes, for example "
            "--target 'column >= 5'.\n",
        ),
        (
            ("--model", "rls", "--prevalence", "0.1"),
            2,
            "tlpo: A prevalence applies only to two classes, and the outcome is numbers or "
            "grades.\nYou passed --prevalence 0.1.\nLeave it out, or cut the outcome into two "
            "classes, for example --target 'column >= 5'.\n",
        ),
        (
            ("--model", "rls", "--smooth"),
            2,
            "tlpo: A smoothed ROC curve needs two classes, and the outcome is numbers or "
            "grades.\nYou passed --smooth.\nLeave it out, or cut the outcome into two classes, for "
            "example --target 'column >= 5'.\n",
        ),
        (
            ("--model", "rls", "--specificity", "0.8"),
            2,
            "tlpo: A specificity applies only to two classes, and the outcome is numbers or "
            "grades.\nYou passed --specificity 0.8.\nLeave it out, or cut the outcome into two "
            "classes, for example --target 'column >= 5'.\n",
        ),
        (
            ("--ordered", "--positive", "3"),
            2,
            "tlpo: The outcome is either two classes or ordered.\n"
            "You passed --positive 3 and --ordered.\nLeave out one of the two.\n",
        ),
        (
            ("--order", "low", "high", "--classes", "low", "high"),
            2,
            "tlpo: The outcome is either two classes or ordered.\nYou passed --classes low high "
            "and --order low high.\nLeave out one of the two.\n",
        ),
        (
            ("--by", "site", "--rounds", "10"),
            2,
            "tlpo: Subgroups and shards need the games of every pair.\n"
            "You passed --by site and --rounds 10.\nLeave out one of the two.\n",
        ),
    ],
)
def test_what_is_refused(asked, code, said, table, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    found, out, err = ask(
        *(monkeypatch, capsys, "run", table, "--target", "loss", "--quiet", "--n-jobs", 1, *asked)
    )
    assert (found, out, err) == (code, "", said)
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_subgroups_and_a_test_of_any_signal(table, tmp_path, monkeypatch, capsys):
    path = tmp_path / "r.json"
    code, out, err = ask(
        *(monkeypatch, capsys, "run", table, "--target", "loss", "--drop", "grade", "--by", "site"),
        *("--permutations", 5, "--json", path, *FAST),
    )
    assert code == 0, err
    (model,) = json.loads(path.read_text())["models"]
    assert [row["subgroup"] for row in model["subgroups"]] == ["north", "south"]
    assert sum(row["n_units"] for row in model["subgroups"]) == 24
    assert 1 <= round(model["permutation"]["p_value"] * 6) <= 6
    assert "Permutation test of any signal: p " in out
    assert "comparing only patients of the same subgroup" in out


def test_rounds_have_their_seed(table, tmp_path, monkeypatch, capsys):
    path = tmp_path / "r.json"
    code, out, err = ask(
        *(monkeypatch, capsys, "run", table, "--target", "loss", "--drop", "grade", "--rounds", 11),
        *("--seed", 3, "--json", path, *FAST),
    )
    assert code == 0, err
    c = concordance_of(table, rounds=11, random_state=3)
    (model,) = json.loads(path.read_text())["models"]
    assert model["scores"] == c.scores.tolist()
    assert "each patient met 11 of 23 others" in out


def test_what_would_be_quicker_is_what_can_be_done():
    costs = [Cost("forest", 100, 10 * LONG, 10, 20, 0)]
    assert "--sorts" in say_forecast(costs, 1, flags_for)[1]
    quicker = say_forecast(costs, 1, flags_for, can_sort=False)[1]
    assert quicker.startswith("Quicker: with --rounds 20 (every unit meets 20 others;")
    assert "--sorts" not in quicker


def small(tmp_path):
    path = tmp_path / "small.csv"
    frame = losses(12)[["age", "marker"]].assign(loss=np.arange(12) / 2)
    frame.to_csv(path, index=False)
    return ("run", path, "--target", "loss", "--model", "ridge:solver=lsqr", "--n-jobs", 1)


@pytest.mark.exhaustive
def test_a_journal_resumes_with_the_same_answer(tmp_path, monkeypatch, capsys):
    run, journal, path = small(tmp_path), tmp_path / "run.tlpo", tmp_path / "r.json"
    code, plain, err = ask(monkeypatch, capsys, *run, "--json", path)
    assert code == 0, err
    expected = without_times(path)
    for _ in range(2):
        code, out, err = ask(monkeypatch, capsys, *run, "--json", path, "--journal", journal)
        assert (code, out) == (0, plain), err
        assert without_times(path)["models"][0]["scores"] == expected["models"][0]["scores"]
    assert "are in the journal" in err or "fit" not in err


@pytest.mark.exhaustive
def test_shards_are_merged_to_the_same_answer(tmp_path, monkeypatch, capsys):
    run, journal, path = small(tmp_path), tmp_path / "run.tlpo", tmp_path / "r.json"
    _, plain, _ = ask(monkeypatch, capsys, *run, "--json", path)
    for k in (1, 2):
        code, out, err = ask(monkeypatch, capsys, *run, "--journal", journal, "--shard", f"{k}/2")
        assert (code, out) == (0, ""), err
    parts = sorted(tmp_path.glob("run.*-of-2.tlpo"))
    code, out, err = ask(monkeypatch, capsys, "merge", journal, *parts)
    assert code == 0, err
    assert out.endswith(": 66 of 66 done (100.0%)")
    code, out, err = ask(monkeypatch, capsys, *run, "--journal", journal)
    assert (code, out) == (0, plain), err


# ----- markers


@pytest.fixture
def gappy(table):
    frame = pd.read_csv(table)
    frame.loc[4, "marker"] = np.nan
    frame.loc[7, "loss"] = np.nan
    frame.to_csv(table, index=False)
    return table


def test_markers_hold_what_python_says(gappy, tmp_path, monkeypatch, capsys):
    names = {kind: tmp_path / f"out.{kind}" for kind in ("html", "json", "md", "csv")}
    code, out, err = ask(
        *(monkeypatch, capsys, "marker", gappy, "--target", "loss", "--marker", "marker"),
        *("--marker", "age", "--smaller-is-positive", "age"),
        *(part for kind, path in names.items() for part in (f"--{kind}", path)),
    )
    assert code == 0, err
    found = json.loads(names["json"].read_text())
    frame = pd.read_csv(gappy).dropna(subset=["loss"])
    known = frame.dropna(subset=["marker"])
    marker = tlpo.assess(known["marker"], known["loss"], order=True)
    age = tlpo.assess(frame["age"], frame["loss"], order=True, larger_is_positive=False)
    assert [m["concordance"] for m in found["markers"]] == [marker.concordance, age.concordance]
    assert [m["n_missing"] for m in found["markers"]] == [1, 0]
    both = tlpo.assess(known["age"], known["loss"], order=True, larger_is_positive=False)
    assert found["comparisons"][0]["p_value"] == tlpo.compare(marker, both).p_value
    assert found["warnings"][-2:] == [
        "marker is missing in 1 of 23 patients, who are left out.",
        "Two markers are compared on the patients that have both, so concordances in a comparison "
        "may differ from those of all.",
    ]
    assert f"{marker.concordance:.3f}" in out
    assert "smaller values going with a larger loss." in out
    values = pd.read_csv(names["csv"])
    assert values.columns.tolist() == ["outcome", "marker", "age"]
    assert values["outcome"].tolist() == frame["loss"].tolist()
    assert err.startswith("The outcome is 'loss', a number from ")


def test_one_marker_of_grades_and_its_direction(table, monkeypatch, capsys):
    order = ("--order", "low", "medium", "high")
    base = ("marker", table, "--target", "grade", *order, "--marker", "marker")
    code, out, err = ask(monkeypatch, capsys, *base)
    assert code == 0, err
    assert "Differences" not in out
    code, turned, err = ask(monkeypatch, capsys, *base, "--smaller-is-positive", "marker")
    assert code == 0, err
    assert (
        "marker: the concordance is below ½. The direction is never chosen from the data." in turned
    )
    assert "run the analysis again without --smaller-is-positive marker." in turned


def test_cutoffs_are_of_classes(table, monkeypatch, capsys):
    base = ("marker", table, "--target", "loss", "--marker", "marker", "--quiet")
    code, out, err = ask(monkeypatch, capsys, *base, "--cutoff", "marker=1")
    assert (code, out) == (2, "")
    assert err == (
        "tlpo: Cut-offs, prevalences, specificities and smoothed ROC curves are of two classes, "
        "and the outcome is numbers or grades.\n"
        "You passed --cutoff marker=1.\nLeave it out, or cut the outcome into two classes, for "
        "example --target 'column >= 5'.\n"
    )
    code, out, err = ask(monkeypatch, capsys, *base[:3], "loss >= 1", *base[4:], "--cutoff",
                         "marker=1")  # fmt: skip
    assert code == 0, err
    assert "with loss '>= 1' has a larger marker than one with loss '< 1'" in out
