"""A run whose tasks are to square numbers."""

from dataclasses import dataclass

import numpy as np

from tlpo.execution.diagnostics import RunLog
from tlpo.execution.run import run_tasks


@dataclass
class Squares:
    values: list
    pids: set
    fits: int

    @property
    def finished(self):
        return len(self.values)


def gather(function, n, n_jobs, log=None):
    log = RunLog() if log is None else log
    chunks = []

    def collect(where, chunk):
        chunks.append((where, chunk))

    run_tasks(function, np.arange(n), collect, log, n_jobs=n_jobs, progress=False, title="Rounds")
    slices = [where for where, _ in chunks]
    assert [s.start for s in slices] == [0, *(s.stop for s in slices[:-1])]
    return log, chunks
