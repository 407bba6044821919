"""Times to an event at the command line: ``tlpo marker --time``."""

import json

import pandas as pd
import pytest

import tlpo
from analysis.followed import followed
from commands.running import command

TIMES = ("--time", "months", "--event", "died")


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "t.csv"
    followed().to_csv(path, index=False)
    return path


def ask(monkeypatch, capsys, *arguments):
    """Return exit code, answer and everything else, in lines without their breaks."""
    code, out, err = command(monkeypatch, capsys, *arguments)
    return code, " ".join(out.split()), err


def test_files_hold_what_python_says(table, tmp_path, monkeypatch, capsys):
    names = {kind: tmp_path / f"out.{kind}" for kind in ("html", "json", "md", "csv")}
    code, out, err = ask(
        *(monkeypatch, capsys, "marker", table, *TIMES, "--marker", "crp", "--marker", "albumin"),
        *("--smaller-is-positive", "albumin", "--at", 5, 12),
        *(part for kind, path in names.items() for part in (f"--{kind}", path)),
    )
    assert code == 0, err
    frame = pd.read_csv(table)
    y = tlpo.time_to_event(frame["months"], frame["died"])
    crp = tlpo.assess(frame["crp"], y)
    albumin = tlpo.assess(frame["albumin"], y, larger_is_positive=False)
    found = json.loads(names["json"].read_text())
    assert found["kind"] == "survival marker"
    assert [m["concordance"] for m in found["markers"]] == [crp.concordance, albumin.concordance]
    assert [at["auc"] for at in found["markers"][0]["at"]] == [crp.auc_at(5), crp.auc_at(12)]
    assert found["comparisons"][0]["p_value"] == tlpo.compare(crp, albumin).p_value
    low, high = crp.concordance_interval()
    assert out.startswith(
        "Of two patients, the one with the earlier event has the larger crp with probability "
        f"{crp.concordance:.3f} (Harrell's concordance; 95% interval {low:.3f} to {high:.3f})."
    )
    assert err.startswith("The outcome is the time 'months' to 'died' ('yes' is the event): ")
    values = pd.read_csv(names["csv"])
    assert values.columns.tolist() == ["months", "died", "crp", "albumin"]
    assert values["months"].tolist() == frame["months"].tolist()
    assert (values["died"] == "event").tolist() == (frame["died"] == "yes").tolist()
    # The same page from the file.
    again = tmp_path / "again.html"
    code, shown, _ = ask(monkeypatch, capsys, "render", names["json"], "--html", again)
    assert (code, shown) == (0, out)
    assert again.read_bytes() == names["html"].read_bytes()


def test_a_code_is_named_as_the_event(table, tmp_path, monkeypatch, capsys):
    frame = pd.read_csv(table)
    frame["status"] = frame["died"].map({"yes": 3, "no": 1})
    frame.to_csv(table, index=False)
    path = tmp_path / "r.json"
    code, _, err = ask(
        *(monkeypatch, capsys, "marker", table, "--time", "months", "--event", "status == 3"),
        *("--marker", "crp", "--json", path),
    )
    assert code == 0, err
    found = json.loads(path.read_text())
    assert (found["target"], found["coding"]) == ("status", "3 is the event")
    assert sum(found["event"]) == (frame["died"] == "yes").sum()


@pytest.mark.parametrize(
    ("asked", "code", "said"),
    [
        (
            (*TIMES, "--cutoff", "3"),
            2,
            "tlpo: Cut-offs, prevalences and smoothed ROC curves are of two classes, and the "
            "outcome is a time to an event.\nYou passed --cutoff 3.\nLeave it out; --at 36 gives "
            "the ROC curve at a time.\n",
        ),
        (
            (*TIMES, "--prevalence", "0.1"),
            2,
            "tlpo: Cut-offs, prevalences and smoothed ROC curves are of two classes, and the "
            "outcome is a time to an event.\nYou passed --prevalence 0.1.\nLeave it out; --at 36 "
            "gives the ROC curve at a time.\n",
        ),
        (
            (*TIMES, "--smooth"),
            2,
            "tlpo: Cut-offs, prevalences and smoothed ROC curves are of two classes, and the "
            "outcome is a time to an event.\nYou passed --smooth.\nLeave it out; --at 36 gives the "
            "ROC curve at a time.\n",
        ),
        (
            (*TIMES, "--positive", "yes"),
            2,
            "tlpo: A time to an event is neither classes nor a number.\nYou passed --time months "
            "and --positive.\nLeave out one of the two.\n",
        ),
        (
            (*TIMES, "--ordered"),
            2,
            "tlpo: A time to an event is neither classes nor a number.\nYou passed --time months "
            "and --ordered.\nLeave out one of the two.\n",
        ),
        (
            ("--target", "died", "--at", "12"),
            2,
            "tlpo: Only a time to an event has times at which to report the AUC.\nYou passed --at "
            "12.0, but no column of times.\nName it, for example --time months.\n",
        ),
        (
            ("--time", "months"),
            2,
            "tlpo: An outcome is either one column, or a time and an event.\nYou passed --time "
            "months.\nFor example --target relapse, or --time months and --event died.\n",
        ),
        (
            (),
            2,
            "tlpo: An outcome is either one column, or a time and an event.\nYou passed neither.\n"
            "For example --target relapse, or --time months and --event died.\n",
        ),
        (
            (*TIMES, "--marker", "months"),
            1,
            "tlpo: A marker must be a column of numbers that differ.\nYou passed 'months', which "
            "is not.\nCode ordered categories as numbers, 1, 2, 3 …, or choose another column.\n",
        ),
    ],
)
def test_what_is_refused(asked, code, said, table, tmp_path, monkeypatch, capsys):
    found, out, err = ask(
        *(monkeypatch, capsys, "marker", table, "--marker", "crp", "--quiet", *asked),
        *("--json", tmp_path / "r.json"),
    )
    assert (found, out, err) == (code, "", said)
    assert not (tmp_path / "r.json").exists()


def test_a_specificity_is_that_of_the_curve_at_a_time(table, tmp_path, monkeypatch, capsys):
    path = tmp_path / "r.json"
    code, out, err = ask(
        *(monkeypatch, capsys, "marker", table, *TIMES, "--marker", "crp", "--json", path),
        *("--specificity", "0.75"),
    )
    assert code == 0, err
    (found,) = json.loads(path.read_text())["markers"][0]["at"]
    frame = pd.read_csv(table)
    crp = tlpo.assess(frame["crp"], tlpo.time_to_event(frame["months"], frame["died"]))
    expected = crp.sensitivity_at(specificity=0.75, time=found["time"])
    assert (found["specificity"], found["sensitivity"]) == (0.75, expected)
    assert "Sensitivity at specificity 0.75" in out
