"""From columns to discrete scores in one compiled call.

Every discrete score is a sum over a family's table, less a penalty that no row decides:

    sum over cells of A(n_cell)  -  sum over strata of B(n_stratum)

with A = B = n ln n for the likelihood, and log-gamma functions for the marginal likelihoods. Both
are tabulated in fixed point: sums of integers do not round, so scores come out the same to the last
bit in whatever order rows, columns and categories come, and equivalent graphs tie exactly.

A *cell* is one category of the child within one stratum of its parents. An empty cell or stratum adds
nothing, so labels need not be gapless.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

from eiderdown.arrays import FloatArray, IntArray, WordArray
from eiderdown.compiled import popcount, read_only
from eiderdown.statistics.cost import (
    PER_MASK,
    PER_MASKED_WORD,
    PER_SCATTERED_CELL,
    PER_SCATTERED_ROW,
)

_HALF_LOG_2_PI = 0.5 * np.log(2.0 * np.pi)


class Terms(NamedTuple):
    """The tabulated functions, one per row, in units of 1 / scale.

    Beyond the table a row is ln Gamma(n + shift) - start, by Stirling's series.
    """

    table: IntArray
    shift: FloatArray
    start: FloatArray
    scale: float


class Columns(NamedTuple):
    """All discrete columns: codes, where each column's are, its categories, and its bit planes."""

    codes: NDArray[np.uint8]
    row: IntArray
    n_categories: IntArray
    planes: WordArray
    first_plane: IntArray


CELL, STRATUM = 0, 1
"""Columns of ``rows``: which tabulated function is meant for cells, and which for strata."""

_MOST_LABELS = 32  # more strata than these are renumbered, so that no table is mostly empty

_INTS = read_only(types.int64)
_FLOATS = read_only(types.float64)
_ANSWERS: Any = types.int64[:, ::1]
_TERMS: Any = types.NamedTuple(  # type: ignore[no-untyped-call]
    (read_only(types.int64, 2), _FLOATS, _FLOATS, types.float64), Terms
)
_COLUMNS: Any = types.NamedTuple(  # type: ignore[no-untyped-call]
    (read_only(types.uint8, 2), _INTS, _INTS, read_only(types.uint64, 2), _INTS), Columns
)


@njit(cache=True, nogil=True)
def _term(terms, row, n):  # type: ignore[no-untyped-def]
    if n < terms.table.shape[1]:
        return terms.table[row, n]
    z = n + terms.shift[row]
    log_gamma = (z - 0.5) * np.log(z) - z + _HALF_LOG_2_PI + 1.0 / (12.0 * z)
    return np.int64(np.rint((log_gamma - terms.start[row]) * terms.scale))


@njit(cache=True, nogil=True)
def _table_total(terms, rows, table, n_child, n_x):  # type: ignore[no-untyped-def]
    """Sum over the table (stratum, child category, x category), flat; count the strata seen."""
    total, seen = 0, 0
    n_strata = table.shape[0] // (n_child * n_x)
    for s in range(n_strata):
        for x in range(n_x):
            n_stratum = 0
            at = s * n_child * n_x + x
            for _ in range(n_child):
                n = table[at]
                if n > 0:
                    total += _term(terms, rows[CELL], n)
                    n_stratum += n
                at += n_x
            if n_stratum > 0:
                total -= _term(terms, rows[STRATUM], n_stratum)
                seen += 1
    return total, seen


@njit(
    types.void(types.Array(types.int32, 4, "C", readonly=True), _TERMS, _INTS, _ANSWERS),
    cache=True,
    nogil=True,
)
def score_tables(counts, terms, rows, answers):  # type: ignore[no-untyped-def]
    """Score a block of tables (candidate, stratum, child category, candidate category)."""
    for b in range(counts.shape[0]):
        answers[b] = _table_total(terms, rows, counts[b].ravel(), counts.shape[2], counts.shape[3])


@njit(cache=True, nogil=True)
def _stratify(columns, parents, labels):  # type: ignore[no-untyped-def]
    """Label the rows by their parents' categories; return one more than the largest label."""
    labels[:] = 0
    n_strata = 1
    for z in parents:
        if z < 0:
            continue
        codes, n_categories = columns.codes[columns.row[z]], columns.n_categories[z]
        for i in range(labels.shape[0]):
            labels[i] = labels[i] * n_categories + codes[i]
        n_strata *= n_categories
        if n_strata > _MOST_LABELS:
            new_label = np.full(n_strata, -1, dtype=np.int32)
            for i in range(labels.shape[0]):
                new_label[labels[i]] = 0
            n_strata = 0
            for k in range(new_label.shape[0]):
                if new_label[k] == 0:
                    new_label[k] = n_strata
                    n_strata += 1
            for i in range(labels.shape[0]):
                labels[i] = new_label[labels[i]]
    return n_strata


