"""The parts of a table: one question to every part, answered in the order of the rows.

    partitions.map(work)              work(part) for each part, a Dataset
    partitions.reduce(work, merge)    the answers, merged, perhaps where the parts are

That is all that a store on disk and a cluster have to offer.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, IntArray
from eiderdown.data.blocks import Block, SparseBlock
from eiderdown.data.dataset import Dataset
from eiderdown.errors import TooFewRowsError
from eiderdown.progress import stop_if_cancelled

R = TypeVar("R")


class Partitions(ABC):
    """The parts of a table, each with some of the rows and all of the columns.

    Every part is a `Dataset` whose columns have the same names, kinds, categories, blocks and, in
    ``has_missing``, the same flags, whether or not a value is missing in that very part.

    Attributes
    ----------
    n_rows : int
        Rows of all parts.
    budget : int or None
        Bytes that work on the table may take in memory; None for whatever is free.
    fingerprint : str
        A digest of the cells, or of the files and how they were read.
    layout : str
        "columns" where it pays to have all rows of some columns together, else "rows".
    """

    n_rows: int
    budget: int | None = None
    fingerprint: str
    layout: str = "rows"

    @abstractmethod
    def map(self, work: Callable[[Dataset], R], n_jobs: int | None = None) -> Iterator[R]:
        """Do some work on each part, and yield the answers in the order of the rows.

        The work must not keep the part or arrays of it, and can be pickled. ``n_jobs`` limits the
        threads of this process; None means every available core.
        """

    def reduce(
        self, work: Callable[[Dataset], R], merge: Callable[[R, R], R], n_jobs: int | None = None
    ) -> R:
        """Do some work on each part, and merge the answers, in the order of the rows, to one.

        ``merge`` must be associative, because parts that are held together may merge their answers
        first; it need not be commutative. It may change the first of the two.
        """
        return functools.reduce(merge, _until_cancelled(self.map(work, n_jobs)))


def _until_cancelled(answers: Iterator[R]) -> Iterator[R]:
    """Pass answers on for as long as the work is not cancelled: a pass may take minutes."""
    for answer in answers:
        stop_if_cancelled()
        yield answer


class MemoryPartitions(Partitions):
    """Parts that are in memory, one after the other: what all other partitions must agree with.

    Parameters
    ----------
    data : Dataset
        The whole table.
    n_parts : int
        How many parts to make of it.
    """

    def __init__(self, data: Dataset, n_parts: int) -> None:
        self.n_rows, self.fingerprint = data.n_rows, data.fingerprint
        cuts = np.array_split(np.arange(data.n_rows), n_parts)
        self._parts = [with_flags(data.take(rows), data.has_missing) for rows in cuts if len(rows)]

    def map(self, work: Callable[[Dataset], R], n_jobs: int | None = None) -> Iterator[R]:  # noqa: ARG002
        """See :meth:`Partitions.map`."""
        return map(work, self._parts)


class ListedPartitions(Partitions):
    """Parts that are in memory, as they are."""

    fingerprint = ""

    def __init__(self, parts: Sequence[Dataset]) -> None:
        self._parts, self.n_rows = parts, sum(part.n_rows for part in parts)

    def map(self, work: Callable[[Dataset], R], n_jobs: int | None = None) -> Iterator[R]:  # noqa: ARG002
        """See :meth:`Partitions.map`."""
        return map(work, self._parts)


class CompletePartitions(Partitions):
    """The rows of other partitions in which some columns have values.

    Attributes
    ----------
    inner : Partitions
        The others.
    columns : tuple of int
        The columns. Work that leaves out rows itself can be done by the others, where not all
        columns are copied.
    """

    def __init__(self, inner: Partitions, columns: Sequence[int]) -> None:
        self.inner, self.columns = inner, tuple(columns)
        self.budget = inner.budget
        self.fingerprint = f"{inner.fingerprint}:{','.join(map(str, self.columns))}"
        self.n_rows = inner.reduce(partial(n_complete_rows, self.columns), int.__add__)
        if not self.n_rows:
            raise TooFewRowsError("No row has a value in each of the columns; take others.")

    def map(self, work: Callable[[Dataset], R], n_jobs: int | None = None) -> Iterator[R]:
        """See :meth:`Partitions.map`; parts of which no row is left are passed over."""
        for answer in self.inner.map(partial(_on_complete, self.columns, work), n_jobs):
            yield from answer

    def reduce(
        self, work: Callable[[Dataset], R], merge: Callable[[R, R], R], n_jobs: int | None = None
    ) -> R:
        """See :meth:`Partitions.reduce`."""
        on_complete = partial(_on_complete, self.columns, work)
        merged: tuple[R, ...] = self.inner.reduce(
            on_complete, partial(_merged_if_any, merge), n_jobs
        )
        return merged[0]


class ChangedPartitions(Partitions):
    """Other partitions, each part changed before work is done on it.

    Parameters
    ----------
    inner : Partitions
        The others.
    change : callable
        Returns the changed part; it can be pickled.
    what : str
        What the change is, for the fingerprint.
    """

    def __init__(self, inner: Partitions, change: Callable[[Dataset], Dataset], what: str) -> None:
        self._inner, self._change = inner, change
        self.n_rows, self.budget = inner.n_rows, inner.budget
        self.fingerprint = f"{inner.fingerprint}:{what}"

    def map(self, work: Callable[[Dataset], R], n_jobs: int | None = None) -> Iterator[R]:
        """See :meth:`Partitions.map`."""
        return self._inner.map(partial(_on_changed, self._change, work), n_jobs)

    def reduce(
        self, work: Callable[[Dataset], R], merge: Callable[[R, R], R], n_jobs: int | None = None
    ) -> R:
        """See :meth:`Partitions.reduce`."""
        return self._inner.reduce(partial(_on_changed, self._change, work), merge, n_jobs)


def _on_changed(
    change: Callable[[Dataset], Dataset], work: Callable[[Dataset], R], part: Dataset
) -> R:
    return work(change(part))


def n_complete_rows(columns: Sequence[int], part: Dataset) -> int:
    """Return how many rows of a part have values in some columns."""
    return int(part.complete_rows(columns).sum())


def _on_complete(
    columns: Sequence[int], work: Callable[[Dataset], R], part: Dataset
) -> tuple[R, ...]:
    """Return the answer of a part, or nothing if it has no complete row."""
    complete = part.complete_rows(columns)
    if not complete.any():
        return ()
    flags = part.has_missing.copy()
    flags[list(columns)] = False
    return (work(with_flags(part.take(complete), flags)),)


def _merged_if_any(
    merge: Callable[[R, R], R], left: tuple[R, ...], right: tuple[R, ...]
) -> tuple[R, ...]:
    return (merge(left[0], right[0]),) if left and right else left or right


def with_flags(part: Dataset, has_missing: BoolArray) -> Dataset:
    """Return a part that says of the same columns as all other parts that values are missing."""
    blocks: list[Block] = []
    for block in part.held:
        if isinstance(block, SparseBlock):
            blocks.append(block)
        else:
            blocks.append(replace(block, has_missing=has_missing[block.variables]))
    return replace(part, held=tuple(blocks))


@dataclass(frozen=True, eq=False)
class Marginals:
    """What is known of each column alone, over all rows.

    Attributes
    ----------
    counts : list of IntArray
        Rows of each code of a discrete column, the last perhaps that of missing values; for
        numbers, how many there are and how many are missing.
    least, greatest : FloatArray
        Of the numbers of each column; NaN for discrete columns and where there are none.
    """

    counts: list[IntArray]
    least: FloatArray
    greatest: FloatArray

    @classmethod
    def of(cls, part: Dataset) -> Marginals:
        """Look through a table in memory."""
        least = np.full(part.n_columns, np.nan)
        greatest = least.copy()
        counts = []
        for i in range(part.n_columns):
            if part.is_discrete[i]:
                counts.append(np.bincount(part.codes(i), minlength=int(part.n_codes[i])))
                continue
            values = part.values(i)
            n_missing = int(np.isnan(values).sum())
            counts.append(np.array([len(values) - n_missing, n_missing]))
            if n_missing < len(values):
                least[i], greatest[i] = np.fmin.reduce(values), np.fmax.reduce(values)
        return cls(counts, least, greatest)

    def __add__(self, other: Marginals) -> Marginals:
        counts = [a + b for a, b in zip(self.counts, other.counts, strict=True)]
        least = np.fmin(self.least, other.least)
        return Marginals(counts, least, np.fmax(self.greatest, other.greatest))

    def pick(self, columns: IntArray) -> Marginals:
        """Return what is known of some of the columns."""
        counts = [self.counts[i] for i in columns.tolist()]
        return Marginals(counts, self.least[columns], self.greatest[columns])
