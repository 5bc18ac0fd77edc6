"""Squares and cubes of the numbers of a table in parts, orthogonal to each other over all rows.

In memory (:class:`eiderdown.statistics.moments.Coding`) a power is centred, what lower powers say
of it is taken away twice, and what is left is given length 1. Each of these steps needs a few sums
over all rows: four passes for the squares of all columns, and four for their cubes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from eiderdown.arrays import FloatArray
from eiderdown.statistics.moments import NOTHING_LEFT, TINY


@dataclass(frozen=True, eq=False)
class Power:
    """How a power of a column becomes a column that is orthogonal to lower ones.

    Attributes
    ----------
    divisor : float
        The power's largest value, by which it is divided.
    mean : float
        Its mean then.
    shares : FloatArray
        How much of 1 (which corrects the mean) and of each lower column is taken away.
    inverse : float
        By what the rest is multiplied; 0 if it says nothing that lower powers do not say.
    """

    divisor: float
    mean: float
    shares: FloatArray
    inverse: float


Powers: TypeAlias = tuple[Power, ...]
"""The square, the cube, ... of one column."""


def with_powers(unit: FloatArray, powers: Powers) -> list[FloatArray]:
    """Return a column and its powers, each a column; those that say nothing are 0."""
    columns, power = [unit], unit
    for step in powers:
        power = power * unit / step.divisor
        left: FloatArray = (power - step.mean) - step.shares[0]
        for share, lower in zip(step.shares[1:].tolist(), columns, strict=True):
            left -= share * lower
        columns.append(left * step.inverse)
    return columns


def sums_of_last(unit: FloatArray, powers: Powers) -> FloatArray:
    """Sum the last power, its square and its products with each lower column."""
    *lower, last = with_powers(unit, powers)
    return np.array([last.sum(), last @ last, *(last @ column for column in lower)])


def learned_powers(
    extremes: Mapping[int, FloatArray],
    degree: int,
    n_rows: int,
    add_up: Callable[[Mapping[int, Powers]], FloatArray],
) -> dict[int, Powers]:
    """Find out how columns of numbers become powers, all columns in the same passes.

    Parameters
    ----------
    extremes : mapping
        The least and greatest value of each column after it was given length 1.
    degree : int
        The highest power.
    n_rows : int
        Rows of the table.
    add_up : callable
        Given powers of all columns, returns :func:`sums_of_last` of each over all rows, one row
        for each column.
    """
    found: dict[int, Powers] = dict.fromkeys(extremes, ())
    for _ in range(degree - 1):
        found = {c: (*powers, _begun(extremes[c], powers)) for c, powers in found.items()}
        lengths: list[float] = []
        for stage in ("mean", "first", "second", "length"):
            sums = dict(zip(found, add_up(found), strict=True))
            if stage == "first":
                lengths = [float(np.sqrt(own[1])) for own in sums.values()]
            if stage == "length":
                break
            found = {
                c: (*powers[:-1], _improved(powers[-1], sums[c], n_rows, stage == "mean"))
                for c, powers in found.items()
            }
        for (c, powers), length in zip(found.items(), lengths, strict=True):
            rest = float(np.sqrt(sums[c][1]))
            inverse = 1.0 / max(rest, TINY) if rest > NOTHING_LEFT * length else 0.0
            found[c] = (*powers[:-1], replace(powers[-1], inverse=inverse))
    return found


def _begun(extremes: FloatArray, powers: Powers) -> Power:
    """Return the next power as it is: it is greatest where the column is farthest from 0."""
    power = extremes
    for step in powers:
        power = power * extremes / step.divisor
    greatest = float(np.abs(power * extremes).max())
    return Power(max(greatest, TINY), 0.0, np.zeros(2 + len(powers)), 1.0)


def _improved(power: Power, sums: FloatArray, n_rows: int, is_first: bool) -> Power:
    """Take away what the sums show of the mean and, from the second time on, of lower columns."""
    if is_first:
        return replace(power, mean=float(sums[0]) / n_rows)
    shares = power.shares + np.concatenate([[sums[0] / n_rows], sums[2:]])
    return replace(power, shares=shares)
