"""Small analyses of every kind."""

import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis.followed import SURVIVAL_MARKERS, SURVIVAL_VALIDATIONS
from estimators import Fussy
from tables import patients
from tlpo.analysis import summarize as module
from tlpo.analysis.marker_options import MarkerOptions
from tlpo.analysis.model_file import save_model
from tlpo.analysis.models import make_model, make_runs
from tlpo.analysis.options import Options
from tlpo.analysis.pipeline import analyse, analyse_markers, analyse_ordered_markers
from tlpo.analysis.summarize import summarize
from tlpo.analysis.validate import validate
from tlpo.games.contest import Contest
from tlpo.schemes.tournament import play_tournament
from tlpo.tables.build_sample import build_sample
from tlpo.tables.options import Specification


def analysis_of(*names, table=None, options=None, **spec):
    table = patients(14).drop(columns="site") if table is None else table
    sample = build_sample(table, Specification("outcome", **spec))
    models = [make_model(name, sample) for name in names]
    return analysed(sample, models, options or Options())


def analysed(sample, models, options):
    return summarize(sample, make_runs(sample, models, options), options, source="patients.csv")


def separated():
    """Perfect discrimination: likelihood ratios without a finite value."""
    table = patients(14)[["patient", "marker", "outcome"]]
    table["marker"] += 100 * (table["outcome"] == "yes")
    return table


def grouped():
    table = patients(20)[["age", "marker", "outcome"]]
    table["person"] = [f"g{k // 2}" for k in range(20)]
    table["outcome"] = np.where(np.arange(20) // 2 % 2, "yes", "no")
    table.loc[1, "marker"] = np.nan
    table.loc[2, "outcome"] = None
    return table


def with_missing_games():
    """One unit cannot be left out by the model, so none of its games is played."""
    sample = build_sample(patients(14)[["marker", "age", "outcome"]], Specification("outcome"))
    first = float(sample.X["marker"].iloc[0])

    def play(contest, *_):
        options = replace(contest.options, on_error="skip")
        fussy = Contest(Fussy(needs=(first,)), contest.problem.X, contest.problem.y, options)
        return play_tournament(fussy)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "play_tournament", play)
        return analysed(sample, [make_model("rls", sample)], Options())


ANALYSES = {
    "one model": lambda: analysis_of("rls"),
    "ties": lambda: analysis_of("constant"),
    "groups": lambda: analysis_of("rls", "logistic", table=grouped(), group="person"),
    "probabilities": lambda: analysis_of("logistic", options=Options(prevalence=0.1)),
    "infinite ratios": lambda: analysis_of("rls", table=separated()),
    "missing games": with_missing_games,
    "tuned": lambda: analysis_of("lasso:n_folds=4,n_penalties=8"),
    "three models": lambda: analysis_of("rls", "lda", "constant"),
    "subgroups": lambda: analysis_of(
        *("rls", "bayes"),
        table=patients(24),
        options=Options(unit="lesions", permutations=19),
        by=("site", "smoker"),
    ),
    "rounds": lambda: analysis_of("rls", "lda", options=Options(rounds=10)),
    "sorts": lambda: analysis_of(
        "rls", "lda", options=Options(sorts=2, prevalence=0.1, smooth=True)
    ),
}


def markers_of(*names, smaller=(), cutoffs=(), table=None, options=None, **spec):
    table = patients(24) if table is None else table
    options = MarkerOptions(names, smaller, cutoffs, **(options or {}))
    sample = build_sample(table, Specification("outcome", features=names, **spec))
    return analyse_markers(sample, options, "patients.csv")[0]


def gappy():
    table = patients(24)
    table.loc[[3, 8], "marker"] = np.nan
    table.loc[5, "outcome"] = None
    return table


def validated(name="logistic", gaps=False, **options):
    """A model of 30 patients, tested on 20 others."""
    columns = ["age", "marker", "site", "outcome"]
    sample = build_sample(patients(30)[columns], Specification("outcome"))
    model, asked = make_model(name, sample), Options(specificity=0.8)
    found, played = analyse(sample, [model], asked, source="old.csv")
    new = patients(20, seed=7)[columns]
    if gaps:
        new.loc[0, "outcome"] = None
    with tempfile.TemporaryDirectory() as folder:
        path, table = Path(folder) / "model.skops", Path(folder) / "new.csv"
        save_model(path, model, sample, played[name], found, asked)
        new.to_csv(table, index=False)
        return validate(str(path), str(table), **options)


def losses(m=16):
    """Numbers as outcomes, some of them equal, and features that tell them roughly."""
    table = patients(m).drop(columns="outcome")
    noise = np.random.default_rng(5).normal(size=m)
    return table.assign(loss=(2 * table["marker"] + noise).round())


