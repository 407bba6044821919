"""Several classes: engines against refits, M and its parts against plain loops."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.metrics import roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import tlpo
from tlpo.errors import InputError

MODELS = {
    "discriminants": (LinearDiscriminantAnalysis(), "discriminant"),
    "discriminants with priors": (
        LinearDiscriminantAnalysis(priors=[0.5, 0.3, 0.2]),
        "discriminant",
    ),
    "scaled discriminants": (
        make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()),
        "discriminant",
    ),
    "naive Bayes": (GaussianNB(), "bayes"),
    "naive Bayes with priors": (GaussianNB(priors=[0.5, 0.3, 0.2]), "bayes"),
    "scaled naive Bayes": (
        make_pipeline(StandardScaler(), GaussianNB(var_smoothing=1e-3)),
        "bayes",
    ),
    "ridge classifier": (RidgeClassifier(), "least-squares"),
    "scaled ridge classifier": (make_pipeline(StandardScaler(), RidgeClassifier()), None),
    "ridge": (Ridge(), "least-squares"),
    "RLS": (tlpo.RLS(), "least-squares"),
    "neighbours": (KNeighborsClassifier(4), "neighbors"),
    "weighted neighbours": (KNeighborsClassifier(5, weights="distance"), "neighbors"),
    "scaled neighbours": (make_pipeline(StandardScaler(), KNeighborsClassifier(3)), "neighbors"),
}


def wine(each=12):
    X, y = load_wine(return_X_y=True)
    rows = np.r_[0:each, 59 : 59 + each, 130 : 130 + each]
    return X[rows][:, [0, 2, 9]], y[rows]


def drawn(sizes, n=4, apart=1.5, seed=0):
    rng = np.random.default_rng(seed)
    code = np.repeat(np.arange(len(sizes)), sizes)
    X = rng.normal(size=(code.size, n))
    X[np.arange(code.size), code % n] += apart
    order = rng.permutation(code.size)
    return X[order], np.array(["b", "a", "c", "e", "d"])[code[order]]


def ties():
    X, y = drawn((6, 5, 7), seed=3)
    return np.round(X), y


def constant_column():
    X, y = drawn((6, 5, 7), seed=4)
    X[:, 2] = 3.0
    return X, y


def duplicates():
    X, y = drawn((6, 6, 6), seed=5)
    X[y == "b"] = X[np.flatnonzero(y == "a")]
    return X, y


def extreme():
    X, y = drawn((6, 5, 6), seed=6)
    return X * np.array([1e-6, 1.0, 1e6, 1e3]) + np.array([0.0, 1e3, 0.0, 0.0]), y


def iris():
    X, y = load_iris(return_X_y=True)
    return X[::8], y[::8]


DATA = {
    "wine": lambda: wine(each=5),
    "iris": iris,
    "random": lambda: drawn((6, 5, 7)),
    "no signal": lambda: drawn((6, 5, 7), apart=0.0, seed=1),
    "all apart": lambda: drawn((6, 6, 6), apart=8.0, seed=2),
    "three units": lambda: drawn((3, 5, 9), seed=7),
    "ties": ties,
    "constant column": constant_column,
    "duplicates": duplicates,
    "extreme scales": extreme,
    "one column": lambda: drawn((6, 6, 6), n=1, seed=8),
    "more columns than units": lambda: drawn((5, 5, 5), n=30, seed=9),
}
MORE = {
    "five classes": lambda: drawn((6, 5, 7, 5, 4), seed=13),
    "four classes": lambda: drawn((6, 6, 6, 6), n=2, seed=14),
    "unequal classes": lambda: drawn((3, 6, 12), seed=15),
}
FEW = [
    *((model, "wine") for model in MODELS),
    *(("discriminants", data) for data in DATA if data != "wine"),
    *(("naive Bayes", data) for data in ("ties", "duplicates", "three units", "extreme scales")),
    *(("neighbours", data) for data in ("ties", "duplicates", "three units")),
    *(("ridge classifier", data) for data in ("ties", "more columns than units")),
]
ALL = [(model, data) for model in MODELS for data in DATA if (model, data) not in FEW]


def assert_same_games(model, X, y, **options):
    found = tlpo.multiclass(model, X, y, **options)
    refitted = tlpo.multiclass(model, X, y, engine="refit", **options)
    for own, expected in zip(found.each, refitted.each, strict=True):
        assert own.standings.wins.tolist() == expected.standings.wins.tolist()
        assert own.standings.games.tolist() == expected.standings.games.tolist()
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("model", "data"), FEW)
def test_games_against_refits(model, data):
    estimator, engine = MODELS[model]
    found = assert_same_games(estimator, *DATA[data]())
    if data == "wine" and engine is not None:
        assert found.engine == engine


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("model", "data"), ALL)
def test_more_games_against_refits(model, data):
    assert_same_games(MODELS[model][0], *DATA[data]())


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", [k for k in MODELS if "priors" not in k])
@pytest.mark.parametrize("data", MORE)
def test_more_classes_against_refits(model, data):
    assert_same_games(MODELS[model][0], *MORE[data]())


def wins_of(F):
    return np.where(np.isclose(F, F.T, rtol=1e-11, atol=0), 0.5, F > F.T)


def plain(model, X, y):
    """Hand and Till's shares by loops: A(a|b) of classes in sorted order."""
    names = np.unique(y)
    F = np.full((len(names), len(y), len(y)), np.nan)
    for i in range(len(y)):
        for j in range(i):
            train = np.delete(np.arange(len(y)), [i, j])
            fitted = clone(model).fit(X[train], y[train])
            p = fitted.predict_proba(X[[i, j]])
            F[:, i, j], F[:, j, i] = p
    shares = np.full((len(names), len(names)), np.nan)
    for a, own in enumerate(names):
        for b, other in enumerate(names):
            if a != b:
                shares[a, b] = wins_of(F[a])[np.ix_(y == own, y == other)].mean()
    return F, shares


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "data", [k for k in DATA | MORE if k not in ("iris", "all apart", "extreme scales")]
)
def test_shares_against_loops(data):
    X, y = (DATA | MORE)[data]()
    model = GaussianNB(var_smoothing=0.1)
    k = tlpo.multiclass(model, X, y)
    F, shares = plain(model, X, y)
    assert k.shares.to_numpy() == pytest.approx(shares, nan_ok=True)
    assert k.auc == pytest.approx(np.nanmean(shares))
    pairs = k.pairs
    for (a, b), row in pairs.iterrows():
        assert row["auc"] == pytest.approx((k.shares.loc[a, b] + k.shares.loc[b, a]) / 2)
        assert row["low"] <= row["auc"] <= row["high"]
    for place, (name, t) in enumerate(k.one_vs_rest.items()):
        own = y == name
        won = wins_of(F[place])
        assert t.auc == pytest.approx(won[np.ix_(own, ~own)].mean())
        assert t.scores == pytest.approx(np.where(np.eye(len(y)), 0, won).sum(axis=1))
    guess = np.unique(y)[np.argmax(np.nanmean(F, axis=2), axis=0)]
    for a in np.unique(y):
        for b in np.unique(y):
            assert k.confusion.loc[a, b] == np.sum((y == a) & (guess == b))


