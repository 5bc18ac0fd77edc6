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
from eiderdown.independence.kernels.cache import copy_values
from eiderdown.independence.kernels.levels import (
    FROM_OTHER_END,
    NOT_ASKED,
    Answers,  # noqa: F401  stands in signatures
    Level,  # noqa: F401  stands in signatures
    Queue,  # noqa: F401  stands in signatures
    Walk,
    duty,
    has_next_set,
    is_done,
    note_answer,
    note_other_end,
    task_of,
)
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
    workspace_of_cells,
)
from eiderdown.kernels import kernel
from eiderdown.thread_rooms import enlarged, own_part
from eiderdown.work_sharing import share

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
    """Where threads count, whatever is asked; see ``several``."""

    workspace: Workspace
    rows: SortedRows

    @classmethod
    def of(cls, source: CountSource, size: int) -> CountRoom:
        """Make room for one thread, for sets up to a size."""
        n_rows, n_most = source.codes.codes.shape[1], int(source.codes.n_categories.max())
        n_cells, n_target = source.most_plane_cells, min(n_most, MAX_PLANE_CATEGORIES)
        return cls(
            workspace_of_cells(source.columns, n_cells // 2 + 1, n_cells, n_target, 1),
            SortedRows.of(n_rows, size, n_most, n_rows // 2 + 1),
        )


class CountLevelRoom(NamedTuple):
    """Where threads work on a level; see ``several``.

    ``state`` says what is ready: 1 more than the target for which rows are sorted, and by how many
    members of ``sorted_by``; whether that is the set; and how many strata of it were cut from
    planes, -1 for none yet.
    """

    walk: Walk
    counting: CountRoom
    sorted_by: Annotated[IntArray, "int64[::1]"]
    values: Annotated[FloatArray, "float64[::1]"]
    state: Annotated[IntArray, "int64[::1]"]

    @classmethod
    def of(cls, walk: Walk, counting: CountRoom) -> CountLevelRoom:
        """Begin with nothing sorted."""
        n = walk.n_threads
        values, state = np.empty(N_VALUES), np.zeros(_N_STATE, dtype=np.int64)
        return cls(
            walk,
            counting,
            np.empty_like(walk.subset),
            enlarged(values, n),
            enlarged(state, n),
        )


@kernel("boolean(Columns, int64, const(int64[::1]))", inner=True)
def have_planes(columns, target, subset):
    """Whether the columns of a set and the target have bit planes."""
    found = columns.first[target] >= 0
    for i in range(subset.shape[0]):
        found &= columns.first[subset[i]] >= 0
    return found


@kernel("void(CountSource, CountLevelRoom, int64)", inner=True)
def _sort_for(source, room, target):
    """Sort the rows by the set, from the members on that it shares with the one before."""
    rows, state, subset = room.counting.rows, room.state, room.walk.subset
    size, depth = subset.shape[0], 0
    if state[_IS_SORTED] == 1:
        return
    if state[_TARGET] == target + 1:
        while depth < state[_DEPTH] and room.sorted_by[depth] == subset[depth]:
            depth += 1
    else:
        sort_by_target(source.codes, rows, target)
    for i in range(depth, size):
        split_rows(source.codes, rows, i, subset[i], target, least_rows(source.judging))
        room.sorted_by[i] = subset[i]
    size_target(source.codes, rows, size, target)
    begin_strata(source.judging, rows, size)
    state[_TARGET], state[_DEPTH], state[_IS_SORTED] = target + 1, size, 1


@kernel("void(CountSource, CountLevelRoom, UniTuple(int64, 2), float64)", inner=True)
def _judge(source, room, pair, n_plane_strata):
    """Write the values of the test of a pair given the set; no planes if there are 0 strata."""
    columns, judging, subset = source.columns, source.judging, room.walk.subset
    workspace, rows = room.counting.workspace, room.counting.rows
    x, target = pair
    n_cells = n_plane_strata * columns.n_categories[target] * (columns.n_categories[x] - 1)
    if 0.0 < n_cells <= source.most_plane_cells and columns.first[x] >= 0:
        cut = (room.state[_CUT], room.state[_N_CUT])
        cut = judge_planes(columns, judging, pair, subset, cut, workspace)
        room.state[_CUT], room.state[_N_CUT] = cut
        copy_values(workspace.values, room.values)
        return
    _sort_for(source, room, target)
    n_strata = n_strata_of(columns, subset)
    judge_rows(source.codes, judging, rows, subset.shape[0], pair, n_strata, room.values)


@kernel("void(CountSource, Level, Answers, Queue, CountLevelRoom)", inner=True)
def _try_set(source, level, answers, queue, room):
    """Test all candidates given the set."""
    walk, state, task = room.walk, room.state, task_of(room.walk)
    target = level.targets[task]
    state[_IS_SORTED] = 0
    state[_CUT] = -1
    n_plane_strata = 0.0
    if not source.judging.pearson and have_planes(source.columns, target, walk.subset):
        n_plane_strata = n_strata_of(source.columns, walk.subset)
    for c in range(level.starts[task], level.stops[task]):
        todo = duty(level, answers, queue, walk, c)
        if todo == NOT_ASKED:
            continue
        if todo == FROM_OTHER_END:
            note_other_end(level, answers, queue, walk, c)
            continue
        _judge(source, room, (level.candidates[c], target), n_plane_strata)
        note_answer(level, queue, walk, c, room.values)


@kernel("void(CountSource, Level, Answers, Queue, CountLevelRoom, int64, int64)", inner=True)
def _try_sets(source, level, answers, queue, rooms, budget, k):
    """Try one set after the other, as a thread does."""
    room = own_part(rooms, k, rooms.walk.n_threads)
    while has_next_set(level, queue, room.walk, budget):
        _try_set(source, level, answers, queue, room)


@kernel("boolean(int64[::1], CountSource, Level, Answers, Queue, CountLevelRoom, int64)")
def separate_by_counts(board, source, level, answers, queue, rooms, budget):
    """Go on for so many tests of each thread; return whether all is done once that is settled."""
    args = (source, level, answers, queue, rooms, budget)
    share(board, rooms.walk.n_threads, _try_sets, args)
    return is_done(level, queue, rooms.walk)
