"""Exact marginals of a discrete network by variable elimination.

A factor is a table together with the variables on its axes. The marginal of some variables is
the product of all factors with every other variable summed out, one at a time; the variable
whose elimination makes the smallest table goes first.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from eiderdown.arrays import FloatArray
from eiderdown.errors import TooManyCellsError

MAX_CELLS = 2**22
"""The largest table held: 32 MB of probabilities."""

_MAX_AXES = 32  # what NumPy 1.26 allows


@dataclass(frozen=True, eq=False)
class Factor:
    """A table of non-negative numbers over some variables.

    Attributes
    ----------
    variables
        The variables, one per axis of the table.
    table
        The numbers.
    """

    variables: tuple[int, ...]
    table: FloatArray


def marginal_table(
    factors: Iterable[Factor], keep: Sequence[int], *, max_cells: int = MAX_CELLS
) -> FloatArray:
    """Sum the product of some factors over all variables but a few.

    Parameters
    ----------
    factors
        The factors of the distribution.
    keep
        The variables that stay, in the order wanted for the axes of the answer.
    max_cells
        Refuse when a table on the way would have more cells than this.

    Returns
    -------
    FloatArray
        One axis per kept variable.

    Raises
    ------
    TooManyCellsError
        If the network is too densely connected for an exact answer.

    Examples
    --------
    >>> rain = Factor((0,), np.array([0.25, 0.75]))
    >>> wet = Factor((0, 1), np.array([[0.5, 0.5], [0.0, 1.0]]))
    >>> marginal_table([rain, wet], keep=[1])
    array([0.125, 0.875])
    """
    pool = list(factors)
    sizes = {v: n for f in pool for v, n in zip(f.variables, f.table.shape, strict=True)}
    for variable in _elimination_order(pool, sizes, keep):
        touched = [f for f in pool if variable in f.variables]
        pool = [f for f in pool if variable not in f.variables]
        scope = sorted({v for f in touched for v in f.variables} - {variable})
        whole = _product(touched, [*scope, variable], sizes, max_cells)
        pool.append(Factor(tuple(scope), whole.sum(axis=-1)))
    return _product(pool, keep, sizes, max_cells)


def _elimination_order(
    factors: Sequence[Factor], sizes: Mapping[int, int], keep: Sequence[int]
) -> list[int]:
    near = _neighbours(factors)
    cost = {v: math.prod(sizes[u] for u in near[v]) for v in near.keys() - set(keep)}
    order = []
    while cost:
        chosen = min(cost, key=lambda v: (cost[v], v))
        order.append(chosen)
        del cost[chosen]
        around = near.pop(chosen)
        for v in around:
            near[v] = (near[v] | around) - {v, chosen}
            if v in cost:
                cost[v] = math.prod(sizes[u] for u in near[v])
    return order


def _neighbours(factors: Sequence[Factor]) -> dict[int, set[int]]:
    near: dict[int, set[int]] = {}
    for factor in factors:
        for v in factor.variables:
            near.setdefault(v, set()).update(u for u in factor.variables if u != v)
    return near


def _product(
    factors: Sequence[Factor], scope: Sequence[int], sizes: Mapping[int, int], max_cells: int
) -> FloatArray:
    shape = [sizes[v] for v in scope]
    if math.prod(shape) > max_cells or len(shape) > _MAX_AXES:
        raise TooManyCellsError(
            f"An exact answer would need a table of {math.prod(shape):.3g} cells over {len(shape)} "
            f"nodes; ask for fewer nodes, or estimate it from a sample."
        )
    axis = {v: i for i, v in enumerate(scope)}
    result = np.ones(shape)
    for factor in factors:
        places = [axis[v] for v in factor.variables]
        aligned = factor.table.transpose(np.argsort(places))
        result *= aligned.reshape([n if i in places else 1 for i, n in enumerate(shape)])
    return result
