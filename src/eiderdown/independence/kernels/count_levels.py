"""A level of PC-stable by tests of contingency tables; see ``levels.py``.

A test of few cells is counted from bit planes, 64 rows at a time; one of many from sorted rows, of
which ever fewer are left the more members a set has. Both give the same numbers to the last bit.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.data.blocks import MAX_PLANE_CATEGORIES
from eiderdown.independence.batch import N_VALUES
from eiderdown.independence.kernels.levels import (
    FROM_OTHER_END,
    NOT_ASKED,
    Answers,  # noqa: F401  stands in signatures
    Level,
    Walk,
    duty,
    is_done,
    is_over,
    n_kept,
    next_set,
    take_answer,
    take_from_other_end,
    task_of,
)
from eiderdown.independence.kernels.moments import Room
from eiderdown.independence.kernels.sorted_rows import (
    CodeTable,
    SortedRows,
    begin_strata,
    judge_rows,
    least_rows,
    size_target,
    sort_by_target,
    split_rows,
)
from eiderdown.independence.kernels.subsets import (
    Columns,
    Judging,
    Workspace,
    judge_planes,
    n_strata_of,
)
from eiderdown.kernels import kernel

_TARGET, _DEPTH, _IS_SORTED, _CUT, _N_CUT = range(5)
_N_STATE = 5


class CountSource(NamedTuple):
    """The table in both forms, how its counts are judged, and what is counted from planes.

    ``most_plane_cells`` are those of a table without the first category of x, which planes need
    not count.
    """

    columns: Columns
    codes: CodeTable
    judging: Judging
    most_plane_cells: int


class CountRoom(NamedTuple):
    """Where one thread works, on tasks whose targets have as many categories.

    ``state`` says what is ready for the set: for which target and to how many members rows are
    sorted, whether to all, and how many strata were cut from planes, -1 for none yet.
    """

    walk: Walk
    workspace: Workspace
    rows: SortedRows
    values: Annotated[FloatArray, "float64[::1]"]
    state: Annotated[IntArray, "int64[::1]"]

    @classmethod
    def of(cls, source: CountSource, level: Level, n_target: int, n_remembered: int) -> CountRoom:
        """Make room for targets of so many categories, and for tests to be remembered."""
        n_rows, n_words = source.codes.codes.shape[1], source.columns.planes.shape[1]
        n_categories = source.codes.n_categories
        n_cut = source.most_plane_cells // n_target + 1 if n_target <= MAX_PLANE_CATEGORIES else 1
        workspace = Workspace(
            np.empty((n_cut, n_words), dtype=np.uint64),
            np.empty((n_cut, n_words), dtype=np.uint64),
            np.empty((n_cut, n_target, n_words), dtype=np.uint64),
            np.empty((n_cut, n_target), dtype=np.int64),
            np.empty((n_target, MAX_PLANE_CATEGORIES), dtype=np.int64),
            np.empty(N_VALUES),
            np.empty(1, dtype=np.bool_),
            Room.of(n_cut, 1),
        )
        largest = np.sort(n_categories[np.unique(level.pools)])[::-1][: level.size]
        n_strata = int(min(np.prod(largest, dtype=np.float64), n_rows // 2)) + 1
        rows = SortedRows.of(n_rows, level.size, int(n_categories.max()), n_strata)
        state = np.full(_N_STATE, -1, dtype=np.int64)
        return cls(Walk.of(level, n_remembered), workspace, rows, np.empty(N_VALUES), state)


@kernel("boolean(Columns, int64, const(int64[::1]))", inner=True)
def have_planes(columns, target, subset):
    """Whether the columns of a set and the target have bit planes."""
    found = columns.first[target] >= 0
    for i in range(subset.shape[0]):
        found &= columns.first[subset[i]] >= 0
    return found


@kernel("void(CountSource, CountRoom, int64, int64)", inner=True)
def _sort_for(source, room, size, target):
    """Sort the rows by the set, from the members on that it shares with the one before."""
    rows, state = room.rows, room.state
    if state[_IS_SORTED] == 0:
        if state[_TARGET] != target:
            sort_by_target(source.codes, rows, target)
            state[_TARGET], state[_DEPTH] = target, 0
        for depth in range(state[_DEPTH], size):
            column = room.walk.subset[depth]
            split_rows(source.codes, rows, depth, column, target, least_rows(source.judging))
        state[_DEPTH] = size
        size_target(source.codes, rows, size, target)
        begin_strata(source.judging, rows, size)
        state[_IS_SORTED] = 1


@kernel("void(CountSource, CountRoom, UniTuple(int64, 2), float64)", inner=True)
def _judge(source, room, pair, n_plane_strata):
    """Write the values of the test of a pair given the set; no planes if there are 0 strata."""
    columns, judging, subset = source.columns, source.judging, room.walk.subset
    x, target = pair
    n_cells = n_plane_strata * columns.n_categories[target] * (columns.n_categories[x] - 1)
    if 0.0 < n_cells <= source.most_plane_cells and columns.first[x] >= 0:
        cut = (room.state[_CUT], room.state[_N_CUT])
        cut = judge_planes(columns, judging, pair, subset, cut, room.workspace)
        room.state[_CUT], room.state[_N_CUT] = cut
        for i in range(N_VALUES):
            room.values[i] = room.workspace.values[i]
        return
    _sort_for(source, room, subset.shape[0], target)
    n_strata = n_strata_of(columns, subset)
    judge_rows(source.codes, judging, room.rows, subset.shape[0], pair, n_strata, room.values)


@kernel("void(CountSource, Level, Answers, CountRoom, int64)", inner=True)
def _try_set(source, level, answers, room, task):
    """Test all candidates given the set."""
    walk, state, target = room.walk, room.state, level.targets[task]
    state[_DEPTH] = min(state[_DEPTH], n_kept(walk))
    state[_IS_SORTED] = 0
    state[_CUT] = -1
    n_plane_strata = 0.0
    if not source.judging.pearson and have_planes(source.columns, target, walk.subset):
        n_plane_strata = n_strata_of(source.columns, walk.subset)
    for b in range(level.stops[task] - level.starts[task]):
        todo = duty(level, answers, walk, task, b)
        if todo == NOT_ASKED:
            continue
        if todo == FROM_OTHER_END:
            take_from_other_end(level, answers, walk, task, b)
            continue
        _judge(source, room, (level.candidates[level.starts[task] + b], target), n_plane_strata)
        take_answer(level, answers, walk, task, b, room.values)


@kernel("boolean(CountSource, Level, Answers, CountRoom, const(int64[::1]), int64)")
def separate_by_counts(source, level, answers, room, tasks, budget):
    """Go on with some tasks for a while; return whether all are done."""
    while not is_over(level, room.walk, tasks, budget):
        task = task_of(room.walk, tasks)
        _try_set(source, level, answers, room, task)
        next_set(level, room.walk, task)
    return is_done(room.walk, tasks)
