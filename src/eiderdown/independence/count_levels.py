"""Levels of PC-stable by tests of contingency tables, compiled; see :mod:`levels`."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import IntArray, frozen
from eiderdown.data import CodeBlock, Dataset
from eiderdown.independence.kernels.count_levels import (
    CountLevelRoom,
    CountRoom,
    CountSource,
    separate_by_counts,
)
from eiderdown.independence.kernels.levels import Answers, Level, Queue, Walk
from eiderdown.independence.kernels.sorted_rows import CodeTable
from eiderdown.independence.kernels.subsets import Columns, Judging
from eiderdown.independence.levels import CompiledLevels
from eiderdown.statistics import CountStatistics
from eiderdown.thread_rooms import several

_MOST_CODES = 256
_MOST_SORTED = 100_000
_LEAST_SIZE = 8  # of sets that there is room for at once: memory that nobody touches is free
_MOST_BYTES = 1_000_000_000  # of a table of codes that has to be made


MOST_PLANE_CELLS = 256
"""Cells of a table up to which bit planes are counted sooner than sorted rows."""


class CountLevels(CompiledLevels):
    """Levels by counts.

    Parameters
    ----------
    statistics : CountStatistics
        The table and the threads.
    columns : Columns
        Its bit planes.
    judging : Judging
        How counts become a judged test.
    """

    def __init__(self, statistics: CountStatistics, columns: Columns, judging: Judging) -> None:
        super().__init__(statistics.workers, statistics.data.n_rows)
        self._source = CountSource(columns, code_table(statistics.data), judging, MOST_PLANE_CELLS)
        self._counting: CountRoom | None = None
        # Without bit planes rows are sorted, and beyond so many looking them up misses the cache.
        has_planes = not judging.pearson and bool((columns.first >= 0).all())
        self.takes_pairs = has_planes or (
            not judging.pearson and statistics.data.n_rows <= _MOST_SORTED
        )
        self._size = 0  # of the largest sets that there is room for

    @staticmethod
    def takes(data: Dataset, variables: IntArray) -> bool:
        """Whether some columns are complete and discrete, and all codes are bytes."""
        return bool(
            data.is_discrete[variables].all()
            and not data.has_missing[variables].any()
            and data.n_codes.max(initial=0) <= _MOST_CODES
            and (_bytes_of(data) is not None or data.n_rows * data.n_columns <= _MOST_BYTES)
        )

    def rooms(self, level: Level, walk: Walk) -> CountLevelRoom:
        """Make what threads work in; where they count is used again."""
        if self._counting is None or self._size < level.size:
            self._size = max(_LEAST_SIZE, 2 * level.size)
            self._counting = several(CountRoom.of(self._source, self._size), self.n_threads)
        return CountLevelRoom.of(walk, self._counting)

    def advance(
        self,
        board: IntArray,
        level: Level,
        answers: Answers,
        queue: Queue,
        rooms: CountLevelRoom,
        budget: int,
    ) -> bool:
        """Go on for so many tests of each thread; return whether all is done."""
        return bool(separate_by_counts(board, self._source, level, answers, queue, rooms, budget))


def _bytes_of(data: Dataset) -> NDArray[np.uint8] | None:
    """Return the codes of a table that is one block of bytes."""
    block = data.blocks[0]
    if len(data.blocks) > 1 or not isinstance(block, CodeBlock) or block.codes.dtype != np.uint8:
        return None
    return cast("NDArray[np.uint8]", block.codes)


def code_table(data: Dataset) -> CodeTable:
    """Return the codes of all columns as one matrix; with a single block nothing is copied."""
    found = _bytes_of(data)
    if found is not None:
        return CodeTable(found, data.row_in_block, data.n_categories)
    codes = np.zeros((data.n_columns, data.n_rows), dtype=np.uint8)
    for column in np.flatnonzero(data.is_discrete).tolist():
        codes[column] = data.codes(column)
    return CodeTable(frozen(codes), frozen(np.arange(data.n_columns)), data.n_categories)
