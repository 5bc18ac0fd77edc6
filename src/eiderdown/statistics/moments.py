"""Correlations between blocks of columns: the one moment matrix of numbers and categories.

A variable becomes a block of numeric columns. A number is one column; with a basis its square (and
cube) too; with ``ranks`` the normal score of its rank. A category of k values that are seen is
k - 1 contrasts. The columns of one variable are orthogonal and of length 1, so that tests need only
correlations between variables. Those of a block with all others are computed when first needed and
kept for a while: a search over thousands of columns conditions on a dozen of them, so the whole
matrix is never built. Numbers that are one column and categories are read where they stand in the
table, without a copy.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, IntArray, frozen
from eiderdown.data import CodeBlock, Dataset, FloatBlock, SparseBlock
from eiderdown.memory import require_memory
from eiderdown.options import Option
from eiderdown.statistics import kernels
from eiderdown.statistics.cost import ONE_JOB, THREADS_PAY_FROM, Workers

Basis: TypeAlias = Annotated[
    Literal["linear", "quadratic", "cubic"],
    Option("how numbers may bend: as they are, with their squares, or with squares and cubes"),
]
Ranks: TypeAlias = Annotated[
    bool, Option("replace numbers by the normal scores of their ranks, for heavy tails")
]

DEGREES = {"linear": 1, "quadratic": 2, "cubic": 3}

TINY = 1e-300
"""What is divided by instead of 0."""

NOTHING_LEFT = 1e-7
"""Share of a power's length that lower powers leave at most where it repeats them."""

_MOST_NUMBERS = 120_000  # that are worked on at once: some arrays of these fit into a core's cache


