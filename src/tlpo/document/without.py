"""What is left of a model without each feature, in a table."""

from __future__ import annotations

from collections.abc import Sequence

from tlpo.analysis.sample_caveats import count_features
from tlpo.analysis.shapes import ModelAnalysis, OrderedAnalysis, SeveralAnalysis, SurvivalAnalysis
from tlpo.document.blocks import Folded, Paragraph, Section, Table
from tlpo.document.numbers import change, digits

TITLE = "Without each feature"
SEVERAL = "that is done for two classes, numbers, grades and times to an event only"


def without_each(
    a: ModelAnalysis | OrderedAnalysis | SeveralAnalysis | SurvivalAnalysis,
) -> Section:
    """Tabulate the AUC, or the concordance, without each feature; or say why it is not known."""
    if isinstance(a, SeveralAnalysis):
        return _not_computed(SEVERAL if count_features(a.sample) > 1 else None)
    found = a.without
    if found is None:
        return _not_computed(a.why_not_without)
    measure = "AUC" if isinstance(a, ModelAnalysis) else "Concordance"
    caption = f"{measure} of {found.model} without a feature; with all, it is "
    caption += digits(found.estimate)
    if len(found.rows) < found.n_features:
        n = len(found.rows)
        best = "the one that predicts" if n == 1 else f"the {n} that predict"
        caption += f". Of {found.n_features} features, {best} best alone"
    left = [(row.feature, row.estimate) for row in found.rows]
    if found.together is not None:
        left.append((" and ".join(found.together.features), found.together.estimate))
    asked = found.questioned
    if asked is not None and asked.features not in [[row.feature] for row in found.rows]:
        left.append((_all_of(asked.features), asked.estimate))
    rows = [[name, digits(value), change(value - found.estimate)] for name, value in left]
    text = (
        "The model is trained and judged anew without the feature. Leaving out a feature that "
        "others duplicate changes little, so two that say the same both look dispensable"
        f"{'; one row is without both' if found.together else ''}. Chance "
        f"moves these numbers too: with other {a.units} they would differ."
    )
    table = Table(caption, ["Feature left out", measure, "Change"], rows)
    folded = Folded(
        f"{measure} of {found.model} without each feature", [table, Paragraph(text, "soft")]
    )
    return Section("without", TITLE, [folded])


def _all_of(asked: Sequence[str]) -> str:
    """Name the features that the answer asks about."""
    return asked[0] if len(asked) == 1 else f"all {len(asked)} that the answer asks about"


def _not_computed(why: str | None) -> Section:
    if why is None:
        return Section("without", TITLE, [])
    text = f"What is left without each feature was not computed: {why}."
    return Section("without", TITLE, [Paragraph(text, "soft")])
