"""Step after step from class to class, as far as the gains at hand allow, in one compiled call."""

from __future__ import annotations

import numpy as np

from eiderdown.kernels import kernel
from eiderdown.structure.equivalence.choosing import (
    best_of_some,
    best_valid,
    choose_by,
    skip,
    skip_none,
)
from eiderdown.structure.equivalence.completion import complete_cpdag, concern_around
from eiderdown.structure.equivalence.cpdag import (  # noqa: F401  named in signatures
    ADJACENT,
    CHANGED,
    CHILDREN,
    CPDAG,
    DAG_PARENTS,
    NEIGHBOURS,
    PARENTS,
    REQUIRED,
    add_edge,
    clear_bit,
    copy_changed,
    has_bit,
    intersects,
    next_bit,
    remove_edge,
    replace_all,
    set_bit,
    unsettle,
)
from eiderdown.structure.equivalence.gain_memory import gain_of
from eiderdown.structure.equivalence.listing import (
    ALL_LISTED,
    Workspace,
    list_operators,
)
from eiderdown.structure.equivalence.operators import (  # noqa: F401  named in signatures
    BARRED,
    BEST,
    BLOCKED,
    COUNT,
    FIRST,
    LOST,
    N_BARRED,
    REACHED,
    TURN,
    UNKNOWN,
    WORK,
    Operators,
    X,
    Y,
    apply_operator,
)

NONE_LEFT, OUT_OF_CHANCES = 3, 4
"""What ends :func:`advance`, beside what ends the listing of operators."""

_FEW_NODES = 64
_NONE = np.uint64(0)


@kernel(
    "void(Operators, int64, uint64[:, :, ::1], Tuple((int64[:, ::1], int64)))",
    inner=True,
)
def _unbar_at(operators, y, sets, listed):
    """Let operators at Y be asked again about paths that hold a node of a set, listed, too."""
    nodes, n_nodes = listed
    first = operators.by_node[FIRST, y]
    for i in range(first, first + operators.by_node[COUNT, y]):
        if not operators.move[i, BARRED]:
            continue
        is_free = False
        if n_nodes > sets.shape[2]:
            is_free = intersects(operators.path, 0, i, sets, WORK, REACHED)
        else:
            for at in range(n_nodes):
                is_free |= has_bit(operators.path, 0, i, nodes[1, at])
        if is_free:
            operators.move[i, BARRED] = 0
            operators.by_node[N_BARRED, y] -= 1


@kernel("void(Workspace, uint64[:, :, ::1])", inner=True)
def _unbar(space, before):
    """Let operators be asked again about paths if an edge on the path that barred them changed."""
    edges, operators, sets, moved = space.graph.edges, space.operators, space.sets, REACHED
    listed, n_moved = space.graph.sinks_first, 0  # in the row to write on
    for w in range(edges.shape[2]):
        sets[WORK, moved, w] = _NONE
    for node in range(edges.shape[1]):
        if not space.graph.marks[CHANGED, node]:
            continue
        changed = _NONE
        for w in range(edges.shape[2]):
            changed |= edges[CHILDREN, node, w] ^ before[CHILDREN, node, w]
            changed |= edges[NEIGHBOURS, node, w] ^ before[NEIGHBOURS, node, w]
        if changed != _NONE:
            set_bit(sets, WORK, moved, node)
            listed[1, n_moved] = node
            n_moved += 1
    for y in range(edges.shape[1]):
        n_barred = operators.by_node[N_BARRED, y]
        if n_barred > 0:
            _unbar_at(operators, y, sets, (listed, n_moved))
            if operators.by_node[N_BARRED, y] < n_barred:
                operators.by_node[BEST, y] = UNKNOWN


