"""Correlations of continuous columns, and partial correlations by Cholesky.

Rows of the correlation matrix are computed when first needed and kept for a while: a search over
thousands of columns conditions on a dozen of them, so the whole matrix is never built.

Sums over many columns at once are written so that each column's result depends on that column
alone, bit for bit. BLAS does not promise that: it may add up the same numbers in another order
elsewhere in a matrix, and then equal columns no longer tie and the order of the columns decides.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, IntArray, frozen
from eiderdown.data import Dataset, FloatBlock
from eiderdown.errors import CollinearColumnsError, ColumnKindError, OptionError, listed

Collinear: TypeAlias = Literal["error", "drop", "shrink"]

TOLERANCE = 1e-10
"""Share of a column's variance that must be left given the others; less is rounding error."""

SHRINKAGE = 0.01
"""With ``collinear="shrink"`` every correlation is scaled by one minus this."""

_CACHE_BYTES = 128_000_000


@dataclass(frozen=True, eq=False)
class PartialCorrelations:
    """Partial correlations of many columns with one target given one set.

    Attributes
    ----------
    r : FloatArray
        The partial correlations; 0 where a column (or the target) is fixed by the set.
    determined : BoolArray
        Columns of which the set leaves nothing: they are linear functions of it.
    """

    r: FloatArray
    determined: BoolArray


