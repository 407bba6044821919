"""Summaries of small reports of every kind."""

from dataclasses import replace

import numpy as np
import pytest

from estimators import Fussy
from tables import patients
from tlpo.analysis import summarize as module
from tlpo.analysis.models import enter, make_model
from tlpo.analysis.options import Options
from tlpo.analysis.summarize import summarize
from tlpo.games.contest import Contest
from tlpo.schemes.tournament import play_tournament
from tlpo.tables.build_sample import understand
from tlpo.tables.options import Question


def summary_of(*names, table=None, options=None, **question):
    table = patients(14).drop(columns="site") if table is None else table
    sample = understand(table, Question("outcome", **question))
    models = [make_model(name, sample) for name in names]
    return summarized(sample, models, options or Options())


def summarized(sample, models, options):
    return summarize(sample, enter(sample, models, options), options, source="patients.csv")


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
    sample = understand(patients(14)[["marker", "age", "outcome"]], Question("outcome"))
    first = float(sample.X["marker"].iloc[0])

    def play(contest, *_):
        options = replace(contest.options, on_error="skip")
        fussy = Contest(Fussy(needs=(first,)), contest.problem.X, contest.problem.y, options)
        return play_tournament(fussy)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "play_tournament", play)
        return summarized(sample, [make_model("rls", sample)], Options())


SUMMARIES = {
    "one model": lambda: summary_of("rls"),
    "ties": lambda: summary_of("constant"),
    "groups": lambda: summary_of("rls", "logistic", table=grouped(), group="person"),
    "probabilities": lambda: summary_of("logistic", options=Options(prevalence=0.1)),
    "infinite ratios": lambda: summary_of("rls", table=separated()),
    "missing games": with_missing_games,
    "three models": lambda: summary_of("rls", "lda", "constant"),
    "subgroups": lambda: summary_of(
        *("rls", "bayes"),
        table=patients(24),
        options=Options(unit="lesions", permutations=19),
        by=("site", "smoker"),
    ),
    "rounds": lambda: summary_of("rls", "lda", options=Options(rounds=10)),
    "sorts": lambda: summary_of("rls", "lda", options=Options(sorts=2, prevalence=0.1)),
}
