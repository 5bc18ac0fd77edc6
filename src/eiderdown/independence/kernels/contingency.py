"""From contingency tables to tests: G2 and X2, degrees of freedom, log p, what is allowed."""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from eiderdown.arrays import IntArray, frozen
from eiderdown.independence.batch import (
    ALLOWS,
    DOF,
    EFFECT,
    LOG_P,
    N_USED,
    STATISTIC,
    Allows,
)
from eiderdown.independence.kernels.tails import log_chi_square_tail
from eiderdown.kernels import kernel

_BOTH, _NOTHING, _FUNCTION = map(float, (Allows.BOTH, Allows.NOTHING, Allows.FUNCTION))

MAX_UNINFORMATIVE = 0.5
"""Share of the informative rows that may lie in strata too thin to count."""


class Rules(NamedTuple):
    """How counts become a judged test.

    ``n_log_n`` is the table of :func:`n_log_n_table` and ``unit`` its unit. ``min_rows`` are wanted
    for each nominal degree of freedom, or for each cell if ``per_cell``; ``min_rows_of_stratum``
    for each degree of freedom of a stratum, which is left out otherwise.
    """

    n_log_n: Annotated[IntArray, "const(int64[::1])"]
    unit: float
    n_rows: int
    nominal: bool
    per_cell: bool
    min_rows: float
    min_rows_of_stratum: float


class Tally(NamedTuple):
    """Sums over the strata of one table in which both variables vary.

    The fixed-point log ratio and the degrees of freedom of those that count, and the rows in those
    and in the ones that are too thin.
    """

    log_ratio: int
    dof: int
    informative: int
    thin: int


@kernel("void(int64[::1], float64)")
def _fill_n_log_n(table, scale):
    table[0] = 0
    for n in range(1, table.shape[0]):
        table[n] = round(n * math.log(n) * scale)  # to even, where it is a tie


def n_log_n_table(n_rows: int) -> tuple[IntArray, float]:
    """Tabulate n ln(n) for n = 0 .. n_rows in fixed point, and return the table and its unit.

    No logarithm is taken per cell, and because sums of integers do not round, G2 comes out the same
    to the last bit whatever the order of rows, columns, categories and strata, and whichever of two
    variables is called the target: exact ties stay exact.
    """
    # All terms of one statistic together stay below 4 n ln(n), and that below 2**62.
    bits = 62 - math.ceil(math.log2(4.0 * max(n_rows, 2) * math.log(max(n_rows, 2)) + 1.0))
    scale = 2.0**bits
    table = np.empty(n_rows + 1, dtype=np.int64)
    _fill_n_log_n(table, scale)
    return frozen(table), 1.0 / scale


@kernel("void(Rules, Tally, int64, int64, float64, float64[::1])", inner=True)
def judge(rules, tally, n_x, n_target, n_strata, out):
    """Write the values of one test; ``n_strata`` is the product of the categories given."""
    nominal = (n_x - 1.0) * (n_target - 1.0) * n_strata
    # Rounding can leave a little below zero where x and the target are exactly independent.
    g_square = max(0.0, 2.0 * rules.unit * tally.log_ratio)
    out[STATISTIC] = g_square
    out[DOF] = nominal if rules.nominal else float(tally.dof)
    out[LOG_P] = log_chi_square_tail(out[STATISTIC], out[DOF])
    out[EFFECT] = g_square / (2.0 * rules.n_rows)
    out[ALLOWS] = _allowed(rules, tally, n_x * n_target * n_strata, nominal)
    out[N_USED] = rules.n_rows


@kernel("float64(Rules, Tally, float64, float64)", inner=True)
def _allowed(rules, tally, n_cells, nominal):
    """Return what the rule of reliability allows a test to say."""
    n_varying = tally.informative + tally.thin
    needed = n_cells if rules.per_cell else nominal
    if rules.n_rows < rules.min_rows * needed or tally.thin > MAX_UNINFORMATIVE * n_varying:
        return _NOTHING
    return _BOTH if n_varying > 0 else _FUNCTION


