"""Tests from a random share of which the strongest is chosen, as often as somebody asks."""

from __future__ import annotations

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.independence.batch import IndependenceBatch, IndependenceResult


def n_of_share(n: int, fraction: float) -> int:
    """Return how many of n tests are chosen from."""
    return max(1, int(n * fraction))


class Shortlist:
    """Those tests of a batch that count, in the order of names and in that of their strength.

    In the order of names the same seed makes the same choice whatever the order of the columns.

    Parameters
    ----------
    batch : IndependenceBatch
        The tests.
    name_rank : IntArray
        The rank of each variable's name.
    """

    def __init__(self, batch: IndependenceBatch, name_rank: IntArray) -> None:
        counting = np.flatnonzero(batch.admissible)
        by_name = counting[np.argsort(name_rank[batch.x[counting]])]
        self._batch = batch
        self._by_strength = batch.by_strength(name_rank)[: len(by_name)]
        strength = np.empty(len(batch), dtype=np.int64)
        strength[self._by_strength] = np.arange(len(by_name))
        self._strength: IntArray = strength[by_name]
        self._results: dict[int, IndependenceResult] = {}

    @property
    def strength(self) -> IntArray:
        """The place of each test by strength, in the order of names."""
        return self._strength

    def variable(self, place: int) -> int:
        """Return whom the test at a place by strength is about."""
        return int(self._batch.x[self._by_strength[place]])

    def strongest_of_some(
        self, fraction: float, generator: np.random.Generator
    ) -> IndependenceResult | None:
        """Return the strongest of a random share of the tests, at least one; None if none count.

        Examples
        --------
        >>> batch = IndependenceBatch.of_sweep(np.array([0, 1]), 2, (), log_p=[-1.0, -9.0])
        >>> both = Shortlist(batch, np.arange(3))
        >>> [both.strongest_of_some(share, np.random.default_rng(1)).x for share in (0.0, 1.0)]
        [0, 1]
        """
        n = len(self._strength)
        if n == 0:
            return None
        drawn = generator.choice(n, n_of_share(n, fraction), replace=False)
        best = int(np.minimum.reduce(self._strength[drawn]))
        if best not in self._results:
            self._results[best] = self._batch[int(self._by_strength[best])]
        return self._results[best]
