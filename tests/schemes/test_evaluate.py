import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

import oracles
import tlpo


def test_one_table_of_all_schemes():
    X, y = oracles.blobs(m=16)
    model = SVC()
    options = {"n_splits": 4, "n_resamples": 20, "n_sorts": 5}
    table = tlpo.evaluate(model, X, y, random_state=1, **options)
    t = tlpo.tournament(model, X, y)
    bootstrap = {"n_resamples": 20, "random_state": 1}
    expected = {
        "tlpo": t.tlpo_auc,
        "lpo": t.auc,
        "loo": tlpo.leave_one_out(model, X, y).auc,
        "kfold-pooled": tlpo.kfold(model, X, y, n_splits=4, random_state=1).auc,
        "kfold-averaged": tlpo.kfold(
            model, X, y, n_splits=4, pooling="averaged", random_state=1
        ).auc,
        "harrell": tlpo.bootstrap(model, X, y, **bootstrap).auc,
        "632": tlpo.bootstrap(model, X, y, kind="632", **bootstrap).auc,
        "632+": tlpo.bootstrap(model, X, y, kind="632+", **bootstrap).auc,
        "quicksort": tlpo.quicksort(model, X, y, n_sorts=5, random_state=1).auc,
    }
    assert table["auc"].to_dict() == expected
    assert list(table.columns) == ["auc", "fits", "note"]
    assert table.loc["tlpo", "fits"] == 120
    assert table.loc["lpo", "fits"] == 64
    assert "0 of 4 folds had no AUC" in table.loc["kfold-averaged", "note"]


def test_some_schemes_only():
    X, y = oracles.blobs(m=12)
    table = tlpo.evaluate(SVC(), X, y, schemes=["lpo", "loo"])
    assert table.index.tolist() == ["lpo", "loo"]
    assert table.loc["lpo", "fits"] == 36
    assert np.isfinite(table["auc"]).all()


def test_everything_is_checked_before_anything_is_fitted():
    X, y = oracles.blobs(m=10)
    options = ({"n_splits": 11}, {"n_resamples": 0}, {"n_sorts": 0}, {"random_state": -1})
    for bad in options:
        with pytest.raises(tlpo.InputError, match=next(iter(bad))):
            tlpo.evaluate(Unfittable(), X, y, **bad)


class Unfittable(LogisticRegression):
    def fit(self, X, y):
        raise AssertionError("fitted")


def test_defaults_suit_few_units_and_groups():
    X, y = oracles.blobs(m=8)
    table = tlpo.evaluate(tlpo.RLS(), X, y, schemes=("kfold-averaged",), random_state=0)
    assert "of 8 folds had no AUC" in table.loc["kfold-averaged", "note"]
    X, y = oracles.blobs(m=24)
    groups = np.arange(24) // 4
    grouped = tlpo.evaluate(
        SVC(),
        X,
        y,
        groups=groups,
        schemes=(s for s in ("kfold-pooled", "lpo")),
        random_state=0,
    )
    assert grouped.loc["kfold-pooled", "fits"] == 6
    assert grouped.loc["lpo", "fits"] == 144


def test_params_count():
    X, y = oracles.blobs(m=12)
    heavy = {"sample_weight": np.where(np.arange(12) < 6, 100.0, 1e-3)}
    options = {"schemes": ("tlpo", "loo", "kfold-pooled", "harrell"), "random_state": 0}
    plain = tlpo.evaluate(LogisticRegression(), X, y, **options)
    weighted = tlpo.evaluate(LogisticRegression(), X, y, params=heavy, **options)
    assert (plain["auc"] != weighted["auc"]).all()


def test_unknown_schemes():
    X, y = oracles.blobs(m=12)
    with pytest.raises(tlpo.InputError) as caught:
        tlpo.evaluate(LogisticRegression(), X, y, schemes=("tlpo", "jackknife"))
    assert str(caught.value).startswith(
        "schemes must name estimates.\nYou passed 'jackknife'.\nChoose from tlpo, lpo, loo,"
    )
