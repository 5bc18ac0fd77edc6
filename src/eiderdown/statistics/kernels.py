"""Counts and correlations: the only compiled code that touches rows.

Three kernels count the same thing. A *cell* is one target category within one stratum of the
conditioning set; ``cells[i]`` is the cell of row i. Each kernel fills ``out[b, cell, category]``,
which comes in as zeros, with the number of rows of that cell in which candidate ``b`` has that
category:

    count_codes    one increment per row                        dense, any number of categories
    count_planes   AND + popcount, 64 rows at a time            few categories, few cells
    count_sparse   one increment per listed row, rest by sum    binary columns that are mostly 0

Each has a slow, obvious twin in tests/naive.py. Kernels release the GIL; any number of threads may
run them on disjoint ``out``.

``correlate_numbers`` and its kin add up each column's sums in an order of their own: eight running
sums over its rows, whatever stands beside it. BLAS does not promise that: it may add up the same
numbers in another order elsewhere in a matrix, and then equal columns no longer tie and the order
of the columns decides.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.kernels import kernel
from eiderdown.machine_functions import popcount
from eiderdown.statistics import small_tables

_WORD_TILE = 1_024  # words of a plane and its masks that stay in the first-level cache


@kernel(
    "void(const(uint8[:, ::1]), const(int64[::1]), const(int32[::1]), int32[:, ::1],"
    " int32[:, :, ::1])",
    "void(const(uint16[:, ::1]), const(int64[::1]), const(int32[::1]), int32[:, ::1],"
    " int32[:, :, ::1])",
    "void(const(uint32[:, ::1]), const(int64[::1]), const(int32[::1]), int32[:, ::1],"
    " int32[:, :, ::1])",
    small=small_tables.are_few_codes,
    instead=small_tables.count_codes,
)
def count_codes(codes, columns, cells, tables, out):
    """Scatter: out[b, cells[i], codes[columns[b], i]] += 1 for every row i.

    Rows go to four ``tables`` in turn where they are small: neighbours then often fall in the same
    cell, and an increment that waits for the one before it is several times slower.
    """
    n_rows = cells.shape[0]
    n_categories = out.shape[2]
    size = out.shape[1] * n_categories
    n_tables = tables.shape[0]
    for b in range(columns.shape[0]):
        column = codes[columns[b]]
        for j in range(n_tables):
            for k in range(size):
                tables[j, k] = 0
        unrolled = n_rows - n_rows % 4 if n_tables == 4 else 0
        for i in range(0, unrolled, 4):
            tables[0, cells[i] * n_categories + column[i]] += 1
            tables[1, cells[i + 1] * n_categories + column[i + 1]] += 1
            tables[2, cells[i + 2] * n_categories + column[i + 2]] += 1
            tables[3, cells[i + 3] * n_categories + column[i + 3]] += 1
        for i in range(unrolled, n_rows):
            tables[0, cells[i] * n_categories + column[i]] += 1
        for k in range(size):
            total = tables[0, k]
            for j in range(1, n_tables):
                total += tables[j, k]
            out[b, k // n_categories, k % n_categories] = total


@kernel("void(int32[:, ::1], const(int32[::1]))", inner=True)
def _first_category_by_subtraction(table, cell_sizes):
    for cell in range(table.shape[0]):
        rest = cell_sizes[cell]
        for category in range(1, table.shape[1]):
            rest -= table[cell, category]
        table[cell, 0] = rest


@kernel(
    "void(const(uint64[:, ::1]), const(int64[::1]), const(uint64[:, ::1]), const(int32[::1]),"
    " int32[:, :, ::1])",
    small=small_tables.are_few_planes,
    instead=small_tables.count_planes,
)
def count_planes(planes, first_planes, masks, cell_sizes, out):
    """Popcount of plane & mask for every category but the first, which is what remains."""
    n_words = masks.shape[1]
    n_categories = out.shape[2]
    for b in range(first_planes.shape[0]):
        for start in range(0, n_words, _WORD_TILE):
            stop = min(start + _WORD_TILE, n_words)
            for category in range(1, n_categories):
                plane = planes[first_planes[b] + category - 1, start:stop]
                for cell in range(masks.shape[0]):
                    mask = masks[cell, start:stop]
                    total = np.uint64(0)
                    # From 0, so that LLVM sees that no index is negative and vectorises.
                    for w in range(plane.shape[0]):
                        total += popcount(plane[w] & mask[w])
                    out[b, cell, category] += np.int32(total)
        _first_category_by_subtraction(out[b], cell_sizes)


@kernel(
    "void(const(int64[::1]), const(uint16[::1]), const(int64[::1]), const(int32[::1]),"
    " const(int32[::1]), int32[:, :, ::1])",
    "void(const(int64[::1]), const(uint32[::1]), const(int64[::1]), const(int32[::1]),"
    " const(int32[::1]), int32[:, :, ::1])",
)
def count_sparse(indptr, rows, columns, cells, cell_sizes, out):
    """Count the listed rows as category 1; category 0 is what remains of each cell."""
    for b in range(columns.shape[0]):
        table = out[b]
        for k in range(indptr[columns[b]], indptr[columns[b] + 1]):
            table[cells[rows[k]], 1] += 1
        _first_category_by_subtraction(table, cell_sizes)


@kernel(
    "void(const(int32[::1]), uint64[:, ::1])",
    small=small_tables.are_few_rows,
    instead=small_tables.fill_masks,
)
def fill_masks(cells, masks):
    """Set bit i of the mask of row i's cell; ``masks`` comes in as zeros."""
    for i in range(cells.shape[0]):
        masks[cells[i], i >> 6] |= np.uint64(1) << np.uint64(i & 63)


