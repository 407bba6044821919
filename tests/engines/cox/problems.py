"""Nasty samples of times to an event."""

import numpy as np

FEATURES = (
    "plain",
    "duplicates",
    "integers",
    "binary",
    "constant column",
    "all equal",
    "times 1e5",
    "times 1e-5",
    "mixed scales",
    "offset",
    "heavy tails",
    "dependent",
)
TIMES = (
    "plain",
    "three times",
    "whole numbers",
    "few events",
    "all events",
    "censored but five",
)


def make(m, n, seed, features="plain", times="plain", effect=0.7):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, n))
    time, censored = rng.exponential(np.exp(-effect * X[:, 0])), rng.exponential(1.5, m)
    event, time = time <= censored, np.minimum(time, censored) + 1e-3
    if times == "three times":
        time = rng.integers(1, 4, m).astype(float)
    elif times == "whole numbers":
        time = np.ceil(4.0 * time)
    elif times == "all events":
        event[:] = True
    elif times == "few events":
        event[:] = False
        event[rng.choice(m, 4, replace=False)] = True
        time[event] *= 0.5
    elif times == "censored but five":
        event = np.argsort(np.argsort(time)) < 5
    if features == "duplicates":
        X[m // 2 :] = X[: m - m // 2]
    elif features == "integers":
        X = np.round(X)
    elif features == "binary":
        X = (X > 0.5).astype(float)
    elif features == "constant column":
        X[:, 0] = 3.0
    elif features == "all equal":
        X[:] = 1.5
    elif features == "times 1e5":
        X *= 1e5
    elif features == "times 1e-5":
        X *= 1e-5
    elif features == "mixed scales":
        X *= 10.0 ** rng.integers(-6, 7, size=n)
    elif features == "offset":
        X += 1e4
    elif features == "heavy tails":
        X = np.sign(X) * np.exp(1.5 * np.abs(X))
    elif features == "dependent":
        X = np.column_stack([X, 2.0 * X[:, 0] - 1.0])
    y = np.empty(m, dtype=[("event", bool), ("time", float)])
    y["event"], y["time"] = event, time
    return X, y
