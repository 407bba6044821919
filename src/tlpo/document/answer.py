"""The answer of every analysis of models: a sentence each, a table, its terms, and remarks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tlpo.analysis.caveats import remarks_on
from tlpo.analysis.remarks import Word
from tlpo.analysis.shapes import AnyRun
from tlpo.document.blocks import Block, Paragraph, Remarks, Section, Table, Terms
from tlpo.document.parts import BEFORE

# What a cell shows of a number that there is none of.
_NONE = ("", "—")


class Measure(NamedTuple):
    """A column of the answer's table.

    Attributes
    ----------
    head : str
        Its name.
    cells : sequence of str
        What every model has of it.
    term : (str, str) or None
        What it means, if that is explained below the table.
    """

    head: str
    cells: Sequence[str]
    term: tuple[str, str] | None = None


def answer_section(
    a: AnyRun,
    word: Word,
    caption: str,
    measures: Sequence[Measure],
    *,
    sentences: Sequence[str],
    about: Sequence[Block] = (),
    also: Sequence[Block] = (),
) -> Section:
    """Make the section from what is particular to an outcome.

    Parameters
    ----------
    a, word
        The analysis, and how actions are worded.
    caption, measures
        The table's. A measure that no model has is neither shown nor explained.
    sentences : sequence of str
        The answer in words, for every model.
    about, also : sequence of Block
        What stands above the table, and below it.
    """
    kept = [measure for measure in measures if any(cell not in _NONE for cell in measure.cells)]
    names = [model.name for model in a.models]
    remarks = [remark.worded(word) for remark in remarks_on(a)]
    blocks = [
        *(Paragraph(text, "lead") for text in sentences),
        *about,
        Table(
            caption,
            ["Model", *(measure.head for measure in kept)],
            [list(row) for row in zip(names, *(measure.cells for measure in kept), strict=True)],
            "wide",
        ),
        *also,
        Terms(
            [
                *((model.name, f"{model.what}.") for model in a.models),
                *(measure.term for measure in kept if measure.term is not None),
            ]
        ),
        *([Remarks(BEFORE, remarks)] if remarks else []),
    ]
    return Section("answer", "Answer", blocks, is_short=True)
