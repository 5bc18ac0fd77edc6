"""One level of PC-stable: every edge against all sets of one size, in the order of names.

A *task* is one target with the variables at the other ends of its edges, its candidates; all sets
of the size from its pool are tried in the order of names, each against every candidate that is
still open, so that rows are split by a set once for all of them. The target's pool is what was
adjacent to it before the level, so tasks do not depend on each other. The two ends of an edge take
turns: first the end with the earlier name is the target, then the other one, which knows what the
first has found and asks nothing again.

Threads begin with tasks of their own. When none is left they help with those of others: each takes
the next few sets. What they ask is noted, and only when all have stopped is it settled what counts
(``settled_levels.py``).

Here is what all tests share; ``count_levels.py`` and ``block_levels.py`` have the tests.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, IntArray
from eiderdown.independence.batch import N_VALUES
from eiderdown.independence.kernels.cache import copy_values, is_independent
from eiderdown.instructions import add_to_word
from eiderdown.kernels import kernel
from eiderdown.thread_rooms import own_part, several

NOT_ASKED, FROM_OTHER_END, TO_COMPUTE = range(3)
"""What is to be done about a candidate and a set."""

NEVER = 1 << 62
"""Number of the set that separates a candidate, if none does; more sets than that are as many."""

_MANY = 1 << 40

_TASK, _SET, _END, N_NOTED, _N_CURSOR = range(5)

TARGET, CANDIDATE, NUMBER, KIND, _N_ABOUT = range(5)
"""What is noted about a test: its variables, the number of the set, and one of these kinds."""

IS_COMPUTED, IS_REPEATED, IS_SEPARATED = range(3)
"""Whether it was made, or the other end had made it, and then whether that one was separated."""


class Level(NamedTuple):
    """The questions of one turn, without their answers.

    Pools are those of every variable, in the order of names: ``pools[pool_starts[v]:
    pool_starts[v + 1]]``. The task k asks about ``targets[k]`` and the candidates from
    ``starts[k]`` up to ``stops[k]``, given ``n_sets[k]`` sets; ``edge_of`` has the number of each
    candidate's edge. Threads take ``n_at_once`` sets at a time.
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
    n_sets: Annotated[IntArray, "const(int64[::1])"]
    candidates: Annotated[IntArray, "const(int64[::1])"]
    edge_of: Annotated[IntArray, "const(int64[::1])"]
    n_at_once: int


class Answers(NamedTuple):
    """One row per edge: its weakest dependence, and what separated it from either end.

    Members of sets are -1 where there is none; that of a weakest dependence is from before this
    level then. Sets of size 0 have no members: ``first`` is what the test says, whatever it is.
    """

    weakest: Annotated[FloatArray, "float64[:, ::1]"]
    weakest_sets: Annotated[IntArray, "int64[:, ::1]"]
    first: Annotated[FloatArray, "float64[:, ::1]"]
    first_sets: Annotated[IntArray, "int64[:, ::1]"]
    second: Annotated[FloatArray, "float64[:, ::1]"]
    second_sets: Annotated[IntArray, "int64[:, ::1]"]


class Queue(NamedTuple):
    """What is left to do, for all threads.

    Whether the budget of one of them is used up, and how many tests all have noted when they have
    stopped; the number of the next task; of each task, of the next set; of each candidate, of a set
    that separates it (:data:`NEVER` if none is known), and of its weakest dependence (-1 if that is
    from before the turn). Until all is settled an earlier set may separate it as well.
    """

    is_stopped: Annotated[BoolArray, "boolean[::1]"]
    n_noted: Annotated[IntArray, "int64[::1]"]
    next_task: Annotated[IntArray, "int64[::1]"]
    next_set: Annotated[IntArray, "int64[::1]"]
    closed_by: Annotated[IntArray, "int64[::1]"]
    weakest_at: Annotated[IntArray, "int64[::1]"]

    @classmethod
    def of(cls, level: Level) -> Queue:
        """Begin with all tasks."""
        n = len(level.candidates)
        return cls(
            np.zeros(1, dtype=np.bool_),
            np.zeros(1, dtype=np.int64),
            np.zeros(1, dtype=np.int64),
            np.zeros(len(level.targets), dtype=np.int64),
            np.full(n, NEVER, dtype=np.int64),
            np.full(n, -1, dtype=np.int64),
        )


