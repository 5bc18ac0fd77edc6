"""Numbered runs in threads: each has a seed of its own, and outcomes come in their order.

The sequence of outcomes is therefore the same with any number of threads, and what is there after
Ctrl-C are the first so many runs without a gap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

import numpy as np

from eiderdown.progress import carried
from eiderdown.statistics.cost import Workers

_Outcome = TypeVar("_Outcome")


def run_seeds(seed: int, n_runs: int) -> tuple[int, ...]:
    """Return a seed for each run; more runs begin with the seeds of fewer.

    Examples
    --------
    >>> run_seeds(0, 5)[:2] == run_seeds(0, 2)
    True
    """
    return tuple(np.random.SeedSequence(seed).generate_state(n_runs).tolist())


@contextmanager
def runs_in_order(
    run: Callable[[int], _Outcome], numbers: range, *, n_jobs: int | None
) -> Iterator[Iterator[_Outcome]]:
    """Give the outcomes of numbered runs; on the way out those under way are not waited for.

    Examples
    --------
    >>> with runs_in_order(lambda number: number**2, range(2, 5), n_jobs=2) as squares:
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
