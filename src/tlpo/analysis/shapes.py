"""What an analysis holds, typed: its JSON, the check of what is read back, and its schema.

Undefined numbers are null; an infinite one, such as a likelihood ratio with a zero below the line,
is the text "Infinity" or "-Infinity". An analysis names columns and labels, and summarizes each
column by outcome, but holds no features and no identifiers of single patients, nor the name of a
level that few patients have (`tlpo.tables.levels`): it can be mailed around. Sentences are
made from the numbers, in `tlpo.document`; only notes of what happened on the way are texts.
"""

from __future__ import annotations

from sys import float_info
from typing import Annotated, Literal

from msgspec import Meta, Struct

# Free text that is longer was not written by tlpo, and would fill pages.
MOST_CHARACTERS = 100_000
SCHEMA = 2

Text = Annotated[str, Meta(max_length=MOST_CHARACTERS)]
Word = Annotated[str, Meta(min_length=1, max_length=MOST_CHARACTERS)]
Mark = Annotated[str, Meta(min_length=1, max_length=1)]
Date = Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}$")]
Finite = Annotated[float, Meta(ge=-float_info.max, le=float_info.max)]
Infinite = Literal["Infinity", "-Infinity"]
Real = Finite | Infinite | None
Share = Annotated[float, Meta(ge=0, le=1)]
Level = Annotated[float, Meta(gt=0, lt=1)]
Difference = Annotated[float, Meta(ge=-1, le=1)]
NotNegative = Annotated[float, Meta(ge=0, le=float_info.max)]
Positive = Annotated[float, Meta(gt=0, le=float_info.max)]
Count = Annotated[int, Meta(ge=0, le=10**9)]
AtLeastOne = Annotated[int, Meta(ge=1, le=10**9)]
Shares = Annotated[list[Share], Meta(min_length=2)]


class Shape(Struct, frozen=True, forbid_unknown_fields=True):
    """A part of an analysis."""


# ----- what all analyses share


class Limits(Shape, frozen=True):
    """An estimate with limits, which may be missing."""

    estimate: Real
    low: Real = None
    high: Real = None


class Rate(Shape, frozen=True):
    """A share with limits."""

    estimate: Share
    low: Share
    high: Share


class Interval(Shape, frozen=True):
    """Of an AUC; variances are ``phi`` times those of independent scores.

    ``width_error`` is the relative standard error of the width that a draw of units leaves.
    """

    low: Share
    high: Share
    level: Share
    method: Text
    phi: Finite | None = None
    degrees_of_freedom: Positive | None = None
    width_error: NotNegative | None = None


class Smooth(Shape, frozen=True):
    """The curve ``TPR = Φ(intercept + slope Φ⁻¹(FPR))`` and its area, which is not the AUC."""

    intercept: Finite
    slope: Positive
    area: Share


class Curve(Shape, frozen=True):
    """A ROC curve; a new patient is positive above ``cutoffs``, which are null without scores.

    ``smooth`` is null unless it was asked for, and where there are too few points.
    """

    kind: Text
    why: Text
    fpr: Shares
    tpr: Shares
    thresholds: Annotated[list[Real], Meta(min_length=2)]
    cutoffs: Annotated[list[Real], Meta(min_length=2)] | None = None
    smooth: Smooth | None = None


class Band(Shape, frozen=True):
    """Pointwise limits of a ROC curve."""

    fpr: Shares
    low: Shares
    high: Shares
    level: Share


class SensitivityAt(Shape, frozen=True):
    """The sensitivity of the cut-off that was chosen for at least this specificity."""

    specificity: Share
    sensitivity: Share
    low: Share | None
    high: Share | None


class Point(Shape, frozen=True, kw_only=True):
    """An operating point: whom it calls positive, and how often that is right.

    ``threshold`` is of the ranking, ``cutoff`` of a new patient's score. Counts are null where the
    curve counts no patients, limits where there are none.
    """

    point: Text
    criterion: Text
    threshold: Real
    cutoff: Real = None
    given: bool = False
    tp: NotNegative | None
    fp: NotNegative | None
    fn: NotNegative | None
    tn: NotNegative | None
    sensitivity: Share | None
    sensitivity_low: Share | None
    sensitivity_high: Share | None
    specificity: Share | None
    specificity_low: Share | None
    specificity_high: Share | None
    ppv: Share | None
    ppv_low: Share | None
    ppv_high: Share | None
    npv: Share | None
    npv_low: Share | None
    npv_high: Share | None
    lr_positive: Real
    lr_positive_low: Real
    lr_positive_high: Real
    lr_negative: Real
    lr_negative_low: Real
    lr_negative_high: Real


