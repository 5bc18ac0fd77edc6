"""Whole searches around many targets in threads, each with a test and a memory of its own.

How many tests a search makes depends on what those before it have made and remembered. A thread
therefore searches with nothing remembered. Only when its target is asked for are its tests merged
with those that are known by then, and counted as if the search had been made there and then
(:func:`eiderdown.independence.kernels.cache.merge_results`). What searches find once for each
other's sake (:meth:`KnownSets.once`) is found by the first thread that needs it, its tests in a
table of their own, and counted for the first target that asked for it in their order. So answers
and counts are those of a single thread.

Where the memory of tests is full, results are forgotten in an order that threads would change:
from there on searches go on one by one.

This is for searches that are declared so (``Algorithm.apart``). Searches for parents and children
look around many columns and share what they find there; :mod:`eiderdown.boundary.ahead` is for
those.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Lock
from types import TracebackType
from typing import Any, Self, TypeAlias

from eiderdown.boundary.known_sets import Key, KnownSets
from eiderdown.boundary.problem import Found, TestProblem
from eiderdown.handovers import quick_handovers
from eiderdown.independence import CachedTest, IndependenceTest
from eiderdown.independence.kernels.cache import ResultTable
from eiderdown.progress import carried

Outcome: TypeAlias = tuple[Found, dict[str, Any]]
"""What a search found, and what is to be written down of how it ran."""

_PER_THREAD = 4  # searches, at least, that are done or under way before they are asked for
_MOST_PER_THREAD = 32  # of them, as one may take as long as many others
_BYTES_AHEAD = 64_000_000  # of tests that more than the fewest may hold


@dataclass(frozen=True)
class ApartSearch:
    """How a thread searches around a target.

    Attributes
    ----------
    make_test : callable
        Makes a test for one thread, which need not be made again for another target.
    ask : callable
        Returns the question about a target to a test, with what is known.
    search : callable
        Answers it.
    """

    make_test: Callable[[], CachedTest]
    ask: Callable[[int, CachedTest, KnownSets], TestProblem]
    search: Callable[[TestProblem], Outcome]


@dataclass
class _Done:
    """A search that is done: what it found, the sets that it asked for, and its tests."""

    outcome: Outcome
    asked: Sequence[Key]
    tests: ResultTable


@dataclass
class _SharedSets:
    """Sets that threads find for each other's sake, with the tests of those not yet counted."""

    found: dict[Key, Future[Found]] = field(default_factory=dict)
    tests: dict[Key, ResultTable] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)

    def once(self, key: Key, search: Callable[[], Found], test: CachedTest) -> Found:
        with self.lock:
            is_first = key not in self.found
            made = self.found.setdefault(key, Future())
        if is_first:
            try:
                found, self.tests[key] = test.apart(search)
            except BaseException as problem:  # whoever waits for it is to see it
                made.set_exception(problem)
                raise
            made.set_result(found)
        return made.result()


class _SetsOfOne(KnownSets):
    """What one search knows: its own, and what it and others find once."""

    def __init__(self, shared: _SharedSets) -> None:
        super().__init__()
        self._shared = shared
        self.asked: dict[Key, None] = {}

    def once(self, key: Key, search: Callable[[], Found], test: IndependenceTest) -> Found:
        assert isinstance(test, CachedTest)
        self.asked[key] = None
        return self._shared.once(key, search, test)


class SearchesApart:
    """Searches around targets that threads make before they are asked for, in the same order.

    Leave its context to end them.

    Parameters
    ----------
    how : ApartSearch
        How a thread searches.
    targets : sequence of int
        Around whom, in the order in which they will be asked for.
    n_threads : int
        How many threads.
    """

    def __init__(self, how: ApartSearch, targets: Sequence[int], n_threads: int) -> None:
        self._how, self._shared = how, _SharedSets()
        self._idle: list[CachedTest] = []
        self._left: Iterator[int] = iter(targets)
        self._queue: deque[tuple[int, Future[_Done]]] = deque()
        self._n_threads = n_threads
        self._pool: ThreadPoolExecutor | None = ThreadPoolExecutor(
            n_threads, thread_name_prefix="eiderdown-target"
        )
        self._handovers = quick_handovers()
        self._run = carried(self._searched)

    def __enter__(self) -> Self:
        self._handovers.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        raised: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()
        self._handovers.__exit__(kind, raised, trace)

    def take(self, problem: TestProblem) -> Outcome | None:
        """Return what was found around the target of a problem, and count its tests.

        None if it is not the next of the targets, or if the memory of tests is full; then no more
        searches are made ahead.
        """
        if self._pool is None:
            return None
        n_ahead = self._n_ahead()
        while len(self._queue) < n_ahead and (target := next(self._left, None)) is not None:
            self._queue.append((target, self._pool.submit(self._run, target)))
        if not self._queue or self._queue[0][0] != problem.target:
            self._end()
            return None
        done = self._queue.popleft()[1].result()
        assert isinstance(problem.test, CachedTest)
        new = [key for key in done.asked if key in self._shared.tests]
        tables = [*(self._shared.tests[key] for key in new), done.tests]
        if not problem.test.has_room_for(tables):
            self._end()
            return None
        for key in new:
            problem.known[key] = self._shared.found[key].result()
            del self._shared.tests[key]
        for table in tables:
            problem.test.merge(table)
        return done.outcome

    def _n_ahead(self) -> int:
        """How many searches may be done or under way."""
        done = [one for _, one in self._queue if one.done() and one.exception() is None]
        n_bytes = sum(one.result().tests.values.nbytes for one in done)
        per_thread = _MOST_PER_THREAD if n_bytes <= _BYTES_AHEAD else _PER_THREAD
        return per_thread * self._n_threads

    def _searched(self, target: int) -> _Done:
        """Search around a target in this thread."""
        try:
            test = self._idle.pop()
        except IndexError:
            test = self._how.make_test()
        sets = _SetsOfOne(self._shared)
        problem = self._how.ask(target, test, sets)
        outcome, tests = test.apart(lambda: self._how.search(problem))
        self._idle.append(test)
        return _Done(outcome, tuple(sets.asked), tests)

    def _end(self) -> None:
        """Begin no more searches, and wait for those under way."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None
