"""Tests for discrete columns: the likelihood-ratio G2 and Pearson's X2.

G2 = 2 sum n_xtz ln( n_xtz n_z / (n_xz n_tz) ), compared with a chi-square distribution. Degrees of
freedom are *adjusted* by default: the sum over observed strata of (categories of x seen - 1)(categories of
the target seen - 1); *nominal* ones, (|x| - 1)(|t| - 1) prod |z|, count cells that no row could
reach and lose power. Both tests share every line but the statistic they report.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, TypeAlias

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.data import Dataset
from eiderdown.independence.base import IndependenceTest
from eiderdown.independence.batch import N_VALUES, IndependenceBatch
from eiderdown.independence.reliability import MinRows, Reliability, ReliabilityRule
from eiderdown.options import Option, checked_options, options_of
from eiderdown.statistics import CountBlock, CountStatistics, PlaneIndex, SweepCells, index_planes
from eiderdown.statistics.cost import PER_MASKED_WORD, THREADS_PAY_FROM

if TYPE_CHECKING:
    from eiderdown.independence.memory_kernels import Memory

_MOST_FRESH = 1_000_000  # tests that one thread can hand back from one call

MOST_SUBSET_STRATA = 4_096
"""Beyond this many strata a scatter over codes beats masks."""

DegreesOfFreedom: TypeAlias = Annotated[
    Literal["adjusted", "nominal"], Option("how degrees of freedom are counted")
]

_MOST_STRATA = 1e290  # keeps products of very many categories finite


@dataclass(frozen=True, eq=False)
class _Columns:
    """Where the blocks of one sweep leave their answers."""

    n: int
    statistic: FloatArray = field(init=False)
    dof: FloatArray = field(init=False)
    log_p: FloatArray = field(init=False)
    effect: FloatArray = field(init=False)
    uninformative: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        for name in ("statistic", "dof", "log_p", "effect", "uninformative"):
            object.__setattr__(self, name, np.zeros(self.n))


class ContingencyTest(IndependenceTest):
    """What G2 and X2 share.

    Parameters
    ----------
    data : Dataset
        The table; tested columns must be discrete.
    dof : {"adjusted", "nominal"}
        How degrees of freedom are counted.
    reliability : {"rows_per_stratum", "rows_per_dof", "rows_per_cell", "always"}
        What the rows are compared with to trust a test; see :class:`Reliability`.
    min_rows : float
        How many rows are wanted for each.
    n_jobs : int or None
        Threads; None means every available core. Results do not depend on it.
    """

    _pearson: ClassVar[bool]

    def __init__(
        self,
        data: Dataset,
        *,
        dof: DegreesOfFreedom = "adjusted",
        reliability: ReliabilityRule = "rows_per_stratum",
        min_rows: MinRows = 5.0,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(data.names)
        given = {"dof": dof, "reliability": reliability, "min_rows": min_rows}
        checked_options(options_of(ContingencyTest), given, type(self).__name__)
        # Whatever has to be compiled is compiled here, so that the first search is not slower.
        import_module("eiderdown.statistics.kernels")
        import_module("eiderdown.independence.tails")
        from eiderdown.independence.contingency_kernels import n_log_n_table

        self.statistics = CountStatistics(data, n_jobs=n_jobs)
        self.reliability = Reliability(reliability, min_rows)
        self.dof = dof
        # Nominal degrees of freedom count every stratum, so none may be left out.
        self._least_rows = self.reliability.rows_per_stratum_dof if dof == "adjusted" else 0.0
        self._n_workers = self.statistics.workers.n_jobs
        self._n_categories = data.n_categories.astype(np.float64)
        self._n_rows = data.n_rows
        self._n_log_n, self._unit = n_log_n_table(data.n_rows)

    @property
    def description(self) -> dict[str, object]:
        """Name and options of the test, for the record of a run."""
        return {
            "test": type(self).__name__,
            "dof": self.dof,
            "reliability": self.reliability.rule,
            "min_rows": self.reliability.min_rows,
        }

    def _sweep(
        self, candidates: IntArray, target: int, given: tuple[int, ...]
    ) -> IndependenceBatch:
        shared = self.statistics.cells(target, given)
        strata_product = min(math.prod(self._n_categories[list(given)].tolist()), _MOST_STRATA)
        of_x, of_target = self._n_categories[candidates], self._n_categories[target]
        nominal = (of_x - 1.0) * (of_target - 1.0) * strata_product
        answer = _Columns(len(candidates))

        def consume(block: CountBlock) -> None:
            self._judge(block, shared, nominal[block.positions], answer)

        self.statistics.sweep(candidates, shared, consume)
        reliable = self.reliability.enough(
            rows=self._n_rows,
            dof=nominal,
            cells=of_x * of_target * strata_product,
            uninformative=answer.uninformative,
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

    def takes_subsets(self, candidates: IntArray, target: int, subsets: IntArray) -> bool:
        """Whether :meth:`max_p_of_subsets` can do this: G2, bit planes, not too many strata."""
        if self._pearson:
            return False
        first = self._plane_index.first
        conditions = np.unique(subsets)
        categories = np.sort(self._n_categories[conditions[conditions >= 0]])[::-1]
        return bool(
            np.prod(categories[: subsets.shape[1]]) <= MOST_SUBSET_STRATA
            and first[target] >= 0
            and np.all(first[candidates] >= 0)
            and np.all(first[conditions[conditions >= 0]] >= 0)
        )

    def max_p_of_subsets(
        self, candidates: IntArray, target: int, subsets: IntArray, *, alpha: float, memory: Memory
    ) -> IndependenceBatch:
        """Find each candidate's weakest test over given subsets, in one compiled call.

        Parameters
        ----------
        candidates, target
            As for a sweep.
        subsets : IntArray
            One conditioning set per row, padded with -1.
        alpha : float
            A candidate is done when a subset separates it from the target at this category.
        memory : Memory
            Tests that were made before are read from here, and new ones written to it.
        """
        values = np.zeros((len(candidates), N_VALUES))
        chosen = np.empty(len(candidates), dtype=np.int64)
        n_parts = self._n_parts(len(candidates), len(subsets))
        if n_parts == 1:
            self._search_subsets(
                candidates, target, subsets, alpha, (memory, memory), values, chosen
            )
        else:
            self._share_out(candidates, target, subsets, alpha, memory, values, chosen, n_parts)
        return IndependenceBatch.of_subsets(candidates, target, subsets, chosen, values)

    def _n_parts(self, n_candidates: int, n_subsets: int) -> int:
        """Decide how many threads the work is worth."""
        cost = PER_MASKED_WORD * n_candidates * n_subsets * self._n_rows
        return min(self._n_workers, n_candidates) if cost > THREADS_PAY_FROM else 1

    def _share_out(
        self,
        candidates: IntArray,
        target: int,
        subsets: IntArray,
        alpha: float,
        memory: Memory,
        values: FloatArray,
        chosen: IntArray,
        n_parts: int,
    ) -> None:
        """Give each thread some of the candidates and a memory for what it computes."""
        from eiderdown.independence.memory_kernels import absorb, capacity_for, empty_memory

        cuts = np.linspace(0, len(candidates), n_parts + 1).astype(int)
        parts = [slice(a, b) for a, b in pairwise(cuts.tolist())]
        room = [capacity_for(min((p.stop - p.start) * len(subsets), _MOST_FRESH)) for p in parts]
        fresh = [empty_memory(capacity) for capacity in room]

        def search_part(k: int) -> None:
            part = parts[k]
            self._search_subsets(
                candidates[part],
                target,
                subsets,
                alpha,
                (memory, fresh[k]),
                values[part],
                chosen[part],
            )

        self.statistics.workers.each(search_part, range(n_parts), pays=True)
        for part_memory in fresh:
            absorb(memory, part_memory)

    def _search_subsets(
        self,
        candidates: IntArray,
        target: int,
        subsets: IntArray,
        alpha: float,
        memories: tuple[Memory, Memory],
        values: FloatArray,
        chosen: IntArray,
    ) -> None:
        from eiderdown.independence.subset_kernels import Columns, Ruler, max_p_over_subsets

        rule, index = self.reliability, self._plane_index
        ruler = Ruler(
            self._n_log_n,
            self._unit,
            self._n_rows,
            self.dof == "nominal",
            rule.rule == "rows_per_cell",
            0.0 if rule.rule == "always" else rule.min_rows,
            self._least_rows,
            math.log(alpha),
        )
        columns = Columns(index.planes, index.first, self.statistics.data.n_categories)
        max_p_over_subsets(columns, ruler, candidates, target, subsets, *memories, values, chosen)

    @cached_property
    def _plane_index(self) -> PlaneIndex:
        return index_planes(self.statistics.data)

    def _judge(
        self, block: CountBlock, shared: SweepCells, nominal: FloatArray, answer: _Columns
    ) -> None:
        from eiderdown.independence.contingency_kernels import contingency_statistics
        from eiderdown.independence.tails import fill_log_chi_square_tails

        g_square, x_square, dof, log_p, uninformative = np.empty((5, len(block.positions)))
        contingency_statistics(
            block.counts,
            shared.table,
            self._n_log_n,
            self._unit,
            self._least_rows,
            self._pearson,
            g_square,
            x_square,
            dof,
            uninformative,
        )
        statistic = x_square if self._pearson else g_square
        if self.dof == "nominal":
            dof = nominal
        fill_log_chi_square_tails(statistic, dof, log_p)
        answer.statistic[block.positions] = statistic
        answer.dof[block.positions] = dof
        answer.log_p[block.positions] = log_p
        answer.uninformative[block.positions] = uninformative
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
