"""From a block of contingency tables to statistics and degrees of freedom."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types

_FLOATS_IN: Any = types.Array(types.float64, 1, "C", readonly=True)
_FLOATS_OUT: Any = types.float64[::1]
_COUNTS: Any = types.Array(types.int32, 4, "C", readonly=True)
_CELLS: Any = types.Array(types.int32, 2, "C", readonly=True)


@njit("f8[::1](i8)", cache=True, nogil=True)
def n_log_n_table(largest):  # type: ignore[no-untyped-def]
    """Tabulate n * ln(n) for n = 0 .. largest, so that no logarithm is taken per cell."""
    table = np.empty(largest + 1)
    table[0] = 0.0
    for n in range(1, largest + 1):
        table[n] = n * np.log(n)
    return table


@njit(cache=True, nogil=True)
def _target_margins(target_table, n_log_n):  # type: ignore[no-untyped-def]
    """Per stratum: rows, target levels seen, and the part of G2 that no candidate changes."""
    rows = np.zeros(target_table.shape[0], dtype=np.int64)
    seen = np.zeros(target_table.shape[0], dtype=np.int64)
    part = np.zeros(target_table.shape[0])
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
    types.void(_COUNTS, _CELLS, _FLOATS_IN, types.boolean, _FLOATS_OUT, _FLOATS_OUT, _FLOATS_OUT),
    cache=True,
    nogil=True,
)
def contingency_statistics(  # type: ignore[no-untyped-def]
    counts, target_table, n_log_n, pearson, g_square, x_square, dof
):
    """Likelihood-ratio statistic, adjusted dof and, on request, Pearson's, per candidate.

    ``counts`` is (candidate, stratum, target level, x level), ``target_table`` its marginal over x.
    A stratum in which x or the target shows a single level adds nothing to any of them.
    """
    rows, target_seen, target_part = _target_margins(target_table, n_log_n)
    for b in range(counts.shape[0]):
        log_ratio = 0.0
        misfit = 0.0
        freedom = 0
        for s in range(counts.shape[1]):
            if target_seen[s] < 2:
                continue
            x_seen = 0
            x_part = 0.0
            for x in range(counts.shape[3]):
                column = 0
                for t in range(counts.shape[2]):
                    cell = counts[b, s, t, x]
                    column += cell
                    x_part += n_log_n[cell]
                x_part -= n_log_n[column]
                x_seen += column > 0
            if x_seen < 2:
                continue
            freedom += (x_seen - 1) * (target_seen[s] - 1)
            log_ratio += x_part + target_part[s]
            if pearson:
                misfit += _misfit(counts[b, s], target_table[s], rows[s])
        # Rounding can leave a hair below zero where x and the target are exactly independent.
        g_square[b] = max(0.0, 2.0 * log_ratio)
        x_square[b] = max(0.0, misfit)
        dof[b] = freedom