@kernel("void(Workspace, uint64[:, :, ::1], boolean)", inner=True)
def _mark_outdated(space, before, turning):
    """Mark the nodes whose operators a change of the graph may have changed.

    They depend on Pa(Y), Ne(Y), and what Ne(Y) is adjacent to.
    """
    edges, outdated, sets = space.graph.edges, space.outdated, space.sets
    for node in range(edges.shape[1]):
        if not space.graph.marks[CHANGED, node]:
            continue
        moved = changed = _NONE
        for w in range(edges.shape[2]):
            moved |= edges[ADJACENT, node, w] ^ before[ADJACENT, node, w]
            changed |= edges[PARENTS, node, w] ^ before[PARENTS, node, w]
            changed |= edges[NEIGHBOURS, node, w] ^ before[NEIGHBOURS, node, w]
        outdated[node] |= (moved | changed) != _NONE
        if moved != _NONE:
            _mark_joined(edges, NEIGHBOURS, node, outdated)
    _unbar(space, before)
    if turning:
        # A Turn at a node also depends on parents and neighbours of those it is adjacent to.
        for w in range(edges.shape[2]):
            sets[WORK, BLOCKED, w] = _NONE
        for node in range(edges.shape[1]):
            if outdated[node]:
                set_bit(sets, WORK, BLOCKED, node)
        node = next_bit(sets, WORK, BLOCKED, -1)
        while node >= 0:
            _mark_joined(edges, ADJACENT, node, outdated)
            node = next_bit(sets, WORK, BLOCKED, node)


@kernel("void(uint64[:, :, ::1], int64, int64, boolean[::1])", inner=True)
def _mark_joined(edges, plane, node, outdated):
    """Mark all nodes of a set."""
    other = next_bit(edges, plane, node, -1)
    while other >= 0:
        outdated[other] = True
        other = next_bit(edges, plane, node, other)


@kernel("boolean(Workspace, uint64[:, :, ::1], Operators, int64)", inner=True)
def _lead_to_class(space, backup, operators, i):
    """Go to the class that an operator leads to, and stay if constraints make it impossible."""
    graph = space.graph
    concern_around(graph, backup, operators.move[i, X])
    concern_around(graph, backup, operators.move[i, Y])
    apply_operator(graph.edges, operators, i)
    if complete_cpdag(graph, space.constraints, backup):
        return True
    replace_all(graph, backup)
    return False


def has_few_nodes(space: Workspace, *_others: object) -> bool:
    """Whether Python goes through a graph within milliseconds."""
    return len(space.outdated) <= _FEW_NODES


@kernel(
    "Tuple((int64, int64, int64, float64))"
    "(Workspace, uint64[:, :, ::1], const(int64[::1]), none, const(float64[::1]))",
    "Tuple((int64, int64, int64, float64))"
    "(Workspace, uint64[:, :, ::1], const(int64[::1]), float64, const(float64[::1]))",
    small=has_few_nodes,
)
def advance(space, backup, priority, k, chances):
    """Apply operators until none is left, gains are missing, or the chances are used up.

    ``priority`` says by kind which operators are applied before others; those with -1 are not
    applied at all. With k = 1 the best is applied, else the best of a random share. Without k it is
    the best and never a Turn: what GES needs, compiled sooner. ``backup`` are edges to write on.

    Returns
    -------
    tuple of (int, int, int, float)
        Why it ended; how many operators were applied (each uses up one chance), and the last of
        them; and what they gained.
    """
    operators, sets = space.operators, space.sets
    n_chosen = 1
    if k is not None:  # noqa: SIM102  Numba leaves out what None rules out
        if k < 1.0:
            n_chosen = operators.gain.shape[0]
    heap = np.empty(n_chosen, dtype=np.int64)
    gained, last, any_skipped = 0.0, -1, space.constraints.orienting  # by a call before
    choose_by(operators, priority)
    for n_steps in range(chances.shape[0]):
        # 1. The operators at this class that gain.
        state = list_operators(space, priority, k)
        if state != ALL_LISTED:
            return state, n_steps, last, gained
        if any_skipped:
            skip_none(operators)
        any_skipped = False
        copy_changed(space.graph, backup)
        while True:
            # 2. The one to apply.
            if k is None:
                i = best_valid(space.graph, operators, sets, heap, priority, None)
            elif k >= 1.0:
                i = best_valid(space.graph, operators, sets, heap, priority, k)
            else:
                i = best_of_some(space.graph, operators, sets, heap, k, chances[n_steps])
            if i < 0:
                return NONE_LEFT, n_steps, last, gained
            # 3. The class that it leads to; only constraints can make that impossible.
            if _lead_to_class(space, backup, operators, i):
                break
            skip(operators, i)
            any_skipped = True
        _mark_outdated(space, backup, priority[TURN] >= 0)
        gained += operators.gain[i]
        last = i
    return OUT_OF_CHANCES, chances.shape[0], last, gained


