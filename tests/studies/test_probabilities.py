"""Cohorts with several images of a patient, and the truth about them."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from studies.probabilities import Cohort

COHORT = Cohort("naive Bayes", 60_000, 0.3, 4, 2, "normal", 3)


def test_images_share_the_class_and_most_features_of_their_patient():
    X, y = COHORT.draw(COHORT.rng(0))
    groups = COHORT.groups
    assert np.bincount(groups).tolist() == [3] * 20_000
    assert (y.reshape(-1, 3) == y[::3, None]).all()
    within = X.reshape(-1, 3, 4).std(axis=1, ddof=1)
    assert np.sqrt(np.mean(within**2)) == pytest.approx(0.2, rel=0.02)
    assert X[~y].std(axis=0) ** 2 == pytest.approx(1.04, rel=0.05)


def test_true_log_odds_against_a_regression_on_one_image_of_each_patient():
    X, y = COHORT.draw(COHORT.rng(0))
    s, y = COHORT.log_odds(X)[::3], y[::3]
    fit = LogisticRegression(C=1e9).fit(s[:, None], y)
    assert fit.coef_[0, 0] == pytest.approx(1.0, abs=0.06)  # three standard errors
    assert fit.intercept_[0] == pytest.approx(0.0, abs=0.06)
    wrong = COHORT.log_odds(X) - replace(COHORT, n_images=1).log_odds(X)
    assert np.abs(wrong).max() > 0.05


def test_a_cohort_leaves_out_whole_patients():
    setting = Cohort("forest, leaves of 5", 30, 0.5, 2, 2, "normal", 3)
    X, y = setting.draw(setting.rng(0))
    t = setting.play(X, y)
    assert t.groups.tolist() == setting.groups.tolist()
    changed = y.copy()
    changed[:6] = ~changed[:6]  # the labels of the first two patients
    again = setting.play(X, changed).predictions
    np.testing.assert_array_equal(again[:3, 3:6], t.predictions[:3, 3:6])
    assert not np.array_equal(again[6:9, 9:12], t.predictions[6:9, 9:12])
    found, truth = setting.judge(X, y)
    assert found.groups is not None
    assert 0 < truth.p.min() < truth.p.max() < 1
