"""Making a graph a CPDAG again after an operator, where the change is felt and nowhere else.

An operator leaves directed and undirected edges that are no CPDAG. :func:`complete_cpdag` finds a
DAG with these edges and no further v-structure (Dor & Tarsi 1992), and keeps the directions on
which all equivalent DAGs agree: by D. M. Chickering's labels ("A transformational characterization
of equivalent Bayesian network structures", UAI 1995), or, where directions are known beforehand, by
Meek's rules (1995). The slow and obvious twin is :meth:`eiderdown.graphs.PDAG.to_dag` followed by
``to_cpdag``.

A step changes few edges, and of thousands of nodes nearly all keep theirs. Nodes in the order in
which the last DAG was taken apart are sinks again at the same place, unless an edge at them changed
or a node that they are joined with has to wait. And the directions of the edges into a node follow
from its parents, from those of its last parent, and from their directions. So only nodes that this
concerns are looked at; the DAG is the same as if all were.
"""

from __future__ import annotations

import numpy as np

from eiderdown.kernels import kernel
from eiderdown.structure.equivalence.cpdag import (  # noqa: F401  named in signatures
    ADJACENT,
    ALLOWED,
    CHANGED,
    CHILDREN,
    CONCERNED,
    CPDAG,
    DAG_PARENTS,
    LEFT,
    NEIGHBOURS,
    PARENTS,
    REQUIRED,
    SETTLED,
    Constraints,
    clear_bit,
    has_bit,
    intersects,
    is_subset,
    next_bit,
    orient,
    set_bit,
)

_ONE = np.uint64(1)
_NONE = np.uint64(0)


@kernel("void(CPDAG, uint64[:, :, ::1], int64)", inner=True)
def concern_around(graph, edges, node):
    """Mark a node, and those that it is joined with by some edges, as concerned by a change."""
    graph.marks[CONCERNED, node] = True
    other = next_bit(edges, ADJACENT, node, -1)
    while other >= 0:
        graph.marks[CONCERNED, other] = True
        other = next_bit(edges, ADJACENT, node, other)


@kernel("boolean(uint64[:, :, ::1], int64)", inner=True)
def _is_sink(edges, x):
    """Whether x can be a sink of the nodes that are left: Dor and Tarsi's conditions."""
    # (a) No edge leads out of x.
    if intersects(edges, CHILDREN, x, edges, LEFT, 0):
        return False
    # (b) Every undirected neighbour of x is adjacent to all other nodes adjacent to x.
    y = next_bit(edges, NEIGHBOURS, x, -1)
    while y >= 0:
        if has_bit(edges, LEFT, 0, y):
            for w in range(edges.shape[2]):
                apart = edges[ADJACENT, x, w] & edges[LEFT, 0, w] & ~edges[ADJACENT, y, w]
                if w == y >> 6:
                    apart &= ~(_ONE << np.uint64(y & 63))
                if apart != _NONE:
                    return False
        y = next_bit(edges, NEIGHBOURS, x, y)
    return True


@kernel("boolean(CPDAG)", inner=True)
def extend_to_dag(graph):
    """Write a DAG of the class to DAG_PARENTS; False if there is none (Dor & Tarsi 1992)."""
    edges, order, marks = graph.edges, graph.sinks_first, graph.marks
    n_waiting, n_removed = edges.shape[1], 0
    for i in range(n_waiting):
        set_bit(edges, LEFT, 0, i)
        order[1, i] = order[0, i]
    while n_waiting > 0:
        n_kept = 0
        for i in range(n_waiting):
            x = order[1, i]
            if marks[CONCERNED, x]:
                if not _is_sink(edges, x):
                    order[1, n_kept] = x
                    n_kept += 1
                    concern_around(graph, edges, x)
                    continue
                # Direct what is undirected at x towards it, and take x away.
                for w in range(edges.shape[2]):
                    still = edges[NEIGHBOURS, x, w] & edges[LEFT, 0, w]
                    edges[DAG_PARENTS, x, w] = edges[PARENTS, x, w] | still
            clear_bit(edges, LEFT, 0, x)
            order[0, n_removed] = x
            n_removed += 1
        if n_kept == n_waiting:
            for i in range(n_kept):
                order[0, n_removed + i] = order[1, i]  # so that it stays a permutation
            return False
        n_waiting = n_kept
    return True


