"""Neighbours in units drawn with repetition, against fits on the rows that were drawn."""

import numpy as np
import pytest
from sklearn.impute import SimpleImputer
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, Normalizer, RobustScaler, StandardScaler

import tlpo
from engines.agreement import KINDS, assert_close, make
from tlpo.engines.neighbors import resamples
from tlpo.engines.neighbors.candidates import Candidates
from tlpo.engines.neighbors.voting import UNIFORM, Ballot
from tlpo.execution.fits import Fit, Fitter
from tlpo.games.contest import Contest, ContestOptions

MODELS = {
    "uniform": KNeighborsClassifier(5),
    "one": KNeighborsClassifier(1),
    "weighted": KNeighborsClassifier(4, weights="distance"),
    "Manhattan": KNeighborsClassifier(3, p=1, weights="distance"),
    "products": KNeighborsClassifier(5, algorithm="brute"),
    "weighted products": KNeighborsClassifier(3, algorithm="brute", weights="distance"),
    "chebyshev": KNeighborsClassifier(3, metric="chebyshev"),
    "signs": KNeighborsRegressor(5),
    "paper": tlpo.InverseDistanceKNN(3),
}
STEPS = {
    "bare": (),
    "deviation": (StandardScaler(),),
    "range": (MinMaxScaler(),),
    "quantiles": (RobustScaler(),),
    "rows": (Normalizer(),),
}


def draw(m, y, count, rng, size=None):
    """Resamples of units that have both classes, and fits on them that predict everyone."""
    found = []
    while len(found) < count:
        train = rng.integers(m, size=size or m)
        if np.ptp(y[train]):
            found.append(Fit(train, np.arange(m)))
    return found


def assert_fits_like_refits(model, X, y, fits):
    """Responses of an estimator that is fitted on the rows; returns how many fits it took."""
    contest = Contest(model, X, y)
    found = contest.fit(fits, "fits", "Fits")
    fitter = Fitter(model, contest.problem)
    for one, fit in zip(found.responses, fits, strict=True):
        assert_close(one, fitter.ask(*fit)[0])
    return found.diagnostics.fits


