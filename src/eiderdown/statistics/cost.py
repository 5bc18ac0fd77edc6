"""What counting costs, which way is cheapest, and threads where they pay.

The constants are nanoseconds on one core, measured with ``benchmarks/sweep.py``; only their ratios
matter. A wrong guess costs time, never correctness: every path gives the same integers.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from threading import Lock
from typing import Final, Generic, TypeVar

from eiderdown.errors import OptionError
from eiderdown.forked import is_forked
from eiderdown.handovers import quick_handovers

_Item = TypeVar("_Item")

PER_SCATTERED_ROW: Final = 0.65
PER_LISTED_ROW: Final = 1.15
PER_MASKED_WORD: Final = 0.19
PER_MASK: Final = 2.5
PER_SCATTERED_CELL: Final = 2.0
PER_SUBTRACTED_CELL: Final = 1.3
PER_PACKED_WORD: Final = 10.0
PER_PACKED_ROW: Final = 10.0
THREADS_PAY_FROM: Final = 1_000_000.0
"""Nanoseconds of work below which waking a second thread costs more than it saves."""

ONE_JOB: Final = 250_000.0
"""Nanoseconds of work that a thread takes at a time: enough to forget the taking, little enough
that threads finish together."""


class Path(Enum):
    """A way of counting."""

    CODES = "codes"
    PLANES = "planes"
    SPARSE = "sparse"


@dataclass(frozen=True)
class SweepShape:
    """What the cost of counting one candidate depends on."""

    n_rows: int
    n_cells: int
    n_categories: int
    n_candidates: int
    mean_listed: float | None = None
    """Mean number of listed rows per column of a sparse block; None for dense codes."""


def cost_of(path: Path, shape: SweepShape) -> float:
    """Estimate the nanoseconds of one candidate along a path, with its share of the masks."""
    counting = counting_cost(path, shape)
    if path is not Path.PLANES:
        return counting
    making_masks = shape.n_rows + shape.n_cells * ((shape.n_rows + 63) // 64)
    return counting + making_masks / max(1, shape.n_candidates)


def counting_cost(path: Path, shape: SweepShape) -> float:
    """Estimate the nanoseconds that counting one candidate takes, once all masks are made."""
    if path is Path.CODES:
        scattering = PER_SCATTERED_ROW * shape.n_rows
        return scattering + PER_SCATTERED_CELL * shape.n_cells * shape.n_categories
    subtracting = PER_SUBTRACTED_CELL * shape.n_cells
    if path is Path.SPARSE:
        return PER_LISTED_ROW * (shape.mean_listed or 0.0) + subtracting
    n_words = (shape.n_rows + 63) // 64
    masking = (shape.n_categories - 1) * shape.n_cells * (PER_MASKED_WORD * n_words + PER_MASK)
    return masking + subtracting


def packing_cost(n_rows: int, mean_listed: float) -> float:
    """Estimate the nanoseconds that the plane of one sparse column takes to make, once."""
    return PER_PACKED_WORD * ((n_rows + 63) // 64) + PER_PACKED_ROW * mean_listed


def cheapest(shape: SweepShape, *, has_planes: bool) -> Path:
    """Choose the path for one group of candidates.

    Examples
    --------
    >>> cheapest(SweepShape(5_000, 4, 2, 100), has_planes=True)
    <Path.PLANES: 'planes'>
    >>> cheapest(SweepShape(5_000, 4_000, 2, 100), has_planes=True)
    <Path.CODES: 'codes'>
    >>> cheapest(SweepShape(1_909, 2, 2, 139_351, mean_listed=13.0), has_planes=True)
    <Path.SPARSE: 'sparse'>
    """
    by_rows = Path.CODES if shape.mean_listed is None else Path.SPARSE
    if has_planes and cost_of(Path.PLANES, shape) < cost_of(by_rows, shape):
        return Path.PLANES
    return by_rows


def available_cores() -> int:
    """How many cores this process may use; one, if it is forked off another that uses them."""
    if is_forked():
        return 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Items(Generic[_Item]):
    """Hands out items to threads, each once, until there are no more or it is closed."""

    def __init__(self, items: Sequence[_Item]) -> None:
        self._items, self._next, self._lock = items, 0, Lock()

    def __iter__(self) -> Iterator[_Item]:
        while True:
            with self._lock:
                position = self._next
                self._next += 1
            if position >= len(self._items):
                return
            yield self._items[position]

    def close(self) -> None:
        """Hand out no more."""
        with self._lock:
            self._next = len(self._items)


class Workers:
    """Run a function over items, in threads when that pays.

    The kernels release the GIL, so no table is ever copied.

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
        if self.n_jobs == 1 or len(items) <= 1 or not pays or is_forked():
            for item in items:
                work(item)
            return
        if self._pool is None:
            # The thread that calls is one of them: waking another takes as long as a small item.
            self._pool = ThreadPoolExecutor(self.n_jobs - 1, thread_name_prefix="eiderdown")
        # A task for each thread, not for each item, which would cost as much as a small item.
        left = _Items(items)

        def take_and_work() -> None:
            try:
                for item in left:
                    work(item)
            finally:  # after an error the others need not go on
                left.close()

        with quick_handovers():
            n_others = min(self.n_jobs, len(items)) - 1
            others = [self._pool.submit(take_and_work) for _ in range(n_others)]
            try:
                take_and_work()
            finally:
                # Whoever has not begun need not; all others still write to what is the caller's.
                problems = [other.exception() for other in others if not other.cancel()]
        for problem in problems:
            if problem is not None:
                raise problem
