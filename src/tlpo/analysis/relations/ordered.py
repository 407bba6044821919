"""Relations in an analysis of numbers or grades."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tlpo.analysis.json_values import numbers
from tlpo.analysis.packed_games import unpack_games
from tlpo.analysis.relations.checks import TOLERANCE, Fault, Faults, between, enclosed, equal
from tlpo.analysis.relations.points import of_final_model, of_permutation
from tlpo.analysis.relations.sample import of_characteristics, of_flow, of_suspects
from tlpo.analysis.relations.several import of_best, of_differences, of_without
from tlpo.analysis.shapes import (
    OrderedAnalysis,
    OrderedMarkerAnalysis,
    OrderedModel,
    RankedAnalysis,
    SeveralAnalysis,
    SurvivalMarkerAnalysis,
)
from tlpo.arrays import BoolArray
from tlpo.games.standings import circular_triads, max_circular_triads


def of_ordered(analysis: OrderedAnalysis) -> Faults:
    """Check an analysis of models."""
    m, y = analysis.n_units, numbers(analysis.outcome)
    yield from equal("n_units", m, y.size, "as 'outcome' has entries")
    yield from _of_grades(analysis.grades, float(y.min()), float(y.max()), "outcome")
    if analysis.grades is not None and (y != np.rint(y)).any():
        yield Fault("outcome", analysis.outcome, "it has places of grades")
    if np.unique(y).size < 2:
        yield Fault("outcome", analysis.outcome, "it has different values")
    yield from of_ranked(analysis, analysis.models, y[:, None] > y[None, :])
    yield from of_without(analysis)


def of_ranked(
    analysis: RankedAnalysis, models: Sequence[OrderedModel], ordered: BoolArray
) -> Faults:
    """Check what analyses of every outcome but classes have; ``ordered`` says who should win."""
    yield from of_flow(analysis.sample, analysis.n_units)
    yield from of_part_baseline(analysis)
    names = [model.name for model in models]
    if len(set(names)) < len(names):
        yield Fault("models", names, "every model has a name of its own")
    for k, model in enumerate(models):
        yield from _of_model(model, analysis, ordered, f"models[{k}]")
    found = {model.name: model.concordance for model in models}
    stated = [(row.concordance_first, row.concordance_second) for row in analysis.comparisons]
    yield from of_differences(analysis.comparisons, stated, found, "concordance")
    are_compared = bool(analysis.comparisons)
    yield from of_best(analysis.choice, found, are_compared, "concordance")


def of_ordered_markers(analysis: OrderedMarkerAnalysis) -> Faults:
    """Check an analysis of markers."""
    yield from _of_grades(analysis.grades, analysis.lowest, analysis.highest, "highest")
    if not analysis.lowest < analysis.highest:
        yield Fault("highest", analysis.highest, "it is above 'lowest'")
    yield from of_each_marker(analysis)


def of_each_marker(analysis: OrderedMarkerAnalysis | SurvivalMarkerAnalysis) -> Faults:
    """Check what analyses of markers have whose outcome is no classes."""
    yield from of_suspects(analysis.suspects, analysis.n_read, "suspects")
    left = analysis.n_read - analysis.n_without_target
    yield from between("n_units", analysis.n_units, 2, left, "2", "the rows with an outcome")
    names = [marker.name for marker in analysis.markers]
    if len(set(names)) < len(names):
        yield Fault("markers", names, "every marker has a name of its own")
    for k, marker in enumerate(analysis.markers):
        where = f"markers[{k}]"
        total = marker.n_rated + marker.n_missing
        yield from equal(f"{where}.n_rated", total, analysis.n_units, "with 'n_missing', rows")
        most = marker.n_rated * (marker.n_rated - 1) // 2
        yield from between(f"{where}.n_ordered", marker.n_ordered, 1, most, "1", "all pairs")
        own = marker.interval
        yield from enclosed(f"{where}.interval", marker.concordance, own.low, own.high)
        level = analysis.confidence_level
        yield from equal(f"{where}.interval.level", own.level, level, "of all")
        yield from between(f"{where}.standard_error", marker.standard_error, 0, 1, "0", "1")
    found = {
        marker.name: None if marker.n_missing else marker.concordance for marker in analysis.markers
    }
    if any(value is None for value in found.values()):
        found = dict.fromkeys(found)  # compared on the patients who have both values
    stated = [(row.concordance_first, row.concordance_second) for row in analysis.comparisons]
    yield from of_differences(analysis.comparisons, stated, found, "concordance")


def _of_grades(grades: list[str] | None, lowest: float, highest: float, where: str) -> Faults:
    if grades is not None and not (lowest >= 0 and highest <= len(grades) - 1):
        yield Fault(where, highest, f"there are {len(grades)} grades")


def of_part_baseline(analysis: RankedAnalysis | SeveralAnalysis) -> Faults:
    """Check the baseline table: of all patients, and of each part."""
    sizes = [analysis.n_units, *(part.count for part in analysis.parts)]
    if analysis.parts:
        total = sum(sizes[1:])
        yield from equal("parts", total, analysis.n_units, "they are all rows")
    for k, row in enumerate(analysis.baseline):
        cells = [row.all, *row.parts]
        if len(cells) != len(sizes):
            yield Fault(f"baseline[{k}].parts", len(row.parts), "there is one for each part")
    rows = [(row.feature, row.level, row.kind, [row.all, *row.parts]) for row in analysis.baseline]
    names = ["all", *(f"parts[{k}]" for k in range(len(analysis.parts)))]
    yield from of_characteristics(rows, names, sizes, analysis.sample)


def _of_model(
    model: OrderedModel, analysis: RankedAnalysis, ordered: BoolArray, where: str
) -> Faults:
    m, scores = analysis.n_units, numbers(model.scores)
    if scores.size != m:
        yield Fault(f"{where}.scores", scores.size, "there is one per patient")
    n_pairs, n_ordered = m * (m - 1) // 2, int(ordered.sum())
    is_whole = model.n_games == n_pairs
    yield from between(f"{where}.n_games", model.n_games, 1, n_pairs, "1", "all pairs")
    most = min(n_ordered, model.n_games)
    yield from between(f"{where}.n_ordered", model.n_ordered, 1, most, "1", "the ordered pairs")
    if is_whole:
        yield from equal(f"{where}.n_ordered", model.n_ordered, n_ordered, "as the outcome orders")
        yield from equal(f"{where}.scores", scores.sum(), n_pairs, "they sum to the games")
    yield from between(f"{where}.n_ties", model.n_ties, 0, model.n_games, "0", "all games")
    yield from between(
        f"{where}.scores", np.nanmax(scores), 0, m - 1, "0", "the number of opponents"
    )
    triads = circular_triads(scores) if is_whole else None
    yield from equal(f"{where}.circular_triads", model.circular_triads, triads, "by the scores")
    xi = None if triads is None else 1.0 - triads / max_circular_triads(m)
    yield from equal(f"{where}.consistency", model.consistency, xi, "by the circular triads")
    if model.games is not None:
        yield from _of_games(model.games, model, ordered, where)
    yield from enclosed(
        f"{where}.interval", model.concordance, model.interval.low, model.interval.high
    )
    yield from equal(
        f"{where}.interval.level", model.interval.level, analysis.confidence_level, "of all"
    )
    own_scheme = [row.concordance for row in model.schemes if row.scheme == "lpo"]
    yield from equal(
        f"{where}.schemes", own_scheme[0] if own_scheme else None, model.concordance, "its own"
    )
    yield from _of_subgroups(model, m, where)
    yield from of_final_model(model.final, 2 * n_ordered, f"{where}.final")
    if model.permutation is not None:
        level = analysis.confidence_level
        yield from of_permutation(model.permutation, level, f"{where}.permutation")


def _of_games(games: list[str], model: OrderedModel, ordered: BoolArray, where: str) -> Faults:
    m, text = len(ordered), "".join(games)
    if [len(line) for line in games] != list(range(m - 1, -1, -1)):
        yield Fault(f"{where}.games", len(games), "there is one per pair")
    n_played = len(text) - text.count(".")
    yield from equal(f"{where}.n_games", model.n_games, n_played, "as 'games' counts")
    yield from equal(f"{where}.n_ties", model.n_ties, text.count("="), "as 'games' counts")
    wins = unpack_games(games)
    played = ordered & ~np.isnan(wins)
    yield from equal(f"{where}.n_ordered", model.n_ordered, int(played.sum()), "as 'games' has")
    own = float(wins[played].mean()) if played.any() else None
    yield from equal(f"{where}.concordance", model.concordance, own, "as the games say")
    if n_played == len(text):
        wrong = np.abs(np.nansum(wins, axis=1) - numbers(model.scores)) > TOLERANCE
        if wrong.any():
            yield Fault(f"{where}.scores", model.scores, "they are the wins in 'games'")


def _of_subgroups(model: OrderedModel, m: int, where: str) -> Faults:
    totals: dict[str, list[int]] = {}
    for k, row in enumerate(model.subgroups):
        at = f"{where}.subgroups[{k}]"
        most = row.n_units * (row.n_units - 1) // 2
        yield from between(f"{at}.n_ordered", row.n_ordered, 0, most, "0", "all of its pairs")
        total = totals.setdefault(row.by, [0, 0])
        total[0] += row.n_units
        total[1] += row.n_ordered
        if row.concordance is None:
            for end in ("low", "high"):
                yield from equal(f"{at}.{end}", getattr(row, end), None, "there is no concordance")
        else:
            yield from enclosed(at, row.concordance, row.low, row.high)
    for by, (n_units, n_ordered) in totals.items():
        name = f"{where}.subgroups ({by})"
        yield from equal(name, n_units, m, "they are all patients")
        yield from between(name, n_ordered, 0, model.n_ordered, "0", "all ordered pairs")
