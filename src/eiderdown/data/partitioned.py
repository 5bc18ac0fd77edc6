"""A table whose rows are held in parts, on disk or on the workers of a cluster.

Counts and moments add up over rows, so whoever needs them asks every part and adds the answers:

    data.partitions.map(work)    work(part) for each part, a Dataset, in the order of the rows

The statistics layer does that, and answers as if all rows were in memory. Whatever else needs the
rows themselves gets them in memory, one column at a time or all at once, if they fit into the
budget; otherwise it is refused in a sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eiderdown.arrays import BoolArray, CodeArray, FloatArray, IntArray, frozen
from eiderdown.data.blocks import (
    BitPlanes,
    Block,
    CodeBlock,
    FloatBlock,
    SparseBlock,
    as_rows,
)
from eiderdown.data.dataset import Dataset
from eiderdown.data.partitions import (
    CompletePartitions,
    Marginals,
    Partitions,
    n_complete_rows,
    with_flags,
)
from eiderdown.errors import InsufficientMemoryError
from eiderdown.memory import in_words, require_memory

R = TypeVar("R")


@dataclass(frozen=True, eq=False, repr=False)
class PartitionedDataset(Dataset):
    """A `Dataset` whose rows are held in parts; make one with :meth:`PartitionedDataset.over`.

    Attributes
    ----------
    partitions : Partitions
        The parts.
    columns : IntArray
        Which column of the parts each column of this table is.
    """

    partitions: Partitions = None  # type: ignore[assignment]  # fields before it have defaults
    columns: IntArray = None  # type: ignore[assignment]
    known: Marginals | None = None

    @classmethod
    def over(
        cls, partitions: Partitions, like: Dataset, marginals: Marginals | None = None
    ) -> PartitionedDataset:
        """Make a table of partitions.

        Parameters
        ----------
        partitions : Partitions
            The parts.
        like : Dataset
            One of the parts, or a table without rows of the same form; notes, reasons and origin
            are taken over.
        marginals : Marginals or None
            What is known of each column, if it is.
        """
        return cls(
            like.names,
            tuple(without_rows(block) for block in like.held),
            tuple(like.categories(i) for i in range(like.n_columns)),
            like.finer,
            notes=like.notes,
            left_out=like.left_out,
            origin=like.origin,
            partitions=partitions,
            columns=frozen(np.arange(like.n_columns)),
            known=marginals,
        )

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        return self.partitions.n_rows

    @cached_property
    def marginals(self) -> Marginals:
        """What is known of each column alone; one pass over the parts unless it was given."""
        if self.known is not None:
            return self.known
        return self.reduce(Marginals.of, Marginals.__add__, range(self.n_columns))

    @cached_property
    def fingerprint(self) -> str:
        """The digest of the parts and of which columns are taken of them."""
        import hashlib

        text = repr((self.partitions.fingerprint, self.names, self.columns.tolist()))
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    # What needs the rows themselves

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The cells, all of them in memory, if they fit."""
        return self.in_memory().held

    def in_memory(self, needed_by: str = "this step") -> Dataset:
        """Return the whole table in memory, or refuse and say by what it is needed."""
        if "_loaded" not in vars(self):
            self._require(self.n_bytes, "The whole table", needed_by)
        return self._loaded

    @cached_property
    def _loaded(self) -> Dataset:
        parts = self.partitions.map(partial(_gathered, self.columns.tolist()))
        blocks = joined_blocks(list(parts), self.held, self.n_rows)
        return Dataset(
            self.names,
            blocks,
            self._categories,
            self.finer,
            notes=self.notes,
            left_out=self.left_out,
            origin=self.origin,
        )

    def codes(self, i: int) -> CodeArray:
        """Return the codes of discrete column ``i``, gathered from all parts."""
        codes: CodeArray = frozen(self._column(i, _codes))
        return codes

    def values(self, i: int) -> FloatArray:
        """Return the numbers of continuous column ``i``, gathered from all parts."""
        return frozen(self._column(i, _values))

    def missing(self, i: int) -> BoolArray:
        """Return in which rows column ``i`` has no value."""
        missing: BoolArray = self._column(i, _missing)
        return missing

    def _column(self, i: int, cells: Callable[[int, Dataset], NDArray[Any]]) -> Any:
        self._require(self._n_bytes([i]), f"Column {self.names[i]!r}")
        return np.concatenate(list(self.partitions.map(partial(cells, int(self.columns[i])))))

    def _require(self, n_bytes: int, what: str, needed_by: str = "this step") -> None:
        """Refuse to hold more in memory than the budget allows or is free."""
        way_out = "take fewer columns or a sample of the rows"
        budget = self.partitions.budget
        if budget is not None and n_bytes > budget:
            raise InsufficientMemoryError(
                f"{what} would take {in_words(n_bytes)} in memory, which {needed_by} needs, "
                f"but memory allows {in_words(budget)}; allow more, or {way_out}."
            )
        require_memory(n_bytes, what, way_out)

    @property
    def n_bytes(self) -> int:
        """Bytes that the cells of all rows take."""
        return self._n_bytes(range(self.n_columns))

    def _n_bytes(self, columns: Sequence[int] | range) -> int:
        sizes = [_bytes_per_row(self.held[int(self.block_of[i])]) for i in columns]
        return self.n_rows * sum(sizes)

    def n_missing(self, i: int) -> int:
        """Return in how many rows column ``i`` has no value."""
        if not self.has_missing[i]:
            return 0
        return int(self.marginals.counts[i][-1])

    def category_counts(self, i: int) -> IntArray:
        """Return how many rows have each category of discrete column ``i``."""
        return self.marginals.counts[i][: int(self.n_categories[i])]

    def quantiles(self, i: int, shares: Sequence[float]) -> FloatArray:
        """Return quantiles of a column; the extremes are known, others take some passes."""
        from eiderdown.data.order_statistics import order_statistics

        n_known = int(self.marginals.counts[i][0])
        if not n_known:
            return np.zeros(len(shares))
        places = (n_known - 1) * np.asarray(shares, np.float64)
        below = np.floor(places).astype(np.int64)
        ranks = np.unique([below, np.minimum(below + 1, n_known - 1)])
        known = {0: self.marginals.least[i], n_known - 1: self.marginals.greatest[i]}
        inner = [rank for rank in ranks.tolist() if rank not in known]
        if inner:
            known |= zip(inner, order_statistics(self, {i: inner})[i], strict=True)
        pairs = [(known[k], known[min(k + 1, n_known - 1)]) for k in below.tolist()]
        found = [np.quantile(pair, t) for pair, t in zip(pairs, places - below, strict=True)]
        return np.array(found)

    def n_complete(self, columns: Sequence[int]) -> int:
        """Return how many rows have a value in each of some columns."""
        work = partial(n_complete_rows, self.columns[list(columns)].tolist())
        return self.partitions.reduce(work, int.__add__)

    def holds_whole(self, i: int) -> bool:
        """Whether all numbers of continuous column ``i`` are whole; asked of every part."""
        return all(self.partitions.map(partial(_holds_whole, int(self.columns[i]))))

    def holds_counts(self, i: int) -> bool:
        """Whether continuous column ``i`` holds whole numbers from 0 on, and 0 among them."""
        return bool(self.marginals.least[i] == 0.0) and self.holds_whole(i)

    def constant_columns(self) -> tuple[str, ...]:
        """Return the names of the columns with a single value, missing ones aside, or none."""
        return tuple(name for i, name in enumerate(self.names) if self._is_constant(i))

    def _is_constant(self, i: int) -> bool:
        if not self.is_discrete[i]:
            return not self.marginals.least[i] < self.marginals.greatest[i]
        seen = self.marginals.counts[i][: int(self.n_categories[i])]
        return bool(np.count_nonzero(seen) < 2)

    def bit_planes(self, block_id: int) -> BitPlanes:
        """Return the bit planes of a discrete block, if the table fits into memory."""
        return self.in_memory().bit_planes(block_id)

    # New datasets

    def take(self, row_indices: ArrayLike) -> Dataset:
        """Return a dataset of the given rows, in memory."""
        return self.in_memory("taking rows one by one").take(row_indices)

    def complete_in(self, columns: Sequence[int]) -> Dataset:
        """Return a dataset of the rows in which some columns have values."""
        chosen = [int(self.columns[i]) for i in columns]
        flags = self.has_missing.copy()
        flags[list(columns)] = False
        rowless = with_flags(Dataset(self.names, self.held, self._categories), flags)
        return replace(
            self,
            held=rowless.held,
            origin=None,
            partitions=CompletePartitions(self.partitions, chosen),
            known=None,
        )

    def reduce(
        self, work: Callable[[Dataset], R], merge: Callable[[R, R], R], columns: Sequence[int]
    ) -> R:
        """Do some work on some columns of each part, and merge the answers."""
        chosen = self.columns[np.asarray(columns, np.int64)].tolist()
        return self.partitions.reduce(partial(_on_columns, chosen, work), merge)

    def each(self, work: Callable[[Dataset], R]) -> Iterator[R]:
        """Do some work on the columns of each part, and yield the answers in order of the rows."""
        return self.partitions.map(partial(_on_columns, self.columns.tolist(), work))

    def beside(self, other: Dataset) -> Dataset:
        """Return a dataset with the columns of another behind its own, in memory."""
        return self.in_memory().beside(other)

    def _picked(self, columns: IntArray) -> Dataset:
        like = Dataset(self.names, self.held, self._categories, self.finer)._picked(columns)
        known = self.known if "marginals" not in vars(self) else self.marginals
        return replace(
            self,
            names=like.names,
            held=like.held,
            _categories=like._categories,
            partitions=self.partitions,
            columns=frozen(self.columns[columns]),
            known=None if known is None else known.pick(columns),
            origin=None,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return self.in_memory().__reduce__()


# --- work on one part, which may be done elsewhere ------------------------------------------------


def _on_columns(columns: list[int], work: Callable[[Dataset], R], part: Dataset) -> R:
    return work(part._picked(np.array(columns)))


def _codes(column: int, part: Dataset) -> CodeArray:
    codes: CodeArray = part.codes(column).copy()
    return codes


def _values(column: int, part: Dataset) -> FloatArray:
    return np.array(part.values(column))


def _missing(column: int, part: Dataset) -> BoolArray:
    return part.missing(column)


def _holds_whole(column: int, part: Dataset) -> bool:
    return part.holds_whole(column)


def _gathered(columns: list[int], part: Dataset) -> tuple[Block, ...]:
    """Return the cells of some columns, copied out of a part."""
    return part._picked(np.array(columns)).held


# --- blocks ---------------------------------------------------------------------------------------


def without_rows(block: Block) -> Block:
    """Return a block of the same form without its rows."""
    if isinstance(block, CodeBlock):
        return replace(block, codes=block.codes[:, :0].copy())
    if isinstance(block, FloatBlock):
        return replace(block, values=block.values[:, :0].copy())
    indptr = np.zeros(len(block.variables) + 1, np.int64)
    return SparseBlock(block.variables, indptr, block.rows[:0].copy(), 0)


def _bytes_per_row(block: Block) -> int:
    if isinstance(block, CodeBlock):
        return int(block.codes.dtype.itemsize)
    return 8 if isinstance(block, FloatBlock) else 1


def joined_blocks(
    parts: list[tuple[Block, ...]], like: tuple[Block, ...], n_rows: int
) -> tuple[Block, ...]:
    """Put the rows of all parts one behind the other."""
    whole: list[Block] = []
    for k, block in enumerate(like):
        own: list[Any] = [part[k] for part in parts]
        if isinstance(block, CodeBlock):
            whole.append(replace(block, codes=np.concatenate([b.codes for b in own], axis=1)))
        elif isinstance(block, FloatBlock):
            whole.append(replace(block, values=np.concatenate([b.values for b in own], axis=1)))
        else:
            whole.append(_joined_sparse(own, block, n_rows))
    return tuple(whole)


def _joined_sparse(parts: list[SparseBlock], like: SparseBlock, n_rows: int) -> SparseBlock:
    from scipy.sparse import csc_array, vstack

    matrices = [
        csc_array(
            (np.ones(len(part.rows), np.uint8), part.rows.astype(np.int64), part.indptr),
            shape=(part.n_rows, len(part.variables)),
        )
        for part in parts
    ]
    whole = vstack(matrices, format="csc")
    whole.sort_indices()
    rows = as_rows(whole.indices, n_rows)
    return SparseBlock(like.variables, whole.indptr.astype(np.int64), rows, n_rows)
