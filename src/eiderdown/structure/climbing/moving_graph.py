"""A graph on the move: the pairs that may be edges, and what of them is there.

A *candidate edge* is an ordered pair (parent, child) that may be an edge. Those of a child lie next
to each other, so memory grows with the pairs that may be edges, not with all pairs. Nodes are
numbered in the order of their names, so a tie that the smaller number wins does not depend on the
order of the columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import BoolArray, FloatArray, IntArray, WordArray
from eiderdown.kernels import kernel
from eiderdown.memory import require_memory
from eiderdown.structure.climbing.ancestors import Ancestors, Families, no_ancestors

_FEW = 2_000  # candidate edges
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)

_Int32s: TypeAlias = Annotated[NDArray[np.int32], "int32[::1]"]
_Int64s: TypeAlias = Annotated[IntArray, "int64[::1]"]
_Bools: TypeAlias = Annotated[BoolArray, "boolean[::1]"]
_Words: TypeAlias = Annotated[WordArray, "uint64[::1]"]


class CandidateEdges(NamedTuple):
    """The pairs that may be edges, and what the present graph has of them.

    Attributes
    ----------
    first : IntArray
        Where the candidate edges of each child begin, and an end.
    child, parent : int32 array
        The pair; the parents of a child are in order.
    reverse : int32 array
        The same pair the other way round, -1 if that may be no edge.
    gain : FloatArray
        What the score gains by adding the edge, or by deleting it where it is.
    by_gain : int32 array
        The candidate edges of each child once more, as a heap: those at 2 i + 1 and 2 i + 2 gain
        no more than the one at i, counted from the child's first.
    present, fixed : BoolArray
        Whether the edge is there, and whether it has to stay.
    held : int32 array
        The edges that are there, in the same order as the parents in the families.
    changed_at : int32 array
        At which move the edge was last added or deleted.
    max_parents : IntArray
        How many parents each child may have.
    """

    first: _Int64s
    child: _Int32s
    parent: _Int32s
    reverse: _Int32s
    gain: Annotated[FloatArray, "float64[::1]"]
    by_gain: _Int32s
    present: _Bools
    fixed: _Bools
    held: _Int32s
    changed_at: _Int32s
    max_parents: _Int64s


class Tabu(NamedTuple):
    """Hashes of the last graphs and of the present one, and how many moves were made."""

    hashes: _Words
    present: _Words
    n_moves: _Int64s


class Bounds(NamedTuple):
    """What no move gains more than, so that few moves need a look.

    Attributes
    ----------
    addition : FloatArray
        By child, of adding an edge to it; infinite where nobody has looked since the child's
        parents changed, or since fewer nodes became its descendants.
    listed : int32 array
        The edges that are there, in any order, each with its child and its parent.
    change : FloatArray
        By place in that list, of deleting or turning the edge.
    n_listed : IntArray
        How many they are.
    """

    addition: Annotated[FloatArray, "float64[::1]"]
    listed: Annotated[NDArray[np.int32], "int32[:, ::1]"]
    change: Annotated[FloatArray, "float64[::1]"]
    n_listed: _Int64s

    @classmethod
    def none(cls, n_nodes: int, n_edges: int) -> Bounds:
        """Begin with a graph without edges."""
        return cls(
            np.full(n_nodes, np.inf),
            np.empty((n_edges, 3), dtype=np.int32),
            np.empty(n_edges),
            np.zeros(1, dtype=np.int64),
        )


class Graph(NamedTuple):
    """A graph on the move."""

    edges: CandidateEdges
    families: Families
    ancestors: Ancestors
    tabu: Tabu
    bounds: Bounds


class Move(NamedTuple):
    """A kind, a candidate edge, and what the score gains."""

    kind: int
    edge: int
    gain: float


def empty_graph(
    possible_parents: Sequence[IntArray],
    max_parents: IntArray,
    *,
    tabu_length: int = 0,
    with_bits: bool | None = None,
) -> Graph:
    """Lay out the candidate edges of every child, and a graph without edges.

    Parameters
    ----------
    possible_parents : sequence of IntArray
        By child, the nodes that may be its parents, in increasing order.
    max_parents : IntArray
        How many parents each child may have.
    tabu_length : int
        To how many of the last graphs no best move leads back.
    with_bits : bool or None
        Whether ancestors are kept as bit sets; None to decide by the number of nodes.
    """
    sizes = np.array([len(nodes) for nodes in possible_parents], dtype=np.int64)
    n_nodes, n_edges = len(sizes), int(sizes.sum())
    require_memory_of_edges(66.0, n_edges, n_nodes)  # twelve arrays, and what they are made of
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    parent = np.concatenate([np.empty(0, np.int64), *possible_parents]).astype(np.int32)
    child = np.repeat(np.arange(n_nodes, dtype=np.int32), sizes)
    edges = CandidateEdges(
        first=first,
        child=child,
        parent=parent,
        reverse=np.empty(n_edges, dtype=np.int32),
        gain=np.full(n_edges, -np.inf),
        by_gain=np.arange(n_edges, dtype=np.int32),
        present=np.zeros(n_edges, dtype=np.bool_),
        fixed=np.zeros(n_edges, dtype=np.bool_),
        held=np.zeros(n_edges, dtype=np.int32),
        changed_at=np.zeros(n_edges, dtype=np.int32),
        max_parents=max_parents.astype(np.int64),
    )
    find_reverses(first, parent, edges.reverse, np.empty(n_nodes, dtype=np.int64))
    families = Families(
        first[:-1].copy(), np.zeros(n_edges, dtype=np.int32), np.zeros(n_nodes, dtype=np.int64)
    )
    tabu = Tabu(
        np.zeros(tabu_length, dtype=np.uint64),
        np.ones(1, dtype=np.uint64),
        np.zeros(1, dtype=np.int64),
    )
    ancestors = no_ancestors(n_nodes, with_bits=with_bits)
    return Graph(edges, families, ancestors, tabu, Bounds.none(n_nodes, n_edges))


def require_memory_of_edges(each: float, n_edges: int, n_nodes: int) -> None:
    """Refuse possible edges that need more memory than is free, so many bytes each."""
    require_memory(
        each * n_edges,
        f"A climb among {n_edges:,} possible edges of {n_nodes:,} columns",
        "take mmhc, which climbs among few of them, or leave columns out",
    )


@kernel(
    "void(const(int64[::1]), const(int32[::1]), int32[::1], int64[::1])",
    small=lambda *args: len(args[1]) <= _FEW,
)
def find_reverses(first, parent, reverse, at):  # type: ignore[no-untyped-def]
    """Find each pair the other way round; -1 where there is none.

    Children come in order, so each node is looked for in no place where one before it was.
    """
    n_nodes = first.shape[0] - 1
    for node in range(n_nodes):
        at[node] = first[node]
    for child in range(n_nodes):
        for edge in range(first[child], first[child + 1]):
            other = parent[edge]
            while at[other] < first[other + 1] and parent[at[other]] < child:
                at[other] += 1
            is_there = at[other] < first[other + 1] and parent[at[other]] == child
            reverse[edge] = at[other] if is_there else -1


@kernel("uint64(CandidateEdges, int64)", inner=True)
def hash_of(edges, edge):  # type: ignore[no-untyped-def]
    """Hash an edge; the hash of a graph is the exclusive or of those of its edges."""
    value = np.uint64(edges.child[edge]) * _MIX_2 + np.uint64(edges.parent[edge]) + _MIX_1
    value = (value ^ (value >> np.uint64(30))) * _MIX_1
    value = (value ^ (value >> np.uint64(27))) * _MIX_2
    return value ^ (value >> np.uint64(31))
