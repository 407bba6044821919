"""The command from a file to its answer, as a user runs it."""

import json
import re
import subprocess
import sys

import jsonschema
import numpy as np
import pandas as pd
import pytest

import tlpo
from commands.running import command, run
from tables import patients
from tlpo.analysis.load import load_analysis, schema
from tlpo.commands.cli import main
from tlpo.document.html import to_html
from tlpo.document.make import make_document
from tlpo.document.markdown import to_markdown


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    patients().to_csv(folder / "patients.csv", index=False)
    result = run(
        *("run", "patients.csv", "--target", "outcome", "--model", "rls", "--model", "logistic"),
        *("--drop", "site", "--html", "out/r.html", "--json", "out/r.json", "--md", "out/r.md"),
        *("--csv", "out/r.csv", "--figures", "out/figures", "--prevalence", "0.1"),
        *("--specificity", "0.8", "--n-jobs", "1", "--smooth"),
        cwd=folder,
    )
    assert result.returncode == 0, result.stderr
    return folder / "out", result


def test_stdout_carries_the_answer_only(done):
    _, result = done
    assert "interval" in result.stdout
    assert "rls ranks a random patient with outcome 'yes' above one with outcome 'no'" in " ".join(
        result.stdout.split()
    )
    for word in ("Written", "not used"):
        assert word not in result.stdout
        assert word in result.stderr
    assert max(len(line) for line in result.stdout.splitlines()) <= 80