@kernel("boolean(uint64[:, :, ::1], int64, int64)", inner=True)
def _are_compelled(edges, x, y):
    """Whether all edges into y are compelled, as far as its last parent x tells."""
    for w in range(edges.shape[2]):
        family = edges[DAG_PARENTS, y, w]
        # c -> x with c and y not adjacent, or c -> y with c and x not adjacent.
        apart = (edges[PARENTS, x, w] & ~family) | (family & ~edges[DAG_PARENTS, x, w])
        if w == x >> 6:
            apart &= ~(_ONE << np.uint64(x & 63))
        if apart != _NONE:
            return True
    return False


@kernel("void(CPDAG, int64, int64)", inner=True)
def _direct_into(graph, x, y):
    """Direct those edges into y that are compelled; x is its last parent in the DAG's order."""
    edges, marks = graph.edges, graph.marks
    # If not all are, then just those are that come with compelled edges into x.
    plane, node = (DAG_PARENTS, y) if _are_compelled(edges, x, y) else (PARENTS, x)
    for w in range(edges.shape[2]):
        edges[PARENTS, y, w] = edges[plane, node, w]
    a = next_bit(edges, DAG_PARENTS, y, -1)
    while a >= 0:
        clear_bit(edges, CHILDREN, y, a)
        if has_bit(edges, PARENTS, y, a):
            orient(edges, a, y)
        else:
            clear_bit(edges, CHILDREN, a, y)
            set_bit(edges, NEIGHBOURS, a, y)
            set_bit(edges, NEIGHBOURS, y, a)
        marks[CHANGED, a] = True
        a = next_bit(edges, DAG_PARENTS, y, a)


@kernel("boolean(uint64[:, :, ::1], uint64[:, :, ::1], int64)", inner=True)
def _differ(edges, before, y):
    """Whether a node has other parents than before, or other compelled ones."""
    for w in range(edges.shape[2]):
        if (
            edges[PARENTS, y, w] != before[PARENTS, y, w]
            or edges[DAG_PARENTS, y, w] != before[DAG_PARENTS, y, w]
        ):
            return True
    return False


@kernel("void(CPDAG, uint64[:, :, ::1])", inner=True)
def _label_edges(graph, before):
    """Direct the edges on which all DAGs of the class agree (Chickering 1995), and no others."""
    edges, order, marks = graph.edges, graph.sinks_first, graph.marks
    # From the sources on: order[1] becomes the place of every node.
    for i in range(edges.shape[1] - 1, -1, -1):
        y = order[0, i]
        order[1, y] = i
        if not marks[CONCERNED, y]:
            continue
        marks[CONCERNED, y] = False
        marks[CHANGED, y] = True
        x = a = next_bit(edges, DAG_PARENTS, y, -1)
        while a >= 0:
            if order[1, a] < order[1, x]:
                x = a
            a = next_bit(edges, DAG_PARENTS, y, a)
        if x >= 0:
            _direct_into(graph, x, y)
        else:
            for w in range(edges.shape[2]):
                edges[PARENTS, y, w] = _NONE
        if _differ(edges, before, y):
            b = next_bit(edges, ADJACENT, y, -1)
            while b >= 0:
                marks[CONCERNED, b] |= not has_bit(edges, DAG_PARENTS, y, b)  # its children
                b = next_bit(edges, ADJACENT, y, b)


@kernel("boolean(uint64[:, :, ::1], int64, int64)", inner=True)
def _is_in_v_structure(edges, a, b):
    """Whether another parent of b in the DAG is not adjacent to its parent a."""
    for w in range(edges.shape[2]):
        apart = edges[DAG_PARENTS, b, w] & ~edges[ADJACENT, a, w]
        if w == a >> 6:
            apart &= ~(_ONE << np.uint64(a & 63))
        if apart != _NONE:
            return True
    return False


