"""Model files: what is written comes back, and whatever else there is is refused in words."""

import io
import json
import os
import pickle
import zipfile

import numpy as np
import pytest
import skops.io
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import FunctionTransformer

import tlpo
from report.tables import patients
from tlpo.report.card import find_cutoffs
from tlpo.report.model_file import CARD, load_model, save_model, score
from tlpo.report.models import MODELS, Model, make_model
from tlpo.report.options import Options, Question
from tlpo.report.understand import understand
from tlpo.response import fit_and_respond

SUMMARY = {"source": "patients.csv", "date": "2026-01-01"}


def developed(name="logistic", columns=("age", "marker", "outcome"), gaps=False, n_patients=30):
    table = patients(n_patients)[list(columns)]
    if gaps:
        table.loc[3, "marker"] = np.nan
    sample = understand(table, Question("outcome", positive="yes"))
    model = make_model(name, sample)
    t = tlpo.tournament(model.estimator, model.features(sample), sample.y, positive="yes", n_jobs=1)
    return model, sample, t


def saved(path, name="logistic", **kwargs):
    model, sample, t = developed(name, **kwargs)
    notes = save_model(path, model, sample, t, SUMMARY, Options(specificity=0.8))
    return model, sample, t, notes


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "model.skops"
    saved(path)
    return path


@pytest.mark.parametrize("name", [name for name in MODELS if name not in ("forest", "boosting")])
def test_scores_come_back(name, tmp_path):
    columns = ("age", "marker", "site", "smoker", "outcome")
    model, sample, _, notes = saved(
        tmp_path / "m.skops", name, columns=columns, gaps=True, n_patients=14
    )
    fitted, card = load_model(str(tmp_path / "m.skops"))
    X = model.features(sample)
    assert card["as_table"]
    assert card["fills_gaps"]
    expected = fit_and_respond(model.estimator, X, sample.labels.is_positive, X)
    assert score(fitted, card, X) == pytest.approx(expected)
    holds = ["holds features of patients" in note for note in notes]
    assert holds == ([True] if name in ("knn", "idknn", "svm") else [])


def test_trees_come_back(tmp_path):
    model, sample, _, _ = saved(tmp_path / "m.skops", "forest:n_estimators=3")
    fitted, card = load_model(str(tmp_path / "m.skops"))
    X = model.features(sample)
    expected = model.estimator.fit(X, sample.y).predict_proba(X)[:, 1]
    assert score(fitted, card, X) == pytest.approx(expected)


def test_the_card_says_where_the_model_comes_from(tmp_path):
    columns = ("patient", "age", "marker", "site", "outcome")
    _, sample, t, _ = saved(tmp_path / "m.skops", columns=columns)
    _, card = load_model(str(tmp_path / "m.skops"))
    assert (card["target"], card["positive"], card["negative"]) == ("outcome", "yes", "no")
    assert card["auc"]["estimate"] == t.auc
    assert (card["auc"]["low"], card["auc"]["high"]) == tuple(t.auc_interval())
    age, _, site = card["columns"]
    assert (age["name"], age["median"]) == ("age", float(sample.X["age"].median()))
    assert site == {"name": "site", "kind": "categorical", "categories": ["north", "south"]}
    assert card["data"]["source"] == "patients.csv"
    assert card["data"]["n_units"] == card["data"]["rows_read"] == 30
    assert card["data"]["columns_not_used"] == [n for n in sample.notes if "'patient'" in n]
    assert card["versions"]["tlpo"] == tlpo.__version__
    assert not card["fills_gaps"]
    # A card is published: it holds no patient.
    assert "P07" not in json.dumps(card)


def test_cutoffs_against_counts_of_held_out_predictions():
    _, _, t = developed()
    y, F = t.labels.is_positive, t.predictions
    by_specificity, by_sensitivity, best = find_cutoffs(t, Options(specificity=0.8))
    found = {}
    for point in (by_specificity, by_sensitivity, best):
        above = point["threshold"] < F
        found[point["point"]] = (above[y][:, ~y].mean(), 1 - above[~y][:, y].mean())
        assert point["sensitivity"]["estimate"] == pytest.approx(found[point["point"]][0])
        assert point["specificity"]["estimate"] == pytest.approx(found[point["point"]][1])
        assert point["sensitivity"]["low"] < point["sensitivity"]["estimate"]
    assert found["specificity 0.8"][1] >= 0.8 - 1e-9
    assert found["sensitivity 0.8"][0] >= 0.8 - 1e-9
    assert sum(found["largest sensitivity + specificity"]) >= max(map(sum, found.values())) - 1e-9


