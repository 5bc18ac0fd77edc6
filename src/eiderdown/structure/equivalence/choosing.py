"""Which of the operators that are listed is to be applied: the best valid one, or one by chance.

By node, the list says which of its operators comes first. That is looked for again only where
operators were listed, barred or freed since, so that of thousands of operators few are looked at.
"""

from __future__ import annotations

from eiderdown.kernels import kernel
from eiderdown.structure.equivalence.cpdag import CPDAG  # noqa: F401  named in signatures
from eiderdown.structure.equivalence.operators import (
    BARRED,
    BEST,
    COUNT,
    FIRST,
    KIND,
    LEVEL,
    NOBODY,
    SKIPPED,
    UNKNOWN,
    Operators,  # noqa: F401  named in signatures
    X,
    Y,
    drop_mirrors,
    keep_valid,
)


@kernel("void(Operators, const(int64[::1]))", inner=True)
def choose_by(operators, priority):
    """Let a priority say which operators are applied before others."""
    is_new = False
    for kind in range(priority.shape[0]):
        is_new |= operators.n[1 + kind] != priority[kind]
        operators.n[1 + kind] = priority[kind]
    if is_new:
        for y in range(operators.by_node.shape[1]):
            operators.by_node[BEST, y] = UNKNOWN


@kernel("void(Operators, int64)", inner=True)
def skip(operators, i):
    """Leave an operator out until the graph has changed."""
    operators.move[i, SKIPPED] = 1
    operators.by_node[BEST, operators.move[i, Y]] = UNKNOWN


@kernel("void(Operators)", inner=True)
def skip_none(operators):
    """Let all operators count again."""
    for i in range(operators.n[0]):
        if operators.move[i, SKIPPED]:
            operators.move[i, SKIPPED] = 0
            operators.by_node[BEST, operators.move[i, Y]] = UNKNOWN


@kernel("boolean(Operators, int64, int64)", inner=True)
def _comes_first(operators, i, j):
    """Order operators by gain, equal ones by nodes: the order of listing does not matter."""
    move, clique = operators.move, operators.clique
    if operators.gain[i] != operators.gain[j]:
        return operators.gain[i] > operators.gain[j]
    if move[i, KIND] != move[j, KIND]:
        return move[i, KIND] < move[j, KIND]
    if move[i, Y] != move[j, Y]:
        return move[i, Y] < move[j, Y]
    if move[i, X] != move[j, X]:
        return move[i, X] < move[j, X]
    for w in range(clique.shape[2]):
        if clique[0, i, w] != clique[0, j, w]:
            return clique[0, i, w] < clique[0, j, w]
    return False


@kernel("void(Operators, int64[::1], int64, int64)", inner=True)
def _sift_down(operators, heap, at, n):
    """Let an operator sink to its place in a heap of n, the best on top."""
    item = heap[at]
    while 2 * at + 1 < n:
        below = 2 * at + 1
        if below + 1 < n and _comes_first(operators, heap[below + 1], heap[below]):
            below += 1
        if not _comes_first(operators, heap[below], item):
            break
        heap[at] = heap[below]
        at = below
    heap[at] = item


@kernel("void(Operators, int64[::1], int64)", inner=True)
def _make_heap(operators, heap, n):
    for at in range(n // 2 - 1, -1, -1):
        _sift_down(operators, heap, at, n)


@kernel("int64(int64, float64, float64)", inner=True)
def _drawn_rank(n, k, chance):
    """Return the rank of the best of a random subset of max(1, n k) out of n operators.

    The best of all is in the subset with probability m / n, the next with m / (n - 1) if the best
    is not, and so on: one random number is enough.
    """
    m = max(1, int(n * k))
    rank, surely = 0, 1.0
    while rank < n - m:
        missed = surely * (n - m - rank) / (n - rank)
        if chance >= missed:
            return rank
        surely = missed
        rank += 1
    return rank


@kernel("void(Operators, const(int64[::1]), int64)", inner=True)
def _look_at(operators, priority, y):
    """Note which operator at Y is to be applied first that is not known to be invalid, or none."""
    best, move, first = NOBODY, operators.move, operators.by_node[FIRST, y]
    for i in range(first, first + operators.by_node[COUNT, y]):
        level = priority[move[i, KIND]]
        if move[i, SKIPPED] or move[i, BARRED] or level < 0:
            continue
        further = 0 if best < 0 else level - priority[move[best, KIND]]
        if best < 0 or further < 0 or (further == 0 and _comes_first(operators, i, best)):
            best = i
    operators.by_node[BEST, y] = best
    if best >= 0:
        operators.by_node[LEVEL, y] = priority[move[best, KIND]]
        operators.best_gain[y] = operators.gain[best]


@kernel("boolean(Operators, int64, int64)", inner=True)
def _node_comes_first(operators, x, y):
    """Whether the first operator at X is to be applied before the first one at Y."""
    by_node, gain = operators.by_node, operators.best_gain
    if by_node[LEVEL, x] != by_node[LEVEL, y]:
        return by_node[LEVEL, x] < by_node[LEVEL, y]
    if gain[x] != gain[y]:
        return gain[x] > gain[y]
    return _comes_first(operators, by_node[BEST, x], by_node[BEST, y])


@kernel("int64(Operators, const(int64[::1]))", inner=True)
def _best(operators, priority):
    """Return the operator to be applied first that is not known to be invalid, or none."""
    best, by_node = NOBODY, operators.by_node
    for y in range(by_node.shape[1]):
        if by_node[BEST, y] == UNKNOWN:
            _look_at(operators, priority, y)
        if by_node[BEST, y] >= 0 and (best < 0 or _node_comes_first(operators, y, best)):
            best = y
    return best if best < 0 else by_node[BEST, best]


@kernel(
    "int64(CPDAG, Operators, uint64[:, :, ::1], int64[::1], const(int64[::1]), none)",
    "int64(CPDAG, Operators, uint64[:, :, ::1], int64[::1], const(int64[::1]), float64)",
    inner=True,
)
def best_valid(graph, operators, sets, chosen, priority, k):
    """Return the best valid operator of the kind that comes first; -1 if there is none."""
    while True:
        chosen[0] = _best(operators, priority)
        if chosen[0] < 0 or keep_valid(graph, operators, sets, chosen, 1, k) == 1:
            return chosen[0]


@kernel(
    "int64(CPDAG, Operators, uint64[:, :, ::1], int64[::1], float64, float64)",
    inner=True,
)
def best_of_some(graph, operators, sets, heap, k, chance):
    """Return the best of a random share k of the valid operators; -1 if there is none."""
    n, by_node = 0, operators.by_node
    for y in range(by_node.shape[1]):
        for i in range(by_node[FIRST, y], by_node[FIRST, y] + by_node[COUNT, y]):
            if operators.move[i, SKIPPED] == 0:
                heap[n] = i
                n += 1
    # Checked as they were listed: operators with the same node and clique ask about the same paths.
    n = keep_valid(graph, operators, sets, heap, n, k)
    n = drop_mirrors(graph.edges, operators, sets, heap, n)
    if n == 0:
        return -1
    _make_heap(operators, heap, n)
    for _ in range(_drawn_rank(n, k, chance)):
        n -= 1
        heap[0] = heap[n]
        _sift_down(operators, heap, 0, n)
    return heap[0]
