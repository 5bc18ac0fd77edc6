"""Levels of PC-stable by tests of blocks of columns, compiled; see :mod:`levels`."""

from __future__ import annotations

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.independence.kernels.block_levels import (
    BlockLevelRoom,
    BlockSource,
    separate_by_blocks,
)
from eiderdown.independence.kernels.levels import Answers, Level, Queue, Walk
from eiderdown.independence.kernels.wilks import room_of
from eiderdown.independence.levels import CompiledLevels
from eiderdown.statistics import MomentStatistics
from eiderdown.thread_rooms import several

_ROWS_PER_TEST = 1_000  # of a table of counts that take as long as one test of correlations


class BlockLevels(CompiledLevels):
    """Levels by correlations.

    Parameters
    ----------
    statistics : MomentStatistics
        The table and the threads.
    source : BlockSource
        Correlations of the variables that take part, and how evidence is judged.
    """

    def __init__(self, statistics: MomentStatistics, source: BlockSource) -> None:
        super().__init__(statistics.workers, _ROWS_PER_TEST)
        self._source = source

    def rooms(self, level: Level, walk: Walk) -> BlockLevelRoom:
        """Make what threads work in."""
        widths = np.diff(self._source.blocks.first)
        of_sets = np.sort(widths[np.unique(level.pools)])[::-1][: level.size].sum()
        p, q = (int(widths[x].max(initial=1)) for x in (level.candidates, level.targets))
        return BlockLevelRoom(walk, several(room_of(int(of_sets), p, q, 1), self.n_threads))

    def advance(
        self,
        board: IntArray,
        level: Level,
        answers: Answers,
        queue: Queue,
        rooms: BlockLevelRoom,
        budget: int,
    ) -> bool:
        """Go on for so many tests of each thread; return whether all is done."""
        return bool(separate_by_blocks(board, self._source, level, answers, queue, rooms, budget))
