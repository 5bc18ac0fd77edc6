"""Tests of tables with missing values: test-wise deletion, and pooling over imputed tables.

Test-wise deletion answers a question from the rows in which its own columns have values::

    candidates without missing values in these rows  ->  one sweep of a test of these rows
    candidates with the same rows missing            ->  one sweep of a test of the rows left
    ...

so that a test needs to know nothing of missing values: it is made anew for each set of rows. Tests
of contingency tables can do better, and do it themselves (``takes_missing``).

Pooling goes by the rule D2 of Li, Meng, Raghunathan and Rubin (1991). Each of m tables, filled in
by chance, gives a p-value, and with it a chi-square statistic d of k degrees of freedom. With
r = (1 + 1/m) times the variance of sqrt(d) between tables,

    D2 = (mean(d) / k - (m + 1) / (m - 1) r) / (1 + r)

is compared with an F distribution of k and k^(-3/m) (m - 1) (1 + 1/r)^2 degrees of freedom: what
the tables disagree about is not known.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, IntArray
from eiderdown.data import Dataset
from eiderdown.data.partitioned import PartitionedDataset
from eiderdown.independence.base import IndependenceTest, require_test
from eiderdown.independence.batch import ALLOWS, DOF, EFFECT, LOG_P, Allows, IndependenceBatch
from eiderdown.independence.wilks import CorrelationTest

_MOST_KEPT_CELLS = 20_000_000  # of the tables whose tests are kept
_MOST_KEPT_TESTS = 32  # of tables in parts
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
        made = self._recent[key] = self._made(rows, wanted)
        self._recent.move_to_end(key)  # where it was there before, with other columns
        most = max(2, _MOST_KEPT_CELLS // max(1, n_rows * len(wanted)))
        while len(self._recent) > most:
            self._recent.popitem(last=False)
        return made

    def _made(self, rows: BoolArray, columns: IntArray) -> tuple[IndependenceTest, IntArray]:
        """Make a test of some rows and columns, which have no missing values in these rows."""
        column_of = np.full(self.data.n_columns, -1, dtype=np.int64)
        column_of[columns] = np.arange(len(columns))
        table = self.data.select([self.names[i] for i in columns])
        test = self._make(table if rows.all() else table.take(rows))
        require_test(test)
        return test, column_of


class PartitionedDeletion(TestwiseDeletion):
    """Do the same with a table in parts, where rows are not listed but told by their columns.

    A test is made for each set of columns that must have values.
    """

    def _sweep(
        self, candidates: IntArray, target: int, given: tuple[int, ...]
    ) -> IndependenceBatch:
        shared = [target, *given]
        batch = IndependenceBatch.of_sweep(candidates, target, given, allows=Allows.NOTHING)
        groups: dict[tuple[int, ...], list[int]] = {}
        for position, x in enumerate(candidates.tolist()):
            incomplete = sorted(z for z in (x, *shared) if self.data.has_missing[z])
            groups.setdefault(tuple(incomplete), []).append(position)
        for incomplete_columns, positions in groups.items():
            made = self._complete_test(incomplete_columns, [*candidates[positions], *shared])
            if made is not None:
                test, column_of = made
                conditions = column_of[list(given)].tolist()
                xs = column_of[candidates[positions]]
                batch.values[positions] = test.sweep(xs, int(column_of[target]), conditions).values
                self.notes.extend(note for note in test.notes if note not in self.notes)
        return batch

    def _complete_test(
        self, incomplete: tuple[int, ...], columns: list[int]
    ) -> tuple[IndependenceTest, IntArray] | None:
        """Return a test of the rows that have values in some columns; None if there are none."""
        key = repr(incomplete).encode()
        found = self._recent.get(key)
        if found is not None and np.all(found[1][columns] >= 0):
            self._recent.move_to_end(key)
            return found
        if incomplete and self.data.n_complete(incomplete) == 0:
            return None
        usable = ~self.data.has_missing
        usable[list(incomplete)] = True
        wanted = np.flatnonzero(usable)
        table = self.data.complete_in(incomplete) if incomplete else self.data
        column_of = np.full(self.data.n_columns, -1, dtype=np.int64)
        column_of[wanted] = np.arange(len(wanted))
        test = self._make(table.select([self.names[i] for i in wanted]))
        require_test(test)
        self._recent[key] = test, column_of
        while len(self._recent) > _MOST_KEPT_TESTS:
            self._recent.popitem(last=False)
        return test, column_of

    @cached_property
    def _whole(self) -> tuple[IndependenceTest, IntArray]:
        """A test of the rows that have a value in the first column that has any."""
        for i in np.argsort(self.data.has_missing, kind="stable").tolist():
            incomplete = (i,) if self.data.has_missing[i] else ()
            made = self._complete_test(incomplete, [i])
            if made is not None:
                return made
        raise AssertionError("not one column has a value")  # such columns are left out before


def deletion_for(data: Dataset) -> type[TestwiseDeletion]:
    """Return what leaves out rows of a table, wherever they are."""
    return PartitionedDeletion if isinstance(data, PartitionedDataset) else TestwiseDeletion


_SMALLEST_LOG_P = -600.0  # below this, numbers are continued by their asymptotes


class ImputedTest(IndependenceTest):
    """Answer each question from several tables in which missing values are filled in.

    Parameters
    ----------
    tests : sequence of IndependenceTest
        One test of each table; at least two.
    data : Dataset
        The table with the missing values.
    """

    def __init__(self, tests: Sequence[IndependenceTest], data: Dataset) -> None:
        super().__init__(data.names)
        self.data = data
        self.tests = tuple(tests)

    @property
    def description(self) -> dict[str, object]:
        """Name and options of the tests, and how many tables there are."""
        return {**self.tests[0].description, "imputed_tables": len(self.tests)}

    def _sweep(
        self, candidates: IntArray, target: int, given: tuple[int, ...]
    ) -> IndependenceBatch:
        if not self.data.has_missing[[target, *given, *candidates]].any():
            return self._noted(self.tests[0], candidates, target, given)
        batches = [self._noted(test, candidates, target, given) for test in self.tests]
        values = np.stack([batch.values for batch in batches])
        dof = np.maximum(values[:, :, DOF].mean(axis=0), 1.0)
        if isinstance(self.tests[0], CorrelationTest):
            dof = np.ones(len(candidates))  # theirs are those of the rows
        statistic, log_p = pooled(values[:, :, LOG_P], dof)
        same = np.ptp(values[:, :, LOG_P], axis=0) == 0.0
        return batches[0].with_columns(
            statistic=np.where(same, batches[0].statistic, statistic),
            log_p=np.where(same, batches[0].log_p, log_p),
            effect=values[:, :, EFFECT].mean(axis=0),
            allows=values[:, :, ALLOWS].min(axis=0),
        )

    def _noted(
        self, test: IndependenceTest, candidates: IntArray, target: int, given: tuple[int, ...]
    ) -> IndependenceBatch:
        batch = test.sweep(candidates, target, given)
        self.notes.extend(note for note in test.notes if note not in self.notes)
        return batch


def pooled(log_p: FloatArray, dof: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Pool the p-values of several tables (rows) by D2; return k D2 and its log p-values.

    Examples
    --------
    >>> statistic, log_p = pooled(np.log([[0.04, 0.5], [0.01, 0.3], [0.02, 0.9]]), np.ones(2))
    >>> np.exp(log_p).round(3)
    array([0.029, 1.   ])
    """
    m = len(log_p)
    d = _chi_square(log_p, dof)
    r = np.maximum((1.0 + 1.0 / m) * np.sqrt(d).var(axis=0, ddof=1), 1e-9)
    d2 = np.maximum(0.0, (d.mean(axis=0) / dof - (m + 1.0) / (m - 1.0) * r) / (1.0 + r))
    return dof * d2, log_f_tail(d2, dof, dof ** (-3.0 / m) * (m - 1.0) * (1.0 + 1.0 / r) ** 2)


def _chi_square(log_p: FloatArray, dof: FloatArray) -> FloatArray:
    """Return the chi-square statistics of these p-values."""
    from scipy.special import chdtri

    least = np.maximum(log_p, _SMALLEST_LOG_P)
    found: FloatArray = chdtri(np.broadcast_to(dof, log_p.shape), np.exp(least))
    return found * np.minimum(log_p, 0.0) / np.minimum(least, -1e-300) if len(log_p) else found


def log_f_tail(f: FloatArray, dof: FloatArray, rest: FloatArray) -> FloatArray:
    """Return log P(F >= f), by the first term of its series where it is very small."""
    from scipy.special import betaincc, betaln

    below = rest / (rest + dof * f)
    tail = betaincc(dof / 2.0, rest / 2.0, 1.0 - below)
    far = 0.5 * rest * np.log(below) - np.log(0.5 * rest) - betaln(0.5 * rest, 0.5 * dof)
    with np.errstate(divide="ignore"):
        log_tail: FloatArray = np.where(tail > 1e-290, np.log(tail), far)
    return np.minimum(log_tail, 0.0)
