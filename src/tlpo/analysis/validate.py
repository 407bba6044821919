"""Test a saved model on new patients: ``tlpo validate``.

Nothing is fitted here, so patients are independent of the model: its score was fixed beforehand,
and is assessed as any such score is (`tlpo.assess`), at cut-offs that were fixed in development.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from tlpo.analysis.card import auc_in_development, rate_in_development
from tlpo.analysis.json_values import finish
from tlpo.analysis.model_file import load_model, probability, score
from tlpo.analysis.models import describe_error
from tlpo.analysis.new_rows import take_rows
from tlpo.analysis.probabilities import describe
from tlpo.analysis.shapes import (
    Card,
    ComparedAuc,
    ComparedPoint,
    ComparedRate,
    Cutoff,
    Limits,
    Rate,
    Validation,
)
from tlpo.analysis.summarize import made_here
from tlpo.arrays import FloatArray
from tlpo.errors import InputError, explain
from tlpo.games.response import probability_link
from tlpo.plurals import noun
from tlpo.results.fixed import FixedScores
from tlpo.results.probabilities import Probabilities
from tlpo.roc.difference import separate_interval
from tlpo.schemes.assess import assess
from tlpo.tables.known_rows import recognise
from tlpo.tables.options import Reading
from tlpo.tables.read import read_table

if TYPE_CHECKING:
    import pandas as pd

# Whose interval each method is.
METHODS = {"delong": "DeLong", "score": "Newcombe"}
SEED = 0


def validate(
    model: str,
    data: str,
    *,
    target: str | None = None,
    group: str | None = None,
    confidence_level: float = 0.95,
    reading: Reading | None = None,
) -> Validation:
    """Say how well a saved model does on new patients.

    Parameters
    ----------
    model : str
        A file that ``tlpo run --save-model`` wrote.
    data : str
        A table of new patients with the columns of development.
    target : str, optional
        Its column of outcomes; by default named as in development.
    group : str, optional
        Column that says which rows belong together, such as the patient.
    confidence_level : float
        Of all intervals.
    reading : Reading, optional
        How to read the table.
    """
    fitted, card = load_model(model)
    table = read_table(data, reading or Reading())
    target = card.target if target is None else target
    new = take_rows(table, card, target, group)
    again = recognise(msgspec.structs.asdict(card.data.rows), new.X, new.is_positive)
    remarks = [*([] if again is None else [again]), *_versions(card), *new.remarks]
    level, is_positive, units = confidence_level, new.is_positive, noun(card.data.unit)
    predicted, p = _predict(fitted, card, new.X, model)
    scores = assess(predicted, is_positive, groups=new.groups)
    # Cut-offs are on the scale of development.
    shown = p if card.scale == "probability" and p is not None else predicted
    rated = assess(shown, is_positive, groups=new.groups)
    why = probability_link(fitted)
    return finish(
        Validation(
            **made_here(),
            model=Path(model).name,
            source="standard input" if data == "-" else Path(data).name,
            unit=units.one,
            units=units.many,
            confidence_level=level,
            n_read=len(table),
            n_units=int(is_positive.size),
            n_positive=int(is_positive.sum()),
            n_negative=int((~is_positive).sum()),
            positive=card.positive,
            negative=card.negative,
            target=target,
            card=card,
            remarks=remarks,
            group=group,
            auc=_auc(scores, card, level),
            cutoffs=[_at(rated, card, cutoff, level) for cutoff in card.cutoffs],
            probabilities=None
            if p is None
            else describe(Probabilities(p, is_positive, scores.groups), level, SEED),
            why_no_probabilities=why if isinstance(why, str) else None,
        )
    )


def _auc(scores: FixedScores, card: Card, level: float) -> ComparedAuc:
    interval, then = scores.auc_interval(level), auc_in_development(card, level)
    found = Rate(scores.auc, interval.low, interval.high)
    return ComparedAuc(
        **msgspec.structs.asdict(found),
        development=then,
        difference=difference(found, then, level),
        method=METHODS[interval.method],
        notes=list(interval.notes),
    )


def _at(scores: FixedScores, card: Card, cutoff: Cutoff, level: float) -> ComparedPoint:
    """Return both rates at a cut-off of development, which counts scores above it."""
    least = float(np.nextafter(cutoff.threshold, np.inf))
    point = scores.operating_point(cutoff=least, confidence_level=level)
    found = []
    for rate, right, wrong in (("sensitivity", "tp", "fn"), ("specificity", "tn", "fp")):
        then = rate_in_development(card, cutoff, rate, level)
        new = Rate(*(float(point[f"{rate}{end}"]) for end in ("", "_low", "_high")))
        found.append(
            ComparedRate(
                **msgspec.structs.asdict(new),
                development=then,
                difference=difference(new, then, level),
                count=int(point[right]),
                of=int(point[right] + point[wrong]),
            )
        )
    return ComparedPoint(cutoff.point, cutoff.threshold, *found)


def difference(new: Rate, old: Rate, level: float) -> Limits:
    """Return the difference of two independent estimates, with limits from theirs.

    Examples
    --------
    >>> difference(Rate(0.7, 0.6, 0.8), Rate(0.8, 0.7, 0.9), 0.95)
    Limits(estimate=-0.1..., low=-0.241..., high=0.0414...)
    """
    limits = ((new.low, new.high), (old.low, old.high))
    both = (new.estimate, old.estimate)
    (low, high), _ = separate_interval(both, limits, 0.0, level)
    return Limits(both[0] - both[1], low, high)


def _predict(
    fitted: Any, card: Card, X: pd.DataFrame, path: str
) -> tuple[FloatArray, FloatArray | None]:
    """Return the score of every row and, if the model has them, probabilities."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scores = score(fitted, card, X)
            has_link = not isinstance(probability_link(fitted), str)
            p = probability(fitted, card, X) if has_link else None
        if scores.shape == (len(X),) and np.isfinite(scores).all():
            return scores, p
        why = f"it gives {int((~np.isfinite(scores)).sum())} scores that are not finite"
    except Exception as error:  # a model from elsewhere may raise anything
        why = describe_error(error)
    raise InputError(
        explain(
            "The model cannot score these rows.",
            f"You passed {path!r}, developed with scikit-learn "
            f"{card.versions.scikit_learn}: {why}.",
            "Check that the columns mean what they did in development, or save the model again.",
        )
    )


def _versions(card: Card) -> list[str]:
    here = made_here()
    then = card.versions
    return [
        f"The model was made with {name} {old}, and is tested with {new}: predictions may differ."
        for name, old, new in (
            ("tlpo", then.tlpo, here["version"]),
            ("scikit-learn", then.scikit_learn, here["sklearn"]),
        )
        if old != new
    ]
