"""``tlpo marker``, from a table to its files."""

import json

import jsonschema
import numpy as np
import pandas as pd
import pytest

import tlpo
from commands.running import command
from tlpo.analysis.load import schema


@pytest.fixture(scope="module")
def patients():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3 == 0
    return pd.DataFrame(
        {
            "outcome": np.where(y, "poor", "good"),
            "s100b": np.round(np.exp(rng.normal(size=60) + y), 2),
            "wfns": np.clip(np.round(rng.normal(size=60) + 2 + y), 1, 5).astype(int),
            "gcs": np.clip(np.round(12 - 3 * y + 2 * rng.normal(size=60)), 3, 15).astype(int),
            "ward": np.array(["a", "b"])[np.arange(60) % 2],
        }
    )


@pytest.fixture
def table(patients, tmp_path):
    path = tmp_path / "patients.csv"
    frame = patients.copy()
    frame.loc[4, "s100b"] = np.nan
    frame.to_csv(path, index=False)
    return path


BASE = ("--target", "outcome", "--positive", "poor")


def test_files_hold_what_python_says(table, patients, tmp_path, monkeypatch, capsys):
    names = {kind: tmp_path / f"out.{kind}" for kind in ("html", "json", "md", "csv")}
    code, out, err = command(
        monkeypatch,
        capsys,
        *("marker", table, *BASE, "--marker", "s100b", "--marker", "wfns", "--marker", "gcs"),
        *("--smaller-is-positive", "gcs", "--cutoff", "s100b=1.5", "--prevalence", "0.1"),
        *(part for kind, path in names.items() for part in (f"--{kind}", path)),
        *("--figures", tmp_path / "figures"),
    )
    assert code == 0
    summary = json.loads(names["json"].read_text())
    jsonschema.validate(summary, schema())
    known = patients.drop(index=4)
    a = tlpo.assess(known["s100b"], known["outcome"], positive="poor")
    b = tlpo.assess(known["wfns"], known["outcome"], positive="poor")
    first = summary["markers"][0]
    assert first["auc"] == a.auc
    assert (first["interval"]["low"], first["interval"]["high"]) == tuple(a.auc_interval())
    assert (first["score_interval"]["low"], first["score_interval"]["high"]) == tuple(
        a.auc_interval(method="score")
    )
    assert first["n_missing"] == 1
    given = first["operating_points"][0]
    expected = a.operating_point(cutoff=1.5, prevalence=0.1)
    assert given["criterion"] == "s100b ≥ 1.5"
    assert given["sensitivity"] == expected["sensitivity"]
    assert given["ppv_low"] == expected["ppv_low"]
    assert first["average_precision"]["prevalence"] == 0.1
    pair = summary["comparisons"][0]
    assert pair["p_value"] == tlpo.compare(a, b).p_value
    assert len(summary["comparisons"]) == 3
    assert summary["markers"][2]["auc"] > 0.5
    narrow, *warnings = summary["warnings"]
    assert narrow.endswith("(s100b, wfns, gcs): report the score interval beside it.")
    assert warnings == [
        "s100b is missing in 1 of 60 patients, who are left out.",
        "The 59 of 60 patients that have both scores count.",
    ]
    cutoffs = pd.read_csv(names["csv"])
    assert list(dict.fromkeys(cutoffs["marker"])) == ["s100b", "wfns", "gcs"]
    assert len(cutoffs[cutoffs["marker"] == "wfns"]) == patients["wfns"].nunique() + 1
    page = names["html"].read_text()
    assert "s100b ≥ 1.5" in page
    assert page.count("data:image/svg+xml") == 2
    assert "| s100b | 59 |" in names["md"].read_text()
    assert f"{a.auc:.3f}" in out
    assert sorted(p.name for p in (tmp_path / "figures").iterdir()) == [
        *(f"precision.{kind}" for kind in ("pdf", "png", "svg")),
        *(f"roc.{kind}" for kind in ("pdf", "png", "svg")),
    ]
    assert "Written:" in err


