"""Numbered runs in threads, whose outcomes come in the order of the numbers.

Whoever takes the outcomes one by one therefore sees the same sequence with any number of threads,
and after Ctrl-C holds the first so many runs without a gap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from eiderdown.progress import carried
from eiderdown.statistics.cost import Workers

_Outcome = TypeVar("_Outcome")


@contextmanager
def ordered_runs(
    run: Callable[[int], _Outcome], numbers: range, *, n_jobs: int | None
) -> Iterator[Iterator[_Outcome]]:
    """Give the outcomes of numbered runs; on the way out nobody waits for those under way.

    Parameters
    ----------
    run : callable
        Makes the run with a number. With several threads it is called from all of them.
    numbers : range
        Which runs.
    n_jobs : int or None
        Threads; None means every available core.

    Examples
    --------
    >>> with ordered_runs(lambda number: number**2, range(2, 5), n_jobs=2) as squares:
    ...     list(squares)
    [4, 9, 16]
    """
    n_threads = min(Workers(n_jobs).n_jobs, len(numbers))
    if n_threads <= 1:
        yield map(run, numbers)
        return
    pool = ThreadPoolExecutor(n_threads, thread_name_prefix="eiderdown-run")
    try:
        yield pool.map(carried(run), numbers)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
