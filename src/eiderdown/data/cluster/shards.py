"""All rows of some columns on each worker, or the whole table on each: made from parts of the rows.

Parts go from worker to worker for that, and not through this process. Each is cut where it is into
the columns of each shard, and let go: at no time do workers hold the table twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from eiderdown.arrays import CodeArray, IntArray, frozen
from eiderdown.data.blocks import Block, Category
from eiderdown.data.cluster.partitions import ClusterPartitions, HeldRows
from eiderdown.data.cluster.questions import Held, Packed, Question
from eiderdown.data.cluster.workers import Workforce
from eiderdown.data.columns import Kind
from eiderdown.data.dataset import Dataset
from eiderdown.data.partitioned import PartitionedDataset, joined_blocks


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


def _joined(packed: Packed[_Form], *parts: HeldRows) -> HeldRows:
    """Put the rows of all parts together."""
    form = packed.unpacked()
    blocks = [_blocks_of(part.data, form.columns) for part in parts]
    n_rows = sum(part.data.n_rows for part in parts)
    whole = joined_blocks(blocks, form.held, n_rows)
    table = Dataset(form.names, whole, form.categories, form.finer)
    return HeldRows(replace(table, notes=form.notes, left_out=form.left_out))


def _blocks_of(part: Dataset, columns: IntArray) -> tuple[Block, ...]:
    """Return the cells of some columns; of all of them, in order, without a copy."""
    if np.array_equal(columns, np.arange(part.n_columns)):
        return part.held
    return part._picked(columns).held


def copies_of(table: PartitionedDataset) -> list[Held]:
    """Have the whole table on every worker."""
    workforce, partitions = workforce_of(table), _partitions_of(table)
    join = partial(_joined, Packed(_Form.of(table)))
    copies = [
        Held(join, lambda: tuple(partitions.futures()), n) for n in workforce.threads().values()
    ]
    for copy, home in zip(copies, workforce.threads(), strict=False):
        workforce.make(copy, home)
    return copies


def workforce_of(table: PartitionedDataset) -> Workforce:
    """Return the workers that hold a table."""
    return _partitions_of(table).workforce


def _partitions_of(table: PartitionedDataset) -> ClusterPartitions:
    partitions = table.partitions
    assert isinstance(partitions, ClusterPartitions)
    return partitions


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
        partitions = _partitions_of(table)
        key = table.columns.tobytes()
        if key not in partitions.shards:
            partitions.shards.clear()  # those of other columns, which take as much memory
            partitions.shards[key] = cls._made(table)
        shards: ColumnShards = partitions.shards[key]
        return shards

    @classmethod
    def _made(cls, table: PartitionedDataset) -> ColumnShards:
        workforce, partitions = workforce_of(table), _partitions_of(table)
        n_shards = max(1, min(sum(workforce.threads().values()), table.n_columns))
        starts = np.linspace(0, table.n_columns, n_shards + 1).astype(np.int64)
        shards = []
        for start, stop in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
            own = table._picked(np.arange(start, stop))
            assert isinstance(own, PartitionedDataset)
            form = replace(_Form.of(own), columns=np.arange(own.n_columns))
            pieces = partial(_pieces, partitions, own.columns)
            shards.append(Held(partial(_joined, Packed(form)), pieces, stop - start))
        workforce.hold(shards)
        partitions.let_go()
        return cls(workforce, shards, starts)

    def codes(self, column: int) -> CodeArray:
        """Return the codes of a discrete column, from the worker that holds it."""
        shard = int(self.shard_of(np.array([column]))[0])
        held = self.shards[shard]
        self.workforce.settle([held])
        work = partial(_codes, column - int(self.starts[shard]))
        ((_, codes),) = self.workforce.ask([Question(0, [held], work)])
        found: CodeArray = frozen(codes)
        return found

    def shard_of(self, columns: IntArray) -> IntArray:
        """Return which shard holds each column."""
        found: IntArray = np.searchsorted(self.starts, columns, side="right") - 1
        return found


def _pieces(partitions: ClusterPartitions, columns: IntArray) -> tuple[Any, ...]:
    """Have columns cut out of each part where it is; parts that were let go are made for that."""
    are_held = partitions.are_held
    work, submit = partial(_picked, columns), partitions.workforce.submit
    pieces = [submit(Question(0, [part], work)) for part in partitions.parts]
    if not are_held:
        partitions.let_go()
    return tuple(pieces)


def _picked(columns: IntArray, part: HeldRows) -> HeldRows:
    return HeldRows(part.data._picked(columns))


def _codes(column: int, shard: HeldRows) -> CodeArray:
    codes: CodeArray = shard.data.codes(column)
    return codes
