"""Exact moments of Pearson's X2 when one variable is permuted within strata, summed over them.

In a stratum of N rows, with categories of a_1 .. a_r rows on one side and b_1 .. b_c on the other,
X2 has a mean, a variance (Haldane 1940) and a third moment (Kazi-Aoual et al. 1995, here for two
projections) that need of each side only

    p = sum N / a - r^2          q = sum (N / a)^2 - r^3 - 3 p         both 0 for even categories

All sums are those of integers, so that the order of rows, columns, categories and strata, and
which variable is called the target, change nothing, not even the last bit.

The last kernels draw permutations themselves, as many as are needed to know a p-value; X2 is
compared in fixed point there, too, so that tables that tie do tie.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Annotated, Final, NamedTuple

import numpy as np

from eiderdown.arrays import FloatArray, IntArray, frozen
from eiderdown.independence.kernels.tails import log_shifted_gamma_tail
from eiderdown.kernels import kernel

FIRST: Final = 1 << 22
"""Functions of counts are tabulated up to this one; those of larger counts are computed."""

_HALF_LOG_2_PI = 0.5 * math.log(2.0 * math.pi)
_LEAST_FOR_SKEWNESS = 6  # with fewer rows the third moment is taken to be that of a gamma
RATIO_UNIT = 2.0**30

N_SUMS = 9
WEIGHTED, MEAN, VARIANCE, SKEW, EFFECTIVE, LOG_TABLE, ROWS, X_SQUARE, PLAIN_MEAN = range(N_SUMS)
"""What is summed over strata, in fixed point but for the rows: X2 by weight, its moments, the rows
that count towards power; log probability of the table, rows, X2 as it is and its mean."""

_ZEROTH = 160  # where 2**0 stands in the table of powers
_N_OF_TAIL = 4  # the first four sums, and their scales, say all about a tail
_MOST_KNOWN = 1_024  # tails that are remembered; a power of two

_N_COEFFICIENTS = 17
X_SEEN, _MEAN, _SHARE, _V1, _V2, _F1, _F2, _F3 = range(8)
_C, _CP, _CV, _CPV, _CQ, _CW, _CQV, _CPW, _CQW = range(8, _N_COEFFICIENTS)
"""What the moments of a stratum need of its rows and of the categories seen, those of x first."""


class Exact(NamedTuple):
    """Tables by number of rows, and the size w of a dependence that must be seen.

    ``log_factorial`` is in fixed point, a multiple of ``unit``, ``powers`` are those of two, and no
    column has more than ``n_most`` categories.
    """

    inverse: Annotated[FloatArray, "const(float64[::1])"]
    log_factorial: Annotated[IntArray, "const(int64[::1])"]
    powers: Annotated[FloatArray, "const(float64[::1])"]
    unit: float
    n_rows: int
    n_most: int
    size: float


class Scales(NamedTuple):
    """Units per one of the sums in fixed point, powers of two; and which these are."""

    x_square: float
    variance: float
    skew: float
    code: int


class Room(NamedTuple):
    """Room to work in: what the target contributes to each stratum, coefficients, and the sums.

    ``counts`` are rows, categories of the target seen and their log factorials; ``shape`` is the p
    and q of the module, and the unit of sums of (N / a)^2, which are at most categories N^2.
    """

    counts: Annotated[IntArray, "int64[:, ::1]"]
    shape: Annotated[FloatArray, "float64[:, ::1]"]
    coefficients: Annotated[FloatArray, "float64[:, ::1]"]
    sums: Annotated[IntArray, "int64[::1]"]
    known_sums: Annotated[IntArray, "int64[:, ::1]"]
    known_tails: Annotated[FloatArray, "float64[::1]"]

    @classmethod
    def of(cls, n_strata: int, n_candidates: int) -> Room:
        """Make room for so many strata, and to remember tails of tables that come again."""
        n_known = _MOST_KNOWN if n_candidates > _MOST_KNOWN // 8 else 1
        return cls(
            np.empty((n_strata, 3), dtype=np.int64),
            np.empty((n_strata, 3)),
            np.empty((n_strata, _N_COEFFICIENTS)),
            np.empty(N_SUMS, dtype=np.int64),
            np.zeros((n_known, _N_OF_TAIL + 1), dtype=np.int64),
            np.empty(n_known),
        )


def exact_tables(n_rows: int, n_most: int, size: float) -> Exact:
    """Tabulate reciprocals and log factorials up to the number of rows, or up to ``FIRST``."""
    inverse, log_factorial, scale = _functions_of_counts(n_rows)
    powers = frozen(np.exp2(np.arange(-_ZEROTH, _ZEROTH, dtype=np.float64)))
    return Exact(inverse, log_factorial, powers, 1.0 / scale, n_rows, n_most, size)


@lru_cache(maxsize=1)  # tests of one table come one after the other, and with many rows this counts
def _functions_of_counts(n_rows: int) -> tuple[FloatArray, IntArray, float]:
    """Return reciprocals, log factorials in fixed point, and their unit's reciprocal."""
    n_first = min(n_rows, FIRST)
    inverse, logs = np.zeros(n_first + 1), np.zeros(n_first + 1)
    inverse[1:] = 1.0 / np.arange(1, n_first + 1)
    logs[1:] = np.cumsum(np.log(np.arange(1, n_first + 1)))
    largest = float(logs[-1]) if n_rows == n_first else math.lgamma(n_rows + 1.0)
    # All terms of one table together stay below 4 ln(n!), and that below 2**62.
    scale = 2.0 ** (62 - math.ceil(math.log2(4.0 * max(1.0, largest) + 1.0)))
    return frozen(inverse), frozen(np.rint(logs * scale).astype(np.int64)), scale


