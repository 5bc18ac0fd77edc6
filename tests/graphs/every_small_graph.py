"""Every DAG of a few nodes and its equivalence class, by brute force on plain sets.

Nothing here uses the package: edges are sets of (tail, head) pairs of letters.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from itertools import combinations, product

LETTERS = "ABCDE"


@cache
def every_dag(n_nodes):
    """All acyclic edge sets over the first letters."""
    pairs = list(combinations(LETTERS[:n_nodes], 2))
    choices = product(*([(), ((a, b),), ((b, a),)] for a, b in pairs))
    graphs = [frozenset(edge for choice in chosen for edge in choice) for chosen in choices]
    return [edges for edges in graphs if is_acyclic(edges)]


def is_acyclic(edges):
    left = set(edges)
    while left:
        heads = {head for _, head in left}
        remaining = {(tail, head) for tail, head in left if tail in heads}
        if len(remaining) == len(left):
            return False
        left = remaining
    return True


def skeleton_of(edges):
    return frozenset(frozenset(edge) for edge in edges)


def colliders_of(edges, adjacent=None):
    adjacent = skeleton_of(edges) if adjacent is None else adjacent
    return frozenset(
        (frozenset((a, b)), head)
        for (a, head), (b, other_head) in combinations(sorted(edges), 2)
        if head == other_head and frozenset((a, b)) not in adjacent
    )


@cache
def every_class(n_nodes):
    """The Markov equivalence classes: lists of DAGs with equal skeleton and colliders."""
    classes = defaultdict(list)
    for edges in every_dag(n_nodes):
        classes[skeleton_of(edges), colliders_of(edges)].append(edges)
    return list(classes.values())


@cache
def dags_by_skeleton(n_nodes):
    by_skeleton = defaultdict(list)
    for edges in every_dag(n_nodes):
        by_skeleton[skeleton_of(edges)].append(edges)
    return by_skeleton


def agreed(members):
    """(edges on which all members agree, the other adjacencies)."""
    directed = frozenset.intersection(*members)
    return directed, skeleton_of(members[0]) - skeleton_of(directed)
