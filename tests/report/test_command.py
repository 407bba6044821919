"""The command from a file to its answer, as a user runs it."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from importlib.resources import files

import jsonschema
import numpy as np
import pandas as pd
import pytest

import tlpo
from report.tables import patients
from tlpo.cli import main


def run(*arguments, cwd=None):
    return subprocess.run(
        [sys.executable, "-m", "tlpo.cli", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
    )


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    patients().to_csv(folder / "patients.csv", index=False)
    result = run(
        *("run", "patients.csv", "--target", "outcome", "--model", "rls", "--model", "logistic"),
        *("--drop", "site", "--html", "out/r.html", "--json", "out/r.json", "--md", "out/r.md"),
        *("--csv", "out/r.csv", "--figures", "out/figures", "--prevalence", "0.1"),
        *("--specificity", "0.8", "--n-jobs", "1"),
        cwd=folder,
    )
    assert result.returncode == 0, result.stderr
    return folder / "out", result


def test_stdout_carries_the_answer_only(done):
    _, result = done
    assert "TLPO" in result.stdout
    assert "rls ranks a random patient with outcome 'yes' above one with outcome 'no'" in " ".join(
        result.stdout.split()
    )
    for word in ("Written", "fits, about", "not used"):
        assert word not in result.stdout
        assert word in result.stderr
    assert max(len(line) for line in result.stdout.splitlines()) <= 80


def test_json_is_valid_and_true(done):
    out, _ = done
    summary = json.loads((out / "r.json").read_text())
    schema = json.loads(files("tlpo.report").joinpath("schema.json").read_text())
    jsonschema.validate(summary, schema)
    frame = patients()
    X = frame[["age", "marker", "smoker"]].to_numpy(float)
    t = tlpo.tournament(tlpo.RLS(), X, frame["outcome"], positive="yes")
    model = summary["models"][0]
    assert (model["name"], model["engine"]) == ("rls", "least-squares")
    assert model["auc"]["tlpo"] == t.auc
    assert model["auc"]["lpo"] == t.lpo_auc
    assert model["auc"]["loo"] == tlpo.leave_one_out(tlpo.RLS(), X, frame["outcome"]).auc
    assert model["scores"] == t.scores.tolist()
    interval = t.auc_interval(centre="tlpo")
    assert (model["interval"]["low"], model["interval"]["high"]) == tuple(interval)
    assert model["sensitivity_at"][0]["sensitivity"] == t.sensitivity_at(0.8)
    assert summary["models"][1]["probabilities"]["folds"] == 10
    assert summary["comparisons"][0]["first"] == "rls"
    point = model["operating_points"][0]
    assert point["specificity"] >= 0.8
    assert point["sensitivity"] == t.sensitivity_at(0.8)


def test_scores_of_every_row(done):
    out, _ = done
    table = pd.read_csv(out / "r.csv")
    assert table.columns.tolist() == [
        *("row", "patient", "label"),
        *("rls score", "rls rank", "logistic score", "logistic rank"),
    ]
    assert table["patient"].tolist() == patients()["patient"].tolist()
    assert table["rls score"].sum() == 24 * 23 / 2


def test_figures_and_markdown(done):
    out, _ = done
    names = {path.name for path in (out / "figures").iterdir()}
    for name in ("roc", "scores-1", "schemes-2", "games-1", "calibration-2", "benefit-2"):
        assert {f"{name}.png", f"{name}.svg", f"{name}.pdf"} <= names
    text = (out / "r.md").read_text()
    assert text.startswith("# How well do the models predict outcome? (patients.csv)\n")
    assert "## Methods" in text


def test_report_says_what_matters(done):
    out, _ = done
    page = (out / "r.html").read_text()
    for text in (
        "placement-jackknife",
        "prevalence of 0.1",
        "TRIPOD+AI",
        "STARD",
        "exploratory",
        "is not a probability",
        "Rows read",
        "DeLong",
        "24 patients",
    ):
        assert text in page
    assert "http" not in re.sub(r"data:image[^\"]+", "", page).replace("http-equiv", "")
    assert page.count("<img") == page.count('alt="')


def test_outside_text_stays_text(tmp_path):
    frame = patients(12).rename(columns={"marker": "<script>alert(1)</script>"})
    frame["outcome"] = np.where(
        frame["outcome"] == "yes", "<img src=x onerror=alert(1)>", "{{7*7}}"
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    result = run(
        *("run", "t.csv", "--target", "outcome", "--model", "rls", "--html", "r.html"),
        *("--md", "r.md", "--quiet", "--n-jobs", "1", "--drop", "site"),
        cwd=tmp_path,
    )
    assert result.returncode == 0, result.stderr
    page = (tmp_path / "r.html").read_text()
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<img src=x" not in page
    assert "49" not in re.sub(r"data:image[^\"]+", "", page)[:4000]
    assert "<img" not in (tmp_path / "r.md").read_text()
    assert result.stderr == ""


def test_warnings_a_statistician_would_give(tmp_path):
    frame = patients(14)
    frame.to_csv(tmp_path / "t.csv", index=False)
    result = run(
        *("run", "t.csv", "--target", "outcome", "--features", "marker", "age"),
        *("--model", "rls", "--model", "constant", "--model", "idknn", "--n-jobs", "1"),
        cwd=tmp_path,
    )
    text = " ".join(result.stdout.split())
    assert "The smaller class has only 7 patients" in text
    assert "constant: 91 of 91 comparisons are ties" in text
    assert "3 models were tried" in text


def test_groups_and_gaps(tmp_path):
    frame = patients(20)
    frame["person"] = [f"g{k // 2}" for k in range(20)]
    frame["outcome"] = np.where(np.arange(20) // 2 % 2, "yes", "no")
    frame.loc[1, "marker"] = np.nan
    frame.loc[2, "outcome"] = np.nan
    frame.to_csv(tmp_path / "t.csv", index=False)
    result = run(
        *("run", "t.csv", "--target", "outcome", "--group", "person", "--model", "rls"),
        *("--features", "marker", "--features", "age", "--json", "r.json", "--n-jobs", "1"),
        cwd=tmp_path,
    )
    assert result.returncode == 0, result.stderr
    summary = json.loads((tmp_path / "r.json").read_text())
    assert summary["sample"]["n_groups"] == 10
    assert summary["sample"]["without_target"] == 1
    assert summary["sample"]["missing_cells"] == 1
    assert "imputed within every training set: numbers by the median" in summary["methods"]
    assert summary["models"][0]["engine"] == "refit"


def test_standard_input(tmp_path):
    content = patients(12).to_csv(index=False)
    result = subprocess.run(
        [
            *(sys.executable, "-m", "tlpo.cli", "run", "-", "--target", "outcome"),
            *("--model", "rls", "--drop", "site", "--quiet", "--n-jobs", "1"),
        ],
        capture_output=True,
        text=True,
        input=content,
    )
    assert result.returncode == 0, result.stderr
    assert "rls" in result.stdout


def test_a_positive_label_by_chance_of_the_alphabet_is_said(tmp_path):
    frame = patients(12).assign(outcome=np.where(np.arange(12) % 2, "relapse", "free"))
    frame.to_csv(tmp_path / "t.csv", index=False)
    result = run(
        *("run", "t.csv", "--target", "outcome", "--model", "rls", "--drop", "site"),
        *("--quiet", "--n-jobs", "1"),
        cwd=tmp_path,
    )
    assert (
        "'relapse' counts as positive only because it follows 'free' in the alphabet."
        in " ".join(result.stdout.split())
    )


def test_the_answer_is_not_lost_when_a_file_cannot_be_written(tmp_path, monkeypatch, capsys):
    from pathlib import Path

    patients(12).to_csv(tmp_path / "t.csv", index=False)
    write_text = Path.write_text

    def full(self, *args, **kwargs):
        if self.name == "r.json":
            raise OSError(28, "No space left on device")
        return write_text(self, *args, **kwargs)

    monkeypatch.setattr(Path, "write_text", full)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        sys,
        "argv",
        [
            *("tlpo", "run", "t.csv", "--target", "outcome", "--model", "rls", "--drop", "site"),
            *("--json", "r.json", "--md", "r.md", "--quiet", "--n-jobs", "1"),
        ],
    )
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    shown = capsys.readouterr()
    assert "rls" in shown.out
    assert "r.json: No space left on device" in shown.err
    assert (tmp_path / "r.md").exists()


def test_duplicates_and_mixed_columns(tmp_path):
    frame = pd.concat([patients(12), patients(12)])
    frame.to_csv(tmp_path / "t.csv", index=False)
    result = run(
        *("run", "t.csv", "--target", "outcome", "--model", "rls", "--drop", "site"),
        *("--quiet", "--n-jobs", "1"),
        cwd=tmp_path,
    )
    assert "12 rows have the same features as an earlier row." in " ".join(result.stdout.split())
    mixed = patients(12).astype({"marker": object})
    mixed.loc[3, "marker"] = "<0.1"
    mixed.to_csv(tmp_path / "t.csv", index=False)
    result = run("run", "t.csv", "--target", "outcome", cwd=tmp_path)
    assert result.returncode == 1
    assert result.stderr == (
        "tlpo: Column 'marker' mixes numbers and text.\nYou passed '<0.1' among 11 numbers.\n"
        "Replace the text by numbers, clear these cells, or leave the column out with "
        "--drop marker.\n"
    )


def test_a_model_of_ones_own(tmp_path):
    patients(12).to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "mine.py").write_text(
        "from sklearn.pipeline import make_pipeline\n"
        "from sklearn.preprocessing import StandardScaler\n"
        "from sklearn.linear_model import RidgeClassifier\n"
        "pipeline = make_pipeline(StandardScaler(), RidgeClassifier())\n"
    )
    result = run(
        *("run", "t.csv", "--target", "outcome", "--features", "marker", "--model"),
        *("mine:pipeline", "--quiet", "--n-jobs", "1"),
        cwd=tmp_path,
    )
    assert result.returncode == 0, result.stderr
    assert "mine:pipeline" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["run", "none.csv", "--target", "y"], 1, "tlpo: There is no such file."),
        (["run", "t.csv", "--target", "outcom"], 1, "Did you mean 'outcome'?"),
        (["run", "t.csv", "--target", "outcome", "--model", "rigde"], 2, "Did you mean 'ridge'?"),
        (
            ["run", "t.csv", "--target", "outcome", "--specificity", "90"],
            2,
            "tlpo: --specificity must be",
        ),
        (["run", "t.csv", "--target", "outcome", "--seed", "-1"], 2, "tlpo: --seed must be"),
        (
            ["run", "t.csv", "--target", "outcome", "--html", "."],
            2,
            "--html cannot be written there",
        ),
        (["run", "t.csv", "--target", "outcome", "--csv", "t.csv"], 2, "overwrite the data"),
        (
            ["run", "t.csv", "--target", "outcome", "--md", "o", "--html", "o"],
            2,
            "would overwrite",
        ),
        (["run", "t.csv"], 2, "target"),
        (["run", "t.csv", "--target", "outcome", "--missing", "guess"], 2, "missing"),
        (["run", "t.csv", "--target", "outcome", "--nonsense"], 2, "nonsense"),
    ],
)
def test_errors_come_without_a_traceback(tmp_path, arguments, code, message):
    patients(12).to_csv(tmp_path / "t.csv", index=False)
    result = run(*arguments, cwd=tmp_path)
    assert result.returncode == code, result.stdout + result.stderr
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


def test_interrupted_it_says_so(tmp_path):
    patients(200).to_csv(tmp_path / "t.csv", index=False)
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "tlpo.cli", "run", "t.csv", "--target", "outcome"),
            *("--model", "forest", "--n-jobs", "1"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    while "Playing" not in (line := process.stderr.readline()):
        assert line, "ended early"
    time.sleep(1.0)
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert err.strip().endswith(
        "Interrupted. Nothing of this run is kept: pass a journal to be able to resume."
    )
    assert out == ""


def test_a_long_run_is_announced():
    from tlpo.report.forecast import Cost, say_forecast

    lines = say_forecast([Cost("forest", 499_500, 499_500.0)], cores=2)
    assert lines[0] == "499500 fits, about 69 h."
    assert "tlpo.quicksort" in lines[1]
    assert len(say_forecast([Cost("rls", 10, 0.1)], cores=1)) == 1


def test_models_are_listed(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["tlpo", "models"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    shown = capsys.readouterr().out
    assert "ridge      ridge regression on the labels" in shown
    assert "n_neighbors=5" in shown
    assert "--model ridge --model" in shown
