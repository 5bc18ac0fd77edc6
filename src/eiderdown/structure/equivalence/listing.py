"""Every operator at a class that gains, listed; only nodes that the last change concerns anew."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from eiderdown.arrays import BoolArray
from eiderdown.kernels import kernel
from eiderdown.structure.equivalence.cpdag import (
    ADJACENT,
    ALLOWED,
    CPDAG,
    NEIGHBOURS,
    PARENTS,
    REQUIRED,
    BitSets,
    Constraints,
    clear_bit,
    empty_cpdag,
    empty_sets,
    has_bit,
    next_bit,
    set_bit,
    size,
)
from eiderdown.structure.equivalence.gain_memory import (
    FALLING,
    MOST_REQUESTS,
    RISING,
    GainMemory,
    Requests,
    gain_of,
    hash_of_family,
    request,
    row_of_hash,
    stored_gain,
)
from eiderdown.structure.equivalence.operators import (
    ABLE,
    BARRED,
    BASE,
    BEST,
    CANDIDATES,
    CLIQUES,
    COUNT,
    DELETE,
    FIRST,
    INSERT,
    KIND,
    LOST,
    N_BARRED,
    N_WORK,
    NOBODY,
    SKIPPED,
    TURN,
    UNKNOWN,
    WORK,
    Operators,
    X,
    Y,
    find_insertable,
    is_delete_valid,
    is_turnable,
)

ALL_LISTED, GAINS_MISSING, LIST_FULL = 0, 1, 2
"""What ends the listing of operators."""

_FIRST_EACH, _MOST_FIRST = 48, 1 << 16  # room for operators by node, and altogether, at first
_IN_GAPS = 8  # a list grows when this share of it, or less, is gaps
_NONE = np.uint64(0)


class Workspace(NamedTuple):
    """The class that a search is at, the operators there, and what is written on."""

    graph: CPDAG
    constraints: Constraints
    memory: GainMemory
    operators: Operators
    requests: Requests  # gains that are missing to list the other operators
    sets: BitSets  # (4, rows, words): sets in the making
    outdated: Annotated[BoolArray, "boolean[::1]"]  # nodes whose operators are to be listed again

    @classmethod
    def at_empty_graph(
        cls, constraints: Constraints, memory: GainMemory, most_requests: int = MOST_REQUESTS
    ) -> Workspace:
        """Begin at the class without edges, with nothing listed."""
        n = constraints.parents.shape[1]
        return cls(
            empty_cpdag(n),
            constraints,
            memory,
            Operators.none(n, min(max(1_024, _FIRST_EACH * n), _MOST_FIRST)),
            Requests.none(n, most_requests),
            empty_sets(4, max(n + 1, N_WORK), n),
            np.ones(n, dtype=np.bool_),
        )


@kernel("void(Operators, float64, int64, int64, int64, uint64[:, :, ::1], int64)", inner=True)
def _add(operators, gain, kind, x, y, sets, depth):
    """Note an operator; beyond the capacity it is only counted, for the caller to see."""
    at = operators.n[0]
    if at < operators.gain.shape[0]:
        operators.gain[at] = gain
        operators.move[at, KIND] = kind
        operators.move[at, X] = x
        operators.move[at, Y] = y
        operators.move[at, BARRED] = 0
        operators.move[at, SKIPPED] = 0
        for w in range(sets.shape[2]):
            operators.clique[0, at, w] = sets[CLIQUES, depth, w]
    operators.n[0] = at + 1


@kernel("boolean(uint64[:, :, ::1], int64, uint64[:, :, ::1])", inner=True)
def _keep_rising(marks, row, sets):
    """Keep in ABLE those X that add to the score, or may; False if what some add is missing."""
    missing = _NONE
    for w in range(sets.shape[2]):
        able = sets[WORK, ABLE, w] & ~marks[FALLING, row, w]
        missing |= able & ~marks[RISING, row, w]
        sets[WORK, ABLE, w] = able
    return missing == _NONE


@kernel("void(Workspace, int64, int64)", inner=True)
def _list_inserts(space, y, depth):
    """List Insert(X, Y, T) with NA(Y, X) | T = C, the clique at this depth."""
    edges, known, sets = space.graph.edges, space.constraints.parents, space.sets
    find_insertable(edges, known, y, sets, depth)
    x = next_bit(sets, WORK, ABLE, -1)
    if x < 0:
        return
    memory, operators = space.memory, space.operators
    row = row_of_hash(memory.slots, hash_of_family(memory, y, sets, BASE))
    if row < 0 or not _keep_rising(memory.marks, row, sets):
        request(space.requests, y, sets, (BASE, ABLE), -1)
        return
    x = next_bit(sets, WORK, ABLE, -1)
    while x >= 0:
        gain = stored_gain(memory, row, x)
        if np.isnan(gain):
            request(space.requests, y, sets, (BASE, ABLE), -1)
            return
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
            and is_delete_valid(edges, x, sets, depth)
        ):
            for w in range(sets.shape[2]):
                sets[WORK, LOST, w] = sets[WORK, BASE, w]
            clear_bit(sets, WORK, LOST, x)
            gain = -gain_of(space.memory, space.requests, y, sets, LOST, x)
            if gain > space.memory.tolerance:
                _add(space.operators, gain, DELETE, x, y, sets, depth)
        x = next_bit(edges, ADJACENT, y, x)


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
            and is_turnable(edges, x, y, sets, depth)
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
    """Leave gaps where the operators at some nodes were listed."""
    for y in range(outdated.shape[0]):
        if outdated[y]:
            operators.by_node[COUNT, y] = operators.by_node[N_BARRED, y] = 0
            operators.by_node[BEST, y] = NOBODY


@kernel("void(Operators, int64, int64)", inner=True)
def _move(operators, i, at):
    """Put operator i at another place in the list."""
    operators.gain[at] = operators.gain[i]
    for column in range(operators.move.shape[1]):
        operators.move[at, column] = operators.move[i, column]
    for w in range(operators.clique.shape[2]):
        operators.clique[0, at, w] = operators.clique[0, i, w]
        if operators.move[i, BARRED]:
            operators.path[0, at, w] = operators.path[0, i, w]


@kernel("boolean(Operators)", inner=True)
def _close_gaps(operators):
    """Move operators into the gaps; False if there was not much room in them."""
    by_node, n, kept, i = operators.by_node, operators.n[0], 0, 0
    while i < n:
        y = operators.move[i, Y]
        if by_node[FIRST, y] != i or by_node[COUNT, y] == 0:
            i += 1
            continue
        by_node[FIRST, y] = kept
        if by_node[BEST, y] >= 0:
            by_node[BEST, y] += kept - i
        end = i + by_node[COUNT, y]
        while i < end:
            if kept < i:
                _move(operators, i, kept)
            kept += 1
            i += 1
    operators.n[0] = kept
    return kept < n and _IN_GAPS * (n - kept) >= operators.gain.shape[0]


@kernel(
    "int64(Workspace, const(int64[::1]), none)",
    "int64(Workspace, const(int64[::1]), float64)",
    inner=True,
)
def list_operators(space, priority, k):
    """List the operators at the nodes where the last change made them outdated, and only there.

    Nodes whose gains are missing stay outdated, and the gains are requested. Kinds of operators
    whose priority is -1 are not listed; without k, Turns never are.
    """
    operators, requests, outdated = space.operators, space.requests, space.outdated
    _forget_outdated(operators, outdated)
    requests.n[0] = y = 0
    while y < outdated.shape[0]:
        if not outdated[y]:
            y += 1
            continue
        first, n_requests = operators.n[0], requests.n[0]
        if n_requests == requests.family.shape[0]:
            return GAINS_MISSING
        _list_at(space, y, priority, k)
        end = operators.n[0]
        if requests.n[0] > n_requests:
            operators.n[0] = first
        elif end > operators.gain.shape[0]:
            operators.n[0] = first
            if not _close_gaps(operators):
                return LIST_FULL
            continue
        else:
            operators.by_node[FIRST, y], operators.by_node[COUNT, y] = first, end - first
            operators.by_node[BEST, y] = UNKNOWN
            outdated[y] = False
        y += 1
    return GAINS_MISSING if requests.n[0] > 0 else ALL_LISTED
