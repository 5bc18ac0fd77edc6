"""An interior point method for SVMs on which LIBSVM makes no headway.

LIBSVM changes two coefficients at a time. With few monomials, rows that they cannot separate and a
high C it needs millions of such steps, and what it has when it is stopped predicts no better
than chance. Newton's method on the barrier problem (with Mehrotra's corrector) changes all of them
at once and needs some thirty steps whatever C is. With few monomials the kernel matrix is of low
rank, ``K = F F'``, and a step is as dear as a least squares fit with that many columns.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from eiderdown.arrays import FloatArray

_MOST_STEPS = 60
_TO_BOUNDARY = 0.995
"""Share of the way to the nearest bound that a step may go."""

_NEAR = 1e-3
"""A coefficient counts as being at a bound if its distance, relative to the largest coefficient, is
below the tolerance times this: the solution is that of bounds which differ by so little."""

_LOST = 1e4
"""Once errors have grown by this factor, rounding has taken over."""


_ONE_THREAD = 2_000
"""Up to so many rows a step is too short for several threads, which wait for each other, and on a
busy machine for others, many times as long as they work."""


@cache
def _libraries() -> Any:
    from threadpoolctl import ThreadpoolController  # comes with scikit-learn

    return ThreadpoolController()


def threads_for(n_rows: int) -> AbstractContextManager[Any]:
    """Leave linear algebra one thread where more do not pay."""
    if n_rows > _ONE_THREAD:
        return nullcontext()
    limited: AbstractContextManager[Any] = _libraries().limit(limits=1, user_api="blas")
    return limited


def low_rank_factor(kernel: FloatArray) -> FloatArray:
    """Return F of shape (n_rows, rank) with ``F F'`` equal to a kernel matrix.

    Examples
    --------
    >>> kernel = np.outer([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    >>> low_rank_factor(kernel).round(9).tolist()
    [[1.0], [2.0], [3.0]]
    """
    from scipy.linalg.lapack import dpstrf

    lower, order, rank, _ = dpstrf(kernel, lower=1)
    factor = np.empty((len(kernel), rank))
    factor[order - 1] = np.tril(lower[:, :rank])
    return factor


def solve_by_interior_point(
    factor: FloatArray,
    linear: FloatArray,
    lowest: FloatArray,
    highest: FloatArray,
    *,
    tolerance: float,
) -> tuple[FloatArray, float, bool]:
    """Minimise ``|F'a|^2 / 2 - c'a`` where the sum of a is 0 and all of a is within bounds.

    Parameters
    ----------
    factor : array of shape (n_rows, rank)
        F, with rows of length about 1.
    linear : array of shape (n_rows,)
        c: for classes 1 and -1.
    lowest, highest : array of shape (n_rows,)
        Bounds of the coefficients; no two may be equal.
    tolerance : float
        By how much values ``F F'a`` at coefficients within the bounds may miss c.

    Returns
    -------
    alphas : array of shape (n_rows,)
        The coefficients.
    intercept : float
        What is to be added to the values.
    converged : bool
        Whether the tolerance was reached; if not, it is the best point on the way.

    Examples
    --------
    >>> points, signs = np.array([[-1.0], [-0.5], [1.0]]), np.array([-1.0, -1.0, 1.0])
    >>> low, high = np.where(signs < 0, -9.0, 0.0), np.where(signs < 0, 0.0, 9.0)
    >>> alphas, intercept, _ = solve_by_interior_point(points, signs, low, high, tolerance=1e-6)
    >>> (points @ points.T @ alphas + intercept).round(3).tolist()
    [-1.667, -1.0, 1.0]
    """
    equations = _Equations(np.column_stack([factor, np.ones(len(factor))]), linear)
    point = best = _start(equations, lowest, highest)
    least = np.inf
    with np.errstate(all="ignore"):  # where rounding has taken over, the best point stands
        for _ in range(_MOST_STEPS):
            error = _error(equations, point)
            if error < least:
                best, least = point, error
            if least < tolerance or not error < _LOST * least:
                break
            try:
                point = equations.step(point)
            except np.linalg.LinAlgError:
                break
    return best.alphas, best.intercept, bool(least < tolerance)


@dataclass(frozen=True, eq=False)
class _Direction:
    alphas: FloatArray
    intercept: float
    press_up: FloatArray
    press_down: FloatArray


@dataclass(frozen=True, eq=False)
class _Point:
    """Coefficients, their distances to both bounds, and multipliers.

    ``press_up`` belongs to the lower bounds, ``press_down`` to the upper ones, and the intercept to
    the sum of the coefficients.
    """

    alphas: FloatArray
    intercept: float
    below: FloatArray
    above: FloatArray
    press_up: FloatArray
    press_down: FloatArray

    @property
    def gap(self) -> float:
        """Mean product of distances and multipliers, which is 0 at the solution."""
        total = self.below @ self.press_up + self.above @ self.press_down
        return float(total) / (2 * len(self.alphas))

    def moved(self, step: _Direction, share: float) -> _Point:
        """Go a share of a step."""
        return _Point(
            self.alphas + share * step.alphas,
            self.intercept + share * step.intercept,
            self.below + share * step.alphas,
            self.above - share * step.alphas,
            self.press_up + share * step.press_up,
            self.press_down + share * step.press_down,
        )

    def share_within(self, step: _Direction) -> float:
        """Return how much of a step keeps distances and multipliers from falling below 0."""
        return min(
            _share_above_zero(self.below, step.alphas),
            _share_above_zero(self.above, -step.alphas),
            _share_above_zero(self.press_up, step.press_up),
            _share_above_zero(self.press_down, step.press_down),
        )


@dataclass(frozen=True, eq=False)
class _Equations:
    """The conditions for an optimum; the last column of ``factor`` is for the intercept."""

    factor: FloatArray
    linear: FloatArray

    def slopes(self, alphas: FloatArray) -> FloatArray:
        """Return the gradient ``F F'a - c``."""
        monomials = self.factor[:, :-1]
        gradient: FloatArray = monomials @ (monomials.T @ alphas) - self.linear
        return gradient

    def residual(self, point: _Point) -> FloatArray:
        """Return the gradient of the Lagrangian, which is 0 at the solution."""
        gradient = self.slopes(point.alphas) + point.intercept
        return gradient - point.press_up + point.press_down

    def step(self, point: _Point) -> _Point:
        """Predict how far the gap can be closed, then go there along a curve."""
        solver = _Newton(self, point)
        at_lower, at_upper = -point.below * point.press_up, -point.above * point.press_down
        guess = solver.direction(at_lower, at_upper)
        within = point.moved(guess, point.share_within(guess))
        aim = (within.gap / point.gap) ** 3 * point.gap
        step = solver.direction(
            at_lower + aim - guess.alphas * guess.press_up,
            at_upper + aim + guess.alphas * guess.press_down,
        )
        return point.moved(step, _TO_BOUNDARY * point.share_within(step))


class _Newton:
    """Newton's equations at one point, reduced to one for each monomial."""

    def __init__(self, equations: _Equations, point: _Point) -> None:
        from scipy.linalg import cho_factor

        self._factor, self._point = equations.factor, point
        self._residual = equations.residual(point)
        self._stiffness = point.press_up / point.below + point.press_down / point.above
        normal = (self._factor / self._stiffness[:, None]).T @ self._factor
        diagonal = np.arange(len(normal))
        normal[diagonal[:-1], diagonal[:-1]] += 1.0
        normal[diagonal, diagonal] *= 1.0 + 1e-13  # they may be all but dependent
        self._solver: Any = cho_factor(normal, lower=True, check_finite=False)

    def direction(self, at_lower: FloatArray, at_upper: FloatArray) -> _Direction:
        """Solve for given changes of the products of distance and multiplier."""
        from scipy.linalg import cho_solve

        point = self._point
        right = at_lower / point.below - at_upper / point.above - self._residual
        totals = self._factor.T @ (right / self._stiffness)
        totals[-1] += point.alphas.sum()
        weights = cho_solve(self._solver, totals, check_finite=False)
        alphas = (right - self._factor @ weights) / self._stiffness
        return _Direction(
            alphas,
            float(weights[-1]),
            (at_lower - point.press_up * alphas) / point.below,
            (at_upper + point.press_down * alphas) / point.above,
        )


def _start(equations: _Equations, lowest: FloatArray, highest: FloatArray) -> _Point:
    """Return a point well inside the bounds; it need not satisfy any equation."""
    below = np.minimum((highest - lowest) / 2.0, 1.0)
    alphas = np.where(lowest < 0.0, highest - below, lowest + below)
    slopes = equations.slopes(alphas)
    up, down = np.maximum(slopes, 0.0) + 1.0, np.maximum(-slopes, 0.0) + 1.0
    return _Point(alphas, 0.0, alphas - lowest, highest - alphas, up, down)


def _error(equations: _Equations, point: _Point) -> float:
    """Return by how much a value is off, at coefficients that are not at a bound."""
    near = np.abs(point.alphas).max() * _NEAR
    return float(
        max(
            np.abs(equations.residual(point)).max(),
            np.minimum(point.press_up, point.below / near).max(),
            np.minimum(point.press_down, point.above / near).max(),
            abs(point.alphas.sum()) / near,
        )
    )


def _share_above_zero(start: FloatArray, change: FloatArray) -> float:
    falling = change < 0.0
    return float(np.min(start[falling] / -change[falling], initial=1.0))
