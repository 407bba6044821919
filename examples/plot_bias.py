"""
The bias in one picture
=======================

Ridge regression on 30 patients with two measurements that have nothing to do with the outcome. The
true AUC is 0.5. What do the usual estimates say, over a thousand simulated studies?
"""

import matplotlib.pyplot as plt
import numpy as np

import tlpo

SCHEMES = {
    "tlpo": "tournament",
    "lpo": "leave-pair-out",
    "loo": "leave-one-out",
    "kfold-pooled": "10-fold, pooled",
    "kfold-averaged": "10-fold, averaged",
}
rng = np.random.default_rng(0)
y = np.arange(30) % 2
found = {name: [] for name in SCHEMES}
for repetition in range(1000):
    X = rng.normal(size=(30, 2))
    table = tlpo.evaluate(tlpo.RLS(), X, y, schemes=tuple(SCHEMES), random_state=repetition)
    for name in SCHEMES:
        found[name].append(table.loc[name, "auc"])

# %%
# Pooled estimates are too low: a positive patient is scored by a model that was trained with one
# positive less. Comparing within a pair, by one model, has no such bias.

figure, ax = plt.subplots(figsize=(6.4, 3), layout="constrained")
ax.axvline(0.5, color="0.6", linewidth=0.8)
ax.boxplot(
    [found[name] for name in reversed(SCHEMES)],
    orientation="horizontal",
    tick_labels=[SCHEMES[name] for name in reversed(SCHEMES)],
    widths=0.6,
    showfliers=False,
)
ax.set(xlabel="AUC without any signal (the truth is 0.5)", xlim=(0, 1))
ax.spines[["top", "right"]].set_visible(False)

# %%
# The mean of a thousand studies, with its standard error:

for name, aucs in found.items():
    print(f"{SCHEMES[name]:<18} {np.mean(aucs):.3f} ± {np.std(aucs) / np.sqrt(len(aucs)):.3f}")
