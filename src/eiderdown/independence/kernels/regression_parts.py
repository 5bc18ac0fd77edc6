"""Regressions of a table in parts: what one part adds to a likelihood, and evidence from the sums.

The sums are those of :mod:`eiderdown.independence.kernels.likelihoods`; Newton's steps are made
where they come together (:mod:`eiderdown.independence.partitioned_regression`).
"""

from __future__ import annotations

import math

from eiderdown.independence.batch import DOF, EFFECT, LOG_P, STATISTIC
from eiderdown.independence.kernels.likelihoods import Response, Sums, add_up
from eiderdown.independence.kernels.projection import LEAST_UNEXPLAINED
from eiderdown.independence.kernels.regression_design import Design, Shape
from eiderdown.independence.kernels.tails import log_beta_tail, log_chi_square_tail
from eiderdown.kernels import kernel

__all__ = ["Design", "Response", "Shape", "Sums", "judge_projection", "judge_ratio", "sum_rows"]


@kernel("float64(Response, Design, Shape, float64[::1], Sums)")
def sum_rows(response, design, shape, parameters, sums):
    """Return the log-likelihood of some rows; fill its slope and minus its curvature."""
    return add_up(response, design, shape, parameters, sums)


@kernel("void(float64, float64, float64, float64[::1])")
def judge_ratio(statistic, dof, effect, values):
    """Fill in a likelihood ratio and what belongs to it."""
    values[STATISTIC] = statistic
    values[DOF] = dof
    values[LOG_P] = log_chi_square_tail(statistic, dof)
    values[EFFECT] = effect


@kernel("void(float64, float64, float64, float64[::1])")
def judge_projection(explained, rank, left, values):
    """Fill in F and what belongs to it."""
    unexplained = max(LEAST_UNEXPLAINED, 1.0 - explained)
    values[STATISTIC] = (1.0 - unexplained) / unexplained * left / rank
    values[DOF] = rank
    values[LOG_P] = log_beta_tail(0.5 * left, 0.5 * rank, math.log(unexplained))
    values[EFFECT] = -0.5 * math.log(unexplained)
