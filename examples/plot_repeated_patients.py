"""
Repeated patients
=================

Several rows of one patient resemble each other. If one of them trains the model that scores
another, the model recognizes the patient. ``groups=`` leaves all rows of a patient out together,
and the interval then counts patients, not rows.

The data are simulated: 20 patients with four visits each, and no signal at all.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.neighbors import KNeighborsClassifier

import tlpo

rng = np.random.default_rng(1)
patient = np.repeat(np.arange(20), 4)
ill = np.arange(20) % 2
X = rng.normal(size=(20, 6))[patient] + 0.3 * rng.normal(size=(80, 6))
y = ill[patient]

model = KNeighborsClassifier(n_neighbors=3)
forgotten = tlpo.tournament(model, X, y)
grouped = tlpo.tournament(model, X, y, groups=patient)

# %%
# The truth is 0.5.

for name, t in (("rows as if independent", forgotten), ("groups=patient", grouped)):
    low, high = t.auc_interval()
    print(f"{name:<24} AUC {t.auc:.3f}, 95 % interval {low:.2f} to {high:.2f}")

# %%

display = tlpo.RocDisplay.from_results({"as if independent": forgotten, "groups=patient": grouped})
display.plot()
plt.show()

# %%
# On the command line: ``tlpo run visits.csv --target ill --group patient``.