def rewritten(path, tmp_path, card=None, model=None, drop=()):
    """Copy a model file with parts replaced."""
    content = path.read_bytes() if model is None else skops.io.dumps(model)
    with zipfile.ZipFile(path) as archive:
        old = json.loads(archive.read(CARD))
    target = tmp_path / "other.skops"
    with (
        zipfile.ZipFile(io.BytesIO(content)) as source,
        zipfile.ZipFile(target, "w") as archive,
    ):
        for name in source.namelist():
            if name != CARD and name not in drop:
                archive.writestr(name, source.read(name))
        if CARD not in drop:
            archive.writestr(CARD, json.dumps(old if card is None else card(old)))
    return target


def test_a_malicious_file_is_refused_by_name(good, tmp_path):
    bad = rewritten(good, tmp_path, model=FunctionTransformer(os.system))
    with pytest.raises(tlpo.InputError) as error:
        load_model(str(bad))
    assert str(error.value) == (
        "The model file holds objects that could run any code, so it was not loaded.\n"
        f"You passed {str(bad)!r} with objects of type 'posix.system'.\n"
        "Use a file that 'tlpo run … --save-model' wrote, from someone you trust."
    )


def message(why, path):
    return (
        f"The model file {why}.\nYou passed {str(path)!r}.\n"
        "Pass a file that 'tlpo run … --save-model' wrote, complete and unchanged."
    )


def test_a_foreign_file_is_refused(good, tmp_path):
    for content, why in (
        (pickle.dumps(LogisticRegression()), "is no model file, or it is damaged"),
        (b"", "is no model file, or it is damaged"),
        (b"age,outcome\n1,yes\n", "is no model file, or it is damaged"),
        (skops.io.dumps(LogisticRegression()), "was not written by tlpo: it holds no card"),
    ):
        path = tmp_path / "foreign.skops"
        path.write_bytes(content)
        with pytest.raises(tlpo.InputError) as error:
            load_model(str(path))
        assert str(error.value) == message(why, path)


def test_a_damaged_file_is_refused(good, tmp_path):
    content = good.read_bytes()
    path = tmp_path / "damaged.skops"
    for cut in (10, len(content) // 2, len(content) - 5):
        path.write_bytes(content[:cut])
        with pytest.raises(tlpo.InputError, match=r"The model file is .*damaged"):
            load_model(str(path))
    flipped = bytearray(content)
    middle = content.index(b".npy") + 200
    flipped[middle] ^= 0xFF
    path.write_bytes(bytes(flipped))
    with pytest.raises(tlpo.InputError, match=r"The model file is .*damaged"):
        load_model(str(path))


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ({"drop": ("schema.json",)}, "is damaged, or was not written by tlpo"),
        (
            {"card": lambda old: {**old, "format": 7}},
            "has a card of format 7; this tlpo reads 1",
        ),
        ({"card": lambda old: {**old, "auc": 1}}, "has a card that was changed or cut off"),
        ({"card": lambda old: {**old, "columns": [1]}}, "has a card that was changed or cut off"),
        ({"card": lambda old: [1]}, "has a card of format None; this tlpo reads 1"),
    ],
)
def test_a_file_with_other_parts_is_refused(good, tmp_path, parts, why):
    path = rewritten(good, tmp_path, **parts)
    with pytest.raises(tlpo.InputError) as error:
        load_model(str(path))
    assert str(error.value) == message(why, path)


def test_a_model_of_foreign_types_is_not_written(tmp_path):
    _, sample, t = developed()
    own = Model("mine", FunctionTransformer(os.system), "mine", is_own=True)
    own.estimator.fit = lambda X, y: own.estimator
    path = tmp_path / "m.skops"
    with pytest.raises(tlpo.InputError, match="cannot be saved in a form that is safe to load"):
        save_model(path, own, sample, t, SUMMARY, Options())
    assert not path.exists()
