"""One larger forest against refitting: AUCs over samples, and a single game over seeds.

Every game has the distribution that it has with refitting; so the mean of the leave-pair-out AUC is
the same. Variances may differ a little, because games share trees.
"""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import chi2_contingency
from sklearn.ensemble import (
    BaggingClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.tree._criterion import Gini
from sklearn.tree._splitter import BestSplitter
from sklearn.tree._tree import DepthFirstTreeBuilder, Tree

import oracles
import tlpo
from tlpo.games.contest import Contest, ContestOptions
from tlpo.games.schedule import Schedule

M, N, N_TREES = 16, 4, 15
SAMPLES = 200
SEEDS = 2_000


def grow(X, y, weight, rows, seed):
    """A tree of a forest without scikit-learn's checks, which take ten times as long."""
    classes = np.array([2], dtype=np.intp)
    random = np.random.RandomState(seed)
    splitter = BestSplitter(Gini(1, classes), 2, 1, 0.0, random, None)
    tree = Tree(N, classes, 1)
    builder = DepthFirstTreeBuilder(splitter, 2, 1, 0.0, np.iinfo(np.int32).max, 0.0)
    builder.build(tree, X, y, weight, None)
    return tree.predict(rows)[:, 1]


def refit(X, y, rng):
    """The table of held-out predictions of forests refitted by hand, each with its own bags."""
    X, y = X.astype(np.float32), y.astype(float)[:, None]
    F = np.full((M, M), np.nan)
    for i, j in combinations(range(M), 2):
        train = np.delete(np.arange(M), (i, j))
        total = np.zeros(2)
        for _ in range(N_TREES):
            bag = rng.integers(M - 2, size=M - 2)
            weight = np.bincount(bag, minlength=M - 2).astype(float)
            total += grow(X[train], y[train], weight, X[[i, j]], rng.integers(2**31))
        F[i, j], F[j, i] = total / N_TREES
    return F


def aucs(F, y):
    difference = F - F.T
    wins = np.where(np.abs(difference) < 1e-12, 0.5, difference > 0)
    np.fill_diagonal(wins, 0)
    return wins[np.ix_(y == 1, y == 0)].mean(), oracles.auc(wins.sum(axis=1), y)


def test_trees_of_the_oracle_are_those_of_scikit_learn():
    X, y = oracles.blobs(m=M, n=N, seed=0)
    for seed in range(20):
        weight = np.random.default_rng(seed).integers(3, size=M).astype(float)
        tree = DecisionTreeClassifier(max_features="sqrt", random_state=seed)
        tree.fit(X, y, sample_weight=weight)
        X32 = X.astype(np.float32)
        found = grow(X32, y.astype(float)[:, None], weight, X32, seed)
        assert np.array_equal(found, tree.predict_proba(X)[:, 1])


@pytest.mark.slow
@pytest.mark.parametrize("signal", [0.0, 1.0])
def test_aucs_over_samples_against_refitting(signal):
    forest, refitted = np.empty((2, SAMPLES, 2))
    rng = np.random.default_rng([7, int(signal)])
    for k in range(SAMPLES):
        X, y = oracles.blobs(m=M, n=N, shift=signal, seed=1000 + k)
        t = tlpo.tournament(RandomForestClassifier(N_TREES, random_state=k), X, y)
        assert t.engine == "forest"
        assert (t.auc, t.tlpo_auc) == pytest.approx(aucs(t.predictions, y))
        forest[k], refitted[k] = (t.auc, t.tlpo_auc), aucs(refit(X, y, rng), y)
    difference = forest - refitted
    error = difference.std(axis=0, ddof=1) / np.sqrt(SAMPLES)
    ratio = forest.var(axis=0, ddof=1) / refitted.var(axis=0, ddof=1)
    print(f"\nsignal {signal}, {SAMPLES} samples: LPO, TLPO")
    print(f"  means {forest.mean(axis=0).round(4)} against {refitted.mean(axis=0).round(4)}")
    print(f"  differences {difference.mean(axis=0).round(4)} ± {error.round(4)}")
    print(f"  ratios of variances {ratio.round(3)}")
    assert np.all(np.abs(difference.mean(axis=0)) < 4 * error)
    # The two are correlated (same samples), so the ratio varies less than an F variable does:
    # its standard deviation is at most 2/sqrt(200) = 0.14.
    assert np.all(np.abs(np.log(ratio)) < 0.5)


@pytest.mark.slow
@pytest.mark.parametrize(
    "estimator",
    [
        RandomForestClassifier(15),
        ExtraTreesRegressor(8, bootstrap=True, max_samples=10),
        BaggingClassifier(SVC(kernel="linear"), 5),
        BaggingClassifier(LogisticRegression(), 5, max_samples=0.8),
    ],
    ids=["forest", "extra trees", "bagged SVC", "bagged logistic regression"],
)
def test_one_game_over_seeds_against_refitting(estimator):
    """Both responses, their difference and the outcome, in bins, by a chi-square test."""
    X, y = oracles.blobs(m=18, n=4, shift=0.8, seed=2)
    pair = np.array([[np.flatnonzero(y == 0)[1], np.flatnonzero(y == 1)[3]]])
    found = {}
    for engine in ("forest", "refit"):
        rows = []
        for seed in range(SEEDS):
            estimator.set_params(random_state=seed)
            played = Contest(estimator, X, y, ContestOptions(engine=engine)).play(
                Schedule(listed=pair)
            )
            F = played.predictions.full()
            i, j = pair[0]
            rows.append((F[i, j], F[j, i], F[i, j] - F[j, i], played.outcome[0]))
        found[engine] = np.array(rows)
    print(f"\n{type(estimator).__name__}")
    names = ("first", "second", "difference", "outcome")
    for name, a, b in zip(names, found["forest"].T, found["refit"].T, strict=True):
        a, b = a.round(9), b.round(9)  # rounding errors must not choose the bin
        shares = np.linspace(0, 1, 13)[1:-1]
        edges = np.unique(np.quantile(np.r_[a, b], shares, method="inverted_cdf"))
        n_bins = len(edges) + 1
        table = np.array([np.bincount(np.digitize(v, edges), minlength=n_bins) for v in (a, b)])
        p = chi2_contingency(table[:, table.sum(axis=0) > 0]).pvalue
        print(
            f"  {name}: p = {p:.3f}, means {a.mean():.4f} and {b.mean():.4f}, "
            f"SDs {a.std():.4f} and {b.std():.4f}"
        )
        assert p > 0.001
