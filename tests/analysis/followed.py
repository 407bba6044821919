"""Patients who were followed until an event or their last visit, and analyses of them."""

from functools import cache

import numpy as np
import pandas as pd

from tlpo.analysis.marker_options import MarkerOptions
from tlpo.analysis.pipeline import analyse_survival_markers
from tlpo.tables.build_sample import build_sample
from tlpo.tables.options import Specification


def followed(m=24, seed=2):
    """A marker that goes with early deaths, one that goes with late ones, a grade and a sex."""
    rng = np.random.default_rng(seed)
    risk = rng.normal(size=m)
    dies, leaves = rng.exponential(20 * np.exp(-risk)), rng.uniform(4, 60, m)
    return pd.DataFrame(
        {
            "months": np.minimum(dies, leaves).round(1) + 0.1,
            "died": np.where(dies <= leaves, "yes", "no"),
            "crp": np.exp(risk + 0.3 * rng.normal(size=m)).round(4),
            "albumin": (40 - 2 * risk + rng.normal(size=m)).round(1),
            "stage": rng.integers(1, 4, m),
            "sex": np.arange(m) % 2,
        }
    )


def with_gaps(m=24):
    """The same, of whom some have no marker, one no time and one no event; rows in pairs."""
    table = followed(m).assign(person=[f"g{k // 2}" for k in range(m)])
    table.loc[[3, 8], "crp"] = np.nan
    table.loc[5, "months"] = np.nan
    table.loc[9, "died"] = None
    return table


def survival_markers_of(*names, table=None, smaller=(), options=None, event="died", **spec):
    table = followed() if table is None else table
    options = MarkerOptions(names, smaller, **(options or {}))
    sample = build_sample(table, Specification(event, features=names, time="months", **spec))
    return analyse_survival_markers(sample, options, "patients.csv")[0]


# Nobody can change an analysis, so each is made once.
SURVIVAL_MARKERS = {
    "marker of times": cache(lambda: survival_markers_of("crp")),
    "markers of times": cache(
        lambda: survival_markers_of(
            *("crp", "albumin", "sex"),
            smaller=("albumin",),
            options={"confidence_level": 0.9, "specificity": 0.8, "at": (5, 12)},
        )
    ),
    "markers of times with gaps": cache(
        lambda: survival_markers_of("crp", "stage", table=with_gaps(), group="person")
    ),
}
