"""One larger forest against refitting: AUCs over samples, and a single game over seeds.

Every game has the distribution that it has with refitting; so the mean of the leave-pair-out AUC is
the same. Variances may differ a little, because games share trees.
"""

import numpy as np
import pytest
from scipy.stats import chi2_contingency
from sklearn.ensemble import (
    BaggingClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
)
from sklearn.svm import SVC

import oracles
import tlpo
from tlpo.contest import Contest, Options
from tlpo.schedule import Schedule

SAMPLES = 200
SEEDS = 2_500


def estimates(engine, signal, k):
    X, y = oracles.blobs(m=16, n=4, shift=signal, seed=1000 + k)
    t = tlpo.tournament(RandomForestClassifier(15), X, y, engine=engine)
    assert t.engine == engine
    return t.auc, t.tlpo_auc


@pytest.mark.slow
@pytest.mark.parametrize("signal", [0.0, 1.0])
def test_aucs_over_samples_against_refitting(signal):
    np.random.seed(0)
    forest, refit = (
        np.array([estimates(engine, signal, k) for k in range(SAMPLES)])
        for engine in ("forest", "refit")
    )
    difference = forest - refit
    error = difference.std(axis=0, ddof=1) / np.sqrt(SAMPLES)
    ratio = forest.var(axis=0, ddof=1) / refit.var(axis=0, ddof=1)
    print(f"\nsignal {signal}: LPO, TLPO")
    print(f"  means {forest.mean(axis=0).round(4)} against {refit.mean(axis=0).round(4)}")
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
        ExtraTreesRegressor(8, bootstrap=True, max_samples=0.6),
        BaggingClassifier(SVC(kernel="linear"), 5),
    ],
    ids=lambda e: type(e).__name__,
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
            played = Contest(estimator, X, y, Options(engine=engine)).play(Schedule(listed=pair))
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
