"""Ways out of a local optimum: undo something, climb again, and keep what scores higher."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eiderdown.structure.class_walk import ClassWalk, Ranks


@contextmanager
def _attempt(walk: ClassWalk) -> Iterator[float]:
    """Return to where the walk was if it ends no higher, or if Ctrl-C ends it on the way.

    Gives the score that is to be exceeded.
    """
    best = walk.saved()
    enough = best[1] + walk.ground.hair
    try:
        yield enough
    finally:
        walk.allow_all()
        if walk.score <= enough:
            walk.return_to(best)


def retry_without_deletes(walk: ClassWalk, rank: Ranks) -> bool:
    """Delete each edge in turn, in every way, forbid it, and climb, until that leads nowhere.

    After A. Nazaret and D. Blei, "Extremely greedy equivalence search" (UAI 2024): an edge that
    came too early bars the way to better classes, and its loss is made up for later.
    """
    start, improved = walk.score, True
    while improved:
        improved = False
        deletes = walk.deletes()
        for i in range(int(deletes.n[0])):
            with _attempt(walk) as enough:
                if walk.force(deletes, i):
                    walk.climb(rank)
                improved = walk.score > enough
            if improved:
                walk.climb(rank)  # with the edge allowed again
                break
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
    joined = {(min(e), max(e)) for node in range(walk.n_nodes) for e in walk.edges_at(node)}
    for a, b in walk.generator.permutation(sorted(joined)).tolist():
        with _attempt(walk):
            walk.remove([*walk.edges_at(a), *walk.edges_at(b)])
            walk.climb((0, 0, 0), k=k)
            walk.climb(rank)
    return walk.score > start
