"""Sweeps of tests of contingency tables, compiled from counts to p-values.

The general way, blocks of counts that are judged afterwards, takes sparse and incomplete columns
and any number of categories. Where all columns are complete and their codes are bytes, one compiled
call does the whole sweep (:mod:`eiderdown.independence.kernels.count_sweeps`): there is no Python
between a candidate and the next, and where a set has many strata only rows are looked at that are
in a stratum which can say anything. The values are the same to the last bit.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from eiderdown.arrays import FloatArray, IntArray, frozen
from eiderdown.data import SparseBlock
from eiderdown.independence.batch import N_USED, N_VALUES
from eiderdown.independence.count_levels import MOST_PLANE_CELLS, CountLevels, code_table
from eiderdown.independence.kernels.contingency import LEAST_ROWS
from eiderdown.independence.kernels.count_levels import CountSource
from eiderdown.independence.kernels.count_sweeps import SweepRoom, sweep_by_counts
from eiderdown.independence.kernels.subsets import Columns, Judging
from eiderdown.kernels import Patience
from eiderdown.statistics import CountStatistics
from eiderdown.statistics.cost import (
    PER_SCATTERED_ROW,
    THREADS_PAY_FROM,
    Path,
    SweepShape,
    counting_cost,
)

_MOST_ROWS = 100_000  # beyond this, looking rows up in the order of strata misses the cache


class CountSweeps:
    """Compiled sweeps of one table.

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
        self._statistics, self._judging = statistics, judging
        data = statistics.data
        self._source = CountSource(columns, code_table(data), judging, MOST_PLANE_CELLS)
        self._usable: list[bool] = (data.is_discrete & ~data.has_missing).tolist()
        self._n_categories: list[int] = data.n_categories.tolist()
        self._idle: list[SweepRoom] = []

    @staticmethod
    def take(statistics: CountStatistics, judging: Judging) -> bool:
        """Whether a table is of the kind that they are for."""
        data = statistics.data
        return (
            not judging.pearson
            and data.n_rows <= _MOST_ROWS
            and not any(isinstance(block, SparseBlock) for block in data.blocks)
            and CountLevels.takes(data, np.empty(0, dtype=np.int64))
        )

    def takes(self, candidates: IntArray, target: int, given: tuple[int, ...]) -> bool:
        """Whether all columns of a sweep are discrete and complete."""
        usable = self._usable.__getitem__
        return usable(target) and all(map(usable, given)) and all(map(usable, candidates.tolist()))

    def values(
        self, candidates: IntArray, target: int, given: tuple[int, ...]
    ) -> tuple[FloatArray, IntArray]:
        """Return the values of a sweep, and the positions of those to be asked another way."""
        values = np.empty((len(candidates), N_VALUES))
        conditions = frozen(np.array(given, dtype=np.int64))
        n_jobs = min(self._statistics.workers.n_jobs, len(candidates))
        pays = n_jobs > 1 and self._threads_pay(candidates, target, given)
        cuts = [0, len(candidates)]
        if pays:
            cuts = np.linspace(0, len(candidates), n_jobs + 1).astype(int).tolist()
        by_rows: list[bool] = []

        def sweep_part(part: tuple[int, int]) -> None:
            own = slice(*part)
            room = self._room(len(given))
            by_rows.append(
                sweep_by_counts(
                    self._source, room, target, conditions, candidates[own], values[own]
                )
            )
            self._idle.append(room)

        self._statistics.workers.each(sweep_part, list(pairwise(cuts)), pays=pays)
        doubtful = self._judging.calibrated and any(by_rows)
        return values, self._unsaid(values, target, given) if doubtful else candidates[:0]

    def _threads_pay(self, candidates: IntArray, target: int, given: tuple[int, ...]) -> bool:
        """Whether a sweep takes long enough, from rows and also from planes if they may do."""
        n_rows, least = self._judging.rules.n_rows, THREADS_PAY_FROM / len(candidates)
        if n_rows * PER_SCATTERED_ROW <= least:
            return False
        n_cells = math.prod(self._n_categories[column] for column in (target, *given))
        n_categories = max(self._n_categories[x] for x in candidates.tolist())
        if n_cells * (n_categories - 1) > MOST_PLANE_CELLS:
            return True
        shape = SweepShape(n_rows, n_cells, n_categories, len(candidates))
        return counting_cost(Path.PLANES, shape) > least

    def _unsaid(self, values: FloatArray, target: int, given: tuple[int, ...]) -> IntArray:
        """Positions of tests without rows, of which one has to know whether strata are thin."""
        unsaid = np.flatnonzero(values[:, N_USED] == 0.0)
        if len(unsaid):
            n_filled = self._statistics.cells(target, given).n_strata
            if self._judging.rules.n_rows < LEAST_ROWS * n_filled:
                return unsaid[:0]
        return unsaid

    def _room(self, size: int) -> SweepRoom:
        try:
            room = self._idle.pop()
        except IndexError:
            return SweepRoom.of(self._source, 2 * size + 2)
        return room if room.has_room_for(size) else SweepRoom.of(self._source, 2 * size + 2)


PATIENCE_WITH_BLOCKS = Patience(sweep_by_counts)
