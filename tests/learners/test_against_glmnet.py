"""The elastic net against R's glmnet: numbers made by `studies/references/glmnet.R`."""

import numpy as np
import pytest

from studies.references.classes import PLACES, cases, fit
from studies.references.stored import stored

CASES, GLMNET = cases(), stored("glmnet")


def test_every_data_set_has_its_numbers():
    assert list(GLMNET) == list(CASES)


@pytest.mark.parametrize("name", CASES)
def test_coefficients_against_glmnet(name, monkeypatch):
    case, found = CASES[name], GLMNET[name]
    spread = case.X.std(axis=0)
    for place, intercept, coefficients in zip(
        PLACES, found["intercept"], found["coefficients"], strict=True
    ):
        monkeypatch.setattr("tlpo.learners.elastic_net.choose", lambda *_, k=place: k)
        model = fit(case)
        assert model.lambda_ == model.path_.penalty[place]
        assert model.coef_[0] * spread == pytest.approx(np.array(coefficients) * spread, abs=1e-6)
        # glmnet leaves a coefficient at exactly zero, and so do we.
        assert np.array_equal(model.coef_[0] != 0, np.array(coefficients) != 0)
        z = case.X @ np.array(coefficients) + intercept
        assert model.decision_function(case.X) == pytest.approx(z, abs=2e-6)


@pytest.mark.parametrize("name", CASES)
def test_the_chosen_penalty_against_cv_glmnet(name):
    case, found = CASES[name], GLMNET[name]
    least, fewer = fit(case), fit(case, choice="1se")
    path = least.path_
    assert path.deviance == pytest.approx(found["deviance"], abs=1e-6)
    assert path.standard_error == pytest.approx(found["standard_error"], abs=1e-6)
    assert least.lambda_ == pytest.approx(found["lambda_min"], rel=1e-12)
    assert fewer.lambda_ == pytest.approx(found["lambda_1se"], rel=1e-12)
    # The first penalty is at most a step above the one where glmnet begins.
    step = path.penalty[0] / path.penalty[1]
    assert found["largest"] * (1 - 1e-12) <= path.penalty[0] < found["largest"] * step


def test_cv_glmnet_counts_extreme_probabilities_as_less_extreme():
    """Where it does not, its deviance is ours; elsewhere it is smaller, far from the minimum."""
    differ = set()
    for name, found in GLMNET.items():
        ours, theirs = np.array(found["deviance"]), np.array(found["cvm"])
        if np.abs(ours - theirs).max() > 1e-5:
            differ.add(name.partition(",")[0])
            assert np.all(theirs < ours + 1e-5)
        else:
            assert found["standard_error"] == pytest.approx(found["cvsd"], abs=1e-5)
    assert differ == {"breast cancer", "iris", "wide"}
