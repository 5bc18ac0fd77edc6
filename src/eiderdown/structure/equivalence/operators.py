"""Insert, Delete and Turn: every operator at a class, listed with its gain, checked and applied.

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

import numpy as np

from eiderdown.kernels import kernel
from eiderdown.structure.equivalence.bit_sets import (
    clear_bit,
    has_bit,
    intersects,
    is_subset,
    next_bit,
    set_bit,
    size,
)
from eiderdown.structure.equivalence.cpdag import (
    ADJACENT,
    ALLOWED,
    CHILDREN,
    NEIGHBOURS,
    PARENTS,
    REQUIRED,
    add_edge,
    orient,
    remove_edge,
    semi_directed_reachable,
)
from eiderdown.structure.equivalence.gain_table import gain_of, request, row_of_family
from eiderdown.structure.equivalence.workspace import (  # noqa: F401  named in signatures
    ABLE,
    BASE,
    BLOCKED,
    CANDIDATES,
    CLIQUES,
    DELETE,
    INSERT,
    KIND,
    LOST,
    PLAIN,
    REACHED,
    SKIPPED,
    TURN,
    TURNED,
    WORK,
    Operators,
    Workspace,
    X,
    Y,
)

ALL_LISTED, GAINS_MISSING, LIST_FULL = 0, 1, 2
"""What ends the listing of operators."""

_NONE = np.uint64(0)


# --- listing -------------------------------------------------------------------------------------


@kernel("void(Operators, float64, int64, int64, int64, uint64[:, :, ::1], int64)", inner=True)
def _add(operators, gain, kind, x, y, sets, depth):
    """Note an operator; beyond the capacity it is only counted, for the caller to see."""
    at = operators.n[0]
    if at < operators.gain.shape[0]:
        operators.gain[at] = gain
        operators.move[at, KIND] = kind
        operators.move[at, X] = x
        operators.move[at, Y] = y
        for w in range(sets.shape[2]):
            operators.clique[0, at, w] = sets[CLIQUES, depth, w]
    operators.n[0] = at + 1


@kernel("void(Workspace, int64, int64)", inner=True)
def _list_inserts(space, y, depth):
    """List Insert(X, Y, T) with NA(Y, X) | T = C, the clique at this depth."""
    edges, known, sets = space.graph.edges, space.constraints.parents, space.sets
    # 1. NA(Y, X) | T is a clique. C is one, and has to hold all of NA(Y, X): X is not adjacent to
    #    any other neighbour of Y.
    for w in range(sets.shape[2]):
        sets[WORK, ABLE, w] = known[ALLOWED, y, w] & ~edges[ADJACENT, y, w]
    node = next_bit(edges, NEIGHBOURS, y, -1)
    while node >= 0:
        if not has_bit(sets, CLIQUES, depth, node):
            for w in range(sets.shape[2]):
                sets[WORK, ABLE, w] &= ~edges[ADJACENT, node, w]
        node = next_bit(edges, NEIGHBOURS, y, node)
    # 2. Every semi-directed path from Y to X has a node in NA(Y, X) | T: see keep_valid.
    x = next_bit(sets, WORK, ABLE, -1)
    if x < 0:
        return
    memory, operators = space.memory, space.operators
    row = row_of_family(memory, y, sets, BASE)
    while x >= 0:
        gain = np.nan if row < 0 else memory.gains[row, x]
        if np.isnan(gain):
            request(space.requests, y, sets, BASE, -1)
            return
        if gain > memory.tolerance:
            _add(operators, gain, INSERT, x, y, sets, depth)
        x = next_bit(sets, WORK, ABLE, x)


@kernel("void(Workspace, int64, int64)", inner=True)
def _list_deletes(space, y, depth):
    """List Delete(X, Y, H) with NA(Y, X) - H = C, the clique at this depth."""
    edges, known, sets = space.graph.edges, space.constraints.parents, space.sets
    x = next_bit(edges, ADJACENT, y, -1)
    while x >= 0:
        # X - Y is deleted at the later node, Y -> X at X, and a required edge not at all.
        if (
            (has_bit(edges, PARENTS, y, x) or (x < y and has_bit(edges, NEIGHBOURS, y, x)))
            and not has_bit(known, REQUIRED, y, x)
            # 1. NA(Y, X) - H is a clique. C is one, and has to lie within NA(Y, X).
            and not has_bit(sets, CLIQUES, depth, x)
            and is_subset(sets, CLIQUES, depth, edges, ADJACENT, x)
        ):
            for w in range(sets.shape[2]):
                sets[WORK, LOST, w] = sets[WORK, BASE, w]
            clear_bit(sets, WORK, LOST, x)
            gain = -gain_of(space.memory, space.requests, y, sets, LOST, x)
            if gain > space.memory.tolerance:
                _add(space.operators, gain, DELETE, x, y, sets, depth)
        x = next_bit(edges, ADJACENT, y, x)


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
def _is_turnable(edges, x, y, sets, depth):
    """Whether C fulfils the conditions of a Turn, but for the one about paths."""
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


@kernel("void(Workspace, int64, int64)", inner=True)
def _list_turns(space, y, depth):
    """List Turn(X, Y, C) whose clique is the one at this depth."""
    edges, known, sets = space.graph.edges, space.constraints.parents, space.sets
    x = next_bit(edges, ADJACENT, y, -1)
    while x >= 0:
        if (
            not has_bit(edges, PARENTS, y, x)
            and not has_bit(known, REQUIRED, x, y)
            and not has_bit(sets, CLIQUES, depth, x)
            and has_bit(known, ALLOWED, y, x)
            and _is_turnable(edges, x, y, sets, depth)
        ):
            undirected = has_bit(edges, NEIGHBOURS, y, x)
            for w in range(sets.shape[2]):
                sets[WORK, LOST, w] = edges[PARENTS, x, w]
                if undirected:
                    sets[WORK, LOST, w] |= sets[CLIQUES, depth, w] & edges[NEIGHBOURS, x, w]
            clear_bit(sets, WORK, LOST, y)
            gain = gain_of(space.memory, space.requests, y, sets, BASE, x)
            gain -= gain_of(space.memory, space.requests, x, sets, LOST, y)
            if gain > space.memory.tolerance:
                _add(space.operators, gain, TURN, x, y, sets, depth)
        x = next_bit(edges, ADJACENT, y, x)


@kernel("int64(uint64[:, :, ::1], uint64[:, :, ::1], int64)", inner=True)
def _next_clique(edges, sets, depth):
    """Go on to the next clique of the neighbours; return its size, or -1 after the last."""
    while depth >= 0:
        node = next_bit(sets, CANDIDATES, depth, -1)
        if node < 0:
            depth -= 1
            continue
        clear_bit(sets, CANDIDATES, depth, node)
        for w in range(sets.shape[2]):
            sets[CLIQUES, depth + 1, w] = sets[CLIQUES, depth, w]
            sets[CANDIDATES, depth + 1, w] = sets[CANDIDATES, depth, w] & edges[ADJACENT, node, w]
        set_bit(sets, CLIQUES, depth + 1, node)
        return depth + 1
    return -1


@kernel(
    "void(Workspace, int64, const(int64[::1]), none)",
    "void(Workspace, int64, const(int64[::1]), float64)",
    inner=True,
)
def _list_at(space, y, priority, k):
    """List the operators at Y: one clique of Ne(Y) after the other, the empty one first."""
    edges, sets = space.graph.edges, space.sets
    n_parents = size(edges, PARENTS, y)
    for w in range(sets.shape[2]):
        sets[CLIQUES, 0, w] = _NONE
        sets[CANDIDATES, 0, w] = edges[NEIGHBOURS, y, w]
    depth = 0
    while depth >= 0:
        for w in range(sets.shape[2]):
            sets[WORK, BASE, w] = edges[PARENTS, y, w] | sets[CLIQUES, depth, w]
        one_more = n_parents + depth < space.constraints.max_parents
        if priority[INSERT] >= 0 and one_more:
            _list_inserts(space, y, depth)
        if priority[DELETE] >= 0:
            _list_deletes(space, y, depth)
        if k is not None:  # noqa: SIM102  Numba leaves out what None rules out
            if priority[TURN] >= 0 and one_more:
                _list_turns(space, y, depth)
        depth = _next_clique(edges, sets, depth)


@kernel("void(Operators, boolean[::1])", inner=True)
def _forget_outdated(operators, outdated):
    kept = 0
    for i in range(operators.n[0]):
        if outdated[operators.move[i, Y]]:
            continue
        if kept < i:
            operators.gain[kept] = operators.gain[i]
            for column in range(SKIPPED):
                operators.move[kept, column] = operators.move[i, column]
            for w in range(operators.clique.shape[2]):
                operators.clique[0, kept, w] = operators.clique[0, i, w]
        kept += 1
    operators.n[0] = kept


@kernel("int64(Workspace, const(int64[::1]), none)", "int64(Workspace, const(int64[::1]), float64)")
def list_operators(space, priority, k):
    """List the operators at the nodes where the last change made them outdated, and only there.

    Nodes whose gains are missing stay outdated, and the gains are requested. Kinds of operators
    whose priority is -1 are not listed; without k, Turns never are.
    """
    operators, requests, outdated = space.operators, space.requests, space.outdated
    _forget_outdated(operators, outdated)
    requests.n[0] = 0
    for y in range(outdated.shape[0]):
        if not outdated[y]:
            continue
        n_before, n_requests = operators.n[0], requests.n[0]
        if n_requests == requests.family.shape[0]:
            return GAINS_MISSING
        _list_at(space, y, priority, k)
        if requests.n[0] > n_requests:
            operators.n[0] = n_before
        elif operators.n[0] > operators.gain.shape[0]:
            operators.n[0] = n_before
            return LIST_FULL
        else:
            outdated[y] = False
    return GAINS_MISSING if requests.n[0] > 0 else ALL_LISTED


# --- checking ------------------------------------------------------------------------------------


@kernel("boolean(Operators, int64, int64)", inner=True)
def _same_paths(operators, i, j):
    """Whether two Inserts have the same Y and C, so that they are about the same paths."""
    same = operators.move[i, Y] == operators.move[j, Y]
    for w in range(operators.clique.shape[2]):
        same &= operators.clique[0, i, w] == operators.clique[0, j, w]
    return same


@kernel("boolean(uint64[:, :, ::1], Operators, int64, uint64[:, :, ::1])", inner=True)
def is_turn_valid(edges, operators, i, sets):
    """Whether a listed Turn leads to a class: proposition 34, condition 3."""
    x, y = operators.move[i, X], operators.move[i, Y]
    if has_bit(edges, NEIGHBOURS, y, x):
        return True
    # 3. Every semi-directed path from Y to X but Y -> X itself has a node in C | Ne(X).
    for w in range(sets.shape[2]):
        sets[WORK, BLOCKED, w] = operators.clique[0, i, w] | edges[NEIGHBOURS, x, w]
    clear_bit(edges, CHILDREN, y, x)
    semi_directed_reachable(edges, y, sets, BLOCKED, sets, TURNED)
    set_bit(edges, CHILDREN, y, x)
    return not has_bit(sets, WORK, TURNED, x)


@kernel(
    "int64(uint64[:, :, ::1], Operators, uint64[:, :, ::1], int64[::1], int64, none)",
    "int64(uint64[:, :, ::1], Operators, uint64[:, :, ::1], int64[::1], int64, float64)",
    inner=True,
)
def keep_valid(edges, operators, sets, chosen, n, k):
    """Bring those of n listed operators to the front that lead to a class; return how many.

    A Delete always does (theorem 17). Without k there are no Turns among them.
    """
    n_valid, last = 0, -1
    for at in range(n):
        i = chosen[at]
        is_valid = True
        if operators.move[i, KIND] == INSERT:
            # Theorem 15: 2. Every semi-directed path from Y to X has a node in NA(Y, X) | T.
            if last < 0 or not _same_paths(operators, i, last):
                semi_directed_reachable(
                    edges, operators.move[i, Y], operators.clique, i, sets, REACHED
                )
                last = i
            is_valid = not has_bit(sets, WORK, REACHED, operators.move[i, X])
        if k is not None:  # noqa: SIM102
            if operators.move[i, KIND] == TURN:
                is_valid = is_turn_valid(edges, operators, i, sets)
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


# --- applying ------------------------------------------------------------------------------------


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
