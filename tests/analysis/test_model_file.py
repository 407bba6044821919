"""Model files: what is written comes back, and whatever else there is is refused in words."""

import io
import json
import os
import pickle
import subprocess
import sys
import zipfile

import msgspec
import numpy as np
import pytest
import skops.io
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import FunctionTransformer

import tlpo
from analysis import model_edits
from tables import patients
from tlpo.analysis.model_file import CARD, load_model, save_model, score
from tlpo.analysis.models import MODELS, Model, make_model
from tlpo.analysis.options import Options
from tlpo.analysis.shapes import CategoricalColumn
from tlpo.analysis.summarize import complete, describe_sample, describe_tournament
from tlpo.games.response import fit_and_respond
from tlpo.plurals import noun
from tlpo.tables.build_sample import build_sample
from tlpo.tables.options import Specification

ASKED = Options(specificity=0.8)


def developed(name="logistic", columns=("age", "marker", "outcome"), gaps=False, n_patients=30):
    table = patients(n_patients)[list(columns)]
    if gaps:
        table.loc[3, "marker"] = np.nan
    sample = build_sample(table, Specification("outcome", positive="yes"))
    model = make_model(name, sample)
    t = tlpo.tournament(model.estimator, model.features(sample), sample.y, positive="yes", n_jobs=1)
    # Without the other estimates of the AUC, which take longer and are not saved.
    own = describe_tournament(model.name, t, ASKED, model.what, model.described)
    analysis = complete(
        *(sample.labels, noun(sample.unit), [own], {model.name: t}, ASKED),
        **{"source": "patients.csv", "model_file": None, "target": "outcome"},
        **{"sample": describe_sample(sample), "baseline": []},
    )
    return model, sample, t, analysis


def saved(path, name="logistic", **kwargs):
    model, sample, t, analysis = developed(name, **kwargs)
    notes = save_model(path, model, sample, t, analysis, ASKED)
    return model, sample, t, notes


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "model.skops"
    saved(path)
    return path


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "name",
    [name for name, entry in MODELS.items() if entry.make and name not in ("forest", "boosting")],
)
def test_scores_come_back(name, tmp_path):
    columns = ("age", "marker", "site", "smoker", "outcome")
    model, sample, _, notes = saved(
        tmp_path / "m.skops", name, columns=columns, gaps=True, n_patients=14
    )
    fitted, card = load_model(str(tmp_path / "m.skops"))
    X = model.features(sample)
    assert card.as_table
    assert card.fills_gaps
    expected = fit_and_respond(model.estimator, X, sample.labels.is_positive, X)
    assert score(fitted, card, sample.X) == pytest.approx(expected)
    holds = ["holds features of patients" in note for note in notes]
    assert holds == ([True] if name in ("knn", "idknn", "svm") else [])


def test_trees_come_back(tmp_path):
    model, sample, _, _ = saved(tmp_path / "m.skops", "forest:n_estimators=3")
    fitted, card = load_model(str(tmp_path / "m.skops"))
    X = model.features(sample)
    expected = model.estimator.fit(X, sample.y).predict_proba(X)[:, 1]
    assert score(fitted, card, sample.X) == pytest.approx(expected)


def test_the_card_says_where_the_model_comes_from(tmp_path):
    columns = ("patient", "age", "marker", "site", "outcome")
    _, sample, t, _ = saved(tmp_path / "m.skops", columns=columns)
    _, card = load_model(str(tmp_path / "m.skops"))
    assert (card.target, card.positive, card.negative) == ("outcome", "yes", "no")
    assert card.auc.estimate == t.auc
    assert (card.auc.low, card.auc.high) == tuple(t.auc_interval())
    age, _, site = card.columns
    assert (age.name, age.median) == ("age", float(sample.X["age"].median()))
    assert site == CategoricalColumn("site", 0, ["north", "south"], None)
    assert card.data.source == "patients.csv"
    assert card.data.n_units == card.data.rows_read == 30
    assert card.data.columns_not_used == [n for n in sample.notes if "'patient'" in n]
    assert card.versions.tlpo == tlpo.__version__
    assert not card.fills_gaps
    # A card is published: it holds no patient.
    assert "P07" not in msgspec.json.encode(card).decode()


