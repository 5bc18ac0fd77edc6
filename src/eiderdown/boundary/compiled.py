"""Searches for who is adjacent that run compiled where they can, and as they are written elsewhere.

    @compiled(by_association=False, interleaved=False)
    def mmpc_bar(problem, found): ...

The function stays the algorithm, and answers with any test. Where all tests are counts from bit
planes, :func:`eiderdown.boundary.kernels.adjacent.search_adjacent` does the same in one call
without the interpreter, and what happened is told to the :class:`Found` afterwards: members,
decisive tests, separating sets, counts of tests and progress are the same.

Compiling takes seconds, so that small tables are searched as written until that has taken as long
as a kernel may (``eiderdown.kernels.PATIENCE``) or a compiled form is stored.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import update_wrapper
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from eiderdown.arrays import IntArray, frozen
from eiderdown.boundary.kernels.adjacent import (
    ADMITTED,
    DONE,
    GIVEN_NOTHING,
    N_EVENTS,
    N_MEMBERS,
    N_WANTED,
    NOTHING_KNOWN,
    REMOVED,
    SEPARATED,
    STAGE,
    AdjacentQuestion,
    AdjacentRecord,
    search_adjacent,
)
from eiderdown.boundary.kernels.shared_tests import Listed, TestRoom
from eiderdown.boundary.problem import CROWD, Found, TestProblem
from eiderdown.independence import CachedTest, IndependenceBatch, IndependenceResult
from eiderdown.independence.base import CountedTable
from eiderdown.independence.batch import ALLOWS, LOG_P, Allows, SetRows
from eiderdown.independence.kernels.cache import STORED, ResultTable, absorb
from eiderdown.independence.kernels.subsets import Workspace, workspace_of
from eiderdown.kernels import Patience
from eiderdown.thread_rooms import several
from eiderdown.work_sharing import MOST_THREADS, NOBODY, waiting_threads

MOST_STRATA = 4_096
"""Beyond this many strata a scatter over codes beats masks."""

MOST_WORDS = 8_000_000
"""Words of masks that one thread may work in."""

COMPILING_PAYS_FROM = 1_000_000
"""Candidates times rows from which on the first search is compiled."""

SHARING_PAYS_FROM = 1_000_000
"""Candidates times rows from which on threads share the tests of a single search."""

MAKING_PAYS_UP_TO = 20_000
"""Rows up to which a test is made sooner than it is found among many that are remembered."""

_MOST_FRESH = 1_000_000  # tests that a search remembers for itself
_MOST_KEPT = 16  # tests for each variable that there is room for in a table that is used again
_BUDGET = 20_000_000  # rows of tests between two looks at the clock


@dataclass(eq=False)
class SearchRoom:
    """What one search writes to: what happened, the tests it made, and those it is to make."""

    record: AdjacentRecord
    fresh: ResultTable
    listed: Listed

    @property
    def is_full(self) -> bool:
        """Whether the memory of tests may not grow any more."""
        return self.fresh.room >= _MOST_FRESH

    def enlarge(self, n_tests: int) -> None:
        """Make room for so many more tests."""
        wanted = min(int(self.fresh.counters[STORED]) + n_tests, _MOST_FRESH)
        larger = ResultTable.for_tests(max(wanted, 2 * self.fresh.room))
        absorb(larger, self.fresh)
        self.fresh = larger


@dataclass(eq=False)
class SearchRooms:
    """The bit planes of a table, and rooms in which searches work, each used again."""

    table: CountedTable
    n_variables: int
    max_given: int
    idle: list[SearchRoom] = field(default_factory=list)
    workspaces: defaultdict[tuple[int, int], list[Workspace]] = field(
        default_factory=lambda: defaultdict(list)
    )

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        return self.table.judging.rules.n_rows

    def search(
        self,
        question: AdjacentQuestion,
        known: ResultTable,
        tell: Callable[[SearchRoom], None],
        board: IntArray = NOBODY,
    ) -> SearchRoom:
        """Search until all is done; ``tell`` is called every now and then, and may raise.

        Who waits at a board helps.
        """
        room, n_threads = self._room(), min(self.table.n_jobs, MOST_THREADS)
        shape = self.n_strata(question), int(self.table.columns.n_categories[question.target])
        try:
            workspace = self.workspaces[shape].pop()
        except IndexError:
            of_one = workspace_of(self.table.columns, *shape, len(question.candidates))
            workspace = several(of_one, n_threads)
        budget = max(64, _BUDGET // max(1, self.n_rows))
        while True:
            is_full = room.is_full
            search_adjacent(
                self.table.columns,
                self.table.judging,
                question,
                TestRoom(board, room.listed, workspace, n_threads, not is_full),
                (known, room.fresh),
                room.record,
                budget,
                is_full,
            )
            if room.record.cursor[STAGE] == DONE:
                break
            if room.record.cursor[N_WANTED]:
                room.enlarge(int(room.record.cursor[N_WANTED]))
            tell(room)
        self.workspaces[shape].append(workspace)
        return room

    def n_strata(self, question: AdjacentQuestion) -> int:
        """Most strata of a conditioning set."""
        categories = self.table.columns.n_categories[question.candidates]
        largest = np.sort(categories)[::-1][: question.max_given]
        return int(min(np.prod(largest, dtype=np.float64), self.n_rows))

    def takes(self, question: AdjacentQuestion) -> bool:
        """Whether masks are the way to count, and there is room for them."""
        n_strata = self.n_strata(question)
        n_words = n_strata * self.table.columns.planes.shape[1]
        n_target = int(self.table.columns.n_categories[question.target])
        return n_strata <= MOST_STRATA and n_words * (n_target + 2) <= MOST_WORDS

    def n_threads(self, question: AdjacentQuestion) -> int:
        """How many threads a single search is worth."""
        work = len(question.candidates) * self.n_rows
        return self.table.n_jobs if work >= SHARING_PAYS_FROM else 1

    def _room(self) -> SearchRoom:
        try:
            room = self.idle.pop()
        except IndexError:
            n, size = self.n_variables, self.max_given
            return SearchRoom(AdjacentRecord.of(n, size), self._table(), Listed.of(n, size))
        room.record.cursor[:] = 0
        if room.fresh.room > _MOST_KEPT * self.n_variables:
            # One search may make a hundred times as many tests as others, and a table is read from
            # end to end when it is merged.
            room.fresh = self._table()
        return room

    def _table(self) -> ResultTable:
        return ResultTable.for_tests(2 * self.n_variables)


_ROOMS: WeakKeyDictionary[CachedTest, dict[int, SearchRooms]] = WeakKeyDictionary()


_PATIENCE = Patience(search_adjacent)


def _pays(work: int) -> bool:
    """Whether there is a compiled form, or so much work that there should be."""
    return _PATIENCE.is_over or work >= COMPILING_PAYS_FROM


class CompiledSearch:
    """A search that runs compiled where it can; called, it fills a record, as what it stands for.

    Parameters
    ----------
    as_written : callable
        The search.
    by_association, interleaved : bool
        How it goes; see :class:`AdjacentQuestion`.
    """

    __name__: str

    def __init__(
        self, as_written: Callable[..., None], *, by_association: bool, interleaved: bool
    ) -> None:
        update_wrapper(self, as_written)
        self.as_written = as_written
        self._by_association, self._interleaved = by_association, interleaved

    def __call__(self, problem: TestProblem, found: Found, **options: Any) -> None:
        """Search around the target of a problem."""
        retelling = Retelling(problem, found)
        searched = None if options else self._searched(problem, retelling)
        if searched is None:
            with _PATIENCE.measured():
                self.as_written(problem, found, **options)
            return
        assert isinstance(problem.test, CachedTest)
        rooms, room = searched
        try:
            retelling.follow(room)
            retelling.finish(room)
        finally:
            problem.test.merge(room.fresh)
            rooms.idle.append(room)

    def _searched(
        self, problem: TestProblem, retelling: Retelling
    ) -> tuple[SearchRooms, SearchRoom] | None:
        """Search compiled, unless threads have done so; None where there is no way."""
        ahead = problem.ahead
        if ahead is not None and (taken := ahead.take(self, problem)) is not None:
            return taken
        question = self.question(problem)
        rooms = self.rooms_for(problem, question)
        if rooms is None:
            return None
        if ahead is not None and ahead.begins(self, problem, rooms):
            return ahead.take(self, problem)
        assert isinstance(problem.test, CachedTest)
        known = problem.test.known if rooms.n_rows > MAKING_PAYS_UP_TO else NOTHING_KNOWN
        with waiting_threads(rooms.n_threads(question), search_adjacent) as board:
            return rooms, rooms.search(question, known, retelling.follow, board)

    def question(self, problem: TestProblem) -> AdjacentQuestion:
        """Return what compiled code is asked."""
        return AdjacentQuestion(
            int(problem.target),
            frozen(np.array(problem.candidates, dtype=np.int64)),
            frozen(np.array(problem.tie_rank, dtype=np.int64)),
            frozen(np.array(problem.test.name_rank, dtype=np.int64)),
            math.log(problem.alpha),
            problem.max_subset,
            CROWD,
            problem.max_subset_of(CROWD + 1),
            self._by_association,
            self._interleaved,
        )

    def rooms_for(self, problem: TestProblem, question: AdjacentQuestion) -> SearchRooms | None:
        """Return where to search, if that can be compiled and is worth it."""
        test = problem.test
        if not isinstance(test, CachedTest) or problem.required or len(problem.candidates) == 0:
            return None
        table = test.counted_table(problem.variables)
        if table is None or not _pays(len(problem.candidates) * table.judging.rules.n_rows):
            return None
        of_test = _ROOMS.setdefault(test, {})
        size = question.max_given
        if size not in of_test:
            of_test[size] = SearchRooms(table, test.n_variables, size)
        return of_test[size] if of_test[size].takes(question) else None


def compiled(
    *, by_association: bool, interleaved: bool
) -> Callable[[Callable[..., None]], CompiledSearch]:
    """Declare how a search grows, so that it runs compiled where it can; see the module."""
    return lambda search: CompiledSearch(
        search, by_association=by_association, interleaved=interleaved
    )


class Retelling:
    """Tells a record of what was found, event by event, what a compiled search did."""

    def __init__(self, problem: TestProblem, found: Found) -> None:
        self._problem, self._found = problem, found
        self._n_told = -1  # the tests given nothing come first

    def follow(self, room: SearchRoom) -> None:
        """Tell what is new."""
        record = room.record
        if record.cursor[STAGE] == GIVEN_NOTHING:
            return
        if self._n_told < 0:
            self._tell_alone(record)
            self._n_told = 0
        n = int(record.cursor[N_EVENTS])
        kinds = record.kinds[:n].tolist()
        while self._n_told < n:
            first = self._n_told
            self._n_told += 1
            if kinds[first] == ADMITTED:
                self._found.admit(self._result(room, first))
                continue
            while (
                kinds[first] == SEPARATED and self._n_told < n and kinds[self._n_told] == SEPARATED
            ):
                self._n_told += 1
            self._tell_separated(record, first, self._n_told)
            if kinds[first] == REMOVED:
                self._found.remove(self._result(room, first))

    def finish(self, room: SearchRoom) -> None:
        """Give the members the weakest tests that they survived."""
        tests, members = room.record.members, self._found.members
        n = int(room.record.cursor[N_MEMBERS])
        for i, x in enumerate(tests.x[:n].tolist()):
            if members[x].log_p != tests.values[i, LOG_P]:
                members[x] = IndependenceResult.of(
                    x, self._problem.target, SetRows(tests.sets)[i], tests.values[i]
                )

    def _tell_alone(self, record: AdjacentRecord) -> None:
        problem, log_alpha = self._problem, math.log(self._problem.alpha)
        xs = problem.candidates
        values = record.alone[: len(xs)].copy()
        allows, log_p = values[:, ALLOWS], values[:, LOG_P]
        is_small = log_p <= log_alpha
        independent = (allows == Allows.BOTH) & ~is_small
        if independent.any():
            self._found.separated.append(
                _given_nothing(xs[independent], problem.target, values[independent])
            )
        if not (independent | ((allows >= Allows.DEPENDENCE) & is_small)).all():
            self._found.outside = _given_nothing(xs, problem.target, values)

    def _tell_separated(self, record: AdjacentRecord, start: int, stop: int) -> None:
        events, target = record.events, self._problem.target
        batch = IndependenceBatch(
            events.x[start:stop].copy(),
            np.full(stop - start, target, dtype=np.int64),
            SetRows(events.sets[start:stop].copy()),
            events.values[start:stop].copy(),
        )
        self._found.separated.append(batch)

    def _result(self, room: SearchRoom, i: int) -> IndependenceResult:
        events = room.record.events
        given = SetRows(events.sets)[i]
        return IndependenceResult.of(
            int(events.x[i]), self._problem.target, given, events.values[i]
        )


def _given_nothing(xs: IntArray, target: int, values: Any) -> IndependenceBatch:
    return IndependenceBatch(xs, np.full(len(xs), target, dtype=np.int64), ((),) * len(xs), values)
