"""Principal components of all pairs at once against scikit-learn's, refitted for every pair."""

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline

import tlpo
from studies.components import held_out_table
from studies.simulations import Simulation


@pytest.mark.exhaustive
@pytest.mark.parametrize("n_components", [1, 3])
def test_components_against_scikit_learn(n_components):
    setting = Simulation("PCA + ridge", 20, 0.4, 6, 2)
    X, y = setting.draw(setting.rng(0))
    t = tlpo.tournament(make_pipeline(PCA(n_components), RidgeClassifier()), X, y)
    assert t.engine == "refit"
    np.testing.assert_allclose(held_out_table(X, y, n_components), t.predictions, atol=1e-10)
