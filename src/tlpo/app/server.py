"""Start the page: a server on 127.0.0.1, a folder that only this user can enter, a browser."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import socket
import sys
import tempfile
import webbrowser
from collections.abc import AsyncIterator
from html import escape
from pathlib import Path
from types import FrameType

import uvicorn
from starlette.applications import Starlette
from starlette.routing import Mount

from tlpo.app.analyses import Analyses
from tlpo.app.files import routes
from tlpo.app.guard import Guard
from tlpo.app.pages import Pages
from tlpo.errors import UsageError, arg, explain

HOST = "127.0.0.1"


def start(*, port: int = 0, browser: bool = True, max_upload: int = 200) -> None:
    """Serve the page until Ctrl-C or SIGTERM; then remove every table and result.

    Parameters
    ----------
    port : int
        Where to listen; 0 takes any that is free.
    browser : bool
        Whether to open a browser.
    max_upload : int
        Largest table, in megabytes.
    """
    token = secrets.token_urlsafe(32)
    # What the command line has set up ends a process soon after a signal; this one cleans up.
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _leave)
    # A signal is how it is meant to end; uvicorn raises it again when it has closed everything.
    with contextlib.suppress(SystemExit), contextlib.ExitStack() as stack:
        listening = stack.enter_context(_listen(port))
        port = listening.getsockname()[1]
        folder = Path(tempfile.mkdtemp(prefix="tlpo-"))  # mode 0700
        stack.callback(_remove, folder)
        # Shiny's own uploads, which the page does not use, would go there as well.
        tempfile.tempdir = str(folder)
        server = uvicorn.Server(
            uvicorn.Config(
                make_app(Analyses(folder), token, port, max_upload),
                log_level="warning",  # addresses, which are secret, are logged as information
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=1,
            )
        )
        if hasattr(signal, "SIGHUP"):  # the terminal was closed
            signal.signal(signal.SIGHUP, lambda *_: setattr(server, "should_exit", True))
        address = f"http://{HOST}:{port}/{token}/"
        print(f"tlpo app is running at\n\n    {address}\n\nCtrl-C ends it and removes all tables.")
        sys.stdout.flush()
        if browser:
            webbrowser.open(_signpost(folder, address).as_uri())
        server.run(sockets=[listening])


def make_app(analyses: Analyses, token: str, port: int, max_upload: int) -> Guard:
    """Put guard, routes and pages together."""
    pages = Pages(analyses, max_upload)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        analyses.workers.prepare()
        try:
            yield
        finally:
            await analyses.workers.close()

    below = [*routes(analyses, max_upload), Mount("/", app=pages)]
    app = Starlette(routes=[Mount(f"/{token}", routes=below)], lifespan=lifespan)
    return Guard(app, token, port)


def _listen(port: int) -> socket.socket:
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen()  # a browser may be quicker than the server
    except (OSError, OverflowError) as error:
        listening.close()
        raise UsageError(
            explain(
                "The page cannot be served there.",
                f"You passed {arg('port', port)}: {getattr(error, 'strerror', None) or error}.",
                "Leave it out to take any port that is free.",
            )
        ) from error
    return listening


def _signpost(folder: Path, address: str) -> Path:
    """Write a file that leads to the page: on a command line, every user could read the address."""
    path = folder / "open.html"
    with open(path, "x", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.write(
            f'<!DOCTYPE html><title>tlpo</title><meta name="referrer" content="no-referrer">'
            f'<meta http-equiv="refresh" content="0; url={escape(address)}">'
        )
    return path


def _remove(folder: Path) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):  # nothing disturbs it
        signal.signal(number, signal.SIG_IGN)
    shutil.rmtree(folder, ignore_errors=True)


def _leave(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
    raise SystemExit(128 + number)