class Comparison(Shape, frozen=True):
    """The difference between two AUCs."""

    first: Text
    second: Text
    auc_first: Share
    auc_second: Share
    difference: Difference
    low: Finite
    high: Finite
    p_value: Share | None
    p_value_holm: Share | None
    p_value_delong: Share | None = None


class CalibrationPoints(Shape, frozen=True):
    """Observed frequencies over predicted probabilities, and where they would lie by chance."""

    predicted: Annotated[list[Share], Meta(min_length=1)]
    observed: Annotated[list[Share], Meta(min_length=1)]
    low: Annotated[list[Share], Meta(min_length=1)]
    high: Annotated[list[Share], Meta(min_length=1)]


class NetBenefit(Shape, frozen=True):
    """Of treating those above a threshold, beside treating all and none."""

    threshold: Annotated[list[Finite], Meta(min_length=1)]
    model: Annotated[list[Finite], Meta(min_length=1)]
    low: Annotated[list[Finite], Meta(min_length=1)]
    high: Annotated[list[Finite], Meta(min_length=1)]
    all: Annotated[list[Finite], Meta(min_length=1)]
    none: Annotated[list[Finite], Meta(min_length=1)]


class Probabilities(Shape, frozen=True):
    """What held-out probabilities are worth."""

    brier: Limits
    scaled_brier: Limits
    slope: Limits
    intercept: Limits
    observed_expected: Limits
    remarks: list[Text]
    curve: CalibrationPoints
    net_benefit: NetBenefit


class Analysis(Shape, frozen=True, tag_field="kind", kw_only=True):
    """What every analysis of a table has."""

    schema: Literal[2] = 2
    version: Text
    sklearn: Text
    python: Text
    date: Text
    source: Text | None
    target: Text
    unit: Text
    units: Text
    n_units: Annotated[int, Meta(ge=2, le=10**9)]
    confidence_level: Level


class ClassAnalysis(Analysis, frozen=True, kw_only=True):
    """What every analysis of two classes has."""

    n_positive: AtLeastOne
    n_negative: AtLeastOne
    positive: Text
    negative: Text


# ----- models that were played


class Suspect(Shape, frozen=True):
    """A column that may deceive."""

    column: Text
    kind: Text
    auc: Share | None
    n_values: Count | None
    values: list[Text] = []


class Flow(Shape, frozen=True):
    """What was read, and what became of it.

    ``gaps`` are the columns of which more than a fifth is missing, and in how many rows.
    """

    is_known: bool
    read: Count
    without_target: Count
    incomplete: Count
    dropped: Count
    missing_cells: Count
    duplicates: Count
    chosen_by: Text
    missing: Text
    numeric: list[Text]
    categorical: list[Text]
    group: Text | None
    n_groups: AtLeastOne | None
    rows: list[Text]
    unselected: Count
    classes: Annotated[list[Text], Meta(max_length=10)]
    other_classes: Count
    left_out: dict[Text, Text]
    suspects: list[Suspect]
    notes: list[Text]
    gaps: dict[Text, AtLeastOne] = {}
    expected_duplicates: NotNegative = 0.0


class Characteristic(Shape, frozen=True):
    """Mean and SD, median and quartiles, or number and share of some patients."""

    count: Count
    missing: Count
    values: Annotated[list[Finite | None], Meta(min_length=2, max_length=3)]


class Baseline(Shape, frozen=True):
    """A row of the baseline table."""

    feature: Text
    level: Text | None
    kind: Literal["mean", "median", "share"]
    all: Characteristic
    positive: Characteristic
    negative: Characteristic


class Headline(Shape, frozen=True):
    """The AUC to report."""

    auc: Share
    low: Share | None
    high: Share | None


class Aucs(Shape, frozen=True):
    """The AUC by three schemes."""

    tlpo: Share | None
    lpo: Share | None
    loo: Share | None


class Scheme(Shape, frozen=True):
    """Another estimate of the AUC."""

    scheme: Text
    auc: Share | None
    note: Text


