"""Tests for discrete columns: the likelihood-ratio G2 and Pearson's X2.

G2 = 2 sum n_xtz ln( n_xtz n_z / (n_xz n_tz) ), compared with a chi-square distribution. Degrees of
freedom are *adjusted* by default: the sum over observed strata of (levels of x seen - 1)(levels of
the target seen - 1); *nominal* ones, (|x| - 1)(|t| - 1) prod |z|, count cells that no row could
reach and lose power. Both tests share every line but the statistic they report.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar, Literal, TypeAlias

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.data import Dataset
from eiderdown.errors import OptionError
from eiderdown.independence.base import IndependenceTest
from eiderdown.independence.batch import IndependenceBatch
from eiderdown.independence.reliability import Reliability
from eiderdown.statistics import CountBlock, CountStatistics, SweepCells

DegreesOfFreedom: TypeAlias = Literal["adjusted", "nominal"]

_MOST_STRATA = 1e290  # keeps products of very many levels finite


@dataclass(frozen=True, eq=False)
class _Columns:
    """Where the blocks of one sweep leave their answers."""

    n: int
    statistic: FloatArray = field(init=False)
    dof: FloatArray = field(init=False)
    log_p: FloatArray = field(init=False)
    effect: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        for name in ("statistic", "dof", "log_p", "effect"):
            object.__setattr__(self, name, np.zeros(self.n))


class ContingencyTest(IndependenceTest):
    """What G2 and X2 share.

    Parameters
    ----------
    data : Dataset
        The table; tested columns must be discrete.
    dof : {"adjusted", "nominal"}
        How degrees of freedom are counted.
    reliability : Reliability
        Which tests to trust.
    n_workers : int or None
        Threads; None means every available core. Results do not depend on it.
    """

    _pearson: ClassVar[bool]

    def __init__(
        self,
        data: Dataset,
        *,
        dof: DegreesOfFreedom = "adjusted",
        reliability: Reliability | None = None,
        n_workers: int | None = None,
    ) -> None:
        super().__init__(data.names)
        if dof not in ("adjusted", "nominal"):
            raise OptionError(f"dof must be 'adjusted' or 'nominal', not {dof!r}.")
        from eiderdown.independence.contingency_kernels import n_log_n_table

        self.statistics = CountStatistics(data, n_workers=n_workers)
        self.reliability = reliability or Reliability()
        self.dof = dof
        self._n_levels = data.n_levels.astype(np.float64)
        self._n_rows = data.n_rows
        self._n_log_n, self._unit = n_log_n_table(data.n_rows)

    @property
    def description(self) -> dict[str, object]:
        """Name and options of the test, for the record of a run."""
        return {
            "test": type(self).__name__,
            "dof": self.dof,
            "reliability_rule": self.reliability.rule,
            "reliability_factor": self.reliability.factor,
        }

    def _sweep(
        self, candidates: IntArray, target: int, given: tuple[int, ...]
    ) -> IndependenceBatch:
        shared = self.statistics.cells(target, given)
        strata_product = min(math.prod(self._n_levels[list(given)].tolist()), _MOST_STRATA)
        of_x, of_target = self._n_levels[candidates], self._n_levels[target]
        nominal = (of_x - 1.0) * (of_target - 1.0) * strata_product
        answer = _Columns(len(candidates))

        def consume(block: CountBlock) -> None:
            self._judge(block, shared, nominal[block.positions], answer)

        self.statistics.sweep(candidates, shared, consume)
        reliable = self.reliability.enough(
            rows=self._n_rows, dof=answer.dof, cells=of_x * of_target * strata_product
        )
        return IndependenceBatch(
            x=candidates,
            y=np.full(len(candidates), target, dtype=np.int64),
            given=(given,) * len(candidates),
            statistic=answer.statistic,
            dof=answer.dof,
            log_p=answer.log_p,
            n_used=np.full(len(candidates), self._n_rows, dtype=np.int64),
            effect=answer.effect,
            reliable=reliable,
        )

    def _judge(
        self, block: CountBlock, shared: SweepCells, nominal: FloatArray, answer: _Columns
    ) -> None:
        from eiderdown.independence.contingency_kernels import contingency_statistics
        from eiderdown.independence.tails import fill_log_chi_square_tails

        g_square, x_square, dof, log_p = np.empty((4, len(block.positions)))
        contingency_statistics(
            block.counts,
            shared.table,
            self._n_log_n,
            self._unit,
            self._pearson,
            g_square,
            x_square,
            dof,
        )
        statistic = x_square if self._pearson else g_square
        if self.dof == "nominal":
            dof = nominal
        fill_log_chi_square_tails(statistic, dof, log_p)
        answer.statistic[block.positions] = statistic
        answer.dof[block.positions] = dof
        answer.log_p[block.positions] = log_p
        answer.effect[block.positions] = g_square / (2.0 * self._n_rows)


class GSquareTest(ContingencyTest):
    """The likelihood-ratio test; its effect size is conditional mutual information in nats.

    Examples
    --------
    >>> import numpy as np
    >>> from eiderdown.data import Dataset
    >>> rng = np.random.default_rng(0)
    >>> a = rng.integers(0, 2, 1000)
    >>> b = a ^ (rng.random(1000) < 0.1)
    >>> c = rng.integers(0, 2, 1000)
    >>> test = GSquareTest(Dataset.from_columns({"a": a, "b": b, "c": c}))
    >>> test.test(0, 1).dependent(0.01), test.test(0, 2, given=[1]).dependent(0.01)
    (True, False)
    """

    _pearson = False


class ChiSquareTest(ContingencyTest):
    """Pearson's X2 test; its effect size is conditional mutual information in nats."""

    _pearson = True