@njit(cache=True, nogil=True)
def _cells_of(columns, child, parents, cells):  # type: ignore[no-untyped-def]
    """Label the rows by stratum and child category; return how many labels there may be."""
    n_strata = _stratify(columns, parents, cells)
    codes, n_categories = columns.codes[columns.row[child]], columns.n_categories[child]
    for i in range(cells.shape[0]):
        cells[i] = cells[i] * n_categories + codes[i]
    return n_strata * n_categories


@njit(cache=True, nogil=True)
def _masks_of(cells, n_cells):  # type: ignore[no-untyped-def]
    """Turn labels into one bit mask per cell that occurs, and say which cells those are."""
    sizes = np.zeros(n_cells, dtype=np.int64)
    for i in range(cells.shape[0]):
        sizes[cells[i]] += 1
    place = np.full(n_cells, -1, dtype=np.int64)
    n_seen = 0
    for cell in range(n_cells):
        if sizes[cell] > 0:
            place[cell] = n_seen
            n_seen += 1
    masks = np.zeros((n_seen, (cells.shape[0] + 63) // 64), dtype=np.uint64)
    for i in range(cells.shape[0]):
        masks[place[cells[i]], i >> 6] |= np.uint64(1) << np.uint64(i & 63)
    return masks, sizes, place


@njit(cache=True, nogil=True)
def _count_by_masks(columns, x, masks, sizes, place, table):  # type: ignore[no-untyped-def]
    n_x = columns.n_categories[x]
    first = columns.first_plane[x]
    for cell in range(place.shape[0]):
        at = cell * n_x
        if place[cell] < 0:
            table[at : at + n_x] = 0
            continue
        mask = masks[place[cell]]
        rest = sizes[cell]
        for category in range(1, n_x):
            plane = columns.planes[first + category - 1]
            count = np.uint64(0)
            for w in range(mask.shape[0]):
                count += popcount(plane[w] & mask[w])  # type: ignore[call-arg]
            table[at + category] = np.int64(count)
            rest -= np.int64(count)
        table[at] = rest


@njit(cache=True, nogil=True)
def _count_by_rows(columns, x, cells, table):  # type: ignore[no-untyped-def]
    n_x = columns.n_categories[x]
    codes = columns.codes[columns.row[x]]
    table[:] = 0
    for i in range(cells.shape[0]):
        table[cells[i] * n_x + codes[i]] += 1


@njit(cache=True, nogil=True)
def _most_categories(columns, candidates):  # type: ignore[no-untyped-def]
    most = 1
    for x in candidates:
        most = max(most, columns.n_categories[x])
    return most


@njit(
    types.void(_COLUMNS, _TERMS, types.int64, _INTS, _INTS, read_only(types.int64, 2), _ANSWERS),
    cache=True,
    nogil=True,
)
def score_additions(columns, terms, child, parents, candidates, rows, answers):  # type: ignore[no-untyped-def]
    """Score the child with each candidate added to its parents.

    ``rows`` says which of the tabulated functions each candidate needs, for cells and for strata;
    ``answers`` gets the sum and the number of strata that occur.
    """
    n_rows = columns.codes.shape[1]
    cells = np.empty(n_rows, dtype=np.int32)
    n_cells = _cells_of(columns, child, parents, cells)
    scratch = np.empty(n_cells * _most_categories(columns, candidates), dtype=np.int64)
    masks, sizes, place = _masks_of(cells[:0], 0)
    per_mask = PER_MASKED_WORD * ((n_rows + 63) // 64) + PER_MASK
    for b in range(candidates.shape[0]):
        x = candidates[b]
        n_x = columns.n_categories[x]
        table = scratch[: n_cells * n_x]
        by_rows = PER_SCATTERED_ROW * n_rows + PER_SCATTERED_CELL * n_cells * n_x
        if columns.first_plane[x] >= 0 and (n_x - 1) * n_cells * per_mask < by_rows:
            if place.shape[0] == 0:
                masks, sizes, place = _masks_of(cells, n_cells)
            _count_by_masks(columns, x, masks, sizes, place, table)
        else:
            _count_by_rows(columns, x, cells, table)
        answers[b] = _table_total(terms, rows[b], table, columns.n_categories[child], n_x)


@njit(
    types.void(
        _COLUMNS,
        _TERMS,
        types.int64,
        read_only(types.int64, 2),
        read_only(types.int64, 2),
        _ANSWERS,
    ),
    cache=True,
    nogil=True,
)
def score_families(columns, terms, child, parent_sets, rows, answers):  # type: ignore[no-untyped-def]
    """Score the child with each of several sets of parents, one per row, padded with -1."""
    cells = np.empty(columns.codes.shape[1], dtype=np.int32)
    for k in range(parent_sets.shape[0]):
        n_cells = _cells_of(columns, child, parent_sets[k], cells)
        table = np.zeros(n_cells, dtype=np.int64)
        for i in range(cells.shape[0]):
            table[cells[i]] += 1
        answers[k] = _table_total(terms, rows[k], table, columns.n_categories[child], 1)
