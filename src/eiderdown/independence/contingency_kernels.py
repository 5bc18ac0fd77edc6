"""From a block of contingency tables to statistics and degrees of freedom."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

from eiderdown.arrays import frozen

_TABLE: Any = types.Array(types.int64, 1, "C", readonly=True)
_FLOATS: Any = types.float64[::1]
_COUNTS: Any = types.Array(types.int32, 4, "C", readonly=True)
_CELLS: Any = types.Array(types.int32, 2, "C", readonly=True)


@njit("i8[::1](i8, f8)", cache=True, nogil=True)
def _fixed_point_table(largest, scale):  # type: ignore[no-untyped-def]
    table = np.empty(largest + 1, dtype=np.int64)
    table[0] = 0
    for n in range(1, largest + 1):
        table[n] = np.int64(np.rint(n * np.log(n) * scale))
    return table


def n_log_n_table(n_rows: int) -> tuple[NDArray[np.int64], float]:
    """Tabulate n ln(n) for n = 0 .. n_rows in fixed point, and return the table and its unit.

    No logarithm is taken per cell, and because sums of integers do not round, G2 comes out the same
    to the last bit whatever the order of rows, columns, categories and strata, and whichever of two
    variables is called the target: exact ties stay exact.
    """
    # All terms of one statistic together stay below 4 n ln(n), and that below 2**62.
    bits = 62 - math.ceil(math.log2(4.0 * max(n_rows, 2) * math.log(max(n_rows, 2)) + 1.0))
    scale = 2.0**bits
    return frozen(_fixed_point_table(n_rows, scale)), 1.0 / scale


@njit(cache=True, nogil=True)
def _target_margins(target_table, n_log_n):  # type: ignore[no-untyped-def]
    """Per stratum: rows, target categories seen, and the part of G2 that no candidate changes."""
    rows = np.zeros(target_table.shape[0], dtype=np.int64)
    seen = np.zeros(target_table.shape[0], dtype=np.int64)
    part = np.zeros(target_table.shape[0], dtype=np.int64)
    for s in range(target_table.shape[0]):
        for size in target_table[s]:
            rows[s] += size
            seen[s] += size > 0
            part[s] -= n_log_n[size]
        part[s] += n_log_n[rows[s]]
    return rows, seen, part


@njit(cache=True, nogil=True)
def _misfit(table, target_sizes, rows):  # type: ignore[no-untyped-def]
    """Pearson's sum over one stratum: sum of count^2 / expected, minus the rows."""
    total = 0.0
    for x in range(table.shape[1]):
        column = 0
        for t in range(table.shape[0]):
            column += table[t, x]
        if column > 0:
            for t in range(table.shape[0]):
                if target_sizes[t] > 0:
                    total += table[t, x] * (table[t, x] / (target_sizes[t] * (column / rows)))
    return total - rows


@njit(
    types.void(
        _COUNTS,
        _CELLS,
        _TABLE,
        types.float64,
        types.float64,
        types.boolean,
        _FLOATS,
        _FLOATS,
        _FLOATS,
        _FLOATS,
    ),
    cache=True,
    nogil=True,
)
def contingency_statistics(  # type: ignore[no-untyped-def]
    counts, target_table, n_log_n, unit, least_rows, pearson, g_square, x_square, dof, uninformative
):
    """Likelihood-ratio statistic, adjusted dof and, on request, Pearson's, per candidate.

    ``counts`` is (candidate, stratum, target category, x category), ``target_table`` its marginal over x.
    A stratum in which x or the target shows a single category adds nothing to any of them; one with
    fewer than ``least_rows`` rows per degree of freedom is left out. ``uninformative`` is the share of
    rows that could have said something in strata left out.
    """
    rows, target_seen, target_part = _target_margins(target_table, n_log_n)
    for b in range(counts.shape[0]):
        log_ratio = 0
        misfit = 0.0
        freedom = heard = thin = 0
        for s in range(counts.shape[1]):
            if target_seen[s] < 2:
                continue
            x_seen = 0
            x_part = 0
            for x in range(counts.shape[3]):
                column = 0
                for t in range(counts.shape[2]):
                    cell = counts[b, s, t, x]
                    column += cell
                    x_part += n_log_n[cell]
                x_part -= n_log_n[column]
                x_seen += column > 0
            local = (x_seen - 1) * (target_seen[s] - 1)
            if local == 0:
                continue
            if rows[s] < least_rows * local:
                thin += rows[s]
                continue
            heard += rows[s]
            freedom += local
            log_ratio += x_part + target_part[s]
            if pearson:
                misfit += _misfit(counts[b, s], target_table[s], rows[s])
        # Rounding can leave a hair below zero where x and the target are exactly independent.
        g_square[b] = max(0.0, 2.0 * unit * log_ratio)
        x_square[b] = max(0.0, misfit)
        dof[b] = freedom
        uninformative[b] = thin / max(1, thin + heard)
