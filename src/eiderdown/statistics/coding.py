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

    def columns(self, values: FloatArray) -> FloatArray:
        """Return the orthogonal columns, of length 1, that one column of numbers becomes."""
        numbers = normal_scores(values) if self.ranks else values
        unit = _unit(numbers)
        if unit is None:
            return np.empty((0, len(values)))
        columns = [unit]
        power = unit
        for _ in range(self.degree - 1):
            power = power * unit
            power /= np.abs(power).max()
            new = _left_of(power, columns)
            if new is not None:
                columns.append(new)
        return np.stack(columns)


def normal_scores(values: FloatArray) -> FloatArray:
    """Return the normal quantiles of the ranks; ties get the mean rank.

    Examples
    --------
    >>> normal_scores(np.array([1.0, 1e9, 3.0])).round(2).tolist()
    [-0.67, 0.67, 0.0]
    """
    from scipy.special import ndtri
    from scipy.stats import rankdata

    scores: FloatArray = ndtri(rankdata(values) / (len(values) + 1.0))
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


def _unit(values: FloatArray) -> FloatArray | None:
    """Centre a column and give it length 1; None if it is constant."""
    if values.min() == values.max():
        return None
    _, exponent = np.frexp(np.abs(values).max())
    centred: FloatArray = np.ldexp(values, -exponent)
    for _ in range(2):
        centred = centred - centred.mean()
    centred /= np.sqrt((centred * centred).sum())
    return centred


def _left_of(power: FloatArray, columns: list[FloatArray]) -> FloatArray | None:
    """Return what is left of a power beside lower ones, of length 1; None if nothing is."""
    left = power - power.mean()
    length = np.sqrt((left * left).sum())
    for _ in range(2):  # once more, because the first time leaves rounding errors
        for column in columns:
            left = left - (left * column).sum() * column
        left = left - left.mean()
    rest = np.sqrt((left * left).sum())
    return None if length == 0.0 or rest <= _NOTHING_LEFT * length else left / rest
