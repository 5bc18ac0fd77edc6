"""GES and KES as searches for networks, like all others of this layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eiderdown.structure.equivalence_search import EquivalenceFound, EquivalenceSearch
from eiderdown.structure.search import StructureFound, StructureSearch, gains

if TYPE_CHECKING:
    from eiderdown.scores import LocalScore


def ges(search: StructureSearch, *, retries: bool = True) -> StructureFound:
    """Search all equivalence classes by GES.

    Parameters
    ----------
    search : StructureSearch
        The question; it needs a score.
    retries
        As in :meth:`EquivalenceSearch.ges`.
    """
    searched = EquivalenceSearch(search.the_score, knowledge=search.knowledge)
    return _described(
        search.the_score,
        searched.ges(retries=retries, generator=search.generator, trace=search.trace),
    )


def kes(search: StructureSearch, *, k: float = 0.8, turning: bool = False) -> StructureFound:
    """Search all equivalence classes by one run of KES.

    Parameters
    ----------
    search : StructureSearch
        The question; it needs a score.
    k, turning
        As in :meth:`EquivalenceSearch.kes`.
    """
    searched = EquivalenceSearch(search.the_score, knowledge=search.knowledge)
    found = searched.kes(k=k, turning=turning, generator=search.generator, trace=search.trace)
    return _described(search.the_score, found)


def _described(score: LocalScore, found: EquivalenceFound) -> StructureFound:
    """Say for each edge what its removal would cost in one graph of the class."""
    lost = gains(score, dict(enumerate(found.parents)))
    either_way = lost | {(b, a): gain for (a, b), gain in lost.items()}
    return StructureFound(
        nodes=tuple(range(score.n_variables)),
        directed=found.directed,
        undirected=found.undirected,
        is_cpdag=True,
        edge_evidence={edge: either_way[edge] for edge in (*found.directed, *found.undirected)},
        score=found.score,
        complete=found.complete,
    )
