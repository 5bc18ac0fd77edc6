"""Compiled searches around targets that will be asked for, made in threads before they are.

Searches around many targets are asked for one after the other, and what each of them finds and how
many tests it counts depends on that order, because a test that was made before is not made again.
Threads therefore search with nothing remembered, each in a room of its own; only when a search is
asked for are its tests merged with those that are known by then, and counted as if it had been made
there and then (:func:`eiderdown.independence.kernels.cache.merge_results`). So answers and counts
are those of a single thread.

One search may take as long as a hundred others. So threads go far ahead, and those around whom a
search has found are searched next. Whoever waits for a search helps with its tests
(:mod:`eiderdown.boundary.kernels.shared_tests`), and so does who is idle while the search that is
asked for takes long.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import replace
from itertools import islice
from queue import SimpleQueue
from threading import Lock, Thread
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from eiderdown.boundary.kernels.adjacent import N_MEMBERS, NOTHING_KNOWN
from eiderdown.boundary.problem import TestProblem
from eiderdown.handovers import quick_handovers
from eiderdown.statistics.cost import PER_MASKED_WORD, THREADS_PAY_FROM
from eiderdown.work_sharing import SharedWork

if TYPE_CHECKING:
    from eiderdown.boundary.compiled import CompiledSearch, SearchRoom, SearchRooms

PAYS_FROM = 10 * THREADS_PAY_FROM
"""Nanoseconds of tests given nothing from which on threads search ahead: each search is handed over
and waited for, which a table as small as Alarm is not worth."""

_PER_THREAD = 16  # searches, at least, that are done or under way before they are asked for
_BYTES_AHEAD = 64_000_000  # that more of them may take: one may be as long as a hundred others
_BYTES_PER_VARIABLE = 790  # of what a search writes to
_LONG = 0.002  # seconds that a search takes until idle threads help with it
_PATIENCE = 0.0002  # seconds that somebody waits who can neither help nor search


class _Search:
    """A search that is to be made, is under way, or is done."""

    def __init__(self, target: int, *, in_order: bool) -> None:
        self.target, self.in_order = target, in_order
        self.work = SharedWork()
        self.begun: float | None = None  # when
        self.room: SearchRoom | None = None
        self.problem: BaseException | None = None

    @property
    def is_done(self) -> bool:
        """Whether there is a room, or a problem."""
        return self.room is not None or self.problem is not None

    def is_long(self) -> bool:
        """Whether it has been under way for so long that it will take long."""
        return self.begun is not None and time.perf_counter() - self.begun > _LONG

    def is_helped(self) -> bool:
        """Help, if it is under way and has work for others; return whether there was any."""
        return self.begun is not None and self.work.help()


class _Bound(NamedTuple):
    """What threads do: a search, where its tests are, and the question about one of the targets."""

    search: CompiledSearch
    rooms: SearchRooms
    problem: TestProblem

    def is_for(self, search: CompiledSearch, problem: TestProblem) -> bool:
        """Whether a question is the same but for its target."""
        theirs = self.problem
        others = theirs.variables[theirs.variables != problem.target]
        return bool(
            search is self.search
            and problem.test is theirs.test
            and problem.alpha == theirs.alpha
            and problem.max_given == theirs.max_given
            and not problem.required
            and np.array_equal(problem.candidates, others)
            and (problem.ties is theirs.ties or np.array_equal(problem.tie_rank, theirs.tie_rank))
        )


class SearchAhead:
    """Searches that threads make before they are asked for; leave its context to end them.

    Parameters
    ----------
    targets : iterable of int
        Around whom, in the order in which they are likely to be asked for.
    """

    def __init__(self, targets: Iterable[int]) -> None:
        self._left = dict.fromkeys(targets)
        self._queue: deque[_Search] = deque()
        self._lock = Lock()
        self._made: dict[int, _Search] = {}
        self._waited_for: _Search | None = None
        self._n_ahead = 0
        self._threads: list[Thread] = []
        self._calls: SimpleQueue[bool] = (
            SimpleQueue()
        )  # one for each search that is put; False ends
        self._handovers = ExitStack()
        self._bound: _Bound | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._queue.clear()
            self._left.clear()
        for _thread in self._threads:
            self._calls.put(False)
        for thread in self._threads:
            thread.join()
        self._handovers.close()

    def begins(self, search: CompiledSearch, problem: TestProblem, rooms: SearchRooms) -> bool:
        """Whether threads begin to search around all targets as now around the first."""
        if self._bound is not None:
            return False
        silent = replace(problem, trace=problem.trace.silent(), ahead=None)
        self._bound = _Bound(search, rooms, silent)
        n_jobs = rooms.table.n_jobs
        n_more = _BYTES_AHEAD // (_BYTES_PER_VARIABLE * rooms.n_variables)
        self._n_ahead = max(_PER_THREAD * n_jobs, n_more)
        n_tests = len(self._left) * len(problem.candidates)
        pays = n_tests * rooms.n_rows * PER_MASKED_WORD > PAYS_FROM
        if n_jobs > 1 and len(self._left) > 1 and pays:
            self._handovers.enter_context(quick_handovers())
            for _ in range(n_jobs - 1):  # beside the one that asks
                self._threads.append(Thread(target=self._work, name="eiderdown", daemon=True))
                self._threads[-1].start()
        return len(self._threads) > 0

    def take(
        self, search: CompiledSearch, problem: TestProblem
    ) -> tuple[SearchRooms, SearchRoom] | None:
        """Return what was done around the target of a problem; None if threads do not do it."""
        if not self._threads or self._bound is None or not self._bound.is_for(search, problem):
            return None
        asked = int(problem.target)
        with self._lock:
            if asked not in self._made:
                self._put(asked, first=True)
            for target in list(islice(self._left, max(0, self._n_ahead - len(self._made)))):
                self._put(target)
            made = self._made.pop(asked)
        self._waited_for = made
        if self._may_begin(made):
            self._do(made)
        while not made.is_done:
            if not made.is_helped() and not self._do_next():
                time.sleep(_PATIENCE)
        self._waited_for = None
        if made.problem is not None:
            raise made.problem
        assert made.room is not None
        self._put_adjacent(made.room)
        return self._bound.rooms, made.room

    def _put_adjacent(self, room: SearchRoom) -> None:
        """Search next around whom a search has found: they are asked for after its target."""
        adjacent = room.record.members.x[: room.record.cursor[N_MEMBERS]].tolist()
        with self._lock:
            for target in reversed([x for x in adjacent if x in self._left]):
                self._put(target, first=True)

    def _put(self, target: int, *, first: bool = False) -> None:
        """Let the next idle thread search around a target, or one after it."""
        self._left.pop(target, None)
        made = self._made[target] = _Search(target, in_order=not first)
        (self._queue.appendleft if first else self._queue.append)(made)
        self._calls.put(True)

    def _work(self) -> None:
        """Search, as a thread does, and help where somebody waits for a search that takes long."""
        while self._calls.get():
            while (asked := self._waited_for) is not None and asked.is_long():
                if not asked.is_helped():
                    break
            self._do_next()

    def _do_next(self) -> bool:
        """Make the next search; return whether there was one left."""
        while True:
            try:
                made = self._queue.popleft()
            except IndexError:
                return False
            if self._may_begin(made):
                self._do(made)
                return True

    def _may_begin(self, made: _Search) -> bool:
        """Whether nobody has begun a search; then whoever asks does."""
        with self._lock:
            if made.begun is not None:
                return False
            made.begun = time.perf_counter()
            return True

    def _do(self, made: _Search) -> None:
        """Make a search."""
        try:
            room = self._searched(made)
            if made.in_order and len(self._made) < 2 * self._n_ahead:
                self._put_adjacent(room)
            made.room = room
        except BaseException as problem:  # whoever asks for it is to see it
            made.problem = problem
        finally:
            made.work.end()

    def _searched(self, made: _Search) -> SearchRoom:
        assert self._bound is not None
        search, rooms, problem = self._bound

        def look_at_the_clock(_room: SearchRoom) -> None:
            problem.trace.progressed("looking around", 0)

        question = search.question(problem.at(made.target))
        return rooms.search(question, NOTHING_KNOWN, look_at_the_clock, made.work.board)
