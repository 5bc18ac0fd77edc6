"""Levels of PC-stable by tests of blocks of columns, compiled; see :mod:`levels`."""

from __future__ import annotations

import numpy as np

from eiderdown.independence.kernels.block_levels import (
    BlockLevelRoom,
    BlockSource,
    separate_by_blocks,
)
from eiderdown.independence.kernels.levels import Answers, Level, Walk
from eiderdown.independence.kernels.wilks import room_of
from eiderdown.independence.levels import CompiledLevels, Job
from eiderdown.statistics import MomentStatistics

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

    def room(self, level: Level, kind: int, n_remembered: int) -> BlockLevelRoom:  # noqa: ARG002
        """Make what one thread works in; all tasks are of one kind."""
        widths = np.diff(self._source.blocks.first)
        of_sets = np.sort(widths[np.unique(level.pools)])[::-1][: level.size].sum()
        p, q = (int(widths[x].max(initial=1)) for x in (level.candidates, level.targets))
        return BlockLevelRoom(Walk.of(level, n_remembered), room_of(int(of_sets), p, q, 1))

    def advance(self, job: Job, answers: Answers, room: BlockLevelRoom, budget: int) -> bool:
        """Go on with some tasks for so many tests; return whether all are done."""
        return bool(separate_by_blocks(self._source, job.level, answers, room, job.tasks, budget))
