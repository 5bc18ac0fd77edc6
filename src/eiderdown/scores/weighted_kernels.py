"""Weighted tables: sums of weights, for many weightings at once, instead of numbers of rows.

The weightings of a cell lie side by side, so that one pass over the rows serves all of them.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit, types

from eiderdown.compiled import read_only

_TABLE = read_only(types.float64, 4)


@njit(
    [
        types.void(
            read_only(code),
            read_only(types.int32),
            read_only(types.float64, 2),
            types.float64[:, :, ::1],
        )
        for code in (types.uint8, types.uint16, types.uint32)
    ],
    cache=True,
    nogil=True,
)
def add_weights(codes, cells, weights, table):  # type: ignore[no-untyped-def]
    """Add weights[i] to table[cells[i], codes[i]] for every row i."""
    for i in range(cells.shape[0]):
        cell = table[cells[i], codes[i]]
        for t in range(weights.shape[1]):
            cell[t] += weights[i, t]


@njit(cache=True, nogil=True)
def _term(weight, marginal, shift):  # type: ignore[no-untyped-def]
    if weight <= 0.0:
        return 0.0
    if marginal:
        return math.lgamma(weight + shift) - math.lgamma(shift)
    return weight * math.log(weight)


@njit(
    types.void(_TABLE, types.boolean, types.float64, types.float64, types.float64[::1]),
    cache=True,
    nogil=True,
)
def family_sums(table, marginal, of_cell, of_stratum, sums):  # type: ignore[no-untyped-def]
    """Sum a score's terms over a table (stratum, child category, x category, weighting).

    ``sums`` gets one number for each weighting: terms of the cells less terms of the strata, which
    are log-gamma functions with these shifts for a marginal likelihood, and n ln n otherwise.
    """
    sums[:] = 0.0
    n_strata, n_child, n_x, n_weightings = table.shape
    for s in range(n_strata):
        for x in range(n_x):
            for t in range(n_weightings):
                stratum = 0.0
                for c in range(n_child):
                    stratum += table[s, c, x, t]
                    sums[t] += _term(table[s, c, x, t], marginal, of_cell)
                sums[t] -= _term(stratum, marginal, of_stratum)


@njit(types.void(_TABLE, types.float64[::1]), cache=True, nogil=True)
def information(table, found):  # type: ignore[no-untyped-def]
    """Fill the information of child and x given the strata, in nats, for each weighting."""
    n_strata, n_child, n_x, n_weightings = table.shape
    child = np.empty(n_child)
    for t in range(n_weightings):
        total, whole = 0.0, 0.0
        for s in range(n_strata):
            stratum = 0.0
            child[:] = 0.0
            for x in range(n_x):
                column = 0.0
                for c in range(n_child):
                    cell = table[s, c, x, t]
                    column += cell
                    child[c] += cell
                    total += _term(cell, False, 0.0)
                stratum += column
                total -= _term(column, False, 0.0)
            for c in range(n_child):
                total -= _term(child[c], False, 0.0)
            total += _term(stratum, False, 0.0)
            whole += stratum
        # Rounding can leave a hair below zero where nothing is shared.
        found[t] = max(0.0, total / whole) if whole > 0.0 else 0.0
