"""Every parameter of LogisticRegression is read, or refused with a sentence."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from tlpo.engines.least_squares.families import BEFORE_1_9
from tlpo.engines.logistic.objective import Objective, objective_of
from tlpo.problem.problem import make_problem


def test_defaults():
    expected = Objective(1.0, True, None, 1e-4, 100, "lbfgs")
    assert objective_of(LogisticRegression()) == expected


@pytest.mark.parametrize(
    ("changed", "alpha"),
    [
        ({"C": 4.0}, 0.25),
        ({"C": np.inf}, 0.0),
        ({"C": np.inf, "l1_ratio": 0.5}, 0.0),
        ({"l1_ratio": None}, 1.0),
        ({"penalty": "l2", "C": 0.5}, 2.0),
        ({"penalty": None, "C": 0.5}, 0.0),
    ],
)
def test_penalties(changed, alpha):
    assert objective_of(LogisticRegression(**changed)).alpha == alpha


def test_parameters_without_effect_are_accepted():
    estimator = LogisticRegression(
        intercept_scaling=3.0, n_jobs=2, random_state=1, verbose=1, warm_start=True
    )
    assert objective_of(estimator) == objective_of(LogisticRegression())


def test_class_weights_by_label():
    labels = make_problem(np.zeros((6, 1)), list("ababab"), positive="a").labels
    objective = objective_of(LogisticRegression(class_weight={"a": 3.0}))
    assert objective.class_weights(labels) == (1.0, 3.0)
    assert not objective.is_balanced
    assert objective_of(LogisticRegression(class_weight="balanced")).is_balanced


UNKNOWN_STOP = (
    "How close the solver {!r} of LogisticRegression comes to the solution is unknown; that of "
    "lbfgs, newton-cg and newton-cholesky is known."
)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"solver": "liblinear"}, UNKNOWN_STOP.format("liblinear")),
        ({"solver": "saga"}, UNKNOWN_STOP.format("saga")),
        (
            {"l1_ratio": 0.5, "penalty": "elasticnet"},
            "L1 and elastic-net penalties of logistic regression are not covered.",
        ),
        pytest.param(
            {"l1_ratio": 1, "solver": "saga"},
            "L1 and elastic-net penalties of logistic regression are not covered.",
            marks=pytest.mark.skipif(BEFORE_1_9, reason="without a penalty l1_ratio says nothing"),
        ),
        (
            {"penalty": "l1"},
            "L1 and elastic-net penalties of logistic regression are not covered.",
        ),
        ({"dual": True}, "The dual of logistic regression is not covered."),
        ({"C": -1.0}, "The solution of LogisticRegression needs a positive C."),
        (
            {"tol": 0.0},
            "A tolerance of zero, or none, leaves to rounding where LogisticRegression stops.",
        ),
        (
            {"class_weight": {0: 0.0}},
            "Class weights that are not positive numbers are not covered.",
        ),
        ({"class_weight": "other"}, "The class weight 'other' is not covered."),
    ],
)
def test_what_is_refused(changed, sentence):
    assert objective_of(LogisticRegression(**changed)) == sentence


def test_multinomial_loss_of_older_versions_is_refused(monkeypatch):
    estimator = LogisticRegression()
    names = [*LogisticRegression._get_param_names(), "multi_class"]
    monkeypatch.setattr(LogisticRegression, "_get_param_names", lambda: names)
    estimator.multi_class = "auto"
    assert isinstance(objective_of(estimator), Objective)
    estimator.multi_class = "multinomial"
    assert objective_of(estimator) == "Multinomial logistic regression penalises both classes."


def test_unknown_parameters_are_refused(monkeypatch):
    names = [*LogisticRegression._get_param_names(), "temperature"]
    monkeypatch.setattr(LogisticRegression, "_get_param_names", lambda: names)
    assert objective_of(LogisticRegression()) == (
        "The solution of LogisticRegression does not cover its parameter 'temperature'."
    )


def test_callbacks_are_refused():
    estimator = LogisticRegression()
    estimator._skl_callbacks = [object()]
    assert objective_of(estimator) == "Callbacks of LogisticRegression need its own fits."
