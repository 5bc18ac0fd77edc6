"""How a variable becomes a block of numeric columns.

A number is one column; with a basis its square (and cube) too; with ``ranks`` the normal score of
its rank. A category of k values that are seen is k - 1 contrasts. The columns of one variable are
orthogonal and of length 1, so that tests need only correlations between variables.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.options import Option

Basis: TypeAlias = Annotated[
    Literal["linear", "quadratic", "cubic"],
    Option("how numbers may bend: as they are, with their squares, or with squares and cubes"),
]
Ranks: TypeAlias = Annotated[
    bool, Option("replace numbers by the normal scores of their ranks, for heavy tails")
]

DEGREES = {"linear": 1, "quadratic": 2, "cubic": 3}

_TINY = 1e-300
_MOST_NUMBERS = 4_000_000  # that are worked on at once
_NOTHING_LEFT = 1e-7  # of the length of a power that lower powers leave: it repeats them


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
            power /= np.maximum(np.abs(power).max(axis=1, keepdims=True), _TINY)
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
    return np.where(varies, centred / np.maximum(_lengths(centred), _TINY), 0.0)


def _left_of(power: FloatArray, columns: list[FloatArray]) -> FloatArray:
    """Return what is left of a power beside lower ones, of length 1; 0 if nothing is."""
    left = power - power.mean(axis=1, keepdims=True)
    length = _lengths(left)
    for _ in range(2):  # once more, because the first time leaves rounding errors
        for column in columns:
            left = left - (left * column).sum(axis=1, keepdims=True) * column
        left = left - left.mean(axis=1, keepdims=True)
    rest = _lengths(left)
    return np.where(rest > _NOTHING_LEFT * length, left / np.maximum(rest, _TINY), 0.0)


def _lengths(rows: FloatArray) -> FloatArray:
    lengths: FloatArray = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    return lengths
