"""Saved models of times to an event: they come back, or the file is refused in words."""

import io
import json
import os
import subprocess
import sys
import zipfile
from importlib import import_module

import numpy as np
import pytest
import skops.io
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sksurv.ensemble import RandomSurvivalForest
from sksurv.linear_model import CoxnetSurvivalAnalysis, CoxPHSurvivalAnalysis
from sksurv.svm import FastSurvivalSVM

import tlpo
from analysis import model_edits
from analysis.followed import developed, followed, saved
from analysis.test_model_file import message, rewritten
from tlpo.analysis import model_file
from tlpo.analysis.crash_checks import find_unsound_fit, find_unsound_parts
from tlpo.analysis.model_file import CARD, TRUSTED, load_model, save_model, score, survival
from tlpo.analysis.models import Model
from tlpo.analysis.options import Options
from tlpo.analysis.predicted_survival import predict_survival, why_no_survival

TIMES = [5, 12]


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "model.skops"
    saved(path)
    return path


# ----- there and back


def comes_back(path, name, **kwargs):
    """Save a model, and return it as it is loaded after comparing its predictions."""
    model, sample, _, notes = saved(path, name, **kwargs)
    fitted, card = load_model(str(path))
    X = model.features(sample)
    expected = model.estimator.fit(X, sample.y)
    assert score(fitted, card, sample.X) == pytest.approx(expected.predict(X))
    assert survival(fitted, card, sample.X, TIMES) == pytest.approx(
        predict_survival(expected, X, TIMES)
    )
    assert notes == []
    return card


def test_cox_with_gaps_and_categories_comes_back(tmp_path):
    table = followed(40).assign(site=np.where(np.arange(40) % 3, "north", "south"))
    table.loc[3, "crp"] = np.nan
    columns = ("crp", "stage", "site")
    card = comes_back(tmp_path / "m.skops", "cox:ties=breslow", table=table, columns=columns)
    assert (card.fills_gaps, card.as_table) == (True, True)


# Models that are refitted for every pair: fewer patients, and few of the pairs.
FEW = {"table": followed(14), "options": Options(rounds=10, at=(5, 12))}


@pytest.mark.parametrize(
    "name", ["coxnet:fit_baseline_model=true,n_alphas=3", "survival-forest:n_estimators=3"]
)
def test_models_of_scikit_survival_come_back(name, tmp_path):
    card = comes_back(tmp_path / "m.skops", name, **FEW)
    assert (card.fills_gaps, card.as_table) == (False, False)


def test_a_model_that_predicts_no_survival_comes_back(tmp_path):
    model, sample, _, _ = saved(tmp_path / "m.skops", "coxnet", **FEW)
    fitted, card = load_model(str(tmp_path / "m.skops"))
    X = model.features(sample)
    expected = model.estimator.fit(X, sample.y).predict(X)
    assert score(fitted, card, sample.X) == pytest.approx(expected)
    assert (card.trial_survival, card.baseline) == (None, None)


def test_a_pipeline_of_ones_own_comes_back(tmp_path):
    _, sample, result, analysis, options = developed()
    own = make_pipeline(StandardScaler(), CoxPHSurvivalAnalysis(alpha=1.0))
    path = tmp_path / "m.skops"
    save_model(path, Model("mine", own, "mine", is_own=True), sample, result, analysis, options)
    fitted, card = load_model(str(path))
    ours = tlpo.Cox(ties="breslow").fit(StandardScaler().fit_transform(sample.X), sample.y)
    found = survival(fitted, card, sample.X, TIMES)
    X = StandardScaler().fit_transform(sample.X)
    assert found == pytest.approx(ours.predict_survival(X, TIMES), abs=1e-6)


def test_a_file_whose_card_has_its_keys_in_another_order_is_read(good, tmp_path):
    """As earlier versions wrote them."""
    members = model_edits.opened(good)
    card = json.loads(members[CARD])
    members[CARD] = json.dumps(dict(reversed(card.items()))).encode()
    model_edits.closed(tmp_path / "m.skops", members, sealed=False)
    assert load_model(str(tmp_path / "m.skops"))[1] == load_model(str(good))[1]


