"""
Planning a study
================

How many patients does a study need? For an AUC that is expected to be 0.8, and an interval no wider
than 0.2, if 30 % of the patients are positive:
"""

import matplotlib.pyplot as plt
import numpy as np

import tlpo

print(tlpo.sample_size(0.8, width=0.2, fraction=0.3))

# %%
# The power to show more than chance:

sizes = np.arange(20, 201, 10)
figure, ax = plt.subplots(figsize=(5, 3.2), layout="constrained")
for auc in (0.65, 0.7, 0.8):
    ax.plot(sizes, [tlpo.power(auc, m, fraction=0.3) for m in sizes], label=f"AUC {auc}")
ax.axhline(0.8, color="0.7", linewidth=0.8)
ax.set(xlabel="patients", ylabel="power", ylim=(0, 1.02))
ax.legend(frameon=False)
ax.spines[["top", "right"]].set_visible(False)
