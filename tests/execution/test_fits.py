"""One fit after another: what a failing one leaves, and what travels."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

import estimators
import oracles
import tlpo
from tlpo.execution import fits
from tlpo.execution.framing import decode, encode
from tlpo.execution.options import Execution
from tlpo.problem.problem import make_problem


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


class Mumbling(ClassifierMixin, BaseEstimator):
    """Answers for one unit only, however many it is asked about."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return X[:1, 0]


def problem(m=10):
    """Units whose first feature is their number."""
    X, y = oracles.blobs(m=m)
    X[:, 0] = np.arange(m)
    return make_problem(X, y)


def without(made, *tests):
    """Fits that leave out some sets."""
    return [fits.Fit(made.training_set(np.array(test)), np.array(test)) for test in tests]


def test_runs_of_fits_against_oracles():
    made = problem()
    asked = without(made, [3], [0, 5], [1, 2, 7])
    found = fits.run_fits(LogisticRegression(), made, asked, Execution(n_jobs=1), "Sets")
    y = made.labels.is_positive.astype(int)
    for answer, (train, test) in zip(found.responses, asked, strict=True):
        expected = oracles.predict(LogisticRegression(), made.X, y, train, test)
        assert answer.tolist() == expected.tolist()
    assert found.diagnostics.fits == 3


@pytest.mark.parametrize(
    ("test", "named"),
    [([4], "unit 4"), ([4, 6], "units 4, 6"), ([0, 1, 2, 3, 4, 5, 6], "units 0, 1, 2, 3, 4, 5, …")],
)
def test_a_failing_fit_ends_the_run_and_names_its_units(test, named):
    made = problem(14)
    picky = estimators.Fussy(needs=(4,))
    with pytest.raises(tlpo.GameError) as caught:
        fits.run_fits(picky, made, without(made, [8], test), Execution(n_jobs=1), "Sets")
    assert str(caught.value) == (
        f"The estimator failed in a fit that predicts {named}.\n"
        "Fussy: ArithmeticError: cannot do without 4\n"
        "Fix the cause: this estimate needs every fit."
    )
    assert isinstance(caught.value.__cause__, ArithmeticError)


def test_a_wrong_number_of_answers_is_a_failure():
    made = problem()
    with pytest.raises(tlpo.GameError) as caught:
        fits.run_fits(Mumbling(), made, without(made, [0, 1]), Execution(n_jobs=1), "Sets")
    assert str(caught.value).splitlines()[1] == (
        "Mumbling: decision_function returned 1 numbers for 2 units instead of one each"
    )


def test_a_chunk_stops_at_a_failure_or_leaves_it_out():
    made = problem()
    fitter = fits.Fitter(estimators.Fussy(needs=(4,)), made)
    asked = without(made, [0, 1], [2, 4], [5, 6])
    stopped = fits._answer(fitter, asked, stop_at_failure=True)
    assert (stopped.finished, stopped.fits, stopped.failures) == (1, 2, [])
    assert stopped.stopped.test.tolist() == [2, 4]
    assert stopped.stopped.cause == "ArithmeticError: cannot do without 4"
    skipped = fits._answer(fitter, asked, stop_at_failure=False)
    assert (skipped.finished, skipped.fits, skipped.stopped) == (3, 3, None)
    assert [failure.test.tolist() for failure in skipped.failures] == [[2, 4]]
    assert [np.isnan(values).all() for values in skipped.values] == [False, True, False]
    assert skipped.values[0].tolist() == stopped.values[0].tolist()


def test_errors_that_cannot_travel_leave_their_text():
    kept = ArithmeticError("two are missing")
    assert fits._portable(kept) is kept

    class LocalError(Exception):
        """No other process can look up a class that is made within a function."""

    lost = LocalError("lost luggage\nand more")
    with pytest.raises(AttributeError):
        pickle.dumps(lost)
    found = fits._portable(lost)
    assert type(found) is RuntimeError
    assert str(found) == "LocalError: lost luggage"


