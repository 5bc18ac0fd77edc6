"""Correlations of every column of a table with a few columns, one pass over the table.

Each column's sums are added up in an order of their own: eight running sums over its rows, whatever
stands beside it. BLAS does not promise that: it may add up the same numbers in another order
elsewhere in a matrix, and then equal columns no longer tie and the order of the columns decides.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.kernels import kernel

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


@kernel("void(const(float64[:, ::1]), int64, int64, float64[:, ::1])")
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
    "const(int64[::1]), int64, int64, float64[:, ::1])"
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
    "void(const(uint8[:, ::1]), const(float64[:, ::1]), const(int64[:, ::1]), int64, int64, "
    "CategoryRoom, float64[:, ::1])",
    "void(const(uint16[:, ::1]), const(float64[:, ::1]), const(int64[:, ::1]), int64, int64, "
    "CategoryRoom, float64[:, ::1])",
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