class Subgroup(Shape, frozen=True):
    """The AUC within a subgroup; ``subgroup`` is null for patients without a value."""

    by: Text
    subgroup: Text | None
    n_positive: Count
    n_negative: Count
    auc: Share | None
    low: Share | None
    high: Share | None
    note: Text


class Permutation(Shape, frozen=True):
    """A test whether a model finds any signal."""

    n: AtLeastOne
    p_value: Share
    low: Share
    high: Share
    exchanged: Text
    notes: list[Text]


class Term(Shape, frozen=True):
    """A coefficient or importance."""

    feature: Text
    value: Finite


class EquationTerm(Shape, frozen=True):
    """A coefficient per unit of a feature, or of a level beside the reference.

    ``least`` to ``most`` is the range of most patients; ``low`` and ``high`` are limits.
    """

    feature: Text
    level: Text | None
    value: Finite
    least: Finite | None
    most: Finite | None
    low: Finite | None = None
    high: Finite | None = None


class Equation(Shape, frozen=True):
    """A linear model on the scale of the raw features; ``references`` are levels by feature.

    It gives the ``scale``: of numbers and grades the outcome itself, of several classes the
    logarithm of the probability of one, up to a constant that all classes share.
    """

    scale: Literal["log odds", "score", "log hazard ratio", "outcome", "log probability"]
    intercept: Finite
    terms: list[EquationTerm]
    references: dict[Text, Text]


class AverageSurvival(Shape, frozen=True):
    """Survival at some times of a patient of average risk, under proportional hazards.

    ``score`` is the mean of what the equation gives for the patients. Of one with another score,
    the survival is ``survival`` to the power ``exp(other - score)``.
    """

    score: Finite
    times: Annotated[list[NotNegative], Meta(min_length=1)]
    survival: list[Share]


class Counted(Shape, frozen=True):
    """How many models chose something."""

    what: Text
    n: Count


class Chosen(Shape, frozen=True):
    """What models without a pair chose: settings, and features that they use.

    The most frequent are listed, of so many.
    """

    n_models: AtLeastOne
    n_settings: Count
    settings: list[Counted]
    n_used: Count
    used: list[Counted]


class FinalModel(Shape, frozen=True):
    """The model fitted to all patients, which nothing here validates term by term.

    ``separated_by`` are the features of a combination that separates the classes, if the model has
    no penalty: its coefficients have no finite estimate. ``average`` is null but for times to an
    event.
    """

    kind: Literal["coefficients", "importances"] | None
    n: Count
    rows: list[Term]
    apparent_auc: Share | None
    equation: Equation | None = None
    separated_by: list[Text] = []
    chosen: Chosen | None = None
    average: AverageSurvival | None = None


class Model(Shape, frozen=True):
    """What one model is worth."""

    name: Text
    what: Text
    described: Text
    estimator: Text
    engine: Text
    headline: Headline
    auc: Aucs
    interval: Interval | None
    consistency: Annotated[float, Meta(ge=-float_info.max, le=1)] | None
    circular_triads: NotNegative | None
    n_ties: Count | None
    n_games: Count
    sensitivity_at: Annotated[list[SensitivityAt], Meta(min_length=1)]
    scores: Annotated[list[NotNegative | None], Meta(min_length=6)]
    scale: Literal["probability", "score"] | None
    curve: Curve
    band: Band | None
    games: list[Annotated[str, Meta(pattern="^[01=.]*$")]] | None
    schemes: Annotated[list[Scheme], Meta(min_length=1)]
    operating_points: Annotated[list[Point], Meta(min_length=1)]
    fits: Count
    seconds: NotNegative
    notes: list[Text]
    subgroups: list[Subgroup]
    permutation: Permutation | None
    final: FinalModel
    probabilities: Probabilities | None
    why_no_probabilities: Text | None


class Choice(Shape, frozen=True):
    """What the best model is worth, given that it was chosen."""

    winner: Text
    auc: Share
    low: Share
    high: Share
    uncorrected: Share
    optimism: Finite


class Without(Shape, frozen=True):
    """The AUC, or the concordance, of a model that is not given a feature."""

    feature: Text
    estimate: Share


class Together(Shape, frozen=True):
    """The same without the two features that predict best alone."""

    features: Annotated[list[Text], Meta(min_length=2, max_length=2)]
    estimate: Share


