"""The card of a saved model: what it is, what it was developed on, and how well it did there."""

from __future__ import annotations

import json
import platform
from hashlib import blake2b
from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np

from tlpo.analysis.json_values import finish
from tlpo.analysis.models import Model
from tlpo.analysis.options import Options
from tlpo.analysis.shapes import (
    Card,
    CategoricalColumn,
    Cutoff,
    DevelopedAuc,
    Development,
    KnownRows,
    ModelAnalysis,
    NumericColumn,
    Point,
    Rate,
    Versions,
)
from tlpo.arrays import FloatArray
from tlpo.results.intervals import rate_factor
from tlpo.results.tournament import Tournament
from tlpo.roc.intervals import score_interval, two_sided_quantile
from tlpo.roc.rates import share_at, share_limits
from tlpo.tables.build_sample import Sample
from tlpo.tables.known_rows import SIZE, keep_rows
from tlpo.tables.options import REST

if TYPE_CHECKING:
    import pandas as pd

# How far a limit may be from the one that follows from the other numbers.
_ROUNDING = 1e-6


def make_card(
    model: Model, sample: Sample, t: Tournament, analysis: ModelAnalysis, options: Options
) -> Card:
    """Say what a model is, what it was developed on, and how well it did there."""
    import sklearn

    import tlpo

    interval = t.auc_interval(options.confidence_level)
    p, n = t.class_sizes
    assert interval.phi is not None
    (own,) = (found for found in analysis.models if found.name == model.name)
    card = Card(
        format=3,
        name=model.name,
        described=model.described,
        target=sample.spec.target,
        positive=str(sample.labels.positive),
        negative=str(sample.labels.negative),
        classes=list(sample.spec.classes),
        columns=[_describe_column(sample, name, model.is_own) for name in sample.X.columns],
        as_table=model.is_own or bool(sample.categorical),
        fills_gaps=model.is_own or bool(sample.X.isna().to_numpy().any()),
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
            source=analysis.source,
            date=analysis.date,
            rows=KnownRows(**keep_rows(sample.X, sample.labels.is_positive)),
            unit=sample.unit,
            n_units=sample.labels.n_units,
            n_positive=sample.labels.n_positive,
            n_negative=sample.labels.n_negative,
            rows_read=sample.n_read,
            excluded_without_outcome=sample.n_without_target,
            excluded_with_gaps=sample.n_dropped,
            columns_not_used=[note for note in sample.notes if "not used" in note],
        ),
        versions=Versions(tlpo.__version__, sklearn.__version__, platform.python_version()),
        # These are known once the model is fitted and written.
        trial=[0.0, 0.0, 0.0],
        members={},
        digest="0" * 64,
    )
    cutoffs = [_cutoff(card, point, options) for point in own.operating_points]
    found = [cutoff for cutoff in cutoffs if cutoff is not None]
    return finish(msgspec.structs.replace(card, cutoffs=found))


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

    They are those of the report: where the cut-off was chosen for the other rate, the limits
    account for that.
    """
    auc, estimate = card.auc, getattr(cutoff, rate).estimate
    factor = two_sided_quantile(level, auc.degrees_of_freedom) ** 2 * auc.rate_phi
    sizes = (auc.n_positive, auc.n_negative)
    own, other = sizes if rate == "sensitivity" else sizes[::-1]
    if cutoff.chosen_for not in (None, rate) and cutoff.at_least is not None:
        return Rate(estimate, *share_at(estimate, cutoff.at_least, own, other, factor))
    low, high = share_limits(np.array([estimate]), own, factor)
    return Rate(estimate, float(low[0]), float(high[0]))


def trial_rows(card: Card) -> pd.DataFrame:
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


def card_digest(card: Card) -> str:
    """Return the digest of all of a card but its own digest."""
    rest = msgspec.to_builtins(card)
    del rest["digest"]
    return digest_of(json.dumps(rest, sort_keys=True).encode())


def digest_of(content: bytes) -> str:
    """Return the digest of a member of a model file."""
    return blake2b(content, digest_size=32).hexdigest()


def find_card_fault(card: Card) -> str | None:
    """Return the first place where a card contradicts itself, or None."""
    names = [column.name for column in card.columns]
    if len({*names, card.target}) < len(names) + 1:
        return "two columns have the same name"
    if card.positive == card.negative:
        return "'positive' and 'negative' are the same label"
    labels = {card.positive, card.negative}
    if card.classes and set(card.classes) - {REST} != labels - {REST}:
        return "'classes' are not the two labels"
    for k, column in enumerate(card.columns):
        if isinstance(column, CategoricalColumn):
            names = [*column.categories, *filter(None, [column.other])]
            if len(set(names)) < len(names):
                return f"'columns[{k}].categories' has one twice"
            if not names:
                return f"'columns[{k}].categories' is empty"
        elif not column.q05 <= column.median <= column.q95:
            return f"'columns[{k}]' has quantiles out of order"
    data = card.data
    if data.n_positive + data.n_negative != data.n_units:
        return "'data.n_units' is not the sum of the classes"
    if len(data.rows.digests) != 2 * SIZE * data.n_units:
        return "'data.rows' does not match the number of units"
    if data.rows_read < data.n_units:
        return "'data.rows_read' is less than the number of units"
    if card.auc.n_positive > data.n_positive or card.auc.n_negative > data.n_negative:
        return "'auc' counts more units than there are"
    if any(column.n_missing > data.n_units for column in card.columns):
        return "a column has more missing values than there are units"
    return _find_odd_limits(card)


def _find_odd_limits(card: Card) -> str | None:
    try:
        with np.errstate(all="ignore"):
            return _compare_limits(card)
    except ArithmeticError:  # of numbers that are too large
        return "'auc' has limits that cannot be computed"


def _compare_limits(card: Card) -> str | None:
    level = card.auc.level
    own = Rate(card.auc.estimate, card.auc.low, card.auc.high)
    stated = {"auc": (own, auc_in_development(card, level))}
    for k, cutoff in enumerate(card.cutoffs):
        if (cutoff.chosen_for is None) != (cutoff.at_least is None):
            return f"'cutoffs[{k}]' was chosen for a rate that it does not name"
        for rate in ("sensitivity", "specificity"):
            follows = rate_in_development(card, cutoff, rate, level)
            stated[f"cutoffs[{k}].{rate}"] = (getattr(cutoff, rate), follows)
        if card.scale == "probability" and not 0 <= cutoff.threshold <= 1:
            return f"'cutoffs[{k}].threshold' is not a probability"
    for where, (one, follows) in stated.items():
        is_low = abs(one.low - follows.low) <= _ROUNDING
        if not (is_low and abs(one.high - follows.high) <= _ROUNDING):
            return f"{where!r} has other limits than its estimate and counts give"
    return None


def _describe_column(sample: Sample, name: str, is_own: bool) -> NumericColumn | CategoricalColumn:
    column = sample.X[name]
    n_missing = int(column.isna().sum())
    if name in sample.categorical:
        levels = sample.levels[name]
        if is_own:  # which knows no pooled level; one is needed for the trial
            kinds, other = levels.kept or levels.rare, None
        else:
            kinds, other = levels.kept, levels.pooled if levels.rare else None
        return CategoricalColumn(name, n_missing, sorted(kinds), other)
    q05, median, q95 = map(float, np.nanquantile(column.to_numpy(float), [0.05, 0.5, 0.95]))
    return NumericColumn(name, n_missing, q05, median, q95)
