"""One level of PC-stable: every edge against all sets of one size, in the order of names.

A *task* is one target with some of the variables at the other ends of its edges, its candidates;
all sets of the size from its pool are tried in the order of names, each against every candidate
that is still open, so that rows are split by a set once for all of them. The target's pool is what
was adjacent to it before the level, so tasks do not depend on each other, and threads may share
them. The two ends of an edge take turns: first the end with the earlier name is the target, then
the other one, which knows what the first has found and asks nothing again.

Here is what all tests share; ``count_levels.py`` and ``block_levels.py`` have the tests.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, IntArray
from eiderdown.independence.kernels.cache import (
    COMPUTED,
    REPEATED,
    SKIPPED,
    ResultTable,
    cannot_say,
    copy_values,
    hash_of_set,
    is_independent,
    key_of,
    store,
)
from eiderdown.independence.kernels.subsets import is_weaker
from eiderdown.kernels import kernel

NOT_ASKED, FROM_OTHER_END, TO_COMPUTE = range(3)
"""What is to be done about a candidate and a set."""

_JOB, _BEGUN, _N_OPEN, _LEFT, _KEPT = range(5)
_N_CURSOR = 5


class Level(NamedTuple):
    """The questions of one turn, without their answers.

    Pools are those of every variable, in the order of names: ``pools[pool_starts[v]:
    pool_starts[v + 1]]``. Task k asks about ``targets[k]`` and the candidates from ``starts[k]`` up
    to ``stops[k]``; ``edge_of`` has the number of each candidate's edge.
    """

    size: int
    log_alpha: float
    is_second: bool
    rank: Annotated[IntArray, "const(int64[::1])"]
    pool_starts: Annotated[IntArray, "const(int64[::1])"]
    pools: Annotated[IntArray, "const(int64[::1])"]
    targets: Annotated[IntArray, "const(int64[::1])"]
    starts: Annotated[IntArray, "const(int64[::1])"]
    stops: Annotated[IntArray, "const(int64[::1])"]
    candidates: Annotated[IntArray, "const(int64[::1])"]
    edge_of: Annotated[IntArray, "const(int64[::1])"]


class Answers(NamedTuple):
    """One row per edge: its weakest dependence, and what separated it from either end.

    Members of sets are -1 where there is none; that of a weakest dependence is from before this
    level then.
    """

    weakest: Annotated[FloatArray, "float64[:, ::1]"]
    weakest_sets: Annotated[IntArray, "int64[:, ::1]"]
    first: Annotated[FloatArray, "float64[:, ::1]"]
    first_sets: Annotated[IntArray, "int64[:, ::1]"]
    second: Annotated[FloatArray, "float64[:, ::1]"]
    second_sets: Annotated[IntArray, "int64[:, ::1]"]


class Walk(NamedTuple):
    """Where one thread is: its task, the set and its members' positions in the pool.

    ``shared`` says of each candidate and position whether the candidate's pool has that member.
    ``fresh`` counts the tests, and remembers them if ``remembers``.
    """

    cursor: Annotated[IntArray, "int64[::1]"]
    positions: Annotated[IntArray, "int64[::1]"]
    subset: Annotated[IntArray, "int64[::1]"]
    is_open: Annotated[BoolArray, "boolean[::1]"]
    shared: Annotated[BoolArray, "boolean[:, ::1]"]
    mark: Annotated[IntArray, "int64[::1]"]
    fresh: ResultTable
    remembers: bool

    @classmethod
    def of(cls, level: Level, n_remembered: int) -> Walk:
        """Make room for the largest task of a level, and for so many tests to be remembered."""
        n_candidates = int((level.stops - level.starts).max(initial=1))
        n_pool = int(np.diff(level.pool_starts).max(initial=1)) if level.is_second else 1
        return cls(
            np.zeros(_N_CURSOR, dtype=np.int64),
            np.empty(level.size, dtype=np.int64),
            np.empty(level.size, dtype=np.int64),
            np.empty(n_candidates, dtype=np.bool_),
            np.empty((n_candidates if level.is_second else 1, n_pool), dtype=np.bool_),
            np.zeros(len(level.rank), dtype=np.int64),
            ResultTable.for_tests(n_remembered),
            n_remembered > 0,
        )

    def rewind(self) -> None:
        """Begin with the first of other tasks."""
        self.cursor[:] = 0

    @property
    def n_begun(self) -> int:
        """How many tasks are begun or done."""
        return int(self.cursor[_JOB] + self.cursor[_BEGUN])

    def is_over(self, n_tasks: int) -> bool:
        """Whether all of so many tasks are done."""
        return int(self.cursor[_JOB]) >= n_tasks


@kernel("boolean(Level, Walk, const(int64[::1]), int64)", inner=True)
def is_over(level, walk, tasks, budget):
    """Whether there is no task left, or the budget is used up; begin the next task otherwise."""
    cursor = walk.cursor
    if cursor[_JOB] >= tasks.shape[0] or cursor[_LEFT] >= budget:
        return True
    if cursor[_BEGUN] == 0:
        _begin_task(level, walk, tasks[cursor[_JOB]])
    return False


@kernel("boolean(Walk, const(int64[::1]))", inner=True)
def is_done(walk, tasks):
    """Whether there is no task left; if there is, a new budget begins."""
    walk.cursor[_LEFT] = 0
    return walk.cursor[_JOB] >= tasks.shape[0]


@kernel("int64(Walk, const(int64[::1]))", inner=True)
def task_of(walk, tasks):
    """Return the number of the task."""
    return tasks[walk.cursor[_JOB]]


@kernel("void(Level, Walk, int64)", inner=True)
def _begin_task(level, walk, task):
    """Open all candidates, take the first set, and see which members the other ends know."""
    target = level.targets[task]
    start, n = level.starts[task], level.stops[task] - level.starts[task]
    pool = level.pools[level.pool_starts[target] : level.pool_starts[target + 1]]
    for b in range(n):
        walk.is_open[b] = True
    if level.is_second:
        for b in range(n):
            x = level.candidates[start + b]
            for i in range(level.pool_starts[x], level.pool_starts[x + 1]):
                walk.mark[level.pools[i]] = 1
            for j in range(pool.shape[0]):
                walk.shared[b, j] = walk.mark[pool[j]] == 1
            for i in range(level.pool_starts[x], level.pool_starts[x + 1]):
                walk.mark[level.pools[i]] = 0
    for i in range(level.size):
        walk.positions[i] = i
        walk.subset[i] = pool[i]
    walk.cursor[_BEGUN] = 1
    walk.cursor[_N_OPEN] = n
    walk.cursor[_KEPT] = 0


@kernel("int64(Walk)", inner=True)
def n_kept(walk):
    """Return how many leading members the set shares with the one before it in the task."""
    return walk.cursor[_KEPT]


@kernel("void(Level, Walk, int64)", inner=True)
def next_set(level, walk, task):
    """Go on to the next set, or to the next task if that was the last or nothing is open."""
    target, positions = level.targets[task], walk.positions
    pool = level.pools[level.pool_starts[target] : level.pool_starts[target + 1]]
    walk.cursor[_LEFT] += 1
    i = level.size - 1
    while i >= 0 and positions[i] == pool.shape[0] - level.size + i:
        i -= 1
    if i < 0 or walk.cursor[_N_OPEN] == 0:
        walk.cursor[_JOB] += 1
        walk.cursor[_BEGUN] = 0
        return
    walk.cursor[_KEPT] = i
    positions[i] += 1
    walk.subset[i] = pool[positions[i]]
    for j in range(i + 1, level.size):
        positions[j] = positions[j - 1] + 1
        walk.subset[j] = pool[positions[j]]


@kernel("int64(Level, Answers, Walk, int64, int64)", inner=True)
def duty(level, answers, walk, task, b):
    """Say what is to be done about a candidate and the set.

    The other end has tried all sets of its own pool before the one that separated it, if any did;
    sets are in the order of names at either end.
    """
    x = level.candidates[level.starts[task] + b]
    if not walk.is_open[b]:
        return NOT_ASKED
    for i in range(level.size):
        if walk.subset[i] == x:
            return NOT_ASKED
    if not level.is_second:
        return TO_COMPUTE
    for i in range(level.size):
        if not walk.shared[b, walk.positions[i]]:
            return TO_COMPUTE
    separating = answers.first_sets[level.edge_of[level.starts[task] + b]]
    if separating[0] >= 0:
        for i in range(level.size):
            if walk.subset[i] != separating[i]:
                if level.rank[walk.subset[i]] > level.rank[separating[i]]:
                    return TO_COMPUTE
                break
    return FROM_OTHER_END


@kernel("void(Level, Answers, Walk, int64, int64)", inner=True)
def take_from_other_end(level, answers, walk, task, b):
    """Note that the other end has asked the same; what separated it separates this one, too."""
    edge = level.edge_of[level.starts[task] + b]
    walk.fresh.counters[REPEATED] += 1
    for i in range(level.size):
        if walk.subset[i] != answers.first_sets[edge, i]:
            return
    copy_values(answers.first[edge], answers.second[edge])
    _close(level, walk, b, answers.second_sets[edge])


@kernel("void(Level, Answers, Walk, int64, int64, float64[::1])", inner=True)
def take_answer(level, answers, walk, task, b, values):
    """Note what a test of a candidate says."""
    edge = level.edge_of[level.starts[task] + b]
    walk.cursor[_LEFT] += 1
    walk.fresh.counters[COMPUTED] += 1
    walk.fresh.counters[SKIPPED] += cannot_say(values, 0.0)  # at any level
    if walk.remembers:
        x = level.candidates[level.starts[task] + b]
        store(walk.fresh, key_of(x, level.targets[task], hash_of_set(walk.subset)), values)
    if is_independent(values, level.log_alpha):
        if level.is_second:
            copy_values(values, answers.second[edge])
            _close(level, walk, b, answers.second_sets[edge])
        else:
            copy_values(values, answers.first[edge])
            _close(level, walk, b, answers.first_sets[edge])
    elif is_weaker(values, answers.weakest[edge], level.log_alpha):
        copy_values(values, answers.weakest[edge])
        for i in range(level.size):
            answers.weakest_sets[edge, i] = walk.subset[i]


@kernel("void(Level, Walk, int64, int64[::1])", inner=True)
def _close(level, walk, b, separating):
    for i in range(level.size):
        separating[i] = walk.subset[i]
    walk.is_open[b] = False
    walk.cursor[_N_OPEN] -= 1
