"""Who may talk to the page: only a browser on this machine that was given the secret address."""

from __future__ import annotations

import secrets
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

# No style can be asked of Shiny but inline; nothing else of the page is.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self'; connect-src 'self' {sockets}; frame-src 'self'; "
    "frame-ancestors 'self'; base-uri 'none'; form-action 'none'"
)
HEADERS = {
    "referrer-policy": "no-referrer",  # the address is the secret
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",  # patients do not belong in a browser's cache
}
REFUSED = b"403: This address is not complete. Use the one that tlpo app printed.\n"


class Guard:
    """Refuse every request that does not come from the page itself.

    Everything lives under the token, so that another user of the machine, who can reach the port,
    finds nothing. A page elsewhere can make a browser send requests here: its ``Origin`` gives it
    away, and if it points a name of its own to 127.0.0.1 (DNS rebinding), the ``Host`` does.

    Parameters
    ----------
    app : ASGI application
        What is guarded; it sees paths with the token.
    token : str
        The secret part of the address.
    port : int
        Where the server listens.
    """

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self.app = app
        self._token = token.encode()
        self._hosts = {f"{name}:{port}".encode() for name in ("127.0.0.1", "localhost")}
        sockets = " ".join(f"ws://{host.decode()}" for host in sorted(self._hosts))
        self._headers = {**HEADERS, "content-security-policy": POLICY.format(sockets=sockets)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what may come in, with headers that keep the answer where it belongs."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif not self._is_welcome(scope):
            await self._refuse(scope, send)
        else:
            await self.app(scope, receive, self._with_headers(send))

    def _is_welcome(self, scope: Scope) -> bool:
        given = _all(scope, b"host"), _all(scope, b"origin")
        hosts, origins = given
        # A browser sends one of each at most; whoever sends two hopes that we read the other one.
        if len(hosts) != 1 or hosts[0] not in self._hosts or len(origins) > 1:
            return False
        if origins and origins[0] != b"http://" + hosts[0]:
            return False
        first = scope["path"].split("/")[1:2]
        return bool(first) and secrets.compare_digest(first[0].encode(), self._token)

    async def _refuse(self, scope: Scope, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        send = self._with_headers(send)
        headers = [(b"content-type", b"text/plain; charset=utf-8")]
        await send({"type": "http.response.start", "status": 403, "headers": headers})
        await send({"type": "http.response.body", "body": REFUSED})

    def _with_headers(self, send: Send) -> Send:
        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                given: list[tuple[bytes, bytes]] = list(message.get("headers", ()))
                names = {name.lower() for name, _ in given}
                given += [
                    (name.encode(), value.encode())
                    for name, value in self._headers.items()
                    if name.encode() not in names
                ]
                message = {**message, "headers": given}
            await send(message)

        return guarded


def _all(scope: Scope, name: bytes) -> list[Any]:
    return [value for key, value in scope["headers"] if key.lower() == name]
