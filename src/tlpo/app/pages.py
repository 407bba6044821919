"""The page: five steps of an analysis, each a module of its own, over Shiny's reactive values."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs

from htmltools import HTMLDependency
from shiny import App, Inputs, Outputs, Session, reactive, ui
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import Receive, Scope, Send

from tlpo import __version__
from tlpo.app import answer, downloads, question, run, table
from tlpo.app.analyses import Analyses, Analysis
from tlpo.app.workers import start_apart
from tlpo.errors import explain
from tlpo.tables.formats import list_endings

HERE = Path(__file__).parent
PARTS = (
    *("table", "columns", "form", "classes", "question", "models", "markers", "run", "progress"),
    *("answer", "files"),
)

Changed = Callable[[str], None]


class Pages:
    """Shows an analysis; whoever comes without one gets a new one.

    Parameters
    ----------
    analyses : Analyses
        All there are.
    max_upload : int
        Largest table, in megabytes.
    """

    def __init__(self, analyses: Analyses, max_upload: int) -> None:
        self._analyses = analyses
        own = HTMLDependency(
            "tlpo-app",
            __version__,
            source={"package": "tlpo.app", "subdir": "static"},
            script={"src": "app.js", "defer": ""},
            stylesheet={"href": "app.css"},
        )
        text = (HERE / "static" / "page.html").read_text(encoding="utf-8")
        text = text.replace("MAX_UPLOAD", str(max_upload)).replace(
            "ENDINGS", ",".join(list_endings())
        )
        page = ui.page_html(text, extra_deps=[own])
        self._shiny = App(page, self._serve)
        assert isinstance(self._shiny.ui, dict)
        # Shiny's spinners come with a script within the page, of which the policy allows none.
        html = self._shiny.ui["html"]
        self._shiny.ui["html"] = re.sub(r"<script>[^<]*</script>\n", "", html)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let Shiny answer, once the address names an analysis."""
        if scope["type"] == "http":
            request = Request(scope)
            is_page = scope["path"] == f"{scope['root_path']}/"
            named = request.query_params.get("analysis", "")
            if is_page and self._analyses.find(named) is None:
                await self._begin()(scope, receive, send)
                return
        await self._shiny(scope, receive, send)

    def _begin(self) -> Response:
        try:
            return RedirectResponse(f"?analysis={self._analyses.begin().id}", 303)
        except OSError as error:
            said = explain(
                "There is no room for another analysis.",
                f"The system says: {error.strerror or error}.",
                "Free some disk space, then reload the page.",
            )
            return PlainTextResponse(said, 507)

    def _serve(self, _inputs: Inputs, _outputs: Outputs, session: Session) -> None:
        with reactive.isolate():
            query = parse_qs(session.clientdata.url_search().lstrip("?"))
        analysis = self._analyses.find(query.get("analysis", [""])[0])
        if analysis is None:
            return
        changed = _changes(analysis, session)
        for step in (table, question, run, answer, downloads):
            step.serve(session, analysis, changed)


def _changes(analysis: Analysis, session: Session) -> Changed:
    """Return a function that makes what calls it depend on a part of the analysis."""
    seen = {part: reactive.value(0) for part in PARTS}
    waiting: list[asyncio.Task[None]] = []

    async def show() -> None:
        async with reactive.lock():
            waiting.clear()  # what changes from now on is shown by the next one
            for part, version in seen.items():
                version.set(analysis.versions[part])
            await reactive.flush()

    def listen() -> None:
        if not waiting:
            waiting.append(start_apart(show()))

    def changed(part: str) -> None:
        seen[part]()

    analysis.listeners.add(listen)
    session.on_ended(lambda: analysis.listeners.discard(listen))
    return changed
