"""A limit on how long a piece of work may take.

When time is up the main thread is interrupted as if someone had pressed Ctrl-C. Work that answers
Ctrl-C with its best so far ends in the same way, and compiled code ends where it returns to Python.
"""

from __future__ import annotations

import _thread
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import TypeVar

Result = TypeVar("Result")

_MOMENT = 0.05
"""Seconds in which an interrupt that is on its way arrives."""


class TimeIsUp(Exception):  # noqa: N818  nothing went wrong
    """The work took longer than it was allowed to."""


def within(seconds: float | None, work: Callable[[], Result]) -> Result:
    """Do a piece of work, or raise ``TimeIsUp`` if it takes longer.

    Parameters
    ----------
    seconds : float or None
        The limit; None for no limit. Outside the main thread, which alone can be interrupted, work
        that takes longer runs to its end.
    work : callable
        What to do.

    Examples
    --------
    >>> within(10.0, lambda: "done")
    'done'
    """
    if seconds is None:
        return work()
    started = time.perf_counter()
    alarm = _Alarm(seconds)
    try:
        with alarm:
            result = work()
        if alarm.rang:
            time.sleep(_MOMENT)
    except KeyboardInterrupt:
        if not alarm.rang:
            raise
    if alarm.rang or time.perf_counter() - started > seconds:
        raise TimeIsUp
    return result


class _Alarm:
    """Interrupts the main thread unless it is left in time."""

    def __init__(self, seconds: float) -> None:
        self.rang = False
        self._left = False
        self._lock = threading.Lock()
        self._timer = threading.Timer(seconds, self._ring)
        self._timer.daemon = True

    def __enter__(self) -> None:
        if threading.current_thread() is threading.main_thread():
            self._timer.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with self._lock:
            self._left = True
        self._timer.cancel()

    def _ring(self) -> None:
        with self._lock:
            if not self._left:
                self.rang = True
                _thread.interrupt_main()
