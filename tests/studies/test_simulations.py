import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import tlpo
from studies.logistic import NewtonLogistic, held_out_table
from studies.simulations import GroupedSimulation, NormalTruth, Simulation, TestTruth
from tlpo.roc.curve import wmw_auc


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(3))
def test_newton_against_scikit_learn(seed):
    setting = Simulation("logistic", 24, 0.4, 6, 2)
    X, y = setting.draw(setting.rng(seed))
    exact = LogisticRegression(C=1.0, tol=1e-12, max_iter=10_000)
    model = NewtonLogistic().fit(X, np.where(y, 1.0, -1.0))
    np.testing.assert_allclose(model.predict(X), exact.fit(X, y).decision_function(X), atol=1e-5)
    t = tlpo.tournament(exact, X, y)
    np.testing.assert_allclose(held_out_table(X, y), t.predictions, atol=1e-5)
    np.testing.assert_array_equal(setting.play(X, y).scores, t.scores)


@pytest.mark.parametrize("learner", ["ridge", "stiff ridge", "logistic"])
def test_closed_form_of_the_truth_against_a_test_set(learner):
    """40 000 test units: an AUC is known to about 0.002."""
    setting = Simulation(learner, 30, 0.3, 10, 4)
    X, y = setting.draw(setting.rng(0))
    truth = setting.truth(X, y)
    assert isinstance(truth, NormalTruth)
    model = setting.estimator.fit(X, np.where(y, 1.0, -1.0))
    rng = np.random.default_rng(1)
    y_test = np.arange(40_000) < 20_000
    scores = model.predict(setting.draw_features(rng, y_test))
    judged = TestTruth(scores, y_test, 0.3)
    assert truth.auc == pytest.approx(wmw_auc(scores, y_test), abs=0.008)
    assert judged.auc == wmw_auc(scores, y_test)
    for share in (0.3, 0.5, 0.9):
        assert truth.sensitivity_at(share) == pytest.approx(judged.sensitivity_at(share), abs=0.015)
        assert truth.specificity_at(share) == pytest.approx(judged.specificity_at(share), abs=0.015)
        assert truth.rates_at_share(share) == pytest.approx(judged.rates_at_share(share), abs=0.015)


@pytest.mark.parametrize("features", ["normal", "skewed", "binary"])
def test_features_have_the_stated_moments(features):
    """20 000 units: means are known to 0.01."""
    setting = Simulation("ridge", 20_000, 0.5, 3, 1, features)
    X, y = setting.draw(setting.rng(0))
    shift = 0.3 if features == "binary" else 1.0
    assert X[y, 0].mean() - X[~y, 0].mean() == pytest.approx(shift, abs=0.06)
    assert X[:, 1:].mean() == pytest.approx(0.4 if features == "binary" else 0, abs=0.03)
    if features != "binary":
        assert X[:, 1:].var() == pytest.approx(1, rel=0.15)


@pytest.mark.parametrize("learner", ["knn", "forest", "boosting"])
def test_learners_without_a_closed_form_are_judged_by_units(learner):
    setting = Simulation(learner, 12, 0.5, 3, 3)
    X, y = setting.draw(setting.rng(0))
    assert 0.6 < setting.truth(X, y).auc < 1
    # Responses of a few values are judged by units without signal too: not every rate is attained.
    nothing = Simulation(learner, 12, 0.5, 3, 0).truth(X, y).auc
    assert nothing == pytest.approx(0.5, abs=0.0 if learner == "knn" else 0.02)


def test_grouped_samples_against_refitting():
    setting = GroupedSimulation(8, 3, 2)
    X, y, groups = setting.draw(0)
    t = tlpo.tournament(tlpo.RLS(), X, y, groups=groups)
    simulated = setting.play(X, y, groups)
    np.testing.assert_array_equal(simulated.scores, t.scores)
    np.testing.assert_allclose(simulated.predictions, t.predictions, atol=1e-10)
    assert tuple(simulated.auc_interval()) == pytest.approx(tuple(t.auc_interval()))
    # Treating images as patients makes the interval too narrow.
    alone = tlpo.tournament(tlpo.RLS(), X, y)
    assert np.diff(tuple(t.auc_interval())) > np.diff(tuple(alone.auc_interval()))
