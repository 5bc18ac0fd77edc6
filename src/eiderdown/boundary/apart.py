"""Whole searches around many targets in other threads or processes, each with a test of its own.

How many tests a search makes depends on what those before it have made and remembered. Others
therefore search with nothing remembered. Only when a target is asked for are its tests merged
with those that are known by then, and counted as if the search had been made there and then
(:func:`eiderdown.independence.kernels.cache.merge_results`). What searches find once for each
other's sake (:meth:`KnownSets.once`) is found by the first that needs it, its tests in a table of
their own, and counted for the first target that asked for it in their order. So answers and counts
are those of a single thread.

Where the memory of tests is full, the oldest are forgotten between two searches
(:meth:`CachedTest.settle`). A search that alone would fill it forgets in an order that others would
change: from there on searches go on one by one.

This is for searches that are declared so (``Algorithm.apart``). Searches for parents and children
look around many columns and share what they find there; :mod:`eiderdown.boundary.ahead` is for
those.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeAlias

from eiderdown.boundary.known_sets import Key, KnownSets
from eiderdown.boundary.problem import Found, TestProblem
from eiderdown.independence import CachedTest, IndependenceTest
from eiderdown.independence.kernels.cache import ResultTable
from eiderdown.progress import Cancelled, Trace

Outcome: TypeAlias = tuple[Found, dict[str, Any]]
"""What a search found, and what is to be written down of how it ran."""

_FEWEST_AHEAD = 4  # searches for each job that are done or under way before they are asked for
_MOST_AHEAD = 32  # of them, as one may take as long as many others
_BYTES_AHEAD = 64_000_000  # of tests that more than the fewest may hold


@dataclass(frozen=True)
class ApartSearch:
    """How to search around a target.

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

    def done(self, target: int, test: CachedTest, shared: SharedSets) -> Done:
        """Search around a target, with a test that nobody else uses meanwhile."""
        sets = _SetsOfOne(shared)
        problem = self.ask(target, test, sets)
        outcome, tests = test.apart(lambda: self.search(problem))
        return Done(outcome, tuple(sets.asked), tests)


@dataclass
class Done:
    """A search that is done: what it found, the sets that it asked for, and its tests."""

    outcome: Outcome
    asked: Sequence[Key]
    tests: ResultTable


class SharedSets(Protocol):
    """Sets that searches find for each other's sake."""

    def once(self, key: Key, search: Callable[[], Found], test: CachedTest) -> Found:
        """Return what was found before, or search with a test and remember what that finds."""


class _SetsOfOne(KnownSets):
    """What one search knows: its own, and what it and others find once."""

    def __init__(self, shared: SharedSets) -> None:
        super().__init__()
        self._shared = shared
        self.asked: dict[Key, None] = {}

    def once(self, key: Key, search: Callable[[], Found], test: IndependenceTest) -> Found:
        assert isinstance(test, CachedTest)
        self.asked[key] = None
        return self._shared.once(key, search, test)


class Others(Protocol):
    """Those who search; see :mod:`eiderdown.boundary.apart_threads` and its neighbour."""

    n_jobs: int
    """How many search at a time."""

    uncounted: dict[Key, tuple[Found, ResultTable]]
    """Sets that were found, with their tests, until these are counted."""

    def put(self, target: int) -> None:
        """Let somebody search around a target, after those before it."""

    def finished(self) -> Iterator[Done]:
        """Return searches that are done and were not asked for yet."""

    def result(self, target: int, trace: Trace) -> Done:
        """Return a search that was put, when it is done; raise ``Cancelled`` if it is to stop."""

    def close(self) -> None:
        """End all searches."""


class SearchesApart:
    """Searches around targets that others make before they are asked for, in the same order.

    Leave its context to end them.

    Parameters
    ----------
    others : Others
        Who searches.
    targets : sequence of int
        Around whom, in the order in which they will be asked for.
    """

    def __init__(self, others: Others, targets: Sequence[int]) -> None:
        self._others: Others | None = others
        self._left: Iterator[int] = iter(targets)
        self._queue: deque[int] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def take(self, problem: TestProblem) -> Outcome | None:
        """Return what was found around the target of a problem, and count its tests.

        None if it is not the next of the targets, or if its tests would fill the memory; then no
        more searches are made ahead.
        """
        others = self._others
        if others is None:
            return None
        n_ahead = _n_ahead(others)
        while len(self._queue) < n_ahead and (target := next(self._left, None)) is not None:
            others.put(target)
            self._queue.append(target)
        if not self._queue or self._queue[0] != problem.target:
            self._end()
            return None
        try:
            done = others.result(self._queue.popleft(), problem.trace)
        except Cancelled:
            return Found(complete=False), {}
        assert isinstance(problem.test, CachedTest)
        new = [key for key in done.asked if key in others.uncounted]
        tables = [*(others.uncounted[key][1] for key in new), done.tests]
        if not problem.test.has_room_for(tables):
            self._end()
            return None
        for key in new:
            problem.known[key] = others.uncounted.pop(key)[0]
        for table in tables:
            problem.test.merge(table)
        return done.outcome

    def _end(self) -> None:
        """Begin no more searches, and end those under way."""
        others, self._others = self._others, None
        if others is not None:
            others.close()


class NobodyElse:
    """Whoever asks searches: one target after the other, each apart from those before it.

    So where an answer goes by the question to the last bit, as rounding does, it is the one that
    others would give.

    Parameters
    ----------
    how : ApartSearch
        How to search.
    known : KnownSets
        Keeps what was found for the sake of others.
    """

    n_jobs = 1

    def __init__(self, how: ApartSearch, known: KnownSets) -> None:
        self.uncounted: dict[Key, tuple[Found, ResultTable]] = {}
        self._how, self._known, self._test = how, known, how.make_test()

    def put(self, target: int) -> None:
        """Search when it is asked for."""

    def finished(self) -> Iterator[Done]:
        """Return none: nothing is done before it is asked for."""
        return iter(())

    def result(self, target: int, trace: Trace) -> Done:  # noqa: ARG002  the search looks at it
        """Search around a target."""
        return self._how.done(target, self._test, self)

    def close(self) -> None:
        """End nothing."""

    def once(self, key: Key, search: Callable[[], Found], test: CachedTest) -> Found:
        """Return what was found before, or search."""

        def search_apart() -> Found:
            found, tests = test.apart(search)
            self.uncounted[key] = found, tests
            return found

        return self._known.once(key, search_apart, test)


def _n_ahead(others: Others) -> int:
    """How many searches may be done or under way."""
    n_bytes = sum(done.tests.values.nbytes for done in others.finished())
    return (_MOST_AHEAD if n_bytes <= _BYTES_AHEAD else _FEWEST_AHEAD) * others.n_jobs