def test_causes_are_one_line():
    assert fits._cause(ValueError("first\nsecond")) == "ValueError: first"
    assert fits._cause(ValueError()) == "ValueError: (no message)"
    assert fits._cause(tlpo.GameError("in our own words")) == "in our own words"


@pytest.mark.parametrize("sizes", [(2, 2, 2), (1, 3, 2)], ids=["equal", "unequal"])
def test_answers_survive_packing(sizes):
    rng = np.random.default_rng(0)
    values = [rng.normal(size=size) for size in sizes]
    values[1][:] = np.nan
    tasks = [fits.Fit(np.arange(9), np.arange(10, 10 + size)) for size in sizes]
    failure = fits.Failure(tasks[1].test, "ArithmeticError: no", ArithmeticError("no"))
    answers = fits.Answers(values, [failure], ceiling=1.0, fits=3)
    packed = decode(encode(fits._pack(answers)))
    assert fits._unpack(packed, tasks, may_fail=False, shape=()) is None
    back = fits._unpack(packed, tasks, may_fail=True, shape=())
    assert len(back.values) == back.finished == 3
    for ours, theirs in zip(back.values, values, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    (again,) = back.failures
    assert (again.test.tolist(), again.cause) == (tasks[1].test.tolist(), "ArithmeticError: no")
    assert (back.ceiling, back.fits, back.stopped) == (1.0, 3, None)


def test_a_failure_that_ended_a_chunk_is_not_written_down():
    failure = fits.Failure(np.array([1, 2]), "no", ValueError("no"))
    answers = fits.Answers([np.array([0.5, 0.25])], stopped=failure, fits=2)
    packed = fits._pack(answers)
    assert packed["fits"] == 1  # the other is tried again
    assert packed["failures"] == []
    assert packed["values"].tolist() == [0.5, 0.25]


def test_games_by_fitting_against_oracles():
    made = problem()
    F = oracles.held_out_predictions(
        LogisticRegression(), made.X, made.labels.is_positive.astype(int)
    )
    pairs = np.array([[0, 1], [2, 9], [5, 7]])
    played = fits.GameFits(LogisticRegression(), made).play(pairs, Execution(n_jobs=1))
    assert played.responses.tolist() == [[F[i, j], F[j, i]] for i, j in pairs]
    assert played.outcome.tolist() == [oracles.heaviside(F[i, j], F[j, i]) for i, j in pairs]
    assert (played.ceiling, played.log.fits) == (np.inf, 3)
    bounded = fits.GameFits(GaussianNB(), made).play(pairs, Execution(n_jobs=1))
    assert bounded.ceiling == 1.0  # probabilities


def test_skipped_games_have_no_result():
    made = problem()
    games = fits.GameFits(estimators.Fussy(needs=(4,)), made)
    played = games.play(np.array([[0, 1], [2, 4]]), Execution(n_jobs=1, skip=True))
    assert np.isnan(played.outcome).tolist() == [False, True]
    assert np.isnan(played.responses).all(axis=1).tolist() == [False, True]
    assert played.failures == {"ArithmeticError: cannot do without 4": 1}
    with pytest.raises(tlpo.GameError, match="Fix the cause: every comparison is needed"):
        games.play(np.array([[2, 4]]), Execution(n_jobs=1, may_skip=False))


@pytest.mark.parametrize("play", [tlpo.tournament, tlpo.leave_one_out])
@pytest.mark.parametrize("model", [SVC(), Ridge(), BaggingClassifier(SVC(), 3)])
def test_missing_values_are_to_be_imputed_not_skipped(play, model):
    X, y = oracles.blobs(m=12)
    X[3, 0] = np.nan
    with pytest.raises(tlpo.GameError, match=r"make_pipeline\(SimpleImputer\(\)") as info:
        play(model, X, y)
    assert "skip" not in str(info.value)
