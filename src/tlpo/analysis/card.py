"""The card of a saved model: what it is, what it was developed on, and how well it did there."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Literal, TypedDict, TypeVar

import msgspec
import numpy as np

from tlpo.analysis.json_values import finish
from tlpo.analysis.models import Model
from tlpo.analysis.options import Options
from tlpo.analysis.shapes import (
    AnyCard,
    Card,
    CategoricalColumn,
    Cutoff,
    DevelopedAuc,
    Development,
    DevelopmentRows,
    KnownRows,
    ModelAnalysis,
    NumericColumn,
    Point,
    Rate,
    SurvivalAnalysis,
    Versions,
)
from tlpo.analysis.summarize import made_here
from tlpo.arrays import BoolArray, FloatArray
from tlpo.results.intervals import rate_factor
from tlpo.results.tournament import Tournament
from tlpo.roc.intervals import score_interval, two_sided_quantile
from tlpo.roc.rates import CHOSEN, share_limits
from tlpo.tables.build_sample import Sample
from tlpo.tables.known_rows import SIZE, keep_rows

if TYPE_CHECKING:
    import pandas as pd


class FeaturesOnCard(TypedDict):
    """What every card says about a model and its features, by field of `AnyCard`."""

    name: str
    described: str
    columns: list[NumericColumn | CategoricalColumn]
    missing: list[str]
    decimal: str | None
    as_table: bool
    fills_gaps: bool
    trial: list[float]
    members: dict[str, str]
    digest: str


class RowsOnCard(TypedDict):
    """What every card says about the rows of development, by field of `DevelopmentRows`."""

    source: str | None
    date: str
    rows: KnownRows
    unit: str
    n_units: int
    rows_read: int
    excluded_without_outcome: int
    excluded_with_gaps: int
    columns_not_used: list[str]


class VersionsOnCard(TypedDict):
    """The versions that make a model, by field of `Versions`."""

    tlpo: str
    scikit_learn: str
    python: str


SomeCard = TypeVar("SomeCard", bound=AnyCard)
# By place on a card, what it states and what follows from the rest of it.
Stated = dict[str, tuple[Rate, Rate]]
# How far a limit may be from the one that follows from the other numbers.
_ROUNDING = 1e-6


def make_card(
    model: Model, sample: Sample, t: Tournament, analysis: ModelAnalysis, options: Options
) -> Card:
    """Say what a model is, what it was developed on, and how well it did there."""
    interval = t.auc_interval(options.confidence_level)
    p, n = t.class_sizes
    assert interval.phi is not None
    (own,) = (found for found in analysis.models if found.name == model.name)
    card = Card(
        format=5,
        target=sample.spec.target,
        positive=str(sample.labels.positive),
        negative=str(sample.labels.negative),
        classes=sample.classes,
        **describe_features(model, sample),
        auc=DevelopedAuc(
            estimate=t.auc,
            low=interval.low,
            high=interval.high,
            level=interval.confidence_level,
            method=f"leave-pair-out, {interval.method}",
            n_positive=p,
            n_negative=n,
            phi=interval.phi,
            rate_phi=rate_factor(t, options.confidence_level)[1],
            degrees_of_freedom=interval.degrees_of_freedom,
        ),
        scale=own.scale or "score",
        cutoffs=[],
        data=Development(
            **describe_rows(sample, analysis, sample.labels.is_positive),
            n_positive=sample.labels.n_positive,
            n_negative=sample.labels.n_negative,
        ),
        versions=Versions(**made_with()),
    )
    cutoffs = [_cutoff(card, point, options) for point in own.operating_points]
    found = [cutoff for cutoff in cutoffs if cutoff is not None]
    return finish(msgspec.structs.replace(card, cutoffs=found))


def describe_features(model: Model, sample: Sample) -> FeaturesOnCard:
    """Return what every card says about a model and its features."""
    return {
        "name": model.name,
        "described": model.described,
        "columns": [describe_column(sample, name, model.is_own) for name in sample.X.columns],
        "missing": list(sample.spec.missing_values),
        "decimal": sample.decimal,
        "as_table": model.is_own or bool(sample.categorical),
        "fills_gaps": model.is_own or bool(sample.X.isna().to_numpy().any()),
        # These are known once the model is fitted and written.
        "trial": [0.0, 0.0, 0.0],
        "members": {},
        "digest": "0" * 64,
    }


def describe_rows(
    sample: Sample, analysis: ModelAnalysis | SurvivalAnalysis, is_positive: BoolArray
) -> RowsOnCard:
    """Return what every card says about the rows of development."""
    return {
        "source": analysis.source,
        "date": analysis.date,
        "rows": KnownRows(**keep_rows(sample.X, is_positive)),
        "unit": sample.unit,
        "n_units": sample.outcome.n_units,
        "rows_read": sample.n_read,
        "excluded_without_outcome": sample.n_without_target,
        "excluded_with_gaps": sample.n_dropped,
        "columns_not_used": [note for note in sample.notes if "not used" in note],
    }


def made_with() -> VersionsOnCard:
    """Return the versions that make a model now."""
    made = made_here()
    return {"tlpo": made["version"], "scikit_learn": made["sklearn"], "python": made["python"]}


def _cutoff(card: Card, point: Point, options: Options) -> Cutoff | None:
    """Take an operating point of the report along; one that calls all or none positive is none."""
    if not isinstance(point.cutoff, float):
        return None
    chosen_for: Literal["sensitivity", "specificity"] | None = None
    if point.point.startswith("sensitivity at least"):
        chosen_for = "sensitivity"
    elif point.point.startswith("specificity at least"):
        chosen_for = "specificity"
    at_least = None if chosen_for is None else options.specificity
    se, sp = (Rate(float(rate or 0.0), 0.0, 1.0) for rate in (point.sensitivity, point.specificity))
    bare = Cutoff(point.point, point.cutoff, chosen_for, at_least, se, sp)
    level = card.auc.level
    return msgspec.structs.replace(
        bare,
        sensitivity=rate_in_development(card, bare, "sensitivity", level),
        specificity=rate_in_development(card, bare, "specificity", level),
    )


def auc_in_development(card: Card, level: float) -> Rate:
    """Return the AUC of development with limits of any confidence level."""
    auc = card.auc
    quantile = two_sided_quantile(level, auc.degrees_of_freedom)
    low, high = score_interval(auc.estimate, auc.n_positive, auc.n_negative, auc.phi, quantile)
    return Rate(auc.estimate, low, high)


def rate_in_development(card: Card, cutoff: Cutoff, rate: str, level: float) -> Rate:
    """Return a rate at a cut-off of development with limits of any confidence level.

    They are those of the report, of a cut-off that was chosen on the same patients.
    """
    auc, estimate = card.auc, getattr(cutoff, rate).estimate
    factor = two_sided_quantile(level, auc.degrees_of_freedom) ** 2 * auc.rate_phi * CHOSEN
    own = auc.n_positive if rate == "sensitivity" else auc.n_negative
    low, high = share_limits(np.array([estimate]), own, factor)
    return Rate(estimate, float(low[0]), float(high[0]))


def trial_rows(card: AnyCard) -> pd.DataFrame:
    """Return three rows that no patient gave: low, middle and high values of every column."""
    import pandas as pd

    columns: dict[str, FloatArray | pd.Series] = {}
    for column in card.columns:
        if isinstance(column, NumericColumn):
            columns[column.name] = np.array([column.q05, column.median, column.q95])
        else:
            names = [*column.categories, *filter(None, [column.other])]
            chosen = [names[k % len(names)] for k in range(3)]
            columns[column.name] = pd.Series(chosen, dtype=object)
    return pd.DataFrame(columns)


def card_digest(card: AnyCard) -> str:
    """Return the digest of all of a card but its own digest."""
    rest = msgspec.to_builtins(card)
    del rest["digest"]
    if rest["decimal"] is None:  # cards of earlier versions have none
        del rest["decimal"]
    return digest_of(json.dumps(rest, sort_keys=True).encode())


def digest_of(content: bytes) -> str:
    """Return the digest of a member of a model file."""
    return blake2b(content, digest_size=32).hexdigest()


def find_card_fault(card: Card) -> str | None:
    """Return the first place where a card contradicts itself, or None."""
    fault = find_column_fault(card.columns, [card.target])
    if fault is not None:
        return fault
    if card.positive == card.negative:
        return "'positive' and 'negative' are the same label"
    labels = {card.positive, card.negative}
    if card.classes and set(card.classes) != labels:
        return "'classes' are not the two labels"
    parts = [label for one in card.classes.values() for label in one]
    if len(set(parts)) < len(parts) or [*card.classes.values()].count([]) > 1:
        return "'classes' have a label twice"
    data = card.data
    if data.n_positive + data.n_negative != data.n_units:
        return "'data.n_units' is not the sum of the classes"
    if card.auc.n_positive > data.n_positive or card.auc.n_negative > data.n_negative:
        return "'auc' counts more units than there are"
    return find_row_fault(card.columns, data) or find_odd_limits(card, _stated_limits)


def find_column_fault(
    columns: Sequence[NumericColumn | CategoricalColumn], others: Sequence[str]
) -> str | None:
    """Return what is wrong with columns, none of which may be called as others, or None."""
    names = [*(column.name for column in columns), *others]
    if len(set(names)) < len(names):
        return "two columns have the same name"
    for k, column in enumerate(columns):
        if isinstance(column, CategoricalColumn):
            levels = [*column.categories, *filter(None, [column.other])]
            if len(set(levels)) < len(levels):
                return f"'columns[{k}].categories' has one twice"
            if not levels:
                return f"'columns[{k}].categories' is empty"
        elif not column.q05 <= column.median <= column.q95:
            return f"'columns[{k}]' has quantiles out of order"
    return None


def find_row_fault(
    columns: Sequence[NumericColumn | CategoricalColumn], data: DevelopmentRows
) -> str | None:
    """Return what is wrong with the numbers of rows, or None."""
    if len(data.rows.digests) != 2 * SIZE * data.n_units:
        return "'data.rows' does not match the number of units"
    if data.rows_read < data.n_units:
        return "'data.rows_read' is less than the number of units"
    if any(column.n_missing > data.n_units for column in columns):
        return "a column has more missing values than there are units"
    return None


class OddCardError(Exception):
    """What cannot be on a card, as a clause."""


def find_odd_limits(card: SomeCard, stated: Callable[[SomeCard], Stated]) -> str | None:
    """Return where limits are not those that a card's estimates and counts give, or None.

    ``stated`` returns by place what a card states, and what follows.
    """
    try:
        with np.errstate(all="ignore"):
            found = stated(card)
    except OddCardError as error:
        return str(error)
    except ArithmeticError:  # of numbers that are too large
        return "'auc' has limits that cannot be computed"
    for where, (one, follows) in found.items():
        is_low = abs(one.low - follows.low) <= _ROUNDING
        if not (is_low and abs(one.high - follows.high) <= _ROUNDING):
            return f"{where!r} has other limits than its estimate and counts give"
    return None


def _stated_limits(card: Card) -> Stated:
    level = card.auc.level
    own = Rate(card.auc.estimate, card.auc.low, card.auc.high)
    stated = {"auc": (own, auc_in_development(card, level))}
    for k, cutoff in enumerate(card.cutoffs):
        if (cutoff.chosen_for is None) != (cutoff.at_least is None):
            raise OddCardError(f"'cutoffs[{k}]' was chosen for a rate that it does not name")
        if cutoff.chosen_for is not None and cutoff.at_least is not None:
            reached = getattr(cutoff, cutoff.chosen_for).estimate
            if reached < cutoff.at_least - _ROUNDING:
                raise OddCardError(f"'cutoffs[{k}]' does not reach the rate that it was chosen for")
        for rate in ("sensitivity", "specificity"):
            follows = rate_in_development(card, cutoff, rate, level)
            stated[f"cutoffs[{k}].{rate}"] = (getattr(cutoff, rate), follows)
        if card.scale == "probability" and not 0 <= cutoff.threshold <= 1:
            raise OddCardError(f"'cutoffs[{k}].threshold' is not a probability")
    return stated


def describe_column(sample: Sample, name: str, is_own: bool) -> NumericColumn | CategoricalColumn:
    """Return what a card says about a feature."""
    column = sample.X[name]
    n_missing = int(column.isna().sum())
    if name in sample.categorical:
        levels = sample.levels[name]
        if is_own:  # which knows no pooled level; one is needed for the trial
            kinds, other = levels.kept or levels.rare, None
        else:
            kinds, other = levels.kept, levels.pooled if levels.rare else None
        return CategoricalColumn(name, n_missing, sorted(kinds), other)
    return describe_numbers(name, column.to_numpy(float), n_missing)


def describe_numbers(name: str, values: FloatArray, n_missing: int = 0) -> NumericColumn:
    """Return what a card says about numbers."""
    q05, median, q95 = map(float, np.nanquantile(values, [0.05, 0.5, 0.95]))
    return NumericColumn(name, n_missing, q05, median, q95)