class MomentStatistics:
    """Correlations of the continuous columns of a table.

    Parameters
    ----------
    data : Dataset
        The table; columns that are asked for must be continuous.
    collinear : {"error", "drop", "shrink"}
        What to do with columns that are linear functions of others: raise an error that names
        them; leave them out of the conditioning set and treat them as carrying nothing new; or
        shrink every correlation a little towards zero, which makes all of them regular.
    """

    def __init__(self, data: Dataset, *, collinear: Collinear = "error") -> None:
        if collinear not in ("error", "drop", "shrink"):
            raise OptionError(f"collinear must be 'error', 'drop' or 'shrink', not {collinear!r}.")
        self.data = data
        self.collinear = collinear
        self._standardised, self._row_of = _standardised(data)
        self._rows: OrderedDict[int, FloatArray] = OrderedDict()
        self._most_rows = max(8, _CACHE_BYTES // max(1, 8 * len(self._standardised)))

    def correlations(self, column: int) -> FloatArray:
        """Correlation of one column with every continuous column, in storage order."""
        found = self._rows.get(column)
        if found is None:
            row = self._storage_row(column)
            found = np.einsum("ij,j->i", self._standardised, self._standardised[row])
            if self.collinear == "shrink":
                found *= 1.0 - SHRINKAGE
                found[row] = 1.0
            self._rows[column] = frozen(found)
            if len(self._rows) > self._most_rows:
                self._rows.popitem(last=False)
        else:
            self._rows.move_to_end(column)
        return found

    def partial_correlations(
        self, candidates: IntArray, target: int, given: tuple[int, ...]
    ) -> PartialCorrelations:
        """Correlate each candidate with the target after removing what ``given`` explains."""
        columns = self.positions(candidates)
        with_target = self.correlations(target)[columns]
        factor, used = self._cholesky(given)
        if not used:
            nothing = np.zeros(len(candidates), dtype=np.bool_)
            return PartialCorrelations(np.clip(with_target, -1.0, 1.0), nothing)
        cross = np.stack([self.correlations(z) for z in used])
        explained = forward_substituted(factor, cross[:, [*columns, self._storage_row(target)]])
        of_candidates, of_target = explained[:, :-1], explained[:, -1:]
        unexplained = 1.0 - (explained * explained).sum(axis=0)
        left, left_of_target = unexplained[:-1], float(unexplained[-1])
        determined = left <= TOLERANCE
        if self.collinear == "error":
            self._refuse(candidates[determined], used)
            self._refuse([target] if left_of_target <= TOLERANCE else [], used)
        regular = ~determined & (left_of_target > TOLERANCE)
        shared = with_target - (of_candidates * of_target).sum(axis=0)
        r = np.zeros(len(candidates))
        r[regular] = shared[regular] / np.sqrt(left[regular] * left_of_target)
        return PartialCorrelations(np.clip(r, -1.0, 1.0), determined)

    def _cholesky(self, given: tuple[int, ...]) -> tuple[FloatArray, tuple[int, ...]]:
        """Factorise the correlations of ``given``, without the columns that others determine."""
        used: list[int] = []
        factor = np.zeros((len(given), len(given)))
        for column in given:
            k = len(used)
            with_used = self.correlations(column)[self.positions(used)]
            row = np.zeros(k)
            for j in range(k):
                row[j] = (with_used[j] - row[:j] @ factor[j, :j]) / factor[j, j]
            left = float(self.correlations(column)[self._storage_row(column)] - row @ row)
            if left <= TOLERANCE:
                if self.collinear == "error":
                    self._refuse([column], used)
                continue
            factor[k, :k] = row
            factor[k, k] = np.sqrt(left)
            used.append(column)
        k = len(used)
        return factor[:k, :k], tuple(used)

    def _refuse(self, columns: IntArray | list[int], others: tuple[int, ...] | list[int]) -> None:
        if len(columns) == 0:
            return
        names = self.data.names
        wrong = listed([names[i] for i in columns])
        basis = listed([names[i] for i in others])
        cause = f"linear functions of {basis}" if len(others) else "constant"
        raise CollinearColumnsError(
            f"These columns are {cause} and leave nothing to test: {wrong}; remove them, or pass "
            "collinear='drop' (ignore what they repeat) or collinear='shrink'."
        )

    def _storage_row(self, column: int) -> int:
        return int(self.positions([column])[0])

    def positions(self, columns: IntArray | list[int]) -> IntArray:
        """Return where some continuous columns stand in storage order."""
        rows = self._row_of[np.asarray(columns, dtype=np.int64)]
        if np.any(rows < 0):
            wrong = [int(columns[i]) for i in np.flatnonzero(rows < 0)]
            raise ColumnKindError(
                f"Correlations need continuous columns, but these are discrete: "
                f"{listed([self.data.names[i] for i in wrong])}; use a test for discrete columns"
                f"{_or_as_numbers(self.data, wrong)}."
            )
        return rows


def _or_as_numbers(data: Dataset, columns: list[int]) -> str:
    """Advise another kind only where the categories are numbers."""
    categories = [category for i in columns for category in data.categories(i)]
    numbers = all(isinstance(category, int | float) for category in categories)
    return " or give their kind as continuous" if numbers else ""


def _standardised(data: Dataset) -> tuple[FloatArray, IntArray]:
    """Centre every continuous column and scale it to length 1 (constant columns to 0)."""
    row_of = np.full(data.n_columns, -1, dtype=np.int64)
    parts: list[FloatArray] = []
    for block in data.blocks:
        if isinstance(block, FloatBlock):
            row_of[block.variables] = np.arange(len(block.variables)) + sum(map(len, parts))
            parts.append(_unit_columns(block.values))
    stacked = parts[0] if len(parts) == 1 else np.concatenate(parts or [np.empty((0, data.n_rows))])
    return frozen(stacked), frozen(row_of)


def forward_substituted(factor: FloatArray, right: FloatArray) -> FloatArray:
    """Solve ``factor @ solution = right`` for a lower triangle, each column by itself."""
    solution = right.copy()
    for j in range(len(factor)):
        for i in range(j):
            solution[j] -= factor[j, i] * solution[i]
        solution[j] /= factor[j, j]
    return solution


def _unit_columns(values: FloatArray) -> FloatArray:
    # A power of two scales without rounding, and keeps squares of huge or tiny numbers finite.
    _, exponent = np.frexp(np.abs(values).max(axis=1, keepdims=True))
    centred: FloatArray = np.ldexp(values, -exponent)
    for _ in range(2):  # the first mean is itself rounded, which shows under a large offset
        centred -= centred.mean(axis=1, keepdims=True)
    varies = (values.max(axis=1) > values.min(axis=1))[:, None]
    length = np.sqrt(np.einsum("ij,ij->i", centred, centred))[:, None]
    centred /= np.where(varies, length, 1.0)
    centred *= varies
    return centred
