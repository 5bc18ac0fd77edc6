"""Rows in the order of their strata, split by one more column at a time, and tests from them.

Where a set has many strata most of them say nothing: the target does not vary there, or there are
too few rows. Whatever splits such a stratum further leaves it so, and its rows are dropped at
once. Of the others only the categories that are seen are counted, so that a test costs as much as
the rows that are left, not as much as the product of the categories.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import IntArray
from eiderdown.independence.batch import DOF, LOG_P, STATISTIC
from eiderdown.independence.kernels.contingency import (
    LEAST_ROWS,
    Tally,
    add_table,
    add_two_by_two,
    judge,
    judge_sums,
    misfit,
    n_log_n_of,
)
from eiderdown.independence.kernels.moments import (
    N_SUMS,
    Room,
    begin_stratum,
    scales_for,
)
from eiderdown.independence.kernels.subsets import Judging  # noqa: F401  stands in signatures
from eiderdown.independence.kernels.tails import log_chi_square_tail
from eiderdown.kernels import kernel


class CodeTable(NamedTuple):
    """Codes of all columns, one column per row of the matrix, and numbers of categories."""

    codes: Annotated[NDArray[np.uint8], "const(uint8[:, ::1])"]
    row_of: Annotated[IntArray, "const(int64[::1])"]
    n_categories: Annotated[IntArray, "const(int64[::1])"]


class SortedRows(NamedTuple):
    """Rows by strata of the first members of a set, for each number of members; and room.

    Stratum s of d members is ``order[d, starts[d, s]:starts[d, s + 1]]``, in the order of the
    target's categories; ``sizes`` has the rows of those that are seen in stratum s of the whole
    set, from ``size_starts[s]`` on. ``slots`` are numbers from 1 on of the categories that are seen
    in a stratum; between strata all are 0.
    """

    order: Annotated[NDArray[np.uint32], "uint32[:, ::1]"]
    starts: Annotated[NDArray[np.int32], "int32[:, ::1]"]
    n_strata: Annotated[IntArray, "int64[::1]"]
    size_starts: Annotated[IntArray, "int64[::1]"]
    sizes: Annotated[IntArray, "int64[::1]"]
    part: Annotated[NDArray[np.uint8], "uint8[::1]"]
    counts: Annotated[IntArray, "int64[::1]"]
    slots: Annotated[IntArray, "int64[::1]"]
    seen: Annotated[IntArray, "int64[::1]"]
    table: Annotated[IntArray, "int64[:, ::1]"]
    room: Room

    @classmethod
    def of(cls, n_rows: int, size: int, n_most: int, n_strata: int) -> SortedRows:
        """Make room for sets of a size, columns of ``n_most`` categories and so many strata."""
        return cls(
            np.empty((size + 1, n_rows), dtype=np.uint32),
            np.empty((size + 1, n_strata + 2), dtype=np.int32),
            np.zeros(size + 1, dtype=np.int64),
            np.empty(n_strata + 2, dtype=np.int64),
            np.empty(n_rows + 1, dtype=np.int64),
            np.empty(n_rows, dtype=np.uint8),
            np.zeros(n_most + 1, dtype=np.int64),
            np.zeros(n_most, dtype=np.int64),
            np.empty(n_most, dtype=np.int64),
            np.empty((n_most, n_most), dtype=np.int64),
            Room.of(n_strata + 1, 1),
        )


@kernel("void(CodeTable, SortedRows, int64)", inner=True)
def sort_by_target(table, rows, target):
    """Put all rows in one stratum, in the order of the target's categories."""
    codes, order, counts = table.codes[table.row_of[target]], rows.order[0], rows.counts
    n_categories = table.n_categories[target]
    for i in range(codes.shape[0]):
        counts[codes[i] + 1] += 1
    for c in range(n_categories):
        counts[c + 1] += counts[c]
    for i in range(codes.shape[0]):
        code = codes[i]
        order[counts[code]] = i
        counts[code] += 1
    for c in range(n_categories + 1):
        counts[c] = 0
    rows.starts[0, 0] = 0
    rows.starts[0, 1] = codes.shape[0]
    rows.n_strata[0] = 1


