"""Test a saved model on new patients: ``tlpo validate``.

Nothing is fitted here, so patients are independent of the model: its score was fixed beforehand,
and is assessed as any such score is (`tlpo.assess`), at cut-offs that were fixed in development.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from tlpo.analysis.card import auc_in_development, rate_in_development
from tlpo.analysis.compared import difference, require_scores, say_versions, unscored
from tlpo.analysis.json_values import finish
from tlpo.analysis.model_file import load_model, probability, score
from tlpo.analysis.new_rows import take_rows
from tlpo.analysis.probabilities import describe
from tlpo.analysis.shapes import (
    Card,
    ComparedAuc,
    ComparedPoint,
    ComparedRate,
    Cutoff,
    Rate,
    SurvivalCard,
    SurvivalValidation,
    Validation,
)
from tlpo.analysis.summarize import made_here
from tlpo.analysis.validate_times import Columns, Tried, validate_times
from tlpo.arrays import FloatArray
from tlpo.errors import UsageError, arg, explain
from tlpo.games.response import probability_link
from tlpo.plurals import noun
from tlpo.results.fixed import FixedScores
from tlpo.results.probabilities import Probabilities
from tlpo.schemes.assess import assess
from tlpo.tables.groups import name_groups
from tlpo.tables.known_rows import recognise
from tlpo.tables.options import Reading, as_columns
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
    time: str | None = None,
    event: str | None = None,
    at: Sequence[float] = (),
    group: str | Sequence[str] | None = None,
    confidence_level: float = 0.95,
    reading: Reading | None = None,
) -> Validation | SurvivalValidation:
    """Say how well a saved model does on new patients.

    Parameters
    ----------
    model : str
        A file that ``tlpo run --save-model`` wrote.
    data : str
        A table of new patients with the columns of development.
    target : str, optional
        Its column of outcomes; by default named as in development.
    time, event : str, optional
        Of a model of times to an event, the columns of times and events, as in development by
        default; ``"status == 2"`` names the value that means the event.
    at : sequence of float
        Times at which to report AUC and calibration; by default those of development.
    group : str or sequence of str, optional
        Column that says which rows belong together, such as the patient; several say it together.
    confidence_level : float
        Of all intervals.
    reading : Reading, optional
        How to read the table.
    """
    fitted, card = load_model(model)
    asked = {"target": target, "time": time, "event": event, "at": tuple(at) or None}
    _require_fitting(card, asked)
    table = read_table(data, replace(reading or Reading(), usual_decimal=card.decimal))
    if isinstance(card, SurvivalCard):
        return validate_times(
            Tried(fitted, card, model, "standard input" if data == "-" else Path(data).name),
            table,
            Columns(card.time.name if time is None else time, event, as_columns(group)),
            at,
            confidence_level,
        )
    target = card.target if target is None else target
    new = take_rows(table, card, target, as_columns(group))
    again = recognise(msgspec.structs.asdict(card.data.rows), new.X, new.is_positive)
    remarks = [*([] if again is None else [again]), *say_versions(card), *new.remarks]
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
            group=name_groups(as_columns(group)),
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


def _require_fitting(card: Card | SurvivalCard, asked: Mapping[str, object]) -> None:
    """Refuse what the other kind of model takes."""
    is_survival = isinstance(card, SurvivalCard)
    foreign = ("target",) if is_survival else ("time", "event", "at")
    given = next((name for name in foreign if asked[name] is not None), None)
    if given is not None:
        raise UsageError(
            explain(
                f"The model is one of {'times to an event' if is_survival else 'two classes'}.",
                f"You passed {arg(given, asked[given])}.",
                f"Name the columns with {arg('time', 'months')} and {arg('event', 'died')}, or "
                "leave them out if they are called as in development."
                if is_survival
                else "Leave it out.",
            )
        )


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
        require_scores(scores, len(X))
    except Exception as error:  # a model from elsewhere may raise anything
        raise unscored(card, path, error) from error
    return scores, p
