"""Max-min hill climbing: neighbours by tests, then directions by a score.

Tsamardinos, Brown & Aliferis (2006); algorithm 7 of Brown (2009).
"""

from __future__ import annotations

from collections.abc import Mapping

from eiderdown.arrays import IntArray
from eiderdown.structure.candidates import Candidates
from eiderdown.structure.hill_climbing import climb
from eiderdown.structure.search import StructureFound, StructureSearch


def mmhc(
    search: StructureSearch, *, tabu_length: int = 100, patience: int = 15, restarts: int = 1
) -> StructureFound:
    """Find the neighbours of every variable by MMPC, then climb among the edges between them.

    Parameters
    ----------
    search : StructureSearch
        The question; it needs a test and a score.
    tabu_length, patience, restarts
        Options of the climb; see :func:`eiderdown.structure.hill_climbing.climb`.
    """
    everyone = range(search.n_variables)
    candidates = Candidates(search)
    # Line 5: only try the operator add-edge Y -> X if Y is in PC(X).
    return climbed(
        search,
        candidates.between(everyone),
        candidates.separating_sets(everyone),
        tabu_length=tabu_length,
        patience=patience,
        restarts=restarts,
    )


def climbed(
    search: StructureSearch,
    candidates: Mapping[int, IntArray],
    separating_sets: Mapping[frozenset[int], tuple[int, ...]],
    *,
    tabu_length: int,
    patience: int,
    restarts: int,
) -> StructureFound:
    """Climb from the graph without edges, and describe where it ended.

    Parameters
    ----------
    search : StructureSearch
        The question; it needs a score.
    candidates : mapping of int to IntArray
        The variables that take part, each with those that may be its parents.
    separating_sets : mapping of frozenset to tuple of int
        What separates variables without an edge, where that is known.
    tabu_length, patience, restarts
        Options of the climb; see :func:`eiderdown.structure.hill_climbing.climb`.
    """
    top = climb(
        search.the_score,
        knowledge=search.knowledge,
        candidates=candidates,
        tabu_length=tabu_length,
        patience=patience,
        restarts=restarts,
        generator=search.generator,
        trace=search.trace,
    )
    families = {x: top.parents[x] for x in sorted(candidates)}
    edges = {frozenset((x, y)) for x, family in families.items() for y in family}
    return StructureFound.of_parents(
        search.the_score,
        families,
        complete=top.complete,
        separating_sets={
            pair: given for pair, given in separating_sets.items() if pair not in edges
        },
    )
