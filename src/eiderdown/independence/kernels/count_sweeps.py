"""A sweep of tests of contingency tables in one compiled call; see ``count_levels.py``.

As there, a test of few cells is counted from bit planes and one of many from sorted rows. The rows
are cut or sorted once for all candidates, and no table of counts is ever kept.
"""

from __future__ import annotations

from eiderdown.independence.kernels.cache import copy_values
from eiderdown.independence.kernels.count_levels import (
    CountRoom,  # noqa: F401  stands in signatures
    CountSource,  # noqa: F401  stands in signatures
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


@kernel("void(CountSource, SortedRows, int64, const(int64[::1]))", inner=True)
def _sort_rows(source, rows, target, given):
    """Sort the rows by the set and the target."""
    size = given.shape[0]
    sort_by_target(source.codes, rows, target)
    for depth in range(size):
        split_rows(source.codes, rows, depth, given[depth], target, least_rows(source.judging))
    size_target(source.codes, rows, size, target)
    begin_strata(source.judging, rows, size)


@kernel(
    "boolean(CountSource, CountRoom, int64, const(int64[::1]), const(int64[::1]), float64[:, ::1])"
)
def sweep_by_counts(source, room, target, given, candidates, values):
    """Fill the values of all candidates; return whether some are from sorted rows.

    Of these it is not known whether a test without any rows left out thin strata.
    """
    columns, judging, rows = source.columns, source.judging, room.rows
    n_strata = min(n_strata_of(columns, given), MOST_STRATA)
    by_planes = have_planes(columns, target, given)
    is_sorted = False
    cut = (-1, 0)
    for b in range(candidates.shape[0]):
        x = candidates[b]
        n_cells = n_strata * columns.n_categories[target] * (columns.n_categories[x] - 1)
        if by_planes and n_cells <= source.most_plane_cells and columns.first[x] >= 0:
            cut = judge_planes(columns, judging, (x, target), given, cut, room.workspace)
            copy_values(room.workspace.values, values[b])
            continue
        if not is_sorted:
            _sort_rows(source, rows, target, given)
            is_sorted = True
        size = given.shape[0]
        judge_rows(source.codes, judging, rows, size, (x, target), n_strata, values[b])
    return is_sorted