@kernel("float64(Exact, int64)", inner=True)
def inverse_of(exact, n):
    """Return 1 / n, from the table if it is there."""
    return exact.inverse[n] if n < exact.inverse.shape[0] else 1.0 / n


@kernel("int64(Exact, int64)", inner=True)
def log_factorial_of(exact, n):
    """Return ln n! in fixed point, by Stirling's series beyond the table."""
    if n < exact.log_factorial.shape[0]:
        return exact.log_factorial[n]
    z = n + 1.0
    log_gamma = (z - 0.5) * math.log(z) - z + _HALF_LOG_2_PI + 1.0 / (12.0 * z)
    return round(log_gamma / exact.unit)


@kernel("int64(int64)", inner=True)
def _bits(number):
    """Return how many binary digits a number has."""
    n = 0
    while number > 0:
        number >>= 1
        n += 1
    return n


@kernel("Scales(Exact, int64, int64)", inner=True)
def scales_for(exact, n_x, n_target):
    """Choose units so that no sum over strata leaves 62 bits: X2 <= rows min(r, c)."""
    of_x, of_target = _bits(n_x), _bits(n_target)
    largest = _bits(exact.n_rows) + min(of_x, of_target)
    mean = min(of_x + of_target + 1, largest)
    powers = exact.powers
    return Scales(
        powers[_ZEROTH + 61 - largest],
        powers[_ZEROTH + 61 - largest - mean],
        powers[_ZEROTH + 61 - 2 * largest - mean],
        n_x * 2**24 + n_target,
    )


@kernel("int64(float64)", inner=True)
def rounded(value):
    """Round to the nearest whole number."""
    return np.int64(math.floor(value + 0.5))


@kernel("UniTuple(float64, 2)(int64, int64, int64, float64, float64)", inner=True)
def shape_of(seen, first, second, unit, product):
    """Return p and q from sums of N / a and of its square, or of two categories from the product.

    Where there are two, N / a + N / b = N / a N / b, and nothing needs to be rounded.
    """
    if seen == 2:
        p = product - 4.0
        return p, p * (p + 3.0)
    p = first * (1.0 / RATIO_UNIT) - seen * seen
    return p, second * (1.0 / unit) - float(seen * seen * seen) - 3.0 * p


