"""Tests for discrete columns: counting, and the likelihood-ratio G2 and Pearson's X2.

G2 = 2 sum n_xtz ln( n_xtz n_z / (n_xz n_tz) ), compared with a chi-square distribution. Degrees of
freedom are *adjusted* by default: the sum over observed strata of (categories of x seen - 1)
(categories of the target seen - 1); *nominal* ones, (|x| - 1)(|t| - 1) prod |z|, count cells that
no row could reach and lose power. Both tests share every line but the statistic they report.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Annotated, ClassVar, Literal, TypeAlias

import numpy as np

from eiderdown.arrays import FloatArray, IntArray, frozen
from eiderdown.data import Dataset
from eiderdown.data.copies import copy_classes
from eiderdown.independence.base import (
    CompiledTest,
    CountedTable,
    MinRows,
    Question,
    ReliabilityRule,
)
from eiderdown.independence.batch import (
    N_VALUES,
    Allows,
    IndependenceBatch,
    IndependenceResult,
)
from eiderdown.independence.count_levels import CountLevels
from eiderdown.independence.count_sweeps import PATIENCE_WITH_BLOCKS, CountSweeps
from eiderdown.independence.kernels.cache import ResultTable, absorb
from eiderdown.independence.kernels.contingency import (
    Rules,
    fill_margins,
    judge_block,
    n_log_n_table,
    put_x_square,
)
from eiderdown.independence.kernels.moments import exact_tables
from eiderdown.independence.kernels.subsets import (
    Columns,
    Judging,
    Step,
    answer_pairs,
    max_p_over_subsets,
    workspace_for,
)
from eiderdown.independence.levels import CompiledLevels
from eiderdown.independence.passes import max_p_in_passes
from eiderdown.options import Option, checked_options, options_of
from eiderdown.statistics import (
    CountBlock,
    Counts,
    CountStatistics,
    count_source,
    index_planes,
)
from eiderdown.statistics.cost import PER_MASKED_WORD, THREADS_PAY_FROM
from eiderdown.statistics.counts import Consume

_MOST_FRESH = 1_000_000  # tests that one thread can hand back from one call

MOST_QUICK_COLUMNS = 4_096
"""Bit planes of more columns are not made for the sake of single questions."""

MOST_QUICK_BITS = 4_000_000
"""Cells times rows up to which masks beat a scatter over codes for a single question."""

QUICK_PAYS_FROM = 512
"""So many questions of a test go by sweeps first: compiling the quick way takes seconds."""

MOST_SUBSET_STRATA = 4_096
"""Beyond this many strata a scatter over codes beats masks."""

DegreesOfFreedom: TypeAlias = Annotated[
    Literal["adjusted", "nominal"], Option("how degrees of freedom are counted")
]

_MOST_STRATA = 1e290  # keeps products of very many categories finite


def unused_rules(n_rows: int) -> Rules:
    """Return rules for a test that is not judged by them, but for the rows."""
    return Rules(frozen(np.zeros(1, dtype=np.int64)), 1.0, n_rows, False, False, 0.0, 0.0)


Judge: TypeAlias = Callable[[Counts, Counts, FloatArray], None]
"""Writes the values of candidates, given their tables and what these sum to over x."""


class ContingencyTest(CompiledTest):
    """What tests of contingency tables share: they count, and judge the counts.

    Parameters
    ----------
    data : Dataset
        The table; tested columns must be discrete.
    judging : Judging
        How counts become a judged test, for searches over subsets.
    n_jobs : int or None
        Threads; None means every available core. Results do not depend on it.
    """

    takes_missing = True

    def __init__(self, data: Dataset, judging: Judging, n_jobs: int | None) -> None:
        super().__init__(data.names)
        self.statistics = count_source(data, n_jobs=n_jobs)
        self._n_categories = data.n_categories.astype(np.float64)
        self._judging = judging
        self._n_asked = 0

    def test(self, x: int, y: int, given: Sequence[int] = ()) -> IndependenceResult:
        """Test one pair."""
        conditions = self._checked_question(x, y, given)
        if not self._is_quick(x, y, conditions):
            return super().test(x, y, given)
        return IndependenceResult.of(x, y, conditions, self._answered([(x, y, conditions)])[0])

    def pairs(self, questions: Sequence[Question]) -> IndependenceBatch:
        """Answer a list of questions (x, y, given), those about few cells in compiled calls."""
        asked = [(x, y, self._checked_question(x, y, given)) for x, y, given in questions]
        if not self._in_memory and asked:
            sweeps = [(np.array([x], dtype=np.int64), y, given) for x, y, given in asked]
            return IndependenceBatch.joined(self.sweeps(sweeps))
        values = np.empty((len(asked), N_VALUES))
        groups: dict[int, list[int]] = defaultdict(list)
        for position, (x, y, given) in enumerate(asked):
            if self._is_quick(x, y, given):
                groups[self._quick[1][y]].append(position)
            else:
                values[position] = self.sweep([x], y, given).values[0]
        for positions in groups.values():
            values[positions] = self._answered([asked[i] for i in positions])
        xs, ys = (np.array([q[i] for q in asked], dtype=np.int64) for i in (0, 1))
        return IndependenceBatch(xs, ys, [given for _, _, given in asked], values)

    @cached_property
    def _quick(self) -> tuple[list[bool], list[int]]:
        """Which columns have planes and no missing values, and how many categories each has."""
        data = self.statistics.data
        usable = np.zeros(data.n_columns, dtype=np.bool_)
        has_own_sweep = type(self)._sweep is not ContingencyTest._sweep
        if self._in_memory and data.n_columns <= MOST_QUICK_COLUMNS and not has_own_sweep:
            usable = (self._columns.first >= 0) & ~data.has_missing
        return usable.tolist(), data.n_categories.tolist()

    def _is_quick(self, x: int, y: int, given: tuple[int, ...]) -> bool:
        """Whether one question, after many, is answered sooner from bit planes than by a sweep."""
        self._n_asked += 1
        if self._n_asked <= QUICK_PAYS_FROM:
            return False
        usable, n_categories = self._quick
        if not (usable[x] and usable[y] and all(map(usable.__getitem__, given))):
            return False
        n_cells = n_categories[y] * math.prod(map(n_categories.__getitem__, given))
        return n_cells * (self._judging.rules.n_rows + 64) <= MOST_QUICK_BITS

    def _answered(self, questions: list[tuple[int, int, tuple[int, ...]]]) -> FloatArray:
        """Return the values of questions whose targets have as many categories."""
        pairs = np.array([(x, y) for x, y, _ in questions], dtype=np.int64)
        most = max(len(given) for _, _, given in questions)
        rows = [(*given, *(-1,) * (most - len(given))) for _, _, given in questions]
        subsets = frozen(np.array(rows, dtype=np.int64).reshape(len(rows), most))
        step = Step(pairs[:1, 0], int(pairs[0, 1]), subsets, 0.0)
        workspace = workspace_for(self._columns, step, self._judging.rules.n_rows)
        values = np.empty((len(questions), N_VALUES))
        answer_pairs(self._columns, self._judging, pairs, subsets, workspace, values)
        return values

    @abstractmethod
    def _judge(self, shared: Counts, given: tuple[int, ...]) -> Judge:
        """Return what judges the tables of a sweep; ``shared`` is what most of them sum to."""

    def _sweep(
        self, candidates: IntArray, target: int, given: tuple[int, ...]
    ) -> IndependenceBatch:
        if len(candidates) == 1 and self._is_quick(int(candidates[0]), target, given):
            values = self._answered([(int(candidates[0]), target, given)])
            return IndependenceBatch(candidates, np.array([target]), (given,), values)
        sweeps = self._compiled_sweeps
        if sweeps is None or not sweeps.takes(candidates, target, given):
            return self.sweeps([(candidates, target, given)])[0]
        if not PATIENCE_WITH_BLOCKS.is_over:
            with PATIENCE_WITH_BLOCKS.measured():
                return self.sweeps([(candidates, target, given)])[0]
        values, unsaid = sweeps.values(candidates, target, given)
        if len(unsaid):
            values[unsaid] = self.sweeps([(candidates[unsaid], target, given)])[0].values
        y = np.full(len(candidates), target, dtype=np.int64)
        return IndependenceBatch(candidates, y, (given,) * len(candidates), values)

    @cached_property
    def _compiled_sweeps(self) -> CountSweeps | None:
        statistics = self.statistics
        if not isinstance(statistics, CountStatistics):
            return None
        if not CountSweeps.take(statistics, self._judging):
            return None
        return CountSweeps(statistics, self._columns, self._judging)

    def sweeps(
        self, questions: Sequence[tuple[IntArray, int, tuple[int, ...]]]
    ) -> list[IndependenceBatch]:
        """Answer several questions of a sweep, perhaps all in one pass over the rows.

        Nothing is checked, and conditioning sets are in the order of names.
        """
        batches = [
            IndependenceBatch.of_sweep(xs, target, given, allows=Allows.NOTHING)
            for xs, target, given in questions
        ]

        def begin(number: int, shared: Counts) -> Consume:
            judge = self._judge(shared, questions[number][2])

            def keep(block: CountBlock) -> None:
                for positions, counts, table in block.parts(shared):
                    values = np.empty((len(positions), N_VALUES))
                    if table.any():  # else not one row has a value in all columns
                        judge(counts, table, values)
                        batches[number].values[positions] = values

            return keep

        self.statistics.count_all(questions, begin)
        return batches

    @property
    def _in_memory(self) -> bool:
        return isinstance(self.statistics, CountStatistics)

    def takes_subsets(self, candidates: IntArray, target: int, subsets: IntArray) -> bool:
        """Whether all have bit planes and no missing values, and the strata are not too many."""
        if not self._in_memory:
            return True
        first = self._columns.first
        conditions = np.unique(subsets)
        conditions = conditions[conditions >= 0]
        categories = np.sort(self._n_categories[conditions])[::-1]
        incomplete = self.statistics.data.has_missing
        return bool(
            not incomplete[target]
            and not incomplete[conditions].any()
            and not incomplete[candidates].any()
            and np.prod(categories[: subsets.shape[1]]) <= MOST_SUBSET_STRATA
            and first[target] >= 0
            and np.all(first[candidates] >= 0)
            and np.all(first[conditions] >= 0)
        )

    def max_p_of_subsets(
        self, candidates: IntArray, target: int, subsets: IntArray, alpha: float, cache: ResultTable
    ) -> IndependenceBatch:
        """See :meth:`CompiledTest.max_p_of_subsets`; threads share the candidates."""
        if not self._in_memory:
            return max_p_in_passes(self, candidates, target, subsets, alpha, cache)
        step = Step(frozen(candidates.view()), target, frozen(subsets.view()), math.log(alpha))
        values = np.zeros((len(candidates), N_VALUES))
        chosen = np.empty(len(candidates), dtype=np.int64)
        cost = PER_MASKED_WORD * len(candidates) * len(subsets) * self._judging.rules.n_rows
        n_jobs = min(self.statistics.workers.n_jobs, len(candidates))
        if n_jobs == 1 or cost <= THREADS_PAY_FROM:
            self._search(step, (cache, cache), values, chosen)
        else:
            self._share_out(step, cache, values, chosen, n_jobs)
        return IndependenceBatch.of_subsets(candidates, target, subsets, chosen, values)

    def _share_out(
        self, step: Step, cache: ResultTable, values: FloatArray, chosen: IntArray, n_jobs: int
    ) -> None:
        """Give each thread some of the candidates and a table for what it computes."""
        cuts = np.linspace(0, len(step.candidates), n_jobs + 1).astype(int)
        parts = [slice(a, b) for a, b in pairwise(cuts.tolist())]
        n_tests = [(part.stop - part.start) * len(step.subsets) for part in parts]
        fresh = [ResultTable.for_tests(min(n, _MOST_FRESH)) for n in n_tests]

        def search_part(k: int) -> None:
            part = parts[k]
            here = step._replace(candidates=step.candidates[part])
            self._search(here, (cache, fresh[k]), values[part], chosen[part])

        self.statistics.workers.each(search_part, range(n_jobs), pays=True)
        for table in fresh:
            absorb(cache, table)

    def _search(
        self,
        step: Step,
        tables: tuple[ResultTable, ResultTable],
        values: FloatArray,
        chosen: IntArray,
    ) -> None:
        workspace = workspace_for(self._columns, step, self._judging.rules.n_rows)
        max_p_over_subsets(self._columns, self._judging, step, workspace, tables, values, chosen)

    def copies(self) -> IntArray | None:
        """Return a number for each column that those share which split the rows alike."""
        return self._copies

    @cached_property
    def _copies(self) -> IntArray | None:
        return copy_classes(self.statistics.data)

    def compiled_levels(self, variables: IntArray) -> CompiledLevels | None:
        """Return what does a level in compiled code, if all columns are complete and of bytes."""
        has_own_sweep = type(self)._sweep is not ContingencyTest._sweep
        if has_own_sweep or not isinstance(self.statistics, CountStatistics):
            return None
        return self._levels if CountLevels.takes(self.statistics.data, variables) else None

    @cached_property
    def _levels(self) -> CountLevels:
        assert isinstance(self.statistics, CountStatistics)
        return CountLevels(self.statistics, self._columns, self._judging)

    def counted_table(self, variables: IntArray) -> CountedTable | None:
        """Return the bit planes, if all columns have them and no missing values."""
        usable, _ = self._quick
        if self._judging.pearson or not all(map(usable.__getitem__, variables.tolist())):
            return None
        return CountedTable(self._columns, self._judging, self.statistics.workers.n_jobs)

    @cached_property
    def _columns(self) -> Columns:
        index = index_planes(self.statistics.data)
        return Columns(index.planes, index.first, self.statistics.data.n_categories)


class NominalTest(ContingencyTest):
    """What G2 and X2 share, which are compared with a chi-square distribution.

    Parameters
    ----------
    data : Dataset
        The table; tested columns must be discrete.
    dof : {"adjusted", "nominal"}
        How degrees of freedom are counted.
    reliability : {"rows_per_stratum", "rows_per_dof", "rows_per_cell", "always"}
        What the rows are compared with to trust a test; see ``ReliabilityRule``.
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
        given = {"dof": dof, "reliability": reliability, "min_rows": min_rows}
        checked_options(options_of(NominalTest), given, type(self).__name__)
        self.dof, self.reliability, self.min_rows = dof, reliability, min_rows
        n_log_n, unit = n_log_n_table(data.n_rows)
        # Nominal degrees of freedom count every stratum, so none may be left out.
        leaves_out = reliability == "rows_per_stratum" and dof == "adjusted"
        self._rules = Rules(
            n_log_n=n_log_n,
            unit=unit,
            n_rows=data.n_rows,
            nominal=dof == "nominal",
            per_cell=reliability == "rows_per_cell",
            min_rows=0.0 if reliability == "always" else min_rows,
            min_rows_of_stratum=min_rows if leaves_out else 0.0,
        )
        judging = Judging(self._rules, exact_tables(1, 2, 1.0), False, self._pearson)
        super().__init__(data, judging, n_jobs)

    @property
    def description(self) -> dict[str, object]:
        """Name and options of the test, for the record of a run."""
        return {
            "test": type(self).__name__,
            "dof": self.dof,
            "reliability": self.reliability,
            "min_rows": self.min_rows,
        }

    def _judge(self, shared: Counts, given: tuple[int, ...]) -> Judge:
        n_strata = min(math.prod(self._n_categories[list(given)].tolist()), _MOST_STRATA)
        of_all = self._margins(shared)

        def judge(counts: Counts, table: Counts, values: FloatArray) -> None:
            rules, margins = of_all if table is shared else self._margins(table)
            judge_block(rules, counts, margins, n_strata, values)
            if self._pearson:
                put_x_square(rules, counts, table, margins, values)

        return judge

    def _margins(self, table: Counts) -> tuple[Rules, IntArray]:
        """Return what a table of strata and target categories says of all tests that sum to it."""
        rules, margins = self._rules, np.empty((len(table), 3), dtype=np.int64)
        fill_margins(rules, table, margins)
        n_rows = int(margins[:, 0].sum())
        return (rules if n_rows == rules.n_rows else rules._replace(n_rows=n_rows)), margins

    def _is_quick(self, x: int, y: int, given: tuple[int, ...]) -> bool:
        return not self._pearson and super()._is_quick(x, y, given)

    def takes_subsets(self, candidates: IntArray, target: int, subsets: IntArray) -> bool:
        """As for any other, but for G2 alone."""
        return not self._pearson and super().takes_subsets(candidates, target, subsets)


class GSquareTest(NominalTest):
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


class ChiSquareTest(NominalTest):
    """Pearson's X2 test; its effect size is conditional mutual information in nats."""

    _pearson = True