@dataclass(frozen=True)
class Coding:
    """How numbers are coded.

    Attributes
    ----------
    basis : {"linear", "quadratic", "cubic"}
        The highest power of a number that is a column of its own.
    ranks : bool
        Whether numbers are replaced by normal scores first.
    """

    basis: Literal["linear", "quadratic", "cubic"] = "linear"
    ranks: bool = False

    @property
    def degree(self) -> int:
        """The highest power."""
        return DEGREES[self.basis]

    @property
    def takes_numbers_as_they_are(self) -> bool:
        """Whether a number is one column that needs no copy."""
        return self.degree == 1 and not self.ranks

    def columns(self, values: FloatArray) -> tuple[FloatArray, IntArray]:
        """Return the orthogonal columns, of length 1, that columns of numbers become.

        Numbers and what they become are rows of matrices; the second array says how many rows each
        column of numbers became. Powers that repeat lower ones are left out.

        Examples
        --------
        >>> made, widths = Coding("cubic").columns(np.array([[1.0, 2.0, 4.0, 9.0], [0.0, 1, 0, 1]]))
        >>> made.shape, widths.tolist()
        ((4, 4), [3, 1])
        """
        step = max(1, _MOST_NUMBERS // (self.degree * values.shape[1]))
        parts = [self._columns(values[a : a + step]) for a in range(0, len(values), step)]
        return (
            np.concatenate([made for made, _ in parts]),
            np.concatenate([widths for _, widths in parts]),
        )

    def _columns(self, values: FloatArray) -> tuple[FloatArray, IntArray]:
        unit = _units(normal_scores(values) if self.ranks else values)
        columns, kept = [unit], [unit.any(axis=1)]
        power = unit
        for _ in range(self.degree - 1):
            power = power * unit
            power /= np.maximum(np.abs(power).max(axis=1, keepdims=True), TINY)
            columns.append(_left_of(power, columns))
            kept.append(columns[-1].any(axis=1))
        is_kept = np.stack(kept, axis=1)
        return np.stack(columns, axis=1)[is_kept], is_kept.sum(axis=1)


def normal_scores(values: FloatArray) -> FloatArray:
    """Return the normal quantiles of the ranks within each row; ties get the mean rank.

    Examples
    --------
    >>> normal_scores(np.array([[1.0, 1e9, 3.0]])).round(2).tolist()
    [[-0.67, 0.67, 0.0]]
    """
    from scipy.special import ndtri
    from scipy.stats import rankdata

    scores: FloatArray = ndtri(rankdata(values, axis=1) / (values.shape[1] + 1.0))
    return scores


def contrasts(counts: IntArray) -> FloatArray:
    """Return each category's value in each contrast, one row per contrast (Helmert's).

    Examples
    --------
    >>> contrasts(np.array([2, 0, 2])).tolist()
    [[-0.5, 0.0, 0.5]]
    """
    seen = np.flatnonzero(counts)
    table = np.zeros((max(0, len(seen) - 1), len(counts)))
    n_before = 0
    for j, category in enumerate(seen):
        here = int(counts[category])
        if j:
            norm = np.sqrt(float(here) * n_before * (n_before + here))
            table[j - 1, seen[:j]] = -here / norm
            table[j - 1, category] = n_before / norm
        n_before += here
    return table


def _units(values: FloatArray) -> FloatArray:
    """Centre each row and give it length 1; constant ones become 0."""
    varies = values.min(axis=1, keepdims=True) < values.max(axis=1, keepdims=True)
    _, exponent = np.frexp(np.abs(values).max(axis=1, keepdims=True))
    centred: FloatArray = np.ldexp(values, -exponent)
    for _ in range(2):
        centred = centred - centred.mean(axis=1, keepdims=True)
    return np.where(varies, centred / np.maximum(_lengths(centred), TINY), 0.0)


def _left_of(power: FloatArray, columns: list[FloatArray]) -> FloatArray:
    """Return what is left of a power beside lower ones, of length 1; 0 if nothing is."""
    left = power - power.mean(axis=1, keepdims=True)
    length = _lengths(left)
    for _ in range(2):  # once more, because the first time leaves rounding errors
        for column in columns:
            left = left - (left * column).sum(axis=1, keepdims=True) * column
        left = left - left.mean(axis=1, keepdims=True)
    rest = _lengths(left)
    return np.where(rest > NOTHING_LEFT * length, left / np.maximum(rest, TINY), 0.0)


def _lengths(rows: FloatArray) -> FloatArray:
    lengths: FloatArray = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    return lengths


def near_one(values: FloatArray) -> tuple[FloatArray, float]:
    """Divide by a power of 2, so that squares neither vanish nor overflow; return its log, too."""
    exponent = int(np.frexp(np.abs(values).max())[1])
    return np.ldexp(values, -exponent), exponent * math.log(2.0)


Collinear: TypeAlias = Literal["drop", "shrink"]

TOLERANCE = 1e-10
"""Share of a column's variance that must be left given the others; less is rounding error."""

SHRINKAGE = 0.01
"""With ``collinear="shrink"`` every correlation is scaled by one minus this."""

ROWS_PER_CONTRAST = 3
"""Rows that each contrast of a category needs; with fewer the category says nothing."""

PER_PRODUCT = 0.3
"""Nanoseconds of one row of one column in a correlation."""

_CACHE_BYTES = 256_000_000


class _Numbers(NamedTuple):
    """Columns of numbers, how each is standardised, and where each variable's columns start."""

    values: FloatArray
    scaling: FloatArray
    start: IntArray


class MomentStatistics:
    """Correlations between the blocks of columns that variables become.

    Parameters
    ----------
    data : Dataset
        The table.
    coding : Coding
        How numbers become columns.
    collinear : {"drop", "shrink"}
        With "shrink", all correlations are made a little smaller, which makes columns regular that
        are linear functions of others.
    n_jobs : int or None
        Threads; None means every available core.

    Attributes
    ----------
    first : IntArray
        Variable v has the columns ``first[v]`` up to (not with) ``first[v + 1]``.
    n_main : IntArray
        How many of a variable's columns are the variable itself; the others are powers of it.
    varies : FloatArray
        For each column 1, or 0 if it is constant.
    unusable : BoolArray
        Variables with too many categories for the rows, which have no columns.
    """

    def __init__(
        self,
        data: Dataset,
        *,
        coding: Coding | None = None,
        collinear: Collinear = "drop",
        n_jobs: int | None = None,
    ) -> None:
        self.data, self.collinear = data, collinear
        self.coding = coding or Coding()
        self.workers = Workers(n_jobs)
        self._numbers: dict[int, _Numbers] = {}
        widths = np.ones(data.n_columns, dtype=np.int64)
        self.unusable: BoolArray = np.zeros(data.n_columns, dtype=np.bool_)
        for b, block in enumerate(data.blocks):
            if isinstance(block, FloatBlock):
                self._numbers[b] = self._coded(block)
                widths[block.variables] = np.diff(self._numbers[b].start)
            elif isinstance(block, CodeBlock):
                widths[block.variables] = self._widths_of_categories(block)
        self.first: IntArray = frozen(np.concatenate([[0], np.cumsum(widths)]).astype(np.int64))
        self.n_main: IntArray = frozen(np.where(data.is_discrete, widths, np.minimum(widths, 1)))
        self.varies: FloatArray = self._varying()
        self._begin()

    def _begin(self) -> None:
        """Start with no correlations at hand."""
        self._rows: OrderedDict[int, FloatArray] = OrderedDict()
        self._bytes = 0

    @property
    def n_columns(self) -> int:
        """Number of columns of all blocks."""
        return int(self.first[-1])

    def correlations(self, variable: int) -> FloatArray:
        """Correlations of each column of one variable with every column."""
        if variable not in self._rows:
            self._correlate([variable])
        self._rows.move_to_end(variable)
        return self._rows[variable]

    def rows_of(self, variables: Sequence[int]) -> tuple[FloatArray, IntArray]:
        """Stack the correlations of some variables; also each variable's first row (-1: none)."""
        new = [v for v in variables if v not in self._rows]
        if len(new) > 1:  # together, because reading the table is what costs
            self._correlate(new)
        rows = [self.correlations(v) for v in variables]
        row_of = np.full(self.data.n_columns, -1, dtype=np.int64)
        row_of[list(variables)] = np.cumsum([0, *map(len, rows)])[:-1]
        stacked = np.concatenate(rows) if len(rows) > 1 else rows[0]
        return frozen(np.ascontiguousarray(stacked)), frozen(row_of)

    def _correlate(self, variables: list[int]) -> None:
        """Compute and keep the correlations of some variables, in one pass over the table."""
        whole = self._correlations_of(variables)
        if self.collinear == "shrink":
            whole *= 1.0 - SHRINKAGE
        ends = np.cumsum(np.diff(self.first)[variables])
        for variable, found in zip(variables, np.split(whole, ends[:-1]), strict=True):
            own = slice(int(self.first[variable]), int(self.first[variable + 1]))
            found[:, own] = np.diag(self.varies[own])
            self._rows[variable] = frozen(found)
            self._bytes += found.nbytes
        while self._bytes > _CACHE_BYTES and len(self._rows) > len(variables):
            self._bytes -= self._rows.popitem(last=False)[1].nbytes

    def log_variance(self, variable: int) -> float:
        """Return the logarithm of the variance of a number."""
        scaled, log_unit = near_one(self.data.values(variable))
        return math.log(np.var(scaled)) + 2.0 * log_unit

    def _correlations_of(self, variables: list[int]) -> FloatArray:
        """Correlate the columns of some variables with every column."""
        n_own = int(np.diff(self.first)[variables].sum())
        require_memory(
            16.0 * n_own * (self.n_columns + self.data.n_rows),  # two copies of each
            f"A stack of correlations of {n_own:,} columns with {self.n_columns:,}",
            "give fewer columns or rows",
        )
        columns = [self.unit_columns(v) for v in variables]
        return self._correlated(np.ascontiguousarray(np.concatenate(columns)))

    def unit_columns(self, variable: int) -> FloatArray:
        """Return the columns of one variable, of length 1, as the rows of a matrix."""
        if not self.data.is_discrete[variable]:
            numbers, row = self._held(variable)
            own = slice(int(numbers.start[row]), int(numbers.start[row + 1]))
            scale, mean, correction, inverse = numbers.scaling[own].T[:, :, None]
            standardised: FloatArray = (numbers.values[own] * scale - mean) - correction
            standardised *= inverse
            return standardised
        codes = self.data.codes(variable)
        width = int(self.first[variable + 1] - self.first[variable])
        counts = np.bincount(codes, minlength=int(self.data.n_categories[variable]))
        table = contrasts(counts) if width else np.empty((0, len(counts)))
        if width and len(table) < width:  # a sparse column that does not vary
            table = np.zeros((width, len(counts)))
        return np.ascontiguousarray(table[:, codes])

    def _held(self, variable: int) -> tuple[_Numbers, int]:
        """Return the numbers among which a variable is held, and its place there."""
        for b, numbers in self._numbers.items():
            variables = self.data.blocks[b].variables
            row = int(np.searchsorted(variables, variable))
            if row < len(variables) and variables[row] == variable:
                return numbers, row
        raise AssertionError(variable)

    def _coded(self, block: FloatBlock) -> _Numbers:
        """Say how numbers are standardised, or make the columns that they become."""
        if self.coding.takes_numbers_as_they_are:
            scaling = np.empty((len(block.variables), 4))
            self._share_out(
                len(scaling), 3, lambda a, z: kernels.learn_scaling(block.values, a, z, scaling)
            )
            return _Numbers(block.values, frozen(scaling), np.arange(len(scaling) + 1))
        coded, widths = self.coding.columns(block.values)
        scaling = np.tile([1.0, 0.0, 0.0, 1.0], (len(coded), 1))
        return _Numbers(frozen(coded), frozen(scaling), np.cumsum([0, *widths]))

    def _widths_of_categories(self, block: CodeBlock) -> IntArray:
        most = max(1, self.data.n_rows // ROWS_PER_CONTRAST)
        n_seen = np.array([np.count_nonzero(np.bincount(codes)) for codes in block.codes])
        self.unusable[block.variables] = n_seen - 1 > most
        return np.where(n_seen - 1 > most, 0, n_seen - 1)

    def _varying(self) -> FloatArray:
        varies = np.ones(self.n_columns)
        for b, block in enumerate(self.data.blocks):
            if isinstance(block, FloatBlock) and self.coding.takes_numbers_as_they_are:
                inverse = self._numbers[b].scaling[:, kernels.INVERSE_LENGTH]
                varies[self.first[block.variables]] = inverse > 0.0
            elif isinstance(block, SparseBlock):
                varies[self.first[block.variables]] = ~block.constant()[0]
        return frozen(varies)

    def _correlated(self, others: FloatArray) -> FloatArray:
        """Correlate some columns, the rows of a matrix, with every column."""
        found = np.zeros((len(others), self.n_columns))
        if len(others) == 0:
            return found
        for b, block in enumerate(self.data.blocks):
            places = np.ascontiguousarray(self.first[block.variables])
            if isinstance(block, FloatBlock):
                self._correlate_numbers(b, others, found)
            elif isinstance(block, SparseBlock):
                self._correlate_sparse(block, others, places, found)
            else:
                self._correlate_codes(block, others, places, found)
        return found

    def _correlate_numbers(self, b: int, others: FloatArray, found: FloatArray) -> None:
        values, scaling, start = self._numbers[b]
        widths = np.diff(start)
        before = self.first[self.data.blocks[b].variables] - start[:-1]
        places = np.arange(len(values)) + np.repeat(before, widths)
        self._share_out(
            len(values),
            len(others),
            lambda a, z: kernels.correlate_numbers(values, scaling, others, places, a, z, found),
        )

    def _correlate_codes(
        self, block: CodeBlock, others: FloatArray, places: IntArray, found: FloatArray
    ) -> None:
        turned = np.ascontiguousarray(others.T)
        both = np.stack([places, self.first[block.variables + 1] - places], axis=1)
        most = int(block.codes.max()) + 1

        def correlate(a: int, z: int) -> None:
            counts, sums = np.empty(most, dtype=np.int64), np.empty((most + 1, len(others)))
            room = kernels.CategoryRoom(counts, sums)
            kernels.correlate_codes(block.codes, turned, both, a, z, room, found)

        self._share_out(len(places), len(others) + 1, correlate)

    def _correlate_sparse(
        self, block: SparseBlock, others: FloatArray, places: IntArray, found: FloatArray
    ) -> None:
        self._share_out(
            len(places),
            len(others),
            lambda a, z: kernels.correlate_sparse(
                block.indptr, block.rows, others, places, a, z, found
            ),
        )

    def _share_out(self, n_items: int, passes: int, work: Callable[[int, int], Any]) -> None:
        """Call ``work(start, stop)`` on all items, in threads where that pays."""
        cost = PER_PRODUCT * max(1, passes) * self.data.n_rows
        step = max(1, int(ONE_JOB / cost))
        parts = [(a, min(n_items, a + step)) for a in range(0, n_items, step)]
        pays = cost * n_items > THREADS_PAY_FROM
        self.workers.each(lambda part: work(*part), parts, pays=pays)
