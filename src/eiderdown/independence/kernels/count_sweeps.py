"""A sweep of tests of contingency tables in one compiled call; see ``count_levels.py``.

As there, a test of few cells is counted from bit planes and one of many from sorted rows. The rows
are cut or sorted once for all candidates, and no table of counts is ever kept. Sets that follow on
each other often begin with the same members, by which rows are then sorted already.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.independence.kernels.cache import copy_values
from eiderdown.independence.kernels.count_levels import (
    CountRoom,
    CountSource,
    have_planes,
)
from eiderdown.independence.kernels.sorted_rows import (
    SortedRows,  # noqa: F401  stands in signatures
    begin_strata,
    judge_rows,
    least_rows,
    size_target,
    sort_by_target,
    split_rows,
)
from eiderdown.independence.kernels.subsets import judge_planes, n_strata_of
from eiderdown.kernels import kernel

MOST_STRATA = 1e290
"""Keeps products of very many categories finite."""

_TARGET, _N_MEMBERS, _FIRST_MEMBER = range(3)


class SweepRoom(NamedTuple):
    """Where one thread makes sweeps.

    ``sorted_by`` says what rows are sorted by: 1 more than the target, 0 for nothing yet; how many
    members; and these.
    """

    counting: CountRoom
    sorted_by: Annotated[IntArray, "int64[::1]"]

    @classmethod
    def of(cls, source: CountSource, size: int) -> SweepRoom:
        """Make room for sets up to a size."""
        return cls(CountRoom.of(source, size), np.zeros(_FIRST_MEMBER + size, dtype=np.int64))

    def has_room_for(self, size: int) -> bool:
        """Whether there is room for sets of a size."""
        return len(self.sorted_by) >= _FIRST_MEMBER + size


@kernel("void(CountSource, SweepRoom, int64, const(int64[::1]))", inner=True)
def _sort_rows(source, room, target, given):
    """Sort the rows by the set, from the first member on that the last one did not have there."""
    rows, sorted_by, size, depth = room.counting.rows, room.sorted_by, given.shape[0], 0
    if sorted_by[_TARGET] == target + 1:
        n_sorted = min(size, sorted_by[_N_MEMBERS])
        while depth < n_sorted and sorted_by[_FIRST_MEMBER + depth] == given[depth]:
            depth += 1
    else:
        sort_by_target(source.codes, rows, target)
    for i in range(depth, size):
        split_rows(source.codes, rows, i, given[i], target, least_rows(source.judging))
        sorted_by[_FIRST_MEMBER + i] = given[i]
    size_target(source.codes, rows, size, target)
    begin_strata(source.judging, rows, size)
    sorted_by[_TARGET], sorted_by[_N_MEMBERS] = target + 1, size


@kernel(
    "boolean(CountSource, SweepRoom, int64, const(int64[::1]), const(int64[::1]), float64[:, ::1])"
)
def sweep_by_counts(source, room, target, given, candidates, values):
    """Fill the values of all candidates; return whether some are from sorted rows.

    Of these it is not known whether a test without any rows left out thin strata.
    """
    columns, judging, rows = source.columns, source.judging, room.counting.rows
    workspace = room.counting.workspace
    n_strata = min(n_strata_of(columns, given), MOST_STRATA)
    by_planes = have_planes(columns, target, given)
    is_sorted = False
    cut = (-1, 0)
    for b in range(candidates.shape[0]):
        x = candidates[b]
        n_cells = n_strata * columns.n_categories[target] * (columns.n_categories[x] - 1)
        if by_planes and n_cells <= source.most_plane_cells and columns.first[x] >= 0:
            cut = judge_planes(columns, judging, (x, target), given, cut, workspace)
            copy_values(workspace.values, values[b])
            continue
        if not is_sorted:
            _sort_rows(source, room, target, given)
            is_sorted = True
        size = given.shape[0]
        judge_rows(source.codes, judging, rows, size, (x, target), n_strata, values[b])
    return is_sorted
