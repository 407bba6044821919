"""Check that every link inside a built site leads somewhere: ``python check_links.py FOLDER``."""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """Collects the links and the anchors of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, _tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag links to, and its id."""
        for name, value in attrs:
            if value and name in ("href", "src"):
                self.links.append(value)
            if value and name in ("id", "name"):
                self.anchors.add(value)


def dead_links(folder: Path) -> list[str]:
    """Return a line for every link without a target; links to other sites are not followed."""
    pages = {}
    for path in folder.rglob("*.html"):
        if "_static" in path.parts:  # templates of the theme
            continue
        pages[path.resolve()] = page = Page()
        page.feed(path.read_text(encoding="utf-8"))
    found = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchors = pages[target].anchors if target in pages else set()
            if not target.exists() or (
                parts.fragment and target in pages and unquote(parts.fragment) not in anchors
            ):
                found.append(f"{path.relative_to(folder.resolve())}: {link}")
    return sorted(set(found))


if __name__ == "__main__":
    lines = dead_links(Path(sys.argv[1]))
    print("\n".join(lines) or "No dead links.")
    sys.exit(bool(lines))
