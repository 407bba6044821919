"""Ctrl-C and SIGTERM: both unwind the stack, so that workers are stopped, and say how to go on."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


class Terminated(SystemExit):
    """The process was asked to end; raised by SIGTERM while rounds are played."""


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
    try:
        yield
    except KeyboardInterrupt as interrupt:
        if not getattr(interrupt, "__notes__", None):  # runs may be nested
            interrupt.add_note(advice())
        raise
    except Terminated:
        if ours:
            # No traceback shows a note of SystemExit.
            print(f"Terminated. {advice()}", file=sys.stderr, flush=True)
        raise
    finally:
        if ours:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _terminate(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
    raise Terminated(128 + number)
