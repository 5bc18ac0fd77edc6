"""One level of PC-stable: which edges some set of one size separates, from either end.

D. Colombo & M. Maathuis, "Order-independent constraint-based causal structure learning" (JMLR 15,
2014), algorithm 4.1, lines 8 to 17. What is adjacent to each variable is fixed before a level, so
that its edges do not depend on each other. The end of an edge with the earlier name asks first,
then the other one; each tries its sets in the order of names until one separates.

Tests that can do a level in compiled code do so, and threads share its tasks there. Every other
test is asked one set after the other, and the answers are the same.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from eiderdown.arrays import FloatArray, IntArray, frozen
from eiderdown.independence.base import IndependenceTest
from eiderdown.independence.batch import LOG_P, N_VALUES
from eiderdown.independence.cache import CachedTest
from eiderdown.independence.kernels.cache import ResultTable
from eiderdown.independence.kernels.levels import NEVER, Answers, Level, Queue, Walk
from eiderdown.independence.kernels.settled_levels import settle
from eiderdown.statistics.cost import Workers
from eiderdown.work_sharing import MOST_THREADS, waiting_threads

MOST_REMEMBERED = 50_000
"""A turn of more tests than this does not put them in the cache."""

_BUDGET = 50_000_000  # rows of tests of each thread between two looks at the clock
_FEWEST_TESTS, _MOST_TESTS = 64, 20_000
_ROWS_AT_ONCE, _MOST_AT_ONCE = 40_000, 8  # rows, and sets, of which a thread takes the tests


@dataclass(frozen=True, eq=False)
class LevelQuestion:
    """The edges of a graph, and what is adjacent to their ends.

    Attributes
    ----------
    size : int
        How many members a set has.
    edges : IntArray of shape (n_edges, 2)
        The two ends of each edge, the earlier name first.
    n_possible : IntArray of shape (n_edges, 2)
        How many members other than the other end a set may have if either end is the target.
    starts, members : IntArray
        The pool of each variable x, those that a set may have if it is the target, in the order of
        names: ``members[starts[x]:starts[x + 1]]``.
    weakest : FloatArray of shape (n_edges, 6)
        The values of the weakest test that each edge has survived so far.
    alpha : float
        Significance level.
    """

    size: int
    edges: IntArray
    n_possible: IntArray
    starts: IntArray
    members: IntArray
    weakest: FloatArray
    alpha: float

    @property
    def pools(self) -> Sequence[IntArray]:
        """The pool of each variable."""
        return np.split(self.members, self.starts[1:-1])

    def begin(self) -> Answers:
        """Return what is known before any set is tried."""
        n, none = len(self.edges), np.full((len(self.edges), self.size), -1, dtype=np.int64)
        return Answers(
            self.weakest.copy(),
            none.copy(),
            np.zeros((n, N_VALUES)),
            none.copy(),
            np.zeros((n, N_VALUES)),
            none.copy(),
        )

    def turn(self, turn: int, name_rank: IntArray) -> Level:
        """Return the questions of the first end of every edge (0) or of the second (1)."""
        targets, others = self.edges[:, turn], self.edges[:, 1 - turn]
        edges = np.flatnonzero(self.n_possible[:, turn] >= self.size)
        edges = edges[np.lexsort((name_rank[others[edges]], name_rank[targets[edges]]))]
        starts = np.flatnonzero(np.diff(targets[edges], prepend=-1))
        return Level(
            self.size,
            math.log(self.alpha),
            turn == 1,
            frozen(np.array(name_rank, dtype=np.int64)),
            frozen(self.starts.view()),
            frozen(self.members.view()),
            frozen(targets[edges[starts]]),
            frozen(starts.astype(np.int64)),
            frozen(np.append(starts, len(edges))[1:].astype(np.int64)),
            frozen(self._n_sets[targets[edges[starts]]]),
            frozen(others[edges]),
            frozen(edges.astype(np.int64)),
            1,
        )

    @cached_property
    def _n_sets(self) -> IntArray:
        """How many sets the pool of each variable has."""
        n_sets = [math.comb(n, self.size) for n in range(int(np.diff(self.starts).max()) + 1)]
        return np.array([min(n, NEVER) for n in n_sets], dtype=np.int64)[np.diff(self.starts)]


def n_possible(edges: IntArray, starts: IntArray, members: IntArray) -> IntArray:
    """Return how many others a set may have if either end of an edge is the target.

    Parameters
    ----------
    edges, starts, members : IntArray
        As in :class:`LevelQuestion`.
    """
    n, lengths = len(starts) - 1, np.diff(starts)
    pairs = np.repeat(np.arange(n), lengths) * n + members
    possible: IntArray = lengths[edges] - np.isin(edges * n + edges[:, ::-1], pairs)
    return possible


class CompiledLevels(ABC):
    """Tests that do a level in compiled code.

    Parameters
    ----------
    workers : Workers
        Threads.
    n_rows : int
        Rows of the table, which say how often to look at the clock.
    """

    takes_pairs = True
    """Whether pairs given nothing are soon tested so."""

    def __init__(self, workers: Workers, n_rows: int) -> None:
        self.n_threads, self._n_rows = min(workers.n_jobs, MOST_THREADS), n_rows

    @abstractmethod
    def rooms(self, level: Level, walk: Walk) -> Any:
        """Make what threads work in."""

    @abstractmethod
    def advance(
        self, board: IntArray, level: Level, answers: Answers, queue: Queue, rooms: Any, budget: int
    ) -> bool:
        """Go on for so many tests of each thread; return whether all is done."""

    def search(
        self,
        level: Level,
        answers: Answers,
        tell: Callable[[], None],
        table_for: Callable[[int], ResultTable],
        *,
        remembers: bool | None = None,
    ) -> None:
        """Do all tasks of a turn.

        Parameters
        ----------
        level, answers
            What is asked, and where the answers go.
        tell : callable
            Called every now and then; may raise to end the search.
        table_for : callable
            Returns the table that counts tests and remembers them, with room for some more.
        remembers : bool, optional
            Whether tests are remembered; if it is not said, unless there may be very many.
        """
        level, n_tests = _by_size(level, self._n_rows)
        # All or none, so that it does not depend on the threads what is known later.
        remembers = n_tests <= MOST_REMEMBERED if remembers is None else remembers
        budget = min(_MOST_TESTS, max(_FEWEST_TESTS, _BUDGET // max(1, self._n_rows)))
        queue, walk = Queue.of(level), Walk.of(level, self.n_threads, min(budget, int(n_tests)))
        rooms, is_done = self.rooms(level, walk), False
        while not is_done:
            with waiting_threads(self.n_threads) as board:
                is_done = self.advance(board, level, answers, queue, rooms, budget)
            table = table_for(int(queue.n_noted[0]) if remembers else 0)
            settle(level, answers, queue, walk, table, remembers)
            tell()


def _by_size(level: Level, n_rows: int) -> tuple[Level, float]:
    """Put tasks with the most tests first; return how many tests there may be, too.

    How many sets a thread takes at once goes by the rows, so that threads end at the same time.
    """
    work = level.n_sets.astype(np.float64) * (level.stops - level.starts)
    order = np.argsort(-work, kind="stable")
    fields = {name: getattr(level, name) for name in ("targets", "starts", "stops", "n_sets")}
    sorted_fields: dict[str, Any] = {name: frozen(of[order]) for name, of in fields.items()}
    n_at_once = min(_MOST_AT_ONCE, max(1, _ROWS_AT_ONCE // max(1, n_rows)))
    return level._replace(**sorted_fields, n_at_once=n_at_once), float(work.sum())


def levels_for_pairs(test: IndependenceTest) -> CompiledLevels | None:
    """Return what tests all pairs given nothing in compiled code, if a test can and knows none."""
    if isinstance(test, CachedTest) and (test.n_known > 0 or not test.keeps_all_apart):
        return None
    compiled = test.compiled_levels(np.arange(test.n_variables))
    return compiled if compiled is not None and compiled.takes_pairs else None


def test_pairs(
    test: IndependenceTest,
    compiled: CompiledLevels | None,
    pairs: IntArray,
    alpha: float,
    tell: Callable[[], None],
) -> FloatArray:
    """Return the values of the tests of some pairs given nothing.

    Parameters
    ----------
    test : IndependenceTest
        What is asked.
    compiled : CompiledLevels or None
        What :func:`levels_for_pairs` returned.
    pairs : IntArray of shape (n_pairs, 2)
        The earlier name first; all pairs with the same first one are together.
    alpha : float
        Significance level.
    tell : callable
        Called every now and then; may raise to end the search.
    """
    if compiled is None:
        starts = np.flatnonzero(np.diff(pairs[:, 0], prepend=-1))
        groups = np.split(pairs, starts[1:])
        found = [test.sweep(some[:, 1], int(some[0, 0])).values for some in groups if len(some)]
        return np.concatenate([np.empty((0, N_VALUES)), *found])
    starts, members = np.zeros(test.n_variables + 1, dtype=np.int64), np.empty(0, dtype=np.int64)
    weakest = np.zeros((len(pairs), N_VALUES))
    question = LevelQuestion(0, pairs, np.zeros_like(pairs), starts, members, weakest, alpha)
    answers, level = question.begin(), question.turn(0, test.name_rank)
    compiled.search(level, answers, tell, _table_of(test), remembers=True)
    return answers.first


def separate_level(
    test: IndependenceTest, question: LevelQuestion, tell: Callable[[], None]
) -> Answers:
    """Try all sets of a size on every edge, from both ends.

    Parameters
    ----------
    test : IndependenceTest
        What is asked.
    question : LevelQuestion
        Edges and sets.
    tell : callable
        Called every now and then, from any thread; may raise to end the search.
    """
    answers = question.begin()
    compiled = test.compiled_levels(np.unique(question.edges))
    table_for = _table_of(test)
    for turn in (0, 1):
        level = question.turn(turn, test.name_rank)
        if compiled is None:
            _ask_one_by_one(test, question, level, answers, tell)
        elif len(level.targets):
            compiled.search(level, answers, tell, table_for)
    return answers


def _table_of(test: IndependenceTest) -> Callable[[int], ResultTable]:
    """Return what gives the table that counts a test's answers."""
    return test.table_for if isinstance(test, CachedTest) else _uncounted


