"""Regions around every column, joined into one network: every climb is local.

Brown (2009, section IV.6.1) names the combination of regions as future work. How they are combined
is ours:

    restrict   parents and children of every column by MMPC, as MMHC does
    search     around each column, in a region and one ring more, a climb as RegionMMHC makes it
    join       about each edge and each v-structure the regions are asked in which its nodes lie
               nearest to the centre: an edge is there if the region around one of its ends has it,
               and a triple a v-structure if the region around its middle says so
    direct     v-structures in the order of their gains, then Meek's rules; one that contradicts a
               stronger one, or closes a cycle, is left out
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Annotated, Unpack

from eiderdown.arrays import IntArray
from eiderdown.boundary.ahead import SearchAhead
from eiderdown.boundary.problem import Symmetry
from eiderdown.graphs.equivalence import consistent_extension
from eiderdown.graphs.named_graph import index_lists
from eiderdown.options import Option, declared
from eiderdown.progress import Cancelled
from eiderdown.structure.climbing.hill_climbing import climb
from eiderdown.structure.climbing.search_state import Strategy
from eiderdown.structure.constraint.adjacencies import Adjacencies, Triple
from eiderdown.structure.constraint.orientation import Colliders, orient
from eiderdown.structure.hybrid.mmhc import MMHC, MaxMinCandidates, MaxMinRestartOptions
from eiderdown.structure.problem import Edge, StructureFound, StructureProblem, edge_gains


class JoinOptions(MaxMinRestartOptions, total=False):
    """What the join of regions takes."""

    reach: Annotated[
        int, Option("how many steps from its centre each region reaches", default=1, at_least=1)
    ]


@declared
def joined_regions(problem: StructureProblem, **how: Unpack[JoinOptions]) -> StructureFound:
    """Learn the region around every column, and join them."""
    return _joined(problem, **how)


def _joined(
    problem: StructureProblem, symmetry: Symmetry, reach: int, **climb_by: int
) -> StructureFound:
    problem.refuse_limit_on_parents("joined_regions")
    variables, rank = range(problem.n_variables), problem.the_test.name_rank
    with SearchAhead(variables) as ahead:
        candidates = MaxMinCandidates(problem, symmetry, ahead=ahead)
        allowed = candidates.among(variables)
    seen, complete = _Seen(), True
    # In the order of names, so that chance does not go by the order of the columns.
    centres = sorted((x for x in variables if len(allowed[x])), key=rank.__getitem__)
    try:
        for n, centre in enumerate(centres):
            problem.trace.progressed("joining regions", n)
            _learn_region(problem, allowed, centre, reach, Strategy(**climb_by), seen)
    except Cancelled:
        complete = False
    graph = Adjacencies.of(variables)
    for pair in sorted(map(sorted, seen.edges)):
        graph.add_edge(candidates.survived(*pair), problem.alpha)
    found = orient(problem, graph, seen.colliders_in(graph, rank), complete=complete)
    edges = (*found.directed, *found.undirected)
    return replace(
        found,
        separating_sets=candidates.separating_sets(variables).without(edges),
        edge_evidence={edge: seen.edges[frozenset(edge)] for edge in edges},
        score=_score(problem, found),
        notes=tuple(note.replace("some tests", "some regions") for note in found.notes),
    )


def _learn_region(
    problem: StructureProblem,
    allowed: Mapping[int, IntArray],
    centre: int,
    reach: int,
    strategy: Strategy,
    seen: _Seen,
) -> None:
    """Climb in a region and one ring more, and note what it says about its centre."""
    nodes = _within(allowed, centre, reach + 1)
    among = {x: allowed[x][[y in nodes for y in allowed[x].tolist()]] for x in sorted(nodes)}
    climbed = climb(problem, strategy, candidates=among)
    if not climbed.complete:
        raise Cancelled
    families = {x: climbed.parents[x] for x in among}
    near = [centre, *(x for x in among if centre in families[x])]
    gains = edge_gains(problem.the_score, {x: families[x] for x in near})
    for edge, gain in gains.items():
        if centre in edge:
            pair = frozenset(edge)
            seen.edges[pair] = max(gain, seen.edges.get(pair, gain))
    for a, b in combinations(sorted(families[centre]), 2):
        if a not in families[b] and b not in families[a]:
            seen.colliders[a, centre, b] = min(gains[a, centre], gains[b, centre])


def _within(allowed: Mapping[int, IntArray], centre: int, reach: int) -> set[int]:
    """Return the columns within some steps of one."""
    found, ring = {centre}, [centre]
    for _ in range(reach):
        ring = sorted({y for x in ring for y in allowed[x].tolist()} - found)
        found.update(ring)
    return found


def _score(problem: StructureProblem, found: StructureFound) -> float | None:
    """Return the score of a directed graph of the class; None if regions leave none."""
    lists = [index_lists(problem.n_variables, pairs) for pairs in (found.directed, _both(found))]
    added = consistent_extension(*lists)
    if added is None:
        return None
    parents: dict[int, list[int]] = {x: [] for x in range(problem.n_variables)}
    for parent, child in (*found.directed, *added):
        parents[child].append(parent)
    return math.fsum(problem.the_score.local(x, tuple(sorted(parents[x]))) for x in parents)


def _both(found: StructureFound) -> list[Edge]:
    return [*found.undirected, *((y, x) for x, y in found.undirected)]


@dataclass
class _Seen:
    """What the regions say.

    Attributes
    ----------
    edges : dict of pair to float
        What the score would lose without each edge in a region around one of its ends, the larger
        of the two.
    colliders : dict of triple to float
        V-structures, with the smaller gain of their two edges.
    """

    edges: dict[frozenset[int], float] = field(default_factory=dict)
    colliders: dict[Triple, float] = field(default_factory=dict)

    def colliders_in(self, graph: Adjacencies, rank: IntArray) -> Colliders:
        """Return the v-structures whose ends have no edge in the whole, the largest gain first."""
        unshielded = self.colliders.keys() & set(graph.unshielded_triples())

        def strength(triple: Triple) -> tuple[float, ...]:
            a, middle, b = triple
            return -self.colliders[triple], rank[middle], *sorted((rank[a], rank[b]))

        return Colliders(tuple(sorted(unshielded, key=strength)))


JOINED_REGIONS = MMHC.variant(
    joined_regions,
    "Learns the region around every column, and joins them by the nearest.",
    paper="Eiderdown's own, after Brown 2009, section IV.6.1",
    returns="CPDAG",
    random=True,
    fewer_rows="",
)
