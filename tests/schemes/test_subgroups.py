import numpy as np
import pandas as pd
import pytest

import tlpo
from oracles import blobs


def played(m=40, seed=0, **options):
    X, y = blobs(m, 4, shift=0.5, seed=seed)
    return X, y, tlpo.tournament(tlpo.RLS(), X, y, **options)


def test_everybody_is_one_subgroup():
    _, _, t = played()
    row = t.by(["all"] * 40).loc["all"]
    interval = t.auc_interval()
    assert (row["lpo_auc"], row["tlpo_auc"]) == (t.lpo_auc, t.auc)
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
        assert row["lpo_auc"] == pytest.approx(np.mean(games))
        assert row["low"] < row["lpo_auc"] < row["high"]
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
    assert table.loc["tiny", ["lpo_auc", "tlpo_auc", "low", "high"]].isna().all()
    assert table["units"].tolist() == [28, 11, 1]
    group[np.flatnonzero(y == 1)[2:4]] = "tiny"
    assert t.by(group).loc["tiny", "note"] == "small: 4 in a class, 10 or fewer"


def test_without_predictions():
    _, _, t = played(predictions=False)
    table = t.by(np.arange(40) % 2)
    assert table["lpo_auc"].isna().all()
    assert (table["phi"] == 2).all()
    assert (table["low"] < table["tlpo_auc"]).all()
    assert table["note"].str.contains("no table of held-out predictions").all()


def test_refuses_what_is_no_subgroup():
    _, _, t = played()
    with pytest.raises(tlpo.InputError, match="one value a unit"):
        t.by(np.zeros(39))
    with pytest.raises(tlpo.InputError, match="into a few subgroups"):
        t.by(np.arange(40.0))