@kernel(
    "int64(const(int32[::1]), const(uint8[::1]), int64, int32[::1], int32[::1])",
    "int64(const(int32[::1]), const(uint16[::1]), int64, int32[::1], int32[::1])",
    "int64(const(int32[::1]), const(uint32[::1]), int64, int32[::1], int32[::1])",
    small=small_tables.are_few_rows,
    instead=small_tables.refine_strata,
)
def refine_strata(strata, codes, n_categories, label_of, refined):
    """Split every stratum by one more column; keep only the combinations that occur.

    ``label_of`` has one zero per (stratum, category); new labels follow the order of (stratum,
    category), so they do not depend on the order of the rows. Returns how many there are.
    """
    for i in range(strata.shape[0]):
        label_of[strata[i] * n_categories + codes[i]] = 1
    n_strata = 0
    for key in range(label_of.shape[0]):
        if label_of[key]:
            label_of[key] = n_strata
            n_strata += 1
    for i in range(strata.shape[0]):
        refined[i] = label_of[strata[i] * n_categories + codes[i]]
    return n_strata


@kernel(
    "void(const(int32[::1]), const(uint8[::1]), int64, int32[::1], int32[:, ::1])",
    "void(const(int32[::1]), const(uint16[::1]), int64, int32[::1], int32[:, ::1])",
    "void(const(int32[::1]), const(uint32[::1]), int64, int32[::1], int32[:, ::1])",
    small=small_tables.are_few_rows,
    instead=small_tables.find_cells,
)
def find_cells(strata, codes, n_codes, cells, sizes):
    """Fill the cell (stratum, code) of every row, and how many rows fall in each.

    Rows go to the tables of ``sizes``, which come in as zeros, in turn, so that an increment does
    not wait for the one before; the first one gets the sums.
    """
    n_tables = sizes.shape[0]
    for i in range(strata.shape[0]):
        cell = strata[i] * n_codes + codes[i]
        cells[i] = cell
        sizes[i & (n_tables - 1), cell] += 1
    for j in range(1, n_tables):
        for cell in range(sizes.shape[1]):
            sizes[0, cell] += sizes[j, cell]


@kernel("void(const(int32[::1]), int64[::1])", small=small_tables.are_few_rows)
def find_rows_of_labels(labels, rows):
    """Fill a row of each label, the first; ``rows`` comes in as -1, and labels beyond it are none.

    Every label occurs, so that the walk ends as soon as all were met.
    """
    n_found = 0
    for i in range(labels.shape[0]):
        label = labels[i]
        if label < rows.shape[0] and rows[label] < 0:
            rows[label] = i
            n_found += 1
            if n_found == rows.shape[0]:
                return


SCALE, MEAN, CORRECTION, INVERSE_LENGTH = range(4)
"""How a column is standardised: ((x * scale - mean) - correction) * inverse length."""

_CHUNK = 4_096  # rows that stay in the first cache while all the other columns meet them