def assert_every_kind(steps, name, m, seed, kinds=KINDS):
    for kind in kinds:
        rng = np.random.default_rng(seed)
        X, y = make(kind, m, 3, m // 3, 0.5, seed)
        model = make_pipeline(*STEPS[steps], MODELS[name])
        assert_fits_like_refits(model, X, y, draw(m, y, 3, rng))


@pytest.mark.parametrize("m", [14, 160])
@pytest.mark.parametrize(
    ("steps", "name"),
    [("deviation", "uniform"), ("range", "weighted"), ("bare", "paper"), ("deviation", "signs")],
)
def test_nasty_tables(steps, name, m):
    """With few units all distances are measured, with more the nearest are listed."""
    assert_every_kind(steps, name, m, seed=m)


@pytest.mark.exhaustive
@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("name", MODELS)
def test_every_model_on_nasty_tables(name, steps):
    for m in (14, 40, 130):
        assert_every_kind(steps, name, m, seed=m + 1)


@pytest.mark.parametrize("name", ["uniform", "Manhattan", "products", "signs", "paper"])
@pytest.mark.parametrize("steps", ["bare", "deviation"])
def test_ordinary_tables_are_not_refitted(steps, name):
    X, y = make("plain", 200, 4, 70, 0.5, seed=3)
    fits = draw(200, y, 5, np.random.default_rng(0))
    assert assert_fits_like_refits(make_pipeline(*STEPS[steps], MODELS[name]), X, y, fits) == 1


def test_lists_are_as_good_as_all_distances(monkeypatch):
    """Nobody outside the lists votes unseen, also where scales of resamples differ most."""
    rng = np.random.default_rng(1)
    X, y = make("plain", 300, 4, 90, 0.5, seed=1)
    X[:, 0] = np.exp(3.0 * X[:, 0])  # its deviation depends on a few units
    model = make_pipeline(StandardScaler(), MODELS["uniform"])
    fits = draw(300, y, 20, rng)
    assert assert_fits_like_refits(model, X, y, fits) == 1
    monkeypatch.setattr(resamples, "SPARE", 1000)  # nobody is listed
    assert assert_fits_like_refits(model, X, y, fits) == 1


@pytest.mark.parametrize("strategy", ["mean", "median", "most_frequent"])
def test_gaps_are_filled_by_the_resample(strategy):
    rng = np.random.default_rng(2)
    X, y = make("plain", 200, 4, 70, 0.5, seed=2)
    X = np.round(X, 2)
    X[rng.random(X.shape) < 0.1] = np.nan
    model = make_pipeline(SimpleImputer(strategy=strategy), StandardScaler(), MODELS["uniform"])
    assert_fits_like_refits(model, X, y, draw(200, y, 10, rng))


def test_the_estimator_is_asked_only_where_units_compete(monkeypatch):
    rng = np.random.default_rng(4)
    X, y = make("plain", 200, 3, 70, 0.5, seed=4)
    X[150:] = X[100:150]  # copies, some of the other class
    fits = draw(200, y, 4, rng)
    model = make_pipeline(StandardScaler(), KNeighborsClassifier(3))
    asked = []
    ask = Fitter.ask

    def counted(fitter, train, test):
        asked.append(test.size)
        return ask(fitter, train, test)

    monkeypatch.setattr(Fitter, "ask", counted)
    found = Contest(model, X, y, ContestOptions(n_jobs=1)).fit(fits, "fits", "Fits")
    asked = asked[-4:]  # before, the engine was tried on a pair
    assert found.diagnostics.fits == 5
    assert all(0 < size < 150 for size in asked)
    monkeypatch.undo()
    assert_fits_like_refits(model, X, y, fits)


def test_training_sets_of_other_sizes():
    """Groups are drawn whole, so resamples have more or fewer units; some too few."""
    X, y = make("plain", 60, 3, 20, 0.5, seed=5)
    rng = np.random.default_rng(5)
    for size in (7, 30, 100):
        fits = draw(60, y, 3, rng, size)
        assert assert_fits_like_refits(MODELS["uniform"], X, y, fits) == 1
    with pytest.raises(tlpo.GameError, match="n_neighbors"):
        Contest(MODELS["uniform"], X, y).fit(draw(60, y, 1, rng, 4), "fits", "Fits")


@pytest.mark.parametrize("kind", ["harrell", "632", "632+"])
def test_the_bootstrap_against_refits(kind, monkeypatch):
    X, y = make("plain", 80, 3, 30, 0.5, seed=6)
    model = make_pipeline(StandardScaler(), KNeighborsClassifier(5))
    found = tlpo.bootstrap(model, X, y, kind=kind, n_resamples=10, random_state=0)
    assert found.diagnostics.fits == 1
    monkeypatch.setattr(resamples.Resamples, "respond", lambda self, fits: [None] * len(fits))
    refitted = tlpo.bootstrap(model, X, y, kind=kind, n_resamples=10, random_state=0)
    assert refitted.diagnostics.fits == 12
    assert found.auc == refitted.auc


def test_votes_on_copies_against_sorting():
    """The compiled loop, against a list in which every copy is a row."""
    from tlpo.engines.neighbors.copy_kernels import vote_on_copies

    rng = np.random.default_rng(7)
    m, k = 25, 4
    Z, label = rng.normal(size=(m, 2)), rng.random(m) < 0.5
    copies = np.bincount(rng.integers(m, size=m), minlength=m)
    response, error = np.empty(m), np.empty(m)
    nobody = np.empty((m, 0))
    n_scanned = vote_on_copies(
        np.arange(m),
        copies,
        Z,
        Candidates(nobody.astype(np.int32), nobody, np.zeros(m), np.ones(2)),
        1.0,
        0.0,
        Ballot(label, np.empty(0), k, UNIFORM, True),
        np.array([1e-13, 0.0, 0.0]),
        response,
        error,
    )
    rows = np.repeat(np.arange(m), copies)
    away = np.sum((Z[:, None] - Z[rows]) ** 2, axis=2)
    nearest = rows[np.argsort(away, axis=1, kind="stable")[:, :k]]
    assert n_scanned == m
    assert not error.any()
    assert np.array_equal(response, label[nearest].mean(axis=1))