@kernel("int64(Workspace, const(int64[::1]))")
def list_all(space, priority):
    """List operators as :func:`advance` does, and apply none."""
    return list_operators(space, priority, 1.0)


@kernel("boolean(Workspace, uint64[:, :, ::1], Operators, int64)", small=has_few_nodes)
def force(space, backup, operators, i):
    """Apply one operator, whatever it gains; False if it is impossible."""
    copy_changed(space.graph, backup)
    if not _lead_to_class(space, backup, operators, i):
        return False
    _mark_outdated(space, backup, True)
    return True


@kernel("void(Workspace, uint64[:, :, ::1], uint64[:, :, ::1])")
def replace_edges(space, backup, goal):
    """Go to another class."""
    copy_changed(space.graph, backup)
    replace_all(space.graph, goal)
    _mark_outdated(space, backup, True)


@kernel("boolean(Workspace, const(int64[:, ::1]))", small=has_few_nodes)
def add_edges(space, added):
    """Add edges, rows of ``added``, to a graph without any; False if no class has them."""
    for i in range(added.shape[0]):
        add_edge(space.graph.edges, added[i, 0], added[i, 1])
    unsettle(space.graph)
    return complete_cpdag(space.graph, space.constraints, space.graph.edges)


@kernel("int64(Workspace, int64, int64, int64[:, ::1])", inner=True)
def _find_edges_at(space, a, b, found):
    """List the edges at two nodes in a DAG of the class, parent first, but for required ones."""
    edges, n = space.graph.edges, 0
    for node in (a, b):
        other = next_bit(edges, ADJACENT, node, -1)
        while other >= 0:
            leads_here = has_bit(edges, DAG_PARENTS, node, other)
            parent, child = (other, node) if leads_here else (node, other)
            is_required = has_bit(space.constraints.parents, REQUIRED, child, parent)
            if not is_required and not (node == b and other == a):
                found[n, 0], found[n, 1] = parent, child
                n += 1
            other = next_bit(edges, ADJACENT, node, other)
    return n


@kernel("float64(Workspace, int64[:, ::1], int64)", inner=True)
def _gained_by(space, gone, n):
    """Return what the DAG of the class gains by some edges; NaN, and requests, if it is missing."""
    edges, sets, gained = space.graph.edges, space.sets, 0.0
    space.requests.n[0] = 0
    for i in range(n):
        child = gone[i, 1]
        for w in range(edges.shape[2]):
            sets[WORK, LOST, w] = edges[DAG_PARENTS, child, w]
        for j in range(i, n):  # those before are beside it
            if gone[j, 1] == child:
                clear_bit(sets, WORK, LOST, gone[j, 0])
        gained += gain_of(space.memory, space.requests, child, sets, LOST, gone[i, 0])
    return gained


@kernel("float64(Workspace, uint64[:, :, ::1], int64, int64)")
def remove_edges_at(space, backup, a, b):
    """Take the edges at two nodes out of a DAG of the class, and complete what is left.

    Returns what that gains; NaN, and requests, if gains are missing. Required edges stay.
    """
    edges = space.graph.edges
    gone = np.empty((2 * edges.shape[1], 2), np.int64)
    n = _find_edges_at(space, a, b, gone)
    gained = _gained_by(space, gone, n)
    if np.isnan(gained):
        return gained
    copy_changed(space.graph, backup)
    for child in range(edges.shape[1]):
        for w in range(edges.shape[2]):
            edges[PARENTS, child, w] = edges[DAG_PARENTS, child, w]
            edges[CHILDREN, child, w] = _NONE
            edges[NEIGHBOURS, child, w] = _NONE
    for child in range(edges.shape[1]):
        parent = next_bit(edges, PARENTS, child, -1)
        while parent >= 0:
            set_bit(edges, CHILDREN, parent, child)
            parent = next_bit(edges, PARENTS, child, parent)
    for i in range(n):
        remove_edge(edges, gone[i, 0], gone[i, 1])
    unsettle(space.graph)
    complete_cpdag(space.graph, space.constraints, backup)
    _mark_outdated(space, backup, True)
    return -gained
