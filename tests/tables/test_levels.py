"""Nothing that can be passed on holds a name: every output is searched for values of the table."""

import json
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tlpo
from tables import answer, patients
from tlpo.analysis.models import features_of
from tlpo.document.write import json_of
from tlpo.tables.build_sample import build_sample
from tlpo.tables.levels import RARE, find_levels, looks_like_names
from tlpo.tables.options import Specification

SURNAMES = [f"Qvist{letter}" for letter in "abcdefghijklmno"]


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def people():
    """Surnames twice each, three doctors of ten, a site with rare levels, a title of one."""
    table = patients(30).drop(columns=["patient", "clinic"])
    table["surname"] = [SURNAMES[k // 2] for k in range(30)]
    table["doctor"] = [f"Zadeh{k % 3}" for k in range(30)]
    table.loc[:1, "site"] = "Xanadu"
    table.loc[2, "site"] = "Yonder"
    return table


def written(*arguments, table=None):
    """Run the command and return everything that it writes or prints, by name."""
    names = ("r.json", "r.html", "r.md", "figures")
    files = [word for name in names for word in (f"--{name.rpartition('.')[2]}", name)]
    found = answer(people() if table is None else table, *files, *arguments)
    assert found.code == 0, found.text
    texts = {"terminal": found.text, "said": found.said}
    for path in [*Path().glob("r.*"), *Path().glob("figures/*.svg")]:
        texts[str(path)] = path.read_text()
    assert len(texts) > 6
    return texts


def holding(texts, *values):
    return {name: value for name, text in texts.items() for value in values if value in text}


@pytest.mark.exhaustive
def test_no_output_holds_a_name_or_a_rare_level():
    texts = written("--by", "doctor", "--by", "site")
    assert holding(texts, "Qvist", "Zadeh", "Xanadu", "Yonder") == {}
    summary = json.loads(texts["r.json"])
    levels = [row["level"] for row in summary["baseline"] if row["feature"] != "smoker"]
    assert levels[:5] == [
        *("north", "south", "other (2 levels)"),
        *("any of 15 levels, not named", "any of 3 levels, not named"),
    ]
    assert [row["subgroup"] for row in summary["models"][0]["subgroups"]] == [
        *(f"level {k}, not named" for k in (1, 2, 3)),
        *("north", "other (2 levels)", "south"),
    ]
    weighed = {row["feature"] for row in summary["models"][0]["final"]["rows"]}
    assert {"doctor: level 1, not named", "surname: other (15 levels)"} < weighed
    assert (
        "'surname' and 'doctor' look like names or free text, so their values are not written "
        "here. If they identify people, run the analysis again without 'surname' and 'doctor'; if "
        "they are categories that may be shown, run the analysis again with 'surname' and "
        "'doctor' as categories."
    ) in summary["warnings"]
    assert (
        "If they identify people, run the analysis again with --drop surname doctor; if they are "
        "categories that may be shown, run the analysis again with --categorical surname doctor."
    ) in texts["terminal"]


@pytest.mark.exhaustive
def test_what_the_user_calls_a_category_is_listed_except_for_rare_levels():
    texts = written("--categorical", "surname", "doctor", "--by", "doctor")
    assert holding(texts, "Qvist", "Xanadu", "Yonder") == {}
    summary = json.loads(texts["r.json"])
    assert [row["level"] for row in summary["baseline"] if row["feature"] == "doctor"] == [
        *("Zadeh0", "Zadeh1", "Zadeh2")
    ]
    assert {row["subgroup"] for row in summary["models"][0]["subgroups"]} == {
        *("Zadeh0", "Zadeh1", "Zadeh2")
    }
    assert not any("look like names" in warning for warning in summary["warnings"])


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("surname!=Qvista", "a condition on 'surname'"),
        ("doctor!=Zadeh0", "a condition on 'doctor'"),
        ("site!=Yonder", "a condition on 'site'"),
        ("mrn!=1007", "a condition on 'mrn'"),
        ("mrn>=1002", "a condition on 'mrn'"),
        ("site!=south", "site!=south"),
        ("age>=40", "age>=40"),
        ("1-28", "1-28"),
    ],
)
def test_conditions_on_rows_are_said_unless_they_point_at_a_patient(condition, said):
    table = people().assign(mrn=np.arange(30) % 29 + 1000)
    sample = build_sample(table, Specification("outcome", rows=(condition,)))
    assert sample.rows == [said]


@pytest.mark.exhaustive
def test_a_condition_on_a_name_is_in_no_output():
    texts = written("--rows", "surname!=Qvista", "--drop", "surname", "doctor")
    assert holding(texts, "Qvist") == {}
    said = "2 of 30 rows were left out on request: 2 not selected by a condition on 'surname'."
    assert said in texts["r.md"]
    assert "Only rows selected by a condition on 'surname' were analysed." in texts["r.md"]


def test_a_model_file_holds_no_rare_level():
    pytest.importorskip("skops")
    table = people().drop(columns=["surname", "doctor"])
    assert answer(table, "--save-model", "m.skops").code == 0
    with zipfile.ZipFile("m.skops") as archive:
        content = b"".join(archive.read(name) for name in archive.namelist())
        site = json.loads(archive.read("tlpo.json"))["columns"][-1]
    assert b"Xanadu" not in content
    assert "Xanadu".encode("utf-32-le") not in content
    assert site["categories"] == ["north", "south"]
    assert site["other"] == "other (2 levels)"


