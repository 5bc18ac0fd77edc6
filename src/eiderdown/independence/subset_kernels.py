"""All candidates against all subsets of a step, p-values included, in one compiled call.

On small tables the cost of a test is Python, not counting. This kernel does a whole step of a
parents-and-children search: for each conditioning set it splits the rows into strata (as bit
masks, only those that can say anything), and for each candidate that is still open it looks the
test up in memory or counts it, and keeps the weakest. The numbers are those of
``contingency_statistics`` and ``log_chi_square_tail``, to the last bit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

from eiderdown.arrays import IntArray, WordArray
from eiderdown.compiled import popcount, read_only
from eiderdown.independence.memory_kernels import (
    COMPUTED,
    MEMORY_TYPE,
    REPEATED,
    SKIPPED,
    claim,
    hash_of_set,
    key_of,
    slot_of,
)
from eiderdown.independence.reliability import MAX_UNINFORMATIVE
from eiderdown.independence.tails import log_chi_square_tail

MOST_LEVELS = 16


class Columns(NamedTuple):
    """Bit planes, each column's first plane, and its number of categories."""

    planes: WordArray
    first: IntArray
    n_categories: IntArray


class Ruler(NamedTuple):
    """How a table becomes a judged test."""

    n_log_n: NDArray[np.int64]
    unit: float
    n_rows: int
    nominal: bool
    per_cell: bool
    factor: float
    least_rows: float
    log_alpha: float


class Scratch(NamedTuple):
    """Masks and tables that one call reuses for every subset."""

    strata: WordArray
    finer: WordArray
    cells: NDArray[np.uint64]
    sizes: NDArray[np.int64]
    table: NDArray[np.int64]


_INTS = read_only(types.int64)
_COLUMNS: Any = types.NamedTuple(  # type: ignore[no-untyped-call]
    (read_only(types.uint64, 2), _INTS, _INTS), Columns
)
_RULER: Any = types.NamedTuple(  # type: ignore[no-untyped-call]
    (
        _INTS,
        types.float64,
        types.int64,
        types.boolean,
        types.boolean,
        types.float64,
        types.float64,
        types.float64,
    ),
    Ruler,
)


@njit(cache=True, nogil=True)
def _cut(mask, columns, column, category, part):  # type: ignore[no-untyped-def]
    """Write mask & (column == category) to ``part`` and return how many rows it has."""
    first = columns.first[column]
    if category > 0:
        plane = columns.planes[first + category - 1]
        for w in range(part.shape[0]):
            part[w] = mask[w] & plane[w]
    else:
        for w in range(part.shape[0]):
            part[w] = mask[w]
        for other in range(1, columns.n_categories[column]):
            plane = columns.planes[first + other - 1]
            for w in range(part.shape[0]):
                part[w] &= ~plane[w]
    rows = np.uint64(0)
    for w in range(part.shape[0]):
        rows += popcount(part[w])  # type: ignore[call-arg]
    return np.int64(rows)


@njit(cache=True, nogil=True)
def _whole(mask, n_rows):  # type: ignore[no-untyped-def]
    """Set the bits of all rows, and none of the padding."""
    for w in range(mask.shape[0]):
        mask[w] = np.uint64(0xFFFFFFFFFFFFFFFF)
    if n_rows % 64:
        mask[mask.shape[0] - 1] >>= np.uint64(64 - n_rows % 64)


@njit(cache=True, nogil=True)
def _informative_cells(columns, n_rows, target, subset, scratch):  # type: ignore[no-untyped-def]
    """Cut the rows by the subset, then by the target; keep strata where the target varies."""
    coarse, fine = scratch.strata, scratch.finer
    _whole(coarse[0], n_rows)
    n_strata = 1
    for z in subset:
        if z < 0:
            continue
        n_finer = 0
        for s in range(n_strata):
            for category in range(columns.n_categories[z]):
                n_finer += _cut(coarse[s], columns, z, category, fine[n_finer]) > 0
        coarse, fine = fine, coarse
        n_strata = n_finer
    n_kept = 0
    for s in range(n_strata):
        seen = 0
        for category in range(columns.n_categories[target]):
            rows = _cut(coarse[s], columns, target, category, scratch.cells[n_kept, category])
            scratch.sizes[n_kept, category] = rows
            seen += rows > 0
        n_kept += seen > 1
    return n_kept


@njit(cache=True, nogil=True)
def _count_stratum(columns, x, cells, sizes, table):  # type: ignore[no-untyped-def]
    """Fill the table (target category, x category) of one stratum."""
    first = columns.first[x]
    for t in range(sizes.shape[0]):
        rest = sizes[t]
        cell = cells[t]
        for category in range(1, columns.n_categories[x]):
            count = np.uint64(0)
            if rest > 0:
                plane = columns.planes[first + category - 1]
                for w in range(cell.shape[0]):
                    count += popcount(plane[w] & cell[w])  # type: ignore[call-arg]
            table[t, category] = np.int64(count)
            rest -= np.int64(count)
        table[t, 0] = rest