@kernel("void(const(int32[:, ::1]), const(int64[::1]), int64[:, ::1])")
def fill_margins(target_table, n_log_n, margins):
    """Per stratum: rows, target categories seen, and the part of G2 that no candidate changes."""
    for s in range(target_table.shape[0]):
        rows = seen = part = 0
        for t in range(target_table.shape[1]):
            size = target_table[s, t]
            rows += size
            seen += size > 0
            part -= n_log_n[size]
        margins[s, 0] = rows
        margins[s, 1] = seen
        margins[s, 2] = part + n_log_n[rows]


@kernel("Tally(Rules, const(int32[:, :, ::1]), const(int64[:, ::1]))", inner=True)
def _tallied(rules, counts, margins):
    """Sum over the strata of one candidate.

    A stratum in which x or the target shows a single category adds nothing; one with too few rows
    for its degrees of freedom is left out.
    """
    n_log_n = rules.n_log_n
    log_ratio = 0
    freedom = informative = thin = 0
    for s in range(counts.shape[0]):
        rows, target_seen = margins[s, 0], margins[s, 1]
        if target_seen < 2:
            continue
        x_seen = 0
        x_part = 0
        for x in range(counts.shape[2]):
            column = 0
            for t in range(counts.shape[1]):
                cell = counts[s, t, x]
                column += cell
                x_part += n_log_n[cell]
            x_part -= n_log_n[column]
            x_seen += column > 0
        local = (x_seen - 1) * (target_seen - 1)
        if local == 0:
            continue
        if rows < rules.min_rows_of_stratum * local:
            thin += rows
            continue
        informative += rows
        freedom += local
        log_ratio += x_part + margins[s, 2]
    return Tally(log_ratio, freedom, informative, thin)


@kernel(
    "void(Rules, const(int32[:, :, :, ::1]), const(int64[:, ::1]), float64, float64[:, ::1])",
    inner=True,
)
def _judge_each(rules, counts, margins, n_strata, out):
    for b in range(counts.shape[0]):
        tally = _tallied(rules, counts[b], margins)
        judge(rules, tally, counts.shape[3], counts.shape[2], n_strata, out[b])


@kernel("void(Rules, const(int32[:, :, :, ::1]), const(int64[:, ::1]), float64, float64[:, ::1])")
def judge_block(rules, counts, margins, n_strata, out):
    """Write the values of every candidate of a block.

    ``counts`` is (candidate, stratum, target category, x category), ``margins`` what
    :func:`fill_margins` makes of its marginal over x, and ``n_strata`` the product of the
    categories given, whether or not they occur.
    """
    # The loop is an inner kernel, because this one would count references for every candidate.
    _judge_each(rules, counts, margins, n_strata, out)


@kernel("float64(const(int32[:, ::1]), const(int32[::1]), int64, float64)", inner=True)
def _misfit(table, target_sizes, rows, min_rows_of_stratum):
    """Pearson's sum over one stratum: sum of count^2 / expected, minus the rows; 0 if left out."""
    total = 0.0
    x_seen = target_seen = 0
    for t in range(table.shape[0]):
        target_seen += target_sizes[t] > 0
    for x in range(table.shape[1]):
        column = 0
        for t in range(table.shape[0]):
            column += table[t, x]
        if column > 0:
            x_seen += 1
            for t in range(table.shape[0]):
                if target_sizes[t] > 0:
                    total += table[t, x] * (table[t, x] / (target_sizes[t] * (column / rows)))
    local = (x_seen - 1) * (target_seen - 1)
    return total - rows if local > 0 and rows >= min_rows_of_stratum * local else 0.0


@kernel(
    "void(Rules, const(int32[:, :, :, ::1]), const(int32[:, ::1]), const(int64[:, ::1]),"
    " float64[:, ::1])"
)
def put_x_square(rules, counts, target_table, margins, out):
    """Put Pearson's X2 in the place of G2 in the values of a block, with its p-value."""
    for b in range(counts.shape[0]):
        total = 0.0
        for s in range(counts.shape[1]):
            if margins[s, 1] > 1:
                total += _misfit(
                    counts[b, s], target_table[s], margins[s, 0], rules.min_rows_of_stratum
                )
        out[b, STATISTIC] = max(0.0, total)
        out[b, LOG_P] = log_chi_square_tail(out[b, STATISTIC], out[b, DOF])
