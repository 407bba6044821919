"""Large tables and many analyses: what takes minutes, run with ``make slow``."""

import shutil
import time
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect, sync_playwright

from app.serving import serving

pytestmark = pytest.mark.slow
expect.set_options(timeout=600_000)


@pytest.fixture
def server():
    with serving() as found:
        yield found


@pytest.fixture
def context():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        found = browser.new_context()
        found.set_default_timeout(600_000)
        yield found
        browser.close()


def megabytes(process):
    """Return the memory that a process has now."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1000


def test_a_table_of_100_megabytes(server, context, tmp_path, capsys):
    rng = np.random.default_rng(0)
    path = tmp_path / "genes.csv"
    m, n = 600, 20_000
    with path.open("w") as file:
        file.write(",".join(["outcome", *(f"gene{k}" for k in range(n))]) + "\n")
        for row in range(m):
            values = rng.normal(size=n)
            file.write(",".join(["ab"[row % 2], *(f"{v:.5f}" for v in values)]) + "\n")
    size = path.stat().st_size / 1e6
    assert size > 100
    page = context.new_page()
    page.goto(server.address)
    started = time.monotonic()
    page.locator("#file").set_input_files(path)
    expect(page.locator("#table_found caption")).to_contain_text("600 rows, 20001 columns")
    seconds = time.monotonic() - started
    expect(page.locator("#table_columns caption")).to_contain_text("100 shown")
    page.get_by_label("Show columns whose name contains").fill("gene1999")
    expect(page.locator("#table_columns tbody tr")).to_have_count(11)
    page.get_by_label("Use gene19991").uncheck()
    page.get_by_label("Outcome", exact=True).select_option(label="outcome")
    expect(page.get_by_label("b (300 rows)")).to_be_checked()
    with capsys.disabled():
        used = megabytes(server.process)
        print(f"\n{size:.0f} MB shown after {seconds:.0f} s; the server has {used:.0f} MB")
    assert used < 1000  # the table is in the worker alone


def test_twenty_analyses_leave_nothing_in_memory(server, context, capsys):
    used = []
    for _ in range(20):
        page = context.new_page()
        page.goto(server.address)
        page.get_by_role("button", name="Take an example").click()
        page.get_by_label("Outcome", exact=True).select_option(label="diagnosis")
        expect(page.locator("#run")).to_be_enabled()
        started = time.monotonic()
        page.locator("#run").click()
        expect(page.locator("#point-ppv")).to_be_visible()
        seconds = time.monotonic() - started
        expect(page.get_by_role("link", name="Figures")).to_be_visible()
        page.close()
        used.append(megabytes(server.process))
    with capsys.disabled():
        print(f"\nMB after each analysis: {' '.join(f'{mb:.0f}' for mb in used)}")
        print(f"the last answer came after {seconds:.1f} s")
    # What the first ones load stays; afterwards an analysis leaves its numbers, about 0.2 MB.
    assert used[-1] - used[4] < 15
