"""What may be asked of a table: how to read it, what to predict, and from what."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tlpo.checks import require_count
from tlpo.errors import InputError, UsageError, arg, as_usage, explain

# What becomes of missing values; any other word is a value that means one.
IMPUTE, DROP = "impute", "drop"
REST = "rest"  # all labels that are not named
# More labels than this are no classes, and more values no codes.
MOST_CLASSES = 10
_EXAMPLES = {
    "rows": ["1-120", "arm=treated"],
    "classes": ["mild", "severe"],
    "missing": ["999", "age=-1"],
}


@dataclass(frozen=True)
class Reading:
    """How to read a file; None means detect.

    Attributes
    ----------
    sep, decimal : str or None
        Separator of a text file, "tab" being a tab, and decimal mark of numbers that are text.
    encoding : str or None
        Encoding of a text file.
    sheet : str or None
        Sheet of an Excel file, the first by default.
    header_row : int or None
        Line of a text file, or row of a sheet, that has the names of the columns.
    usual_decimal : str or None
        The decimal mark that was named for an earlier table; taken unless it separates the cells
        of this one, or ``decimal`` is given.
    """

    sep: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    header_row: int | None = None
    usual_decimal: str | None = None

    def __post_init__(self) -> None:
        if self.header_row is not None:
            with as_usage():
                require_count("header_row", self.header_row, 1)
        for name, value in (("sep", self.separator), ("decimal", self.decimal)):
            if value is not None and len(value) != 1:
                raise UsageError(
                    explain(
                        f"{arg(name)} must be a single character.",
                        f"You passed {arg(name, value)}.",
                        f"For example {arg('sep', ';')} or {arg('sep', 'tab')}."
                        if name == "sep"
                        else f"For example {arg('decimal', ',')}.",
                    )
                )
        if self.separator is not None and self.separator in '"\r\n':
            raise UsageError(
                explain(
                    f"{arg('sep')} must not be a quotation mark or the end of a line.",
                    f"You passed {arg('sep', self.sep)}.",
                    f"For example {arg('sep', ';')} or {arg('sep', 'tab')}.",
                )
            )
        if self.separator is not None and self.separator == self.decimal:
            raise UsageError(
                explain(
                    "The separator cannot be the decimal mark as well.",
                    f"You passed {arg('sep', self.sep)} and {arg('decimal', self.decimal)}.",
                    f"For example {arg('sep', ';')} and {arg('decimal', ',')}.",
                )
            )
        if self.encoding is not None:
            try:
                codecs.lookup(self.encoding)
            except (LookupError, ValueError) as error:  # ValueError: no name at all
                raise UsageError(
                    explain(
                        "There is no such encoding.",
                        f"You passed {arg('encoding', self.encoding)}.",
                        f"For example {arg('encoding', 'utf-8')} or "
                        f"{arg('encoding', 'latin-1')}; leave it out to "
                        "have it detected.",
                    )
                ) from error

    @property
    def separator(self) -> str | None:
        """The separator itself: "tab" can be typed, a tab hardly."""
        return "\t" if self.sep in ("tab", "\\t") else self.sep


@dataclass(frozen=True)
class Specification:
    """What is to be predicted, and from what.

    Attributes
    ----------
    target : str
        Column of the outcome: up to ten labels, numbers or grades. "loss >= 5" cuts a number in
        two. With ``time``, the column that says who had the event; "status == 2" names its value.
    positive : str or None
        The label that counts as positive; chosen, and the choice stated, by default.
    features : sequence of str
        Columns to predict from; all that qualify by default.
    drop : sequence of str
        Columns to leave out.
    group : str, sequence of str or None
        Column that says which rows belong together, such as the patient; of several columns, rows
        that agree in all of them do.
    missing : str or sequence of str
        "impute" or "drop": whether missing values are imputed inside every fit, or their rows left
        out. Any other text is a value that means missing: "999" in every column but the group's,
        "age=999" in one.
    rows : sequence of str
        Conditions that all rows to be used meet, such as "1-120" or "arm=treated".
    classes : sequence of str
        Classes to tell apart, the rows with other labels being left out. "0,1" is both labels, and
        "rest" all that are not named.
    by : sequence of str
        Columns with a few values, such as the sex, within which to report the AUC as well.
    categorical : sequence of str
        Columns that are categories, also if they look like numbers or names; their levels are
        listed.
    numeric : sequence of str
        Columns that are numbers, also if they look like codes, dates or row numbers.
    ordered : bool
        Whether the outcome is numbers or grades, of which the larger should rank higher; numbers
        with more than ten values are anyway.
    order : sequence of str
        The grades of the outcome from lowest to highest, if they are names.
    time : str or None
        Column of the times to the event, or to the last visit.
    """

    target: str
    positive: str | None = None
    features: Sequence[str] = ()
    drop: Sequence[str] = ()
    group: str | Sequence[str] | None = None
    missing: str | Sequence[str] = IMPUTE
    rows: Sequence[str] = ()
    classes: Sequence[str] = ()
    by: Sequence[str] = ()
    categorical: Sequence[str] = ()
    ordered: bool = False
    order: Sequence[str] = ()
    time: str | None = None
    numeric: Sequence[str] = ()

    def __post_init__(self) -> None:
        with as_usage():
            for name in _LISTS:
                _require_names(name, getattr(self, name))
            for name in ("group", "missing"):
                if not isinstance(getattr(self, name), str | None):
                    _require_names(name, getattr(self, name))
            self._require_one_way()
            self._require_one_kind()
            if self.time is not None:
                self._require_only_time()
            if (self.ordered or self.order) and (self.positive is not None or self.classes):
                classes = (
                    arg("classes", list(self.classes))
                    if self.classes
                    else arg("positive", self.positive)
                )
                order = arg("order", list(self.order)) if self.order else arg("ordered")
                raise InputError(
                    explain(
                        "The outcome is either two classes or ordered.",
                        f"You passed {classes} and {order}.",
                        "Leave out one of the two.",
                    )
                )
            if self.classes and not (2 <= len(set(self.classes)) <= MOST_CLASSES):
                raise InputError(
                    explain(
                        f"Two to {MOST_CLASSES} classes are told apart.",
                        f"You passed {arg('classes', list(self.classes))}.",
                        f"For example {arg('classes', ['mild', 'severe'])}, or "
                        f"{arg('classes', ['mild', REST])}.",
                    )
                )
            if len(set(self.classes)) > 2 and self.positive is not None:
                raise InputError(
                    explain(
                        "Of more than two classes, none is the positive one.",
                        f"You passed {arg('classes', list(self.classes))} and "
                        f"{arg('positive', self.positive)}.",
                        "Leave out one of the two, or pass "
                        f"{arg('classes', [self.positive, REST])}.",
                    )
                )

    @property
    def groups(self) -> tuple[str, ...]:
        """The columns that say together which rows belong together; none if all stand alone.

        Examples
        --------
        >>> Specification("y", group="patient").groups, Specification("y").groups
        (('patient',), ())
        """
        return as_columns(self.group)

    @property
    def gaps(self) -> str:
        """What becomes of missing values: "impute" or "drop"."""
        return DROP if DROP in self._missing else IMPUTE

    @property
    def missing_values(self) -> tuple[str, ...]:
        """The values that mean missing.

        Examples
        --------
        >>> spec = Specification("y", missing=["drop", "999", "age=-1"])
        >>> spec.gaps, spec.missing_values
        ('drop', ('999', 'age=-1'))
        """
        return tuple(v for v in dict.fromkeys(self._missing) if v not in (IMPUTE, DROP))

    @property
    def _missing(self) -> tuple[str, ...]:
        return (self.missing,) if isinstance(self.missing, str) else tuple(self.missing)

    def _require_one_way(self) -> None:
        """Refuse missing values that are to be imputed and dropped, and values that are none."""
        if {IMPUTE, DROP} <= set(self._missing):
            raise InputError(
                explain(
                    "Missing values are either imputed or dropped.",
                    f"You passed {arg('missing', list(self._missing))}.",
                    "Leave out one of the two.",
                )
            )
        if not all(value.strip() for value in self._missing):
            raise InputError(
                explain(
                    "Empty cells are missing anyway.",
                    f"You passed {arg('missing', list(self._missing))}.",
                    f"Name values, for example {arg('missing', _EXAMPLES['missing'])}.",
                )
            )

    def _require_one_kind(self) -> None:
        """Refuse columns that are to be numbers and categories."""
        both = [name for name in self.numeric if name in self.categorical]
        if both:
            raise InputError(
                explain(
                    "A column is either numbers or categories.",
                    f"You passed {arg('numeric', both)} and {arg('categorical', both)}.",
                    "Leave out one of the two.",
                )
            )

    def _require_only_time(self) -> None:
        """Refuse what a time to an event cannot be as well."""
        also = next(
            (n for n in ("positive", "classes", "ordered", "order") if getattr(self, n)), None
        )
        if also is not None:
            raise InputError(
                explain(
                    "A time to an event is neither classes nor a number.",
                    f"You passed {arg('time', self.time)} and {arg(also)}.",
                    "Leave out one of the two.",
                )
            )


def as_columns(group: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the columns of groups, each once."""
    if group is None:
        return ()
    return tuple(dict.fromkeys([group] if isinstance(group, str) else group))


def name_target(target: str | None, time: str | None, event: str | None) -> str:
    """Return the column of the outcome: of classes and numbers, or of the event."""
    if time is None and event is None and target is not None:
        return target
    if time is not None and event is not None and target is None:
        return event
    given = {"target": target, "time": time, "event": event}
    passed = [arg(name, value) for name, value in given.items() if value is not None]
    raise UsageError(
        explain(
            "An outcome is either one column, or a time and an event.",
            f"You passed {' and '.join(passed) or 'neither'}.",
            f"For example {arg('target', 'relapse')}, or {arg('time', 'months')} and "
            f"{arg('event', 'died')}.",
        )
    )


_LISTS = ("features", "drop", "rows", "classes", "by", "categorical", "order", "numeric")


def _require_names(name: str, value: Any) -> None:
    if isinstance(value, str) or not all(isinstance(column, str) for column in value):
        raise InputError(
            explain(
                f"{arg(name)} must be a list of "
                f"{'texts' if name in _EXAMPLES else 'column names'}.",
                f"You passed {arg(name, value)}.",
                f"For example {arg(name, _EXAMPLES.get(name, ['age', 'marker']))}.",
            )
        )