class Questioned(Shape, frozen=True):
    """The same without all features that the answer asks about."""

    features: Annotated[list[Text], Meta(min_length=1)]
    estimate: Share


class WithoutEach(Shape, frozen=True):
    """A model without each feature, or without those that predict best alone; lowest first."""

    model: Text
    estimate: Share
    n_features: AtLeastOne
    rows: Annotated[list[Without], Meta(min_length=1)]
    together: Together | None = None
    questioned: Questioned | None = None


class ModelAnalysis(ClassAnalysis, frozen=True, tag="run", kw_only=True):
    """Models that were played over a table, or tournaments that were played in Python."""

    seed: Count
    rounds: AtLeastOne | None
    sorts: AtLeastOne | None
    specificity: Share
    prevalence: Share | None
    model_file: Text | None
    is_positive: Annotated[list[bool], Meta(min_length=6)]
    sample: Flow
    baseline: list[Baseline]
    models: Annotated[list[Model], Meta(min_length=1)]
    comparisons: list[Comparison]
    choice: Choice | None
    without: WithoutEach | None = None
    why_not_without: Text | None = None
    smooth: bool = False


# ----- several classes


class Part(Shape, frozen=True):
    """Patients with similar outcomes: a class, a grade, or a quarter of the numbers."""

    name: Text
    count: Count


class PartBaseline(Shape, frozen=True):
    """A row of the baseline table: of all patients, and of each part."""

    feature: Text
    level: Text | None
    kind: Literal["mean", "median", "share"]
    all: Characteristic
    parts: list[Characteristic]


class ClassPair(Shape, frozen=True):
    """How well two classes are told apart: the mean of how well each is by its own response."""

    first: Text
    second: Text
    auc: Share
    low: Share
    high: Share
    first_by_own: Share
    second_by_own: Share


class OneClass(Shape, frozen=True):
    """How well a class is told from all others, by the wins in its response.

    Of ``subgroups``, the positives are those of the class.
    """

    name: Text
    auc: Share
    interval: Interval
    sensitivity_at: SensitivityAt
    consistency: Annotated[float, Meta(ge=-float_info.max, le=1)] | None
    n_ties: Count
    scores: Annotated[list[NotNegative | None], Meta(min_length=9)]
    curve: Curve
    subgroups: list[Subgroup] = []


class ClassTerms(Shape, frozen=True):
    """The coefficients of a feature for every class, or its importance."""

    feature: Text
    values: Annotated[list[Finite], Meta(min_length=1)]


class SeveralFinal(Shape, frozen=True):
    """The model fitted to all patients, which nothing here validates term by term.

    A linear model has an equation for every class, with the same terms.
    """

    kind: Literal["coefficients", "importances"] | None
    n: Count
    rows: list[ClassTerms]
    apparent_auc: Share | None
    equations: list[Equation] = []


class SeveralModel(Shape, frozen=True):
    """What one model is worth; ``auc`` is Hand and Till's M.

    ``confusion`` counts the patients of each class, a row, by the class with the largest mean
    held-out response.
    """

    name: Text
    what: Text
    described: Text
    estimator: Text
    engine: Text
    auc: Share
    interval: Interval
    pairs: Annotated[list[ClassPair], Meta(min_length=3)]
    classes: Annotated[list[OneClass], Meta(min_length=3)]
    confusion: list[list[Count]] | None
    n_games: Count
    schemes: Annotated[list[Scheme], Meta(min_length=1)]
    fits: Count
    seconds: NotNegative
    notes: list[Text]
    permutation: Permutation | None
    final: SeveralFinal


class SeveralAnalysis(Analysis, frozen=True, tag="classes", kw_only=True):
    """Models that were played over a table whose outcome is more than two classes.

    ``outcome`` is the place of every patient's class among ``parts``.
    """

    seed: Count
    specificity: Share
    outcome: Annotated[list[Count], Meta(min_length=9)]
    sample: Flow
    parts: Annotated[list[Part], Meta(min_length=3)]
    baseline: list[PartBaseline]
    models: Annotated[list[SeveralModel], Meta(min_length=1)]
    comparisons: list[Comparison]
    choice: Choice | None


# ----- numbers and grades


class OrderedScheme(Shape, frozen=True):
    """Another estimate of the concordance."""

    scheme: Text
    concordance: Share | None
    note: Text


