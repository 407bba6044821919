"""Step 3: the run, with the time left and a way to stop it."""

from __future__ import annotations

from collections.abc import Callable

from htmltools import Tag, TagList, tags
from shiny import Session, reactive, render

from tlpo.app.analyses import Analysis
from tlpo.app.parts import text, trouble
from tlpo.results.summary import in_words


def serve(session: Session, analysis: Analysis, changed: Callable[[str], None]) -> None:
    """Connect the step to an analysis."""
    inputs = session.input

    # Buttons are replaced only if they change: one that is replaced while pressed is not pressed.
    can_run, can_cancel = reactive.value(False), reactive.value(False)

    @reactive.effect
    def _() -> None:
        changed("run")
        can_run.set(analysis.can_run)
        can_cancel.set(analysis.status == "running")

    @render.ui
    def run_buttons() -> TagList:
        return TagList(
            _button("run", "Run", enabled=can_run()),
            _button("cancel", "Cancel", enabled=True) if can_cancel() else None,
        )

    @render.ui
    def run_state() -> TagList:
        changed("run")
        return TagList(trouble(analysis.error.get("run")), tags.p(_state(analysis)))

    @render.ui
    def run_progress() -> TagList | None:
        changed("run")
        changed("progress")
        if analysis.status != "running":
            return None
        return TagList(_bar(analysis), tags.ul(*(tags.li(text(note)) for note in analysis.notes)))

    @reactive.effect
    @reactive.event(inputs.run)
    def _() -> None:
        analysis.run()

    @reactive.effect
    @reactive.event(inputs.cancel)
    def _() -> None:
        analysis.cancel()


def _button(name: str, label: str, *, enabled: bool) -> Tag:
    return tags.button(
        label, id=name, type="button", data_event=name, disabled=None if enabled else ""
    )


def _state(analysis: Analysis) -> str | TagList:
    if analysis.status == "idle" and not analysis.can_run:
        if analysis.understood is not None and not analysis.is_chosen:
            return f"Choose at least one {'marker' if analysis.judges_markers else 'model'}."
        return "First choose a table and an outcome." if analysis.asked is None else ""
    if analysis.status == "done" or analysis.status == "answered":
        drawing = " Figures are being drawn." if analysis.status == "answered" else ""
        return TagList("Done. ", tags.a("See the answer", href="#answer"), f".{drawing}")
    return {
        "idle": "Ready.",
        "running": "Running. The page can be used and reloaded meanwhile.",
        "cancelling": "Cancelling …",
        "cancelled": "Cancelled. What was finished is kept: Run resumes there.",
    }[analysis.status]


def _bar(analysis: Analysis) -> Tag:
    told = analysis.progress
    model = next((n for n in reversed(analysis.notes) if n.startswith("Playing")), "Starting …")
    if told is None:
        return tags.div(
            tags.label(text(model), for_="progress"), tags.progress(id="progress"), class_="field"
        )
    left = told["seconds_left"]
    said = "" if left is None else f", about {in_words(max(1.0, left))} left"
    return tags.div(
        tags.label(
            f"{text(model)} {told['title']}: {told['done']} of {told['total']}{said}",
            for_="progress",
        ),
        tags.progress(id="progress", value=str(told["done"]), max=str(told["total"])),
        class_="field",
    )
