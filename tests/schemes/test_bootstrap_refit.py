"""The bootstrap with refits, against plain loops of fits."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tlpo
from studies.refits import resampled_auc
from tlpo.games.contest import Contest, ContestOptions
from tlpo.games.response import fit_and_respond
from tlpo.roc.intervals import score_interval, score_variance
from tlpo.schemes.bootstrap_refit import _play, draw_resample

MODELS = {
    "ridge": tlpo.RLS(),
    "3-NN, many ties": KNeighborsClassifier(3),
    "inverse distance": tlpo.InverseDistanceKNN(3),
    "scaled logistic": make_pipeline(StandardScaler(), LogisticRegression()),
}


def sample(m=14, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(m) % 2 == 1
    return rng.normal(size=(m, 3)) + 0.7 * y[:, None], y


def by_definition(model, X, y, units, groups=None):
    """Fit anew for every pair of rows of opposite class, without all copies of both."""
    groups = np.arange(len(y)) if groups is None else groups
    own = groups[units]
    wins = []
    for a in np.flatnonzero(y[units]):
        for b in np.flatnonzero(~y[units]):
            train = units[(own != own[a]) & (own != own[b])]
            f = fit_and_respond(clone(model), X[train], y[train], X[units[[a, b]]])
            wins.append(1.0 if f[0] > f[1] else 0.5 if f[0] == f[1] else 0.0)
    return np.mean(wins)


@pytest.mark.parametrize("name", [*MODELS, "ridge, refitted"])
@pytest.mark.parametrize("has_groups", [False, True])
def test_a_resample_against_refits(name, has_groups):
    X, y = sample()
    # Groups of different sizes, one of them with both classes.
    groups = np.array([0, 1, 0, 1, 2, 3, 4, 4, 5, 6, 7, 8, 9, 8]) if has_groups else None
    model, engine = MODELS[name.removesuffix(", refitted")], "auto"
    if name.endswith("refitted"):
        engine = "refit"
    options = ContestOptions(groups=groups, engine=engine, n_jobs=1, predictions=False)
    contest = Contest(model, X, y, options)
    rng = np.random.default_rng(1)
    for _ in range(3):
        units = draw_resample(contest.problem, rng)
        assert np.unique(units).size < units.size
        found, _ = _play(contest, units)
        assert found == pytest.approx(by_definition(model, X, y, units, groups), abs=1e-12)


@pytest.mark.parametrize("learner", ["ridge", "knn", "logistic"])
def test_the_weighted_tables_of_the_study_against_resamples(learner):
    model = {
        "ridge": tlpo.RLS(),
        "knn": tlpo.InverseDistanceKNN(3),
        "logistic": LogisticRegression(tol=1e-10, max_iter=10_000),
    }[learner]
    X, y = sample(24, seed=2)
    contest = Contest(model, X, y, ContestOptions(n_jobs=1, predictions=False))
    rng = np.random.default_rng(3)
    for _ in range(5):
        units = draw_resample(contest.problem, rng)
        copies = np.bincount(units, minlength=y.size)
        assert resampled_auc(learner, X, y, copies) == pytest.approx(_play(contest, units)[0])


def test_classes_and_groups_keep_their_numbers():
    X, y = sample(30)
    contest = Contest(tlpo.RLS(), X, y)
    units = draw_resample(contest.problem, np.random.default_rng(0))
    assert np.count_nonzero(y[units]) == np.count_nonzero(y)
    groups = np.repeat(np.arange(10), 3)
    y = groups % 2 == 1
    contest = Contest(tlpo.RLS(), X, y, ContestOptions(groups=groups))
    units = draw_resample(contest.problem, np.random.default_rng(0))
    drawn, copies = np.unique(units, return_counts=True)
    for g in np.unique(groups[drawn]):
        of_group = copies[groups[drawn] == g]
        assert of_group.size == 3
        assert np.unique(of_group).size == 1
    assert np.count_nonzero(y[units]) == np.count_nonzero(y)


def test_a_resample_of_one_unit_of_a_class_is_drawn_again():
    X, y = sample(20)
    y = np.arange(20) < 3
    problem = Contest(tlpo.RLS(), X, y).problem
    rng = np.random.default_rng(0)
    n_distinct = [np.unique(draw_resample(problem, rng)[-3:]).size for _ in range(200)]
    assert min(n_distinct) == 2


def test_the_interval_against_its_formula():
    X, y = sample(40)
    found = tlpo.bootstrap_refit(tlpo.RLS(), X, y, n_resamples=60, random_state=0)
    assert found.auc == tlpo.tournament(tlpo.RLS(), X, y).auc
    assert found.n_resamples == 60
    variance, mean = np.var(found.aucs, ddof=1), found.aucs.mean()
    assert found.standard_error == pytest.approx(np.sqrt(variance))
    interval = found.auc_interval(0.9)
    phi = max(1.0, variance / score_variance(mean, 20, 20))
    assert phi > 1
    assert interval.phi == pytest.approx(phi)
    assert tuple(interval) == pytest.approx(score_interval(found.auc, 20, 20, phi, 1.6448536))
    assert interval.method == "bootstrap-refit"
    few = tlpo.bootstrap_refit(tlpo.RLS(), X[:20], y[:20], n_resamples=50, random_state=0)
    own = tlpo.tournament(tlpo.RLS(), X[:20], y[:20]).auc_interval()
    assert few.degrees_of_freedom == own.degrees_of_freedom is not None


def test_perfect_separation_does_not_collapse():
    y = np.arange(24) % 2 == 1
    X = np.where(y, 5.0, -5.0)[:, None] + 0.01 * np.arange(24)[:, None]
    found = tlpo.bootstrap_refit(tlpo.RLS(), X, y, n_resamples=50, random_state=0)
    assert found.auc == 1.0
    assert found.standard_error == 0.0
    low, high = found.auc_interval()
    assert low < 0.9
    assert high == 1.0
    assert found.auc_interval().phi == 1.0


def test_seeds_jobs_and_longer_runs():
    X, y = sample(20)
    first = tlpo.bootstrap_refit(tlpo.RLS(), X, y, n_resamples=50, random_state=3)
    again = tlpo.bootstrap_refit(tlpo.RLS(), X, y, n_resamples=70, random_state=3, n_jobs=2)
    np.testing.assert_array_equal(first.aucs, again.aucs[:50])
    other = tlpo.bootstrap_refit(tlpo.RLS(), X, y, n_resamples=50, random_state=4)
    assert not np.array_equal(first.aucs, other.aucs)


def test_a_journal_resumes(tmp_path, monkeypatch):
    X, y = sample(8)
    model, path = tlpo.RLS(), tmp_path / "kept.tlpo"
    given = {"n_resamples": 50, "random_state": 0, "engine": "refit"}
    plain = tlpo.bootstrap_refit(model, X, y, **given)
    kept = tlpo.bootstrap_refit(model, X, y, journal=path, **given)
    np.testing.assert_array_equal(plain.aucs, kept.aucs)
    monkeypatch.setattr("tlpo.schemes.bootstrap_refit._play", None)  # nothing is left to play
    resumed = tlpo.bootstrap_refit(model, X, y, journal=path, **given)
    np.testing.assert_array_equal(plain.aucs, resumed.aucs)
    with pytest.raises(tlpo.JournalError):
        tlpo.bootstrap_refit(model, X, y, journal=path, **given | {"random_state": 1})


def test_what_is_refused():
    X, y = sample(20)
    with pytest.raises(tlpo.InputError, match="at least 50"):
        tlpo.bootstrap_refit(tlpo.RLS(), X, y, n_resamples=10)
    with pytest.raises(tlpo.InputError) as refused:
        tlpo.bootstrap_refit(tlpo.RLS(), X, np.arange(20) < 2)
    assert str(refused.value) == (
        "A bootstrap needs at least 3 units of each class.\n"
        "You passed 2 with class True and 18 with class False.\n"
        "Collect more."
    )
    with pytest.raises(tlpo.InputError, match="at least 3 groups of each class"):
        tlpo.bootstrap_refit(tlpo.RLS(), X, y, groups=np.where(y, 0, np.arange(20) // 4))
    times = tlpo.time_to_event(np.arange(1.0, 21.0), np.ones(20, dtype=bool))
    with pytest.raises(tlpo.InputError, match="needs two classes"):
        tlpo.bootstrap_refit(tlpo.Cox(), X, times)
    with pytest.raises(tlpo.InputError):
        tlpo.bootstrap_refit(tlpo.RLS(), X, np.arange(20) % 3)
    with pytest.raises(tlpo.InputError, match=r"tlpo\.bootstrap_refit\(estimator, X, y\)"):
        tlpo.tournament(tlpo.RLS(), X, y).auc_interval(method="bootstrap-refit")


class Fails(tlpo.RLS):
    """Ridge regression that cannot be fitted to copies."""

    def fit(self, X, y):
        """Fail if a row occurs twice."""
        if len(np.unique(X, axis=0)) < len(X):
            raise ValueError("copies")
        return super().fit(X, y)


def test_an_estimator_that_fails_on_copies():
    X, y = sample(12)
    with pytest.raises(tlpo.GameError, match="Resample 0 could not be played"):
        tlpo.bootstrap_refit(Fails(), X, y, n_resamples=50, random_state=0)
