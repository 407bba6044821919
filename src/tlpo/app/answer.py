"""Step 4: the answer, and what any operating point would mean where the test is to be used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from htmltools import Tag, TagList, tags
from shiny import Session, reactive, render

from tlpo.analysis.json_values import Summary, number, numbers
from tlpo.analysis.narrative import digits, percent
from tlpo.analysis.points import points_at
from tlpo.app.analyses import Analysis
from tlpo.app.parts import scrolled, select, text

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
        if analysis.summary is None:
            return TagList(tags.p("The answer will appear here.", class_="soft"))
        return _said(analysis.summary)

    @render.ui
    def answer_dials() -> Tag | None:
        changed("answer")
        summary = analysis.summary
        # The page about markers has cut-offs in their own units instead.
        return None if summary is None or "markers" in summary else _dials(summary)

    @reactive.calc
    def model() -> dict[str, Any] | None:
        changed("answer")
        if analysis.summary is None or "markers" in analysis.summary:
            return None
        models = analysis.summary["models"]
        found: dict[str, Any] = models[min(int(inputs.curve()), len(models) - 1)]
        return found

    @reactive.calc
    def points() -> list[dict[str, Any]]:
        shown, prevalence = model(), inputs.prevalence()
        if shown is None or analysis.summary is None or not prevalence or not 0 < prevalence < 100:
            return []
        return points_at(analysis.summary, shown, prevalence / 100)

    @render.ui
    def answer_position() -> Tag | None:
        """Return the slider, which has as many positions as the curve has points."""
        shown = model()
        if shown is None or analysis.summary is None:
            return None
        specificity = 1 - numbers(shown["curve"]["fpr"])
        start = int((specificity >= analysis.summary["specificity"] - 1e-9).sum()) - 1
        return tags.div(
            tags.label("Operating point", for_="point"),
            tags.input(
                id="point", type="range", min="0", max=str(specificity.size - 1), value=str(start)
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
        found = points()
        if not found or analysis.summary is None:
            return None
        return _point(found[min(int(inputs.point()), len(found) - 1)], analysis.summary)

    @render.ui
    def answer_report() -> Tag | None:
        changed("files")
        if "report.html" not in analysis.files:
            return None
        address = f"analyses/{analysis.id}/report"
        return tags.details(
            tags.summary(
                "The whole report: cut-offs, comparison, curves, methods"
                if "markers" in (analysis.summary or {})
                else "The whole report: comparison, calibration, games, sample, methods"
            ),
            tags.p(tags.a("Open it in a tab of its own", href=address, target="_blank")),
            tags.iframe(src=address, title="Report", sandbox="allow-same-origin"),
        )


def _said(summary: Summary) -> TagList:
    kind = "marker" if "markers" in summary else "model"
    judged = summary[f"{kind}s"]
    cards = [
        tags.div(
            tags.strong(text(one["name"])),
            tags.span(digits(found["auc"]), class_="figure"),
            tags.span(
                f"{percent(summary['confidence_level'])} interval "
                f"{digits(found['low'])} to {digits(found['high'])}"
            ),
            class_="auc",
        )
        for one in judged
        for found in [one["headline"] if kind == "model" else {**one["interval"], **one}]
    ]
    sentences = [tags.p(text(one["sentence"]), class_="lead") for one in judged]
    warnings = [tags.li(text(warning)) for warning in summary["warnings"]]
    return TagList(
        *sentences,
        tags.div(*cards, class_="aucs", aria_label=f"AUC of every {kind}", role="group"),
        tags.div(
            tags.strong("Before you report this"),
            tags.ul(*warnings),
            class_="warnings",
            role="note",
        )
        if warnings
        else None,
    )


def _dials(summary: Summary) -> Tag:
    names = [(str(k), model["name"]) for k, model in enumerate(summary["models"])]
    given = summary["prevalence"]
    prevalence = summary["n_positive"] / summary["n_units"] if given is None else given
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


def _picture(model: dict[str, Any], point: dict[str, Any]) -> Tag:
    """Draw the curve, its band and the point."""

    def path(fpr: Any, tpr: Any) -> str:
        return " ".join(
            f"{LEFT + SIDE * x:.1f},{SIDE * (1 - y):.1f}" for x, y in zip(fpr, tpr, strict=True)
        )

    curve, band = model["curve"], model["band"]
    x, y = 1 - point["specificity"], point["sensitivity"]
    around = f"{path(band['fpr'], band['low'])} {path(band['fpr'][::-1], band['high'][::-1])}"
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
        Tag("polyline", points=path(numbers(curve["fpr"]), numbers(curve["tpr"])), class_="curve"),
        Tag("circle", cx=f"{LEFT + SIDE * x:.1f}", cy=f"{SIDE * (1 - y):.1f}", r="6"),
        *marks,
        _words(LEFT + SIDE / 2, SIDE + 30, "1 − specificity", "middle"),
        _words(12, SIDE / 2, "sensitivity", "middle", turned=True),
        viewBox=f"0 -8 {LEFT + SIDE + 10} {SIDE + BELOW + 8}",
        role="img",
        aria_label=(
            f"ROC curve of {text(model['name'])}, AUC {digits(model['headline']['auc'])}; the "
            f"point has sensitivity {digits(y)} and specificity {digits(1 - x)}"
        ),
    )


def _words(x: float, y: float, words: str, anchor: str, turned: bool = False) -> Tag:
    turn = f"rotate(-90 {x:g} {y:g})" if turned else None
    return Tag("text", words, x=f"{x:g}", y=f"{y:g}", text_anchor=anchor, transform=turn)


def _point(point: dict[str, Any], summary: Summary) -> TagList:
    level = percent(summary["confidence_level"])
    rates = [
        tags.tr(
            tags.th(name, scope="row"),
            tags.td(digits(point[rate]), id=f"point-{rate}"),
            tags.td(
                f"{digits(point[f'{rate}_low'])} to {digits(point[f'{rate}_high'])}",
                id=f"point-{rate}-limits",
            ),
        )
        for rate, name in RATES.items()
    ]
    return TagList(
        tags.p(f"Positive if {point['criterion']}.", id="point-criterion"),
        scrolled(f"At this point, with {level} limits", ["", "Estimate", "Limits"], rates),
        _counts(point, summary),
        tags.p(
            "Limits hold for an operating point that was fixed beforehand, not for one picked here "
            "because it looked best.",
            class_="soft",
        ),
    )


def _counts(point: dict[str, Any], summary: Summary) -> Tag:
    if point["tp"] is None:
        return tags.p(
            "Comparisons tie, so the curve is that of pooled predictions, which counts no "
            f"{summary['unit']}s.",
            class_="soft",
        )
    rows = [
        tags.tr(
            tags.th(f"test {said}", scope="row"),
            *(tags.td(f"{number(point[k]):.0f}", id=f"point-{k}") for k in kinds),
        )
        for said, kinds in (("positive", ("tp", "fp")), ("negative", ("fn", "tn")))
    ]
    names = [text(summary["positive"]), text(summary["negative"])]
    return scrolled(f"{summary['unit'].capitalize()}s at this point", ["", *names], rows)