def test_json_is_valid_and_true(done):
    out, _ = done
    summary = json.loads((out / "r.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema())
    jsonschema.validate(summary, schema())
    frame = patients()
    X = frame[["age", "marker", "smoker"]].to_numpy(float)
    t = tlpo.tournament(tlpo.RLS(), X, frame["outcome"], positive="yes")
    model = summary["models"][0]
    assert (model["name"], model["engine"]) == ("rls", "least-squares")
    assert model["auc"]["tlpo"] == t.tlpo_auc
    assert model["auc"]["lpo"] == model["headline"]["auc"] == t.auc
    assert model["auc"]["loo"] == tlpo.leave_one_out(tlpo.RLS(), X, frame["outcome"]).auc
    assert model["scores"] == t.scores.tolist()
    for part in (model["interval"], model["headline"]):
        assert (part["low"], part["high"]) == tuple(t.auc_interval())
    assert model["sensitivity_at"][0]["sensitivity"] == t.sensitivity_at(0.8)
    assert 0 < summary["models"][1]["probabilities"]["brier"]["estimate"] < 0.25
    assert summary["models"][0]["why_no_probabilities"] == "RLS has no predict_proba"
    assert summary["comparisons"][0]["first"] == "rls"
    point = model["operating_points"][0]
    assert point["specificity"] >= 0.8
    assert point["sensitivity"] == t.sensitivity_at(0.8)


def test_smoothed_curves_are_those_of_python_and_no_auc(done):
    out, result = done
    is_ill = patients()["outcome"] == "yes"
    found = json.loads((out / "r.json").read_text())
    for model in found["models"]:
        smooth = tlpo.assess(model["scores"], is_ill).smooth_curve()
        assert model["curve"]["smooth"] == pytest.approx(
            {"intercept": smooth.intercept, "slope": smooth.slope, "area": smooth.auc}
        )
        assert model["headline"]["auc"] != pytest.approx(smooth.auc, abs=1e-4)
        assert f"{smooth.auc:.3f}" in result.stdout
    assert "Smoothed area" in result.stdout
    assert "Smoothed ROC curves are binormal" in (out / "r.html").read_text()


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
    title, *_ = text.splitlines()
    assert title == "# Predicting outcome (patients.csv): how well do the models discriminate?"
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
        "a new patient was compared with none of them and has none",
        "Rows read",
        "DeLong",
        "24 patients",
    ):
        assert text in page
    assert "http" not in re.sub(r"data:image[^\"]+", "", page).replace("http-equiv", "")
    assert page.count("<img") == page.count('alt="')


def test_outside_text_stays_text(tmp_path, monkeypatch, capsys):
    frame = patients(12).rename(columns={"marker": "<script>alert(1)</script>"})
    frame["outcome"] = np.where(
        frame["outcome"] == "yes", "<img src=x onerror=alert(1)>", "{{7*7}}"
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    monkeypatch.chdir(tmp_path)
    code, _, err = command(
        *(monkeypatch, capsys, "run", "t.csv", "--target", "outcome", "--model", "rls"),
        *("--html", "r.html", "--md", "r.md", "--quiet", "--n-jobs", "1", "--drop", "site"),
    )
    assert (code, err) == (0, "")
    page = (tmp_path / "r.html").read_text()
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<img src=x" not in page
    assert "49" not in re.sub(r"data:image[^\"]+", "", page)[:4000]
    assert "<img" not in (tmp_path / "r.md").read_text()


@pytest.mark.exhaustive
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
        *("--md", "r.md"),
        cwd=tmp_path,
    )
    assert result.returncode == 0, result.stderr
    summary = json.loads((tmp_path / "r.json").read_text())
    assert summary["sample"]["n_groups"] == 10
    assert summary["sample"]["without_target"] == 1
    assert summary["sample"]["missing_cells"] == 1
    methods = (tmp_path / "r.md").read_text().partition("## Methods")[2]
    assert "imputed within every training set: numbers by the median" in methods
    assert summary["models"][0]["engine"] == "least-squares"


@pytest.mark.exhaustive
def test_standard_input(tmp_path):
    content = patients(12).to_csv(index=False)
    result = subprocess.run(
        [
            *(sys.executable, "-m", "tlpo.commands.cli", "run", "-", "--target", "outcome"),
            *("--model", "rls", "--drop", "site", "--quiet", "--n-jobs", "1"),
        ],
        capture_output=True,
        text=True,
        input=content,
    )
    assert result.returncode == 0, result.stderr
    assert "rls" in result.stdout


def test_models_are_listed(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["tlpo", "models"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    shown = capsys.readouterr().out
    assert "ridge           ridge regression, linear with a penalty" in shown
    assert "n_neighbors=5" in shown
    assert "--model ridge --model" in shown


def test_the_command_line_renders(written, tmp_path, monkeypatch, capsys):
    page, text, table = tmp_path / "page.html", tmp_path / "page.md", tmp_path / "t.csv"
    figures = tmp_path / "figures"
    files = ("--html", page, "--md", text, "--csv", table, "--figures", figures)
    code, out, err = command(monkeypatch, capsys, "render", written, *files)
    assert code == 0, err
    assert "rls ranks a random patient" in " ".join(out.split())
    assert err.splitlines() == [f"Written: {path}" for path in (page, text, table, figures)]
    document = make_document(load_analysis(str(written)))
    assert page.read_text() == to_html(document)
    assert text.read_text() == to_markdown(document)
    assert (figures / "roc.svg").exists()
    code, out, err = command(monkeypatch, capsys, "render", written, "--html", written)
    assert (code, out) == (2, "")
    assert err == (
        f"tlpo: --html would overwrite the analysis.\nYou passed --html {written}.\n"
        "Pass another path.\n"
    )
    code, out, err = command(monkeypatch, capsys, "render", tmp_path / "none.json")
    assert (code, out) == (1, "")
    assert err.startswith("tlpo: There is no such file.\n")


@pytest.mark.long
def test_another_process_renders_the_same_page(written, tmp_path):
    page = tmp_path / "page.html"
    command = (
        sys.executable,
        "-m",
        "tlpo.commands.cli",
        "render",
        str(written),
        "--html",
        str(page),
    )
    subprocess.run([*command, "--quiet"], check=True, capture_output=True, cwd=tmp_path)
    assert page.read_text() == to_html(make_document(load_analysis(str(written))))


@pytest.mark.exhaustive
def test_nothing_in_a_table_or_a_name_commands_the_terminal(tmp_path):
    frame = patients(12).rename(columns={"marker": "\x1b[31mmarker", "smoker": "\u202esmoker"})
    frame["outcome"] = np.where(frame["outcome"] == "yes", "\x1b]0;ill\x07", "well\x9b2J")
    frame.to_csv(tmp_path / "t\x1b[2J.csv", index=False)
    arguments = ("run", "t\x1b[2J.csv", "--target", "outcome", "--model", "rls", "--n-jobs", "1")
    done = run(*arguments, "--drop", "site", "--json", "r\x1b.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    again = run("render", "r\x1b.json", "--md", "r\x1b.md", cwd=tmp_path)
    wrong = run(*arguments, "--positive", "\x1b[31mno", cwd=tmp_path)
    assert (again.returncode, wrong.returncode) == (0, 1)
    for shown in (done.stdout, done.stderr, again.stdout, again.stderr, wrong.stderr):
        assert set(filter(str.isprintable, shown)) | {"\n"} == set(shown) | {"\n"}
    assert r"\x1b]0;ill\x07" in "".join(done.stdout.split())
    assert r"Numeric features: age, \x1b[31mmarker, \u202esmoker." in done.stderr
    assert r"Written: r\x1b.md" in again.stderr


def test_every_width_of_the_list_of_models(monkeypatch, capsys):
    for columns in (40, 80, 120):
        monkeypatch.setenv("COLUMNS", str(columns))
        code, out, _ = command(monkeypatch, capsys, "models")
        assert code == 0
        *listed, _, _ = out.splitlines()  # the last is an example to copy
        assert max(map(len, listed)) <= columns


@pytest.mark.long
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_model_that_ruins_its_data_changes_nothing_for_the_others(
    n_jobs, tmp_path, monkeypatch, capsys
):
    table = patients(14)[["age", "marker", "outcome"]]
    table.to_csv(tmp_path / "t.csv", index=False)
    found = {}
    for name in ("behaved", "vandal"):
        out = tmp_path / f"{name}.json"
        code, _, error = command(
            *(monkeypatch, capsys, "run", tmp_path / "t.csv", "--target", "outcome", "--model"),
            *(f"hostile:{name}", "--model", "logistic", "--json", out, "--n-jobs", n_jobs),
            "--quiet",
        )
        assert code == 0, error
        found[name] = json.loads(out.read_text().replace(f"hostile:{name}", "own"))
        for model in found[name]["models"]:
            del model["seconds"], model["described"]
    assert found["vandal"] == found["behaved"]


@pytest.mark.parametrize(
    ("watched", "flags", "times"), [(True, [], 1), (True, ["--quiet"], 0), (False, [], 0)]
)
def test_compiling_is_announced_once(watched, flags, times, tmp_path, monkeypatch, capsys):
    import numba

    from tlpo.commands import run as commands

    analyse = commands.analyse

    def compile_and_analyse(*args, **options):
        for number in (1, 1.5):  # functions that no cache has, in place of those of a first run
            numba.njit(lambda x: x + 1)(number)
        return analyse(*args, **options)

    monkeypatch.setattr(commands, "analyse", compile_and_analyse)
    monkeypatch.setattr(commands, "is_interactive", lambda: watched)
    patients(12).to_csv(tmp_path / "patients.csv", index=False)
    arguments = ("run", tmp_path / "patients.csv", "--target", "outcome", "--model", "constant")
    status, out, err = command(monkeypatch, capsys, *arguments, *flags)
    assert status == 0
    assert "Compiling" not in out
    assert err.count("Compiling, only on the first run …\n") == times


def test_what_is_compiled_already_is_not_announced():
    import numba

    from tlpo.compiled import before_compiling

    told = []
    add = numba.njit(lambda x: x + 1)
    add(1)
    with before_compiling(lambda: told.append("first")):
        add(2)
        assert told == []
        add(2.5)
        add(2j)
    assert told == ["first"]