def stages(m=18):
    """The same as grades, one of which nobody has; rows in pairs, with gaps."""
    loss = losses(m)["loss"]
    names = np.array(["low", "medium", "high"])[pd.qcut(loss, 3, labels=False).to_numpy()]
    table = losses(m).drop(columns="loss").assign(stage=names, person=np.arange(m) // 2)
    table.loc[3, "marker"] = np.nan
    table.loc[5, "stage"] = None
    return table


def ordered_of(*names, table=None, options=None, target="loss", **spec):
    table = losses() if table is None else table
    spec = Specification(target, **({"ordered": True} if not spec.get("order") else {}), **spec)
    sample = build_sample(table, spec)
    models = [make_model(name, sample) for name in names]
    return analyse(sample, models, options or Options(), source="patients.csv")[0]


def graded(*names, **spec):
    order = ("none", "low", "medium", "high")
    return ordered_of(*names, table=stages(), target="stage", order=order, **spec)


def deaths(m=24):
    """Months to death, some of them equal, or to the last visit."""
    table = patients(m).drop(columns="outcome")
    rng = np.random.default_rng(8)
    months = rng.exponential(12 * np.exp(-table["marker"]))
    left = rng.exponential(18, m)
    return table.assign(
        months=np.minimum(months, left).round() + 1, died=np.where(months <= left, "yes", "no")
    )


def pairs_of_rows(m=24):
    """The same in pairs of rows, with gaps; a status as R codes it."""
    table = deaths(m).assign(person=np.arange(m) // 2)
    table["status"] = np.where(table["died"] == "yes", 2, 1)
    table.loc[3, "marker"] = np.nan
    table["months"] = table["months"].astype(float)
    table.loc[5, "months"] = np.nan
    return table.drop(columns="died")


def survival_of(*names, table=None, options=None, event="died", time="months", **spec):
    table = deaths() if table is None else table
    sample = build_sample(table, Specification(event, time=time, **spec))
    models = [make_model(name, sample) for name in names]
    return analyse(sample, models, options or Options(), source="patients.csv")[0]


def subtypes(m=21):
    """Three classes, which the marker tells apart roughly; rows in pairs, with gaps."""
    table = patients(m)[["age", "marker", "smoker"]]
    code = np.arange(m) // 2 % 3
    noise = np.random.default_rng(6).normal(size=m)
    table = table.assign(
        subtype=np.array(["a", "b", "c"])[code], marker=code + noise, person=np.arange(m) // 2
    )
    table.loc[3, "marker"] = np.nan
    table.loc[5, "subtype"] = None
    return table


def several_of(*names, options=None, **spec):
    spec = {"drop": ("person",), **spec} if "group" not in spec else spec
    sample = build_sample(subtypes(), Specification("subtype", **spec))
    models = [make_model(name, sample) for name in names]
    return analyse(sample, models, options or Options(), source="patients.csv")[0]


def ordered_markers_of(*names, table=None, smaller=(), target="loss", options=None, **spec):
    table = losses() if table is None else table
    options = MarkerOptions(names, smaller, **(options or {}))
    spec = {"ordered": True} | spec if not spec.get("order") else spec
    sample = build_sample(table, Specification(target, features=names, **spec))
    return analyse_ordered_markers(sample, options, "patients.csv")[0]


# Analyses of other outcomes, and of other commands than `tlpo run`.
KINDS = {
    "numbers": lambda: ordered_of("rls"),
    "numbers by subgroups": lambda: ordered_of(
        *("rls", "rls:regparam=100", "constant"),
        table=losses(24),
        options=Options(unit="lesions", confidence_level=0.9),
        by=("site", "smoker"),
        drop=("site",),
    ),
    "grades": lambda: graded("rls", "rls:regparam=100", group="person"),
    "numbers in rounds": lambda: ordered_of("rls", "rls:regparam=9", options=Options(rounds=10)),
    "several classes": lambda: several_of("bayes"),
    "several classes that tie": lambda: several_of(
        *("constant", "ridge", "rls"),
        options=Options(confidence_level=0.9, specificity=0.8, unit="lesions"),
    ),
    "several classes in groups": lambda: several_of("ridge", "lda", group="person"),
    "several classes by subgroups": lambda: several_of("bayes", by=("smoker",)),
    "survival": lambda: survival_of("cox"),
    "survival by subgroups": lambda: survival_of(
        *("cox", "cox:alpha=100", "cox:ties=breslow"),
        options=Options(unit="lesions", confidence_level=0.9, at=(4.0, 8.0), specificity=0.8),
        by=("site", "smoker"),
        drop=("site",),
    ),
    "survival in groups": lambda: survival_of(
        "cox", table=pairs_of_rows(), event="status", group="person"
    ),
    "survival in rounds": lambda: survival_of("cox", "cox:alpha=9", options=Options(rounds=10)),
    "markers of numbers": lambda: ordered_markers_of(
        *("marker", "age", "smoker"), smaller=("age",), options={"confidence_level": 0.9}
    ),
    "marker of grades": lambda: ordered_markers_of(
        *("marker", "age"), table=stages(), target="stage", order=("low", "medium", "high")
    ),
    "marker": lambda: markers_of("marker"),
    "markers": lambda: markers_of(
        *("marker", "age", "smoker"),
        smaller=("age",),
        cutoffs=("marker=0.5",),
        options={"prevalence": 0.1, "confidence_level": 0.9, "smooth": True},
    ),
    "markers with gaps": lambda: markers_of("marker", "age", table=gappy()),
    "validation": lambda: validated(),
    "validation of scores": lambda: validated("rls", gaps=True, confidence_level=0.9),
}
# Nobody can change an analysis, so each is made once.
ANALYSES = {name: cache(make) for name, make in ANALYSES.items()}
KINDS = {name: cache(make) for name, make in KINDS.items()}
KINDS |= SURVIVAL_MARKERS | SURVIVAL_VALIDATIONS
# One of each kind is in the fast tests.
PLAIN = (
    *("one model", "ties", "groups", "probabilities", "three models"),
    *("numbers", "several classes", "survival", "markers of numbers", "marker", "validation"),
    *("markers of times", "validation of times"),
)


def one_of_each(names):
    """Leave all but one analysis of each kind to the exhaustive tests."""
    return [
        pytest.param(name, marks=() if name in PLAIN else pytest.mark.exhaustive) for name in names
    ]