@kernel(
    "void(Exact, Room, int64, const(int32[::1]))",
    "void(Exact, Room, int64, int64[::1])",
    inner=True,
)
def begin_stratum(exact, room, stratum, sizes):
    """Sum what the categories of the target contribute to a stratum."""
    room.coefficients[stratum, X_SEEN] = 0.0
    rows = seen = 0
    for t in range(sizes.shape[0]):
        rows += sizes[t]
        seen += sizes[t] > 0
    unit = exact.powers[_ZEROTH + 61 - 2 * _bits(rows) - _bits(exact.n_most)]
    log_part = -log_factorial_of(exact, rows)
    first = second = 0
    product = 1.0
    for t in range(sizes.shape[0]):
        if sizes[t] > 0:
            ratio = rows * inverse_of(exact, sizes[t])
            product *= ratio
            first += rounded(ratio * RATIO_UNIT)
            second += rounded(ratio * ratio * unit)
            log_part += log_factorial_of(exact, sizes[t])
    room.counts[stratum, 0] = rows
    room.counts[stratum, 1] = seen
    room.counts[stratum, 2] = log_part
    p, q = shape_of(seen, first, second, unit, product)
    room.shape[stratum, 0] = p
    room.shape[stratum, 1] = q
    room.shape[stratum, 2] = unit


@kernel("float64(float64, float64, float64)", inner=True)
def _of_p(n, t, s):
    """Return the coefficient of p in the third moment, of a side with t against one with s."""
    both = s * t
    inner = n * (s - 7.0) + 12.0 * s + 32.0
    inner = n * (n * inner + 3.0 * both - 43.0 * s - 15.0 * t - 55.0)
    inner = n * (inner + 27.0 * both + 38.0 * s + 27.0 * t + 38.0)
    inner -= 12.0 * both + 8.0 * s + 12.0 * t + 8.0
    return 4.0 * s * (n - 1.0 - s) * inner / (n - 1.0)


@kernel("void(int64, int64, int64, float64[::1])", inner=True)
def _fill_coefficients(rows, x_seen, target_seen, out):
    """Fill the coefficients of a stratum."""
    out[X_SEEN] = x_seen
    n, t, s = float(rows), x_seen - 1.0, target_seen - 1.0
    u, z = n - 1.0 - t, n - 1.0 - s
    out[_MEAN] = n / (n - 1.0) * (t * s)
    out[_SHARE] = n * (u * z) / ((n - 1.0) * (n - 1.0))
    out[_V1], out[_V2] = t * u / (n - 1.0), s * z / (n - 1.0)
    out[_F1], out[_F2], out[_F3] = 2.0 * n / (n - 3.0), n * n / (n - 1.0), 1.0 / (n - 2.0)
    if rows < _LEAST_FOR_SKEWNESS:
        return
    both, plus = t * s, t + s
    beyond = (n - 2.0) * (n - 3.0) * (n - 4.0) * (n - 5.0)
    less = beyond * (n - 1.0)
    even = n * (2.0 * n + both - 5.0 * plus - 17.0) + 4.0 * both + 32.0 * plus + 56.0
    even = n * (n * even - 37.0 * both - 71.0 * plus - 85.0) + 60.0 * (both + plus + 1.0)
    even = n * even - 16.0 * (both + plus + 1.0)
    out[_C] = 4.0 * (both * (u * z)) * even / (less * ((n - 1.0) * (n - 1.0)))
    out[_CP], out[_CV] = _of_p(n, t, s) / less, _of_p(n, s, t) / less
    skewed = n * (22.0 * n + 9.0 * both + 24.0 * plus - 18.0) - 27.0 * both - 78.0 * plus - 90.0
    skewed = n * (n * skewed - 27.0 * both + 132.0 * plus + 178.0)
    skewed = n * (skewed - 63.0 * both - 102.0 * plus - 108.0) + 36.0 * both + 24.0 * plus + 16.0
    out[_CPV] = skewed / (less * (n - 1.0))
    out[_CQ] = -4.0 * s * z * (n * n * (s - 5.0) + (9.0 * n - 4.0) * (s + 1.0)) / less
    out[_CW] = -4.0 * t * u * (n * n * (t - 5.0) + (9.0 * n - 4.0) * (t + 1.0)) / less
    out[_CQV] = -(n * n * (3.0 * s + 22.0) + n * (9.0 * s + 26.0) - 12.0 * s - 8.0) / beyond
    out[_CPW] = -(n * n * (3.0 * t + 22.0) + n * (9.0 * t + 26.0) - 12.0 * t - 8.0) / beyond
    out[_CQW] = (n + 1.0) * (n * n + 15.0 * n - 4.0) / less