class OrderedSubgroup(Shape, frozen=True):
    """The concordance within a subgroup; ``subgroup`` is null for patients without a value."""

    by: Text
    subgroup: Text | None
    n_units: Count
    n_ordered: Count
    concordance: Share | None
    low: Share | None
    high: Share | None
    note: Text


class OrderedComparison(Shape, frozen=True):
    """The difference between two concordances."""

    first: Text
    second: Text
    concordance_first: Share
    concordance_second: Share
    difference: Difference
    low: Finite
    high: Finite
    p_value: Share | None
    p_value_holm: Share | None


class OrderedModel(Shape, frozen=True):
    """What one model is worth; ``final.apparent_auc`` is its apparent concordance."""

    name: Text
    what: Text
    described: Text
    estimator: Text
    engine: Text
    concordance: Share
    interval: Interval
    consistency: Annotated[float, Meta(ge=-float_info.max, le=1)] | None
    circular_triads: NotNegative | None
    n_ties: Count
    n_games: Count
    n_ordered: AtLeastOne
    scores: Annotated[list[NotNegative | None], Meta(min_length=4)]
    games: list[Annotated[str, Meta(pattern="^[01=.]*$")]] | None
    schemes: Annotated[list[OrderedScheme], Meta(min_length=1)]
    fits: Count
    seconds: NotNegative
    notes: list[Text]
    subgroups: list[OrderedSubgroup]
    permutation: Permutation | None
    final: FinalModel


class OrderedChoice(Shape, frozen=True):
    """What the best model is worth, given that it was chosen."""

    winner: Text
    concordance: Share
    low: Share
    high: Share
    uncorrected: Share
    optimism: Finite


class RankedAnalysis(Analysis, frozen=True, kw_only=True):
    """What analyses of models have whose outcome is no classes."""

    seed: Count
    rounds: AtLeastOne | None
    sample: Flow
    parts: list[Part]
    baseline: list[PartBaseline]
    comparisons: list[OrderedComparison]
    choice: OrderedChoice | None
    without: WithoutEach | None = None
    why_not_without: Text | None = None


class OrderedAnalysis(RankedAnalysis, frozen=True, tag="ordered", kw_only=True):
    """Models that were played over a table whose outcome is numbers or grades.

    ``outcome`` is that of every patient, of grades the place among ``grades``, from lowest to
    highest: the pictures show it.
    """

    outcome: Annotated[list[Finite], Meta(min_length=4)]
    grades: list[Text] | None
    models: Annotated[list[OrderedModel], Meta(min_length=1)]


# ----- times to an event


class AtTime(Shape, frozen=True):
    """What a ranking is worth at a time.

    ``cases`` had the event by then, ``controls`` were followed beyond it without it, ``censored``
    were neither. ``survival`` is the share without the event (Kaplan-Meier).
    """

    time: NotNegative
    cases: AtLeastOne
    controls: AtLeastOne
    censored: Count
    survival: Share
    auc: Share
    interval: Interval
    specificity: Share
    sensitivity: Share
    fpr: Shares
    tpr: Shares


class SurvivalCurve(Shape, frozen=True):
    """The survival of a group, by Kaplan and Meier: what happened at every time."""

    name: Text
    time: Annotated[list[NotNegative], Meta(min_length=1)]
    survival: Annotated[list[Share], Meta(min_length=1)]
    at_risk: Annotated[list[AtLeastOne], Meta(min_length=1)]
    events: Annotated[list[Count], Meta(min_length=1)]
    median: NotNegative | None
    median_low: NotNegative | None
    median_high: NotNegative | None


class LogRank(Shape, frozen=True):
    """A test whether groups have the same survival."""

    chi_square: NotNegative
    degrees_of_freedom: Count
    p_value: Share | None


class RiskGroups(Shape, frozen=True):
    """Patients divided by rank, from the lowest risk to the highest."""

    curves: Annotated[list[SurvivalCurve], Meta(min_length=2)]
    test: LogRank


class SurvivalModel(OrderedModel, frozen=True, kw_only=True):
    """What one model is worth; ``uno`` is Uno's concordance, ``at`` its worth at some times."""

    uno: Share | None
    uno_interval: Interval | None
    at: list[AtTime]
    groups: RiskGroups | None


class FollowUp(Shape, frozen=True):
    """Median follow-up, by reverse Kaplan-Meier; null where it is not reached."""

    median: NotNegative | None
    low: NotNegative | None
    high: NotNegative | None


