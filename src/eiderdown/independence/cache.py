"""A wrapper that counts tests, and answers again what was answered before.

A pair is the same question in either direction, and a conditioning set is the same in any order.
Sweeps over very many candidates are remembered whole, a few of them; everything else goes to one
table that compiled code reads and writes too. Both have a bound; beyond it the oldest results are
forgotten, which costs time, but never changes an answer.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.independence.base import CompiledTest, IndependenceTest, require_test
from eiderdown.independence.batch import (
    ALLOWS,
    N_VALUES,
    Allows,
    IndependenceBatch,
    IndependenceResult,
)
from eiderdown.independence.kernels.cache import (
    BYTES_PER_SLOT,
    COMPUTED,
    EVICTED,
    REPEATED,
    SKIPPED,
    STORED,
    YOUNG,
    ResultTable,
    absorb,
    forget_oldest,
    merge_results,
    recall,
    remember,
)
from eiderdown.memory import Memory
from eiderdown.progress import stop_if_cancelled

if TYPE_CHECKING:
    from eiderdown.independence.base import CountedTable
    from eiderdown.independence.levels import CompiledLevels

Answer = TypeVar("Answer")

DEFAULT_MEMORY = Memory("1GB")
"""What the results of one test may take, unless somebody says otherwise."""

_WIDE = 4_096
_LEAST_SWEEPS = 3
"""So many whole sweeps are remembered, however wide: the first is asked for again in the end."""

_SMALLEST_ROOM = 2_048
_WIDE_SHARE = 0.05  # of the memory, for sweeps that are remembered whole
_BYTES_PER_WIDE_RESULT = 8 * (N_VALUES + 3)  # its values, two variables and a pointer to the set

_EARLY = 7 / 8
"""Share of the young results that there is room for, from which on :meth:`CachedTest.settle` makes
room for more."""

_MOST_TESTS_AT_ONCE = 100_000
"""Tests of one compiled search over subsets: a fraction of a second, after which it may end."""

_FEWEST_AT_ONCE = 8
"""Candidates of one such search, at least: they share the strata of every set."""


@dataclass(frozen=True)
class TestCounts:
    """How much work a search did.

    Attributes
    ----------
    n_tests : int
        Tests that were computed.
    n_repeated : int
        Questions answered from memory.
    n_skipped : int
        Computed tests that could not have said anything, whatever their p-value.
    n_evicted : int
        Results that were forgotten to make room for others; asked again, they are computed again.
    """

    __test__ = False  # not a test case, whatever its name begins with

    n_tests: int = 0
    n_repeated: int = 0
    n_skipped: int = 0
    n_evicted: int = 0

    def since(self, before: TestCounts) -> TestCounts:
        """Return what was done after an earlier count."""
        return TestCounts(
            self.n_tests - before.n_tests,
            self.n_repeated - before.n_repeated,
            self.n_skipped - before.n_skipped,
            self.n_evicted - before.n_evicted,
        )


class CachedTest(IndependenceTest):
    """Count the tests of another test and remember their results.

    Parameters
    ----------
    inner : IndependenceTest
        The test that does the work.
    memory : int
        Bytes that remembered results may take, while the memory grows, too.
    """

    def __init__(self, inner: IndependenceTest, *, memory: int = DEFAULT_MEMORY) -> None:
        require_test(inner)
        super().__init__(inner.names, inner.name_rank)
        self.inner = inner
        self.notes, self.why = inner.notes, inner.why
        self._most_room = _largest_room((1.0 - _WIDE_SHARE) * memory)
        few_sweeps = min(_LEAST_SWEEPS * len(inner.names), memory // (2 * _BYTES_PER_WIDE_RESULT))
        self._most_wide = max(few_sweeps, int(_WIDE_SHARE * memory / _BYTES_PER_WIDE_RESULT))
        self._results = ResultTable.for_tests(_SMALLEST_ROOM)
        self._sweeps: OrderedDict[tuple[int, tuple[int, ...]], IndependenceBatch] = OrderedDict()

    @property
    def description(self) -> dict[str, object]:
        """Name and options of the wrapped test, and why it was chosen if nobody named it."""
        return {**self.inner.description, **({"why": self.why} if self.why else {})}

    @property
    def counts(self) -> TestCounts:
        """How much work was done so far."""
        done = self._results.counters[COMPUTED:].tolist()
        return TestCounts(*done)

    @property
    def can_say(self) -> bool:
        """Whether at least one test so far had the rows to find a dependence."""
        kept = self._results.values[self._results.keys[0] != 0, ALLOWS]
        wide = (batch.allows for batch in self._sweeps.values())
        return any((allows >= Allows.DEPENDENCE).any() for allows in (kept, *wide))

    def test(self, x: int, y: int, given: Sequence[int] = ()) -> IndependenceResult:
        """Test one pair."""
        conditions = self._checked_question(x, y, given)
        return self._sweep(np.array([x], dtype=np.int64), int(y), conditions)[0]

    def max_p_over_subsets(
        self,
        candidates: Sequence[int] | IntArray,
        target: int,
        pool: Sequence[int],
        *,
        alpha: float,
        max_given: int,
        always: Sequence[int] = (),
    ) -> IndependenceBatch:
        """As :meth:`IndependenceTest.max_p_over_subsets`; few compiled calls if it can."""
        xs = np.ascontiguousarray(candidates, dtype=np.int64)
        if isinstance(self.inner, CompiledTest) and len(xs) <= _WIDE:
            self._check_subsets(xs, int(target), pool, max_given, always)
            subsets = self._subset_rows(pool, max_given, tuple(always))
            if self.inner.takes_subsets(xs, int(target), subsets):
                return self._compiled(self.inner, xs, int(target), subsets, alpha)
        return super().max_p_over_subsets(
            xs, target, pool, alpha=alpha, max_given=max_given, always=always
        )

    def _sets_to_try(
        self,
        xs: IntArray,
        target: int,
        pool: Sequence[int],
        max_given: int,
        always: tuple[int, ...],
    ) -> IntArray:
        return self.inner._sets_to_try(xs, target, pool, max_given, always)

    def _compiled(
        self, inner: CompiledTest, xs: IntArray, target: int, subsets: IntArray, alpha: float
    ) -> IndependenceBatch:
        """Search over subsets, some candidates at a time, so that it can be cancelled between."""
        n_at_once = max(_FEWEST_AT_ONCE, _MOST_TESTS_AT_ONCE // len(subsets)) if len(subsets) else 1
        batches = []
        for start in range(0, max(1, len(xs)), n_at_once):
            stop_if_cancelled()
            some = xs[start : start + n_at_once]
            self._make_room(len(some) * len(subsets))
            batches.append(inner.max_p_of_subsets(some, target, subsets, alpha, self._results))
        return batches[0] if len(batches) == 1 else IndependenceBatch.joined(batches)

    def copies(self) -> IntArray | None:
        """As the wrapped test."""
        return self.inner.copies()

    def compiled_levels(self, variables: IntArray) -> CompiledLevels | None:
        """As the wrapped test."""
        return self.inner.compiled_levels(variables)

    def table_for(self, n_new: int) -> ResultTable:
        """Return what counts and remembers tests, with room for some more, to compiled code."""
        self._make_room(n_new)
        return self._results

    def counted_table(self, variables: IntArray) -> CountedTable | None:
        """As the wrapped test; None where sweeps are remembered whole."""
        return self.inner.counted_table(variables) if len(variables) <= _WIDE else None

    @property
    def known(self) -> ResultTable:
        """What is remembered, for compiled code to read while nobody else asks."""
        return self._results

    def merge(self, fresh: ResultTable) -> None:
        """Take over what a search has remembered for itself, and empty its table."""
        self._make_room(int(fresh.counters[STORED]))
        merge_results(self._results, fresh)

    def apart(self, work: Callable[[], Answer]) -> tuple[Answer, ResultTable]:
        """Do some work whose tests are remembered and counted in a table of their own.

        Whole sweeps are not kept apart, so this is for tables in which there are none
        (:attr:`keeps_all_apart`).
        """
        before = self._results
        self._results = ResultTable.for_tests(_SMALLEST_ROOM)
        try:
            return work(), self._results
        finally:
            self._results = before

    @property
    def n_known(self) -> int:
        """How many results are remembered."""
        return int(self._results.counters[STORED])

    @property
    def keeps_all_apart(self) -> bool:
        """Whether no sweep is so wide that it is remembered whole."""
        return self.n_variables <= _WIDE

    def has_room(self, n_new: int) -> bool:
        """Whether a search with so many new tests makes nothing be forgotten."""
        return n_new == 0 or 2 * (self._n_young + n_new) <= _EARLY * self._most_room

    def has_room_for(self, tables: Sequence[ResultTable]) -> bool:
        """Whether tables can be merged without that anything is forgotten, here or there."""
        n_new = sum(int(table.counters[STORED]) for table in tables)
        n_forgotten = sum(int(table.counters[EVICTED]) for table in tables)
        return n_forgotten == 0 and 2 * (self._n_young + n_new) <= self._most_room

    def settle(self) -> None:
        """Forget the oldest results now, between two searches, if the next one might have to.

        Which results go then does not depend on the order in which a search has made its tests, so
        that it is the same if they were made elsewhere and merged.
        """
        if 2 * self._n_young > _EARLY * self._most_room:
            self._make_room(self._most_room - int(self._results.counters[STORED]))
            forget_oldest(self._results)

    @property
    def _n_young(self) -> int:
        """How many results are of the young generation; all, as long as the table may grow."""
        can_grow = self._results.room < self._most_room
        return int(self._results.counters[STORED if can_grow else YOUNG])

    def _sweep(
        self, candidates: IntArray, target: int, given: tuple[int, ...]
    ) -> IndependenceBatch:
        if len(candidates) > _WIDE:
            return self._wide_sweep(candidates, target, given)
        set_ = np.array(given, dtype=np.int64)
        values = np.empty((len(candidates), N_VALUES))
        n_unknown = recall(self._results, candidates, target, set_, values)
        if n_unknown == len(candidates):
            batch = self.inner._sweep(candidates, target, given)  # which was checked
            self._remember(batch, target, set_)
            return batch
        if n_unknown:
            unknown = np.isnan(values[:, ALLOWS])
            fresh = self.inner._sweep(candidates[unknown], target, given)
            values[unknown] = fresh.values
            self._remember(fresh, target, set_)
        y = np.full(len(candidates), target, dtype=np.int64)
        return IndependenceBatch(candidates, y, (given,) * len(candidates), values)

    @property
    def forgets(self) -> bool:
        """Whether any result was forgotten so far."""
        return bool(self._results.counters[EVICTED])

    def count_repeated(self, n: int) -> None:
        """Count so many questions as answered from memory."""
        self._results.counters[REPEATED] += n

    def take_over(
        self, candidates: IntArray, target: int, given: tuple[int, ...], values: FloatArray | None
    ) -> None:
        """Count and remember a sweep as if it were made here; without values, make it."""
        if values is None:
            self._sweep(candidates, target, given)
            return
        set_ = np.array(given, dtype=np.int64)
        known = np.empty((len(candidates), N_VALUES))
        if recall(self._results, candidates, target, set_, known):
            new = np.isnan(known[:, ALLOWS])
            self._make_room(int(np.count_nonzero(new)))
            remember(self._results, candidates[new], target, set_, values[new])

    def _remember(self, batch: IndependenceBatch, target: int, given: IntArray) -> None:
        self._make_room(len(batch))
        remember(self._results, batch.x, target, given, batch.values)

    def _wide_sweep(
        self, candidates: IntArray, target: int, given: tuple[int, ...]
    ) -> IndependenceBatch:
        key = (target, given)
        batch = self._sweeps.get(key)
        if batch is not None and np.array_equal(batch.x, candidates):
            self._results.counters[REPEATED] += len(batch)
            self._sweeps.move_to_end(key)
            return batch
        batch = self.inner.sweep(candidates, target, given)
        self._results.counters[COMPUTED] += len(batch)
        self._results.counters[SKIPPED] += np.count_nonzero(batch.allows < Allows.DEPENDENCE)
        self._keep_whole(key, batch)
        return batch

    def _keep_whole(self, key: tuple[int, tuple[int, ...]], batch: IndependenceBatch) -> None:
        """Remember a wide sweep, in the place of others if need be."""
        counters = self._results.counters
        counters[EVICTED] += len(self._sweeps.pop(key, ()))
        # Other searches begin with small sets, too, so the largest goes first, then the oldest.
        n_kept = sum(map(len, self._sweeps.values()))
        while self._sweeps and n_kept + len(batch) > self._most_wide:
            left = self._sweeps.pop(max(self._sweeps, key=lambda kept: len(kept[1])))
            n_kept -= len(left)
            counters[EVICTED] += len(left)
        if len(batch) <= self._most_wide:
            self._sweeps[key] = batch
        else:
            counters[EVICTED] += len(batch)

    def _make_room(self, n_new: int) -> None:
        """Enlarge the table before it forgets anything, up to its limit."""
        wanted = min(int(self._results.counters[STORED]) + n_new, self._most_room)
        while self._results.room < wanted:
            larger = ResultTable.for_tests(min(4 * self._results.room, self._most_room))
            absorb(larger, self._results)
            self._results = larger


def _largest_room(n_bytes: float) -> int:
    """Return for how many results there is memory, beside the table of half the size before it."""
    slots = int(n_bytes / (1.5 * BYTES_PER_SLOT))
    return max(_SMALLEST_ROOM, (1 << max(slots, 1).bit_length() - 1) // 2)
