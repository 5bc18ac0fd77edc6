"""Tables of weighted rows, and sums over them, for many weightings at once.

The weightings of a cell lie side by side, so that one visit to a row serves all of them. With many
weightings the visits are what takes time, and most are spared: of two categories of a column the
more frequent one is not visited, because its weight is that of the cell less the other's; and where
nobody is given, neither is the child's largest category. Which rows are visited is read off bit
planes.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from eiderdown.arrays import FloatArray, IntArray, WordArray
from eiderdown.kernels import kernel
from eiderdown.machine_functions import popcount

ALL_CELLS = -1
"""In place of a cell: none is found by taking away."""


class VisitedRows(NamedTuple):
    """For every column, all categories but one as bit planes, and the weights of their rows."""

    planes: Annotated[WordArray, "const(uint64[:, ::1])"]
    first: Annotated[IntArray, "const(int64[::1])"]
    n_categories: Annotated[IntArray, "const(int64[::1])"]
    sums: Annotated[FloatArray, "const(float64[:, ::1])"]


class WeightedCells(NamedTuple):
    """The cells (stratum, child category) as bit planes, their weights, and one not to visit."""

    masks: Annotated[WordArray, "const(uint64[:, ::1])"]
    sums: Annotated[FloatArray, "const(float64[:, ::1])"]
    n_child: int
    unvisited: int


@kernel(
    "void(const(uint8[::1]), const(int32[::1]), const(float64[:, ::1]), float64[:, :, ::1])",
    "void(const(uint16[::1]), const(int32[::1]), const(float64[:, ::1]), float64[:, :, ::1])",
    "void(const(uint32[::1]), const(int32[::1]), const(float64[:, ::1]), float64[:, :, ::1])",
)
def add_weights(codes, cells, weights, table):
    """Add weights[i] to table[cells[i], codes[i]] for every row i."""
    for i in range(cells.shape[0]):
        for t in range(weights.shape[1]):
            table[cells[i], codes[i], t] += weights[i, t]


@kernel("void(uint64[:, ::1], const(int64[::1]), int64)")
def turn_to_rarer(planes, which, n_rows):
    """Turn those planes round that more than half of the rows are in."""
    n_words = planes.shape[1]
    beyond = np.uint64(64 * n_words - n_rows)  # bits of the last word that are no rows
    for k in range(which.shape[0]):
        n_set = 0
        for w in range(n_words):
            n_set += np.int64(popcount(planes[which[k], w]))
        if 2 * n_set > n_rows:
            for w in range(n_words):
                planes[which[k], w] = ~planes[which[k], w]
            planes[which[k], n_words - 1] &= ~np.uint64(0) >> beyond


@kernel("int64(const(uint64[:, ::1]), int64, const(uint64[:, ::1]), int64, int32[::1])", inner=True)
def _list_rows(masks, mask, planes, plane, listed):
    """List the rows that a mask and a plane have in common, in order; return how many."""
    n_listed = 0
    for w in range(masks.shape[1]):
        word = masks[mask, w] & planes[plane, w]
        while word != np.uint64(0):
            lowest = word & (~word + np.uint64(1))
            listed[n_listed] = w * 64 + np.int64(popcount(lowest - np.uint64(1)))
            n_listed += 1
            word ^= lowest
    return n_listed


@kernel(
    "void(const(float64[:, ::1]), const(int32[::1]), int64, float64[:, ::1], int64)", inner=True
)
def _add_listed(weights, listed, n_listed, table, at):
    """Make table[at] the weight of the listed rows; four at a time, to write a fourth as often."""
    n_weightings = weights.shape[1]
    for t in range(n_weightings):
        table[at, t] = 0.0
    n_in_fours = n_listed - n_listed % 4
    for k in range(0, n_in_fours, 4):
        a, b, c, d = listed[k], listed[k + 1], listed[k + 2], listed[k + 3]
        for t in range(n_weightings):
            table[at, t] += (weights[a, t] + weights[b, t]) + (weights[c, t] + weights[d, t])
    for k in range(n_in_fours, n_listed):
        for t in range(n_weightings):
            table[at, t] += weights[listed[k], t]


@kernel("void(const(uint64[:, ::1]), const(float64[:, ::1]), float64[:, ::1])")
def sum_planes(planes, weights, sums):
    """Sum the weights of the rows of each plane."""
    listed = np.empty(weights.shape[0], np.int32)
    for plane in range(planes.shape[0]):
        n_listed = _list_rows(planes, plane, planes, plane, listed)
        _add_listed(weights, listed, n_listed, sums, plane)


@kernel("void(float64[:, ::1], int64, const(float64[:, ::1]), int64)", inner=True)
def _copy(table, at, sums, k):
    for t in range(table.shape[1]):
        table[at, t] = sums[k, t]


@kernel("void(float64[:, ::1], int64, int64)", inner=True)
def _take_away(table, at, other):
    # Rounding can leave a little below zero where nothing is left.
    for t in range(table.shape[1]):
        table[at, t] = max(0.0, table[at, t] - table[other, t])


@kernel(
    "void(WeightedCells, VisitedRows, const(float64[:, ::1]), int64, int32[::1], float64[:, ::1])",
    inner=True,
)
def _fill_table(cells, columns, weights, x, listed, table):
    """Fill table[cell * categories + category]; the category without a plane comes last."""
    n_cells, n_planes, first = cells.masks.shape[0], columns.n_categories[x] - 1, columns.first[x]
    n_x = n_planes + 1
    for cell in range(n_cells):
        for k in range(n_planes):
            if cell != cells.unvisited:
                n_listed = _list_rows(cells.masks, cell, columns.planes, first + k, listed)
                _add_listed(weights, listed, n_listed, table, cell * n_x + k)
    if cells.unvisited != ALL_CELLS:
        for k in range(n_planes):
            at = cells.unvisited * n_x + k
            _copy(table, at, columns.sums, first + k)
            for cell in range(n_cells):
                if cell != cells.unvisited:
                    _take_away(table, at, cell * n_x + k)
    for cell in range(n_cells):
        last = cell * n_x + n_planes
        _copy(table, last, cells.sums, cell)
        for k in range(n_planes):
            _take_away(table, last, cell * n_x + k)


@kernel("float64(float64, boolean, float64, float64)", inner=True)
def _weighted_term(weight, marginal, shift, start):
    if weight <= 0.0:
        return 0.0
    if marginal:
        return math.lgamma(weight + shift) - start
    return weight * math.log(weight)


@kernel(
    "void(const(float64[:, ::1]), UniTuple(int64, 3), boolean, const(float64[:, ::1]),"
    " float64[:, ::1], int64)",
    inner=True,
)
def _sum_terms(table, shape, marginal, shifts, sums, k):
    """Fill sums[k] from a flat table of shape (stratum, child category, x category)."""
    n_strata, n_child, n_x = shape
    of_cell, of_stratum = shifts[k, 0], shifts[k, 1]
    start_of_cell = math.lgamma(of_cell) if marginal else 0.0
    start_of_stratum = math.lgamma(of_stratum) if marginal else 0.0
    for t in range(sums.shape[1]):
        total = 0.0
        for s in range(n_strata):
            for x in range(n_x):
                stratum = 0.0
                for c in range(n_child):
                    weight = table[(s * n_child + c) * n_x + x, t]
                    stratum += weight
                    total += _weighted_term(weight, marginal, of_cell, start_of_cell)
                total -= _weighted_term(stratum, marginal, of_stratum, start_of_stratum)
        sums[k, t] = total


@kernel(
    "void(const(float64[:, ::1]), UniTuple(int64, 3), boolean, const(float64[:, ::1]),"
    " float64[:, ::1], int64)"
)
def sum_weighted_terms(table, shape, marginal, shifts, sums, k):
    """Sum a score's terms over a table (stratum, child category, x category), a row for each.

    ``sums[k]`` gets one number for each weighting: terms of the cells less terms of the strata.
    These are log-gamma functions for a marginal likelihood, with the shifts of row k for cells and
    for strata, and n ln n otherwise.
    """
    _sum_terms(table, shape, marginal, shifts, sums, k)


@kernel(
    "void(WeightedCells, VisitedRows, const(float64[:, ::1]), const(int64[::1]), boolean,"
    " const(float64[:, ::1]), float64[:, ::1])"
)
def sum_weighted_sweep(cells, columns, weights, candidates, marginal, shifts, sums):
    """Do the same for each candidate; -1 is nobody, so that the child is taken as it is."""
    n_cells, most = cells.masks.shape[0], 1
    for k in range(candidates.shape[0]):
        if candidates[k] >= 0:
            most = max(most, columns.n_categories[candidates[k]])
    n_strata = n_cells // cells.n_child
    listed = np.empty(weights.shape[0], np.int32)
    table = np.empty((n_cells * most, weights.shape[1]))
    for k in range(candidates.shape[0]):
        x = candidates[k]
        if x < 0:
            _sum_terms(cells.sums, (n_strata, cells.n_child, 1), marginal, shifts, sums, k)
        else:
            _fill_table(cells, columns, weights, x, listed, table)
            shape = (n_strata, cells.n_child, columns.n_categories[x])
            _sum_terms(table, shape, marginal, shifts, sums, k)