class Walk(NamedTuple):
    """Where threads are, and what they note; see ``several``.

    A set with its members' positions in the pool. ``shared`` says of each candidate and position
    whether the candidate's pool has that member. Of each test there is a note: the target, the
    candidate, the number of the set, whether it was computed, the set and the values.
    """

    cursor: Annotated[IntArray, "int64[::1]"]
    positions: Annotated[IntArray, "int64[::1]"]
    subset: Annotated[IntArray, "int64[::1]"]
    shared: Annotated[BoolArray, "boolean[:, ::1]"]
    mark: Annotated[IntArray, "int64[::1]"]
    about: Annotated[IntArray, "int64[:, ::1]"]
    sets: Annotated[IntArray, "int64[:, ::1]"]
    values: Annotated[FloatArray, "float64[:, ::1]"]
    n_threads: int

    @classmethod
    def of(cls, level: Level, n_threads: int, budget: int) -> Walk:
        """Make room for the largest task of a level, and for the notes of a budget of tests."""
        n_candidates = int((level.stops - level.starts).max(initial=1))
        n_pool = int(np.diff(level.pool_starts).max(initial=1)) if level.is_second else 1
        n_shared = n_candidates if level.is_second else 1
        n_notes = budget + level.n_at_once * n_candidates
        of_one = cls(
            np.zeros(_N_CURSOR, dtype=np.int64),
            np.empty(level.size, dtype=np.int64),
            np.empty(level.size, dtype=np.int64),
            np.empty((n_shared, n_pool), dtype=np.bool_),
            np.zeros(len(level.rank), dtype=np.int64),
            np.empty((n_notes, _N_ABOUT), dtype=np.int64),
            np.empty((n_notes, level.size), dtype=np.int64),
            np.empty((n_notes, N_VALUES)),
            n_threads,
        )
        return several(of_one, n_threads)


# --- which set is next ---------------------------------------------------------------------------


@kernel("boolean(Level, Queue, Walk, int64)", inner=True)
def has_next_set(level, queue, walk, budget):
    """Go on to the next set that this thread tries; return whether there is one.

    If the budget of one thread is used up, there is none after the sets that were taken.
    """
    cursor = walk.cursor
    cursor[_SET] += 1
    if cursor[_SET] < cursor[_END]:
        _step(level, walk)
        return True
    if cursor[N_NOTED] >= budget:
        queue.is_stopped[0] = True
    if queue.is_stopped[0]:
        return False
    task = cursor[_TASK] - 1
    while True:
        if task >= 0 and _n_tests_left(level, queue, task) > 0.0:
            first = add_to_word(queue.next_set, task, level.n_at_once)
            if first < level.n_sets[task]:
                cursor[_SET] = first
                cursor[_END] = min(first + level.n_at_once, level.n_sets[task])
                _place(level, walk, first)
                return True
        task = _other_task(level, queue)
        cursor[_TASK] = task + 1
        if task < 0:
            return False
        _begin_task(level, walk, task)


@kernel("float64(Level, Queue, int64)", inner=True)
def _n_tests_left(level, queue, task):
    """Return how many tests of a task are left at most, as far as is known."""
    next_set, n_open = queue.next_set[task], 0
    for c in range(level.starts[task], level.stops[task]):
        n_open += queue.closed_by[c] > next_set
    return float(n_open) * max(0, level.n_sets[task] - next_set)


@kernel("int64(Level, Queue)", inner=True)
def _other_task(level, queue):
    """Return the next task, or if there is none the one with which most is left; -1 if nothing."""
    task = add_to_word(queue.next_task, 0, 1)
    if task < level.targets.shape[0]:
        return task
    task, most = -1, 0.0
    for k in range(level.targets.shape[0]):
        n_left = _n_tests_left(level, queue, k)
        if n_left > most:
            task, most = k, n_left
    return task


@kernel("boolean(Level, Queue, Walk)", inner=True)
def is_done(level, queue, walk):
    """Whether nothing is left to try; and see how many tests are noted."""
    queue.n_noted[0] = 0
    for k in range(walk.n_threads):
        queue.n_noted[0] += own_part(walk, k, walk.n_threads).cursor[N_NOTED]
    if queue.next_task[0] < level.targets.shape[0]:
        return False
    n_left = 0.0
    for k in range(level.targets.shape[0]):
        n_left += _n_tests_left(level, queue, k)
    return n_left == 0.0


@kernel("int64(Walk)", inner=True)
def task_of(walk):
    """Return the number of the task."""
    return walk.cursor[_TASK] - 1


