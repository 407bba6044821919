"""Small tables of patients, written by the tests."""

import numpy as np
import pandas as pd


def patients(m=24, seed=0):
    rng = np.random.default_rng(seed)
    ill = np.arange(m) % 2 == 0
    return pd.DataFrame(
        {
            "patient": [f"P{k:02d}" for k in range(m)],
            "age": (50 + 10 * rng.normal(size=m)).round(),
            "marker": (rng.normal(size=m) + 1.2 * ill).round(3),
            "site": np.where(rng.random(m) < 0.5, "north", "south"),
            "smoker": rng.random(m) < 0.4,
            "clinic": "A",
            "outcome": np.where(ill, "yes", "no"),
        }
    )
