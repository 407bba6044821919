"""What must hold among the numbers of an analysis, whoever wrote them.

A summary that is read back was a file in between. Here its counts add up, its curves rise, its
limits enclose their estimates, and whatever follows from the games is what the games say. Nothing
is checked that depends on how this version estimates: files of others stay readable.

Every check yields what is wrong, in order; later checks may rely on earlier ones, so only the first
is to be read.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tlpo.analysis.json_values import Summary, numbers
from tlpo.analysis.relations.checks import Fault, Faults
from tlpo.analysis.relations.curves import Ranked, of_aucs, of_band, of_curve, of_games
from tlpo.analysis.relations.points import of_final, of_permutation, of_points, of_subgroups
from tlpo.analysis.relations.probabilities import of_probabilities
from tlpo.analysis.relations.sample import of_baseline, of_sample, of_units
from tlpo.analysis.relations.several import of_choice, of_comparisons


def find_contradiction(summary: Summary) -> Fault | None:
    """Return the first number of a summary that others contradict, or None.

    The summary follows ``schema.json``: every number has its type and range.
    """
    with np.errstate(all="ignore"):  # numbers may be of any size
        return next(_faults(summary), None)


def _faults(summary: Summary) -> Faults:
    yield from of_units(summary)
    yield from of_sample(summary)
    yield from of_baseline(summary)
    names = [model["name"] for model in summary["models"]]
    if len(set(names)) < len(names):
        yield Fault("models", names, "every model has a name of its own")
    for k, model in enumerate(summary["models"]):
        yield from _of_model(model, summary, f"models[{k}]")
    yield from of_comparisons(summary)
    yield from of_choice(summary)


def _of_model(model: dict[str, Any], summary: Summary, where: str) -> Faults:
    scores, is_positive = numbers(model["scores"]), np.array(summary["is_positive"], dtype=bool)
    if scores.size != summary["n_units"]:
        yield Fault(f"{where}.scores", scores.size, "there is one per patient")
    sizes = Ranked(is_positive, ~np.isnan(scores))
    if not (sizes.p and sizes.n):
        yield Fault(f"{where}.scores", model["scores"], "patients of both classes have one")
    yield from of_games(model, summary, scores, where)
    yield from of_aucs(model, summary, scores, sizes, where)
    yield from of_curve(model, scores, sizes, f"{where}.curve")
    if model["band"] is not None:
        yield from of_band(model, summary, f"{where}.band")
    yield from of_points(model, summary, sizes, where)
    yield from of_subgroups(model, sizes, where)
    if model["permutation"] is not None:
        level = summary["confidence_level"]
        yield from of_permutation(model["permutation"], level, f"{where}.permutation")
    yield from of_final(model, summary, f"{where}.final")
    if model["probabilities"] is not None:
        yield from of_probabilities(model["probabilities"], f"{where}.probabilities")
    why = model["why_no_probabilities"]
    if (why is None) != (model["probabilities"] is not None):
        yield Fault(f"{where}.why_no_probabilities", why, "there are probabilities, or a reason")
