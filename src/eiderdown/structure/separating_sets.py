"""What separated pairs of variables, in arrays: of a thousand columns it is half a million pairs.

A pair is one number, and what separated it another, because most pairs share the empty set. That
takes 12 bytes for a pair, where a dictionary of sets takes 300, and nothing is made for a pair
before somebody looks at it.
"""

from __future__ import annotations

from collections.abc import Collection, ItemsView, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import BoolArray, IntArray

Part: TypeAlias = tuple[int, IntArray, Sequence[tuple[int, ...]] | None]


class SeparatingSets(Mapping[frozenset[int], tuple[int, ...]]):
    """For some pairs of variables, a set given which they were independent.

    Parameters
    ----------
    n_variables : int
        Variables are numbered from 0 to this, left out.
    pairs : IntArray
        In increasing order, the first variable of each pair times ``n_variables``, plus the second,
        which is the larger one.
    which : int32 array
        Which of the sets separated each pair.
    sets : sequence of tuple of int
        The sets.

    Examples
    --------
    >>> parts = [(2, np.array([1, 0]), None), (0, np.array([2, 3]), [(1,), (1,)])]
    >>> found = SeparatingSets.of(4, parts)
    >>> found[frozenset((0, 2))], found[frozenset((0, 3))], frozenset((0, 1)) in found
    ((), (1,), False)
    """

    def __init__(
        self,
        n_variables: int,
        pairs: IntArray,
        which: NDArray[np.int32],
        sets: Sequence[tuple[int, ...]],
    ) -> None:
        self._n, self._pairs, self._which, self._sets = n_variables, pairs, which, sets

    @classmethod
    def of(
        cls,
        n_variables: int,
        parts: Iterable[Part],
    ) -> SeparatingSets:
        """Put together who was separated from whom by what; of each pair the first counts.

        Parameters
        ----------
        n_variables : int
            How many there are.
        parts : iterable of (int, IntArray, sequence of tuple of int or None)
            A variable, others, and for each of these what separated the two; None if nothing was
            given to any.
        """
        numbers: dict[tuple[int, ...], int] = {(): 0}
        pairs, which = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int32)]
        for x, others, sets in parts:
            pairs.append(np.minimum(x, others) * n_variables + np.maximum(x, others))
            found = (
                [0] * len(others)
                if sets is None
                else [numbers.setdefault(given, len(numbers)) for given in sets]
            )
            which.append(np.array(found, dtype=np.int32))
        in_order, first = np.unique(np.concatenate(pairs), return_index=True)
        return cls(n_variables, in_order, np.concatenate(which)[first], tuple(numbers))

    def without(self, edges: Iterable[tuple[int, int]]) -> SeparatingSets:
        """Leave the pairs of some edges out."""
        numbers = [min(edge) * self._n + max(edge) for edge in edges]
        return self._taken(~np.isin(self._pairs, np.array(numbers, dtype=np.int64)))

    def among(self, variables: Collection[int]) -> SeparatingSets:
        """Keep the pairs of some variables."""
        is_kept = np.zeros(self._n, dtype=np.bool_)
        is_kept[list(variables)] = True
        return self._taken(is_kept[self._pairs // self._n] & is_kept[self._pairs % self._n])

    def __getitem__(self, pair: frozenset[int]) -> tuple[int, ...]:
        x, y = sorted(pair)
        place = int(np.searchsorted(self._pairs, x * self._n + y))
        if place == len(self._pairs) or self._pairs[place] != x * self._n + y:
            raise KeyError(pair)
        return self._sets[int(self._which[place])]

    def __iter__(self) -> Iterator[frozenset[int]]:
        first, second = np.divmod(self._pairs, self._n)
        return map(frozenset, zip(first.tolist(), second.tolist(), strict=True))

    def __len__(self) -> int:
        return len(self._pairs)

    def items(self) -> ItemsView[frozenset[int], tuple[int, ...]]:
        """Return all pairs, each with its set."""
        return dict(
            zip(self, map(self._sets.__getitem__, self._which.tolist()), strict=True)
        ).items()

    def _taken(self, keep: BoolArray) -> SeparatingSets:
        return SeparatingSets(self._n, self._pairs[keep], self._which[keep], self._sets)
