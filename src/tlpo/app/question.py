"""Step 2: the question: what is to be predicted, what a row is, and by which models or markers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from htmltools import Tag, TagList, tags
from shiny import Session, reactive, render

from tlpo.analysis.models import MODELS, ORDERED_WHAT, parse_value
from tlpo.analysis.options import Options
from tlpo.app import classes
from tlpo.app.analyses import Analysis, Cut, Marker, group_of, missing_of
from tlpo.app.parts import select, text, trouble
from tlpo.problem.outcome import Classes
from tlpo.results.summary import in_words
from tlpo.tables.options import DROP, IMPUTE, Specification

MISSING = ((IMPUTE, "impute them inside every fit"), (DROP, "leave such rows out"))
CUTS = (
    ("", "none"),
    (">=", "at least the limit, or less"),
    (">", "more than the limit, or not"),
    ("<=", "at most the limit, or more"),
    ("<", "less than the limit, or not"),
)
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
        if analysis.asked is None:
            return None
        if analysis.asked.time is not None and analysis.codes:
            return _event(analysis)
        if not analysis.choice.labels:
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
    @reactive.event(
        *(inputs.target, inputs.group, inputs.group_also, inputs.missing, inputs.missing_values)
    )
    def _() -> None:
        target = _name(analysis, inputs.target())
        if target is not None:
            columns = [_name(analysis, inputs[name]()) for name in ("group", "group_also")]
            group = list(dict.fromkeys(name for name in columns if name is not None))
            missing = missing_of(inputs.missing(), _listed(inputs.missing_values()))
            analysis.ask(target=target, group=group_of(group), missing=missing)
            analysis.touch("columns")

    @reactive.effect
    @reactive.event(inputs.cut_mark, inputs.cut_limit, ignore_init=True)
    def _() -> None:
        if analysis.asked is not None and analysis.asked.time is None:
            analysis.cut_at(Cut(inputs.cut_mark(), inputs.cut_limit().strip()))

    @reactive.effect
    @reactive.event(inputs.event_value, ignore_init=True)
    def _() -> None:
        place = inputs.event_value()
        if analysis.asked is not None and analysis.asked.time is not None:
            value = analysis.codes[int(place)] if place else ""
            analysis.cut_at(Cut("==", value) if value else Cut())

    @reactive.effect
    @reactive.event(inputs.rows, inputs.by, ignore_init=True)
    def _() -> None:
        if analysis.asked is not None:
            rows = tuple(line.strip() for line in inputs.rows().splitlines() if line.strip())
            chosen = [_name(analysis, number) for number in inputs.by() or ()]
            analysis.ask(rows=rows, by=tuple(name for name in chosen if name is not None))

    def follow(name: str, default: Any) -> None:
        @reactive.effect
        @reactive.event(inputs[name], ignore_init=True, ignore_none=False)
        def _() -> None:
            given = inputs[name]()
            value = given.strip() if isinstance(given, str) else given
            is_empty = value in (None, "")
            if name == "prevalence_asked":
                analysis.report(prevalence=None if is_empty else float(value) / 100)
            else:
                analysis.report(**{name: default if is_empty else value})

    for name in ("unit", "rounds", "sorts", "permutations", "seed", "prevalence_asked", "smooth"):
        follow(name, getattr(Options, name, None))

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
        grades = tuple(_listed(order))
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
    @reactive.event(inputs.parameters)
    def _() -> None:
        typed = inputs.parameters()
        if typed["name"] in MODELS:
            analysis.set_parameters(typed["name"], typed["typed"])

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
    return tuple(parse_value(part) for part in _listed(written))


def _listed(written: str) -> list[str]:
    """Read texts with commas between."""
    return [part.strip() for part in written.split(",") if part.strip()]


def _form(analysis: Analysis, columns: list[dict[str, Any]]) -> TagList:
    asked, options = analysis.asked, analysis.options
    numbers = {column["name"]: str(k) for k, column in enumerate(columns)}
    names = [(str(k), column["name"]) for k, column in enumerate(columns)]
    # What is an outcome most often comes first.
    likely_first = sorted(names, key=lambda pair: not columns[int(pair[0])]["has_two_values"])
    target = "" if asked is None else numbers[asked.target]
    groups = ["", ""] if asked is None else [*(numbers[n] for n in asked.groups), "", ""]
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
                groups[0],
            ),
            select("group_also", "… and agree in", [("", "nothing else"), *names], groups[1]),
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
                select("cut_mark", "Two classes of a number", CUTS, analysis.cut.mark),
                _field("cut_limit", "Limit between them", analysis.cut.value, "5"),
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
                    IMPUTE if asked is None else asked.gaps,
                ),
                _field(
                    "missing_values",
                    "Values that mean missing, with commas",
                    "" if asked is None else ", ".join(asked.missing_values),
                    "999, age=-1",
                ),
                _percentage(
                    "specificity", "Report the sensitivity at this specificity", options.specificity
                ),
                _percentage(
                    "confidence_level", "Confidence level of intervals", options.confidence_level
                ),
                tags.div(
                    tags.label("Only rows that meet all of these, one per line", for_="rows"),
                    tags.textarea(
                        "\n".join([] if asked is None else asked.rows),
                        id="rows",
                        rows="2",
                        placeholder="arm=treated",
                    ),
                    class_="field",
                ),
                tags.div(
                    tags.label("Report the AUC within subgroups of", for_="by"),
                    tags.select(
                        *(
                            tags.option(
                                text(name),
                                value=k,
                                selected="" if asked is not None and name in asked.by else None,
                            )
                            for k, name in names
                        ),
                        id="by",
                        multiple="",
                        size="3",
                    ),
                    class_="field",
                ),
                _field("unit", "What a row is, if not a patient", options.unit or "", "lesions"),
                _count("permutations", "Permutations of a test for any signal", 0, options),
                _count("rounds", "Rounds, for slow models", 10, options),
                _count("sorts", "Sorts, for slower models", 1, options),
                _count("seed", "Random seed", 0, options),
                _percentage(
                    "prevalence_asked", "Prevalence where it will be used", options.prevalence
                ),
                tags.label(
                    tags.input(
                        id="smooth", type="checkbox", checked="" if options.smooth else None
                    ),
                    "Draw smoothed (binormal) ROC curves too",
                ),
                class_="row",
            ),
        ),
    )


def _percentage(name: str, label: str, value: float | None) -> Tag:
    shown = "" if value is None else f"{100 * value:g}"
    return tags.div(
        tags.label(f"{label} (%)", for_=name),
        tags.input(id=name, type="number", min="0.01", max="99.99", step="any", value=shown),
        class_="field",
    )


def _field(name: str, label: str, value: str, example: str) -> Tag:
    return tags.div(
        tags.label(label, for_=name),
        tags.input(id=name, type="text", value=value, placeholder=example),
        class_="field",
    )


def _count(name: str, label: str, least: int, options: Options) -> Tag:
    value = getattr(options, name)
    return tags.div(
        tags.label(label, for_=name),
        tags.input(
            id=name,
            type="number",
            min=str(least),
            step="1",
            value="" if value == getattr(Options, name) else str(value),
        ),
        class_="field",
    )


def _event(analysis: Analysis) -> Tag:
    """Let the user name the value that is the event."""
    codes = [(str(k), code) for k, code in enumerate(analysis.codes)]
    chosen = next((k for k, code in codes if code == analysis.cut.value), "")
    return select(
        "event_value",
        "Value that is the event",
        [("", "1 or yes; of 1 and 2, 2"), *codes],
        chosen,
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
        card = tags.label(
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
        typed = tags.input(
            type="text",
            value=analysis.parameters.get(name, ""),
            placeholder="parameters: name=value",
            aria_label=f"Parameters of {name}",
            data_parameters=name,
            data_shiny_no_bind_input="",
        )
        cards.append(tags.div(card, typed, class_="choice"))
    default = analysis.default
    chosen = None
    if default is not None:
        chosen = tags.p(f"Chosen for this table: {default['name']}, {default['why']}.")
    return tags.fieldset(tags.legend("Models"), chosen, *cards, class_="cards")


def _markers(analysis: Analysis, columns: list[dict[str, Any]]) -> Tag:
    asked = analysis.asked
    taken = () if asked is None else (asked.target, *asked.groups, asked.time)
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