def test_reference_numbers():
    X, y = wine()
    k = tlpo.multiclass(LinearDiscriminantAnalysis(), X, y)
    assert k.auc == pytest.approx(0.938657, abs=5e-7)
    expected = {(0, 1): 0.9653, (1, 0): 0.9792, (0, 2): 0.9444, (2, 0): 0.9306, (1, 2): 0.9097}
    for (a, b), share in expected.items():
        assert k.shares.loc[a, b] == pytest.approx(share, abs=5e-5)
    assert tlpo.multiclass(GaussianNB(), X, y).auc == pytest.approx(0.927083, abs=5e-7)


@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), tlpo.RLS(), GaussianNB()])
def test_two_classes_are_a_tournament(model):
    X, y = wine()
    X, y = X[:24], np.array(["no", "yes"])[y[:24]]
    k, t = tlpo.multiclass(model, X, y), tlpo.tournament(model, X, y, positive="yes")
    assert k.auc == t.auc
    assert tuple(k.auc_interval()) == tuple(t.auc_interval())
    assert k.scores[:, 1].tolist() == t.scores.tolist()
    assert k.one_vs_rest["no"].auc == t.auc
    (row,) = k.pairs.itertuples()
    assert (row.auc, row.low, row.high) == (t.auc, *t.auc_interval())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", ["discriminants", "naive Bayes", "RLS", "neighbours"])
def test_groups_and_exclusions_against_refits(model):
    X, y = drawn((5, 5, 5), seed=11)
    groups = np.arange(15) // 2
    k = assert_same_games(MODELS[model][0], X, y, groups=groups)
    assert k.auc_interval().jackknife_variance > 0
    assert_same_games(MODELS[model][0], X, y, exclude=tlpo.Buffer(X[:, :2], radius=0.4))


