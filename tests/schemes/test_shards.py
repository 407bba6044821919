"""Shards of a tournament, joined: the same result as in one run, from the same games."""

import sys

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import linear_kernel
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

import tlpo
from estimators import Fussy
from oracles import blobs
from tlpo.commands.cli import main

MODEL = SVC(kernel=linear_kernel)
X, Y = blobs(12, 2, seed=0)


def shards(folder, n, model=MODEL, **options):
    return [
        tlpo.play_shard(model, X, Y, shard=f"{k}/{n}", journal=folder / "run.tlpo", **options)
        for k in range(1, n + 1)
    ]


@pytest.mark.parametrize("n", [1, 3, 100])  # 66 games: some of a hundred shards are empty
def test_joined_shards_are_the_whole_tournament(tmp_path, monkeypatch, n):
    paths = shards(tmp_path, n)
    assert [path.name for path in paths] == [f"run.{k}-of-{n}.tlpo" for k in range(1, n + 1)]
    parts = tlpo.merge(tmp_path / "run.tlpo", paths)
    assert [list(part.progress().values()) for part in parts.values()] == [[[(0, 66, 66)]]]
    whole = tlpo.tournament(MODEL, X, Y)

    def fit(*_):
        raise AssertionError("played again")

    monkeypatch.setattr(SVC, "fit", fit)
    joined = tlpo.tournament(MODEL, X, Y, journal=tmp_path / "run.tlpo")
    np.testing.assert_array_equal(joined.predictions, whole.predictions)
    assert joined.diagnostics.fits == 66


def test_missing_shards_are_named_and_played_by_the_last_run(tmp_path, capsys, monkeypatch):
    paths = shards(tmp_path, 6)
    run = tmp_path / "run.tlpo"
    arguments = ["tlpo", "merge", str(run), *map(str, [paths[1], paths[2], paths[4]])]
    monkeypatch.setattr(sys, "argv", arguments)
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == f"3 journals are joined in {run}:"
    assert shown[1] == "tournament"
    assert shown[2].endswith(": 33 of 66 done (50.0%)")
    assert shown[3] == "    missing: 0–10, 33–43, 55–65"
    t = tlpo.tournament(MODEL, X, Y, journal=run)
    np.testing.assert_array_equal(t.scores, tlpo.tournament(MODEL, X, Y).scores)
    # Joining again, or what is there already, changes nothing.
    before = run.read_bytes()
    tlpo.merge(run, [run, *paths])
    tlpo.merge(run, paths)
    assert tlpo.tournament(MODEL, X, Y, journal=run).auc == t.auc
    assert run.read_bytes().startswith(before)


def test_a_shard_goes_on(tmp_path):
    (path,) = shards(tmp_path, 1)
    size = path.stat().st_size
    shards(tmp_path, 1)
    assert path.stat().st_size == size
    plain = tlpo.tournament(MODEL, X, Y, journal=path)  # a shard's journal is a journal
    assert plain.diagnostics.fits == 66


def test_shards_of_different_runs_are_not_joined(tmp_path):
    one, two = (
        shards(tmp_path, 2)[0],
        shards(tmp_path / "b", 2, SVC(C=2.0, kernel=linear_kernel))[1],
    )
    with pytest.raises(tlpo.JournalError) as caught:
        tlpo.merge(tmp_path / "run.tlpo", [one, two])
    assert str(caught.value).startswith(
        "The journals belong to different runs.\n"
        f"You passed {two}, which differs from those before it: estimator was "
    )
    assert str(caught.value).endswith(
        "\nMerge only journals of the same run: same data, model and versions."
    )
    assert not (tmp_path / "run.tlpo").exists()


def test_failures_are_joined_too(tmp_path):
    options = {"on_error": "skip"}
    model = Fussy(needs=(X[0, 0],))
    tlpo.merge(tmp_path / "run.tlpo", shards(tmp_path, 3, model, **options))
    t = tlpo.tournament(model, X, Y, journal=tmp_path / "run.tlpo", **options)
    assert t.diagnostics.failures == tlpo.tournament(model, X, Y, **options).diagnostics.failures
    assert t.diagnostics.pairs_failed == 11


def test_shards_of_different_divisions_overlap_and_as_few_games_as_can_be_are_played_again(
    tmp_path,
):
    halves, thirds = shards(tmp_path, 2), shards(tmp_path, 3)
    (part,) = tlpo.merge(tmp_path / "run.tlpo", [halves[0], thirds[1], thirds[2]]).values()
    ((*runs,),) = part.progress().values()
    held = sum(stop - start for start, stop, _ in runs)
    assert 55 <= held <= 66  # 0–32 of the half and 44–65 of the third at least
    t = tlpo.tournament(MODEL, X, Y, journal=tmp_path / "run.tlpo")
    np.testing.assert_array_equal(t.predictions, tlpo.tournament(MODEL, X, Y).predictions)
    assert t.diagnostics.fits == 66
    again = tlpo.merge(tmp_path / "again.tlpo", tmp_path / "run.tlpo")
    assert list(again["tournament"].progress().values()) == [[(0, 66, 66)]]


