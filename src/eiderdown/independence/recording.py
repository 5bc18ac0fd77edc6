"""A wrapper that counts tests, and answers again what was answered before.

Narrow sweeps are remembered pair by pair, and a pair is the same question in either direction.
Sweeps over very many candidates are remembered whole, within a memory budget.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.independence.base import IndependenceTest
from eiderdown.independence.batch import IndependenceBatch

_WIDE = 4_096

_Pair: TypeAlias = tuple[int, int, tuple[int, ...]]
_Place: TypeAlias = tuple[IndependenceBatch, int]


@dataclass
class TestCounts:
    """How much work a search did.

    Attributes
    ----------
    n_tests : int
        Tests that were computed.
    n_repeated : int
        Questions answered from memory.
    n_skipped : int
        Computed tests that the data could not carry.
    """

    __test__ = False  # not a test case, whatever its name begins with

    n_tests: int = 0
    n_repeated: int = 0
    n_skipped: int = 0


class RecordingTest(IndependenceTest):
    """Count the tests of another test and remember their results.

    Parameters
    ----------
    inner : IndependenceTest
        The test that does the work.
    max_results : int
        How many results to remember before the oldest are forgotten.
    """

    def __init__(self, inner: IndependenceTest, *, max_results: int = 500_000) -> None:
        super().__init__(inner.names)
        self.inner = inner
        self.counts = TestCounts()
        self._max_results = max_results
        self._pairs: OrderedDict[_Pair, _Place] = OrderedDict()
        self._sweeps: OrderedDict[tuple[int, tuple[int, ...]], IndependenceBatch] = OrderedDict()

    @property
    def description(self) -> dict[str, object]:
        """Name and options of the wrapped test."""
        return self.inner.description

    def _sweep(
        self, candidates: IntArray, target: int, given: tuple[int, ...]
    ) -> IndependenceBatch:
        if len(candidates) > _WIDE:
            return self._wide_sweep(candidates, target, given)
        places = [self._pairs.get(_pair(x, target, given)) for x in candidates.tolist()]
        unknown = np.array([place is None for place in places], dtype=np.bool_)
        self.counts.n_repeated += int(np.count_nonzero(~unknown))
        if unknown.all():
            return self._remember_pairs(self._computed(candidates, target, given))
        if unknown.any():
            fresh = self._remember_pairs(self._computed(candidates[unknown], target, given))
            for i, position in enumerate(np.flatnonzero(unknown)):
                places[position] = (fresh, i)
        known = [batch[i] for batch, i in filter(None, places)]
        return IndependenceBatch.of(
            [replace(r, x=x, y=target) for r, x in zip(known, candidates.tolist(), strict=True)]
        )

    def _wide_sweep(
        self, candidates: IntArray, target: int, given: tuple[int, ...]
    ) -> IndependenceBatch:
        key = (target, given)
        batch = self._sweeps.get(key)
        if batch is not None and np.array_equal(batch.x, candidates):
            self.counts.n_repeated += len(batch)
            self._sweeps.move_to_end(key)
            return batch
        batch = self._computed(candidates, target, given)
        self._sweeps[key] = batch
        while sum(len(kept) for kept in self._sweeps.values()) > self._max_results:
            self._sweeps.popitem(last=False)
        return batch

    def _computed(
        self, candidates: IntArray, target: int, given: tuple[int, ...]
    ) -> IndependenceBatch:
        batch = self.inner.sweep(candidates, target, given)
        self.counts.n_tests += len(batch)
        self.counts.n_skipped += int(np.count_nonzero(~batch.reliable))
        return batch

    def _remember_pairs(self, batch: IndependenceBatch) -> IndependenceBatch:
        for i, (x, y, given) in enumerate(
            zip(batch.x.tolist(), batch.y.tolist(), batch.given, strict=True)
        ):
            self._pairs[_pair(x, y, given)] = (batch, i)
        while len(self._pairs) > self._max_results:
            self._pairs.popitem(last=False)
        return batch


def _pair(x: int, y: int, given: tuple[int, ...]) -> _Pair:
    return (x, y, given) if x < y else (y, x, given)