def _uncounted(n_new: int) -> ResultTable:
    """Return a table that nobody looks at."""
    return ResultTable.for_tests(n_new)


def _ask_one_by_one(
    test: IndependenceTest,
    question: LevelQuestion,
    level: Level,
    answers: Answers,
    tell: Callable[[], None],
) -> None:
    """Do a turn with one sweep for each set."""
    values, sets = answers.first, answers.first_sets
    if level.is_second:
        values, sets = answers.second, answers.second_sets
    for target, start, stop in zip(level.targets, level.starts, level.stops, strict=True):
        candidates, edges = level.candidates[start:stop], level.edge_of[start:stop]
        is_open = np.ones(len(candidates), dtype=np.bool_)
        for given in combinations(question.pools[target].tolist(), level.size):
            asked = np.flatnonzero(is_open & ~np.isin(candidates, given))
            batch = test.sweep(candidates[asked], int(target), given)
            separated = batch.independent(question.alpha)
            is_open[asked[separated]] = False
            values[edges[asked[separated]]] = batch.values[separated]
            sets[edges[asked[separated]]] = given
            dependent = batch.dependent(question.alpha)
            _keep_weaker(answers, edges[asked[dependent]], batch.values[dependent], given)
            if not is_open.any():
                break
        tell()


def _keep_weaker(
    answers: Answers, edges: IntArray, values: FloatArray, given: tuple[int, ...]
) -> None:
    """Keep the dependences that are weaker than those kept so far."""
    weaker = values[:, LOG_P] > answers.weakest[edges, LOG_P]
    answers.weakest[edges[weaker]] = values[weaker]
    answers.weakest_sets[edges[weaker]] = given
