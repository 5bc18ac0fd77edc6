"""Compiled searches around targets that will be asked for, made in threads before they are.

Searches around many targets are asked for one after the other, and what each of them finds and how
many tests it counts depends on that order, because a test that was made before is not made again.
Threads therefore search with nothing remembered, each in a room of its own; only when a search is
asked for are its tests merged with those that are known by then, and counted as if it had been made
there and then (:func:`eiderdown.independence.kernels.cache.merge_results`). So answers and counts
are those of a single thread.

One search may take as long as a hundred others. So threads go far ahead, those around whom a search
has found are searched next, and whoever asks for a search that is not done makes others meanwhile.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING, Self

import numpy as np

from eiderdown.boundary.kernels.adjacent import N_MEMBERS, NOTHING_KNOWN
from eiderdown.boundary.problem import TestProblem
from eiderdown.handovers import quick_handovers
from eiderdown.statistics.cost import PER_MASKED_WORD, THREADS_PAY_FROM

if TYPE_CHECKING:
    from eiderdown.boundary.compiled import CompiledSearch, SearchRoom, SearchRooms

PAYS_FROM = 10 * THREADS_PAY_FROM
"""Nanoseconds of tests given nothing from which on threads search ahead: each search is handed over
and waited for, which a table as small as Alarm is not worth."""

_PER_THREAD = 16  # searches, at least, that are done or under way before they are asked for
_BYTES_AHEAD = 64_000_000  # that more of them may take: one may be as long as a hundred others
_BYTES_PER_VARIABLE = 700  # of what a search writes to


class SearchAhead:
    """Searches that threads make before they are asked for; leave its context to end them.

    Parameters
    ----------
    targets : iterable of int
        Around whom, in the order in which they are likely to be asked for.
    """

    def __init__(self, targets: Iterable[int]) -> None:
        self._left = dict.fromkeys(targets)
        self._queue: deque[tuple[int, Future[SearchRoom], bool]] = deque()
        self._lock = Lock()
        self._made: dict[int, Future[SearchRoom]] = {}
        self._n_ahead = 0
        self._pool: ThreadPoolExecutor | None = None
        self._handovers = ExitStack()
        self._bound: tuple[CompiledSearch, SearchRooms, TestProblem] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(cancel_futures=True)
        self._handovers.close()

    def take(
        self, search: CompiledSearch, problem: TestProblem, rooms: SearchRooms
    ) -> SearchRoom | None:
        """Return what was done around the target of a problem; None if threads do not do it.

        The first search that is asked for is the one that threads go on with.
        """
        if self._bound is None:
            self._begin(search, problem, rooms)
        if self._pool is None or not self._is_same(search, problem, rooms):
            return None
        asked = int(problem.target)
        with self._lock:
            if asked not in self._made:
                self._enqueue(asked, first=True)
            for target in list(islice(self._left, max(0, self._n_ahead - len(self._made)))):
                self._enqueue(target)
            made = self._made.pop(asked)
        while not made.done() and self._do_next():
            pass  # rather than wait
        room = made.result()
        self._enqueue_adjacent(room)
        return room

    def _begin(self, search: CompiledSearch, problem: TestProblem, rooms: SearchRooms) -> None:
        self._bound = search, rooms, replace(problem, trace=problem.trace.silent(), ahead=None)
        n_more = _BYTES_AHEAD // (_BYTES_PER_VARIABLE * rooms.n_variables)
        self._n_ahead = max(_PER_THREAD * rooms.table.n_jobs, n_more)
        n_tests = len(self._left) * len(problem.candidates)
        pays = n_tests * rooms.n_rows * PER_MASKED_WORD > PAYS_FROM
        if rooms.table.n_jobs > 1 and len(self._left) > 1 and pays:
            self._handovers.enter_context(quick_handovers())
            n_others = rooms.table.n_jobs - 1  # beside the one that asks
            self._pool = ThreadPoolExecutor(n_others, thread_name_prefix="eiderdown")

    def _is_same(self, search: CompiledSearch, problem: TestProblem, rooms: SearchRooms) -> bool:
        """Whether a search is one of those that threads make."""
        assert self._bound is not None
        theirs = self._bound[2]
        return bool(
            search is self._bound[0]
            and rooms is self._bound[1]
            and problem.alpha == theirs.alpha
            and np.array_equal(problem.candidates, theirs.at(problem.target).candidates)
            and np.array_equal(problem.tie_rank, theirs.tie_rank)
        )

    def _enqueue_adjacent(self, room: SearchRoom) -> None:
        """Search next around whom a search has found: they are asked for after its target."""
        adjacent = room.record.members.x[: room.record.cursor[N_MEMBERS]].tolist()
        with self._lock:
            for target in reversed([x for x in adjacent if x in self._left]):
                if self._pool is not None:
                    self._enqueue(target, first=True)

    def _enqueue(self, target: int, *, first: bool = False) -> None:
        """Let the next idle thread search around a target, or one after it."""
        assert self._pool is not None
        self._left.pop(target, None)
        made: Future[SearchRoom] = Future()
        self._made[target] = made
        (self._queue.appendleft if first else self._queue.append)((target, made, not first))
        self._pool.submit(self._do_next)

    def _do_next(self) -> bool:
        """Make the next search; return whether there was one left."""
        try:
            target, made, in_order = self._queue.popleft()
        except IndexError:
            return False
        try:
            room = self._searched(target)
            if in_order and len(self._made) < 2 * self._n_ahead:
                self._enqueue_adjacent(room)
            made.set_result(room)
        except BaseException as problem:  # whoever asks for it is to see it
            made.set_exception(problem)
        return True

    def _searched(self, target: int) -> SearchRoom:
        assert self._bound is not None
        search, rooms, problem = self._bound

        def look_at_the_clock(_room: SearchRoom) -> None:
            problem.trace.progressed("looking around", 0)

        question = search.question(problem.at(target))
        return rooms.search(question, NOTHING_KNOWN, look_at_the_clock)
