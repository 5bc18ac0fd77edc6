"""Columns that are copies of each other: they split the rows alike.

Two columns of categories are copies if they have the same code in every row; of two categories
also if they have the other one in every row. No test of categories can tell copies apart, and
given the one nothing is left to test of the other.

Columns are compared by digests first, so that a million of them take seconds and memory for one
number each; only those whose digests agree are compared cell by cell. Where rows are in parts,
columns whose categories are equally frequent are compared by longer digests of each part, in one
pass.
"""

from __future__ import annotations

import hashlib

import numpy as np

from eiderdown.arrays import CodeArray, IntArray, WordArray, frozen
from eiderdown.data.blocks import CodeBlock, FloatBlock, SparseBlock, n_words, pack
from eiderdown.data.cells import Cells
from eiderdown.data.dataset import Dataset
from eiderdown.data.partitioned import PartitionedDataset

_STEP = 1 << 22  # bounds the temporary arrays of one step: about this many cells at a time
_ALL_BITS = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
_MIXERS = (np.uint64(0xBF58_476D_1CE4_E5B9), np.uint64(0x94D0_49BB_1331_11EB))


def copy_classes(data: Cells) -> IntArray | None:
    """Return for each column the first one that it is a copy of, itself if there is none before.

    None if no column is a copy of another. Numbers have no copies here.

    Examples
    --------
    >>> from eiderdown import Dataset
    >>> a = [0, 0, 1, 1]
    >>> columns = {"a": a, "b": [0, 1, 0, 1], "c": [1, 1, 0, 0], "d": a}
    >>> copy_classes(Dataset.from_columns(columns))
    array([0, 1, 0, 0])
    """
    if isinstance(data, PartitionedDataset):
        return _classes_in_parts(data)
    digests = np.zeros(data.n_columns, np.uint64)
    compared = np.zeros(data.n_columns, np.bool_)
    for block in data.blocks:
        if not isinstance(block, FloatBlock):
            digests[block.variables] = _digests(block)
            compared[block.variables] = True
    columns = np.flatnonzero(compared)
    order = columns[np.argsort(digests[columns], kind="stable")]
    starts = np.flatnonzero(np.diff(digests[order], prepend=~digests[order[:1]]))
    sizes = np.diff(starts, append=len(order))
    everyone = np.arange(data.n_columns)
    first_of = everyone.copy()
    for start, size in zip(starts[sizes > 1].tolist(), sizes[sizes > 1].tolist(), strict=True):
        _compare(data, order[start : start + size], first_of)
    return frozen(first_of) if (first_of != everyone).any() else None


def _classes_in_parts(data: PartitionedDataset) -> IntArray | None:
    """Find copies among columns whose rows are not in memory."""
    alike: dict[tuple[int, ...], list[int]] = {}
    for i in np.flatnonzero(data.is_discrete).tolist():
        counts = data.marginals.counts[i].tolist()
        alike.setdefault(tuple(sorted(counts) if len(counts) == 2 else counts), []).append(i)
    suspects = [i for columns in alike.values() if len(columns) > 1 for i in columns]
    if not suspects:
        return None
    found = data.reduce(_digests_of_part, _joined, suspects)
    everyone, first_of = np.arange(data.n_columns), np.arange(data.n_columns)
    seen: dict[tuple[int, bytes], int] = {}
    for column, digest in zip(suspects, found, strict=True):
        first_of[column] = seen.setdefault((int(data.n_categories[column]), min(digest)), column)
    return frozen(first_of) if (first_of != everyone).any() else None


def _digests_of_part(part: Dataset) -> list[tuple[bytes, bytes]]:
    """Return two digests of each column, the second of the other codes where there are two."""
    found = []
    for i in range(part.n_columns):
        codes = part.codes(i)
        other = 1 - codes if part.n_codes[i] == 2 else codes
        found.append((_long_digest(codes), _long_digest(other)))
    return found


def _long_digest(codes: CodeArray) -> bytes:
    return hashlib.blake2b(codes.astype(np.uint16).data, digest_size=16).digest()


def _joined(
    first: list[tuple[bytes, bytes]], second: list[tuple[bytes, bytes]]
) -> list[tuple[bytes, bytes]]:
    return [(a + c, b + d) for (a, b), (c, d) in zip(first, second, strict=True)]


def _compare(data: Cells, group: IntArray, first_of: IntArray) -> None:
    """Find the copies among columns whose digests agree, by their cells."""
    seen: dict[tuple[int, bytes], int] = {}
    for column in group.tolist():
        key = (int(data.n_categories[column]), _canonical(data, column))
        first_of[column] = seen.setdefault(key, column)


def _canonical(data: Cells, column: int) -> bytes:
    """Return the codes; of two categories those by which the first row has code 0."""
    codes = data.codes(column)
    if data.n_categories[column] == 2 and not data.has_missing[column] and codes[0]:
        codes = 1 - codes
    return codes.astype(np.uint16).tobytes()


def _digests(block: CodeBlock | SparseBlock) -> WordArray:
    """Return a number for each column that is the same for copies, and seldom for others."""
    n_columns = len(block.variables)
    is_binary = np.ones(n_columns, np.bool_)
    if isinstance(block, CodeBlock):
        is_binary = (block.n_categories == 2) & ~block.has_missing
    digests = np.zeros(n_columns, np.uint64)
    binary, step = np.flatnonzero(is_binary), max(1, _STEP // block.n_rows)
    for start in range(0, len(binary), step):
        columns = binary[start : start + step]
        digests[columns] = _of_planes(pack(block, columns, np.ones(len(columns), np.int64)), block)
    if isinstance(block, CodeBlock):
        for row in np.flatnonzero(~is_binary):
            digests[row] = hash(block.codes[row].tobytes()) & int(_ALL_BITS)
    return digests


def _of_planes(planes: WordArray, block: CodeBlock | SparseBlock) -> WordArray:
    """Return digests of bit planes; planes with the opposite bits have the same."""
    last = _ALL_BITS >> np.uint64(-block.n_rows % 64)
    opposite = (planes[:, 0] & np.uint64(1)).astype(np.bool_)
    planes[opposite] ^= _ALL_BITS
    planes[opposite, -1] &= last
    place = np.arange(1, n_words(block.n_rows) + 1, dtype=np.uint64) * _MIXERS[0]
    mixed = planes ^ place
    for mixer in _MIXERS:
        mixed ^= mixed >> np.uint64(29)
        mixed *= mixer
    mixed ^= mixed >> np.uint64(32)
    digests: WordArray = mixed.sum(axis=1, dtype=np.uint64)
    return digests
