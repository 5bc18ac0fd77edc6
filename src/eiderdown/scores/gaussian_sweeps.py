"""From correlations to Gaussian scores in one compiled call.

Columns are one component each. The factor of the parents' correlations tells what they leave of the
child and of each candidate, and that the log determinants of their sets:

    ln |P, x, c|  =  ln |P|  +  ln a  +  ln (d - b b / a)

where a, d and b are the variances of x and c given P, and their covariance. The value of a set of k
columns is a line in its log determinant, ``lines[k]``; values are rounded to a grid, so that
equivalent graphs tie exactly. The slow and obvious twin is the path by NumPy of
:mod:`eiderdown.scores.gaussian`, for columns of several components.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.kernels import kernel
from eiderdown.scores.shares import COST, END, MOST_ITEMS, START, SWEEP, Costs, cut
from eiderdown.scores.sweeps import PackedSweeps  # noqa: F401  named in signatures
from eiderdown.work_sharing import n_others, share

GRID = 2.0**16
"""Far coarser than rounding errors, far finer than a gain that matters."""

TOLERANCE = 1e-10
"""Less of a component's variance, given others, is rounding error."""

_PER_SWEEP, _PER_PARENT, _PER_CANDIDATE = 300.0, 10.0, 30.0  # nanoseconds
_FEW_COLUMNS = 64  # of a table whose first gains Python computes within a second


class CorrelatedColumns(NamedTuple):
    """Correlations of some columns, by rows, with all; each column's row, and its log variance."""

    correlations: Annotated[FloatArray, "const(float64[:, ::1])"]
    row: Annotated[IntArray, "const(int64[::1])"]
    log_scale: Annotated[FloatArray, "const(float64[::1])"]


class _Room(NamedTuple):
    """Where an item writes: the factor, what parents explain of columns, and of pairs; columns."""

    factor: Annotated[FloatArray, "float64[:, ::1]"]
    explained: Annotated[FloatArray, "float64[:, ::1]"]
    shared: Annotated[FloatArray, "float64[::1]"]
    xs: Annotated[IntArray, "int64[::1]"]


@kernel("float64(const(float64[:, ::1]), int64, float64)", inner=True)
def _value(lines, size, log_determinant):
    """Return the value of a set of columns, on the grid."""
    return np.rint((lines[size, 0] + lines[size, 1] * log_determinant) * GRID) / GRID


@kernel(
    "float64(CorrelatedColumns, const(int64[:, ::1]), int64, int64, float64[:, ::1])", inner=True
)
def _factorise(columns, parents, s, n_parents, factor):
    """Fill the factor of the parents' correlations; return their log determinant, NaN if none."""
    log_determinant = 0.0
    for j in range(n_parents):
        row = columns.row[parents[s, j]]
        left = 1.0
        for i in range(j):
            entry = columns.correlations[row, parents[s, i]]
            for h in range(i):
                entry -= factor[j, h] * factor[i, h]
            factor[j, i] = entry / factor[i, i]
            left -= factor[j, i] * factor[j, i]
        if not left > TOLERANCE:
            return np.nan
        factor[j, j] = math.sqrt(left)
        log_determinant += math.log(left) + columns.log_scale[parents[s, j]]
    return log_determinant


@kernel(
    "void(CorrelatedColumns, const(int64[:, ::1]), UniTuple(int64, 3), int64[::1],"
    " float64[:, ::1], float64[:, ::1])",
    inner=True,
)
def _explain(columns, parents, sizes, xs, factor, explained):
    """Solve ``factor @ explained = correlations`` for columns; the last row is their squares."""
    s, n_parents, n = sizes
    for t in range(n):
        explained[n_parents, t] = 0.0
    for j in range(n_parents):
        row = columns.row[parents[s, j]]
        for t in range(n):
            explained[j, t] = columns.correlations[row, xs[t]]
        for i in range(j):
            entry = factor[j, i]
            for t in range(n):
                explained[j, t] -= entry * explained[i, t]
        pivot = factor[j, j]
        for t in range(n):
            explained[j, t] /= pivot
            explained[n_parents, t] += explained[j, t] * explained[j, t]


@kernel("void(int64, int64, float64[:, ::1], float64[::1])", inner=True)
def _sum_products(n_parents, n, explained, shared):
    """Sum what the parents explain of both the child, column 0, and each candidate."""
    for t in range(n):
        shared[t] = 0.0
    for j in range(n_parents):
        of_child = explained[j, 0]
        for t in range(n):
            shared[t] += of_child * explained[j, t]


