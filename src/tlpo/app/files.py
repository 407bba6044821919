"""What goes in and out as files: the table comes, the report and all others can be fetched."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from tlpo.app.analyses import FILES, Analyses, Analysis, not_written
from tlpo.errors import explain

MEGABYTE = 1_000_000
# The report runs no scripts and loads nothing; whoever changed it could not make it.
REPORT_POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'self'; "
    "base-uri 'none'; form-action 'none'"
)


def routes(analyses: Analyses, max_upload: int) -> list[Route]:
    """Return the routes of files, below the token."""

    def of(
        answer: Callable[[Analysis, Request], Awaitable[Response]],
    ) -> Callable[..., Awaitable[Response]]:
        async def answered(request: Request) -> Response:
            analysis = analyses.find(request.path_params["analysis"])
            if analysis is None:
                raise HTTPException(404)
            return await answer(analysis, request)

        return answered

    async def receive(analysis: Analysis, request: Request) -> Response:
        return await _receive(analysis, request, max_upload)

    place = "/analyses/{analysis}"
    return [
        Route(f"{place}/table", of(receive), methods=["PUT"]),
        Route(f"{place}/report", of(_report), methods=["GET"]),
        Route(f"{place}/files/{{name}}", of(_fetch), methods=["GET"]),
    ]


async def _receive(analysis: Analysis, request: Request, max_upload: int) -> Response:
    """Write a table to disk as it comes; nothing stays of one that is not opened."""
    name = request.query_params.get("name", "")
    arrival, is_open = None, False
    try:
        arrival = analysis.expect(name)
        if await _write(arrival.path, request, max_upload * MEGABYTE):
            return _refused(413, too_large(name, max_upload))
        is_open = analysis.open(arrival)
        return JSONResponse({}) if is_open else _refused(409, chosen_before(analysis, name))
    except ClientDisconnect:
        return Response(status_code=400)
    except OSError as error:
        await _pass_over(request)
        return _refused(507, not_written(name, error))
    finally:
        if arrival is not None and not is_open:
            arrival.discard()


async def _write(path: Path, request: Request, most: int) -> bool:
    """Write what is sent, and return whether it is more than allowed."""
    size = 0
    with path.open("wb") as file:
        async for chunk in request.stream():
            size += len(chunk)
            if size > most:
                return True
            file.write(chunk)
    return False


async def _pass_over(request: Request) -> None:
    """Read the rest of a request: a browser that is still sending does not hear the answer."""
    with suppress(ClientDisconnect):
        async for _ in request.stream():
            pass


def _refused(status: int, message: str) -> Response:
    return JSONResponse({"error": message}, status_code=status)


def chosen_before(analysis: Analysis, name: str) -> str:
    """Return the message for a table that arrives after one that was chosen later."""
    assert analysis.chosen is not None
    return explain(
        "Another table was chosen meanwhile.",
        f"You passed {name!r}; the page now shows {analysis.chosen.name!r}.",
        "Choose the file again to use it instead.",
    )


def too_large(name: str, max_upload: int) -> str:
    """Return the message for a table beyond the limit."""
    return explain(
        "The file is too large.",
        f"You passed {name!r}; the limit is {max_upload} MB.",
        "Leave out columns that are not needed, or start the app again with a larger limit.",
    )


async def _report(analysis: Analysis, _: Request) -> Response:
    return _file(analysis, "report.html", {"content-security-policy": REPORT_POLICY})


async def _fetch(analysis: Analysis, request: Request) -> Response:
    name = request.path_params["name"]
    if name not in FILES:
        raise HTTPException(404)
    return _file(analysis, name, {"content-disposition": f'attachment; filename="{name}"'})


def _file(analysis: Analysis, name: str, headers: dict[str, str]) -> Response:
    if analysis.chosen is None or name not in analysis.files:
        raise HTTPException(404)
    return FileResponse(analysis.chosen.folder / name, headers=headers)
