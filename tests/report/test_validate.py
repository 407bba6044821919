"""From table to model to new table, against counts and DeLong's variance by hand."""

import json
import sys

import numpy as np
import pytest

import tlpo
from report.tables import patients
from tlpo.cli import main
from tlpo.report.new_rows import FACTOR
from tlpo.report.validate import difference, validate

COLUMNS = ["age", "marker", "site", "outcome"]


def command(*arguments):
    """Run the command line in this process; return its exit code."""
    old, sys.argv = sys.argv, ["tlpo", *map(str, arguments)]
    try:
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code or 0
    finally:
        sys.argv = old


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    patients(40)[COLUMNS].to_csv(folder / "old.csv", index=False)
    code = command(
        *("run", folder / "old.csv", "--target", "outcome", "--model", "logistic"),
        *("--save-model", folder / "m.skops", "--json", folder / "old.json"),
        *("--n-jobs", 1, "--quiet"),
    )
    assert code == 0
    return folder


def outcome_of(folder, table, **options):
    table.to_csv(folder / "new.csv", index=False)
    return validate(str(folder / "m.skops"), str(folder / "new.csv"), **options)


def new_patients():
    return patients(50, seed=9)[COLUMNS]


def test_the_auc_against_pairs_and_delong_by_hand(folder):
    import tlpo.report.model_file as file

    table = new_patients()
    found = outcome_of(folder, table)
    fitted, card = file.load_model(str(folder / "m.skops"))
    scores = file.score(fitted, card, table[["age", "marker", "site"]])
    ill = (table["outcome"] == "yes").to_numpy()
    wins = (scores[ill][:, None] > scores[~ill]) + 0.5 * (scores[ill][:, None] == scores[~ill])
    assert found["auc"]["estimate"] == pytest.approx(wins.mean())
    variance = sum(wins.mean(axis=k).var(ddof=1) / wins.shape[1 - k] for k in (0, 1))
    half = 1.959964 * np.sqrt(variance)
    assert found["auc"]["high"] - found["auc"]["low"] == pytest.approx(2 * half, rel=1e-5)
    for point in found["cutoffs"]:
        above = scores > point["threshold"]
        assert point["sensitivity"]["count"] == above[ill].sum()
        assert point["specificity"]["estimate"] == pytest.approx((~above[~ill]).mean())
    p = fitted.predict_proba(table[["age", "marker", "site"]])[:, 1]
    assert found["probabilities"]["brier"]["estimate"] == pytest.approx(np.mean((p - ill) ** 2))
    old = json.loads((folder / "old.json").read_text())
    assert card["auc"]["estimate"] == old["models"][0]["headline"]["auc"]
    assert found["remarks"] == []


def test_differences_by_hand():
    new = {"estimate": 0.7, "low": 0.6, "high": 0.9}
    old = {"estimate": 0.8, "low": 0.5, "high": 0.85}
    found = difference(new, old, 0.95)
    assert found["estimate"] == pytest.approx(-0.1)
    assert found["low"] == pytest.approx(-0.1 - np.hypot(0.1, 0.05))
    assert found["high"] == pytest.approx(-0.1 + np.hypot(0.2, 0.3))


def test_groups_widen_the_limits(folder):
    table = new_patients()
    alone = outcome_of(folder, table)
    twice = outcome_of(
        folder, table.loc[table.index.repeat(3)].assign(who=np.repeat(np.arange(50), 3))
    )
    grouped = outcome_of(
        folder,
        table.loc[table.index.repeat(3)].assign(who=np.repeat(np.arange(50), 3)),
        group="who",
    )

    def width(found):
        return found["auc"]["high"] - found["auc"]["low"]

    assert width(twice) < 0.7 * width(alone)
    assert width(grouped) == pytest.approx(width(alone), rel=0.03)
    rate = [found["cutoffs"][0]["specificity"] for found in (alone, grouped)]
    assert rate[1]["low"] == pytest.approx(rate[0]["low"], abs=0.02)


