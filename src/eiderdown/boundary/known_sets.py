"""What was found around many variables of one table, kept for the sake of others in bounded memory.

A search around one of 10,000 columns ends with a test of nearly all of them: given nothing, they
are independent of the target. To keep these tests for every target would take 7 GB. Nobody needs
them around a neighbour, though, and around the target itself they can be made again by one sweep.
So beyond a bound the oldest records keep of them only which variables they were about, a bit each.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from eiderdown.arrays import ByteArray
from eiderdown.independence import IndependenceBatch, IndependenceTest

if TYPE_CHECKING:
    from eiderdown.boundary.problem import Found

BYTES_PER_RESULT: Final = 72
"""What a test in a batch takes."""

MOST_RESULTS: Final = 2_000_000
"""How many tests given nothing are kept in all, unless somebody says otherwise."""

Key: TypeAlias = tuple[Callable[..., Any], float, int]
"""A search, its significance level and the variable around which it went."""


@dataclass(frozen=True)
class _LeftOut:
    """Tests given nothing that were left out of a record: of which variables, and where."""

    place: int | None  # in the list of separated ones; None for those that stayed outside
    variables: ByteArray


class KnownSets:
    """Records of searches by their keys; see the module's docstring.

    Parameters
    ----------
    most_results : int
        How many tests given nothing may be kept.
    """

    def __init__(self, most_results: int = MOST_RESULTS) -> None:
        self._most, self._n_kept = most_results, 0
        self._found: dict[Key, Found] = {}
        self._whole: deque[Key] = deque()
        self._left_out: dict[Key, list[_LeftOut]] = {}

    def __len__(self) -> int:
        return len(self._found)

    def __setitem__(self, key: Key, found: Found) -> None:
        self._found[key] = found
        n_tests = sum(len(batch) for _, batch in _given_nothing(found))
        if n_tests:
            self._whole.append(key)
            self._n_kept += n_tests
        while self._n_kept > self._most and self._whole:
            self._abridge(self._whole.popleft())

    def get(self, key: Key) -> Found | None:
        """Return a record, perhaps without tests given nothing; None if there is none."""
        return self._found.get(key)

    def once(
        self,
        key: Key,
        search: Callable[[], Found],
        test: IndependenceTest,  # noqa: ARG002  for those who keep its tests apart
    ) -> Found:
        """Return what was found before, or search with a test and remember what that finds."""
        found = self.get(key)
        if found is None:
            found = self[key] = search()
        return found

    def whole(self, key: Key, test: IndependenceTest) -> Found:
        """Return a record with all of its tests; those that were left out are made again."""
        found, target = self._found[key], key[2]
        separated, outside = list(found.separated), found.outside
        for item in self._left_out.get(key, ()):
            variables = np.flatnonzero(np.unpackbits(item.variables))
            batch = test.sweep(variables, target)
            if item.place is None:
                outside = batch
            else:
                separated.insert(item.place, batch)
        return replace(found, separated=separated, outside=outside)

    def _abridge(self, key: Key) -> None:
        found = self._found[key]
        left_out = []
        for place, batch in _given_nothing(found):
            mask = np.zeros(int(batch.x[-1]) + 1, dtype=np.bool_)
            mask[batch.x] = True
            left_out.append(_LeftOut(place, np.packbits(mask)))
            self._n_kept -= len(batch)
        self._left_out[key] = left_out
        places = {item.place for item in left_out}
        kept = [batch for i, batch in enumerate(found.separated) if i not in places]
        outside = None if None in places else found.outside
        self._found[key] = replace(found, separated=kept, outside=outside)


def _given_nothing(found: Found) -> list[tuple[int | None, IndependenceBatch]]:
    """Return the batches of tests given nothing whose variables are in order, and their places."""
    batches: Sequence[tuple[int | None, IndependenceBatch | None]] = [
        *enumerate(found.separated),
        (None, found.outside),
    ]
    return [
        (place, batch)
        for place, batch in batches
        if batch is not None
        and len(batch)
        and not batch.given[0]
        and batch.has_one_set
        and bool((np.diff(batch.x) > 0).all())
    ]
