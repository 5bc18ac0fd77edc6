"""How long a thread is inside kernels, and whether such work gains from other threads.

Kernels run without Python's lock; all else holds it. Threads that do short things between short
kernels hand the lock to and fro, and each handing over costs about as much as such a kernel. So two
threads may take longer than one. One piece of work, watched on one thread, tells beforehand: how
long it is outside kernels, which threads cannot share, and how often it hands over.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import get_ident
from time import thread_time
from typing import Any, Final, Self

HANDOVER: Final = 30e-6
"""Seconds that threads lose by each kernel that one of them calls: between 17 and 55 millionths, as
measured with ``measure_confidence`` of twelve learners and tables."""

_LEAST_GAIN = 1.1  # times, as estimated: the estimate is coarse

WATCHED: dict[int, KernelTime] = {}
"""Who watches, by the thread that is watched."""


class KernelTime:
    """Watches the thread that enters it until it leaves; compiling is not counted.

    Attributes
    ----------
    n_calls : int
        How many kernels were called.
    inside, outside : float
        Seconds of CPU time within kernels, and without.

    Examples
    --------
    >>> with KernelTime() as spent:
    ...     numbers = sorted(range(1_000))
    >>> spent.n_calls, spent.inside, spent.outside > 0.0
    (0, 0.0, True)
    """

    def __init__(self, n_calls: int = 0, inside: float = 0.0, outside: float = 0.0) -> None:
        self.n_calls, self.inside, self.outside = n_calls, inside, outside
        self._compiling = self._started = 0.0

    def __enter__(self) -> Self:
        WATCHED[get_ident()] = self
        self._started = thread_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.outside = thread_time() - self._started - self.inside - self._compiling
        WATCHED.pop(get_ident(), None)

    def add(self, seconds: float, *, is_compiled: bool) -> None:
        """Count a call."""
        if is_compiled:
            self.n_calls += 1
            self.inside += seconds
        else:
            self._compiling += seconds

    def threads_pay(self, n_threads: int) -> bool:
        """Whether several pieces of such work are done sooner by so many threads than by one.

        True if there was no kernel, because nothing is known then of what holds the lock.

        Examples
        --------
        >>> KernelTime(n_calls=500, inside=0.018, outside=0.013).threads_pay(2)
        False
        >>> KernelTime(n_calls=500, inside=0.068, outside=0.016).threads_pay(2)
        True
        """
        if self.n_calls == 0:
            return True
        alone = self.inside + self.outside
        shared = max(self.outside, alone / n_threads) + HANDOVER * self.n_calls
        return alone > _LEAST_GAIN * shared


def timed(run: Callable[..., Any], args: tuple[Any, ...], *, is_compiled: bool) -> Any:
    """Call a kernel, and tell whoever watches this thread how long it took."""
    watch = WATCHED.get(get_ident())
    if watch is None:
        return run(*args)
    started = thread_time()
    try:
        return run(*args)
    finally:
        watch.add(thread_time() - started, is_compiled=is_compiled)
