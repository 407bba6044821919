"""Ctrl-C and SIGTERM: both unwind the stack, so that workers are stopped, and say how to go on."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from types import FrameType

# A person who presses Ctrl-C should not wait longer than this.
PATIENCE = 1.5


class Terminated(SystemExit):
    """The process was asked to end; raised by SIGTERM while rounds are played."""


_advice: list[Callable[[], str]] = []  # of the runs that are under way, the outermost first


@contextmanager
def interruptible(advice: Callable[[], str]) -> Iterator[None]:
    """Let SIGTERM end the block as Ctrl-C does; both say what ``advice()`` returns.

    A process that dies of SIGTERM at once, as is the default, leaves its workers behind. A handler
    of the user's own is respected.
    """
    ours = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    )
    if ours:
        signal.signal(signal.SIGTERM, _terminate)
    _advice.append(advice)
    try:
        yield
    except KeyboardInterrupt as interrupt:
        if len(_advice) == 1:  # of runs within runs the outermost is the one to start again
            interrupt.add_note(advice())
        raise
    except Terminated:
        if ours:
            # No traceback shows a note of SystemExit.
            print(f"Terminated. {advice()}", file=sys.stderr, flush=True)
        raise
    finally:
        _advice.remove(advice)
        if ours:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


def end_in_time() -> None:
    """End the process soon after Ctrl-C or SIGTERM, even while a long fit does not return.

    Python raises KeyboardInterrupt between two of its own instructions: a fit in compiled code may
    hold it up for minutes. What a journal acknowledged is on the disk, so nothing is lost. For the
    command line only; a notebook should not be ended.
    """
    if os.name == "nt":
        return
    heard, told = os.pipe()
    os.set_blocking(told, False)
    signal.set_wakeup_fd(told, warn_on_full_buffer=False)
    threading.Thread(target=_end_soon, args=(heard,), daemon=True).start()


def _end_soon(heard: int) -> None:
    while (number := os.read(heard, 1)[0]) not in (signal.SIGINT, signal.SIGTERM):
        pass
    time.sleep(PATIENCE)
    word = "Interrupted." if number == signal.SIGINT else "Terminated."
    print(" ".join([word, *(advice() for advice in _advice[:1])]), file=sys.stderr, flush=True)
    os._exit(128 + number)


@cache
def end_with(parent: int) -> None:
    """Let this worker end when the process that started it is gone, killed without a chance to."""
    if os.getppid() == parent:
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


def _terminate(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
    raise Terminated(128 + number)


def _forget() -> None:
    """Let a forked worker die of SIGTERM at once, as whoever started it expects."""
    if signal.getsignal(signal.SIGTERM) is _terminate:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.set_wakeup_fd(-1)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