@kernel("float64(const(float64[::1]), float64, float64, float64, const(float64[::1]))", inner=True)
def _centred_dot(x, scale, mean, correction, y):
    """Sum of (centred x) * y."""
    a0 = a1 = a2 = a3 = a4 = a5 = a6 = a7 = 0.0
    n = x.shape[0]
    whole = n - n % 8
    for i in range(0, whole, 8):
        a0 += ((x[i] * scale - mean) - correction) * y[i]
        a1 += ((x[i + 1] * scale - mean) - correction) * y[i + 1]
        a2 += ((x[i + 2] * scale - mean) - correction) * y[i + 2]
        a3 += ((x[i + 3] * scale - mean) - correction) * y[i + 3]
        a4 += ((x[i + 4] * scale - mean) - correction) * y[i + 4]
        a5 += ((x[i + 5] * scale - mean) - correction) * y[i + 5]
        a6 += ((x[i + 6] * scale - mean) - correction) * y[i + 6]
        a7 += ((x[i + 7] * scale - mean) - correction) * y[i + 7]
    rest = 0.0
    for i in range(whole, n):
        rest += ((x[i] * scale - mean) - correction) * y[i]
    return ((a0 + a1) + (a2 + a3)) + ((a4 + a5) + (a6 + a7)) + rest


@kernel("float64(const(float64[::1]), float64, float64)", inner=True)
def _sum(x, scale, mean):
    """Sum of x * scale - mean."""
    a0 = a1 = a2 = a3 = a4 = a5 = a6 = a7 = 0.0
    n = x.shape[0]
    whole = n - n % 8
    for i in range(0, whole, 8):
        a0 += x[i] * scale - mean
        a1 += x[i + 1] * scale - mean
        a2 += x[i + 2] * scale - mean
        a3 += x[i + 3] * scale - mean
        a4 += x[i + 4] * scale - mean
        a5 += x[i + 5] * scale - mean
        a6 += x[i + 6] * scale - mean
        a7 += x[i + 7] * scale - mean
    rest = 0.0
    for i in range(whole, n):
        rest += x[i] * scale - mean
    return ((a0 + a1) + (a2 + a3)) + ((a4 + a5) + (a6 + a7)) + rest


@kernel("float64(const(float64[::1]), float64, float64, float64)", inner=True)
def _sum_of_squares(x, scale, mean, correction):
    a0 = a1 = a2 = a3 = 0.0
    n = x.shape[0]
    whole = n - n % 4
    for i in range(0, whole, 4):
        d0 = (x[i] * scale - mean) - correction
        d1 = (x[i + 1] * scale - mean) - correction
        d2 = (x[i + 2] * scale - mean) - correction
        d3 = (x[i + 3] * scale - mean) - correction
        a0 += d0 * d0
        a1 += d1 * d1
        a2 += d2 * d2
        a3 += d3 * d3
    rest = 0.0
    for i in range(whole, n):
        d0 = (x[i] * scale - mean) - correction
        rest += d0 * d0
    return ((a0 + a1) + (a2 + a3)) + rest


@kernel(
    "void(const(float64[:, ::1]), int64, int64, float64[:, ::1])",
    small=small_tables.are_few_numbers,
)
def learn_scaling(values, start, stop, scaling):
    """Fill how each of some columns is centred and scaled to length 1 (a constant one to 0).

    The scale is a power of two, which rounds nothing and keeps squares of huge or tiny numbers
    finite; the first mean is itself rounded, which shows under a large offset, so that what is left
    of it is taken off a second time.
    """
    n = values.shape[1]
    for j in range(start, stop):
        x = values[j]
        low = high = x[0]
        for i in range(n):
            low = min(low, x[i])
            high = max(high, x[i])
        exponent = math.frexp(max(abs(low), abs(high)))[1]
        scale = math.ldexp(1.0, min(-exponent, 1_000))
        mean = _sum(x, scale, 0.0) / n
        correction = _sum(x, scale, mean) / n
        scaling[j, SCALE] = scale
        scaling[j, MEAN] = mean
        scaling[j, CORRECTION] = correction
        scaling[j, INVERSE_LENGTH] = 0.0
        if high > low:
            length = math.sqrt(_sum_of_squares(x, scale, mean, correction))
            scaling[j, INVERSE_LENGTH] = 1.0 / length if length > 0.0 else 0.0


