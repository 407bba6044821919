"""Print a report as PDF, by a browser that is installed."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from tlpo.errors import UsageError, arg, explain
from tlpo.execution.replace import replacing

# Chromium and its relatives print from the command line; Firefox does not.
BROWSERS = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"),
    *("msedge", "microsoft-edge", "brave-browser"),
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
)
MOST_SECONDS = 120.0


def find_browser() -> str | None:
    """Return the first browser that can print, or None."""
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


def require_browser(name: str, path: Path) -> str:
    """Return a browser, or say how to do without."""
    browser = find_browser()
    if browser is None:
        raise UsageError(
            explain(
                "A PDF is printed by Chromium, Chrome or Edge, and none was found.",
                f"You passed {arg(name, str(path))}.",
                f"Install one of them, or pass {arg(name, f'{path.stem}.html')} and print that "
                "from any browser.",
            )
        )
    return browser


def write_pdf(path: Path, page: str, browser: str) -> None:
    """Print a page; the file is replaced in one step."""
    with replacing(path) as beside, tempfile.TemporaryDirectory(prefix="tlpo-") as folder:
        source = Path(folder) / "report.html"
        # Paper cannot be unfolded, and not every browser prints what is folded.
        source.write_text(page.replace("<details>", "<details open>"), encoding="utf-8")
        # The administrator, as in a container, has no sandbox; the page runs no scripts.
        is_root = hasattr(os, "geteuid") and os.geteuid() == 0
        command = [
            *(browser, "--headless", "--disable-gpu", "--no-first-run"),
            *(["--no-sandbox"] if is_root else []),
            *("--disable-background-networking", f"--user-data-dir={folder}/profile"),
            *("--no-pdf-header-footer", f"--print-to-pdf={beside.absolute()}", source.as_uri()),
        ]
        try:
            done = subprocess.run(command, capture_output=True, timeout=MOST_SECONDS, check=False)
            said = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        except subprocess.TimeoutExpired:
            said = [f"no answer within {MOST_SECONDS:g} s"]
        if not beside.exists() or not beside.read_bytes().startswith(b"%PDF"):
            reason = " ".join(said) or "it gave no reason"
            raise OSError(errno.EIO, f"the browser did not print it ({reason})")
