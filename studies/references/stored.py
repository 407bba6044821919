"""What R computed, as it is stored for tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[2] / "tests" / "data"


def path_of(script: str) -> Path:
    """Return where the numbers of an R script are stored."""
    return DATA / f"{script}.json"


def stored(script: str) -> dict[str, Any]:
    """Return what an R script found, by data set."""
    found: dict[str, Any] = json.loads(path_of(script).read_text())["cases"]
    return found
