"""IAMBnPC and inter-IAMBnPC: IAMB whose shrinking phase is the PC algorithm.

Tsamardinos, Aliferis & Statnikov (2003), "Algorithms for large scale Markov blanket discovery".
The growing phase gathers a blanket; PC among its members and the target then conditions on small
sets instead of on everything else. Those adjacent to the target in that graph stay, and so do
spouses, T -> C <- S. (Removing whatever some subset separates from T would lose every spouse.)

Differences from the papers: those of IAMB; a spouse whose test given the shared child contradicts
the v-structure is removed; inter-IAMBnPC, where PC throws out what the growing phase brings in over
and over, goes on without shrinking in between.
"""

from __future__ import annotations

from eiderdown.boundary.grow_shrink import grow, until_a_boundary_returns
from eiderdown.boundary.pc_among import SeparatedGraph, pc_among
from eiderdown.boundary.problem import MARKOV_BOUNDARY, Found, TestProblem, best_so_far
from eiderdown.independence import IndependenceBatch, IndependenceResult
from eiderdown.registry import Algorithm


def iamb_npc(problem: TestProblem) -> Found:
    """Find a Markov boundary by adding the strongest, then shrinking by PC."""
    with best_so_far(problem) as found:
        found.require(problem)
        # Growing as in IAMB; shrinking by PC among the members and T.
        while grow(problem, found):
            pass
        shrink_by_pc(problem, found)
    return found


def inter_iamb_npc(problem: TestProblem) -> Found:
    """Find a Markov boundary by adding the strongest, shrinking by PC after every addition."""
    with best_so_far(problem) as found:
        found.require(problem)
        shrink_by_pc(problem, found)
        for _ in until_a_boundary_returns(found):
            if not grow(problem, found):
                break
            shrink_by_pc(problem, found)
        else:  # PC throws out what comes in, over and over: go on without shrinking in between.
            while grow(problem, found):
                pass
            shrink_by_pc(problem, found)
    return found


def shrink_by_pc(problem: TestProblem, found: Found) -> None:
    """Keep those adjacent to the target, and its spouses, in the PC graph of it and the members."""
    target, blanket = problem.target, list(found.members)
    graph = pc_among(
        problem.test, [target, *blanket], alpha=problem.alpha, max_given=problem.max_subset
    )
    adjacent = [x for x in blanket if x in graph.adjacent[target]]
    proofs = _proofs_of_spouses(problem, graph, [x for x in blanket if x not in adjacent])
    found.keep(
        problem.test.max_p_over_subsets(
            adjacent, target, adjacent, alpha=problem.alpha, max_given=problem.max_subset
        )
    )
    found.parents_children = tuple(adjacent)
    found.spouses = {x: child for x, (child, _) in proofs.items()}
    for x in blanket:
        if x in adjacent:
            continue
        result = proofs[x][1] if x in proofs else graph.separation(x, target)
        if x in proofs or x in problem.required:
            found.keep(IndependenceBatch.of([result]))
        else:
            found.remove(result)


def _proofs_of_spouses(
    problem: TestProblem, graph: SeparatedGraph, apart: list[int]
) -> dict[int, tuple[int, IndependenceResult]]:
    """Find a child C for every S with T -> C <- S, unless ind(S; T | what separated them u {C})."""
    proofs: dict[int, tuple[int, IndependenceResult]] = {}
    for x in apart:
        separating = graph.separation(x, problem.target).given
        children = graph.colliders(x, problem.target)
        for child in sorted(children, key=problem.test.name_rank.__getitem__):
            if not problem.allows(len(separating) + 1):
                continue
            result = problem.test.test(x, problem.target, [*separating, child])
            if not result.independent(problem.alpha):
                proofs[x] = child, result
                break
    return proofs


IAMB_NPC = Algorithm(
    iamb_npc,
    "IAMB that shrinks by the PC algorithm, given small sets only.",
    paper="Tsamardinos, Aliferis & Statnikov 2003 (FLAIRS)",
    returns=MARKOV_BOUNDARY,
    assumes=("faithfulness",),
)
INTER_IAMB_NPC = Algorithm(
    inter_iamb_npc,
    "IAMB that shrinks by the PC algorithm after every addition.",
    paper="Tsamardinos, Aliferis & Statnikov 2003 (FLAIRS)",
    returns=MARKOV_BOUNDARY,
    assumes=("faithfulness",),
)
