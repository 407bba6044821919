"""A table of the patients: label, score and rank of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.analysis.json_values import numbers
from tlpo.analysis.shapes import (
    AnyRun,
    ModelAnalysis,
    SeveralAnalysis,
    SeveralModel,
    SurvivalAnalysis,
)
from tlpo.arrays import FloatArray

if TYPE_CHECKING:
    import pandas as pd

# What makes a cell a formula, also in the wide forms that some spreadsheets fold into these.
_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]|[\t\r\n]")


def to_table(analysis: AnyRun, ids: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return outcome, scores and ranks of every patient, most wins ranking first.

    Parameters
    ----------
    analysis : ModelAnalysis, SeveralAnalysis, OrderedAnalysis or SurvivalAnalysis
        The analysis.
    ids : DataFrame, optional
        `Sample.ids`, which an analysis does not hold; row numbers by default.
    """
    import pandas as pd

    frame = pd.DataFrame({"row": np.arange(1, analysis.n_units + 1)} if ids is None else ids)
    labels: list[Any]
    if isinstance(analysis, ModelAnalysis):
        names = (analysis.negative, analysis.positive)
        labels = [names[is_positive] for is_positive in analysis.is_positive]
    elif isinstance(analysis, SeveralAnalysis):
        labels = [analysis.parts[k].name for k in analysis.outcome]
    elif isinstance(analysis, SurvivalAnalysis):
        labels = ["event" if event else "censored" for event in analysis.event]
        frame["time" if "time" not in frame else "time (tlpo)"] = analysis.time
    elif analysis.grades is not None:
        labels = [analysis.grades[int(place)] for place in analysis.outcome]
    else:
        labels = list(analysis.outcome)
    name = "label" if isinstance(analysis, ModelAnalysis | SeveralAnalysis) else "outcome"
    frame[name if name not in frame else f"{name} (tlpo)"] = labels
    for called, scores in _scores(analysis):
        frame[f"{called} score"] = scores
        frame[f"{called} rank"] = pd.Series(scores).rank(ascending=False).to_numpy()
    return frame


def _scores(analysis: AnyRun) -> Iterator[tuple[str, FloatArray]]:
    """Return the scores of every model; of several classes, in the response of each."""
    for model in analysis.models:
        if isinstance(model, SeveralModel):
            for one in model.classes:
                yield f"{model.name} {one.name}", numbers(one.scores)
        else:
            yield model.name, numbers(model.scores)


def inert_table(frame: pd.DataFrame) -> str:
    """Write a table as CSV in which text that a spreadsheet would run is made harmless."""
    import pandas as pd

    frame = frame.copy()
    for name in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[name]):
            frame[name] = [inert(value) for value in frame[name].tolist()]
    return str(frame.rename(columns=inert).to_csv(index=False))


def inert(value: Any) -> Any:
    r"""Put an apostrophe before text that a spreadsheet would run; numbers are what they are.

    A carriage return, which would end the row without quotation marks, becomes a line break.

    Examples
    --------
    >>> [inert(value) for value in ("=1+1", "-2.5", "@SUM(A1)", "P-07", -3, "x\r=1")]
    ["'=1+1", '-2.5', "'@SUM(A1)", 'P-07', -3, 'x\n=1']
    """
    if isinstance(value, str):
        value = value.replace("\r\n", "\n").replace("\r", "\n")
    if not isinstance(value, str) or not _FORMULA.match(value):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value
