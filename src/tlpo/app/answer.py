"""Step 4: the answer, and what any operating point would mean where the test is to be used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from htmltools import Tag, TagList, tags
from shiny import Session, reactive, render

from tlpo.analysis.caveats import remarks_on
from tlpo.analysis.json_values import drawn_smooth, number, numbers
from tlpo.analysis.points import points_at
from tlpo.analysis.remarks import Action, Group, Remark, in_words
from tlpo.analysis.shapes import (
    AnyAnalysis,
    MarkerAnalysis,
    Model,
    ModelAnalysis,
    OrderedAnalysis,
    OrderedMarker,
    OrderedMarkerAnalysis,
    OrderedModel,
    Point,
    SeveralAnalysis,
    SurvivalAnalysis,
    SurvivalMarkerAnalysis,
    SurvivalValidation,
    Validation,
)
from tlpo.app.analyses import Analysis
from tlpo.app.parts import scrolled, select, text
from tlpo.document import (
    marker_narrative,
    narrative,
    ordered_markers,
    ordered_narrative,
    several_narrative,
    survival_markers,
    survival_narrative,
)
from tlpo.document.numbers import capital, digits, limits, percent
from tlpo.document.parts import BEFORE, OF_BANDS, cutoff
from tlpo.document.smooth import HEAD, smooth_cells

RATES = {
    "sensitivity": "Sensitivity",
    "specificity": "Specificity",
    "ppv": "Positive predictive value",
    "npv": "Negative predictive value",
}
# The picture's side, in its own units, and the room for the axes.
SIDE, LEFT, BELOW = 300, 40, 36


def serve(session: Session, analysis: Analysis, changed: Callable[[str], None]) -> None:
    """Connect the step to an analysis."""
    inputs = session.input

    @render.ui
    def answer_said() -> TagList:
        changed("answer")
        found = analysis.found
        if found is not None and not isinstance(found, Validation | SurvivalValidation):
            return _said(found)
        return TagList(tags.p("The answer will appear here.", class_="soft"))

    @reactive.effect
    @reactive.event(inputs.way)
    def _() -> None:
        """Do what a remark suggests."""
        if analysis.found is not None:
            ways = _ways(remarks_on(analysis.found))
            number = int(inputs.way()["number"])
            if 0 <= number < len(ways):
                analysis.do(ways[number])

    @render.ui
    def answer_dials() -> Tag | None:
        changed("answer")
        # The page about markers has cut-offs in their own units instead.
        return _dials(analysis.found) if isinstance(analysis.found, ModelAnalysis) else None

    @reactive.calc
    def model() -> Model | None:
        changed("answer")
        if not isinstance(analysis.found, ModelAnalysis):
            return None
        models = analysis.found.models
        return models[min(int(inputs.curve()), len(models) - 1)]

    @reactive.calc
    def points() -> list[Point]:
        shown, prevalence, found = model(), inputs.prevalence(), analysis.found
        if shown is None or not isinstance(found, ModelAnalysis):
            return []
        if not prevalence or not 0 < prevalence < 100:
            return []
        return points_at(found, shown, prevalence / 100)

    @render.ui
    def answer_position() -> Tag | None:
        """Return the slider, which has as many positions as the curve has points."""
        shown, found = model(), analysis.found
        if shown is None or not isinstance(found, ModelAnalysis):
            return None
        start = _start(shown)
        return tags.div(
            tags.label("Operating point", for_="point"),
            tags.input(
                id="point",
                type="range",
                min="0",
                max=str(len(shown.curve.fpr) - 1),
                value=str(start),
            ),
            class_="field",
        )

    @render.ui
    def answer_curve() -> Tag | None:
        shown, found = model(), points()
        if shown is None or not found:
            return None
        return _picture(shown, found[min(int(inputs.point()), len(found) - 1)])

    @render.ui
    def answer_point() -> TagList | None:
        found, shown = points(), model()
        if not found or shown is None or not isinstance(analysis.found, ModelAnalysis):
            return None
        return _point(found[min(int(inputs.point()), len(found) - 1)], shown, analysis.found)

    @render.ui
    def answer_report() -> Tag | None:
        changed("files")
        if "report.html" not in analysis.files:
            return None
        address = f"analyses/{analysis.id}/report"
        return tags.details(
            tags.summary(f"The whole report: {_contents(analysis.found)}"),
            tags.p(tags.a("Open it in a tab of its own", href=address, target="_blank")),
            tags.iframe(src=address, title="Report", sandbox="allow-same-origin"),
        )


def _start(model: Model) -> int:
    """Return the point of the curve that the sentence speaks of, or the one closest to it."""
    own = model.operating_points[0]
    apart = abs(numbers(model.curve.tpr) - number(own.sensitivity))
    apart += abs(1 - numbers(model.curve.fpr) - number(own.specificity))
    return int(apart.argmin())


def _contents(found: AnyAnalysis | None) -> str:
    if isinstance(found, MarkerAnalysis):
        return "cut-offs, comparison, curves, methods"
    if isinstance(found, OrderedMarkerAnalysis):
        return "comparison, methods"
    if isinstance(found, SurvivalMarkerAnalysis):
        return "comparison, survival of risk groups, ROC curves at times, methods"
    if isinstance(found, SeveralAnalysis):
        return "every two classes, each class, comparison, sample, methods"
    if isinstance(found, OrderedAnalysis):
        return "wins and outcome, comparison, sample, methods"
    if isinstance(found, SurvivalAnalysis):
        return "survival of risk groups, ROC curves at times, hazard ratios, sample, methods"
    return "comparison, calibration, games, sample, methods"


Shown = (
    ModelAnalysis
    | SeveralAnalysis
    | OrderedAnalysis
    | SurvivalAnalysis
    | MarkerAnalysis
    | OrderedMarkerAnalysis
    | SurvivalMarkerAnalysis
)


def _said(found: Shown) -> TagList:
    kind, measure = "model", "AUC"
    if isinstance(found, ModelAnalysis):
        sentences = [narrative.sentence(one, found) for one in found.models]
        aucs = [
            (one.name, one.headline.auc, limits(one.headline.low, one.headline.high))
            for one in found.models
        ]
    elif isinstance(found, SeveralAnalysis):
        sentences = [several_narrative.sentence(one, found) for one in found.models]
        aucs = [
            (one.name, one.auc, limits(one.interval.low, one.interval.high)) for one in found.models
        ]
    elif isinstance(found, MarkerAnalysis):
        kind = "marker"
        sentences = [marker_narrative.sentence(one, found) for one in found.markers]
        aucs = [
            (one.name, one.auc, limits(one.interval.low, one.interval.high))
            for one in found.markers
        ]
    else:
        measure = "concordance"
        rows: list[OrderedModel | OrderedMarker]
        if isinstance(found, SurvivalAnalysis):
            rows = list(found.models)
            sentences = [survival_narrative.sentence(one, found) for one in found.models]
        elif isinstance(found, OrderedAnalysis):
            rows = list(found.models)
            sentences = [ordered_narrative.sentence(one, found) for one in found.models]
        elif isinstance(found, SurvivalMarkerAnalysis):
            rows, kind = list(found.markers), "marker"
            sentences = [survival_markers.sentence(one, found) for one in found.markers]
        else:
            rows, kind = list(found.markers), "marker"
            sentences = [ordered_markers.sentence(one, found) for one in found.markers]
        aucs = [
            (one.name, one.concordance, limits(one.interval.low, one.interval.high)) for one in rows
        ]
    level = percent(found.confidence_level)
    cards = [
        tags.div(
            tags.strong(text(name)),
            tags.span(digits(auc), class_="figure"),
            tags.span(f"{level} interval {ends}"),
            class_="auc",
        )
        for name, auc, ends in aucs
    ]
    remarks = remarks_on(found)
    ways = _ways(remarks)
    return TagList(
        *(tags.p(text(sentence), class_="lead") for sentence in sentences),
        tags.div(
            *cards, class_="aucs", aria_label=f"{capital(measure)} of every {kind}", role="group"
        ),
        tags.div(
            tags.strong(BEFORE),
            tags.ul(*(_remark(remark, ways) for remark in remarks)),
            class_="warnings",
            role="note",
        )
        if remarks
        else None,
    )


def _ways(remarks: list[Remark]) -> list[Action]:
    """Return what can be done here, by number; the rest needs a column."""
    ways = [way for remark in remarks for _, way in remark.ways]
    return [way for way in ways if way != Group()]


def _remark(remark: Remark, ways: list[Action]) -> Tag:
    buttons = [
        tags.button(
            text(f"Run again {in_words(way)}"), type="button", data_way=str(ways.index(way))
        )
        for _, way in remark.ways
        if way in ways
    ]
    if not buttons:
        return tags.li(text(remark.worded()))
    return tags.li(text(remark.text), tags.div(*buttons, class_="row"))


def _dials(found: ModelAnalysis) -> Tag:
    names = [(str(k), model.name) for k, model in enumerate(found.models)]
    given = found.prevalence
    prevalence = found.n_positive / found.n_units if given is None else given
    return tags.div(
        select("curve", "Model", names, "0"),
        tags.div(
            tags.label("Prevalence where the test will be used (%)", for_="prevalence"),
            tags.input(
                id="prevalence",
                type="number",
                min="0.01",
                max="99.99",
                step="any",
                value=f"{100 * prevalence:.4g}",
            ),
            tags.input(
                type="range",
                min="0.5",
                max="99.5",
                step="0.5",
                value=f"{100 * prevalence:.4g}",
                data_for="prevalence",
                aria_label="Prevalence (%)",
            ),
            class_="field",
        ),
        class_="row",
    )


def _picture(model: Model, point: Point) -> Tag:
    """Draw the curve, its band and the point."""

    def path(fpr: Any, tpr: Any) -> str:
        return " ".join(
            f"{LEFT + SIDE * x:.1f},{SIDE * (1 - y):.1f}" for x, y in zip(fpr, tpr, strict=True)
        )

    curve, band = model.curve, model.band
    assert band is not None
    x, y = 1 - number(point.specificity), number(point.sensitivity)
    smooth = None if curve.smooth is None else drawn_smooth(curve.smooth)
    around = f"{path(band.fpr, band.low)} {path(band.fpr[::-1], band.high[::-1])}"
    marks = [
        mark
        for share in (0.0, 0.5, 1.0)
        for mark in (
            _words(LEFT + SIDE * share, SIDE + 14, f"{share:g}", "middle"),
            _words(LEFT - 6, SIDE * (1 - share) + 4, f"{share:g}", "end"),
        )
    ]
    return Tag(
        "svg",
        Tag("polygon", points=around, class_="band"),
        Tag("polyline", points=path((0, 1), (0, 1)), class_="chance"),
        Tag("polyline", points=path(curve.fpr, curve.tpr), class_="curve"),
        None if smooth is None else Tag("polyline", points=path(*smooth.points()), class_="smooth"),
        Tag("circle", cx=f"{LEFT + SIDE * x:.1f}", cy=f"{SIDE * (1 - y):.1f}", r="6"),
        *marks,
        _words(LEFT + SIDE / 2, SIDE + 30, "1 − specificity", "middle"),
        _words(12, SIDE / 2, "sensitivity", "middle", turned=True),
        viewBox=f"0 -8 {LEFT + SIDE + 10} {SIDE + BELOW + 8}",
        role="img",
        aria_label=(
            f"ROC curve of {text(model.name)}, AUC {digits(model.headline.auc)}; the "
            f"point has sensitivity {digits(y)} and specificity {digits(1 - x)}"
        ),
    )


def _words(x: float, y: float, words: str, anchor: str, turned: bool = False) -> Tag:
    turn = f"rotate(-90 {x:g} {y:g})" if turned else None
    return Tag("text", words, x=f"{x:g}", y=f"{y:g}", text_anchor=anchor, transform=turn)


def _point(point: Point, model: Model, found: ModelAnalysis) -> TagList:
    level = percent(found.confidence_level)
    rates = [
        tags.tr(
            tags.th(name, scope="row"),
            tags.td(digits(getattr(point, rate)), id=f"point-{rate}"),
            tags.td(
                limits(getattr(point, f"{rate}_low"), getattr(point, f"{rate}_high")),
                id=f"point-{rate}-limits",
            ),
        )
        for rate, name in RATES.items()
    ]
    new = ""
    if model.scale is not None:
        said = cutoff(model.scale, point.cutoff)
        new = f" A new {found.unit}, scored by the model of all {found.units}: {said}."
    area = smooth_cells([model.curve], found.smooth)[0]
    return TagList(
        tags.p(f"Positive if {point.criterion}.{text(new)}", id="point-criterion"),
        scrolled(f"At this point, with {level} limits", ["", "Estimate", "Limits"], rates),
        _counts(point, found),
        tags.p(
            f"The limits are those of a cut-off that was chosen on these data. {OF_BANDS}",
            class_="soft",
        ),
        tags.p(f"{HEAD}: {area}, not the AUC to report.", id="smooth-area") if area else None,
    )


def _counts(point: Point, found: ModelAnalysis) -> Tag:
    if point.tp is None:
        return tags.p(
            "Comparisons tie, so the curve is that of pooled predictions, which counts no "
            f"{found.units}.",
            class_="soft",
        )
    rows = [
        tags.tr(
            tags.th(f"test {said}", scope="row"),
            *(tags.td(f"{number(getattr(point, k)):.0f}", id=f"point-{k}") for k in kinds),
        )
        for said, kinds in (("positive", ("tp", "fp")), ("negative", ("fn", "tn")))
    ]
    names = [text(found.positive), text(found.negative)]
    return scrolled(f"{found.units.capitalize()} at this point", ["", *names], rows)
