"""Relations in an analysis of more than two classes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from msgspec.structs import replace

from tlpo.analysis.final_model import MOST_ROWS
from tlpo.analysis.json_values import numbers
from tlpo.analysis.relations.checks import (
    Fault,
    Faults,
    between,
    enclosed,
    equal,
    share_of,
)
from tlpo.analysis.relations.curves import Ranked, of_curve, of_scores, of_smooth
from tlpo.analysis.relations.ordered import of_part_baseline
from tlpo.analysis.relations.points import of_equation, of_permutation, of_subgroups
from tlpo.analysis.relations.sample import of_flow
from tlpo.analysis.relations.several import of_best, of_comparisons
from tlpo.analysis.shapes import OneClass, SeveralAnalysis, SeveralFinal, SeveralModel
from tlpo.arrays import BoolArray, IntArray
from tlpo.games.standings import circular_triads, max_circular_triads


def of_classes(analysis: SeveralAnalysis) -> Faults:
    """Check an analysis of models."""
    m, code = analysis.n_units, np.array(analysis.outcome)
    yield from equal("n_units", m, code.size, "as 'outcome' has entries")
    names = [part.name for part in analysis.parts]
    if len(set(names)) < len(names):
        yield Fault("parts", names, "every class has a name of its own")
    if code.max() >= len(names):
        yield Fault("outcome", int(code.max()), f"there are {len(names)} classes")
    for k, size in enumerate(np.bincount(code, minlength=len(names)).tolist()):
        count = analysis.parts[k].count
        yield from equal(f"parts[{k}].count", count, size, "as 'outcome' counts")
        yield from between(f"parts[{k}].count", size, 3, m, "3", "all patients")
    yield from of_flow(analysis.sample, m)
    yield from of_part_baseline(analysis)
    called = [model.name for model in analysis.models]
    if len(set(called)) < len(called):
        yield Fault("models", called, "every model has a name of its own")
    for k, model in enumerate(analysis.models):
        yield from _of_model(model, analysis, code, f"models[{k}]")
    aucs = {model.name: model.auc for model in analysis.models}
    yield from of_comparisons(analysis.comparisons, aucs, True)
    yield from of_best(analysis.choice, aucs, bool(analysis.comparisons))


def _of_model(model: SeveralModel, analysis: SeveralAnalysis, code: IntArray, where: str) -> Faults:
    m, K = analysis.n_units, len(analysis.parts)
    names, sizes = [part.name for part in analysis.parts], np.bincount(code, minlength=K)
    n_pairs = m * (m - 1) // 2
    yield from between(f"{where}.n_games", model.n_games, 1, n_pairs, "1", "all pairs")
    is_whole = model.n_games == n_pairs
    found = [(pair.first, pair.second) for pair in model.pairs]
    if found != list(combinations(names, 2)):
        yield Fault(f"{where}.pairs", found, "there is one for every two classes, in order")
    shares = np.full((K, K), np.nan)
    for k, (pair, (a, b)) in enumerate(zip(model.pairs, combinations(range(K), 2), strict=True)):
        at = f"{where}.pairs[{k}]"
        shares[a, b], shares[b, a] = pair.first_by_own, pair.second_by_own
        mean = (pair.first_by_own + pair.second_by_own) / 2
        yield from equal(f"{at}.auc", pair.auc, mean, "the mean of both responses")
        yield from enclosed(at, pair.auc, pair.low, pair.high)
        if is_whole:
            halves = int(2 * sizes[a] * sizes[b])
            for name in ("first_by_own", "second_by_own"):
                yield from share_of(f"{at}.{name}", getattr(pair, name), halves, "half games")
    yield from equal(f"{where}.auc", model.auc, np.nanmean(shares), "the mean of all pairs")
    yield from enclosed(f"{where}.interval", model.auc, model.interval.low, model.interval.high)
    level = analysis.confidence_level
    yield from equal(f"{where}.interval.level", model.interval.level, level, "of all")
    if [one.name for one in model.classes] != names:
        yield Fault(f"{where}.classes", [one.name for one in model.classes], "they are the parts")
    for k, one in enumerate(model.classes):
        at = f"{where}.classes[{k}]"
        if is_whole:
            others = np.delete(sizes, k)
            own = float(np.delete(shares[k], k) @ others / others.sum())
            yield from equal(f"{at}.auc", one.auc, own, "the mean of its pairs")
        yield from _of_class(one, analysis, code == k, is_whole, at)
    yield from _of_same_subgroups(model.classes, f"{where}.classes")
    if model.confusion is not None:
        yield from _of_confusion(model.confusion, sizes.tolist(), f"{where}.confusion")
    own_scheme = [row.auc for row in model.schemes if row.scheme == "lpo"]
    yield from equal(
        f"{where}.schemes", own_scheme[0] if own_scheme else None, model.auc, "its own"
    )
    if model.permutation is not None:
        yield from of_permutation(model.permutation, level, f"{where}.permutation")
    yield from _of_final(model.final, K, f"{where}.final")


def _of_class(
    one: OneClass, analysis: SeveralAnalysis, is_own: BoolArray, is_whole: bool, where: str
) -> Faults:
    m, scores = analysis.n_units, numbers(one.scores)
    if scores.size != m:
        yield Fault(f"{where}.scores", scores.size, "there is one per patient")
    level = analysis.confidence_level
    yield from enclosed(f"{where}.interval", one.auc, one.interval.low, one.interval.high)
    yield from equal(f"{where}.interval.level", one.interval.level, level, "of all")
    at = one.sensitivity_at
    yield from equal(
        f"{where}.sensitivity_at.specificity", at.specificity, analysis.specificity, "as of all"
    )
    yield from enclosed(f"{where}.sensitivity_at", at.sensitivity, at.low, at.high)
    sizes = Ranked(is_own, ~np.isnan(scores))
    if not (sizes.p and sizes.n):
        yield Fault(f"{where}.scores", one.scores, "patients of the class and others have one")
    most = "the number of opponents"
    yield from between(f"{where}.scores", np.nanmax(scores), 0, m - 1, "0", most)
    yield from between(f"{where}.n_ties", one.n_ties, 0, m * (m - 1) // 2, "0", "all games")
    triads = None
    if is_whole:
        yield from equal(f"{where}.scores", scores.sum(), m * (m - 1) // 2, "they sum to the games")
        triads = circular_triads(scores)
    xi = None if triads is None else 1.0 - triads / max_circular_triads(m)
    yield from equal(f"{where}.consistency", one.consistency, xi, "by the scores")
    yield from of_curve(one.curve, f"{where}.curve")
    yield from of_smooth(one.curve, False, f"{where}.curve")
    yield from of_scores(one.curve, scores, sizes, f"{where}.curve")
    yield from of_subgroups(one, sizes, where)


def _of_same_subgroups(classes: Sequence[OneClass], where: str) -> Faults:
    """Check that every class is judged within the same subgroups, which the classes make up."""
    first = [(row.by, row.subgroup) for row in classes[0].subgroups]
    for k, one in enumerate(classes):
        found = [(row.by, row.subgroup) for row in one.subgroups]
        if found != first:
            yield Fault(f"{where}[{k}].subgroups", found, "all classes have the same")
    for place in range(len(first)):
        rows = [one.subgroups[place] for one in classes]
        whole = sum(row.n_positive for row in rows)
        for k, row in enumerate(rows):
            at = f"{where}[{k}].subgroups[{place}].n_negative"
            yield from equal(at, row.n_negative, whole - row.n_positive, "those of other classes")


def _of_confusion(rows: list[list[int]], sizes: list[int], where: str) -> Faults:
    if [len(row) for row in rows] != [len(sizes)] * len(sizes):
        yield Fault(where, [len(row) for row in rows], "it has a row and a column for every class")
    for k, (row, size) in enumerate(zip(rows, sizes, strict=True)):
        yield from equal(f"{where}[{k}]", sum(row), size, "the patients of the class")


def _of_final(final: SeveralFinal, n_classes: int, where: str) -> Faults:
    rows = [max(map(abs, row.values)) for row in final.rows]
    yield from equal(f"{where}.rows", len(rows), min(final.n, MOST_ROWS), "of 'n', the largest")
    if (final.kind is None) != (final.n == 0):
        yield Fault(f"{where}.n", final.n, "it counts coefficients or importances")
    if rows != sorted(rows, reverse=True):
        yield Fault(f"{where}.rows", rows, "the largest come first")
    width = n_classes if final.kind == "coefficients" else 1
    for k, row in enumerate(final.rows):
        if len(row.values) != width:
            rule = "a coefficient for every class, or one importance"
            yield Fault(f"{where}.rows[{k}].values", len(row.values), rule)
        if final.kind == "importances":
            yield from between(f"{where}.rows[{k}].values", row.values[0], 0, 1, "0", "1")
    if len(final.equations) not in (0, n_classes):
        yield Fault(f"{where}.equations", len(final.equations), "there is one for every class")
    for k, equation in enumerate(final.equations):
        at, first = f"{where}.equations[{k}]", final.equations[0]
        yield from of_equation(equation, at)
        for j, (term, other) in enumerate(zip(equation.terms, first.terms, strict=False)):
            if replace(term, value=other.value) != other:
                yield Fault(f"{at}.terms[{j}]", term.value, "it is that of other classes")
        if len(equation.terms) != len(first.terms) or equation.references != first.references:
            yield Fault(f"{at}.terms", len(equation.terms), "they are those of other classes")
