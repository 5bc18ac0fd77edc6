"""A test that writes down what it was asked, so that another can count it in its turn.

Searches that are made out of order, or in another process, remember tests for themselves. What each
of them asked is retold to one test in the order of the searches (:class:`Retelling`). That test has
then counted, and remembers, what it would have if it had been asked itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.independence.batch import IndependenceBatch
from eiderdown.independence.cache import CachedTest

Sweep: TypeAlias = tuple[bytes, int, tuple[int, ...]]
"""The candidates, the target and the conditioning set of a sweep."""

_BYTES = 8  # of a candidate


@dataclass
class Asked:
    """The sweeps that a search asked for, with the values of those that were new to its process."""

    sweeps: list[Sweep] = field(default_factory=list)
    values: dict[Sweep, FloatArray] = field(default_factory=dict)


class RecordedTest(CachedTest):
    """Count, remember, and write down sweeps; for searches that ask for nothing but sweeps."""

    def __init__(self, other: CachedTest) -> None:
        super().__init__(other.inner)
        self.notes, self.why = other.notes, other.why
        self._seen: set[Sweep] = set()
        self._asked = Asked()

    def taken(self) -> Asked:
        """Return what was asked since the last time."""
        asked, self._asked = self._asked, Asked()
        return asked

    def _sweep(
        self, candidates: IntArray, target: int, given: tuple[int, ...]
    ) -> IndependenceBatch:
        batch = super()._sweep(candidates, target, given)
        sweep = (candidates.tobytes(), target, given)
        self._asked.sweeps.append(sweep)
        if sweep not in self._seen:
            self._seen.add(sweep)
            self._asked.values[sweep] = batch.values
        return batch


class Retelling:
    """Tells a test what others asked, in turn.

    Parameters
    ----------
    test : CachedTest
        Who is told; nobody else asks it meanwhile.
    """

    def __init__(self, test: CachedTest) -> None:
        self._test = test
        self._told: set[Sweep] = set()

    def tell(self, asked: Asked) -> None:
        """Let the test count and remember what a search asked."""
        for sweep in asked.sweeps:
            candidates, target, given = sweep
            if sweep in self._told and not self._test.forgets:
                self._test.repeat(len(candidates) // _BYTES)
            else:
                self._told.add(sweep)
                xs = np.frombuffer(candidates, dtype=np.int64)
                self._test.take_over(xs, target, given, asked.values.get(sweep))
