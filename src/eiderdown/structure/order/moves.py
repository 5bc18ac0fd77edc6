"""Moves of single variables within an order, in compiled code.

An order stands for a graph: every variable has the parents that its grow-shrink tree finds among
those before it. A variable that moves past another changes the other's parents only if the other's
walk through its tree looked at it; so the best of all places is found by a few walks.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import FloatArray, IntArray, apart, rows_apart
from eiderdown.kernels import kernel
from eiderdown.structure.order.draws import draw_numbers, draw_permutation
from eiderdown.structure.order.tree_kernels import NONE, Trees, fill

_FEW = 16  # variables, moved in Python in less time than compiling takes
_MOST_REQUESTS = 1_024
_LOOKED, _HELD = np.uint8(1), np.uint8(2)
_OTHERS, _OWN = 0, 1  # rows of Order.looked
_HIGHEST, _N_IN_VAIN = 0, 1  # in Order.rounds

ANOTHER_ROUND, ALL_LEAVES = -2, -1
"""Where moves begin, before the first of the queue: with a queue drawn, or as it is."""


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
    requests, n_requests, n_filled : IntArray
        What walks missed, as in :func:`fill`; how many that is, and how many of it were filled.
    draws : IntArray
        Where random numbers come from; see :mod:`eiderdown.structure.order.draws`.
    rounds : FloatArray
        The highest score after a round of moves by chance, and how many rounds gained nothing.
    n_moves : IntArray
        How many moves were made. Of this and other numbers, the first in the array counts.
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
    n_filled: Annotated[IntArray, "int64[::1]"]
    draws: Annotated[IntArray, "int64[::1]"]
    rounds: Annotated[FloatArray, "float64[::1]"]
    n_moves: Annotated[IntArray, "int64[::1]"]

    @classmethod
    def of(
        cls, order: IntArray, required: list[tuple[int, int]], draws: IntArray | None = None
    ) -> Order:
        """Make an order ready; the ends of required edges keep their order."""
        n = len(order)
        relation = np.zeros((n, n), dtype=np.uint8)
        for parent, child in required:
            relation[parent, child] = relation[child, parent] = _HELD
        rows = rows_apart(11, max(n, 2))[:, :n]
        rows[:3] = order, np.argsort(order), order
        rows[3] = -1
        return cls(
            order=rows[0],
            position=rows[1],
            queue=rows[2],
            chance=rows[4].view(np.float64),
            leaf=rows[3],
            relation=apart(relation),
            looked=rows[5:7],
            stamp=rows[7],
            requests=np.zeros(_MOST_REQUESTS, dtype=np.int64),
            n_requests=rows[8],
            n_filled=rows[9],
            draws=rows_apart(1, 3)[0] if draws is None else draws,
            rounds=rows_apart(1, 2)[0].view(np.float64),
            n_moves=rows[10],
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
    if trees.first[node] == NONE:
        return _missed(order, -1 - node)
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
    for i in range(here, to + step, step):
        y = order.order[i]
        if y == x or order.relation[x, y] & _LOOKED:
            _set_leaf(trees, order, y)
    order.n_moves[0] += 1


@kernel("int64(Trees, Order, int64)", inner=True)
def _fill(trees, order, left):
    """Compute what was missing; return how much may still be, -1 if Python has to do something."""
    while order.n_filled[0] < order.n_requests[0]:
        if left == 0 or not fill(trees, order.requests[order.n_filled[0]]):
            return -1
        order.n_filled[0] += 1
        left -= 1
    order.n_filled[0] = order.n_requests[0] = 0
    return left


@kernel("boolean(Trees, Order, int64)", inner=True)
def _gains(trees, order, patience):
    """Whether a round has gained anything, or those before it that did not were few."""
    score = 0.0
    for y in range(order.leaf.shape[0]):
        score += trees.score[order.leaf[y]]
    gains = score > order.rounds[_HIGHEST] + trees.tolerance
    order.rounds[_N_IN_VAIN] = 0.0 if gains else order.rounds[_N_IN_VAIN] + 1.0
    order.rounds[_HIGHEST] = max(order.rounds[_HIGHEST], score)
    return order.rounds[_N_IN_VAIN] < patience


def _are_few(_trees: Trees, order: Order, *_others: int) -> bool:
    return len(order.order) <= _FEW


@kernel("int64(Trees, Order, int64, int64, int64, int64)", small=_are_few)
def best_moves(trees, order, at, end, patience, left):
    """Move the variables of the queue, from one to another, each to its best place.

    Before the first one (-1) find the parents of all variables where they stand. Return where in
    the queue Python has to do something before it can go on (there is no more room, the score has
    raised something, or so many tree nodes were filled that it is time to look at the clock), or
    the end.

    With patience there are rounds, each with another queue and other chances (-2), until so many
    have gained nothing.
    """
    while at < end:
        left = _fill(trees, order, left)
        if left < 0:
            return at
        if at == ANOTHER_ROUND:
            draw_numbers(order.draws, order.chance)
            draw_permutation(order.draws, order.queue)
            at += 1
        if at < 0:
            for i in range(order.order.shape[0]):  # each of two chains asks in another order
                _set_leaf(trees, order, order.order[i])
        else:
            x = order.queue[at]
            best = Place(order.position[x], 0.0)
            for step in range(-1, 2, 2):
                best = _best_on_side(trees, order, x, step, trees.tolerance, best)
            if order.n_requests[0] == 0 and best.position != order.position[x]:
                _move(trees, order, x, best.position)
        if order.n_requests[0] == 0:
            at += 1
        if at == end and patience > 0 and _gains(trees, order, patience):
            at = ANOTHER_ROUND
    return at
