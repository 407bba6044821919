import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics.pairwise import linear_kernel
from sklearn.svm import SVC

import tlpo
from estimators import Fussy, OnlyThese, Shouting
from oracles import blobs
from schemes.drawn import permuted_labels

NASTY = {
    "tall": lambda X: X,
    "wide": lambda X: np.random.default_rng(0).normal(size=(len(X), 60)),
    "duplicates": lambda X: np.repeat(X[: len(X) // 2], 2, axis=0),
    "constant column": lambda X: np.column_stack([X, np.ones(len(X))]),
    "scales": lambda X: X * np.array([1e-3, 1.0, 1e3]),
    "binary": lambda X: (X > 0).astype(float),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", NASTY)
@pytest.mark.parametrize(
    "estimator",
    [
        tlpo.RLS(),
        Ridge(alpha=0.5),
        KernelRidge(kernel="rbf", alpha=0.1),
        LinearRegression(),
        LinearDiscriminantAnalysis(),
        tlpo.InverseDistanceKNN(),
    ],
    ids=lambda e: type(e).__name__,
)
@pytest.mark.filterwarnings("ignore:Variables are collinear")
def test_null_distribution_against_tournaments(kind, estimator):
    """Whatever is shared between permutations, each equals the tournament played by itself."""
    X, y = blobs(16, 3, n_positive=6, seed=1)
    X = NASTY[kind](X)
    found = {
        statistic: tlpo.permutation_test(
            estimator, X, y, n_permutations=8, statistic=statistic, random_state=7
        )
        for statistic in ("tlpo", "lpo")
    }
    for b, labels in enumerate(permuted_labels(X, y, 8, 7)):
        t = tlpo.tournament(estimator, X, labels)
        assert found["tlpo"].null_distribution[b] == t.tlpo_auc
        assert found["lpo"].null_distribution[b] == t.lpo_auc
    t = tlpo.tournament(estimator, X, y)
    assert (found["tlpo"].observed, found["lpo"].observed) == (t.tlpo_auc, t.lpo_auc)


@pytest.mark.long
def test_refits_any_other_estimator_the_same_on_two_cores():
    X, y = blobs(10, 2, seed=0)
    one, two = (
        tlpo.permutation_test(
            SVC(kernel=linear_kernel), X, y, n_permutations=30, random_state=0, n_jobs=n_jobs
        )
        for n_jobs in (1, 2)
    )
    assert one.engine == "refit"
    assert one.diagnostics.fits == 31 * 45
    assert one.diagnostics.why_not_faster == "The path of SVC does not cover a kernel of your own."
    np.testing.assert_array_equal(one.null_distribution, two.null_distribution)
    labels = permuted_labels(X, y, 3, 0)
    for b in range(3):
        t = tlpo.tournament(SVC(kernel=linear_kernel), X, labels[b])
        assert one.null_distribution[b] == t.tlpo_auc


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("shift", [0.0, 3.0])
def test_stops_when_the_decision_is_certain_and_not_before(shift, n_jobs):
    X, y = blobs(20, 3, shift=shift, seed=1)
    options = {"n_permutations": 400, "random_state": 0, "n_jobs": n_jobs}
    full = tlpo.permutation_test(tlpo.RLS(), X, y, **options)
    short = tlpo.permutation_test(tlpo.RLS(), X, y, stop_at=0.05, **options)
    made = short.n_permutations
    assert made < 400
    np.testing.assert_array_equal(short.null_distribution, full.null_distribution[:made])
    low, high = short.p_value_bounds
    assert low <= full.p_value <= high
    assert (full.p_value <= 0.05) == (high <= 0.05)
    assert high <= 0.05 or low > 0.05
    # One permutation earlier either was still possible.
    count = 1 + np.count_nonzero(full.null_distribution[: made - 1] >= full.observed)
    assert count / 401 <= 0.05 < (count + 400 - (made - 1)) / 401
    assert "whatever the remaining permutations show" in repr(short)


def test_failures_and_warnings():
    X, y = blobs(10, 2, seed=0)
    fussy = Fussy(needs=(X[0, 0],))
    with pytest.raises(tlpo.GameError, match="cannot do without"):
        tlpo.permutation_test(fussy, X, y, n_permutations=3, random_state=0)
    test = tlpo.permutation_test(fussy, X, y, n_permutations=3, random_state=0, on_error="skip")
    labels = permuted_labels(X, y, 3, 0)
    for auc, own in zip(test.null_distribution, labels, strict=True):
        assert auc == tlpo.tournament(fussy, X, own, on_error="skip").tlpo_auc
    assert test.diagnostics.failures == {f"ArithmeticError: cannot do without {X[0, 0]}": 4 * 9}
    assert "36 games, or whole permutations, could not be played." in repr(test)
    with pytest.warns(UserWarning, match="no convergence"):
        tlpo.permutation_test(Shouting(), X, y, n_permutations=2, random_state=0)


def test_a_permutation_that_cannot_be_played_counts_against_the_signal():
    X, y = blobs(10, 2, seed=0)
    only = OnlyThese(labels=tuple(y.tolist()), features=tuple(X[:, 0].tolist()))
    with pytest.raises(tlpo.GameError, match="Permutation 0 could not be played"):
        tlpo.permutation_test(only, X, y, n_permutations=3, random_state=0)
    test = tlpo.permutation_test(only, X, y, n_permutations=3, random_state=0, on_error="skip")
    assert np.isnan(test.null_distribution).all()
    assert test.p_value == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"n_permutations": 0},
            "n_permutations must be a whole number, at least 1.\nYou passed n_permutations=0.\n"
            "For example n_permutations=1.",
        ),
        (
            {"stop_at": 0.05, "n_permutations": 10},
            "Too few permutations to reach this level.\n"
            "You passed stop_at=0.05 and n_permutations=10.\nUse at least 19 permutations.",
        ),
        (
            {"statistic": "loo"},
            "statistic must be one of 'tlpo', 'lpo'.\nYou passed statistic='loo'.\n"
            "For example statistic='tlpo'.",
        ),
    ],
)
def test_wrong_options(options, message):
    X, y = blobs(10, 2)
    with pytest.raises(tlpo.InputError) as caught:
        tlpo.permutation_test(tlpo.RLS(), X, y, **options)
    assert str(caught.value) == message
