"""Which core a thread or a process begins on, and which thread takes signals.

Who is woken often begins on the core of who woke it, and waits there for milliseconds until the
system moves one of the two: a virtual machine tells too late which cores are idle. Work of five
milliseconds that is shared with such a thread takes longer than alone.
"""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache


def begin_elsewhere(number: int) -> None:
    """Move a thread or process, by the system's number, off this core, if it has not begun yet.

    It may return there later. Nothing happens where that cannot be said (macOS, Windows).
    """
    if not hasattr(os, "sched_setaffinity"):
        return
    here = _core_of_this_thread()()
    with suppress(OSError):  # it has ended
        allowed = os.sched_getaffinity(number)
        others = allowed - {here}
        if others and others != allowed:
            os.sched_setaffinity(number, others)
            os.sched_setaffinity(number, allowed)


@cache
def _core_of_this_thread() -> Callable[[], int]:
    """Return what tells it, without handing over Python's lock; -1 where nothing does."""
    try:
        core: Callable[[], int] = ctypes.PyDLL(None).sched_getcpu
    except AttributeError:
        return lambda: -1
    return core


@contextmanager
def without_signals() -> Iterator[None]:
    """Leave signals to other threads, in this thread."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
