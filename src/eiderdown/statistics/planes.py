"""All bit planes of a table as one array, for kernels that pick columns themselves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eiderdown import config
from eiderdown.arrays import IntArray, WordArray, frozen
from eiderdown.data import Dataset, FloatBlock


@dataclass(frozen=True, eq=False)
class PlaneIndex:
    """Bit planes of every column that has them.

    Attributes
    ----------
    planes : WordArray of shape (n_planes, n_words)
        The planes.
    first : IntArray
        Row of each column's plane for category 1; -1 for columns without planes.
    """

    planes: WordArray
    first: IntArray


def index_planes(data: Dataset) -> PlaneIndex:
    """Gather the planes of all blocks; with a single block nothing is copied."""
    first = np.full(data.n_columns, -1, dtype=np.int64)
    parts: list[WordArray] = []
    n_before = 0
    for block_id, block in enumerate(data.blocks):
        if isinstance(block, FloatBlock):
            continue
        built = data.bit_planes(block_id)
        first[block.variables] = built.first[:-1] + n_before
        n_before += len(built.planes)
        parts.append(built.planes)
    first[data.n_categories > config.MAX_PLANE_CATEGORIES] = -1
    none = np.empty((0, (data.n_rows + 63) // 64), dtype=np.uint64)
    planes = parts[0] if len(parts) == 1 else np.concatenate([none, *parts])
    return PlaneIndex(frozen(planes), frozen(first))
