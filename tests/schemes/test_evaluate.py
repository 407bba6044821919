import numpy as np
import pytest
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.metrics import roc_auc_score
from sklearn.metrics.pairwise import linear_kernel
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

import oracles
import tlpo
from tlpo.games.contest import Contest, ContestOptions
from tlpo.schemes.bootstrap import fit_resamples
from tlpo.schemes.kfold import play_folds


def test_one_table_of_all_schemes():
    X, y = oracles.blobs(m=16)
    model = SVC(kernel=linear_kernel)
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
    table = tlpo.evaluate(SVC(kernel=linear_kernel), X, y, schemes=["lpo", "loo"])
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
        SVC(kernel=linear_kernel),
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


def three_classes(sizes=(9, 8, 10), seed=0):
    rng = np.random.default_rng(seed)
    code = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    X = rng.normal(size=(code.size, 3)) + 0.9 * np.eye(3)[code % 3]
    return X, np.array(["b", "a", "c", "e", "d"])[code]


def loop_m(scores, y):
    """Hand and Till's M by loops over classes and units; NaN if a class is missing."""
    names = np.array(["a", "b", "c"])
    shares = []
    for a, own in enumerate(names):
        for other in names[names != own]:
            gaps = scores[y == own, a][:, None] - scores[y == other, a]
            shares.append(np.heaviside(gaps, 0.5).mean() if gaps.size else np.nan)
    return np.mean(shares)


@pytest.mark.parametrize(
    "model", [GaussianNB(), LinearDiscriminantAnalysis(), LogisticRegression(), SVC(gamma=0.1)]
)
def test_leave_one_out_of_several_classes_against_scikit_learn(model):
    X, y = three_classes()
    table = tlpo.evaluate(model, X, y, schemes="loo")
    method = "predict_proba" if hasattr(model, "predict_proba") else "decision_function"
    scores = cross_val_predict(model, X, y, cv=LeaveOneOut(), method=method)
    expected = (
        roc_auc_score(y, scores, multi_class="ovo")
        if method == "predict_proba"
        else loop_m(scores, y)
    )
    assert table.loc["loo", "auc"] == pytest.approx(expected, abs=1e-12)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", [GaussianNB(), RidgeClassifier(), LogisticRegression()])
def test_folds_of_several_classes_against_loops(model):
    X, y = three_classes()
    contest = Contest(model, X, y, ContestOptions(several=True))
    folds = play_folds(contest, 4, 1, random_state=3)
    scores, inside = np.empty((y.size, 3)), []
    for test in folds.tests[0]:
        train = np.setdiff1d(np.arange(y.size), test)
        fitted = clone(model).fit(X[train], y[train])
        ask = getattr(fitted, "predict_proba", None) or fitted.decision_function
        scores[test] = ask(X[test])
        inside.append(loop_m(scores[test], y[test]))
    options = {"schemes": ("kfold-pooled", "kfold-averaged"), "n_splits": 4, "random_state": 3}
    table = tlpo.evaluate(model, X, y, **options)
    assert table.loc["kfold-pooled", "auc"] == pytest.approx(loop_m(scores, y))
    assert table.loc["kfold-averaged", "auc"] == pytest.approx(np.mean(inside))
    assert table.loc["kfold-averaged", "note"] == "0 of 4 folds lacked a class"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", [GaussianNB(), RidgeClassifier()])
def test_resamples_of_several_classes_against_loops(model):
    X, y = three_classes()
    contest = Contest(model, X, y, ContestOptions(several=True))
    resamples = fit_resamples(contest, 6, random_state=2)

    def ask(train, test):
        fitted = clone(model).fit(X[train], y[train])
        ask = getattr(fitted, "predict_proba", None) or fitted.decision_function
        return loop_m(ask(X[test]), y[test])

    everyone = np.arange(y.size)
    apparent = ask(everyone, everyone)
    optimism = np.mean([ask(own, own) - ask(own, everyone) for own in resamples.drawn])
    outside = np.nanmean([ask(own, np.setdiff1d(everyone, own)) for own in resamples.drawn])
    options = {"schemes": ("harrell", "632"), "n_resamples": 6, "random_state": 2}
    table = tlpo.evaluate(model, X, y, **options)
    assert table.loc["harrell", "auc"] == pytest.approx(apparent - optimism)
    assert table.loc["632", "auc"] == pytest.approx(0.368 * apparent + 0.632 * outside)
    assert table.loc["harrell", "fits"] >= 1


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "model",
    [
        *(tlpo.RLS(), Ridge(), RidgeClassifier(), KNeighborsClassifier(3)),
        *(GaussianNB(), LinearDiscriminantAnalysis()),
    ],
    ids=lambda model: type(model).__name__,
)
def test_several_classes_without_refitting_against_refits(model):
    X, y = three_classes((3, 4, 5, 3, 4), seed=1)
    options = {"n_splits": 3, "n_resamples": 4, "random_state": 0}
    fast = tlpo.evaluate(model, X, y, **options)
    slow = tlpo.evaluate(model, X, y, engine="refit", **options)
    assert list(fast.index) == ["lpo", "loo", *("kfold-pooled", "kfold-averaged"), *BOOTSTRAPS]
    assert fast["auc"].to_numpy() == pytest.approx(slow["auc"].to_numpy(), abs=1e-12)
    assert fast.loc["lpo", "auc"] == tlpo.multiclass(model, X, y).auc
    assert fast.loc["loo", "fits"] < slow.loc["loo", "fits"] == y.size


BOOTSTRAPS = ("harrell", "632", "632+")


def test_folds_without_a_class_are_counted():
    X, y = three_classes((4, 10, 10))
    options = {"schemes": "kfold-averaged", "random_state": 0}
    table = tlpo.evaluate(GaussianNB(), X, y, n_splits=10, **options)
    assert table.loc["kfold-averaged", "note"] == "6 of 10 folds lacked a class"
    assert 0 < table.loc["kfold-averaged", "auc"] <= 1
    table = tlpo.evaluate(GaussianNB(), X, y, **options)
    assert table.loc["kfold-averaged", "note"] == "0 of 4 folds lacked a class"


def test_several_classes_have_no_single_ranking():
    X, y = three_classes()
    with pytest.raises(tlpo.InputError) as caught:
        tlpo.evaluate(GaussianNB(), X, y, schemes=("tlpo", "loo"))
    assert str(caught.value) == (
        "schemes must name estimates.\nYou passed 'tlpo'.\nChoose from lpo, loo, kfold-pooled, "
        "kfold-averaged, harrell, 632, 632+."
    )


def test_a_group_that_holds_a_class_cannot_be_held_out():
    X, y = three_classes()
    groups = np.where(y == "c", 99, np.arange(y.size))
    with pytest.raises(tlpo.InputError) as caught:
        tlpo.evaluate(GaussianNB(), X, y, groups=groups, schemes="loo")
    assert str(caught.value) == (
        "Leaving out group 99 leaves no unit of class 'c' to train on.\n"
        "You passed 27 units, 3 classes: 'a' (8), 'b' (9), 'c' (10).\n"
        "Use smaller held-out sets, or collect more units of that class."
    )