class SurvivalAnalysis(RankedAnalysis, frozen=True, tag="survival", kw_only=True):
    """Models that were played over a table whose outcome is times to an event.

    ``target`` is the column of the event, ``time_column`` that of the times. ``n_coefficients``
    counts the columns that reach a linear model, categories one for each level but one.
    """

    time_column: Text
    coding: Text
    time: Annotated[list[NotNegative], Meta(min_length=4)]
    event: Annotated[list[bool], Meta(min_length=4)]
    n_coefficients: Count
    model_file: Text | None
    follow_up: FollowUp
    models: Annotated[list[SurvivalModel], Meta(min_length=1)]


# ----- markers: scores that were fixed beforehand


class AveragePrecision(Shape, frozen=True):
    """At a prevalence, which is what a useless marker attains."""

    prevalence: Share
    value: Share
    low: Share
    high: Share


class PrecisionRecall(Shape, frozen=True):
    """Precision over recall."""

    recall: list[Share]
    precision: list[Share]


class Marker(Shape, frozen=True):
    """What one marker is worth."""

    name: Text
    larger_is_positive: bool
    n_positive: AtLeastOne
    n_negative: AtLeastOne
    n_missing: Count
    n_values: AtLeastOne
    auc: Share
    interval: Interval
    standard_error: NotNegative | None
    score_interval: Interval
    p_value: Share | None
    sensitivity_at: SensitivityAt
    average_precision: AveragePrecision
    operating_points: Annotated[list[Point], Meta(min_length=1)]
    curve: Curve
    band: Band
    precision_recall: PrecisionRecall


class OrderedMarker(Shape, frozen=True):
    """What one marker is worth; ``larger_is_positive`` if large values go with large outcomes."""

    name: Text
    larger_is_positive: bool
    n_rated: AtLeastOne
    n_missing: Count
    n_ordered: AtLeastOne
    concordance: Share
    interval: Interval
    standard_error: NotNegative
    p_value: Share | None


class RankedMarkerAnalysis(Analysis, frozen=True, kw_only=True):
    """What analyses of markers have whose outcome is no classes."""

    group: Text | None
    n_read: Count
    n_without_target: Count
    suspects: list[Suspect]
    comparisons: list[OrderedComparison]


class OrderedMarkerAnalysis(RankedMarkerAnalysis, frozen=True, tag="ordered marker", kw_only=True):
    """Columns of a table, each a score by itself, and numbers or grades."""

    grades: list[Text] | None
    lowest: Finite
    highest: Finite
    markers: Annotated[list[OrderedMarker], Meta(min_length=1)]


class SurvivalMarker(OrderedMarker, frozen=True, kw_only=True):
    """What one marker is worth; ``larger_is_positive`` if large values go with early events.

    ``cuts`` divide the groups: of each but the first, the value nearest to the one before.
    """

    n_events: AtLeastOne
    uno: Share
    uno_interval: Interval
    at: list[AtTime]
    groups: RiskGroups | None
    cuts: list[Finite]


class SurvivalMarkerAnalysis(
    RankedMarkerAnalysis, frozen=True, tag="survival marker", kw_only=True
):
    """Columns of a table, each a score by itself, and times to an event.

    ``times`` are those at which the AUC was asked for; a marker has none at a time by which none
    of its patients had the event, or after which none was followed.
    """

    time_column: Text
    coding: Text
    time: Annotated[list[NotNegative], Meta(min_length=2)]
    event: Annotated[list[bool], Meta(min_length=2)]
    follow_up: FollowUp
    times: list[NotNegative]
    markers: Annotated[list[SurvivalMarker], Meta(min_length=1)]


class MarkerAnalysis(ClassAnalysis, frozen=True, tag="marker", kw_only=True):
    """Columns of a table, each a score by itself."""

    specificity: Share
    prevalence: Share | None
    group: Text | None
    chosen_by: Text
    n_read: Count
    n_without_target: Count
    suspects: list[Suspect]
    markers: Annotated[list[Marker], Meta(min_length=1)]
    comparisons: list[Comparison]
    comparison_notes: list[Text]
    smooth: bool = False


# ----- a saved model, and its validation


class NumericColumn(Shape, frozen=True, tag_field="kind", tag="numeric"):
    """A numeric column of development."""

    name: Word
    n_missing: Count
    q05: Finite
    median: Finite
    q95: Finite


