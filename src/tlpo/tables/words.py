"""Words in the names of columns."""

from __future__ import annotations

import re


def set_of(words: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(words.split())


def words_of(name: str) -> list[str]:
    """Split a column name: PatientID and patient_id are patient and id."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|[\W\d_]+", " ", name)
    return spaced.lower().split()
