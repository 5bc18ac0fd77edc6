"""IPC-MB: iterative parents and children based Markov boundary.

Fu & Desmarais (2008). It goes the other way round: every candidate is adjacent until a subset of
the others separates it from the target, and small subsets are tried before large ones.

Differences from the paper: the size of the subsets grows until there are too few candidates left,
even if one size removes none.
"""

from __future__ import annotations

from eiderdown.boundary.parents_children import OpenCandidates, ParentsChildrenSets, add_spouses
from eiderdown.boundary.problem import (
    MARKOV_BOUNDARY,
    Found,
    SpouseSymmetry,
    Symmetry,
    TestProblem,
    best_so_far,
)
from eiderdown.registry import Algorithm


def recognise_pc(problem: TestProblem, found: Found) -> None:
    """Find parents, children and some descendants, from all candidates down."""
    # ADJ = all candidates; cut sets of size 0.
    found.require(problem)
    open_ = OpenCandidates.of(problem, found)
    # For cut sets of 1, 2, ... members of ADJ: remove X if ind(X; T | S) for some such S. Who is
    # separated leaves ADJ after the round; smaller cut sets were tried in the round before.
    for size in range(1, problem.max_subset + 1):
        adjacent = [*found.members, *open_.tests.x.tolist()]
        if len(adjacent) <= size:
            break
        open_ = open_.tried_up_to(size, adjacent)
        problem.trace.progressed("shrinking", len(found.members) + len(open_.tests))
    for result in open_.strongest_first():
        found.admit(result)


def ipc_mb(
    problem: TestProblem, *, symmetry: Symmetry = "and", spouse_symmetry: SpouseSymmetry = "none"
) -> Found:
    """Find the Markov boundary from all candidates down, then spouses.

    Parameters
    ----------
    problem : TestProblem
        The question.
    symmetry : {"and", "or", "none"}
        Which parents and children are kept; "and" is the paper's, and the one that is exact.
    spouse_symmetry : {"auto", "and", "or", "none"}
        Which spouses are near a parent or child; "none" is the paper's.
    """
    with best_so_far(problem) as found:
        # PC = RecognisePC(T), kept where T is in RecognisePC(X); then for Y in PC and X in
        # RecognisePC(Y): X is a spouse if dep(T; X | Sep[X] u {Y}).
        sets = ParentsChildrenSets(problem, recognise_pc, found)
        add_spouses(problem, found, sets, symmetry, spouse_symmetry)
    return found


IPC_MB = Algorithm(
    ipc_mb,
    "From all candidates down, small separating sets first; then spouses.",
    paper="Fu & Desmarais 2008",
    returns=MARKOV_BOUNDARY,
    fewer_rows="consensus",
    assumes=("faithfulness",),
)
