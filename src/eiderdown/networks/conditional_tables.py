"""One check for a node's conditional table: its shape, its range, and rows that sum to one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from eiderdown.arrays import BoolArray, FloatArray, frozen
from eiderdown.errors import NetworkFormatError

ROW_SUM_TOLERANCE = 1e-5
"""Published tables are rounded to a few decimals, so their rows miss one by about this much."""


def checked_table(
    node: str,
    table: ArrayLike,
    parents: Sequence[str],
    categories: Sequence[Sequence[str]],
) -> FloatArray:
    """Return a read-only copy of a conditional table whose rows sum to one.

    Parameters
    ----------
    node
        The node, for messages.
    table
        Probabilities with one axis per parent, in the order of ``parents``, and the node's own
        categories on the last axis.
    parents
        The parents' names, one per leading axis.
    categories
        The categories of each parent and, last, of the node itself.

    Returns
    -------
    FloatArray
        The table; rows within ``ROW_SUM_TOLERANCE`` of one are rescaled.

    Examples
    --------
    >>> checked_table("rain", [0.25, 0.75], [], [["yes", "no"]])
    array([0.25, 0.75])
    """
    array = np.array(table, dtype=np.float64)
    shape = tuple(len(own) for own in categories)
    if array.shape != shape:
        raise NetworkFormatError(
            f"The table of node {node!r} has shape {array.shape}, but its parents and own categories "
            f"ask for {shape}; give one axis per parent and the node's categories last."
        )
    sums = array.sum(axis=-1)
    wrong = ~(np.abs(sums - 1.0) <= ROW_SUM_TOLERANCE) | ~(array >= 0.0).all(axis=-1)
    if wrong.any():
        raise NetworkFormatError(_bad_row(node, array, wrong, parents, categories))
    return frozen(array / sums[..., np.newaxis])


def configuration(
    index: Sequence[int], parents: Sequence[str], categories: Sequence[Sequence[str]]
) -> str:
    """Put a parent configuration in words, for messages.

    Examples
    --------
    >>> configuration([1, 0], ["a", "b"], [["no", "yes"], ["low", "high"]])
    "given a='yes', b='low'"
    """
    if not parents:
        return "without parents"
    facts = zip(parents, categories, index, strict=False)
    return "given " + ", ".join(f"{name}={own[i]!r}" for name, own, i in facts)


def _bad_row(
    node: str,
    array: FloatArray,
    wrong: BoolArray,
    parents: Sequence[str],
    categories: Sequence[Sequence[str]],
) -> str:
    index = tuple(int(i) for i in np.argwhere(wrong)[0]) if parents else ()
    row = array[index]
    where = configuration(index, parents, categories)
    if not np.isfinite(row).all() or (row < 0).any():
        return (
            f"The probabilities of node {node!r} {where} must be numbers from 0 to 1, "
            f"not {row.tolist()}."
        )
    return (
        f"The probabilities of node {node!r} {where} sum to {row.sum():.8g} instead of 1; "
        f"correct that row."
    )
