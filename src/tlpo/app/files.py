"""What goes in and out as files: the table comes, the report and all others can be fetched."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from tlpo.app.analyses import FILES, Analyses, Analysis
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
    """Write a table to disk as it comes, never more of it than allowed."""
    name = request.query_params.get("name", "")
    path = analysis.place(name)
    size = 0
    try:
        with path.open("wb") as file:
            async for chunk in request.stream():
                size += len(chunk)
                if size > max_upload * MEGABYTE:
                    path.unlink()
                    return JSONResponse({"error": too_large(name, max_upload)}, status_code=413)
                file.write(chunk)
    except ClientDisconnect:
        path.unlink(missing_ok=True)
        return Response(status_code=400)
    analysis.open(name, path)
    return JSONResponse({})


def too_large(name: str, max_upload: int) -> str:
    """Return the message for a table beyond the limit."""
    return explain(
        "The file is too large.",
        f"You passed {name!r}; the limit is {max_upload} MB.",
        "Leave out columns that are not needed, or start with a higher limit: tlpo app "
        "--max-upload 1000.",
    )


async def _report(analysis: Analysis, _: Request) -> Response:
    return _file(analysis, "report.html", {"content-security-policy": REPORT_POLICY})


async def _fetch(analysis: Analysis, request: Request) -> Response:
    name = request.path_params["name"]
    if name not in FILES:
        raise HTTPException(404)
    return _file(analysis, name, {"content-disposition": f'attachment; filename="{name}"'})


def _file(analysis: Analysis, name: str, headers: dict[str, str]) -> Response:
    if name not in analysis.files:
        raise HTTPException(404)
    return FileResponse(analysis.folder / name, headers=headers)
