"""Every remark on an analysis: one function per subject."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from tlpo.analysis.remarks import (
    Action,
    Categorical,
    Direction,
    Drop,
    Group,
    Order,
    Positive,
    Remark,
    names,
)
from tlpo.analysis.remarks import Marker as AsMarker
from tlpo.analysis.sample_caveats import LEAKS, on_features, on_gaps, say_without
from tlpo.analysis.shapes import (
    AnyAnalysis,
    Flow,
    Marker,
    MarkerAnalysis,
    Model,
    ModelAnalysis,
    OrderedAnalysis,
    OrderedMarker,
    OrderedMarkerAnalysis,
    OrderedModel,
    SeveralAnalysis,
    SeveralModel,
    SurvivalAnalysis,
    SurvivalMarkerAnalysis,
    SurvivalValidation,
    Suspect,
)
from tlpo.analysis.survival_caveats import (
    followed_for,
    on_censoring,
    on_marker_times,
    on_new_times,
    on_times,
)
from tlpo.analysis.value_caveats import missing_labels, on_groups, on_values
from tlpo.engines.base import ELSEWHERE
from tlpo.engines.frozen import is_about_learning
from tlpo.plurals import counted
from tlpo.problem.labels import LARGER, SORTED
from tlpo.tables.columns import COUNTER
from tlpo.tables.select import UNSAID
from tlpo.tables.several import are_numbers, find_order

# Columns that an action names; of more, those with the strongest signs.
NAMED = 5
FEW = 10
FAR_BELOW = 0.4
LOW_CONSISTENCY = 0.9
MANY_TIES = 0.1
# So many times the rows that are alike by chance are a surprise: columns may be correlated.
BY_CHANCE = 5.0
# An AUC that one column of several may carry, if it is suspicious; otherwise the higher one: an
# effect of 1.8 standard deviations. What is known beforehand, such as age, carries many results of
# 0.7 and 0.8, hardly any beyond. Of the leaks of `make realdata`, those below have telling names.
CARRIED, HIGH, SEVERAL = 0.7, 0.9, 3
# Two columns say the same if what the others and either of them tell falls short of all, for both,
# by less than this share of what both tell; of two correlated by two thirds, a third does.
ALIKE = 1 / 3
NEARLY_ONE = 1 - 1e-6
# Units of the smaller class, and the AUC: beyond them DeLong's 95 % interval held the truth in less
# than 93 % of samples (docs/inference.md).
ENOUGH, NEAR_ONE = 50, 0.9


def remarks_on(analysis: AnyAnalysis) -> list[Remark]:
    """Return what should be known before an analysis is reported."""
    if isinstance(analysis, ModelAnalysis):
        return [
            *_on_elsewhere(analysis),
            *on_censoring(analysis),
            *_on_label(analysis, analysis.sample.chosen_by),
            *_on_rows(analysis.sample),
            *_on_left_out(analysis.sample),
            *_on_leaks(
                analysis.sample.suspects,
                asked=followed_for(analysis),
                said=partial(say_without, analysis),
            ),
            *_on_one_column(analysis),
            *_on_one_predictor(analysis),
            *_on_identifiers(analysis.sample.suspects),
            *_on_names(analysis.sample.suspects),
            *on_values(analysis.sample.suspects, (analysis.negative, analysis.positive)),
            *on_groups(analysis.sample.suspects, analysis.units, analysis.sample.group),
            *_on_repeats(analysis),
            *on_gaps(analysis),
            *_on_size(analysis),
            *on_features(analysis),
            *_on_fewer_games(analysis),
            *(remark for model in analysis.models for remark in _on_model(model, analysis)),
            *_on_choice(analysis),
        ]
    if isinstance(analysis, SeveralAnalysis):
        return [
            *_on_elsewhere(analysis),
            *_on_grades(analysis),
            *_on_rows(analysis.sample),
            *_on_left_out(analysis.sample),
            *_on_leaks(analysis.sample.suspects),
            *_on_identifiers(analysis.sample.suspects),
            *_on_names(analysis.sample.suspects),
            *on_values(analysis.sample.suspects, [part.name for part in analysis.parts]),
            *on_groups(analysis.sample.suspects, analysis.units, analysis.sample.group),
            *_on_repeats(analysis),
            *on_gaps(analysis),
            *_on_smallest(analysis),
            *(remark for model in analysis.models for remark in _on_classes(model)),
            *_on_choice(analysis),
        ]
    if isinstance(analysis, OrderedAnalysis | SurvivalAnalysis):
        return [
            *_on_elsewhere(analysis),
            *_on_rows(analysis.sample),
            *_on_left_out(analysis.sample),
            *_on_leaks(
                analysis.sample.suspects, of_classes=False, said=partial(say_without, analysis)
            ),
            *_on_identifiers(analysis.sample.suspects),
            *_on_names(analysis.sample.suspects),
            *on_values(analysis.sample.suspects),
            *on_groups(analysis.sample.suspects, analysis.units, analysis.sample.group),
            *_on_repeats(analysis),
            *on_gaps(analysis),
            *_on_one_column(analysis),
            *_on_one_predictor(analysis),
            *(
                on_times(analysis)
                if isinstance(analysis, SurvivalAnalysis)
                else _on_values(analysis)
            ),
            *_on_rounds(analysis, "concordance"),
            *(remark for model in analysis.models for remark in _on_games(model, analysis)),
            *_on_ordered_choice(analysis),
        ]
    if isinstance(analysis, OrderedMarkerAnalysis | SurvivalMarkerAnalysis):
        return [
            *(on_marker_times(analysis) if isinstance(analysis, SurvivalMarkerAnalysis) else ()),
            *on_values(analysis.suspects),
            *on_groups(analysis.suspects, analysis.units, analysis.group),
            *(remark for marker in analysis.markers for remark in _on_ordered(marker, analysis)),
            *_on_both(analysis),
        ]
    if isinstance(analysis, MarkerAnalysis):
        return [
            *_on_label(analysis, analysis.chosen_by),
            *on_values(analysis.suspects, (analysis.negative, analysis.positive)),
            *on_groups(analysis.suspects, analysis.units, analysis.group),
            *_on_delong(analysis),
            *(remark for marker in analysis.markers for remark in _on_marker(marker, analysis)),
            *(Remark("comparison", note) for note in analysis.comparison_notes),
        ]
    if isinstance(analysis, SurvivalValidation):
        return on_new_times(analysis)
    return [Remark("new rows", text) for text in analysis.remarks]


def on_columns(
    suspects: Sequence[Suspect], labels: Sequence[str], units: str, group: str | None
) -> list[Remark]:
    """Return what should be known about the columns of a table, whatever is made of it."""
    return [
        *_on_leaks(suspects, of_classes=bool(labels)),
        *_on_identifiers(suspects),
        *_on_names(suspects),
        *on_values(suspects, labels),
        *on_groups(suspects, units, group),
    ]


def _on_label(analysis: ModelAnalysis | MarkerAnalysis, chosen_by: str) -> list[Remark]:
    positive, negative = analysis.positive, analysis.negative
    why = {
        SORTED: f"it follows {negative!r} in the alphabet",
        LARGER: f"it is larger than {negative!r}",
    }.get(chosen_by)
    if why is None:
        return []
    return [
        Remark(
            "label",
            f"{positive!r} counts as positive only because {why}.",
            (("If that is the wrong way round,", Positive(negative)),),
        )
    ]


def _on_rows(sample: Flow) -> list[Remark]:
    parts = []
    if sample.unselected:
        rows = [row if row.startswith(UNSAID) else repr(row) for row in sample.rows]
        parts.append(f"{sample.unselected} not selected by {' and '.join(rows)}")
    if sample.other_classes:
        parts.append(f"{sample.other_classes} with another outcome")
    if not parts:
        return []
    n = sample.unselected + sample.other_classes
    text = f"{n} of {sample.read} rows were left out on request: {' and '.join(parts)}."
    return [Remark("rows", text)]


def _on_left_out(sample: Flow) -> list[Remark]:
    reasons: dict[str, list[str]] = {}
    for name, why in sample.left_out.items():
        if why == COUNTER:  # nobody would use it, and nothing is to be done
            continue
        reasons.setdefault(why.partition(";")[0].removeprefix("it is "), []).append(name)
    parts = [f"{names(columns)} ({why})" for why, columns in reasons.items()]
    text = f"Not used as predictors: {'; '.join(parts)}."
    return [Remark("not used", text)] if parts else []


def _on_leaks(
    suspects: Sequence[Suspect],
    of_classes: bool = True,
    asked: str | None = None,
    said: Callable[[tuple[str, ...]], str] | None = None,
) -> list[Remark]:
    """Ask about columns that may tell the outcome, but one that was asked about already.

    ``said`` words what is left without all of them, behind the last question.
    """
    suspects = [suspect for suspect in suspects if suspect.column != asked]
    kinds = {suspect.kind for suspect in suspects}
    last = next((kind for kind in reversed(LEAKS) if kind in kinds), "")
    at_end = [suspect.column for suspect in suspects if suspect.kind == last]
    if last == "copy":  # of which each has its own remark
        at_end = at_end[-1:]
    rest = {at_end[-1]: said(tuple(at_end))} if at_end and said else {}
    found = [
        Remark(
            "copy of the outcome",
            f"{suspect.column!r} tells the outcome: it has one value for each "
            f"{'label' if of_classes else 'half'}{rest.get(suspect.column, '')}.",
            (("Unless it is a test to be judged,", Drop((suspect.column,))),),
        )
        for suspect in suspects
        if suspect.kind == "copy"
    ]
    separating = [suspect for suspect in suspects if suspect.kind == "separates"]
    if separating:
        columns = _columns(separating)
        lowest = min(suspect.auc or 0.5 for suspect in separating)
        least = "at least " if len(columns) > 1 else ""
        what, measure = "classes", "AUC"
        if not of_classes:
            what, measure = "larger half of the outcome from the smaller", "concordance"
        found.append(
            Remark(
                "separates the classes" if of_classes else "tells the outcome",
                f"{names(columns)} alone {_plural(columns, 'separates', 'each separate')} the "
                f"{what} (AUC {least}{lowest:.3f}){rest.get(columns[-1], '')}. "
                f"If {_plural(columns, 'it', 'they')} followed "
                f"the outcome or defined it, no {measure} here means anything.",
                (("In that case,", Drop(columns[:NAMED])),),
            )
        )
    columns = _columns([suspect for suspect in suspects if suspect.kind == "filled"])
    if columns:
        found.append(
            Remark(
                "told by gaps",
                f"Whether {names(columns)} {_plural(columns, 'is', 'are')} missing depends on "
                "the outcome: "
                f"{_plural(columns, 'it is', 'they are')} filled in, or missing, for one "
                f"{'class' if of_classes else 'half of the outcomes'} only"
                f"{rest.get(columns[-1], '')}. If "
                f"{_plural(columns, 'it was', 'they were')} recorded because of the outcome, "
                f"{_plural(columns, 'it', 'they')} cannot predict it.",
                (("In that case,", Drop(columns[:NAMED])),),
            )
        )
    columns = _columns([suspect for suspect in suspects if suspect.kind == "after"])
    if columns:
        found.append(
            Remark(
                "known after the outcome",
                f"{names(columns)} {_plural(columns, 'seems', 'seem')} to have been known only "
                f"after the outcome{rest.get(columns[-1], '')}. If so, "
                f"{_plural(columns, 'it', 'they')} cannot predict it.",
                (("In that case,", Drop(columns[:NAMED])),),
            )
        )
    return found


def _on_identifiers(suspects: Sequence[Suspect]) -> list[Remark]:
    columns = _columns([suspect for suspect in suspects if suspect.kind == "identifier"])
    if not columns:
        return []
    looks = _plural(columns, "looks like an identifier", "look like identifiers")
    used = _plural(columns, "was used as a predictor", "were used as predictors")
    return [
        Remark(
            "identifier",
            f"{names(columns)} {looks} but {used}.",
            (("If so,", Drop(columns[:NAMED])),),
        )
    ]


def _on_names(suspects: Sequence[Suspect]) -> list[Remark]:
    columns = _columns([suspect for suspect in suspects if suspect.kind == "names"])
    if not columns:
        return []
    return [
        Remark(
            "names",
            f"{names(columns)} {_plural(columns, 'looks', 'look')} like names or free text, so "
            f"{_plural(columns, 'its', 'their')} values are not written here.",
            (
                (
                    f"If {_plural(columns, 'it identifies', 'they identify')} people,",
                    Drop(columns[:NAMED]),
                ),
                (
                    f"if {_plural(columns, 'it is a category', 'they are categories')} that may "
                    "be shown,",
                    Categorical(columns[:NAMED]),
                ),
            ),
        )
    ]


def _on_repeats(
    analysis: ModelAnalysis | SeveralAnalysis | OrderedAnalysis | SurvivalAnalysis,
) -> list[Remark]:
    sample, units = analysis.sample, analysis.units
    if sample.group is not None:
        return []
    seen = f"models were tested on {units} they had seen."
    found = [
        Remark(
            "repeated identifier",
            f"{suspect.column!r} repeats: {suspect.n_values} values in {analysis.n_units} rows. If "
            f"it identifies the patient, {seen}",
            (("In that case,", Group((suspect.column,))),),
        )
        for suspect in sample.suspects
        if suspect.kind == "repeated"
    ]
    n = sample.duplicates
    if n > BY_CHANCE * sample.expected_duplicates:
        one = n == 1
        found.append(
            Remark(
                "duplicates",
                f"{counted(n, 'row')} {'has' if one else 'have'} the same features as an earlier "
                "row, more than chance would give. If "
                f"{'it belongs' if one else 'they belong'} to the same {analysis.unit}, {seen}",
                (
                    (
                        f"In that case, remove {'this row' if one else 'these rows'}, or",
                        Group(),
                    ),
                ),
            )
        )
    return found


def _on_size(analysis: ModelAnalysis) -> list[Remark]:
    return _on_few("smaller", min(analysis.n_positive, analysis.n_negative), analysis)


def _on_smallest(analysis: SeveralAnalysis) -> list[Remark]:
    return _on_few("smallest", min(part.count for part in analysis.parts), analysis)


def _on_few(which: str, size: int, analysis: ModelAnalysis | SeveralAnalysis) -> list[Remark]:
    if size >= FEW:
        return []
    text = (
        f"The {which} class has only {counted(size, analysis.unit, analysis.units)}: every "
        "estimate is rough, whatever its interval says."
    )
    return [Remark("small class", text)]


def _on_elsewhere(
    analysis: ModelAnalysis | SeveralAnalysis | OrderedAnalysis | SurvivalAnalysis,
) -> list[Remark]:
    played = [model.name for model in analysis.models if model.engine == ELSEWHERE]
    if not played:
        return []
    whose = "" if len(played) == len(analysis.models) else f" of {' and '.join(played)}"
    text = (
        f"The comparisons{whose} were made elsewhere. That no model had seen "
        f"the two {analysis.units} it compared, neither in training nor in any step before, such "
        "as scaling, selecting features or tuning, cannot be checked here."
    )
    return [Remark("elsewhere", text)]


def _on_grades(analysis: SeveralAnalysis) -> list[Remark]:
    names = [part.name for part in analysis.parts]
    order = None if analysis.sample.classes else find_order(names)
    # 9 is no grade where it may mean that nothing is known.
    is_coded = missing_labels(analysis.sample.suspects, analysis.target)
    if order is None or is_coded:
        return []
    return [
        Remark(
            "grades",
            f"The classes {', '.join(map(repr, order))} look like grades. Here they are told "
            "apart without their order.",
            (("If it matters,", Order(tuple(order), are_numbers(names))),),
        )
    ]


def _on_classes(model: SeveralModel) -> list[Remark]:
    found = _on_learning(model)
    low = [
        f"{one.name!r} (ξ = {one.consistency:.2f})"
        for one in model.classes
        if one.consistency is not None
        and one.consistency < LOW_CONSISTENCY
        and one.n_ties <= MANY_TIES * model.n_games
    ]
    if low:
        text = (
            f"{model.name}: the consistency is low for {', '.join(low)}. Models trained without "
            "different pairs contradict each other, so the learner is unstable and these curves "
            "unreliable."
        )
        found.append(Remark("inconsistent", text))
    tied = [one.name for one in model.classes if one.curve.kind == "leave-pair-out"]
    if tied:
        text = (
            f"{model.name}: many comparisons tie. Ranking by wins would be biased, so the ROC "
            f"curve{_plural(tied, '', 's')} of {', '.join(map(repr, tied))} "
            f"{_plural(tied, 'is that', 'are those')} of the pooled leave-pair-out predictions, "
            "shifted to the AUC."
        )
        found.append(Remark("ties", text))
    return found


def _on_learning(model: Model | OrderedModel | SeveralModel) -> list[Remark]:
    return [
        Remark("does not learn", f"{model.name}: {note}")
        for note in model.notes
        if is_about_learning(note)
    ]


def _on_values(analysis: OrderedAnalysis) -> list[Remark]:
    counts = Counter(analysis.outcome)
    few = analysis.n_units - max(counts.values())
    if few >= FEW:
        return []
    text = (
        f"Only {counted(few, analysis.unit, analysis.units)} differ from the most common outcome: "
        "every estimate is rough, whatever its interval says."
    )
    return [Remark("few outcomes", text)]


def _on_rounds(
    analysis: ModelAnalysis | OrderedAnalysis | SurvivalAnalysis, measure: str
) -> list[Remark]:
    one, many, m = analysis.unit, analysis.units, analysis.n_units
    if analysis.rounds is None or analysis.rounds >= m - 1:
        return []
    curve = (
        "The area of the tournament's curve (TLPO) is biased, usually downwards. "
        if isinstance(analysis, ModelAnalysis)
        else ""
    )
    is_survival = isinstance(analysis, SurvivalAnalysis)
    at_times = ", Uno's concordance, AUCs at single times" if is_survival else ""
    drawn, biased = ", drawn at random", ""
    if any(model.engine == ELSEWHERE for model in analysis.models):
        drawn, biased = "", " if chance decided which games are missing"
    text = (
        f"Not every pair of {many} was compared: each {one} met {analysis.rounds} of {m - 1} "
        f"others{drawn}. The {measure} is not biased by that{biased}, and its interval accounts "
        f"for it, which makes it wider. {curve}Missing, because they need all comparisons: ξ, the "
        f"picture of all comparisons, subgroups{at_times}."
    )
    return [Remark("rounds", text)]


def _on_fewer_games(analysis: ModelAnalysis) -> list[Remark]:
    """Say what was played instead of all games, and what is missing for it."""
    many = analysis.units
    if analysis.sorts is None:
        return _on_rounds(analysis, "AUC")
    text = (
        f"Not every pair of {many} was compared: the {many} were sorted "
        f"{counted(analysis.sorts, 'time')} by comparisons with pivots. That gives nearly the "
        "ranking and the AUC of all comparisons. Missing, because they need all comparisons: the "
        "interval of the AUC, limits of the curve and of the operating points, ξ, the comparison "
        "of models, subgroups."
    )
    return [Remark("sorts", text)]


def _on_model(model: Model, analysis: ModelAnalysis) -> list[Remark]:
    found = [*_on_games(model, analysis), *_on_separation(model)]
    tied = f"{model.name}: {model.n_ties} of {model.n_games} comparisons are ties"
    if model.curve.kind == "leave-pair-out":
        text = (
            f"{tied}. Ranking by wins would be biased, so the ROC curve is that of the pooled "
            "leave-pair-out predictions, shifted to the AUC; its operating points are rates, not "
            "counts."
        )
        found.append(Remark("ties", text))
    elif (model.n_ties or 0) > MANY_TIES * model.n_games:
        text = f"{tied}, and the ROC curve of the wins is biased. The AUC is not."
        found.append(Remark("ties", text))
    return found


def _on_one_column(analysis: ModelAnalysis | OrderedAnalysis | SurvivalAnalysis) -> list[Remark]:
    """Ask about a column, or two that say the same, without which little is left."""
    found = analysis.without
    asked = {s.column for s in analysis.sample.suspects if s.kind in LEAKS}
    if found is None or found.estimate < CARRIED or found.n_features < SEVERAL:
        return []
    odd = {s.column for s in analysis.sample.suspects if s.kind == "identifier"}
    odd |= set(analysis.sample.gaps)
    is_high = found.estimate >= HIGH
    lowest, together, above = found.rows[0], found.together, found.estimate - 0.5
    measure = "AUC" if isinstance(analysis, ModelAnalysis) else "concordance"
    falls = f"the {measure} of {found.model} falls from {found.estimate:.3f} to"
    carries = lowest.estimate - 0.5 < 0.5 * above
    if carries and lowest.feature not in asked and (is_high or lowest.feature in odd):
        text = (
            f"Without {lowest.feature!r} {falls} {lowest.estimate:.3f}. Was it known when the "
            "prediction is to be made?"
        )
        return [Remark("one column", text, (("If not,", Drop((lowest.feature,))),))]
    if together is None or asked & {*together.features}:
        return []
    if not (is_high or odd & {*together.features}):
        return []
    first, second = together.features
    apart = sum(
        _told(found.estimate) - _told(row.estimate)
        for row in found.rows
        if row.feature in (first, second)
    )
    both = _told(found.estimate) - _told(together.estimate)
    if together.estimate - 0.5 >= 0.5 * above or apart >= ALIKE * both:
        return []
    text = (
        f"Without {first!r} and {second!r} together {falls} {together.estimate:.3f}, though either "
        "largely replaces the other. Were they known when the prediction is to be made?"
    )
    return [Remark("two columns", text, (("If not,", Drop((first, second))),))]


def _told(estimate: float) -> float:
    """Return the squared distance of two normal classes with this AUC.

    Of predictors that tell different things, these add up.
    """
    return statistics.NormalDist().inv_cdf(min(max(estimate, 0.5), NEARLY_ONE)) ** 2


def _on_one_predictor(analysis: ModelAnalysis | OrderedAnalysis | SurvivalAnalysis) -> list[Remark]:
    """Point out that a linear model of one number ranks as the number does, or backwards."""
    numeric, categorical = analysis.sample.numeric, analysis.sample.categorical
    if len(numeric) != 1 or categorical:
        return []
    text = (
        f"{numeric[0]!r} is the only predictor: all that a linear model learns is whether larger "
        "values speak for the outcome or against it."
    )
    flipping = next((model for model in analysis.models if _flips(model, analysis)), None)
    if flipping is not None:
        measure, value = _measured(flipping)
        # The number ranks as the model does that is fitted to all, or backwards.
        own = flipping.final.apparent_auc or 0.0
        text += (
            f" Here that is so uncertain that leaving out two {analysis.units} flips it, which "
            f"gives {flipping.name} the {measure} of {value:.3f}. By itself, as a marker, "
            f"{numeric[0]!r} has {'an AUC' if measure == 'AUC' else 'a concordance'} of "
            f"{max(own, 1 - own):.3f} in the better direction."
        )
    return [
        Remark("one predictor", text, (("If that was known beforehand,", AsMarker(numeric[0])),))
    ]


def _flips(
    model: Model | OrderedModel, analysis: ModelAnalysis | OrderedAnalysis | SurvivalAnalysis
) -> bool:
    """Return whether a linear model of one number is far below ½, for its direction flips."""
    sample, final = analysis.sample, model.final
    is_one = len(sample.numeric) == 1 and not sample.categorical
    is_linear = final.kind == "coefficients" and final.apparent_auc is not None
    return is_one and is_linear and _measured(model)[1] < FAR_BELOW


def _measured(model: Model | OrderedModel) -> tuple[str, float]:
    """Return the AUC or the concordance of a model, and which of them it is."""
    if isinstance(model, Model):
        return "AUC", model.headline.auc
    return "concordance", model.concordance


def _on_separation(model: Model) -> list[Remark]:
    by = model.final.separated_by
    if not by:
        return []
    what = names(by) if len(by) == 1 else "a combination of features"
    if 1 < len(by) <= NAMED:
        what = f"a combination of {names(by)}"
    text = (
        f"{model.name}: {what} separates the classes, at least in part. Without a penalty the "
        "coefficients then have no finite estimate, and the odds ratios mean nothing; the AUC "
        "holds. For coefficients, use logistic, ridge or lasso."
    )
    return [Remark("separation", text)]


def _on_games(
    model: Model | OrderedModel, analysis: ModelAnalysis | OrderedAnalysis | SurvivalAnalysis
) -> list[Remark]:
    name, xi = model.name, model.consistency
    found = _on_learning(model)
    has_many_ties = (model.n_ties or 0) > MANY_TIES * model.n_games
    measure, value = _measured(model)
    if value < FAR_BELOW and not found:
        if _flips(model, analysis):  # which is said of the one predictor
            return []
        text = (
            f"{name}: the {measure} of {value:.2f} is far below ½. That is no evidence for the "
            "opposite. Where features tell next to nothing, leaving out a pair tips what the "
            "others show the other way, so the model orders that pair wrongly: nothing could be "
            "learned from these data."
        )
        return [Remark("below chance", text)]
    if xi is not None and xi < LOW_CONSISTENCY and not has_many_ties:
        what = "learner is unstable"
        if isinstance(model, Model):
            what += " and the curve unreliable"
        text = (
            f"{name}: the consistency ξ = {xi:.2f} is low. Models trained without different pairs "
            f"contradict each other, so the {what}."
        )
        found.append(Remark("inconsistent", text))
    return found


def _on_ordered_choice(analysis: OrderedAnalysis | SurvivalAnalysis) -> list[Remark]:
    choice, n_models = analysis.choice, len(analysis.models)
    if choice is None:
        return []
    text = (
        f"{n_models} models were tried, and the best of several looks better than it is: report "
        f"all of them, or only {choice.winner} with its corrected concordance, "
        f"{choice.concordance:.3f} ({choice.low:.3f} to {choice.high:.3f})."
    )
    return [Remark("several models", text)]


def _on_both(analysis: OrderedMarkerAnalysis | SurvivalMarkerAnalysis) -> list[Remark]:
    if not analysis.comparisons or not any(marker.n_missing for marker in analysis.markers):
        return []
    text = (
        f"Two markers are compared on the {analysis.units} that have both, so concordances in a "
        "comparison may differ from those of all."
    )
    return [Remark("compared", text)]


def _on_ordered(
    marker: OrderedMarker, analysis: OrderedMarkerAnalysis | SurvivalMarkerAnalysis
) -> list[Remark]:
    found = []
    if marker.concordance < 0.5:
        expected, means = "with larger outcomes", "are positive"
        if isinstance(analysis, SurvivalMarkerAnalysis):
            expected, means = "with earlier events", "go with earlier events"
        other = "smaller" if marker.larger_is_positive else "larger"
        found.append(
            Remark(
                "direction",
                f"{marker.name}: the concordance is below ½. The direction is never chosen from "
                "the data.",
                (
                    (
                        f"If {other} values were expected {expected} before these data "
                        f"were seen, the concordance is {1 - marker.concordance:.3f}:",
                        Direction(marker.name, marker.larger_is_positive, means),
                    ),
                ),
            )
        )
    if marker.n_missing:
        text = (
            f"{marker.name} is missing in {marker.n_missing} of {analysis.n_units} "
            f"{analysis.units}, who are left out."
        )
        found.append(Remark("missing", text))
    return found


def _on_choice(analysis: ModelAnalysis | SeveralAnalysis) -> list[Remark]:
    choice, n_models = analysis.choice, len(analysis.models)
    if n_models == 1:
        return []
    text = f"{n_models} models were tried, and the best of several looks better than it is: report "
    if choice is None:
        return [Remark("several models", f"{text}all of them.")]
    text += (
        f"all of them, or only {choice.winner} with its corrected AUC, {choice.auc:.3f} "
        f"({choice.low:.3f} to {choice.high:.3f})."
    )
    return [Remark("several models", text)]


def _on_delong(analysis: MarkerAnalysis) -> list[Remark]:
    narrow = [
        marker.name
        for marker in analysis.markers
        if min(marker.n_positive, marker.n_negative) < ENOUGH or marker.auc > NEAR_ONE
    ]
    if not narrow:
        return []
    text = (
        f"With fewer than {ENOUGH} {analysis.units} in a class, or an AUC above {NEAR_ONE}, "
        f"DeLong's interval is too narrow ({', '.join(narrow)}): report the score interval beside "
        "it."
    )
    return [Remark("narrow interval", text)]


def _on_marker(marker: Marker, analysis: MarkerAnalysis) -> list[Remark]:
    name, found = marker.name, []
    if marker.auc < 0.5:
        other = "smaller" if marker.larger_is_positive else "larger"
        way: Action = Direction(name, marker.larger_is_positive)
        found.append(
            Remark(
                "direction",
                f"{name}: the AUC is below ½. The direction is never chosen from the data.",
                (
                    (
                        f"If {other} values were expected in the positive class before these data "
                        f"were seen, the AUC is {1 - marker.auc:.3f}:",
                        way,
                    ),
                ),
            )
        )
    if marker.n_missing:
        text = (
            f"{name} is missing in {marker.n_missing} of {analysis.n_units} {analysis.units}, who "
            "are left out."
        )
        found.append(Remark("missing", text))
    smallest = min(marker.n_positive, marker.n_negative)
    if smallest < FEW:
        text = (
            f"{name}: the smaller class has only "
            f"{counted(smallest, analysis.unit, analysis.units)}, so every estimate is rough, "
            "whatever its interval says."
        )
        found.append(Remark("small class", text))
    return found


def _columns(suspects: Sequence[Suspect]) -> tuple[str, ...]:
    return tuple(suspect.column for suspect in suspects)


def _plural(columns: Sequence[str], one: str, several: str) -> str:
    return one if len(columns) == 1 else several
