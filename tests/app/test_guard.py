"""Who gets in: requests as they reach the server, without a browser that would be polite."""

import asyncio

import pytest

from tlpo.app.guard import Guard

TOKEN, PORT = "s3cret-Token", 8765
HOST = f"127.0.0.1:{PORT}"


async def inside(scope, receive, send):
    headers = [(b"content-security-policy", b"own")] if scope["path"].endswith("own") else []
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
    else:
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"patients"})


def ask(path, *, kind="http", host=HOST, origin=None, more=()):
    headers = [(b"host", host.encode())] if host is not None else []
    headers += [(b"origin", origin.encode())] if origin is not None else []
    scope = {"type": kind, "path": path, "headers": [*headers, *more], "method": "GET"}
    sent = []

    async def send(message):
        sent.append(message)

    asyncio.run(Guard(inside, TOKEN, PORT)(scope, None, send))
    return sent


def is_in(sent):
    if sent[0]["type"] == "http.response.start":
        assert sent[0]["status"] in (200, 403)
        assert (b"patients" in sent[1]["body"]) == (sent[0]["status"] == 200)
        return sent[0]["status"] == 200
    assert sent in ([{"type": "websocket.accept"}], [{"type": "websocket.close", "code": 1008}])
    return sent[0]["type"] == "websocket.accept"


@pytest.mark.parametrize("kind", ["http", "websocket"])
class TestBoth:
    @pytest.mark.parametrize("host", [HOST, f"localhost:{PORT}"])
    @pytest.mark.parametrize("origin", [True, False])
    def test_the_page_itself_gets_in(self, kind, host, origin):
        origin = f"http://{host}" if origin else None
        assert is_in(ask(f"/{TOKEN}/websocket/", kind=kind, host=host, origin=origin))
        assert is_in(ask(f"/{TOKEN}", kind=kind, host=host, origin=origin))

    @pytest.mark.parametrize(
        "path",
        [
            *("/", "", "/wrong/", f"/{TOKEN[:-1]}/", f"/{TOKEN}x/", f"/{TOKEN.lower()}/"),
            *(f"/x/{TOKEN}/", f"//{TOKEN}/", f"/x/../{TOKEN}/", "/tökén/", f"/{TOKEN}\x00/"),
        ],
    )
    def test_a_wrong_token_does_not(self, kind, path):
        assert not is_in(ask(path, kind=kind))

    @pytest.mark.parametrize(
        "host",
        [
            *("evil.example", f"evil.example:{PORT}", "127.0.0.1", "localhost", f"{HOST}0", ""),
            *(f"127.0.0.1.evil.example:{PORT}", f"0.0.0.0:{PORT}", f"[::1]:{PORT}", None),
        ],
    )
    def test_a_name_that_was_rebound_to_this_machine_does_not(self, kind, host):
        assert not is_in(ask(f"/{TOKEN}/", kind=kind, host=host))
        assert not is_in(ask(f"/{TOKEN}/", kind=kind, host=host, origin=f"http://{host}"))

    @pytest.mark.parametrize(
        "origin",
        [
            *("http://evil.example", "null", "", f"https://{HOST}", "http://127.0.0.1:1"),
            f"http://localhost:{PORT}",  # another site, for a browser
        ],
    )
    def test_a_page_elsewhere_does_not(self, kind, origin):
        assert not is_in(ask(f"/{TOKEN}/", kind=kind, origin=origin))

    def test_two_headers_do_not(self, kind):
        for more in ((b"host", b"evil.example"), (b"Host", HOST.encode())):
            assert not is_in(ask(f"/{TOKEN}/", kind=kind, more=[more]))
        twice = [(b"origin", b"http://evil.example")]
        assert not is_in(ask(f"/{TOKEN}/", kind=kind, origin=f"http://{HOST}", more=twice))


@pytest.mark.parametrize("path", [f"/{TOKEN}/", "/wrong"])
def test_nothing_may_be_loaded_from_or_sent_elsewhere(path):
    headers = dict(ask(path)[0]["headers"])
    assert headers[b"referrer-policy"] == b"no-referrer"
    assert headers[b"x-content-type-options"] == b"nosniff"
    assert headers[b"cache-control"] == b"no-store"
    assert headers[b"cross-origin-resource-policy"] == b"same-origin"
    rules = dict(
        rule.split(" ", 1) for rule in headers[b"content-security-policy"].decode().split("; ")
    )
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == "'self'"
    assert rules["frame-ancestors"] == "'self'"
    sources = {word for words in rules.values() for word in words.split()}
    own = {f"ws://{HOST}", f"ws://localhost:{PORT}"}
    assert sources - own == {"'self'", "'none'", "'unsafe-inline'", "data:"}
    assert rules["img-src"] == "'self' data:"


def test_a_stricter_policy_is_left_alone():
    sent = ask(f"/{TOKEN}/own")
    policies = [v for k, v in sent[0]["headers"] if k == b"content-security-policy"]
    assert policies == [b"own"]
