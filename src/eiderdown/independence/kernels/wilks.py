"""Independence of two blocks of columns given others, from correlations, in one compiled call.

For every conditioning set: a Cholesky factor of its columns' correlations, what it leaves of the
target, and for each candidate Wilks' lambda of what is left of both. Columns that repeat earlier
ones are left out. A sweep is a call with one set; a step of a search over subsets is a call with
many, which looks every test up in the cache first, as ``kernels/subsets.py`` does for counts.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, IntArray
from eiderdown.independence.batch import (
    ALLOWS,
    COPY_EFFECT,
    DOF,
    EFFECT,
    LOG_P,
    N_USED,
    N_VALUES,
    STATISTIC,
    Allows,
)
from eiderdown.independence.kernels.cache import (
    ResultTable,  # noqa: F401  stands in signatures
    copy_values,
    hash_of_set,
    is_independent,
    is_recalled,
    key_of,
    store_new,
)
from eiderdown.independence.kernels.subsets import Step, holds, is_weaker
from eiderdown.independence.kernels.tails import log_beta_tail, log_chi_square_tail
from eiderdown.independence.power import is_seen
from eiderdown.kernels import kernel
from eiderdown.statistics.moments import TOLERANCE

STRAIGHT_SHARE = 0.75
"""Share of the significance level that the straight one of several tests of a pair gets."""

MIN_ERROR_DOF = 5
"""With fewer degrees of freedom of the error, a p-value hangs on the noise being normal."""

RAO, STUDENT, FISHER = range(3)
"""Forms of the evidence: Rao's F; for two columns Student's t, which is the same, or Fisher's z."""

_FUNCTION, _DEPENDENCE, _BOTH = map(float, (Allows.FUNCTION, Allows.DEPENDENCE, Allows.BOTH))
_LEAST_LEFT = 2.0**-52  # keeps the logarithm of a perfect correlation finite
_LARGEST_R = COPY_EFFECT
_LOG_COPY = math.log(1.0 - COPY_EFFECT * COPY_EFFECT)


class Blocks(NamedTuple):
    """Correlations of some variables' columns, one per row, with all columns.

    Variable v has the columns ``first[v]`` up to ``first[v + 1]``; ``row_of[v]`` is the row of the
    first of them, and ``n_main[v]`` of them are the variable itself, the others how it may bend.
    ``varies`` is 0 for a constant column.
    """

    rows: Annotated[FloatArray, "const(float64[:, ::1])"]
    row_of: Annotated[IntArray, "const(int64[::1])"]
    first: Annotated[IntArray, "const(int64[::1])"]
    n_main: Annotated[IntArray, "const(int64[::1])"]
    varies: Annotated[FloatArray, "const(float64[::1])"]


class BlockRules(NamedTuple):
    """How evidence is judged: rows of the table, form, and the size that must be visible."""

    n_rows: int
    form: int
    size: float


class BlockRoom(NamedTuple):
    """Matrices that one call reuses for every set and candidate."""

    given: Annotated[FloatArray, "float64[:, ::1]"]  # factor of the set's correlations
    given_rows: Annotated[IntArray, "int64[::1]"]
    of_target: Annotated[FloatArray, "float64[:, ::1]"]  # what the set explains of the target
    target: Annotated[FloatArray, "float64[:, ::1]"]  # factor of what it leaves
    target_rows: Annotated[IntArray, "int64[::1]"]
    of_x: Annotated[FloatArray, "float64[:, ::1]"]
    x: Annotated[FloatArray, "float64[:, ::1]"]
    shared: Annotated[FloatArray, "float64[:, ::1]"]  # correlations of what is left of both
    rest: Annotated[FloatArray, "float64[:, ::1]"]
    values: Annotated[FloatArray, "float64[::1]"]
    other: Annotated[FloatArray, "float64[::1]"]
    is_open: Annotated[BoolArray, "boolean[::1]"]


def room_for(first: IntArray, step: Step) -> BlockRoom:
    """Make room for the largest set, the target and the widest candidate of a step."""
    widths = np.diff(first)
    of_sets = np.where(step.subsets >= 0, widths[step.subsets], 0)
    k = int(of_sets.sum(axis=1).max(initial=0)) if of_sets.size else 0
    p, q = int(widths[step.candidates].max(initial=1)), int(widths[step.target])
    return room_of(k, p, q, len(step.candidates))


