"""Processes that do the work of the page (`tlpo.app.work`), one of them started beforehand."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable, Coroutine
from contextlib import suppress
from contextvars import Context
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
Hear = Callable[[dict[str, Any]], None]
# Seconds a process has to end by itself, which it does within 1.5 (`interrupt.GRACE_SECONDS`).
PATIENCE = 1.8
# The longest line: a table of 20 000 columns is described in about 2 MB.
LONGEST = 2**26


def start_apart(work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Start a task that knows no session.

    A task keeps the context it was started in as long as it lives, and a tab's session is part of
    that: without this, a worker would keep the session of whoever pressed a button in memory.
    """
    return asyncio.create_task(work, context=Context())


class Worker:
    """A process that does one job after the other for an analysis."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._hearing: dict[int, Hear] = {}
        self._is_stopped = False
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def start(cls, folder: Path) -> Worker:
        """Start a process whose temporary files are in a folder."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tlpo.app.work"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=LONGEST,
            # A group of its own, so that its own workers can be ended with it.
            start_new_session=True,
            env={**os.environ, "TMPDIR": str(folder), "JOBLIB_TEMP_FOLDER": str(folder)},
        )
        return cls(process)

    @property
    def is_busy(self) -> bool:
        """Whether jobs are unfinished."""
        return bool(self._hearing)

    @property
    def is_alive(self) -> bool:
        """Whether it can take jobs."""
        return self._process.returncode is None and not self._is_stopped

    def send(self, job: dict[str, Any], hear: Hear) -> None:
        """Give it a job; ``hear`` is called with whatever it tells, the last being its end."""
        number = max(self._hearing, default=0) + 1
        self._hearing[number] = hear
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({**job, "number": number}).encode() + b"\n")

    async def stop(self) -> None:
        """End the process and all it has started, within two seconds."""
        self._is_stopped = True
        self._signal(signal.SIGTERM)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), PATIENCE)
        # Its own workers may outlive it.
        self._signal(9)
        await self._listening

    def _signal(self, number: int) -> None:
        with suppress(ProcessLookupError):
            if os.name == "nt":  # no groups; its own workers notice that it is gone
                self._process.kill()
            else:
                os.killpg(self._process.pid, number)

    async def _listen(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            told = json.loads(line)
            number = told.pop("job")
            hear = self._hearing[number]
            if "end" in told:
                del self._hearing[number]
            hear(told)
        await self._process.wait()
        left, self._hearing = list(self._hearing.values()), {}
        for hear in left:
            hear({"died": self._process.returncode, "stopped": self._is_stopped})


class Workers:
    """Hands out workers; the next one is already importing.

    Parameters
    ----------
    folder : Path
        For their temporary files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._spare: asyncio.Task[Worker] | None = None
        self._out: set[Worker] = set()
        self._tasks: set[asyncio.Task[None]] = set()  # the loop itself keeps no reference
        self.is_closed = False

    def prepare(self) -> None:
        """Start the next worker."""
        self._spare = start_apart(Worker.start(self._folder))

    async def take(self) -> Worker:
        """Return a worker that nobody else uses; those that have nothing to do are ended.

        So one table at most stays in memory without need, however many tabs are open.
        """
        idle = [worker for worker in self._out if not worker.is_busy]
        self._tasks |= {start_apart(self.give_back(worker)) for worker in idle}
        self._tasks = {task for task in self._tasks if not task.done()}
        if self._spare is None:
            self.prepare()
        assert self._spare is not None
        spare, self._spare = self._spare, None
        worker = await spare
        self._out.add(worker)
        self.prepare()
        return worker

    async def give_back(self, worker: Worker) -> None:
        """End a worker: nothing of an analysis stays in memory."""
        self._out.discard(worker)
        await worker.stop()

    async def close(self) -> None:
        """End all workers; there will be no others."""
        self.is_closed = True
        spare, self._spare = self._spare, None
        if spare is not None:
            self._out.add(await spare)
        await asyncio.gather(*(self.give_back(worker) for worker in list(self._out)))
