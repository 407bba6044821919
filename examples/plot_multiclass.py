"""
Several classes: which are confused?
====================================

60 Italian wines of three grapes, and four simple measurements (from scikit-learn's ``wine``). How
well does a model tell the grapes apart in wines it has not seen? Hand and Till's M is the AUC of
several classes: take two wines of different grapes, and ask for either grape which of the two the
model finds likelier to be made of it. 0.5 is chance.

On the command line this is::

    tlpo run wines.csv --target grape --html report.html
"""

import numpy as np
from sklearn.datasets import load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier

import tlpo

wines = load_wine(as_frame=True)
X = wines.data[["malic_acid", "ash", "alcalinity_of_ash", "magnesium"]][::3]
grape = np.array(["Barolo", "Grignolino", "Barbera"])[wines.target[::3]]
X.assign(grape=grape).groupby("grape").mean().round(2)

# %%
# Every pair of wines is compared by a model that was trained on neither; linear discriminant
# analysis needs no refitting for that.

k = tlpo.multiclass(LinearDiscriminantAnalysis(), X, grape)
k

# %%
# M is one number for three questions. On the left the answer to each, on the right every grape
# against the other two:

display = k.plot()

# %%
# Barbera and Barolo are easily told apart. Barbera and Grignolino are less so, and how much less is
# uncertain: the interval of their AUC is wide.

k.pairs.round(2)

# %%
# Wines by the grape that models without them found likeliest, on average:

k.confusion

# %%
# Would a forest be better? Both models are compared on the same pairs of wines:

forest = tlpo.multiclass(RandomForestClassifier(100, random_state=0), X, grape)
tlpo.compare(k, forest)

# %%
# And one measurement fewer? Without alcalinity, Barolo is hard to tell from Grignolino too:

less = tlpo.multiclass(LinearDiscriminantAnalysis(), X.drop(columns="alcalinity_of_ash"), grape)
display = less.plot()

# %%
tlpo.compare(k, less, names=["all four", "without alcalinity"])
