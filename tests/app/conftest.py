"""The page in Debian's Chromium, which ``scripts/install-browser`` installs."""

import shutil

import pytest

from app.serving import serving


@pytest.fixture(scope="module")
def server():
    with serving() as found:
        yield found


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright  # not everywhere where other tests run

    chromium = shutil.which("chromium")
    assert chromium, "run scripts/install-browser"
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def context(browser, server):
    from app.paging import PATIENCE

    found = browser.new_context(viewport={"width": 1280, "height": 900})
    found.set_default_timeout(PATIENCE)
    found.grant_permissions(["clipboard-read", "clipboard-write"])
    requests = []
    found.on("request", lambda request: requests.append(request.url))
    yield found
    found.close()
    # No request leaves the machine, nor the part of it that has the token.
    away = [u for u in requests if not u.startswith((server.address, "data:", "blob:"))]
    assert away == []


@pytest.fixture
def page(context, server):
    complaints = []
    found = context.new_page()
    found.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
    found.on("pageerror", lambda error: complaints.append(str(error)))
    found.goto(server.address)
    yield found
    assert complaints == []
