"""A saved model reads new rows as development read its own, against tables cleaned by hand."""

import json

import numpy as np
import pandas as pd
import pytest

import tlpo
from analysis.test_validate import command
from tlpo.analysis.model_file import load_model
from tlpo.analysis.validate import validate


def raw(m, seed):
    """Write a table as people have it: codes, 999, four grades of which two belong together."""
    rng = np.random.default_rng(seed)
    grade = rng.integers(0, 4, m)
    table = pd.DataFrame(
        {
            "age": rng.integers(30, 80, m),
            "marker": (rng.normal(size=m) + 0.7 * (grade > 1)).round(3),
            "race": rng.integers(1, 4, m),
            "grade": np.array(["none", "mild, early", "Moderate", "severe"])[grade],
        }
    )
    table.loc[rng.choice(m, 4, replace=False), "age"] = 999
    table.loc[rng.choice(m, 3, replace=False), "marker"] = -9
    return table


def cleaned(table):
    """Do by hand what is said to the command."""
    return table.assign(
        age=table["age"].where(table["age"] != 999),
        marker=table["marker"].where(table["marker"] != -9),
        race="r" + table["race"].astype(str),
        grade=np.where(table["grade"].str.lower().isin(["none", "mild, early"]), "no", "yes"),
    )


SAID = (
    *("--classes", '"mild, early",none', "moderate,severe", "--positive", "moderate,severe"),
    *("--missing", "999", "marker=-9", "--categorical", "race"),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reading")
    for name, table, said in (("raw", raw(60, 0), SAID), ("clean", cleaned(raw(60, 0)), ())):
        table.to_csv(folder / f"{name}.csv", index=False)
        code = command(
            *("run", folder / f"{name}.csv", "--target", "grade", "--model", "logistic"),
            *("--save-model", folder / f"{name}.skops", "--json", folder / f"{name}.json"),
            *("--n-jobs", 1, "--quiet", *said),
        )
        assert code == 0
    return folder


def test_the_same_model_is_developed(folder):
    found, expected = (json.loads((folder / f"{n}.json").read_text()) for n in ("raw", "clean"))
    assert found["models"][0]["auc"] == expected["models"][0]["auc"]
    assert found["sample"]["missing_cells"] == expected["sample"]["missing_cells"] == 7
    _, card = load_model(str(folder / "raw.skops"))
    assert card.missing == ["999", "marker=-9"]
    assert card.classes == {
        '"mild, early",none': ["mild, early", "none"],
        "moderate,severe": ["Moderate", "severe"],
    }


def validated(folder, name, table):
    table.to_csv(folder / "new.csv", index=False)
    return validate(str(folder / f"{name}.skops"), str(folder / "new.csv"))


def test_new_rows_are_read_as_in_development(folder):
    new = raw(50, 1)
    expected = validated(folder, "clean", cleaned(new))
    found = validated(folder, "raw", new)
    assert (found.n_units, found.n_positive) == (50, expected.n_positive)
    assert found.auc.estimate == expected.auc.estimate
    assert [c.sensitivity.estimate for c in found.cutoffs] == [
        c.sensitivity.estimate for c in expected.cutoffs
    ]
    assert "Taken for missing: '999' in 'age'; '-9' in 'marker'." in found.remarks
    # In other capitals, with other decimals, and without any code for missing.
    other = new.assign(grade=new["grade"].str.upper(), race=new["race"].astype(float))
    assert validated(folder, "raw", other).auc == found.auc
    whole = new[(new["age"] != 999) & (new["marker"] != -9)]
    assert not [r for r in validated(folder, "raw", whole).remarks if "Taken for" in r]


def test_a_label_of_neither_class_is_left_out_and_said(folder):
    new = raw(50, 1)
    new.loc[0, "grade"] = "unclear"
    found = validated(folder, "raw", new)
    assert found.n_units == 49
    assert "Left out: 1 row with another outcome, as in development." in found.remarks


def test_groups_of_two_columns_when_validating(folder):
    new = raw(50, 1).assign(centre=[*"ab"] * 25, patient=np.repeat(np.arange(25), 2))
    new["both"] = new["centre"] + new["patient"].astype(str)
    new.to_csv(folder / "new.csv", index=False)
    path = str(folder / "raw.skops")
    two = validate(path, str(folder / "new.csv"), group=["centre", "patient"])
    one = validate(path, str(folder / "new.csv"), group="both")
    alone = validate(path, str(folder / "new.csv"), group="patient")
    assert two.auc == one.auc
    assert two.auc.low != alone.auc.low
    assert two.group == "centre and patient"
    with pytest.raises(tlpo.InputError, match="There is no such column"):
        validate(path, str(folder / "new.csv"), group=["centre", "nobody"])


def test_markers_are_asked_about_codes_and_take_them(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    table = raw(60, 0)
    table.to_csv("t.csv", index=False)
    clean = cleaned(table)
    asked = ("marker", "t.csv", "--target", "grade", "--marker", "marker", "--json", "r.json")
    two = ("--classes", '"mild, early",none', "moderate,severe", "--positive", "moderate,severe")
    assert command(*asked, *two) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "-9 in 'marker' looks like a code for a missing value" in said
    assert "with --missing marker=-9" in said
    assert command(*asked, *two, "--missing", "-9", "--rows", "1-50") == 0
    assert "looks like a code" not in capsys.readouterr().out
    found = json.loads((tmp_path / "r.json").read_text())
    rows = clean.iloc[:50].dropna(subset="marker")
    expected = tlpo.assess(rows["marker"], rows["grade"], positive="yes").auc
    assert found["markers"][0]["auc"] == expected
