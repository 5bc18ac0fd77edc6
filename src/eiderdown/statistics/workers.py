"""Threads over shared data: the kernels release the GIL, so no table is ever copied."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from eiderdown.errors import OptionError

_Item = TypeVar("_Item")


def available_cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Workers:
    """Run a function over items, in threads when that pays.

    Parameters
    ----------
    n_jobs : int or None
        How many threads; None means every available core.
    """

    def __init__(self, n_jobs: int | None = None) -> None:
        if n_jobs is not None and n_jobs < 1:
            raise OptionError(f"n_jobs must be at least 1 or None, not {n_jobs}.")
        self.n_jobs = min(n_jobs or available_cores(), available_cores())
        self._pool: ThreadPoolExecutor | None = None

    def each(self, work: Callable[[_Item], None], items: Sequence[_Item], *, pays: bool) -> None:
        """Call ``work`` on every item; items must not depend on each other.

        ``pays`` says whether the work is long enough to be worth waking other threads.
        """
        if self.n_jobs == 1 or len(items) == 1 or not pays:
            for item in items:
                work(item)
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.n_jobs, thread_name_prefix="eiderdown")
        for _ in self._pool.map(work, items):
            pass
