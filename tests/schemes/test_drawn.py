"""Intervals of samples whose table of predictions is not kept."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tlpo
from tlpo.document.narrative import say_draw
from tlpo.engines.base import Predictions
from tlpo.execution import options
from tlpo.roc import drawn

RNG = np.random.default_rng(5)
Y = np.arange(70) % 3 == 0
X = RNG.normal(size=(70, 4)) + 0.4 * Y[:, None]


@pytest.fixture
def too_large(monkeypatch):
    monkeypatch.setattr(options, "PREDICTIONS_BUDGET", 0)


MODELS = {
    "least squares": tlpo.RLS(),
    "scaled least squares": make_pipeline(StandardScaler(), tlpo.RLS()),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression(tol=1e-8)),
    "naive Bayes": GaussianNB(),
    "neighbors": KNeighborsClassifier(5),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_draw_of_all_units_against_the_table(name, monkeypatch):
    kept = tlpo.tournament(MODELS[name], X, Y).auc_interval()
    monkeypatch.setattr(options, "PREDICTIONS_BUDGET", 0)
    t = tlpo.tournament(MODELS[name], X, Y)
    assert t.predictions is None
    found = t.auc_interval()
    assert (found.method, found.width_error) == ("placement-jackknife", 0.0)
    # Close games of logistic regression are answered again for the table only.
    rel = 0.02 if name == "logistic" else 1e-6
    assert found.jackknife_variance == pytest.approx(kept.jackknife_variance, rel=rel)
    assert tuple(found) == pytest.approx(tuple(kept), rel=rel)
    assert tuple(pickle.loads(pickle.dumps(t)).auc_interval()) == tuple(found)


def test_forests_are_free_of_the_noise_of_trees_without_the_table_too(monkeypatch):
    """The games that units play themselves are those of all trees, so halves are close, not equal.

    With the noise, the variance of the draw is that of the table without its halves.
    """
    forest = RandomForestClassifier(10, max_depth=2, random_state=0)
    plain, found = [], []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        own = rng.normal(size=(40, 2))
        y = own[:, 0] + rng.normal(size=40) > 0
        kept = tlpo.tournament(forest, own, y)
        alone = replace(kept, _table=Predictions.of_table(kept.predictions, 1.0))
        with monkeypatch.context() as patch:
            patch.setattr(options, "PREDICTIONS_BUDGET", 0)
            t = tlpo.tournament(forest, own, y)
        assert t.predictions is None
        noisy = replace(t, _drawn=replace(t._drawn, halves=())).auc_interval()
        assert noisy.jackknife_variance == pytest.approx(
            alone.auc_interval().jackknife_variance, rel=1e-6
        )
        free = kept.auc_interval().jackknife_variance
        plain.append(noisy.jackknife_variance - free)
        found.append(t.auc_interval().jackknife_variance - free)
        assert len(t._drawn.halves) == 2
    assert np.abs(found).max() < 0.3 * np.max(plain)
    assert np.mean(np.abs(found)) < 0.2 * np.mean(plain)


def test_differences_of_forests_and_numbers_use_halves_too(too_large):
    number = X[:40, 0] + RNG.normal(size=40)
    forest = RandomForestRegressor(10, max_depth=2, random_state=0)
    a, b = (tlpo.concordance(model, X[:40], number) for model in (forest, tlpo.RLS()))
    assert [len(c._drawn.halves) for c in (a, b)] == [2, 0]
    without = replace(a, _drawn=replace(a._drawn, halves=()))
    for one, other, noisy in ((a, b, (without, b)), (b, a, (b, without))):
        found, plain = tlpo.compare(one, other), tlpo.compare(*noisy)
        assert found.placement_variance <= found.jackknife_variance < plain.jackknife_variance


def test_orders_and_times_against_the_table(monkeypatch):
    number = X[:, 0] + RNG.normal(size=70)
    time = np.exp(-0.5 * X[:, 0]) * RNG.exponential(size=70)

    def intervals():
        return (
            tlpo.concordance(tlpo.RLS(), X, number).concordance_interval(),
            tlpo.concordance(tlpo.RLS(), X, np.digitize(number, [-1, 0, 1])).concordance_interval(),
            tlpo.survival(tlpo.Cox(), X, time, RNG.random(70) < 2).concordance_interval(),
            tlpo.survival(tlpo.Cox(), X, time, time < np.median(time)).concordance_interval(),
        )

    kept = intervals()
    monkeypatch.setattr(options, "PREDICTIONS_BUDGET", 0)
    for whole, found in zip(kept, intervals(), strict=True):
        assert (found.method, found.width_error) == ("placement-jackknife", 0.0)
        assert found.jackknife_variance == pytest.approx(whole.jackknife_variance, rel=1e-6)
        assert tuple(found) == pytest.approx(tuple(whole), rel=1e-6)


def test_comparisons_against_the_table(monkeypatch):
    number = X[:, 0] + RNG.normal(size=70)

    def comparisons():
        first, second = (tlpo.tournament(model, X, Y) for model in (tlpo.RLS(), tlpo.RLS(500.0)))
        one, other = (tlpo.concordance(tlpo.RLS(), X[:, :k], number) for k in (1, 3))
        return tlpo.compare(first, second), tlpo.compare(one, other)

    kept = comparisons()
    monkeypatch.setattr(options, "PREDICTIONS_BUDGET", 0)
    for whole, found in zip(kept, comparisons(), strict=True):
        assert not found.notes
        jackknife = max(whole.jackknife_variance, whole.placement_variance)
        assert found.jackknife_variance == pytest.approx(jackknife, rel=1e-6)
        assert found.difference == pytest.approx(whole.difference)


def test_leave_pair_out_has_the_interval_of_the_tournament(too_large):
    whole = tlpo.tournament(tlpo.RLS(), X, Y).auc_interval()
    found = tlpo.leave_pair_out(tlpo.RLS(), X, Y).auc_interval()
    assert tuple(found) == pytest.approx(tuple(whole), rel=1e-9)
    assert (found.method, found.notes) == ("placement-jackknife", ())
    number = X[:, 0] + RNG.normal(size=70)
    whole = tlpo.concordance(tlpo.RLS(), X, number).concordance_interval()
    part = tlpo.leave_pair_out(tlpo.RLS(), X, number, order=True)
    assert tuple(part.concordance_interval()) == pytest.approx(tuple(whole), rel=1e-9)
    matched = tlpo.leave_pair_out(tlpo.RLS(), X, Y, match=np.arange(70) % 2)
    assert matched.auc_interval().method == "inflated"


def test_a_partial_draw_says_its_error(too_large, monkeypatch):
    monkeypatch.setattr(drawn, "THIRD", 20)
    monkeypatch.setattr(drawn, "REPLAYED", 40)
    t = tlpo.tournament(tlpo.RLS(), X, Y)
    found = t.auc_interval()
    assert found.phi > 1.0
    assert 0.0 < found.width_error < 0.3
    assert "jackknife from units drawn at random: the width ±" in repr(found)
    again = tlpo.tournament(tlpo.RLS(), X, Y)
    assert tuple(again.auc_interval()) == tuple(found)
    report = tlpo.report(t)
    assert report.models[0].interval.width_error == found.width_error
    assert "patients drawn at random" in say_draw(report.models, "patients")


def test_other_methods_draw_nothing(too_large):
    t = tlpo.tournament(tlpo.RLS(), X, Y)
    assert t.auc_interval(method="inflated").width_error is None
    assert t.auc_interval(method="inflated").phi == 2.0


def test_too_many_close_games_leave_fewer_units(too_large, monkeypatch):
    from tlpo.schemes import drawn as scheme

    monkeypatch.setattr(scheme, "MOST_GAMES", 100)
    t = tlpo.tournament(tlpo.RLS(), X, Y)
    found = t._drawn.variance(t._evidence.own, t._evidence.strata)
    assert found.error > 0.0


def grouped(kind):
    """Return a result of grouped units, and its interval."""
    groups = np.arange(70) // 5
    if kind == "numbers":
        found = tlpo.concordance(tlpo.RLS(), X, X[:, 0] + np.sin(np.arange(70)), groups=groups)
        return found, found.concordance_interval()
    if kind == "times":
        time = np.exp(-X[:, 0]) * (1.0 + np.arange(70) % 7)
        found = tlpo.survival(tlpo.Cox(), X, time, np.arange(70) % 3 > 0, groups=groups)
        return found, found.concordance_interval()
    y = Y if kind == "mixed" else groups % 2 == 1
    found = tlpo.tournament(tlpo.RLS(), X, y, groups=groups)
    return found, found.auc_interval()


@pytest.mark.parametrize("kind", ["mixed", "classes", "numbers", "times"])
def test_groups_against_the_table(kind, monkeypatch):
    _, whole = grouped(kind)
    monkeypatch.setattr(options, "PREDICTIONS_BUDGET", 0)
    result, found = grouped(kind)
    assert result.predictions is None
    assert (found.method, found.notes) == ("placement-jackknife", ())
    assert found.degrees_of_freedom == pytest.approx(whole.degrees_of_freedom)
    # Shifts are measured from means over other groups here, over all columns of the table there.
    assert found.jackknife_variance == pytest.approx(whole.jackknife_variance, rel=0.15)
    assert tuple(found) == pytest.approx(tuple(whole), abs=0.01)


@pytest.mark.parametrize(
    ("model", "exclude"),
    [
        (AdaBoostClassifier(n_estimators=2, random_state=0), None),
        (tlpo.RLS(), lambda i, j: [(i + 2) % 16, (j + 2) % 16]),
    ],
    ids=["refitted", "exclude"],
)
def test_where_nothing_can_be_drawn_the_fallback_says_so(too_large, model, exclude):
    t = tlpo.tournament(model, X[:16], Y[:16], exclude=exclude)
    with pytest.warns(UserWarning, match="doubled instead of estimated"):
        assert t.auc_interval().method == "inflated"
