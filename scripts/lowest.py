"""Print every declared dependency at its declared minimum, as constraints for pip.

`make lowest` runs the tests with these versions: a minimum that is not tested is a guess.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

# Tools that judge or run the code, rather than take part in it: their newest version serves.
TOOLS = {"codespell", "import-linter", "mypy", "pandas-stubs", "ruff", "scipy-stubs"}


def minima(text: str) -> list[str]:
    """Return ``name==minimum`` for every requirement with a minimum, extras included."""
    project = tomllib.loads(text)["project"]
    lists = [project["dependencies"], *project.get("optional-dependencies", {}).values()]
    found = [re.fullmatch(r"([\w.-]+)>=([\w.]+)", line) for part in lists for line in part]
    return [f"{m[1]}=={m[2]}" for m in found if m is not None and m[1] not in TOOLS]


if __name__ == "__main__":
    pyproject = Path(__file__).parents[1] / "pyproject.toml"
    print("\n".join(minima(pyproject.read_text(encoding="utf-8"))))
