"""
Numbers and grades
==================

How far has diabetes progressed after a year? The outcome is a number, so nobody is positive or
negative: of two patients, the one with the larger number should be ranked higher. How often a model
does that for patients it has not seen is the concordance; 0.5 is chance.
"""

from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tlpo

data = load_diabetes(as_frame=True, scaled=False)
X, progression = data.data.iloc[:60], data.target.iloc[:60]

# %%
# Every pair is compared by a model that was trained without both patients. Ridge regression needs
# one fit for all of them, also behind a scaler.

ridge = tlpo.concordance(make_pipeline(StandardScaler(), Ridge()), X, progression)
ridge

# %%
# Wins against the outcome. A line joins two patients whom the model ranks the wrong way.

display = ridge.plot(name="ridge")

# %%
# A forest, compared on the same patients:

forest = tlpo.concordance(RandomForestRegressor(100, random_state=0), X, progression)
tlpo.compare(ridge, forest, names=["ridge", "forest"])

# %%
# Grades work the same way. Patients of the same grade are peers: they meet, but nobody should win.

grade = progression.gt(90).astype(int) + progression.gt(150) + progression.gt(220)
names = grade.map({0: "stable", 1: "slow", 2: "fast", 3: "severe"})
graded = tlpo.concordance(
    make_pipeline(StandardScaler(), Ridge()),
    X,
    names,
    order=["stable", "slow", "fast", "severe"],
)
print(graded)
