"""The region around a variable, learned without the rest of the network.

RegionMMHC and RegionDsepMMHC: Brown (2009), algorithms 8 and 9. The ring beyond the region takes
part in the climb, for without it nodes that depend on each other only through a common cause
outside would be joined. Restarts of the climb are ours.
"""

from __future__ import annotations

from typing import Unpack

import numpy as np

from eiderdown.options import declared
from eiderdown.registry import Algorithm
from eiderdown.structure.climbing.hill_climbing import ClimbOptions, RestartOptions, Strategy
from eiderdown.structure.hybrid.mmhc import MaxMinCandidates, climb_among
from eiderdown.structure.problem import StructureFound, StructureProblem


@declared
def region_mmhc(problem: StructureProblem, **how: Unpack[ClimbOptions]) -> StructureFound:
    """Find a region: rings by MMPC to one step beyond, a climb, and a cut."""
    return _region(problem, Strategy(**how))


@declared
def region_mmhc_restarts(
    problem: StructureProblem, **how: Unpack[RestartOptions]
) -> StructureFound:
    """Run RegionMMHC, and climb again after each column in turn lost its edges."""
    return _region(problem, Strategy(**how))


@declared
def region_dsep_mmhc(problem: StructureProblem, **how: Unpack[ClimbOptions]) -> StructureFound:
    """Find a region in which d-separation reads as in the whole network.

    The nodes one step beyond are in it, too, with edges that stand for what connects them outside.
    They may be given, but nothing is to be read about them.
    """
    return _region(problem, Strategy(**how), dsep=True)


@declared
def region_dsep_mmhc_restarts(
    problem: StructureProblem, **how: Unpack[RestartOptions]
) -> StructureFound:
    """Run RegionDsepMMHC, and climb again after each column in turn lost its edges."""
    return _region(problem, Strategy(**how), dsep=True)


def _region(problem: StructureProblem, strategy: Strategy, *, dsep: bool = False) -> StructureFound:
    """Algorithm 8, or with ``dsep`` algorithm 9, which keeps the outermost ring."""
    target, depth = problem.the_region
    candidates = MaxMinCandidates(problem)
    # Lines 1-9 (restrict): rings of parents and children, one beyond the region.
    found_rings = rings(candidates, target, depth + 1)
    nodes = [x for ring in found_rings for x in ring]
    allowed = candidates.among(nodes)
    outermost = found_rings[depth + 1] if len(found_rings) > depth + 1 else []
    if dsep and len(outermost) > 1:
        # Algorithm 9, lines 10-13: MMPC once more, on the nodes of the outermost ring alone.
        for x, more in MaxMinCandidates(problem, among=outermost).among(outermost).items():
            allowed[x] = np.union1d(allowed[x], more)
    # Search: the climb, among the edges that MMPC found between these nodes.
    found = climb_among(problem, allowed, candidates.separating_sets(nodes), strategy)
    # Prune to what is within depth d of the target; algorithm 9 to d + 1.
    return found.cut(target, depth + 1 if dsep else depth)


def rings(candidates: MaxMinCandidates, target: int, n_rings: int) -> list[list[int]]:
    """Return the target and, ring by ring, the parents and children of the last ring that are new.

    Parameters
    ----------
    candidates : MaxMinCandidates
        Parents and children of each variable.
    target : int
        The centre.
    n_rings : int
        How many rings, if there are variables enough.
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


REGION_MMHC = Algorithm(
    region_mmhc,
    "Finds rings of parents and children by MMPC, climbs among them, cuts off the last.",
    paper="Brown 2009, algorithm 8",
    returns="directed graph",
    needs=("test", "score"),
    assumes=("faithfulness",),
    exact=False,
)

REGION_MMHC_RESTARTS = REGION_MMHC.variant(
    region_mmhc_restarts,
    "RegionMMHC, and again a climb after each column in turn lost its edges.",
    paper="Eiderdown's own, after Brown 2009, algorithm 8",
    random=True,
)

REGION_DSEP_MMHC = REGION_MMHC.variant(
    region_dsep_mmhc,
    "Keeps one ring more, so that separation reads as in the whole network.",
    paper="Brown 2009, algorithm 9",
)

REGION_DSEP_MMHC_RESTARTS = REGION_MMHC.variant(
    region_dsep_mmhc_restarts,
    "RegionDsepMMHC, and again a climb after each column in turn lost its edges.",
    paper="Eiderdown's own, after Brown 2009, algorithm 9",
    random=True,
)
