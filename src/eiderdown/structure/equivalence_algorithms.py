"""GES and KES as searches for networks, like all others of this layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from eiderdown.options import Option
from eiderdown.registry import Algorithm
from eiderdown.structure.equivalence_search import EquivalenceFound, EquivalenceSearch
from eiderdown.structure.problem import StructureFound, StructureProblem, edge_gains

if TYPE_CHECKING:
    from eiderdown.scores import LocalScore


def ges(
    search: StructureProblem,
    *,
    retries: Annotated[bool, Option("go on after the two phases, looking for ways out")] = True,
) -> StructureFound:
    """Search all equivalence classes by GES.

    Parameters
    ----------
    search : StructureProblem
        The question; it needs a score.
    retries
        As in :meth:`EquivalenceSearch.ges`.
    """
    searched = EquivalenceSearch(search.the_score, knowledge=search.knowledge)
    return _described(
        search.the_score,
        searched.ges(retries=retries, generator=search.generator, trace=search.trace),
    )


def kes(
    search: StructureProblem,
    *,
    k: Annotated[
        float, Option("share of the better classes of which the best is taken", between=(0, 1))
    ] = 0.8,
    turning: Annotated[bool, Option("also turn edges")] = False,
) -> StructureFound:
    """Search all equivalence classes by one run of KES.

    Parameters
    ----------
    search : StructureProblem
        The question; it needs a score.
    k, turning
        As in :meth:`EquivalenceSearch.kes`.
    """
    searched = EquivalenceSearch(search.the_score, knowledge=search.knowledge)
    found = searched.kes(k=k, turning=turning, generator=search.generator, trace=search.trace)
    return _described(search.the_score, found)


def _described(score: LocalScore, found: EquivalenceFound) -> StructureFound:
    """Say for each edge what its removal would cost in one graph of the class."""
    lost = edge_gains(score, dict(enumerate(found.parents)))
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


GES = Algorithm(
    ges,
    "Moves to the best class of graphs next to the last, then undoes and retries.",
    paper="Chickering 2002; retries after Nazaret & Blei 2024",
    returns="CPDAG",
    needs=("score",),
    assumes=("faithfulness",),
    random=True,
)

KES = Algorithm(
    kes,
    "Moves to the best of a random share of the better classes next to the last.",
    paper="Nielsen, Kocka & Pena 2003",
    returns="CPDAG",
    needs=("score",),
    assumes=("faithfulness",),
    random=True,
)
