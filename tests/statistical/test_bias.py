"""Bias, variance and consistency at m = 30 against independently computed reference numbers.

Each case: R = 4 000 samples; a mean must lie within 4 Monte-Carlo errors of the reference (the
reference's own error, from 10 000 or 2 000 samples, included).
"""

import numpy as np
import pytest
from scipy.stats import norm

import tlpo

R = 4_000


def sample(rng, n_positive, n_features, n_signal):
    y = np.arange(30) < n_positive
    X = rng.normal(size=(30, n_features))
    X[:, :n_signal] += np.where(y, 0.5, -0.5)[:, None]
    return X, y


def true_auc(model, n_signal):
    """Exact AUC of linear weights: Φ(wᵀδ / (√2 ‖w‖)), δ one on the signal features."""
    w = model.coef_
    return norm.cdf(w[:n_signal].sum() / (np.sqrt(2) * np.linalg.norm(w)))


# learner, positives, features, signal, biases of LOO, LPO, TLPO, their variances, mean ξ
CASES = [
    ("ridge", 3, 10, 0, (-0.058, -0.002, -0.003), (0.053, 0.060, 0.063), 0.962),
    ("ridge", 15, 10, 0, (-0.0315, 0.001, 0.000), (0.0228, 0.0214, 0.0220), 0.963),
    ("ridge", 9, 10, 1, (-0.033, -0.003, -0.002), (0.0234, 0.0217, 0.0222), 0.970),
    ("ridge", 15, 10, 4, (-0.023, -0.007, -0.005), (0.0096, 0.0086, 0.0087), 0.982),
    ("ridge", 15, 1000, 0, (0.0005, 0.0006, 0.0007), (0.0212, 0.0213, 0.0218), 0.963),
    ("ridge", 6, 1000, 10, (-0.006, -0.005, -0.004), (0.0214, 0.0210, 0.0214), 0.980),
    ("knn", 15, 10, 0, (-0.034, -0.002, -0.008), (0.0185, 0.0180, 0.0188), 0.949),
    ("knn", 6, 1000, 0, (-0.030, 0.001, -0.005), (0.0249, 0.0249, 0.0258), 0.959),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("learner", "n_positive", "n_features", "n_signal", "bias", "variance", "consistency"), CASES
)
def test_bias_against_reference(
    learner, n_positive, n_features, n_signal, bias, variance, consistency
):
    rng = np.random.default_rng([n_positive, n_features, n_signal])
    model = tlpo.RLS() if learner == "ridge" else tlpo.InverseDistanceKNN(3)
    errors, xi = np.empty((R, 3)), np.empty(R)
    for k in range(R):
        X, y = sample(rng, n_positive, n_features, n_signal)
        truth = 0.5
        if n_signal:
            truth = true_auc(tlpo.RLS().fit(X, np.where(y, 1.0, -1.0)), n_signal)
        t = tlpo.tournament(model, X, y)
        assert t.engine != "refit"
        loo = tlpo.leave_one_out(model, X, y)
        errors[k] = np.array([loo.auc, t.lpo_auc, t.tlpo_auc]) - truth
        xi[k] = t.consistency
    for scheme in range(3):
        spread = errors[:, scheme].std(ddof=1)
        standard_error = spread * np.sqrt(1 / R + 1 / 10_000)
        rounding = 0.0005
        assert abs(errors[:, scheme].mean() - bias[scheme]) < 4 * standard_error + rounding
        # the variance of a variance, as for a normal variable, with room for its tails
        assert spread**2 == pytest.approx(variance[scheme], rel=8 / np.sqrt(R / 2))
    assert xi.mean() == pytest.approx(consistency, abs=0.001 + 4 * xi.std() / np.sqrt(R))
