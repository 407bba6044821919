"""
On a cluster
============

Games are independent, so they can be played anywhere joblib can send them: processes, dask, ray.
The result is the same, game for game. Here two dask workers of this machine stand for a cluster.

It needs ``pip install '.[cluster]'``.
"""

import joblib
import numpy as np
from distributed import Client
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import HistGradientBoostingClassifier

import tlpo

data = load_breast_cancer()
X, y = data.data[:40, [1, 4, 8]], data.target[:40]
model = HistGradientBoostingClassifier(max_iter=10, max_depth=2, random_state=0)
here = tlpo.tournament(model, X, y)

cluster = Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=None)
with cluster, joblib.parallel_config("dask"):
    there = tlpo.tournament(model, X, y)

print(there)
assert np.array_equal(here.predictions, there.predictions, equal_nan=True)
there.plot(name="gradient boosting")
