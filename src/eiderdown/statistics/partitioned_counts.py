"""Counts of a table in parts: each part is counted where it is, and the counts are added.

    parts --count, each by the kernels for tables in memory--> tables of the strata seen there
          --put the strata of all parts together by what they hold--> one table, the same integers

A part numbers its own strata, so its answer says what each of them holds: one row of codes of the
conditioning columns. As many questions as fit the memory are answered in one pass.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from eiderdown.arrays import IntArray, frozen
from eiderdown.data import Dataset
from eiderdown.data.partitioned import PartitionedDataset
from eiderdown.errors import TooManyCellsError
from eiderdown.statistics.cost import Workers
from eiderdown.statistics.counts import (
    Consume,
    CountBlock,
    Counts,
    CountSource,
    CountStatistics,
    Question,
    Strata,
)
from eiderdown.statistics.kernels import find_rows_of_labels
from eiderdown.statistics.merge_kernels import add_at, find_places, merge_places

MOST_CELLS_OF_PASS = 1 << 25
"""Cells of all tables that are counted in one pass: 128 MB, once in each part at work."""

_LARGEST_KEY = 2**62

MOST_ROWS = 2**31 - 1
"""Rows that can be counted: a count is an integer of four bytes."""


@dataclass(frozen=True, eq=False)
class PartCounts:
    """The answer of one or more parts to one question.

    Attributes
    ----------
    keys : IntArray of shape (n_strata, n_numbers)
        What each stratum holds, in the order of the codes; see :func:`keys_of`.
    table : Counts
        Rows in each (stratum, target category).
    blocks : list of CountBlock
        The counts of the candidates, grouped by how many categories they have.
    """

    keys: IntArray
    table: Counts
    blocks: list[CountBlock] = field(default_factory=list)


class PartitionedCounts(CountSource):
    """Counts of discrete columns of a table in parts.

    Parameters
    ----------
    data : PartitionedDataset
        The table.
    n_jobs : int or None
        Threads that count parts; None means every available core.
    """

    def __init__(self, data: PartitionedDataset, *, n_jobs: int | None = None) -> None:
        if data.n_rows > MOST_ROWS:
            raise TooManyCellsError(
                f"The table has {data.n_rows:,} rows, more than the {MOST_ROWS:,} that can be "
                "counted; take a part of them."
            )
        self.data: PartitionedDataset = data
        self.workers = Workers(n_jobs)

    def count_all(
        self, questions: Sequence[Question], begin: Callable[[int, Counts], Consume]
    ) -> None:
        """See :meth:`CountSource.count_all`."""
        begun: dict[int, Consume] = {}
        n_strata: dict[int, int] = {}  # of the questions that were begun, which spares passes
        for number, (candidates, target, given) in enumerate(questions):
            if self._is_known(candidates, given):
                self.require_discrete([target])
                counts = self.data.category_counts(target).astype(np.int32)
                begun[number] = begin(number, counts[None, :])
        for asked in self._passes(questions, n_strata):
            counted = self._counted(asked, questions)
            for (number, positions), found in zip(asked, counted, strict=True):
                if number not in begun:
                    begun[number] = begin(number, found.table)
                    n_strata[number] = len(found.table)
                for block in found.blocks:
                    at = positions[block.positions]
                    begun[number](CountBlock(at, block.counts, block.complete))

    def _passes(
        self, questions: Sequence[Question], n_strata: Mapping[int, int]
    ) -> Iterator[list[tuple[int, IntArray]]]:
        """Put as many candidates of questions together as one pass over the parts can count."""
        asked: list[tuple[int, IntArray]] = []
        room = MOST_CELLS_OF_PASS
        for number, (candidates, target, given) in enumerate(questions):
            if self._is_known(candidates, given):
                continue
            self.require_discrete([target, *given, *candidates.tolist()])
            most = min(math.prod(self.data.n_codes[list(given)].tolist()), self.data.n_rows)
            of_stratum = int(self.data.n_codes[target])
            of_stratum *= int(self.data.n_codes[candidates].max(initial=1))
            if most * of_stratum > MOST_CELLS_OF_PASS:
                self._refuse_if_huge(target, given, candidates)
            start = 0
            while start < max(1, len(candidates)):
                each = of_stratum * max(1, n_strata.get(number, most))
                n_fit = max(1, min(len(candidates) - start, MOST_CELLS_OF_PASS // each))
                if asked and each * n_fit > room:
                    yield asked
                    asked, room = [], MOST_CELLS_OF_PASS
                    continue  # now that more may be known of the strata
                asked.append((number, np.arange(start, min(start + n_fit, len(candidates)))))
                room -= each * n_fit
                start += n_fit
        if asked:
            yield asked

    def _is_known(self, candidates: IntArray, given: tuple[int, ...]) -> bool:
        """Say whether a question about one column alone needs no pass."""
        return not given and not len(candidates) and self.data.known is not None

    def _refuse_if_huge(self, target: int, given: tuple[int, ...], candidates: IntArray) -> None:
        """Refuse tables of too many cells, now that it is worth a pass to know the strata."""
        if len(candidates) == 0:
            return
        n_cells = len(self.table(target, given)) * int(self.data.n_codes[target])
        most = int(candidates[np.argmax(self.data.n_codes[candidates])])
        self.refuse_huge_tables(n_cells * int(self.data.n_codes[most]), most)

    def needs_passes(self, candidates: IntArray, target: int, given: tuple[int, ...]) -> bool:
        """Say whether a question may have more cells than one pass counts."""
        n_codes = self.data.n_codes
        most = min(math.prod(n_codes[list(given)].tolist()), self.data.n_rows)
        of_stratum = int(n_codes[target]) * int(n_codes[candidates].max(initial=1))
        return bool(given) and most * of_stratum * len(candidates) > MOST_CELLS_OF_PASS

    def strata_of(self, target: int, given: tuple[int, ...]) -> PartCounts:
        """Return what each stratum holds, and its rows in each category of the target."""
        self.require_discrete([target, *given])
        nobody = np.empty(0, dtype=np.int64)
        return self._counted([(0, nobody)], [(nobody, target, given)])[0]

    def count_within(self, question: Question, keys: IntArray, consume: Consume) -> None:
        """Count candidates within some strata only, which are told by what they hold.

        All parts number them alike, so that there is nothing to merge.
        """
        candidates, target, given = question
        self.require_discrete(candidates)
        columns, n_codes = self.data.columns, self.data.n_codes
        each = len(keys) * int(n_codes[target]) * int(n_codes[candidates].max())
        self.refuse_huge_tables(each, int(candidates[n_codes[candidates].argmax()]))
        n_fit = max(1, MOST_CELLS_OF_PASS // max(1, each))
        in_part = int(columns[target]), tuple(columns[list(given)].tolist())
        for start in range(0, len(candidates), n_fit):
            positions = np.arange(start, min(start + n_fit, len(candidates)))
            work = partial(count_part_within, (columns[candidates[positions]], *in_part), keys)
            blocks = self.data.partitions.reduce(work, _added_blocks, self.workers.n_jobs)
            for block in blocks:
                consume(CountBlock(positions[block.positions], block.counts, block.complete))

    def _counted(
        self, asked: Sequence[tuple[int, IntArray]], questions: Sequence[Question]
    ) -> list[PartCounts]:
        """Count some candidates of some questions in one pass."""
        of_parts: list[Question] = []
        for number, positions in asked:
            candidates, target, given = questions[number]
            columns = self.data.columns
            in_part = tuple(columns[list(given)].tolist())
            of_parts.append((columns[candidates[positions]], int(columns[target]), in_part))
        work = partial(count_part, of_parts)
        return self.data.partitions.reduce(work, merge_counts, self.workers.n_jobs)


def count_part(questions: Sequence[Question], part: Dataset) -> list[PartCounts]:
    """Count the tables of some questions in one part; columns are numbered as there."""
    statistics = CountStatistics(part, n_jobs=1)
    answers = []
    for candidates, target, given in questions:
        cells = statistics.cells(target, given)
        blocks: list[CountBlock] = []
        if len(candidates):
            statistics.sweep(candidates, cells, blocks.append)
        keys = keys_of(part, given, statistics.strata(given))
        answers.append(PartCounts(keys, cells.table, _grouped(blocks)))
    return answers


def count_part_within(question: Question, keys: IntArray, part: Dataset) -> list[CountBlock]:
    """Count candidates in one part within the strata of some keys; other rows are left out."""
    candidates, target, given = question
    statistics = CountStatistics(part, n_jobs=1)
    own = statistics.strata(given)
    places = np.full(own.n_labels, len(keys), dtype=np.int64)
    find_places(keys_of(part, given, own), keys, places[: own.n_strata])
    labels = frozen(places.astype(np.int32)[own.labels])
    blocks: list[CountBlock] = []
    cells = statistics.cells_within(target, Strata(labels, len(keys), incomplete=True))
    statistics.sweep(candidates, cells, blocks.append)
    return _grouped(blocks)


def _added_blocks(first: list[CountBlock], second: list[CountBlock]) -> list[CountBlock]:
    """Add counts of the same candidates and strata."""
    for mine, other in zip(first, second, strict=True):
        mine.counts[:] += other.counts
    return first


def keys_of(part: Dataset, given: tuple[int, ...], strata: Strata) -> IntArray:
    """Return what each stratum holds: the codes of the conditioning columns, packed into numbers.

    Numbers are in the order of the codes, and as many codes go into one as fit.
    """
    rows = np.full(strata.n_strata, -1, dtype=np.int64)
    find_rows_of_labels(strata.labels, rows)
    words: list[IntArray] = []
    room = 0
    for z in given:
        n_codes, codes = int(part.n_codes[z]), part.codes(z)[rows].astype(np.int64)
        if room >= n_codes:
            words[-1] *= n_codes
            words[-1] += codes
        else:
            words.append(codes)
            room = _LARGEST_KEY
        room //= n_codes
    if not words:
        return np.empty((strata.n_strata, 0), dtype=np.int64)
    return np.ascontiguousarray(np.stack(words, axis=1))


def _grouped(blocks: list[CountBlock]) -> list[CountBlock]:
    """Join blocks of the same shape, so that all parts answer in the same blocks."""
    groups: dict[tuple[int, bool], list[CountBlock]] = {}
    for block in blocks:
        groups.setdefault((block.counts.shape[3], block.complete), []).append(block)
    joined = []
    for (_, complete), alike in sorted(groups.items()):
        positions = np.concatenate([block.positions for block in alike])
        counts = np.concatenate([block.counts for block in alike])
        order = np.argsort(positions)
        joined.append(CountBlock(positions[order], counts[order], complete))
    return joined


def merge_counts(first: list[PartCounts], second: list[PartCounts]) -> list[PartCounts]:
    """Add the answers of two parts to the same questions."""
    return [_merged(a, b) for a, b in zip(first, second, strict=True)]


def _merged(a: PartCounts, b: PartCounts) -> PartCounts:
    if np.array_equal(a.keys, b.keys):
        blocks = [
            CountBlock(x.positions, x.counts + y.counts, x.complete)
            for x, y in zip(a.blocks, b.blocks, strict=True)
        ]
        return PartCounts(a.keys, a.table + b.table, blocks)
    of_a, of_b = np.empty(len(a.keys), np.int64), np.empty(len(b.keys), np.int64)
    n_strata = merge_places(a.keys, b.keys, of_a, of_b)
    if n_strata == len(a.keys):  # nothing new, as is usual once many parts are together
        keys = a.keys
    else:
        keys = np.empty((n_strata, a.keys.shape[1]), np.int64)
        keys[of_a], keys[of_b] = a.keys, b.keys

    def added(x: Counts, y: Counts) -> Counts:
        """Add tables of shape (candidates, strata, cells)."""
        if n_strata == x.shape[1] and x.flags.writeable:
            total = x
        else:
            total = np.zeros((len(x), n_strata, x.shape[2]), dtype=np.int32)
            add_at(x, of_a, total)
        add_at(y, of_b, total)
        return total

    blocks = []
    for x, y in zip(a.blocks, b.blocks, strict=True):
        total = added(_flat(x.counts), _flat(y.counts))
        shape = (len(total), n_strata, *x.counts.shape[2:])
        blocks.append(CountBlock(x.positions, total.reshape(shape), x.complete))
    return PartCounts(keys, added(a.table[None], b.table[None])[0], blocks)


def _flat(counts: Counts) -> Counts:
    """Return tables of each candidate and stratum as rows."""
    n_cells = math.prod(counts.shape[2:])
    return np.ascontiguousarray(counts).reshape(*counts.shape[:2], n_cells)


def count_source(data: Dataset, *, n_jobs: int | None = None) -> CountSource:
    """Return what counts the rows of a table, wherever they are."""
    if isinstance(data, PartitionedDataset):
        if data.partitions.layout == "columns":
            from eiderdown.statistics.sharded_counts import ShardedCounts

            return ShardedCounts(data, n_jobs=n_jobs)
        return PartitionedCounts(data, n_jobs=n_jobs)
    return CountStatistics(data, n_jobs=n_jobs)
