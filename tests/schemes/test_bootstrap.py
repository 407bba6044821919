import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import linear_kernel
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import oracles
import tlpo
from tlpo.checks import seed_sequence
from tlpo.problem.problem import make_problem
from tlpo.schemes.bootstrap import _draw, overfitting_rate


def resamples(y, n, seed):
    rng = np.random.default_rng(seed_sequence(seed))
    drawn = []
    while len(drawn) < n:
        units = rng.integers(len(y), size=len(y))
        if 0 < y[units].sum() < len(y):
            drawn.append(units)
    return drawn


@pytest.mark.parametrize("model", [SVC(kernel=linear_kernel), LogisticRegression()])
@pytest.mark.parametrize("n_positive", [10, 3])
def test_all_kinds_against_loops(n_positive, model):
    X, y = oracles.blobs(m=20, n_positive=n_positive)
    everyone = np.arange(20)
    apparent = oracles.auc(oracles.predict(model, X, y, everyone, everyone), y)
    optimism, outside = [], []
    for units in resamples(y, 30, 7):
        scores = oracles.predict(model, X, y, units, everyone)
        optimism.append(oracles.auc(scores[units], y[units]) - oracles.auc(scores, y))
        oob = np.setdiff1d(everyone, units)
        if 0 < y[oob].sum() < oob.size:
            outside.append(oracles.auc(scores[oob], y[oob]))
    options = {"n_resamples": 30, "random_state": 7}
    harrell = tlpo.bootstrap(model, X, y, **options)
    assert harrell.auc == pytest.approx(apparent - np.mean(optimism))
    if isinstance(model, SVC):
        assert harrell.diagnostics.fits == 31
    else:  # no more than one whose path to the solver's end rounding could turn
        assert harrell.diagnostics.fits <= 2
    plain = tlpo.bootstrap(model, X, y, kind="632", **options)
    assert plain.out_of_bag == pytest.approx(np.mean(outside))
    assert plain.auc == pytest.approx(0.368 * apparent + 0.632 * np.mean(outside))
    assert plain.n_without_auc == 30 - len(outside)
    # Efron & Tibshirani (1997), in errors: err, Err1' and gamma = 1/2
    err, err1 = 1 - apparent, min(1 - np.mean(outside), 0.5)
    rate = (err1 - err) / (0.5 - err) if err1 > err and err < 0.5 else 0.0
    weight = 0.632 / (1 - 0.368 * rate)
    plus = tlpo.bootstrap(model, X, y, kind="632+", **options)
    assert plus.auc == pytest.approx(1 - ((1 - weight) * err + weight * err1))
    assert plus.overfitting_rate == pytest.approx(rate)
    for result in (harrell, plain, plus):
        assert "30 (" in repr(result)


def test_resamples_without_a_class_are_drawn_again():
    X, y = oracles.blobs(m=12, n_positive=2)
    result = tlpo.bootstrap(LogisticRegression(), X, y, n_resamples=50, random_state=0)
    assert result.n_redrawn > 0
    assert f"{result.n_redrawn} redrawn" in repr(result)


def test_a_tree_overfits_completely():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 50)), np.arange(30) % 2
    tree = DecisionTreeClassifier(random_state=0)
    result = tlpo.bootstrap(tree, X, y, kind="632+", n_resamples=50, random_state=0)
    assert result.apparent == 1.0
    assert 0.5 <= result.auc < 0.75


def test_overfitting_rate_at_its_limits():
    assert overfitting_rate(0.9, 0.3) == 1.0  # worse than chance counts as chance
    assert overfitting_rate(0.4, 0.3) == 0.0
    assert overfitting_rate(0.8, 0.9) == 0.0


def test_groups_are_drawn_whole():
    X, y = oracles.blobs(m=20)
    groups = np.arange(20) // 4
    problem = make_problem(X, y, groups=groups)
    drawn, _ = _draw(problem, 20, seed_sequence(0))
    for units in drawn:
        times = np.bincount(units, minlength=20)
        assert all(np.unique(times[groups == g]).size == 1 for g in range(5))
    assert len({tuple(units) for units in drawn}) > 10
    together = tlpo.bootstrap(LogisticRegression(), X, y, groups=groups, random_state=0)
    alone = tlpo.bootstrap(LogisticRegression(), X, y, random_state=0)
    assert together.auc != alone.auc


def test_positive_and_params_count():
    X, y = oracles.blobs(m=20)
    options = {"n_resamples": 10, "random_state": 0}
    plain = tlpo.bootstrap(LogisticRegression(), X, y, **options)
    turned = tlpo.bootstrap(LogisticRegression(), X, y, positive=0, **options)
    assert turned.auc == pytest.approx(plain.auc)
    assert turned.labels.positive == 0
    heavy = {"sample_weight": np.where(np.arange(20) < 10, 100.0, 1e-3)}
    assert tlpo.bootstrap(LogisticRegression(), X, y, params=heavy, **options).auc != plain.auc


def test_an_out_of_bag_auc_below_chance_counts_as_chance():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(16, 30)), np.arange(16) % 2
    for seed in range(20):
        result = tlpo.bootstrap(
            LogisticRegression(), X, y, kind="632+", n_resamples=15, random_state=seed
        )
        if result.out_of_bag < 0.5:
            break
        y = rng.permutation(y)
    assert result.out_of_bag < 0.5
    expected = (1 - result.weight) * result.apparent + result.weight * 0.5
    assert result.auc == pytest.approx(expected)
    assert result.overfitting_rate == 1.0


def test_seeds():
    X, y = oracles.blobs(m=12)

    def auc(random_state):
        return tlpo.bootstrap(
            LogisticRegression(), X, y, n_resamples=10, random_state=random_state
        ).auc

    assert auc(1) == auc(1) != auc(2)
    assert auc(np.random.RandomState(1)) == auc(np.random.RandomState(1))
    assert auc(np.random.default_rng(1)) == auc(np.random.default_rng(1))
    assert auc(None) != auc(None)


def test_bad_options():
    X, y = oracles.blobs(m=12)
    with pytest.raises(tlpo.InputError, match=r"kind must be one of 'harrell', '632', '632\+'"):
        tlpo.bootstrap(LogisticRegression(), X, y, kind="635")
    with pytest.raises(tlpo.InputError, match="n_resamples must be a whole number, at least 1"):
        tlpo.bootstrap(LogisticRegression(), X, y, n_resamples=0)
