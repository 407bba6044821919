"""What the reports of validations say in words."""

from __future__ import annotations

from tlpo.analysis.shapes import (
    Card,
    Compared,
    Rate,
    SurvivalCard,
    SurvivalValidation,
    Validation,
)
from tlpo.document.numbers import digits, limits
from tlpo.plurals import noun


def title(a: Validation | SurvivalValidation) -> str:
    """Ask the question that the report answers."""
    source = "" if a.source is None else f" ({a.source})"
    if isinstance(a, SurvivalValidation):
        return f"How well does {a.card.name} rank new {a.units} by risk?{source}"
    return f"How well does {a.card.name} do on new {a.units}?{source}"


def say_developed(card: Card | SurvivalCard) -> str:
    """Say what a model is, and on whom it was developed."""
    data = card.data
    return (
        f"{card.described}, developed on {data.n_units} {noun(data.unit).many} "
        f"({data.source or 'a table'}, {data.date})"
    )


def estimate(found: Compared | Rate) -> str:
    """Write a share with its limits."""
    return f"{digits(found.estimate)} ({limits(found.low, found.high)})"
