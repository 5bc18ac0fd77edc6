"""Every degree and cost in every fold, with as little training as that takes.

One matrix of inner products serves all of them. Along the costs a machine is trained again only
where that can change it: once no coefficient is at its limit, a higher cost gives the same machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.errors import OptionError
from eiderdown.svm.dual_solver import solve
from eiderdown.svm.grid_scores import GridScore, Tuning
from eiderdown.svm.inner_products import (
    kernel_unit,
    linear_gram,
    numeric_matrix,
    polynomial_kernel,
)
from eiderdown.svm.monomials import Matrix
from eiderdown.svm.polynomial_model import check_kernel
from eiderdown.svm.scoring import score
from eiderdown.svm.svm_settings import SVMSettings, check_cost

Progress: TypeAlias = Callable[[str, int], None]
"""Told what is being done, and how many machines have been judged so far."""


class Tally:
    """Counts the machines that have been judged, and tells whoever wants to know."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress
        self._n_judged = 0

    def add(self, phase: str, n_judged: int) -> None:
        """Count some more."""
        self._n_judged += n_judged
        if self._progress is not None:
            self._progress(phase, self._n_judged)


@dataclass(frozen=True, eq=False)
class Grid:
    """Inner products and target, and what to try on them.

    Attributes
    ----------
    gram : array of shape (n_rows, n_rows)
        Inner products of the rows.
    y : array of shape (n_rows,)
        The target.
    degrees, costs : tuple
        What to try, ascending.
    params : SVMSettings
        How machines are trained.
    """

    gram: FloatArray
    y: Any
    degrees: tuple[int, ...]
    costs: tuple[float, ...]
    params: SVMSettings

    @classmethod
    def of(
        cls,
        X: Matrix,
        y: Any,
        degrees: Sequence[int],
        costs: Sequence[float],
        params: SVMSettings,
        gram: FloatArray | None,
    ) -> Grid:
        """Check everything."""
        if len(degrees) == 0 or len(costs) == 0:
            raise OptionError("degrees and costs must each name at least one value to try.")
        for degree in degrees:
            check_kernel(degree, **params.kernel)
        for cost in costs:
            check_cost(cost)
        matrix = numeric_matrix(X)
        return cls(
            linear_gram(matrix) if gram is None else gram,
            params.target(y, matrix.shape[0]),
            tuple(sorted({int(degree) for degree in degrees})),
            tuple(sorted({float(cost) for cost in costs})),
            params,
        )

    def among(self, rows: IntArray) -> Grid:
        """Return the same for some of the rows."""
        return replace(self, gram=self.gram[np.ix_(rows, rows)], y=self.y[rows])

    def search(self, folds: Sequence[IntArray], tally: Tally) -> Tuning:
        """Try everything in every fold; interrupted, return what there is."""
        found: dict[tuple[int, float], list[tuple[float, bool]]] = {
            point: [] for point in product(self.degrees, self.costs)
        }
        complete = True
        try:
            for degree, test in product(self.degrees, folds):
                for cost, outcome in zip(self.costs, self.path(degree, test), strict=True):
                    found[degree, cost].append(outcome)
                tally.add(f"degree {degree}", len(self.costs))
        except KeyboardInterrupt:
            complete = False
        table = tuple(_point(*point, outcomes) for point, outcomes in found.items() if outcomes)
        if not table:
            raise KeyboardInterrupt
        return Tuning(table, self.params.measure, complete)

    def judge(self, degree: int, cost: float, test: IntArray) -> float:
        """Train one machine without some rows, and score it on them."""
        ((value, _),) = replace(self, costs=(cost,)).path(degree, test)
        return value

    def path(self, degree: int, test: IntArray) -> list[tuple[float, bool]]:
        """Train without some rows at each cost; return scores on them, and if it was to the end.

        What is not trained to the end at one cost is not tried at a higher one, which is harder.
        """
        train = np.setdiff1d(np.arange(len(self.y)), test)
        unit = kernel_unit(self.gram, **self.params.kernel)
        fitted, judged = (self._kernel(rows, train, degree, unit) for rows in (train, test))
        outcomes: list[tuple[float, bool]] = []
        can_change = True
        for cost in self.costs:
            if can_change:
                solution = solve(
                    fitted,
                    self.y[train],
                    cost=cost * unit**degree,
                    params=self.params,
                )
                can_change = solution.at_limit and solution.converged
                value = score(self.y[test], solution.decisions(judged), solution.pairs)
            outcomes.append((value, solution.converged))
        return outcomes

    def _kernel(self, rows: IntArray, train: IntArray, degree: int, unit: float) -> FloatArray:
        products = self.gram[np.ix_(rows, train)]
        return polynomial_kernel(products, degree, **self.params.kernel, unit=unit)


def _point(degree: int, cost: float, outcomes: Sequence[tuple[float, bool]]) -> GridScore:
    scores = tuple(value for value, _ in outcomes)
    return GridScore(scores, degree, cost, converged=all(converged for _, converged in outcomes))