# ----- survival


def test_why_there_is_none():
    assert why_no_survival(RandomSurvivalForest(low_memory=True)) == (
        "RandomSurvivalForest predicts no survival with low_memory=True"
    )
    assert why_no_survival(make_pipeline(StandardScaler(), FastSurvivalSVM())) == (
        "FastSurvivalSVM predicts no survival"
    )
    assert why_no_survival(CoxPHSurvivalAnalysis()) is None


def test_no_times_are_no_survival():
    X, y = sample()
    for model in (tlpo.Cox(), CoxPHSurvivalAnalysis()):
        assert predict_survival(model.fit(X, y), X, []).shape == (40, 0)


# ----- what is looked at


def sample(m=40):
    table = followed(m)
    y = tlpo.time_to_event(table["months"], table["died"])
    return table[["crp", "albumin", "stage"]].to_numpy(float), y


def faults(fitted):
    """Return what is found in the file of a model, and in what is loaded from it."""
    content = skops.io.dumps(fitted)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = find_unsound_parts(archive, json.loads(archive.read("schema.json")))
    return parts, find_unsound_fit(skops.io.loads(content, trusted=sorted(TRUSTED)))


SOUND = [
    tlpo.Cox(),
    tlpo.Cox(alpha=0.0, ties="breslow"),
    CoxPHSurvivalAnalysis(),
    CoxnetSurvivalAnalysis(n_alphas=4),
    CoxnetSurvivalAnalysis(n_alphas=4, fit_baseline_model=True),
    RandomSurvivalForest(3),
    RandomSurvivalForest(3, bootstrap=False, max_features=1, max_depth=2),
    RandomSurvivalForest(3, low_memory=True),
]


@pytest.mark.parametrize("model", SOUND, ids=lambda model: type(model).__name__)
def test_nothing_is_wrong_with_what_was_fitted(model):
    assert faults(model.fit(*sample())) == (None, None)


def changed(model, **attributes):
    fitted = model.fit(*sample())
    vars(fitted).update(attributes)
    return fitted


def with_a_tree(**attributes):
    fitted = RandomSurvivalForest(3, random_state=0).fit(*sample())
    vars(fitted.estimators_[1]).update(attributes)
    return fitted


BASELINE = tlpo.Cox().fit(*sample()).baseline_
CoxBaseline = type(BASELINE)


@pytest.mark.parametrize(
    ("fitted", "fault"),
    [
        (changed(tlpo.Cox(), coef_=np.ones(2)),
         "the coefficients of Cox do not match its features"),
        (changed(tlpo.Cox(), coef_=np.full(3, np.nan)), "coef_ of Cox is not finite"),
        (changed(tlpo.Cox(), mean_=np.ones(2)),
         "the baseline of Cox regression does not match its times"),
        (changed(tlpo.Cox(), baseline_=CoxBaseline(BASELINE[0], BASELINE[1][:-1])),
         "the baseline of Cox regression does not match its times"),
        (changed(tlpo.Cox(), baseline_=CoxBaseline(BASELINE[0][::-1].copy(), BASELINE[1])),
         "the baseline of Cox regression is not finite"),
        (changed(tlpo.Cox(), baseline_=CoxBaseline(BASELINE[0], BASELINE[1][::-1].copy())),
         "the hazard of Cox regression falls"),
        (changed(tlpo.Cox(), predict=3), "Cox has another predict"),
        (changed(CoxnetSurvivalAnalysis(n_alphas=4), coef_=np.ones((2, 4))),
         "the coefficients of CoxnetSurvivalAnalysis do not match its features"),
        (changed(RandomSurvivalForest(3), estimators_=[]), "a tree of a forest has other features"),
        (changed(RandomSurvivalForest(3), n_features_in_=2),
         "a tree of a forest has other features"),
        (changed(RandomSurvivalForest(3), unique_times_=np.arange(3.0)),
         "the times of a tree are not increasing numbers"),
        (with_a_tree(n_features_in_=2), "a tree of a forest has other features"),
        (with_a_tree(low_memory=True), "a tree of a forest has other features"),
        (with_a_tree(is_event_time_=np.arange(3)), "a tree of a forest has other times"),
    ],
)  # fmt: skip
def test_parts_that_do_not_fit_together_are_found(fitted, fault):
    assert find_unsound_fit(fitted) == fault


