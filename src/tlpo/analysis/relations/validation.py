"""Relations among the numbers of a validation."""

from __future__ import annotations

from tlpo.analysis.card import (
    auc_in_development,
    card_digest,
    find_card_fault,
    rate_in_development,
)
from tlpo.analysis.relations.checks import Fault, Faults, between, enclosed, equal
from tlpo.analysis.relations.probabilities import of_probabilities
from tlpo.analysis.shapes import Compared, Limits, Rate, Validation


def of_validation(analysis: Validation) -> Faults:
    """Check rows, the card, and every estimate beside that of development."""
    total = analysis.n_positive + analysis.n_negative
    yield from equal("n_units", analysis.n_units, total, "the sum over both classes")
    if analysis.n_read < analysis.n_units:
        yield Fault("n_read", analysis.n_read, "it is at least the number of patients")
    card, level = analysis.card, analysis.confidence_level
    for name in ("positive", "negative"):
        label = getattr(card, name)
        if getattr(analysis, name) != label:
            yield Fault(name, getattr(analysis, name), f"the card says {label!r}")
    fault = find_card_fault(card)
    if fault is not None or card.digest != card_digest(card):
        yield Fault("card", card.name, fault or "it is not the one that was saved")
    yield from of_compared(analysis.auc, auc_in_development(card, level), "auc")
    if len(analysis.cutoffs) != len(card.cutoffs):
        yield Fault("cutoffs", len(analysis.cutoffs), "they are those of the card")
    for k, (point, cutoff) in enumerate(zip(analysis.cutoffs, card.cutoffs, strict=False)):
        if (point.point, point.threshold) != (cutoff.point, cutoff.threshold):
            yield Fault(f"cutoffs[{k}]", point.point, "it is that of the card")
        for rate, of in (
            ("sensitivity", analysis.n_positive),
            ("specificity", analysis.n_negative),
        ):
            where, found = f"cutoffs[{k}].{rate}", getattr(point, rate)
            then = rate_in_development(card, cutoff, rate, level)
            yield from of_compared(found, then, where)
            yield from equal(f"{where}.of", found.of, of, "the patients of the class")
            share = found.count / of
            yield from equal(f"{where}.estimate", found.estimate, share, "'count' of 'of'")
    if analysis.probabilities is not None:
        yield from of_probabilities(analysis.probabilities, "probabilities")
    why = analysis.why_no_probabilities
    if (why is None) != (analysis.probabilities is not None):
        yield Fault("why_no_probabilities", why, "there are probabilities, or a reason")


def of_compared(found: Compared, then: Rate, where: str) -> Faults:
    """Check an estimate beside that of development."""
    yield from enclosed(where, found.estimate, found.low, found.high)
    yield from of_development(found.development, then, where)
    yield from of_change(found.difference, found.estimate - then.estimate, where)


def of_development(stated: Rate, then: Rate, where: str) -> Faults:
    """Check that an estimate of development is that of the card."""
    for name in ("estimate", "low", "high"):
        found, right = getattr(stated, name), getattr(then, name)
        yield from equal(f"{where}.development.{name}", found, right, "as the card says")


def of_change(stated: Limits, difference: float, where: str) -> Faults:
    """Check a difference from development."""
    place = f"{where}.difference"
    yield from equal(f"{place}.estimate", stated.estimate, difference, "of both")
    for end in ("low", "high"):
        yield from between(f"{place}.{end}", getattr(stated, end), -1, 1, "-1", "1")
    yield from enclosed(place, difference, stated.low, stated.high)
