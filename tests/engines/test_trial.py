"""What refitting refuses, an engine refuses; where answers differ, refitting plays."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import tlpo
from tlpo.engines import trial
from tlpo.engines.trial import find_pairs
from tlpo.games.contest import Contest, ContestOptions
from tlpo.problem.problem import make_problem

X = np.random.default_rng(0).normal(size=(14, 3))
Y = np.arange(14) % 2
with warnings.catch_warnings():  # of NumPy, which advises against it
    warnings.simplefilter("ignore")
    MATRIX = np.asmatrix(X)
TABLE = pd.DataFrame(X, columns=list("abc")).assign(site=["u", "v"] * 7)


def encoded(**options):
    return make_pipeline(
        ColumnTransformer(
            [("n", StandardScaler(), list("abc")), ("s", OneHotEncoder(**options), ["site"])],
            verbose_feature_names_out=False,
        ),
        RidgeClassifier(),
    ).set_output(transform="pandas")


@pytest.mark.parametrize(
    ("estimator", "given", "cause"),
    [
        (RidgeClassifier(class_weight={5: 2.0}), X, "are not in class_weight"),
        (LogisticRegression(class_weight={"1": 2.0}), X, "are not in class_weight"),
        (GaussianNB(), MATRIX, "np.matrix is not supported"),
        (tlpo.RLS(), MATRIX, "np.matrix is not supported"),
        (encoded(), TABLE, "Pandas output does not support sparse data"),
        (
            encoded(sparse_output=False),
            TABLE.rename(columns={"b": "site_u"}).set_axis(["a", "site_u", "c", "site"], axis=1),
            "",
        ),
        (
            make_pipeline(StandardScaler(), RidgeClassifier()).set_output(transform="pandas"),
            TABLE[["a", "b", "c"]].set_axis(["a", "a", "b"], axis=1),
            "unique column names",
        ),
        (BaggingClassifier(DecisionTreeClassifier(max_depth=-1), random_state=0), X, "max_depth"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_a_refit_refuses_an_engine_refuses(estimator, given, cause):
    fast, slow = (wins_or_error(estimator, given, Y, engine) for engine in ("auto", "refit"))
    assert fast == slow
    if cause != "unique column names" or scikit_learn_refuses(given):
        assert cause in slow
        assert isinstance(slow, str)


def scikit_learn_refuses(frame):
    """Return whether columns of one name are refused; older versions fit them."""
    try:
        Ridge().fit(frame, Y[: len(frame)])
    except ValueError:
        return True
    return False


def wins_or_error(estimator, given, y, engine):
    try:
        return tlpo.tournament(estimator, given, y, engine=engine).standings.wins.tolist()
    except tlpo.GameError as error:
        return str(error)


@pytest.mark.parametrize(
    ("estimator", "shift"),
    [
        (RidgeClassifier(), 1e-4),
        (make_pipeline(StandardScaler(), Ridge()), 1e-4),
        (KNeighborsClassifier(3), 1e-4),
        (GaussianNB(), 1e-4),
        (LogisticRegression(), 0.1),  # its tolerance leaves open less than that
    ],
    ids=str,
)
def test_an_answer_that_differs_is_not_trusted(estimator, shift, monkeypatch):
    assert tlpo.tournament(estimator, X, Y).engine != "refit"
    honest = trial.Fitter.ask

    def ask(self, train, test):
        values, ceiling = honest(self, train, test)
        return values + np.array([shift, 0.0]), ceiling

    with monkeypatch.context() as changed:
        changed.setattr(trial.Fitter, "ask", ask)
        contest = Contest(estimator, X, Y, ContestOptions())
        assert not contest.has_exact_engine
    assert contest._tried
    for why in contest._tried.values():
        assert why.startswith("For one pair the closed form gives ")


def test_our_own_learners_are_not_tried(monkeypatch):
    monkeypatch.setattr(trial, "Fitter", None)
    assert tlpo.tournament(tlpo.RLS(), X, Y).engine == "least-squares"
    assert tlpo.tournament(tlpo.InverseDistanceKNN(), X, Y).engine == "neighbors"


def test_an_estimator_is_tried_once_per_contest(monkeypatch):
    fits = []
    honest = trial.Fitter.ask
    monkeypatch.setattr(
        trial.Fitter, "ask", lambda self, *args: fits.append(1) or honest(self, *args)
    )
    tlpo.permutation_test(Ridge(), X, Y, n_permutations=5, random_state=0)
    assert len(fits) == 1
    fits.clear()
    tlpo.evaluate(make_pipeline(StandardScaler(), Ridge()), X, Y, random_state=0)
    assert len(fits) == 1


def test_pairs_leave_both_classes():
    problem = make_problem(X, Y)
    i, j = next(find_pairs(problem))
    assert problem.labels.is_positive[[i, j]].tolist() == [True, False]
    # All positives but one are in a group with every negative.
    tight = make_problem(X[:5], [1, 1, 0, 0, 0], groups=[0, 1, 0, 1, 2])
    found = list(find_pairs(tight))
    assert found
    for pair in found:
        left = tight.labels.is_positive[tight.training_set(pair)]
        assert left.any()
        assert not left.all()
    assert not list(find_pairs(make_problem(X[:4], [1, 1, 0, 0], groups=[0, 0, 1, 1])))


@pytest.mark.parametrize(
    "y", [[3, 1, 4, 1, 5, 9, 2, 6], [0, 0, 0, 0, 0, 7, 1, 7], [1, 1, 1, 0] * 2]
)
@pytest.mark.parametrize("groups", [None, [0, 0, 1, 1, 2, 2, 3, 3]])
def test_pairs_of_numbers_are_ordered_and_leave_ordered_ones(y, groups):
    problem = make_problem(X[:8], y, groups=groups, order=True)
    found = list(find_pairs(problem))
    assert found
    for i, j in found:
        assert y[i] > y[j]
        assert len({y[k] for k in problem.training_set(np.array([i, j]))}) > 1


def test_frames_that_a_fit_refuses_are_refused_for_our_own_learners_too():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(8, 2)), columns=["x", "x"])
    y = np.arange(8) % 2
    for learner in (tlpo.RLS(), tlpo.InverseDistanceKNN(1)):
        fast, slow = (wins_or_error(learner, X, y, engine) for engine in ("auto", "refit"))
        assert fast == slow
        assert isinstance(slow, str) == scikit_learn_refuses(X)
