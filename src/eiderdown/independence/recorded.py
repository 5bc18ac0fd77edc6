"""A test that writes down what is new to it, so that another can count it in its turn.

Searches that are made out of order, or in another process, remember tests for themselves. What each
of them asked is retold to one test in the order of the searches. That test has then counted, and
remembers, what it would have if it had been asked itself, as long as nothing is forgotten.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.independence.batch import IndependenceBatch
from eiderdown.independence.cache import CachedTest

Sweep: TypeAlias = tuple[bytes, int, tuple[int, ...]]
"""The candidates, the target and the conditioning set of a sweep."""


New: TypeAlias = dict[Sweep, FloatArray] | None
"""Sweeps with their values; None for none."""

Asked: TypeAlias = tuple[int, New]
"""What a search asked: how many tests of sweeps that earlier ones here had asked for, too, and the
other sweeps. A test to which all earlier searches were retold counts the one and takes over the
other."""


def n_of(new: New) -> int:
    """How many tests there are."""
    return sum(map(len, new.values())) if new else 0


def take_over(test: CachedTest, new: New) -> None:
    """Let a test count and remember sweeps as if they were made by it."""
    for (candidates, target, given), values in (new or {}).items():
        test.take_over(np.frombuffer(candidates, dtype=np.int64), target, given, values)


class RecordedTest(CachedTest):
    """Count, remember, and write down sweeps; for searches that ask for nothing but sweeps."""

    def __init__(self, other: CachedTest) -> None:
        super().__init__(other.inner)
        self.notes, self.why = other.notes, other.why
        self._seen: set[Sweep] = set()
        self._n_repeated, self._new = 0, dict[Sweep, FloatArray]()

    def taken(self) -> Asked:
        """Return what was asked since the last time."""
        asked = self._n_repeated, self._new or None
        self._n_repeated, self._new = 0, {}
        return asked

    def count_repeated(self, n: int) -> None:
        """Count tests of sweeps that were asked for before."""
        self._n_repeated += n

    def _sweep(
        self, candidates: IntArray, target: int, given: tuple[int, ...]
    ) -> IndependenceBatch:
        batch = super()._sweep(candidates, target, given)
        sweep = (candidates.tobytes(), target, given)
        if sweep in self._seen:
            self.count_repeated(len(batch))
        else:
            self._seen.add(sweep)
            self._new[sweep] = batch.values
        return batch