# ----- what is refused


def test_a_model_of_foreign_types_is_not_written(tmp_path):
    _, sample, result, analysis, options = developed()
    own = Model("mine", FastSurvivalSVM(max_iter=2), "mine", is_own=True)
    path = tmp_path / "m.skops"
    with pytest.raises(tlpo.InputError) as caught, pytest.warns(ConvergenceWarning):
        save_model(path, own, sample, result, analysis, options)
    first, second, third = str(caught.value).splitlines()
    assert first == "The model cannot be saved in a form that is safe to load."
    assert second.startswith("You passed 'mine': it holds objects of type ")
    assert "'sksurv.svm.survival_svm.FastSurvivalSVM'" in second
    assert third == "Use a model known by name ('tlpo models'), or one made of scikit-learn alone."
    assert not path.exists()


def test_a_model_that_skops_cannot_write_is_said(tmp_path, monkeypatch):
    made = developed()

    def fail(_):
        raise TypeError("Objects of type Tree are not supported yet")

    monkeypatch.setattr(skops.io, "dumps", fail)
    model, sample, result, analysis, options = made
    with pytest.raises(tlpo.InputError) as caught:
        save_model(tmp_path / "m.skops", model, sample, result, analysis, options)
    assert str(caught.value) == (
        "The model cannot be saved in a form that is safe to load.\n"
        "You passed 'cox': TypeError: Objects of type Tree are not supported yet.\n"
        "Use a model known by name ('tlpo models'), or one made of scikit-learn alone."
    )
    assert not (tmp_path / "m.skops").exists()


def test_a_model_of_scikit_survival_needs_it(tmp_path, monkeypatch):
    path = tmp_path / "m.skops"
    saved(path, "survival-forest:n_estimators=3", **FEW)

    def find(name):
        if name == "sksurv":
            raise ImportError
        return import_module(name)

    version = load_model(str(path))[1].versions.scikit_survival
    monkeypatch.setattr(model_file, "import_module", find)
    with pytest.raises(tlpo.InputError) as caught:
        load_model(str(path))
    assert str(caught.value) == (
        "The model is one of scikit-survival, which is not installed.\n"
        "You passed the model 'survival-forest:n_estimators=3', made with scikit-survival "
        f'{version}.\nInstall it with: pip install "tlpo[survival]".'
    )


def other_cox(**attributes):
    table = followed(40)
    y = tlpo.time_to_event(table["months"], table["died"])
    fitted = make_pipeline(StandardScaler(), tlpo.Cox()).fit(table[["crp", "stage"]].to_numpy(), y)
    vars(fitted[-1]).update(attributes)
    return fitted


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        (
            {"card": lambda old: {**old, "name": "x"}, "sealed": False},
            "was changed after it was saved: 'tlpo.json'",
        ),
        (
            {"card": lambda old: {**old, "cuts": old["cuts"][::-1]}},
            "has a card that was changed: 'cuts' do not increase",
        ),
        (
            {"card": lambda old: {**old, "format": 5}},
            "has a card that was changed: object contains unknown field `time`",
        ),
        (
            {"card": lambda old: {**old, "trial": [0, 1, 2], "baseline": None}},
            "was changed so that it cannot work: it predicts other scores than when it was saved",
        ),
        (
            {"model": other_cox(coef_=np.array([0.5, 0.25]))},
            "was changed so that it cannot work: it predicts another survival than when it was "
            "saved",
        ),
        (
            {"model": other_cox(baseline_=CoxBaseline(BASELINE[0], 2 * BASELINE[1]))},
            "was changed so that it cannot work: it predicts another survival than when it was "
            "saved",
        ),
        (
            {"card": lambda old: {**old, "trial_survival": None, "baseline": None}},
            "was changed so that it cannot work: it predicts survival, or none, other than when "
            "it was saved",
        ),
    ],
)
def test_a_file_with_other_parts_is_refused(good, tmp_path, parts, why):
    path = rewritten(good, tmp_path, **{"sealed": True, **parts})
    with pytest.raises(tlpo.InputError) as error:
        load_model(str(path))
    assert str(error.value) == message(why, path)


