"""Bit planes: for each category of a discrete column but the first, one bit for each row.

Row ``i`` of the table is bit ``i % 64`` of word ``i // 64``; the padding bits are 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eiderdown.arrays import IntArray, WordArray, frozen
from eiderdown.config import MAX_PLANE_CATEGORIES
from eiderdown.data.blocks import CodeBlock, SparseBlock

# Bounds the temporary arrays of one step: about this many cells or entries at a time.
_STEP = 1 << 22


@dataclass(frozen=True, eq=False)
class BitPlanes:
    """The bit planes of one block.

    Attributes
    ----------
    planes
        ``(n_planes, n_words)``.
    first
        Column ``r`` of the block, with L categories, owns planes ``first[r]`` up to (not with)
        ``first[r + 1]``, for its categories 1 to L - 1; category 0 is what remains.  A column with
        more than ``config.MAX_PLANE_CATEGORIES`` categories owns none.
    """

    planes: WordArray
    first: IntArray

    def __post_init__(self) -> None:
        frozen(self.planes)
        frozen(self.first)

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return self.planes.nbytes + self.first.nbytes


def n_words(n_rows: int) -> int:
    """Return how many 64-bit words hold one bit for each row."""
    return -(-n_rows // 64)


def build_bit_planes(block: CodeBlock | SparseBlock) -> BitPlanes:
    """Build all planes of a block."""
    n_planes = np.ones(len(block.variables), np.int64)
    if isinstance(block, CodeBlock):
        n_planes = np.where(block.n_categories <= MAX_PLANE_CATEGORIES, block.n_categories - 1, 0)
    first = np.concatenate([[0], np.cumsum(n_planes)])
    columns = np.repeat(np.arange(len(n_planes)), n_planes)
    categories = np.arange(len(columns)) - first[columns] + 1
    planes = np.empty((len(columns), n_words(block.n_rows)), np.uint64)
    step = max(1, _STEP // block.n_rows)
    for start in range(0, len(columns), step):
        stop = start + step
        planes[start:stop] = pack(block, columns[start:stop], categories[start:stop])
    return BitPlanes(planes, first)


def pack(block: CodeBlock | SparseBlock, columns: IntArray, categories: IntArray) -> WordArray:
    """Return one plane for each pair of a block's column and a category of it."""
    if isinstance(block, SparseBlock):
        return _pack_sparse(block, columns)
    planes = np.zeros((len(columns), n_words(block.n_rows)), np.uint64)
    hits = block.codes[columns] == categories.astype(block.codes.dtype)[:, None]
    packed = np.packbits(hits, axis=1, bitorder="little")
    planes.view(np.uint8)[:, : packed.shape[1]] = packed
    return planes


def _pack_sparse(block: SparseBlock, columns: IntArray) -> WordArray:
    planes = np.zeros((len(columns), n_words(block.n_rows)), np.uint64)
    owners, rows = block.entries(columns)
    if len(rows) == 0:
        return planes
    # Entries come sorted by column and row, so those of one word are neighbours.
    words = owners * planes.shape[1] + (rows >> 6)
    bits = np.uint64(1) << (rows & 63).astype(np.uint64)
    starts = np.flatnonzero(np.diff(words, prepend=-1))
    planes.reshape(-1)[words[starts]] = np.bitwise_or.reduceat(bits, starts)
    return planes
