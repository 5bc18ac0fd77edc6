"""The sweep: counts of (x, target) within every observed stratum, for many x at once.

    candidates --group by storage and categories--> groups --cut to a memory budget--> blocks
    block --cheapest of codes | planes | sparse--> counts[b, stratum, target category, x category]

A block is handed to ``consume`` as soon as it is counted, in whichever thread counted it, so that
no more than a few megabytes of counts exist at any time, however many candidates there are. Blocks
do not depend on the number of workers, and each candidate's counts depend on nothing but itself.

A row with a missing value in the conditioning set, the target or a candidate counts for none of
their tables: the kernels count the code of missing values like any other, and what they counted
there is left out before ``consume`` sees it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import BoolArray, CodeArray, IntArray, WordArray, frozen
from eiderdown.data import CodeBlock, Dataset, FloatBlock, SparseBlock
from eiderdown.data.blocks import MAX_PLANE_CATEGORIES
from eiderdown.data.encode import MAX_CATEGORIES
from eiderdown.errors import ColumnKindError, TooManyCategoriesError, listed
from eiderdown.statistics import kernels
from eiderdown.statistics.cost import (
    ONE_JOB,
    THREADS_PAY_FROM,
    Path,
    SweepShape,
    Workers,
    cheapest,
    cost_of,
    counting_cost,
    packing_cost,
)

Counts: TypeAlias = NDArray[np.int32]

_BLOCK_CELLS = 262_144  # one megabyte of counts per block
_MOST_KEYS_PER_ROW = 16  # beyond this, sorting the keys is cheaper than a table of them
_MOST_CELLS = 1 << 28  # one gigabyte of counts for a single candidate


@dataclass(frozen=True, eq=False)
class Strata:
    """Which rows agree on every column of a conditioning set, as labels 0 .. n_strata - 1.

    Only combinations that occur get a label, so there are at most as many strata as rows, whatever
    the product of the categories is. Rows with a missing value, if there are any, have the label
    ``n_strata``.
    """

    labels: NDArray[np.int32]
    n_strata: int
    incomplete: bool = False

    @property
    def n_labels(self) -> int:
        """Strata, and one more for rows with a missing value."""
        return self.n_strata + self.incomplete

    def refined_by(
        self, codes: CodeArray, n_categories: int, missing: BoolArray | None = None
    ) -> Strata:
        """Split every stratum by one more column, which may be missing in some rows."""
        if missing is not None:
            kept = ~missing & (self.labels < self.n_strata)
            found = Strata(self.labels[kept], self.n_strata).refined_by(codes[kept], n_categories)
            labels = np.full(len(codes), found.n_strata, dtype=np.int32)
            labels[kept] = found.labels
            return Strata(frozen(labels), found.n_strata, incomplete=True)
        n_keys = self.n_strata * n_categories
        if n_keys > max(_MOST_KEYS_PER_ROW * len(codes), 4096):
            return self._refined_by_sorting(codes, n_categories)
        refined = np.empty(len(codes), dtype=np.int32)
        label_of = np.zeros(n_keys, dtype=np.int32)
        n_strata = int(kernels.refine_strata(self.labels, codes, n_categories, label_of, refined))
        return Strata(frozen(refined), n_strata)

    def _refined_by_sorting(self, codes: CodeArray, n_categories: int) -> Strata:
        keys = self.labels.astype(np.int64) * n_categories + codes
        observed, labels = np.unique(keys, return_inverse=True)
        return Strata(frozen(labels.astype(np.int32)), len(observed))


class StrataCache:
    """Strata of recent conditioning sets; longer sets start from the cached prefix.

    Parameters
    ----------
    data : Dataset
        Where the columns come from; all conditioning columns must be discrete.
    max_bytes : int
        How much memory the labels may take before the least recently used are dropped.
    """

    def __init__(self, data: Dataset, max_bytes: int = 32_000_000) -> None:
        self._data = data
        self._whole = Strata(frozen(np.zeros(data.n_rows, dtype=np.int32)), 1)
        self._recent: OrderedDict[tuple[int, ...], Strata] = OrderedDict()
        self._most = max(2, max_bytes // max(1, 4 * data.n_rows))

    def of(self, given: tuple[int, ...]) -> Strata:
        """Return the strata of the columns ``given``, in that order."""
        n_known = len(given)
        while n_known and given[:n_known] not in self._recent:
            n_known -= 1
        found = self._recent[given[:n_known]] if n_known else self._whole
        for n in range(n_known, len(given)):
            column = given[n]
            codes, n_categories = self._data.codes(column), int(self._data.n_categories[column])
            missing = None
            if self._data.has_missing[column] or found.incomplete:
                missing = self._data.missing(column)
            found = found.refined_by(codes, n_categories, missing)
            self._recent[given[: n + 1]] = found
        if given:
            self._recent.move_to_end(given)
        while len(self._recent) > self._most:
            self._recent.popitem(last=False)
        return found


@dataclass(frozen=True, eq=False)
class CountBlock:
    """Counts of some candidates of a sweep.

    Attributes
    ----------
    positions : IntArray
        Where these candidates stand in the sweep's list.
    counts : int32 array of shape (positions, strata, target categories, x categories)
        The contingency tables.
    complete : bool
        Whether these candidates have no missing values, so that summed over x each table is that
        of the shared cells.
    """

    positions: IntArray
    counts: Counts
    complete: bool = True

    def parts(self, shared: Counts) -> Iterator[tuple[IntArray, Counts, Counts]]:
        """Split the block where candidates have sums over x of their own.

        Parameters
        ----------
        shared : Counts
            The rows in each (stratum, target category), as :attr:`SweepCells.table` has them.

        Yields
        ------
        tuple
            Positions, counts, and the table of strata and target categories that they sum to.
        """
        if self.complete:
            yield self.positions, self.counts, shared
            return
        for b in range(len(self.positions)):
            counts = self.counts[b : b + 1]
            own = counts[0].sum(axis=2, dtype=np.int32)
            yield self.positions[b : b + 1], counts, own


@dataclass(frozen=True, eq=False)
class SweepCells:
    """What all candidates of a sweep share: the cell (stratum, target code) of every row.

    ``sizes`` has the rows of each cell.
    ``n_labels`` and ``n_target_codes`` are one more than strata and target categories where rows
    have missing values.
    """

    cells: NDArray[np.int32]
    sizes: NDArray[np.int32]
    n_strata: int
    n_target_categories: int
    n_labels: int
    n_target_codes: int

    @property
    def n_cells(self) -> int:
        """Number of cells, whether or not a row falls in them."""
        return self.n_labels * self.n_target_codes

    @property
    def complete(self) -> bool:
        """Whether no row has a missing value."""
        return self.n_labels == self.n_strata and self.n_target_codes == self.n_target_categories

    @cached_property
    def masks(self) -> WordArray:
        """One bit plane per cell."""
        masks = np.zeros((self.n_cells, (len(self.cells) + 63) // 64), dtype=np.uint64)
        kernels.fill_masks(self.cells, masks)
        return masks

    @property
    def table(self) -> Counts:
        """Rows in each (stratum, target category)."""
        sizes = self.sizes.reshape(self.n_labels, self.n_target_codes)
        return np.ascontiguousarray(sizes[: self.n_strata, : self.n_target_categories])


@dataclass(frozen=True, eq=False)
class _Group:
    """Candidates that one kernel call can count: same storage, as many categories and codes."""

    block_id: int
    n_categories: int
    n_codes: int
    positions: IntArray
    path: Path


Consume: TypeAlias = Callable[[CountBlock], None]

Question: TypeAlias = tuple[IntArray, int, tuple[int, ...]]
"""Candidates, a target and a conditioning set."""


class CountSource(ABC):
    """Whatever counts rows, wherever they are.

    Attributes
    ----------
    data : Dataset
        The table; columns that are counted must be discrete.
    workers : Workers
        The threads.
    """

    data: Dataset
    workers: Workers

    @abstractmethod
    def count_all(
        self, questions: Sequence[Question], begin: Callable[[int, Counts], Consume]
    ) -> None:
        """Count the tables of many questions, perhaps all of them in one pass over the rows.

        ``begin`` is called with the number of a question and its table of strata and target
        categories; what it returns gets the counts of the candidates, in blocks.
        """

    def tables(
        self, candidates: Sequence[int], target: int, given: Sequence[int] = ()
    ) -> list[Counts]:
        """Return the table (stratum, target category, x category) of every candidate."""
        found: list[Counts] = [np.empty((0, 0, 0), np.int32)] * len(candidates)

        def keep(block: CountBlock) -> None:
            for position, table in zip(block.positions, block.counts, strict=True):
                found[position] = table

        xs = np.asarray(candidates, dtype=np.int64)
        self.count_all([(xs, target, tuple(given))], lambda _number, _shared: keep)
        return found

    def table(self, target: int, given: Sequence[int] = ()) -> Counts:
        """Return the table of strata and target categories."""
        found: list[Counts] = []

        def keep(_number: int, shared: Counts) -> Consume:
            found.append(shared)
            return lambda _block: None

        self.count_all([(np.empty(0, dtype=np.int64), target, tuple(given))], keep)
        return found[0]

    def require_discrete(self, columns: Sequence[int] | IntArray) -> None:
        """Refuse numbers, which are not counted."""
        n_categories = self.data.n_categories[np.asarray(columns, dtype=np.int64)]
        if np.any(n_categories == 0):
            wrong = [self.data.names[i] for i in np.asarray(columns)[n_categories == 0]]
            raise ColumnKindError(
                f"Counts need discrete columns, but these are continuous: {listed(wrong)}; "
                "discretise them or use a test for continuous columns."
            )

    def refuse_huge_tables(self, n_cells: int, column: int) -> None:
        """Refuse tables of more cells than can be held."""
        if n_cells > _MOST_CELLS:
            raise TooManyCategoriesError(
                f"The table of column {self.data.names[column]!r} and its target would have "
                f"{n_cells:,} cells; merge categories of these columns or condition on fewer."
            )


class CountStatistics(CountSource):
    """Counts of discrete columns in memory, for tests and scores.

    Parameters
    ----------
    data : Dataset
        The table; columns that are counted must be discrete.
    n_jobs : int or None
        Threads; None means every available core. The counts do not depend on it.
    path : Path or None
        Force one way of counting where the storage allows it; None lets the cost model choose.
    """

    def __init__(
        self, data: Dataset, *, n_jobs: int | None = None, path: Path | None = None
    ) -> None:
        self.data = data
        self.workers = Workers(n_jobs)
        self._forced = path
        self._strata = StrataCache(data)
        self._storage_of = _storages(data)
        self._missed = dict.fromkeys(range(len(data.held)), 0.0)  # what planes would have saved

    def cells(self, target: int, given: tuple[int, ...]) -> SweepCells:
        """Find the cell of every row for one target and conditioning set."""
        self.require_discrete([target, *given])
        return self.cells_within(target, self._strata.of(given))

    def cells_within(self, target: int, strata: Strata) -> SweepCells:
        """Find the cell of every row for one target within some strata."""
        n_target_codes = int(self.data.n_codes[target])
        n_cells = strata.n_labels * n_target_codes
        n_tables = 4 if 8 * n_cells <= self.data.n_rows else 1
        sizes = np.zeros((n_tables, n_cells), dtype=np.int32)
        cells = np.empty(self.data.n_rows, dtype=np.int32)
        kernels.find_cells(strata.labels, self.data.codes(target), n_target_codes, cells, sizes)
        return SweepCells(
            cells,
            sizes[0],
            strata.n_strata,
            int(self.data.n_categories[target]),
            strata.n_labels,
            n_target_codes,
        )

    def strata(self, given: tuple[int, ...]) -> Strata:
        """Return the strata of a conditioning set."""
        return self._strata.of(given)

    def count_all(
        self, questions: Sequence[Question], begin: Callable[[int, Counts], Consume]
    ) -> None:
        """See :meth:`CountSource.count_all`; one question after the other."""
        for number, (candidates, target, given) in enumerate(questions):
            cells = self.cells(target, given)
            self.sweep(candidates, cells, begin(number, cells.table))

    def sweep(self, candidates: IntArray, shared: SweepCells, consume: Consume) -> None:
        """Count every candidate against the shared cells and hand the blocks to ``consume``.

        Blocks arrive in no fixed order, possibly from several threads at once; their positions
        never overlap.
        """
        self.require_discrete(candidates)
        jobs: list[tuple[_Group, IntArray]] = []
        cost = 0.0
        for group in self._groups(candidates, shared):
            self.refuse_huge_tables(
                shared.n_cells * group.n_codes, int(candidates[group.positions[0]])
            )
            shape = self._shape(group.block_id, group.n_codes, len(group.positions), shared)
            n_cells = max(1, shared.n_cells * group.n_codes)
            each = counting_cost(group.path, shape) + n_cells
            per_block = max(1, min(_BLOCK_CELLS // n_cells, int(ONE_JOB / each)))
            cuts = range(per_block, len(group.positions), per_block)
            jobs += [(group, part) for part in np.split(group.positions, list(cuts))]
            cost += each * len(group.positions)

        def count_one(job: tuple[_Group, IntArray]) -> None:
            group, positions = job
            counts = self._count(group, candidates[positions], shared)
            complete = group.n_codes == group.n_categories
            if not (complete and shared.complete):
                counts = np.ascontiguousarray(
                    counts[:, : shared.n_strata, : shared.n_target_categories, : group.n_categories]
                )
            consume(CountBlock(positions, counts, complete))

        self._warm(jobs, shared)
        self.workers.each(count_one, jobs, pays=cost > THREADS_PAY_FROM)

    def _shape(
        self, block_id: int, n_codes: int, n_candidates: int, shared: SweepCells
    ) -> SweepShape:
        block = self.data.blocks[block_id]
        mean_listed = None
        if isinstance(block, SparseBlock):
            mean_listed = len(block.rows) / len(block.variables)
        return SweepShape(self.data.n_rows, shared.n_cells, n_codes, n_candidates, mean_listed)

    def _groups(self, candidates: IntArray, shared: SweepCells) -> list[_Group]:
        storage = self._storage_of[candidates]
        groups = []
        for storage_id in np.flatnonzero(np.bincount(storage)):
            positions = np.flatnonzero(storage == storage_id)
            x = int(candidates[positions[0]])
            n_categories, n_codes = int(self.data.n_categories[x]), int(self.data.n_codes[x])
            block_id = int(self.data.block_of[x])
            shape = self._shape(block_id, n_codes, len(positions), shared)
            path = self._path(block_id, shape)
            groups.append(_Group(block_id, n_categories, n_codes, positions, path))
        return groups

    def _path(self, block_id: int, shape: SweepShape) -> Path:
        has_planes = shape.n_categories <= MAX_PLANE_CATEGORIES
        is_sparse = shape.mean_listed is not None
        possible = {Path.SPARSE if is_sparse else Path.CODES}
        if has_planes:
            possible.add(Path.PLANES)
        if self._forced in possible:
            return self._forced
        path = cheapest(shape, has_planes=has_planes)
        return Path.SPARSE if is_sparse and self._wait_for_planes(block_id, shape, path) else path

    def _wait_for_planes(self, block_id: int, shape: SweepShape, path: Path) -> bool:
        """Whether a sparse block is better counted as it is until planes have paid.

        One target takes a few sweeps, and making a plane takes longer than many of them save.
        """
        if path is not Path.PLANES or self.data.has_bit_planes(block_id):
            return False
        saved = cost_of(Path.SPARSE, shape) - cost_of(Path.PLANES, shape)
        self._missed[block_id] += saved * shape.n_candidates
        n_columns = len(self.data.blocks[block_id].variables)
        making = packing_cost(shape.n_rows, shape.mean_listed or 0.0) * n_columns
        return self._missed[block_id] < making

    def _warm(self, jobs: list[tuple[_Group, IntArray]], shared: SweepCells) -> None:
        """Build what threads would otherwise build twice."""
        paths = {(group.block_id, group.path) for group, _ in jobs}
        for block_id, path in paths:
            if path is Path.PLANES:
                _ = shared.masks
                self.data.bit_planes(block_id)

    def _count(self, group: _Group, columns: IntArray, shared: SweepCells) -> Counts:
        block = self.data.blocks[group.block_id]
        rows_of_block = self.data.row_in_block[columns]
        out = np.zeros((len(columns), shared.n_cells, group.n_codes), dtype=np.int32)
        if group.path is Path.PLANES:
            planes = self.data.bit_planes(group.block_id)
            firsts = planes.first[rows_of_block]
            kernels.count_planes(planes.planes, firsts, shared.masks, shared.sizes, out)
        elif isinstance(block, SparseBlock):
            kernels.count_sparse(
                block.indptr, block.rows, rows_of_block, shared.cells, shared.sizes, out
            )
        else:
            assert isinstance(block, CodeBlock)
            n_cells = shared.n_cells * group.n_codes
            n_tables = 4 if 8 * n_cells <= len(shared.cells) else 1
            tables = np.empty((n_tables, n_cells), dtype=np.int32)
            kernels.count_codes(block.codes, rows_of_block, shared.cells, tables, out)
        return out.reshape(len(columns), shared.n_labels, shared.n_target_codes, group.n_codes)


def _storages(data: Dataset) -> IntArray:
    """Give each column the number of its block, categories and codes, together."""
    keys = data.block_of * (MAX_CATEGORIES + 1) + data.n_categories
    storage_of: IntArray = np.unique(2 * keys + data.has_missing, return_inverse=True)[1]
    return storage_of


@dataclass(frozen=True, eq=False)
class PlaneIndex:
    """Bit planes of every column that has them.

    Attributes
    ----------
    planes : WordArray of shape (n_planes, n_words)
        The planes.
    first : IntArray
        Row of each column's plane for code 1; -1 for columns without planes.
    """

    planes: WordArray
    first: IntArray


def index_planes(data: Dataset) -> PlaneIndex:
    """Gather the planes of all blocks; with a single block nothing is copied."""
    first = np.full(data.n_columns, -1, dtype=np.int64)
    parts: list[WordArray] = []
    n_before = 0
    for block_id, block in enumerate(data.held):
        if isinstance(block, FloatBlock):
            continue
        built = data.bit_planes(block_id)
        first[block.variables] = built.first[:-1] + n_before
        n_before += len(built.planes)
        parts.append(built.planes)
    first[data.n_codes > MAX_PLANE_CATEGORIES] = -1
    none = np.empty((0, (data.n_rows + 63) // 64), dtype=np.uint64)
    planes = parts[0] if len(parts) == 1 else np.concatenate([none, *parts])
    return PlaneIndex(frozen(planes), frozen(first))
