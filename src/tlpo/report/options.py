"""What a user may ask of a report; every option is checked here, before any data is read."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args

from tlpo.checks import require_choice, require_count, require_jobs, require_level, require_share
from tlpo.errors import InputError, UsageError, explain
from tlpo.report.nouns import noun

Missing = Literal["impute", "drop"]
REST = "rest"  # all labels but the other one
_EXAMPLES = {"rows": ["1-120", "arm=treated"], "classes": ["mild", "severe"]}


@contextmanager
def as_usage() -> Iterator[None]:
    """Let whatever is wrong in this block count as wrong usage rather than wrong data."""
    try:
        yield
    except InputError as error:
        raise UsageError(str(error)) from error


@dataclass(frozen=True)
class Reading:
    """How to read a file; None means detect.

    Attributes
    ----------
    sep, decimal : str or None
        Separator and decimal mark of a text file; "tab" is a tab.
    encoding : str or None
        Encoding of a text file.
    sheet : str or None
        Sheet of an Excel file, the first by default.
    header_row : int or None
        Line of a text file, or row of a sheet, that has the names of the columns.
    """

    sep: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    header_row: int | None = None

    def __post_init__(self) -> None:
        if self.header_row is not None:
            with as_usage():
                require_count("header_row", self.header_row, 1)
        for name, value in (("sep", self.separator), ("decimal", self.decimal)):
            if value is not None and len(value) != 1:
                raise UsageError(
                    explain(
                        f"{name} must be a single character.",
                        f"You passed {name}={value!r}.",
                        "For example sep=';' or sep='tab'."
                        if name == "sep"
                        else "For example decimal=','.",
                    )
                )
        if self.separator is not None and self.separator in '"\r\n':
            raise UsageError(
                explain(
                    "sep must not be a quotation mark or the end of a line.",
                    f"You passed sep={self.sep!r}.",
                    "For example sep=';' or sep='tab'.",
                )
            )
        if self.separator is not None and self.separator == self.decimal:
            raise UsageError(
                explain(
                    "The separator cannot be the decimal mark as well.",
                    f"You passed sep={self.sep!r} and decimal={self.decimal!r}.",
                    "For example sep=';' and decimal=','.",
                )
            )
        if self.encoding is not None:
            try:
                codecs.lookup(self.encoding)
            except (LookupError, ValueError) as error:  # ValueError: no name at all
                raise UsageError(
                    explain(
                        "There is no such encoding.",
                        f"You passed encoding={self.encoding!r}.",
                        "For example encoding='utf-8' or encoding='latin-1'; leave it out to "
                        "have it detected.",
                    )
                ) from error

    @property
    def separator(self) -> str | None:
        """The separator itself: "tab" can be typed, a tab hardly."""
        return "\t" if self.sep in ("tab", "\\t") else self.sep


@dataclass(frozen=True)
class Question:
    """What is to be predicted, and from what.

    Attributes
    ----------
    target : str
        Column of the outcome, with two labels.
    positive : str or None
        The label that counts as positive; chosen, and the choice stated, by default.
    features : sequence of str
        Columns to predict from; all that qualify by default.
    drop : sequence of str
        Columns to leave out.
    group : str or None
        Column that says which rows belong together, such as the patient.
    missing : {"impute", "drop"}
        Whether missing values are imputed inside every fit, or their rows left out.
    rows : sequence of str
        Conditions that all rows to be used meet, such as "1-120" or "arm=treated".
    classes : sequence of str
        Two of several labels, the rows with others being left out; or one label and "rest".
    by : sequence of str
        Columns with a few values, such as the sex, within which to report the AUC as well.
    categorical : sequence of str
        Columns that are categories, also if they look like numbers or names; their levels are
        listed.
    """

    target: str
    positive: str | None = None
    features: Sequence[str] = ()
    drop: Sequence[str] = ()
    group: str | None = None
    missing: Missing = "impute"
    rows: Sequence[str] = ()
    classes: Sequence[str] = ()
    by: Sequence[str] = ()
    categorical: Sequence[str] = ()

    def __post_init__(self) -> None:
        with as_usage():
            require_choice("missing", self.missing, get_args(Missing))
            for name in ("features", "drop", "rows", "classes", "by", "categorical"):
                _require_names(name, getattr(self, name))
            if self.classes and len(set(self.classes)) != 2:
                raise InputError(
                    explain(
                        "Two labels are compared.",
                        f"You passed classes={list(self.classes)!r}.",
                        f"For example classes=['mild', 'severe'], or classes=['mild', {REST!r}].",
                    )
                )


@dataclass(frozen=True)
class Options:
    """What to report, and how to compute it.

    Attributes
    ----------
    specificity : float
        The specificity at which to report the sensitivity.
    confidence_level : float
        Confidence level of all intervals.
    prevalence : float or None
        Prevalence where the test will be used, for predictive values; the sample's by default.
    seed : int
        Seed of folds, resamples, permutations, rounds and sorts; a whole tournament has no
        randomness.
    unit : str or None
        What a row stands for, such as "lesions"; patients by default.
    permutations : int
        Permutations of a test whether each model finds any signal; 0 for no test.
    rounds : int or None
        Opponents of every unit, instead of all others; at least 10.
    sorts : int or None
        Sorts to play instead of a tournament.
    n_jobs : int or None
        Number of processes, as in scikit-learn.
    progress : bool
        Whether to show a progress bar.
    """

    specificity: float = 0.9
    confidence_level: float = 0.95
    prevalence: float | None = None
    seed: int = 0
    unit: str | None = None
    permutations: int = 0
    rounds: int | None = None
    sorts: int | None = None
    n_jobs: int | None = None
    progress: bool = False

    def __post_init__(self) -> None:
        with as_usage():
            require_share("specificity", self.specificity)
            require_level("confidence_level", self.confidence_level)
            require_count("seed", self.seed, 0)
            require_jobs(self.n_jobs)
            if self.prevalence is not None:
                require_level("prevalence", self.prevalence)
            require_count("permutations", self.permutations, 0)
            if self.rounds is not None:
                from tlpo.results.intervals import LEAST_OPPONENTS

                require_count("rounds", self.rounds, LEAST_OPPONENTS)
            if self.sorts is not None:
                require_count("sorts", self.sorts, 1)
            if self.unit is not None:
                noun(self.unit)
        if self.fewer is not None and self.permutations:
            raise UsageError(
                explain(
                    "A permutation test plays all games, many times.",
                    f"You passed permutations={self.permutations} and {self.fewer}.",
                    "Leave out one of the two.",
                )
            )
        if self.rounds is not None and self.sorts is not None:
            raise UsageError(
                explain(
                    "Rounds and sorts are two ways to play fewer games.",
                    f"You passed rounds={self.rounds} and sorts={self.sorts}.",
                    "Use rounds=20 for an AUC with an interval, or sorts=5 for a ranking.",
                )
            )

    @property
    def fewer(self) -> str | None:
        """What makes a run play only some of the games, as an argument."""
        if self.rounds is not None:
            return f"rounds={self.rounds}"
        return None if self.sorts is None else f"sorts={self.sorts}"


@dataclass(frozen=True)
class Wanted:
    """Files to write; None means do not write.

    Attributes
    ----------
    html, json, md, csv : Path or None
        The report, the summary, the answer as Markdown, and a table of the patients.
    figures : Path or None
        Folder for the figures.
    save_model : Path or None
        The model, fitted on all patients.
    """

    html: Path | None = None
    json: Path | None = None
    md: Path | None = None
    csv: Path | None = None
    figures: Path | None = None
    save_model: Path | None = None

    def paths(self) -> dict[str, Path]:
        """Return the paths that were asked for, by argument."""
        found = {place.name: getattr(self, place.name) for place in fields(self)}
        return {name: Path(path) for name, path in found.items() if path is not None}


def _require_names(name: str, value: Any) -> None:
    if isinstance(value, str) or not all(isinstance(column, str) for column in value):
        raise InputError(
            explain(
                f"{name} must be a list of {'texts' if name in _EXAMPLES else 'column names'}.",
                f"You passed {name}={value!r}.",
                f"For example {name}={_EXAMPLES.get(name, ['age', 'marker'])!r}.",
            )
        )
