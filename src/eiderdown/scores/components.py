"""What Gaussian scores take as Gaussian: the components of every column, and their correlations.

A column has one component (the column itself) or several
(:mod:`eiderdown.scores.kernel_variance`), uncorrelated and of variance 1.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from eiderdown.arrays import FloatArray, IntArray, frozen
from eiderdown.data import Dataset
from eiderdown.data.missing import require_complete
from eiderdown.errors import ColumnKindError, ConstantColumnError, listed
from eiderdown.scores.gaussian_sweeps import CorrelatedColumns
from eiderdown.scores.sweeps import PackedSweeps
from eiderdown.statistics import moment_source
from eiderdown.statistics.moments import near_one

_AT_ONCE = 64  # columns that are correlated with all others
_MOST_KEPT = 1 << 28  # bytes of correlations between all columns; with more, rows are stacked


class Components(ABC):
    """The components of every column, and their correlations.

    Parameters
    ----------
    n_components : IntArray
        How many components each column has.
    log_scale : FloatArray
        Log determinant of the covariances of each column's components before they were scaled.
    """

    def __init__(self, n_components: IntArray, log_scale: FloatArray) -> None:
        self.n_components = frozen(n_components)
        self.log_scale = frozen(log_scale)
        self._first = np.cumsum(n_components) - n_components

    @abstractmethod
    def correlations(self, column: int) -> FloatArray:
        """Correlate the components of one column (rows) with those of all columns, in order."""

    def prepare(self, columns: list[int]) -> None:  # noqa: B027  may do nothing
        """Be ready to tell the correlations of some columns; all together may take less long."""

    @cached_property
    def are_single(self) -> bool:
        """Whether every column has one component."""
        return bool((self.n_components == 1).all())

    def for_sweeps(self, packed: PackedSweeps) -> CorrelatedColumns:
        """Return what compiled sweeps read of columns of one component each."""
        found = self.for_all_sweeps()
        if found is not None:
            return found
        asked = np.unique(np.concatenate([packed.children, packed.parents.ravel()]))
        return self._rows_for_sweeps(asked[asked >= 0])

    def for_all_sweeps(self) -> CorrelatedColumns | None:
        """Return what any compiled sweep reads; None if that would be too much to keep."""
        n = len(self.n_components)
        return self._all_for_sweeps if 8 * n * n <= _MOST_KEPT else None

    @cached_property
    def _all_for_sweeps(self) -> CorrelatedColumns:
        return self._rows_for_sweeps(np.arange(len(self.n_components)))

    def _rows_for_sweeps(self, columns: IntArray) -> CorrelatedColumns:
        rows, row_of = np.empty((len(columns), len(self._first))), np.zeros_like(self._first)
        for start in range(0, len(columns), _AT_ONCE):
            asked = columns[start : start + _AT_ONCE].tolist()
            self.prepare(asked)
            for row, column in enumerate(asked, start):
                rows[row] = self.correlations(column)[0]
        row_of[columns] = np.arange(len(columns))
        return CorrelatedColumns(frozen(rows), frozen(row_of), self.log_scale)

    def places(self, columns: Sequence[int] | IntArray) -> IntArray:
        """Return where the components of some columns stand among all components."""
        chosen = np.asarray(columns, dtype=np.int64)
        sizes = self.n_components[chosen]
        before = np.cumsum(sizes) - sizes
        found: IntArray = np.repeat(self._first[chosen] - before, sizes)
        return found + np.arange(len(found))


class ColumnsThemselves(Components):
    """Every column is one component; correlations may be weakened by a prior."""

    def __init__(
        self,
        data: Dataset,
        *,
        standardise: bool = False,
        sums: bool = False,
        prior: float = 0.0,
        n_jobs: int | None = None,
    ) -> None:
        _require_continuous(data)
        self._moments = moment_source(data, n_jobs=n_jobs)
        if standardise:
            log_squares = np.full(data.n_columns, math.log(data.n_rows - 1.0))
        else:
            log_squares = np.array([self._moments.log_variance(i) for i in range(data.n_columns)])
            log_squares += math.log(data.n_rows)
        total = np.logaddexp(log_squares, math.log(prior) if prior else -math.inf)
        self._weight = np.exp(0.5 * (log_squares - total))
        scale = total - (0.0 if sums else math.log(data.n_rows))
        super().__init__(np.ones(data.n_columns, dtype=np.int64), scale)

    def prepare(self, columns: list[int]) -> None:
        """Correlate some columns with all columns in one pass over the table."""
        self._moments.rows_of(columns)

    def correlations(self, column: int) -> FloatArray:
        """Correlate one column with all columns."""
        found: FloatArray = self._moments.correlations(column).copy()
        found *= self._weight * self._weight[column]
        found[:, column] = 1.0
        return found


class WeightedColumns(Components):
    """Every column is one component; rows count as much as their weights."""

    def __init__(self, data: Dataset, weights: FloatArray) -> None:
        _require_continuous(data)
        share = weights / weights.sum()
        scaled = [near_one(data.values(i)) for i in range(data.n_columns)]
        values = np.stack([column for column, _ in scaled])
        centred = values - (values @ share)[:, None]
        variance = (centred**2) @ share
        self._columns = centred * np.sqrt(share / variance[:, None])
        log_scale = np.log(variance) + [2.0 * log for _, log in scaled]
        super().__init__(np.ones(data.n_columns, dtype=np.int64), log_scale)

    def correlations(self, column: int) -> FloatArray:
        """Correlate one column with all columns."""
        found: FloatArray = np.einsum("ij,j->i", self._columns, self._columns[column])[None, :]
        return found


def _require_continuous(data: Dataset) -> None:
    require_complete(data, "This score (make_score makes one that does)")
    wrong = [data.names[i] for i in np.flatnonzero(data.is_discrete)]
    if wrong:
        raise ColumnKindError(
            f"This score needs continuous columns, but these are discrete: {listed(wrong)}; give "
            "their kind as continuous, leave them out, or use the score 'kgv', which takes both."
        )
    constant = data.constant_columns()
    if constant:
        raise ConstantColumnError(
            f"These columns have a single value and no Gaussian score: {listed(constant)}; leave "
            "them out."
        )
