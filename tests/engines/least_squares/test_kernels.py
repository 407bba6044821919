"""Compiled kernels against their NumPy twins, and how they are kept."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tlpo
from engines.least_squares import twins
from tlpo.engines.least_squares import kernels


def hat(m=23, k=4, seed=0, doubled=True):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(m, k))
    if doubled:
        Z[1] = Z[0]
    Q = Z @ np.linalg.inv(np.linalg.cholesky(Z.T @ Z + np.eye(k))).T
    y = np.where(rng.uniform(size=m) < 0.5, 1.0, -1.0)
    H = Q @ Q.T
    a = 1 - np.diag(H)
    return Q, H, a, H @ y - np.diag(H) * y, y, rng


@pytest.mark.parametrize("opposite", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_play_rows_against_twin(opposite, weighted):
    _, H, a, u, y, rng = hat()
    m = len(y)
    g = rng.uniform(0.5, 2, m) if weighted else np.ones(m)
    wins, doubts = np.zeros((m, 2), dtype=np.int32), np.zeros((50, 2), dtype=np.intp)
    ties = n_doubts = 0
    for first, middle, last in ((0, 4, 9), (9, 9, 20), (20, 22, m)):  # blocks, each in two parts
        rows = np.ascontiguousarray(H[first:last, first:])
        for low, high in ((first, middle), (middle, last)):
            same = (a, u, y, g, y > 0, opposite, 1e-15, 0.0)
            t, d = kernels.play_rows(rows, 1.0, first, low, high, *same, wins, doubts)
            ties, n_doubts = ties + t, n_doubts + d
    expected, expected_ties = twins.play(H, a, u, y, g, y > 0, opposite)
    assert np.array_equal(wins, expected)
    assert ties == expected_ties
    assert n_doubts == 0
    assert (ties > 0) == (not weighted and (not opposite or y[0] != y[1]))


def test_play_rows_writes_down_doubtful_games():
    _, H, a, u, y, _ = hat()
    m = len(y)
    same = (a, u, y, np.ones(m), y > 0, False)
    wins, doubts = np.zeros((m, 2), dtype=np.int32), np.zeros((3, 2), dtype=np.intp)
    # errors so large that every game is doubtful: all are ties, the first three are kept
    ties, n = kernels.play_rows(-H, -1.0, 0, 0, m, *same, 1e3, 0.0, wins, doubts)
    assert n == ties == m * (m - 1) // 2
    assert doubts.tolist() == [[0, 1], [0, 2], [0, 3]]
    assert wins.sum() == m * (m - 1)
    # determinants so small that nothing is determined
    wins[:] = 0
    ties, n = kernels.play_rows(-H, -1.0, 0, 0, m, *same, 0.0, 10.0, wins, doubts)
    assert n == ties == m * (m - 1) // 2


def test_predict_rows_against_twin():
    _, H, a, u, y, _ = hat()
    table = np.zeros((len(y), len(y)))
    kernels.predict_rows(np.ascontiguousarray(H[:9]), 1.0, 0, a, u, y, table)
    kernels.predict_rows(np.ascontiguousarray(-H[9:, 9:]), -1.0, 9, a, u, y, table)
    assert table == pytest.approx(twins.predictions(H, a, u, y), nan_ok=True)


def test_predict_pair_without_freedom_has_no_answer():
    assert kernels.predict_pair(0.5, 0.5, 0.5, 0.1, 0.1, 1.0, 1.0) == (0.0, 0.0, np.inf)


@pytest.mark.parametrize("n", [1, 3, 4, 7, 12])
def test_dot_against_numpy(n):
    x, y = np.random.default_rng(n).normal(size=(2, n))
    assert kernels.dot(x, y) == pytest.approx(x @ y)


@pytest.mark.parametrize("opposite", [False, True])
@pytest.mark.parametrize("everything", [False, True])
def test_play_near_against_twin(opposite, everything):
    """Starting from the order of p and playing the open games gives what playing all gives."""
    Q, _, a, u, y, _ = hat(m=60, k=3, seed=1)
    order = np.argsort(u / a, kind="stable")
    Q, a, u, y = Q[order], a[order], u[order], y[order]
    p, m, positive = u / a, len(y), y > 0
    r, q = np.abs(y - p), np.sqrt(1 - a)
    v, w, t = q * r, q / a, (1 - a) / a
    change, doubts = np.zeros((m, 2), dtype=np.int32), np.zeros((5, 2), dtype=np.intp)
    end = np.full(m, m)
    slack = 1e9 if everything else 1e-11
    evaluated, ties, n_doubts = kernels.play_near(
        0, m, end, Q, p, v, w, t, r, a, u, y, positive, slack, opposite, 1e-15, change, doubts
    )
    later = np.array([[2 * np.sum(positive[:i] == c) for c in (False, True)] for i in range(m)])
    if opposite:
        later[np.arange(m), positive.astype(int)] = 0
    expected, expected_ties = twins.play(Q @ Q.T, a, u, y, np.ones(m), positive, opposite)
    assert np.array_equal(later + change, expected)
    assert ties == expected_ties
    assert n_doubts == 0
    games = positive.sum() * (~positive).sum() if opposite else m * (m - 1) // 2
    assert evaluated == games if everything else evaluated < games


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