@kernel("void(CodeTable, SortedRows, int64, int64, int64, int64)", inner=True)
def split_rows(table, rows, depth, column, target, least):
    """Split the strata of ``depth`` members by one more column; drop those that say nothing.

    A stratum says nothing if the target does not vary there or it has less than ``least`` rows.
    The order of rows within a part stays, so that the target's categories stay sorted.
    """
    codes, of_target = table.codes[table.row_of[column]], table.codes[table.row_of[target]]
    before, starts, n_codes = rows.starts[depth], rows.starts[depth + 1], table.n_categories[column]
    order, out, part, counts = rows.order[depth], rows.order[depth + 1], rows.part, rows.counts
    n_strata = n_kept = 0
    starts[0] = 0
    for s in range(rows.n_strata[depth]):
        start, stop = before[s], before[s + 1]
        for i in range(start, stop):
            code = codes[order[i]]
            part[i] = code
            counts[code] += 1
        first = n_kept
        for c in range(n_codes):
            size = counts[c]
            counts[c] = first if size >= least else -1
            first += size if size >= least else 0
        for i in range(start, stop):
            at = counts[part[i]]
            if at >= 0:
                out[at] = order[i]
                counts[part[i]] = at + 1
        first = n_kept
        for c in range(n_codes):
            end = counts[c]
            counts[c] = 0
            if end < 0:
                continue
            if end > first and of_target[out[first]] != of_target[out[end - 1]]:
                for k in range(first, end if first > n_kept else first):
                    out[n_kept + k - first] = out[k]
                n_kept += end - first
                n_strata += 1
                starts[n_strata] = n_kept
            first = end
    rows.n_strata[depth + 1] = n_strata


@kernel("void(CodeTable, SortedRows, int64, int64)", inner=True)
def size_target(table, rows, size, target):
    """Count the rows of the target's categories that are seen in each stratum."""
    of_target, order, starts = (
        table.codes[table.row_of[target]],
        rows.order[size],
        rows.starts[size],
    )
    n_sizes = 0
    for s in range(rows.n_strata[size]):
        rows.size_starts[s] = n_sizes
        first = np.int64(starts[s])
        for i in range(starts[s] + 1, starts[s + 1]):
            if of_target[order[i]] != of_target[order[i - 1]]:
                rows.sizes[n_sizes] = i - first
                n_sizes += 1
                first = i
        rows.sizes[n_sizes] = starts[s + 1] - first
        n_sizes += 1
    rows.size_starts[rows.n_strata[size]] = n_sizes


@kernel("void(const(uint8[::1]), uint32[::1], int64, int64, int64, int64[::1])", inner=True)
def _count_few(codes, order, start, stop, n_x, counts):
    """Count up to four categories in one word, which waits for no memory."""
    total = np.uint64(0)
    for i in range(start, stop):
        total += np.uint64(1) << (np.uint64(codes[order[i]]) << np.uint64(4))
    for c in range(n_x):
        counts[c] = np.int64(total & np.uint64(0xFFFF))
        total >>= np.uint64(16)


@kernel("int64(CodeTable, SortedRows, int64, int64, int64, boolean)", inner=True)
def _count(table, rows, size, s, x, is_dense):
    """Count (target category, x category) of a stratum; return the number of categories of x.

    If it is dense, all categories of x are counted; otherwise those that are seen.
    """
    codes, order, counts = table.codes[table.row_of[x]], rows.order[size], rows.table
    n_x, first_size = table.n_categories[x], rows.size_starts[s]
    n_target = rows.size_starts[s + 1] - first_size
    start, stop = np.int64(rows.starts[size, s]), np.int64(rows.starts[size, s + 1])
    if n_x <= 4 and stop - start < 65_536:
        for t in range(n_target):
            _count_few(codes, order, start, start + rows.sizes[first_size + t], n_x, counts[t])
            start += rows.sizes[first_size + t]
        return n_x
    if is_dense or n_target * n_x <= stop - start:
        for t in range(n_target):
            of_t = counts[t]
            for c in range(n_x):
                of_t[c] = 0
            for i in range(start, start + rows.sizes[first_size + t]):
                of_t[codes[order[i]]] += 1
            start += rows.sizes[first_size + t]
        return n_x
    n_seen = 0
    for t in range(n_target):
        for i in range(start, start + rows.sizes[first_size + t]):
            code = codes[order[i]]
            slot = rows.slots[code] - 1
            if slot < 0:
                slot = n_seen
                rows.slots[code] = slot + 1
                rows.seen[slot] = code
                for k in range(n_target):
                    counts[k, slot] = 0
                n_seen += 1
            counts[t, slot] += 1
        start += rows.sizes[first_size + t]
    for c in range(n_seen):
        rows.slots[rows.seen[c]] = 0
    return n_seen


