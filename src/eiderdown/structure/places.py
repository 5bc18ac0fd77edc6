"""The pairs of nodes that may be edges, as arrays that compiled code reads and writes.

A *place* is one ordered pair (parent, child) that may be an edge. The places of a child lie next to
each other, so memory grows with the pairs that may be edges, not with all pairs. Nodes are numbered
in the order of their names, so a tie that the smaller number wins does not depend on the order of
the columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from eiderdown.arrays import BoolArray, FloatArray, IntArray, WordArray
from eiderdown.structure.reachability import Families


class Places(NamedTuple):
    """All places, and what the present graph has in them.

    Attributes
    ----------
    first : IntArray
        Where the places of each child begin, and an end.
    child, parent : int32 array
        The pair; the parents of a child are in order.
    twin : int32 array
        The place of the same pair the other way round, -1 if that may be no edge.
    gain : FloatArray
        What the score gains by adding the edge, or by deleting it where it is.
    order : int32 array
        The places of each child once more, the largest gain first.
    present, fixed : BoolArray
        Whether the edge is there, and whether it has to stay.
    held : int32 array
        Places of the edges that are there, in the same order as the parents in the families.
    touched : int32 array
        At which move the place was last changed.
    room : IntArray
        How many parents each child may have.
    """

    first: IntArray
    child: NDArray[np.int32]
    parent: NDArray[np.int32]
    twin: NDArray[np.int32]
    gain: FloatArray
    order: NDArray[np.int32]
    present: BoolArray
    fixed: BoolArray
    held: NDArray[np.int32]
    touched: NDArray[np.int32]
    room: IntArray


class Tabu(NamedTuple):
    """Hashes of the last graphs and of the present one, and how many moves were made."""

    hashes: WordArray
    present: WordArray
    n_moves: IntArray


_INTS: Any = types.int64[::1]
_SMALL: Any = types.int32[::1]
_BOOLS: Any = types.boolean[::1]
_WORDS: Any = types.uint64[::1]
PLACES_TYPE: Any = types.NamedTuple(  # type: ignore[no-untyped-call]
    (
        _INTS,
        _SMALL,
        _SMALL,
        _SMALL,
        types.float64[::1],
        _SMALL,
        _BOOLS,
        _BOOLS,
        _SMALL,
        _SMALL,
        _INTS,
    ),
    Places,
)
TABU_TYPE: Any = types.NamedTuple((_WORDS, _WORDS, _INTS), Tabu)  # type: ignore[no-untyped-call]


def places_of(possible_parents: Sequence[IntArray], room: IntArray) -> tuple[Places, Families]:
    """Lay out the places of every child, and a graph without edges.

    Parameters
    ----------
    possible_parents : sequence of IntArray
        By child, the nodes that may be its parents, in increasing order.
    room : IntArray
        How many parents each child may have.
    """
    sizes = np.array([len(nodes) for nodes in possible_parents], dtype=np.int64)
    n_places = int(sizes.sum())
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    parent = np.concatenate([np.empty(0, np.int64), *possible_parents]).astype(np.int32)
    child = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    places = Places(
        first=first,
        child=child,
        parent=parent,
        twin=_twins(child, parent, len(sizes)),
        gain=np.full(n_places, -np.inf),
        order=np.arange(n_places, dtype=np.int32),
        present=np.zeros(n_places, dtype=np.bool_),
        fixed=np.zeros(n_places, dtype=np.bool_),
        held=np.zeros(n_places, dtype=np.int32),
        touched=np.zeros(n_places, dtype=np.int32),
        room=room,
    )
    n_parents = np.zeros(len(sizes), dtype=np.int64)
    return places, Families(first[:-1].copy(), np.zeros(n_places, dtype=np.int32), n_parents)


def no_tabu(length: int) -> Tabu:
    """Begin with the graph without edges, and none before it."""
    return Tabu(
        np.zeros(length, dtype=np.uint64),
        np.ones(1, dtype=np.uint64),
        np.zeros(1, dtype=np.int64),
    )


def _twins(child: NDArray[np.int32], parent: NDArray[np.int32], n_nodes: int) -> NDArray[np.int32]:
    """Find the place of each pair the other way round; -1 where there is none."""
    keys = child.astype(np.int64) * n_nodes + parent
    wanted = parent.astype(np.int64) * n_nodes + child
    at = np.minimum(np.searchsorted(keys, wanted), max(0, len(keys) - 1))
    return np.where(keys[at] == wanted, at, -1).astype(np.int32)
