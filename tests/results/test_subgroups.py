from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tlpo
from estimators import Pairless
from oracles import blobs


def played(m=40, seed=0, **options):
    X, y = blobs(m, 4, shift=0.5, seed=seed)
    return X, y, tlpo.tournament(tlpo.RLS(), X, y, **options)


def test_everybody_is_one_subgroup():
    _, _, t = played()
    row = t.by(["all"] * 40).loc["all"]
    interval = t.auc_interval()
    assert (row["auc"], row["tlpo_auc"]) == (t.auc, t.tlpo_auc)
    assert (row["low"], row["high"]) == pytest.approx(tuple(interval))
    assert row["phi"] == pytest.approx(interval.phi)


def test_auc_within_subgroups_against_games():
    _, y, t = played()
    group = np.where(np.arange(40) % 3 == 0, "a", "b")
    table = t.by(group)
    F = t.predictions
    for name in ("a", "b"):
        games = [
            float(F[i, j] > F[j, i])
            for i in np.flatnonzero((y == 1) & (group == name))
            for j in np.flatnonzero((y == 0) & (group == name))
        ]
        row = table.loc[name]
        assert row["auc"] == pytest.approx(np.mean(games))
        assert row["low"] < row["auc"] < row["high"]
        assert row["units"] == np.sum(group == name) == row["positives"] + row["negatives"]
        # Fewer units tell less.
        assert row["high"] - row["low"] > np.diff(tuple(t.auc_interval()))[0]


def test_says_what_is_too_small():
    _, y, t = played()
    group = np.array(["big"] * 40, dtype=object)
    group[np.flatnonzero(y == 1)[:2]] = "tiny"
    group[np.flatnonzero(y == 0)[:9]] = "tiny"
    group[np.flatnonzero(y == 0)[-1]] = None
    table = t.by(group)
    assert table.index.tolist()[:2] == ["big", "tiny"]
    assert pd.isna(table.index[2])
    assert table["note"].tolist()[1] == "too small: an AUC needs 3 units of each class"
    assert table.loc["tiny", ["auc", "tlpo_auc", "low", "high"]].isna().all()
    assert table["units"].tolist() == [28, 11, 1]
    group[np.flatnonzero(y == 1)[2:4]] = "tiny"
    assert t.by(group).loc["tiny", "note"] == "small: 4 in a class, 10 or fewer"


def test_without_predictions():
    _, _, t = played(predictions=False)
    table = t.by(np.arange(40) % 2)
    assert table["auc"].isna().all()
    assert (table["phi"] == 2).all()
    assert (table["low"] < table["tlpo_auc"]).all()
    assert table["note"].str.contains("no table of held-out predictions").all()


def test_refuses_what_is_no_subgroup():
    _, _, t = played()
    with pytest.raises(tlpo.InputError, match="one value per unit"):
        t.by(np.zeros(39))
    with pytest.raises(tlpo.InputError, match="into a few subgroups"):
        t.by(np.arange(40.0))


@pytest.mark.parametrize(
    ("group", "names"),
    [
        (pd.array([True, False, None, True] * 10, dtype="boolean"), [False, True, None]),
        (pd.array(["x", "y", None, "x"] * 10, dtype="string"), ["x", "y", None]),
        (np.array(["2020-01-01", "2019-01-01"] * 20, dtype="datetime64[ns]"), None),
        (pl.Series(["b", "a"] * 20), ["a", "b"]),
        ([1, "one"] * 20, [1, "one"]),
        (
            pd.Categorical(["young", "middle", "old", "old"] * 10, ["young", "middle", "old"]),
            ["young", "middle", "old"],
        ),
    ],
    ids=["boolean", "string", "dates", "polars", "mixed", "ordered"],
)
def test_groups_of_any_kind(group, names):
    _, _, t = played()
    table = t.by(group)
    assert table["units"].sum() == 40
    if names is not None:
        assert [None if pd.isna(name) else name for name in table.index] == names
    else:
        assert table.index.tolist() == sorted(table.index)


def test_a_series_must_be_of_the_same_units():
    X, y = blobs(40, 4, shift=0.5, seed=0)
    frame = pd.DataFrame(X, index=[f"p{k}" for k in range(40)])
    t = tlpo.tournament(tlpo.RLS(), frame, y)
    group = pd.Series(np.where(np.arange(40) % 3, "a", "b"), index=frame.index)
    assert t.by(group).equals(t.by(group.to_numpy()))
    with pytest.raises(tlpo.InputError, match="indexed by different units from the tournament"):
        t.by(group.iloc[::-1])


def test_unhashable_values_are_refused():
    _, _, t = played()
    with pytest.raises(tlpo.InputError, match="group must have one value per unit"):
        t.by([[1]] * 40)


def test_a_subgroup_whose_games_all_failed():
    X, y = blobs(20, 3, seed=4)
    inside = np.zeros(20, dtype=bool)
    inside[np.flatnonzero(y == 1)[:3]] = inside[np.flatnonzero(y == 0)[:3]] = True
    needs = tuple(X[inside, 0])

    t = tlpo.tournament(Pairless(needs=needs), X, y, on_error="skip")
    row = t.by(inside).loc[True]
    assert row["note"] == "no game between its classes was finished"
    assert np.isnan(row["low"])


def test_groups_widen_the_intervals_of_subgroups():
    X, y = blobs(20, 3, shift=0.5, seed=1)
    X, y = np.repeat(X, 2, axis=0), np.repeat(y, 2)
    twins = np.repeat(np.arange(20), 2)
    half = np.repeat(np.arange(20) % 2, 2)
    grouped = tlpo.tournament(tlpo.RLS(), X, y, groups=twins)
    forgot = replace(grouped, groups=None)
    wide, narrow = grouped.by(half), forgot.by(half)
    assert ((wide["high"] - wide["low"]) > (narrow["high"] - narrow["low"])).all()


def test_a_subgroup_of_one_group_per_class_has_no_interval():
    rng = np.random.default_rng(0)
    y = np.arange(24) % 2
    X = rng.normal(size=(24, 2)) + y[:, None]
    groups = np.where(np.arange(24) < 8, np.arange(24) % 2, np.arange(24))
    table = tlpo.tournament(tlpo.RLS(), X, y, groups=groups).by(np.arange(24) < 8)
    assert np.isnan(table.loc[True, "low"])
    assert table.loc[True, "note"] == "too small: an interval needs 2 groups with each class"
    assert table.loc[False, "low"] < table.loc[False, "high"]