def room_of(k: int, p: int, q: int, n_candidates: int) -> BlockRoom:
    """Make room for sets of k columns, candidates of p and targets of q."""
    k, p, q = k + 1, p + 1, q + 1
    return BlockRoom(
        np.empty((k, k)),
        np.empty(k, dtype=np.int64),
        np.empty((q, k)),
        np.empty((q, q)),
        np.empty(q, dtype=np.int64),
        np.empty((p, k)),
        np.empty((p, p)),
        np.empty((p, q)),
        np.empty((min(p, q), min(p, q))),
        np.empty(N_VALUES),
        np.empty(N_VALUES),
        np.ones(n_candidates, dtype=np.bool_),
    )


@kernel("float64(float64[::1], float64[::1], int64)", inner=True)
def _dot(left, right, n):
    """Sum of products of the first n numbers, four running sums at a time."""
    a0 = a1 = a2 = a3 = 0.0
    whole = n - n % 4
    for i in range(0, whole, 4):
        a0 += left[i] * right[i]
        a1 += left[i + 1] * right[i + 1]
        a2 += left[i + 2] * right[i + 2]
        a3 += left[i + 3] * right[i + 3]
    for i in range(whole, n):
        a0 += left[i] * right[i]
    return (a0 + a1) + (a2 + a3)


@kernel("int64(Blocks, const(int64[::1]), BlockRoom)", inner=True)
def factorise(blocks, subset, room):
    """Factorise the correlations of a set, without columns that others determine."""
    k = 0
    factor, rows = room.given, room.given_rows
    for s in range(subset.shape[0]):
        z = subset[s]
        if z < 0:
            continue
        for column in range(blocks.first[z], blocks.first[z + 1]):
            row = factor[k]
            for i in range(k):
                total = blocks.rows[rows[i], column] - _dot(row, factor[i], i)
                row[i] = total / factor[i, i]
            left = blocks.varies[column] - _dot(row, row, k)
            if left > TOLERANCE:
                factor[k, k] = math.sqrt(left)
                rows[k] = blocks.row_of[z] + column - blocks.first[z]
                k += 1
    return k


@kernel("void(Blocks, int64, int64, BlockRoom, float64[::1])", inner=True)
def _explain(blocks, column, k, room, explained):
    """Solve for what the set explains of one column."""
    for i in range(k):
        total = blocks.rows[room.given_rows[i], column] - _dot(room.given[i], explained, i)
        explained[i] = total / room.given[i, i]


@kernel("boolean(float64, int64, int64, float64[:, ::1], float64[:, ::1])", inner=True)
def _add_to_factor(variance, n, k, explained, factor):
    """Append column ``n`` of a block to the factor of what the set leaves, unless nothing is."""
    left = variance - _dot(explained[n], explained[n], k)
    if left <= TOLERANCE:
        return False
    row = factor[n]
    for m in range(n):
        total = _dot(explained[n], explained[m], k) + _dot(row, factor[m], m)
        row[m] = -total / factor[m, m]
    left -= _dot(row, row, n)
    if left <= TOLERANCE:
        return False
    factor[n, n] = math.sqrt(left)
    return True


@kernel("UniTuple(int64, 2)(Blocks, int64, int64, BlockRoom)", inner=True)
def leave_of_target(blocks, target, k, room):
    """Factorise what the set leaves of the target; return how many columns that is, and main."""
    q = q_main = 0
    for column in range(blocks.first[target], blocks.first[target + 1]):
        _explain(blocks, column, k, room, room.of_target[q])
        if _add_to_factor(blocks.varies[column], q, k, room.of_target, room.target):
            room.target_rows[q] = blocks.row_of[target] + column - blocks.first[target]
            q += 1
            q_main += column - blocks.first[target] < blocks.n_main[target]
    return q, q_main