class CategoricalColumn(Shape, frozen=True, tag_field="kind", tag="categorical"):
    """A categorical column of development; ``other`` is what rare levels are pooled as."""

    name: Word
    n_missing: Count
    categories: list[Text]
    other: Text | None


class DevelopedAuc(Shape, frozen=True):
    """The AUC in development, and what limits of any level follow from."""

    estimate: Share
    low: Share
    high: Share
    level: Level
    method: Text
    n_positive: AtLeastOne
    n_negative: AtLeastOne
    phi: Annotated[float, Meta(ge=1, le=float_info.max)]
    rate_phi: Annotated[float, Meta(ge=1, le=float_info.max)]
    degrees_of_freedom: Positive | None


class Cutoff(Shape, frozen=True):
    """A cut-off of development; ``chosen_for`` is the rate it was to reach, if it was."""

    point: Text
    threshold: Finite
    chosen_for: Literal["sensitivity", "specificity"] | None
    at_least: Share | None
    sensitivity: Rate
    specificity: Rate


class KnownRows(Shape, frozen=True):
    """Keyed digests of the rows of development, by which they are recognised."""

    key: Annotated[str, Meta(pattern="^[0-9a-f]{32}$")]
    digests: Annotated[str, Meta(pattern="^([0-9a-f]{8})+$")]


class DevelopmentRows(Shape, frozen=True):
    """What any model was developed on."""

    source: Text | None
    date: Date
    rows: KnownRows
    unit: Word
    n_units: AtLeastOne
    rows_read: AtLeastOne
    excluded_without_outcome: Count
    excluded_with_gaps: Count
    columns_not_used: list[Text]


class Development(DevelopmentRows, frozen=True):
    """What a model of two classes was developed on."""

    n_positive: AtLeastOne
    n_negative: AtLeastOne


class SurvivalDevelopment(DevelopmentRows, frozen=True):
    """What a model of times to an event was developed on, and until when."""

    n_events: AtLeastOne
    last_time: NotNegative


class Versions(Shape, frozen=True, rename={"scikit_learn": "scikit-learn"}):
    """What made a model."""

    tlpo: Word
    scikit_learn: Word
    python: Word


class SurvivalVersions(Versions, frozen=True, rename={"scikit_survival": "scikit-survival"}):
    """The same, and scikit-survival if the model is made of it."""

    scikit_survival: Word | None


Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class AnyCard(Shape, frozen=True):
    """What the cards of all saved models have.

    ``missing`` are values that mean missing, such as ``"999"`` or ``"age=-1"``.
    """

    name: Word
    described: Text
    target: Word
    columns: Annotated[list[NumericColumn | CategoricalColumn], Meta(min_length=1)]
    missing: list[Word]
    as_table: bool
    fills_gaps: bool
    trial: Annotated[list[Finite], Meta(min_length=3, max_length=3)]
    members: dict[Text, Digest]
    digest: Digest


class Card(AnyCard, frozen=True):
    """What a saved model is, what it was developed on, and how well it did there.

    ``classes`` are the labels of either class if these were named; one of none is the rest.
    ``decimal`` is the decimal mark of the table, if it was named.
    """

    format: Literal[5]
    positive: Word
    negative: Word
    classes: Annotated[dict[Text, list[Text]], Meta(max_length=2)]
    auc: DevelopedAuc
    scale: Literal["probability", "score"]
    cutoffs: list[Cutoff]
    data: Development
    versions: Versions
    decimal: Mark | None = None


class DevelopedOrder(Shape, frozen=True):
    """A concordance in development, and what limits of any level follow from.

    ``games`` to ``squares`` count ordered pairs of patients, and pairs of those
    (`tlpo.roc.order.Counts`).
    """

    estimate: Share
    low: Share
    high: Share
    level: Level
    method: Text
    games: Positive
    same_winner: NotNegative
    same_loser: NotNegative
    chains: NotNegative
    squares: Positive
    phi: Annotated[float, Meta(ge=1, le=float_info.max)]
    degrees_of_freedom: Positive | None


class DevelopedAt(Shape, frozen=True):
    """The AUC at a time in development."""

    time: NotNegative
    auc: DevelopedOrder


