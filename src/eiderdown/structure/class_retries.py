"""Ways out of a local optimum: undo something, climb again, and keep what scores higher."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eiderdown.structure.class_walk import ClassWalk, Ranks


def retry_without_deletes(walk: ClassWalk, rank: Ranks) -> bool:
    """Delete each edge in turn, in every way, forbid it, and climb, until that leads nowhere.

    After A. Nazaret and D. Blei, "Extremely greedy equivalence search" (UAI 2024): an edge that
    came too early bars the way to better classes, and its loss is made up for later.
    """
    start, improved = walk.score, True
    while improved:
        improved = False
        deletes, best = walk.deletes(), walk.saved()
        for i in range(int(deletes.n[0])):
            if walk.force(deletes, i):
                walk.climb(rank)
                walk.allow_all()
                if walk.score > best[1] + walk.ground.hair:
                    walk.climb(rank)
                    improved = True
                    break
                walk.return_to(best)
    return walk.score > start


def retry_around_edges(walk: ClassWalk, rank: Ranks, *, k: float) -> bool:
    """Take away all edges at both ends of each edge in turn, and climb, first with chance.

    Parameters
    ----------
    walk : ClassWalk
        The walk, at a local optimum.
    rank : tuple of (int, int, int)
        How to climb in the end.
    k : float
        How greedy the climb is at first, as in KES.
    """
    start = walk.score
    edges = [
        edge for node in range(walk.n_nodes) for edge in walk.edges_at(node) if edge[1] == node
    ]
    for a, b in walk.generator.permutation(edges).tolist():
        best = walk.saved()
        walk.remove([*walk.edges_at(a), *walk.edges_at(b)])
        walk.climb((0, 0, 0), k=k)
        walk.climb(rank)
        if walk.score <= best[1] + walk.ground.hair:
            walk.return_to(best)
    return walk.score > start
