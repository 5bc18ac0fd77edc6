"""Numbers of a table in parts by their rank over all rows, exactly, in six passes.

Numbers are told apart digit by digit, the highest first, each of 11 bits of a key that has their
order: parts count the digits of the numbers that still begin like the one wanted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.data.dataset import Dataset
from eiderdown.data.partitioned import PartitionedDataset

_SHIFTS = (53, 42, 31, 20, 9, 0)  # where digits end; the last one is of 9 bits
_SIGN = np.uint64(1) << np.uint64(63)


def order_statistics(
    data: PartitionedDataset, ranks: Mapping[int, Sequence[int]]
) -> dict[int, FloatArray]:
    """Return numbers of some columns by rank, the least of rank 0; missing ones have none.

    Examples
    --------
    >>> from eiderdown.data.partitions import MemoryPartitions
    >>> whole = Dataset.from_columns({"a": [4.5, -1.0, 2.5, None, 2.5]})
    >>> data = PartitionedDataset.over(MemoryPartitions(whole, 2), whole)
    >>> order_statistics(data, {0: (0, 1, 3)})
    {0: array([-1. ,  2.5,  4.5])}
    """
    columns = list(ranks)
    left = [np.array(own, np.int64) for own in ranks.values()]
    begins = [np.zeros(len(own), np.uint64) for own in left]
    for before, shift in pairwise((64, *_SHIFTS)):
        n_bits = before - shift
        work = partial(_digits_of_part, begins, shift, n_bits)
        counts = data.reduce(work, _added, columns)
        for k, own in enumerate(counts):
            below = np.concatenate([np.zeros((len(own), 1), np.int64), np.cumsum(own, axis=1)], 1)
            digits = (below[:, 1:] <= left[k][:, None]).sum(axis=1)
            left[k] -= below[np.arange(len(own)), digits]
            begins[k] = (begins[k] << np.uint64(n_bits)) | digits.astype(np.uint64)
    return {i: _number(keys) for i, keys in zip(columns, begins, strict=True)}


class Neighbours(NamedTuple):
    """Around a number: how many are less, how many are not greater, and which are next to it.

    The next ones are NaN where there are none.
    """

    n_less: int
    n_up_to: int
    before: float
    after: float


def neighbours(
    data: PartitionedDataset, numbers: Mapping[int, FloatArray]
) -> dict[int, list[Neighbours]]:
    """Return what stands around some numbers of some columns, in one pass."""
    work = partial(_neighbours_in_part, list(numbers.values()))
    found = data.reduce(work, _neighbours_in_both, list(numbers))
    return dict(zip(numbers, found, strict=True))


# --- work on one part, which may be done elsewhere ------------------------------------------------


def _digits_of_part(
    begins: list[NDArray[np.uint64]], shift: int, n_bits: int, part: Dataset
) -> list[IntArray]:
    """Count the next digits of the numbers that begin like those that are wanted."""
    found = []
    for i, own in enumerate(begins):
        high = _key(_known(part, i)) >> np.uint64(shift)
        counts = np.zeros((len(own), 1 << n_bits), np.int64)
        for k, begin in enumerate(own):
            same = high[(high >> np.uint64(n_bits)) == begin]
            digits = (same & np.uint64((1 << n_bits) - 1)).astype(np.int64)
            counts[k] = np.bincount(digits, minlength=1 << n_bits)
        found.append(counts)
    return found


def _added(one: list[IntArray], other: list[IntArray]) -> list[IntArray]:
    return [a + b for a, b in zip(one, other, strict=True)]


def _neighbours_in_part(numbers: list[FloatArray], part: Dataset) -> list[list[Neighbours]]:
    return [[_around(_known(part, i), x) for x in own] for i, own in enumerate(numbers)]


def _around(values: FloatArray, number: float) -> Neighbours:
    less, more = values[values < number], values[values > number]
    before = float(less.max()) if len(less) else np.nan
    after = float(more.min()) if len(more) else np.nan
    return Neighbours(len(less), len(values) - len(more), before, after)


def _neighbours_in_both(
    one: list[list[Neighbours]], other: list[list[Neighbours]]
) -> list[list[Neighbours]]:
    return [
        [_merged(a, b) for a, b in zip(*both, strict=True)] for both in zip(one, other, strict=True)
    ]


def _merged(a: Neighbours, b: Neighbours) -> Neighbours:
    before, after = float(np.fmax(a.before, b.before)), float(np.fmin(a.after, b.after))
    return Neighbours(a.n_less + b.n_less, a.n_up_to + b.n_up_to, before, after)


def _known(part: Dataset, i: int) -> FloatArray:
    values = part.values(i)
    known: FloatArray = values[~np.isnan(values)]
    return known


def _key(values: FloatArray) -> NDArray[np.uint64]:
    """Return whole numbers of the same order; -0.0 is 0.0."""
    bits = (values + 0.0).view(np.uint64)
    return np.where(bits & _SIGN, ~bits, bits | _SIGN)


def _number(keys: NDArray[np.uint64]) -> FloatArray:
    bits = np.where(keys & _SIGN, keys & ~_SIGN, ~keys)
    return bits.view(np.float64)
