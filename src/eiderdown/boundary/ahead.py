"""Compiled searches around targets that will be asked for, many at a time, shared out to threads.

Searches around many targets are asked for one after the other, and what each of them finds and how
many tests it counts depends on that order, because a test that was made before is not made again.
Here they are made with nothing remembered (:mod:`eiderdown.boundary.kernels.around`); only when a
search is asked for are its tests merged with those that are known by then, and counted as if it had
been made there and then (:func:`eiderdown.independence.kernels.cache.merge_results`). So answers
and counts are those of searches that are made one by one.

One search may take as long as a hundred others, so with several threads those that are likely to be
long come first. Whoever asks for a search waits for that one only, and others stay where they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from eiderdown.arrays import IntArray, frozen
from eiderdown.boundary.kernels.adjacent import NOTHING_KNOWN, AdjacentQuestion, Tests
from eiderdown.boundary.kernels.around import (
    ALONE,
    IS_DONE,
    LOGGED,
    ROWS_WANTED,
    SEARCHING,
    SLOTS_WANTED,
    Log,
    Made,
    Searches,
    Targets,
    Told,
    lanes_of,
    search_around,
)
from eiderdown.boundary.problem import TestProblem
from eiderdown.independence.batch import ALLOWS, LOG_P, N_VALUES, Allows
from eiderdown.independence.kernels.cache import ResultTable
from eiderdown.work_sharing import MOST_THREADS, waiting_threads

if TYPE_CHECKING:
    from eiderdown.boundary.compiled import CompiledSearch, SearchRooms

_FEWEST_AHEAD = 32  # searches that are made at a time
_BYTES_AHEAD = 64_000_000  # that more of them may take, and their tests
_BUDGET = 400_000_000  # rows of tests between two looks at the clock
_SLICE = 2_000_000  # the same of one thread, before it looks at what others have done
_FIRST_SLOTS, _MOST_SLOTS = 1 << 16, 1 << 21  # of the tests that a search remembers for itself
_NO_GENERATIONS = np.empty(0, dtype=np.uint8)


class SearchTold:
    """What a search that is done found, and the tests that it made."""

    __slots__ = ("alone", "events", "fresh", "kinds", "members")

    def __init__(
        self, alone: np.ndarray, kinds: IntArray, events: Tests, members: Tests, fresh: ResultTable
    ) -> None:
        self.alone, self.kinds, self.fresh = alone, kinds, fresh
        self.events, self.members = events, members


class SearchesAround:
    """Searches around some targets, under way.

    Parameters
    ----------
    rooms : SearchRooms
        The table.
    question : AdjacentQuestion
        How to search; around whom and among which candidates is of no account.
    variables : IntArray
        The columns that take part.
    targets : IntArray
        Around which of them; the first comes first.
    """

    def __init__(
        self, rooms: SearchRooms, question: AdjacentQuestion, variables: IntArray, targets: IntArray
    ) -> None:
        self._rooms, self._question, self._log_alpha = rooms, question, question.log_alpha
        self._item_of = {int(target): i for i, target in enumerate(targets)}
        n, m = len(targets), len(variables)
        n_jobs = min(rooms.table.n_jobs, MOST_THREADS, n)
        positions = np.searchsorted(variables, targets)
        place = np.full(m, -1, dtype=np.int64)
        place[positions] = np.arange(n)
        self._targets = Targets(
            frozen(variables.astype(np.int64)),
            frozen(positions.astype(np.int64)),
            frozen(place),
            np.arange(n),
            np.zeros(1, dtype=np.int64),
            np.full(n_jobs, -1, dtype=np.int64),
            np.empty((n, m, N_VALUES)),
        )
        columns = rooms.table.columns
        self._lanes = lanes_of(
            columns, n_jobs, m - 1, question.max_given, rooms.shape_of(variables)
        )
        self._fewest = 1 << max(6, (4 * m - 1).bit_length())
        self._made = Made.of(n_jobs, max(4 * self._fewest, _FIRST_SLOTS))
        self._log = Log.of(n_jobs, 4 * n * m // n_jobs + self._fewest)
        self._told = Told.of(np.zeros(n, dtype=np.int64), 1)
        self._what = ALONE

    def _begin(self) -> None:
        """Go on to whoever depends on the targets given nothing."""
        alone, targets = self._targets.alone, self._targets
        alone[np.arange(len(alone)), targets.targets, ALLOWS] = Allows.NOTHING
        depend = (alone[:, :, ALLOWS] >= Allows.DEPENDENCE) & (
            alone[:, :, LOG_P] <= self._log_alpha
        )
        n_open = np.count_nonzero(depend, axis=1)
        if len(self._lanes.place) > 1:
            targets.order[1:] = 1 + np.argsort(-n_open[1:], kind="stable")
        self._told = Told.of(3 * n_open, max(1, self._question.max_given))
        targets.n_begun[0] = 0
        self._what = SEARCHING

    def __contains__(self, target: int) -> bool:
        return target in self._item_of

    def is_done(self, target: int) -> bool:
        """Whether a search is done."""
        return bool(self._told.marks[self._item_of[target], IS_DONE])

    def go_on(self) -> None:
        """Search for a while."""
        self._search()
        if self._what == ALONE and self._targets.n_begun[0] >= len(self._item_of):
            self._begin()
        place = self._lanes.place
        n_slots, n_rows = int(place[:, SLOTS_WANTED].max()), int(place[:, ROWS_WANTED].max())
        place[:, [SLOTS_WANTED, ROWS_WANTED]] = 0
        if n_slots:
            self._made = _with_room(self._made, Made.of(len(place), min(4 * n_slots, _MOST_SLOTS)))
        if n_rows:
            self._log = _with_room(self._log, Log.of(len(place), 2 * n_rows))

    def begin_no_more(self) -> list[int]:
        """Let searches under way be the last; return around whom none was begun."""
        given_out, order = int(self._targets.n_begun[0]), self._targets.order
        self._targets.n_begun[0] = len(order)
        names = list(self._item_of)
        return [names[i] for i in sorted(order[given_out:].tolist())]

    @property
    def n_bytes_of_tests(self) -> int:
        """What the tests take that were made so far."""
        return int(self._lanes.place[:, LOGGED].sum()) * 8 * (2 + N_VALUES)

    def told(self, target: int) -> SearchTold:
        """Return what a search that is done has found."""
        item, told = self._item_of[target], self._told
        n_events, n_members, n_tests, lane, first, _ = told.marks[item].tolist()
        row, log = int(told.first[item]), self._log
        end = first + n_tests
        fresh = ResultTable(
            np.ascontiguousarray(log.keys[lane, :, first:end]),
            log.values[lane, first:end],
            _NO_GENERATIONS,
            told.counters[item].copy(),
        )
        events, members = (
            slice(row, row + n_events),
            slice(row + n_events, row + n_events + n_members),
        )
        alone = np.delete(self._targets.alone[item], self._targets.targets[item], axis=0)
        return SearchTold(
            alone, told.kinds[events], _rows(told.tests, events), _rows(told.tests, members), fresh
        )

    def _search(self) -> None:
        budget, slice_ = (max(64, most // max(1, self._rooms.n_rows)) for most in (_BUDGET, _SLICE))
        self._targets.spent[:] = -1
        table = self._rooms.table
        with waiting_threads(len(self._lanes.place)) as board:
            search_around(
                board,
                Searches(
                    table.columns,
                    table.judging,
                    self._question,
                    self._targets,
                    self._lanes,
                    self._made,
                    self._log,
                    self._told,
                ),
                NOTHING_KNOWN,
                (self._what, budget, slice_, self._fewest, _MOST_SLOTS),
            )


def _with_room(before: Any, larger: Any) -> Any:
    """Copy arrays to the beginning of larger ones."""
    for old, new in zip(before, larger, strict=True):
        new[tuple(map(slice, old.shape))] = old
    return larger


def _rows(tests: Tests, rows: slice) -> Tests:
    return Tests(tests.x[rows], tests.values[rows], tests.sets[rows])


class SearchAhead:
    """Searches that are made before they are asked for, many at a time.

    Parameters
    ----------
    targets : iterable of int
        Around whom, in the order in which they are likely to be asked for.
    """

    def __init__(self, targets: Iterable[int]) -> None:
        self._left = dict.fromkeys(targets)
        self._under_way: dict[int, SearchesAround] = {}
        self._bound: tuple[CompiledSearch, SearchRooms, TestProblem] | None = None
        self._question: AdjacentQuestion | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._under_way.clear()

    def take(
        self, search: CompiledSearch, problem: TestProblem, rooms: SearchRooms
    ) -> SearchTold | None:
        """Return what was found around the target of a problem; None if that is not made here.

        The first search that is asked for is the one that is made around all.
        """
        if self._bound is None:
            self._bound = search, rooms, problem
            if rooms.take_all(problem):
                self._question = search.question(problem)
        if self._question is None or not self._is_same(search, problem, rooms):
            return None
        target = int(problem.target)
        while True:
            around = self._under_way.get(target) or self._begun(target)
            if around.is_done(target):
                return self._under_way.pop(target).told(target)
            problem.trace.progressed("looking around", 0)
            around.go_on()
            if around.n_bytes_of_tests > _BYTES_AHEAD:
                for other in around.begin_no_more():
                    self._left[other] = None
                    del self._under_way[other]

    def _begun(self, target: int) -> SearchesAround:
        """Begin searches around a target, and around others that will be asked for."""
        assert self._bound is not None
        assert self._question is not None
        _, rooms, problem = self._bound
        variables = problem.variables
        n_more = _BYTES_AHEAD // (2 * 8 * N_VALUES * len(variables))
        self._left.pop(target, None)
        targets = [target, *islice(self._left, max(_FEWEST_AHEAD, n_more) - 1)]
        around = SearchesAround(rooms, self._question, variables, np.array(targets))
        for one in targets:
            self._left.pop(one, None)
            self._under_way[one] = around
        return around

    def _is_same(self, search: CompiledSearch, problem: TestProblem, rooms: SearchRooms) -> bool:
        """Whether a search is one of those that are made here."""
        assert self._bound is not None
        theirs = self._bound[2]
        return bool(
            search is self._bound[0]
            and rooms is self._bound[1]
            and problem.alpha == theirs.alpha
            and np.array_equal(problem.variables, theirs.variables)
            and (problem.ties is theirs.ties or np.array_equal(problem.tie_rank, theirs.tie_rank))
        )