def test_new_patients_with_a_level_that_is_not_listed_are_scored_as_other():
    from tlpo.analysis.validate import validate

    pytest.importorskip("skops")
    table = people().drop(columns=["surname", "doctor"])
    assert answer(table, "--save-model", "m.skops").code == 0
    found = validate("m.skops", "t.csv", target="outcome")
    new = table.replace({"site": {"Xanadu": "Elsewhere", "Yonder": "Nowhere"}})
    new.to_csv("new.csv", index=False)
    other = validate("m.skops", "new.csv", target="outcome")
    assert other.auc.estimate == found.auc.estimate
    assert (
        "'site' has 2 categories that the model does not list, and scores as 'other (2 levels)', "
        "in 3 rows."
    ) in other.remarks
    assert "Elsewhere" not in json_of(other)


def test_a_model_of_names_is_not_saved():
    pytest.importorskip("skops")
    found = answer(people(), "--save-model", "m.skops")
    assert (found.code, found.text) == (
        1,
        "tlpo: The model file would hold values that look like names or free text. You passed the "
        "columns 'surname', 'doctor'. Leave them out with --drop surname doctor or, if they are "
        "categories that may be passed on, say so with --categorical surname doctor.",
    )
    assert not Path("m.skops").exists()


@pytest.mark.parametrize(
    ("name", "counts", "expected"),
    [
        ("Initials", {"AB": 10, "CD": 10}, True),
        ("operator 2", {"A": 10, "B": 10}, True),
        ("LastName", {"A": 10, "B": 10}, True),
        ("patient", {"P1": 10, "P2": 10}, True),
        ("saw a doctor", {"Yes": 10, "no": 10}, False),
        ("x", dict.fromkeys("abcdef", 3), True),
        ("x", dict.fromkeys("abcdef", 4), False),
        ("x", dict.fromkeys("abcde", 1), False),
        ("x", {"came in with a cough that had lasted " * 3: 20, "well": 20}, True),
    ],
)
def test_what_looks_like_names(name, counts, expected):
    assert looks_like_names(name, counts) is expected


def test_levels_are_counted_in_patients_not_rows():
    values = ["a"] * 6 + ["b"] * 6
    patients = [1, 1, 2, 2, 2, 2, 3, 4, 5, 5, 6, 6]
    assert find_levels("x", values, patients, False).kept == ("b",)
    assert find_levels("x", values, None, False).kept == ("a", "b")


def test_a_level_called_as_the_pooled_ones_stays_apart():
    levels = find_levels("x", ["other (1 level)"] * RARE + ["a"], None, False)
    assert levels.pool(["a", "other (1 level)"]) == ["(other (1 level))", "other (1 level)"]


def test_own_models_get_the_table_as_it_is_and_others_the_pooled_levels():
    sample = build_sample(people(), Specification("outcome"))
    assert set(sample.X["site"]) == {"north", "south", "Xanadu", "Yonder"}
    assert set(features_of(sample)["site"]) == {"north", "south", "other (2 levels)"}
    assert set(sample.X["site"]) == {"north", "south", "Xanadu", "Yonder"}


@pytest.mark.exhaustive
def test_coefficients_of_own_models_tell_no_level():
    Path("own_encoder.py").write_text(
        "from sklearn.compose import make_column_transformer as prepare\n"
        "from sklearn.linear_model import LogisticRegression\n"
        "from sklearn.pipeline import make_pipeline\n"
        "from sklearn.preprocessing import OneHotEncoder\n"
        "encoder = OneHotEncoder(handle_unknown='ignore', sparse_output=False)\n"
        "columns = prepare((encoder, ['doctor', 'site']), ('passthrough', ['age']))\n"
        "model = make_pipeline(columns, LogisticRegression(max_iter=1000, tol=1e-2))\n"
    )
    files = ("--json", "own.json", "--html", "own.html")
    assert answer(people(), "--model", "own_encoder:model", *files).code == 0
    for name in files[1::2]:
        assert holding({name: Path(name).read_text()}, "Zadeh", "Xanadu", "Yonder") == {}
    own = json.loads(Path("own.json").read_text())["models"][-1]["final"]
    assert sorted({row["feature"] for row in own["rows"]}) == [
        "a level that is not named",
        "onehotencoder__site_north",
        "onehotencoder__site_south",
        "remainder__age" if "remainder" in str(own) else "passthrough__age",
    ]


def test_codes_are_categories_if_the_user_says_so():
    table = patients(30)[["marker", "outcome"]]
    table["grade"] = pd.Series([1.0, 2.0, np.nan] * 10)
    assert build_sample(table, Specification("outcome")).numeric == ["marker", "grade"]
    sample = build_sample(table, Specification("outcome", categorical=["grade"]))
    assert (sample.numeric, sample.categorical) == (["marker"], ["grade"])
    assert sample.X["grade"].dropna().unique().tolist() == ["1", "2"]
    assert sample.X["grade"].isna().sum() == 10
    with pytest.raises(tlpo.InputError, match="There is no such column"):
        build_sample(table, Specification("outcome", categorical=["grades"]))


def test_numbers_that_mix_with_text_are_a_category_if_the_user_says_so():
    table = patients(30)[["marker", "outcome"]].assign(stage=["1", "2", "3", "4", "2b"] * 6)
    with pytest.raises(tlpo.InputError, match="mixes numbers and text"):
        build_sample(table, Specification("outcome"))
    sample = build_sample(table, Specification("outcome", categorical=["stage"]))
    assert sample.levels["stage"].kept == ("1", "2", "2b", "3", "4")
