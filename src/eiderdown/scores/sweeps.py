"""Many questions of a score in the arrays that one compiled call takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, NamedTuple, TypeAlias

import numpy as np

from eiderdown.arrays import FloatArray, IntArray, frozen

Sweep: TypeAlias = tuple[int, tuple[int, ...], IntArray]
"""A child, its parents in the order of names, and the candidates to add to them."""

_NOBODY = frozen(np.array([-1], dtype=np.int64))
NO_CANDIDATES = frozen(np.empty(0, dtype=np.int64))


class PackedSweeps(NamedTuple):
    """Sweeps one after the other; a candidate -1 is nobody, the child as it is.

    Unless something else is said, that is the first candidate of each.
    """

    children: Annotated[IntArray, "int64[::1]"]
    parents: Annotated[IntArray, "int64[:, ::1]"]  # a row for each sweep, filled up with -1
    starts: Annotated[IntArray, "int64[::1]"]  # where the candidates of each sweep begin, and end
    ends: Annotated[IntArray, "int64[::1]"]
    candidates: Annotated[IntArray, "int64[::1]"]

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

    def sweeps(self) -> Iterator[Sweep]:
        """Give the sweeps back, one by one.

        Examples
        --------
        >>> list(PackedSweeps.of([(1, (4, 0), NO_CANDIDATES)]).sweeps())
        [(1, (4, 0), array([], dtype=int64))]
        """
        sets = self.parents.tolist()
        bounds = zip(self.starts.tolist(), self.ends.tolist(), strict=True)
        for child, parents, (start, end) in zip(self.children.tolist(), sets, bounds, strict=True):
            family = tuple(z for z in parents if z >= 0)
            yield child, family, self.candidates[start + 1 : end]

    def gains(self, scores: FloatArray) -> list[FloatArray]:
        """Say for each sweep what its candidates add to the score of the child as it is."""
        gains = scores - np.repeat(scores[self.starts], self.ends - self.starts)
        return [of_sweep[1:] for of_sweep in self.apart(gains)]

    def apart(self, numbers: FloatArray) -> list[FloatArray]:
        """Give each sweep its own numbers."""
        bounds = zip(self.starts.tolist(), self.ends.tolist(), strict=True)
        return [numbers[start:end] for start, end in bounds]


def padded(parent_sets: Sequence[tuple[int, ...]]) -> IntArray:
    """Return a row for each set, filled up with -1."""
    sets = np.full((len(parent_sets), max(map(len, parent_sets))), -1, dtype=np.int64)
    for k, parents in enumerate(parent_sets):
        sets[k, : len(parents)] = parents
    return sets