def test_a_merge_that_fails_writes_nothing(tmp_path):
    (tmp_path / "data.csv").write_text("a,b\n1,2\n")
    (good,) = shards(tmp_path, 1)
    for bad in (tmp_path / "nothing.tlpo", tmp_path / "data.csv"):
        with pytest.raises(tlpo.JournalError):
            tlpo.merge(tmp_path / "run.tlpo", [good, bad])
        assert not (tmp_path / "run.tlpo").exists()
    with pytest.raises(tlpo.InputError, match=r"^There is nothing to merge\."):
        tlpo.merge(tmp_path / "run.tlpo", [])
    (tmp_path / "begun.tlpo").touch()  # a shard that has just started
    parts = tlpo.merge(tmp_path / "run.tlpo", [tmp_path / "begun.tlpo", good])
    assert list(parts["tournament"].progress().values()) == [[(0, 66, 66)]]


def test_engines_that_do_not_refit_are_refused(tmp_path):
    for engine in ("least-squares", "nonsense"):
        with pytest.raises(tlpo.InputError, match=r"^engine must be one of 'auto', 'refit'\."):
            tlpo.play_shard(tlpo.RLS(), X, Y, shard="1/2", journal=tmp_path / "j", engine=engine)


@pytest.mark.parametrize("shard", ["0/3", "4/3", "3", "1/0", "a/b", "-1/3", "1/3/5", ""])
def test_wrong_shards_are_refused(tmp_path, shard):
    with pytest.raises(tlpo.InputError) as caught:
        tlpo.play_shard(MODEL, X, Y, shard=shard, journal=tmp_path / "j")
    assert str(caught.value) == (
        "A shard is a number and how many there are, counted from one.\n"
        f"You passed {shard!r}.\n"
        "For example '3/100', the third of a hundred."
    )


def test_what_needs_no_refits_is_not_divided(tmp_path):
    with pytest.raises(tlpo.InputError) as caught:
        tlpo.play_shard(tlpo.RLS(), X, Y, shard="1/2", journal=tmp_path / "j")
    assert str(caught.value) == (
        "There is nothing to divide into shards.\n"
        "You passed RLS, which engine 'least-squares' plays without refitting.\n"
        "Call tournament, or pass engine='refit'."
    )
    paths = shards(tmp_path, 2, tlpo.RLS(), engine="refit")
    tlpo.merge(tmp_path / "run.tlpo", paths)
    t = tlpo.tournament(tlpo.RLS(), X, Y, engine="refit", journal=tmp_path / "run.tlpo")
    np.testing.assert_array_equal(t.scores, tlpo.tournament(tlpo.RLS(), X, Y).scores)


def several(m=15):
    rng = np.random.default_rng(0)
    y = np.array(["mild", "none", "severe"])[np.arange(m) % 3]
    return rng.normal(size=(m, 2)) + (np.arange(m) % 3)[:, None], y


@pytest.mark.parametrize(
    ("model", "n"),
    [(SVC(kernel=linear_kernel), 1), (SVC(kernel=linear_kernel), 3), (Ridge(), 3)],
    ids=["scores by class, one shard", "scores by class", "a fit for each class"],
)
def test_joined_shards_of_several_classes_are_the_whole(tmp_path, monkeypatch, model, n):
    X, y = several()
    run, options = tmp_path / "run.tlpo", {"engine": "refit"}
    paths = [
        tlpo.play_shard(model, X, y, shard=f"{k}/{n}", journal=run, **options)
        for k in range(1, n + 1)
    ]
    (part,) = tlpo.merge(run, paths).values()
    assert list(part.progress().values()) == [[(0, 105, 105)]]
    whole = tlpo.multiclass(model, X, y, **options)

    def fit(*_):
        raise AssertionError("played again")

    monkeypatch.setattr(type(model), "fit", fit)
    joined = tlpo.multiclass(model, X, y, journal=run, **options)
    assert joined.scores.tolist() == whole.scores.tolist()
    np.testing.assert_array_equal(joined.responses, whole.responses)
    assert tuple(joined.auc_interval()) == tuple(whole.auc_interval())


def test_failures_of_several_classes_are_joined_too(tmp_path):
    X, y = several()
    model, run, options = Fussy(needs=(X[0, 0],)), tmp_path / "run.tlpo", {"on_error": "skip"}
    paths = [tlpo.play_shard(model, X, y, shard=f"{k}/2", journal=run, **options) for k in (1, 2)]
    tlpo.merge(run, paths)
    joined = tlpo.multiclass(model, X, y, journal=run, **options)
    assert joined.diagnostics.pairs_failed == 14
    assert joined.auc == tlpo.multiclass(model, X, y, **options).auc


@pytest.mark.parametrize(
    ("model", "engine"),
    [
        (tlpo.RLS(), "least-squares"),
        (GaussianNB(), "bayes"),
        (LinearDiscriminantAnalysis(), "discriminant"),
        (RandomForestClassifier(5), "forest"),
    ],
)
def test_what_needs_no_refits_of_several_classes_is_not_divided(tmp_path, model, engine):
    with pytest.raises(tlpo.InputError) as caught:
        tlpo.play_shard(model, *several(), shard="1/2", journal=tmp_path / "j")
    assert str(caught.value) == (
        "There is nothing to divide into shards.\n"
        f"You passed {type(model).__name__}, which engine {engine!r} plays without refitting.\n"
        "Call multiclass, or pass engine='refit'."
    )


def test_several_classes_have_no_rounds(tmp_path):
    with pytest.raises(tlpo.InputError) as caught:
        tlpo.play_shard(
            SVC(kernel=linear_kernel), *several(), shard="1/2", journal=tmp_path / "j", rounds=4
        )
    assert str(caught.value) == (
        "Several classes play all games.\n"
        "You passed rounds=4 and 15 units, 3 classes: 'mild' (5), 'none' (5), 'severe' (5).\n"
        "Leave out rounds."
    )