@pytest.mark.filterwarnings("ignore")
def test_imputed_columns_against_refits():
    X, y = drawn((4, 4, 5), seed=12)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    for model in (GaussianNB(), RidgeClassifier(), LinearDiscriminantAnalysis()):
        assert_same_games(make_pipeline(SimpleImputer(), model), X, y)


def test_forests_share_their_trees():
    X, y = wine()
    for model in (RandomForestClassifier(30, random_state=0), BaggingClassifier(random_state=0)):
        k = tlpo.multiclass(model, X, y)
        assert k.engine == "forest"
        assert 0.8 < k.auc < 1
        assert k.responses.sum(axis=1) == pytest.approx(1.0)


@pytest.mark.exhaustive
def test_forests_against_refits_in_the_mean():
    """Twelve seeds of forests of ten trees; their means are known to 0.01."""
    X, y = wine()
    found, refitted = (
        [
            tlpo.multiclass(RandomForestClassifier(10, random_state=s), X, y, engine=engine).auc
            for s in range(12)
        ]
        for engine in ("auto", "refit")
    )
    error = np.sqrt((np.var(found) + np.var(refitted)) / 11)
    assert abs(np.mean(found) - np.mean(refitted)) < 4 * error


def test_a_journal_resumes_without_a_fit(tmp_path, monkeypatch):
    X, y = wine(each=5)
    first = tlpo.multiclass(SVC(), X, y, n_jobs=1, journal=tmp_path / "games.tlpo")
    monkeypatch.setattr(SVC, "decision_function", lambda *_: None)  # unplayable from here on
    again = tlpo.multiclass(SVC(), X, y, n_jobs=1, journal=tmp_path / "games.tlpo")
    assert first.engine == again.engine == "refit"
    assert again.scores.tolist() == first.scores.tolist()
    assert again.auc_interval().low == first.auc_interval().low


def test_a_logistic_model_is_refitted_with_a_sentence():
    X, y = wine(each=4)
    k = tlpo.multiclass(make_pipeline(StandardScaler(), LogisticRegression()), X, y)
    assert k.engine == "refit"
    assert k.diagnostics.why_not_faster


def test_a_comparison_names_its_test():
    X, y = wine()
    k, other = tlpo.multiclass(GaussianNB(), X, y), tlpo.multiclass(tlpo.RLS(), X, y)
    compared = tlpo.compare(k, other)
    assert compared.difference == k.auc - other.auc
    expected = f"  statistic   {compared.statistic:.4g}, 11.0 degrees of freedom"
    assert repr(compared).splitlines()[4] == expected  # not DeLong's
    assert compared.row()["auc_first"] == k.auc


def test_bad_input_is_named():
    X, y = wine()
    with pytest.raises(InputError, match="each of three units or more"):
        tlpo.multiclass(GaussianNB(), X, [f"k{k}" for k in range(36)])
    with pytest.raises(InputError, match="Class 2 has too few units"):
        tlpo.multiclass(GaussianNB(), X[:26], y[:26])
    with pytest.raises(InputError, match="decision_function_shape='ovr'"):
        tlpo.multiclass(SVC(decision_function_shape="ovo"), X, y)
    with pytest.raises(InputError, match=r"tlpo\.multiclass"):
        tlpo.tournament(GaussianNB(), X, y)


@pytest.mark.parametrize("data", ["wine", "ties", "three units"])
def test_fixed_scores_against_scikit_learn(data):
    X, y = DATA[data]()
    p = GaussianNB().fit(X, y).predict_proba(X + np.random.default_rng(0).normal(size=X.shape))
    found = tlpo.assess(p, y)
    assert found.auc == pytest.approx(roc_auc_score(y, p, multi_class="ovo"))
    low, high = found.auc_interval()
    assert low < found.auc < high
    with pytest.raises(InputError, match=r"^Several classes need a score for each\."):
        tlpo.assess(p[:, :2], y)


def test_standard_error_of_fixed_scores_over_samples():
    """400 samples: the standard deviation is known to 4 %."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], (15, 20, 25))
    drawn = [tlpo.assess(rng.normal(size=(60, 3)) + np.eye(3)[y], y) for _ in range(400)]
    spread = np.std([found.auc for found in drawn])
    error = np.mean([found.standard_error for found in drawn])
    assert error == pytest.approx(spread, rel=0.12)


def test_a_class_that_leaves_with_a_group_is_named():
    X, y = wine()
    groups = np.where(y == 2, 99, np.arange(36))
    with pytest.raises(InputError, match="no unit of class 2 to train on"):
        tlpo.multiclass(GaussianNB(), X, y, groups=groups)
