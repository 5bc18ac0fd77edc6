"""Permutations of a column within strata, as many as are needed to know a p-value.

X2 is compared in fixed point, so that tables that tie do tie.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.kernels import kernel

_UNIT = 2.0**24
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


class Rows(NamedTuple):
    """Rows in the order of strata: where each starts, codes of y, and numbers of categories."""

    starts: Annotated[IntArray, "const(int64[::1])"]
    y: Annotated[IntArray, "const(int64[::1])"]
    n_x: int
    n_y: int


@kernel("uint64(uint64)", inner=True)
def _mixed(value):
    """Spread the bits of a counter over a whole word (SplitMix64)."""
    value = (value ^ (value >> np.uint64(30))) * _MIX_1
    value = (value ^ (value >> np.uint64(27))) * _MIX_2
    return value ^ (value >> np.uint64(31))


@kernel("void(Rows, const(int64[::1]), int64[:, :, ::1])")
def fill_weights(rows, x, weights):
    """Fill the weight N / (a b) of every cell; X2 is the sum of weights times squared counts."""
    of_x, of_y = np.zeros(rows.n_x, dtype=np.int64), np.zeros(rows.n_y, dtype=np.int64)
    for s in range(rows.starts.shape[0] - 1):
        for k in range(rows.n_x):
            of_x[k] = 0
        for k in range(rows.n_y):
            of_y[k] = 0
        for i in range(rows.starts[s], rows.starts[s + 1]):
            of_x[x[i]] += 1
            of_y[rows.y[i]] += 1
        n = rows.starts[s + 1] - rows.starts[s]
        for j in range(rows.n_y):
            for k in range(rows.n_x):
                expected = float(of_y[j]) * of_x[k]
                weights[s, j, k] = np.int64(_UNIT * n / expected + 0.5) if expected > 0.0 else 0


@kernel("int64(Rows, int64[::1], int64[:, :, ::1], int64[:, ::1])", inner=True)
def _x_square(rows, x, weights, table):
    total = 0
    for s in range(rows.starts.shape[0] - 1):
        for j in range(rows.n_y):
            for k in range(rows.n_x):
                table[j, k] = 0
        for i in range(rows.starts[s], rows.starts[s + 1]):
            table[rows.y[i], x[i]] += 1
        for j in range(rows.n_y):
            for k in range(rows.n_x):
                total += weights[s, j, k] * table[j, k] * table[j, k]
    return total


@kernel(
    "UniTuple(int64, 2)(Rows, int64[::1], int64[:, :, ::1], int64[:, ::1], uint64,"
    " UniTuple(int64, 2))"
)
def count_as_large(rows, x, weights, table, seed, limits):
    """Permute ``x`` in place until X2 was often enough as large as at first, or too often in all.

    Returns how often it was, and after how many permutations; ``limits`` are those of the two.
    """
    enough, most = limits
    first = _x_square(rows, x, weights, table)
    n_large = n_done = 0
    state = seed
    while n_done < most and n_large < enough:
        for s in range(rows.starts.shape[0] - 1):
            start = rows.starts[s]
            for i in range(rows.starts[s + 1] - 1, start, -1):
                state += _GOLDEN
                other = start + np.int64((_mixed(state) >> np.uint64(1)) % np.uint64(i - start + 1))
                x[i], x[other] = x[other], x[i]
        n_done += 1
        n_large += _x_square(rows, x, weights, table) >= first
    return n_large, n_done
