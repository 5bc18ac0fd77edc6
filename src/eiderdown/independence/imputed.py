"""Tests pooled over imputed tables, by the rule D2 of Li, Meng, Raghunathan and Rubin (1991).

Each of m tables, filled in by chance, gives a p-value, and with it a chi-square statistic d of k
degrees of freedom. With r = (1 + 1/m) times the variance of sqrt(d) between tables,

    D2 = (mean(d) / k - (m + 1) / (m - 1) r) / (1 + r)

is compared with an F distribution of k and k^(-3/m) (m - 1) (1 + 1/r)^2 degrees of freedom: what
the tables disagree about is not known.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.data import Dataset
from eiderdown.independence.base import IndependenceTest
from eiderdown.independence.batch import ALLOWS, DOF, EFFECT, LOG_P, IndependenceBatch
from eiderdown.independence.correlation import CorrelationTest

_SMALLEST_LOG_P = -600.0  # below this, numbers are continued by their asymptotes


class ImputedTest(IndependenceTest):
    """Answer each question from several tables in which missing values are filled in.

    Parameters
    ----------
    tests : sequence of IndependenceTest
        One test of each table; at least two.
    data : Dataset
        The table with the missing values.
    """

    def __init__(self, tests: Sequence[IndependenceTest], data: Dataset) -> None:
        super().__init__(data.names)
        self.data = data
        self.tests = tuple(tests)

    @property
    def description(self) -> dict[str, object]:
        """Name and options of the tests, and how many tables there are."""
        return {**self.tests[0].description, "imputed_tables": len(self.tests)}

    def _sweep(
        self, candidates: IntArray, target: int, given: tuple[int, ...]
    ) -> IndependenceBatch:
        if not self.data.has_missing[[target, *given, *candidates]].any():
            return self._noted(self.tests[0], candidates, target, given)
        batches = [self._noted(test, candidates, target, given) for test in self.tests]
        values = np.stack([batch.values for batch in batches])
        dof = np.maximum(values[:, :, DOF].mean(axis=0), 1.0)
        if isinstance(self.tests[0], CorrelationTest):
            dof = np.ones(len(candidates))  # theirs are those of the rows
        statistic, log_p = pooled(values[:, :, LOG_P], dof)
        same = np.ptp(values[:, :, LOG_P], axis=0) == 0.0
        return batches[0].with_columns(
            statistic=np.where(same, batches[0].statistic, statistic),
            log_p=np.where(same, batches[0].log_p, log_p),
            effect=values[:, :, EFFECT].mean(axis=0),
            allows=values[:, :, ALLOWS].min(axis=0),
        )

    def _noted(
        self, test: IndependenceTest, candidates: IntArray, target: int, given: tuple[int, ...]
    ) -> IndependenceBatch:
        batch = test.sweep(candidates, target, given)
        self.notes.extend(note for note in test.notes if note not in self.notes)
        return batch


def pooled(log_p: FloatArray, dof: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Pool the p-values of several tables (rows) by D2; return k D2 and its log p-values.

    Examples
    --------
    >>> statistic, log_p = pooled(np.log([[0.04, 0.5], [0.01, 0.3], [0.02, 0.9]]), np.ones(2))
    >>> np.exp(log_p).round(3)
    array([0.029, 1.   ])
    """
    m = len(log_p)
    d = _chi_square(log_p, dof)
    r = np.maximum((1.0 + 1.0 / m) * np.sqrt(d).var(axis=0, ddof=1), 1e-9)
    d2 = np.maximum(0.0, (d.mean(axis=0) / dof - (m + 1.0) / (m - 1.0) * r) / (1.0 + r))
    return dof * d2, log_f_tail(d2, dof, dof ** (-3.0 / m) * (m - 1.0) * (1.0 + 1.0 / r) ** 2)


def _chi_square(log_p: FloatArray, dof: FloatArray) -> FloatArray:
    """Return the chi-square statistics of these p-values."""
    from scipy.special import chdtri

    least = np.maximum(log_p, _SMALLEST_LOG_P)
    found: FloatArray = chdtri(np.broadcast_to(dof, log_p.shape), np.exp(least))
    return found * np.minimum(log_p, 0.0) / np.minimum(least, -1e-300) if len(log_p) else found


def log_f_tail(f: FloatArray, dof: FloatArray, rest: FloatArray) -> FloatArray:
    """Return log P(F >= f), by the first term of its series where it is very small."""
    from scipy.special import betaincc, betaln

    below = rest / (rest + dof * f)
    tail = betaincc(dof / 2.0, rest / 2.0, 1.0 - below)
    far = 0.5 * rest * np.log(below) - np.log(0.5 * rest) - betaln(0.5 * rest, 0.5 * dof)
    with np.errstate(divide="ignore"):
        log_tail: FloatArray = np.where(tail > 1e-290, np.log(tail), far)
    return np.minimum(log_tail, 0.0)
