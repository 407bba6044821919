"""The committed tables of the paper's experiments against independently computed numbers.

A mean of R repetitions is known to ``sqrt(variance/R)``; the reference has an error of its own,
from 10 000 repetitions, 2 000 for neighbours with signal. Four of both together, and rounding.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

PAPER = Path(__file__).parents[2] / "docs" / "paper"

# learner, positives, features, signal, A, means of LOO, LPO, TLPO, their variances, ξ
REFERENCE = [
    ("ridge", 3, 10, 0, 0.5, (-0.058, -0.002, -0.003), (0.053, 0.060, 0.063), 0.962),
    ("ridge", 15, 10, 0, 0.5, (-0.0315, 0.001, 0.000), (0.0228, 0.0214, 0.0220), 0.963),
    ("ridge", 9, 10, 1, 0.644, (-0.033, -0.003, -0.002), (0.0234, 0.0217, 0.0222), 0.970),
    ("ridge", 15, 10, 4, 0.849, (-0.023, -0.007, -0.005), (0.0096, 0.0086, 0.0087), 0.982),
    ("ridge", 15, 1000, 0, 0.5, (0.0005, 0.0006, 0.0007), (0.0212, 0.0213, 0.0218), 0.963),
    ("ridge", 6, 1000, 10, 0.719, (-0.006, -0.005, -0.004), (0.0214, 0.0210, 0.0214), 0.980),
    ("knn", 15, 10, 0, 0.5, (-0.034, -0.002, -0.008), (0.0185, 0.0180, 0.0188), 0.949),
    ("knn", 9, 10, 4, 0.779, (-0.027, -0.003, -0.006), (0.0147, 0.0133, 0.0138), 0.971),
    ("knn", 6, 1000, 0, 0.5, (-0.030, 0.001, -0.005), (0.0249, 0.0249, 0.0258), 0.959),
    ("knn", 12, 1000, 50, 0.921, (-0.017, -0.004, -0.004), (0.0045, 0.0036, 0.0037), 0.983),
]
HARRELL = [(3, 10, 0.28), (15, 10, 0.14), (15, 1000, 0.44)]
# mean ΔSe at specificity 0.1 … 0.9, 15 + 15 units, ridge, 10 features
NO_SIGNAL = (-0.050, -0.012, -0.034, 0.007, -0.013, 0.027, 0.007, 0.047, 0.024)
NO_SIGNAL_VARIANCE = (0.022, 0.030, 0.040, 0.042, 0.044, 0.042, 0.036, 0.031, 0.017)
SIGNAL = (-0.006, -0.005, -0.013, -0.008, -0.021, -0.009, -0.029, 0.005, -0.018)


def read(name):
    return pd.read_csv(PAPER / f"{name}.csv")


def pick(table, **keys):
    for name, value in keys.items():
        table = table[
            np.isclose(table[name], value) if name == "fraction" else table[name] == value
        ]
    assert len(table)
    return table


def test_tables_have_full_size():
    auc = read("auc")
    assert len(auc) == 200
    assert (auc["repetitions"] == 10_000).all()
    assert (read("consistency")["repetitions"] == 10_000).all()
    assert (read("pool")["repetitions"] == 617).all()


@pytest.mark.parametrize("row", REFERENCE, ids=lambda r: f"{r[0]}-{r[1]}-{r[2]}-{r[3]}")
def test_auc_and_consistency(row):
    learner, n_positive, features, signal, true, means, variances, xi = row
    keys = {
        "learner": learner,
        "features": features,
        "signal": signal,
        "fraction": n_positive / 30,
    }
    auc = pick(read("auc"), **keys).set_index("scheme")
    n_reference = 2_000 if learner == "knn" and signal else 10_000
    for scheme, mean, variance in zip(("loo", "lpo", "tlpo"), means, variances, strict=True):
        error = np.sqrt(auc.loc[scheme, "variance"] * (1 / 10_000 + 1 / n_reference))
        assert abs(auc.loc[scheme, "mean"] - mean) < 4 * error + 0.0006
        # the error of a variance is about sqrt(2/R) of it, more with tails
        room = 8 * np.sqrt(1 / 10_000 + 1 / n_reference) * variance + 0.0005
        assert abs(auc.loc[scheme, "variance"] - variance) < room
    assert auc.loc["lpo", "true_auc"] == pytest.approx(true, abs=0.006)
    consistency = pick(read("consistency"), **keys).iloc[0]
    assert consistency["mean"] == pytest.approx(xi, abs=0.0015)


@pytest.mark.parametrize(("n_positive", "features", "bias"), HARRELL)
def test_harrell(n_positive, features, bias):
    own = pick(
        read("auc"),
        learner="ridge",
        features=features,
        signal=0,
        fraction=n_positive / 30,
        scheme="harrell",
    ).iloc[0]
    assert own["mean"] == pytest.approx(bias, abs=0.006)
    if features == 1000:
        assert own["variance"] == pytest.approx(0.0002, abs=0.0001)


@pytest.mark.parametrize(("signal", "means"), [(0, NO_SIGNAL), (4, SIGNAL)])
def test_sensitivity(signal, means):
    own = pick(
        read("sensitivity"), learner="ridge", features=10, signal=signal, fraction=0.5
    ).sort_values("specificity")
    assert own["mean"].to_numpy() == pytest.approx(np.array(means), abs=0.009)
    if signal == 0:
        assert own["variance"].to_numpy() == pytest.approx(np.array(NO_SIGNAL_VARIANCE), abs=0.0025)