@kernel("void(Level, Walk, int64)", inner=True)
def _begin_task(level, walk, task):
    """See which members of the pool the other ends know."""
    if not level.is_second:
        return
    target, start = level.targets[task], level.starts[task]
    pool = level.pools[level.pool_starts[target] : level.pool_starts[target + 1]]
    for c in range(start, level.stops[task]):
        x = level.candidates[c]
        for i in range(level.pool_starts[x], level.pool_starts[x + 1]):
            walk.mark[level.pools[i]] = 1
        for j in range(pool.shape[0]):
            walk.shared[c - start, j] = walk.mark[pool[j]] == 1
        for i in range(level.pool_starts[x], level.pool_starts[x + 1]):
            walk.mark[level.pools[i]] = 0


@kernel("int64(int64, int64)", inner=True)
def _n_choose(n, k):
    """Return how many sets of k there are of n; of very many, just as much."""
    found = 1
    for i in range(k):
        found = found * (n - i) // (i + 1)
        if found > _MANY:
            return NEVER
    return found


@kernel("void(Level, Walk, int64)", inner=True)
def _place(level, walk, number):
    """Find the set of a number."""
    target = level.targets[walk.cursor[_TASK] - 1]
    start = level.pool_starts[target]
    n_pool, at = level.pool_starts[target + 1] - start, 0
    for i in range(level.size):
        n_with = _n_choose(n_pool - at - 1, level.size - i - 1)
        while number >= n_with:
            number -= n_with
            at += 1
            n_with = _n_choose(n_pool - at - 1, level.size - i - 1)
        walk.positions[i] = at
        walk.subset[i] = level.pools[start + at]
        at += 1


@kernel("void(Level, Walk)", inner=True)
def _step(level, walk):
    """Find the set after this one; there is one."""
    target, positions = level.targets[walk.cursor[_TASK] - 1], walk.positions
    pool = level.pools[level.pool_starts[target] : level.pool_starts[target + 1]]
    i = level.size - 1
    while positions[i] == pool.shape[0] - level.size + i:
        i -= 1
    positions[i] += 1
    walk.subset[i] = pool[positions[i]]
    for j in range(i + 1, level.size):
        positions[j] = positions[j - 1] + 1
        walk.subset[j] = pool[positions[j]]


# --- what is asked -------------------------------------------------------------------------------


@kernel("int64(Level, Answers, Queue, Walk, int64)", inner=True)
def duty(level, answers, queue, walk, c):
    """Say what is to be done about a candidate and the set.

    The other end has tried all sets of its own pool before the one that separated it, if any did;
    sets are in the order of names at either end.
    """
    if queue.closed_by[c] < walk.cursor[_SET]:
        return NOT_ASKED
    for i in range(level.size):
        if walk.subset[i] == level.candidates[c]:
            return NOT_ASKED
    if not level.is_second:
        return TO_COMPUTE
    for i in range(level.size):
        if not walk.shared[c - level.starts[task_of(walk)], walk.positions[i]]:
            return TO_COMPUTE
    separating = answers.first_sets[level.edge_of[c]]
    if separating[0] >= 0:
        for i in range(level.size):
            if walk.subset[i] != separating[i]:
                if level.rank[walk.subset[i]] > level.rank[separating[i]]:
                    return TO_COMPUTE
                break
    return FROM_OTHER_END


@kernel("void(Level, Answers, Queue, Walk, int64)", inner=True)
def note_other_end(level, answers, queue, walk, c):
    """Note that the other end has asked the same; what separated it separates this one, too."""
    edge = level.edge_of[c]
    for i in range(level.size):
        if walk.subset[i] != answers.first_sets[edge, i]:
            _note(level, walk, c, IS_REPEATED)
            return
    copy_values(answers.first[edge], walk.values[_note(level, walk, c, IS_SEPARATED)])
    queue.closed_by[c] = min(queue.closed_by[c], walk.cursor[_SET])


@kernel("void(Level, Queue, Walk, int64, float64[::1])", inner=True)
def note_answer(level, queue, walk, c, values):
    """Note what a test of a candidate says."""
    copy_values(values, walk.values[_note(level, walk, c, IS_COMPUTED)])
    if is_independent(values, level.log_alpha):
        queue.closed_by[c] = min(queue.closed_by[c], walk.cursor[_SET])


@kernel("int64(Level, Walk, int64, int64)", inner=True)
def _note(level, walk, c, kind):
    """Note a test without its values; return the row of the note."""
    at = walk.cursor[N_NOTED]
    walk.cursor[N_NOTED] = at + 1
    walk.about[at, TARGET] = level.targets[task_of(walk)]
    walk.about[at, CANDIDATE] = c
    walk.about[at, NUMBER] = walk.cursor[_SET]
    walk.about[at, KIND] = kind
    for i in range(level.size):
        walk.sets[at, i] = walk.subset[i]
    return at
