"""Counts of a wide table on a cluster, whose workers hold all rows of some columns each.

    here:          the cell (stratum, target code) of every row, as for a table in memory
    each worker:   its candidates counted against those cells
    here:          the counts go to whoever asked

What is sent is one integer for each row and question, however many candidates there are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, partial

import numpy as np

from eiderdown.arrays import BoolArray, CodeArray, IntArray
from eiderdown.data.cluster.partitions import HeldRows
from eiderdown.data.cluster.questions import Question as Inquiry
from eiderdown.data.cluster.shards import ColumnShards
from eiderdown.data.partitioned import PartitionedDataset
from eiderdown.statistics.cost import Workers
from eiderdown.statistics.counts import (
    Consume,
    CountBlock,
    Counts,
    CountSource,
    CountStatistics,
    Question,
    SweepCells,
)

_MOST_NEAR = 256  # columns of which this process keeps the cells: targets and conditions


@dataclass(frozen=True, eq=False, repr=False)
class NearColumns(PartitionedDataset):
    """A table whose columns workers hold, of which those that were asked for last are kept."""

    shards: ColumnShards = None  # type: ignore[assignment]  # fields before it have defaults

    @classmethod
    def of_table(cls, table: PartitionedDataset) -> NearColumns:
        """Keep columns of a table, which is shared out for that."""
        own = {f.name: getattr(table, f.name) for f in fields(table) if f.init}
        return cls(**own, shards=ColumnShards.of(table))

    @cached_property
    def _near(self) -> dict[int, CodeArray]:
        return {}

    def codes(self, i: int) -> CodeArray:
        """Return the codes of discrete column ``i``."""
        found = self._near.pop(i, None)
        if found is None:
            found = self.shards.codes(i)
        self._near[i] = found  # as the one that was asked for last
        while len(self._near) > _MOST_NEAR:
            del self._near[next(iter(self._near))]
        return found

    def missing(self, i: int) -> BoolArray:
        """Return in which rows column ``i`` has no value."""
        missing: BoolArray = self.codes(i) == self.n_categories[i]
        return missing


Asked = tuple[SweepCells, IntArray, IntArray]
"""The cells of a question, and its candidates in a shard with their positions."""


class ShardedCounts(CountSource):
    """Counts of discrete columns of a wide table on a cluster.

    Parameters
    ----------
    data : PartitionedDataset
        The table.
    n_jobs : int or None
        Threads of this process; workers have their own.
    """

    def __init__(self, data: PartitionedDataset, *, n_jobs: int | None = None) -> None:
        self.data = data
        self.workers = Workers(n_jobs)
        near = NearColumns.of_table(data)
        self._near, self._shards = CountStatistics(near, n_jobs=1), near.shards

    def count_all(
        self, questions: Sequence[Question], begin: Callable[[int, Counts], Consume]
    ) -> None:
        """See :meth:`CountSource.count_all`; all questions go to the workers together."""
        asked: list[list[Asked]] = [[] for _ in self._shards.shards]
        numbers: list[list[int]] = [[] for _ in self._shards.shards]
        begun: list[Consume] = []
        for number, (candidates, target, given) in enumerate(questions):
            self.require_discrete([target, *given, *candidates.tolist()])
            cells = self._near.cells(target, given)
            self._refuse_huge(cells, candidates)
            begun.append(begin(number, cells.table))
            shard_of = self._shards.shard_of(candidates)
            for shard in np.unique(shard_of).tolist():
                positions = np.flatnonzero(shard_of == shard)
                within = candidates[positions] - self._shards.starts[shard]
                asked[shard].append((cells, within, positions))
                numbers[shard].append(number)
        for shard, answers in self._answers(asked):
            for number, blocks in zip(numbers[shard], answers, strict=True):
                for block in blocks:
                    begun[number](block)

    def _refuse_huge(self, cells: SweepCells, candidates: IntArray) -> None:
        if len(candidates):
            most = int(candidates[np.argmax(self.data.n_codes[candidates])])
            self.refuse_huge_tables(cells.n_cells * int(self.data.n_codes[most]), most)

    def _answers(self, asked: Sequence[list[Asked]]) -> list[tuple[int, list[list[CountBlock]]]]:
        """Ask all shards that have candidates."""
        shards, workforce = self._shards.shards, self._shards.workforce
        workforce.settle(shards)
        inquiries = [
            Inquiry(shard, [shards[shard]], partial(count_shard, questions))
            for shard, questions in enumerate(asked)
            if questions
        ]
        return list(workforce.ask(inquiries)) if inquiries else []


def count_shard(questions: Sequence[Asked], shard: HeldRows) -> list[list[CountBlock]]:
    """Count candidates on the worker that holds their columns."""
    statistics = CountStatistics(shard.data, n_jobs=1)
    answers = []
    for cells, candidates, positions in questions:
        blocks: list[CountBlock] = []
        statistics.sweep(candidates, cells, blocks.append)
        answers.append([CountBlock(positions[b.positions], b.counts, b.complete) for b in blocks])
    return answers
