"""
A slow model
============

``HistGradientBoostingClassifier`` has to be refitted for every pair. With 150 patients that is
11 175 fits.
``rounds=20`` lets every patient meet 20 others, which takes 1 500 fits. The AUC stays unbiased, and
the result says how much the draw adds to its uncertainty.

150 of the 569 patients of scikit-learn's breast-cancer data, with six measurements.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import HistGradientBoostingClassifier

import tlpo

data = load_breast_cancer()
X, y = data.data[:150, [0, 1, 4, 8, 9, 18]], data.target_names[data.target[:150]]
model = HistGradientBoostingClassifier(max_iter=10, max_depth=2, random_state=0)

some = tlpo.tournament(model, X, y, positive="malignant", rounds=20, random_state=0)
some

# %%

print(some.auc_interval())
some.plot(name="gradient boosting")

# %%
# If the whole tournament is wanted, a journal keeps what is finished: the same call resumes after
# an interruption (:doc:`/long_runs`). ``tlpo.quicksort`` is another way to fewer games
# (:doc:`/fewer_games`).
