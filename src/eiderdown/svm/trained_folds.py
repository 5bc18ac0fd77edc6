"""SVMs that are trained on some rows and judged on others, by their kernel or by landmarks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.svm.cross_validation import Split
from eiderdown.svm.inner_products import kernel_unit, polynomial_kernel
from eiderdown.svm.landmarks import Landmarks
from eiderdown.svm.training import DualSolution, SVMParams, solve, solve_factor


@dataclass(frozen=True, eq=False)
class TrainedFold(ABC):
    """Rows to train on and rows to judge on, at one degree."""

    fitted: FloatArray
    judged: FloatArray
    scale: float  # by which kernels were divided
    params: SVMParams

    @abstractmethod
    def solve(self, y: Any, C: float, *, to_the_end: bool = True) -> DualSolution:
        """Train, to the end or as long as that is quick."""

    @abstractmethod
    def decisions(self, solution: DualSolution) -> FloatArray:
        """Return a column for each SVM: its values at the rows to judge on."""


class _ByKernel(TrainedFold):
    """What is fitted and judged are kernels with the rows to train on."""

    def solve(self, y: Any, C: float, *, to_the_end: bool = True) -> DualSolution:
        C *= self.scale
        return solve(self.fitted, y, C=C, params=self.params, to_the_end=to_the_end)

    def decisions(self, solution: DualSolution) -> FloatArray:
        return solution.decisions(self.judged)


class _ByLandmarks(TrainedFold):
    """What is fitted and judged are rows z, whose inner products are the kernel."""

    def solve(self, y: Any, C: float, *, to_the_end: bool = True) -> DualSolution:  # noqa: ARG002
        return solve_factor(self.fitted, y, C=C * self.scale, params=self.params)

    def decisions(self, solution: DualSolution) -> FloatArray:
        values: FloatArray = self.judged @ (solution.alphas @ self.fitted).T + solution.intercepts
        return values


def trained_fold(
    source: FloatArray | Landmarks, degree: int, of: IntArray, split: Split, params: SVMParams
) -> TrainedFold:
    """Make what SVMs of a degree need to be trained and judged on a split of some rows.

    Parameters
    ----------
    source : FloatArray or Landmarks
        Inner products of all rows of a table, or its landmarks.
    degree : int
        Degree of the kernel.
    of : IntArray
        Which rows of the table take part.
    split : pair of IntArray
        Which of those to train and to judge on.
    params : SVMParams
        How SVMs are trained.
    """
    rows, test = split
    if isinstance(source, Landmarks):
        factor = source.factor(degree)
        fitted, judged = factor.values[of[rows]], factor.values[of[test]]
        return _ByLandmarks(fitted, judged, factor.unit**degree, params)
    unit = kernel_unit(source[of, of], **params.kernel)
    fitted, judged = (
        polynomial_kernel(source, degree, (of[some], of[rows]), **params.kernel, unit=unit)
        for some in (rows, test)
    )
    return _ByKernel(fitted, judged, unit**degree, params)
