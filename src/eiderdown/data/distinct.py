"""How many different values there are among very many, in bounded memory.

Values are hashed, and of the hashes those are kept whose last bits are 0: all at first, half as
many each time that too many are held (adaptive sampling: Flajolet 1990, "On adaptive sampling").
Up to `MOST` values the count is exact; beyond, it errs by about 0.1 %.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import WordArray

MOST: Final = 1 << 20
"""Hashes that are held."""


class DistinctCount:
    """Counts different integers.

    Examples
    --------
    >>> count = DistinctCount()
    >>> count.add(np.array([3, 5, 3]))
    >>> count.estimate()
    2
    """

    def __init__(self, depth: int = 0, held: Sequence[int] = ()) -> None:
        self.depth = depth
        self.held: WordArray = np.array(held, np.uint64)

    def add(self, values: NDArray[Any]) -> None:
        """Count further values."""
        hashes = np.unique(self._sampled(_mixed(values.astype(np.int64, copy=False))))
        self.held = np.union1d(self.held, hashes)
        while len(self.held) > MOST:
            self.depth += 1
            self.held = self._sampled(self.held)

    def _sampled(self, hashes: WordArray) -> WordArray:
        mask = np.uint64((1 << self.depth) - 1)
        return hashes if self.depth == 0 else hashes[(hashes & mask) == 0]

    def estimate(self) -> int:
        """Return how many different values there were."""
        return len(self.held) << self.depth


def _mixed(values: NDArray[np.int64]) -> WordArray:
    """Hash integers one to one (the finalizer of SplitMix64)."""
    words = values.view(np.uint64).copy()
    words ^= words >> np.uint64(30)
    words *= np.uint64(0xBF58476D1CE4E5B9)
    words ^= words >> np.uint64(27)
    words *= np.uint64(0x94D049BB133111EB)
    words ^= words >> np.uint64(31)
    return words


def hashed_texts(texts: Sequence[Any]) -> NDArray[np.int64]:
    """Return integers for texts, the same in every process."""
    from pandas.util import hash_array

    cells = np.empty(len(texts), object)
    cells[:] = [str(text) for text in texts]
    return hash_array(cells, categorize=False).view(np.int64)
