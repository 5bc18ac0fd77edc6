"""From contingency tables to judged tests: G2 and X2, degrees of freedom, log p, what is allowed.

The calibrated test sums X2 over strata by weights that quieten those with rare categories. Its
p-value is that of the gamma distribution, shifted, that has the mean, the variance and the third
moment of the sum over all permutations of one variable within strata; but it is not less than half
the probability of the very table, which no exact p-value (less half of what ties with it) can be.
The one is what holds near the middle, the other far out, where columns are rare.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

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
from eiderdown.independence.kernels.moments import (
    EFFECTIVE,
    FIRST,
    LOG_TABLE,
    N_SUMS,
    PLAIN_MEAN,
    RATIO_UNIT,
    ROWS,
    VARIANCE,
    X_SQUARE,
    Exact,  # noqa: F401  stands in signatures
    Room,  # noqa: F401  stands in signatures
    Scales,  # noqa: F401  stands in signatures
    add_moments,
    begin_stratum,
    inverse_of,
    log_factorial_of,
    log_tail,
    rounded,
    scales_for,
    shape_of,
)
from eiderdown.independence.kernels.tails import log_chi_square_tail
from eiderdown.independence.power import is_seen
from eiderdown.kernels import kernel

_BOTH, _DEPENDENCE, _NOTHING, _FUNCTION = map(
    float, (Allows.BOTH, Allows.DEPENDENCE, Allows.NOTHING, Allows.FUNCTION)
)

MAX_UNINFORMATIVE = 0.5
"""Share of the informative rows that may lie in strata too thin to count."""


class Rules(NamedTuple):
    """How counts become a judged test.

    ``n_log_n`` is the table of :func:`n_log_n_table` and ``unit`` its unit. ``min_rows`` are
    wanted for each nominal degree of freedom, or for each cell if ``per_cell``;
    ``min_rows_of_stratum`` for each degree of freedom of a stratum, which is left out otherwise.
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
    variables is called the target: exact ties stay exact. The table ends at ``FIRST``.
    """
    # All terms of one statistic together stay below 4 n ln(n), and that below 2**62.
    bits = 62 - math.ceil(math.log2(4.0 * max(n_rows, 2) * math.log(max(n_rows, 2)) + 1.0))
    scale = 2.0**bits
    table = np.empty(min(n_rows, FIRST) + 1, dtype=np.int64)
    _fill_n_log_n(table, scale)
    return frozen(table), 1.0 / scale


@kernel("int64(Rules, int64)", inner=True)
def n_log_n_of(rules, n):
    """Return n ln(n) in fixed point, from the table if it is there."""
    if n < rules.n_log_n.shape[0]:
        return rules.n_log_n[n]
    return round(n * math.log(n) * (1.0 / rules.unit))


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


@kernel("void(Rules, const(int32[:, ::1]), int64[:, ::1])")
def fill_margins(rules, target_table, margins):
    """Per stratum: rows, target categories seen, and the part of G2 that no candidate changes."""
    for s in range(target_table.shape[0]):
        rows = seen = part = 0
        for t in range(target_table.shape[1]):
            size = target_table[s, t]
            rows += size
            seen += size > 0
            part -= n_log_n_of(rules, size)
        margins[s, 0] = rows
        margins[s, 1] = seen
        margins[s, 2] = part + n_log_n_of(rules, rows)


@kernel("Tally(Rules, const(int32[:, :, ::1]), const(int64[:, ::1]))", inner=True)
def _tallied(rules, counts, margins):
    """Sum over the strata of one candidate.

    A stratum in which x or the target shows a single category adds nothing; one with too few rows
    for its degrees of freedom is left out.
    """
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
                x_part += n_log_n_of(rules, cell)
            x_part -= n_log_n_of(rules, column)
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


@kernel(
    "float64(const(int32[:, ::1]), const(int32[::1]), int64, int64, float64)",
    "float64(int64[:, ::1], int64[::1], int64, int64, float64)",
    inner=True,
)
def misfit(table, target_sizes, n_x, rows, min_rows_of_stratum):
    """Pearson's sum over one stratum: sum of count^2 / expected, minus the rows; 0 if left out."""
    total = 0.0
    x_seen = target_seen = 0
    for t in range(target_sizes.shape[0]):
        target_seen += target_sizes[t] > 0
    for x in range(n_x):
        column = 0
        for t in range(target_sizes.shape[0]):
            column += table[t, x]
        if column > 0:
            x_seen += 1
            for t in range(target_sizes.shape[0]):
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
                table, sizes, rows = counts[b, s], target_table[s], margins[s, 0]
                total += misfit(table, sizes, counts.shape[3], rows, rules.min_rows_of_stratum)
        out[b, STATISTIC] = max(0.0, total)
        out[b, LOG_P] = log_chi_square_tail(out[b, STATISTIC], out[b, DOF])