@kernel("float64(Room, Scales)", inner=True)
def log_tail(room, scales):
    """Return the log of P(X2 >= x), and remember it: sparse columns have few distinct tables."""
    sums = room.sums
    mixed = sums[WEIGHTED] ^ (sums[VARIANCE] >> 7) ^ (sums[VARIANCE] << 3)
    slot = (mixed ^ (mixed >> 17) ^ (mixed >> 34)) & (room.known_tails.shape[0] - 1)
    known = room.known_sums[slot]
    is_known = known[_N_OF_TAIL] == scales.code
    for i in range(_N_OF_TAIL):
        is_known &= known[i] == sums[i]
    if not is_known:
        known[_N_OF_TAIL] = scales.code
        for i in range(_N_OF_TAIL):
            known[i] = sums[i]
        room.known_tails[slot] = log_shifted_gamma_tail(
            sums[WEIGHTED] / scales.x_square,
            sums[MEAN] / scales.x_square,
            sums[VARIANCE] / scales.variance,
            sums[SKEW] / scales.skew,
        )
    return room.known_tails[slot]


@kernel("void(Room, Scales, int64, int64, int64, UniTuple(float64, 2))", inner=True)
def add_moments(room, scales, stratum, x_square, x_seen, shape):
    """Add X2 and the three moments of a stratum; ``shape`` is p and q of x.

    X2 and all its moments are weighted by 2 mean / variance, which is 1 for a chi-square and less
    where rare categories make X2 erratic; it depends on the margins alone, as permutations do not.
    """
    p, q = shape
    rows, v, w = room.counts[stratum, 0], room.shape[stratum, 0], room.shape[stratum, 1]
    c, sums = room.coefficients[stratum], room.sums
    if c[X_SEEN] != x_seen:
        _fill_coefficients(rows, x_seen, room.counts[stratum, 1], c)
    w1, w2 = p * c[_F3], v * c[_F3]
    variance = c[_F1] * ((c[_V1] - w1) * (c[_V2] - w2)) + c[_F2] * (w1 * w2)
    if rows < _LEAST_FOR_SKEWNESS:
        skew = 2.0 * variance * variance / c[_MEAN]
    else:
        skew = (
            (c[_C] + c[_CPV] * (p * v) + c[_CQW] * (q * w))
            + (c[_CP] * p + c[_CV] * v)
            + (c[_CQ] * q + c[_CW] * w)
            + (c[_CQV] * (q * v) + c[_CPW] * (p * w))
        )
    weight = min(1.0, 2.0 * c[_MEAN] / variance) if variance > 0.0 else 0.0
    sums[X_SQUARE] += x_square
    sums[PLAIN_MEAN] += rounded(c[_MEAN] * scales.x_square)
    sums[WEIGHTED] += rounded(weight * x_square)
    sums[MEAN] += rounded(weight * c[_MEAN] * scales.x_square)
    sums[EFFECTIVE] += rounded(weight * c[_SHARE] * scales.x_square)
    sums[VARIANCE] += rounded(weight * weight * variance * scales.variance)
    sums[SKEW] += rounded(weight * weight * weight * skew * scales.skew)


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
