"""Test-wise deletion: a question is answered from the rows in which its own columns have values.

    candidates without missing values in these rows  ->  one sweep of a test of these rows
    candidates with the same rows missing            ->  one sweep of a test of the rows left
    ...

so that a test needs to know nothing of missing values: it is made anew for each set of rows. Tests
of contingency tables can do better, and do it themselves (``takes_missing``).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np

from eiderdown.arrays import BoolArray, IntArray
from eiderdown.data import Dataset
from eiderdown.independence.base import IndependenceTest
from eiderdown.independence.batch import Allows, IndependenceBatch

_MOST_KEPT_CELLS = 20_000_000  # of the tables whose tests are kept
_FEW_COLUMNS, _FEW_ROWS = 64, 20_000  # a test is made of all that can be used, to be asked again


class TestwiseDeletion(IndependenceTest):
    """Let another test answer each question from the rows that are complete in its columns.

    Parameters
    ----------
    data : Dataset
        The table, with missing values.
    make : callable
        Makes the test from a table without missing values.

    Examples
    --------
    >>> from eiderdown.independence import FisherZTest
    >>> a = np.random.default_rng(0).normal(size=(300, 3))
    >>> a[:40, 0] = np.nan
    >>> a[30:60, 1] = np.nan
    >>> test = TestwiseDeletion(Dataset.from_numpy(a), FisherZTest)
    >>> [result.n_used for result in test.sweep([0, 1], 2)], test.test(0, 1).n_used
    ([260, 270], 240)
    """

    __test__ = False  # not a test case, whatever its name begins with

    def __init__(self, data: Dataset, make: Callable[[Dataset], IndependenceTest]) -> None:
        super().__init__(data.names)
        self.data = data
        self._make = make
        self._recent: OrderedDict[bytes, tuple[IndependenceTest, IntArray]] = OrderedDict()

    @cached_property
    def _whole(self) -> tuple[IndependenceTest, IntArray]:
        """A test of the columns without missing values, or of one where it has some values."""
        columns = np.flatnonzero(~self.data.has_missing)
        if len(columns):
            return self._made(np.ones(self.data.n_rows, np.bool_), columns)
        first = next((i for i in range(self.n_variables) if not self.data.missing(i).all()), 0)
        return self._made(~self.data.missing(first), np.array([first]))

    @property
    def description(self) -> dict[str, object]:
        """Name and options of the test that answers."""
        return self._whole[0].description

    def _sweep(
        self, candidates: IntArray, target: int, given: tuple[int, ...]
    ) -> IndependenceBatch:
        shared = [target, *given]
        batch = IndependenceBatch.of_sweep(candidates, target, given, allows=Allows.NOTHING)
        for positions, rows in self._by_rows(candidates, self.data.complete_rows(shared)):
            if not rows.any():
                continue  # nothing can be tested
            test, column_of = self._test_of(rows, [*candidates[positions], *shared])
            conditions = column_of[list(given)].tolist()
            part = test.sweep(column_of[candidates[positions]], int(column_of[target]), conditions)
            batch.values[positions] = part.values
            self.notes.extend(note for note in test.notes if note not in self.notes)
        return batch

    def _by_rows(
        self, candidates: IntArray, rows: BoolArray
    ) -> Iterator[tuple[IntArray, BoolArray]]:
        """Group candidates by the rows that are left to them."""
        incomplete = self.data.has_missing[candidates]
        groups = {np.packbits(rows).tobytes(): np.flatnonzero(~incomplete).tolist()}
        for position in np.flatnonzero(incomplete).tolist():
            left = rows & ~self.data.missing(int(candidates[position]))
            groups.setdefault(np.packbits(left).tobytes(), []).append(position)
        for packed, positions in groups.items():
            if positions:
                bits = np.unpackbits(np.frombuffer(packed, np.uint8), count=len(rows))
                yield np.array(positions, dtype=np.int64), bits.astype(np.bool_)

    def _test_of(self, rows: BoolArray, columns: list[int]) -> tuple[IndependenceTest, IntArray]:
        """Return a test of these rows, and where it has the table's columns."""
        if rows.all():
            return self._whole
        key = np.packbits(rows).tobytes()
        found = self._recent.get(key)
        if found is not None and np.all(found[1][columns] >= 0):
            self._recent.move_to_end(key)
            return found
        n_rows = int(rows.sum())
        wanted = np.array(sorted(set(columns)), dtype=np.int64)
        if self.data.n_columns <= _FEW_COLUMNS and n_rows <= _FEW_ROWS:
            missing = self.data.has_missing.copy()
            missing[missing] = [
                (self.data.missing(i) & rows).any() for i in np.flatnonzero(missing).tolist()
            ]
            wanted = np.flatnonzero(~missing)
        self._recent[key] = self._made(rows, wanted)
        most = max(2, _MOST_KEPT_CELLS // max(1, n_rows * len(wanted)))
        while len(self._recent) > most:
            self._recent.popitem(last=False)
        return self._recent[key]

    def _made(self, rows: BoolArray, columns: IntArray) -> tuple[IndependenceTest, IntArray]:
        """Make a test of some rows and columns, which have no missing values in these rows."""
        column_of = np.full(self.data.n_columns, -1, dtype=np.int64)
        column_of[columns] = np.arange(len(columns))
        table = self.data.select([self.names[i] for i in columns])
        return self._make(table if rows.all() else table.take(rows)), column_of
