"""Likelihood-ratio tests of many candidates by regression, the model without them fitted once.

The columns that are held fixed are orthonormal, and so is each candidate's block after what they
explain of it is taken out. The likelihood ratio does not change by that, Newton's method gains by
it, and a block that the others determine shows as one of rank 0.

A ratio of likelihoods is larger by chance than its chi-square where parameters are many for the
rows. It is therefore scaled by ``1 - (base columns + half the block's) / effective rows``, as
Bartlett's factor does in linear models; effective rows are those of :class:`Explained`.
"""

from __future__ import annotations

import math
from typing import Annotated, Final, NamedTuple

import numpy as np

from eiderdown.arrays import FloatArray
from eiderdown.independence.batch import DOF, EFFECT, LOG_P, STATISTIC
from eiderdown.independence.kernels.likelihoods import Response, Sums, add_up
from eiderdown.independence.kernels.tails import log_beta_tail, log_chi_square_tail
from eiderdown.kernels import kernel

MOST_STEPS: Final = 15
"""Where classes are separated each step gains e times less than the one before and none is the
last; other fits need about six."""

MOST_NULL_STEPS: Final = 40

CLOSE: Final = 1e-8
"""A step that gains less than this is the last."""

RIDGE: Final = 1e-10
"""Keeps directions in which the likelihood is flat from going anywhere."""

MOST_HALVINGS: Final = 20

LEAST_UNEXPLAINED: Final = 1e-15  # what rounding leaves of a perfect fit
TOLERANCE: Final = 1e-10  # share of a column's variance that must be left; see moments.py


class Rules(NamedTuple):
    """What is known of the base, and what follows from it.

    ``n_base`` are its columns, ``n_effective`` the rows that its information is worth. Where
    classes can be separated, the score statistic (what the first step expects) stands in for the
    ratio of fits that do not come to an end.
    """

    n_base: int
    n_effective: float
    can_separate: bool


class Null(NamedTuple):
    """The model without candidates.

    ``parameters`` are where to start from, then the fitted ones; ``found`` is what :func:`climb`
    says of the fit, NaN before it.
    """

    parameters: Annotated[FloatArray, "float64[::1]"]
    found: Annotated[FloatArray, "float64[::1]"]

    @classmethod
    def of(cls, start: FloatArray) -> Null:
        """Begin with some parameters."""
        return cls(start, np.full(3, np.nan))


class Fit(NamedTuple):
    """Parameters and room for Newton's method."""

    parameters: Annotated[FloatArray, "float64[::1]"]
    before: Annotated[FloatArray, "float64[::1]"]
    step: Annotated[FloatArray, "float64[::1]"]
    factor: Annotated[FloatArray, "float64[:, ::1]"]
    sums: Sums

    @classmethod
    def of(cls, n_columns: int, response: Response) -> Fit:
        """Make room for so many columns of the design."""
        n_all = response.n_predictors * n_columns + response.n_extra
        return cls(
            np.zeros(n_all),
            np.zeros(n_all),
            np.zeros(n_all),
            np.zeros((n_all, n_all)),
            Sums.of(n_columns, response.n_predictors, response.n_extra),
        )


@kernel("int64(float64[:, ::1], int64, int64)", inner=True)
def orthonormalise(design, first, n_columns):
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
def orthonormal_base(design, n_columns):
    """Make the first columns of a design orthonormal; return how many are left."""
    return orthonormalise(design, 0, n_columns)


@kernel("boolean(int64, Fit)", inner=True)
def _solve(n, fit):
    """Fill the step of Newton's method by Cholesky; say whether the curvature is that of a hill."""
    curve, factor, step = fit.sums.curve, fit.factor, fit.step
    for a in range(n):
        for b in range(a + 1):
            value = curve[a, b]
            for c in range(b):
                value -= factor[a, c] * factor[b, c]
            if a > b:
                factor[a, b] = value / factor[b, b]
            else:
                value += RIDGE + 1e-12 * curve[a, a]
                if not value > 0.0:
                    return False
                factor[a, a] = math.sqrt(value)
    for a in range(n):
        value = fit.sums.slope[a]
        for c in range(a):
            value -= factor[a, c] * step[c]
        step[a] = value / factor[a, a]
    for a in range(n - 1, -1, -1):
        value = step[a]
        for c in range(a + 1, n):
            value -= factor[c, a] * step[c]
        step[a] = value / factor[a, a]
    return True


@kernel("boolean(int64, Fit)", inner=True)
def _find_step(n, fit):
    """Fill the step; where the likelihood is not a hill, of one that is steeper."""
    extra = 0.0
    for _ in range(30):
        if _solve(n, fit):
            return True
        added = 9.0 * extra if extra > 0.0 else 1e-6
        extra += added
        for a in range(n):
            fit.sums.curve[a, a] += added
    return False


