"""Step 2: the question: what is to be predicted, what a row is, and by which models or markers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from htmltools import Tag, TagList, tags
from shiny import Session, reactive, render

from tlpo.analysis.models import MODELS, ORDERED_WHAT, parse_value
from tlpo.app import classes
from tlpo.app.analyses import Analysis, Marker
from tlpo.app.parts import select, text, trouble
from tlpo.problem.outcome import Classes
from tlpo.results.summary import in_words
from tlpo.tables.options import Specification

MISSING = (("impute", "impute them inside every fit"), ("drop", "leave such rows out"))
JUDGED = (
    ("models", "Models, trained on the other columns"),
    ("markers", "A marker I measured, or several"),
)
KINDS = (("", "as the table says"), ("ordered", "numbers or grades: larger ranks higher"))
DIRECTIONS = (("larger", "larger values"), ("smaller", "smaller values"))
# Below this, "seconds" is all one wants to know.
SOON = 5.0


def serve(session: Session, analysis: Analysis, changed: Callable[[str], None]) -> None:
    """Connect the step to an analysis."""
    inputs = session.input

    @render.ui
    def question_form() -> TagList | None:
        changed("table")
        changed("form")
        if analysis.table is None:
            return TagList(tags.p("First choose a table.", class_="soft"))
        return _form(analysis, analysis.table["columns"])

    @render.ui
    def question_classes() -> Tag | None:
        changed("classes")
        if analysis.asked is None or not analysis.choice.labels:
            return None
        return classes.show(analysis.choice, analysis.asked.target)

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
        changed("markers")
        if analysis.table is None:
            return None
        if analysis.judges_markers:
            return _markers(analysis, analysis.table["columns"])
        return _cards(analysis)

    def show_time(name: str) -> None:
        @session.output(id=_time_id(name))
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
    @reactive.event(inputs.time, ignore_init=True)
    def _() -> None:
        if analysis.asked is not None:
            analysis.ask(time=_name(analysis, inputs.time()))
            analysis.touch("columns")

    @reactive.effect
    @reactive.event(inputs.at, ignore_init=True)
    def _() -> None:
        analysis.report(at=_times(inputs.at()))

    @reactive.effect
    @reactive.event(inputs.kind, inputs.order, ignore_init=True)
    def _() -> None:
        kind, order = inputs.kind(), inputs.order()
        # Shown anew, the form says what is asked anyway, and a grade may have a comma.
        if analysis.asked is None or (kind, order) == _ranking(analysis.asked):
            return
        grades = tuple(part.strip() for part in order.split(",") if part.strip())
        analysis.rank(grades, is_ranked=bool(grades) or kind == "ordered")

    @reactive.effect
    @reactive.event(inputs.classes)
    def _() -> None:
        what, value, label = (inputs.classes()[key] for key in ("what", "value", "label"))
        analysis.tell_apart(analysis.choice.changed(what, value, int(label)))

    @reactive.effect
    @reactive.event(inputs.positive)
    def _() -> None:
        if analysis.understood is not None and "positive" in analysis.understood:
            analysis.ask(positive=_labels(analysis.understood)[int(inputs.positive())])

    @reactive.effect
    @reactive.event(inputs.model)
    def _() -> None:
        wanted = inputs.model()
        others = [name for name in analysis.models if name != wanted["name"]]
        chosen = [*others, wanted["name"]] if wanted["use"] else others
        analysis.choose(tuple(name for name in MODELS if name in chosen))

    @reactive.effect
    @reactive.event(inputs.judged)
    def _() -> None:
        analysis.judge(markers=inputs.judged() == "markers")

    @reactive.effect
    @reactive.event(inputs.marker)
    def _() -> None:
        what, column, value = (inputs.marker()[key] for key in ("what", "column", "value"))
        name = _name(analysis, column)
        if name is None:
            return
        if what == "remove":
            analysis.unmark(name)
        elif what == "direction":
            analysis.mark(name, is_smaller_positive=value == "smaller")
        elif what == "cutoff":
            analysis.mark(name, cutoff=value)
        else:
            analysis.mark(name)

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


def _ranking(asked: Specification) -> tuple[str, str]:
    """Return what the form says about an order: the kind of outcome, and the grades."""
    return "ordered" if asked.ordered else "", ", ".join(asked.order)


def _times(written: str) -> tuple[Any, ...]:
    """Read times with commas between; what is no number is left for the check of options."""
    parts = [part.strip() for part in written.split(",") if part.strip()]
    return tuple(parse_value(part) for part in parts)


def _form(analysis: Analysis, columns: list[dict[str, Any]]) -> TagList:
    asked, options = analysis.asked, analysis.options
    numbers = {column["name"]: str(k) for k, column in enumerate(columns)}
    names = [(str(k), column["name"]) for k, column in enumerate(columns)]
    # What is an outcome most often comes first.
    likely_first = sorted(names, key=lambda pair: not columns[int(pair[0])]["has_two_values"])
    target = "" if asked is None else numbers[asked.target]
    group = "" if asked is None or asked.group is None else numbers[asked.group]
    time = "" if asked is None or asked.time is None else numbers[asked.time]
    numeric = [(k, name) for k, name in names if columns[int(k)]["kind"] == "numeric"]
    kind, order = ("", "") if asked is None else _ranking(asked)
    return TagList(
        tags.div(
            select("target", "Outcome", [("", "choose a column"), *likely_first], target),
            select(
                "time",
                "Time to it, or to the last visit",
                [("", "the outcome has no time"), *numeric],
                time,
            ),
            select(
                "group",
                "Rows that belong together",
                [("", "every row is a patient of its own"), *names],
                group,
            ),
            class_="row",
        ),
        tags.fieldset(
            tags.legend("What is to be judged?"),
            *(
                tags.label(
                    tags.input(
                        type="radio",
                        name="judged",
                        value=value,
                        id=f"judged-{value}",
                        checked="" if analysis.judges_markers == (value == "markers") else None,
                    ),
                    shown,
                )
                for value, shown in JUDGED
            ),
        ),
        tags.details(
            tags.summary("More options"),
            tags.div(
                select("kind", "Kind of outcome", KINDS, kind),
                tags.div(
                    tags.label("Grades from lowest to highest, with commas", for_="order"),
                    tags.input(
                        id="order",
                        type="text",
                        value=order,
                        placeholder="low, medium, high",
                    ),
                    class_="field",
                ),
                tags.div(
                    tags.label("Times at which to report the AUC, with commas", for_="at"),
                    tags.input(
                        id="at",
                        type="text",
                        value=", ".join(f"{time:g}" for time in options.at),
                        placeholder="12, 36, 60",
                    ),
                    class_="field",
                ),
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
    understood = tags.details(
        tags.summary("How the table is understood"),
        tags.ul(*(tags.li(text(note)) for note in found["notes"])),
    )
    if analysis.outcome is not Classes:
        said = next(note for note in found["notes"] if note.startswith("The outcome is"))
        # Where to name a limit is said on the command line only.
        said = said.partition(" For two classes")[0]
        if not analysis.is_ordered and not analysis.choice.classes:
            return understood  # that all labels are told apart was said above
        name = "ordered-outcome" if analysis.is_ordered else "several-outcome"
        return tags.div(tags.p(text(said), id=name), understood)
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
        understood,
    )


def _labels(understood: dict[str, Any]) -> list[str]:
    """Return both labels, in an order that does not depend on which one is positive."""
    return sorted([understood["positive"], understood["negative"]])


def _cards(analysis: Analysis) -> Tag:
    cards = []
    others = ORDERED_WHAT if analysis.is_ordered else {}
    for name, entry in MODELS.items():
        if entry.maker(analysis.outcome) is None:
            continue
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
                    f" {others.get(name, entry.what)}",
                    tags.small(id=_time_id(name), class_="shiny-text-output"),
                ),
                class_="card",
            )
        )
    default = analysis.default
    chosen = None
    if default is not None:
        chosen = tags.p(f"Chosen for this table: {default['name']}, {default['why']}.")
    return tags.fieldset(tags.legend("Models"), chosen, *cards, class_="cards")


def _markers(analysis: Analysis, columns: list[dict[str, Any]]) -> Tag:
    asked = analysis.asked
    taken = () if asked is None else (asked.target, asked.group, asked.time)
    numeric = [(str(k), c["name"]) for k, c in enumerate(columns) if c["kind"] == "numeric"]
    left = [(k, n) for k, n in numeric if n not in taken and n not in analysis.markers]
    # A list alone would add whatever the arrow keys pass.
    add = tags.div(
        select("column", "Column of numbers", [("", "choose a column"), *left], ""),
        tags.button("Add", id="add", type="button", data_marker="add", aria_label="Add the marker"),
        class_="row",
    )
    chosen = [_marker(k, n, analysis.markers[n]) for k, n in numeric if n in analysis.markers]
    return tags.fieldset(
        tags.legend("Markers"),
        *chosen,
        add,
        tags.p(
            "Say which direction you expected before you saw the data: it is never chosen from "
            "them. Rows without a marker are left out.",
            class_="soft",
        ),
    )


def _marker(number: str, name: str, marker: Marker) -> Tag:
    shown = text(name)
    direction = select(
        f"direction-{number}",
        f"Values of {shown} that speak for the positive label",
        DIRECTIONS,
        "smaller" if marker.is_smaller_positive else "larger",
    )
    cutoff = tags.div(
        tags.label(f"Cut-off of {shown} (optional)", for_=f"cutoff-{number}"),
        tags.input(
            id=f"cutoff-{number}",
            type="number",
            step="any",
            value=marker.cutoff,
            data_shiny_no_bind_input="",
        ),
        class_="field",
    )
    remove = tags.button(
        "Remove",
        type="button",
        id=f"remove-{number}",
        data_marker="remove",
        data_column=number,
        aria_label=f"Remove {shown}",
    )
    return tags.div(tags.strong(shown), direction, cutoff, remove, class_="row")


def _time_id(name: str) -> str:
    """Return what the place for the time of a model is called: Shiny takes no hyphens."""
    return f"time_{name.replace('-', '_')}"


def _time(told: dict[str, Any] | None, is_measured: bool) -> str:
    if told is None:
        return "how long it takes is being measured …" if is_measured else ""
    if "trouble" in told:
        return "cannot be used: " + text(told["trouble"].split("\n")[1])
    if told["seconds"] < SOON:
        return "takes seconds"
    return f"takes about {in_words(told['seconds'])}"
