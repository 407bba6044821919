"""Play a share of the games with a small network, written in NumPy.

python network.py patients.csv games.csv 3 8   # the third share of eight, into share-3.csv
"""

import sys

import numpy as np
import pandas as pd

table, file, share, n_shares = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
patients = pd.read_csv(table)
X = patients[["texture", "smoothness", "symmetry"]].to_numpy()
y = (patients["tumour"] == "malignant").to_numpy(float)


def features(rows, mean, sd):
    """Return standardised features, and ones for the intercepts."""
    return np.column_stack([np.ones(len(rows)), (X[rows] - mean) / sd])


def train(rows, seed, hidden=6, steps=400, rate=0.5, decay=0.01):
    """Return a function that gives the log odds of rows; nothing but ``rows`` is looked at."""
    rng = np.random.default_rng(seed)
    mean, sd = X[rows].mean(axis=0), X[rows].std(axis=0)
    A = features(rows, mean, sd)
    V, w = rng.normal(size=(A.shape[1], hidden)), rng.normal(size=hidden)
    for _ in range(steps):
        H = np.tanh(A @ V)
        error = (1 / (1 + np.exp(-H @ w)) - y[rows]) / len(rows)
        gradient = A.T @ (np.outer(error, w) * (1 - H**2)) + decay * V
        w -= rate * (H.T @ error + decay * w)
        V -= rate * gradient
    return lambda others: np.tanh(features(others, mean, sd) @ V) @ w


games = pd.read_csv(file).iloc[share - 1 :: n_shares].copy()
predictions = []
for game in games.itertuples():
    pair = np.array([game.i, game.j]) - 1  # rows are counted from 1
    rows = np.setdiff1d(np.arange(len(patients)), pair)
    predictions.append(train(rows, seed=game.game)(pair))
games[["prediction_i", "prediction_j"]] = predictions
games.to_csv(f"share-{share}.csv", index=False)
