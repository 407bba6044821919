"""Saved models of times to an event at the command line: run, validate, render."""

import json

import pytest

from analysis.followed import followed
from commands.running import command

TIMES = ("--time", "months", "--event", "died")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    columns = ["months", "died", "crp", "stage"]
    followed(40)[columns].to_csv(folder / "old.csv", index=False)
    followed(30, seed=7)[columns].to_csv(folder / "new.csv", index=False)
    return folder


@pytest.fixture
def ask(folder, monkeypatch, capsys):
    """Return exit code, answer and everything else, in lines without their breaks."""

    def ask(*arguments):
        monkeypatch.chdir(folder)
        code, out, err = command(monkeypatch, capsys, *arguments)
        return code, " ".join(out.split()), err

    return ask


def test_from_table_to_model_to_new_patients(ask, folder):
    code, _, err = ask(
        *("run", "old.csv", *TIMES, "--at", 5, 12, "--model", "cox", "--n-jobs", 1),
        *("--save-model", "m.skops", "--json", "old.json", "--html", "old.html"),
    )
    assert code == 0, err
    assert err.splitlines()[-1] == "Written: m.skops"
    old = json.loads((folder / "old.json").read_text())
    assert old["model_file"] == "m.skops"
    assert (
        "Saved as m.skops, which tlpo validate applies to new patients."
        in (folder / "old.html").read_text()
    )
    code, out, err = ask("validate", "m.skops", "new.csv", "--json", "v.json", "--html", "v.html")
    assert code == 0, err
    found = json.loads((folder / "v.json").read_text())
    assert found["kind"] == "survival validation"
    (model,) = old["models"]
    assert found["concordance"]["development"]["estimate"] == model["concordance"]
    assert found["concordance"]["development"]["low"] == pytest.approx(model["interval"]["low"])
    for one, then in zip(found["at"], model["at"], strict=True):
        assert one["development"]["estimate"] == then["auc"]
        assert one["development"]["high"] == pytest.approx(then["interval"]["high"])
    assert out.startswith(f"Harrell's concordance {found['concordance']['estimate']:.3f} (")
    # The same page from the file.
    code, shown, _ = ask("render", "v.json", "--html", "again.html")
    assert (code, shown) == (0, out)
    assert (folder / "again.html").read_bytes() == (folder / "v.html").read_bytes()
    # Other times, and what the other kind of model takes.
    code, out, err = ask("validate", "m.skops", "new.csv", "--at", 7, "--event", "died == yes")
    assert code == 0, err
    assert "AUC at 7 (months)" in out
    code, out, err = ask("validate", "m.skops", "new.csv", "--target", "died")
    assert (code, out) == (2, "")
    assert err == (
        "tlpo: The model is one of times to an event.\nYou passed --target died.\n"
        "Name the columns with --time months and --event died, or leave them out if they are "
        "called as in development.\n"
    )
    code, out, err = ask("validate", "m.skops", "new.csv", "--at", "-3")
    assert (code, out, err.splitlines()[0]) == (2, "", "tlpo: --at must be a time above 0.")


def test_one_model_is_saved(ask, folder):
    code, out, err = ask(
        *("run", "old.csv", *TIMES, "--model", "cox", "--model", "cox:alpha=10"),
        *("--save-model", "none.skops"),
    )
    assert (code, out) == (2, "")
    assert err == (
        "tlpo: Only one model can be saved.\nYou passed --save-model and 2 models: cox, "
        "cox:alpha=10.\nChoose one, for example --model cox.\n"
    )
    assert not (folder / "none.skops").exists()


def test_names_are_not_saved(ask, folder):
    table = followed(40).assign(doctor=["Zadeh", "Qvist"] * 20)
    table.to_csv(folder / "named.csv", index=False)
    code, out, err = ask(
        *("run", "named.csv", *TIMES, "--model", "cox", "--save-model", "none.skops", "--quiet")
    )
    assert (code, out) == (1, "")
    assert err.startswith(
        "tlpo: The model file would hold values that look like names or free text.\n"
        "You passed the columns 'doctor'.\n"
    )
    assert not (folder / "none.skops").exists()
