"""The kernel generalised variance of Bach & Jordan, for discrete and continuous columns together.

Every column becomes a vector of components of its kernel (Gaussian for numbers, equality for
categories), and all components are taken as jointly Gaussian. Only few components of a column carry
anything: an incomplete Cholesky factor finds them without a matrix of all pairs of rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Annotated, TypeAlias

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.data import Dataset
from eiderdown.data.missing import require_complete
from eiderdown.memory import require_memory
from eiderdown.options import Option
from eiderdown.scores.base import checked_params
from eiderdown.scores.components import Components
from eiderdown.scores.gaussian import DeterminantScore
from eiderdown.statistics.moments import near_one

Kappa: TypeAlias = Annotated[float, Option("strength of the regularisation", inside=(0, math.inf))]
Sigma: TypeAlias = Annotated[
    float, Option("width of the kernel, in standard deviations", inside=(0, math.inf))
]

_ROUGHNESS = 1e-4  # the factor may miss this share of what regularisation hides anyway


class ComponentScore(DeterminantScore):
    """What scores share that take several components of each column as Gaussian.

    Parameters
    ----------
    data : Dataset
        The table.
    parts : iterable of arrays, or Components
        The components of each column, uncorrelated and of length 1 or a little less, or what
        correlates them.
    """

    def __init__(self, data: Dataset, parts: Iterable[FloatArray] | Components) -> None:
        require_complete(data, "This score (make_score makes one that does)")
        own = parts if isinstance(parts, Components) else _StackedComponents(list(parts))
        super().__init__(data.names, own)
        self._n_rows = data.n_rows

    def _line(self, n_components: int) -> tuple[float, float]:
        n_parameters = n_components * (n_components + 1) / 2
        return -0.5 * math.log(self._n_rows) * n_parameters, -0.5 * self._n_rows


class KernelVarianceScore(ComponentScore):
    """Log-likelihood of kernel components taken as Gaussian, less ln(n) / 2 for every parameter.

    Correlations between components are regularised: a direction of variance v counts by the factor
    v / (v + kappa / 2), and directions with a factor below one half are left out. It sees every
    kind of dependence between two columns, but the effects of several parents add up: what only
    shows in combinations of them (such as parity) stays hidden.

    Parameters
    ----------
    data : Dataset
        The table, of any kinds.
    kappa : float
        Strength of the regularisation.
    sigma : float
        Width of the Gaussian kernel, in standard deviations of the column.

    References
    ----------
    Bach, F. R. and Jordan, M. I. (2003). Learning graphical models with Mercer kernels. Advances in
    Neural Information Processing Systems 15.
    """

    name = "kgv"

    def __init__(self, data: Dataset, *, kappa: Kappa = 0.01, sigma: Sigma = 1.0) -> None:
        params = checked_params(KernelVarianceScore, kappa=kappa, sigma=sigma)
        super().__init__(
            data, (_components_of(data, i, kappa, sigma) for i in range(data.n_columns))
        )
        self.params = params


class _StackedComponents(Components):
    """Components of every column, with all their values."""

    def __init__(self, parts: list[FloatArray]) -> None:
        n_rows, n_components = len(parts[0]), sum(part.shape[1] for part in parts)
        require_memory(
            8.0 * n_components * (n_rows + n_components),
            f"The kernel score of {len(parts):,} columns",
            "give fewer columns or rows, or take the score 'degenerate_gaussian'",
        )
        self._scores = np.concatenate(parts, axis=1)
        self._rows: dict[int, FloatArray] = {}
        super().__init__(np.array([part.shape[1] for part in parts]), np.zeros(len(parts)))

    def correlations(self, column: int) -> FloatArray:
        """Correlate the components of one column with those of all columns."""
        if column not in self._rows:
            own = self.places([column])
            found: FloatArray = self._scores[:, own].T @ self._scores
            found[:, own] = np.eye(len(own))
            self._rows[column] = found
        return self._rows[column]


def _components_of(data: Dataset, column: int, kappa: float, sigma: float) -> FloatArray:
    """Return the regularised components of a column, one row per row of the table."""
    if data.is_discrete[column]:
        of_row = data.codes(column).astype(np.int64)
        factor = np.eye(int(data.n_categories[column]))
    else:
        values, _ = near_one(data.values(column))
        distinct, of_row = np.unique(values, return_inverse=True)
        spread = float(np.std(distinct[of_row]))
        standard = (distinct - distinct[of_row].mean()) / (spread or 1.0)
        factor = _gaussian_factor(standard / sigma, np.bincount(of_row), kappa * _ROUGHNESS)
    return regularised(factor, of_row, kappa)


def regularised(factor: FloatArray, of_row: IntArray, kappa: float) -> FloatArray:
    """Return uncorrelated components of the rows of a factor, weak directions weakened."""
    return regularised_rows(factor, np.bincount(of_row, minlength=len(factor)), kappa)[of_row]


def regularised_rows(factor: FloatArray, n: IntArray, kappa: float) -> FloatArray:
    """Return the components of each row of a factor that stands for so many rows of a table."""
    centred = factor - n @ factor / n.sum()
    variances, directions = np.linalg.eigh(centred.T @ (centred * n[:, None]))
    floor = 0.5 * kappa * n.sum()
    kept = variances >= floor
    unit = centred @ directions[:, kept] / np.sqrt(variances[kept])
    scaled: FloatArray = unit * (variances[kept] / (variances[kept] + floor))
    return scaled


def _gaussian_factor(values: FloatArray, n: IntArray, roughness: float) -> FloatArray:
    """Factorise exp(-(a - b)^2 / 2) over distinct values, by pivots, until little is missing.

    Pivots depend on the values alone, not on the order of the rows.
    """
    columns: list[FloatArray] = []
    left = np.ones(len(values))
    pivot = int(np.argmin(np.abs(values)))
    while n @ left > roughness * n.sum():
        column = np.exp(-0.5 * (values - values[pivot]) ** 2)
        for earlier in columns:
            column -= earlier[pivot] * earlier
        column /= math.sqrt(left[pivot])
        columns.append(column)
        left = np.maximum(0.0, left - column * column)
        left[pivot] = 0.0
        pivot = int(np.argmax(left))
    return np.stack(columns, axis=1)
