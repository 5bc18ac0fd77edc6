"""The functions that discrete scores sum over cells and strata, tabulated in fixed point."""

from __future__ import annotations

import math

import numpy as np

from eiderdown.arrays import FloatArray, IntArray, frozen
from eiderdown.scores.kernels import Terms

_TABULATED = 4_096  # counts up to here are looked up; a table of them stays in the cache


def bits_for(n_rows: int) -> int:
    """Choose how many binary digits after the point keep a column's score exact in a float."""
    # No column's score exceeds n (ln n + 50), and four of them may be added in one gain.
    return 50 - math.ceil(math.log2(n_rows * (math.log(max(n_rows, 2)) + 50.0)))


class LikelihoodTerms:
    """n ln n, for the likelihood itself."""

    def __init__(self, n_rows: int) -> None:
        counts = np.arange(1, n_rows + 1, dtype=np.float64)
        self.scale = 2.0 ** bits_for(n_rows)
        table = np.zeros((1, n_rows + 1), dtype=np.int64)
        table[0, 1:] = np.rint(counts * np.log(counts) * self.scale)
        nothing = np.zeros(1)
        self.terms = Terms(frozen(table), frozen(nothing), frozen(nothing), self.scale)

    def row(self, _shift: float) -> int:
        """There is only one row."""
        return 0


class GammaTerms:
    """ln Gamma(n + shift) - ln Gamma(shift), one row for each shift that was asked for."""

    def __init__(self, n_rows: int) -> None:
        self.scale = 2.0 ** bits_for(n_rows)
        self._counts = np.arange(min(n_rows, _TABULATED) + 1, dtype=np.float64)
        self._row_of: dict[float, int] = {}
        self._table: IntArray = np.empty((8, len(self._counts)), dtype=np.int64)
        self._shifts: FloatArray = np.empty((2, 8))
        self.terms = self._all_rows()

    def row(self, shift: float) -> int:
        """Return the row of a shift, which is tabulated if it is new."""
        found = self._row_of.get(shift)
        return self._add(shift) if found is None else found

    def _add(self, shift: float) -> int:
        from scipy.special import gammaln

        row = len(self._row_of)
        if row == len(self._table):
            self._table = np.concatenate([self._table, np.empty_like(self._table)])
            self._shifts = np.concatenate([self._shifts, np.empty_like(self._shifts)], axis=1)
        start = float(gammaln(shift))
        self._table[row] = np.rint((gammaln(self._counts + shift) - start) * self.scale)
        self._shifts[:, row] = shift, start
        self._row_of[shift] = row
        self.terms = self._all_rows()
        return row

    def _all_rows(self) -> Terms:
        shift, start = self._shifts
        return Terms(frozen(self._table[:]), frozen(shift[:]), frozen(start[:]), self.scale)
