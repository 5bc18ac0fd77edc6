"""d-separation in linear time, on adjacency lists of integers.

A path carries dependence when every collider on it is in ``given`` or has a descendant there, and
no other node on it is in ``given``. The search below follows such paths from ``x``. It must know
how it came to a node, because that decides whether the node is a collider on the path; so its
states are (node, arrived along an arrow or against one), each visited at most once, and one call
costs no more than a pass over the nodes and edges. This is the Bayes ball of R. D. Shachter,
"Bayes-Ball: The Rational Pastime" (UAI 1998), without its bookkeeping of requisite nodes. The
descendants of a collider need no care of their own: the ball rolls down to the one in ``given``,
turns round there, and comes back up through the collider.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from eiderdown.arrays import BoolArray
from eiderdown.graphs.traversal import AdjacencyLists


def reachable(
    parents: AdjacencyLists, children: AdjacencyLists, x: int | Iterable[int], given: Iterable[int]
) -> BoolArray:
    """Tell for every node whether it is d-connected to ``x`` given ``given``.

    Parameters
    ----------
    parents, children : sequence of sequence of int
        The two adjacency lists of one DAG.
    x : int or iterable of int
        Where the paths begin; with several, a node counts when it is d-connected to any of them.
    given : iterable of int
        The conditioning set. It must not hold a member of ``x``; that is the caller's to check.

    Returns
    -------
    ndarray of bool
        One entry per node; False for the nodes of ``x`` and of ``given`` themselves.

    Examples
    --------
    The collider 0 -> 2 <- 1 keeps 0 and 1 apart until 2 is given:

    >>> parents, children = [[], [], [0, 1]], [[2], [2], []]
    >>> reachable(parents, children, 0, []).tolist()
    [False, False, True]
    >>> reachable(parents, children, 0, [2]).tolist()
    [False, True, False]
    """
    starts = [int(x)] if isinstance(x, int | np.integer) else list(x)
    conditions = set(given)
    against = bytearray(len(parents))
    along = bytearray(len(parents))
    # Paths leave x in both directions, as if it had been entered against an arrow.
    pending = [(start, False) for start in starts]
    while pending:
        node, came_along = pending.pop()
        visited = along if came_along else against
        if visited[node]:
            continue
        visited[node] = True
        if node not in conditions:
            pending.extend((child, True) for child in children[node] if not along[child])
        if came_along == (node in conditions):
            pending.extend((parent, False) for parent in parents[node] if not against[parent])
    result = np.frombuffer(along, dtype=np.bool_) | np.frombuffer(against, dtype=np.bool_)
    result[starts] = False
    result[list(conditions)] = False
    return result
