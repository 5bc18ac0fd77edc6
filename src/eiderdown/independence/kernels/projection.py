"""Least squares of many candidates, the columns that are held fixed made orthonormal once.

So is each candidate's block, after what they explain of it is taken out; then F is a matter of
products with what they leave of the explained column.
"""

from __future__ import annotations

import math
from typing import Final

from eiderdown.independence.batch import DOF, EFFECT, LOG_P, STATISTIC
from eiderdown.independence.kernels.regression_design import TOLERANCE
from eiderdown.independence.kernels.tails import log_beta_tail
from eiderdown.kernels import kernel

LEAST_UNEXPLAINED: Final = 1e-15  # what rounding leaves of a perfect fit


@kernel("int64(float64[:, ::1], int64, int64)", inner=True)
def _orthonormalise(design, first, n_columns):
    """Make columns ``first`` to ``n_columns`` orthonormal to all before; return how many are left.

    Columns have length 1; those of which nothing is left are dropped, the others move up.
    """
    n_rows, kept = design.shape[0], first
    for a in range(first, n_columns):
        for i in range(n_rows):
            design[i, kept] = design[i, a]
        for _ in range(2):  # the second time against rounding
            for b in range(kept):
                shared = 0.0
                for i in range(n_rows):
                    shared += design[i, b] * design[i, kept]
                for i in range(n_rows):
                    design[i, kept] -= shared * design[i, b]
            left = 0.0
            for i in range(n_rows):
                left += design[i, kept] * design[i, kept]
            if left <= TOLERANCE:
                break
        if left > TOLERANCE:
            for i in range(n_rows):
                design[i, kept] /= math.sqrt(left)
            kept += 1
    return kept


@kernel("int64(float64[:, ::1], int64)")
def orthonormal_columns(design, n_columns):
    """Make the first columns of a design orthonormal; return how many are left."""
    return _orthonormalise(design, 0, n_columns)


@kernel("int64(float64[:, ::1], int64, const(float64[:, ::1]), int64, int64)", inner=True)
def _put_beside(design, n_base, blocks, first, last):
    """Put a block beside the base, what the base explains taken out; return all columns."""
    n_all = n_base
    for a in range(first, last):
        for i in range(design.shape[0]):
            design[i, n_all] = blocks[a, i]
        n_all += 1
    return _orthonormalise(design, n_base, n_all)


@kernel(
    "void(int64, float64[:, ::1], const(float64[::1]), const(float64[:, ::1]),"
    " const(int64[::1]), float64[:, ::1])"
)
def project_all(n_base, design, residual, blocks, starts, values):
    """Fill in F, degrees of freedom, log p and effect of each candidate in a linear regression.

    ``residual`` is what the base leaves of the response, of length 1.
    """
    for m in range(len(starts) - 1):
        n_all = _put_beside(design, n_base, blocks, starts[m], starts[m + 1])
        rank, left = n_all - n_base, design.shape[0] - n_all
        if rank == 0 or left <= 0:
            continue
        explained = 0.0
        for a in range(n_base, n_all):
            shared = 0.0
            for i in range(design.shape[0]):
                shared += design[i, a] * residual[i]
            explained += shared * shared
        unexplained = max(LEAST_UNEXPLAINED, 1.0 - explained)
        values[m, STATISTIC] = (1.0 - unexplained) / unexplained * left / rank
        values[m, DOF] = rank
        log_unexplained = math.log(unexplained)
        values[m, LOG_P] = log_beta_tail(0.5 * left, 0.5 * rank, log_unexplained)
        values[m, EFFECT] = -0.5 * log_unexplained
