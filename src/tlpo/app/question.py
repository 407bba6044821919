"""Step 2: the question: what is to be predicted, what a row is, and by which models.

A marker that needs no model would be another kind of question, beside this one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from htmltools import Tag, TagList, tags
from shiny import Session, reactive, render

from tlpo.app.analyses import Analysis
from tlpo.app.parts import select, text, trouble
from tlpo.report.models import MODELS
from tlpo.results.summary import in_words

MISSING = (("impute", "impute them inside every fit"), ("drop", "leave such rows out"))
# Below this, "seconds" is all one wants to know.
SOON = 5.0


def serve(session: Session, analysis: Analysis, changed: Callable[[str], None]) -> None:
    """Connect the step to an analysis."""
    inputs = session.input

    @render.ui
    def question_form() -> TagList | None:
        changed("table")
        if analysis.table is None:
            return TagList(tags.p("First choose a table.", class_="soft"))
        return _form(analysis, analysis.table["columns"])

    @render.ui
    def question_understood() -> TagList | None:
        changed("question")
        if analysis.understood is None and analysis.is_asking:
            return TagList(tags.p("Looking at the question …", class_="busy"))
        return TagList(trouble(analysis.error.get("question")), _understood(analysis))

    @render.ui
    def question_models() -> Tag | None:
        # Times arrive while the user is choosing: they are shown without touching the cards.
        changed("table")
        return None if analysis.table is None else _cards(analysis)

    def show_time(name: str) -> None:
        @session.output(id=f"time_{name}")
        @render.text
        def _() -> str:
            changed("models")
            return _time(analysis.times.get(name), analysis.asked is not None)

    for name in MODELS:
        show_time(name)

    @reactive.effect
    @reactive.event(inputs.target, inputs.group, inputs.missing)
    def _() -> None:
        target = _name(analysis, inputs.target())
        if target is not None:
            group = _name(analysis, inputs.group())
            analysis.ask(target=target, group=group, missing=inputs.missing())
            analysis.touch("columns")

    @reactive.effect
    @reactive.event(inputs.positive)
    def _() -> None:
        if analysis.understood is not None:
            analysis.ask(positive=_labels(analysis.understood)[int(inputs.positive())])

    @reactive.effect
    @reactive.event(inputs.model)
    def _() -> None:
        wanted = inputs.model()
        others = [name for name in analysis.models if name != wanted["name"]]
        chosen = [*others, wanted["name"]] if wanted["use"] else others
        analysis.choose(tuple(name for name in MODELS if name in chosen))

    @reactive.effect
    @reactive.event(inputs.specificity, inputs.confidence_level)
    def _() -> None:
        given = {"specificity": inputs.specificity(), "confidence_level": inputs.confidence_level()}
        if None not in given.values():
            analysis.report(**{name: float(value) / 100 for name, value in given.items()})


def _name(analysis: Analysis, number: str) -> str | None:
    """Return a column's name; its number came from the page, since any text may be a name."""
    if analysis.table is None or not number:
        return None
    name: str = analysis.table["columns"][int(number)]["name"]
    return name


def _form(analysis: Analysis, columns: list[dict[str, Any]]) -> TagList:
    asked, options = analysis.asked, analysis.options
    numbers = {column["name"]: str(k) for k, column in enumerate(columns)}
    names = [(str(k), column["name"]) for k, column in enumerate(columns)]
    # What can be an outcome comes first.
    likely_first = sorted(names, key=lambda pair: not columns[int(pair[0])]["has_two_values"])
    target = "" if asked is None else numbers[asked.target]
    group = "" if asked is None or asked.group is None else numbers[asked.group]
    return TagList(
        tags.div(
            select("target", "Outcome", [("", "choose a column"), *likely_first], target),
            select(
                "group",
                "Rows that belong together",
                [("", "every row is a patient of its own"), *names],
                group,
            ),
            class_="row",
        ),
        tags.details(
            tags.summary("More options"),
            tags.div(
                select(
                    "missing",
                    "Missing values",
                    MISSING,
                    "impute" if asked is None else asked.missing,
                ),
                _percentage(
                    "specificity", "Report the sensitivity at this specificity", options.specificity
                ),
                _percentage(
                    "confidence_level", "Confidence level of intervals", options.confidence_level
                ),
                class_="row",
            ),
        ),
    )


def _percentage(name: str, label: str, value: float) -> Tag:
    return tags.div(
        tags.label(f"{label} (%)", for_=name),
        tags.input(
            id=name, type="number", min="1", max="99.9", step="any", value=f"{100 * value:g}"
        ),
        class_="field",
    )


def _understood(analysis: Analysis) -> Tag | None:
    found = analysis.understood
    if found is None:
        return None
    counts = {found[kind]: found[f"n_{kind}"] for kind in ("positive", "negative")}
    labels = [
        tags.label(
            tags.input(
                type="radio",
                name="positive",
                value=str(k),
                id=f"positive-{k}",
                checked="" if label == found["positive"] else None,
            ),
            f"{text(label)} ({counts[label]} rows)",
        )
        for k, label in enumerate(_labels(found))
    ]
    return tags.div(
        tags.fieldset(
            tags.legend("Which label counts as positive?"),
            *labels,
            tags.p(
                f"{text(found['positive'])} counts as positive: {text(found['chosen_by'])}.",
                class_="soft",
            ),
        ),
        tags.details(
            tags.summary("How the table is understood"),
            tags.ul(*(tags.li(text(note)) for note in found["notes"])),
        ),
    )


def _labels(understood: dict[str, Any]) -> list[str]:
    """Return both labels, in an order that does not depend on which one is positive."""
    return sorted([understood["positive"], understood["negative"]])


def _cards(analysis: Analysis) -> Tag:
    cards = []
    for name, entry in MODELS.items():
        cards.append(
            tags.label(
                tags.input(
                    id=f"model-{name}",
                    type="checkbox",
                    checked="" if name in analysis.models else None,
                    data_model=name,
                    data_shiny_no_bind_input="",
                ),
                tags.span(
                    tags.strong(name),
                    f" {entry.what}",
                    tags.small(id=f"time_{name}", class_="shiny-text-output"),
                ),
                class_="card",
            )
        )
    return tags.fieldset(tags.legend("Models"), *cards, class_="cards")


def _time(told: dict[str, Any] | None, is_measured: bool) -> str:
    if told is None:
        return "how long it takes is being measured …" if is_measured else ""
    if "trouble" in told:
        return "cannot be used: " + text(told["trouble"].split("\n")[1])
    if told["seconds"] < SOON:
        return "takes seconds"
    return f"takes about {in_words(told['seconds'])}"
