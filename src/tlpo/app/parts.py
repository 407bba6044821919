"""Small pieces of markup that several steps share. Text is always escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from htmltools import Tag, TagChild, tags

from tlpo.control_characters import escape_control_characters


def text(value: object) -> str:
    """Return text from a file as it can be shown: without marks that turn text around."""
    return escape_control_characters(str(value))


def trouble(message: str | None) -> Tag | None:
    """Show a message in three parts."""
    if message is None:
        return None
    first, *rest = escape_control_characters(message, keep="\n").split("\n")
    return tags.div(
        tags.p(tags.strong(first)), *(tags.p(line) for line in rest), class_="error", role="alert"
    )


def select(
    name: str, label: str, choices: Iterable[tuple[str, str]], chosen: str, **attributes: str
) -> Tag:
    """Return a list to choose from, with its label."""
    options = [
        tags.option(text(shown), value=value, selected="" if value == chosen else None)
        for value, shown in choices
    ]
    chooser = tags.select(*options, id=name, **attributes)
    return tags.div(tags.label(label, for_=name), chooser, class_="field")


def scrolled(caption: TagChild, head: Sequence[str], rows: Iterable[Tag]) -> Tag:
    """Return a table that scrolls sideways where it is too wide, also by keyboard."""
    return tags.div(
        tags.table(
            tags.caption(caption),
            tags.thead(tags.tr(*(tags.th(name, scope="col") for name in head))),
            tags.tbody(*rows),
        ),
        class_="scroll",
        tabindex="0",
        role="region",
        aria_label=str(caption),
    )
