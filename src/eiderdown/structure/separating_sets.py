"""What separated pairs of variables, in arrays: of a thousand columns it is half a million pairs.

A pair is one number, and what separated it another, because most pairs share the empty set. That
takes 12 bytes for most pairs, where a dictionary of sets takes 300, and nothing is made for a pair
before somebody looks at it.
"""

from __future__ import annotations

from collections.abc import Collection, ItemsView, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import BoolArray, IntArray
from eiderdown.independence.batch import SetRows

Part: TypeAlias = tuple[int | IntArray, IntArray, Sequence[tuple[int, ...]] | None]


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
        parts : iterable of (int or IntArray, IntArray, sequence of tuple of int or None)
            A variable, or several, others, and for each of these what separated the two; None if
            nothing was given to any.
        """
        pairs, which = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int32)]
        sets: list[Sequence[tuple[int, ...]]] = [[()]]
        n_sets = 1
        for x, others, given in parts:
            pairs.append(np.minimum(x, others) * n_variables + np.maximum(x, others))
            which.append(np.zeros(len(others), dtype=np.int32))
            if given is not None:
                which[-1] += np.arange(n_sets, n_sets + len(others), dtype=np.int32)
                sets.append(given)
                n_sets += len(others)
        in_order, first = np.unique(np.concatenate(pairs), return_index=True)
        used, numbers = np.unique(np.concatenate(which)[first], return_inverse=True)
        rows = in_rows(sets).rows[used.astype(np.int64)]
        return cls(n_variables, in_order, numbers.astype(np.int32), SetRows(rows))

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
        sets = list(self._sets)
        return dict(zip(self, map(sets.__getitem__, self._which.tolist()), strict=True)).items()

    def _taken(self, keep: BoolArray) -> SeparatingSets:
        return SeparatingSets(self._n, self._pairs[keep], self._which[keep], self._sets)


def in_rows(parts: Sequence[Sequence[tuple[int, ...]]]) -> SetRows:
    """Put the sets of some parts, one at least, one behind the other.

    Examples
    --------
    >>> list(in_rows([[(3,), ()], SetRows(np.array([[1, 2]]))]))
    [(3,), (), (1, 2)]
    """
    rows = [part.rows if isinstance(part, SetRows) else _padded(part) for part in parts]
    width = max(part.shape[1] for part in rows)
    return SetRows(np.concatenate([_widened(part, width) for part in rows]))


def _padded(sets: Sequence[tuple[int, ...]]) -> IntArray:
    width = max(map(len, sets), default=0)
    rows = [[*given, *[-1] * (width - len(given))] for given in sets]
    return np.array(rows, dtype=np.int64).reshape(len(sets), width)


def _widened(rows: IntArray, width: int) -> IntArray:
    missing = width - rows.shape[1]
    return np.pad(rows, ((0, 0), (0, missing)), constant_values=-1) if missing else rows