@pytest.mark.parametrize(("name", "scale"), [("logistic", "probability"), ("rls", "score")])
def test_cutoffs_are_those_of_the_report(name, scale, tmp_path):
    _, _, t, _ = saved(tmp_path / "m.skops", name)
    _, card = load_model(str(tmp_path / "m.skops"))
    assert card.scale == t.held_out.scale == scale
    asked = {
        "specificity at least 0.8": {"specificity": 0.8},
        "sensitivity at least 0.8": {"sensitivity": 0.8},
        "largest sensitivity + specificity": {"rule": "youden"},
    }
    assert [cutoff.point for cutoff in card.cutoffs] == list(asked)
    for cutoff in card.cutoffs:
        point = t.operating_point(**asked[cutoff.point])
        assert cutoff.threshold == point["cutoff"]
        for rate in ("sensitivity", "specificity"):
            found = getattr(cutoff, rate)
            expected = [point[f"{rate}{end}"] for end in ("", "_low", "_high")]
            assert [found.estimate, found.low, found.high] == pytest.approx(expected, abs=1e-6)
        # As many of the held-out means lie above it as the point calls positive.
        assert (t.held_out.scores > cutoff.threshold).sum() == point["tp"] + point["fp"]


def rewritten(path, tmp_path, card=None, model=None, drop=(), sealed=False):
    """Copy a model file with parts replaced; sealed, with all digests computed anew."""
    members = model_edits.opened(path)
    old = json.loads(members.pop(CARD))
    if model is not None:
        with zipfile.ZipFile(io.BytesIO(skops.io.dumps(model))) as source:
            members = {name: source.read(name) for name in source.namelist()}
    members[CARD] = json.dumps(old if card is None else card(old)).encode()
    target = tmp_path / "other.skops"
    kept = {name: content for name, content in members.items() if name not in drop}
    model_edits.closed(target, kept, sealed)
    return target


def test_a_malicious_file_is_refused_by_name(good, tmp_path):
    bad = rewritten(good, tmp_path, model=FunctionTransformer(os.system), sealed=True)
    with pytest.raises(tlpo.InputError) as error:
        load_model(str(bad))
    assert str(error.value) == (
        "The model file holds objects that could run any code, so it was not loaded.\n"
        f"You passed {str(bad)!r} with objects of type 'posix.system'.\n"
        "Use a model file that tlpo wrote, from someone you trust."
    )


def message(why, path):
    return (
        f"The model file {why}.\nYou passed {str(path)!r}.\n"
        "Pass a model file that tlpo wrote, complete and unchanged."
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
        ({"drop": ("schema.json",)}, "was changed after it was saved: 'schema.json'"),
        (
            {"card": lambda old: {**old, "format": 7}},
            "has a card of format 7; this tlpo reads 5 and 6",
        ),
        ({"card": lambda old: {**old, "name": "x"}}, "was changed after it was saved: 'tlpo.json'"),
        (
            {"card": lambda old: {**old, "auc": 1}, "sealed": True},
            "has a card that was changed: 'auc': expected `object`, got `int`",
        ),
        (
            {"card": lambda old: {**old, "trial": [0, 1, 2]}, "sealed": True},
            "was changed so that it cannot work: it predicts other scores than when it was saved",
        ),
        (
            {"model": LogisticRegression().fit([[1], [2]], ["a", "b"]), "sealed": True},
            "was changed so that it cannot work: its labels are 'a', 'b'",
        ),
        ({"card": lambda old: [1]}, "has a card that was changed or cut off"),
    ],
)
def test_a_file_with_other_parts_is_refused(good, tmp_path, parts, why):
    path = rewritten(good, tmp_path, **parts)
    with pytest.raises(tlpo.InputError) as error:
        load_model(str(path))
    assert str(error.value) == message(why, path)


