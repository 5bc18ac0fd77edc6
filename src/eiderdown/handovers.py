"""Quick handovers of Python's lock while threads work.

Kernels run without the lock, and take it back when they end. A thread that holds it gives it away
only when asked for as long as ``sys.getswitchinterval()`` says, 5 ms as Python comes: longer than
most kernels take, so that every one of them would end in a wait of that length.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from eiderdown.forked import held_while_forking

INTERVAL = 0.0002
"""Seconds; with less, handing over costs more than waiting."""

_ROUNDING = 5e-7  # Python cuts off what is less than a microsecond
_LOCK = Lock()
held_while_forking(_LOCK)
_BEFORE: list[float] = []  # the interval of before, once for each that asked


@contextmanager
def quick_handovers() -> Iterator[None]:
    """Let threads hand the lock over sooner; the last to leave restores what was before.

    Examples
    --------
    >>> before = sys.getswitchinterval()
    >>> with quick_handovers(), quick_handovers():
    ...     sys.getswitchinterval() < before
    True
    >>> sys.getswitchinterval() == before
    True
    """
    with _LOCK:
        _BEFORE.append(sys.getswitchinterval())
        sys.setswitchinterval(min(INTERVAL, _BEFORE[0]))
    try:
        yield
    finally:
        with _LOCK:
            earlier = _BEFORE[0]
            _BEFORE.pop()
            if not _BEFORE:
                sys.setswitchinterval(earlier + _ROUNDING)