@kernel(
    "void(const(float64[:, ::1]), const(float64[:, ::1]), const(float64[:, ::1]), "
    "const(int64[::1]), int64, int64, float64[:, ::1])",
    small=small_tables.are_few_products,
)
def correlate_numbers(values, scaling, others, places, start, stop, found):
    """Correlate some columns of numbers with all of ``others``, the rows of a matrix."""
    n = values.shape[1]
    for j in range(start, stop):
        place, of_column = places[j], scaling[j]
        for t in range(others.shape[0]):
            found[t, place] = 0.0
        if of_column[INVERSE_LENGTH] == 0.0:
            continue
        for a in range(0, n, _CHUNK):
            b = min(n, a + _CHUNK)
            x = values[j, a:b]
            for t in range(others.shape[0]):
                found[t, place] += _centred_dot(
                    x, of_column[SCALE], of_column[MEAN], of_column[CORRECTION], others[t, a:b]
                )
        for t in range(others.shape[0]):
            found[t, place] *= of_column[INVERSE_LENGTH]


class CategoryRoom(NamedTuple):
    """Room for one column: rows in each category, and sums of all the other columns over them.

    The last row of ``sums`` is for all categories so far.
    """

    counts: Annotated[IntArray, "int64[::1]"]
    sums: Annotated[FloatArray, "float64[:, ::1]"]


@kernel(
    "void(const(uint8[::1]), const(float64[:, ::1]), CategoryRoom)",
    "void(const(uint16[::1]), const(float64[:, ::1]), CategoryRoom)",
    inner=True,
)
def _sum_by_category(codes, others, room):
    """Add up the columns of ``others`` over the rows of each category."""
    counts, sums = room.counts, room.sums
    for c in range(sums.shape[0]):
        for t in range(sums.shape[1]):
            sums[c, t] = 0.0
    for c in range(counts.shape[0]):
        counts[c] = 0
    for i in range(codes.shape[0]):
        c = codes[i]
        counts[c] += 1
        for t in range(sums.shape[1]):
            sums[c, t] += others[i, t]


@kernel(
    "void(const(uint8[::1]), const(float64[:, ::1]), CategoryRoom)",
    "void(const(uint16[::1]), const(float64[:, ::1]), CategoryRoom)",
)
def sum_by_category(codes, others, room):
    """Add up the columns of ``others`` over the rows of each category, for one column of codes."""
    _sum_by_category(codes, others, room)


@kernel(
    "void(const(uint8[:, ::1]), const(float64[:, ::1]), const(int64[:, ::1]), int64, int64, "
    "CategoryRoom, float64[:, ::1])",
    "void(const(uint16[:, ::1]), const(float64[:, ::1]), const(int64[:, ::1]), int64, int64, "
    "CategoryRoom, float64[:, ::1])",
    small=small_tables.are_few_sums,
)
def correlate_codes(codes, others, places, start, stop, room, found):
    """Correlate the contrasts of some columns of categories with all columns of ``others``.

    ``others`` has the rows of the table as its rows here. Contrast j compares the j-th category
    that is seen with those seen before it; contrasts of one column are orthogonal (Helmert's).
    ``places`` has each column's first place and number of contrasts; those without are left out.
    """
    counts, sums = room.counts, room.sums
    last = sums.shape[0] - 1
    for j in range(start, stop):
        if places[j, 1] == 0:
            continue
        _sum_by_category(codes[j], others, room)
        place = places[j, 0]
        n_before = 0
        for c in range(counts.shape[0]):
            n_here = counts[c]
            norm = math.sqrt(float(n_here) * n_before * (n_before + n_here))
            for t in range(sums.shape[1]):
                if norm > 0.0:
                    contrast = n_before * sums[c, t] - n_here * sums[last, t]
                    found[t, place] = contrast / norm
                sums[last, t] += sums[c, t]
            place += norm > 0.0
            n_before += n_here


@kernel(
    "void(const(int64[::1]), const(uint16[::1]), const(float64[:, ::1]), const(int64[::1]), "
    "int64, int64, float64[:, ::1])",
    "void(const(int64[::1]), const(uint32[::1]), const(float64[:, ::1]), const(int64[::1]), "
    "int64, int64, float64[:, ::1])",
)
def correlate_sparse(indptr, rows, others, places, start, stop, found):
    """Correlate some sparse binary columns with all of ``others``, the rows of a matrix."""
    n = others.shape[1]
    for j in range(start, stop):
        n_ones = indptr[j + 1] - indptr[j]
        for t in range(others.shape[0]):
            total = 0.0
            for k in range(indptr[j], indptr[j + 1]):
                total += others[t, np.int64(rows[k])]
            inside = float(n_ones) * (n - n_ones)
            found[t, places[j]] = total * math.sqrt(n / inside) if inside > 0.0 else 0.0