@kernel("UniTuple(int64, 2)(Blocks, int64, int64, int64, BlockRoom)", inner=True)
def fill_shared(blocks, x, k, q, room):
    """Fill the correlations of what is left of x with what is left of the target."""
    p = p_main = 0
    for column in range(blocks.first[x], blocks.first[x + 1]):
        _explain(blocks, column, k, room, room.of_x[p])
        if not _add_to_factor(blocks.varies[column], p, k, room.of_x, room.x):
            continue
        shared = room.shared[p]
        for t in range(q):
            total = blocks.rows[room.target_rows[t], column]
            total -= _dot(room.of_target[t], room.of_x[p], k) + _dot(room.target[t], shared, t)
            shared[t] = total / room.target[t, t]
        for m in range(p):
            for t in range(q):
                shared[t] -= room.x[p, m] * room.shared[m, t]
        for t in range(q):
            shared[t] /= room.x[p, p]
        p += 1
        p_main += column - blocks.first[x] < blocks.n_main[x]
    return p, p_main


@kernel("float64(int64, int64, BlockRoom)", inner=True)
def _log_lambda(p, q, room):
    """Log of Wilks' lambda: the determinant of 1 - shared shared', on the smaller side."""
    shared, rest = room.shared, room.rest
    size = min(p, q)
    log_lambda = 0.0
    for a in range(size):
        taken = 0.0
        for b in range(a + 1):
            total = 0.0
            if p <= q:
                for t in range(q):
                    total += shared[a, t] * shared[b, t]
            else:
                for m in range(p):
                    total += shared[m, a] * shared[m, b]
            if b < a:
                total = -total
                for c in range(b):
                    total -= rest[a, c] * rest[b, c]
                rest[a, b] = total / rest[b, b]
                taken += rest[a, b] * rest[a, b]
            else:
                taken += total
        taken = min(taken, 1.0 - _LEAST_LEFT)
        log_lambda += math.log1p(-taken)
        rest[a, a] = math.sqrt(1.0 - taken)
    return log_lambda


@kernel("void(BlockRules, int64, int64, int64, BlockRoom, float64[::1])", inner=True)
def _rao(rules, p, q, k, room, out):
    """Fill the evidence of the leading p and q columns of what is left; nothing if rows are few."""
    pq = float(p * q)
    t = 1.0
    if p * p + q * q > 5:
        t = math.sqrt((pq * pq - 4.0) / (p * p + q * q - 5.0))
    weight = rules.n_rows - 1 - k - 0.5 * (p + q + 1)
    rest = weight * t - 0.5 * pq + 1.0
    if rest < MIN_ERROR_DOF or rules.n_rows - 1 - k < p + q:
        return
    # What is left is rounding where it is less than this: a copy, whose p-value is a bound.
    log_lambda = max(_log_lambda(p, q, room), min(p, q) * _LOG_COPY)
    seen = is_seen(rules.n_rows - k, 2.0 * pq, rules.size)
    out[ALLOWS] = _BOTH if seen else _DEPENDENCE
    out[DOF] = pq
    out[STATISTIC] = -weight * log_lambda
    out[LOG_P] = log_beta_tail(0.5 * rest, 0.5 * pq, log_lambda / t)
    out[EFFECT] = math.sqrt(-math.expm1(log_lambda / min(p, q)))
    if p == 1 and q == 1:
        out[EFFECT] = max(-_LARGEST_R, min(_LARGEST_R, room.shared[0, 0]))
        if rules.form == STUDENT:
            out[DOF] = rest
            out[STATISTIC] = math.copysign(math.sqrt(rest * math.expm1(-log_lambda)), out[EFFECT])
        elif rules.form == FISHER:
            out[DOF] = rest - 1.0
            out[STATISTIC] = math.sqrt(out[DOF]) * math.atanh(out[EFFECT])
            out[LOG_P] = log_chi_square_tail(out[STATISTIC] * out[STATISTIC], 1.0)


@kernel("void(BlockRules, int64, int64, int64, float64, BlockRoom, float64[::1])", inner=True)
def _keep_stronger(rules, p, q, k, penalty, room, out):
    """Replace the evidence by that of other columns, if its log p plus a penalty is smaller."""
    other = room.other
    for i in range(N_VALUES):
        other[i] = 0.0
    _rao(rules, p, q, k, room, other)
    other[LOG_P] += penalty
    if other[ALLOWS] > 0.0 and other[LOG_P] < out[LOG_P]:
        copy_values(other, out)


