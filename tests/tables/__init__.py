"""Small tables of patients, written by the tests, and the answer that `tlpo run` gives to one."""

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from tlpo.commands.cli import main


def patients(m=24, seed=0):
    rng = np.random.default_rng(seed)
    ill = np.arange(m) % 2 == 0
    return pd.DataFrame(
        {
            "patient": [f"P{k:02d}" for k in range(m)],
            "age": (50 + 10 * rng.normal(size=m)).round(),
            "marker": (rng.normal(size=m) + 1.2 * ill).round(3),
            "site": np.where(rng.random(m) < 0.5, "north", "south"),
            "smoker": rng.random(m) < 0.4,
            "clinic": "A",
            "outcome": np.where(ill, "yes", "no"),
        }
    )


def answer(frame, *arguments, name="t.csv"):
    """Run the command on a table, or on a file that is there; return what it prints, in a line."""
    out, err = io.StringIO(), io.StringIO()
    if frame is not None:
        frame.to_csv(name, index=False)
    told = ["tlpo", "run", name, "--target", "outcome", "--model", "rls", "--n-jobs", "1"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", [*told, *map(str, arguments)])
        with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
            main()
    text = " ".join((out.getvalue() or err.getvalue()).split())
    return Answer(ended.value.code or 0, text, " ".join(err.getvalue().split()))


class Answer(NamedTuple):
    """Exit code, what is printed as the answer or else as the error, and what is said besides."""

    code: int
    text: str
    said: str