def test_a_model_of_foreign_types_is_not_written(tmp_path):
    _, sample, t, analysis = developed()
    own = Model("mine", FunctionTransformer(os.system), "mine", is_own=True)
    own.estimator.fit = lambda X, y: own.estimator
    path = tmp_path / "m.skops"
    with pytest.raises(tlpo.InputError, match="cannot be saved in a form that is safe to load"):
        save_model(path, own, sample, t, analysis, ASKED)
    assert not path.exists()


@pytest.mark.parametrize("version", [1, 2, 3, 4])
def test_a_file_of_an_earlier_format_says_what_to_do(good, tmp_path, version):
    path = rewritten(good, tmp_path, card=lambda old: {**old, "format": version})
    with pytest.raises(tlpo.InputError) as error:
        load_model(str(path))
    assert str(error.value) == (
        f"The model file is of format {version}, which an earlier tlpo wrote; this one reads 5 and "
        f"6.\nYou passed {str(path)!r}.\nSave the model again with this version."
    )


def edits(folder):
    """Write models, each edited in one way; return what was done to each file, by its name."""
    done = {}

    def put(what, members, sealed=True):
        model_edits.closed(folder / f"{len(done):04d}.skops", members, sealed)
        done[f"{len(done):04d}"] = what

    for k, name in enumerate(model_edits.MODELS):
        columns = ("age", "marker", *(["site"] if k % 2 else []), "outcome")
        path = folder.parent / f"{k}.skops"
        # The card that is edited has cut-offs, for which a model must be better than chance.
        n_patients = 30 if name == "logistic" else 12
        saved(path, name, columns=columns, gaps=k % 3 == 0, n_patients=n_patients)
        members = model_edits.opened(path)
        put(f"{name}: unedited", members)
        for what, new in model_edits.array_edits(members, 5):
            put(f"{name}: {what}", new)
        put(f"{name}: {what}, not sealed", new, sealed=False)
        if name.startswith(("svm", "knn:algorithm=kd", "forest")):
            for what, new in model_edits.description_edits(members):
                put(f"{name}: {what}", new)
        if name == "logistic":
            for what, new in [*model_edits.card_edits(members), *model_edits.member_edits(members)]:
                put(f"{name}: {what}", new)
            for what, new in [*model_edits.card_edits(members)][::10]:
                put(f"{name}: {what}, not sealed", new, sealed=False)
            for what, content in model_edits.damages(path.read_bytes()):
                put(f"{name}: {what}", members)
                (folder / f"{len(done) - 1:04d}.skops").write_bytes(content)
    return done


@pytest.mark.exhaustive
def test_no_edit_crashes_hangs_or_ends_in_a_traceback(tmp_path):
    folder, table = tmp_path / "edited", tmp_path / "new.csv"
    folder.mkdir()
    patients(20, seed=5).to_csv(table, index=False)
    done = edits(folder)
    assert len(set(done.values())) == len(done)
    assert len(done) > 400  # of each version of scikit-learn another number; in docs/reliability.md
    # Another process, which a crash in compiled code ends, and not that of the tests.
    told = [sys.executable, model_edits.__file__, str(folder), str(table)]
    ended = subprocess.run(told, capture_output=True, text=True, timeout=300, check=False)
    found = dict(line.split("\t", 1) for line in ended.stdout.splitlines() if "\t" in line)
    came = {what: found.get(stem, "crash or hang") for stem, what in done.items()}
    assert ended.returncode == 0, [what for what in came if came[what] in ("", "crash or hang")][:1]
    assert {
        what: end for what, end in came.items() if not end.startswith(("refused", "used"))
    } == {}
    assert {
        what: end for what, end in came.items() if "IMPOSSIBLE" in end or "CERTAIN" in end
    } == {}
    used = [what for what in came if came[what].startswith("used")]
    assert [what for what in used if "not sealed" in what] == []
    assert {f"{name}: unedited" for name in model_edits.MODELS} <= set(used)
    # What changes how compiled code walks a tree is found by looking at it, not by its digest.
    walks = [what for what in came if " Tree " in what or " KDTree " in what]
    assert len(walks) > 70
    assert [what for what in walks if what in used] == [
        "forest:n_estimators=3: Tree nodes threshold 1e+300"  # which is a threshold
    ]
