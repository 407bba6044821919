"""Ctrl-C and SIGTERM: both unwind the stack, so that workers stop, and say how to resume."""

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

# Seconds a fit may still run after Ctrl-C or SIGTERM.
GRACE_SECONDS = 1.5
# How often a worker looks whether its parent is still there.
ORPHAN_SECONDS = 0.2


class Terminated(SystemExit):
    """The process was asked to end; raised on SIGTERM during a run."""


_advice: list[Callable[[], str]] = []  # of the current runs, the outermost first


@contextmanager
def interruptible(advice: Callable[[], str]) -> Iterator[None]:
    """Let SIGTERM end the block as Ctrl-C does; both show what ``advice()`` returns.

    By default SIGTERM kills a process at once, and its workers are left behind. A handler
    installed by the user is respected.
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
        if len(_advice) == 1:  # of nested runs, the outermost is the one to start again
            interrupt.add_note(advice())
        raise
    except Terminated:
        if ours:
            # SystemExit shows no traceback, and so no note.
            print(f"Terminated. {advice()}", file=sys.stderr, flush=True)
        raise
    finally:
        _advice.remove(advice)
        if ours:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


def end_in_time() -> None:
    """End the process soon after Ctrl-C or SIGTERM, even during a long fit.

    Python raises KeyboardInterrupt only between two of its own instructions: a fit in compiled code
    can delay it for minutes. What a journal acknowledged is on disk, so nothing is lost. Only for
    the command line: a notebook's process must survive.
    """
    if os.name == "nt":
        return
    receiver, sender = os.pipe()
    os.set_blocking(sender, False)
    signal.set_wakeup_fd(sender, warn_on_full_buffer=False)
    threading.Thread(target=_exit_after_signal, args=(receiver,), daemon=True).start()


def _exit_after_signal(receiver: int) -> None:
    while (number := os.read(receiver, 1)[0]) not in (signal.SIGINT, signal.SIGTERM):
        pass
    time.sleep(GRACE_SECONDS)
    word = "Interrupted." if number == signal.SIGINT else "Terminated."
    print(" ".join([word, *(advice() for advice in _advice[:1])]), file=sys.stderr, flush=True)
    os._exit(128 + number)


@cache
def end_with(parent: int) -> None:
    """End this worker when its parent is gone, for example killed before it could stop workers."""
    threading.Thread(target=_exit_when_orphaned, args=(parent,), daemon=True).start()


def _exit_when_orphaned(parent: int) -> None:
    # Not prctl(PR_SET_PDEATHSIG): it exists on Linux only, and would kill a worker when the thread
    # that started it ends.
    while os.getppid() == parent:
        time.sleep(ORPHAN_SECONDS)
    os._exit(1)


def _terminate(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
    raise Terminated(128 + number)


def _restore_default() -> None:
    """Let SIGTERM kill a forked worker at once, as its parent expects."""
    if signal.getsignal(signal.SIGTERM) is _terminate:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.set_wakeup_fd(-1)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_restore_default)
