"""The run that is broken, and what may come of it."""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

import tlpo
from tlpo.execution import run
from tlpo.execution.journal import read_journal

N_GAMES = 231
_rng = np.random.default_rng(1)
Y = np.isin(np.arange(22), _rng.permutation(22)[:11]).astype(int)
X = _rng.normal(size=(22, 3)) + 0.8 * Y[:, None]
# The outcomes of a fault. The last three must never occur.
FINE, REFUSED = "identical", "refused"
WRONG, LOST, TRACEBACK = "WRONG RESULT", "LOST", "TRACEBACK"


class Counted(RegressorMixin, BaseEstimator):
    """Appends one character to a file per fit, and takes a millisecond."""

    def fit(self, X, y):
        with Path(os.environ.get("FITS", os.devnull)).open("a") as file:
            file.write(".")
        time.sleep(0.001)
        self.direction_ = X[y > 0].mean(axis=0) - X[y < 0].mean(axis=0)
        return self

    def predict(self, X):
        return X @ self.direction_


def small_chunks():
    """Let a journal have many records, so that faults hit all kinds of places."""
    run.CHUNK_SECONDS, run.PROBE_SECONDS, run.CHUNKS_A_SECOND = 0.01, 0.002, 1000


def play(journal, file=os.devnull, n_jobs=1):
    os.environ["FITS"] = str(file)
    return tlpo.tournament(Counted(), X, Y, journal=journal, n_jobs=n_jobs)


def same(t, whole):
    return np.array_equal(t.predictions, whole.predictions, equal_nan=True) and np.array_equal(
        t.scores, whole.scores
    )


def kept(journal):
    """Return the games in a journal."""
    games = set()
    if journal.exists() and journal.stat().st_size:
        with suppress(tlpo.JournalError):
            for part in read_journal(journal)[0].values():
                for runs in part.progress().values():
                    games.update(k for start, stop, _ in runs for k in range(start, stop))
    return games


def outcome_of(attempt: Callable[[], str]) -> str:
    """Return what an attempt returns; a refusal must have three parts, and nothing else is one."""
    try:
        return attempt()
    except (tlpo.JournalError, tlpo.GameError, tlpo.InputError) as error:
        return REFUSED if len(str(error).splitlines()) == 3 else TRACEBACK
    except Exception:
        traceback.print_exc()
        return TRACEBACK
