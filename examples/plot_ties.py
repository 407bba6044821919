"""
Where games tie
===============

Five nearest neighbours can only predict 0, 0.2, … 1, so many games end in a tie. Ranking by
wins is then biased: without any signal its AUC is 0.58, not 0.5, at 200 patients. tlpo notices, and
takes the curve from the pooled predictions of the pairs instead. :doc:`/ties` has the whole story.

The data are simulated, 200 patients without any signal, 40 times.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.neighbors import KNeighborsClassifier

import tlpo

y = np.arange(200) % 2
grid = np.linspace(0, 1, 201)
curves = {"tournament": [], "leave-pair-out": []}
for seed in range(40):
    X = np.random.default_rng(seed).normal(size=(200, 4))
    for name, found in curves.items():
        t = tlpo.tournament(KNeighborsClassifier(5), X, y, curve=name)
        fpr, tpr, _ = t.roc_curve()
        found.append(np.interp(grid, fpr, tpr))

figure, ax = plt.subplots(figsize=(4.2, 4.2), layout="constrained")
ax.plot([0, 1], [0, 1], color="0.7", label="the truth")
for (name, found), colour in zip(curves.items(), ("#D55E00", "#0072B2"), strict=True):
    mean = np.mean(found, axis=0)
    ax.plot(grid, mean, color=colour, label=f"{name}: area {np.trapezoid(mean, grid):.3f}")
ax.set(xlabel="1 − specificity", ylabel="sensitivity", aspect="equal")
ax.legend(frameon=False)

# %%
# The result says which curve it shows, and why:

t = tlpo.tournament(KNeighborsClassifier(5), X, y)
print(t)
