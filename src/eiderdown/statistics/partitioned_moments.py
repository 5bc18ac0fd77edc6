"""Correlations of a table in parts: sums over each part, added in the order of the rows.

Two passes say how numbers are centred and scaled, and more of them how they bend
(``partitioned_powers.py``); each further one correlates some columns with all others. A part is
summed as a table in memory is; the sums of parts are added one after the other, from the first to
the last, wherever they were computed. They differ from those in memory only by rounding:
correlations by less than :data:`TOLERANCE_OF_PARTS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from eiderdown.arrays import CodeArray, FloatArray, IntArray, frozen
from eiderdown.data import Dataset, FloatBlock
from eiderdown.data.partitioned import PartitionedDataset
from eiderdown.progress import stop_if_cancelled
from eiderdown.statistics import kernels
from eiderdown.statistics.cost import Workers
from eiderdown.statistics.moments import (
    ROWS_PER_CONTRAST,
    Coding,
    Collinear,
    MomentStatistics,
    contrasts,
)
from eiderdown.statistics.partitioned_powers import (
    Powers,
    learned_powers,
    sums_of_last,
    with_powers,
)

TOLERANCE_OF_PARTS = 1e-12
"""How much a correlation of parts may differ from that of the same rows in memory."""

ALL = slice(None)

_ROWS_AT_ONCE = 32_768  # of a part, whose columns are coded together


@dataclass(frozen=True, eq=False)
class Scaling:
    """How the columns of a part become columns of length 1.

    Attributes
    ----------
    numbers : FloatArray of shape (n_columns, 4)
        As :func:`eiderdown.statistics.kernels.learn_scaling` has it; zeros for categories.
    contrasts : dict
        Each category's value in each contrast, for the columns of categories.
    powers : dict
        The powers of each column of numbers; empty where numbers are taken as they are.
    """

    numbers: FloatArray
    contrasts: dict[int, FloatArray]
    powers: dict[int, Powers] = field(default_factory=dict)

    def unit_columns(self, part: Dataset, column: int, rows: slice = ALL) -> FloatArray:
        """Return the columns that one column of a part becomes, as rows of a matrix."""
        if column in self.contrasts:
            return self.contrasts[column][:, part.codes(column)[rows]]
        unit = self.standardised(column, part.values(column)[rows])
        if column not in self.powers:
            return unit[None, :]
        made = np.stack(with_powers(unit, self.powers[column]))
        return made[self._is_kept(column)]

    def standardised(self, column: int, values: FloatArray) -> FloatArray:
        """Centre and scale numbers of a column."""
        scale, mean, correction, inverse = self.numbers[column]
        unit: FloatArray = ((values * scale - mean) - correction) * inverse
        return unit

    def n_sums(self, column: int) -> int:
        """Return over how many rows of sums its products go: of categories, or of columns."""
        if column in self.contrasts:
            return int(self.contrasts[column].shape[1])
        return sum(self._is_kept(column)) if column in self.powers else 1

    def _is_kept(self, column: int) -> list[bool]:
        varies = bool(self.numbers[column, kernels.INVERSE_LENGTH] > 0.0)
        return [varies, *(varies and power.inverse > 0.0 for power in self.powers[column])]


class PartitionedMoments(MomentStatistics):
    """Correlations between the blocks of columns that variables of a table in parts become.

    Parameters
    ----------
    data : PartitionedDataset
        The table.
    coding : Coding
        How numbers become columns; ranks, which need all rows at once, are not among the ways.
    collinear : {"drop", "shrink"}
        As for :class:`MomentStatistics`.
    n_jobs : int or None
        Threads; None means every available core.
    """

    def __init__(
        self,
        data: PartitionedDataset,
        *,
        coding: Coding | None = None,
        collinear: Collinear = "drop",
        n_jobs: int | None = None,
    ) -> None:
        self.data: PartitionedDataset = data
        self.collinear, self.coding = collinear, coding or Coding()
        assert data.is_discrete.all() or not self.coding.ranks
        self.workers = Workers(n_jobs)
        self._begin()
        self.unusable = np.zeros(data.n_columns, dtype=np.bool_)
        of_categories = {int(i): self._contrasts(int(i)) for i in np.flatnonzero(data.is_discrete)}
        in_parts = {int(data.columns[i]): table for i, table in of_categories.items()}
        n_in_parts = int(data.columns.max()) + 1
        self._scaling = Scaling(np.zeros((n_in_parts, 4)), in_parts)
        self._learn_scaling()
        widths = np.array([self._scaling.n_sums(int(c)) for c in data.columns], dtype=np.int64)
        for i, table in of_categories.items():
            self.unusable[i] = len(table) > max(1, data.n_rows // ROWS_PER_CONTRAST)
            widths[i] = 0 if self.unusable[i] else len(table)
        self.first = frozen(np.concatenate([[0], np.cumsum(widths)]).astype(np.int64))
        self.n_main = frozen(np.where(data.is_discrete, widths, np.minimum(widths, 1)))
        self.varies = np.ones(self.n_columns)
        if self.coding.takes_numbers_as_they_are:
            numbers = np.flatnonzero(~data.is_discrete)
            inverse = self._scaling.numbers[data.columns[numbers], kernels.INVERSE_LENGTH]
            self.varies[self.first[numbers]] = inverse > 0.0
        frozen(self.varies)

    def _contrasts(self, column: int) -> FloatArray:
        counts = self.data.marginals.counts[column][: int(self.data.n_categories[column])]
        return contrasts(counts)

    def _learn_scaling(self) -> None:
        """Find means and lengths of numbers, in two passes, and their powers in more."""
        data, scaling = self.data, self._scaling.numbers
        own = np.flatnonzero(~data.is_discrete)
        columns = data.columns[own]
        if len(own) == 0:
            return
        least, greatest = data.marginals.least[own], data.marginals.greatest[own]
        exponent = np.frexp(np.maximum(np.abs(least), np.abs(greatest)))[1]
        scaling[columns, kernels.SCALE] = np.ldexp(1.0, np.minimum(-exponent, 1_000))
        n, chosen = float(data.n_rows), columns.tolist()
        scaling[columns, kernels.MEAN] = self._added(_sums, scaling, chosen)[0] / n
        first, second = self._added(_sums, scaling, chosen)
        correction = first / n
        scaling[columns, kernels.CORRECTION] = correction
        squares = np.maximum(second - n * correction * correction, 0.0)
        varies = (greatest > least) & (squares > 0.0)
        inverse = np.where(varies, 1.0 / np.sqrt(np.where(varies, squares, 1.0)), 0.0)
        scaling[columns, kernels.INVERSE_LENGTH] = inverse
        if self.coding.degree > 1:
            ends = {
                c: self._scaling.standardised(c, np.array(pair))
                for c, *pair in zip(chosen, least.tolist(), greatest.tolist(), strict=True)
            }
            powers = learned_powers(ends, self.coding.degree, data.n_rows, self._sums_of_powers)
            self._scaling.powers.update(powers)

    def _sums_of_powers(self, powers: Mapping[int, Powers]) -> FloatArray:
        return self._added(_sums_of_powers, self._scaling, dict(powers))

    def _added(self, work: Any, *given: Any) -> FloatArray:
        """Add the answers of all parts in the order of the rows."""
        total: FloatArray | None = None
        for found in self.data.partitions.map(partial(work, *given), self.workers.n_jobs):
            stop_if_cancelled()
            total = found if total is None else total + found
        assert total is not None
        return total

    def log_variance(self, variable: int) -> float:
        """Return the logarithm of the variance of a number."""
        scale, _, _, inverse = self._scaling.numbers[int(self.data.columns[variable])]
        return -2.0 * float(np.log(inverse) + np.log(scale)) - float(np.log(self.data.n_rows))

    def mean_and_variance(self, variable: int) -> tuple[float, float]:
        """Return the mean and the variance of a number."""
        scale, mean, correction, inverse = self._scaling.numbers[int(self.data.columns[variable])]
        variance = 0.0 if inverse == 0.0 else 1.0 / (inverse * scale) ** 2 / self.data.n_rows
        return float((mean + correction) / scale), float(variance)

    def scaling_of(self, variable: int) -> tuple[int, bool, FloatArray]:
        """Return which column of the parts a variable is, whether discrete, and what it becomes.

        That is each category's value in each contrast, or how a number is scaled.
        """
        column = int(self.data.columns[variable])
        if column in self._scaling.contrasts:
            return column, True, self._scaling.contrasts[column]
        return column, False, self._scaling.numbers[column]

    def unit_columns(self, variable: int) -> FloatArray:
        """Return the columns of one variable, gathered from all parts."""
        column = int(self.data.columns[variable])
        parts = self.data.partitions.map(partial(_unit_columns, self._scaling, column))
        return np.concatenate(list(parts), axis=1)

    def _correlations_of(self, variables: list[int]) -> FloatArray:
        """Correlate the columns of some variables with every column, in one pass."""
        data = self.data
        chosen = [v for v in variables if self.first[v + 1] > self.first[v]]
        found = np.zeros((int(np.diff(self.first)[variables].sum()), self.n_columns))
        if not chosen:
            return found
        asked = data.columns[chosen].tolist()
        sums = self._added(_sums_with, self._scaling, asked, data.columns.tolist())
        at = 0
        for i in range(data.n_columns):
            own = slice(int(self.first[i]), int(self.first[i + 1]))
            column = int(data.columns[i])
            n_sums = self._scaling.n_sums(column)
            of_column = sums[at : at + n_sums]
            if own.stop > own.start:
                table = self._scaling.contrasts.get(column)
                found[:, own] = (of_column if table is None else table @ of_column).T
            at += n_sums
        return found


# --- work on one part -----------------------------------------------------------------------------


def _sums(scaling: FloatArray, columns: list[int], part: Dataset) -> FloatArray:
    """Sum some columns of numbers, less the mean so far, and the squares of that."""
    sums = np.empty((2, len(columns)))
    for k, column in enumerate(columns):
        left = part.values(column) * scaling[column, kernels.SCALE] - scaling[column, kernels.MEAN]
        sums[:, k] = left.sum(), left @ left
    return sums


def _sums_of_powers(scaling: Scaling, powers: dict[int, Powers], part: Dataset) -> FloatArray:
    """Sum the last of the powers of each column, and its products with lower ones."""
    sums = []
    for column, own in powers.items():
        values, total = part.values(column), np.zeros(2 + len(own))
        for start in range(0, part.n_rows, _ROWS_AT_ONCE):
            unit = scaling.standardised(column, values[start : start + _ROWS_AT_ONCE])
            total += sums_of_last(unit, own)
        sums.append(total)
    return np.stack(sums)


def _unit_columns(scaling: Scaling, column: int, part: Dataset) -> FloatArray:
    return scaling.unit_columns(part, column)


def _sums_with(scaling: Scaling, asked: list[int], columns: list[int], part: Dataset) -> FloatArray:
    """Multiply each column, or each category of it, with the asked ones, and sum over the rows.

    Returns a row for each column of numbers (each power of it) and for each category, in the order
    of ``columns``.
    """
    rows = np.array([scaling.n_sums(column) for column in columns])
    ends: IntArray = np.cumsum(rows)
    places = dict(zip(columns, ends.tolist(), strict=True))
    widths = [len(scaling.unit_columns(part, v, slice(0))) for v in asked]
    sums = np.zeros((int(ends[-1]), sum(widths)))
    for start in range(0, part.n_rows, _ROWS_AT_ONCE):
        some = slice(start, start + _ROWS_AT_ONCE)
        sums += _sums_of_rows(scaling, asked, places, part, some)
    return sums


def _sums_of_rows(
    scaling: Scaling, asked: list[int], ends: dict[int, int], part: Dataset, some: slice
) -> FloatArray:
    """Do the same with some rows, which bounds the memory that coded columns take."""
    made = [scaling.unit_columns(part, column, some) for column in asked]
    others = np.ascontiguousarray(np.concatenate(made))
    turned = np.ascontiguousarray(others.T)
    sums = np.zeros((max(ends.values()), len(others)))
    for column, end in ends.items():
        own = slice(end - scaling.n_sums(column), end)
        if column in scaling.contrasts:
            codes = part.codes(column)[some]
            sums[own] = _by_category(codes, own.stop - own.start, turned)
        elif column in scaling.powers and own.stop > own.start:
            sums[own] = _with_powers(scaling.unit_columns(part, column, some), others)
    if not scaling.powers:
        _add_numbers(scaling, part, ends, some, others, sums)
    return sums


def _with_powers(columns: FloatArray, others: FloatArray) -> FloatArray:
    """Multiply the columns that a number became with others."""
    as_they_are = frozen(np.tile([1.0, 0.0, 0.0, 1.0], (len(columns), 1)))
    found, places = np.zeros((len(others), len(columns))), np.arange(len(columns))
    columns = frozen(np.ascontiguousarray(columns))
    kernels.correlate_numbers(columns, as_they_are, others, places, 0, len(columns), found)
    return found.T


def _by_category(codes: CodeArray, n_categories: int, turned: FloatArray) -> FloatArray:
    room = kernels.CategoryRoom(
        np.empty(n_categories, dtype=np.int64), np.empty((n_categories + 1, turned.shape[1]))
    )
    kernels.sum_by_category(codes, turned, room)
    return room.sums[:n_categories]


def _add_numbers(
    scaling: Scaling,
    part: Dataset,
    ends: dict[int, int],
    some: slice,
    others: FloatArray,
    sums: FloatArray,
) -> None:
    """Put the sums of columns of numbers where they belong, block by block."""
    for block in part.held:
        if not isinstance(block, FloatBlock):
            continue
        wanted = np.flatnonzero([int(v) in ends for v in block.variables])
        scale = scaling.numbers[block.variables[wanted]]
        found, places = np.zeros((len(others), len(wanted))), np.arange(len(wanted))
        values = block.values[:, some]
        values = np.ascontiguousarray(values if len(wanted) == len(values) else values[wanted])
        kernels.correlate_numbers(
            frozen(values.view()), frozen(scale), others, places, 0, len(wanted), found
        )
        sums[[ends[int(v)] - 1 for v in block.variables[wanted]]] = found.T


def moment_source(
    data: Dataset,
    *,
    coding: Coding | None = None,
    collinear: Collinear = "drop",
    n_jobs: int | None = None,
) -> MomentStatistics:
    """Return what correlates the columns of a table, wherever its rows are."""
    ranked = coding is not None and coding.ranks and not data.is_discrete.all()
    if isinstance(data, PartitionedDataset) and not ranked:
        return PartitionedMoments(data, coding=coding, collinear=collinear, n_jobs=n_jobs)
    whole = data.in_memory("ranking numbers")
    return MomentStatistics(whole, coding=coding, collinear=collinear, n_jobs=n_jobs)
