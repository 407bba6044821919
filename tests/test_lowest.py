"""The minima that `make lowest` installs are those that pyproject.toml declares."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_every_dependency_has_a_minimum_that_is_tested():
    run = [sys.executable, ROOT / "scripts" / "lowest.py"]
    found = subprocess.run(run, capture_output=True, text=True, check=True).stdout.split()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = [*project["dependencies"]]
    for extra in ("io", "paper", "cluster"):
        needed += project["optional-dependencies"][extra]
    assert all(re.fullmatch(r"[\w-]+>=[\d.]+", line) for line in needed)
    assert {line.replace(">=", "==") for line in needed} <= set(found)
    assert not any(line.startswith(("mypy", "ruff")) for line in found)  # tools, not parts