@kernel("void(Judging, SortedRows, int64)", inner=True)
def begin_strata(judging, rows, size):
    """Sum what the target contributes to each stratum, for tests by exact moments."""
    for s in range(rows.n_strata[size] if judging.calibrated else 0):
        sizes = rows.sizes[rows.size_starts[s] : rows.size_starts[s + 1]]
        begin_stratum(judging.exact, rows.room, s, sizes)


@kernel("void(CodeTable, Judging, SortedRows, int64, int64, int64, float64[::1])", inner=True)
def _judge_calibrated(table, judging, rows, size, x, target, out):
    exact, room = judging.exact, rows.room
    n_x, n_target = table.n_categories[x], table.n_categories[target]
    scales = scales_for(exact, n_x, n_target)
    for i in range(N_SUMS):
        room.sums[i] = 0
    for s in range(rows.n_strata[size]):
        sizes = rows.sizes[rows.size_starts[s] : rows.size_starts[s + 1]]
        n_seen = _count(table, rows, size, s, x, False)
        if n_x == 2 and n_target == 2 and n_seen == 2:
            add_two_by_two(exact, scales, room, s, rows.table, sizes)
        elif n_seen > 1:
            add_table(exact, scales, room, s, rows.table, sizes, n_seen)
    # Strata that were dropped may have been thin; a test that cannot say anything is not kept.
    are_thick = size == 0 and exact.n_rows >= LEAST_ROWS
    judge_sums(exact, scales, room, are_thick, out)


@kernel("UniTuple(int64, 2)(Judging, SortedRows, int64, int64)", inner=True)
def _part_of_g_square(judging, rows, s, n_x):
    """Return the part of G2 of a stratum, in fixed point, and its degrees of freedom."""
    rules, counts = judging.rules, rows.table
    start, n_target = rows.size_starts[s], rows.size_starts[s + 1] - rows.size_starts[s]
    part = x_seen = n_rows = 0
    for c in range(n_x):
        column = 0
        for t in range(n_target):
            column += counts[t, c]
            part += n_log_n_of(rules, counts[t, c])
        part -= n_log_n_of(rules, column)
        x_seen += column > 0
    for t in range(n_target):
        part -= n_log_n_of(rules, rows.sizes[start + t])
        n_rows += rows.sizes[start + t]
    return part + n_log_n_of(rules, n_rows), (x_seen - 1) * (n_target - 1)


@kernel(
    "void(CodeTable, Judging, SortedRows, int64, UniTuple(int64, 2), float64, float64[::1])",
    inner=True,
)
def _judge_nominal(table, judging, rows, size, pair, n_strata, out):
    x, target = pair
    rules, n_x = judging.rules, table.n_categories[pair[0]]
    log_ratio = freedom = informative = thin = 0
    x_square = 0.0
    for s in range(rows.n_strata[size]):
        n_rows = np.int64(rows.starts[size, s + 1] - rows.starts[size, s])
        n_seen = _count(table, rows, size, s, x, judging.pearson)
        part, local = _part_of_g_square(judging, rows, s, n_seen)
        if local == 0:
            continue
        if n_rows < rules.min_rows_of_stratum * local:
            thin += n_rows
            continue
        informative += n_rows
        freedom += local
        log_ratio += part
        if judging.pearson:
            sizes = rows.sizes[rows.size_starts[s] : rows.size_starts[s + 1]]
            x_square += misfit(rows.table, sizes, n_x, n_rows, rules.min_rows_of_stratum)
    tally = Tally(log_ratio, freedom, informative, thin)
    judge(rules, tally, n_x, table.n_categories[target], n_strata, out)
    if judging.pearson:
        out[STATISTIC] = max(0.0, x_square)
        out[LOG_P] = log_chi_square_tail(out[STATISTIC], out[DOF])


@kernel(
    "void(CodeTable, Judging, SortedRows, int64, UniTuple(int64, 2), float64, float64[::1])",
    inner=True,
)
def judge_rows(table, judging, rows, size, pair, n_strata, out):
    """Write the values of a test from the strata of a set of ``size`` members.

    ``n_strata`` is the product of the categories given, whether or not they occur.
    """
    if judging.calibrated:
        _judge_calibrated(table, judging, rows, size, pair[0], pair[1], out)
    else:
        _judge_nominal(table, judging, rows, size, pair, n_strata, out)


@kernel("int64(Judging)", inner=True)
def least_rows(judging):
    """Return with how few rows a stratum says nothing in any test."""
    return LEAST_ROWS if judging.calibrated else 2
