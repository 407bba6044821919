"""Step 1: the table, how it is read, and what its columns are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from htmltools import Tag, TagList, tags
from shiny import Session, reactive, render

from tlpo.app.analyses import Analysis
from tlpo.app.parts import scrolled, select, text, trouble

# Of more columns, only those that match the filter are shown.
MOST_COLUMNS = 100
DETECTED = ("", "detected")
SEPARATORS = (DETECTED, (",", "comma"), (";", "semicolon"), ("tab", "tab"), ("|", "bar"))
# What a column may be said to be.
KINDS = {"numeric": "a number", "categorical": "categories"}
# How a kind is called that was found.
FOUND = {"numeric": "a number", "written": "a number", "categorical": "categories"}
ENCODINGS = (
    DETECTED,
    ("utf-8", "UTF-8"),
    ("cp1252", "Western European (Windows)"),
    ("cp1250", "Central European (Windows)"),
    ("cp1251", "Cyrillic (Windows)"),
    ("mac-roman", "Western European (Mac)"),
    ("shift_jis", "Japanese (Shift JIS)"),
    ("gb18030", "Chinese (GB 18030)"),
)
DECIMALS = (DETECTED, (".", "point, 1.5"), (",", "comma, 1,5"))


def serve(session: Session, analysis: Analysis, changed: Callable[[str], None]) -> None:
    """Connect the step to an analysis."""
    inputs = session.input

    @render.ui
    def table_found() -> TagList:
        changed("table")
        said = trouble(analysis.error.get("table"))
        if analysis.chosen is None:
            return TagList(said)
        name = text(analysis.chosen.name)
        if analysis.is_reading:
            return TagList(tags.p(f"Reading {name} …", class_="busy"))
        return TagList(
            said,
            _reading(analysis, analysis.chosen.path.suffix),
            None if analysis.table is None else _preview(analysis.table, name),
        )

    @render.ui
    def table_columns() -> Tag | None:
        changed("columns")
        if analysis.table is None:
            return None
        return _columns(analysis, analysis.table, inputs.column_filter() or "")

    @render.ui
    def column_filter_place() -> Tag | None:
        changed("table")
        if analysis.table is None or len(analysis.table["columns"]) <= MOST_COLUMNS:
            return tags.input(id="column_filter", type="text", value="", hidden="")
        return tags.div(
            tags.label("Show columns whose name contains", for_="column_filter"),
            tags.input(id="column_filter", type="text", value=""),
            class_="field",
        )

    @reactive.effect
    @reactive.event(inputs.example)
    def _() -> None:
        analysis.open_example()

    @reactive.effect
    @reactive.event(inputs.switch)
    def _() -> None:
        if analysis.table is not None:
            wanted = inputs.switch()
            analysis.switch(int(wanted["column"]), bool(wanted["use"]))

    @reactive.effect
    @reactive.event(inputs.said)
    def _() -> None:
        if analysis.table is not None:
            said = inputs.said()
            name = analysis.table["columns"][int(said["column"])]["name"]
            analysis.say_kind(name, said["kind"] if said["kind"] in KINDS else "")

    def follow(name: str) -> None:
        @reactive.effect
        @reactive.event(inputs[name])
        def _() -> None:
            analysis.read_as(**{name: inputs[name]() or None})

    for name in ("sheet", "sep", "decimal", "encoding"):
        follow(name)

    @reactive.effect
    @reactive.event(inputs.header_row, ignore_none=False)  # an empty field is to be heard, too
    def _() -> None:
        analysis.read_as(header_row=inputs.header_row())


def _reading(analysis: Analysis, suffix: str) -> Tag | None:
    """Offer what can be read in more than one way."""
    reading = analysis.reading
    sheets = () if analysis.table is None else analysis.table["sheets"]
    if sheets:
        names = [("", sheets[0]), *((name, name) for name in sheets[1:])]
        fields = [select("sheet", "Sheet", names, reading.sheet or "")]
    elif suffix in (".csv", ".tsv", ".txt", ""):
        fields = [
            select("sep", "Separator", SEPARATORS, reading.sep or ""),
            select("decimal", "Decimal sign", DECIMALS, reading.decimal or ""),
            select("encoding", "Encoding", ENCODINGS, reading.encoding or ""),
        ]
    elif reading.header_row is not None:  # a workbook without such a row
        fields = []
    else:
        return None
    header = tags.div(
        tags.label("Header row (detected if empty)", for_="header_row"),
        tags.input(
            id="header_row", type="number", min="1", step="1", value=str(reading.header_row or "")
        ),
        class_="field",
    )
    return tags.fieldset(tags.legend("How the file is read"), *fields, header, class_="row")


def _preview(table: dict[str, Any], name: str) -> Tag:
    shown, columns = table["preview"], table["columns"]
    rows = [tags.tr(*(tags.td(text(cell)) for cell in row)) for row in shown["rows"]]
    caption = (
        f"{name}: {table['n_rows']} rows, {len(columns)} columns; the first {len(rows)} rows"
        + (f" and {len(shown['names'])} columns" if len(columns) > len(shown["names"]) else "")
    )
    return scrolled(caption, [text(column) for column in shown["names"]], rows)


def _columns(analysis: Analysis, table: dict[str, Any], wanted: str) -> Tag:
    columns = list(enumerate(table["columns"]))
    found = [(k, c) for k, c in columns if wanted.lower() in c["name"].lower()][:MOST_COLUMNS]
    asked = analysis.asked
    roles: dict[str, str] = {}
    if asked is not None:
        roles = {asked.target: "the outcome", **dict.fromkeys(asked.groups, "the group")}
        roles |= {} if asked.time is None else {asked.time: "the time"}
    used = sum(analysis.is_used(c) and c["name"] not in roles for _, c in columns)
    caption = f"Columns: {used} of {len(columns)} used"
    if len(found) < len(columns):
        caption += f"; {len(found)} shown"
    rows = [_column(k, column, analysis, roles.get(column["name"])) for k, column in found]
    return scrolled(caption, ["Use", "Column", "Kind", "Missing", "Why"], rows)


def _column(k: int, column: dict[str, Any], analysis: Analysis, role: str | None) -> Tag:
    is_used, name = analysis.is_used(column), text(column["name"])
    if role is not None:
        why = role
    elif column["name"] in analysis.switched or column["name"] in analysis.said:
        why = "as you wish"
    else:
        why = text(column["why"].split("\n")[0]) or "can be predicted from"
    use = tags.input(
        id=f"use-{k}",
        type="checkbox",
        checked="" if is_used and role is None else None,
        disabled="" if role is not None else None,
        data_column=str(k),
        data_shiny_no_bind_input="",
        aria_label=f"Use {name}",
    )
    return tags.tr(
        tags.td(use),
        tags.th(name, scope="row"),
        tags.td(_kind(k, column, analysis.said.get(column["name"], ""), role)),
        tags.td(str(column["missing"])),
        tags.td(why, class_="text"),
    )


def _kind(k: int, column: dict[str, Any], said: str, role: str | None) -> Tag | str:
    """Let the user say what a column is."""
    found: str = FOUND.get(column["kind"], column["kind"])
    if role is not None or column["kind"] == "constant":
        return found
    choices = [("", f"automatic: {found}"), *KINDS.items()]
    return tags.select(
        *(
            tags.option(shown, value=kind, selected="" if kind == said else None)
            for kind, shown in choices
        ),
        id=f"said-{k}",
        aria_label=f"Kind of {text(column['name'])}",
        data_shiny_no_bind_input="",
    )
