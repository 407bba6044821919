"""How results present themselves in a terminal and in a notebook."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tlpo.arrays import FloatArray
from tlpo.engines.base import ELSEWHERE
from tlpo.execution.diagnostics import Diagnostics
from tlpo.problem.outcome import Outcome

if TYPE_CHECKING:
    import pandas as pd


def text_summary(title: str, rows: Iterable[tuple[str, str]], remarks: Iterable[str] = ()) -> str:
    """Lay out a result for a terminal."""
    rows = list(rows)
    width = max((len(name) for name, _ in rows), default=0)
    lines = [title, *(f"  {name:<{width}}  {value}" for name, value in rows)]
    return "\n".join([*lines, *(f"  ! {remark}" for remark in remarks)])


def html_summary(title: str, rows: Iterable[tuple[str, str]], remarks: Iterable[str] = ()) -> str:
    """Lay out a result for a notebook; everything is escaped, labels come from user files."""
    cells = "".join(
        f"<tr><th scope='row' style='text-align:left'>{html.escape(name)}</th>"
        f"<td style='text-align:left'>{html.escape(value)}</td></tr>"
        for name, value in rows
    )
    notes = "".join(f"<li>{html.escape(remark)}</li>" for remark in remarks)
    return (
        f"<table><caption style='text-align:left'>{html.escape(title)}</caption>{cells}</table>"
        + (f"<ul>{notes}</ul>" if notes else "")
    )


class Summary:
    """`repr` and notebook HTML from one list of rows."""

    def _title(self) -> str:
        raise NotImplementedError

    def _rows(self) -> list[tuple[str, str]]:
        raise NotImplementedError

    def _notes(self) -> tuple[str, ...]:
        diagnostics: Any = getattr(self, "diagnostics", None)
        return () if diagnostics is None else tuple(diagnostics.warnings)

    def __repr__(self) -> str:
        return text_summary(self._title(), self._rows(), self._notes())

    def _repr_html_(self) -> str:
        return html_summary(self._title(), self._rows(), self._notes())


def tabulate_units(outcome: Outcome, columns: Mapping[str, npt.NDArray[Any]]) -> pd.DataFrame:
    """Return one row per unit, with its name."""
    import pandas as pd

    frame = pd.DataFrame(dict(columns), index=pd.RangeIndex(outcome.n_units, name="unit"))
    if outcome.unit_names is not None:
        frame.index = outcome.unit_names
    return frame


class Repeated:
    """An estimate repeated with different random choices."""

    @property
    def aucs(self) -> FloatArray:
        """AUC of each repetition."""
        raise NotImplementedError

    @property
    def auc(self) -> float:
        """Mean over the repetitions of the AUC of each."""
        return float(np.mean(self.aucs))

    @property
    def spread(self) -> float:
        """Standard deviation over repetitions; NaN for a single one."""
        return sample_sd(self.aucs)


def sample_sd(values: FloatArray) -> float:
    """Return the standard deviation with ddof 1; NaN for a single value."""
    return float(np.std(values, ddof=1)) if values.size > 1 else float("nan")


def spread_note(values: FloatArray, what: str) -> str:
    """Describe how much an estimate varied, if it was repeated."""
    return f" (SD {sample_sd(values):.4f} over {values.size} {what})" if values.size > 1 else ""


def played_row(diagnostics: Diagnostics) -> str:
    """Describe what an estimate cost."""
    fits = "1 fit" if diagnostics.fits == 1 else f"{diagnostics.fits} fits"
    return f"{fits}, {in_words(diagnostics.seconds)}"


def engine_row(diagnostics: Diagnostics, engine: str) -> str:
    """Describe what games cost, and who played them."""
    return ELSEWHERE if engine == ELSEWHERE else f"{played_row(diagnostics)}, engine {engine}"


def in_words(seconds: float) -> str:
    """Format a time with two digits: 0.15 ms, 3.7 s, 62 min.

    Examples
    --------
    >>> in_words(0.00015), in_words(0.36), in_words(3.71), in_words(120), in_words(86400 * 3)
    ('0.15 ms', '360 ms', '3.7 s', '2.0 min', '72 h')
    """
    for unit, size in (("h", 3600.0), ("min", 60.0), ("s", 1.0)):
        if seconds >= size:
            return f"{seconds / size:.{0 if seconds >= 10 * size else 1}f} {unit}"
    return f"{1e3 * seconds:.0f} ms" if seconds >= 0.01 else f"{1e3 * seconds:.2g} ms"