# --- X2 against its own permutations -------------------------------------------------------------

LEAST_ROWS = 4
"""A stratum of fewer rows has no variance under permutation, and is left out."""
_LOG_HALF = math.log(0.5)


@kernel(
    "int64(Exact, Scales, Room, int64, const(int32[:, ::1]), const(int32[::1]), int64)",
    "int64(Exact, Scales, Room, int64, int64[:, ::1], int64[::1], int64)",
    inner=True,
)
def add_stratum(exact, scales, room, stratum, table, sizes, n_x):
    """Add a stratum in which the target varies; return its rows if x does, but they are too few.

    ``table`` is (target category, x category), ``sizes`` its marginal over x.
    """
    if n_x == 2 and sizes.shape[0] == 2:
        return add_two_by_two(exact, scales, room, stratum, table, sizes)
    return add_table(exact, scales, room, stratum, table, sizes, n_x)


@kernel(
    "int64(Exact, Scales, Room, int64, const(int32[:, ::1]), const(int32[::1]), int64)",
    "int64(Exact, Scales, Room, int64, int64[:, ::1], int64[::1], int64)",
    inner=True,
)
def add_table(exact, scales, room, stratum, table, sizes, n_x):
    """Do so for any numbers of categories; those that are not seen may be left out of the table."""
    rows, unit = room.counts[stratum, 0], room.shape[stratum, 2]
    per_cell = rows * scales.x_square
    x_seen = first = second = 0
    product = 1.0
    squares, log_part = 0, room.counts[stratum, 2]
    for x in range(n_x):
        column = 0
        for t in range(sizes.shape[0]):
            column += table[t, x]
        if column == 0:
            continue
        x_seen += 1
        share = inverse_of(exact, column)
        ratio = rows * share
        product *= ratio
        first += rounded(ratio * RATIO_UNIT)
        second += rounded(ratio * ratio * unit)
        log_part += log_factorial_of(exact, column)
        for t in range(sizes.shape[0]):
            cell = table[t, x]
            if cell > 0:
                log_part -= log_factorial_of(exact, cell)
                square = float(cell) * cell
                of_size = inverse_of(exact, sizes[t])
                squares += rounded(square * ((of_size * share) * per_cell))
    if x_seen < 2:
        return 0
    if rows < LEAST_ROWS:
        return rows
    shape = shape_of(x_seen, first, second, unit, product)
    room.sums[LOG_TABLE] += log_part
    room.sums[ROWS] += rows
    add_moments(room, scales, stratum, squares - np.int64(per_cell), x_seen, shape)
    return 0


