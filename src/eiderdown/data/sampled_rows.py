"""Some rows of a table, chosen by what they hold: neither their order nor where they are decides.

Every row is hashed. The distinct rows of the least hashes are taken, each as often as it is there;
if these are too many, fewer copies of each, in proportion. Two passes over a table in parts do it:
the first counts hashes, the second brings the rows.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import BoolArray, IntArray
from eiderdown.data.dataset import Dataset
from eiderdown.data.partitioned import PartitionedDataset
from eiderdown.data.partitions import ListedPartitions

_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_OTHER = np.uint64(0x9E3779B97F4A7C15)
_SHIFTS = np.uint64(30), np.uint64(27), np.uint64(31)


class _Seen(NamedTuple):
    """The least hashes of rows, in ascending order, and how many rows have each."""

    hashes: NDArray[np.uint64]
    counts: IntArray


def sampled_rows(data: Dataset, most: int) -> Dataset:
    """Return at most about so many rows, in memory; all of them, in order, if there are no more.

    Parameters
    ----------
    data : Dataset
        The table, without missing values.
    most : int
        How many rows; where rows repeat each other, a few more or less.

    Examples
    --------
    >>> data = Dataset.from_columns({"a": np.arange(1_000.0), "b": np.arange(1_000.0) % 7})
    >>> sampled_rows(data, 100).n_rows, sampled_rows(data, 2_000) is data
    (100, True)
    >>> turned = data.take(np.arange(1_000)[::-1])
    >>> bool(np.all(sampled_rows(turned, 100).values(0) == sampled_rows(data, 100).values(0)))
    True
    """
    if data.n_rows <= most:
        return _gathered(data) if isinstance(data, PartitionedDataset) else data
    every = range(data.n_columns)
    if isinstance(data, PartitionedDataset):
        seen = data.reduce(partial(_seen_in, most), partial(_seen_in_both, most), every)
    else:
        seen = _seen_in(most, data)
    rows = _gathered(data, seen.hashes[-1])
    hashes, first = np.unique(_hashes(rows), return_index=True)
    assert np.array_equal(hashes, seen.hashes)
    return rows.take(np.repeat(first, _copies(seen, most)))


def _copies(seen: _Seen, most: int) -> IntArray:
    """Return how many copies of each row to take: in proportion, and the last one by chance."""
    total = int(seen.counts.sum())
    if total <= most:
        return seen.counts
    chance = (_mixed(seen.hashes ^ _OTHER) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    copies: IntArray = np.floor(seen.counts * (most / total) + chance).astype(np.int64)
    return copies


def _gathered(data: Dataset, limit: np.uint64 | None = None) -> Dataset:
    """Return, in memory, all rows in order, or each distinct one up to a hash once."""
    if not isinstance(data, PartitionedDataset):
        return data.take(_chosen(limit, data))
    known, kept = np.empty(0, np.uint64), []
    for part in data.each(partial(_rows_of_part, limit)):
        if part is None:
            continue
        hashes = _hashes(part)
        new = ~np.isin(hashes, known) if limit is not None else np.ones(len(hashes), np.bool_)
        if new.any():
            kept.append(part.take(new))
            known = np.concatenate([known, hashes[new]])
    return PartitionedDataset.over(ListedPartitions(kept), kept[0]).in_memory()


def _hashes(part: Dataset) -> NDArray[np.uint64]:
    """Hash the cells of each row."""
    found = np.zeros(part.n_rows, np.uint64)
    for i in range(part.n_columns):
        if part.is_discrete[i]:
            cells = part.codes(i).astype(np.uint64)
        else:
            cells = (part.values(i) + 0.0).view(np.uint64)  # of -0.0 those of 0.0
        found = _mixed((found ^ cells) + _OTHER)
    return found


def _mixed(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix the bits of each word (splitmix64)."""
    words = (words ^ (words >> _SHIFTS[0])) * _MIX_1
    words = (words ^ (words >> _SHIFTS[1])) * _MIX_2
    mixed: NDArray[np.uint64] = words ^ (words >> _SHIFTS[2])
    return mixed


# --- work on one part, which may be done elsewhere ------------------------------------------------


def _seen_in(most: int, part: Dataset) -> _Seen:
    hashes, counts = np.unique(_hashes(part), return_counts=True)
    return _Seen(hashes[:most], counts[:most])


def _seen_in_both(most: int, one: _Seen, other: _Seen) -> _Seen:
    both = np.concatenate([one.hashes, other.hashes])
    hashes, place = np.unique(both, return_inverse=True)
    counts = np.zeros(len(hashes), np.int64)
    np.add.at(counts, place, np.concatenate([one.counts, other.counts]))
    return _Seen(hashes[:most], counts[:most])


def _rows_of_part(limit: np.uint64 | None, part: Dataset) -> Dataset | None:
    rows = _chosen(limit, part)
    return part.take(rows) if len(rows) else None


def _chosen(limit: np.uint64 | None, part: Dataset) -> IntArray | BoolArray:
    if limit is None:
        return np.arange(part.n_rows)
    hashes, first = np.unique(_hashes(part), return_index=True)
    chosen: IntArray = first[hashes <= limit]
    return chosen
