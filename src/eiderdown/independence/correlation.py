"""Tests for continuous columns: Fisher's z and Student's t on the partial correlation."""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated, TypeAlias

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.data import Dataset
from eiderdown.errors import listed
from eiderdown.independence.base import IndependenceTest, MinRows, ReliabilityRule
from eiderdown.independence.batch import Allows, IndependenceBatch
from eiderdown.independence.kernels.tails import fill_log_student_tails
from eiderdown.options import Option, checked_options, options_of
from eiderdown.statistics import MomentStatistics
from eiderdown.statistics.moments import Collinear

CollinearColumns: TypeAlias = Annotated[
    Collinear, Option("what to do with columns that are linear functions of others")
]

_LARGEST_R = 1.0 - 2.0**-53  # keeps the transform of a perfect correlation finite


class CorrelationTest(IndependenceTest):
    """What Fisher's z and Student's t share.

    Parameters
    ----------
    data : Dataset
        The table; tested columns must be continuous.
    reliability : {"rows_per_stratum", "rows_per_dof", "rows_per_cell", "always"}
        Which tests to trust; all rules but "always" compare the rows with the regression
        coefficients (1 + |given|).
    min_rows : float
        How many rows are wanted for each.
    collinear : {"error", "drop", "shrink"}
        What to do with columns that are linear functions of the conditioning set.
    """

    def __init__(
        self,
        data: Dataset,
        *,
        reliability: ReliabilityRule = "rows_per_stratum",
        min_rows: MinRows = 5.0,
        collinear: CollinearColumns = "error",
    ) -> None:
        super().__init__(data.names)
        given = {"reliability": reliability, "min_rows": min_rows, "collinear": collinear}
        checked_options(options_of(CorrelationTest), given, type(self).__name__)
        self.statistics = MomentStatistics(data, collinear=collinear)
        self.reliability, self.min_rows = reliability, min_rows
        self._n_rows = data.n_rows
        self._noted: set[int] = set()

    @property
    def description(self) -> dict[str, object]:
        """Name and options of the test, for the record of a run."""
        return {
            "test": type(self).__name__,
            "collinear": self.statistics.collinear,
            "reliability": self.reliability,
            "min_rows": self.min_rows,
        }

    @abstractmethod
    def _dof(self, n_given: int) -> int:
        """Degrees of freedom left; at most 0 when the rows are too few for any answer."""

    @abstractmethod
    def _judge(self, r: FloatArray, dof: int) -> tuple[FloatArray, FloatArray]:
        """Turn partial correlations into statistics and log p-values."""

    def _sweep(
        self, candidates: IntArray, target: int, given: tuple[int, ...]
    ) -> IndependenceBatch:
        dof = self._dof(len(given))
        statistic = log_p = r = np.zeros(len(candidates))
        if dof > 0:
            partial = self.statistics.partial_correlations(candidates, target, given)
            self._note_determined(candidates[partial.determined])
            r = partial.r
            statistic, log_p = self._judge(np.clip(r, -_LARGEST_R, _LARGEST_R), dof)
        needed = self.min_rows * (1.0 + len(given))
        enough = self.reliability == "always" or self._n_rows >= needed
        return IndependenceBatch.of_sweep(
            candidates,
            target,
            given,
            statistic=statistic,
            dof=max(dof, 0),
            log_p=log_p,
            n_used=self._n_rows,
            effect=r,
            allows=Allows.BOTH if dof > 0 and enough else Allows.NOTHING,
        )

    def _note_determined(self, columns: IntArray) -> None:
        """With collinear="drop": note, once, the columns that repeat others."""
        new = [int(x) for x in columns if int(x) not in self._noted]
        if new:
            self._noted.update(new)
            self.notes.append(
                "Treated as carrying nothing new, because they are linear functions of other "
                f"columns: {listed([self.names[x] for x in new])}."
            )


class FisherZTest(CorrelationTest):
    """Fisher's z: sqrt(n - |given| - 3) atanh(r) against the normal distribution, two-sided.

    Examples
    --------
    >>> import numpy as np
    >>> from eiderdown.data import Dataset
    >>> rng = np.random.default_rng(0)
    >>> a = rng.normal(size=500)
    >>> b = a + rng.normal(size=500)
    >>> c = b + rng.normal(size=500)
    >>> test = FisherZTest(Dataset.from_columns({"a": a, "b": b, "c": c}))
    >>> test.test(0, 2).dependent(0.01), test.test(0, 2, given=[1]).dependent(0.01)
    (True, False)
    """

    def _dof(self, n_given: int) -> int:
        return self._n_rows - n_given - 3

    def _judge(self, r: FloatArray, dof: int) -> tuple[FloatArray, FloatArray]:
        from scipy.special import log_ndtr

        z = np.sqrt(dof) * np.abs(np.arctanh(r))
        return z, np.minimum(0.0, np.log(2.0) + log_ndtr(-z))


class StudentTTest(CorrelationTest):
    """Student's t: r sqrt(dof / (1 - r^2)) with dof = n - |given| - 2, two-sided."""

    def _dof(self, n_given: int) -> int:
        return self._n_rows - n_given - 2

    def _judge(self, r: FloatArray, dof: int) -> tuple[FloatArray, FloatArray]:
        t = np.abs(r) * np.sqrt(dof / ((1.0 - r) * (1.0 + r)))
        log_p = np.empty(len(t))
        fill_log_student_tails(t, float(dof), log_p)
        return t, log_p