@kernel(
    "int64(Exact, Scales, Room, int64, const(int32[:, ::1]), const(int32[::1]))",
    "int64(Exact, Scales, Room, int64, int64[:, ::1], int64[::1])",
    inner=True,
)
def add_two_by_two(exact, scales, room, stratum, table, sizes):
    """Do the same for two categories of each, where X2 = N (n00 n11 - n01 n10)^2 / (a b c d)."""
    n00, n01, n10, n11 = table[0, 0], table[0, 1], table[1, 0], table[1, 1]
    first, second = n00 + n10, n01 + n11
    if first == 0 or second == 0:
        return 0
    rows = room.counts[stratum, 0]
    if rows < LEAST_ROWS:
        return rows
    of_first, of_second = inverse_of(exact, first), inverse_of(exact, second)
    shares = of_first * of_second
    gap = float(n00) * n11 - float(n01) * n10
    of_sizes = inverse_of(exact, sizes[0]) * inverse_of(exact, sizes[1])
    square = gap * gap * (shares * of_sizes)
    x_square = rounded(square * (rows * scales.x_square))
    of_columns = log_factorial_of(exact, first) + log_factorial_of(exact, second)
    of_cells = log_factorial_of(exact, n00) + log_factorial_of(exact, n01)
    of_cells += log_factorial_of(exact, n10) + log_factorial_of(exact, n11)
    room.sums[LOG_TABLE] += (room.counts[stratum, 2] + of_columns) - of_cells
    room.sums[ROWS] += rows
    p = (rows * of_first) * (rows * of_second) - 4.0
    add_moments(room, scales, stratum, x_square, 2, (p, p * (p + 3.0)))
    return 0


@kernel("float64(Exact, Scales, int64[::1], boolean)", inner=True)
def _allowed_by_power(exact, scales, sums, are_thick):
    """Return what the rows allow a test to say."""
    if sums[ROWS] == 0:
        return _FUNCTION if are_thick else _NOTHING
    if sums[VARIANCE] <= 0:
        return _NOTHING  # every permutation has the same X2
    n_effective = sums[EFFECTIVE] / scales.x_square
    seen = is_seen(n_effective, sums[VARIANCE] / scales.variance, exact.size)
    return _BOTH if seen else _DEPENDENCE


@kernel("void(Exact, Scales, Room, boolean, float64[::1])", inner=True)
def judge_sums(exact, scales, room, are_thick, out):
    """Write the values of one test; ``are_thick``: no stratum was left out for want of rows."""
    sums = room.sums
    x_square = max(0.0, sums[X_SQUARE] / scales.x_square)
    mean = sums[PLAIN_MEAN] / scales.x_square
    out[STATISTIC] = x_square
    out[DOF] = mean
    out[EFFECT] = math.sqrt(max(0.0, x_square - mean) / max(1, sums[ROWS]))
    out[N_USED] = sums[ROWS]
    out[ALLOWS] = _allowed_by_power(exact, scales, sums, are_thick)
    out[LOG_P] = 0.0
    if sums[VARIANCE] > 0:
        floor = exact.unit * sums[LOG_TABLE] + _LOG_HALF
        out[LOG_P] = min(0.0, max(log_tail(room, scales), floor))


@kernel(
    "void(Exact, Scales, Room, const(int32[:, :, :, ::1]), const(int32[:, ::1]), float64[:, ::1])",
    inner=True,
)
def _judge_by_moments(exact, scales, room, counts, target_table, out):
    n_strata = counts.shape[1]
    n_rows = n_filled = 0
    for s in range(n_strata):
        begin_stratum(exact, room, s, target_table[s])
        n_rows += room.counts[s, 0]
        n_filled += room.counts[s, 0] > 0
    for b in range(counts.shape[0]):
        for i in range(N_SUMS):
            room.sums[i] = 0
        thin = 0
        for s in range(n_strata):
            if room.counts[s, 1] > 1:
                table, sizes = counts[b, s], target_table[s]
                thin += add_stratum(exact, scales, room, s, table, sizes, counts.shape[3])
        are_thick = thin == 0 and n_rows >= LEAST_ROWS * n_filled
        judge_sums(exact, scales, room, are_thick, out[b])


def _are_few(_exact: object, _room: object, counts: NDArray[np.int32], *_others: object) -> bool:
    return counts.size <= 20_000


@kernel(
    "void(Exact, Room, const(int32[:, :, :, ::1]), const(int32[:, ::1]), float64[:, ::1])",
    small=_are_few,
)
def judge_calibrated(exact, room, counts, target_table, out):
    """Write the values of every candidate of a block.

    ``counts`` is (candidate, stratum, target category, x category), ``target_table`` its marginal
    over x, and ``room`` room for the strata.
    """
    scales = scales_for(exact, counts.shape[3], counts.shape[2])
    _judge_by_moments(exact, scales, room, counts, target_table, out)
