"""Patients who were followed until an event or their last visit, and analyses of them."""

import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

import tlpo
from tlpo.analysis.marker_options import MarkerOptions
from tlpo.analysis.model_file import save_model
from tlpo.analysis.models import make_model
from tlpo.analysis.options import Options
from tlpo.analysis.ordered import complete_ordered, describe_concordance
from tlpo.analysis.pipeline import analyse_survival_markers
from tlpo.analysis.summarize import describe_sample
from tlpo.analysis.validate import validate
from tlpo.plurals import noun
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


def developed(name="cox", table=None, options=None, columns=("crp", "stage"), **spec):
    """Play a model of times; without the other estimates of C, which are not saved."""
    table = followed(40) if table is None else table
    spec = {"target": "died", "time": "months", "features": columns} | spec
    sample = build_sample(table, Specification(**spec))
    options = Options(at=(5, 12)) if options is None else options
    model = make_model(name, sample)
    result = tlpo.survival(
        *(model.estimator, model.features(sample), sample.outcome.time, sample.outcome.event),
        groups=sample.groups,
        rounds=options.rounds,
        random_state=0,
        n_jobs=1,
    )
    analysis = complete_ordered(
        *(sample.outcome, noun(sample.unit), [describe_concordance(name, result, options)]),
        *({name: result}, options),
        **{"source": "patients.csv", "target": sample.target, "sample": describe_sample(sample)},
        **{"parts": [], "baseline": [], "time_column": sample.spec.time},
    )
    return model, sample, result, analysis, options


def saved(path, name="cox", **kwargs):
    """Save a model of times; return the model, its sample, its games and what is said."""
    model, sample, result, analysis, options = developed(name, **kwargs)
    notes = save_model(path, model, sample, result, analysis, options)
    return model, sample, result, notes


def validated(name="cox", new=None, development=None, **asked):
    """A model of 40 patients, tested on 30 others."""
    new = followed(30, seed=7) if new is None else new
    with tempfile.TemporaryDirectory() as folder:
        path, table = Path(folder) / "model.skops", Path(folder) / "new.csv"
        saved(path, name, **(development or {}))
        new.to_csv(table, index=False)
        return validate(str(path), str(table), **asked)


def in_groups():
    """New patients of whom some have several rows, one no time and one no marker."""
    table = followed(30, seed=7).assign(person=[f"g{k // 2}" for k in range(30)])
    table.loc[4, "months"] = np.nan
    table.loc[8, "crp"] = np.nan
    return table


SURVIVAL_VALIDATIONS = {
    "validation of times": cache(lambda: validated()),
    "validation of times in groups": cache(
        lambda: validated(
            "survival-forest:n_estimators=3", in_groups(), group="person", confidence_level=0.9
        )
    ),
    "validation of times without survival": cache(
        lambda: validated("coxnet", at=(4, 7), development={"options": Options(rounds=10)})
    ),
}