@njit(cache=True, nogil=True)
def _log_ratio(columns, n_log_n, least_rows, x, n_kept, scratch):  # type: ignore[no-untyped-def]
    """Return the fixed-point log ratio, the adjusted dof and the share of uninformative rows."""
    table, total, freedom, heard, thin = scratch.table, 0, 0, 0, 0
    for s in range(n_kept):
        sizes = scratch.sizes[s]
        _count_stratum(columns, x, scratch.cells[s], sizes, table)
        x_seen, part = 0, 0
        for category in range(columns.n_categories[x]):
            column = 0
            for t in range(sizes.shape[0]):
                column += table[t, category]
                part += n_log_n[table[t, category]]
            part -= n_log_n[column]
            x_seen += column > 0
        rows, target_seen = 0, 0
        for size in sizes:
            part -= n_log_n[size]
            rows += size
            target_seen += size > 0
        local = (x_seen - 1) * (target_seen - 1)
        if local == 0:
            continue
        if rows < least_rows * local:
            thin += rows
            continue
        heard += rows
        total += part + n_log_n[rows]
        freedom += local
    return total, freedom, thin / max(1, thin + heard)


@njit(cache=True, nogil=True)
def _judge(columns, ruler, x, target, n_kept, nominal_strata, scratch, out):  # type: ignore[no-untyped-def]
    """Write (statistic, dof, log p, effect, reliable, rows) of one test to ``out``."""
    total, freedom, uninformative = _log_ratio(
        columns, ruler.n_log_n, ruler.least_rows, x, n_kept, scratch
    )
    n_x, n_target = columns.n_categories[x], columns.n_categories[target]
    dof = float(freedom)
    if ruler.nominal:
        dof = (n_x - 1.0) * (n_target - 1.0) * nominal_strata
    needed = (n_x - 1.0) * (n_target - 1.0) * nominal_strata
    if ruler.per_cell:
        needed = n_x * n_target * nominal_strata
    out[0] = max(0.0, 2.0 * ruler.unit * total)
    out[1] = dof
    out[2] = log_chi_square_tail(out[0], dof)
    out[3] = out[0] / (2.0 * ruler.n_rows)
    enough = ruler.n_rows >= ruler.factor * needed and uninformative <= MAX_UNINFORMATIVE
    out[4] = 1.0 if enough else 0.0
    out[5] = ruler.n_rows


@njit(cache=True, nogil=True)
def _scratch(columns, n_rows, target, subsets):  # type: ignore[no-untyped-def]
    n_words, n_target = columns.planes.shape[1], columns.n_categories[target]
    most = 1
    for k in range(subsets.shape[0]):
        product = 1
        for z in subsets[k]:
            if z >= 0:
                product = min(product * columns.n_categories[z], n_rows)
        most = max(most, product)
    most += 1  # a part is written before it is known to be empty
    return Scratch(
        np.empty((most, n_words), dtype=np.uint64),
        np.empty((most, n_words), dtype=np.uint64),
        np.empty((most, n_target, n_words), dtype=np.uint64),
        np.empty((most, n_target), dtype=np.int64),
        np.empty((n_target, MOST_LEVELS), dtype=np.int64),
    )


@njit(
    types.void(
        _COLUMNS,
        _RULER,
        _INTS,
        types.int64,
        read_only(types.int64, 2),
        MEMORY_TYPE,
        MEMORY_TYPE,
        types.float64[:, ::1],
        types.int64[::1],
    ),
    cache=True,
    nogil=True,
)
def max_p_over_subsets(  # type: ignore[no-untyped-def]
    columns, ruler, candidates, target, subsets, memory, fresh, weakest, chosen
):
    """Fill each candidate's weakest reliable test over the subsets, stopping where one separates.

    ``subsets`` has one conditioning set per row, padded with -1; a candidate skips those that hold
    it. ``weakest`` gets the values of the test and ``chosen`` the row of its subset. A candidate
    without a reliable test gets its first one. Tests are looked up in ``memory`` and new ones
    written to ``fresh``, which may be the same; threads have a fresh one each.
    """
    scratch = _scratch(columns, ruler.n_rows, target, subsets)
    out = np.empty(weakest.shape[1])
    is_open = np.ones(candidates.shape[0], dtype=np.bool_)
    n_open = candidates.shape[0]
    chosen[:] = -1
    for k in range(subsets.shape[0]):
        if n_open == 0:
            return
        of_set = hash_of_set(subsets[k])
        nominal_strata = 1.0
        for z in subsets[k]:
            nominal_strata *= columns.n_categories[z] if z >= 0 else 1
        n_kept = -1
        for b in range(candidates.shape[0]):
            x = candidates[b]
            if not is_open[b] or np.any(subsets[k] == x):
                continue
            key = key_of(x, target, of_set)
            slot = slot_of(memory, key)
            if memory.keys[0, slot] != 0:
                out[:] = memory.values[slot]
                fresh.counters[REPEATED] += 1
            else:
                if n_kept < 0:
                    n_kept = _informative_cells(columns, ruler.n_rows, target, subsets[k], scratch)
                _judge(columns, ruler, x, target, n_kept, nominal_strata, scratch, out)
                fresh.counters[COMPUTED] += 1
                fresh.counters[SKIPPED] += out[4] == 0.0
                slot = slot_of(fresh, key)
                if claim(fresh, slot, key):
                    fresh.values[slot] = out
            reliable = out[4] == 1.0
            is_weaker = weakest[b, 4] == 0.0 or out[2] > weakest[b, 2]
            if chosen[b] < 0 or (reliable and is_weaker):
                weakest[b] = out
                chosen[b] = k
            if reliable and out[2] > ruler.log_alpha:
                is_open[b] = False
                n_open -= 1
