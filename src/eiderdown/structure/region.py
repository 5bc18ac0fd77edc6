"""The region around a variable, learned without the rest of the network.

RegionMMHC and RegionDsepMMHC: Brown (2009), algorithms 8 and 9. The ring beyond the region takes
part in the climb, for without it nodes that depend on each other only through a common cause
outside would be joined.
"""

from __future__ import annotations

import numpy as np

from eiderdown.structure.candidates import Candidates
from eiderdown.structure.mmhc import climbed
from eiderdown.structure.search import StructureFound, StructureSearch


def region_mmhc(
    search: StructureSearch, *, tabu_length: int = 100, patience: int = 15, restarts: int = 1
) -> StructureFound:
    """Find a region: rings of neighbours by MMPC to one step beyond, a climb, and a cut.

    Parameters
    ----------
    search : StructureSearch
        The question; it needs a test, a score, a target and a depth.
    tabu_length, patience, restarts
        Options of the climb; see :func:`eiderdown.structure.hill_climbing.climb`.
    """
    target, depth = search.the_region
    candidates = Candidates(search)
    nodes = [x for ring in rings(candidates, target, depth + 1) for x in ring]
    found = climbed(
        search,
        candidates.between(nodes),
        candidates.separating_sets(nodes),
        tabu_length=tabu_length,
        patience=patience,
        restarts=restarts,
    )
    return found.cut(target, depth)


def region_dsep_mmhc(
    search: StructureSearch, *, tabu_length: int = 100, patience: int = 15, restarts: int = 1
) -> StructureFound:
    """Find a region in which d-separation reads as in the whole network.

    The nodes one step beyond are in it, too, with edges that stand for what connects them outside.
    They may be given, but nothing is to be read about them.

    Parameters
    ----------
    search : StructureSearch
        The question; it needs a test, a score, a target and a depth.
    tabu_length, patience, restarts
        Options of the climb; see :func:`eiderdown.structure.hill_climbing.climb`.
    """
    target, depth = search.the_region
    candidates = Candidates(search)
    found_rings = rings(candidates, target, depth + 1)
    nodes = [x for ring in found_rings for x in ring]
    between = candidates.between(nodes)
    outermost = found_rings[depth + 1] if len(found_rings) > depth + 1 else []
    if len(outermost) > 1:
        # Lines 10-13: MMPC once more, on the nodes of the outermost ring alone.
        for x, more in Candidates(search, among=outermost).between(outermost).items():
            between[x] = np.union1d(between[x], more)
    found = climbed(
        search,
        between,
        candidates.separating_sets(nodes),
        tabu_length=tabu_length,
        patience=patience,
        restarts=restarts,
    )
    return found.cut(target, depth + 1)


def rings(candidates: Candidates, target: int, n_rings: int) -> list[list[int]]:
    """Return the target and, ring by ring, the neighbours of the last ring that are new.

    Parameters
    ----------
    candidates : Candidates
        Who is a neighbour of whom.
    target : int
        The centre.
    n_rings : int
        How many rings, if there are neighbours enough.
    """
    found = [[target]]
    inside = {target}
    # Lines 2-9: a ring of X in nodes(i-1) gives nodes(i) by MMPC(X).
    for _ in range(n_rings):
        ring = sorted({y for x in found[-1] for y in candidates.of(x)} - inside)
        if not ring:
            break
        found.append(ring)
        inside.update(ring)
    return found
