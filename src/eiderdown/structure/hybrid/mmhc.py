"""Max-min hill climbing: parents and children by tests, then directions by a score.

Tsamardinos, Brown & Aliferis (2006); algorithm 7 of Brown (2009). Restarts of the climb are ours:
see :func:`mmhc_restarts`.

RegionMMHC and RegionDsepMMHC learn the region around a variable without the rest of the network:
Brown (2009), algorithms 8 and 9. The ring beyond the region takes part in the climb, for without it
nodes that depend on each other only through a common cause outside would be joined.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, TypedDict, Unpack

import numpy as np

from eiderdown.arrays import ByteArray, IntArray
from eiderdown.boundary import Found, TestProblem
from eiderdown.boundary.ahead import SearchAhead
from eiderdown.boundary.mmmb import mmpc_bar
from eiderdown.boundary.parents_children import ParentsChildrenSets
from eiderdown.boundary.problem import SYMMETRY, Symmetry
from eiderdown.independence import CachedTest, IndependenceResult
from eiderdown.independence.batch import SetRows
from eiderdown.options import declared
from eiderdown.registry import Algorithm
from eiderdown.structure.climbing.hill_climbing import ClimbOptions, RestartOptions, climb
from eiderdown.structure.climbing.search_state import Strategy
from eiderdown.structure.constraint.adjacencies import may_be_adjacent
from eiderdown.structure.constraint.hidden_causes import with_ends
from eiderdown.structure.problem import StructureFound, StructureProblem
from eiderdown.structure.separating_sets import Part, SeparatingSets, in_rows


class CandidateOptions(TypedDict, total=False):
    """How candidates are chosen by MMPC."""

    symmetry: Symmetry


class MaxMinOptions(CandidateOptions, ClimbOptions, total=False):
    """What MMHC and its relatives take that climb once."""


class MaxMinRestartOptions(CandidateOptions, RestartOptions, total=False):
    """What regions take that climb again from the best graph."""


class NetworkRestartOptions(RestartOptions, total=False):
    """What MMHC with restarts takes: all sets are searched for anyway, so "or" costs nothing."""

    symmetry: Annotated[Symmetry, replace(SYMMETRY, default="or")]


@declared
def mmhc(problem: StructureProblem, **how: Unpack[MaxMinOptions]) -> StructureFound:
    """Find parents and children of every variable by MMPC, then climb among the edges to them."""
    return _mmhc(problem, **how)


@declared
def mmhc_restarts(
    problem: StructureProblem, **how: Unpack[NetworkRestartOptions]
) -> StructureFound:
    """Run MMHC, and climb again after each column in turn lost its edges."""
    return _mmhc(problem, **how)


def _mmhc(problem: StructureProblem, symmetry: Symmetry, **climb_by: int) -> StructureFound:
    variables = range(problem.n_variables)
    # Lines 1-4 (restrict): PC(X) by MMPC for every X.
    with SearchAhead(variables) as ahead:
        candidates = MaxMinCandidates(problem, symmetry, ahead=ahead)
        allowed = candidates.among(variables)
    # Line 5 (search): only try the operator add-edge Y -> X if Y is in PC(X).
    separating_sets = candidates.separating_sets(variables)
    return climb_among(problem, allowed, separating_sets, Strategy(**climb_by))


def climb_among(
    problem: StructureProblem,
    candidates: Mapping[int, IntArray],
    separating_sets: SeparatingSets,
    strategy: Strategy,
) -> StructureFound:
    """Climb from the graph without edges, and describe where it ended.

    Parameters
    ----------
    problem : StructureProblem
        The question; it needs a score.
    candidates : mapping of int to IntArray
        The variables that take part, each with those that may be its parents.
    separating_sets : SeparatingSets
        What separates variables without an edge, where that is known.
    strategy : Strategy
        How to climb.
    """
    climbed = climb(problem, strategy, candidates=candidates)
    return StructureFound.of_parents(
        problem.the_score,
        {x: climbed.parents[x] for x in sorted(candidates)},
        complete=climbed.complete,
        separating_sets=separating_sets,
    )


class MaxMinCandidates:
    """Parents and children of variables, each searched for once, when it is asked for.

    Y is in PC(X) if each is found around the other (by "and", the corrected MMPC) and knowledge
    allows an edge between them, or if knowledge requires one.

    Parameters
    ----------
    problem : StructureProblem
        The question; it needs a test.
    symmetry : {"and", "or", "none"}
        What is asked of two that are adjacent.
    among : sequence of int or None
        The variables that take part; None for all.
    ahead : SearchAhead or None
        Searches in threads around those that will be asked for.
    """

    def __init__(
        self,
        problem: StructureProblem,
        symmetry: Symmetry = "and",
        *,
        among: Sequence[int] | None = None,
        ahead: SearchAhead | None = None,
    ) -> None:
        variables = np.arange(problem.n_variables) if among is None else np.array(sorted(among))
        self._problem, self._symmetry = problem, symmetry
        self._around = ParentsChildrenSets(
            TestProblem(
                problem.the_test,
                int(variables[0]),
                variables[1:],
                problem.alpha,
                problem.max_given,
                trace=problem.trace,
                generator=problem.generator,
                ahead=ahead,
            ),
            self._search,
        )
        self._apart: dict[int, ByteArray] = {}
        self._required: defaultdict[int, set[int]] = defaultdict(set)
        for parent, child in problem.required_edges:
            if among is None or {parent, child} <= set(among):
                self._required[parent].add(child)
                self._required[child].add(parent)

    def of(self, x: int) -> list[int]:
        """Return the parents and children of a variable, in order."""
        return self._known(x, self._around.around(x, self._symmetry))

    def among(self, nodes: Iterable[int]) -> dict[int, IntArray]:
        """Return for each of some variables those of its parents and children among them."""
        chosen = set(nodes)
        found = {}
        sides = {x: set(self._around.uncorrected(x).members) & chosen for x in sorted(chosen)}
        finders: defaultdict[int, set[int]] = defaultdict(set)
        for x, side in sides.items():
            for y in side:
                finders[y].add(x)
        for x, side in sides.items():
            of_others = finders[x]
            near = {"and": side & of_others, "or": side | of_others, "none": side}[self._symmetry]
            known = self._known(x, sorted(near))
            found[x] = np.array([y for y in known if y in chosen], dtype=np.int64)
        return found

    def survived(self, x: int, y: int) -> IndependenceResult:
        """Return the weakest test that an edge survived; of one that is required, any."""
        around = self._around.uncorrected
        found = around(x).members.get(y) or around(y).members.get(x)
        return replace(found or self._problem.the_test.test(x, y), x=x, y=y)

    def separating_sets(self, nodes: Iterable[int]) -> SeparatingSets:
        """Return for pairs of some variables what separated them, if anything did."""
        return SeparatingSets.of(self._problem.n_variables, self._separated(sorted(nodes)))

    def _separated(self, nodes: Sequence[int]) -> Iterator[Part]:
        """Yield what nothing separated, and then what the searches did."""
        in_order, test = np.array(nodes, dtype=np.int64), self._problem.the_test
        if not isinstance(test, CachedTest) or (test.keeps_all_apart and not test.forgets):
            yield *self._apart_alone(in_order), None
        else:  # what was forgotten is computed again, and counted
            for k, x in enumerate(nodes):
                batch = test.sweep(in_order[k + 1 :], x)
                yield x, batch.x[batch.independent(self._problem.alpha)], None
        is_node = np.zeros(self._problem.n_variables, dtype=np.bool_)
        is_node[nodes] = True
        batches = [batch for x in nodes for batch in self._around.uncorrected(x).separated]
        if batches:
            xs, targets = (np.concatenate([getattr(b, end) for b in batches]) for end in "xy")
            inside = np.flatnonzero(is_node[xs])
            rows = in_rows([batch.given for batch in batches]).rows[inside]
            yield targets[inside], xs[inside], SetRows(rows)

    def _apart_alone(self, nodes: IntArray) -> tuple[IntArray, IntArray]:
        """Return the pairs that are independent given nothing: the searches have tested them all.

        They count as asked once more, as they would be if each were looked up.
        """
        test = self._problem.the_test
        if isinstance(test, CachedTest):
            test.count_repeated(len(nodes) * (len(nodes) - 1) // 2)
        is_apart = np.unpackbits(np.stack([self._bits(x) for x in nodes.tolist()]), axis=1)
        first, second = np.nonzero(np.triu(is_apart[:, nodes], k=1))
        return nodes[first], nodes[second]

    def _bits(self, x: int) -> ByteArray:
        """Return whom the empty set separates from a variable, a bit each."""
        if x not in self._apart:
            self._around.uncorrected(x)
        return self._apart[x]

    def _search(self, problem: TestProblem, found: Found) -> None:
        """Run MMPC-bar; of what the empty set separated, of many nearly all, keep a bit each."""
        mmpc_bar(problem, found)
        is_apart = np.zeros(problem.test.n_variables, dtype=np.bool_)
        for batch in found.separated:
            if not batch.given[0]:
                is_apart[batch.x] = True
        found.separated = [batch for batch in found.separated if batch.given[0]]
        self._apart[int(problem.target)] = np.packbits(is_apart)

    def _known(self, x: int, members: list[int]) -> list[int]:
        """Leave out what knowledge forbids, and add what it requires."""
        found = np.array(members, dtype=np.int64)
        if self._problem.knowledge is not None:
            found = found[may_be_adjacent(self._problem.knowledge, x, found)]
        return sorted({*found.tolist(), *self._required[x]})


MMHC = Algorithm(
    mmhc,
    "Finds parents and children by MMPC, then climbs among the edges to them.",
    paper="Tsamardinos, Brown & Aliferis 2006; Brown 2009, algorithm 7",
    returns="directed graph",
    needs=("test", "score"),
    assumes=("faithfulness",),
    exact=False,
    fewer_rows="boss_restarts",
)

MMHC_RESTARTS = MMHC.variant(
    mmhc_restarts,
    "MMHC, and again a climb after each column in turn lost its edges.",
    paper="Eiderdown's own, after Tsamardinos, Brown & Aliferis 2006",
    random=True,
)


@declared
def region_mmhc(problem: StructureProblem, **how: Unpack[MaxMinOptions]) -> StructureFound:
    """Find a region: rings by MMPC to one step beyond, a climb, and a cut."""
    return _region(problem, **how)


@declared
def region_mmhc_restarts(
    problem: StructureProblem, **how: Unpack[MaxMinRestartOptions]
) -> StructureFound:
    """Run RegionMMHC, and climb again after each column in turn lost its edges."""
    return _region(problem, **how)


@declared
def region_dsep_mmhc(problem: StructureProblem, **how: Unpack[MaxMinOptions]) -> StructureFound:
    """Find a region in which d-separation reads as in the whole network.

    The nodes one step beyond are in it, too, with edges that stand for what connects them outside.
    They may be given, but nothing is to be read about them.
    """
    return _region(problem, dsep=True, **how)


@declared
def region_dsep_mmhc_restarts(
    problem: StructureProblem, **how: Unpack[MaxMinRestartOptions]
) -> StructureFound:
    """Run RegionDsepMMHC, and climb again after each column in turn lost its edges."""
    return _region(problem, dsep=True, **how)


def _region(
    problem: StructureProblem, symmetry: Symmetry, *, dsep: bool = False, **climb_by: int
) -> StructureFound:
    """Algorithm 8, or with ``dsep`` algorithm 9, which keeps the outermost ring."""
    target, depth = problem.the_region
    candidates = MaxMinCandidates(problem, symmetry)
    # Lines 1-9 (restrict): rings of parents and children, one beyond the region.
    found_rings = rings(candidates, target, depth + 1)
    nodes = [x for ring in found_rings for x in ring]
    allowed = candidates.among(nodes)
    outermost = found_rings[depth + 1] if len(found_rings) > depth + 1 else []
    if dsep and len(outermost) > 1:
        # Algorithm 9, lines 10-13: MMPC once more, on the nodes of the outermost ring alone.
        outer = MaxMinCandidates(problem, symmetry, among=outermost)
        for x, more in outer.among(outermost).items():
            allowed[x] = np.union1d(allowed[x], more)
    # Search: the climb, among the edges that MMPC found between these nodes.
    found = climb_among(problem, allowed, candidates.separating_sets(nodes), Strategy(**climb_by))
    if problem.hidden_causes:
        found = with_ends(problem, found)
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


REGION_MMHC = MMHC.variant(
    region_mmhc,
    "Finds rings of parents and children by MMPC, climbs among them, cuts off the last.",
    paper="Brown 2009, algorithm 8",
    fewer_rows="",
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
