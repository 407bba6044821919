"""``tlpo games``: from a table to games, played elsewhere, and to the report."""

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB

import tlpo
from commands.running import command
from tables import patients
from tlpo.analysis.load import load_analysis

FEATURES = ["age", "marker"]


@pytest.fixture
def ask(tmp_path, monkeypatch, capsys):
    """Return a function that runs "tlpo games" beside the files."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        return command(monkeypatch, capsys, "games", *arguments)

    return run


def table_of(m=24):
    """Return patients, two of whom have no outcome."""
    frame = patients(m)
    frame.loc[[3, 10], "outcome"] = None
    rng = np.random.default_rng(1)
    frame["months"] = rng.integers(1, 60, m)
    frame["died"] = rng.integers(0, 2, m)
    frame["grade"] = np.resize([1, 2, 3, 2], m)
    frame["kind"] = np.resize(["a", "b", "c"], m)
    frame["family"] = np.arange(m) // 2
    return frame


def fill(path, respond, columns=("",)):
    """Play the games of a file: what `respond` returns for i and j, one column for each ending."""
    games = pd.read_csv(path)
    answers = np.array(
        [respond(int(i) - 1, int(j) - 1) for i, j in zip(games.i, games.j, strict=True)]
    )
    for k, ending in enumerate(columns):
        games[f"prediction_i{ending}"] = answers[:, 0, k]
        games[f"prediction_j{ending}"] = answers[:, 1, k]
    games.to_csv(path, index=False)
    return games


def refits(model, frame, y, method, groups=None):
    """Return what the model predicts for two rows that it has not seen."""
    X, used = frame[FEATURES].to_numpy(), pd.notna(y)

    def respond(i, j):
        out = {i, j} if groups is None else set(np.flatnonzero(np.isin(groups, groups[[i, j]])))
        train = [k for k in np.flatnonzero(used) if k not in out]
        fitted = model.fit(X[train], y[train].tolist())
        return np.reshape(getattr(fitted, method)(X[[i, j]]), (2, -1))

    return respond


def test_from_a_table_to_a_report_as_if_played_here(ask, tmp_path):
    frame = table_of()
    frame.to_csv("patients.csv", index=False)
    told = ("--target", "outcome")
    code, out, err = ask("draw", "patients.csv", *told, "--out", "games.csv")
    assert (code, out) == (0, "")
    assert "24 rows read, 2 without an outcome left out: 22 patients" in err
    assert "231 games of 22 patients: every pair once." in err
    drawn = pd.read_csv("games.csv")
    assert drawn.columns.tolist() == ["game", "i", "j"]
    assert set(drawn[["i", "j"]].to_numpy().ravel()) == set(range(1, 25)) - {4, 11}
    y = frame["outcome"].to_numpy()
    fill("games.csv", refits(LogisticRegression(), frame, y, "decision_function"))
    outputs = {kind: f"r.{kind}" for kind in ("json", "md", "csv")}
    code, out, err = ask(
        *("score", "games.csv", "--table", "patients.csv", *told, "--scale", "log-odds"),
        *(part for kind, path in outputs.items() for part in (f"--{kind}", path)),
    )
    assert code == 0, err
    used = frame["outcome"].notna()
    t = tlpo.tournament(
        LogisticRegression(), frame.loc[used, FEATURES].to_numpy(), y[used], engine="refit"
    )
    found = json.loads((tmp_path / "r.json").read_text())
    (model,) = found["models"]
    low, high = t.auc_interval()
    assert model["auc"]["lpo"] == t.auc
    assert (model["interval"]["low"], model["interval"]["high"]) == (low, high)
    assert model["scores"] == t.scores.tolist()
    fpr, tpr, _ = t.roc_curve()
    assert (model["curve"]["fpr"], model["curve"]["tpr"]) == (fpr.tolist(), tpr.tolist())
    assert len(model["operating_points"]) == 3
    assert model["probabilities"]["brier"]["estimate"] == t.probabilities.brier().estimate
    text = " ".join(out.split())
    assert f"with probability {t.auc:.3f} (the AUC; 95% interval {low:.3f} to {high:.3f})" in text
    assert "The comparisons were made elsewhere." in text
    page = (tmp_path / "r.md").read_text()
    assert "a model was trained without either, by other software" in page
    assert "| Without an outcome, left out | 2 |" in page
    assert pd.read_csv("r.csv")["row"].tolist() == sorted(set(range(1, 25)) - {4, 11})
    assert load_analysis("r.json").models[0].engine == "elsewhere"


def test_groups_identifiers_training_sets_and_parquet(ask, tmp_path):
    frame = table_of()
    frame.to_csv("p.csv", index=False)
    told = ("--target", "outcome", "--group", "family", "--id", "patient")
    code, _, err = ask("draw", "p.csv", *told, "--out", "g.parquet", "--train", "sets")
    assert code == 0, err
    assert "nor any other row with their 'family'" in err
    games = pd.read_parquet("g.parquet")
    place = {name: k for k, name in enumerate(frame["patient"])}
    used = frame["outcome"].notna()
    F = np.random.default_rng(0).normal(size=(24, 24))
    for row in games.iloc[::40].itertuples():
        train = pd.read_csv(tmp_path / "sets" / f"{row.game}.csv")["row"]
        family = frame["family"][[place[row.i], place[row.j]]]
        assert set(train) == set(frame["patient"][used & ~frame["family"].isin(family)])
    assert len([*(tmp_path / "sets").iterdir()]) == len(games)
    i, j = games["i"].map(place).to_numpy(), games["j"].map(place).to_numpy()
    games.assign(prediction_i=F[i, j], prediction_j=F[j, i]).to_parquet("g.parquet")
    code, _, err = ask(
        "score", "g.parquet", "--table", "p.csv", *told, "--json", "r.json", "--quiet"
    )
    assert (code, err) == (0, "")
    small = F[np.ix_(used, used)]
    t = tlpo.from_predictions(small, frame["outcome"][used], groups=frame["family"][used])
    (model,) = json.loads((tmp_path / "r.json").read_text())["models"]
    assert (model["interval"]["low"], model["interval"]["high"]) == tuple(t.auc_interval())


def test_groups_of_two_columns_in_a_table_with_its_own_separator(ask):
    frame = table_of()
    frame["centre"], frame["who"] = frame["family"] % 3, frame["family"] // 3
    frame.to_csv("p.csv", index=False, sep="|")
    told = ("--target", "outcome", "--sep", "|", "--group")
    sets = {}
    for name, columns in (("two", ("centre", "who")), ("one", ("family",))):
        code, _, err = ask(
            "draw", "p.csv", *told, *columns, "--out", f"{name}.csv", "--train", name
        )
        assert code == 0, err
        sets[name] = {path.name: path.read_text() for path in Path(name).iterdir()}
    assert Path("two.csv").read_text() == Path("one.csv").read_text()
    assert sets["two"] == sets["one"]
    fill("two.csv", lambda i, j: [[i], [j]])
    code, out, err = ask("status", "two.csv", "--table", "p.csv", *told, "centre", "who")
    assert code == 0, err
    assert "AUC" in out


@pytest.mark.parametrize(
    ("told", "model", "column", "method", "endings"),
    [
        (["--target", "grade", "--ordered"], Ridge(), "grade", "predict", [""]),
        (["--time", "months", "--event", "died"], Ridge(), "months", "predict", [""]),
        (["--target", "kind"], GaussianNB(), "kind", "predict_proba", ["_a", "_b", "_c"]),
    ],
    ids=["ordered", "survival", "several"],
)
def test_other_outcomes(told, model, column, method, endings, ask, tmp_path):
    frame = table_of()
    frame.to_csv("p.csv", index=False)
    code, _, err = ask("draw", "p.csv", *told, "--out", "g.csv")
    assert code == 0, err
    assert f"prediction_i{endings[-1]} and prediction_j{endings[-1]}" in err
    y = frame[column].to_numpy()
    fill("g.csv", refits(model, frame, y, method), endings)
    code, out, err = ask(
        "score", "g.csv", "--table", "p.csv", *told, "--json", "r.json", "--md", "r.md"
    )
    assert code == 0, err
    X = frame[FEATURES].to_numpy()
    (found,) = json.loads((tmp_path / "r.json").read_text())["models"]
    ours = found["interval"]["low"], found["interval"]["high"]
    if column == "kind":
        k = tlpo.multiclass(model, X, y, engine="refit")
        assert (found["auc"], *ours) == (k.auc, *k.auc_interval())
    elif column == "grade":
        c = tlpo.concordance(model, X, y, engine="refit")
        assert (found["concordance"], *ours) == (c.concordance, *c.concordance_interval())
    else:
        games = pd.read_csv("g.csv")
        c = tlpo.from_predictions(games, y, frame["died"], ids=range(1, 25))
        assert (found["concordance"], *ours) == (c.concordance, *c.concordance_interval())
        assert found["n_games"] == 276
    assert load_analysis("r.json").models[0].engine == "elsewhere"
    assert "were made elsewhere" in " ".join(out.split())
    assert "made elsewhere" in (tmp_path / "r.md").read_text()
    status, out, _ = ask("status", "g.csv", "--table", "p.csv", *told)
    assert status == 0
    assert "g.csv: 276 of 276 games played.\nmodel: " in out


def test_half_finished_games_answer_so_far(ask):
    table_of().to_csv("p.csv", index=False)
    told = ("--target", "outcome")
    ask("draw", "p.csv", *told, "--out", "g.csv")
    code, out, _ = ask("status", "g.csv")
    assert (code, out) == (0, "g.csv: 0 of 231 games played.\n")
    assert ask("score", "g.csv", "--table", "p.csv", *told)[0] == 1
    games = fill("g.csv", lambda i, j: [[i % 2 - 0.01 * i], [j % 2 - 0.01 * j]])
    for n, opponents in ((55, 5), (154, 14)):
        part = games.copy()
        part.loc[n:, ["prediction_i", "prediction_j"]] = np.nan
        part.to_csv("part.csv", index=False)
        code, out, _ = ask("status", "part.csv", "--table", "p.csv", *told)
        assert code == 0
        share = f"part.csv: {n} of 231 games played ({100 * n / 231:.0f} %), {opponents} by each"
        assert out.startswith(f"{share} of 22 rows.\nmodel: AUC 0.0")
    code, out, err = ask("score", "part.csv", "--table", "p.csv", *told)
    assert code == 0, err
    out = " ".join(out.split())
    assert (
        "each patient met 14 of 21 others. The AUC is not biased by that if chance decided" in out
    )
    part.loc[55:, ["prediction_i", "prediction_j"]] = np.nan
    part.to_csv("part.csv", index=False)
    code, _, err = ask("score", "part.csv", "--table", "p.csv", *told)
    assert code == 1
    assert "Too few games have been played for a report." in err
    assert "Play at least 110 games" in err


def test_two_models_are_compared(ask):
    table_of().to_csv("p.csv", index=False)
    ask("draw", "p.csv", "--target", "outcome", "--out", "net.csv")
    rng = np.random.default_rng(0)
    games = fill("net.csv", lambda i, j: rng.random((2, 1)))
    games.assign(prediction_i=rng.random(len(games))).to_csv("forest.csv", index=False)
    told = ("--table", "p.csv", "--target", "outcome", "--md", "r.md")
    code, out, err = ask("score", "net.csv", "forest.csv", *told)
    assert code == 0, err
    assert "net ranks" in out
    assert "report all of them, or only net with its corrected AUC" in " ".join(out.split())
    assert "If they are probabilities, --scale probability adds" in err
    code, _, err = ask("score", "net.csv", "forest.csv", *told, "--name", "a")
    assert code == 2
    assert "For example --name net forest." in err


@pytest.mark.parametrize(
    "write",
    [
        lambda g: g.to_csv("g.csv", na_rep="NA"),
        lambda g: g.to_csv("g.csv", index=False, sep=";", decimal=","),
        lambda g: g.to_csv("g.csv", index=False, quoting=csv.QUOTE_ALL),
        lambda g: g.sample(frac=1, random_state=0).to_csv("g.csv", index=False, sep="\t"),
        lambda g: g[g["prediction_i"].notna()].drop(columns="game").to_csv("g.csv", index=False),
    ],
    ids=["R", "decimal commas", "quoted", "tabs and shuffled", "only what was played"],
)
def test_files_as_other_programs_write_them(write, ask, tmp_path):
    table_of().assign(patient=[f"{k:03}" for k in range(24)]).to_csv("p.csv", index=False)
    found = []
    for told in ((), ("--id", "patient")):
        ask("draw", "p.csv", "--target", "outcome", *told, "--out", f"d{len(told)}.csv")
    rng = np.random.default_rng(5)
    games = pd.read_csv("d0.csv")
    games[["prediction_i", "prediction_j"]] = rng.normal(size=(len(games), 2))
    games.loc[200:, ["prediction_i", "prediction_j"]] = np.nan
    named = pd.read_csv("d2.csv", dtype=str)
    for told, part in (((), games), (("--id", "patient"), games.assign(i=named.i, j=named.j))):
        write(part)
        asked = ("--table", "p.csv", "--target", "outcome", *told, "--json", "r.json")
        code, _, err = ask("score", "g.csv", *asked)
        assert code == 0, err
        (model,) = json.loads((tmp_path / "r.json").read_text())["models"]
        found.append((model["headline"], model["scores"], model["n_games"]))
    assert found[0] == found[1]
    assert found[0][2] == 200


def test_subgroups_need_all_games(ask, tmp_path):
    table_of().to_csv("p.csv", index=False)
    ask("draw", "p.csv", "--target", "outcome", "--out", "g.csv")
    games = fill("g.csv", lambda i, j: [[i % 5], [j % 5 + 0.5]])
    told = ("--table", "p.csv", "--target", "outcome", "--by", "site")
    code, _, err = ask("score", "g.csv", *told, "--json", "r.json")
    assert code == 0, err
    (model,) = json.loads((tmp_path / "r.json").read_text())["models"]
    assert {row["subgroup"] for row in model["subgroups"]} == {"north", "south"}
    games.loc[154:, ["prediction_i", "prediction_j"]] = np.nan
    games.to_csv("g.csv", index=False)
    refused(ask("score", "g.csv", *told), "Subgroups and shards need the games of every pair")


def test_a_part_of_the_games_of_several_classes(ask):
    table_of().to_csv("p.csv", index=False)
    ask("draw", "p.csv", "--target", "kind", "--out", "g.csv")
    rng = np.random.default_rng(0)
    games = fill("g.csv", lambda i, j: rng.random((2, 3)), ["_a", "_b", "_c"])
    games.iloc[120:, 3:] = np.nan
    games.to_csv("g.csv", index=False)
    told = ("--table", "p.csv", "--target", "kind", "--md", "r.md", "--scale", "probability")
    code, _, err = ask("score", "g.csv", *told)
    assert code == 0, err
    assert "120 of 276 games have been played" in Path("r.md").read_text()


def refused(asked, *words):
    code, out, err = asked
    assert code in (1, 2)
    assert out == ""
    assert "Traceback" not in err
    said = err[err.index("tlpo: ") :]
    assert len(said.splitlines()) == 3, said
    for word in words:
        assert word in said, said


def test_what_cannot_be_is_refused(ask):
    frame = table_of()
    frame.to_csv("p.csv", index=False)
    told = ("--target", "outcome")
    refused(ask("draw", "p.csv", *told, "--out", "g.txt"), "CSV or Parquet", "--out g.csv")
    refused(ask("draw", "p.csv", *told, "--out", "g.csv", "--rounds", 4), "at least 10")
    refused(
        ask("draw", "p.csv", *told, "--out", "g.csv", "--id", "site"), "--id site", "more than once"
    )
    refused(ask("draw", "p.csv", *told, "--out", "g.csv", "--id", "sit"), "Did you mean 'site'")
    refused(ask("draw", "p.csv", "--out", "g.csv"), "either one column", "--target relapse")
    refused(
        ask("draw", "p.csv", "--target", "kind", "--out", "g.csv", "--rounds", 10),
        "Several classes play all games",
    )
    assert ask("draw", "p.csv", *told, "--out", "g.csv")[0] == 0
    refused(ask("draw", "p.csv", *told, "--out", "g.csv"), "may hold predictions")
    refused(ask("score", "p.csv", "--table", "p.csv", *told), "not a file of games")
    refused(ask("score", "g.csv", "--table", "p.csv", *told), "no column 'prediction_i'")
    games = fill("g.csv", lambda i, j: [[0.1 * i], [0.2 * j]])
    told = ("--table", "p.csv", *told)
    refused(ask("score", "g.csv", *told, "--csv", "g.csv"), "would overwrite the games")
    refused(ask("score", "g.csv", *told, "--html", "p.csv"), "would overwrite the table")
    refused(ask("score", "g.csv", *told, "--scale", "probability"), "between 0 and 1", "--scale")
    refused(ask("score", "g.csv", *told, "--at", 3), "--at")
    refused(ask("score", "none.csv", *told), "There is no such file")
    frame.drop(index=[0]).to_csv("q.csv", index=False)
    refused(
        ask("score", "g.csv", "--table", "q.csv", "--target", "outcome"),
        "do not belong to the table",
        "3 rows that play, such as '3', '10', '24', are not there or have no outcome",
    )
    frame.assign(outcome=frame["outcome"].fillna("no")).to_csv("q.csv", index=False)
    refused(
        ask("score", "g.csv", "--table", "q.csv", "--target", "outcome"),
        "2 rows with an outcome, such as '4', '11', have no game",
    )
    games.assign(prediction_i=games["prediction_i"].mask(games["game"] == 7)).to_csv("h.csv")
    refused(ask("score", "h.csv", *told), "1 game (game 7)")
    pd.concat([games, games[:1].assign(prediction_i=9.0)]).to_csv("h.csv")
    refused(ask("score", "h.csv", *told), "twice", "game 1 and game 1")
    games.assign(prediction_i="x").to_csv("h.csv")
    refused(ask("score", "h.csv", *told), "must be numbers", "'x'")
    games.replace({"prediction_i": {games["prediction_i"][5]: np.inf}}).to_csv("h.csv")
    refused(ask("score", "h.csv", *told), "finite")


def test_cells_that_a_spreadsheet_would_run_are_made_harmless(ask):
    frame = table_of().assign(patient=[f'=HYPERLINK("x{k}")' for k in range(24)])
    frame.to_csv("p.csv", index=False)
    told = ("--target", "outcome", "--id", "patient")
    assert ask("draw", "p.csv", *told, "--out", "g.csv")[0] == 0
    games = pd.read_csv("g.csv")
    assert games["i"].str.startswith("'=").all()
    games = games.assign(prediction_i=range(len(games)), prediction_j=7.5)
    games.to_csv("g.csv", index=False)
    code, _, err = ask("score", "g.csv", "--table", "p.csv", *told)
    assert code == 0, err
    games.assign(i=games["i"].str[1:], j=games["j"].str[1:]).to_csv("g.csv", index=False)
    assert ask("score", "g.csv", "--table", "p.csv", *told)[0] == 0
    # Nothing was left out singly elsewhere: there is no such column, nor its explanation.
    assert ask("score", "g.csv", "--table", "p.csv", *told, "--md", "r.md")[0] == 0
    answer = (
        Path("r.md").read_text(encoding="utf-8").partition("## Answer")[2].partition("\n## ")[0]
    )
    assert "| Model | AUC | Interval | Sensitivity | ξ |\n" in answer
    assert "LOO" not in answer
    assert "how well does the model discriminate?" in Path("r.md").read_text(encoding="utf-8")


@pytest.mark.long
def test_the_example_runs(tmp_path):
    """In shares, on one machine, as its page shows it."""
    folder = tmp_path / "elsewhere"
    shutil.copytree(Path(__file__).parents[2] / "examples" / "elsewhere", folder)
    called = folder / "tlpo"
    called.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tlpo "$@"\n')
    called.chmod(0o755)
    paths = [str(folder), str(Path(sys.executable).parent), os.environ["PATH"]]
    environment = {**os.environ, "PATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        ["bash", "play.sh"], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "network ranks a random patient with tumour 'malignant'" in done.stdout
    assert (folder / "report.html").stat().st_size > 1000
    assert len(pd.read_csv(folder / "played.csv")) == 780
