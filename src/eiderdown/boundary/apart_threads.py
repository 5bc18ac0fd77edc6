"""Threads that make whole searches; for where no process can be forked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock

from eiderdown.boundary.apart import ApartSearch, Done
from eiderdown.boundary.known_sets import Key
from eiderdown.boundary.problem import Found
from eiderdown.handovers import quick_handovers
from eiderdown.independence import CachedTest
from eiderdown.independence.kernels.cache import ResultTable
from eiderdown.progress import Trace, carried


class ThreadsApart:
    """Threads that search, each with a test of its own; whoever asks waits.

    Parameters
    ----------
    how : ApartSearch
        How a thread searches.
    n_jobs : int
        How many threads.
    """

    def __init__(self, how: ApartSearch, n_jobs: int) -> None:
        self.n_jobs = n_jobs
        self.uncounted: dict[Key, tuple[Found, ResultTable]] = {}
        self._how = how
        self._found: dict[Key, Future[Found]] = {}
        self._lock = Lock()
        self._idle: list[CachedTest] = []
        self._begun: dict[int, Future[Done]] = {}
        self._handovers = quick_handovers()
        self._handovers.__enter__()
        self._pool = ThreadPoolExecutor(n_jobs, thread_name_prefix="eiderdown-target")
        self._run = carried(self._searched)

    def put(self, target: int) -> None:
        """Let the next idle thread search around a target."""
        self._begun[target] = self._pool.submit(self._run, target)

    def finished(self) -> Iterator[Done]:
        """Return searches that are done and were not asked for yet."""
        for one in self._begun.values():
            if one.done() and one.exception() is None:
                yield one.result()

    def result(self, target: int, trace: Trace) -> Done:  # noqa: ARG002  threads look at it, too
        """Return a search that was put, when it is done."""
        return self._begun.pop(target).result()

    def close(self) -> None:
        """Begin no more searches, and wait for those under way."""
        self._pool.shutdown(cancel_futures=True)
        self._handovers.__exit__(None, None, None)

    def once(self, key: Key, search: Callable[[], Found], test: CachedTest) -> Found:
        """Return what a thread has found before, or search; others wait for it."""
        with self._lock:
            is_first = key not in self._found
            made = self._found.setdefault(key, Future())
        if is_first:
            try:
                found, tests = test.apart(search)
            except BaseException as problem:  # whoever waits for it is to see it
                made.set_exception(problem)
                raise
            self.uncounted[key] = found, tests
            made.set_result(found)
        return made.result()

    def _searched(self, target: int) -> Done:
        """Search around a target in this thread."""
        try:
            test = self._idle.pop()
        except IndexError:
            test = self._how.make_test()
        done = self._how.done(target, test, self)
        self._idle.append(test)
        return done
