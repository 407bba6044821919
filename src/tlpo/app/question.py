"""Step 2: the question: what is to be predicted, what a row is, and by which models.

A marker that needs no model would be another kind of question, beside this one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from htmltools import Tag, TagList, tags
from shiny import Inputs, reactive, render

from tlpo.app.analyses import Analysis
from tlpo.app.parts import select, text, trouble
from tlpo.report.models import MODELS
from tlpo.results.summary import in_words

MISSING = (("impute", "impute them inside every fit"), ("drop", "leave such rows out"))
# Below this, "seconds" is all one wants to know.
SOON = 5.0


def serve(inputs: Inputs, analysis: Analysis, changed: Callable[[str], None]) -> None:
    """Connect the step to an analysis."""

    @render.ui
    def question_form() -> TagList | None:
        changed("table")
        if analysis.table is None:
            return TagList(tags.p("First choose a table.", class_="soft"))
        return _form(analysis, analysis.table["columns"])

    @render.ui
    def question_understood() -> TagList | None:
        changed("question")
        if analysis.asked is None:
            return None
        if analysis.understood is None and "question" not in analysis.error:
            return TagList(tags.p("Looking at the question …", class_="busy"))
        return TagList(trouble(analysis.error.get("question")), _understood(analysis))

    @render.ui
    def question_models() -> Tag | None:
        changed("question")
        changed("models")
        return None if analysis.understood is None else _cards(analysis)

    @reactive.effect
    @reactive.event(inputs.target)
    def _() -> None:
        name = _name(analysis, inputs.target())
        if name is not None:
            analysis.ask(target=name)
            analysis.touch("columns")

    @reactive.effect
    @reactive.event(inputs.group)
    def _() -> None:
        if analysis.asked is not None:
            analysis.ask(group=_name(analysis, inputs.group()))
            analysis.touch("columns")

    @reactive.effect
    @reactive.event(inputs.missing)
    def _() -> None:
        if analysis.asked is not None:
            analysis.ask(missing=inputs.missing())

    @reactive.effect
    @reactive.event(inputs.positive)
    def _() -> None:
        if analysis.understood is not None:
            analysis.ask(positive=analysis.understood[inputs.positive()])

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
    likely = [(str(k), column["name"]) for k, column in enumerate(columns) if column["has_two_values"]]
    others = [pair for pair in names if pair not in likely]
    target = "" if asked is None else numbers[asked.target]
    group = "" if asked is None or asked.group is None else numbers[asked.group]
    return TagList(
        tags.div(
            select("target", "Outcome", [("", "choose a column"), *likely, *others], target),
            select("group", "Rows that belong together", [("", "every row is a patient of its own"), *names], group),
            class_="row",
        ),
        tags.details(
            tags.summary("More options"),
            tags.div(
                select("missing", "Missing values", MISSING, "impute" if asked is None else asked.missing),
                _percentage("specificity", "Report the sensitivity at this specificity", options.specificity),
                _percentage("confidence_level", "Confidence level of intervals", options.confidence_level),
                class_="row",
            ),
        ),
    )


def _percentage(name: str, label: str, value: float) -> Tag:
    return tags.div(
        tags.label(f"{label} (%)", for_=name),
        tags.input(id=name, type="number", min="1", max="99.9", step="any", value=f"{100 * value:g}"),
        class_="field",
    )


def _understood(analysis: Analysis) -> Tag | None:
    found = analysis.understood
    if found is None:
        return None
    labels = [
        tags.label(
            tags.input(
                type="radio",
                name="positive",
                value=kind,
                id=f"positive-{kind}",
                checked="" if kind == "positive" else None,
            ),
            f"{text(found[kind])} ({found[f'n_{kind}']} rows)",
        )
        for kind in ("positive", "negative")
    ]
    return tags.div(
        tags.fieldset(
            tags.legend("Which label counts as positive?"),
            *labels,
            tags.p(f"{text(found['positive'])}: {text(found['chosen_by'])}.", class_="soft"),
        ),
        tags.details(
            tags.summary("How the table is understood"),
            tags.ul(*(tags.li(text(note)) for note in found["notes"])),
        ),
    )


def _cards(analysis: Analysis) -> Tag:
    cards = []
    for name, entry in MODELS.items():
        told = analysis.times.get(name)
        cards.append(
            tags.label(
                tags.input(
                    id=f"model-{name}",
                    type="checkbox",
                    checked="" if name in analysis.models else None,
                    data_model=name,
                    data_shiny_no_bind_input="",
                ),
                tags.span(tags.strong(name), " ", entry.what, tags.br(), _time(told)),
                class_="card",
            )
        )
    return tags.fieldset(tags.legend("Models"), *cards, class_="cards")


def _time(told: dict[str, Any] | None) -> Tag:
    if told is None:
        said = "how long it takes is being measured …"
    elif "trouble" in told:
        said = "cannot be used: " + text(told["trouble"].split("\n")[1])
    elif told["seconds"] < SOON:
        said = "takes seconds"
    else:
        said = f"takes about {in_words(told['seconds'])}"
    return tags.small(said)
