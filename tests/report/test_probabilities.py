"""Calibration and net benefit, counted by hand for probabilities that never change."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import RidgeClassifier

from report.tables import patients
from tlpo.report.models import Model, make_model
from tlpo.report.options import Question
from tlpo.report.probabilities import N_BINS, THRESHOLDS, describe_probabilities
from tlpo.report.understand import understand


class Given(ClassifierMixin, BaseEstimator):
    """The feature is the probability of the second label."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[(self.predict_proba(X)[:, 1] > 0.5).astype(int)]

    def predict_proba(self, X):
        p = np.asarray(X, dtype=float)[:, 0]
        return np.column_stack([1 - p, p])


P = np.array([0.1, 0.1, 0.3, 0.3, 0.5, 0.5, 0.7, 0.7, 0.9, 0.9])
ILL = np.array([0, 0, 0, 1, 0, 1, 1, 0, 1, 1])


def described(model=None, positive=None):
    table = pd.DataFrame({"p": P, "outcome": np.where(ILL == 1, "yes", "no")})
    sample = understand(table, Question("outcome", positive=positive))
    return describe_probabilities(model or Model("given", Given(), "given"), sample, seed=0)


def test_calibration_by_hand():
    found = described()
    # Off by 0.1 four times, and twice each by 0.3, 0.7 and 0.5.
    assert found["brier"] == pytest.approx((4 * 0.01 + 2 * 0.09 + 2 * 0.49 + 2 * 0.25) / 10)
    assert found["brier_of_prevalence"] == 0.25
    assert found["mean_predicted"] == pytest.approx(0.5)
    assert found["mean_observed"] == 0.5
    assert found["folds"] == 5  # as many as the smaller class has units
    assert len(found["bins"]) == N_BINS == 5
    assert [part["units"] for part in found["bins"]] == [2, 2, 2, 2, 2]
    assert [part["predicted"] for part in found["bins"]] == pytest.approx([0.1, 0.3, 0.5, 0.7, 0.9])
    assert [part["observed"] for part in found["bins"]] == [0.0, 0.5, 0.5, 0.5, 1.0]


def test_net_benefit_by_hand():
    benefit = {row["threshold"]: row for row in described()["net_benefit"]}
    assert tuple(benefit) == THRESHOLDS
    # Six are called at ½: four ill and two well; the odds are 1.
    assert benefit[0.5]["model"] == pytest.approx(4 / 10 - 2 / 10)
    assert benefit[0.5]["everybody"] == pytest.approx(0)
    # Four at 0.6, one of them well, whose weight is 0.6/0.4.
    assert benefit[0.6]["model"] == pytest.approx(3 / 10 - 1 / 10 * 1.5)
    # Everybody is called at 0.1, and nothing is said by the model.
    assert benefit[0.1]["model"] == benefit[0.1]["everybody"] == pytest.approx(0.5 - 0.5 / 9)


def test_the_other_label_can_be_positive():
    found = described(positive="no")
    assert found["mean_observed"] == 0.5
    assert [part["observed"] for part in found["bins"]] == [0.0, 0.5, 0.5, 0.5, 1.0]
    assert found["brier"] == pytest.approx(described()["brier"])


def test_models_without_probabilities_have_none():
    assert described(Model("ridge", RidgeClassifier(), "ridge")) is None


def test_groups_that_leave_a_training_set_with_one_class_have_none():
    table = patients(12)[["marker", "outcome"]]
    table["person"] = np.where(table["outcome"] == "yes", "a", [f"p{k}" for k in range(12)])
    sample = understand(table, Question("outcome", group="person"))
    assert describe_probabilities(make_model("logistic", sample), sample, seed=0) is None
