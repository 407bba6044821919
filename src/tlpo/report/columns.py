"""Decide from its values and its name whether a column can be a feature, and of which kind."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tlpo.errors import InputError, enumerate_briefly, explain

if TYPE_CHECKING:
    import pandas as pd

# A text column with more distinct values than this is not one-hot encoded.
MOST_LEVELS = 20
# A text column with at least this share of numbers was meant to be numeric.
MOSTLY = 0.8
IDENTIFIERS = {"id", "nr", "no", "number", "patient", "subject", "case", "mrn", "record", "index"}
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}.*|\d{1,2}[./]\d{1,2}[./]\d{2,4}.*")

ALL_DIFFERENT = "every value is different, so it looks like an identifier"
REPEATED = (
    "it looks like an identifier; if rows with the same value belong together, make it the group"
)
DATES = "it holds dates; turn them into numbers, such as an age"


def kind_of(column: pd.Series, asked: bool) -> tuple[str, str]:
    """Return the kind of a column and, unless it can be a feature, why not.

    Parameters
    ----------
    column : Series
        All rows of the file.
    asked : bool
        Whether the user named it as a feature; then numbers are never taken for identifiers.
    """
    import pandas as pd

    filled = column.dropna()
    if filled.nunique() <= 1:
        return "constant", "it is constant" if len(filled) else "it is empty"
    if pd.api.types.is_datetime64_any_dtype(column):
        return "date", DATES
    if pd.api.types.is_bool_dtype(filled) or filled.map(lambda v: isinstance(v, bool)).all():
        return "numeric", ""
    unique = filled.nunique() == len(filled)
    named = bool(IDENTIFIERS & set(_words(str(column.name))))
    if pd.api.types.is_numeric_dtype(column):
        whole = bool((filled % 1 == 0).all())
        in_order = unique and bool((filled.diff().dropna() > 0).all())
        if whole and not asked and ((unique and named) or in_order):
            return "identifier", ALL_DIFFERENT
        if whole and named and not asked:
            return "identifier", REPEATED
        return "numeric", ""
    texts = filled.astype(str).str.strip()
    if texts.map(lambda v: bool(_DATE.fullmatch(v))).mean() >= MOSTLY:
        return "date", DATES
    numbers = pd.to_numeric(texts, errors="coerce").notna()
    if MOSTLY <= numbers.mean() < 1 and not isinstance(column.dtype, pd.CategoricalDtype):
        odd = texts[~numbers].unique()
        raise InputError(
            explain(
                f"Column {column.name!r} mixes numbers and text.",
                f"You passed {enumerate_briefly(odd)} among {int(numbers.sum())} numbers.",
                "Replace the text by numbers, clear these cells, or leave the column out with "
                f"drop=[{str(column.name)!r}].",
            )
        )
    levels = texts.nunique()
    if levels == len(column):
        return "identifier", ALL_DIFFERENT
    if named and levels > 2:
        return "identifier", REPEATED
    if levels > MOST_LEVELS:
        return "text", f"it has {levels} distinct values, more than {MOST_LEVELS}"
    return "categorical", ""


def _words(name: str) -> list[str]:
    """Split a column name: PatientID and patient_id are patient and id."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|[^A-Za-z]+", " ", name)
    return spaced.lower().split()
