"""Pearson's X2 with exact moments: the test for categories that holds its level in thin tables.

Within each stratum the mean, the variance and the third moment of X2 over all permutations of one
variable are known exactly; so are those of their sum. ``kernels/contingency.py`` says how the
p-value follows. No rule of thumb about rows is needed for "dependent"; "independent" is said where
a dependence of the size ``detect`` would have been seen.

The arbiter where theory is in doubt is a test by permutation: one variable is permuted within every
stratum, and X2 counted anew, until it was as large as in the data often enough to know the p-value
(Besag & Clifford 1991), or the permutations are used up.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import Annotated, TypeAlias

import numpy as np

from eiderdown.arrays import FloatArray, IntArray, frozen
from eiderdown.data import Dataset
from eiderdown.independence.base import IndependenceTest
from eiderdown.independence.batch import ALLOWS, N_USED, N_VALUES, Allows, IndependenceBatch
from eiderdown.independence.contingency import ContingencyTest, Judge, unused_rules
from eiderdown.independence.kernels.contingency import LEAST_ROWS, judge_calibrated
from eiderdown.independence.kernels.moments import (
    Room,
    Rows,
    count_as_large,
    exact_tables,
    fill_weights,
)
from eiderdown.independence.kernels.subsets import Judging
from eiderdown.independence.power import SIZES, Detect
from eiderdown.options import Option, checked_options, options_of
from eiderdown.randomness import as_seed
from eiderdown.shared_options import RandomSeed
from eiderdown.statistics import Counts, CountStatistics, PartitionedCounts
from eiderdown.statistics.counts import CountBlock


class CalibratedChiSquareTest(ContingencyTest):
    """Pearson's X2 within strata, against its own permutations.

    Its degrees of freedom are the mean of X2 over all permutations, its effect size is Cohen's w
    less what chance alone gives, and ``n_used`` counts the rows of strata in which both variables
    vary.

    Parameters
    ----------
    data : Dataset
        The table; tested columns must be discrete.
    detect : {"small", "medium", "large"}
        How large a dependence must be to be ruled out before two variables are independent.
    n_jobs : int or None
        Threads; None means every available core. Results do not depend on it.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> a = rng.integers(0, 2, 1000)
    >>> b = a ^ (rng.random(1000) < 0.1)
    >>> c = rng.integers(0, 2, 1000)
    >>> test = CalibratedChiSquareTest(Dataset.from_columns({"a": a, "b": b, "c": c, "d": a}))
    >>> test.test(0, 1).answer(0.01), test.test(0, 2, given=[1]).answer(0.01)
    ('dependent', 'independent')
    >>> test.test(0, 1, given=[3]).answer(0.01)
    'cannot say'
    """

    def __init__(
        self, data: Dataset, *, detect: Detect = "medium", n_jobs: int | None = None
    ) -> None:
        checked_options(
            options_of(CalibratedChiSquareTest), {"detect": detect}, type(self).__name__
        )
        self.detect = detect
        n_most = int(data.n_categories.max(initial=2))
        self._exact = exact_tables(data.n_rows, n_most, SIZES[detect])
        super().__init__(data, Judging(unused_rules(data.n_rows), self._exact, True, False), n_jobs)

    @property
    def description(self) -> dict[str, object]:
        """Name and options of the test, for the record of a run."""
        return {"test": type(self).__name__, "detect": self.detect}

    def _judge(self, shared: Counts, given: tuple[int, ...]) -> Judge:  # noqa: ARG002
        def judge(counts: Counts, table: Counts, values: FloatArray) -> None:
            judge_calibrated(self._exact, Room.of(len(table), len(counts)), counts, table, values)

        return judge

    def sweeps(
        self, questions: Sequence[tuple[IntArray, int, tuple[int, ...]]]
    ) -> list[IndependenceBatch]:
        """As :meth:`ContingencyTest.sweeps`; of many strata in parts, those that say something."""
        statistics = self.statistics
        if not isinstance(statistics, PartitionedCounts):
            return super().sweeps(questions)
        many = [statistics.needs_passes(*question) for question in questions]
        rest = [q for q, is_many in zip(questions, many, strict=True) if not is_many]
        few = iter(super().sweeps(rest))
        return [
            self._sweep_of_many(statistics, question) if is_many else next(few)
            for question, is_many in zip(questions, many, strict=True)
        ]

    def _sweep_of_many(
        self, statistics: PartitionedCounts, question: tuple[IntArray, int, tuple[int, ...]]
    ) -> IndependenceBatch:
        """Count candidates only where the target varies in enough rows, which is all that counts.

        Where a candidate is constant there, it may be a function of the set, or strata be too thin
        to say so; who cannot be told from the table of the target alone is counted whole.
        """
        candidates, target, given = question
        found = statistics.strata_of(target, given)
        rows, varies = found.table.sum(axis=1), np.count_nonzero(found.table, axis=1) > 1
        kept = varies & (rows >= LEAST_ROWS)
        batch = IndependenceBatch.of_sweep(candidates, target, given, allows=Allows.NOTHING)
        table = np.ascontiguousarray(found.table[kept])
        judge = self._judge(table, given)

        def keep(block: CountBlock) -> None:
            for positions, counts, own in block.parts(table):
                values = np.empty((len(positions), N_VALUES))
                judge(counts, own, values)
                batch.values[positions] = values

        if kept.any():
            statistics.count_within(question, found.keys[kept], keep)
        silent = batch.values[:, N_USED] == 0
        are_thin = (varies & ~kept).any()
        is_thick = rows.sum() >= LEAST_ROWS * np.count_nonzero(rows)
        batch.values[silent, ALLOWS] = Allows.FUNCTION if is_thick else Allows.NOTHING
        unsure = silent & (self.statistics.data.has_missing[candidates] | (is_thick & are_thin))
        if unsure.any():
            again = super().sweeps([(candidates[unsure], target, given)])[0]
            batch.values[unsure] = again.values
        return batch


Permutations: TypeAlias = Annotated[
    int, Option("most permutations of one test", at_least=99, metavar="N")
]

ENOUGH = 20
"""After so many permutations with an X2 as large as that of the data a test stops."""


class PermutationTest(IndependenceTest):
    """Pearson's X2 against permutations of one variable within strata.

    All but the p-value is that of :class:`CalibratedChiSquareTest`. A p-value is known to a quarter
    of itself or better, and is not less than 1 / (permutations + 1). The same question has the same
    answer whatever was asked before, and in whatever order the columns are.

    Parameters
    ----------
    data : Dataset
        The table; tested columns must be discrete.
    permutations : int
        How many there are at most.
    detect : {"small", "medium", "large"}
        How large a dependence must be to be ruled out before two variables are independent.
    random_state : int or None
        Seed of the permutations.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> a, noise = rng.integers(0, 2, (2, 100))
    >>> b = a ^ (rng.random(100) < 0.1)
    >>> test = PermutationTest(Dataset.from_columns({"a": a, "b": b, "noise": noise}))
    >>> test.test(0, 1).answer(0.01), test.test(0, 2).answer(0.01)
    ('dependent', 'independent')
    """

    def __init__(
        self,
        data: Dataset,
        *,
        permutations: Permutations = 9_999,
        detect: Detect = "medium",
        random_state: RandomSeed = 0,
    ) -> None:
        super().__init__(data.names)
        given = {"permutations": permutations, "detect": detect}
        checked_options(options_of(PermutationTest), given, type(self).__name__)
        data = data.in_memory("a permutation test")
        self.data = data
        self.permutations, self._seed = permutations, as_seed(random_state)
        self._calibrated = CalibratedChiSquareTest(data, detect=detect, n_jobs=1)

    @property
    def description(self) -> dict[str, object]:
        """Name and options of the test, for the record of a run."""
        return {
            **self._calibrated.description,
            "test": type(self).__name__,
            "permutations": self.permutations,
            "random_state": self._seed,
        }

    def _sweep(
        self, candidates: IntArray, target: int, given: tuple[int, ...]
    ) -> IndependenceBatch:
        batch = self._calibrated.sweep(candidates, target, given)
        log_p = [
            self._log_p(x, target, given) if n_used else 0.0
            for x, n_used in zip(candidates.tolist(), batch.n_used.tolist(), strict=True)
        ]
        return batch.with_columns(log_p=np.array(log_p))

    def _log_p(self, x: int, y: int, given: tuple[int, ...]) -> float:
        x, y = sorted((x, y), key=self.names.__getitem__)
        rows, codes = self._rows(x, y, given)
        weights = np.zeros((len(rows.starts) - 1, rows.n_y, rows.n_x), dtype=np.int64)
        fill_weights(rows, codes, weights)
        table = np.empty((rows.n_y, rows.n_x), dtype=np.int64)
        n_large, n_done = count_as_large(
            rows, codes, weights, table, self._seed_of((x, y, *given)), (ENOUGH, self.permutations)
        )
        if n_large == ENOUGH:
            return math.log(n_large / n_done)
        return math.log((n_large + 1) / (n_done + 1))

    def _rows(self, x: int, y: int, given: tuple[int, ...]) -> tuple[Rows, IntArray]:
        """Return the rows of strata that are large enough, and their codes of x."""
        statistics = self._calibrated.statistics
        assert isinstance(statistics, CountStatistics)
        shared = statistics.cells(y, given)
        strata = shared.cells // shared.n_target_codes
        of_x, of_y = self.data.codes(x), self.data.codes(y)
        sizes = np.bincount(strata)
        kept = np.flatnonzero(sizes[strata] >= LEAST_ROWS)
        # The order of the rows is not to matter, so it is that of what they hold.
        order = kept[np.lexsort((of_y[kept], of_x[kept], strata[kept]))]
        starts = np.append(0, np.cumsum(sizes[sizes >= LEAST_ROWS])).astype(np.int64)
        n_x, n_y = (int(self.data.n_categories[column]) for column in (x, y))
        rows = Rows(frozen(starts), frozen(of_y[order].astype(np.int64)), n_x, n_y)
        return rows, of_x[order].astype(np.int64)

    def _seed_of(self, columns: tuple[int, ...]) -> np.uint64:
        """Make a seed from the names of a question."""
        text = repr((self._seed, [self.names[column] for column in columns])).encode()
        return np.uint64(int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little"))
