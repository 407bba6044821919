"""Which values of a table may be written into a report or a model file.

A category is described by its levels; a column of names is not. Two rules keep single patients out
of everything that can be passed on: levels with few patients are pooled into one, for models as
well, whose encoders would otherwise hold them; and columns that look like names or free text are
not listed level by level unless the user says that they are categories.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tlpo.plurals import counted
from tlpo.tables.leakage import sounds_like_identifier
from tlpo.tables.words import set_of, words_of

# A level with fewer patients than this is pooled with others like it.
RARE = 3
# More levels than this, with fewer patients per level on average, look like names.
MANY_LEVELS, FEW_EACH = 5, 4
# A longer text is a sentence, not the name of a category.
LONGEST = 80

# Words in the name of a column that holds people, how to reach them, or free text.
_PEOPLE = set_of(
    "name names surname surnames lastname firstname forename forenames fullname initials "
    "physician physicians doctor doctors surgeon surgeons operator operators nurse anesthetist "
    "anaesthetist radiologist pathologist investigator examiner reader rater observer technician "
    "technologist consultant clinician therapist referrer gp email mail phone telephone mobile "
    "address street postcode zip comment comments remark remarks note notes freetext "
    "nachname vorname arzt ärztin operateur untersucher bemerkung bemerkungen kommentar adresse "
    "nimi sukunimi etunimi lääkäri huomautus kommentti osoite "
    "nom noms prénom prenom médecin medecin chirurgien opérateur commentaire remarque adresse"
)
# What encoders call a gap.
_GAPS = ("missing", "nan", "None")
# Answers about people, such as whether a doctor was seen, name nobody.
_ANSWERS = set_of(
    "yes no y n true false none never always unknown missing 0 1 ja nein kyllä ei oui"
)


@dataclass(frozen=True)
class Levels:
    """The levels of one column, as models and reports know them.

    Attributes
    ----------
    kept : tuple of str
        Levels with enough patients, the most frequent first.
    rare : tuple of str
        The other levels.
    pooled : str
        What the others are called together.
    is_listed : bool
        Whether levels may be written out.
    """

    kept: tuple[str, ...]
    rare: tuple[str, ...]
    pooled: str
    is_listed: bool

    @property
    def n_levels(self) -> int:
        """Number of levels in the table."""
        return len(self.kept) + len(self.rare)

    def pool(self, values: Sequence[Any]) -> list[Any]:
        """Return the level that stands for each value; gaps stay gaps."""
        return pool_others(values, self.kept, self.pooled)

    def shown(self, level: str) -> str:
        """Return what a reader sees of a level, which a model may not have pooled."""
        if level in self.kept:
            return level if self.is_listed else f"level {self.kept.index(level) + 1}, not named"
        return level if level in _GAPS else self.pooled

    def is_told_by(self, text: str) -> bool:
        """Return whether a text holds a level that is not to be written, as a word."""
        hidden = self.rare if self.is_listed else (*self.rare, *self.kept)
        words = "|".join(map(re.escape, filter(None, hidden)))
        found = re.search(rf"(?<![^\W_])(?:{words})(?![^\W_])", text, re.IGNORECASE)
        return bool(words) and found is not None


def pool_others(values: Sequence[Any], kept: Sequence[str], pooled: str) -> list[Any]:
    """Replace the texts that are not kept by one; gaps stay gaps.

    Examples
    --------
    >>> pool_others(["north", "east", None], ["north", "south"], "other (2 levels)")
    ['north', 'other (2 levels)', None]
    """
    known = set(kept)
    return [pooled if isinstance(v, str) and v not in known else v for v in values]


def find_levels(
    name: str, values: Sequence[Any], patients: Sequence[Any] | None, is_said: bool
) -> Levels:
    """Find the levels of a column that may be told apart, and whether they may be listed.

    Parameters
    ----------
    name : str
        The column.
    values : sequence
        Its texts; anything else is a gap.
    patients : sequence or None
        Whose the rows are; everybody has one row by default.
    is_said : bool
        Whether the user said that the column is a category.

    Examples
    --------
    >>> site = find_levels("site", ["north"] * 4 + ["south"] * 3 + ["east", "west"], None, False)
    >>> site.kept, site.pooled, site.is_listed
    (('north', 'south'), 'other (2 levels)', True)
    >>> doctor = find_levels("doctor", ["Meier"] * 4 + ["Huber"] * 3, None, False)
    >>> doctor.is_listed, doctor.shown("Huber")
    (False, 'level 2, not named')
    """
    rows = range(len(values)) if patients is None else patients
    counts = Counter(v for v, _ in {*zip(values, rows, strict=True)} if isinstance(v, str))
    kept = tuple(sorted((v for v in counts if counts[v] >= RARE), key=lambda v: (-counts[v], v)))
    rare = tuple(sorted(v for v in counts if counts[v] < RARE))
    pooled = f"other ({counted(len(rare), 'level')})"
    while pooled in kept:  # a level of that name in the table
        pooled = f"({pooled})"
    return Levels(kept, rare, pooled, is_said or not looks_like_names(name, counts))


def looks_like_names(name: str, counts: Mapping[str, int]) -> bool:
    """Return whether a column holds names or free text, by its own name or by its values.

    Parameters
    ----------
    name : str
        The column.
    counts : mapping of str to int
        Patients by level.

    Examples
    --------
    >>> looks_like_names("Last name", {"Meier": 9, "Huber": 9})
    True
    >>> looks_like_names("stage", {"I": 9, "II": 9}), looks_like_names("doctor seen", {"yes": 9})
    (False, False)
    >>> looks_like_names("x", dict.fromkeys("abcdef", 2))
    True
    """
    if all(level.casefold() in _ANSWERS for level in counts):
        return False
    return (
        bool(_PEOPLE & {*words_of(name)})
        or sounds_like_identifier(name)
        or any(len(level) > LONGEST for level in counts)
        or (len(counts) > MANY_LEVELS and sum(counts.values()) < FEW_EACH * len(counts))
    )