def test_a_malicious_file_is_refused_by_name(good, tmp_path):
    bad = rewritten(good, tmp_path, model=FunctionTransformer(os.system), sealed=True)
    with pytest.raises(tlpo.InputError) as error:
        load_model(str(bad))
    assert str(error.value) == (
        "The model file holds objects that could run any code, so it was not loaded.\n"
        f"You passed {str(bad)!r} with objects of type 'posix.system'.\n"
        "Use a model file that tlpo wrote, from someone you trust."
    )


def test_a_damaged_file_is_refused(good, tmp_path):
    content, path = good.read_bytes(), tmp_path / "damaged.skops"
    for cut in (10, len(content) // 2, len(content) - 5):
        path.write_bytes(content[:cut])
        with pytest.raises(tlpo.InputError, match=r"The model file is .*damaged"):
            load_model(str(path))


# ----- what whoever edits a file might do to it


def edits(folder):
    """Write models, each edited in one way; return what was done to each file, by its name."""
    done = {}

    def put(what, members):
        model_edits.closed(folder / f"{len(done):04d}.skops", members, sealed=True)
        done[f"{len(done):04d}"] = what

    for name in (
        *("cox", "coxnet:fit_baseline_model=true,n_alphas=3", "survival-forest:n_estimators=3"),
        "survival-forest:n_estimators=3,low_memory=true",
    ):
        path = folder.parent / "m.skops"
        saved(path, name, **FEW)
        members = model_edits.opened(path)
        put(f"{name}: unedited", members)
        for what, new in model_edits.array_edits(members, 60):
            put(f"{name}: {what}", new)
        for what, new in model_edits.description_edits(members):
            put(f"{name}: {what}", new)
        if name == "cox":
            for what, new in card_edits(members):
                put(f"{name}: {what}", new)
            for what, new in model_edits.member_edits(members):
                put(f"{name}: {what}", new)
    return done


def card_edits(members):
    """Yield edits of the card: every key removed, or of another type."""
    for path in model_edits._paths(json.loads(members[CARD])):
        *parents, last = path
        for way in ("removed", "of another type"):
            card = json.loads(members[CARD])
            held = model_edits._at(card, parents)
            if way == "removed" and isinstance(last, str):
                del held[last]
            else:
                held[last] = "7" if not isinstance(held[last], str) else 7
            yield f"{'.'.join(map(str, path))} {way}", {**members, CARD: json.dumps(card).encode()}


@pytest.mark.exhaustive
def test_no_edit_crashes_hangs_or_ends_in_a_traceback(tmp_path):
    folder, table = tmp_path / "edited", tmp_path / "new.csv"
    folder.mkdir()
    followed(30, seed=7).to_csv(table, index=False)
    done = edits(folder)
    assert len(done) > 400
    # Another process, which a crash in compiled code ends, and not that of the tests.
    told = [sys.executable, model_edits.__file__, str(folder), str(table)]
    ended = subprocess.run(told, capture_output=True, text=True, timeout=600, check=False)
    found = dict(line.split("\t", 1) for line in ended.stdout.splitlines() if "\t" in line)
    came = {what: found.get(stem, "crash or hang") for stem, what in done.items()}
    assert ended.returncode == 0, [what for what in came if came[what] in ("", "crash or hang")][:1]
    assert {
        what: end
        for what, end in came.items()
        if not end.startswith(("refused", "used")) or "IMPOSSIBLE" in end or "CERTAIN" in end
    } == {}
    used = [what for what in came if came[what].startswith("used")]
    assert sum("unedited" in what for what in used) == 4
    # Nothing depends on these: the path of Coxnet before its end, what a scaler counted.
    assert len(used) < 0.2 * len(came), used