@kernel("int64(const(int64[:, ::1]), int64)", inner=True)
def _n_parents(parents, s):
    n = 0
    while n < parents.shape[1] and parents[s, n] >= 0:
        n += 1
    return n


@kernel(
    "boolean(CorrelatedColumns, const(float64[:, ::1]), PackedSweeps, UniTuple(int64, 3),"
    " _Room, float64[::1])",
    inner=True,
)
def _score_part(columns, lines, sweeps, part, room, scores):
    """Score the candidates of a sweep from a start to an end; False if others leave nothing."""
    s, start, end = part
    child, parents = sweeps.children[s], sweeps.parents
    k, n = _n_parents(parents, s), end - start + 1
    factor, explained, shared, xs = room
    xs[0] = child
    for t in range(1, n):
        x = sweeps.candidates[start + t - 1]
        xs[t] = x if x >= 0 else child
    known = _factorise(columns, parents, s, k, factor)
    if np.isnan(known):
        return False
    _explain(columns, parents, (s, k, n), xs, factor, explained)
    _sum_products(k, n, explained, shared)
    row, own = columns.row[child], columns.log_scale[child]
    left = 1.0 - explained[k, 0]
    if not left > TOLERANCE:
        return False
    for t in range(1, n):
        x = xs[t]
        if x == child:
            alone = known + math.log(left) + own
            scores[start + t - 1] = _value(lines, k + 1, alone) - _value(lines, k, known)
            continue
        of_x = 1.0 - explained[k, t]
        if not of_x > TOLERANCE:
            return False
        both = columns.correlations[row, x] - shared[t]
        left_given_x = left - both * both / of_x
        if not left_given_x > TOLERANCE:
            return False
        with_x = known + math.log(of_x) + columns.log_scale[x]
        together = with_x + math.log(left_given_x) + own
        scores[start + t - 1] = _value(lines, k + 2, together) - _value(lines, k + 1, with_x)
    return True


@kernel(
    "void(CorrelatedColumns, const(float64[:, ::1]), PackedSweeps, float64[::1], int64[:, ::1],"
    " int64)",
)
def _score_item(columns, lines, sweeps, scores, items, item):
    """Score some sweeps, or a part of one; -1 as the item's end says that others leave nothing."""
    s, start, end = items[item, SWEEP], items[item, START], items[item, END]
    most, longest, last = sweeps.parents.shape[1], 0, s
    while last < sweeps.ends.shape[0] and sweeps.starts[last] < end:
        longest = max(longest, min(sweeps.ends[last], end) - max(sweeps.starts[last], start))
        last += 1
    shared, xs = np.empty(longest + 1), np.empty(longest + 1, np.int64)
    room = _Room(np.empty((most, most)), np.empty((most + 1, longest + 1)), shared, xs)
    while start < end:
        part = (s, start, min(sweeps.ends[s], end))
        if not _score_part(columns, lines, sweeps, part, room, scores):
            items[item, END] = -1
            return
        start = part[2]
        s += 1


@kernel("void(PackedSweeps, Costs)", inner=True)
def _estimate(sweeps, costs):
    for s in range(sweeps.ends.shape[0]):
        k = _n_parents(sweeps.parents, s)
        costs.shared[s] = _PER_SWEEP + k * k * (_PER_PARENT + k)
        for b in range(sweeps.starts[s], sweeps.ends[s]):
            costs.each[b] = _PER_CANDIDATE + k * (1.0 + 0.3 * k)


def _are_few(_board: IntArray, columns: CorrelatedColumns, *_others: object) -> bool:
    return len(columns.row) <= _FEW_COLUMNS


@kernel(
    "boolean(int64[::1], CorrelatedColumns, const(float64[:, ::1]), PackedSweeps, float64[::1])",
    small=_are_few,
)
def score_sweeps(board, columns, lines, sweeps, scores):
    """Score each child with each of its candidates added to its parents.

    Returns False if there is a column of which others leave nothing.
    """
    items = np.empty((MOST_ITEMS, COST + 1), np.int64)
    n_items, n = 1, sweeps.candidates.shape[0]
    items[0, SWEEP], items[0, START], items[0, END] = 0, 0, n
    if n_others(board) > 0:
        costs = Costs(np.empty(sweeps.children.shape[0]), np.empty(n))
        _estimate(sweeps, costs)
        n_items = cut(sweeps, costs, 1 + n_others(board), items)
    share(board, n_items, _score_item, (columns, lines, sweeps, scores, items))
    n_wrong = 0
    for item in range(n_items):
        n_wrong += items[item, END] < 0
    return n_wrong == 0
