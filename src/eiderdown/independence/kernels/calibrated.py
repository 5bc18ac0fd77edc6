"""From contingency tables to judged tests: Pearson's X2 against its own permutations.

X2 is summed over strata by weights that quieten those with rare categories. The p-value is that of
the gamma distribution, shifted, that has the mean, the variance and the third moment of the sum
over all permutations of one variable within strata; but it is not less than
half the probability of the very table, which no exact p-value (less half of what ties with it) can
be. The one is what holds near the middle, the other far out, where columns are rare.
"""

from __future__ import annotations

import math

import numpy as np

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
    log_tail,
    rounded,
    scales_for,
    shape_of,
)
from eiderdown.independence.kernels.power import is_seen
from eiderdown.kernels import kernel

LEAST_ROWS = 4
"""A stratum of fewer rows has no variance under permutation, and is left out."""

_BOTH, _DEPENDENCE, _NOTHING, _FUNCTION = map(
    float, (Allows.BOTH, Allows.DEPENDENCE, Allows.NOTHING, Allows.FUNCTION)
)
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
    inverse, log_factorial = exact.inverse, exact.log_factorial
    rows = room.counts[stratum, 0]
    if n_x == 2 and sizes.shape[0] == 2:
        return _add_two_by_two(exact, scales, room, stratum, table, sizes)
    unit = room.shape[stratum, 2]
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
        share = inverse[column]
        ratio = rows * share
        product *= ratio
        first += rounded(ratio * RATIO_UNIT)
        second += rounded(ratio * ratio * unit)
        log_part += log_factorial[column]
        for t in range(sizes.shape[0]):
            cell = table[t, x]
            if cell > 0:
                log_part -= log_factorial[cell]
                square = float(cell) * cell
                squares += rounded(square * ((inverse[sizes[t]] * share) * per_cell))
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
def _add_two_by_two(exact, scales, room, stratum, table, sizes):
    """Do the same for two categories of each, where X2 = N (n00 n11 - n01 n10)^2 / (a b c d)."""
    inverse, log_factorial = exact.inverse, exact.log_factorial
    n00, n01, n10, n11 = table[0, 0], table[0, 1], table[1, 0], table[1, 1]
    first, second = n00 + n10, n01 + n11
    if first == 0 or second == 0:
        return 0
    rows = room.counts[stratum, 0]
    if rows < LEAST_ROWS:
        return rows
    shares = inverse[first] * inverse[second]
    gap = float(n00) * n11 - float(n01) * n10
    square = gap * gap * (shares * (inverse[sizes[0]] * inverse[sizes[1]]))
    x_square = rounded(square * (rows * scales.x_square))
    room.sums[LOG_TABLE] += (
        room.counts[stratum, 2] + log_factorial[first] + log_factorial[second]
    ) - (log_factorial[n00] + log_factorial[n01] + log_factorial[n10] + log_factorial[n11])
    room.sums[ROWS] += rows
    p = (rows * inverse[first]) * (rows * inverse[second]) - 4.0
    add_moments(room, scales, stratum, x_square, 2, (p, p * (p + 3.0)))
    return 0


@kernel("float64(Exact, Scales, int64[::1], boolean)", inner=True)
def _allowed(exact, scales, sums, are_thick):
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
    out[ALLOWS] = _allowed(exact, scales, sums, are_thick)
    out[LOG_P] = 0.0
    if sums[VARIANCE] > 0:
        floor = exact.unit * sums[LOG_TABLE] + _LOG_HALF
        out[LOG_P] = min(0.0, max(log_tail(room, scales), floor))


@kernel(
    "void(Exact, Scales, Room, const(int32[:, :, :, ::1]), const(int32[:, ::1]), float64[:, ::1])",
    inner=True,
)
def _judge_each(exact, scales, room, counts, target_table, out):
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


@kernel("void(Exact, Room, const(int32[:, :, :, ::1]), const(int32[:, ::1]), float64[:, ::1])")
def judge_calibrated(exact, room, counts, target_table, out):
    """Write the values of every candidate of a block.

    ``counts`` is (candidate, stratum, target category, x category), ``target_table`` its marginal
    over x, and ``room`` room for the strata.
    """
    scales = scales_for(exact, counts.shape[3], counts.shape[2])
    _judge_each(exact, scales, room, counts, target_table, out)
