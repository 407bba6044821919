"""Relations among models that are compared, and the one that is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tlpo.analysis.json_values import numbers
from tlpo.analysis.relations.checks import (
    TOLERANCE,
    Fault,
    Faults,
    between,
    enclosed,
    equal,
    share_of,
)
from tlpo.analysis.shapes import (
    Choice,
    Comparison,
    ModelAnalysis,
    OrderedAnalysis,
    OrderedChoice,
    OrderedComparison,
    SurvivalAnalysis,
)
from tlpo.roc.difference import holm


def of_comparisons(
    rows: list[Comparison], aucs: Mapping[str, float | None], has_pairs: bool
) -> Faults:
    """Check differences, their limits and adjusted p-values.

    An AUC is None if others were compared: those of the patients who have both values.
    """
    expected = len(aucs) * (len(aucs) - 1) // 2 if has_pairs else 0
    yield from equal("comparisons", len(rows), expected, "there is one per pair")
    yield from of_differences(rows, [(row.auc_first, row.auc_second) for row in rows], aucs, "auc")


def of_differences(
    rows: Sequence[Comparison | OrderedComparison],
    estimates: Sequence[tuple[float, float]],
    own: Mapping[str, float | None],
    key: str,
) -> Faults:
    """Check pairs of AUCs or concordances; ``key`` is how their fields begin."""
    for k, (row, stated) in enumerate(zip(rows, estimates, strict=True)):
        where = f"comparisons[{k}]"
        for name, value in zip(("first", "second"), stated, strict=True):
            if getattr(row, name) not in own:
                yield Fault(f"{where}.{name}", getattr(row, name), "there is none of this name")
            expected = own[getattr(row, name)]
            if expected is not None:
                yield from equal(f"{where}.{key}_{name}", value, expected, "that of its own")
        difference = stated[0] - stated[1]
        yield from equal(
            f"{where}.difference",
            row.difference,
            difference,
            "of the AUCs" if key == "auc" else "of the two",
        )
        yield from enclosed(where, difference, row.low, row.high)
        for end in ("low", "high"):
            yield from between(f"{where}.{end}", getattr(row, end), -1, 1, "-1", "1")
    p_values = numbers([row.p_value for row in rows])
    if len(rows) > 1 and not np.isnan(p_values).any():
        for k, value in enumerate(holm(p_values).tolist()):
            where = f"comparisons[{k}].p_value_holm"
            yield from equal(where, rows[k].p_value_holm, value, "Holm's, of all p-values")
    for k, row in enumerate(rows):
        if row.p_value is None:
            yield Fault(f"comparisons[{k}].p_value", None, "every comparison has one")
        if len(rows) == 1 and row.p_value_holm is not None:
            rule = "one comparison is not adjusted"
            yield Fault(f"comparisons[{k}].p_value_holm", row.p_value_holm, rule)


def of_choice(analysis: ModelAnalysis) -> Faults:
    """Check which model was chosen, and what its AUC was corrected by."""
    aucs = {model.name: model.headline.auc for model in analysis.models}
    yield from of_best(analysis.choice, aucs, bool(analysis.comparisons))


def of_best(
    choice: Choice | OrderedChoice | None,
    found: Mapping[str, float],
    are_compared: bool,
    measure: str = "AUC",
) -> Faults:
    """Check a choice among models by what was found of each: its AUC, or its concordance."""
    if (choice is None) == are_compared:
        yield Fault("choice", choice, "it is made among models that were compared")
    if choice is None:
        return
    if choice.winner not in found or found[choice.winner] < max(found.values()) - TOLERANCE:
        yield Fault("choice.winner", choice.winner, f"no model has a larger {measure}")
    own = found[choice.winner]
    yield from equal("choice.uncorrected", choice.uncorrected, own, f"the winner's {measure}")
    corrected = max(0.0, own - choice.optimism)
    stated = choice.auc if isinstance(choice, Choice) else choice.concordance
    yield from equal(f"choice.{measure.lower()}", stated, corrected, "less by the optimism")
    if choice.optimism < -TOLERANCE:
        yield Fault("choice.optimism", choice.optimism, "being chosen does not make it worse")
    yield from enclosed("choice", stated, choice.low, choice.high)


def of_without(analysis: ModelAnalysis | OrderedAnalysis | SurvivalAnalysis) -> Faults:
    """Check the AUCs, or concordances, without each feature."""
    found = analysis.without
    if found is None:
        return
    if analysis.why_not_without is not None:
        yield Fault("why_not_without", analysis.why_not_without, "it is known")
    halves: dict[str, int]
    if isinstance(analysis, ModelAnalysis):
        estimates = {model.name: model.headline.auc for model in analysis.models}
        halves = dict.fromkeys(estimates, 2 * analysis.n_positive * analysis.n_negative)
    else:
        estimates = {model.name: model.concordance for model in analysis.models}
        halves = {model.name: 2 * model.n_ordered for model in analysis.models}
    if found.model not in estimates:
        yield Fault("without.model", found.model, "it is one of the models")
        return
    yield from equal("without.estimate", found.estimate, estimates[found.model], "its own")
    features = [*analysis.sample.numeric, *analysis.sample.categorical]
    yield from equal("without.n_features", found.n_features, len(features), "as 'sample' has")
    names = [row.feature for row in found.rows]
    if len(set(names)) < len(names) or not set(names) <= set(features):
        yield Fault("without.rows", names, "they are different features")
    shown = [row.estimate for row in found.rows]
    if shown != sorted(shown):
        yield Fault("without.rows", shown, "the lowest comes first")
    total = halves[found.model]
    for k, row in enumerate(found.rows):
        yield from share_of(f"without.rows[{k}].estimate", row.estimate, total, "pairs, in halves")
    both, asked = found.together, found.questioned
    if both is not None:
        if len(set(both.features)) < 2 or not set(both.features) <= set(names):
            yield Fault("without.together.features", both.features, "they are two of the rows")
        yield from share_of("without.together.estimate", both.estimate, total, "pairs, in halves")
    if asked is not None:
        if len(set(asked.features)) < len(asked.features) or not set(asked.features) < {*features}:
            why = "they are some of the features"
            yield Fault("without.questioned.features", asked.features, why)
        where = "without.questioned.estimate"
        yield from share_of(where, asked.estimate, total, "pairs, in halves")
