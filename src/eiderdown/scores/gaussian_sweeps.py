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

GRID = 2.0**16
"""Far coarser than rounding errors, far finer than a gain that matters."""

TOLERANCE = 1e-10
"""Less of a component's variance, given others, is rounding error."""

_FEW_COLUMNS = 64  # of a table whose first gains Python computes within a second


class CorrelatedColumns(NamedTuple):
    """Correlations of some columns, by rows, with all; each column's row, and its log variance."""

    correlations: Annotated[FloatArray, "const(float64[:, ::1])"]
    row: Annotated[IntArray, "const(int64[::1])"]
    log_scale: Annotated[FloatArray, "const(float64[::1])"]


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
    "void(CorrelatedColumns, const(int64[:, ::1]), UniTuple(int64, 4), int64[::1],"
    " float64[:, ::1], float64[:, ::1])",
    inner=True,
)
def _explain(columns, parents, sweep, candidates, factor, explained):
    """Solve ``factor @ explained = correlations`` for candidates; the last row is their squares."""
    s, n_parents, start, end = sweep
    n = end - start
    for t in range(n):
        explained[n_parents, t] = 0.0
    for j in range(n_parents):
        row = columns.row[parents[s, j]]
        for t in range(n):
            explained[j, t] = columns.correlations[row, candidates[start + t]]
        for i in range(j):
            entry = factor[j, i]
            for t in range(n):
                explained[j, t] -= entry * explained[i, t]
        pivot = factor[j, j]
        for t in range(n):
            explained[j, t] /= pivot
            explained[n_parents, t] += explained[j, t] * explained[j, t]


@kernel("void(int64, float64[:, ::1], float64[::1])", inner=True)
def _sum_products(n_parents, explained, shared):
    """Sum what the parents explain of both the child, column 0, and each candidate."""
    for t in range(shared.shape[0]):
        shared[t] = 0.0
    for j in range(n_parents):
        of_child = explained[j, 0]
        for t in range(shared.shape[0]):
            shared[t] += of_child * explained[j, t]


def _are_few(columns: CorrelatedColumns, *_others: object) -> bool:
    return len(columns.row) <= _FEW_COLUMNS


@kernel(
    "int64(CorrelatedColumns, const(float64[:, ::1]), const(int64[::1]), const(int64[:, ::1]),"
    " const(int64[::1]), int64[::1], float64[::1])",
    small=_are_few,
)
def score_sweeps(columns, lines, children, parents, ends, candidates, scores):
    """Score each child as it is, then with each of its candidates added to its parents.

    The first candidate of each sweep stands for the child itself; it is written to. Returns the
    first sweep with a column of which others leave nothing, and -1 if there is none.
    """
    most, longest, start = parents.shape[1], 0, 0
    for s in range(children.shape[0]):
        longest = max(longest, ends[s] - start)
        start = ends[s]
    factor = np.empty((most, most))
    explained = np.empty((most + 1, longest))
    shared = np.empty(longest)
    start = 0
    for s in range(children.shape[0]):
        child, end, k = children[s], ends[s], 0
        while k < most and parents[s, k] >= 0:
            k += 1
        candidates[start] = child
        known = _factorise(columns, parents, s, k, factor)
        if np.isnan(known):
            return s
        _explain(columns, parents, (s, k, start, end), candidates, factor, explained)
        _sum_products(k, explained, shared)
        row, own = columns.row[child], columns.log_scale[child]
        left = 1.0 - explained[k, 0]
        if not left > TOLERANCE:
            return s
        alone = known + math.log(left) + own
        scores[start] = _value(lines, k + 1, alone) - _value(lines, k, known)
        for at in range(start + 1, end):
            x = candidates[at]
            of_x = 1.0 - explained[k, at - start]
            if not of_x > TOLERANCE:
                return s
            both = columns.correlations[row, x] - shared[at - start]
            left_given_x = left - both * both / of_x
            if not left_given_x > TOLERANCE:
                return s
            with_x = known + math.log(of_x) + columns.log_scale[x]
            together = with_x + math.log(left_given_x) + own
            scores[at] = _value(lines, k + 2, together) - _value(lines, k + 1, with_x)
        start = end
    return -1
