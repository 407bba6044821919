"""How far a reader walks: the files of tlpo that an act enters, once everything is compiled.

python -m studies.walks
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

# A kernel in threads is entered from a thread that nobody profiles.
os.environ.setdefault("NUMBA_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tlpo
from tlpo.commands.cli import main

ROOT = Path(tlpo.__file__).parent


def entered(act: Callable[[], object]) -> list[str]:
    """Return the files in which the second of two acts calls a function."""
    act()
    files = set()

    def see(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            files.add(frame.f_code.co_filename)

    threading.setprofile(see)
    sys.setprofile(see)
    try:
        act()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    inside = [Path(file) for file in files if file.startswith(f"{ROOT}{os.sep}")]
    return sorted(str(file.relative_to(ROOT)) for file in inside)


def walks(folder: Path) -> dict[str, Callable[[], object]]:
    """Return what is walked: a tournament, one behind a scaler, with its interval, and commands."""
    y = np.arange(30) % 2
    X = np.random.default_rng(0).normal(size=(30, 5)) + 0.5 * y[:, None]
    logistic = make_pipeline(StandardScaler(), LogisticRegression())
    file, page = str(folder / "patients.csv"), str(folder / "report.html")
    table = pd.DataFrame(X, columns=list("abcde")).assign(outcome=np.where(y, "ill", "well"))
    table.to_csv(file, index=False)

    def described(t: tlpo.Tournament) -> object:
        return repr(t), t.auc_interval()

    def command(*words: str) -> None:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            told, sys.argv = sys.argv, ["tlpo", *words]
            try:
                main()
            except SystemExit as ended:
                if ended.code:
                    raise RuntimeError(f"tlpo {words[0]} ended with {ended.code}.") from ended
            finally:
                sys.argv = told

    asked = [file, "--target", "outcome", "--quiet", "--html", page]
    return {
        "tournament(RLS())": lambda: tlpo.tournament(tlpo.RLS(), X, y),
        "… with repr and interval": lambda: described(tlpo.tournament(tlpo.RLS(), X, y)),
        "tournament(scaler → logistic)": lambda: tlpo.tournament(logistic, X, y),
        "… with repr and interval, too": lambda: described(tlpo.tournament(logistic, X, y)),
        "tlpo run --model ridge --html": lambda: command("run", *asked, "--model", "ridge"),
        "tlpo marker --html": lambda: command("marker", *asked, "--marker", "a"),
    }


def main_() -> None:
    """Print every walk: how many files, in which folders, and which."""
    with tempfile.TemporaryDirectory() as folder:
        for name, act in walks(Path(folder)).items():
            files = entered(act)
            rooms = Counter(file.partition("/")[0] if "/" in file else "(top)" for file in files)
            listed = ", ".join(f"{room} {n}" for room, n in rooms.most_common())
            print(f"{name}: {len(files)} files ({listed})\n    {' '.join(files)}", flush=True)


if __name__ == "__main__":
    main_()
