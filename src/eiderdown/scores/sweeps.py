"""Many questions of a score in the arrays that one compiled call takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from eiderdown.arrays import FloatArray, IntArray, frozen
from eiderdown.scores.base import Sweep

_NOBODY = frozen(np.array([-1], dtype=np.int64))
NO_CANDIDATES = frozen(np.empty(0, dtype=np.int64))


class PackedSweeps(NamedTuple):
    """Sweeps one after the other; the first candidate of each is -1, the child as it is."""

    children: IntArray
    parents: IntArray  # a row for each sweep, filled up with -1
    starts: IntArray  # where the candidates of each sweep begin, and end
    ends: IntArray
    candidates: IntArray

    @classmethod
    def of(cls, sweeps: Sequence[Sweep]) -> PackedSweeps:
        """Pack some sweeps.

        Examples
        --------
        >>> packed = PackedSweeps.of([(0, (3,), np.array([1, 2])), (1, (), np.array([2]))])
        >>> packed.candidates.tolist(), packed.parents.tolist()
        ([-1, 1, 2, -1, 2], [[3], [-1]])
        """
        ends = np.cumsum([1 + len(xs) for _, _, xs in sweeps])
        return cls(
            np.array([child for child, _, _ in sweeps], dtype=np.int64),
            padded([parents for _, parents, _ in sweeps]),
            np.concatenate([[0], ends[:-1]]),
            ends,
            np.concatenate([xs for sweep in sweeps for xs in (_NOBODY, sweep[2])]),
        )

    def gains(self, scores: FloatArray) -> list[FloatArray]:
        """Say for each sweep what its candidates add to the score of the child as it is."""
        gains = scores - np.repeat(scores[self.starts], self.ends - self.starts)
        bounds = zip(self.starts.tolist(), self.ends.tolist(), strict=True)
        return [gains[start + 1 : end] for start, end in bounds]


def padded(parent_sets: Sequence[tuple[int, ...]]) -> IntArray:
    """Return a row for each set, filled up with -1."""
    sets = np.full((len(parent_sets), max(map(len, parent_sets))), -1, dtype=np.int64)
    for k, parents in enumerate(parent_sets):
        sets[k, : len(parents)] = parents
    return sets
