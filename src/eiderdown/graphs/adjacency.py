"""Adjacency matrices, which exist only at the border and never without a stated convention.

Half of the field writes ``a[i, j] = 1`` for i -> j, the other half for j -> i, and a transposed
matrix looks like any other. So whoever hands a matrix over has to say which it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eiderdown.errors import GraphError, OptionError

Convention: TypeAlias = Literal["row_to_column", "column_to_row"]
MatrixArray: TypeAlias = NDArray[np.int8]


def matrix_from_pairs(
    n_nodes: int, pairs: Iterable[tuple[int, int]], *, convention: Convention
) -> MatrixArray:
    """Return the matrix with a 1 for every (tail, head) pair.

    Examples
    --------
    >>> matrix_from_pairs(2, [(0, 1)], convention="row_to_column").tolist()
    [[0, 1], [0, 0]]
    """
    check_convention(convention)
    matrix = np.zeros((n_nodes, n_nodes), dtype=np.int8)
    for tail, head in pairs:
        matrix[tail, head] = 1
    return matrix if convention == "row_to_column" else np.ascontiguousarray(matrix.T)


def pairs_from_matrix(
    matrix: ArrayLike, *, nodes: Sequence[str], convention: Convention
) -> list[tuple[str, str]]:
    """Return the (tail, head) names for every 1 in a square matrix of zeros and ones.

    Examples
    --------
    >>> pairs_from_matrix([[0, 1], [0, 0]], nodes=["A", "B"], convention="column_to_row")
    [('B', 'A')]
    """
    check_convention(convention)
    array = np.asarray(matrix)
    if array.shape != (len(nodes), len(nodes)):
        raise GraphError(
            f"The adjacency matrix has shape {array.shape} but there are {len(nodes)} nodes; "
            f"it must have one row and one column per node."
        )
    _check_zeros_and_ones(array, nodes)
    rows_to_columns = array if convention == "row_to_column" else array.T
    return [(nodes[i], nodes[j]) for i, j in np.argwhere(rows_to_columns == 1)]


def check_convention(convention: str) -> None:
    """Refuse any convention but the two."""
    if convention not in ("row_to_column", "column_to_row"):
        raise OptionError(
            f"convention must be 'row_to_column' (a[i, j] = 1 means i -> j) or "
            f"'column_to_row' (a[i, j] = 1 means j -> i), not {convention!r}."
        )


def _check_zeros_and_ones(array: NDArray[np.generic], nodes: Sequence[str]) -> None:
    strange = np.argwhere(~np.isin(array, (0, 1)))
    if len(strange):
        i, j = strange[0]
        raise GraphError(
            f"The adjacency matrix holds {array[i, j].item()!r} at row {nodes[i]!r}, column "
            f"{nodes[j]!r}; only 0 and 1 are allowed, so compare weights with zero first."
        )
