"""Options that several commands have, declared once.

A command takes them as one argument; cyclopts shows and parses every field as a flag of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Group, Parameter

if TYPE_CHECKING:
    from tlpo.analysis.options import OutputFiles
    from tlpo.tables.options import Reading, Specification

# A default of nothing is not worth a word of --help.
_QUIETLY = Parameter(negative="", show_default=False)
_MANY = Parameter(consume_multiple=True, negative="", show_default=False)
Texts = Annotated[tuple[str, ...], _MANY]
Numbers = Annotated[tuple[float, ...], _MANY]
Repeated = Annotated[tuple[str, ...], _QUIETLY]  # the flag before every value
Switch = Annotated[bool, _QUIETLY]
Data = Annotated[str, Parameter(allow_leading_hyphen=True)]

# As --help shows them, one below the other.
OUTCOME = Group.create_ordered("Outcome")
PREDICTORS = Group.create_ordered("Predictors")
ROWS = Group.create_ordered("Rows")
REPORT = Group.create_ordered("What to report")
COMPUTING = Group.create_ordered("How to compute it")
READING = Group.create_ordered("How to read the file")
FILES = Group.create_ordered("What to write")

Quiet = Annotated[bool, Parameter(group=FILES, show_default=False)]


@Parameter(name="*", group=OUTCOME)
@dataclass(frozen=True)
class Outcome:
    """What is to be told apart.

    Parameters
    ----------
    target
        The column with the outcome: two to ten labels, grades or numbers. "weight_loss >= 5" cuts a
        number into two classes.
    positive
        The label that counts as positive, in upper or lower case. By default a guess, which is
        stated.
    classes
        Two or more labels of an outcome that has others too; rows with these are left out. "0,1"
        makes one class of two labels, and the word rest of all labels that are not named. A label
        that has a comma itself stands in quotation marks: '"no, never",rarely'.
    ordered
        The outcome is numbers or grades: report the concordance, how often the patient with the
        larger one is ranked higher. Numbers with more than 10 values are ordered anyway.
    order
        The grades from lowest to highest, if the outcome has names.
    time
        The column with the time to the event, or to the last visit: survival analysis.
    event
        With --time, the column that says who had the event: 1 or yes, 0 or no for censored. Of 1
        and 2, 2 is the event. "status == 1" names its value.
    """

    target: str | None = None
    positive: str | None = None
    classes: Texts = ()
    ordered: Switch = False
    order: Texts = ()
    time: str | None = None
    event: str | None = None

    def specify(
        self,
        rows: Rows,
        features: Sequence[str] = (),
        missing: Sequence[str] = (),
        **more: Any,
    ) -> Specification:
        """Return what is asked of a table; ``more`` are further fields of a `Specification`."""
        from tlpo.tables.options import IMPUTE, Specification, name_target

        given = asdict(self) | {"target": name_target(self.target, self.time, self.event)}
        del given["event"]
        return Specification(
            **given,
            features=features,
            group=rows.group or None,
            rows=rows.rows,
            missing=missing or IMPUTE,
            **more,
        )


@Parameter(name="*", group=ROWS)
@dataclass(frozen=True)
class Rows:
    """Which rows to use, and which belong together.

    Parameters
    ----------
    group
        A column that says which rows belong together, such as the patient. Of several columns,
        rows that agree in all belong together: center id.
    rows
        Use only some rows: "1-120" counts them from the first below the header; "arm=treated",
        "arm!=placebo" and "age>=18" look into a column. Of several, all must hold.
    """

    group: Texts = ()
    rows: Texts = ()


@Parameter(name="*", group=REPORT)
@dataclass(frozen=True)
class Reported:
    """What to report.

    Parameters
    ----------
    specificity
        Report the sensitivity at this specificity.
    confidence_level
        Confidence level of all intervals.
    prevalence
        Prevalence where the test will be used, for predictive values and precision.
    smooth
        Draw smooth (binormal) ROC curves with the others, as pROC does, and report their areas.
    at
        Times at which to report the AUC; by default that by which half of the events happened.
    """

    specificity: float = 0.9
    confidence_level: float = 0.95
    prevalence: float | None = None
    smooth: Switch = False
    at: Numbers = ()


@Parameter(name="*", group=READING)
@dataclass(frozen=True)
class FileFlags:
    """How to read a table.

    Parameters
    ----------
    sep
        Separator of a text file; detected by default. "tab" is a tab.
    decimal
        Decimal mark of numbers that are written as text; detected by default.
    encoding
        Encoding of a text file; detected by default.
    sheet
        Sheet of an Excel file; the first by default.
    header_row
        Line of a text file, or row of a sheet, that has the names of the columns. By default the
        first that is not a title.
    """

    sep: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    header_row: int | None = None

    def reading(self) -> Reading:
        """Return the same, checked."""
        from tlpo.tables.options import Reading

        return Reading(**asdict(self))


@Parameter(name="*", group=FILES)
@dataclass(frozen=True)
class Document:
    """The report, in a form for readers.

    Parameters
    ----------
    html
        Write a report to attach to a paper. The ending of the name says what: .html, .docx or .pdf,
        which Chromium, Chrome or Edge prints.
    md
        Write the answer as Markdown.
    figures
        Write the figures as PNG, SVG and PDF to this folder.
    """

    html: Path | None = None
    md: Path | None = None
    figures: Path | None = None

    def files(self, **more: Path | None) -> OutputFiles:
        """Return all files to write; ``more`` are further fields of `OutputFiles`."""
        from tlpo.analysis.options import OutputFiles

        return OutputFiles(**asdict(self), **more)
