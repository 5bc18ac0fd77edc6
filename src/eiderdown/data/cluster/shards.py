"""All rows of some columns on each worker, or the whole table on each: made from parts of the rows.

Parts go from worker to worker for that, and not through this process.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.data.blocks import Block, Category
from eiderdown.data.cluster.partitions import ClusterPartitions, HeldRows
from eiderdown.data.cluster.questions import Held
from eiderdown.data.cluster.workers import Workforce
from eiderdown.data.columns import Kind
from eiderdown.data.partitioned import PartitionedDataset
from eiderdown.data.partitions import ListedPartitions


@dataclass(frozen=True, eq=False)
class _Form:
    """What a table is but for its rows, as it can be sent."""

    names: tuple[str, ...]
    held: tuple[Block, ...]
    categories: tuple[tuple[Category, ...], ...]
    finer: Mapping[str, Kind]
    columns: IntArray
    notes: tuple[str, ...]
    left_out: Mapping[str, str]

    @classmethod
    def of(cls, table: PartitionedDataset) -> _Form:
        categories = tuple(table.categories(i) for i in range(table.n_columns))
        finer = dict(table.finer)
        left_out = dict(table.left_out)
        return cls(table.names, table.held, categories, finer, table.columns, table.notes, left_out)


def _joined(form: _Form, *parts: HeldRows) -> HeldRows:
    """Put the rows of all parts together."""
    table = PartitionedDataset(
        form.names,
        form.held,
        form.categories,
        form.finer,
        notes=form.notes,
        left_out=form.left_out,
        partitions=ListedPartitions([part.data for part in parts]),
        columns=form.columns,
    )
    return HeldRows(table.in_memory())


def _held_with(table: PartitionedDataset, size: int) -> Held:
    """Return how all rows of a table's columns are put together on a worker."""
    partitions = table.partitions
    assert isinstance(partitions, ClusterPartitions)
    form = _Form.of(table)
    return Held(_joined, lambda: (form, *partitions.futures()), size)


def copies_of(table: PartitionedDataset) -> list[Held]:
    """Have the whole table on every worker."""
    workforce = workforce_of(table)
    copies = [_held_with(table, n) for n in workforce.threads().values()]
    for copy, home in zip(copies, workforce.threads(), strict=False):
        workforce.make(copy, home)
    return copies


def workforce_of(table: PartitionedDataset) -> Workforce:
    """Return the workers that hold a table."""
    partitions = table.partitions
    assert isinstance(partitions, ClusterPartitions)
    return partitions.workforce


@dataclass(frozen=True, eq=False)
class ColumnShards:
    """All rows of some columns on each worker.

    Attributes
    ----------
    workforce : Workforce
        The workers.
    shards : list of Held
        What each holds, as :class:`HeldRows`.
    starts : IntArray
        The first column of each, and behind them the number of columns.
    """

    workforce: Workforce
    shards: list[Held]
    starts: IntArray

    @classmethod
    def of(cls, table: PartitionedDataset) -> ColumnShards:
        """Share out the columns of a table, one shard for each thread, or return what was."""
        partitions = table.partitions
        assert isinstance(partitions, ClusterPartitions)
        key = table.columns.tobytes()
        if key not in partitions.shards:
            partitions.shards.clear()  # those of other columns, which take as much memory
            partitions.shards[key] = cls._made(table)
        shards: ColumnShards = partitions.shards[key]
        return shards

    @classmethod
    def _made(cls, table: PartitionedDataset) -> ColumnShards:
        workforce = workforce_of(table)
        n_shards = max(1, min(sum(workforce.threads().values()), table.n_columns))
        starts = np.linspace(0, table.n_columns, n_shards + 1).astype(np.int64)
        shards = []
        for start, stop in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
            own = table._picked(np.arange(start, stop))
            assert isinstance(own, PartitionedDataset)
            shards.append(_held_with(own, stop - start))
        workforce.hold(shards)
        return cls(workforce, shards, starts)

    def shard_of(self, columns: IntArray) -> IntArray:
        """Return which shard holds each column."""
        found: IntArray = np.searchsorted(self.starts, columns, side="right") - 1
        return found
