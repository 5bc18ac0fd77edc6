"""Moves of single variables within an order, in compiled code.

An order stands for a graph: every variable has the parents that its grow-shrink tree finds among
those before it. A variable that moves past another changes the other's parents only if the other's
walk through its tree looked at it; so the best of all places is found by a few walks.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.kernels import kernel
from eiderdown.structure.order.grow_shrink_trees import Trees  # noqa: F401  in signatures

_MOST_REQUESTS = 1_024
_LOOKED, _HELD = np.uint8(1), np.uint8(2)
_OTHERS, _OWN = 0, 1  # rows of Order.looked


class Order(NamedTuple):
    """An order on the move.

    Attributes
    ----------
    order, position : IntArray
        The variables in order, and where each one stands.
    queue : IntArray
        The variables in the order in which they are moved.
    chance : FloatArray
        Of places that are equally good, the one with the largest number is taken; where all are the
        same, a variable stays unless it gains.
    leaf : IntArray
        The tree node with each variable's parents; -1 if not known yet.
    relation : uint8 array
        Whether y's walk looked at x (1), and whether x and y may not change places (2); at [x, y].
    looked, stamp : IntArray
        What the last walks looked at; a walk's number.
    requests, n_requests : IntArray
        What walks missed, as in ``GrowShrinkTrees.fill``.
    n_moves : IntArray
        How many moves were made.
    """

    order: Annotated[IntArray, "int64[::1]"]
    position: Annotated[IntArray, "int64[::1]"]
    queue: Annotated[IntArray, "int64[::1]"]
    chance: Annotated[FloatArray, "float64[::1]"]
    leaf: Annotated[IntArray, "int64[::1]"]
    relation: Annotated[NDArray[np.uint8], "uint8[:, ::1]"]
    looked: Annotated[IntArray, "int64[:, ::1]"]
    stamp: Annotated[IntArray, "int64[::1]"]
    requests: Annotated[IntArray, "int64[::1]"]
    n_requests: Annotated[IntArray, "int64[::1]"]
    n_moves: Annotated[IntArray, "int64[::1]"]

    @classmethod
    def of(cls, order: IntArray, required: list[tuple[int, int]]) -> Order:
        """Make an order ready; the ends of required edges keep their order."""
        n = len(order)
        relation = np.zeros((n, n), dtype=np.uint8)
        for parent, child in required:
            relation[parent, child] = relation[child, parent] = _HELD
        return cls(
            order=order.astype(np.int64),
            position=np.argsort(order).astype(np.int64),
            queue=order.astype(np.int64),
            chance=np.zeros(n),
            leaf=np.full(n, -1, dtype=np.int64),
            relation=relation,
            looked=np.zeros((2, n), dtype=np.int64),
            stamp=np.zeros(1, dtype=np.int64),
            requests=np.zeros(_MOST_REQUESTS, dtype=np.int64),
            n_requests=np.zeros(1, dtype=np.int64),
            n_moves=np.zeros(1, dtype=np.int64),
        )


class Place(NamedTuple):
    """Where to move a variable, and what the score gains."""

    position: int
    gain: float


@kernel("int64(Order, int64)", inner=True)
def _missed(order, request):
    if order.n_requests[0] < order.requests.shape[0]:
        order.requests[order.n_requests[0]] = request
        order.n_requests[0] += 1
    return -1


@kernel("int64(Trees, Order, int64, int64, int64, int64, int64)", inner=True)
def _walk(trees, order, variable, limit, plus, minus, row):
    """Return the tree node with a variable's parents, or -1 if it is missing.

    The parents are chosen from what stands before ``limit``, with one variable more or less. What
    was looked at is written down in a row of ``looked``.
    """
    order.stamp[0] += 1
    stamp, node, grows = order.stamp[0], variable, True
    while grows:
        grows = False
        for k in range(trees.first[node], trees.end[node]):
            x = trees.variable[k]
            order.looked[row, x] = stamp
            if x == plus or (x != minus and order.position[x] < limit):
                node, grows = np.int64(trees.leads_to[k]), True
                if node < 0:
                    return _missed(order, k)
                break
    if np.isnan(trees.score[node]):
        return _missed(order, -1 - node)
    # A remembered family, if it is better and all of it may be had.
    known = trees.best[variable]
    while known >= 0 and trees.score[known] > trees.score[node]:
        k = trees.first_parent[known]
        x = trees.parent[k]
        while x >= 0 and (x == plus or (x != minus and order.position[x] < limit)):
            k += 1
            x = trees.parent[k]
        if x < 0:
            for j in range(trees.first_parent[known], k):
                order.looked[row, trees.parent[j]] = stamp
            return known
        order.looked[row, x] = stamp
        known = trees.next_best[known]
    return node


@kernel("void(Trees, Order, int64)", inner=True)
def _set_leaf(trees, order, y):
    """Walk for a variable where it stands now."""
    order.leaf[y] = _walk(trees, order, y, order.position[y], -1, -1, _OTHERS)
    stamp = order.stamp[0]
    for x in range(order.order.shape[0]):
        held = order.relation[x, y] & _HELD
        order.relation[x, y] = held | _LOOKED if order.looked[_OTHERS, x] == stamp else held


@kernel("void(Trees, Order)")
def set_leaves(trees, order):
    """Walk for all variables where they stand now."""
    for y in range(order.order.shape[0]):
        _set_leaf(trees, order, y)


@kernel("Place(Trees, Order, int64, int64, float64, Place)", inner=True)
def _best_on_side(trees, order, x, step, tolerance, best):
    """Return the better of a place and all those to the left (step -1) or right (1) of x."""
    here, n = order.position[x], order.order.shape[0]
    before = trees.score[order.leaf[x]]
    own, others = before, 0.0
    _walk(trees, order, x, here, -1, -1, _OWN)
    stamp, i = order.stamp[0], here + step
    while 0 <= i < n:
        y = order.order[i]
        relation = order.relation[x, y]
        if relation & _HELD:
            break
        if relation & _LOOKED:
            plus, minus = (x, -1) if step < 0 else (-1, x)
            node = _walk(trees, order, y, i, plus, minus, _OTHERS)
            others += trees.score[node] - trees.score[order.leaf[y]] if node >= 0 else 0.0
        if order.looked[_OWN, y] == stamp:
            node = _walk(trees, order, x, i if step < 0 else i + 1, -1, -1, _OWN)
            stamp = order.stamp[0]
            own = trees.score[node] if node >= 0 else before
        gain = others + own - before
        is_tie = abs(gain - best.gain) <= tolerance
        if order.chance[i] > order.chance[best.position] if is_tie else gain > best.gain:
            best = Place(i, gain)
        i += step
    return best


@kernel("void(Trees, Order, int64, int64)", inner=True)
def _move(trees, order, x, to):
    """Move a variable, and walk again for all whose parents it may change."""
    here = order.position[x]
    step = 1 if to > here else -1
    for i in range(here, to, step):
        order.order[i] = order.order[i + step]
        order.position[order.order[i]] = i
    order.order[to] = x
    order.position[x] = to
    for i in range(here, to, step):
        y = order.order[i]
        if order.relation[x, y] & _LOOKED:
            _set_leaf(trees, order, y)
    _set_leaf(trees, order, x)
    order.n_moves[0] += 1


@kernel("int64(Trees, Order, int64, float64)")
def best_moves(trees, order, at, tolerance):
    """Move the variables of the queue, from one on, each to its best place.

    Return where in the queue a tree node was missing, or the queue's length.
    """
    while at < order.queue.shape[0]:
        x = order.queue[at]
        best = Place(order.position[x], 0.0)
        best = _best_on_side(trees, order, x, -1, tolerance, best)
        best = _best_on_side(trees, order, x, 1, tolerance, best)
        if order.n_requests[0] > 0:
            return at
        if best.position != order.position[x]:
            _move(trees, order, x, best.position)
        at += 1
    return at
