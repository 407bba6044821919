"""One fit after another: what a failing one leaves, and what travels."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import VotingClassifier
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.naive_bayes import GaussianNB

import estimators
import oracles
import tlpo


def test_precomputed_kernels_are_cut_on_both_sides():
    X, y = oracles.blobs(m=10)
    plain = tlpo.tournament(KernelRidge(kernel="rbf", gamma=0.5), X, y, engine="refit")
    K = rbf_kernel(X, gamma=0.5)
    for kernel in (K, pd.DataFrame(K)):
        t = tlpo.tournament(KernelRidge(kernel="precomputed"), kernel, y, engine="refit")
        assert t.predictions == pytest.approx(plain.predictions, nan_ok=True)
    with pytest.raises(tlpo.InputError, match=r"needs a square X.*\n.*shape \(10, 3\)"):
        tlpo.tournament(KernelRidge(kernel="precomputed"), X, y, engine="refit")


def fussy(n_jobs=1, needs=2, **kwargs):
    X, y = oracles.blobs(m=10)
    X[:, 0] = np.arange(10) / 10
    return tlpo.tournament(
        estimators.Fussy(needs=tuple(k / 10 for k in range(needs))), X, y, n_jobs=n_jobs, **kwargs
    )


def test_a_failing_pair_stops_the_run_and_is_named():
    with pytest.raises(tlpo.GameError) as caught:
        fussy()
    assert str(caught.value) == (
        "The estimator failed on the pair (0, 1).\n"
        "Fussy: ArithmeticError: cannot do without 0.0\n"
        "Fix the cause, or pass on_error='skip' to leave such games out and count them."
    )
    assert isinstance(caught.value.__cause__, ArithmeticError)


def test_failures_in_workers_come_back_with_their_cause(monkeypatch):
    X, y = oracles.blobs(m=14)
    monkeypatch.setattr("tlpo.execution.run.PROBE_SECONDS", 0.0)
    monkeypatch.setattr("tlpo.execution.run.CHUNK_SECONDS", 0.001)
    X[:, 0] = np.arange(14)
    with pytest.raises(tlpo.GameError, match=r"on the pair \(0, 13\)") as caught:
        tlpo.tournament(estimators.Fussy(needs=(13,)), X, y, n_jobs=2)
    assert isinstance(caught.value.__cause__, ArithmeticError)
    with pytest.raises(tlpo.GameError, match="UnpicklableError: lost luggage"):
        tlpo.tournament(estimators.Unpicklable(), X, y, n_jobs=2)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_response_that_is_no_number(value):
    X, y = oracles.blobs(m=8)
    X[:, 0] = np.arange(8)
    with pytest.raises(tlpo.GameError) as caught:
        tlpo.tournament(estimators.Answers(value, limit=5.5), X, y)
    assert str(caught.value) == (
        "The estimator failed on the pair (0, 6).\n"
        f"Answers: decision_function returned {value} for unit 6\n"
        "Fix the cause, or pass on_error='skip' to leave such games out and count them."
    )


def test_a_classifier_without_score_is_not_a_failing_pair():
    X, y = oracles.blobs(m=8)
    hard = VotingClassifier([("a", GaussianNB())])
    for on_error in ("raise", "skip"):
        with pytest.raises(tlpo.InputError, match="provides no score"):
            tlpo.tournament(hard, X, y, on_error=on_error)