@kernel("void(Response, float64[:, ::1], int64, int64, Fit, float64[::1])", inner=True)
def climb(response, design, n_columns, most_steps, fit, found):
    """Maximise the likelihood from where the parameters are.

    ``found`` gets the log-likelihood, the gain expected of the first step, and whether the steps
    came to an end (1 or 0).
    """
    n = response.n_predictors * n_columns + response.n_extra
    value = add_up(response, design, n_columns, fit.parameters, fit.sums)
    found[0], found[1], found[2] = value, 0.0, 1.0 if n == 0 else 0.0
    if n == 0:
        return
    for t in range(most_steps):
        if not _find_step(n, fit):
            return
        gain = 0.0
        for a in range(n):
            gain += fit.step[a] * fit.sums.slope[a]
            fit.before[a] = fit.parameters[a]
        if t == 0:
            found[1] = gain
        if gain < CLOSE:
            found[2] = 1.0
            return
        share = 1.0
        for _ in range(MOST_HALVINGS):
            for a in range(n):
                fit.parameters[a] = fit.before[a] + share * fit.step[a]
            after = add_up(response, design, n_columns, fit.parameters, fit.sums)
            if after >= value - 1e-12 * abs(value):
                break
            share *= 0.5
        else:
            return
        value = after
        found[0] = value


@kernel("void(Response, float64[:, ::1], int64, Fit, Null)", inner=True)
def _fit_null(response, design, n_base, fit, null):
    """Fit the model of the base."""
    for a in range(len(null.parameters)):
        fit.parameters[a] = null.parameters[a]
    climb(response, design, n_base, MOST_NULL_STEPS, fit, null.found)
    for a in range(len(null.parameters)):
        null.parameters[a] = fit.parameters[a]


@kernel("void(Response, int64, int64, Fit, Null)", inner=True)
def _start_from(response, n_base, n_all, fit, null):
    """Start a fit from the model of the base, the coefficients of other columns 0."""
    n_predictors = response.n_predictors
    for j in range(n_predictors):
        for a in range(n_all):
            fit.parameters[j * n_all + a] = null.parameters[j * n_base + a] if a < n_base else 0.0
    for e in range(response.n_extra):
        extra = null.parameters[n_predictors * n_base + e]
        fit.parameters[n_predictors * n_all + e] = extra


@kernel("int64(float64[:, ::1], int64, const(float64[:, ::1]), int64, int64)", inner=True)
def _put_beside(design, n_base, blocks, first, last):
    """Put a block beside the base, what the base explains taken out; return all columns."""
    n_all = n_base
    for a in range(first, last):
        for i in range(design.shape[0]):
            design[i, n_all] = blocks[a, i]
        n_all += 1
    return orthonormalise(design, n_base, n_all)


@kernel(
    "void(Response, Rules, float64[:, ::1], const(float64[:, ::1]), const(int64[::1]), Fit, Null,"
    " float64[:, ::1])"
)
def fit_all(response, rules, design, blocks, starts, fit, null, values):
    """Fit the model of the base, unless that was done, and the one with each candidate's block.

    ``blocks`` holds the candidates' columns as rows, each of mean 0 and length 1; candidate m has
    those from ``starts[m]`` to ``starts[m + 1]``. Statistic, degrees of freedom (0 where the base
    determines the block), log p and effect of each candidate are filled into ``values``.
    """
    n_base = rules.n_base
    if math.isnan(null.found[0]):
        _fit_null(response, design, n_base, fit, null)
    climbed = np.zeros(3)
    for m in range(len(starts) - 1):
        n_all = _put_beside(design, n_base, blocks, starts[m], starts[m + 1])
        if n_all == n_base:
            continue
        _start_from(response, n_base, n_all, fit, null)
        climb(response, design, n_all, MOST_STEPS, fit, climbed)
        ratio = max(0.0, 2.0 * (climbed[0] - null.found[0]))
        is_separated = rules.can_separate and climbed[2] == 0.0
        rank = n_all - n_base
        scale = 1.0 - (n_base + 0.5 * rank) / rules.n_effective
        values[m, STATISTIC] = max(0.0, scale) * (climbed[1] if is_separated else ratio)
        values[m, DOF] = response.n_predictors * rank
        values[m, LOG_P] = log_chi_square_tail(values[m, STATISTIC], values[m, DOF])
        values[m, EFFECT] = 0.5 * ratio / design.shape[0]


@kernel(
    "void(Rules, float64[:, ::1], const(float64[::1]), const(float64[:, ::1]),"
    " const(int64[::1]), float64[:, ::1])"
)
def project_all(rules, design, residual, blocks, starts, values):
    """Fill in F, degrees of freedom, log p and effect of each candidate in a linear regression.

    ``residual`` is what the base leaves of the response, of length 1.
    """
    for m in range(len(starts) - 1):
        n_all = _put_beside(design, rules.n_base, blocks, starts[m], starts[m + 1])
        rank, left = n_all - rules.n_base, design.shape[0] - n_all
        if rank == 0 or left <= 0:
            continue
        explained = 0.0
        for a in range(rules.n_base, n_all):
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
