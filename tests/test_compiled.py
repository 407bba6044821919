"""Where machine code is kept, and when it is made."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tlpo

pytestmark = pytest.mark.long


def run(code, env):
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env={**os.environ, **env}, capture_output=True, text=True)


PLAY = (
    "import numpy as np, tlpo; from tlpo.engines.least_squares import kernels;"
    "x = np.random.default_rng(0).normal(size=(20, 2));"
    "print(tlpo.tournament(tlpo.RLS(), x, np.arange(20) % 2, engine='least-squares').n_ties);"
    "print(kernels.play_rows.stats.cache_path)"
)


def test_machine_code_is_kept_beside_the_package_or_in_the_cache(tmp_path):
    shown = run(PLAY, {"NUMBA_CACHE_DIR": str(tmp_path)})
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.split()[0] == "0"
    assert str(tmp_path) in shown.stdout
    assert list(tmp_path.rglob("*.nbi"))


def test_a_place_without_any_cache_only_costs_time(tmp_path):
    """Neither the package's folder nor a home can be written: it compiles, and works."""
    package = tmp_path / "tlpo"
    shutil.copytree(
        Path(tlpo.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__")
    )
    (package / "engines" / "least_squares" / "__pycache__").write_text(
        "a file where numba would like a folder"
    )
    nowhere = {"HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null", "PYTHONPATH": str(tmp_path)}
    code = PLAY.replace("kernels.play_rows.stats.cache_path", "tlpo.__file__")
    shown = run(code, {**nowhere, "PYTHONDONTWRITEBYTECODE": "1"})
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.split() == ["0", str(package / "__init__.py")]


def test_numba_is_not_imported_before_it_is_needed():
    code = (
        "import sys, tlpo; from sklearn.dummy import DummyClassifier;"
        "tlpo.tournament(DummyClassifier(), [[0.0]] * 6, [0, 1] * 3); print('numba' in sys.modules)"
    )
    assert run(code, {}).stdout.strip() == "False"