class BaselineSurvival(Shape, frozen=True):
    """Survival at the times of a card of a patient with this score, under proportional hazards.

    Of a patient with another one it is ``survival`` to the power ``exp(other - score)``.
    """

    score: Finite
    survival: list[Share]


class SurvivalCard(AnyCard, frozen=True):
    """What a saved model of times to an event is, and how well it did in development.

    ``event_value`` means the event in the column ``target``, if one was named; otherwise ``codes``
    are its values, and whether each does. ``cuts`` divide held-out scores into groups of risk.
    ``trial_survival`` is the survival that the model predicts at ``times`` for the rows of
    ``trial``; null if it predicts none. ``decimal`` is as in `Card`.
    """

    format: Literal[6]
    time: NumericColumn
    event_value: Text | None
    codes: dict[Text, bool]
    coding: Text
    times: list[NotNegative]
    concordance: DevelopedOrder
    at: list[DevelopedAt]
    cuts: list[Finite]
    baseline: BaselineSurvival | None
    trial_survival: Annotated[list[list[Share]], Meta(min_length=3, max_length=3)] | None
    data: SurvivalDevelopment
    versions: SurvivalVersions
    decimal: Mark | None = None


class Compared(Shape, frozen=True):
    """An estimate in new patients, in development, and the difference."""

    estimate: Share
    low: Share
    high: Share
    development: Rate
    difference: Limits


class ComparedAuc(Compared, frozen=True):
    """The AUC in both."""

    method: Text
    notes: list[Text]


class ComparedRate(Compared, frozen=True):
    """A rate in both; in new patients it is ``count`` of ``of``."""

    count: Count
    of: Count


class ComparedPoint(Shape, frozen=True):
    """Both rates at a cut-off of development."""

    point: Text
    threshold: Finite
    sensitivity: ComparedRate
    specificity: ComparedRate


class Validation(ClassAnalysis, frozen=True, tag="validation", kw_only=True):
    """A saved model on new patients."""

    model: Text
    n_read: Count
    card: Card
    remarks: list[Text]
    group: Text | None
    auc: ComparedAuc
    cutoffs: list[ComparedPoint]
    probabilities: Probabilities | None
    why_no_probabilities: Text | None


class CalibratedGroup(Shape, frozen=True):
    """Survival that a model predicts, on average, and that was observed (Kaplan-Meier).

    ``observed`` is null if nobody was followed that long.
    """

    name: Text
    n_units: AtLeastOne
    predicted: Share
    observed: Rate | None


class SurvivalCalibration(Shape, frozen=True):
    """Predicted and observed survival at a time, of all patients and by groups of risk.

    ``ratio`` is that of the observed risk of the event to the predicted.
    """

    all: CalibratedGroup
    ratio: Limits
    groups: list[CalibratedGroup]


class ValidatedTime(Shape, frozen=True):
    """What a saved model is worth at a time: in new patients and, if it is known, before."""

    found: AtTime
    development: Rate | None
    difference: Limits | None
    calibration: SurvivalCalibration | None


class SurvivalValidation(Analysis, frozen=True, tag="survival validation", kw_only=True):
    """A saved model of times to an event on new patients.

    Groups of risk are divided at ``cuts`` of the score, which come from ``cut_by``: development,
    or the new patients themselves.
    """

    model: Text
    n_read: Count
    card: SurvivalCard
    remarks: list[Text]
    group: Text | None
    time_column: Text
    coding: Text
    time: Annotated[list[NotNegative], Meta(min_length=2)]
    event: Annotated[list[bool], Meta(min_length=2)]
    follow_up: FollowUp
    concordance: ComparedAuc
    uno: Share
    uno_interval: Interval
    at: list[ValidatedTime]
    groups: RiskGroups | None
    cuts: list[Finite]
    cut_by: Literal["development", "new patients"]
    why_no_calibration: Text | None


# Analyses of models that were played.
AnyRun = ModelAnalysis | SeveralAnalysis | OrderedAnalysis | SurvivalAnalysis
# Analyses of times to an event.
Timed = SurvivalAnalysis | SurvivalMarkerAnalysis | SurvivalValidation
AnyAnalysis = (
    ModelAnalysis
    | SeveralAnalysis
    | OrderedAnalysis
    | SurvivalAnalysis
    | MarkerAnalysis
    | OrderedMarkerAnalysis
    | SurvivalMarkerAnalysis
    | Validation
    | SurvivalValidation
)