@kernel(
    "void(BlockRules, UniTuple(int64, 2), UniTuple(int64, 2), int64, BlockRoom, float64[::1])",
    inner=True,
)
def judge_blocks(rules, of_x, of_target, k, room, out):
    """Turn what is left of two blocks into evidence.

    Where a block may bend, one of the two is taken straight: a mean that bends is a dependence of
    one variable itself on the other's powers, whereas powers of both share what products of the
    conditioning set do to them. So x is tested against y, x with its bends against y, and x against
    y with its bends, and the smallest p-value counts after Bonferroni's correction, in which the
    straight test has the larger share. A variable that the set determines is a function of it, and
    so are its powers, whatever straight lines leave of them.
    """
    for i in range(N_VALUES):
        out[i] = 0.0
    p, p_main = of_x
    q, q_main = of_target
    if p_main > 0 and q_main > 0:
        _rao(rules, p_main, q_main, k, room, out)
        n_bent = int(p > p_main) + int(q > q_main)
        if n_bent > 0:
            out[LOG_P] -= math.log(STRAIGHT_SHARE)
            for_bent = math.log(n_bent / (1.0 - STRAIGHT_SHARE))
            if p > p_main:
                _keep_stronger(rules, p, q_main, k, for_bent, room, out)
            if q > q_main:
                _keep_stronger(rules, p_main, q, k, for_bent, room, out)
            out[LOG_P] = min(0.0, out[LOG_P])
    elif rules.n_rows - 1 - k >= MIN_ERROR_DOF:
        out[ALLOWS] = _FUNCTION
    out[N_USED] = rules.n_rows


_MOST_AS_PYTHON = 2_000  # tests, each of some columns


def _are_few_tests(_blocks: Blocks, _rules: BlockRules, step: Step, *_others: object) -> bool:
    n_given = step.subsets.shape[1]
    return bool(len(step.candidates) * len(step.subsets) * (1 + n_given) <= _MOST_AS_PYTHON)


@kernel(
    "void(Blocks, BlockRules, Step, BlockRoom, UniTuple(ResultTable, 2), "
    "float64[:, ::1], int64[::1])",
    small=_are_few_tests,
)
def max_p_over_block_subsets(blocks, rules, step, room, tables, values, chosen):
    """Fill each candidate's test with the largest p-value, stopping where a set separates.

    As ``max_p_over_subsets`` in ``kernels/subsets.py``, in all but what a test is.
    """
    target = step.target
    out, is_open = room.values, room.is_open
    n_open = step.candidates.shape[0]
    for b in range(n_open):
        chosen[b] = -1
    for s in range(step.subsets.shape[0]):
        if n_open == 0:
            return
        subset = step.subsets[s]
        of_set = hash_of_set(subset)
        k = -1
        of_target = (0, 0)
        for b in range(step.candidates.shape[0]):
            x = step.candidates[b]
            if not is_open[b] or holds(subset, x):
                continue
            key = key_of(x, target, of_set)
            if not is_recalled(tables, key, out):
                if k < 0:
                    k = factorise(blocks, subset, room)
                    of_target = leave_of_target(blocks, target, k, room)
                of_x = fill_shared(blocks, x, k, of_target[0], room)
                judge_blocks(rules, of_x, of_target, k, room, out)
                store_new(tables[1], key, out)
            if chosen[b] < 0 or is_weaker(out, values[b], step.log_alpha):
                copy_values(out, values[b])
                chosen[b] = s
            if is_independent(out, step.log_alpha):
                is_open[b] = False
                n_open -= 1


@kernel(
    "void(Blocks, BlockRules, Step, BlockRoom, int64, int64, float64[:, ::1])",
    small=_are_few_tests,
)
def judge_sweep(blocks, rules, step, room, start, stop, values):
    """Fill the values of some candidates given the first of the sets."""
    k = factorise(blocks, step.subsets[0], room)
    of_target = leave_of_target(blocks, step.target, k, room)
    for b in range(start, stop):
        of_x = fill_shared(blocks, step.candidates[b], k, of_target[0], room)
        judge_blocks(rules, of_x, of_target, k, room, values[b])
