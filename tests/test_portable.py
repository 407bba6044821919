"""Where POSIX ends: without locks, fork and user ids, a run still gives its result."""

import subprocess
import sys

import pytest

SCRIPT = """
import os
import sys

HIDDEN = ("fcntl", "resource", "pwd", "grp", "termios")
import joblib  # noqa: E402  (it asks for the platform, which is still this one)
import numpy as np  # noqa: E402

for name in HIDDEN:
    sys.modules[name] = None
for name in ("fork", "register_at_fork", "geteuid", "getuid", "killpg", "setsid"):
    if hasattr(os, name):
        delattr(os, name)

import tlpo  # noqa: E402
from sklearn.linear_model import Ridge  # noqa: E402

rng = np.random.default_rng(0)
X, y = rng.normal(size=(12, 2)), np.arange(12) % 2
first = tlpo.tournament(Ridge(solver='lsqr'), X, y, journal="run.tlpo")
size = os.path.getsize("run.tlpo")
again = tlpo.tournament(Ridge(solver='lsqr'), X, y, journal="run.tlpo")
assert os.path.getsize("run.tlpo") == size  # nothing was played again
assert np.array_equal(first.scores, again.scores)
from tlpo.commands.cli import main  # noqa: E402

sys.argv = ["tlpo", "run", "t.csv", "--target", "ill", "--html", "r.html", "--n-jobs", "1"]
main()
"""


@pytest.mark.long
def test_without_the_modules_of_posix(tmp_path):
    rows = ["age,ill", *(f"{30 + (7 * k) % 31},{'yes' if k % 3 else 'no'}" for k in range(24))]
    (tmp_path / "t.csv").write_text("\n".join(rows))
    shown = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, cwd=tmp_path
    )
    assert shown.returncode == 0, shown.stderr
    assert (tmp_path / "r.html").stat().st_size > 10_000
    assert "AUC" in shown.stdout
    assert "run.tlpo cannot be locked (this platform has no locks)" in shown.stderr
