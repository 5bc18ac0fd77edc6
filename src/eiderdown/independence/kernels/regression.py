"""Likelihood-ratio tests of many candidates by regression, the model without them fitted once.

A ratio of likelihoods is larger by chance than its chi-square where parameters are many for the
rows. It is therefore scaled by ``1 - (base columns + half the block's) / effective rows``, as
Bartlett's factor does in linear models; effective rows are those of :class:`Explained`.
"""

from __future__ import annotations

import math
from typing import Annotated, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.independence.batch import DOF, EFFECT, LOG_P, STATISTIC
from eiderdown.independence.kernels.likelihoods import Response, Sums, add_up
from eiderdown.independence.kernels.regression_design import (
    Design,
    Products,
    Shape,
    fill_dense,
    fill_products,
    orthonormalise,
)
from eiderdown.independence.kernels.tails import log_chi_square_tail
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


class Rules(NamedTuple):
    """What is known of the base, and what follows from it.

    ``base`` is its shape; ``n_effective`` are the rows that its information is worth. Where classes
    can be separated, the score statistic (what the first step expects) stands in for the ratio of
    fits that do not come to an end.
    """

    base: Shape
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
    def of(cls, shape: Shape, response: Response) -> Fit:
        """Make room for a design of a shape."""
        n_all = response.n_predictors * shape.n_columns + response.n_extra
        return cls(
            np.zeros(n_all),
            np.zeros(n_all),
            np.zeros(n_all),
            np.zeros((n_all, n_all)),
            Sums.of(shape, response),
        )


class Candidates(NamedTuple):
    """Columns of the table that may be added: their entries, each in raw columns of its own."""

    place: Annotated[NDArray[np.int32], "const(int32[:, ::1])"]
    value: Annotated[FloatArray, "const(float64[:, ::1])"]
    n_raw: Annotated[IntArray, "const(int64[::1])"]


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


@kernel("void(Response, Design, Shape, int64, Fit, float64[::1])", inner=True)
def climb(response, design, shape, most_steps, fit, found):
    """Maximise the likelihood from where the parameters are.

    ``found`` gets the log-likelihood, the gain expected of the first step, and whether the steps
    came to an end (1 or 0).
    """
    n = response.n_predictors * shape.n_columns + response.n_extra
    value = add_up(response, design, shape, fit.parameters, fit.sums)
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
            after = add_up(response, design, shape, fit.parameters, fit.sums)
            if after >= value - 1e-12 * abs(value):
                break
            share *= 0.5
        else:
            return
        value = after
        found[0] = value


_MOST_AS_PYTHON = 200_000  # sums over rows in a step of a fit


def _n_sums(response: Response, design: Design, n_entries: int) -> int:
    """Return how many sums over rows a step of a fit makes."""
    n_columns = max(n_entries, design.dense.shape[1])
    n_terms = response.n_predictors + response.n_extra
    return int(design.place.shape[0] * (n_columns * n_terms) ** 2)


def _is_short(response: Response, design: Design, base: Shape, *_others: object) -> bool:
    return _n_sums(response, design, base.n_entries) <= _MOST_AS_PYTHON


def _are_few_short(
    response: Response,
    rules: Rules,
    design: Design,
    _products: Products,
    candidates: Candidates,
    *_others: object,
) -> bool:
    n_sums = _n_sums(response, design, rules.base.n_entries + 1)
    return len(candidates.n_raw) * n_sums <= _MOST_AS_PYTHON


@kernel("void(Response, Design, Shape, Fit, Null)", small=_is_short)
def fit_null(response, design, base, fit, null):
    """Fit the model of the base."""
    for a in range(len(null.parameters)):
        fit.parameters[a] = null.parameters[a]
    climb(response, design, base, MOST_NULL_STEPS, fit, null.found)
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


@kernel("int64(Design, Products, Shape, Candidates, int64)", inner=True)
def _put_beside(design, products, base, candidates, m):
    """Put a candidate behind the base; return how many columns the design has then."""
    last = base.n_entries
    for i in range(design.place.shape[0]):
        design.place[i, last] = base.n_raw + candidates.place[m, i]
        design.value[i, last] = candidates.value[m, i]
    shape = Shape(last + 1, base.n_raw + candidates.n_raw[m], base.n_columns)
    fill_products(design, base.n_raw, shape, products.raw)
    return orthonormalise(products, design.weights, base.n_raw, shape)


@kernel(
    "void(Response, Rules, Design, Products, Candidates, Fit, Null, float64[:, ::1])",
    small=_are_few_short,
)
def fit_all(response, rules, design, products, candidates, fit, null, values):
    """Fit the model with each candidate beside the base, starting from that of the base.

    Statistic, degrees of freedom (0 where the base determines the candidate), log p and effect of
    each are filled into ``values``.
    """
    climbed, base = np.zeros(3), rules.base
    n_base = base.n_columns
    for m in range(len(candidates.n_raw)):
        n_all = _put_beside(design, products, base, candidates, m)
        if n_all == n_base:
            continue
        shape = Shape(base.n_entries + 1, base.n_raw + candidates.n_raw[m], n_all)
        if design.dense.shape[0]:
            fill_dense(design, shape, n_base)
        _start_from(response, n_base, n_all, fit, null)
        climb(response, design, shape, MOST_STEPS, fit, climbed)
        ratio = max(0.0, 2.0 * (climbed[0] - null.found[0]))
        is_separated = rules.can_separate and climbed[2] == 0.0
        rank = n_all - n_base
        scale = 1.0 - (n_base + 0.5 * rank) / rules.n_effective
        values[m, STATISTIC] = max(0.0, scale) * (climbed[1] if is_separated else ratio)
        values[m, DOF] = response.n_predictors * rank
        values[m, LOG_P] = log_chi_square_tail(values[m, STATISTIC], values[m, DOF])
        values[m, EFFECT] = 0.5 * ratio / design.place.shape[0]