def test_what_is_odd_is_said(folder):
    table = new_patients()
    table["age"] *= 12
    table.loc[:3, "site"] = "west"
    table.loc[5, "outcome"] = None
    table.loc[7, "marker"] = np.nan
    assert outcome_of(folder, table)["remarks"] == [
        "Left out: 1 row without an outcome.",
        f"The median of 'age' is {table['age'].drop(5).median():.4g}; in development it was "
        f"{patients(40)['age'].median():.4g}. Check that it is in the same units.",
        "'site' has categories that development did not see, and the model ignores: 'west'.",
        "Left out: 1 row with missing values, which the model cannot fill, because development had "
        "none.",
    ]


def test_a_median_within_the_range_is_not_odd(folder):
    table = new_patients()
    assert FACTOR > 1
    table["age"] += 5
    assert outcome_of(folder, table)["remarks"] == []


def test_the_patients_of_development_are_recognised(folder):
    assert outcome_of(folder, patients(40)[COLUMNS])["remarks"] == [
        "These are the patients that the model was developed on: this is no validation."
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda t: t.rename(columns={"marker": "Markers"}),
            "The model 'logistic' needs columns that the table does not have.\n"
            "Missing: 'marker'. Columns that are not used: 'Markers'.\n"
            "Rename them as in development: 'Markers' may be 'marker'.",
        ),
        (
            lambda t: t.drop(columns="age"),
            "The model 'logistic' needs columns that the table does not have.\n"
            "Missing: 'age'. Columns that are not used: none.\n"
            "Name columns as in development.",
        ),
        (
            lambda t: t.rename(columns={"outcome": "death"}),
            "There is no such column.\n"
            "Missing: 'outcome'. Columns that are not used: 'death'.\n"
            "Name columns as in development.",
        ),
        (
            lambda t: t.replace({"outcome": {"yes": "dead"}}),
            "The outcome has labels that development did not have.\n"
            "You passed target='outcome' with 'dead'; the labels were 'no' and 'yes'.\n"
            "Name the labels as in development.",
        ),
        (
            lambda t: t[t["outcome"] == "yes"],
            "Both outcomes must occur.\n"
            "You passed 25 rows with the outcome 'yes' alone.\n"
            "Pass patients of both classes.",
        ),
        (
            lambda t: t.assign(age="old"),
            "The column 'age' was a number in development, and holds text here.\n"
            "You passed 'old'.\n"
            "Replace the text by numbers, or by nothing where there is none.",
        ),
    ],
)
def test_what_cannot_be_tested_is_refused(folder, change, message):
    with pytest.raises(tlpo.InputError) as error:
        outcome_of(folder, change(new_patients()))
    assert str(error.value) == message


def test_the_command_writes_page_and_json(folder, capsys):
    new_patients().to_csv(folder / "c.csv", index=False)
    code = command(
        *("validate", folder / "m.skops", folder / "c.csv", "--target", "outcome"),
        *("--html", folder / "v.html", "--json", folder / "v.json"),
    )
    assert code == 0
    found = json.loads((folder / "v.json").read_text())
    shown = capsys.readouterr().out
    assert f"AUC {found['auc']['estimate']:.3f} (95% interval" in shown
    assert "At the cut-off for specificity 0.9 (score > " in shown
    page = (folder / "v.html").read_text()
    assert "<script" not in page
    assert f"{found['auc']['estimate']:.3f}" in page
    assert "Sensitivity at the cut-off for sensitivity 0.9" in page


def test_the_command_refuses_what_it_would_overwrite_and_several_models(folder, capsys):
    before = (folder / "m.skops").read_bytes()
    code = command("validate", folder / "m.skops", folder / "old.csv", "--html", folder / "m.skops")
    assert code == 2
    assert "--html would overwrite the model." in capsys.readouterr().err
    assert (folder / "m.skops").read_bytes() == before
    code = command(
        *("run", folder / "old.csv", "--target", "outcome", "--save-model", folder / "n.skops"),
        "--quiet",
    )
    assert code == 2
    assert "Only one model can be saved." in capsys.readouterr().err
