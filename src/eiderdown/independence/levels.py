"""One level of PC-stable: which edges some set of one size separates, from either end.

D. Colombo & M. Maathuis, "Order-independent constraint-based causal structure learning" (JMLR 15,
2014), algorithm 4.1, lines 8 to 17. What is adjacent to each variable is fixed before a level, so
that its edges do not depend on each other. The end of an edge with the earlier name asks first,
then the other one; each tries its sets in the order of names until one separates.

Tests that can do a level in compiled code do so, in threads where that pays. Every other test is
asked one set after the other, and the answers are the same.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from time import thread_time
from typing import Any, NamedTuple

import numpy as np

from eiderdown.arrays import FloatArray, IntArray, frozen
from eiderdown.independence.base import IndependenceTest
from eiderdown.independence.batch import LOG_P, N_VALUES
from eiderdown.independence.cache import CachedTest
from eiderdown.independence.kernels.cache import ResultTable
from eiderdown.independence.kernels.levels import Answers, Level
from eiderdown.statistics.cost import THREADS_PAY_FROM, Workers

MOST_REMEMBERED = 50_000
"""A turn of more tests than this does not put them in the cache."""

_BUDGET = 20_000_000  # rows of tests between two looks at the clock
_BUDGET_ALONE = 2_000_000  # while one thread may soon call others
_JOBS_PER_THREAD = 8

_LOOK, _MANY_ROWS = 0.001, 20_000
"""Seconds that one thread works before it calls others, which need rooms of their own; three times
as long where a table has fewer rows, so that what there is to share is soon done."""


@dataclass(frozen=True, eq=False)
class LevelQuestion:
    """The edges of a graph, and what is adjacent to their ends.

    Attributes
    ----------
    size : int
        How many members a set has; at least 1.
    edges : IntArray of shape (n_edges, 2)
        The two ends of each edge, the earlier name first.
    pools : sequence of IntArray
        Of each variable, those that a set may have if it is the target, in the order of names.
    weakest : FloatArray of shape (n_edges, 6)
        The values of the weakest test that each edge has survived so far.
    alpha : float
        Significance level.
    """

    size: int
    edges: IntArray
    pools: Sequence[IntArray]
    weakest: FloatArray
    alpha: float

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
        n = len(self.pools)
        lengths = np.array([len(pool) for pool in self.pools], dtype=np.int64)
        pools = np.concatenate([np.empty(0, dtype=np.int64), *self.pools])
        targets, others = self.edges[:, turn], self.edges[:, 1 - turn]
        inside = np.isin(targets * n + others, np.repeat(np.arange(n), lengths) * n + pools)
        edges = np.flatnonzero(lengths[targets] - inside >= self.size)
        edges = edges[np.lexsort((name_rank[others[edges]], name_rank[targets[edges]]))]
        starts = np.flatnonzero(np.diff(targets[edges], prepend=-1))
        return Level(
            self.size,
            math.log(self.alpha),
            turn == 1,
            frozen(np.array(name_rank, dtype=np.int64)),
            frozen(np.append(0, np.cumsum(lengths)).astype(np.int64)),
            frozen(pools),
            frozen(targets[edges[starts]]),
            frozen(starts.astype(np.int64)),
            frozen(np.append(starts, len(edges))[1:].astype(np.int64)),
            frozen(others[edges]),
            frozen(edges.astype(np.int64)),
        )


class Job(NamedTuple):
    """Tasks of a level for one thread, all of a kind, and its room if they are begun."""

    level: Level
    kind: int
    tasks: IntArray
    room: Any = None


class CompiledLevels(ABC):
    """Tests that do a level in compiled code.

    Parameters
    ----------
    workers : Workers
        Threads.
    n_rows : int
        Rows of the table, which say how often to look at the clock.
    """

    def __init__(self, workers: Workers, n_rows: int) -> None:
        self.workers, self._n_rows = workers, n_rows

    @property
    def look(self) -> float:
        """After how many seconds of one thread others are called."""
        return _LOOK if self._n_rows >= _MANY_ROWS else 3.0 * _LOOK

    def tests_of(self, n_rows: int) -> int:
        """Return how many tests look at so many rows, about."""
        return max(2, n_rows // max(1, self._n_rows))

    @abstractmethod
    def room(self, level: Level, kind: int, n_remembered: int) -> Any:
        """Make what one thread works in, for tasks of a kind; its ``walk`` is where it is."""

    @abstractmethod
    def advance(self, job: Job, answers: Answers, room: Any, budget: int) -> bool:
        """Go on with some tasks for so many tests; return whether all are done."""

    def kinds(self, level: Level) -> IntArray:
        """Return which tasks can share a room: those of the same kind."""
        return np.zeros(len(level.targets), dtype=np.int64)

    def search(
        self,
        level: Level,
        answers: Answers,
        tell: Callable[[], None],
        absorb: Callable[[ResultTable], None],
    ) -> None:
        """Do all tasks of a turn; ``absorb`` is given the tests that were made."""
        work = _work_of(level)
        # All or none, so that it does not depend on the threads what is known later.
        n_remembered = int(work.sum()) if work.sum() <= MOST_REMEMBERED else 0
        rooms = _Rooms(self, answers, tell, n_remembered)
        n_jobs, begun = self.workers.n_jobs, list[Job]()
        try:
            if n_jobs > 1 and work.sum() * self._n_rows > THREADS_PAY_FROM:
                begun, left = self._begin_alone(rooms, level, work)
                if not begun and len(left) == 0:
                    return
                level = _some_tasks(level, left)
            else:
                n_jobs = 1
            level, work = _divided(level, n_jobs)
            parts = _jobs(self.kinds(level), work, n_jobs)
            jobs = [*begun, *(Job(level, kind, tasks) for kind, tasks in parts)]
            self.workers.each(rooms.do, jobs, pays=n_jobs > 1)
        finally:
            for fresh in rooms.made:
                absorb(fresh)

    def _begin_alone(
        self, rooms: _Rooms, level: Level, work: FloatArray
    ) -> tuple[list[Job], IntArray]:
        """Do smaller tasks for a while; return the job that is begun, if one is, and other tasks.

        How long a level takes is not known from its tests: most edges are separated by the first
        sets. So others are called when it has taken long.
        """
        is_left = np.ones(len(work), dtype=np.bool_)
        for kind, tasks in _by_kind(self.kinds(level), work):
            if rooms.seconds >= self.look:
                break
            job, n_begun = rooms.begin(Job(level, kind, tasks))
            is_left[tasks[:n_begun]] = False
            if not job.room.walk.is_over(len(tasks)):
                return [job._replace(tasks=frozen(tasks[:n_begun]))], np.flatnonzero(is_left)
        return [], np.flatnonzero(is_left)


class _Rooms:
    """Where threads work on the tasks of a turn; one that is left is used again for its kind."""

    def __init__(
        self,
        levels: CompiledLevels,
        answers: Answers,
        tell: Callable[[], None],
        n_remembered: int,
    ) -> None:
        self._levels, self._answers, self._tell = levels, answers, tell
        self._n_remembered = n_remembered
        self._idle: defaultdict[int, list[Any]] = defaultdict(list)
        self.made: list[ResultTable] = []
        self.seconds = 0.0  # of work within rooms, while one thread is alone

    def begin(self, job: Job) -> tuple[Job, int]:
        """Do some tasks of a kind until it has taken long; return how many are begun or done."""
        job = job._replace(room=self._room_for(job))
        budget = self._levels.tests_of(
            _BUDGET_ALONE // job.level.size**2
        )  # larger sets take longer
        is_done = False
        while not is_done and self.seconds < self._levels.look:
            started = thread_time()
            is_done = self._levels.advance(job, self._answers, job.room, budget)
            self.seconds += thread_time() - started
            self._tell()
        if is_done:
            self._idle[job.kind].append(job.room)
        return job, job.room.walk.n_begun

    def do(self, job: Job) -> None:
        """Do some tasks of a kind, or what is left of them."""
        room, budget = job.room or self._room_for(job), max(64, self._levels.tests_of(_BUDGET))
        while not self._levels.advance(job, self._answers, room, budget):
            self._tell()
        self._tell()
        self._idle[job.kind].append(room)

    def _room_for(self, job: Job) -> Any:
        try:
            room = self._idle[job.kind].pop()
        except IndexError:
            for rooms in list(self._idle.values()):
                rooms.clear()  # jobs come by kind
            room = self._levels.room(job.level, job.kind, self._n_remembered)
            self.made.append(room.walk.fresh)
        room.walk.rewind()
        return room


def _n_sets_of(level: Level) -> FloatArray:
    """Return how many sets each task has."""
    n_pool = np.diff(level.pool_starts)[level.targets]
    return np.array([float(math.comb(n, level.size)) for n in n_pool.tolist()])


def _work_of(level: Level) -> FloatArray:
    """Return how many tests each task has at most."""
    work: FloatArray = _n_sets_of(level) * (level.stops - level.starts)
    return work


def _some_tasks(level: Level, tasks: IntArray) -> Level:
    """Leave out all other tasks."""
    return level._replace(
        targets=frozen(level.targets[tasks]),
        starts=frozen(level.starts[tasks]),
        stops=frozen(level.stops[tasks]),
    )


def _divided(level: Level, n_jobs: int) -> tuple[Level, FloatArray]:
    """Split tasks that would keep one thread busy when the others are done; return the work."""
    n_sets, n_candidates = _n_sets_of(level), level.stops - level.starts
    work = n_sets * n_candidates
    if n_jobs == 1 or len(work) == 0:
        return level, work
    most = max(1.0, work.sum() / n_jobs)
    n_parts = np.clip(np.ceil(work / most), 1, n_candidates).astype(np.int64)
    task = np.repeat(np.arange(len(work)), n_parts)
    part = np.arange(len(task)) - np.repeat(np.cumsum(n_parts) - n_parts, n_parts)
    cuts = (level.starts[task] + n_candidates[task] * k // n_parts[task] for k in (part, part + 1))
    starts, stops = (frozen(cut.astype(np.int64)) for cut in cuts)
    divided = level._replace(targets=frozen(level.targets[task]), starts=starts, stops=stops)
    return divided, n_sets[task] * (stops - starts)


def _by_kind(kinds: IntArray, work: FloatArray) -> Iterator[tuple[int, IntArray]]:
    """Yield all tasks of a kind, small ones first, and the kind with the least work first."""
    for kind in sorted(np.unique(kinds).tolist(), key=lambda kind: work[kinds == kind].sum()):
        tasks = np.flatnonzero(kinds == kind)
        yield kind, frozen(tasks[np.argsort(work[tasks], kind="stable")].astype(np.int64))


def _jobs(kinds: IntArray, work: FloatArray, n_jobs: int) -> Iterator[tuple[int, IntArray]]:
    """Yield tasks of one kind with about as much work as others, a kind with the most first."""
    share = np.inf if n_jobs == 1 else work.sum() / (_JOBS_PER_THREAD * n_jobs)
    for kind in sorted(np.unique(kinds).tolist(), key=lambda kind: -work[kinds == kind].sum()):
        tasks = np.flatnonzero(kinds == kind)
        ends = np.cumsum(work[tasks])
        cuts = np.flatnonzero(np.diff(ends // share if share > 0 else ends * 0)) + 1
        parts = [frozen(part.astype(np.int64)) for part in np.split(tasks, cuts)]
        yield from ((kind, part) for part in sorted(parts, key=lambda part: -work[part].sum()))


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
    absorb = test.absorb if isinstance(test, CachedTest) else _forget
    for turn in (0, 1):
        level = question.turn(turn, test.name_rank)
        if compiled is None:
            _ask_one_by_one(test, question, level, answers, tell)
        elif len(level.targets):
            compiled.search(level, answers, tell, absorb)
    return answers


def _forget(fresh: ResultTable) -> None:
    """Do nothing about tests that nobody counts."""


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
