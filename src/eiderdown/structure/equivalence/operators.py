"""Insert, Delete and Turn: the operators at a class, and when they lead to another class.

D. M. Chickering, "Optimal structure identification with greedy search" (JMLR 3, 2002), theorems 15
and 17; A. Hauser & P. Buehlmann, "Characterization and greedy learning of interventional Markov
equivalence classes" (JMLR 13, 2012), propositions 31 and 34. Pa(Y), Ne(Y) and Ad(Y) are the
parents, the undirected neighbours and all adjacent nodes of Y, and NA(Y, X) = Ne(Y) & Ad(X).
Operators at Y are listed clique by clique of Ne(Y): a clique C joins the parents of Y, and one row
of gains then serves every X at once.

    Insert(X, Y, T)  C = NA(Y, X) | T   gains  s(Y, Pa(Y), C, X) - s(Y, Pa(Y), C)
    Delete(X, Y, H)  C = NA(Y, X) - H   gains  s(Y, Pa(Y) - X, C) - s(Y, Pa(Y) - X, C, X)
    Turn(X, Y, C)                       gains  s(Y, Pa(Y), C, X) - s(Y, Pa(Y), C)
                                               + s(X, P) - s(X, P, Y)

A Turn makes X - Y or Y -> X into X -> Y; P is Pa(X) - Y for a directed edge, and Pa(X) with
C & Ne(X) for an undirected one.

No class is listed twice: different T, or different H, give different v-structures at Y. A Delete of
an undirected edge leads to the same class from both ends, and is listed at one. An Insert that
makes no v-structure may have a mirror image, left out when both turn out to be valid (Chickering
takes the best operator and needs no such care; KES draws among classes, so each has to count once).
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.kernels import kernel
from eiderdown.memory import require_memory
from eiderdown.structure.equivalence.cpdag import (  # noqa: F401  named in signatures
    ADJACENT,
    ALLOWED,
    CHILDREN,
    CPDAG,
    NEIGHBOURS,
    PARENTS,
    BitSets,
    add_edge,
    clear_bit,
    empty_sets,
    has_bit,
    intersects,
    is_subset,
    next_bit,
    note_path,
    orient,
    remove_edge,
    semi_directed_reachable,
    set_bit,
)

INSERT, DELETE, TURN = 0, 1, 2

KIND, X, Y, BARRED, SKIPPED = 0, 1, 2, 3, 4
"""Columns of ``Operators.move``."""

FIRST, COUNT, BEST, LEVEL, N_BARRED = 0, 1, 2, 3, 4
"""Rows of ``Operators.by_node``: where the operators at Y begin, how many there are, which of them
is to be applied first and at which priority, and how many are barred."""

NOBODY, UNKNOWN = -1, -2
"""For BEST: no operator at Y may be applied; nobody has looked since they changed."""

WORK, CLIQUES, CANDIDATES, PLAIN = 0, 1, 2, 3
"""Planes of the sets in the making: those below; by depth, the cliques on the way to the present
one and who could extend each; by Y, the X of Inserts that make no v-structure."""

QUEUE, BASE, LOST, ABLE, BLOCKED, REACHED, TURNED, N_WORK = 0, 1, 2, 3, 4, 5, 6, 7
"""Rows of the plane WORK: what a search has yet to visit; Pa(Y) | C; P of a Turn; X of possible
Inserts; where paths may not go; where they lead from Y of the last Insert, and of the last Turn."""

_NONE = np.uint64(0)


class Operators(NamedTuple):
    """Operators that raise the score, as far as the gains say; not yet checked for paths.

    Those at one Y stand side by side. When they are listed again, that is behind all others, and
    where they stood is a gap: so a step moves nothing, and looks only at nodes that it changed.
    """

    gain: Annotated[FloatArray, "float64[::1]"]
    # (operators, 5): which kind; X and Y of the edge that is, or becomes, X -> Y; whether it is
    # barred by a path that is known; whether it is skipped, because constraints turned out to
    # forbid it
    move: Annotated[IntArray, "int64[:, ::1]"]
    clique: BitSets  # (1, operators, words): C
    path: BitSets  # (1, operators, words): nodes of the path that bars it, but for X
    # (4,): where the next one goes, and by kind which priority BEST is meant for
    n: Annotated[IntArray, "int64[::1]"]
    by_node: Annotated[IntArray, "int64[:, ::1]"]  # (5, nodes): see above
    best_gain: Annotated[FloatArray, "float64[::1]"]  # by node, of BEST

    @classmethod
    def none(cls, n_nodes: int, capacity: int) -> Operators:
        """Make room for operators."""
        move = np.zeros((capacity, 5), dtype=np.int64)
        clique, path = (empty_sets(1, capacity, n_nodes) for _ in range(2))
        n, by_node = (np.zeros(shape, dtype=np.int64) for shape in (4, (5, n_nodes)))
        return cls(np.empty(capacity), move, clique, path, n, by_node, np.empty(n_nodes))

    def in_order(self, order: IntArray) -> Operators:
        """Return some of the operators, in some order, but not by node."""
        n = np.zeros_like(self.n)
        n[0] = len(order)
        clique, path = (np.ascontiguousarray(sets[:, order]) for sets in (self.clique, self.path))
        by_node, best_gain = np.zeros_like(self.by_node), np.empty_like(self.best_gain)
        return Operators(self.gain[order], self.move[order], clique, path, n, by_node, best_gain)

    def with_room(self) -> Operators:
        """Return the same operators, with room for twice as many."""
        capacity = len(self.gain)
        require_memory(
            2.0 * sum(array.nbytes for array in self),
            f"A list of {2 * capacity:,} changes of a graph that gain",
            "give fewer columns, or a score that asks more of an edge, or choose mmhc",
        )
        larger = Operators.none(self.by_node.shape[1], 2 * capacity)
        larger.gain[:capacity], larger.move[:capacity] = self.gain, self.move
        larger.clique[:, :capacity], larger.path[:, :capacity] = self.clique, self.path
        return larger._replace(n=self.n, by_node=self.by_node, best_gain=self.best_gain)

    def drop(self, i: int) -> None:
        """Take one out of the list."""
        y = int(self.move[i, Y])
        self.by_node[COUNT, y] -= 1
        self.by_node[BEST, y] = UNKNOWN
        last = int(self.by_node[FIRST, y] + self.by_node[COUNT, y])
        for array in (self.gain, self.move, self.clique[0], self.path[0]):
            array[i] = array[last]


# --- while operators are listed: conditions on the clique C, a row of sets[CLIQUES] ---------------


@kernel("void(uint64[:, :, ::1], uint64[:, :, ::1], int64, uint64[:, :, ::1], int64)", inner=True)
def find_insertable(edges, known, y, sets, depth):
    """Write to ABLE every X for which Insert(X, Y, T) meets theorem 15, condition 1."""
    # NA(Y, X) | T is a clique. C is one, and has to hold all of NA(Y, X): X is not adjacent to any
    # other neighbour of Y.
    for w in range(sets.shape[2]):
        sets[WORK, ABLE, w] = known[ALLOWED, y, w] & ~edges[ADJACENT, y, w]
    node = next_bit(edges, NEIGHBOURS, y, -1)
    while node >= 0:
        if not has_bit(sets, CLIQUES, depth, node):
            for w in range(sets.shape[2]):
                sets[WORK, ABLE, w] &= ~edges[ADJACENT, node, w]
        node = next_bit(edges, NEIGHBOURS, y, node)


@kernel("boolean(uint64[:, :, ::1], int64, uint64[:, :, ::1], int64)", inner=True)
def is_delete_valid(edges, x, sets, depth):
    """Whether Delete(X, Y, H) leads to a class: theorem 17."""
    # NA(Y, X) - H is a clique. C is one, and has to lie within NA(Y, X).
    return not has_bit(sets, CLIQUES, depth, x) and is_subset(
        sets, CLIQUES, depth, edges, ADJACENT, x
    )


@kernel("boolean(uint64[:, :, ::1], int64, int64, uint64[:, :, ::1], int64)", inner=True)
def _is_separated(edges, x, y, sets, depth):
    """Whether C & Ne(X) separates C - Ne(X) from Ne(X) - C among the neighbours of Y."""
    n_words = edges.shape[2]
    inside, seen, goal, queue = ABLE, REACHED, BLOCKED, TURNED  # free while operators are listed
    for w in range(n_words):
        clique, common = sets[CLIQUES, depth, w], edges[NEIGHBOURS, x, w]
        sets[WORK, inside, w] = edges[NEIGHBOURS, y, w] & ~(clique & common)
        sets[WORK, seen, w] = clique & ~common
        sets[WORK, goal, w] = edges[NEIGHBOURS, y, w] & common & ~clique
        sets[WORK, queue, w] = sets[WORK, seen, w]
    clear_bit(sets, WORK, inside, x)
    node = next_bit(sets, WORK, queue, -1)
    while node >= 0:
        clear_bit(sets, WORK, queue, node)
        for w in range(n_words):
            new = edges[NEIGHBOURS, node, w] & sets[WORK, inside, w] & ~sets[WORK, seen, w]
            sets[WORK, seen, w] |= new
            sets[WORK, queue, w] |= new
        node = next_bit(sets, WORK, queue, -1)
    return not intersects(sets, WORK, seen, sets, WORK, goal)


@kernel("boolean(uint64[:, :, ::1], int64, int64, uint64[:, :, ::1], int64)", inner=True)
def is_turnable(edges, x, y, sets, depth):
    """Whether Turn(X, Y, C) meets all conditions but the one about paths."""
    if has_bit(edges, NEIGHBOURS, y, x):
        # X - Y (proposition 31): 1. C is a clique. 2. C has a member that is no neighbour of X,
        # else the class would stay the same. 3. C & Ne(X) separates C - Ne(X) from the other
        # common neighbours.
        return not is_subset(sets, CLIQUES, depth, edges, NEIGHBOURS, x) and _is_separated(
            edges, x, y, sets, depth
        )
    # Y -> X (proposition 34): 1. C is a clique. 2. C holds all of NA(Y, X).
    for w in range(sets.shape[2]):
        shared = edges[NEIGHBOURS, y, w] & edges[ADJACENT, x, w]
        if shared & ~sets[CLIQUES, depth, w] != _NONE:
            return False
    return True


# --- when one is chosen: conditions on paths ------------------------------------------------------


@kernel("boolean(Operators, int64, int64)", inner=True)
def _same_paths(operators, i, j):
    """Whether two Inserts have the same Y and C, so that they are about the same paths."""
    same = operators.move[i, Y] == operators.move[j, Y]
    for w in range(operators.clique.shape[2]):
        same &= operators.clique[0, i, w] == operators.clique[0, j, w]
    return same


@kernel("void(CPDAG, Operators, int64)", inner=True)
def _bar(graph, operators, i):
    """Bar an operator by the path that the last search has found."""
    x, y = operators.move[i, X], operators.move[i, Y]
    note_path(graph, y, x, operators.path, i)
    operators.move[i, BARRED] = 1
    operators.by_node[N_BARRED, y] += 1
    operators.by_node[BEST, y] = UNKNOWN


@kernel("boolean(CPDAG, Operators, int64, uint64[:, :, ::1], int64, int64)", inner=True)
def is_insert_valid(graph, operators, i, sets, last, end):
    """Whether a listed Insert leads to a class; paths are as at the ``last`` one, -1 for none.

    The search for paths stops at ``end``, unless that is -1. An Insert that leads to none is barred
    until an edge on the path changes, which is quicker to see than whether there is any path: of
    large graphs most Inserts that gain are barred for a long time.
    """
    # Theorem 15: 1. NA(Y, X) | T is a clique: else it would not be listed.
    # 2. Every semi-directed path from Y to X has a node in NA(Y, X) | T.
    x, y = operators.move[i, X], operators.move[i, Y]
    if last < 0 or not _same_paths(operators, i, last):
        semi_directed_reachable(graph, y, end, operators.clique, i, sets, REACHED)
    if has_bit(sets, WORK, REACHED, x):
        _bar(graph, operators, i)
        return False
    return True


@kernel("boolean(CPDAG, Operators, int64, uint64[:, :, ::1])", inner=True)
def is_turn_valid(graph, operators, i, sets):
    """Whether a listed Turn leads to a class: proposition 34, condition 3; else it is barred."""
    x, y, edges = operators.move[i, X], operators.move[i, Y], graph.edges
    if has_bit(edges, NEIGHBOURS, y, x):
        return True
    # 3. Every semi-directed path from Y to X but Y -> X itself has a node in C | Ne(X).
    for w in range(sets.shape[2]):
        sets[WORK, BLOCKED, w] = operators.clique[0, i, w] | edges[NEIGHBOURS, x, w]
    clear_bit(edges, CHILDREN, y, x)
    semi_directed_reachable(graph, y, x, sets, BLOCKED, sets, TURNED)
    set_bit(edges, CHILDREN, y, x)
    if has_bit(sets, WORK, TURNED, x):
        _bar(graph, operators, i)
        return False
    return True


@kernel(
    "int64(CPDAG, Operators, uint64[:, :, ::1], int64[::1], int64, none)",
    "int64(CPDAG, Operators, uint64[:, :, ::1], int64[::1], int64, float64)",
    inner=True,
)
def keep_valid(graph, operators, sets, chosen, n, k):
    """Bring those of n listed operators to the front that lead to a class; return how many.

    A Delete always does. Without k there are no Turns among them.
    """
    n_valid, last = 0, -1
    for at in range(n):
        i = chosen[at]
        is_valid = operators.move[i, BARRED] == 0
        if is_valid and operators.move[i, KIND] == INSERT:
            end = operators.move[i, X] if n == 1 else -1  # others may ask about the same paths
            is_valid = is_insert_valid(graph, operators, i, sets, last, end)
            last = i
        if k is not None:  # noqa: SIM102
            if is_valid and operators.move[i, KIND] == TURN:
                is_valid = is_turn_valid(graph, operators, i, sets)
                last = -1
        if is_valid:
            chosen[n_valid] = i
            n_valid += 1
    return n_valid


@kernel("boolean(uint64[:, :, ::1], Operators, int64)", inner=True)
def _makes_no_v_structure(edges, operators, i):
    """Whether an Insert makes no v-structure: C and Pa(Y) are all adjacent to X."""
    x, y = operators.move[i, X], operators.move[i, Y]
    return (
        operators.move[i, KIND] == INSERT
        and is_subset(operators.clique, 0, i, edges, ADJACENT, x)
        and is_subset(edges, PARENTS, y, edges, ADJACENT, x)
    )


@kernel("int64(uint64[:, :, ::1], Operators, uint64[:, :, ::1], int64[::1], int64)", inner=True)
def drop_mirrors(edges, operators, sets, chosen, n):
    """Bring those of n valid operators to the front that lead to different classes; count them.

    Insert(X, Y, T) and Insert(Y, X, T') lead to the same class if neither makes a v-structure: T
    and T' are empty, and all parents of each end are adjacent to the other. The smaller X counts.
    """
    move = operators.move
    for node in range(edges.shape[1]):
        for w in range(edges.shape[2]):
            sets[PLAIN, node, w] = _NONE
    for at in range(n):
        i = chosen[at]
        if _makes_no_v_structure(edges, operators, i):
            set_bit(sets, PLAIN, move[i, Y], move[i, X])
    n_kept = 0
    for at in range(n):
        i = chosen[at]
        x, y = move[i, X], move[i, Y]
        mirrored = y < x and has_bit(sets, PLAIN, x, y)
        if not (mirrored and _makes_no_v_structure(edges, operators, i)):
            chosen[n_kept] = i
            n_kept += 1
    return n_kept


@kernel("void(uint64[:, :, ::1], Operators, int64)", inner=True)
def apply_operator(edges, operators, i):
    """Change the edges as an operator says; the CPDAG is then to be completed."""
    clique, kind = operators.clique, operators.move[i, KIND]
    x, y = operators.move[i, X], operators.move[i, Y]
    if kind != INSERT:
        remove_edge(edges, x, y)
    if kind == DELETE:
        # For H = NA(Y, X) - C: Y - H becomes Y -> H, and X - H becomes X -> H.
        h = next_bit(edges, NEIGHBOURS, y, -1)
        while h >= 0:
            if has_bit(edges, ADJACENT, x, h) and not has_bit(clique, 0, i, h):
                orient(edges, y, h)
                if has_bit(edges, NEIGHBOURS, x, h):
                    orient(edges, x, h)
            h = next_bit(edges, NEIGHBOURS, y, h)
        return
    # X -> Y, and T - Y becomes T -> Y (as does all of C, which completing takes back).
    add_edge(edges, x, y)
    t = next_bit(clique, 0, i, -1)
    while t >= 0:
        if has_bit(edges, NEIGHBOURS, y, t):
            orient(edges, t, y)
        t = next_bit(clique, 0, i, t)