def test_names_of_columns_are_not_put_into_other_words(patients, tmp_path, monkeypatch, capsys):
    frame = patients.assign(pack_units=np.arange(60) + 100 * (patients["outcome"] == "poor"))
    frame.loc[4, "s100b"] = np.nan
    table, page, text = (tmp_path / f"t.{kind}" for kind in ("csv", "html", "md"))
    frame.to_csv(table, index=False)
    asked = ("marker", table, *BASE, "--marker", "pack_units", "--marker", "s100b")
    code, out, _ = command(monkeypatch, capsys, *asked, "--html", page, "--md", text)
    assert code == 0
    for shown in (out, page.read_text(), text.read_text().replace("\\", "")):
        shown = " ".join(shown.split())
        assert "The 59 of 60 patients that have both scores count." in shown
        assert "pack_units separates the classes or is constant" in shown
        assert "pack_patients" not in shown


def test_smoothed_curves_are_reported_beside_the_auc(
    table, patients, tmp_path, monkeypatch, capsys
):
    frame = patients.assign(perfect=np.arange(60) + 100 * (patients["outcome"] == "poor"))
    frame.to_csv(table, index=False)
    asked = ("marker", table, *BASE, "--marker", "s100b", "--marker", "perfect", "--smooth")
    files = {kind: tmp_path / f"out.{kind}" for kind in ("html", "json")}
    code, out, _ = command(
        *(monkeypatch, capsys, *asked, "--html", files["html"], "--json", files["json"])
    )
    assert code == 0
    found = json.loads(files["json"].read_text())
    a = tlpo.assess(patients["s100b"], patients["outcome"], positive="poor")
    smooth = a.smooth_curve()
    assert found["markers"][0]["curve"]["smooth"] == {
        "intercept": smooth.intercept,
        "slope": smooth.slope,
        "area": smooth.auc,
    }
    assert found["markers"][0]["auc"] == a.auc
    assert found["markers"][1]["curve"]["smooth"] is None
    assert f"{smooth.auc:.3f}" in out
    assert "too few points" in out
    assert "Thin lines are smoothed (binormal) curves" in files["html"].read_text()
    again = tmp_path / "again.html"
    assert command(monkeypatch, capsys, "render", files["json"], "--html", again)[0] == 0
    assert again.read_text() == files["html"].read_text()


def test_a_direction_is_named_not_turned(table, monkeypatch, capsys):
    code, out, _ = command(monkeypatch, capsys, "marker", table, *BASE, "--marker", "gcs")
    text = " ".join(out.split())
    assert code == 0
    assert "run the analysis again with --smaller-is-positive gcs." in text
    assert "The direction is never chosen from the data." in text
    assert "the AUC is 0.8" in text
    code, out, _ = command(
        monkeypatch,
        capsys,
        "marker",
        table,
        *BASE,
        "--marker",
        "gcs",
        "--smaller-is-positive",
        "gcs",
    )
    assert "below ½" not in out


def test_groups_widen_intervals(table, monkeypatch, capsys, tmp_path):
    widths = []
    for more in ((), ("--group", "patient")):
        frame = pd.concat([pd.read_csv(table)] * 2, ignore_index=True)
        frame["patient"] = [f"p{k}" for k in range(60)] * 2
        frame.to_csv(tmp_path / "twice.csv", index=False)
        arguments = ("marker", tmp_path / "twice.csv", *BASE, "--marker", "wfns", *more)
        command(monkeypatch, capsys, *arguments, "--json", tmp_path / "a.json")
        found = json.loads((tmp_path / "a.json").read_text())
        widths.append(found["markers"][0]["interval"])
    alone, grouped = ((w["high"] - w["low"]) for w in widths)
    assert grouped > 1.2 * alone
    assert found["unit"] == "row"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--marker", "ward"), "A marker must be a column of numbers that differ."),
        (("--marker", "s100"), "There is no such column."),
        (("--marker", "gcs", "--marker", "gcs"), "Name every marker once."),
        (("--marker", "gcs", "--cutoff", "x"), "A cut-off is a number, or a marker and a number."),
        (
            ("--marker", "gcs", "--marker", "wfns", "--cutoff", "3"),
            "A cut-off is a number, or a marker and a number.",
        ),
        (
            ("--marker", "gcs", "--smaller-is-positive", "wfns"),
            "--smaller-is-positive must name markers.",
        ),
        (("--marker", "gcs", "--specificity", "2"), "--specificity must be between 0 and 1."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_cannot_work_is_said(table, monkeypatch, capsys, arguments, message):
    code, out, err = command(monkeypatch, capsys, "marker", table, *BASE, *arguments)
    assert code in (1, 2)
    assert out == ""
    assert message in err
