"""Numbered runs of a search, shared out among jobs and taken in the order of their numbers.

The sequence of outcomes is therefore the same with any number of jobs; after Ctrl-C there are also
those that were finished behind one that was not.

Whoever takes the outcomes makes runs, too, while the next one is not there. The other jobs are
threads; where runs allow it and there can be some, each of these threads lets a forked process make
its runs, and waits. Short runs are handed to a process in batches, because a question and its
answer take a tenth of a millisecond. What a process does not give, because it was killed or because
an outcome cannot be pickled, is made by whoever takes the outcomes; so is what it owes for far
longer than any run took.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sized
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from math import log1p
from threading import Condition, Lock
from time import monotonic
from typing import Generic, Self, TypeAlias, TypeVar

from eiderdown.forked import ForkedWorker, WorkerLostError, can_fork, uncollected
from eiderdown.handovers import quick_handovers
from eiderdown.kernel_time import KernelTime
from eiderdown.progress import carried, stop_if_cancelled, unseen
from eiderdown.statistics.cost import Workers
from eiderdown.work_sharing import nobody_waits

_Outcome = TypeVar("_Outcome")
_Made: TypeAlias = tuple[list[_Outcome], BaseException | None]

_RUNS_AHEAD = 16  # begun before they are asked for, for each thread
_BATCHES_AHEAD = 512  # for each process; those that are made here are single runs
_BATCH = 0.03  # seconds that a batch for a forked process should take, but for the last ones
_OWN_BATCH = 0.0005  # seconds, beside processes: to begin a run takes as long as to look one up
_TRIAL = 0.01  # seconds of runs that remember, by which they show how long others take
_LONG_TRIAL, _FEWEST_TRIED = 0.5, 8  # seconds of few runs that show it; runs, if they are shorter
_WORTH_FORKING = 0.15  # seconds of runs that are left, if they go on becoming quicker
_BETWEEN_LOOKS = 0.05  # seconds between two looks whether everything is cancelled
_LEAST_PATIENCE, _PATIENCE = 1.0, 4.0  # seconds, and times the longest run that was made here


@dataclass(frozen=True)
class Jobs:
    """By how many runs are made, and what may be done with them.

    Attributes
    ----------
    n_jobs : int or None
        How many at once; None for every core.
    forks : bool
        Whether forked processes may make them: much of them is Python, their outcomes can be
        pickled, and they change nothing that others look at.
    remembering : bool
        Whether runs remember what later ones need. Processes are then forked after the first ones,
        if enough are left even if the later ones are quicker: what makes them so, another process
        has to find for itself. Runs that do not, and that no process makes, are alike: the first
        of them says whether kernels are long enough for threads.
    meanwhile : callable or None
        What whoever takes the outcomes does before any run, while processes begin.
    """

    n_jobs: int | None = None
    forks: bool = False
    remembering: bool = False
    meanwhile: Callable[[], None] | None = None


@dataclass(eq=False)
class _Batch(Generic[_Outcome]):
    """Runs that were begun together, and their outcomes up to the first that failed."""

    numbers: list[int]
    outcomes: list[_Outcome] = field(default_factory=list)
    problem: BaseException | None = None
    is_done: bool = False
    is_lost: bool = False
    n_taken: int = 0

    def do(self, make: Callable[[list[int]], _Made[_Outcome]]) -> bool:
        """Make the runs; return False if somebody else did so sooner."""
        made = make(self.numbers)
        if self.is_done:
            return False
        self.outcomes, self.problem = made
        self.is_done = True
        return True

    @property
    def is_taken(self) -> bool:
        """Whether nothing is left, not even a problem."""
        return self.n_taken == len(self.numbers)

    def take(self) -> tuple[int, _Outcome]:
        """Return the next outcome, or raise what there was instead."""
        if self.n_taken == len(self.outcomes) and self.problem is not None:
            raise self.problem
        self.n_taken += 1
        return self.numbers[self.n_taken - 1], self.outcomes[self.n_taken - 1]


def _made(run: Callable[[int], _Outcome], numbers: list[int]) -> _Made[_Outcome]:
    """Make runs, up to the first that fails."""
    outcomes: list[_Outcome] = []
    try:
        outcomes.extend(map(run, numbers))
    except BaseException as problem:  # whoever takes the outcome is to see it
        return outcomes, problem
    return outcomes, None


class OrderedRuns(Generic[_Outcome]):
    """The outcomes of numbered runs, in the order of the numbers; made by :func:`runs_in_order`.

    There are no more threads at work than jobs, and only some more runs are begun than outcomes
    were taken.
    """

    def __init__(
        self, run: Callable[[int], _Outcome], numbers: Iterable[int], n_jobs: int, jobs: Jobs
    ) -> None:
        self._run, self._numbers, self._n_jobs = run, iter(numbers), n_jobs
        self._make = partial(_made, run)
        self.forks = jobs.forks and n_jobs > 1 and can_fork()
        self._waits_with_forks = self.forks and jobs.remembering
        self._tries_kernels = n_jobs > 1 and not self.forks and not jobs.remembering
        self._n_left = float(len(numbers)) if isinstance(numbers, Sized) else float("inf")
        self._longest, self._n_own = 0.0, 1
        self._spent = [0.0]  # seconds of the first runs together, before processes are forked
        self._workers: list[ForkedWorker[list[int], _Made[_Outcome]]] = []
        self._ahead: deque[_Batch[_Outcome]] = deque()
        self._pool: ThreadPoolExecutor | None = None
        self._beginning, self._changed = Lock(), Condition()
        self._n_waiting, self._closed = 0, False

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> tuple[int, _Outcome]:
        while not (self._ahead and self._ahead[0].is_done):
            own = self._begin(self._n_own)
            if own is not None:
                self._make_own(own)
            elif self._ahead:
                self._await_first()
            else:
                raise StopIteration
        first = self._ahead[0]
        found = first.take()
        if first.is_taken:
            self._ahead.popleft()
            self._tell()
        return found

    def work_beside(self, meanwhile: Callable[[], None]) -> None:
        """Do something else while processes begin."""
        if self.forks and not self._waits_with_forks:
            self._start_others()
        with nobody_waits(bool(self._workers)):
            meanwhile()

    def _begin(self, n: int) -> _Batch[_Outcome] | None:
        """Take the next numbers, the fewer the fewer are left; None if enough was begun."""
        with self._beginning:
            if not self._closed and len(self._ahead) < self._most_ahead:
                share = max(1.0, self._n_left / (2 * self._n_jobs))
                numbers = list(islice(self._numbers, int(min(n, share))))
                self._n_left -= len(numbers)
                if numbers:
                    self._ahead.append(_Batch(numbers))
                    return self._ahead[-1]
        return None

    @property
    def _most_ahead(self) -> int:
        for_each = _BATCHES_AHEAD if self.forks else _RUNS_AHEAD
        return for_each * self._n_jobs if self._n_jobs > 1 else 1

    def _make_own(self, own: _Batch[_Outcome]) -> None:
        """Make runs here, beside the others."""
        if self._n_jobs == 1:
            own.do(self._make)
            return
        if self._tries_kernels:
            self._tries_kernels = False
            with KernelTime() as spent:
                own.do(self._make)
            if not spent.threads_pay(self._n_jobs):
                self._n_jobs = 1
            return
        if self._pool is None and not self._waits_with_forks:
            self._start_others()
        started = monotonic()
        own.do(self._make)
        seconds = (monotonic() - started) / len(own.numbers)
        self._longest = max(self._longest, seconds)
        if self._workers or self._waits_with_forks:
            self._n_own = max(1, min(2 * self._n_own, int(_OWN_BATCH / max(seconds, 1e-9))))
        if self._waits_with_forks:
            self._spent += [self._spent[-1] + i * seconds for i in range(1, len(own.numbers) + 1)]
            self._waits_with_forks = not self._forks_pay()

    def _forks_pay(self) -> bool:
        """Whether enough is left when run n takes as long as the later half so far, times 1 / n."""
        n, spent = len(self._spent) - 1, self._spent[-1]
        if spent < _TRIAL or (n < _FEWEST_TRIED and spent < _LONG_TRIAL):
            return False
        later = (spent - self._spent[n // 2]) / (n - n // 2)
        return later * n * log1p(self._n_left / n) > _WORTH_FORKING

    def _start_others(self) -> None:
        n_others, make = self._n_jobs - 1, carried(self._make)
        if self.forks:
            self._workers = [ForkedWorker(unseen(self._make)) for _ in range(n_others)]
        self._pool = ThreadPoolExecutor(n_others, thread_name_prefix="eiderdown-run")
        for worker in self._workers:
            self._pool.submit(self._make_batches, worker)
        for _ in range(n_others - len(self._workers)):
            self._pool.submit(self._make_runs, make)

    def _make_runs(self, make: Callable[[list[int]], _Made[_Outcome]]) -> None:
        """Make runs in a thread of the pool, until there are no more."""
        while (batch := self._next_batch(1)) is not None:
            batch.do(make)
            self._tell()

    def _make_batches(self, worker: ForkedWorker[list[int], _Made[_Outcome]]) -> None:
        """Let a process make batches of runs, until there are no more or it is lost or too late."""
        n = 1
        with worker:
            while (batch := self._next_batch(n)) is not None:
                started, is_used = monotonic(), False
                try:
                    is_used = batch.do(worker)
                except WorkerLostError:
                    batch.is_lost = True
                self._tell()
                if not is_used:  # nor is what builds on it
                    return
                n = max(1, min(2 * n, int(n * _BATCH / (monotonic() - started))))

    def _next_batch(self, n: int) -> _Batch[_Outcome] | None:
        """Take the next numbers when there is room; None if there are no more."""
        while not self._closed:
            batch = self._begin(n)
            if batch is not None:
                return batch
            if len(self._ahead) < self._most_ahead:
                return None
            with self._waiting():
                self._changed.wait_for(lambda: self._closed or len(self._ahead) < self._most_ahead)
        return None

    def _await_first(self) -> None:
        """Wait for the first of what was begun, until it is cancelled; at last, make it here."""
        first = self._ahead[0]
        patience = _LEAST_PATIENCE + _PATIENCE * self._longest if self._workers else float("inf")
        started = monotonic()
        with self._waiting():
            while not self._changed.wait_for(
                lambda: first.is_done or first.is_lost, _BETWEEN_LOOKS
            ):
                stop_if_cancelled()
                if monotonic() - started > patience:
                    break
        if not first.is_done:
            first.do(self._make)

    @contextmanager
    def _waiting(self) -> Iterator[None]:
        with self._changed:
            self._n_waiting += 1
            try:
                yield
            finally:
                self._n_waiting -= 1

    def _tell(self) -> None:
        """Wake whoever waits; mostly nobody does, and then there is no lock to take."""
        if self._n_waiting:
            with self._changed:
                self._changed.notify_all()

    def finished_behind(self) -> Iterator[tuple[int, _Outcome]]:
        """Give what was finished behind a run that was not, after a cancellation."""
        self.close()
        for batch in list(self._ahead):  # a thread may be about to begin one more
            while batch.n_taken < len(batch.outcomes):
                yield batch.take()
        self._ahead.clear()

    def close(self) -> None:
        """Begin no more runs, and do not wait for those under way."""
        self._closed = True
        self._tell()
        for worker in self._workers:
            worker.end()  # its thread waits until it is gone
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)


@contextmanager
def runs_in_order(
    run: Callable[[int], _Outcome], numbers: Iterable[int], jobs: Jobs
) -> Iterator[OrderedRuns[_Outcome]]:
    """Give the outcomes of numbered runs; on the way out those under way are not waited for.

    Examples
    --------
    >>> with runs_in_order(lambda number: number**2, range(2, 5), Jobs(2)) as squares:
    ...     list(squares)
    [(2, 4), (3, 9), (4, 16)]
    """
    n_jobs = Workers(jobs.n_jobs).n_jobs
    if isinstance(numbers, Sized):
        n_jobs = max(1, min(n_jobs, len(numbers)))
    runs = OrderedRuns(run, numbers, n_jobs, jobs)
    try:
        with ExitStack() as meanwhile:
            if n_jobs > 1:
                meanwhile.enter_context(quick_handovers())
            if runs.forks:
                meanwhile.enter_context(uncollected())
            if jobs.meanwhile is not None:
                runs.work_beside(jobs.meanwhile)
            yield runs
    finally:
        runs.close()
