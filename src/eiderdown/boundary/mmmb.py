"""MMPC, max-min parents and children, and MMMB, the boundary built on them.

MMPC-bar and MMMB: Tsamardinos, Aliferis & Statnikov (2003), figures 2 and 3 in this order. The
correction by symmetry: Tsamardinos, Brown & Aliferis (2006), called CMMPC by Pena et al. (2007).
"""

from __future__ import annotations

from eiderdown.boundary.compiled import compiled
from eiderdown.boundary.parents_children import (
    OpenCandidates,
    ParentsChildrenSets,
    add_spouses,
    add_spouses_uncorrected,
    remove_separable,
    some_child,
)
from eiderdown.boundary.problem import (
    MARKOV_BOUNDARY,
    PARENTS_AND_CHILDREN,
    Found,
    SpouseSymmetry,
    Symmetry,
    TestProblem,
    best_so_far,
)
from eiderdown.registry import Algorithm


@compiled(by_association=False, interleaved=False)
def mmpc_bar(problem: TestProblem, found: Found) -> None:
    """Find parents and children, and sometimes a few descendants (DAG (a) of the docs)."""
    # CPC = {} (or the required); minassoc(X) = assoc(X; T | {}).
    found.require(problem)
    open_ = OpenCandidates.of(problem, found)
    # Phase I, forward: add the X with the greatest minassoc(X), the minimum over all subsets of
    # CPC; new are those with the newest member. Who is independent given one never returns.
    while (best := open_.strongest()) is not None:
        found.admit(best)
        open_ = open_.after(best.x)
    # Phase II, backward: remove X if ind(X; T | S) for some subset S of CPC minus X.
    remove_separable(problem, found)


def mmpc(problem: TestProblem, *, symmetry: Symmetry = "and") -> Found:
    """Find parents and children by max-min.

    Parameters
    ----------
    problem : TestProblem
        The question.
    symmetry : {"and", "or", "none"}
        Who is kept: "and" is the correction of 2006 and exact, "none" is MMPC-bar.
    """
    with best_so_far(problem) as found:
        sets = ParentsChildrenSets(problem, mmpc_bar, found)
        found.parents_children = tuple(sets.around(problem.target, symmetry))
    return found


def mmmb(
    problem: TestProblem, *, symmetry: Symmetry = "and", spouse_symmetry: SpouseSymmetry = "auto"
) -> Found:
    """Find a Markov boundary: max-min parents and children, then spouses.

    Parameters
    ----------
    problem : TestProblem
        The question.
    symmetry : {"and", "or", "none"}
        Which parents and children are kept: "and" is exact, "none" is as published in 2003.
    spouse_symmetry : {"auto", "and", "or", "none"}
        Which spouses are near a child; "auto" is "and" where symmetry is "and", "none" where it is
        "or", and where it is "none" the rule of 2003, which asks for no child that a spouse is
        near, and may add too many.
    """
    with best_so_far(problem) as found:
        # PC = MMPC(T); candidates = the union of MMPC(C) for C in PC; X outside PC is a spouse if
        # dep(X; T | S u {Y}) for some Y in PC, where S is the set found before with ind(X; T | S).
        sets = ParentsChildrenSets(problem, mmpc_bar, found)
        if symmetry == "none" and spouse_symmetry == "auto":
            add_spouses_uncorrected(problem, found, sets, some_child)
        else:
            add_spouses(problem, found, sets, symmetry, spouse_symmetry)
    return found


MMMB = Algorithm(
    mmmb,
    "Max-min parents and children, then spouses.",
    paper="Tsamardinos, Aliferis & Statnikov 2003, figure 3",
    returns=MARKOV_BOUNDARY,
    fewer_rows="consensus",
    assumes=("faithfulness",),
)
MMPC = MMMB.variant(
    mmpc,
    "Adds the variable whose weakest test over all subsets is the strongest.",
    paper="Tsamardinos, Aliferis & Statnikov 2003, figure 2",
    returns=PARENTS_AND_CHILDREN,
    fewer_rows="consensus_pc",
)