@kernel("boolean(uint64[:, :, ::1], int64, int64)", inner=True)
def _follows_by_rule_3(edges, a, b):
    c = next_bit(edges, NEIGHBOURS, a, -1)
    while c >= 0:
        if has_bit(edges, PARENTS, b, c):
            d = next_bit(edges, NEIGHBOURS, a, c)
            while d >= 0:
                if has_bit(edges, PARENTS, b, d) and not has_bit(edges, ADJACENT, c, d):
                    return True
                d = next_bit(edges, NEIGHBOURS, a, d)
        c = next_bit(edges, NEIGHBOURS, a, c)
    return False


@kernel("boolean(uint64[:, :, ::1], int64, int64)", inner=True)
def _follows_by_rule_4(edges, a, b):
    d = next_bit(edges, NEIGHBOURS, a, -1)
    while d >= 0:
        if not has_bit(edges, ADJACENT, b, d) and d != b:
            c = next_bit(edges, CHILDREN, d, -1)
            while c >= 0:
                if has_bit(edges, PARENTS, b, c) and has_bit(edges, ADJACENT, a, c):
                    return True
                c = next_bit(edges, CHILDREN, d, c)
        d = next_bit(edges, NEIGHBOURS, a, d)
    return False


@kernel("void(uint64[:, :, ::1])", inner=True)
def _apply_meek_rules(edges):
    """Direct edges as in DAG_PARENTS where Meek's rules say so, until they say no more."""
    changed = True
    while changed:
        changed = False
        for b in range(edges.shape[1]):
            a = next_bit(edges, NEIGHBOURS, b, -1)
            while a >= 0:
                # All DAGs of the class agree with this one where they agree with each other.
                if has_bit(edges, DAG_PARENTS, b, a) and (
                    # Rule 1: c -> a - b with c and b not adjacent.
                    not is_subset(edges, PARENTS, a, edges, ADJACENT, b)
                    # Rule 2: a -> c -> b.
                    or intersects(edges, CHILDREN, a, edges, PARENTS, b)
                    # Rule 3: a - c -> b and a - d -> b with c and d not adjacent.
                    or _follows_by_rule_3(edges, a, b)
                    # Rule 4: a - d -> c -> b, a and c adjacent, d and b not.
                    or _follows_by_rule_4(edges, a, b)
                ):
                    orient(edges, a, b)
                    changed = True
                a = next_bit(edges, NEIGHBOURS, b, a)


@kernel("boolean(uint64[:, :, ::1], uint64[:, :, ::1])", inner=True)
def _keep_known(edges, known):
    """Direct v-structures, what is known, and what follows; False if that is not allowed."""
    for plane in range(ADJACENT):
        for node in range(edges.shape[1]):
            for w in range(edges.shape[2]):
                edges[plane, node, w] = _NONE
    for b in range(edges.shape[1]):
        if not is_subset(edges, DAG_PARENTS, b, known, ALLOWED, b):
            return False
        a = next_bit(edges, DAG_PARENTS, b, -1)
        while a >= 0:
            is_known = not has_bit(known, ALLOWED, a, b) or has_bit(known, REQUIRED, b, a)
            if is_known or _is_in_v_structure(edges, a, b):
                set_bit(edges, PARENTS, b, a)
                set_bit(edges, CHILDREN, a, b)
            else:
                set_bit(edges, NEIGHBOURS, a, b)
                set_bit(edges, NEIGHBOURS, b, a)
            a = next_bit(edges, DAG_PARENTS, b, a)
    _apply_meek_rules(edges)
    return True


@kernel("boolean(CPDAG, Constraints, uint64[:, :, ::1])", inner=True)
def complete_cpdag(graph, constraints, before):
    """Make the graph a CPDAG again; False if no DAG has its edges and the constraints allow it.

    Directions that follow from the constraints are kept, too. ``before`` are the edges of the last
    CPDAG; with an unsettled graph they do not matter.
    """
    marks, orienting = graph.marks, constraints.orienting
    if orienting or not marks[SETTLED, 0]:
        for node in range(marks.shape[1]):
            marks[CHANGED, node] = True
            marks[CONCERNED, node] = True
    marks[SETTLED, 0] = False
    # 1. A DAG with these edges and no further v-structure.
    if not extend_to_dag(graph):
        return False
    # 2. The directions that all such DAGs share.
    if orienting:
        return _keep_known(graph.edges, constraints.parents)
    _label_edges(graph, before)
    marks[SETTLED, 0] = True
    return True
