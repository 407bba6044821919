import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import tlpo
from studies.bayes import held_out_table


@pytest.mark.parametrize("seed", range(3))
def test_table_against_scikit_learn(seed):
    """The first feature varies so much that smoothing matters for the last."""
    rng = np.random.default_rng(seed)
    y = np.arange(16) % 3 == 0
    X = (rng.normal(size=(16, 4)) + 0.5 * y[:, None]) * [1e4, 10.0, 1.0, 0.1] + 5.0
    t = tlpo.tournament(GaussianNB(), X, y)
    np.testing.assert_allclose(held_out_table(X, y), t.predictions, rtol=1e-8, atol=1e-12)
